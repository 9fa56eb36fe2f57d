"""A whole answer of the upstream: every choice checked, and made into what the policy says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from factscore_chain.aio import off_this_loop, on_loop
from factscore_chain.guard.check import CheckRequest, TextChecker, raised
from factscore_chain.guard.checked import CheckedText, FactualityError
from factscore_chain.guard.evidence import CallEvidence
from factscore_chain.guard.outcome import failed_check
from factscore_chain.server.problems import ProblemError
from factscore_chain.server.proxy.bodies import OPTIONS, ChatRequest, GuardRecord
from factscore_chain.server.proxy.upstream import unreadable

Ask = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Asks the upstream; gives its answer as data.

Raises:
    ProblemError: It gave none.
"""


@dataclass(frozen=True)
class Guarding:
    """What the answers to one request are checked with."""

    checker: TextChecker
    topic: str | None
    evidence: CallEvidence
    longest: int
    """Characters of a text that is checked; a longer one could not be checked."""

    def request(self, text: str) -> CheckRequest:
        """The text of an answer with what it is checked against."""
        return CheckRequest(text, self.topic, self.evidence)


async def checked_completion(
    completion: dict[str, Any], request: ChatRequest, guarding: Guarding, ask: Ask
) -> tuple[dict[str, Any], list[CheckedText]]:
    """The completion to show, and what its texts were found to be.

    Raises:
        ProblemError: It is no completion.
        FactualityError: A text does not meet a policy that makes it an error.
    """
    choices = completion.get("choices")
    if not isinstance(choices, list) or not all(isinstance(one, dict) for one in choices):
        raise unreadable()
    guards = [_Choice(choice, request, guarding, ask) for choice in choices]
    found = await asyncio.gather(*(guard.checked() for guard in guards))
    usages = [completion.get("usage"), *(usage for guard in guards for usage in guard.usages)]
    shown = {**completion, "choices": [choice for choice, _ in found], "usage": total(usages)}
    if "usage" not in completion:
        shown.pop("usage")
    return shown, [checked for _, checked in found if checked is not None]


class _Choice:
    """One choice of a completion, through its check and, where the policy says so, further attempts."""

    def __init__(self, choice: dict[str, Any], request: ChatRequest, guarding: Guarding, ask: Ask) -> None:
        self._choice, self._request, self._guarding, self._ask = choice, request, guarding, ask
        self._last: CheckedText | None = None
        self.usages: list[Any] = []

    async def checked(self) -> tuple[dict[str, Any], CheckedText | None]:
        """The choice to show, and what its text was found to be; None where it has no text."""
        text = text_of(self._choice)
        if text is None:
            return self._choice, None
        checked = await self._checked(text)
        return shown_choice(self._choice, checked, is_data=self._request.wants_json), checked

    async def _checked(self, text: str) -> CheckedText:
        checker, longest = self._guarding.checker, self._guarding.longest
        if len(text) > longest:
            trouble = f"it has {len(text):,} characters, more than {longest:,}"
            return raised(checker.settled(checker.shown(text, failed_check(trouble, checker.policy))))
        try:
            here = asyncio.get_running_loop()  # that of the connections to the upstream
            return await off_this_loop(
                checker.acheck_again(
                    self._guarding.request(text), lambda checked: on_loop(self._again(checked), here)
                )
            )
        except ProblemError:
            # The upstream did not answer again, so that what it said before is what there is.
            if self._last is None:
                raise
            return raised(checker.settled(self._last))

    async def _again(self, checked: CheckedText) -> CheckRequest:
        self._last = checked
        said = [
            {"role": "assistant", "content": checked.original},
            {"role": "user", "content": checked.feedback()},
        ]
        body = self._request.for_upstream(n=1, messages=[*self._request.messages, *said])
        answer = await self._ask(body)
        self.usages.append(answer.get("usage"))
        choices = answer.get("choices")
        text = text_of(choices[0]) if choices and isinstance(choices, list) else None
        if text is None:
            raise unreadable()
        self._choice = {**choices[0], "index": self._choice.get("index", 0)}  # type: ignore[index]
        return self._guarding.request(text)


def text_of(choice: Any) -> str | None:
    """The text of a choice that a reader would see; None if there is none."""
    message = choice.get("message") if isinstance(choice, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) and content.strip() else None


def shown_choice(choice: dict[str, Any], checked: CheckedText, *, is_data: bool = False) -> dict[str, Any]:
    """The choice with the text to show, and the outcome beside it."""
    record = GuardRecord.of(checked).model_dump(mode="json")
    message = dict(choice["message"])
    if is_data:
        # A note or a mended sentence would break the data; a refusal is what a program can understand.
        if checked.action == "replace":
            message.update(content=None, refusal=checked.text)
    elif checked.text != checked.original or not isinstance(message["content"], str):
        message["content"] = checked.text
    shown = {**choice, "message": message, OPTIONS: record}
    if message["content"] != choice["message"]["content"] and shown.get("logprobs"):
        shown["logprobs"] = None
    return shown


def factuality_problem(error: FactualityError) -> ProblemError:
    """The answer where the policy makes an unsupported text an error; 422, which no client asks again for."""
    record = GuardRecord.of(error.checked).model_dump(mode="json")
    return ProblemError(
        422,
        "not_supported",
        f"The answer was withheld: {error.checked.outcome.summary()}. 'factscore' beside this message says "
        "which statements are not supported.",
        kind="factuality_error",
        more={OPTIONS: record},
    )


def total(usages: list[Any]) -> Any:
    """The usage of several calls together: numbers added up, at every depth."""
    known = [usage for usage in usages if usage is not None]
    if len(known) == 1 or not known or not all(isinstance(usage, dict) for usage in known):
        return known[0] if known else None
    keys = dict.fromkeys(key for usage in known for key in usage)
    return {key: _added([usage.get(key) for usage in known]) for key in keys}


def _added(values: list[Any]) -> Any:
    numbers = [one for one in values if isinstance(one, (int, float)) and not isinstance(one, bool)]
    return sum(numbers) if numbers else total(values)
