"""Comparisons go into a fact with both their sides: "is higher than Kibo", never "is higher than"."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.noun_phrases import phrase_end
from factscore_chain.decompose.tagger import VERBS, Part, Tagged
from factscore_chain.decompose.words import Word, is_mark

_REACH = 6
"""Words before "than" or the second "as" within which what is compared begins."""
_COMPARED_LIST = "more less fewer better worse rather other further"
_COMPARED = frozenset(_COMPARED_LIST.split())
_FIXED = frozenset({"well", "soon", "far", "long", "first", "early", "late"})


def keep_comparisons(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Gives a predicate both sides of a comparison of which it has a part, in place."""
    for at in range(1, len(words) - 1):
        start = _start(words, tagged, at)
        if start is not None:
            _complete(words, tagged, parts, start, at)


def _start(words: Sequence[Word], tagged: Tagged, at: int) -> int | None:
    """Where the comparison begins whose other side stands behind `at`; None if there is none."""
    near = range(at - 1, max(-1, at - 1 - _REACH), -1)
    if words[at].lower == "than":
        begin = next((i for i in near if _is_comparative(words[i], tagged.tags[i])), None)
        if begin is None or tagged.tags[at + 1] == "number":
            return None
    elif words[at].lower == "as" and tagged.tags[at - 1] in ("adjective", "adverb"):
        begin = next((i for i in near if words[i].lower == "as"), None)
        if begin is None or not _is_measure(words, tagged, begin + 1, at):
            return None
    else:
        return None
    while (
        begin
        and tagged.tags[begin - 1] not in VERBS
        and at - begin < _REACH
        and _measures(words, tagged, begin - 1)
    ):
        begin -= 1
    return begin


def _is_comparative(word: Word, tag: str) -> bool:
    return word.lower in _COMPARED or (tag in ("adjective", "adverb") and word.lower.endswith("er"))


def _is_measure(words: Sequence[Word], tagged: Tagged, start: int, end: int) -> bool:
    """Whether "as ... as" compares: "as old as", but not "as well as" or "as soon as"."""
    inside = range(start, end)
    fixed = any(words[i].lower in _FIXED for i in inside)
    return not fixed and all(
        tagged.tags[i] in ("adjective", "adverb", "other") and words[i].text[0].isalnum() for i in inside
    )


def _measures(words: Sequence[Word], tagged: Tagged, i: int) -> bool:
    """Whether a word may say by how much: "much larger", "three times as old", "more than twice as old"."""
    return (
        tagged.tags[i] in ("adverb", "number", "other", "plural") and not is_mark(words[i].text)
    ) or words[i].lower == "than"


def _complete(words: Sequence[Word], tagged: Tagged, parts: list[Part], start: int, at: int) -> None:
    begin = at + 1
    while begin < len(words) - 2 and tagged.tags[begin] == tagged.tags[begin + 1] == "determiner":
        begin += 1
    end = max(phrase_end(words, tagged, begin), at + 2)
    others = end
    while others < len(words) and (
        words[others].lower in ("and", "or", ",") or tagged.tags[others] not in VERBS
    ):
        if is_mark(words[others].text) and words[others].text != ",":
            break
        others += 1
    head = any(parts[i] == "predicate" for i in range(start, at + 1))
    side = any(parts[i] == "predicate" for i in range(at + 1, others))
    if head and not side:
        parts[start:end] = ["predicate"] * (end - start)
    elif head or (side and parts[at] != "out") or any(parts[i] == "predicate" for i in range(at + 1, end)):
        parts[start : at + 1] = ["predicate"] * (at + 1 - start)
