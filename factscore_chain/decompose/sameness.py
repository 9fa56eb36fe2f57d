"""When two facts say the same: their words without fillers, however numbers, dates and time are placed."""

from __future__ import annotations

import re

from factscore_chain.decompose.words import UNIT_MARKS, is_mark, split_words

_FILLER_LIST = "a an the is was are were be been being has have had also that which who"
_FILLERS = frozenset(_FILLER_LIST.split())
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())}
_MONTH_LIST = "january february march april may june july august september october november december"
_MONTHS = frozenset(_MONTH_LIST.split())
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_OPENING_TIME = re.compile(
    r"(?P<time>(?:In|On|At|By|During|From|Since|Until|After|Before)\s(?:[^,]+?(?=,)|[\d\s]*\d(?=\s[A-Z])))"
    r",?\s+(?P<rest>\w.*?)[.!\s]*",
    re.DOTALL,
)
"""The time or place that a fact opens with: up to its comma, or a number before a name."""


def wording(text: str) -> tuple[str, ...]:
    """What wordings of one fact have in common: equal for two texts that differ in no more than these.

    Case, marks and fillers; a time or place at the head instead of at the end; "7 May 1920" or "May 7, 1920";
    "two" or "2"; "1,000" or "1000". Negations, prepositions and the order of other words make a difference.
    """
    if opening := _OPENING_TIME.fullmatch(text.strip()):
        text = f"{opening['rest']} {opening['time']}"
    words = (word.lower for word in split_words(text) if not is_mark(word.text) or word.text in UNIT_MARKS)
    return tuple(_with_dates_sorted([_plain(word) for word in words if word not in _FILLERS]))


def _plain(word: str) -> str:
    return word.replace(",", "") if _THOUSANDS.fullmatch(word) else _NUMBERS.get(word, word)


def _with_dates_sorted(words: list[str]) -> list[str]:
    """Day, month and year of each date in one order."""
    result: list[str] = []
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and (words[end] in _MONTHS or words[end].isdigit()):
            end += 1
        run = words[start:end]
        result += sorted(run) if _MONTHS & set(run) else run
        if end < len(words):
            result.append(words[end])
        start = end + 1
    return result
