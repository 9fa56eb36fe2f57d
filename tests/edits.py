"""Sentences with their facts, as an editor gets them."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.spans import fact_span
from factscore_chain.edit.base import Attempt, EditRequest, Policy
from factscore_chain.report import FactRecord
from factscore_chain.values import Generation, Passage, Reason, Span, Verdict


def request(
    text: str,
    wrong: Sequence[str],
    right: Sequence[str] = (),
    passages: Sequence[str] = (),
    *,
    policy: Policy = Policy.AUTO,
    topic: str | None = None,
    reason: Reason = "contradicted",
    placed: bool = True,
    attempts: Sequence[str] = (),
    sentence: int = 0,
) -> EditRequest:
    """A request to mend one sentence of a text: the facts that are wrong come after those that are right.

    Args:
        text: The whole text.
        wrong: Facts of the sentence that are not supported.
        right: Facts of it that are.
        passages: Texts that the verdicts rest on.
        policy: What is to be done.
        topic: What the text is about.
        reason: Why the wrong facts are not supported.
        placed: Whether facts have a place in the text.
        attempts: Proposals that were not kept.
        sentence: Which sentence it is.
    """
    one = split_sentences(text)[sentence]
    evidence = tuple(Passage(f"p{i}", passage, rank=i + 1) for i, passage in enumerate(passages))

    def record(fact: str, verdict: Verdict) -> FactRecord:
        span: Span | None = fact_span(one, fact, topic) if placed else None
        return FactRecord(
            text=fact,
            span=span,
            sentence=one.index,
            verdict=verdict,
            reason=reason if verdict is Verdict.NOT_SUPPORTED else None,
            verifier="people",
            passages=evidence,
            evidence=tuple(passage.id for passage in evidence),
        )

    facts = [record(fact, Verdict.SUPPORTED) for fact in right]
    facts += [record(fact, Verdict.NOT_SUPPORTED) for fact in wrong]
    mend = tuple(range(len(right), len(facts)))
    tried = tuple(Attempt(attempt, "it loses a supported fact") for attempt in attempts)
    return EditRequest(Generation(text, topic), one, tuple(facts), mend, policy, tried)
