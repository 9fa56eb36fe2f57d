"""The settings of a policy: they go before a whole policy's own, and are refused where they are misspelt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from factscore_chain.agents import FactualityMiddleware
from factscore_chain.agents.live import LiveFactualityMiddleware
from factscore_chain.errors import UnknownArgumentError, UsageError
from factscore_chain.graphs import guard_graph
from factscore_chain.guard.policy import GuardPolicy, policy_with
from factscore_chain.lcel import FactGuard

GUARDS = [FactGuard, FactualityMiddleware, LiveFactualityMiddleware]


@pytest.mark.parametrize("guard", [*GUARDS, guard_graph])
def test_a_misspelt_setting_is_refused_by_the_name_that_was_called(guard: Callable[..., Any]) -> None:
    with pytest.raises(UnknownArgumentError) as trouble:
        guard(min_covrage=0.3)
    assert str(trouble.value) == (
        f"{guard.__name__}() got an unexpected keyword argument 'min_covrage'. Did you mean 'min_coverage'?"
    )
    assert isinstance(trouble.value, TypeError)


@pytest.mark.parametrize("guard", GUARDS)
def test_settings_go_before_those_of_a_whole_policy(guard: Callable[..., Any]) -> None:
    whole = GuardPolicy(threshold=0.6, on_fail="remove", timeout=3)
    made = guard(None, 0.9, policy=whole, on_error="closed", timeout=None).policy
    assert made == GuardPolicy(threshold=0.9, on_fail="remove", on_error="closed")


def test_what_is_no_policy_is_refused() -> None:
    with pytest.raises(UsageError, match="policy is str"):
        policy_with(FactGuard, "remove")  # type: ignore[arg-type]
