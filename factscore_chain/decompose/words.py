"""Words of a sentence with their places, and which of them carry no information of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_WORD = re.compile(
    r"[^\W\d_]+(?:\.[^\W\d_]+)+\.?"  # U.S., J.R.R.
    r"|\d+(?:[.,:]\d+)*(?:[^\W\d_]+)?"  # 1,000, 1.5, 25th
    r"|[^\W_]+(?:[’'\-][^\W_]+)*"
    r"|[^\w\s]|_"
)
_POSSESSIVE = re.compile(r"(?<=.)['’]s$", re.IGNORECASE)

_FUNCTION_WORD_LIST = """
a an the of in on at to for from by with and or but as is was are were be been being has have had having
do does did that which who whom whose this these those it its into about than then so such not no nor also
after before during over under between among through
i me my we us our you your he him his she her hers they them their theirs himself herself itself themselves
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_MODAL_LIST = "may might could would should must can cannot will shall"
MODALS = frozenset(_MODAL_LIST.split())
"""Verbs that need another."""
UNIT_MARKS = frozenset("%‰°$€£¥₹<>≤≥=±+−~")
"""Signs that belong to the number beside them."""


class Word(NamedTuple):
    """A word or a mark: `sentence[start:end] == text`."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


def split_words(text: str) -> list[Word]:
    """Splits a text into words, numbers and marks; possessive endings stand alone."""
    return list(_words(text))


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        ending = _POSSESSIVE.search(match[0])
        if ending:
            middle = match.start() + ending.start()
            yield Word(match[0][: ending.start()], match.start(), middle)
            yield Word(ending[0], middle, match.end())
        else:
            yield Word(match[0], match.start(), match.end())


def is_mark(word: str) -> bool:
    """Whether it is punctuation or another sign."""
    return not word[0].isalnum()


def is_content(word: str) -> bool:
    """Whether a word carries information: neither a function word, nor a pronoun, nor a mark."""
    return not is_mark(word) and word.lower() not in _FUNCTION_WORDS


def join(sentence: str, words: Sequence[Word]) -> str:
    """Writes words of a sentence one after the other, spaced as in the sentence where they are neighbours."""
    parts: list[str] = []
    for before, word in zip([None, *words], words, strict=False):
        if before is not None:
            gap = sentence[before.end : word.start] if before.end <= word.start else " "
            parts.append(gap if gap in ("", " ") else " ")
        parts.append(word.text)
    return "".join(parts)
