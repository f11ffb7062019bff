"""The site holds every page, and is built without complaint and without a network."""

import functools
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import yaml

import tool_sandbox as ts
from tests.browser import browser
from tests.loopback.whole import Server
from tool_sandbox.scenarios import SUITE_VERSION

__all__ = ["browser"]

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "scripts" / "mkdocs.yml"
PAGES = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}

without_extra = pytest.mark.skipif(
    importlib.util.find_spec("material") is None, reason="needs the extra docs: pip install '.[docs]'"
)


def _named(entry: Any) -> list[str]:
    """Pages that a part of the navigation names."""
    if isinstance(entry, str):
        return [entry]
    parts = entry if isinstance(entry, list) else entry.values()
    return [page for part in parts for page in _named(part)]


def test_navigation_names_every_page_once() -> None:
    navigation = yaml.safe_load(CONFIG.read_text("utf-8"))["nav"]
    assert sorted(_named(navigation)) == sorted(PAGES)


def test_first_page_leads_to_every_other() -> None:
    links = re.findall(r"\]\(([\w/-]+\.md)\)", (ROOT / "docs" / "index.md").read_text("utf-8"))
    assert set(links) == PAGES - {"index.md"}


def test_citation_names_the_versions_that_are_here() -> None:
    page = (ROOT / "docs" / "cite.md").read_text("utf-8")
    assert f"{{{ts.__version__}}}" in page
    assert f"Suite {SUITE_VERSION}}}" in page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built."""
    target = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        str(CONFIG),
        "--site-dir",
        str(target),
    ]
    # Whoever would ask a network gets no answer.
    environment = os.environ | {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


@without_extra
def test_site_has_every_page(site: Path) -> None:
    assert {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")} == PAGES | {"404.md"}


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Where a server on this machine offers the site."""
    handler = functools.partial(_Quiet, directory=str(site))
    with Server(handler).serving() as url:
        yield url


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.mark.slow
@without_extra
@pytest.mark.parametrize(
    "name", ["index.html", "concepts.html", "comparison-with-others.html", "reference/python.html"]
)
def test_page_fits_a_phone_and_loads_nothing_from_elsewhere(name: str, address: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    requests, complaints = list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"{address}/{name}", wait_until="networkidle")
    is_narrow = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    images = page.evaluate("[...document.querySelectorAll('article img')].map((image) => image.naturalWidth)")
    page.close()
    assert is_narrow
    assert all(images)
    assert [url for url in requests if not url.startswith((address, "data:", "blob:"))] == []
    assert complaints == []
