"""Small stages that do real work by plain rules, for tests of what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig

from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.values import (
    AtomicFact,
    Claim,
    Decision,
    Decomposition,
    Generation,
    SentenceFailure,
    Verdict,
)
from factscore_chain.verify.base import LocalVerifier


class SentenceDecomposer(Decomposer):
    """Takes each sentence as one fact; one that holds "REFUSE" fails, one that holds "KEY" is fatal."""

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "sentences"}

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        sentences = split_sentences(value.text)
        if "KEY" in value.text:
            raise FatalModelError("The model 'test' cannot be used: the key was refused.")
        failures = tuple(SentenceFailure(s.index, "refused", s.text) for s in sentences if "REFUSE" in s.text)
        facts = tuple(AtomicFact(s.text, s.span, s.index) for s in sentences if "REFUSE" not in s.text)
        return Decomposition(sentences, facts, failures)


class WordVerifier(LocalVerifier):
    """Finds a fact supported if every word of it stands in one passage; "BREAK" in a fact breaks it."""

    @property
    def verifier_name(self) -> str:
        return "words"

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "words"}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        if any("BREAK" in claim.fact.text for claim in values):
            raise ModelCallError("A call to 'test' failed.")
        return [self._decide(claim) for claim in values]

    def _decide(self, claim: Claim) -> Decision:
        wanted = _words(claim.fact.text)
        found = [passage.id for passage in claim.passages if wanted <= _words(passage.text)]
        verdict = Verdict.SUPPORTED if found else Verdict.NOT_SUPPORTED
        return Decision(
            claim.fact, verdict, self.verifier_name, passages=claim.passages, evidence=tuple(found)
        )


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


class GivenVerifier(LocalVerifier):
    """Gives as probability the number that a fact begins with; undecided about one that has none."""

    @property
    def verifier_name(self) -> str:
        return "given"

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "given"}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        return [self._decide(claim) for claim in values]

    def _decide(self, claim: Claim) -> Decision:
        ids = tuple(passage.id for passage in claim.passages)
        number = re.match(r"[01]\.?\d*", claim.fact.text)
        if number is None:
            return Decision(claim.fact, Verdict.UNDECIDED, "given", passages=claim.passages, cause="none")
        p = float(number.group())
        verdict = Verdict.SUPPORTED if p >= 0.5 else Verdict.NOT_SUPPORTED
        return Decision(claim.fact, verdict, "given", p, passages=claim.passages, evidence=ids)
