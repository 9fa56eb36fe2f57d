"""The words of one part of a fact in order, without those that have lost their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.tagger import Part
from factscore_chain.decompose.words import UNIT_MARKS, Word, is_content, is_mark

_OPENERS = {"(": ")", "[": "]", "“": "”", "«": "»", "‘": "’"}
_EDGE_LIST = "and or but nor who which that whom whose where when while as such including"
_LEADING = frozenset(_EDGE_LIST.split())
_TRAILING_LIST = "and or but the a an of in on at to for from by with as into his their its"
_TRAILING = frozenset(_TRAILING_LIST.split())


def chosen(words: Sequence[Word], parts: Sequence[Part], part: Part) -> list[int]:
    """Indices of the words of one part, without marks that have lost what they stood between."""
    indices = [i for i, one in enumerate(parts) if one == part]
    indices = _trim(words, _largest_run(words, indices) if part == "subject" else indices)
    keep = set(indices)
    return [i for i in indices if not is_mark(words[i].text) or _is_held(words, keep, i)]


def _largest_run(words: Sequence[Word], indices: list[int]) -> list[int]:
    """The longest stretch of a subject; a stray word elsewhere belongs to another fact's."""
    runs: list[list[int]] = []
    for i in indices:
        if runs and all(
            is_mark(words[j].text) or not is_content(words[j].text) for j in range(runs[-1][-1] + 1, i)
        ):
            runs[-1].append(i)
        else:
            runs.append([i])
    return max(runs, key=len, default=[])


def _trim(words: Sequence[Word], indices: list[int]) -> list[int]:
    start, end = 0, len(indices)
    while start < end and _may_not_lead(words[indices[start]]):
        start += 1
    while end > start and _may_not_trail(words[indices[end - 1]]):
        end -= 1
    return indices[start:end]


def _may_not_lead(word: Word) -> bool:
    stray = is_mark(word.text) and word.text not in UNIT_MARKS and word.text not in '"“«([‘#@'
    return stray or word.lower in _LEADING


def _may_not_trail(word: Word) -> bool:
    stray = is_mark(word.text) and word.text not in UNIT_MARKS and word.text not in '"”»)]’'
    return stray or word.lower in _TRAILING


def _around(words: Sequence[Word], i: int) -> list[int]:
    return [j for j in (i - 1, i + 1) if 0 <= j < len(words)]


def _is_held(words: Sequence[Word], keep: set[int], i: int) -> bool:
    """Whether a mark still has its neighbours, or its other half."""
    text = words[i].text
    if text in UNIT_MARKS:
        return any(
            j in keep and (words[j].text[0].isdigit() or words[j].text in UNIT_MARKS)
            for j in _around(words, i)
        )
    if text == '"':
        return sum(words[j].text == '"' for j in keep) % 2 == 0
    if text in _OPENERS or text in _OPENERS.values():
        pairs = dict(_OPENERS) | {close: opener for opener, close in _OPENERS.items()}
        held = any(words[j].text == pairs[text] for j in keep)
        return held or (text in "’‘" and i - 1 in keep)
    return i - 1 in keep and i + 1 in keep
