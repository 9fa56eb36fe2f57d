"""Whether a sentence says the same as a fact, but with another name in one place.

Of what has one answer (who designed it, where somebody was born) that may be a disagreement. It may also be a
wider or further name for the same, "Poland" for "Warsaw", so it is told and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factscore_chain.verify.lexicon import NEGATIONS, STOPWORDS
from factscore_chain.verify.rivals import folded, group_of

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_STATEMENTS = """
    author born buried built capital composed created designed died directed director discovered founded
    founder headquarters invented inventor located named painted widow winner won written wrote
"""
_ONE_ANSWER = frozenset(map(folded, _STATEMENTS.split()))
"""Words of statements that are true of one name, as a rule."""


def names_another(fact: str, sentence: str) -> bool:
    """Whether the sentence has all of the fact but one name, and another one in its place."""
    asked, told = _WORD.findall(fact), _WORD.findall(sentence)
    said = {folded(word) for word in told}
    if _ONE_ANSWER.isdisjoint(said & {folded(word) for word in asked}):
        return False
    return any(
        _all_but(name, asked, said) and any(_replaces(before, asked, other) for other in _names(told))
        for before, name in _names(asked)
    )


def _names(words: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Runs of words with capitals, each with the word before it; "" at the beginning."""
    before, run = "", list[str]()
    for word in (*words, ""):
        if word[:1].isupper() and word.lower() not in STOPWORDS and not group_of(word):
            run.append(word)
            continue
        if run:
            yield before, tuple(run)
        before, run = word.lower(), []


def _all_but(name: Sequence[str], asked: Sequence[str], said: set[str]) -> bool:
    """Whether everything else that the fact tells is said, and no word of the name is."""
    ignored = STOPWORDS | NEGATIONS
    rest = {folded(word) for word in asked if word not in name and word.lower() not in ignored}
    return bool(rest) and rest <= said and said.isdisjoint(map(folded, name))


def _replaces(before: str, asked: Sequence[str], other: tuple[str, tuple[str, ...]]) -> bool:
    return other[0] == before and {folded(word) for word in asked}.isdisjoint(map(folded, other[1]))
