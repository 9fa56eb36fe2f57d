"""Names, titles, dates and spans of time go into a fact whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.quantities import ERAS
from factscore_chain.decompose.tagger import Part, Tagged
from factscore_chain.decompose.words import Word, is_content, is_mark

_WHOLE_ENTITIES = frozenset({"person", "place", "organisation", "work", "date"})
_RANGES = {"from": ("to", "until", "till", "through"), "between": ("and",)}
_TIME_PREPOSITIONS = frozenset(
    {"in", "on", "since", "until", "from", "by", "during", "before", "after", "of"}
)


def keep_units(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Makes units whole of which enough is chosen, in place."""
    _fill_quotations(words, parts)
    _fill_names(words, tagged, parts)
    _fill_ranges(words, tagged, parts)


def _fill_quotations(words: Sequence[Word], parts: list[Part]) -> None:
    for start, end in _quotations(words):
        inside = [i for i in range(start + 1, end) if is_content(words[i].text)]
        taken = [i for i in inside if parts[i] != "out"]
        if inside and len(taken) * 2 >= len(inside):
            part = parts[taken[-1]]
            parts[start : end + 1] = [part] * (end + 1 - start)
        else:
            parts[start : end + 1] = ["out"] * (end + 1 - start)


def _quotations(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Pairs of straight or curly quotation marks, at most 12 words apart: titles and nicknames."""
    found: list[tuple[int, int]] = []
    opened: int | None = None
    for i, word in enumerate(words):
        if opened is not None and word.text in ('"', "”"):
            if i - opened <= 13:
                found.append((opened, i))
            opened = None
        elif word.text in ('"', "“"):
            opened = i
    return found


def _fill_names(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in the rest of a name or date of which at least half is chosen; of a person's name, any part."""
    for start, end in _names(words, tagged):
        inside = [i for i in range(start, end) if is_content(words[i].text)]
        taken = [i for i in inside if parts[i] != "out"]
        person = tagged.entities[start] == "person"
        if taken and (person or len(taken) * 2 >= len(inside)):
            parts[start:end] = [parts[taken[-1]]] * (end - start)


def _names(words: Sequence[Word], tagged: Tagged) -> list[tuple[int, int]]:
    """Runs of words of one entity, cut where a series or an address goes on ("Oslo, Norway")."""
    found: list[tuple[int, int]] = []
    start = 0
    for i in range(1, len(words) + 1):
        runs_on = i < len(words) and tagged.entities[i] == tagged.entities[start] and not separates(words[i])
        if not runs_on:
            if tagged.entities[start] in _WHOLE_ENTITIES and not separates(words[start]):
                found.append((_with_initials(words, start), _without_marks(words, start, i)))
            start = i
    return found


def _fill_ranges(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Keeps "from 1887 to 1889" and "between 3 and 5" whole, and the preposition before a date."""
    for i, word in enumerate(words):
        joint = _RANGES.get(word.lower)
        ends = [j for j in range(i + 2, min(i + 8, len(words) - 1)) if words[j].lower in (joint or ())]
        if ends and _is_time(words, tagged, i + 1) and _is_time(words, tagged, ends[0] + 1):
            inside = range(i, ends[0] + 2)
            taken = [j for j in inside if parts[j] == "predicate" and _is_time(words, tagged, j)]
            if taken:
                parts[i : ends[0] + 2] = ["predicate"] * len(inside)
    for i in range(1, len(words)):
        bare = parts[i] == "predicate" and parts[i - 1] == "out" and _is_time(words, tagged, i)
        if bare and words[i - 1].lower in _TIME_PREPOSITIONS and "predicate" in parts[: i - 1]:
            parts[i - 1] = "predicate"


def _is_time(words: Sequence[Word], tagged: Tagged, i: int) -> bool:
    return tagged.entities[i] == "date" or words[i].text[0].isdigit() or words[i].lower in ERAS


def _with_initials(words: Sequence[Word], start: int) -> int:
    while start >= 2 and words[start - 1].text == "." and len(words[start - 2].text) == 1:
        start -= 2
    return start


def _without_marks(words: Sequence[Word], start: int, end: int) -> int:
    while end - start > 1 and (is_mark(words[end - 1].text) or words[end - 1].lower in ("'s", "’s")):
        if words[end - 1].text == "." and end < len(words) and words[end - 2].end == words[end - 1].start:
            return end  # "Apple Inc." within a sentence
        end -= 1
    return end


def separates(word: Word) -> bool:
    """Whether a word stands between two units rather than within one."""
    return word.text in {",", ";", "(", ")"} or word.lower in {"and", "or", "to", "until"}
