"""The nonparametric check: does any sentence of the passages hold the fact's words? Nothing is trained.

After the paper's NP (section 4.1), which asks how likely each token of the fact is where a passage has it
masked. Here each content word of the fact, other than the topic's name, looks for its nearest word in a
sentence, by cosine of the shipped encoder's contextual vectors; the sentence that matches best speaks for the
passages. It knows nothing of who did what to whom: it is cheap, and strict where words are missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from factscore_chain.encoder import default_encoder
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import NOT_APPLICABLE, LocalVerifier
from factscore_chain.verify.embedded import shared_support
from factscore_chain.verify.evidence import Evidence
from factscore_chain.verify.lexicon import STOPWORDS, content_positions, is_word
from factscore_chain.verify.words import Floats, Words, cosines

SAME_STEM = 0.3
"""What a word's match gains where the word itself stands in the sentence, whatever the context."""
SLOPE, OFFSET = 7.78, -3.88
"""Turn a match into a probability; fitted to FActScore's human facts about training topics, three systems."""
THRESHOLD = 0.56
"""Has the largest mean gain of F1 on these facts; `evals/bench/verifiers.py` measures both elsewhere."""


class NonparametricVerifier(LocalVerifier):
    """Supports a fact if its content words are matched, on average, in one sentence of the passages.

    A fact without a content word ("He was it.") is undecided, since there is nothing to match.
    """

    threshold: float = Field(default=THRESHOLD, ge=0, le=1)
    """Probability from which a fact counts as supported."""

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        return "np"

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        return {
            "kind": "nonparametric",
            "encoder": default_encoder().name,
            "threshold": f"{self.threshold:g}",
        }

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        reader = shared_support().reader
        facts = reader.words([claim.fact.text for claim in values])
        evidence = reader.evidence([[passage.text for passage in claim.passages] for claim in values])
        return [
            self._decide(claim, fact, found)
            for claim, fact, found in zip(values, facts, evidence, strict=True)
        ]

    def _decide(self, claim: Claim, fact: Words, evidence: Evidence | None) -> Decision:
        if not _says_something(fact):
            cause = f"{NOT_APPLICABLE}: the fact has no content word to look for"
            return Decision(
                claim.fact, Verdict.UNDECIDED, self.verifier_name, passages=claim.passages, cause=cause
            )
        if evidence is None:
            return self._decision(claim, 0.0, ())
        match = sentence_matches(fact, claim.topic, evidence)
        best = int(match.argmax())
        passage = claim.passages[int(evidence.passage_of[best])]
        return self._decision(claim, match_probability(float(match[best])), (passage.id,))

    def _decision(self, claim: Claim, probability: float, evidence: tuple[str, ...]) -> Decision:
        supported = probability >= self.threshold
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=probability,
            reason=None if supported else "no_evidence",
            passages=claim.passages,
            evidence=evidence,
        )


def sentence_matches(fact: Words, topic: str | None, evidence: Evidence) -> Floats:
    """How well each sentence matches the fact: mean over its content words, rare ones weighing more.

    A word's match is its largest cosine with a word of the sentence, and more if it stands there itself.

    Returns:
        One value a sentence, at most 1.
    """
    content = content_positions(fact.texts, topic)
    cosine = np.maximum.reduceat(cosines(fact.vectors[content], evidence.vectors), evidence.starts, axis=1)
    same = np.zeros((len(content), len(evidence.texts)), np.bool_)
    for row, position in enumerate(content):
        same[row, evidence.places.get(fact.stems[position], [])] = True
    match = cosine + SAME_STEM * np.logical_or.reduceat(same, evidence.starts, axis=1)
    weight = fact.rarity[content] / fact.rarity[content].sum()
    return np.asarray(weight @ match / (1 + SAME_STEM), np.float32)


def match_probability(match: float) -> float:
    """The probability of being supported that goes with the best sentence's match."""
    return float(1 / (1 + np.exp(-(SLOPE * match + OFFSET))))


def _says_something(fact: Words) -> bool:
    return any(is_word(word) and word.lower() not in STOPWORDS for word in fact.texts)
