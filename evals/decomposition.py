"""How predicted atomic facts compare with the facts that people made of the same sentences.

A predicted and a human fact match if the F1 of their content tokens is at least 0.7. Content tokens are the
words of a fact (case folded, possessive endings taken off) without function words, pronouns and the words
of the topic's name: naming the topic where people wrote "he" costs nothing and gains nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factscore_chain.decompose.base import Decomposer
from factscore_chain.evals.labeled import read_annotated
from factscore_chain.values import Generation

MATCH = 0.7
"""Content-token F1 from which two facts state the same."""

_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_PRONOUN_LIST = """
i me my we us our you your he him his she her hers it its they them their theirs
himself herself itself themselves
"""
_FUNCTION_WORD_LIST = """
a an the of in on at to for from by with and or but as is was are were be been being has have had having
do does did that which who whom whose this these those into about than then so such not no nor also
after before during over under between among through
"""
_PRONOUNS = frozenset(_PRONOUN_LIST.split())
FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
"""Words that carry no information of their own. A decomposer may add them ("is a") without inventing."""


@dataclass(frozen=True)
class DecomposedSentence:
    """A sentence with the facts that people and a decomposer made of it."""

    text: str
    topic: str | None
    human: tuple[str, ...]
    predicted: tuple[str, ...]


def content_tokens(text: str, topic: str | None = None) -> list[str]:
    """The tokens of a text that are compared, in order and with repetitions."""
    name = set(_tokens(topic or ""))
    return [
        token
        for token in _tokens(text)
        if token not in FUNCTION_WORDS and token not in _PRONOUNS and token not in name
    ]


def token_f1(first: Sequence[str], second: Sequence[str]) -> float:
    """F1 of two multisets of tokens, 0 to 1; 1 if both are empty."""
    if not first and not second:
        return 1.0
    shared = (Counter(first) & Counter(second)).total()
    return 2 * shared / (len(first) + len(second))


def count_matches(predicted: Sequence[Sequence[str]], human: Sequence[Sequence[str]]) -> int:
    """The largest number of one-to-one matches between facts given as content tokens.

    Augmenting paths: a pair is kept only as long as no better use is found for either side.
    """
    near = [[j for j, other in enumerate(human) if token_f1(one, other) >= MATCH] for one in predicted]
    partner: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j in near[i]:
            if j in tried:
                continue
            tried.add(j)
            if j not in partner or place(partner[j], tried):
                partner[j] = i
                return True
        return False

    return sum(place(i, set()) for i in range(len(predicted)))


def invented_tokens(sentence: DecomposedSentence) -> list[str]:
    """Content tokens of the predicted facts that stand in neither the sentence nor the topic."""
    known = set(_tokens(sentence.text))
    return [
        token
        for fact in sentence.predicted
        for token in content_tokens(fact, sentence.topic)
        if token not in known
    ]


def decomposition_metrics(sentences: Iterable[DecomposedSentence]) -> dict[str, float | int | None]:
    """Figures over all sentences together; None where there is nothing to divide by.

    Returns:
        `n_sentences`; `precision`, `recall` and `f1` of matched facts, 0 to 1; `facts_per_sentence` and
        `human_facts_per_sentence`; `coverage`, the share of the sentences' content tokens that stand in a
        predicted fact; `invented`, the number of content tokens that stand in neither sentence nor topic.
    """
    count: Counter[str] = Counter()
    for sentence in sentences:
        count.update(_counts(sentence))
    precision = _ratio(count["matched"], count["predicted"])
    recall = _ratio(count["matched"], count["human"])
    return {
        "n_sentences": count["sentences"],
        "precision": precision,
        "recall": recall,
        "f1": _ratio(2 * count["matched"], count["predicted"] + count["human"]),
        "facts_per_sentence": _ratio(count["predicted"], count["sentences"]),
        "human_facts_per_sentence": _ratio(count["human"], count["sentences"]),
        "coverage": _ratio(count["covered"], count["content"]),
        "invented": count["invented"],
    }


def read_human_sentences(path: Path) -> tuple[tuple[DecomposedSentence, ...], tuple[str, ...]]:
    """Reads the sentences of a FActScore labelled file that have human facts; none is predicted yet.

    Returns:
        The sentences, and one line for each row that could not be read.

    Raises:
        UsageError: The file cannot be read, or holds no usable row.
    """
    rows, rejected = read_annotated(path)
    found = [
        DecomposedSentence(one.text, row.topic, tuple(fact.text for fact in one.facts), ())
        for row in rows
        for one in row.annotations or ()
        if one.text.strip() and one.facts
    ]
    return tuple(found), rejected


def predict(decomposer: Decomposer, sentences: Sequence[DecomposedSentence]) -> list[DecomposedSentence]:
    """Decomposes each sentence by itself, with its topic; facts that cannot be checked are left out."""
    found = decomposer.batch([Generation(one.text, one.topic) for one in sentences])
    return [
        DecomposedSentence(
            one.text, one.topic, one.human, tuple(fact.text for fact in made.facts if fact.checkable)
        )
        for one, made in zip(sentences, found, strict=True)
    ]


def evaluate_decomposition(decomposer: Decomposer, sentences: Sequence[DecomposedSentence]) -> dict[str, Any]:
    """Figures of a decomposer on sentences with human facts, with what made its facts."""
    figures: Mapping[str, float | int | None] = decomposition_metrics(predict(decomposer, sentences))
    return {**figures, "decomposer": decomposer.identity}


def _counts(sentence: DecomposedSentence) -> dict[str, int]:
    predicted = [content_tokens(fact, sentence.topic) for fact in sentence.predicted]
    human = [content_tokens(fact, sentence.topic) for fact in sentence.human]
    content = content_tokens(sentence.text, sentence.topic)
    stated = {token for fact in predicted for token in fact}
    return {
        "sentences": 1,
        "predicted": len(predicted),
        "human": len(human),
        "matched": count_matches(predicted, human),
        "content": len(content),
        "covered": sum(token in stated for token in content),
        "invented": len(invented_tokens(sentence)),
    }


def _tokens(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text.casefold()):
        yield _POSSESSIVE.sub("", match[0])


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
