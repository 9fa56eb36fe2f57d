"""The nonparametric check as published: a masked language model reads fact and passages (paper, section 4.1).

Each content token of the fact is masked alone. The vector of the mask is compared with that of every token of
the passages; the token's probability is the share of the weight exp(q·p/√d) that lies on tokens equal to it.
The fact's probability is the mean over its content tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field, PrivateAttr

from factscore_chain.retrievers.lru import LRU
from factscore_chain.values import Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import NOT_APPLICABLE, LocalVerifier
from factscore_chain.verify.lexicon import STOPWORDS
from factscore_chain.verify.masked_lm import MaskedLM, Tokens, load_masked_lm
from factscore_chain.verify.orders import without_orders

NPM_SINGLE = "facebook/npm-single"
THRESHOLD = 0.3
PASSAGES = 3
_KEPT = 256
_MARKS = ".,;:!?'\"()[]{}-–—/’‘“”…"


class MaskedLMVerifier(LocalVerifier):
    """Supports a fact if its masked words are found again, on average, in the passages.

    A fact of stop words only is undecided, since there is nothing to mask. Needs the extra `hf`.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights are not here and cannot be downloaded.
    """

    model_name: str = NPM_SINGLE
    """Name on the hub, or a folder with weights."""
    threshold: float = Field(default=THRESHOLD, ge=0, le=1)
    """A fact counts as supported above it."""
    stopwords: frozenset[int] | None = None
    """Ids of tokens that are not masked; None makes them of an English list of our own."""
    max_passages: int = Field(default=PASSAGES, ge=1)
    """Passages read, the best first."""

    _encoded: LRU[tuple[str, ...], Tokens] = PrivateAttr(default_factory=lambda: LRU(_KEPT))
    _skipped: frozenset[int] | None = PrivateAttr(default=None)

    def load(self) -> MaskedLMVerifier:
        """Loads the model now, so that its absence shows before the work and not in its midst.

        Raises:
            MissingExtraError: transformers or torch is not installed.
            WeightsNotFoundError: The weights are not here and cannot be downloaded.
        """
        load_masked_lm(self.model_name)
        return self

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        return "npm"

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        return {
            "kind": "masked-lm",
            "model": self.model_name,
            "threshold": f"{self.threshold:g}",
            "stopwords": "own list" if self.stopwords is None else f"{len(self.stopwords)} given",
            "max_passages": str(self.max_passages),
        }

    def probability(self, fact: str, passages: Sequence[str]) -> float | None:
        """The fact's probability, 0 to 1; None if it has no token to mask."""
        return self.probabilities([(fact, passages)])[0]

    def probabilities(self, facts: Sequence[tuple[str, Sequence[str]]]) -> list[float | None]:
        """The probability of each fact by its passages; the model reads all of them together."""
        model = load_masked_lm(self.model_name)
        skipped = self._stopword_ids(model)
        read = [model.fact_ids(fact) for fact, _ in facts]
        places = [model.content_positions(ids, skipped) for ids in read]
        asked = [number for number, positions in enumerate(places) if positions]
        vectors = model.masked([(read[number], places[number]) for number in asked])
        found: list[float | None] = [None for _ in facts]
        for number, masked in zip(asked, vectors, strict=True):
            ids, key = [read[number][place] for place in places[number]], tuple(facts[number][1])
            found[number] = token_probability(masked, ids, self._tokens(model, key))
        return found

    def _tokens(self, model: MaskedLM, passages: tuple[str, ...]) -> Tokens:
        return self._encoded.get_or_make(passages, lambda: model.passages(passages))

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        read = [claim.passages[: self.max_passages] for claim in values]
        found = self.probabilities(
            [
                (claim.fact.text, [without_orders(passage.text) for passage in passages])
                for claim, passages in zip(values, read, strict=True)
            ]
        )
        return [self._decision(*one) for one in zip(values, read, found, strict=True)]

    def _decision(self, claim: Claim, read: tuple[Passage, ...], probability: float | None) -> Decision:
        if probability is None:
            cause = f"{NOT_APPLICABLE}: the fact has no content word to mask"
            return Decision(claim.fact, Verdict.UNDECIDED, self.verifier_name, passages=read, cause=cause)
        supported = probability > self.threshold
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=probability,
            reason=None if supported else "no_evidence",
            passages=read,
            evidence=tuple(passage.id for passage in read) if supported else (),
        )

    def _stopword_ids(self, model: MaskedLM) -> frozenset[int]:
        if self._skipped is None:
            self._skipped = self.stopwords if self.stopwords is not None else _own_stopwords(model)
        return self._skipped


def token_probability(masked: Any, ids: Sequence[int], passages: Tokens) -> float:
    """Mean share of weight on equal tokens.

    Args:
        masked: Vectors of the masks, shape (masks, width).
        ids: The tokens that stand under the masks.
        passages: All tokens of the passages; with none of them the probability is 0.
    """
    if not len(passages.ids):
        return 0.0
    similarity = masked @ passages.vectors.T / np.sqrt(masked.shape[1])
    weight = np.exp(similarity - similarity.max(axis=1, keepdims=True))
    same = passages.ids[None, :] == np.asarray(ids)[:, None]
    return float(((weight * same).sum(axis=1) / weight.sum(axis=1)).mean())


def _own_stopwords(model: MaskedLM) -> frozenset[int]:
    """Ids of stop words and marks that are one token, in every case and with a blank before."""
    forms = [form for word in STOPWORDS for form in (word, word.capitalize())] + list(_MARKS)
    found = (model.ids(f"{blank}{form}") for form in forms for blank in ("", " "))
    return frozenset(ids[0] for ids in found if len(ids) == 1)
