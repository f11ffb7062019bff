"""Claude over the real SDK against a server that refuses what Anthropic's refuses."""

import itertools
import json

import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.server import Answer, serve
from tests.models.anthropic_support import HELLO, KEY, MODEL, NO_RETRIES, SCHEMA, TOOLS, play
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.calling import ask
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    ToolResult,
    Usage,
    UserTurn,
)
from tool_sandbox.models.parameters import read_parameters
from tool_sandbox.models.session import Session
from tool_sandbox.world.errors import ConfigurationError


def test_a_request_has_everything_the_model_needs():
    reply, server, _ = play([Answer("Hi!")])
    assert (reply.text, reply.stop, reply.stop_text) == ("Hi!", StopReason.END, "end_turn")
    assert (reply.served_model, reply.request_id) == (MODEL, "req_1")
    marker = {"type": "ephemeral"}
    assert server.seen[0].body == {
        "model": MODEL,
        "max_tokens": 16_000,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": marker}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
        "tools": [
            {"name": "set_wifi_status", "description": "Does set_wifi_status.", "input_schema": SCHEMA},
            {"name": "get_wifi_status", "description": "Does get_wifi_status.", "input_schema": SCHEMA},
        ],
        "cache_control": marker,
    }
    assert server.seen[0].headers["anthropic-version"] == "2026-10-21"


@pytest.mark.parametrize("stream", [False, True])
def test_parallel_calls_keep_their_text_and_thoughts(stream):
    calls = (("set_wifi_status", {"on": False}), ("get_wifi_status", {}))
    answer = Answer("On it.", calls, thinking="Hm.", call_ids=("toolu_a", "toolu_b"))
    reply, server, _ = play([answer], stream=stream)
    assert server.seen[0].body.get("stream", False) is stream
    assert (reply.text, reply.stop) == ("On it.", StopReason.TOOL_USE)
    assert reply.calls == (
        RequestedCall("toolu_a", "set_wifi_status", {"on": False}),
        RequestedCall("toolu_b", "get_wifi_status", {}),
    )
    assert reply.raw[0][0] == {"type": "thinking", "thinking": "Hm.", "signature": "signature_1"}
    assert (reply.served_model, reply.request_id) == (MODEL, "req_1")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("stop", "extra", "expected", "text"),
    [
        ("end_turn", {}, StopReason.END, "end_turn"),
        ("tool_use", {}, StopReason.TOOL_USE, "tool_use"),
        ("max_tokens", {}, StopReason.MAX_TOKENS, "max_tokens"),
        ("stop_sequence", {"stop_sequence": "END"}, StopReason.END, "stop_sequence: END"),
        ("model_context_window_exceeded", {}, StopReason.CONTEXT_EXCEEDED, "model_context_window_exceeded"),
        ("refusal", {}, StopReason.BLOCKED, "refusal"),
        ("refusal", {"stop_details": {"type": "refusal", "category": "cyber"}}, StopReason.BLOCKED, "refusal: cyber"),
        ("brand_new", {}, StopReason.OTHER, "brand_new"),
        ("null", {}, StopReason.OTHER, "null"),
    ],
)
def test_every_stop_reason_has_its_meaning(stop, extra, expected, text, stream):
    reply, _, _ = play([Answer("Words.", stop=stop, extra=extra)], stream=stream)
    assert (reply.stop, reply.stop_text) == (expected, text)
    assert reply.text == ("" if expected is StopReason.BLOCKED else "Words.")


def test_nothing_of_a_refusal_is_used():
    reply, _, session = play([Answer("Part", (("set_wifi_status", {"on": False}),), refusal="bio")])
    assert (reply.text, reply.calls, reply.raw) == ("", (), ())
    assert session.calls[0].stop_text == "refusal: bio"


@pytest.mark.parametrize("stop", ["pause_turn", "compaction"])
def test_a_pause_is_continued_with_the_reply_appended_unchanged(stop):
    block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "x", "input": {"q": 1.0}}
    paused = Answer(stop=stop, extra={"content": [{"type": "text", "text": "Well,"}, block]})
    reply, server, session = play([paused, Answer("done.")])
    assert server.seen[1].body["messages"][1:] == [
        {"role": "assistant", "content": [{"type": "text", "text": "Well,"}, block]}
    ]
    assert len(session.calls) == 2
    turns = (*HELLO.turns, AssistantTurn("done.", (), reply.raw), UserTurn("Thanks"))
    _, server, _ = play([Answer("Bye")], ModelRequest("", turns))
    assert [part["type"] for part in server.seen[0].body["messages"][1]["content"]] == [
        "text",
        "server_tool_use",
        "text",
    ]


def test_unknown_blocks_and_thoughts_go_back_as_they_came():
    content = [
        {"type": "thinking", "thinking": "", "signature": "s1"},
        {"type": "redacted_thinking", "data": "zzz"},
        {"type": "brand_new", "deep": {"list": [1, 2.0, None]}},
        {"type": "text", "text": "Here.", "citations": None},
        {"type": "tool_use", "id": "toolu_1", "name": "get_wifi_status", "input": {"x": 1.0, "y": "é\n"}},
    ]
    for stream in (False, True):
        dialect = AnthropicDialect()
        reply, _, _ = play([Answer(extra={"content": content}, stop="tool_use")], dialect=dialect, stream=stream)
        assert reply.raw == (content,)
        results = ResultsTurn((ToolResult("toolu_1", "get_wifi_status", "True"),))
        turns = (*HELLO.turns, AssistantTurn(reply.text, reply.calls, reply.raw), results)
        _, server, _ = play([Answer("On.")], ModelRequest("", turns), dialect=dialect)
        assert server.seen[0].body["messages"][1]["content"] == content


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, Usage(100, 0, 0, 0, 10, 0)),
        ({"cache_read_input_tokens": 50}, Usage(150, 50, 0, 0, 10, 0)),
        ({"cache_creation_input_tokens": 30, "cache_creation": None}, Usage(130, 0, 30, 0, 10, 0)),
        (
            {
                "cache_creation_input_tokens": 30,
                "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
            },
            Usage(130, 0, 10, 20, 10, 0),
        ),
        (
            {"cache_read_input_tokens": None, "output_tokens_details": {"thinking_tokens": 7}},
            Usage(100, 0, 0, 0, 10, 7),
        ),
        ({"output_tokens_details": None, "cache_creation_input_tokens": None}, Usage(100, 0, 0, 0, 10, 0)),
    ],
)
def test_usage_counts_every_token_once(usage, expected, stream):
    reply, _, session = play([Answer("Hi", extra={"usage": usage})], stream=stream)
    assert reply.usage == expected == session.calls[0].usage


def test_a_growing_conversation_reads_its_beginning_from_the_cache():
    dialect, turns, bodies, usages = AnthropicDialect(plays_cache=True), list(HELLO.turns), [], []
    for number in range(4):
        # More parallel calls than a marker looks back.
        answer = Answer(calls=(("get_wifi_status", {}),) * 12, thinking="Hm.")
        reply, server, _ = play([answer], ModelRequest("Be brief. " * 99, tuple(turns), TOOLS), dialect=dialect)
        bodies.append(server.seen[0].body)
        usages.append(reply.usage)
        results = tuple(ToolResult(call.id, call.name, f"{number}" * 99) for call in reply.calls)
        turns += [AssistantTurn(reply.text, reply.calls, reply.raw), ResultsTurn(results)]
    for earlier, later in itertools.pairwise(usages):
        assert later.cached_tokens == earlier.input_tokens
    for earlier, later in itertools.pairwise(bodies):
        assert json.dumps(without_markers(later)["messages"]).startswith(
            json.dumps(without_markers(earlier)["messages"])[:-1]
        )
        assert [later[name] for name in ("tools", "system")] == [earlier[name] for name in ("tools", "system")]


def without_markers(value):
    if isinstance(value, dict):
        return {name: without_markers(item) for name, item in value.items() if name != "cache_control"}
    return [without_markers(item) for item in value] if isinstance(value, list) else value


def test_without_cache_there_are_no_markers():
    _, server, _ = play([Answer("Hi")], cache=False)
    assert b"cache_control" not in server.seen[0].raw


@pytest.mark.parametrize(
    ("model", "settings", "expected"),
    [
        (MODEL, {"parallel": False}, {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
        (MODEL, {"parallel": True}, {}),
        (MODEL, {"tool_choice": "none", "parallel": False}, {"tool_choice": {"type": "none"}}),
        ("claude-haiku-5-5", {"tool_choice": "any"}, {"tool_choice": {"type": "any"}}),
        (
            "claude-opus-4-8",
            {"tool_choice": "get_wifi_status"},
            {"tool_choice": {"type": "tool", "name": "get_wifi_status"}},
        ),
        (MODEL, {"effort": "xhigh"}, {"output_config": {"effort": "xhigh"}}),
        (MODEL, {"thinking": "adaptive"}, {"thinking": {"type": "adaptive"}}),
        (MODEL, {"display": "summarized"}, {"thinking": {"type": "adaptive", "display": "summarized"}}),
        ("claude-sonnet-5-5", {"thinking": "between_tools"}, {"thinking": {"type": "between_tools"}}),
        ("claude-sonnet-5", {"thinking": "off"}, {"thinking": {"type": "disabled"}}),
        ("claude-haiku-4-5", {"thinking": 2048}, {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        (
            "claude-opus-4-6",
            {"thinking": 2048, "tool_choice": "any"},
            {"thinking": {"type": "enabled", "budget_tokens": 2048}, "tool_choice": {"type": "any"}},
        ),
        (MODEL, {"max_tokens": 500}, {"max_tokens": 500}),
        (MODEL, {"max_tokens": 60_000}, {"max_tokens": 60_000, "stream": True}),
    ],
)
def test_settings_reach_the_api(model, settings, expected):
    _, server, _ = play([Answer("Hi")], model=model, **settings)
    body = server.seen[0].body
    for name in ("system", "messages", "tools", "cache_control", "model"):
        del body[name]
    assert body == {"max_tokens": 16_000, **expected}


def test_choices_about_tools_are_left_out_where_there_are_none():
    _, server, _ = play([Answer("Hi")], ModelRequest("", (UserTurn("Hello"),)), parallel=False)
    assert set(server.seen[0].body) == {"model", "max_tokens", "messages", "cache_control"}


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (MODEL, {"temperature": "0"}, "anthropic takes no temperature"),
        ("claude-9", {"seed": "1"}, "anthropic takes no seed"),
        (MODEL, {"thinking": "disabled"}, "it takes adaptive"),
        (MODEL, {"thinking": "2048"}, "it takes adaptive"),
        (MODEL, {"tool_choice": "any"}, "cannot be made to call a tool"),
        ("claude-fable-5-2", {"tool_choice": "get_wifi_status"}, "cannot be made to call a tool"),
        ("claude-sonnet-5-5", {"thinking": "off"}, "it takes adaptive or between_tools"),
        ("claude-sonnet-5-5", {"thinking": "between_tools", "effort": "max"}, "only up to effort=high"),
        ("claude-opus-5", {"thinking": "disabled", "effort": "xhigh"}, "only up to effort=high"),
        ("claude-haiku-4-5-20251001", {"effort": "low"}, "it has none"),
        ("claude-opus-4-6", {"effort": "xhigh"}, "it takes low, medium, high, max"),
        ("claude-haiku-4-5", {"thinking": "adaptive"}, "it takes disabled or a budget"),
        ("claude-haiku-4-5", {"thinking": "4000", "max_tokens": "3000"}, "fewer than max_tokens=3000"),
        ("claude-haiku-4-5", {"thinking": "4000", "tool_choice": "any"}, "while it has a thinking budget"),
        ("claude-haiku-4-5", {"display": "summarized"}, "needs thinking"),
        ("claude-haiku-4-5", {"max_tokens": "100000"}, "at most 64000"),
        ("claude-sonnet-4-5", {"thinking": "4000", "tool_choice": "f"}, "while it has a thinking budget"),
        (MODEL, {"thinking": "100"}, "at least 1024"),
        (MODEL, {"effort": "huge"}, "effort of anthropic has to be"),
    ],
)
def test_what_a_model_does_not_take_is_refused_in_one_line(model, options, words):
    with pytest.raises(ConfigurationError, match=words) as error:
        AnthropicMessages(model, read_parameters("anthropic", AnthropicMessages.parameters, options))
    assert "\n" not in str(error.value)


def test_an_unknown_model_may_have_everything():
    settings = {"thinking": 2048, "effort": "max", "display": "omitted", "max_tokens": 500_000}
    assert AnthropicMessages("claude-opus-7", settings).settings == settings


def test_a_missing_key_is_named(monkeypatch):
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"):
        ask(AnthropicMessages(MODEL), HELLO, Session(), NO_RETRIES)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serve(AnthropicDialect(key=KEY), [Answer("Hi")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert ask(AnthropicMessages(MODEL), HELLO, Session(), NO_RETRIES).text == "Hi"


def test_another_model_that_answers_is_told_apart():
    reply, _, session = play([Answer("Hi", served_model="claude-haiku-5-5")])
    assert reply.served_model == session.calls[0].served_model == "claude-haiku-5-5"


def test_a_stream_loses_nothing_of_what_was_written():
    end = [
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 9, "input_tokens": None, "cache_read_input_tokens": None},
        },
        {"type": "message_stop"},
    ]
    extra = {"pieces": ['"on"'], "events": end, "usage": {"cache_read_input_tokens": 5}}
    reply, _, _ = play([Answer(calls=(("set_wifi_status", {}),), extra=extra)], stream=True)
    assert reply.calls[0].arguments == '"on"'
    assert reply.usage == Usage(input_tokens=105, cached_tokens=5, output_tokens=9)
