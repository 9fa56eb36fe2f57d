"""Words that carry no content, words that deny, and a light stemmer: what the alignment features read by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_FUNCTION_WORDS = """
    a an the of in on at by for to from with without and or but nor as is are was were be been being
    am do does did done has have had having he she it they him his her hers its their theirs we you
    us our your i this that these those who whom whose which what when where why how there here also
    then than so such into onto over under about after before during between through within among
    while up down out off will would can could may might must shall should not no n t s both each
    other some any all more most many much very several one
"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())
"""Function words of English; a word of another language counts as content, which costs only weight."""

_DENIALS = """
    not never no n without none neither nor cannot didn wasn isn doesn weren hasn hadn failed
    refused unable
"""
NEGATIONS = frozenset(_DENIALS.split())

_SUFFIXES = ("ingly", "edly", "ings", "ing", "ied", "ies", "ed", "es", "ly", "s", "e", "y")
_SHORTEST_STEM = 4
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")


def stem(word: str) -> str:
    """Folds case and cuts one English ending: "directed" meets "directs"; other scripts pass through."""
    word = word.lower()
    for suffix in _SUFFIXES:
        if len(word) - len(suffix) >= _SHORTEST_STEM and word.endswith(suffix):
            return word[: -len(suffix)]
    return word


def stems_of(text: str) -> list[str]:
    """Stems of the words of a text, in order."""
    return [stem(word) for word in _WORD.findall(text)]


def is_word(text: str) -> bool:
    """Whether a token is a word or a number rather than punctuation."""
    return text[:1].isalnum()


def has_digit(text: str) -> bool:
    """Whether a token is a number or holds one."""
    return _DIGIT.search(text) is not None


def denies(words: Iterable[str]) -> bool:
    """Whether a negation stands among the words."""
    return any(word.lower() in NEGATIONS for word in words)


def content_positions(words: Sequence[str], topic: str | None) -> list[int]:
    """Positions of the words that evidence has to answer for: no function words, not the topic's own name.

    A fact that has none ("It was so") falls back to its words other than function words, then to all.
    """
    named = set(stems_of(topic or ""))
    content = [i for i, word in enumerate(words) if is_word(word) and word.lower() not in STOPWORDS]
    other = [i for i in content if stem(words[i]) not in named]
    return other or content or list(range(len(words)))
