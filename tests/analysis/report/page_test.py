"""The page in a browser, opened from the disk: every view, filters, keyboard, both schemes, narrow and wide."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.analysis.report.conftest import HOSTILE, SCENARIOS, retold
from tests.analysis.retelling import forget_states
from tests.browser import Tab, open_tab
from tests.records import edit_record, part_in
from tool_sandbox.analysis.report import write_report
from tool_sandbox.runner.run import play, prepare_run

# One page in a real browser is quick to look at: that of server_test.py.
pytestmark = pytest.mark.slow

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


# A word is broken where its characters stand in several lines and nothing in it allows a break.
BROKEN_WORDS = """() => {
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility()) continue;
    for (const match of node.data.matchAll(/[A-Za-z0-9_.:=]+/g)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) found.push(match[0]);
    }
  }
  return found;
}"""

# What is cut off by its box although nobody can scroll there; an ellipsis says that there is more.
CUT = """() => [...document.querySelectorAll("main *")].filter((one) => {
  const style = getComputedStyle(one);
  const isHidden = ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis";
  return isHidden && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.className)"""


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_words_are_whole_and_nothing_is_cut(browser: Any, report: str, width: int) -> None:
    tab = open_tab(browser, report, width=width)
    views = {"#/overview": ".forest", "#/maps": ".heat", "#/board": ".board"}
    for link, selector in {**views, _conversation(tab): ".graph", _side(tab): ".side-line .message"}.items():
        tab.show(link, selector)
        assert (tab.page.evaluate(BROKEN_WORDS), tab.page.evaluate(CUT)) == ([], []), link
    tab.page.context.close()


@pytest.mark.parametrize("width", [360, 768])
def test_every_column_is_reached_by_scrolling_inside(browser: Any, report: str, width: int) -> None:
    tab = open_tab(browser, report, width=width)
    for link, box, cell in (("#/board", ".scroll", "td"), ("#/conversations", ".grid-body", ".row:first-child > *")):
        tab.show(link, box)
        tab.page.eval_on_selector(box, "one => { one.scrollLeft = 9999; }")
        right, edge = tab.page.evaluate(
            "([box, cell]) => [Math.max(...[...document.querySelectorAll(cell)].map((one) => "
            "one.getBoundingClientRect().right)), document.querySelector(box).getBoundingClientRect().right]",
            [box, cell],
        )
        assert right <= edge, link
    headings = {"✓", "Scenario", "Run", "Ended", "Score", "Turns", "Calls", "Errors", "Side effects"}
    assert headings <= {text.strip(" ▾▴") for text in tab.texts(".grid-head > span")}
    assert all(one.is_visible() for one in tab.page.locator(".grid-head > span").all())
    tab.page.context.close()


def test_trials_and_milestones_count_from_zero(tab: Tab) -> None:
    tab.show("#/conversations?q=wifi_off", ".row")
    assert {text for goal in tab.texts(".row .goal") for text in re.findall(r"trial \d", goal)} == {
        "trial 0",
        "trial 1",
    }
    tab.show(_conversation(tab), ".graph")
    result = json.loads(tab.page.text_content(".raw"))
    facts = dict(zip(tab.texts(".fact dt"), tab.texts(".fact dd"), strict=True))
    assert facts["Trial"].startswith(f"{result['trial']} ")
    assert f"trial {result['trial']}" in tab.texts(".chip.here")[0]
    numbers = [text.split()[0] for text in tab.texts(".node-title")]
    assert sorted(numbers) == sorted(result["milestone_mapping"])
    assert [text.split()[0] for text in tab.texts(".check-head strong")] == numbers
    tab.show(_side(tab), ".side-line .message")
    assert {text.split()[0] for text in tab.texts(".facts.both tbody th")} == set(numbers)
    assert all(re.search(r"· trial [01] ·", text) for text in tab.texts(".side-head")[:1])


def test_milestones_are_called_by_what_they_ask_for(tab: Tab) -> None:
    tab.show(_conversation(tab), ".graph")
    assert all(re.search(r"(CONTACT|MESSAGING|agent)", text) for text in tab.texts(".node-name"))
    tab.show("#/conversations?q=recency&result=success", ".row")
    tab.page.locator(".row").first.click()
    tab.page.wait_for_selector(".message footer .tag")
    tags = tab.texts(".message footer .tag")
    assert tags
    assert all(re.search(r"milestone \d, \d.\d\d: \w+", text) for text in tags)


def test_graph_fits_its_box_however_many_milestones_stand_beside_each_other(
    browser: Any, runs: list[Path], tmp_path: Path
) -> None:
    path = retold(runs[1], tmp_path / "run", "get_wifi", [])

    def widened(stored: dict[str, Any]) -> None:
        stored["milestones"] = [{**stored["milestones"][0], "after": [0] if number else []} for number in range(9)]

    edit_record(path / "trajectories" / "get_wifi", widened, "evaluation")
    write_report([path], tmp_path / "report.html")
    for width in (360, 1280):
        tab = open_tab(browser, (tmp_path / "report.html").as_uri(), width=width)
        tab.show(f"#/conversation/{path.name}/get_wifi", ".graph")
        edge = tab.page.evaluate("document.querySelector('.talk-side .card').getBoundingClientRect().right")
        nodes = tab.page.evaluate(
            "[...document.querySelectorAll('.node')].map((one) => one.getBoundingClientRect().right)"
        )
        assert len(nodes) == 9
        assert max(nodes) <= edge
        tab.page.context.close()


Arguments = dict[str, Any]


def _value(random: Random, depth: int = 0) -> Any:
    kinds = [
        lambda: random.choice([0, 1, -1, 7, 1747440000, 1747353600, 2**53 + 1, 2**53 + 2, 10**30]),
        lambda: random.choice([0.5, -0.25, 1e300, 1747440000.5]),
        lambda: random.choice(["", "a", "A", "1", "true", "null", "né", 'a"b', "a'b", "x " * 40]),
        lambda: random.choice([None, True, False]),
        lambda: [_value(random, depth + 1) for _ in range(random.randrange(3))],
        lambda: {random.choice("abc"): _value(random, depth + 1) for _ in range(random.randrange(3))},
    ]
    return random.choice(kinds if depth < 2 else kinds[:4])()


def _pair(random: Random) -> tuple[Arguments, Arguments]:
    """Arguments, and others that are mostly the same, in another order."""
    one = {name: _value(random) for name in random.sample("pqrs", random.randrange(4))}
    other = dict(random.sample(sorted(one.items()), len(one)))
    if random.random() < 0.6:
        other[random.choice("pqrs")] = _value(random)
    if other and random.random() < 0.2:
        del other[random.choice(sorted(other))]
    return one, other


def test_what_differs_is_shown_and_what_is_alike_recedes(browser: Any, runs: list[Path], tmp_path: Path) -> None:
    random = Random(11)
    pairs = [_pair(random) for _ in range(120)]
    both = [
        retold(runs[1], tmp_path / side, "get_wifi", [(f"tool_{n}", pair[at]) for n, pair in enumerate(pairs)])
        for at, side in enumerate("ab")
    ]
    tab = _side_by_side(browser, both, "get_wifi", tmp_path)
    lines = tab.page.locator(".side-line:has(.call-name)")
    assert lines.count() == len(pairs)
    for number, (one, other) in enumerate(pairs):
        line = lines.nth(number)
        is_same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
        assert ("same" in (line.get_attribute("class") or "").split()) == is_same, (one, other)
        assert (line.locator(".differs").count() == 0) == is_same, (one, other)
    assert tab.complaints == []
    tab.page.context.close()


def test_a_change_that_differs_is_shown_where_the_answers_are_the_same(
    browser: Any, runs: list[Path], tmp_path: Path
) -> None:
    both = [
        retold(
            runs[1],
            tmp_path / str(seconds),
            "get_wifi",
            [("add_reminder", {"content": "x", "reminder_timestamp": seconds})],
        )
        for seconds in (1747440000, 1747353600)
    ]
    tab = _side_by_side(browser, both, "get_wifi", tmp_path)
    answers = tab.page.locator(".side-line:has(.answer)")
    assert answers.count() == 1
    assert "same" not in (answers.first.get_attribute("class") or "").split()
    # The date stands beside the seconds, in the zone of the world (Los Angeles).
    assert answers.first.locator(".differs").all_inner_texts() == [
        "1747440000 Fri, 16 May 2025, 17:00",
        "1747353600 Thu, 15 May 2025, 17:00",
    ]
    tab.page.context.close()


def _side_by_side(browser: Any, both: list[Path], name: str, base: Path) -> Tab:
    target = base / "report.html"
    write_report(both, target)
    tab = open_tab(browser, target.as_uri())
    first, second = (path.name for path in both)
    tab.show(f"#/side/{first}/{name}/{second}/{name}", ".side-line .message")
    return tab


def test_side_effects_are_told_in_words(browser: Any, runs: list[Path], tmp_path: Path) -> None:
    calls = [("add_reminder", {"content": "milk", "reminder_timestamp": 1747440000})]
    path = retold(runs[1], tmp_path / "run", "get_wifi", calls)
    conversation = path / "trajectories" / "get_wifi"
    stored = part_in(conversation, "execution_context")
    row = stored["_dbs"]["REMINDER"][-1]
    effect = {"database": "REMINDER", "kind": "added", "key": row["reminder_id"], "columns": [], "description": "?"}
    effects = [{**effect, "message_index": row["sandbox_message_index"]}]
    edit_record(conversation, lambda result: result | {"side_effects": effects})
    write_report([path], tmp_path / "report.html")
    tab = open_tab(browser, (tmp_path / "report.html").as_uri())
    tab.show(f"#/conversation/{path.name}/get_wifi", ".effects")
    (text,) = tab.texts(".effects > li")
    assert text.startswith(f"A row was added to reminder: message {row['sandbox_message_index']}")
    assert "milk" in text
    assert "Fri, 16 May 2025, 17:00" in text
    tab.page.context.close()


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


def test_of_parallel_calls_each_is_shown_with_what_it_changed(browser: Any, runs: list[Path], tmp_path: Path) -> None:
    calls = [("add_contact", {"name": name, "phone_number": "+12453344098"}) for name in ("Cid", "Dee")]
    path = retold(runs[1], tmp_path / "run", "get_wifi", calls, at_once=True)
    for is_old in (False, True):
        if is_old:
            forget_states(path, "get_wifi")
        write_report([path], tmp_path / "report.html")
        tab = open_tab(browser, (tmp_path / "report.html").as_uri())
        tab.show(f"#/conversation/{path.name}/get_wifi", ".change")
        one, other = tab.texts(".message:has(.answer)")[-2:]
        assert ("Cid" in one, "Dee" in one, "Cid" in other, "Dee" in other) == (True, is_old, False, not is_old)
        assert ("does not say which" in one) == is_old
        tab.page.context.close()


def test_runs_over_different_scenarios_are_ranked_by_what_all_played(
    browser: Any, runs: list[Path], tmp_path: Path
) -> None:
    fewer = play(prepare_run("Oracle", "Scripted", SCENARIOS[:2]), tmp_path).path
    more = tmp_path / "more"
    shutil.copytree(runs[1], more)
    (more / "result_summary.json").unlink()
    edit_record(more / "trajectories" / SCENARIOS[3], lambda result: result | {"similarity": 0.0, "success": False})
    write_report([more, fewer], tmp_path / "report.html")
    tab = open_tab(browser, (tmp_path / "report.html").as_uri())
    for link, selector in {"#/board": ".board", "#/overview": ".forest"}.items():
        tab.show(link, selector)
        assert "over the 2 scenarios that all runs played" in tab.texts(".notice")[0]
    assert all(text.startswith("100.0 %") for text in tab.texts(".forest-line:not(.axis) .forest-number"))
    tab.show("#/board", ".board")
    assert all(text.startswith("100.0 %") for text in tab.texts(".board tbody td:nth-child(2)"))
    assert tab.texts(".board tbody td:nth-child(5)") == ["4", "2"]
    tab.page.context.close()


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
