"""Several facts of one set of passages in one call: fewer tokens, at some cost in agreement.

The passages are read once for all of them. The reply has a line a fact; a fact without a line that can be
read as its own verdict is asked about again, alone.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.completion import Completion
from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.prompts.prompt import Prompt, fence, load_prompt
from factscore_chain.stage import BatchStage
from factscore_chain.thinking import without_thinking
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import Verifier, settled
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.passage_budget import fit_passages, numbered
from factscore_chain.verify.prefix_order import call_order, passage_set, stable
from factscore_chain.verify.verdict_reading import Reading, read_verdict

_LINE = re.compile(r"^[\s*_#>(\[-]*(\d{1,3})\s*[*_)\].:-]+\s*(.+)$")


@dataclass(frozen=True)
class _Line:
    """What a reply says of one fact."""

    text: str
    reading: Reading


class GroupedVerifier(Verifier, BatchStage[Claim, Decision]):
    """Asks a chat model about several facts at a time, those that have the same passages.

    A verdict of a group has no probability. A call that fails costs the facts of its group; it is not made
    again for each of them, since a server that is down would be asked the more.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    single: LLMVerifier
    """Asks about a fact alone."""
    facts_per_call: int = Field(default=5, ge=2, le=50)
    prompt: Prompt = Field(default_factory=lambda: load_prompt("verify_group"))
    """Its fields are `topic`, `passages` and `statements`."""

    @property
    def verifier_name(self) -> str:
        """That of the verifier that asks about facts alone."""
        return self.single.verifier_name

    @property
    def identity(self) -> dict[str, str]:
        """What decides alone, the prompt for groups, and how large these are."""
        return {
            **self.single.identity,
            "group_prompt": self.prompt.identity,
            "facts_per_call": str(self.facts_per_call),
        }

    @property
    def reads_passages(self) -> bool:
        """As the verifier that asks about facts alone."""
        return self.single.reads_passages

    @property
    def needs_all(self) -> bool:
        """It does: facts of one set of passages come from several sentences."""
        return True

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        groups = list(self._groups(values))
        answers = await asyncio.gather(
            *(self._ask([values[i] for i in group], configs[group[0]]) for group in groups)
        )
        found = {
            number: decision
            for group, decisions in zip(groups, answers, strict=True)
            for number, decision in zip(group, decisions, strict=True)
            if decision is not None
        }
        alone = [number for number in range(len(values)) if number not in found]
        replies = await self.single.abatch(
            [values[i] for i in alone], [configs[i] for i in alone], return_exceptions=True
        )
        for number, reply in zip(alone, replies, strict=True):
            found[number] = settled(values[number], reply, self.verifier_name)
        return [found[number] for number in range(len(values))]

    def _groups(self, claims: Sequence[Claim]) -> Iterator[list[int]]:
        judged = [number for number in call_order(claims) if claims[number].passages]
        for _, same in groupby(judged, key=lambda number: passage_set(claims[number])):
            numbers = list(same)
            for start in range(0, len(numbers), self.facts_per_call):
                if len(group := numbers[start : start + self.facts_per_call]) > 1:
                    yield group

    async def _ask(self, claims: Sequence[Claim], config: RunnableConfig) -> list[Decision | None]:
        """The decisions of one group; None for a fact that has to be asked about alone."""
        single = self.single
        fitted = fit_passages(claims[0].passages, single.max_passage_tokens, single.count_tokens)
        messages = self._messages(claims, numbered(stable(fitted.passages)))
        typical = "\n".join(f"{number}: True" for number in range(1, len(claims) + 1))
        try:
            completion = await single.model.complete(messages, config, typical=typical)
        except FatalModelError:
            raise
        except ModelCallError as error:
            return [single.failed(claim, fitted, error) for claim in claims]
        lines = read_lines(completion, single, [message.text for message in messages])
        return [
            single.decision(claim, fitted, Completion(line.text), line.reading)
            if (line := lines.get(number))
            else None
            for number, claim in enumerate(claims, 1)
        ]

    def _messages(self, claims: Sequence[Claim], passages: str) -> list[BaseMessage]:
        statements = "\n".join(
            fence(claim.fact.text, f"statement-{number}") for number, claim in enumerate(claims, 1)
        )
        return self.prompt.messages(topic=claims[0].topic or "", passages=passages, statements=statements)


def read_lines(completion: Completion, judge: LLMVerifier, shown: Sequence[str]) -> dict[int, _Line]:
    """The verdicts of a reply by the number of their fact; a number without one, or with two, is not in it.

    Args:
        completion: The reply; a filtered one holds no verdict, and of one that was cut off the last line
            counts only if it is a bare label.
        judge: Knows the labels that were asked for.
        shown: Texts that the model was shown; what it repeats of them is no verdict.
    """
    text, broken_off = without_thinking(completion.text)
    if broken_off or completion.finish_reason == "filtered":
        return {}
    lines = [line for line in text.splitlines() if line.strip()]
    found: dict[int, list[_Line]] = {}
    for place, line in enumerate(lines):
        if match := _LINE.match(line):
            reason = completion.finish_reason if place == len(lines) - 1 else "stop"
            reading = read_verdict(match[2], finish_reason=reason, labels=judge.labels, shown=shown)
            found.setdefault(int(match[1]), []).append(_Line(line.strip(), reading))
    return {
        number: said[0]
        for number, said in found.items()
        if len({one.reading.verdict for one in said}) == 1
        and said[0].reading.verdict is not Verdict.UNDECIDED
    }
