"""What an agent may say, and everything else that it may print."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, Usage, UserTurn
from tool_sandbox.roles.external.agent import Reply
from tool_sandbox.roles.external.json_lines_messages import (
    Calls,
    Failure,
    read_message,
    to_history,
    to_results,
)
from tool_sandbox.world.errors import AgentError


def read(**message: Any) -> Any:
    return read_message(json.dumps(message))


def call(**fields: Any) -> dict[str, Any]:
    return {"id": "1", "name": "t", "arguments": {}, **fields}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_calls() -> None:
    message = read(type="tool_calls", calls=[call(arguments={"on": True}), call(id="2", arguments="{")], text="Now.")
    assert message == Calls((RequestedCall("1", "t", {"on": True}), RequestedCall("2", "t", "{")), "Now.")
    assert read(type="tool_calls", calls=[{"id": "1", "name": "t"}]) == Calls((RequestedCall("1", "t", {}),))
    assert read(type="tool_calls", calls=[call()], text=None).text == ""


def test_answers() -> None:
    assert read(type="message", text="Hi") == Reply("Hi")
    usage = {"input_tokens": 5, "cached_tokens": 3, "output_tokens": 2, "thinking": "much", "reasoning_tokens": None}
    message = read(type="message", text="", usage=usage, cost_usd=0, model="m-1")
    assert message == Reply("", Usage(input_tokens=5, cached_tokens=3, output_tokens=2), 0.0, "m-1")


def test_giving_up() -> None:
    assert read(type="error", message="a\nb") == Failure("a b")
    assert read(type="error", message="x", retryable=False, infrastructure=None) == Failure("x")
    assert read(type="error", message="x", retryable=True).is_infrastructure
    assert read(type="error", message="x", infrastructure=True).is_infrastructure


@pytest.mark.parametrize(
    "message", [{"type": "log"}, {"type": "log", "text": 5}, {"type": "progress", "calls": 1}, {"type": ""}]
)
def test_what_means_nothing(message: dict[str, Any]) -> None:
    assert read(**message) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "JSON object on one line, got: an empty line"),
        ("hello", "JSON object on one line, got: hello"),
        ("{", "JSON object on one line"),
        ('{"type": "log"} x', "JSON object on one line"),
        ('{"type": "message", "text": "x", "cost_usd": NaN}', "JSON object on one line"),
        ("[" * 100_000, "JSON object on one line"),
        ('{"type": "message", "text": "x", "usage": {"input_tokens": ' + "9" * 5000 + "}}", "JSON object on one line"),
        ("[]", 'JSON object with a "type"'),
        ("null", 'JSON object with a "type"'),
        ("{}", 'JSON object with a "type"'),
        ('{"type": ["message"]}', 'JSON object with a "type"'),
    ],
)
def test_what_is_no_message(line: str, expected: str) -> None:
    with pytest.raises(AgentError) as raised:
        read_message(line)
    assert expected in str(raised.value)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"type": "tool_calls"}, '"calls" to be a list'),
        ({"type": "tool_calls", "calls": []}, "1 to 128 calls"),
        ({"type": "tool_calls", "calls": [call()] * 129}, "1 to 128 calls"),
        ({"type": "tool_calls", "calls": {"id": "1"}}, '"calls" to be a list'),
        ({"type": "tool_calls", "calls": ["t"]}, "an object with"),
        ({"type": "tool_calls", "calls": [call(id=1)]}, '"id" to be a text'),
        ({"type": "tool_calls", "calls": [call(id="")]}, '"id" to be a text'),
        ({"type": "tool_calls", "calls": [call(id="x" * 257)]}, "1 to 256 characters"),
        ({"type": "tool_calls", "calls": [call(name=None)]}, '"name" to be a text'),
        ({"type": "tool_calls", "calls": [call(arguments=[1])]}, '"arguments" of a call to be an object'),
        ({"type": "tool_calls", "calls": [call(arguments=None)]}, '"arguments" of a call'),
        ({"type": "tool_calls", "calls": [call()], "text": 5}, '"text" to be a text'),
        ({"type": "message"}, '"text" to be a text'),
        ({"type": "message", "text": None}, '"text" to be a text'),
        ({"type": "message", "text": "x" * (2**20 + 1)}, "at most 1048576 characters"),
        ({"type": "message", "text": "x", "usage": 5}, '"usage" to be an object'),
        ({"type": "message", "text": "x", "usage": {"input_tokens": -1}}, '"input_tokens" of "usage"'),
        ({"type": "message", "text": "x", "usage": {"output_tokens": True}}, '"output_tokens" of "usage"'),
        ({"type": "message", "text": "x", "usage": {"output_tokens": 1.5}}, '"output_tokens" of "usage"'),
        ({"type": "message", "text": "x", "usage": {"output_tokens": 10**13}}, '"output_tokens" of "usage"'),
        ({"type": "message", "text": "x", "cost_usd": -1}, '"cost_usd" to be a number'),
        ({"type": "message", "text": "x", "cost_usd": "1"}, '"cost_usd" to be a number'),
        ({"type": "message", "text": "x", "cost_usd": True}, '"cost_usd" to be a number'),
        ({"type": "message", "text": "x", "cost_usd": 1e300}, '"cost_usd" to be a number'),
        ({"type": "message", "text": "x", "model": 4}, '"model" to be a text'),
        ({"type": "error"}, '"message" to be a text'),
        ({"type": "error", "message": "x", "retryable": "yes"}, "to be true or false"),
    ],
)
def test_wrong_fields(message: dict[str, Any], expected: str) -> None:
    with pytest.raises(AgentError) as raised:
        read(**message)
    assert expected in str(raised.value)
    assert "expected" in str(raised.value)


def test_arguments_may_be_nested() -> None:
    assert isinstance(read(type="tool_calls", calls=[call(arguments={"x": nested(98)})]), Calls)


def test_half_a_pair_of_surrogates() -> None:
    assert read_message('{"type": "message", "text": "a\\ud800b", "model": "\\udfff"}') == Reply("a?b", model="?")
    calls = read_message('{"type": "tool_calls", "calls": [{"id": "\\ud800", "name": "\\ud800"}]}')
    assert calls == Calls((RequestedCall("?", "?", {}),))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_fields = st.sampled_from(["calls", "text", "usage", "cost_usd", "model", "message", "retryable", "infrastructure"])
_types = st.sampled_from(["tool_calls", "message", "error", "log"])
_calls = st.lists(st.fixed_dictionaries({}, optional={"id": _json, "name": _json, "arguments": _json}), max_size=3)


def check_line(line: str) -> None:
    said = ""
    try:
        read_message(line)
    except AgentError as error:
        said = str(error)
    assert "\n" not in said


@given(st.builds(dict, st.dictionaries(_fields, _json | _calls), type=_types))
def test_any_fields_are_understood_or_refused(message: dict[str, Any]) -> None:
    check_line(json.dumps(message))


@given(st.text() | st.binary().map(lambda data: data.decode(errors="replace")))
def test_any_line_is_understood_or_refused(line: str) -> None:
    check_line(line)


def test_results_have_the_ids_of_the_agent() -> None:
    calls = (RequestedCall("x", "a", {}), RequestedCall("x", "b", {}))
    results = (ToolResult("x", "a", "1"), ToolResult("x", "b", "wrong", is_error=True))
    assert to_results(calls, results) == {
        "type": "tool_results",
        "results": [
            {"id": "x", "name": "a", "content": "1", "is_error": False},
            {"id": "x", "name": "b", "content": "wrong", "is_error": True},
        ],
    }


def test_what_was_said_before() -> None:
    turns = (
        UserTurn("Hi"),
        AssistantTurn("Wait.", (RequestedCall("1", "t", {"a": 1}),)),
        ResultsTurn((ToolResult("1", "t", "done"),)),
        AssistantTurn("Done."),
    )
    function = {"name": "t", "arguments": '{"a": 1}'}
    assert to_history(turns) == [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": "Wait.",
            "tool_calls": [{"id": "1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "done"},
        {"role": "assistant", "content": "Done."},
    ]
