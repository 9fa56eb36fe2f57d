"""What model calls cost: a dated table of prices, and a budget that is not overdrawn."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factscore_chain.completion import Usage
from factscore_chain.errors import BudgetError, UsageError

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]

_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$")
"""How a provider marks one version of a model; the price is that of the name without it."""


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    reread: Dollars | None = None
    """For input that the server had kept from an earlier prompt; None if that is not cheaper."""

    def cost(self, usage: Usage) -> float:
        """US dollars of some calls."""
        reread = self.input if self.reread is None else self.reread
        fresh = usage.input_tokens - usage.reread_tokens
        return (
            fresh * self.input + usage.reread_tokens * reread + usage.output_tokens * self.output
        ) / 1_000_000


class PriceTable(BaseModel):
    """Prices by the name of the model, and of which day they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: date
    prices: dict[str, Price]

    def of(self, model: str, server: str | None = None) -> Price | None:
        """The price of a model, with or without a date in its name; None if it is not known.

        A model on a server of the user's own has no price here but under its name and server, "NAME@URL".
        """
        if server is not None:
            return self.prices.get(f"{model}@{server}")
        return self.prices.get(model) or self.prices.get(_DATED.sub("", model))


@cache
def load_prices(path: str | Path | None = None) -> PriceTable:
    """Reads a table of prices, YAML of `as_of` and `prices`; None reads the one that comes with the package.

    Raises:
        UsageError: The file cannot be read, or is no such table.
    """
    path = Path(str(files("factscore_chain") / "prices.yaml")) if path is None else Path(path)
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        return PriceTable.model_validate(content)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise UsageError(
            f"{str(path)!r} is no table of prices ({_reason(error)}). Give YAML with `as_of` (a day) and "
            "`prices` (model: {input, output} in US dollars for a million tokens)."
        ) from error


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return ": ".join([*map(str, first["loc"]), first["msg"]])
    return " ".join(str(error).split())


class Budget:
    """US dollars that may be spent; safe for threads.

    A call is made only if what it is expected to cost fits beside what is spent and what other calls in
    flight are expected to cost. So the budget is overdrawn at most by what expectations were short of.
    """

    def __init__(self, dollars: float) -> None:
        if not 0 <= dollars < float("inf"):
            raise UsageError(f"The budget is {dollars}; give US dollars, 0 or more.")
        self.dollars = dollars
        self.exhausted = False
        """Whether a call was refused."""
        self._committed = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, expected: float) -> Iterator[Callable[[float], None]]:
        """Sets money aside while a call is made; the function it gives is told what the call cost.

        Raises:
            BudgetError: It does not fit any more.
        """
        with self._lock:
            if self._committed + expected > self.dollars:
                self.exhausted = True
                raise BudgetError(
                    f"The budget of ${self.dollars:g} is used up, so no more calls are made. "
                    "What was done is kept; raise it to go on."
                )
            self._committed += expected
        spent = 0.0

        def settle(dollars: float) -> None:
            nonlocal spent
            spent = dollars

        try:
            yield settle
        finally:
            with self._lock:
                self._committed += spent - expected


class Account:
    """Usage added up by several threads."""

    def __init__(self) -> None:
        self.usage = Usage()
        self._lock = threading.Lock()

    def add(self, spent: Usage) -> None:
        """Adds what a call took."""
        with self._lock:
            self.usage = self.usage + spent
