"""A real browser without a window, and what tests ask it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from factscore_chain.evals.bench.chromium import start

PATIENCE = 60
"""Seconds to wait for something that has to happen."""


class Browser:
    """Chromium with a profile of its own, one page at a time."""

    def __init__(self, profile: Path) -> None:
        self.driver = start(profile)

    def open(self, path: Path, fragment: str = "") -> None:
        """Opens a file and forgets what was before."""
        self.visit(path.as_uri() + fragment)

    def visit(self, address: str) -> None:
        """Opens an address and forgets what was before."""
        self.driver.get("about:blank")
        self.command("Emulation.clearDeviceMetricsOverride")
        self.prefer("light")
        self.requests(), self.console()
        self.driver.get(address)

    def quit(self) -> None:
        """Ends the browser."""
        self.driver.quit()

    def command(self, name: str, **parameters: Any) -> Any:
        """Sends a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def prefer(self, scheme: str) -> None:
        """What the reader's system prefers: "light" or "dark"."""
        self.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def narrow(self, width: int) -> None:
        """Makes the window as wide as that of a phone."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=2, mobile=True
        )

    def console(self) -> list[str]:
        """What was written to the console since this was last asked."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """The addresses asked for since this was last asked."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return entries

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs JavaScript in the page; returns what it returns."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """The elements that a selector names."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The first element that a selector names."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The text of the elements that a selector names, shown or not."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())",
            selector,
        )
        return found

    def press(self, *keys: str) -> None:
        """Presses keys where the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def focused(self) -> str:
        """Id of the element that has the focus."""
        return str(self.run("return document.activeElement.id"))

    def violations(self, axe: str, rules: list[str]) -> list[tuple[str, list[str]]]:
        """What axe-core finds wrong with the page as it is: a rule and the elements that break it, each."""
        self.run(axe)
        result = self.driver.execute_async_script(
            "axe.run({ runOnly: arguments[0] }).then(arguments[1])", rules
        )
        assert result["passes"]
        return [(one["id"], [node["html"] for node in one["nodes"]]) for one in result["violations"]]

    def wait_for_text(self, selector: str, text: str) -> None:
        """Waits until an element holds a text.

        Raises:
            TimeoutException: It does not in time.
        """
        WebDriverWait(self.driver, PATIENCE).until(lambda _: text in self.one(selector).text)

    def wait_for_none(self, selector: str) -> None:
        """Waits until no element has a selector.

        Raises:
            TimeoutException: One still has in the end.
        """
        WebDriverWait(self.driver, PATIENCE).until(lambda _: not self.all(selector))
