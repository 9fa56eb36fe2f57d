"""Puts a calibration into a verifier, wherever it is made of parts that take one."""

from __future__ import annotations

from typing import Any

from factscore_chain.errors import UsageError
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.calibration import Calibration
from factscore_chain.verify.joint import JointVerifier
from factscore_chain.verify.llm import LLMVerifier


def with_calibration(verifier: Verifier, calibration: Calibration) -> Verifier:
    """A copy of the verifier that takes its LLM's verdicts for what they are worth.

    Raises:
        UsageError: The calibration is of another model than the one asked, or no part takes one.
    """
    calibrated = _calibrated(verifier, calibration)
    if calibrated is verifier:
        name = verifier.verifier_name
        raise UsageError(f"The verifier {name!r} takes no calibration. Leave it out, or ask a chat model.")
    return calibrated


def _calibrated(verifier: Verifier, calibration: Calibration) -> Verifier:
    if isinstance(verifier, (JointVerifier, LLMVerifier)):
        judge = verifier.llm if isinstance(verifier, JointVerifier) else verifier
        if (asked := judge.identity["model"]) != calibration.model:
            raise UsageError(
                f"The calibration was fitted on {calibration.model!r}, and {asked!r} is asked. "
                "Make one for it by `factscore eval calibrate`."
            )
        return verifier.model_copy(update={"calibration": calibration})
    found = {name: _field(getattr(verifier, name), calibration) for name in type(verifier).model_fields}
    changed = {name: value for name, value in found.items() if value is not getattr(verifier, name)}
    return verifier.model_copy(update=changed) if changed else verifier


def _field(value: Any, calibration: Calibration) -> Any:
    if isinstance(value, Verifier):
        return _calibrated(value, calibration)
    if isinstance(value, tuple) and any(isinstance(one, Verifier) for one in value):
        parts = tuple(_field(one, calibration) for one in value)
        return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    return value
