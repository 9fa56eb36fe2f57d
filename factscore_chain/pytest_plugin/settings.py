"""What a check runs with: its arguments, else its marker, the command line, the ini file, in this order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import UsageError

MARKER = "factscore"
STRICT_OPTION = "--factscore-strict"
MIN_SCORE_OPTION = "--factscore-min-score"
INI = {
    "knowledge": "knowledge source: a JSONL or database file, relative to the ini file",
    "llm": "chat model that makes and judges facts, as provider:name",
    "base_url": "server of the chat model",
    "estimator": "name of the estimator",
    "cache": "file that keeps the model's answers, relative to the ini file",
    "max_cost": "US dollars that the session's checks may spend",
    "min_score": "share of facts that must be supported, 0 to 1 (default: 0.8)",
}
"""Settings that an ini file may hold, each under "factscore_" and its name."""
_PATHS = frozenset({"knowledge", "cache"})
_NUMBERS = frozenset({"max_cost", "min_score"})


@dataclass(frozen=True)
class Settings:
    """What a check runs with; None leaves the choice to the pipeline."""

    knowledge: Any = None
    llm: Any = None
    base_url: str | None = None
    estimator: str | None = None
    cache: str | Path | None = None
    max_cost: float | None = None
    min_score: float = 0.8
    topic: str | None = None

    def with_given(self, given: Mapping[str, Any], where: str) -> Settings:
        """The same, with what is given in its place; None counts as not given.

        Raises:
            UsageError: A name is none of the settings.
        """
        known = [field.name for field in fields(self)]
        if unknown := sorted(set(given) - set(known)):
            raise UsageError(f"{where} has no setting {unknown[0]!r}. Choose from {', '.join(known)}.")
        return replace(self, **{name: value for name, value in given.items() if value is not None})


def add_options(parser: pytest.Parser) -> None:
    """Declares the options and the ini settings."""
    group = parser.getgroup("factscore", "factuality")
    group.addoption(
        STRICT_OPTION,
        action="store_true",
        help="fail, rather than skip, a test whose model cannot be used (no key, no server)",
    )
    group.addoption(
        MIN_SCORE_OPTION,
        type=float,
        metavar="SHARE",
        help="share of facts that must be supported where a test does not say (0 to 1)",
    )
    for name, help_text in INI.items():
        parser.addini(f"factscore_{name}", help_text)


def settings_of(request: pytest.FixtureRequest) -> Settings:
    """The settings of a test.

    Raises:
        UsageError: The ini file or a marker holds something that is no setting.
    """
    config = request.config
    settings = Settings().with_given(_from_ini(config), "The ini file")
    settings = settings.with_given({"min_score": config.getoption(MIN_SCORE_OPTION)}, "The command line")
    # The marker nearest to the test speaks last.
    for mark in reversed(list(request.node.iter_markers(MARKER))):
        if mark.args:
            raise UsageError(f"The marker {MARKER!r} takes names only, such as topic=, not {mark.args[0]!r}.")
        settings = settings.with_given(mark.kwargs, f"The marker {MARKER!r}")
    return settings


def _from_ini(config: pytest.Config) -> dict[str, Any]:
    given = {name: str(value) for name in INI if (value := config.getini(f"factscore_{name}"))}
    return {name: _value(config, name, text) for name, text in given.items()}


def _value(config: pytest.Config, name: str, text: str) -> Any:
    if name in _PATHS:
        folder = config.rootpath if config.inipath is None else config.inipath.parent
        return folder / text
    if name not in _NUMBERS:
        return text
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"factscore_{name} is {text!r} in the ini file; give a number.") from None
