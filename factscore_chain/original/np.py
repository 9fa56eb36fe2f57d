"""The NP check of the published protocol: the masked language model over the article's BM25 top three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from factscore_chain.errors import UsageError
from factscore_chain.original.passages import Passages, Retrieval
from factscore_chain.original.retrieve import as_passages
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import LocalVerifier
from factscore_chain.verify.npm import MaskedLMVerifier
from factscore_chain.verify.published_causal import Known

STOPWORDS_FILE = "roberta_stopwords.txt"


class OriginalNP(LocalVerifier):
    """Judges by passages of its own, whatever passages the claim brings."""

    check: MaskedLMVerifier
    retrieval: Retrieval
    """By BM25."""
    known: Known | None = None
    """Probabilities of a converted cache, by fact and passages."""

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        return self.check.verifier_name

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        return {**self.check.identity, "ranker": self.retrieval.ranker}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        return [self._decide(claim) for claim in values]

    def _decide(self, claim: Claim) -> Decision:
        found = self.retrieval.get_passages(claim.topic or "", claim.fact.text, self.check.max_passages)
        own = replace(claim, passages=as_passages(found))
        old = None if self.known is None else self.known(cache_key(claim.fact.text, found))
        if old is None:
            return self.check.invoke(own)
        probability = float(old)
        supported = probability > self.check.threshold
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=probability,
            passages=own.passages,
            note="The probability is that of a converted cache.",
        )


def cache_key(fact: str, passages: Passages) -> str:
    """The key of the original's NP cache."""
    return "#".join([fact, *(passage["text"] for passage in passages)])


def read_stopwords(folders: Sequence[Path]) -> frozenset[int] | None:
    """The original's list of token ids that are not masked, from the first folder that has it.

    Raises:
        UsageError: The file holds something else than one number a line.
    """
    for path in (folder / STOPWORDS_FILE for folder in folders):
        if path.is_file():
            try:
                return frozenset(map(int, path.read_text(encoding="utf-8").split()))
            except ValueError as error:
                raise UsageError(f"{str(path)!r} is to hold one token id a line: {error}.") from error
    return None
