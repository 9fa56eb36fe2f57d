"""Human facts through retrieval and verification: what the estimator says where people have spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from langchain_core.retrievers import BaseRetriever

from factscore_chain.aio import run_sync
from factscore_chain.errors import AmbiguousTitleError, TitleNotFoundError
from factscore_chain.evals.labeled import LabeledGeneration
from factscore_chain.retrieve import Question, Retrieval
from factscore_chain.retrievers.documents import evidence_passages
from factscore_chain.values import AtomicFact, Claim, Decision
from factscore_chain.verify.base import Verifier, settled

BATCH = 256
"""Facts verified together: enough to fill a model's batches, few enough to show progress."""

OnDone = Callable[[int], None]


@dataclass(frozen=True)
class JudgedGeneration:
    """A labelled generation with a decision for each of its facts; none where its topic has no page."""

    generation: LabeledGeneration
    decisions: tuple[Decision, ...] = ()
    missing: bool = False
    """The knowledge source has no single document for the topic, so nothing could be judged."""


def judge(
    generations: Sequence[LabeledGeneration],
    verifier: Verifier,
    retriever: BaseRetriever | None = None,
    *,
    k: int = 5,
    on_done: OnDone | None = None,
) -> list[JudgedGeneration]:
    """Gives the estimator's decision on every labelled fact.

    Args:
        generations: Rows that bring evidence are judged by it, the others by retrieval.
        verifier: What decides.
        retriever: Where passages come from; None if every row brings its own or the verifier reads none.
        k: Passages retrieved a fact.
        on_done: Called with the number of facts just verified.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    retrieval = None if retriever is None else Retrieval(retriever=retriever, k=k)
    claims = [claims_of(generation, retrieval) for generation in generations]
    flat = [claim for one in claims for claim in one or ()]
    decisions = iter(verify(flat, verifier, on_done))
    return [
        JudgedGeneration(generation, tuple(next(decisions) for _ in one or ()), one is None)
        for generation, one in zip(generations, claims, strict=True)
    ]


def verify(claims: Sequence[Claim], verifier: Verifier, on_done: OnDone | None = None) -> list[Decision]:
    """Decides claims in batches; a claim whose verification fails gets a failed decision.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    decisions: list[Decision] = []
    for start in range(0, len(claims), BATCH):
        batch = list(claims[start : start + BATCH])
        replies = run_sync(verifier.abatch(batch, return_exceptions=True))
        decisions.extend(
            settled(claim, reply, verifier.verifier_name) for claim, reply in zip(batch, replies, strict=True)
        )
        if on_done is not None:
            on_done(len(batch))
    return decisions


def claims_of(generation: LabeledGeneration, retrieval: Retrieval | None) -> tuple[Claim, ...] | None:
    """The facts of a generation with their passages; None where its topic has no single document."""
    facts = tuple(AtomicFact(fact.text) for fact in generation.facts)
    if generation.evidence is not None or retrieval is None:
        passages = evidence_passages(generation.evidence or ())
        return tuple(Claim(fact, passages, generation.topic) for fact in facts)
    try:
        title = retrieval.resolve(generation.topic)
    except (TitleNotFoundError, AmbiguousTitleError):
        return None
    return retrieval.invoke(Question(facts, title or generation.topic)) if facts else ()


def nested(verifier: Verifier) -> Iterator[Verifier]:
    """The verifier and those it is made of."""
    yield verifier
    for name in type(verifier).model_fields:
        value = getattr(verifier, name)
        for part in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(part, Verifier):
                yield from nested(part)
