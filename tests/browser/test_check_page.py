"""The page on which a person checks a text, as a real server gives it to a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from factscore_chain.server import Access, Serving
from tests import serving
from tests.browser.chromium import Browser
from tests.browser.test_access import RULES
from tests.editing import NOTES, TOPIC, TRUE, WRONG
from tests.servers import word_sources

pytestmark = pytest.mark.browser

TOKEN = "right-token"
ATTACK = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving.Thread(word_sources(tmp_path_factory.mktemp("page"))) as running:
        yield running.url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Browser]:
    browser.visit(url)
    browser.wait_for_text("#knowledge", "pages")
    yield browser
    assert browser.console() == []


def check(page: Browser, text: str, topic: str = TOPIC) -> None:
    """Fills the form in and sends it off by the keyboard."""
    page.one("#topic").clear()
    page.one("#topic").send_keys(topic)
    page.one("#text").clear()
    page.one("#text").send_keys(text, Keys.CONTROL, Keys.ENTER)


def test_a_text_is_marked_fact_by_fact_beside_its_corrected_version(page: Browser) -> None:
    check(page, f"{NOTES} {WRONG}")
    page.wait_for_text("#say", "Corrected: 100.0%")
    assert page.texts(".given mark[data-verdict=supported]") == [NOTES]
    assert page.texts(".given mark[data-verdict=not_supported]") == [WRONG]
    assert (page.texts(".mended del"), page.texts(".mended ins")) == (["Paris"], ["London"])
    assert page.one(".score").text == "50.0%"
    assert "1 of 2 facts supported." in page.one("#say").text


def test_the_keyboard_alone_goes_from_the_text_to_a_passage(page: Browser) -> None:
    check(page, WRONG)
    page.wait_for_text("#say", "Corrected")
    page.press("j", Keys.ENTER)
    assert page.focused() == "fact-1-1"
    assert TRUE.removesuffix(".") in page.one(".detail blockquote").text
    page.press(Keys.ESCAPE)
    assert page.all(".detail") == []


def test_the_page_asks_nobody_but_its_server(page: Browser, url: str) -> None:
    check(page, TRUE)
    page.wait_for_text("#say", "1 of 1 fact supported.")
    asked = [one for one in page.requests() if not one.startswith("data:")]
    assert sorted(set(asked)) == [f"{url}/", f"{url}/knowledge", f"{url}/page/check"]


def test_what_is_wrong_is_said_and_the_next_text_is_checked(page: Browser) -> None:
    check(page, TRUE, "Nobody at all")
    page.wait_for_text("#say.trouble", "No document is titled 'Nobody at all'.")
    page.console()  # the browser itself writes that an answer was no success
    check(page, TRUE)
    page.wait_for_text("#say:not(.trouble)", "1 of 1 fact supported.")


def test_nothing_in_a_text_runs(page: Browser) -> None:
    check(page, f"{ATTACK} was born.")
    page.wait_for_text("#say", "of 1 fact supported.")
    assert ATTACK in page.one(".given .text").text
    assert page.run("return document.querySelectorAll('img, iframe, object').length") == 0


def test_a_text_without_facts_is_no_error(page: Browser) -> None:
    check(page, "   ")
    page.wait_for_text("#say", "Nothing in the text can be checked.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [None, 320])
def test_the_page_is_accessible_on_every_screen(
    page: Browser, axe: str, scheme: str, width: int | None
) -> None:
    page.prefer(scheme)
    if width:
        page.narrow(width)
    check(page, f"{NOTES} {WRONG}")
    page.wait_for_text("#say", "Corrected")
    page.one("#fact-1-2").click()
    assert page.violations(axe, RULES) == []
    assert page.run("return document.documentElement.scrollWidth") <= (width or 1300)


def test_a_token_is_asked_for_where_the_server_wants_one(browser: Browser, tmp_path: Path) -> None:
    settings = Serving(port=0, access=Access(TOKEN))
    with serving.Thread(word_sources(tmp_path), settings) as running:
        browser.visit(running.url)
        browser.wait_for_text("#say.trouble", "The token is missing or wrong.")
        browser.one("#token").send_keys(TOKEN)
        check(browser, TRUE)
        browser.wait_for_text("#say:not(.trouble)", "1 of 1 fact supported.")


def test_the_policy_is_strict(url: str) -> None:
    import httpx

    policy = httpx.get(url).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
