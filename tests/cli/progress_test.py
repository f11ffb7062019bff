import io
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, serve
from tests.runner.store_test import result
from tool_sandbox.cli.progress import describe_failure, show_progress
from tool_sandbox.cli.tables import summary_table, text_table
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.naming import choose_model
from tool_sandbox.models.session import Session
from tool_sandbox.runner.summary import summarise

PLAYED: dict[str, Any] = {"directory": "a", "similarity": 0.5, "traceback": None}
FAILED: dict[str, Any] = {
    "directory": "b",
    "similarity": 0,
    "exception_type": "ValueError",
    "traceback": "Traceback (most recent call last):\n  File ...\nValueError: [bold]two\nlines\n",
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_are_few_and_name_failures() -> None:
    stream = io.StringIO()
    with show_progress(40, stream=stream) as progress:
        for _ in range(39):
            progress.update(PLAYED)
        progress.update(FAILED)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[0] == "played 4/40, mean similarity 0.500"
    assert lines[-2] == "b: ValueError: [bold]two"
    assert lines[-1] == "played 40/40, mean similarity 0.487, 1 with exceptions"


def test_every_total_ends_with_its_last_line() -> None:
    for total in (1, 7, 10, 23, 101):
        stream = io.StringIO()
        with show_progress(total, stream=stream) as progress:
            for _ in range(total):
                progress.update(PLAYED)
        lines = stream.getvalue().splitlines()
        assert lines[-1].startswith(f"played {total}/{total}, ")
        assert len(lines) == len(set(lines)) <= 13


def test_terminal_shows_a_bar_and_failures_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb terminal cannot show a bar
    stream = Terminal()
    with show_progress(2, stream=stream) as progress:
        progress.update(PLAYED)
        progress.update(FAILED)
    assert "b: ValueError: [bold]two" in stream.getvalue()
    assert "2/2" in stream.getvalue()


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
    assert "mean similarity" in stream.getvalue()


def test_there_is_no_mean_of_nothing() -> None:
    stream = io.StringIO()
    with show_progress(1, stream=stream) as progress:
        progress.update({**FAILED, "evaluated": False})
    assert stream.getvalue().splitlines()[-1] == "played 1/1, mean similarity -, 1 excluded"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["plain", "terminal"])
def test_waits_are_shown_while_they_last(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
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


def test_standard_output_is_left_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with show_progress(1, stream=Terminal()):
        print("for a file")
    assert capsys.readouterr().out == "for a file\n"


def test_failure_in_one_line() -> None:
    assert describe_failure({**FAILED, "traceback": "errors.ValueError: x\n"}) == "b: ValueError: x"
    assert describe_failure({**FAILED, "traceback": "ValueError\n"}) == "b: ValueError"


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
    summary = summarise([result("a", 0.5, "TOOL_DESCRIPTION_SCRAMBLED")], {}, None)
    assert max(map(len, summary_table(summary).splitlines())) > 80
    narrow = summary_table(summary, 80).splitlines()
    assert max(map(len, narrow)) <= 80
    assert narrow[1].split() == ["errors"]
    assert "exceptions" not in narrow[0]
    assert narrow[-1].split() == ["ALL_CATEGORIES", "1", "0.500", "0.0%", "4.0", "1"]
