import io
from typing import Any

import pytest

from tool_sandbox.cli.progress import describe_failure, show_progress
from tool_sandbox.cli.tables import summary_table, text_table
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


def test_failure_in_one_line() -> None:
    assert describe_failure({**FAILED, "traceback": "errors.ValueError: x\n"}) == "b: ValueError: x"
    assert describe_failure({**FAILED, "traceback": "ValueError\n"}) == "b: ValueError"


def test_numbers_are_aligned_to_the_right() -> None:
    assert text_table(["name", "n"], [["a", "10"], ["long", "5"]]) == "name   n\n----  --\na     10\nlong   5"


def test_summary_of_nothing_is_a_table() -> None:
    last = summary_table(summarise([], {}, None)).splitlines()[-1]
    assert last.split() == ["ALL_CATEGORIES", "0", "-", "-", "-", "0", "0", "0"]
