"""The chain that people hold: texts or a report in, edited texts with the proof out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any, cast

from langchain_core.callbacks.manager import adispatch_custom_event
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config
from langgraph.types import Checkpointer
from pydantic import Field

from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.base import Editor, Policy
from factscore_chain.edit.editors import as_policy, as_verdicts, make_editor, rounds_for
from factscore_chain.edit.loop import EditGraph, build_loop
from factscore_chain.edit.opinion import second_opinion
from factscore_chain.edit.report import (
    EditedGeneration,
    EditManifest,
    EditReport,
    failed,
)
from factscore_chain.edit.state import EditState, edits_of, report_of, start
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.failures import cause_of
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.generations import AnyGeneration, as_generation
from factscore_chain.language_model import Usage, total_cost
from factscore_chain.manifest import now
from factscore_chain.progress import OnDone, progress_config
from factscore_chain.report import GenerationReport, Report
from factscore_chain.scoring_run import GENERATIONS_AT_ONCE
from factscore_chain.stage import Stage
from factscore_chain.values import Generation, Verdict

TEXT_EDITED = "factscore.edited"
"""Name of the custom event sent for each finished text, with its `index` and `result`."""

_COMPARED = ("decomposer", "verifier", "knowledge", "retriever", "gamma")


class EditChain(Stage[Any, EditReport]):
    """Edits what a `FactScoreChain` finds not supported, and verifies what comes out; a LangChain Runnable.

    Takes what a `FactScoreChain` takes, or the `Report` that it gives, so that `chain | EditChain(chain)`
    scores and edits; gives an `EditReport`. A text without anything to mend costs no model call beyond its
    scoring, and comes back as it is.

    Every way of calling it raises `UsageError` for input that is no generation, and `FatalModelError` where
    a model cannot be used at all and nothing was done yet. Whatever else goes wrong is recorded, and the
    text concerned keeps its best version so far.
    """

    scorer: FactScoreChain
    editor: Editor
    policy: Policy
    mend: tuple[Verdict, ...]
    max_rounds: int = Field(ge=1)
    second: FactScoreChain | None = None
    veto: bool = True
    part: bool = False
    checkpointer: Checkpointer = Field(default=None, exclude=True, repr=False)

    def __init__(
        self,
        scorer: FactScoreChain,
        *,
        llm: Any = None,
        editor: Editor | str | None = None,
        variant: str | None = None,
        policy: Policy | str = Policy.AUTO,
        mend: Sequence[Verdict | str] = (Verdict.NOT_SUPPORTED,),
        max_rounds: int | None = None,
        second: FactScoreChain | None = None,
        veto: bool = True,
        part: bool = False,
        checkpointer: Checkpointer = None,
    ) -> None:
        """Puts a chain together.

        Args:
            scorer: Scores the texts, and verifies what was edited with the same parts.
            llm: The chat model that edits; by default that of the scorer, if it asks one.
            editor: An editor, "embedded" or "llm"; by default "llm" with a model, else "embedded".
            variant: What an editing model is shown: "no-context", "facts", "passages" or "facts+passages"
                (the default).
            policy: "correct", "remove", "hedge", or "auto": correct where a passage gives the value, else
                remove.
            mend: Verdicts of the facts to mend; "irrelevant" and "undecided" ones are left unless named.
            max_rounds: Rounds at most, 1 or more; None is 2, or 6 where the editor computes here and asks no
                model.
            second: Another chain, which scores the texts before and after.
            veto: Whether an edit that lowers the score of its text by `second` is not kept; else `second` has
                no part in the edits, and only grades them. Under the policy "hedge" it only grades: a claim
                that is marked is as unsupported as before.
            part: Whether the texts are parts of longer ones: such a part may lose its last claim, a whole
                text keeps it.
            checkpointer: A LangGraph checkpointer with asynchronous methods: the loop of each text is kept
                after each step, and taken up again when the same text comes with the same thread id.

        Raises:
            UsageError: An argument is not what it should be.
        """
        if not isinstance(scorer, FactScoreChain):
            raise UsageError(f"EditChain verifies with a FactScoreChain, not {type(scorer).__name__}.")
        made = make_editor(editor, llm, variant, scorer.models)
        super().__init__(
            scorer=scorer,
            editor=made,
            policy=as_policy(policy),
            mend=as_verdicts(mend),
            max_rounds=rounds_for(made) if max_rounds is None else max_rounds,
            second=second,
            veto=veto,
            part=part,
            checkpointer=checkpointer,
        )

    @property
    def graph(self) -> EditGraph:
        """The loop for one text as a LangGraph graph: its input is `edit.state.start(report)`."""
        return build_loop(
            self.scorer.scorer,
            self.editor,
            self.policy,
            self.mend,
            self.max_rounds,
            self.checkpointer,
            part=self.part,
            second=self._consulted,
        )

    @property
    def _consulted(self) -> GenerationScorer | None:
        """What has to find no text worse, besides the scorer."""
        has_say = self.second is not None and self.veto and self.policy is not Policy.HEDGE
        return self.second.scorer if self.second is not None and has_say else None

    def edit(
        self,
        text: AnyGeneration | Report,
        topic: str | None = None,
        config: RunnableConfig | None = None,
    ) -> EditReport:
        """Scores and edits one text, or edits the texts of a report; works inside a running event loop."""
        return self.invoke(_one(text, topic), config)

    async def aedit(
        self,
        text: AnyGeneration | Report,
        topic: str | None = None,
        config: RunnableConfig | None = None,
    ) -> EditReport:
        """The same without blocking."""
        return await self.ainvoke(_one(text, topic), config)

    def edit_many(
        self, generations: Iterable[AnyGeneration], on_result: OnDone[EditedGeneration] | None = None
    ) -> EditReport:
        """Edits several together, in order; `on_result(index, result)` is called as each one is done."""
        return self.invoke(list(generations), progress_config(TEXT_EDITED, "result", on_result))

    async def aedit_many(
        self, generations: Iterable[AnyGeneration], on_result: OnDone[EditedGeneration] | None = None
    ) -> EditReport:
        """The same without blocking."""
        return await self.ainvoke(list(generations), progress_config(TEXT_EDITED, "result", on_result))

    async def _process(self, value: Any, config: RunnableConfig) -> EditReport:
        used = [model.usage for model in self.models]
        before = await self._scored(value, config)
        results, states = await self._edit_all(before, config)
        after = self._after(before, tuple(map(report_of, states)))
        asked = None if self.second is None else second_opinion(self.second, before, after, states, config)
        return EditReport(
            generations=results,
            before=before,
            after=after,
            second=await asked if asked is not None else None,
            rejected=before.rejected,
            manifest=self._manifest([m.usage - one for m, one in zip(self.models, used, strict=True)]),
        )

    async def _scored(self, value: Any, config: RunnableConfig) -> Report:
        if not isinstance(value, Report):
            return await self.scorer.ainvoke(value, patch_config(config, run_name="score"))
        ours = self.scorer.manifest
        for name in _COMPARED:
            given, own = getattr(value.manifest, name), getattr(ours, name)
            if given != own:
                raise UsageError(
                    f"The report was made with the {name} {given}, this chain verifies with {own}. "
                    "Give the chain that made the report, or hand in the texts."
                )
        return value

    async def _edit_all(
        self, before: Report, config: RunnableConfig
    ) -> tuple[tuple[EditedGeneration, ...], tuple[EditState, ...]]:
        limiter = asyncio.Semaphore(GENERATIONS_AT_ONCE)
        fatal: list[FatalModelError] = []

        async def one(index: int, report: GenerationReport) -> tuple[EditedGeneration, EditState]:
            async with limiter:
                done = await self._edit_one(report, config, fatal)
            await adispatch_custom_event(TEXT_EDITED, {"index": index, "result": done[0]}, config=config)
            return done

        done = await asyncio.gather(*(one(*item) for item in enumerate(before.generations)))
        if fatal and all(result.status == "failed" and not result.kept for result, _ in done):
            raise fatal[0]
        return tuple(result for result, _ in done), tuple(state for _, state in done)

    async def _edit_one(
        self, report: GenerationReport, config: RunnableConfig, fatal: list[FatalModelError]
    ) -> tuple[EditedGeneration, EditState]:
        if report.status == "failed":
            return failed(report, report.error or "The text could not be scored."), start(report)
        if fatal:
            return failed(report, f"Not tried, since the run was stopped: {fatal[0]}"), start(report)
        state: EditState = start(report)
        error: str | None = None
        try:
            async for newest in self._rounds(report, config):
                state = newest
        except FatalModelError as stop:
            fatal.append(stop)
            error = str(stop)
        except Exception as trouble:  # noqa: BLE001  one text's trouble must not cost the others
            error = cause_of(trouble)
        return _result(report, state, error), state

    async def _rounds(self, report: GenerationReport, config: RunnableConfig) -> AsyncIterator[EditState]:
        """The states of the loop, one after each step."""
        graph, begin = self.graph, start(report)
        config = patch_config(config, run_name="edit_loop")
        given: EditState | None = begin
        if self.checkpointer:
            config = patch_config(config, configurable={"thread_id": self.thread_id(report, config)})
            # A thread that has a step ahead of it was stopped in the middle.
            given = None if (await graph.aget_state(config)).next else begin
        async for state in graph.astream(given, config, stream_mode="values"):
            yield cast("EditState", state)

    def thread_id(self, report: GenerationReport, config: RunnableConfig | None = None) -> str:
        """The thread of a text in the checkpointer: one for each text, its verdicts and way of editing.

        Args:
            report: The text with its verdicts.
            config: Its own thread id, if it has one, stands at the head.
        """
        named = (config or {}).get("configurable", {}).get("thread_id", "edit")
        told = [report.model_dump_json(), self.editor.identity, self.policy.value, self.mend, self.part]
        if self.second is not None and self._consulted is not None:
            told.append(self.second.manifest.verifier)
        return f"{named}:{sha256(repr(told).encode()).hexdigest()[:16]}"

    def _after(self, before: Report, reports: tuple[GenerationReport, ...]) -> Report:
        if reports == before.generations:
            return before
        return self.scorer.report(reports).with_rejected(before.rejected)

    def _manifest(self, spent: Sequence[Usage]) -> EditManifest:
        return EditManifest(
            created=now(),
            editor=self.editor.identity,
            policy=self.policy.value,
            mended=tuple(verdict.value for verdict in self.mend),
            max_rounds=self.max_rounds,
            usage=asdict(sum(spent, Usage())),
            cost=total_cost(zip(self.models, spent, strict=True)),
        )


def _one(text: AnyGeneration | Report, topic: str | None) -> Generation | Report:
    return text if isinstance(text, Report) else as_generation(text, topic)


def _result(report: GenerationReport, state: EditState, error: str | None) -> EditedGeneration:
    edits, text = edits_of(state), report_of(state).text
    return EditedGeneration(
        id=report.id,
        topic=report.topic,
        place=report.place,
        before=report.text,
        text=text,
        status="failed" if error else "unchanged" if text == report.text else "edited",
        error=error or report.error,
        rounds=max((edit.round for edit in edits), default=0),
        edits=edits,
    )
