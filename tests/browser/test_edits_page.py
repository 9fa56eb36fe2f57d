"""The page of edited texts, in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscore_chain.edit.chain import EditChain
from tests.browser.chromium import Browser
from tests.browser.test_access import RULES
from tests.editing import NOTES, TOPIC, TRUE, WRONG, editing_model, word_chain
from tests.pages import make_source

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_edits_is_quiet_closed_and_accessible(
    browser: Browser, axe: str, tmp_path: Path, scheme: str
) -> None:
    chain = EditChain(word_chain(make_source(tmp_path)), llm=editing_model({WRONG: TRUE}))
    path = tmp_path / "edits.html"
    path.write_text(chain.edit(f"{NOTES} {WRONG}", topic=TOPIC).to_html(), encoding="utf-8")
    browser.open(path)
    browser.prefer(scheme)
    assert (browser.texts("del")[0], browser.texts("ins")[0]) == ("Paris", "London")
    assert len(browser.requests()) == 1
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert browser.violations(axe, RULES) == []
    assert browser.console() == []
