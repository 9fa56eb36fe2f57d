"""Texts with their facts judged, edited, and judged again: what the editing figures are taken of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from langchain_core.retrievers import BaseRetriever

from factscore_chain.aio import run_sync
from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.base import Editor, EditRequest, Policy, SentenceEdit
from factscore_chain.edit.splice import Replacement, splice
from factscore_chain.errors import FatalModelError
from factscore_chain.evals.judge import OnDone, verify
from factscore_chain.evals.revisions import Revision
from factscore_chain.report import FactRecord
from factscore_chain.retrieve import Question, Retrieval
from factscore_chain.retrievers.documents import evidence_passages
from factscore_chain.values import AtomicFact, Claim, Decision, Decomposition, Generation, Sentence, Verdict
from factscore_chain.verify.base import Verifier


@dataclass(frozen=True)
class Source:
    """Finds the facts of a text, and the passages that they are judged by."""

    decomposer: Decomposer
    retriever: BaseRetriever | None = None
    """None judges by the passages that come with the row."""
    k: int = 5

    def claims(self, texts: Sequence[str], revisions: Sequence[Revision]) -> list[tuple[Claim, ...]]:
        """The checkable facts of each text, which belongs to the revision beside it."""
        generations = [Generation(text, one.topic) for text, one in zip(texts, revisions, strict=True)]
        found = run_sync(self.decomposer.abatch(generations))
        return [
            self._with_passages(decomposition, revision)
            for decomposition, revision in zip(found, revisions, strict=True)
        ]

    def _with_passages(self, found: Decomposition, revision: Revision) -> tuple[Claim, ...]:
        facts = tuple(fact for fact in found.facts if fact.checkable)
        if self.retriever is None or not facts:
            passages = evidence_passages(revision.passages)
            return tuple(Claim(fact, passages, revision.topic) for fact in facts)
        retrieval = Retrieval(retriever=self.retriever, k=self.k)
        return retrieval.invoke(Question(facts, retrieval.resolve(revision.topic) or revision.topic))


@dataclass(frozen=True)
class Case:
    """A text with a verdict for each of its facts."""

    revision: Revision
    sentences: tuple[Sentence, ...]
    decisions: tuple[Decision, ...]

    @property
    def has_unsupported(self) -> bool:
        """Whether there is anything to mend."""
        return any(decision.verdict is Verdict.NOT_SUPPORTED for decision in self.decisions)

    def requests(self, policy: Policy) -> list[EditRequest]:
        """One request for each sentence with a fact that is not supported."""
        generation = Generation(self.revision.text, self.revision.topic)
        found = []
        for sentence in self.sentences:
            decisions = [one for one in self.decisions if _stands_in(one.fact, sentence)]
            mend = [i for i, one in enumerate(decisions) if one.verdict is Verdict.NOT_SUPPORTED]
            if mend:
                facts = tuple(map(FactRecord.of, decisions))
                found.append(EditRequest(generation, sentence, facts, tuple(mend), policy))
        return found


def _stands_in(fact: AtomicFact, sentence: Sentence) -> bool:
    if fact.span is None:
        return fact.sentence == sentence.index
    return sentence.span.start <= fact.span.start < sentence.span.end


def make_cases(
    revisions: Sequence[Revision], source: Source, verifier: Verifier, on_done: OnDone | None = None
) -> list[Case]:
    """Takes people's labels where the row has them, and the verifier's verdicts elsewhere.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    unlabelled = [one for one in revisions if one.facts is None]
    judged = iter(judge_texts([one.text for one in unlabelled], unlabelled, source, verifier, on_done))
    return [
        Case(one, split_sentences(one.text), next(judged) if one.facts is None else one.facts)
        for one in revisions
    ]


def judge_texts(
    texts: Sequence[str],
    revisions: Sequence[Revision],
    source: Source,
    verifier: Verifier,
    on_done: OnDone | None = None,
) -> list[tuple[Decision, ...]]:
    """Decisions on the facts of each text.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    return judge_claims(source.claims(texts, revisions), verifier, on_done)


def judge_claims(
    claims: Sequence[Sequence[Claim]], verifier: Verifier, on_done: OnDone | None = None
) -> list[tuple[Decision, ...]]:
    """Decisions on claims, kept apart as they come.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    decided = iter(verify([claim for one in claims for claim in one], verifier, on_done))
    return [tuple(next(decided) for _ in one) for one in claims]


@dataclass(frozen=True)
class Edited:
    """What an editor makes of a text."""

    text: str
    failed: int = 0
    """Sentences for which there is no edit."""


def edit_cases(cases: Sequence[Case], editor: Editor, policy: Policy) -> list[Edited]:
    """Edits every case, all sentences in one batch; a sentence whose edit fails stays as it is.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    requests = [case.requests(policy) for case in cases]
    flat = [request for one in requests for request in one]
    replies = iter(run_sync(editor.abatch(flat, return_exceptions=True)))
    return [
        _joined(case.revision.text, one, [_settled(next(replies)) for _ in one])
        for case, one in zip(cases, requests, strict=True)
    ]


def _settled(reply: SentenceEdit | BaseException) -> SentenceEdit:
    if isinstance(reply, SentenceEdit):
        return reply
    if isinstance(reply, FatalModelError) or not isinstance(reply, Exception):
        raise reply
    return SentenceEdit(None, error=str(reply))


def _joined(text: str, requests: Sequence[EditRequest], edits: Iterable[SentenceEdit]) -> Edited:
    edits = list(edits)
    changes = [
        Replacement(request.sentence.span, edit.text)
        for request, edit in zip(requests, edits, strict=True)
        if edit.text is not None
    ]
    return Edited(splice(text, changes).text, sum(edit.error is not None for edit in edits))
