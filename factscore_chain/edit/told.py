"""The sentence of the passages that tells most of a fact, and which words of the fact it does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscore_chain.report import FactRecord
from factscore_chain.values import Passage
from factscore_chain.verify.alignment import align
from factscore_chain.verify.embedded import shared_support
from factscore_chain.verify.evidence import Evidence
from factscore_chain.verify.lexicon import content_positions, stems_of
from factscore_chain.verify.words import Words

SAME_WORD = 0.55
"""Cosine from which a word of the fact is matched by one of the passage."""


def absent(fact: FactRecord, topic: str | None) -> frozenset[str]:
    """Stems of the content words of a fact that the best sentence of its passages does not have."""
    found = next(told_sentences(fact, topic, ours=False), None)
    if found is None:
        return frozenset()
    _, sentence, words, match = found
    return frozenset(words.stems[position] for position in match) - frozenset(stems_of(sentence))


def told_sentences(
    fact: FactRecord, topic: str | None, *, ours: bool
) -> Iterator[tuple[Passage, str, Words, dict[int, float]]]:
    """The best sentence of the passages, the verdict's own first, with how well each word is matched.

    Args:
        fact: The fact.
        topic: What it is about; its words need not be matched.
        ours: Whether only passages with that title are about it.
    """
    reader = shared_support().reader
    (words,) = reader.words([fact.text])
    for found in by_weight(fact):
        passages = [one for one in found if one.title == topic] if ours else found
        (evidence,) = reader.evidence([[passage.text for passage in passages]])
        if evidence is None or not len(words):
            continue
        alignment = align(words, topic, evidence)
        best = alignment.best
        content = content_positions(words.texts, topic)
        match = {
            position: max(float(alignment.match[row, best]), _stands(words, position, evidence, best))
            for row, position in enumerate(content)
        }
        yield passages[int(evidence.passage_of[best])], evidence.sentences[best], words, match


def _stands(words: Words, position: int, evidence: Evidence, sentence: int) -> float:
    return float(words.stems[position] in evidence.stems[evidence.words_of(sentence)])


def by_weight(fact: FactRecord) -> Iterator[Sequence[Passage]]:
    """The passages of a fact: those that its verdict rests on, then all."""
    chosen = [passage for passage in fact.passages if passage.id in fact.evidence]
    if chosen:
        yield chosen
    if len(chosen) < len(fact.passages):
        yield fact.passages
