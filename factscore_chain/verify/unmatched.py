"""The words of a fact that its evidence does not answer for: what a second look should look for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factscore_chain.values import Claim
from factscore_chain.verify.embedded import shared_support
from factscore_chain.verify.evidence import Evidence
from factscore_chain.verify.lexicon import content_positions
from factscore_chain.verify.words import Words, cosines

MATCHED = 0.6
"""Cosine with a word of the evidence from which on a word counts as answered for."""


def unmatched_words(claims: Sequence[Claim]) -> list[tuple[str, ...]]:
    """For each claim the content words of its fact, in order, that no word of its passages comes near to.

    The topic's own name is no content. With no passage all words are unmatched.
    """
    reader = shared_support().reader
    facts = reader.words([claim.fact.text for claim in claims])
    evidence = reader.evidence([[p.text for p in claim.passages] for claim in claims])
    return [_unmatched(claim, fact, one) for claim, fact, one in zip(claims, facts, evidence, strict=True)]


def _unmatched(claim: Claim, fact: Words, evidence: Evidence | None) -> tuple[str, ...]:
    content = content_positions(fact.texts, claim.topic) if len(fact) else []
    if evidence is None or not content:
        return tuple(fact.texts[i] for i in content)
    nearest = np.asarray(cosines(fact.vectors[content], evidence.vectors).max(axis=1))
    return tuple(
        fact.texts[position]
        for position, cosine in zip(content, nearest, strict=True)
        if cosine < MATCHED and fact.stems[position] not in evidence.places
    )
