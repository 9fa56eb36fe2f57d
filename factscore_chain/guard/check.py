"""The check of one text: scored by its evidence, judged by a policy, and made into the text to show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.callbacks.manager import adispatch_custom_event
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.base import Editor, Policy
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditReport
from factscore_chain.errors import UsageError
from factscore_chain.failures import cause_of
from factscore_chain.generations import whole
from factscore_chain.guard.annotate import annotated
from factscore_chain.guard.checked import CheckedText, FactualityError
from factscore_chain.guard.evidence import CallEvidence, as_evidence, with_evidence
from factscore_chain.guard.outcome import Action, GuardOutcome, failed_check, judge
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.report import GenerationReport, Report
from factscore_chain.retrievers.opening import AnyKnowledge
from factscore_chain.stage import Stage
from factscore_chain.values import Generation, Verdict

CHECKED = "factscore.checked"
"""Name of the custom event sent for each text that was checked, with its `outcome` as plain data."""

_MENDED = (Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT)
T = TypeVar("T")

_HOW = {"correct": Policy.AUTO, "remove": Policy.REMOVE}


@dataclass(frozen=True)
class CheckRequest:
    """A text to check, and by what."""

    text: str
    topic: str | None = None
    """Title in the scorer's knowledge source; None searches the whole source."""
    evidence: CallEvidence = field(default_factory=CallEvidence)

    def __post_init__(self) -> None:
        # Models emit lone surrogates, which no report can hold.
        object.__setattr__(self, "text", whole(self.text))


class TextChecker(Stage[CheckRequest, CheckedText]):
    """Checks a text before it is shown; the core of every guardrail.

    `ainvoke` and `acheck` never raise for a text: where the policy says "raise" or "retry", the result's
    `action` says so, and `raised` and `acheck_again` do it. What goes wrong in the check is an outcome with
    the cause "error".

    Raises:
        UsageError: The scorer is none, or the editor cannot be made.
    """

    scorer: FactScoreChain
    policy: GuardPolicy
    editor: Editor | str | None = None
    llm: Any = None
    max_rounds: int = 2

    def __init__(
        self,
        scorer: FactScoreChain,
        policy: GuardPolicy | None = None,
        *,
        editor: Editor | str | None = None,
        llm: Any = None,
        max_rounds: int = 2,
    ) -> None:
        """Puts a checker together.

        Args:
            scorer: Scores the texts, by its own knowledge and by the evidence of each call.
            policy: What is required, and what is done; None for the defaults.
            editor: Who edits, where the policy edits; as in `EditChain`.
            llm: The chat model that edits; by default the scorer's, if it asks one.
            max_rounds: Rounds of edits at most.
        """
        if not isinstance(scorer, FactScoreChain):
            raise UsageError(f"A text is checked with a FactScoreChain, not {type(scorer).__name__}.")
        super().__init__(
            scorer=scorer, policy=policy or GuardPolicy(), editor=editor, llm=llm, max_rounds=max_rounds
        )
        if self.policy.on_fail in _HOW:
            self.edits(scorer)  # so that an editor that cannot be made is refused here

    def check(
        self,
        text: str,
        topic: str | None = None,
        evidence: Any = None,
        *,
        sources: Sequence[AnyKnowledge] = (),
        config: RunnableConfig | None = None,
    ) -> CheckedText:
        """Checks one text; works inside a running event loop too. The arguments are those of `acheck`."""
        return self.invoke(CheckRequest(text, topic, as_evidence(evidence, sources)), config)

    async def acheck(
        self,
        text: str,
        topic: str | None = None,
        evidence: Any = None,
        *,
        sources: Sequence[AnyKnowledge] = (),
        config: RunnableConfig | None = None,
    ) -> CheckedText:
        """Checks one text.

        Args:
            text: The text.
            topic: Title in the scorer's knowledge source; None searches the whole source.
            evidence: The context of the call: what `as_evidence` takes.
            sources: Further knowledge sources or retrievers for this call.
            config: Passed on to everything that runs.

        Raises:
            UsageError: The evidence is none.
        """
        return await self.ainvoke(CheckRequest(text, topic, as_evidence(evidence, sources)), config)

    async def acheck_again(
        self,
        request: CheckRequest,
        again: Callable[[CheckedText], Awaitable[CheckRequest]],
        config: RunnableConfig | None = None,
    ) -> CheckedText:
        """Checks a text, and those that the model writes when it is asked again, until one passes.

        Args:
            request: The first text.
            again: Asks the model again and gives what it wrote; `CheckedText.feedback()` is what to tell it.
            config: Passed on.

        Raises:
            FactualityError: No text passes, and the policy raises an error otherwise.
        """
        checked = await self.ainvoke(request, config)
        while checked.action == "retry" and checked.retries < self.policy.max_retries:
            following = await self.ainvoke(await again(checked), config)
            checked = following.model_copy(update={"retries": checked.retries + 1})
        return raised(self.settled(checked))

    def settled(self, checked: CheckedText) -> CheckedText:
        """The same where nobody is asked again: "retry" becomes what the policy does otherwise."""
        if checked.action != "retry":
            return checked
        return checked.model_copy(update={"action": self.policy.otherwise})

    async def _process(self, value: CheckRequest, config: RunnableConfig) -> CheckedText:
        checked = await self._checked(value, config)
        await told(CHECKED, checked.outcome, checked.action, config)
        return checked

    async def _checked(self, request: CheckRequest, config: RunnableConfig) -> CheckedText:
        scorer = with_evidence(self.scorer, request.evidence)
        report, checked = await self.score(request, config)
        if report is None or checked.action not in _HOW:
            return checked
        edit = patch_config(config, run_name="edit")
        edited = await self.tried(self.edits(scorer).ainvoke(report, edit))
        # The text is known to be unsupported, so trouble with its edit is no reason to show it.
        if isinstance(edited, str):
            return checked.model_copy(update={"action": self.policy.otherwise})
        return self._mended(checked, edited)

    async def score(self, request: CheckRequest, config: RunnableConfig) -> tuple[Report | None, CheckedText]:
        """Scores and judges a text; nothing is edited.

        Returns:
            The report, None where the check gave none; and the text with its outcome.
        """
        scorer = with_evidence(self.scorer, request.evidence)
        generation = Generation(request.text, request.topic)
        score = patch_config(config, run_name="score")
        report = await self.tried(_scored(scorer, generation, request.evidence, score))
        if isinstance(report, str):
            return None, self.shown(request.text, failed_check(report, self.policy))
        (one,) = report.generations
        return report, self.shown(request.text, judge(one, self.policy), one)

    async def tried(self, work: Awaitable[T]) -> T | str:
        """What some work gives in time, else what went wrong with it."""
        limit = self.policy.timeout
        try:
            return await asyncio.wait_for(work, limit)
        except UsageError:
            raise
        except Exception as trouble:  # noqa: BLE001  the policy says what trouble with the check means
            late = limit is not None and isinstance(trouble, (asyncio.TimeoutError, TimeoutError))
            return f"it took longer than {limit:g} s" if late else cause_of(trouble)

    def _mended(self, checked: CheckedText, edited: EditReport) -> CheckedText:
        (edit,), (report,) = edited.generations, edited.after.generations
        after = judge(report, self.policy)
        found: dict[str, Any] = {"after": after, "edit": edit}
        if edit.text.strip() and after.action in ("pass", "annotate"):
            return checked.model_copy(update={**found, "text": self.shown(edit.text, after).text})
        shown = {"text": self._otherwise(edit.text, after), "action": self.policy.otherwise}
        return checked.model_copy(update={**found, **shown})

    def _otherwise(self, text: str, outcome: GuardOutcome) -> str:
        if self.policy.otherwise == "annotate" and text.strip():
            return annotated(text, outcome)
        return self.policy.message

    def shown(self, text: str, outcome: GuardOutcome, report: GenerationReport | None = None) -> CheckedText:
        """What the policy makes of a text with an outcome, as far as no model has to be asked for it."""
        if outcome.action == "pass":
            show = text
        elif outcome.action == "annotate":
            show = annotated(text, outcome)
        elif outcome.action in ("replace", "raise"):
            show = self.policy.message
        else:
            show = self._otherwise(text, outcome)
        return CheckedText(text=show, original=text, action=outcome.action, outcome=outcome, report=report)

    def edits(
        self, scorer: FactScoreChain, max_rounds: int | None = None, *, part: bool = False
    ) -> EditChain:
        """What mends texts as the policy says, verified by a scorer that knows the evidence of the call.

        Args:
            scorer: Verifies.
            max_rounds: Rounds at most; None for the checker's.
            part: Whether the texts are parts of longer ones, which may lose all that they state.
        """
        return EditChain(
            scorer,
            llm=self.llm,
            editor=self.editor,
            policy=_HOW.get(self.policy.on_fail, Policy.AUTO),
            mend=_MENDED,
            max_rounds=self.max_rounds if max_rounds is None else max_rounds,
            part=part,
        )


async def _scored(
    scorer: FactScoreChain, generation: Generation, evidence: CallEvidence, config: RunnableConfig
) -> Report:
    """Scores a text, while passages are read that its facts will be checked by."""
    reading = asyncio.create_task(asyncio.to_thread(scorer.scorer.verifier.prepare, evidence.context))
    try:
        return await scorer.ainvoke(generation, config)
    finally:
        # The verifier reads what is not read yet, and says what is wrong with it.
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def raised(checked: CheckedText) -> CheckedText:
    """The result itself, unless the policy makes it an error.

    Raises:
        FactualityError: It does.
    """
    if checked.action == "raise":
        raise FactualityError(checked)
    return checked


async def told(name: str, outcome: GuardOutcome, action: Action, config: RunnableConfig | None) -> None:
    """Sends an outcome as a custom event, where a run listens."""
    manager = (config or {}).get("callbacks")
    if isinstance(manager, BaseCallbackManager) and manager.parent_run_id is not None:
        data = {"outcome": outcome.model_dump(mode="json"), "action": action}
        await adispatch_custom_event(name, data, config=config)
