"""Passages cut down to the sentences that bear on some facts, where a judge reads slowly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from factscore_chain.values import Claim, Passage
from factscore_chain.verify.alignment import align
from factscore_chain.verify.embedded import shared_support
from factscore_chain.verify.evidence import Evidence
from factscore_chain.verify.lexicon import is_word
from factscore_chain.verify.selection import choose_sentences
from factscore_chain.verify.words import Words


def excerpts(claims: Sequence[Claim], sentences: int) -> list[Claim]:
    """The claims with passages that hold only sentences that match one of the neighbouring facts best.

    Facts that follow one another with one topic get the same passages, so that a server reads them once. A
    passage keeps its id, its title and the order of its sentences; one without a chosen sentence is left out.

    Args:
        claims: Facts with whole passages, those of one topic together.
        sentences: Most sentences chosen for one fact.
    """
    return [
        cut
        for _, group in groupby(claims, key=lambda claim: claim.topic)
        for cut in _shared(list(group), sentences)
    ]


def _shared(claims: Sequence[Claim], sentences: int) -> list[Claim]:
    reader = shared_support().reader
    facts = reader.words([claim.fact.text for claim in claims])
    evidence = reader.evidence([[passage.text for passage in claim.passages] for claim in claims])
    kept: dict[str, dict[int, str]] = {}
    whole: dict[str, Passage] = {}
    for claim, fact, found in zip(claims, facts, evidence, strict=True):
        for passage, place, sentence in _chosen(claim, fact, found, sentences):
            whole[passage.id] = passage
            kept.setdefault(passage.id, {})[place] = sentence
    passages = tuple(
        replace(passage, text=" ".join(text for _, text in sorted(kept[name].items())), rank=rank)
        for rank, (name, passage) in enumerate(sorted(whole.items()), 1)
    )
    return [replace(claim, passages=passages) for claim in claims]


def _chosen(
    claim: Claim, fact: Words, evidence: Evidence | None, sentences: int
) -> list[tuple[Passage, int, str]]:
    """Sentences for one fact: their passage, their place in it, and they themselves."""
    if evidence is None or not any(map(is_word, fact.texts)):
        return []
    numbers = evidence.passage_of.tolist()
    return [
        (claim.passages[numbers[i]], i - numbers.index(numbers[i]), evidence.sentences[i])
        for i in choose_sentences(align(fact, claim.topic, evidence), evidence, sentences)
    ]
