"""Starts Chromium without a window, for what has to be seen in a real browser."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from factscore_chain.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_PROGRAMS = ("chromium", "chromedriver")
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1300,900"),
)


def missing() -> list[str]:
    """The programs that are needed and not installed."""
    return [name for name in _PROGRAMS if shutil.which(name) is None]


def start(profile: Path) -> Chrome:
    """Starts a browser with an empty profile folder, that keeps a log of its console and its requests.

    Raises:
        MissingExtraError: Selenium is not installed.
        UsageError: Chromium or its driver is not installed.
    """
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError as error:
        raise MissingExtraError("Driving a browser", "dev") from error
    browser, driver = map(shutil.which, _PROGRAMS)
    if browser is None or driver is None:
        raise UsageError(
            f"Not installed: {', '.join(missing())}. On Debian: apt-get install chromium chromium-driver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))
