"""What pytest says of the checks at the end: every fact that is not supported, with its best passage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

FOUND = "factscore_found"
"""Attribute of a test's report; plain data, so that it comes back from another process too."""
_MOST_FACTS = 10
"""Facts of a check that are listed."""


def show(terminal: pytest.TerminalReporter) -> None:
    """Writes the section; nothing where no test checked anything."""
    found = list(_found(terminal))
    if not found:
        return
    terminal.section("factscore")
    for test, check in found:
        if check["facts"]:
            terminal.line(f"{test}: {check['score']}")
            for line in _listed(check["facts"]):
                terminal.line(f"   {line}")
    for key in ("failed", "incomplete"):
        if number := sum(check["result"] == key for _, check in found):
            terminal.line(f"{key}: {number} of {len(found)} checks")
    terminal.line(_total([check for _, check in found]))


def _found(terminal: pytest.TerminalReporter) -> Iterator[tuple[str, dict[str, Any]]]:
    seen: set[tuple[str, str]] = set()
    for reports in terminal.stats.values():
        for report in reports:
            place = (getattr(report, "nodeid", ""), getattr(report, "when", ""))
            if (checks := getattr(report, FOUND, None)) and place not in seen:
                seen.add(place)
                yield from ((report.nodeid, check) for check in checks)


def _listed(facts: list[str]) -> Iterator[str]:
    yield from facts[:_MOST_FACTS]
    if len(facts) > _MOST_FACTS:
        yield f"... and {len(facts) - _MOST_FACTS} more"


def _total(checks: list[dict[str, Any]]) -> str:
    facts, supported = (sum(check[name] for check in checks) for name in ("n_facts", "n_supported"))
    return f"checks: {len(checks)}, facts: {facts}, supported: {supported}"
