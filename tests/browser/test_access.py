"""Whoever the reader is, and whatever they read it on: keyboard, dark, phone, paper."""

from __future__ import annotations

from base64 import b64decode

import pytest
from selenium.webdriver.common.keys import Keys

from factscore_chain.gate_outcome import Check, GateOutcome
from factscore_chain.html import EditedText
from factscore_chain.report import Report
from factscore_chain.values import DroppedFact, Span, Verdict
from tests.browser.chromium import Browser
from tests.browser.conftest import Show
from tests.reports import fact, generation, report

pytestmark = pytest.mark.browser

BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(253, 253, 251)", "rgb(22, 24, 27)"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


GATE = GateOutcome(
    result="failed",
    reads="score",
    score=0.6,
    interval=(0.2, 1.0),
    pass_rate=0.5,
    threshold=0.5,
    below=(1,),
    incomplete=1,
    checks=(
        Check(name="mean", passed=False, text="60.0% is below 70.0%"),
        Check(name="pass rate", passed=True, text="50.0% reach 50.0%"),
    ),
    warnings=("The estimators differ.",),
)


def everything() -> Report:
    """A report with one of all there is."""
    facts = [fact(v, f"Ada was {v.value}.", Span(0, 3 + i), probability=0.5) for i, v in enumerate(Verdict)]
    dropped = (DroppedFact("Ada flew.", 0, "not in the text"),)
    return (
        report(
            generation(*facts, score=0.2, text="Ada was born in a large house in London.", dropped=dropped),
            generation(status="failed", error="The model did not answer."),
            generation(fact(Verdict.SUPPORTED), score=1.0),
        )
        .with_rejected(("row 4: not JSON",))
        .model_copy(update={"gate": GATE})
    )


def show_everything(show: Show) -> Browser:
    labels = [[Verdict.SUPPORTED] * 5, [], [Verdict.NOT_SUPPORTED]]
    edits = [EditedText.of("Ada was born.", "Ada lived.", 0.2, 1.0), None, None]
    return show(everything(), labels=labels, edits=edits)


def test_the_keyboard_alone_reads_the_report(show: Show) -> None:
    page = show_everything(show)
    page.press("j", "j")
    assert page.focused() == "fact-1-2"
    page.press(Keys.ENTER)
    assert page.one("#fact-1-2").get_attribute("aria-expanded") == "true"
    page.press(Keys.ESCAPE)
    assert (page.focused(), page.all(".detail")) == ("fact-1-2", [])
    page.press("k", Keys.ARROW_DOWN, Keys.ARROW_DOWN, "j", "j", "j")
    assert page.focused() == "fact-3-1"
    page.press("j", Keys.ARROW_UP)
    assert page.focused() == "fact-1-5"


def test_escape_closes_a_fact_from_inside_its_passages(show: Show) -> None:
    page = show_everything(show)
    page.press("j", Keys.ENTER)
    page.run("document.querySelector('#fact-1-1-detail a').focus()")
    page.press(Keys.ESCAPE)
    assert (page.focused(), page.all(".detail")) == ("fact-1-1", [])


def test_a_slash_goes_to_the_search_and_letters_there_are_letters(show: Show) -> None:
    page = show_everything(show)
    page.press("/")
    page.press("j", "k")
    assert page.focused() == "search"
    assert page.one("#search").get_attribute("value") == "jk"


def test_the_tab_key_stops_once_in_each_list(show: Show) -> None:
    page = show_everything(show)
    page.press("j", "j", Keys.TAB)
    stops = page.run(
        "return [...document.querySelectorAll('.fact')].filter((one) => one.tabIndex === 0).length"
    )
    assert (stops, page.focused().startswith("fact-1")) == (2, False)


def test_dark_follows_the_system_until_the_reader_chooses(show: Show) -> None:
    page = show_everything(show)
    assert page.run(BACKGROUND) == LIGHT
    page.prefer("dark")
    assert page.run(BACKGROUND) == DARK
    # The colours follow at once, the button when the browser tells the page.
    page.wait_for_none("#theme[aria-pressed=false]")
    page.one("#theme").click()
    assert page.run(BACKGROUND) == LIGHT


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_scrolls_in_one_direction_only(show: Show, width: int) -> None:
    page = show_everything(show)
    page.narrow(width)
    page.one("#fact-1-1").click()
    assert page.run("return document.documentElement.scrollWidth") <= width


def test_paper_shows_all_facts_with_their_best_sentence(show: Show) -> None:
    page = show_everything(show)
    page.run("addEventListener('beforeprint', () => { window.printed = document.body.cloneNode(true) })")
    paper = b64decode(page.command("Page.printToPDF", printBackground=True)["data"])
    assert paper.startswith(b"%PDF")
    briefs = page.run("return [...window.printed.querySelectorAll('.brief')].map((one) => one.textContent)")
    assert briefs == ["Ada: Ada was born in London."] * 6
    assert page.run("return window.printed.querySelectorAll('details:not([open])').length") == 0
    page.wait_for_none(".brief, .made-by[open]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [None, 360])
def test_the_accessibility_check_finds_nothing(show: Show, axe: str, scheme: str, width: int | None) -> None:
    page = show_everything(show)
    page.prefer(scheme)
    if width:
        page.narrow(width)
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.run("document.querySelectorAll('.fact').forEach((one) => one.click())")
    assert page.violations(axe, RULES) == []


def test_paper_of_a_very_long_report_explains_what_is_not_supported(show: Show) -> None:
    facts = [fact(Verdict.SUPPORTED)] * 2000 + [fact(Verdict.FAILED, "Last.", cause="The server was down.")]
    page = show(generation(*facts))
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.texts(".brief p:first-child") == ["The server was down."]
