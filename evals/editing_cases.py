"""Texts with their facts judged, by people or an estimator, as an edit chain takes them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from factscore_chain.aio import run_sync
from factscore_chain.chain import FactScoreChain
from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.evals.judge import OnDone
from factscore_chain.evals.revisions import Revision
from factscore_chain.report import GenerationReport
from factscore_chain.retrievers.documents import evidence_passages, to_document
from factscore_chain.values import Decision, Decomposition, Generation, Verdict
from factscore_chain.verify.base import Verifier

AT_ONCE = 8
"""Texts under way together: enough to keep a model server busy."""

T = TypeVar("T")
R = TypeVar("R")


class RowEvidence(BaseRetriever):
    """The passages that come with one row, whatever is asked."""

    documents: list[Document]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return self.documents


@dataclass(frozen=True)
class Source:
    """Finds the facts of a text, and the passages that they are judged by."""

    decomposer: Decomposer
    retriever: BaseRetriever | None = None
    """None judges by the passages that come with the row."""
    k: int = 5

    def chain(self, revision: Revision, verifier: Verifier) -> FactScoreChain:
        """What scores the texts of a revision, without length penalty, and verifies what is made of them."""
        documents = [to_document(passage) for passage in evidence_passages(revision.passages)]
        return FactScoreChain(
            self.retriever or RowEvidence(documents=documents),
            decomposer=self.decomposer,
            verifier=verifier,
            gamma=None,
            abstain="none",
            k=self.k if self.retriever is not None else max(1, len(documents)),
        )


@dataclass(frozen=True)
class Case:
    """A text with a verdict for each of its facts."""

    revision: Revision
    report: GenerationReport

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The verdicts."""
        return tuple(fact.decision for fact in self.report.facts)

    @property
    def has_unsupported(self) -> bool:
        """Whether there is anything to mend."""
        return any(fact.verdict is Verdict.NOT_SUPPORTED for fact in self.report.facts)


def make_cases(
    revisions: Sequence[Revision], source: Source, verifier: Verifier, on_done: OnDone | None = None
) -> list[Case]:
    """Takes people's labels where the row has them, and the verifier's verdicts elsewhere.

    Raises:
        FatalModelError: The model cannot be used at all.
    """

    async def case(revision: Revision) -> Case:
        chain = source.chain(revision, verifier)
        return Case(
            revision, _labelled(chain, revision) or await score(chain, revision.text, revision, on_done)
        )

    return each(case, revisions)


def _labelled(chain: FactScoreChain, revision: Revision) -> GenerationReport | None:
    if revision.facts is None:
        return None
    facts = tuple(decision.fact for decision in revision.facts)
    found = Decomposition(split_sentences(revision.text), facts)
    return chain.scorer.report(Generation(revision.text, revision.topic), None, found, revision.facts)


async def score(
    chain: FactScoreChain, text: str, revision: Revision, on_done: OnDone | None = None
) -> GenerationReport:
    """Scores a text from scratch.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    report = await chain.ascore(Generation(text, revision.topic))
    if on_done is not None:
        on_done(report.counts.facts)
    return report.generations[0]


def each(work: Callable[[T], Awaitable[R]], items: Iterable[T]) -> list[R]:
    """Does the same for every item, some of them at once; the results come in the items' order."""

    async def all_of_them() -> list[R]:
        limiter = asyncio.Semaphore(AT_ONCE)

        async def one(item: T) -> R:
            async with limiter:
                return await work(item)

        return await asyncio.gather(*map(one, items))

    return run_sync(all_of_them())
