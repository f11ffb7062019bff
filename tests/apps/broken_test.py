"""What is wrong with an app is said in one line, with file and line, when it is loaded or when it is checked."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tool_sandbox.cli import main

Load = Callable[..., tuple[int, str]]

APP = '''
import random
import time
from typing import Any

import tool_sandbox as ts
from tool_sandbox.apps import *  # noqa: F403

LAMPS = table("lamps.lamps", key("lamp_id"), text("room"), flag("on"), whole("watts", 1, 100))
{tables}
STATE = []

@tool
def add_lamp(room: str, watts: int = 10) -> str:
    """Add a lamp to the list of lamps.

    Args:
        room: Where it stands.
        watts: Its power, from 1 to 100.

    Returns:
        Identifier of the lamp.

    Raises:
        ValueError: The room is blank, or the power is out of range.
    """
    checked_text(room, "room", 50)
    if not 1 <= watts <= 100:
        raise ValueError(f"watts must be from 1 to 100, got {{watts:.20g}}")
    return add(LAMPS, room=room, on=False, watts=int(watts))


@tool
def search_lamps(room: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """Find lamps.

    Args:
        room: Where they stand.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before.

    Returns:
        A page of lamps.

    Raises:
        ValueError: The limit or the cursor is wrong.
    """
    return search(LAMPS, equals("room", room), limit=limit, cursor=cursor)


{tools}


def content(draw: Draw, size: Size) -> Any:
    count = {{"small": 3, "medium": 20, "large": 1000}}[size]
    rooms = ["hall", "attic"]
    rows = [{{"lamp_id": draw.key("lamp"), "room": draw.choice(rooms), "on": False, "watts": 9}} for _ in range(count)]
    {content}
    return {{LAMPS.name: rows}}


WORDS = {{LAMPS.name: ("lamp", "lamps")}}
APP = ts.App("lamps", "Lamps", [LAMPS{more_tables}], [add_lamp, search_lamps{more_tools}], content, WORDS{more})
'''


@pytest.fixture
def load(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Load:
    """Checks an app that differs from a sound one, and gives the exit code and what was said."""
    monkeypatch.chdir(tmp_path)

    def check(**parts: str) -> tuple[int, str]:
        plain = dict.fromkeys(("tables", "tools", "content", "more_tables", "more_tools", "more"), "")
        parts = {name: textwrap.dedent(part).strip() for name, part in parts.items()}
        Path("lamps.py").write_text(APP.format(**plain | {"content": "pass"} | parts), "utf-8")
        code = main(["apps", "check", "lamps.py", "--calls", "300"])
        printed = capsys.readouterr()
        return code, (printed.out + printed.err).strip()

    return check


TOOL = '''
@tool
def {name}(lamp_id: str{parameters}){returns}:
    """Switch a lamp.

    Args:
        lamp_id: Identifier of the lamp.

    Returns:
        Nothing.

    Raises:
        NoDataError: No lamp has this identifier.
    """
    {body}
'''


def a_tool(
    name: str = "switch_lamp",
    parameters: str = "",
    returns: str = " -> None",
    body: str = "change(LAMPS, lamp_id, on=True)",
) -> dict[str, str]:
    return {
        "tools": TOOL.format(name=name, parameters=parameters, returns=returns, body=body),
        "more_tools": f", {name}",
    }


def test_a_sound_app_is_sound(load: Load) -> None:
    code, told = load(**a_tool())
    assert (code, told.count("\n")) == (0, 0), told
    assert told.endswith("0 findings")


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"tables": 'BAD = table("lamps.bad", key("bad_id"), text("x"), text("x"))'},
         "lamps.py:10: table 'lamps.bad': two columns have the name 'x'"),
        ({"tables": 'BAD = table("lamps.bad", text("x", optional=True))'},
         "lamps.py:10: table 'lamps.bad': the first column is the key, made with key(...)"),
        ({"tables": 'BAD = table("lamps.bad", key("bad_id"), whole("x", 5, 1))'},
         "lamps.py:10: table 'lamps.bad': column 'x' has a range with nothing in it"),
        ({"tables": 'BAD = table("lamps.bad", key("bad_id"), unique=[only_one("y")])'},
         "lamps.py:10: table 'lamps.bad': there is no column 'y', which a rule names"),
        ({"tables": 'BAD = table("bad", key("bad_id"))'},
         "lamps.py:10: table 'bad': the name of a table is app.table in lower case"),
        ({"tables": 'BAD = table("lamps.bad", key("bad_id"), reference("x", "lamps.none"))', "more_tables": ", BAD"},
         "app 'lamps': words does not say what a row of lamps.bad is called"),
        ({"tables": 'LAMPS = table("lamps.lamps", key("lamp_id"), reference("room", "lamps.none"))'},
         "app 'lamps': lamps.lamps refers to lamps.none, which is no table of this app or of one that it needs"),
        ({"tables": 'LAMPS = table("lamps.lamps", key("lamp_id"), reference("room", "CONTACT"))'},
         "app 'lamps': lamps.lamps refers to CONTACT, which other tools change as they like; keep a text instead"),
        ({"more": ', needs=["lanterns"]'}, "app 'lamps' needs 'lanterns', which is no app here and no setting"),
        ({"tools": "def switch_lamp(): ...", "more_tools": ", switch_lamp"},
         "switch_lamp is no tool; put @tool above it"),
        ({"tools": "@tool\ndef switch_lamp(): ...", "more_tools": ", switch_lamp"},
         "tool switch_lamp does not say what it does: it needs a docstring"),
        (a_tool(parameters=", how: str"), "tool switch_lamp: its docstring says nothing of how under Args"),
        (a_tool(parameters=", how"), "tool switch_lamp: parameter how needs a type made of str, int,"),
        (a_tool(returns=""), "tool switch_lamp does not say what it returns: it needs a type and a section Returns"),
        (a_tool(name="switch"), "tool switch must be named verb_noun in lower case"),
        (a_tool(name="add_contact"), "there are two tools of the name add_contact"),
        ({"more_tools": ", add_lamp"}, "there are two tools of the name add_lamp"),
        ({"content": 'rows[0]["watts"] = 900'},
         "its small content is wrong: column 'watts' takes at least 1 and at most 100, got 900"),
        ({"content": 'rows[0]["volts"] = 9'}, "its small content is wrong: unknown columns ['volts']"),
        ({"content": 'rows[0]["lamp_id"] = rows[1]["lamp_id"]'},
         "its small content is wrong: lamps.lamps: two rows have the lamp_id"),
        ({"tables": "1 / 0"}, "lamps.py cannot be loaded: ZeroDivisionError: division by zero (lamps.py:10)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_when_it_is_loaded(load: Load, parts: dict[str, str], told: str) -> None:
    code, line = load(**parts)
    assert code == 2
    assert line.count("\n") == 0
    assert told in line
    assert "lamps.py:" in line or "cannot be loaded" in line


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (a_tool(body="change(LAMPS, lamp_id, watts=500)"), "tool switch_lamp raised ValueError, which its"),
        (a_tool(body="change(LAMPS, lamp_id, watts=500)"), "tool switch_lamp speaks of columns, not of its parameters"),
        (a_tool(body="change(LAMPS, lamp_id, lamp_id=next(iter(rows_of(LAMPS).keys)))"),
         "tool switch_lamp leaves it to a rule to refuse a call: lamps.lamps: two rows have the lamp_id"),
        (a_tool(body="raise PermissionError('no')"), "tool switch_lamp raised PermissionError, which its"),
        (a_tool(body="raise PermissionError('no')"), "no call raised the NoDataError that its documentation names"),
        (a_tool(body="get(LAMPS, lamp_id); return {1, 2}"), "tool switch_lamp returned what has no JSON form"),
        (a_tool(body="get(LAMPS, lamp_id); return (1, 2)"), "tool switch_lamp returned other than plain lists"),
        (a_tool(body="get(LAMPS, lamp_id); return 'x' * 30_000"), "tool switch_lamp returned more than 20000"),
        (a_tool(body="get(LAMPS, lamp_id); return random.random()"), "the same calls in the same world do not"),
        (a_tool(body="STATE.append(get(LAMPS, lamp_id)); return len(STATE)"), "the same calls in the same world do"),
        (a_tool(body="raise ValueError('a' + chr(10) + 'b')"), "whose message is not one line"),
        (a_tool(body="raise unknown(LAMPS, lamp_id)"), "tool switch_lamp never succeeded in"),
        ({"content": "rows = rows[:500]"}, "large content has 500 rows, at least 1000 are wanted"),
        ({"content": 'rows = rows if size != "medium" else []'}, "content must grow from small to medium to large"),
        ({"content": 'rows[0]["room"] = f"room {time.perf_counter_ns()}"'}, "is not the same when drawn again"),
        ({"more": ", probes=[lambda: 1]"}, "probe <lambda> raised nothing"),
    ],
)  # fmt: skip
def test_what_a_tool_does_wrong_is_found(load: Load, parts: dict[str, str], told: str) -> None:
    code, text = load(**parts)
    assert code == 1
    assert told in text


PAGES = '''
@tool
def list_lamps(limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """List lamps.

    Args:
        limit: Number of results of a page.
        cursor: next_cursor of the page before.

    Returns:
        A page of lamps.

    Raises:
        ValueError: The limit or the cursor is wrong.
    """
    if not 1 <= limit <= 50 or (cursor is not None and not cursor.isdecimal()):
        raise ValueError("limit or cursor is wrong")
    start, rows = int((cursor or "0")[:6]), rows_of(LAMPS).dicts()
    end = int(start + limit)
    return {"results": rows[start:end], "total": len(rows), "next_cursor": str(end) if end < len(rows) else None}
'''


def test_pages_that_move_are_found(load: Load) -> None:
    code, text = load(tools=PAGES, more_tools=", list_lamps")
    assert code == 1
    assert "tool list_lamps: its pages are not of one moment when the world moves in between" in text
