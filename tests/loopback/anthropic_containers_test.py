"""The loopback server for Claude refuses what the real one refuses of code execution."""

import pytest

from tests.loopback.anthropic import AnthropicDialect, began, ran
from tests.loopback.server import Answer, RejectedError
from tests.models.anthropic_code_support import (
    VERSION,
)
from tests.models.anthropic_support import KEY, SCHEMA

HEADERS = {"authorization": f"Bearer {KEY}", "anthropic-version": "2026-10-21"}
EXECUTION = {"type": VERSION, "name": "code_execution"}
TOOL = {"name": "f", "description": "F.", "input_schema": SCHEMA, "allowed_callers": [VERSION]}
CALL = {"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": VERSION, "tool_id": "s"}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "1"}
WORDS = {"type": "text", "text": "And?"}
BODY = {"model": "claude-opus-5-5", "max_tokens": 9, "tools": [EXECUTION, TOOL], "container": "c"}


def turns(*contents):
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": content} for number, content in enumerate(contents)]


GOOD = turns("Hi", [began("s", "x"), CALL], [RESULT])


def hear(**changes):
    dialect = AnthropicDialect(key=KEY, containers={"c": {"s"}, "d": {"other"}})
    body = {name: value for name, value in (BODY | {"messages": GOOD} | changes).items() if value is not None}
    return dialect.hear("POST", "/v1/messages", HEADERS, body)


def test_the_server_takes_what_the_real_one_takes():
    hear()
    hear(
        messages=[
            *GOOD,
            {"role": "assistant", "content": [ran("s"), WORDS]},
            *turns("So"),
        ]
    )
    hear(messages=turns("Hi"), container=None)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"container": None}, "container_id is required"),
        ({"container": "x"}, "not found or has expired"),
        ({"container": "d"}, "another conversation"),
        ({"messages": turns("Hi", [began("s", "x"), CALL], [RESULT, WORDS])}, "only `tool_result`"),
        ({"messages": turns("Hi", [began("s", "x"), CALL], [])}, "must not be empty"),
        ({"messages": turns("Hi", [began("s", "x"), CALL], [RESULT, RESULT])}, "exactly one"),
        ({"messages": turns("Hi", [began("s", "x")], "And?")}, "only `tool_result`"),
        ({"messages": turns("Hi", [CALL], [RESULT])}, "no such run"),
        ({"messages": turns("Hi", [ran("s")], "And?")}, "without a run"),
        ({"tools": [TOOL]}, "is no tool of the request"),
        ({"tools": [EXECUTION, TOOL | {"strict": True}]}, "strict"),
        ({"tools": [EXECUTION, TOOL | {"allowed_callers": []}]}, "must not be empty"),
        ({"tools": [EXECUTION | {"input_schema": {}}, TOOL]}, "takes no more"),
        ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, "disable_parallel_tool_use"),
        ({"tool_choice": {"type": "tool", "name": "f"}, "model": "claude-opus-4-8"}, "cannot force"),
        ({"model": "claude-haiku-4-5"}, "not supported by this model"),
    ],
)
def test_the_server_refuses_what_the_real_one_refuses(changes, words):
    with pytest.raises(RejectedError, match=words):
        hear(**changes)


def test_the_server_knows_what_it_has_sent():
    dialect = AnthropicDialect(key=KEY)
    heard = dialect.hear("POST", "/v1/messages", HEADERS, BODY | {"messages": turns("Hi")} | {"container": None})
    dialect.answer(heard, Answer(calls=(("f", {}),), call_ids=("a",), extra={"by_code": True}))
    run_ = "srvtoolu_1"
    code = began(run_, "import asyncio\nprint(await asyncio.gather(f(**{})))")
    call = CALL | {"caller": {"type": VERSION, "tool_id": run_}}
    whole = BODY | {"container": "container_1", "messages": turns("Hi", [code, call], [RESULT])}
    dialect.hear("POST", "/v1/messages", HEADERS, whole)
    for changed in ([code | {"input": {}}, call], [code, {**call, "input": {"x": 1}}]):
        with pytest.raises(RejectedError, match="was changed"):
            dialect.hear("POST", "/v1/messages", HEADERS, whole | {"messages": turns("Hi", changed, [RESULT])})
