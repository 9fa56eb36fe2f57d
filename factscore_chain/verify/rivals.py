"""Words that exclude one another, and different spellings of one number, month or unit.

The contextual vectors of "1966" and "1967", or of "June" and "July", lie close together; as evidence for
each other they are worth nothing. "1,000" and "1000", or "km" and "kilometres", are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from factscore_chain.verify.lexicon import stem

_SPELLINGS = """
    0 zero | 2 two | 3 three | 4 four | 5 five | 6 six | 7 seven | 8 eight | 9 nine | 10 ten | 11 eleven
    12 twelve | 13 thirteen | 14 fourteen | 15 fifteen | 16 sixteen | 17 seventeen | 18 eighteen | 19 nineteen
    20 twenty | 30 thirty | 40 forty | 50 fifty | 60 sixty | 70 seventy | 80 eighty | 90 ninety
    first 1st | second 2nd | third 3rd | fourth 4th | fifth 5th | sixth 6th | seventh 7th | eighth 8th
    ninth 9th | tenth 10th
    january jan | february feb | august aug | september sep sept | october oct | november nov | december dec
    kilometre km kms kilometer kilometres kilometers | mile mi miles | metre meter metres meters
    centimetre cm centimeter centimetres centimeters | millimetre mm millimeter millimetres millimeters
    foot ft feet | inch inches | kilogram kg kgs kilograms | pound lb lbs pounds | ounce oz ounces
    tonne tonnes ton tons | century centuries | percent % | doctorate phd
"""
_GROUPS = """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    kilometre mile metre centimetre millimetre foot inch yard
    kilogram gram pound ounce tonne
    minute hour day week month year decade century
    dollar euro franc yen rupee
    acre hectare
    celsius fahrenheit
    hundred thousand million billion trillion
    north south east west
    northern southern eastern western
    mother father sister brother son daughter wife husband uncle aunt cousin nephew niece
    gold silver bronze
    first second third fourth fifth sixth seventh eighth ninth tenth last
    bachelor master doctorate
"""
_SMALL = frozenset({"march", "may"})
"""Months that are other words in small letters."""
_ROMAN = re.compile(r"[IVX]{2,}")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_PLAIN = re.compile(r"\d+(?:\.\d+)?")

_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SCALED = rf"\s(?:{'|'.join(_SCALES)})\b"

NUMBER = re.compile(
    rf"(?<![\w.,])(?:(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+\.\d+|\d+,\d{{1,2}})(?:{_SCALED})?|\d+{_SCALED})"
    r"(?!\w|[.,]\d)"
)
"""A number that a tokenizer cuts at its commas or points, or before "million" and the like."""


@lru_cache(maxsize=1)
def _spellings() -> dict[str, str]:
    groups = [group.split() for line in _SPELLINGS.strip().splitlines() for group in line.split("|")]
    return {other: stem(first) for first, *others in groups for other in (first, *others)}


@lru_cache(maxsize=1)
def _groups() -> dict[str, int]:
    lines = [line.split() for line in _GROUPS.strip().splitlines()]
    return {folded(word): number for number, line in enumerate(lines, 2) for word in line}


@lru_cache(maxsize=65536)
def folded(word: str) -> str:
    """The stem of a word, the same for every spelling of a number, month or unit."""
    lower = word.lower()
    if word[:1].isdigit():
        number, _, scale = lower.partition(" ")
        plain = number.replace(",", "") if _THOUSANDS.fullmatch(number) else number.replace(",", ".")
        if scale in _SCALES and _PLAIN.fullmatch(plain):
            return f"{(Decimal(plain) * _SCALES[scale]).normalize():f}"
        return _spellings().get(plain, plain)
    return _spellings().get(lower) or stem(word)


@lru_cache(maxsize=65536)
def group_of(word: str) -> int:
    """The group in which a word excludes all others; 0 if it is in none, 1 for numbers."""
    if word in _SMALL:
        return 0
    found = _groups().get(folded(word), 0)
    is_number = folded(word)[:1].isdigit() or _ROMAN.fullmatch(word)
    return found or int(bool(is_number))


def is_kinship(word: str) -> bool:
    """Whether a word names a relative."""
    return group_of(word) == group_of("mother")


def excluded(fact: Sequence[str], evidence: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which words of the evidence are another member of a fact's word's group, words by words."""
    one, other = (np.array([group_of(word) for word in texts], np.int64) for texts in (fact, evidence))
    found: npt.NDArray[np.bool_] = (one[:, None] == other) & (one[:, None] > 0)
    for row, column in zip(*np.nonzero(found), strict=True):
        found[row, column] = folded(fact[row]) != folded(evidence[column])
    return found
