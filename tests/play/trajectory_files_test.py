import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.play.trajectory_files import (
    in_memory,
    make_directory,
    to_json,
    write_bytes,
    write_execution_context,
    write_json,
    write_pretty_print,
)

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_KEYS = st.text() | st.integers() | st.none()
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(_KEYS, inner),
    max_leaves=30,
)


@given(_VALUES, st.sampled_from([2, 4]))
def test_layout_is_that_of_the_standard_library(value: Any, indent: int) -> None:
    assert to_json(value, indent) == json.dumps(value, indent=indent, ensure_ascii=False)


def test_enums_are_written_as_their_values() -> None:
    value = {DatabaseNamespace.CONTACT: [RoleType.AGENT, {"a": [RoleType.USER]}]}
    assert to_json(value, 2) == json.dumps(value, indent=2)


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(TypeError):
        to_json({"a": [{1, 2}]}, 2)
    circular: list[Any] = []
    circular.append(circular)
    with pytest.raises(ValueError, match="contains itself"):
        to_json(circular, 2)


def test_no_file_has_a_number_that_is_not_finite() -> None:
    odd = {"a": [float("nan"), {"b": float("-inf")}], "c": (float("inf"), 1.5)}
    assert json.loads(to_json(odd, 2), parse_constant=pytest.fail) == {"a": [None, {"b": None}], "c": [None, 1.5]}
    assert to_json(float("inf"), 2) == "null"


def test_default_gives_a_form_to_what_has_none() -> None:
    value = {"on": datetime.date(2024, 5, 6), "rows": [{"at": [datetime.date(2024, 5, 7)]}]}
    assert to_json(value, 2, str) == json.dumps(value, indent=2, default=str)


def test_lone_surrogates_survive(tmp_path: Path) -> None:
    write_json(tmp_path / "file.json", {"text": "bad \ud800 and ü"}, indent=2)
    assert "ü" in (tmp_path / "file.json").read_text("utf-8")
    assert json.loads((tmp_path / "file.json").read_text("utf-8")) == {"text": "bad \ud800 and ü"}


def test_failed_write_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")
    with pytest.raises(TypeError):
        write_bytes(path, None)  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_missing_directory_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        write_bytes(tmp_path / "missing" / "file", b"")


def _world_with_messages() -> ExecutionContext:
    context = ExecutionContext()
    agent, user, environment = RoleType.AGENT, RoleType.USER, RoleType.EXECUTION_ENVIRONMENT
    context.add_to_database(
        DatabaseNamespace.SANDBOX,
        [
            {"sender": user, "recipient": agent, "content": "an example", "visible_to": [user]},
            {"sender": user, "recipient": agent, "content": "Turn off\nwifi", "visible_to": [user, agent]},
            {
                "sender": environment,
                "recipient": agent,
                "content": "no",
                "openai_tool_call_id": "call_7",
                "openai_function_name": "set_wifi_status",
                "tool_call_exception": "PermissionError: no",
                "tool_trace": ['{"tool_name": "set_wifi_status"}'],
            },
            {"sender": agent, "recipient": user, "content": "Grüße", "visible_to": [user, agent, environment]},
        ],
    )
    return context


def test_pretty_print_shows_what_happened(tmp_path: Path) -> None:
    write_pretty_print(_world_with_messages(), tmp_path / "pretty_print.txt")
    text = (tmp_path / "pretty_print.txt").read_text("utf-8")
    assert text.splitlines()[2:] == [
        "[1] USER -> AGENT",
        "    Turn off",
        "    wifi",
        "",
        "[2] EXECUTION_ENVIRONMENT -> AGENT  set_wifi_status",
        "    no",
        "    exception: PermissionError: no",
        '    trace: {"tool_name": "set_wifi_status"}',
        "",
        "[3] AGENT -> USER  (visible to USER, AGENT, EXECUTION_ENVIRONMENT)",
        "    Grüße",
        "",
    ]


def test_world_survives_a_round_trip(tmp_path: Path) -> None:
    context = _world_with_messages()
    write_execution_context(context, tmp_path / "execution_context.json")
    stored = json.loads((tmp_path / "execution_context.json").read_text("utf-8"))
    assert ExecutionContext.from_dict(stored).equals(context)


def test_in_memory_writes_nothing_below_its_root(tmp_path: Path) -> None:
    inside, beside = tmp_path / "run", tmp_path / "cache"
    make_directory(beside)
    with in_memory(inside) as files:
        make_directory(inside / "first")
        write_bytes(inside / "first" / "record", b"1")
        write_bytes(beside / "entry", b"2")
    assert files == {inside / "first" / "record": b"1"}
    assert not inside.exists()
    assert (beside / "entry").read_bytes() == b"2"
