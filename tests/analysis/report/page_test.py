"""The page in a browser, opened from the disk: every view, filters, keyboard, both schemes, narrow and wide."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.report.conftest import HOSTILE, SCENARIOS
from tests.browser import Tab, open_tab
from tool_sandbox.analysis.report import write_report

ALL = 3 * len(SCENARIOS)
FAILED = "#/conversations?result=failed"


@pytest.fixture(scope="module")
def report(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page of two runs."""
    target = tmp_path_factory.mktemp("page") / "report.html"
    write_report(runs, target, title="Two agents")
    return target.as_uri()


@pytest.fixture
def tab(browser: Any, report: str) -> Iterator[Tab]:
    """The page in a wide window; it must neither complain nor ask a network for anything."""
    opened = open_tab(browser, report)
    yield opened
    assert opened.complaints == []
    assert opened.requests == []
    opened.page.context.close()


def _conversation(tab: Tab) -> str:
    """Link of a failed conversation that has others beside it."""
    tab.show("#/conversations?q=recency&result=failed", ".row")
    href: str = tab.page.get_attribute(".row", "href")
    return href


def _side(tab: Tab) -> str:
    tab.show(_conversation(tab), ".talk-main > .message")
    href: str = tab.page.get_attribute(".beside", "href")
    return href


def test_overview_shows_scores_with_intervals_and_floors(tab: Tab) -> None:
    assert tab.texts("h1") == ["Two agents"]
    numbers = tab.texts(".forest-line:not(.axis) .forest-number")
    assert len(numbers) == 4
    assert all(re.search(r"\d+\.\d %", number) and "floor" in number for number in numbers)
    assert tab.page.locator(".track .floor").count() == 8
    assert tab.page.title() == "Overview · Two agents"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_view_fits_and_complains_of_nothing(browser: Any, report: str, scheme: str, width: int) -> None:
    tab = open_tab(browser, report, width=width, scheme=scheme)
    views = {
        "#/overview": ".forest",
        "#/conversations": ".row",
        "#/maps": ".heat",
        "#/board": ".board",
        "#/nowhere": ".notice",
        _conversation(tab): ".graph",
        _side(tab): ".side-line .message",
    }
    for link, selector in views.items():
        tab.show(link, selector)
        assert tab.overflow() <= 0, link
        assert tab.page.locator("main h1").count() == 1
    background = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", background)[:3])) < 60) == (scheme == "dark")
    assert (tab.complaints, tab.requests) == ([], [])
    tab.page.context.close()


def test_filters_search_and_sorting(tab: Tab) -> None:
    tab.show("#/conversations", ".row")
    assert tab.page.locator(".row").count() == ALL
    tab.page.fill('input[name="q"]', "wifi off")
    tab.settle()
    assert set(tab.texts(".row .name")) == {"wifi_off"}
    assert "q=wifi+off" in tab.page.url
    tab.page.select_option('select[name="run"]', label="Oracle")
    tab.settle()
    assert set(tab.texts(".row .c-run")) == {"Oracle"}
    assert tab.page.locator(".row").count() == 2
    tab.page.get_by_text("Clear").click()
    tab.until(f"document.querySelectorAll('.row').length === {ALL}")
    tab.page.click('button[aria-label="sort by Score"]')
    scores = [float(text) for text in tab.texts(".row .c-score .number")]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1
    tab.page.get_by_text("More filters").click()
    tab.page.fill('input[name="max"]', "0.5")
    tab.settle()
    assert all(float(text) <= 0.5 for text in tab.texts(".row .c-score .number"))
    tab.page.check('input[value="tool_errors"]')
    tab.settle()
    assert all(text != "·" for text in tab.texts(".row .c-errors"))


def test_link_of_a_filtered_table_leads_back_to_it(browser: Any, report: str) -> None:
    tab = open_tab(browser, f"{report}#/conversations?q=get_wifi&sort=-score")
    assert tab.page.input_value('input[name="q"]') == "get_wifi"
    assert set(tab.texts(".row .name")) == {"get_wifi"}
    tab.page.context.close()


def test_back_and_forward(tab: Tab) -> None:
    tab.show("#/maps", ".heat")
    tab.page.locator(".heat td a").first.click()
    tab.page.wait_for_selector(".row")
    tab.page.locator(".row").first.click()
    tab.page.wait_for_selector(".talk")
    tab.page.go_back()
    tab.page.wait_for_selector(".row")
    tab.page.go_back()
    tab.page.wait_for_selector(".heat")
    tab.page.go_forward()
    tab.page.wait_for_selector(".row")


def test_conversation_shows_calls_results_changes_and_milestones(tab: Tab) -> None:
    tab.show("#/conversations?q=wifi_off&result=success", ".row")
    tab.page.locator(".row").first.click()
    tab.page.wait_for_selector(".talk-main > .message")
    assert "set_wifi_status" in "".join(tab.texts(".call-name"))
    assert tab.texts(".change figcaption") == ["~ updated in setting"]
    before, after = tab.texts(".change td.changed")
    assert (before, after) == ("true", "▸\u00a0false")
    assert {"User", "Agent", "Environment"} <= {text.split(" →")[0] for text in tab.texts(".who")}
    lit = tab.page.locator(".node.full").first
    lit.click()
    focused = tab.page.evaluate("document.activeElement.id")
    assert focused.startswith("message-")
    assert tab.page.locator(f"#{focused} footer .tag.good").count() >= 1
    assert f"at={focused.removeprefix('message-')}" in tab.page.url


def test_missed_milestone_says_why(tab: Tab) -> None:
    tab.show(_conversation(tab), ".graph")
    missed = tab.page.locator(".node.missed, .node.part").count()
    assert missed > 0
    assert tab.page.locator(".checks .bad").count() == missed


def test_two_agents_side_by_side(tab: Tab) -> None:
    tab.show(_side(tab), ".side-line .message")
    assert tab.texts(".side-head .tag") == ["A", "B"]
    assert tab.page.locator(".side-line.same .message").count() >= 2
    assert tab.page.locator(".side-line .gap").count() >= 1
    hash_ = tab.page.evaluate("location.hash")
    tab.page.click('[aria-label="exchange the two"]')
    tab.until(f"location.hash !== {json.dumps(hash_)}")


def test_keyboard(tab: Tab) -> None:
    keyboard, page = tab.page.keyboard, tab.page
    keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    keyboard.press("/")
    tab.until("document.activeElement.name === 'q'")
    keyboard.type("wifi")
    keyboard.press("Enter")
    keyboard.press("j")
    keyboard.press("j")
    keyboard.press("k")
    assert page.get_attribute(".row.active", "aria-rowindex") == "3"
    keyboard.press("Enter")
    page.wait_for_selector(".talk-main > .message")
    first = page.url
    keyboard.press("j")
    assert page.evaluate("document.activeElement.classList.contains('message')")
    keyboard.press("ArrowRight")
    tab.until(f"location.href !== {json.dumps(first)}")
    page.wait_for_selector(".talk-main > .message")
    keyboard.press("Escape")
    page.wait_for_selector(".row")
    assert "q=wifi" in page.url
    keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_everything_is_reached_by_tab(tab: Tab) -> None:
    tab.show("#/conversations", ".row")
    reached = set()
    for _ in range(30):
        tab.page.keyboard.press("Tab")
        reached.add(tab.page.evaluate("document.activeElement.name || document.activeElement.className"))
        seen = "one => one === document.body || getComputedStyle(one).outlineStyle !== 'none'"
        assert tab.page.evaluate(f"({seen})(document.activeElement)")
    assert {"q", "run", "result", "outcome", "grid"} <= reached


def test_focus_stays_on_the_table_and_names_the_row(tab: Tab) -> None:
    tab.show("#/conversations", ".row")
    tab.page.focus(".grid")
    for key in ("j", "j", "End", "k"):
        tab.page.keyboard.press(key)
        tab.settle()
        named = tab.page.get_attribute(".grid", "aria-activedescendant")
        assert (
            named == tab.page.get_attribute(".row.active", "id") == tab.page.get_attribute("[aria-selected=true]", "id")
        )
    assert named == f"row-{ALL - 2}"


def test_tables_show_the_request_alone(tab: Tab) -> None:
    tab.show("#/conversations", ".row")
    assert not any("You have just said" in text for text in tab.texts(".goal"))
    tab.show(_conversation(tab), ".talk-main > .message")
    assert "You have just said" not in tab.texts(".lead")[0]


def test_paper_has_all_rows_and_no_controls(tab: Tab) -> None:
    tab.show("#/conversations", ".row")
    tab.page.emulate_media(media="print")
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.page.locator(".row").count() == ALL
    heights = tab.page.evaluate(
        "['.row:last-child', '.grid'].map((one) => document.querySelector(one).getBoundingClientRect().bottom)"
    )
    assert heights[0] <= heights[1]
    assert not tab.page.locator(".filters").is_visible()
    tab.page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_leaderboard_sorts(tab: Tab) -> None:
    tab.show("#/board", ".board")
    assert tab.texts(".board tbody th") == ["Oracle", "Oracle:error_rate=0.6"]
    tab.page.get_by_role("link", name="Success ▾").click()
    tab.page.wait_for_selector('[aria-sort="ascending"]')
    assert tab.texts(".board tbody th") == ["Oracle:error_rate=0.6", "Oracle"]


def test_hostile_texts_are_texts(browser: Any, hostile: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_report([hostile], target, title=HOSTILE["closing"])
    for width in (360, 1280):
        tab = open_tab(browser, target.as_uri(), width=width)
        assert tab.texts("main h1") == [HOSTILE["closing"]]
        for link, selector in {"#/maps": ".heat", "#/board": ".board", "#/conversations": ".row"}.items():
            tab.show(link, selector)
            assert tab.overflow() <= 0, link
        tab.show(tab.page.get_attribute(".row", "href"), ".talk-main > .message")
        assert tab.overflow() <= 0
        shown = "\n".join(tab.page.locator(".text").all_text_contents())
        for name in ("script", "closing", "image", "entity", "long"):
            assert HOSTILE[name] in shown, name
        assert "\\u202egnp.exe" in shown
        assert "a\\u0000b\\u001b[31mred" in shown
        assert "x\\ud83dy" in shown
        assert "\u202e" not in shown
        assert tab.page.evaluate("window.harmed") is None
        assert tab.page.locator("main img, main script").count() == 0
        assert (tab.complaints, tab.requests) == ([], [])
        tab.page.context.close()


def test_without_javascript_it_says_what_is_missing(browser: Any, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report)
    assert "JavaScript" in page.inner_text(".noscript")
    context.close()


def test_policy_lets_nothing_else_run(browser: Any, report: str) -> None:
    tab = open_tab(browser, report)
    tab.page.evaluate(
        """() => { const script = document.createElement("script"); script.textContent = "window.harmed = 1";
        document.body.append(script); fetch("https://example.invalid/").catch(() => {}); }"""
    )
    tab.settle()
    assert tab.page.evaluate("window.harmed") is None
    assert len(tab.complaints) >= 2
    assert tab.requests == []
    tab.page.context.close()
