import io
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, serve
from tests.runner.store_test import result
from tool_sandbox.cli.live import Board
from tool_sandbox.cli.progress import show_progress
from tool_sandbox.cli.tables import summary_table, text_table
from tool_sandbox.cli.tally import Tally, describe_failure, span
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.naming import choose_model
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.session import Session
from tool_sandbox.models.throttle import throttle_of
from tool_sandbox.runner.summary import summarise

_CONTROL = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")

PLAYED: dict[str, Any] = {"directory": "a", "similarity": 0.5, "traceback": None}
FAILED: dict[str, Any] = {
    "directory": "b",
    "similarity": 0,
    "exception_type": "ValueError",
    "traceback": "Traceback (most recent call last):\n  File ...\nValueError: [bold]two\nlines\n",
}


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """What a terminal of some width shows of what was written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """Everything that it was sent as text, line by line, whether it was overwritten later or not."""
        return [line for line in re.split(r"[\r\n]+", _CONTROL.sub("", self.getvalue())) if line]

    def screen(self) -> list[str]:
        """What is to be seen at the end."""
        rows, row = [""], 0
        for control, sign, text in re.findall(r"\x1b\[([\d;?]*)([A-Za-z])|([^\x1b])", self.getvalue()):
            if sign == "A":
                row -= int(control or 1)
            elif sign == "K":
                rows[row] = ""
            elif text == "\n":
                row += 1
                rows += [""] * (row + 1 - len(rows))
            elif text and text != "\r":
                rows[row] += text
        return [line for line in rows if line.strip()]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Terminal]:
    """Makes a terminal of some size."""

    def make(columns: int = 80, rows: int = 24, **environment: str) -> Terminal:
        for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm", "COLUMNS": str(columns), "LINES": str(rows), **environment}.items():
            monkeypatch.setenv(name, value)
        return Terminal()

    return make


def drawn(tally: Tally, stream: Terminal, *models: Provider) -> list[str]:
    """The display of a terminal at one moment, as text."""
    console = Console(file=stream)
    with console.capture() as capture:
        console.print(Board(tally, console, models).draw())
    return _CONTROL.sub("", capture.get()).splitlines()


def test_plain_lines_are_few_and_name_failures() -> None:
    stream = io.StringIO()
    with show_progress(40, stream=stream, clock=Clock()) as progress:
        for _ in range(39):
            progress.update(PLAYED)
        progress.update(FAILED)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[0] == "played 4/40, score 0.500, success 0.0%"
    assert lines[-2] == "b: ValueError: [bold]two"
    assert lines[-1] == "played 40/40, score 0.487, success 0.0%, 1 with exceptions"


def test_every_total_ends_with_its_last_line() -> None:
    for total in (1, 7, 10, 23, 101):
        stream = io.StringIO()
        with show_progress(total, stream=stream) as progress:
            for _ in range(total):
                progress.update(PLAYED)
        lines = stream.getvalue().splitlines()
        assert lines[-1].startswith(f"played {total}/{total}, ")
        assert len(lines) == len(set(lines)) <= 13


def test_slow_runs_have_a_line_every_half_minute() -> None:
    stream, clock = io.StringIO(), Clock()
    with show_progress(1000, stream=stream, clock=clock) as progress:
        for second in range(90):
            clock.now = second + 1.0
            progress.update(PLAYED)
    assert [line.partition(",")[0] for line in stream.getvalue().splitlines()] == [
        f"played {count}/1000" for count in (30, 60, 90)
    ]


def test_plain_lines_have_no_control_characters_and_say_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    with show_progress(4, stream=stream, parts=[("a", 2), ("\x1b[31mb", 2)]) as progress:
        progress.update(PLAYED, 0)
        progress.update({**PLAYED, "similarity": 1.0, "success": True}, 1)
    assert stream.getvalue().splitlines()[-1] == "played 2/4; success: a 0.0%, \\x1b[31mb 100.0%"


def test_a_dumb_terminal_gets_plain_lines(terminal: Callable[..., Terminal]) -> None:
    stream = terminal(TERM="dumb")
    with show_progress(1, stream=stream) as progress:
        progress.update(PLAYED)
    assert stream.getvalue().startswith("played 1/1, ")


def test_terminal_shows_failures_and_clears_the_rest(terminal: Callable[..., Terminal]) -> None:
    stream = terminal()
    with show_progress(2, stream=stream) as progress:
        progress.update(PLAYED)
        progress.update(FAILED)
    assert any("2/2" in line for line in stream.lines())
    assert stream.screen() == ["b: ValueError: [bold]two"]


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
@pytest.mark.parametrize("labels", [1, 3, 14])
def test_display_fits_the_terminal(columns: int, labels: int, terminal: Callable[..., Terminal]) -> None:
    clock = Clock()
    runs = [(f"provider/model-日本-{number}:reasoning=high,temperature=0.{number}", 12_160) for number in range(labels)]
    tally = Tally(runs, clock)
    for number in range(200):
        clock.now += 1
        usage = {"retries": 1, "input_tokens": 10**6, "output_tokens": 9, "paid_usd": 12.34}
        tally.add({**PLAYED, "directory": str(number), "usage": {"agent": usage, "user": None}}, number % labels)
        tally.add({**FAILED, "evaluated": False, "fault": f"kind_{number % 30}"}, number % labels)
    lines = drawn(tally, terminal(columns, 20))
    assert len(lines) <= 19
    assert all(cell_len(line) < columns for line in lines)
    if columns >= 60:
        assert "400/" in lines[0]
        assert "elapsed" in lines[1]
        assert labels == 1 or "cost" in next(line for line in lines if line.startswith("run"))
    if labels == 14 and columns >= 40:
        assert lines[-1].startswith("5 others")


def test_display_says_what_there_is_to_know(terminal: Callable[..., Terminal]) -> None:
    clock = Clock()
    tally = Tally([("Oracle", 100), ("Oracle:error_rate=0.1", 100)], clock)
    usage = {"retries": 0, "input_tokens": 1000, "output_tokens": 200, "paid_usd": 0.25}
    for number in range(20):
        clock.now += 3
        success = {"similarity": 1.0, "success": True} if number % 4 else {}
        tally.add({**PLAYED, **success, "usage": {"agent": usage}}, number % 2)
    lines = drawn(tally, terminal())
    assert lines[0].endswith("20/200  10%")
    assert lines[1].startswith("1:00 elapsed, 20/min, about 9:00 left (until ")
    assert lines[2] == "$5.00 of about $50.00, 24.0k tokens"
    assert [line.split()[0::1][-4:] for line in lines[3:]] == [
        ["played", "success", "cost", "score"],
        ["10/100", "50.0%", "$2.50", "0.750"],
        ["10/100", "100.0%", "$2.50", "1.000"],
    ]
    clock.now += 45
    assert "last result 0:45 ago" in drawn(tally, terminal())[1]


def test_requests_under_way_are_shown_before_the_first_result(terminal: Callable[..., Terminal]) -> None:
    model = choose_model("vllm/seen-in-the-display:base_url=http://127.0.0.1:9/v1").provider
    throttle = throttle_of(model)
    tally = Tally([("", 1)], Clock())
    assert "0 requests under way" in drawn(tally, terminal(), model, model)
    for _ in range(4):
        cuts, _ = throttle.enter()
    assert "4 requests under way" in drawn(tally, terminal(), model, model)
    throttle.push_back(cuts)
    assert re.search(
        r"4 requests under way, slowed to \d at once, 0 waiting", "\n".join(drawn(tally, terminal(), model))
    )


def test_colours_are_left_out_where_they_are_not_wanted(terminal: Callable[..., Terminal]) -> None:
    shown = {}
    for name, environment in {"colour": {}, "plain": {"NO_COLOR": "1"}}.items():
        stream = terminal(**environment)
        with show_progress(4, stream=stream) as progress:
            progress.update(PLAYED)
            progress.update(PLAYED)
        shown[name] = stream.getvalue()
    assert re.search(r"\x1b\[\d+(;\d+)*m", shown["colour"])
    assert not re.search(r"\x1b\[(3|4|9)[0-7]", shown["plain"])
    # Without colours the two halves of a bar differ in their characters.
    assert "━─" in shown["plain"]


def test_a_terminal_without_unicode_gets_none(terminal: Callable[..., Terminal]) -> None:
    stream = terminal(60)
    stream.encoding = "ascii"
    tally = Tally([("a" * 70, 4), ("b", 4)])
    tally.add(PLAYED, 0)
    assert "".join(drawn(tally, stream)).isascii()


def test_pace_is_that_of_late() -> None:
    clock = Clock()
    tally = Tally([("", 1000)], clock)
    for _ in range(300):
        clock.now += 1
        tally.add(PLAYED)
    assert tally.pace == pytest.approx(1.0, rel=0.05)
    # Harder scenarios follow: ten times as long each.
    for _ in range(60):
        clock.now += 10
        tally.add(PLAYED)
    assert tally.pace == pytest.approx(0.1, rel=0.05)
    assert tally.left_s == pytest.approx(6400, rel=0.05)
    # While nothing comes in, less is promised.
    clock.now += 900
    assert tally.pace is not None
    assert tally.pace < 0.05


def test_nothing_is_promised_too_early() -> None:
    clock = Clock()
    tally = Tally([("", 100)], clock)
    for number in range(10):
        assert (tally.pace is None, tally.left_s is None) == (True, True), number
        clock.now += 5
        tally.add(PLAYED)
    assert tally.left_s == pytest.approx(450)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        # Each agent has a model to itself: the slow one needs 91 times ten seconds, whatever becomes of the other.
        (("a", "b"), 910),
        # One limit for both: once the fast one is over, the slow one has twice the places.
        (None, (910 + 10) / 2),
    ],
)
def test_a_slow_agent_decides_what_is_left(places: tuple[str, str] | None, expected: float) -> None:
    clock = Clock()
    tally = Tally([("fast", 100), ("slow", 100)], clock, places)
    for second in range(1, 101):
        clock.now += 1
        tally.add(PLAYED, 0)
        if second % 10 == 0:
            tally.add(PLAYED, 1)
        if second == 40:
            assert tally.left_s is None, "too little is known of the slow one"
        if second == 90:
            assert tally.left_s == pytest.approx(expected)
    assert tally.left_s == pytest.approx(900), "the fast one is over"
    for _ in range(90):
        clock.now += 10
        tally.add(PLAYED, 1)
    assert tally.left_s == 0


def test_a_run_that_was_given_up_is_not_waited_for() -> None:
    clock, stream = Clock(), io.StringIO()
    with show_progress(40, stream=stream, parts=[("a", 20), ("gone", 20)], clock=clock) as progress:
        for _ in range(10):
            clock.now += 60
            progress.update(PLAYED, 0)
        assert "left" not in stream.getvalue()
        progress.end(1)
        clock.now += 60
        progress.update(PLAYED, 0)
        assert "about 9:00 left" in stream.getvalue().splitlines()[-1]


def test_cost_is_projected_for_each_run_by_itself() -> None:
    tally = Tally([("cheap", 10), ("dear", 100), ("later", 10)])
    for cost, part in ((1.0, 0), (3.0, 0), (10.0, 1)):
        tally.add({**PLAYED, "usage": {"agent": {"retries": 0, "paid_usd": cost}}}, part)
    assert tally.projected_usd == pytest.approx(2 * 10 + 10 * 100 + 14 / 3 * 10)
    tally.add({**PLAYED, "usage": {"agent": {"retries": 0, "paid_usd": None}}}, 1)
    assert tally.projected_usd is None


def test_terminal_is_left_alone_while_a_person_plays() -> None:
    stream = Terminal()
    with show_progress(3, interactive=True, stream=stream) as progress:
        for _ in range(3):
            progress.update(PLAYED)
    assert stream.getvalue() == ""


def test_failures_that_are_alike_are_told_once() -> None:
    stream = io.StringIO()
    with show_progress(20, stream=stream) as progress:
        for number in range(20):
            progress.update({**FAILED, "directory": str(number)})
    assert stream.getvalue().count("ValueError") == 1
    assert "score" in stream.getvalue()


def test_there_is_no_mean_of_nothing() -> None:
    stream = io.StringIO()
    with show_progress(1, stream=stream, clock=Clock()) as progress:
        progress.update({**FAILED, "evaluated": False})
    assert stream.getvalue().splitlines()[-1] == "played 1/1, score -, success -, 1 excluded"


@pytest.mark.parametrize("is_terminal", [False, True], ids=["plain", "terminal"])
def test_waits_are_shown_while_they_last(*, is_terminal: bool, terminal: Callable[..., Terminal]) -> None:
    stream = terminal() if is_terminal else io.StringIO()
    policy = RetryPolicy(sleep=lambda seconds: shown.append(stream.getvalue()), jitter=lambda: 0.0)
    shown: list[str] = []
    moves = [Broken(429, "", "sk-secret", {"retry-after": "7"}), Broken(429, "", "sk-secret"), Answer("OK")]
    with serve(OpenAIChatDialect(lenient=True), moves) as server, show_progress(1, stream=stream) as progress:
        provider = choose_model(f"vllm/m:base_url={server.url}/v1").provider
        ask(provider, ModelRequest("", (UserTurn("Hello"),)), Session(), policy)
        assert all("vllm/m: rate_limit (HTTP 429); trying again in 7.0 s" in text for text in shown)
        progress.update(PLAYED)
    assert stream.getvalue().count("trying again") == 1
    assert "2 retries" in stream.getvalue()
    assert "sk-secret" not in stream.getvalue()
    assert logging.getLogger("tool_sandbox.models.calling").handlers == []


def test_standard_output_is_left_alone(terminal: Callable[..., Terminal], capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(1, stream=terminal()):
        print("for a file")
    assert capsys.readouterr().out == "for a file\n"


def test_failure_in_one_line() -> None:
    assert describe_failure({**FAILED, "traceback": "errors.ValueError: x\n"}) == "b: ValueError: x"
    assert describe_failure({**FAILED, "traceback": "ValueError\n"}) == "b: ValueError"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (754, "12:34"), (4_930, "1:22:10"), (360_000, "100:00:00")]
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_numbers_are_aligned_to_the_right() -> None:
    assert text_table(["name", "n"], [["a", "10"], ["long", "5"]]) == "name   n\n----  --\na     10\nlong   5"


def test_summary_of_nothing_is_a_table() -> None:
    last = summary_table(summarise([], {}, None)).splitlines()[-1]
    assert last.split() == ["ALL_CATEGORIES", "0", "-", "-", "-", "0", "0", "0"]


def test_text_is_wrapped_to_the_width_that_there_is() -> None:
    rows = [["a", "some words that need more than one line", "7"], ["b", "few", "8"]]
    table = text_table(["name", "what", "n"], rows, left=2, width=30)
    assert table.splitlines() == [
        "name  what                   n",
        "----  ---------------------  -",
        "a     some words that need   7",
        "      more than one line",
        "b     few                    8",
    ]


@given(
    st.lists(st.tuples(st.text("ab -", max_size=60), st.text("ab ", max_size=60), st.integers(0, 99))),
    st.integers(40, 200),
)
def test_wrapped_tables_fit_and_lose_no_letter(rows: list[tuple[str, str, int]], width: int) -> None:
    table = text_table(["a", "b", "n"], [[*row[:2], str(row[2])] for row in rows], left=2, width=width)
    assert all(len(line) <= width for line in table.splitlines())
    for letter in "ab":
        # The titles have each letter once.
        assert table.count(letter) == 1 + sum(text.count(letter) for row in rows for text in row[:2])


def test_summary_fits_into_a_small_terminal() -> None:
    summary = summarise([result("a", 0.5, "TOOL_DESCRIPTION_SCRAMBLED", tool_errors=1)], {}, None)
    assert max(map(len, summary_table(summary).splitlines())) > 80
    narrow = summary_table(summary, 80).splitlines()
    assert max(map(len, narrow)) <= 80
    assert narrow[1].split() == ["errors"]
    assert "exceptions" not in narrow[0]
    assert narrow[-1].split() == ["ALL_CATEGORIES", "1", "0.500", "0.0%", "4.0", "1"]
