"""Numbers go into a fact with what they count, how exactly they do, and the era of a year."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.noun_phrases import INSIDE
from factscore_chain.decompose.tagger import NOUNS, Part, Tagged
from factscore_chain.decompose.words import UNIT_MARKS, Word, is_mark

ERAS = frozenset({"bc", "bce", "ad", "ce", "b.c", "b.c.", "b.c.e", "b.c.e.", "a.d", "a.d.", "c.e", "c.e."})
"""What stands beside a year to say from where it is counted."""
_EXACTNESS = {
    "more": (("more", "than"),),
    "less": (("less", "than"),),
    "fewer": (("fewer", "than"),),
    "at": (("at", "least"), ("at", "most")),
    "up": (("up", "to"),),
    "as": (("as", "many", "as"), ("as", "few", "as"), ("as", "much", "as")),
    "not": (("not", "all"), ("not", "every")),
}
"""How exactly a number is meant, by the first word of each phrase."""
_HOW_MANY_LIST = "no few most some all every each half any"
_HOW_MANY = frozenset(_HOW_MANY_LIST.split())
_ONLY = frozenset({"only", "just", "merely", "exactly", "solely"})


def keep_quantities(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Makes quantities whole of which a part is chosen, in place."""
    for i in range(len(words) - 1):
        _join_era(words, parts, i)
    for i in range(len(words) - 2, -1, -1):
        _count(words, tagged, parts, i)
        _qualify(words, tagged, parts, i)


def _join_era(words: Sequence[Word], parts: list[Part], i: int) -> None:
    one, other = words[i], words[i + 1]
    joined = (one.text[0].isdigit() and other.lower in ERAS) or (
        one.lower in ERAS and other.text[0].isdigit()
    )
    if not joined:
        return
    written_so = any(word.text[:2] != word.lower[:2] for word in (one, other))
    chosen = [part for part in parts[i : i + 2] if part != "out"]
    if written_so and chosen:
        parts[i : i + 2] = [chosen[-1]] * 2


def _count(words: Sequence[Word], tagged: Tagged, parts: list[Part], i: int) -> None:
    """A number and what it counts."""
    if tagged.tags[i] != "number" or tagged.entities[i] == "date":
        return
    follows, noun = parts[i + 1], tagged.tags[i + 1] in NOUNS
    may_be_subject = "finite" not in tagged.tags[:i]
    if noun and parts[i] == "out" and (follows == "predicate" or (follows == "subject" and may_be_subject)):
        parts[i] = follows
    elif noun and parts[i] == "predicate" and follows == "subject" and may_be_subject:
        parts[i] = "subject"
    elif noun and parts[i] == "predicate" and follows == "out":
        parts[i + 1] = "predicate"
    degrees = words[i + 1].text == "°" and i + 2 < len(words) and words[i + 2].text in ("C", "F")
    if degrees and parts[i] != "out":
        parts[i + 1 : i + 3] = [parts[i]] * 2


def _qualify(words: Sequence[Word], tagged: Tagged, parts: list[Part], i: int) -> None:
    """What says how many, or how exactly, before a chosen number or noun."""
    lower = words[i].lower
    not_only = i > 0 and words[i - 1].lower == "not"
    if lower in _ONLY and parts[i] == "out" and not not_only and not is_mark(words[i + 1].text):
        parts[i] = parts[i + 1]
    if lower in _HOW_MANY and tagged.tags[i] in ("determiner", "adjective", "other", "adverb"):
        head = i + 1
        while head < len(words) - 1 and tagged.tags[head] in ("adjective", "number") and parts[head] == "out":
            head += 1
        if head < len(words) and tagged.tags[head] in INSIDE and parts[head] != "out" and lower != "most":
            parts[i:head] = [parts[head]] * (head - i)
    for phrase in _EXACTNESS.get(lower, ()):
        end = i + len(phrase)
        if end < len(words) and tuple(word.lower for word in words[i:end]) == phrase:
            _join_exactness(words, tagged, parts, i, end)


def _join_exactness(words: Sequence[Word], tagged: Tagged, parts: list[Part], start: int, end: int) -> None:
    counted = tagged.tags[end] in (*INSIDE, "determiner") or words[end].text in UNIT_MARKS
    if counted and parts[end] != "out":
        parts[start:end] = [parts[end]] * (end - start)
