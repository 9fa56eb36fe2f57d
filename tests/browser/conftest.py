"""One browser for all tests of a process, and a page for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from factscore_chain.evals.bench.chromium import missing
from factscore_chain.html import render_html
from factscore_chain.report import GenerationReport, Report
from tests.browser.chromium import Browser

AXE_VARIABLE = "FACTSCORE_AXE"
"""Environment variable that names the folder of axe-core, with `axe.min.js` in it."""

Show: TypeAlias = Callable[..., Browser]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if missing():
        pytest.skip(f"not installed: {', '.join(missing())}")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Opens a report in the browser; the test fails if the page complains on the console."""

    def open_page(made: Report | GenerationReport, fragment: str = "", **more: Any) -> Browser:
        path = tmp_path / "report.html"
        path.write_text(render_html(made, **more), encoding="utf-8")
        browser.open(path, fragment)
        return browser

    yield open_page
    assert browser.console() == []


@pytest.fixture(scope="session")
def axe() -> str:
    folder = os.environ.get(AXE_VARIABLE)
    if not folder:
        pytest.skip(f"{AXE_VARIABLE} names no folder with axe-core in it")
    return (Path(folder) / "axe.min.js").read_text(encoding="utf-8")
