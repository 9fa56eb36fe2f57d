"""Which words of a text a fact is stated by."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscore_chain.decompose.words import Word, is_content, is_mark
from factscore_chain.values import Span

_PART = re.compile(r"\w+")
_DENIALS = frozenset({"no", "not", "nor"})


def stated_words(words: Sequence[Word], fact: str, span: Span | None) -> frozenset[int]:
    """Indices of the content words by which a text states a fact.

    A word counts if it stands in the fact's place and in the fact's own text. Function words do not count,
    nor does what the decomposer put in, such as a name for a pronoun.

    Args:
        words: The words of the text.
        fact: The fact in its own words.
        span: Its place in the text; None looks for its words everywhere.
    """
    spelled = _parts(fact)
    return frozenset(
        i
        for i, word in enumerate(words)
        if (span is None or (span.start <= word.start and word.end <= span.end))
        and _says_something(word)
        and not _parts(word.text).isdisjoint(spelled)
    )


def _says_something(word: Word) -> bool:
    return not is_mark(word.text) and (is_content(word.text) or word.lower in _DENIALS)


def _parts(text: str) -> frozenset[str]:
    return frozenset(_PART.findall(text.casefold()))
