"""What pytest loads in every run: options, the marker, the fixture, and the section at the end."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from factscore_chain.pytest_plugin.settings import MARKER, STRICT_OPTION, add_options, settings_of
from factscore_chain.pytest_plugin.summary import FOUND, show

if TYPE_CHECKING:
    from factscore_chain.pytest_plugin.chains import Chains
    from factscore_chain.pytest_plugin.checks import FactScoreChecks

_found = pytest.StashKey[list[dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options and the ini settings."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line(
        "markers", f"{MARKER}(topic=, knowledge=, min_score=, llm=, ...): what the test's checks run with"
    )


@pytest.fixture(scope="session")
def factscore_chains() -> Chains:
    """The chains of a session: a knowledge source is opened, and a model set up, once."""
    from factscore_chain.pytest_plugin.chains import Chains

    return Chains()


@pytest.fixture
def factscore(request: pytest.FixtureRequest, factscore_chains: Chains) -> FactScoreChecks:
    """Checks that what a model wrote is supported; see `FactScoreChecks`."""
    from factscore_chain.pytest_plugin.checks import FactScoreChecks

    found = request.node.stash.setdefault(_found, [])
    return FactScoreChecks(
        settings=settings_of(request),
        chains=factscore_chains,
        strict=bool(request.config.getoption(STRICT_OPTION)),
        # What `record_property` does, without its warning under the default JUnit family.
        properties=request.node.user_properties,
        found=found,
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Puts what the checks found on the test's report, which is what travels between processes."""
    report = yield
    if call.when == "call" and _found in item.stash:
        setattr(report, FOUND, item.stash[_found])
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the facts that are not supported."""
    show(terminalreporter)
