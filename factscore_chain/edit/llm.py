"""Editing by a chat model: one call a sentence, inside its whole text (paper, appendix C)."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from pydantic import Field, model_validator

from factscore_chain.edit.actions import read_actions
from factscore_chain.edit.base import Editor, EditRequest, FactAction, SentenceEdit
from factscore_chain.edit.reading import DROP, EditReading, Problem, read_edit
from factscore_chain.errors import FatalModelError, ModelCallError, UsageError
from factscore_chain.language_model import AnyModel
from factscore_chain.prompts.prompt import Demonstration, Prompt, fence, load_prompt
from factscore_chain.report import FactRecord
from factscore_chain.tokens import CountTokens, estimate_tokens
from factscore_chain.values import Verdict
from factscore_chain.verify.passage_budget import fit_passages, numbered

VARIANTS = {
    "no-context": "edit_no_context",
    "facts": "edit_facts",
    "passages": "edit_passages",
    "facts+passages": "edit_facts_passages",
}
"""What the model is shown beside the text, in the paper's order, and the prompt that shows it."""
DEFAULT_VARIANT = "facts+passages"

_CAUSES: dict[Problem, str] = {
    "empty": "empty: the model's reply holds no word",
    "refused": "refused: the model declined to edit, or spoke of the sentence instead",
    "truncated": "truncated: the model's reply was cut off; raise its output limit",
    "unreadable": "unreadable: the model's reply is not one sentence",
}
_ASKED_AGAIN = frozenset({"empty", "unreadable"})
_LABELS = {Verdict.SUPPORTED: "True", Verdict.NOT_SUPPORTED: "False", Verdict.IRRELEVANT: "Off topic"}
_TO_MEND = "False"


class LLMEditor(Editor):
    """Asks a chat model for the mended sentence, and reads its reply strictly.

    A sentence whose reply cannot be read keeps its text, with the cause. A proposal that was not kept is
    shown to the model with the reason when the sentence comes again.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    model: AnyModel
    """A `LanguageModel`, a LangChain chat model, or "provider:name"."""
    variant: str = DEFAULT_VARIANT
    """A name of `VARIANTS`; a prompt given beside it takes its place."""
    prompt: Prompt = Field(default_factory=lambda: load_prompt(VARIANTS[DEFAULT_VARIANT]))
    """Its fields are `topic`, `before`, `sentence`, `after`, `facts`, `passages` and `task`."""
    reminder: str = f"Reply with the whole mended sentence and nothing else, or with {DROP}."
    """Said after a reply that held no sentence, once."""
    max_passage_tokens: int = Field(default=3000, ge=50)
    """Budget for all passages of one call."""
    max_text_tokens: int = Field(default=3000, ge=0)
    """Budget for the text around the sentence; of a longer one the nearest part is shown."""
    count_tokens: CountTokens = Field(default=estimate_tokens, exclude=True, repr=False)
    """Counts the tokens of a text; by default one for four characters."""

    @model_validator(mode="before")
    @classmethod
    def _choose_prompt(cls, fields: Any) -> Any:
        variant = fields.get("variant", DEFAULT_VARIANT)
        if variant not in VARIANTS:
            raise UsageError(f"there is no variant {variant!r}; choose one of: {', '.join(VARIANTS)}")
        return {"prompt": load_prompt(VARIANTS[variant]), **fields}

    @property
    def editor_name(self) -> str:
        """Kind, variant and model, such as "llm:facts+passages:gpt-4o-mini"."""
        return f"llm:{self.variant}:{self.model.name}"

    @property
    def identity(self) -> dict[str, str]:
        """Kind, variant, model, prompt and budgets."""
        return {
            "kind": "llm",
            "variant": self.variant,
            **self.model.identity,
            "prompt": self.prompt.identity,
            "max_passage_tokens": str(self.max_passage_tokens),
            "max_text_tokens": str(self.max_text_tokens),
        }

    async def _process(self, value: EditRequest, config: RunnableConfig) -> SentenceEdit:
        around = self._around(value)
        try:
            reading, raw = await self._ask(value, around, config)
        except FatalModelError:
            raise
        except ModelCallError as error:
            return _failed(value, str(error))
        if reading.problem is not None:
            return _failed(value, _CAUSES[reading.problem], raw)
        text = reading.text or ""
        if text.split() == value.sentence.text.split():
            return SentenceEdit(None, _left(value, "the model changed nothing"), raw=raw)
        return SentenceEdit(text, read_actions(value, text), raw=raw)

    async def _ask(
        self, request: EditRequest, around: tuple[str, str], config: RunnableConfig
    ) -> tuple[EditReading, str]:
        messages = self._messages(request, around)
        reading, raw = await self._ask_once(messages, request, around, config)
        if reading.problem not in _ASKED_AGAIN:
            return reading, raw
        # The model is shown what it said, or at temperature 0 it would say it again.
        again = [*messages, AIMessage(raw.strip() or "-"), HumanMessage(self.reminder)]
        return await self._ask_once(again, request, around, config)

    async def _ask_once(
        self,
        messages: list[BaseMessage],
        request: EditRequest,
        around: tuple[str, str],
        config: RunnableConfig,
    ) -> tuple[EditReading, str]:
        reply = await self.model.complete(messages, config)
        return read_edit(reply.text, request.sentence.text, reply.finish_reason, around), reply.text

    def _messages(self, request: EditRequest, around: tuple[str, str]) -> list[BaseMessage]:
        shown = fit_passages(request.passages, self.max_passage_tokens, self.count_tokens).passages
        messages = self.prompt.messages(
            self._demonstrations(request),
            topic=request.generation.topic or "",
            before=around[0],
            sentence=request.sentence.text,
            after=around[1],
            facts="\n".join(_labelled(request)),
            passages=numbered(shown),
            task=request.policy.value,
        )
        for attempt in request.attempts:
            messages += [AIMessage(attempt.text or DROP), HumanMessage(_again(attempt.why))]
        return messages

    def _demonstrations(self, request: EditRequest) -> tuple[Demonstration, ...]:
        """Those of the policy; a dropped sentence is shown only where nothing but errors is shown with it.

        Small models copy the word that drops a sentence wherever they have seen it.
        """
        asked = request.policy.value
        told = "$facts" in self.prompt.template and len(request.mend) < len(request.facts)
        return tuple(
            one
            for one in self.prompt.demonstrations
            if one.fields.get("task", asked) == asked and not (told and one.reply == DROP)
        )

    def _around(self, request: EditRequest) -> tuple[str, str]:
        """The text on both sides, cut at its far ends where it is too long."""
        before, after = request.before, request.after
        while before or after:
            excess = self.count_tokens(before + after) - self.max_text_tokens
            if excess <= 0:
                break
            if len(before) >= len(after):
                before = before[max(1, len(before) // 4) :]
            else:
                after = after[: len(after) - max(1, len(after) // 4)]
        return before, after


def _labelled(request: EditRequest) -> list[str]:
    return [_line(fact, index in request.mend) for index, fact in enumerate(request.facts)]


def _line(fact: FactRecord, to_mend: bool) -> str:
    label = _TO_MEND if to_mend else _LABELS.get(fact.verdict, "Unknown")
    return f"- {label}: {' '.join(fact.text.split())}"


def _again(why: str) -> str:
    return f"That was not taken:\n{fence(why, 'reason')}\nMend the sentence again, in another way."


def _failed(request: EditRequest, cause: str, raw: str | None = None) -> SentenceEdit:
    return SentenceEdit(None, _left(request, "there was no edit"), cause, raw)


def _left(request: EditRequest, why: str) -> tuple[FactAction, ...]:
    return tuple(FactAction(index, "left", why) for index in request.mend)
