"""A real browser for tests of pages: headless Chromium, without a network."""

import os
import shutil
import time
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of a module: longer, its event loop would be in the way of tests that run one.

    On a machine for continuous integration it has to be there.
    """
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        reason = f"no browser: none of {', '.join(NAMES)} is installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    # The sandbox of Chromium does not start for the superuser.
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()


@attrs.define
class Tab:
    """A page and what it must not do.

    Attributes:
        page: The page of playwright.
        complaints: Errors and warnings of the console, and exceptions.
        requests: What was asked of a network, in order.
    """

    page: Any
    complaints: list[str] = attrs.field(factory=list)
    requests: list[str] = attrs.field(factory=list)

    def show(self, hash_: str, selector: str) -> None:
        """Follows a link of the page and waits for something on it."""
        self.page.evaluate("hash => { location.hash = hash; }", hash_)
        self.page.wait_for_selector(selector, state="attached")
        self.settle()

    def settle(self) -> None:
        """Waits until what was asked for is drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, condition: str) -> None:
        """Waits until an expression is true. Playwright's own way would be refused by the policy of the page."""
        deadline = time.monotonic() + 15
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, condition
            self.page.wait_for_timeout(30)

    def texts(self, selector: str) -> list[str]:
        """Texts of elements, as they are seen."""
        found: list[str] = self.page.eval_on_selector_all(selector, "all => all.map(one => one.innerText)")
        return found

    def overflow(self) -> int:
        """How many pixels the page is wider than its window."""
        excess: int = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return excess


def open_tab(browser: Any, url: str, *, width: int = 1280, scheme: str = "light") -> Tab:
    """Opens an address in a window of its own and waits until the page is ready."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    context.set_default_timeout(10_000)
    tab = Tab(context.new_page())
    tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.page.on(
        "console",
        lambda line: tab.complaints.append(f"{line.type}: {line.text}") if line.type in ("error", "warning") else None,
    )
    tab.page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:")) else tab.requests.append(request.url),
    )
    tab.page.goto(url)
    tab.page.wait_for_selector("html[data-ready]")
    return tab
