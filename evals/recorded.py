"""Decisions of a slow judge, written down as they come: a run that is broken off goes on where it stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from factscore_chain.aio import run_sync
from factscore_chain.errors import UsageError
from factscore_chain.language_model import Usage
from factscore_chain.values import Claim, Verdict
from factscore_chain.verify.base import Verifier


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
        key = _key(verifier, claim)
        if key not in self._known:
            self._known[key] = answer = _asked(verifier, claim, key)
            if answer.verdict != Verdict.FAILED.value:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(answer), ensure_ascii=False) + "\n")
        return self._known[key]


def _asked(verifier: Verifier, claim: Claim, key: str) -> Answer:
    before, start = _usage(verifier), time.perf_counter()
    decision = run_sync(verifier.ainvoke(claim))
    spent = _usage(verifier) - before
    return Answer(
        key,
        claim.fact.text,
        decision.verdict.value,
        decision.probability,
        decision.raw,
        decision.cause,
        spent.calls,
        spent.input_tokens,
        spent.output_tokens,
        round(time.perf_counter() - start, 3),
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
