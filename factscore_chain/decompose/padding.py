"""Facts that add nothing: they say no more than the topic's name, or than a fact beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscore_chain.decompose.sameness import wording
from factscore_chain.decompose.words import Word, is_mark, split_words
from factscore_chain.values import Padding

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
    keys = [wording(text) for text in texts]
    return [
        Padding(is_trivial(text, topic), _repeated(number, keys, supported))
        for number, text in enumerate(texts)
    ]


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


def _repeated(number: int, keys: Sequence[tuple[str, ...]], supported: Sequence[bool]) -> int | None:
    said = keys[number]
    if not said:
        return None
    covering = [
        other
        for other, key in enumerate(keys)
        if (key == said and other < number) or (other != number and _goes_on(said, key))
    ]
    return next((other for other in covering if supported[other]), next(iter(covering), None))


def _goes_on(said: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Whether the longer wording only adds where, when or how to the shorter one."""
    rest = longer[len(said) :]
    return (
        bool(rest)
        and longer[: len(said)] == said
        and rest[0] in _PREPOSITIONS
        and _TURNS_ROUND.isdisjoint(rest)
    )
