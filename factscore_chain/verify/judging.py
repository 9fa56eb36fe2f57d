"""How models are asked and their verdicts taken, whatever the estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from factscore_chain.errors import UsageError
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.calibration import Calibration
from factscore_chain.verify.grouped import GroupedVerifier
from factscore_chain.verify.joint import JointVerifier
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.relevance import RelevanceVerifier

Change = Callable[[Verifier], Verifier]


@dataclass(frozen=True)
class Judging:
    """Choices beside the estimator; all but the last reach every part that asks a chat model."""

    calibration: Calibration | None = None
    """What the model's verdicts are worth; None takes them as they are."""
    facts_per_call: int = 1
    """Facts of one set of passages that are asked about together."""
    structured: bool = False
    """Whether verdicts are asked for as data, where the model's profile says that it can."""
    irrelevant: bool = False
    """Whether facts that are not about the topic are told apart from others that are not supported."""

    def applied(self, verifier: Verifier) -> Verifier:
        """A copy of the verifier that asks and takes its model so.

        Raises:
            UsageError: No part takes what was chosen, or the calibration is of another model.
        """
        if self.calibration is not None:
            verifier = _changed(verifier, self._calibrated, "calibration")
        if self.structured:
            verifier = _changed(verifier, self._structured, "structured")
        if self.facts_per_call != 1:
            verifier = _changed(verifier, self._grouped, "facts_per_call")
        return RelevanceVerifier(verifier=verifier) if self.irrelevant else verifier

    def _calibrated(self, verifier: Verifier) -> Verifier:
        if not isinstance(verifier, (JointVerifier, LLMVerifier)) or self.calibration is None:
            return verifier
        judge = verifier.llm if isinstance(verifier, JointVerifier) else verifier
        if (asked := judge.identity["model"]) != self.calibration.model:
            raise UsageError(
                f"The calibration was fitted on {self.calibration.model!r}, and {asked!r} is asked. "
                "Make one for it by `factscore eval calibrate`."
            )
        return verifier.model_copy(update={"calibration": self.calibration})

    def _structured(self, verifier: Verifier) -> Verifier:
        if not isinstance(verifier, LLMVerifier):
            return verifier
        return verifier.model_copy(update={"structured": True})

    def _grouped(self, verifier: Verifier) -> Verifier:
        if not isinstance(verifier, LLMVerifier) or not verifier.reads_passages:
            return verifier
        return GroupedVerifier(single=verifier, facts_per_call=self.facts_per_call)


def _changed(verifier: Verifier, change: Change, what: str) -> Verifier:
    changed: Verifier = _with_parts(verifier, change)
    if changed is verifier:
        raise UsageError(
            f"{what} does nothing for the verifier {verifier.verifier_name!r}. Leave it out, or take an "
            "estimator that asks a chat model about passages."
        )
    return changed


def _with_parts(value: Any, change: Change) -> Any:
    """The value with each verifier in it changed; what a change has made is not looked into."""
    if isinstance(value, tuple) and any(isinstance(one, Verifier) for one in value):
        parts = tuple(_with_parts(one, change) for one in value)
        return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    if not isinstance(value, Verifier):
        return value
    if (changed := change(value)) is not value:
        return changed
    fields = {name: getattr(value, name) for name in type(value).model_fields}
    made = {name: _with_parts(field, change) for name, field in fields.items()}
    update = {name: new for name, new in made.items() if new is not fields[name]}
    return value.model_copy(update=update) if update else value
