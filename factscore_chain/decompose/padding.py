"""Facts that add nothing: they say no more than the topic's name, or than a fact beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from factscore_chain.decompose.sameness import wording
from factscore_chain.decompose.words import Word, is_mark, split_words
from factscore_chain.values import Padding

Wording: TypeAlias = tuple[str, ...]

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_COPULAS = frozenset({"is", "was", "are", "were"})
_VERBS = _COPULAS | {"exists", "existed", "lived"}
_SAYS_NOTHING_LIST = (
    "a an the and of to has have had been being be person people human individual figure someone somebody"
    " something thing place entity subject topic name named called known as real exist exists existed"
    " lived live born"
)
_SAYS_NOTHING = frozenset(_SAYS_NOTHING_LIST.split())
_PREPOSITION_LIST = "in on at of for with from to by as during after before since until near"
_PREPOSITIONS = frozenset(_PREPOSITION_LIST.split())
_TURNS_ROUND_LIST = "no not never nobody none neither without hardly nearly almost fiction fictional"
_TURNS_ROUND = frozenset(_TURNS_ROUND_LIST.split())


def padding(texts: Sequence[str], topic: str | None, supported: Sequence[bool]) -> list[Padding]:
    """Looks at each fact of one generation.

    A fact is repeated by one of the same wording before it, or by one that goes on where it ends ("X was born
    in Rome", "X was born in Rome in 1900"); of several, a supported one is named.

    Args:
        texts: The facts, in order.
        topic: What the generation is about.
        supported: For each fact, whether it was found supported.
    """
    repeated = _repeated([wording(text) for text in texts], supported)
    return [Padding(is_trivial(text, topic), other) for text, other in zip(texts, repeated, strict=True)]


def is_trivial(fact: str, topic: str | None = None) -> bool:
    """Whether a fact says nothing but that its subject is, or is what it is called."""
    words = [word for word in split_words(fact) if not is_mark(word.text)]
    verb = next((number for number, word in enumerate(words) if word.lower in _VERBS), None)
    if verb is None or verb == 0:
        return False
    name = _names(split_words(_QUALIFIER.sub("", topic or "")))
    subject, said = _names(words[:verb]), _names(words[verb + 1 :])
    if not said - subject and words[verb].lower in _COPULAS:
        return bool(words[verb + 1 :])
    is_topic = bool(subject) and subject <= (name | {"there"})
    known = subject | name if is_topic else subject
    return (is_topic or _is_named(words[:verb])) and said <= known | _SAYS_NOTHING


def _names(words: Sequence[Word]) -> set[str]:
    return {word.lower for word in words} - {"the", "a", "an"}


def _is_named(subject: Sequence[Word]) -> bool:
    return len(subject) > 1 and all(word.text[0].isupper() for word in subject)


class _First:
    """The first fact of each wording, and the first that is supported."""

    def __init__(self, supported: Sequence[bool]) -> None:
        self._supported = supported
        self._any: dict[Wording, int] = {}
        self._borne_out: dict[Wording, int] = {}

    def add(self, key: Wording, number: int) -> None:
        """Takes in a fact; they come in order."""
        self._any.setdefault(key, number)
        if self._supported[number]:
            self._borne_out.setdefault(key, number)

    def of(self, key: Wording) -> tuple[int | None, int | None]:
        """The first of this wording, and the first supported one."""
        return self._any.get(key), self._borne_out.get(key)


def _repeated(keys: Sequence[Wording], supported: Sequence[bool]) -> list[int | None]:
    """For each wording, the number of the fact that it repeats."""
    longer, before = _First(supported), _First(supported)
    lengths = sorted({len(key) for key in keys} - {0})
    for number, key in enumerate(keys):
        for shorter in _continued(key, lengths):
            longer.add(shorter, number)
    found: list[int | None] = []
    for number, key in enumerate(keys):
        anyone, borne_out = (
            [one for one in pair if one is not None]
            for pair in zip(before.of(key), longer.of(key), strict=True)
        )
        found.append(min(borne_out or anyone, default=None) if key else None)
        before.add(key, number)
    return found


def _continued(key: Wording, lengths: Sequence[int]) -> Iterator[Wording]:
    """What a wording begins with, of one of these lengths, if it only adds where, when or how to that."""
    turns = max((place for place, word in enumerate(key) if word in _TURNS_ROUND), default=-1)
    for length in lengths:
        if length >= len(key):
            return
        if length > turns and key[length] in _PREPOSITIONS:
            yield key[:length]
