"""What a guardrail does: with a text that fails, with one that nothing can be said of, and with trouble."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from typing_extensions import TypedDict

from factscore_chain.errors import UnknownArgumentError, UsageError

OnFail = Literal["annotate", "replace", "correct", "remove", "raise", "retry"]
OnEmpty = Literal["pass", "annotate", "fail"]
OnError = Literal["annotate", "open", "closed"]
Otherwise = Literal["annotate", "replace", "raise"]

DEFAULT_MESSAGE = "I could not verify this answer against my sources, so I would rather not give it."


@dataclass(frozen=True)
class GuardPolicy:
    """What is required of a text, and what is done about one that does not meet it.

    Raises:
        UsageError: A setting is not one of its values, or a number is out of range.
    """

    threshold: float = 0.8
    """Share of the facts that must be supported, 0 to 1; undecided ones count as not supported."""
    on_fail: OnFail = "annotate"
    """"annotate" adds a note that names the unsupported facts; "replace" shows `message` instead; "correct"
    mends the text by the evidence, "remove" takes unsupported claims out, and both are verified again;
    "raise" raises `FactualityError`; "retry" asks the model again, with what was not supported."""
    message: str = DEFAULT_MESSAGE
    """What is shown in place of a text that is withheld."""
    otherwise: Otherwise = "replace"
    """What is done where "correct", "remove" or "retry" did not make a text that passes."""
    on_empty: OnEmpty = "pass"
    """For a text that states nothing that could be checked, such as "I don't know": "pass" shows it,
    "annotate" says so in a note, "fail" withholds it."""
    on_error: OnError = "annotate"
    """Where the check itself fails, or decides less than `min_coverage`: "annotate" shows the text with a
    note that says so, "open" shows it as it is, "closed" withholds it."""
    min_coverage: float = 0.5
    """Share of the facts on which there must be a verdict, 0 to 1; below it, `on_error` applies."""
    max_retries: int = 1
    """Times that the model is asked again, 1 or more."""
    timeout: float | None = None
    """Seconds that a check may take; what takes longer is an error. None waits."""

    def __post_init__(self) -> None:
        for name, values in _CHOICES.items():
            _check_choice(name, getattr(self, name), values)
        for name in ("threshold", "min_coverage"):
            if not _is_share(value := getattr(self, name)):
                raise UsageError(f"{name} is {value!r}; give a share from 0 to 1.")
        if not isinstance(self.max_retries, int) or self.max_retries < 1:
            raise UsageError(f"max_retries is {self.max_retries!r}; give a whole number, 1 or more.")
        if self.timeout is not None and not self.timeout > 0:
            raise UsageError(f"timeout is {self.timeout!r}; give seconds, or None to wait.")
        if not isinstance(self.message, str) or not self.message.strip():
            raise UsageError("message is empty; give the text that is shown in place of a withheld one.")


class FurtherSettings(TypedDict, total=False):
    """The settings of a `GuardPolicy` that are seldom given; it says what they mean."""

    otherwise: Otherwise
    on_empty: OnEmpty
    on_error: OnError
    min_coverage: float
    max_retries: int
    timeout: float | None


class PolicySettings(FurtherSettings, total=False):
    """All settings of a `GuardPolicy`, by name."""

    threshold: float | None
    on_fail: OnFail | None
    message: str | None


def policy_with(owner: Callable[..., Any], policy: GuardPolicy | None, **settings: Any) -> GuardPolicy:
    """A policy with settings in place of its own, as far as they are given.

    Args:
        owner: The class or function that was called with them, named where an argument is none of its.
        policy: The policy; None for the defaults.
        settings: Settings by name; a threshold, `on_fail` or message that is None was not given.

    Raises:
        UnknownArgumentError: A name is none of a setting.
        UsageError: A setting is not one of its values.
    """
    names = [field.name for field in fields(GuardPolicy)]
    for name in settings:
        if name not in names:
            known = [*names, *inspect.signature(owner).parameters]
            raise UnknownArgumentError(owner.__name__, name, known)
    if policy is not None and not isinstance(policy, GuardPolicy):
        raise UsageError(f"policy is {type(policy).__name__}; give a GuardPolicy.")
    given = {name: value for name, value in settings.items() if name == "timeout" or value is not None}
    return replace(policy or GuardPolicy(), **given)


_CHOICES: dict[str, tuple[str, ...]] = {
    "on_fail": get_args(OnFail),
    "otherwise": get_args(Otherwise),
    "on_empty": get_args(OnEmpty),
    "on_error": get_args(OnError),
}


def _check_choice(name: str, value: Any, values: tuple[str, ...]) -> None:
    if value not in values:
        raise UsageError(f"{name} is {value!r}; choose one of: {', '.join(values)}.")


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value) and 0 <= value <= 1
