"""Decisions of a slow judge, written down as they come: a run that is broken off goes on where it stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from factscore_chain.aio import run_sync
from factscore_chain.errors import ModelCallError, UsageError
from factscore_chain.language_model import Usage
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import Verifier, settled


@dataclass(frozen=True)
class Answer:
    """What a judge said of one claim, and what that took."""

    key: str
    """Stands for the judge, the fact and its passages."""
    fact: str
    verdict: str
    probability: float | None
    raw: str | None
    cause: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float

    @property
    def supported(self) -> bool:
        """Whether the fact counts as supported."""
        return self.verdict == Verdict.SUPPORTED.value


class Recorder:
    """Asks a judge only what a file does not hold yet, and adds each answer to it.

    Failed calls are not written, so that the next run asks again.

    Args:
        path: A JSONL file; it need not exist.

    Raises:
        UsageError: The file holds something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = {answer.key: answer for answer in _read(path)}

    def ask(self, verifier: Verifier, claim: Claim) -> Answer:
        """The judge's answer on a claim.

        Raises:
            FatalModelError: The model cannot be used at all.
        """
        return self.ask_together(verifier, [claim])[0]

    def ask_together(self, verifier: Verifier, claims: Sequence[Claim]) -> list[Answer]:
        """The judge's answers on claims that it is given at once; the first of them bears what they took.

        They are asked again, all of them, unless every answer is known.

        Raises:
            FatalModelError: The model cannot be used at all.
        """
        keys = [_key(verifier, claim) for claim in claims]
        if not all(key in self._known for key in keys):
            answers = _asked(verifier, claims, keys)
            self._known.update(zip(keys, answers, strict=True))
            self._write([one for one in answers if one.verdict != Verdict.FAILED.value])
        return [self._known[key] for key in keys]

    def _write(self, answers: Iterable[Answer]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(answer), ensure_ascii=False) + "\n" for answer in answers)


def refuse_failed(answers: Iterable[Answer]) -> None:
    """Ends a comparison with failed calls: they say nothing of a judge, and would count as facts rejected.

    Raises:
        ModelCallError: Some call failed.
    """
    every = list(answers)
    failed = [answer for answer in every if answer.verdict == Verdict.FAILED.value]
    if failed:
        raise ModelCallError(
            f"{len(failed)} of {len(every)} answers failed, so nothing is compared. The first: "
            f"{failed[0].cause} Run again: only those are asked."
        )


def _asked(verifier: Verifier, claims: Sequence[Claim], keys: Sequence[str]) -> list[Answer]:
    before, start = _usage(verifier), time.perf_counter()
    decisions = run_sync(verifier.abatch(list(claims), return_exceptions=True))
    spent, seconds = _usage(verifier) - before, round(time.perf_counter() - start, 3)
    settled_ones = [
        settled(claim, one, verifier.verifier_name) for claim, one in zip(claims, decisions, strict=True)
    ]
    return [
        _answer_of(key, decision, spent if place == 0 else Usage(), seconds if place == 0 else 0.0)
        for place, (key, decision) in enumerate(zip(keys, settled_ones, strict=True))
    ]


def _answer_of(key: str, decision: Decision, spent: Usage, seconds: float) -> Answer:
    return Answer(
        key,
        decision.fact.text,
        decision.verdict.value,
        decision.probability,
        decision.raw,
        decision.cause,
        spent.calls,
        spent.input_tokens,
        spent.output_tokens,
        seconds,
    )


def _usage(verifier: Verifier) -> Usage:
    return sum((model.usage for model in verifier.models), Usage())


def _key(verifier: Verifier, claim: Claim) -> str:
    passages = [(passage.title, passage.text) for passage in claim.passages]
    named = json.dumps([verifier.identity, claim.topic, claim.fact.text, passages], sort_keys=True)
    return sha256(named.encode()).hexdigest()[:24]


def _read(path: Path) -> Iterable[Answer]:
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        # A run that was broken off left half a line, which the next answer must not be written behind.
        path.write_text(whole, encoding="utf-8")
    for number, line in enumerate(whole.split("\n")[:-1], 1):
        yield _answer(line, f"Line {number} of {str(path)!r}")


def _answer(line: str, where: str) -> Answer:
    try:
        return Answer(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{where} is no recorded answer. Name a new file, or one that this command wrote."
        ) from error
