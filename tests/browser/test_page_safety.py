"""The page asks for nothing, runs nothing of the report's, and bears long reports."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from factscore_chain.evals.bench import report_page
from factscore_chain.values import Span, Verdict
from tests.browser.conftest import Show
from tests.reports import fact, generation, report
from tests.test_html_page import ATTACK, hostile

pytestmark = pytest.mark.browser


def test_the_page_asks_for_nothing_but_itself(show: Show) -> None:
    page = show(report(generation(fact(Verdict.SUPPORTED))))
    page.one("#fact-1-1").click()
    (address,) = page.requests()
    assert address.startswith("file:")


def test_nothing_in_a_report_runs(show: Show) -> None:
    page = show(hostile(), title=ATTACK)
    page.one("#fact-1-1").click()
    assert page.run("return document.querySelectorAll('img, iframe, object').length") == 0
    assert "<img src=x onerror=alert(2)>" in page.one(".claim").text
    assert "[U+202E]" in page.one(".detail blockquote").text


def test_the_policy_stops_a_script_that_would_slip_in(show: Show) -> None:
    page = show(report(generation(fact(Verdict.SUPPORTED))))
    page.run("document.body.insertAdjacentHTML = undefined")
    blocked = page.run(
        "try { document.body.innerHTML = '<img src=x onerror=alert(1)>'; return false } catch { return true }"
    )
    assert blocked
    assert any("TrustedHTML" in line for line in page.console())


SHAPES = [(500, 20), (10, 1000), (1, 10_000), (10_000, 1)]


@pytest.mark.parametrize(("generations", "facts"), SHAPES)
def test_ten_thousand_facts_can_be_read_filtered_and_searched(
    show: Show, generations: int, facts: int
) -> None:
    many = [fact(Verdict.SUPPORTED, f"Fact {n}.", Span(n % 50, n % 50 + 9)) for n in range(facts - 1)]
    last = fact(Verdict.NOT_SUPPORTED, "The end.", Span(0, 60))
    made = [generation(*many, last, text="word " * 20)] * generations
    page = show(report(*made))
    page.one('#filter [data-verdict="not_supported"]').click()
    assert page.one("#shown").text.startswith(f"{generations:,} fact")
    page.press("j", "\n")
    assert page.texts(".fact[aria-expanded=true] .claim") == ["The end."]
    page.one("#search").send_keys("nothing of the kind")
    page.wait_for_text("#shown", "0 facts")


def test_a_long_generation_is_shown_in_rows_with_their_facts(show: Show) -> None:
    text = "".join(f"Line {n:03}.\n" for n in range(300))
    facts = [fact(Verdict.SUPPORTED, f"Fact {n}.", Span(10 * n, 10 * n + 8)) for n in range(300)]
    page = show(generation(fact(Verdict.SUPPORTED, "Homeless.", None), *facts, text=text), "#fact-1-1")
    assert (
        page.run("return [...document.querySelectorAll('.text')].map((one) => one.textContent).join('')")
        == text
    )
    rows = page.run("return [...document.querySelectorAll('.columns')].map((one) => one.textContent)")
    assert all(f"Line {row * 60:03}" in rows[row] and f"Fact {row * 60}." in rows[row] for row in range(5))
    assert [("Homeless." in row) for row in rows] == [False] * 5 + [True]


def test_a_fact_that_reaches_over_everything_keeps_its_place(show: Show) -> None:
    whole = fact(Verdict.NOT_SUPPORTED, "All of it.", Span(0, 4000))
    facts = [fact(Verdict.SUPPORTED, f"Fact {n}.", Span(10 * n, 10 * n + 8)) for n in range(400)]
    page = show(generation(whole, *facts, text="Line 000.\n" * 400), "#fact-1-401")
    page.run("document.querySelector('#fact-1-1').focus()")
    assert len(page.all("mark.lit")) == len(page.all("mark"))
    page.all("mark")[-1].click()
    assert page.focused() == "fact-1-1"


def test_a_long_report_is_drawn_as_far_as_it_is_read(show: Show) -> None:
    page = show(report(*[generation(*[fact(Verdict.SUPPORTED)] * 20)] * 500))
    drawn = len(page.all("article"))
    assert drawn < 100
    page.run("document.querySelector('#more').click()")
    assert len(page.all("article")) > drawn


@pytest.mark.usefixtures("browser")
def test_the_benchmark_measures_every_shape_of_report() -> None:
    found = report_page.run(40, repeats=1)
    assert [(one.generations, one.facts) for one in found] == [(2, 40), (1, 40), (40, 40)]
    assert all(value > 0 for one in found for value in asdict(one).values())
