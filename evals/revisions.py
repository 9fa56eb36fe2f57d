"""Reads texts with the revisions that people made of them: the gold of `factscore eval editing`.

| file | text | revision | facts and labels | passages |
|---|---|---|---|---|
| plain rows | `text` | `revised` | `facts` of `text`, `label`, if given | `passages`, if given |
| Factcheck-GPT, subtask 5 | `response` | `revised_response` | by the estimator | `claim list` |
| Factcheck-GPT, benchmark | `response` | `revised_response` | people's | each claim's web evidence |
| BUMP | `edited_summary` | `reference_summary` | by the estimator | the article |

Rows stand one a line, or in one JSON list. The claims of subtask 5 are those that people hold true after
their revision, so they are evidence that leaves few questions open: that file measures the editor, not
retrieval. The benchmark's evidence does not always say what its people went by.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.spans import fact_span
from factscore_chain.decompose.words import split_words
from factscore_chain.edit.stated import stated_words
from factscore_chain.evals.labeled import HumanFactRow, Statement, read_rows
from factscore_chain.evals.untokenize import untokenize
from factscore_chain.retrievers.documents import evidence_passages
from factscore_chain.values import AtomicFact, Decision, Sentence, Span, Verdict


@dataclass(frozen=True)
class Revision:
    """A text, what people made of it, and what is known about its facts."""

    text: str
    revised: str
    passages: tuple[str, ...] = ()
    topic: str | None = None
    facts: tuple[Decision, ...] | None = None
    """Facts with people's labels; None where an estimator has to find and judge them."""

    @property
    def is_unread(self) -> bool:
        """Whether nobody read the text while the rules of the embedded editor were made: every second one.

        Those with an even sha256 were read.
        """
        return bool(int(sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest(), 16) % 2)


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    @abstractmethod
    def revision(self) -> Revision:
        """What the row says."""


class PlainRow(_Row):
    """The format of this package."""

    text: Statement
    revised: str
    passages: list[str] = []
    topic: str | None = None
    facts: list[HumanFactRow] | None = None

    def revision(self) -> Revision:
        """Each fact is placed in the sentence that shares the most words with it."""
        sentences = split_sentences(self.text)
        facts = None
        if self.facts is not None:
            facts = tuple(self._decision(fact, sentences) for fact in self.facts)
        return Revision(self.text, self.revised, tuple(self.passages), self.topic, facts)

    def _decision(self, fact: HumanFactRow, sentences: Sequence[Sentence]) -> Decision:
        place = max(sentences, key=lambda one: _shared(one.text, fact.text)).span
        return _labelled(self.text, place, fact.text, fact.label, self.passages)


class Subtask5Row(_Row):
    """Factcheck-GPT, subtask 5: an answer, its revision, and the claims of the revision."""

    response: Statement
    revised_response: str
    claims: list[str] = Field(alias="claim list")

    def revision(self) -> Revision:
        """The claims are the evidence."""
        return Revision(self.response, self.revised_response, tuple(filter(str.strip, self.claims)))


class _BenchmarkSentence(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str
    claims: list[str] = []
    labels: list[bool | str] = Field(default=[], alias="claims_factuality_label")
    human_evidence: list[str] = []
    auto_evidence: list[list[str]] = []
    stances: list[list[str]] = Field(default=[], alias="stance_claim_autoEvid")

    def place(self, response: str) -> Span:
        """Where it stands in the answer; all of the answer if it is not spelled as there."""
        text = self.text.strip()
        start = response.find(text)
        return Span(start, start + len(text)) if start >= 0 else Span(0, len(response))

    def decisions(self, response: str) -> Iterator[Decision]:
        """Its claims; those that people could not decide are none."""
        for i, (claim, label) in enumerate(zip(self.claims, self.labels, strict=False)):
            if isinstance(label, bool) and claim.strip():
                verdict = Verdict.SUPPORTED if label else Verdict.NOT_SUPPORTED
                refuted = not label and "refute" in _at(self.stances, i)
                yield _labelled(response, self.place(response), claim, verdict, self._evidence(i), refuted)

    def _evidence(self, claim: int) -> list[str]:
        found = [*self.human_evidence[claim : claim + 1], *_at(self.auto_evidence, claim)]
        return [text for text in found if text.strip() not in ("", "NA")]


class BenchmarkRow(_Row):
    """Factcheck-GPT, the benchmark: an answer sentence by sentence, with claims, labels and evidence."""

    response: Statement
    revised_response: str
    sentences: dict[str, _BenchmarkSentence]

    def revision(self) -> Revision:
        """Each claim is judged by its own evidence, the edited text by all of it."""
        facts = [fact for one in self.sentences.values() for fact in one.decisions(self.response)]
        passages = dict.fromkeys(passage.text for fact in facts for passage in fact.passages)
        return Revision(self.response, self.revised_response, tuple(passages), facts=tuple(facts))


class BumpRow(_Row):
    """BUMP: a summary that people made unfaithful, and the faithful one."""

    article: Statement
    edited_summary: Statement
    reference_summary: str

    def revision(self) -> Revision:
        """The summaries have blanks around their marks, which are taken away."""
        return Revision(untokenize(self.edited_summary), untokenize(self.reference_summary), (self.article,))


def _at(lists: Sequence[list[str]], index: int) -> list[str]:
    return lists[index] if index < len(lists) else []


def _shared(sentence: str, fact: str) -> int:
    return len(stated_words(split_words(sentence), fact, None))


def _labelled(
    text: str, place: Span, fact: str, label: Verdict, evidence: Sequence[str], refuted: bool = False
) -> Decision:
    sentence = Sentence(text[place.start : place.end], place, 0)
    return Decision(
        AtomicFact(fact, fact_span(sentence, fact)),
        label,
        "people",
        reason="contradicted" if refuted else None,
        passages=evidence_passages(evidence),
    )


_FORMATS: dict[str, type[_Row]] = {
    "claim list": Subtask5Row,
    "sentences": BenchmarkRow,
    "edited_summary": BumpRow,
    "text": PlainRow,
}


def read_revisions(path: Path) -> tuple[tuple[Revision, ...], tuple[str, ...]]:
    """Reads a file of revisions; returns them and one line for each row that could not be read.

    Raises:
        UsageError: The file cannot be read, or holds no usable row.
    """
    return read_rows(path, _revision)


def _revision(row: dict[str, Any]) -> Revision:
    for key, row_format in _FORMATS.items():
        if key in row:
            return row_format.model_validate(row).revision()
    raise ValueError("neither 'text' with 'revised' nor a row of Factcheck-GPT or BUMP")
