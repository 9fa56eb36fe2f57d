"""Which words of a sentence go into a fact, after the tagger's choice is made whole.

A choice word by word can lose what changes the meaning ("not", "nearly"), cut a name or a quantity in two,
or keep a stray comma. These rules put such words back or take them out; they never add a word from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.tagger import Part, Tagged
from factscore_chain.decompose.words import Word, is_content, is_mark

_NEGATIONS = frozenset({"not", "never", "n't", "no", "neither", "nor", "hardly", "barely", "cannot"})
_QUALIFIER_LIST = "former ex almost nearly about approximately around roughly over under allegedly reportedly"
_QUALIFIERS = frozenset(_QUALIFIER_LIST.split()) | {"supposedly", "possibly", "probably", "ca", "circa"}
_UNIT_MARKS = frozenset("%‰°$€£¥₹<>≤≥=±+−~")
_LINKS = frozenset("-–—/&'’.+_")
_OPENERS = {"(": ")", "[": "]", "“": "”", "«": "»", "‘": "’"}
_EDGE_LIST = "and or but nor who which that whom whose where when while as such including"
_LEADING = frozenset(_EDGE_LIST.split())
_TRAILING_LIST = "and or but the a an of in on at to for from by with as into his her their its"
_TRAILING = frozenset(_TRAILING_LIST.split())
_OBJECTS = frozenset({"him", "her", "it", "them", "himself", "herself", "itself", "themselves"})
_OWNED = frozenset({"adjective", "noun", "plural", "name", "number"})
_WHOLE_ENTITIES = frozenset({"person", "place", "organisation", "work", "date"})
_VERBS = frozenset({"finite", "participle", "gerund", "infinitive"})


def complete(words: Sequence[Word], tagged: Tagged, parts: Sequence[Part]) -> list[Part]:
    """The tagger's parts with names, quantities, titles and verb groups made whole."""
    whole = list(parts)
    _fill_quotations(words, whole)
    _fill_names(words, tagged, whole)
    _fill_gaps(words, tagged, whole)
    _attach(words, tagged, whole)
    _finish_owner(words, tagged, whole)
    _finish_object(words, tagged, whole)
    return whole


def chosen(words: Sequence[Word], parts: Sequence[Part], part: Part) -> list[int]:
    """Indices of the words of one part, without marks that have lost what they stood between."""
    indices = [i for i, one in enumerate(parts) if one == part]
    indices = _trim(words, indices)
    keep = set(indices)
    return [i for i in indices if not is_mark(words[i].text) or _is_held(words, keep, i)]


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
        runs_on = i < len(words) and tagged.entities[i] == tagged.entities[start] and not _separates(words[i])
        if not runs_on:
            if tagged.entities[start] in _WHOLE_ENTITIES and not _separates(words[start]):
                found.append((_with_initials(words, start), _without_marks(words, start, i)))
            start = i
    return found


def _with_initials(words: Sequence[Word], start: int) -> int:
    while start >= 2 and words[start - 1].text == "." and len(words[start - 2].text) == 1:
        start -= 2
    return start


def _without_marks(words: Sequence[Word], start: int, end: int) -> int:
    while end - start > 1 and (is_mark(words[end - 1].text) or words[end - 1].lower in ("'s", "’s")):
        end -= 1
    return end


def _finish_owner(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Goes on from "his" or "Curie's" to what is owned, where only the owner was chosen as the subject."""
    subject = [i for i, part in enumerate(parts) if part == "subject"]
    if not subject:
        return
    last = subject[-1]
    owns = words[last].lower in ("his", "her", "its", "their", "'s", "’s")
    if not owns and last + 1 < len(words) and words[last + 1].lower in ("'s", "’s"):
        owns = True
    i = last + 1
    while owns and i < len(words) and (tagged.tags[i] in _OWNED or words[i].lower in ("'s", "’s")):
        if parts[i] == "predicate":
            break
        parts[i] = "subject"
        i += 1


def _finish_object(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in a pronoun right after the verb that a predicate ends on ("admired her")."""
    predicate = [i for i, part in enumerate(parts) if part == "predicate"]
    if not predicate or tagged.tags[predicate[-1]] not in _VERBS:
        return
    following = predicate[-1] + 1
    if following < len(words) and words[following].lower in _OBJECTS:
        parts[following] = "predicate"


def _fill_gaps(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in a word that splits a name, a date or a compound whose other words are chosen."""
    for i in range(1, len(words) - 1):
        before, after = parts[i - 1], parts[i + 1]
        if parts[i] != "out" or before != after or before == "out":
            continue
        text = words[i].text
        glued = words[i - 1].end == words[i].start and words[i].end == words[i + 1].start
        entity = tagged.entities[i]
        one_name = bool(entity) and entity == tagged.entities[i - 1] == tagged.entities[i + 1]
        joins = (text in _LINKS and glued) or (one_name and not _separates(words[i]))
        if joins or tagged.tags[i] == "determiner" or words[i].lower in _NEGATIONS:
            parts[i] = before


def _separates(word: Word) -> bool:
    return word.text in {",", ";", "(", ")"} or word.lower in {"and", "or", "to", "until"}


def _attach(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Takes in signs of quantities, and negations, auxiliaries and qualifiers before a chosen word."""
    for i in range(len(words) - 1, -1, -1):
        if parts[i] != "out":
            continue
        after = parts[i + 1] if i + 1 < len(words) else "out"
        before = parts[i - 1] if i else "out"
        text, lower = words[i].text, words[i].lower
        if text in _UNIT_MARKS and (_is_number(words, i + 1) or _is_number(words, i - 1)):
            parts[i] = after if _is_number(words, i + 1) and after != "out" else before
        elif after == "predicate" and tagged.tags[i + 1] in _VERBS:
            if lower in _NEGATIONS or _is_modal(words[i], tagged.tags[i]):
                parts[i] = after
        elif after != "out" and (lower in _QUALIFIERS or lower in _NEGATIONS):
            parts[i] = after


_MODAL_LIST = "may might could would should must can cannot will shall"
_MODALS = frozenset(_MODAL_LIST.split())


def _is_modal(word: Word, tag: str) -> bool:
    return tag == "finite" and (word.lower in _MODALS or word.lower.endswith(("n't", "n’t")))


def _is_number(words: Sequence[Word], i: int) -> bool:
    return 0 <= i < len(words) and words[i].text[0].isdigit()


def _trim(words: Sequence[Word], indices: list[int]) -> list[int]:
    start, end = 0, len(indices)
    while start < end and _may_not_lead(words[indices[start]]):
        start += 1
    while end > start and _may_not_trail(words[indices[end - 1]]):
        end -= 1
    return indices[start:end]


def _may_not_lead(word: Word) -> bool:
    stray = is_mark(word.text) and word.text not in _UNIT_MARKS and word.text not in '"“«([‘#@'
    return stray or word.lower in _LEADING


def _may_not_trail(word: Word) -> bool:
    stray = is_mark(word.text) and word.text not in _UNIT_MARKS and word.text not in '"”»)]’'
    return stray or word.lower in _TRAILING


def _is_held(words: Sequence[Word], keep: set[int], i: int) -> bool:
    """Whether a mark still has its neighbours, or its other half."""
    text = words[i].text
    if text in _UNIT_MARKS:
        return True
    if text == '"':
        return sum(words[j].text == '"' for j in keep) % 2 == 0
    if text in _OPENERS or text in _OPENERS.values():
        pairs = dict(_OPENERS) | {close: opener for opener, close in _OPENERS.items()}
        held = any(words[j].text == pairs[text] for j in keep)
        return held or (text in "’‘" and i - 1 in keep)
    return i - 1 in keep and i + 1 in keep
