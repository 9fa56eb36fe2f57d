"""The gate that a streamed text passes sentence by sentence: nothing is shown before it was checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, patch_config

from factscore_chain.guard.annotate import MARK, MARK_UNCHECKED, annotated, closing_fence
from factscore_chain.guard.check import CHECKED, TextChecker, raised, told
from factscore_chain.guard.checked import CheckedText
from factscore_chain.guard.evidence import CallEvidence, with_evidence
from factscore_chain.guard.layout import ShownText
from factscore_chain.guard.names import with_name
from factscore_chain.guard.outcome import Action, GuardOutcome, failed_check, judge
from factscore_chain.guard.pieces import Piece, PieceBuffer, with_rule
from factscore_chain.guard.sentences import SentenceScorer, SentencesRequest, window_start
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.score import Status
from factscore_chain.values import Span

_EDITED: tuple[Action, ...] = ("correct", "remove")

SENTENCE = "factscore.sentence"
"""Name of the custom event sent for each sentence that was checked, with its `outcome` as plain data."""


@dataclass(frozen=True)
class CheckedPiece:
    """A stretch of a streamed text after its check."""

    text: str
    """What is to be shown of it; may be empty."""
    original: str
    outcome: GuardOutcome | None = None
    """None for code, layout, what states nothing, and what the gate itself adds at the end."""
    action: Action = "pass"
    lead: str = ""
    """The layout that `original` begins with."""


@dataclass
class SentenceGate:
    """Takes a text bit by bit, and gives what may be shown of it.

    `add` and `finish` give the sentences that are ready, `check` says what is shown of them. It is for one
    text, and `check` is to be called for one batch after the other; `close` comes last.
    """

    checker: TextChecker
    topic: str | None = None
    evidence: CallEvidence = field(default_factory=CallEvidence)
    config: RunnableConfig | None = None
    silent: bool = False
    """Whether nothing is to be said where there is no text at all, as beside calls of tools."""
    _buffer: PieceBuffer = field(default_factory=PieceBuffer)
    _shown: ShownText = field(default_factory=ShownText)
    _held: list[CheckedPiece] = field(default_factory=list)
    _facts: list[FactRecord] = field(default_factory=list)
    _kept: list[FactRecord] = field(default_factory=list)
    """Facts of what is shown, after edits."""
    _outcomes: list[tuple[GuardOutcome, Action]] = field(default_factory=list)
    _left_out: list[Span] = field(default_factory=list)
    """Where sentences stand that were left out without a word."""
    _said: bool = False
    _stated: bool = False
    """Whether a sentence that states something was shown."""

    def add(self, bit: str) -> list[Piece]:
        """Takes the next bit; gives the sentences that have ended."""
        return self._buffer.add(bit)

    def finish(self) -> list[Piece]:
        """The rest of the sentences, when nothing more comes."""
        return self._buffer.finish()

    async def prepare(self) -> None:
        """Does ahead, off the event loop, what can be done before the first sentence is there."""
        verifier = self.checker.scorer.scorer.verifier
        await asyncio.to_thread(verifier.prepare, self.evidence.context)

    async def check(self, pieces: Sequence[Piece]) -> AsyncIterator[CheckedPiece]:
        """Checks sentences together.

        Yields:
            What is to be shown of each, in order; with `on_empty="fail"` nothing before the first sentence
            that states a fact.

        Raises:
            FactualityError: A sentence does not meet a policy that makes it an error. What stands before it
                was given.
        """
        if not pieces:
            return
        reports = await self._scored(pieces)
        for piece, report in zip(pieces, reports, strict=True):
            checked = await self._one(piece, report)
            if self.checker.policy.on_empty == "fail" and not self._outcomes:
                self._held.append(checked)
                continue
            held, self._held = self._held, []
            for one in (*held, checked):
                yield self._released(one)

    async def close(self) -> tuple[CheckedText, CheckedPiece]:
        """The result for the whole text, and what is to be shown last: a note, the message, or nothing.

        Raises:
            FactualityError: Nothing could be checked, and the policy makes that an error.
        """
        policy, text = self.checker.policy, self._buffer.text
        report = self._report(text, self._facts)
        outcome = self._whole(judge(report, policy))
        last = self._last(outcome)
        shown = self._shown.text
        edited = any(action in _EDITED for _, action in self._outcomes) and not self._nothing_left
        result = CheckedText(
            text=shown,
            original=text,
            action=self._action(last),
            outcome=outcome,
            after=judge(self._report(shown, _unplaced(self._kept)), policy) if edited else None,
            report=report,
        )
        await told(CHECKED, result.outcome, result.action, self.config)
        return result, last

    def _report(self, text: str, facts: Sequence[FactRecord]) -> GenerationReport:
        status: Status = "scored" if facts else "no_facts"
        report = GenerationReport(text=text, topic=self.topic, status=status, facts=tuple(facts))
        return report.rescored(self.checker.scorer.scorer.gamma)

    def _whole(self, outcome: GuardOutcome) -> GuardOutcome:
        """The outcome of all facts together; sentences whose check failed make it an error."""
        troubles = [one.error for one, _ in self._outcomes if one.error]
        if not troubles or outcome.cause == "unsupported":
            return outcome
        failed = failed_check(troubles[0], self.checker.policy)
        kept = {
            "passed": failed.passed,
            "cause": failed.cause,
            "action": failed.action,
            "error": failed.error,
        }
        return outcome.model_copy(update=kept)

    @property
    def _nothing_left(self) -> bool:
        """Whether every sentence that states something was left out, and nothing said of it."""
        return bool(self._outcomes) and not self._said and not self._stated

    def _action(self, last: CheckedPiece) -> Action:
        """What was done with the text: a message within it says more than what was done beside it."""
        actions = [last.action, *(action for _, action in self._outcomes)]
        done = [action for action in actions if action != "pass"]
        return "replace" if "replace" in done else done[0] if done else "pass"

    def _last(self, outcome: GuardOutcome) -> CheckedPiece:
        """What is shown at the end; sentences that failed were dealt with one by one."""
        rest = self._shown.show("")
        if self.silent and not self._buffer.text.strip():
            return CheckedPiece("", "")
        if not self._outcomes and outcome.action in ("replace", "raise"):
            empty = self.checker.shown(self._buffer.text, outcome)
            return CheckedPiece(rest + self._shown.show(raised(empty).text), "", outcome, "replace")
        if not self._outcomes and outcome.action == "annotate":
            whole = self._shown.text
            added = annotated(whole, outcome).removeprefix(whole.rstrip())
            return CheckedPiece(rest + self._shown.show(added), "", outcome, "annotate")
        if self._nothing_left:
            return self._otherwise(outcome, rest)
        return CheckedPiece(rest, "")

    def _otherwise(self, outcome: GuardOutcome, rest: str) -> CheckedPiece:
        """What the policy does otherwise, where no statement of the text is left."""
        otherwise = self.checker.policy.otherwise
        whole = self.checker.shown(self._buffer.text, outcome.model_copy(update={"action": otherwise}))
        above = self._shown.text.rstrip()
        between = f"{closing_fence(above)}\n\n" if above else ""
        return CheckedPiece(rest + self._shown.show(between + raised(whole).text), "", None, otherwise)

    async def _scored(self, pieces: Sequence[Piece]) -> Sequence[GenerationReport | str]:
        scorer = with_evidence(self.checker.scorer, self.evidence)
        text = self._buffer.text[: with_rule(self._buffer.text, pieces[-1].span.end)]
        request = SentencesRequest(text, tuple(pieces), self.topic)
        config = patch_config(ensure_config(self.config), run_name="score")
        found = await self.checker.tried(SentenceScorer(scorer=scorer).ainvoke(request, config))
        return [found for _ in pieces] if isinstance(found, str) else found

    async def _one(self, piece: Piece, report: GenerationReport | str) -> CheckedPiece:
        policy = self.checker.policy
        if isinstance(report, str):
            outcome = failed_check(report, policy)
        elif report.status == "no_facts" and not report.failures:
            return CheckedPiece(piece.original, piece.original, lead=piece.lead)
        else:
            outcome = judge(report, policy)
            self._facts += [
                _moved(fact, piece.span.start).model_copy(update={"sentence": len(self._outcomes)})
                for fact in report.facts
            ]
        shown, action = await self._shown_of(piece, outcome, report)
        self._outcomes.append((outcome, action))
        await told(SENTENCE, outcome, action, self.config)
        return CheckedPiece(shown, piece.original, outcome, action, piece.lead)

    async def _shown_of(
        self, piece: Piece, outcome: GuardOutcome, report: GenerationReport | str
    ) -> tuple[str, Action]:
        action = outcome.action
        if action in _EDITED and isinstance(report, GenerationReport):
            edited = await self._edited(piece, report)
            if edited is not None and not edited.strip():
                self._left_out.append(piece.span)
                return "", action
            if edited is not None:
                return piece.lead + edited, action
        if action in (*_EDITED, "retry"):
            action = self.checker.policy.otherwise
        if action in ("pass", "annotate") and isinstance(report, GenerationReport):
            self._kept += report.facts
            if action == "pass" and self._left_out:
                placed, start = self._placed(piece, report)
                return piece.lead + self._named(placed, piece, start), action
        if action == "pass":
            return piece.original, action
        if action == "annotate":
            return f"{piece.original} {MARK if outcome.checked else MARK_UNCHECKED}", action
        if action == "raise":
            raised(self.checker.shown(piece.text, outcome).model_copy(update={"action": "raise"}))
        return self._message(piece), "replace"

    def _message(self, piece: Piece) -> str:
        """The message once; of further sentences that are withheld nothing is shown."""
        if self._said:
            return ""
        self._said = True
        return piece.lead + self.checker.policy.message

    async def _edited(self, piece: Piece, report: GenerationReport) -> str | None:
        """The sentence mended in its text, verified, and empty where it has to go; None where it failed."""
        placed, offset = self._placed(piece, report)
        scorer = with_evidence(self.checker.scorer, self.evidence)
        config = patch_config(ensure_config(self.config), run_name="edit")
        chain = self.checker.edits(scorer, part=True)
        report_of_text = scorer.report((placed,))
        edited = await self.checker.tried(chain.ainvoke(report_of_text, config))
        if isinstance(edited, str):
            return None
        (one,), (after,) = edited.generations, edited.after.generations
        before = placed.text[:offset]
        if one.text.strip() == before.strip():
            return ""
        passed = judge(after, self.checker.policy).action in ("pass", "annotate")
        if not passed or not one.text.startswith(before):
            # Nothing of the sentence would be lost that is supported.
            return "" if one.complete and not report.tally.supported else None
        self._kept += after.facts
        return self._named(after, piece, offset)

    def _placed(self, piece: Piece, report: GenerationReport) -> tuple[GenerationReport, int]:
        """The report of a sentence as one of the text that it stands in, and its place there."""
        start = window_start(self._buffer.text, piece.span.start)
        offset = piece.span.start - start
        facts = tuple(_moved(fact, offset) for fact in report.facts)
        text = self._buffer.text[start : piece.span.end]
        return report.model_copy(update={"text": text, "facts": facts}), offset

    def _named(self, report: GenerationReport, piece: Piece, offset: int) -> str:
        """The sentence, with the names that only what was left out before it had."""
        by = offset - piece.span.start
        gone = [Span(one.start + by, one.end + by) for one in self._left_out if one.start + by >= 0]
        return with_name(report, offset, gone)

    def _released(self, piece: CheckedPiece) -> CheckedPiece:
        """The piece as it is shown after the others."""
        sentence = piece.original[len(piece.lead) :]
        if sentence and not piece.text.strip():
            self._shown.leave_out(piece.lead, sentence)
            return replace(piece, text="")
        self._stated = self._stated or piece.outcome is not None
        return replace(piece, text=self._shown.show(piece.text))


def _unplaced(facts: Sequence[FactRecord]) -> list[FactRecord]:
    """Facts without the places that they had in a sentence by itself."""
    return [fact.model_copy(update={"span": None, "sentence": None}) for fact in facts]


def _moved(fact: FactRecord, by: int) -> FactRecord:
    def move(span: Span) -> Span:
        return Span(span.start + by, span.end + by)

    return fact if fact.span is None else fact.model_copy(update={"span": move(fact.span)})
