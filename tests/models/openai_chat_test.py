"""Chat completions: the real SDK against a server on this machine."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Garbage, Loopback, serve
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    ToolResult,
    Usage,
    UserTurn,
)
from tool_sandbox.models.openai_chat import OpenAIChat, OpenAICompatibleChat
from tool_sandbox.models.parameters import read_parameters
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.models.session import Session
from tool_sandbox.world.errors import ConfigurationError

KEY = "sk-test-0123456789abcdef"
TOOLS = tuple(
    {
        "type": "function",
        "function": {"name": name, "description": "", "parameters": {"type": "object", "properties": {}}},
    }
    for name in ("get_wifi_status", "set_wifi_status")
)
ONE_TURN = ModelRequest("Be brief.", (UserTurn("Hi"),), TOOLS)


def chat(server: Loopback, timeout_s: float = 10.0, /, **settings: Any) -> OpenAIChat:
    return OpenAIChat("gpt-test", settings, Endpoint(f"{server.url}/v1", KEY, timeout_s))


def compatible(server: Loopback, /, model: str = "qwen", **settings: Any) -> OpenAICompatibleChat:
    return OpenAICompatibleChat(model, settings, Endpoint(f"{server.url}/v1", None, 10.0))


def reply_to(provider: OpenAIChat, request: ModelRequest = ONE_TURN) -> ModelReply:
    return ask(provider, request, Session(), RetryPolicy(retries=0))


def answered(request: ModelRequest, reply: ModelReply, *results: str) -> ModelRequest:
    answers = tuple(ToolResult(call.id, call.name, result) for call, result in zip(reply.calls, results, strict=True))
    turn = AssistantTurn(reply.text, reply.calls, reply.raw)
    return ModelRequest(request.system, (*request.turns, turn, ResultsTurn(answers)), request.tools)


def completion(message: Any, **choice: Any) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}]}


@pytest.mark.parametrize("stream", [False, True])
def test_text(stream: bool) -> None:
    move = Answer("Hello.", input_tokens=50, cached_tokens=20, output_tokens=9, reasoning_tokens=4, served_model="m-2")
    with serve(OpenAIChatDialect(), [move]) as server:
        reply = reply_to(chat(server, stream=stream))
    assert (reply.text, reply.calls, reply.stop, reply.stop_text) == ("Hello.", (), StopReason.END, "stop")
    assert reply.usage == Usage(50, 20, output_tokens=9, reasoning_tokens=4)
    assert reply.served_model == "m-2"
    assert reply.request_id == "req_1"
    assert reply.raw == ({"role": "assistant", "content": "Hello."},)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("make", [chat, compatible])
def test_calls_and_their_results(make: Any, stream: bool) -> None:
    calls = (("get_wifi_status", {}), ("set_wifi_status", {"on": "ä 'quoted'"}))
    moves = [Answer("Let me see.", calls, thinking="Hm.", call_ids=("a", "b")), Answer("Done.")]
    with serve(OpenAIChatDialect(lenient=make is compatible), moves) as server:
        provider = make(server, stream=stream)
        reply = reply_to(provider)
        assert reply.stop is StopReason.TOOL_USE
        assert [(call.name, call.arguments) for call in reply.calls] == list(calls)
        assert [call.id for call in reply.calls] == ["a", "b"]
        assert reply_to(provider, answered(ONE_TURN, reply, "True", "None")).text == "Done."
        assistant, *results = server.seen[1].body["messages"][2:]
    assert assistant["content"] == "Let me see."
    function = assistant["tool_calls"][1].pop("function")
    assert assistant["tool_calls"][1] == {"id": "b", "type": "function"}
    assert (function["name"], json.loads(function["arguments"])) == calls[1]
    assert ("reasoning_content" in assistant) is (make is compatible)
    assert results == [
        {"role": "tool", "tool_call_id": reply.calls[0].id, "name": "get_wifi_status", "content": "True"},
        {"role": "tool", "tool_call_id": reply.calls[1].id, "name": "set_wifi_status", "content": "None"},
    ]


def test_wire_of_a_history_that_is_not_the_providers_own() -> None:
    calls = (RequestedCall("c1", "f", {"x": 1}), RequestedCall("c2", "g", "{broken"))
    turns = (
        UserTurn("Hi"),
        AssistantTurn("Hello"),
        UserTurn("a"),
        UserTurn("b"),
        AssistantTurn("Look:", calls),
        ResultsTurn((ToolResult("c1", "f", "1"), ToolResult("c2", "g", "TypeError", is_error=True))),
        AssistantTurn(),
    )
    request = ModelRequest("S", turns, TOOLS)
    wire = OpenAIChat("m").wire(request)
    assert wire["openai_tools"] == list(TOOLS)
    assert wire["openai_messages"] == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
        {
            "role": "assistant",
            "content": "Look:",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "g", "arguments": '{"arguments": "{broken"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "1"},
        {"role": "tool", "tool_call_id": "c2", "name": "g", "content": "TypeError"},
    ]
    texts = [message["content"] for message in OpenAICompatibleChat("m").wire(request)["openai_messages"]]
    assert texts[:4] == ["S", "Hi", "Hello", "a\n\nb"]
    assert OpenAIChat("m").wire(ModelRequest("", ()))["openai_messages"] == []


def test_settings_are_sent_and_nothing_else() -> None:
    written = {
        "temperature": "0.5",
        "top_p": "0.9",
        "seed": "7",
        "max_tokens": "99",
        "effort": "low",
        "tool_choice": "set_wifi_status",
        "parallel": "false",
    }
    settings = read_parameters("openai", OpenAIChat.parameters, written)
    with serve(OpenAIChatDialect(), [Answer("x")]) as server:
        for provider in (chat(server), chat(server, **settings), compatible(server, **settings, stream=True)):
            provider.endpoint = Endpoint(provider.endpoint.base_url, KEY)
            reply_to(provider)
        reply_to(chat(server, parallel=True, tool_choice="required"), ModelRequest("", (UserTurn("Hi"),)))
        bodies = [seen.body for seen in server.seen]
    assert bodies[0].keys() == bodies[3].keys() | {"tools"} == {"model", "messages", "tools"}
    assert bodies[1]["tool_choice"] == {"type": "function", "function": {"name": "set_wifi_status"}}
    sampling = {"temperature": 0.5, "top_p": 0.9, "seed": 7, "reasoning_effort": "low", "parallel_tool_calls": False}
    assert {**bodies[1], **sampling, "max_completion_tokens": 99} == bodies[1]
    assert {**bodies[2], **sampling, "max_tokens": 99, "stream": True} == bodies[2]


@pytest.mark.parametrize(
    ("word", "has_calls", "stop"),
    [
        ("stop", False, StopReason.END),
        ("stop", True, StopReason.TOOL_USE),
        ("tool_calls", True, StopReason.TOOL_USE),
        ("tool_calls", False, StopReason.END),
        ("function_call", True, StopReason.TOOL_USE),
        ("length", False, StopReason.MAX_TOKENS),
        ("length", True, StopReason.MAX_TOKENS),
        ("content_filter", False, StopReason.BLOCKED),
        ("model_length", False, StopReason.CONTEXT_EXCEEDED),
        ("tool_call", True, StopReason.TOOL_USE),
        ("STOP", False, StopReason.END),
        ("MAX_TOKENS", True, StopReason.MAX_TOKENS),
        ("something_new", True, StopReason.OTHER),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_finish_reasons(word: str, has_calls: bool, stop: StopReason, stream: bool) -> None:
    calls = (("get_wifi_status", {}),) if has_calls else ()
    with serve(OpenAIChatDialect(), [Answer("Text", calls, stop=word)]) as server:
        reply = reply_to(chat(server, stream=stream))
    assert (reply.stop, reply.stop_text, len(reply.calls)) == (stop, word, len(calls))


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_text_and_goes_back_as_text(stream: bool) -> None:
    calls = (("get_wifi_status", {}),)
    with serve(OpenAIChatDialect(), [Answer("", calls, refusal="I will not."), Answer("Fine.")]) as server:
        provider = chat(server, stream=stream)
        reply = reply_to(provider)
        assert (reply.stop, reply.text, reply.raw) == (StopReason.REFUSAL, "I will not.", ())
        turns = (*ONE_TURN.turns, AssistantTurn(reply.text, (), reply.raw), UserTurn("Please"))
        assert reply_to(provider, ModelRequest("", turns, TOOLS)).text == "Fine."


@pytest.mark.parametrize("make", [chat, compatible])
def test_what_a_model_writes_can_always_be_sent_back(make: Any) -> None:
    hostile = "__import__('os').system('id')\n\ud800 " + "x" * 100
    calls = (
        *(("set_wifi_status", "{broken"), (hostile, {"a": "\ud800"}), ("set_wifi_status", "[1]"), ("", "")),
        *(("f", '{"a": NaN}'), ("g", "9" * 5000), ("h", "[" * 5000)),
    )
    dialect = OpenAIChatDialect(lenient=make is compatible, templated=make is compatible)
    answer = Answer("\ud800", calls, call_ids=tuple(f"c{n}" for n in range(len(calls))))
    with serve(dialect, [answer, Answer("Done.")]) as server:
        provider = make(server)
        reply = reply_to(provider)
        unpaired = "?" if make is compatible else "\ud800"
        texts = [text for _, text in calls[2:]]
        assert [call.arguments for call in reply.calls] == ["{broken", {"a": unpaired}, *texts]
        assert reply.calls[1].name.startswith("__import__('os').system('id')\n")
        assert reply_to(provider, answered(ONE_TURN, reply, *["?"] * len(calls))).text == "Done."
        sent = server.seen[1].body["messages"][2]["tool_calls"]
    assert sent[1]["function"]["name"].startswith("__import____os___system__id_____x")
    broken = '{"arguments": "{broken"}' if make is compatible else "{broken"
    assert sent[0]["function"]["arguments"] == broken


@given(st.text() | st.recursive(st.none() | st.floats() | st.text(), st.lists, max_leaves=3).map(json.dumps))
def test_arguments_are_an_object_or_the_text_itself(text: str) -> None:
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": text}}]}
    provider = OpenAICompatibleChat("m")
    reply = provider.read(completion(message))
    arguments = reply.calls[0].arguments
    assert isinstance(arguments, dict) or arguments == text.encode("utf-8", "replace").decode()
    wire = provider.wire(ModelRequest("", (AssistantTurn("", reply.calls, (reply.raw,)),)))
    sent = wire["openai_messages"][0]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(sent), dict)


def test_ids_that_a_server_would_not_take() -> None:
    call = RequestedCall("x" * 64, "f", {})
    turns = (AssistantTurn("", (call,)), ResultsTurn((ToolResult(call.id, "f", "1"),)))
    for provider, longest in (
        (OpenAIChat("m"), 40),
        (OpenAICompatibleChat("m", {}, Endpoint("https://api.mistral.ai/v1")), 9),
        (OpenAICompatibleChat("m"), 64),
    ):
        assistant, result = provider.wire(ModelRequest("", turns))["openai_messages"]
        assert assistant["tool_calls"][0]["id"] == result["tool_call_id"]
        assert len(result["tool_call_id"]) <= longest


def test_loose_servers() -> None:
    with serve(OpenAIChatDialect(lenient=True), [Answer("", (("f", {"x": 1}), ("g", None)))]) as server:
        reply = reply_to(compatible(server))
        assert server.seen[0].headers["authorization"] == "Bearer EMPTY"
    assert [(call.name, call.arguments) for call in reply.calls] == [("f", {"x": 1}), ("g", {})]
    assert reply.usage is None


def test_a_key_of_openai_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    with serve(OpenAIChatDialect(lenient=True), [Answer("x")]) as server:
        reply_to(compatible(server))
        assert KEY not in str(server.seen[0].headers)


@pytest.mark.parametrize(
    ("message", "text", "goes_back"),
    [
        ({"content": "<think>Hm. </think>\n\nHello"}, "Hello", True),
        ({"content": "Hm. </think> Hello"}, "Hello", True),
        ({"content": "<think>Hm, and then"}, "", False),
        ({"content": "Write <think>x</think> like this"}, "Write <think>x</think> like this", True),
        ({"content": " " * 200_000 + "x"}, " " * 200_000 + "x", True),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Hello"}]}, "Hello", True),
        ({"content": None, "tool_calls": []}, "", False),
        ({"content": "Hi", "tool_calls": None, "reasoning_details": [{"type": "x"}]}, "Hi", True),
    ],
)
def test_forms_of_content(message: dict[str, Any], text: str, goes_back: bool) -> None:
    reply = OpenAICompatibleChat("m").read(completion(message))
    assert (reply.text, reply.calls, reply.stop) == (text, (), StopReason.END)
    kept = {name: value for name, value in message.items() if name != "tool_calls"}
    assert reply.raw == ({"role": "assistant", **kept} if goes_back else None)


def test_the_old_form_of_a_call() -> None:
    message = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    reply = OpenAIChat("m").read(completion(message, finish_reason="function_call"))
    assert [(call.name, call.arguments) for call in reply.calls] == [("f", {})]
    assert (reply.stop, reply.raw) == (StopReason.TOOL_USE, None)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ({}, None),
        ({"prompt_tokens": None, "completion_tokens": "7", "prompt_tokens_details": None}, Usage()),
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}, Usage(9, 4, output_tokens=2)),
        (
            {
                "prompt_tokens": 32,
                "completion_tokens": 9,
                "total_tokens": 135,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            Usage(32, output_tokens=103, reasoning_tokens=94),
        ),
    ],
)
def test_forms_of_usage(usage: Any, expected: Usage | None) -> None:
    assert OpenAICompatibleChat("m").read({**completion({"content": "x"}), "usage": usage}).usage == expected


@pytest.mark.parametrize(
    "answer",
    [
        "<html></html>",
        [],
        None,
        {},
        {"choices": []},
        {"choices": None},
        {"choices": ["x"]},
        {"choices": [{"message": None}]},
        completion({"content": 7}),
        completion({"tool_calls": "f()"}),
        completion({"tool_calls": [{"id": "c"}]}),
    ],
)
def test_answers_of_no_known_form(answer: Any) -> None:
    with pytest.raises(MalformedReplyError):
        OpenAIChat("m").read(answer)


@pytest.mark.parametrize(
    ("model", "settings", "word"),
    [
        ("o3", {"temperature": 0}, "effort"),
        ("gpt-5-mini", {"top_p": 0.5, "effort": "none"}, "effort"),
        ("gpt-5.4", {"temperature": 0}, "effort=none"),
        ("gpt-6-astra", {"temperature": 0, "effort": "low"}, "effort=none"),
        ("gpt-4o", {"effort": "low"}, "does not reason"),
    ],
)
def test_settings_that_a_model_does_not_take(model: str, settings: dict[str, Any], word: str) -> None:
    with pytest.raises(ConfigurationError, match=word):
        OpenAIChat(model, settings)
    OpenAICompatibleChat(model, settings)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("gpt-4o", {"temperature": 0, "seed": 1}),
        ("gpt-5.4", {"temperature": 0, "effort": "none"}),
        ("o3", {"effort": "high", "seed": 1}),
        ("gpt-5-chat-latest", {"temperature": 0}),
        ("ft:gpt-4o:x", {"temperature": 0}),
    ],
)
def test_settings_that_it_takes(model: str, settings: dict[str, Any]) -> None:
    OpenAIChat(model, settings)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        reply_to(OpenAIChat("gpt-test"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigurationError, match="base_url"):
        reply_to(OpenAICompatibleChat("m"))


def test_streams_of_loose_servers() -> None:
    pieces = [
        {"delta": {"role": "assistant", "reasoning_details": [{"type": "a"}]}},
        {"delta": {"content": "<think>x</think>", "reasoning_details": [{"type": "b"}]}},
        {"delta": {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{"}}]}},
        {"delta": {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "}"}}]}},
        {"delta": {"tool_calls": [{"index": 0, "id": "b", "function": {"name": "g", "arguments": {"x": 1}}}]}},
        {"delta": {"content": [{"type": "text", "text": "Hi"}]}, "finish_reason": "stop"},
    ]
    lines = [f"data: {json.dumps({'choices': [piece]})}\n\n" for piece in pieces]
    with serve(OpenAIChatDialect(lenient=True), [Garbage("".join(lines).encode())]) as server:
        reply = reply_to(compatible(server, stream=True))
    assert reply.calls == (RequestedCall("a", "f", {}), RequestedCall("b", "g", {"x": 1}))
    assert reply.text == "\nHi".lstrip()
    assert reply.raw[0]["reasoning_details"] == [{"type": "a"}, {"type": "b"}]


@pytest.mark.parametrize("provider", [OpenAIChat("m"), OpenAICompatibleChat("m")])
def test_calls_go_back_with_empty_content(provider: OpenAIChat) -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    reply = provider.read(completion({"role": "assistant", "content": None, "tool_calls": calls}))
    turns = (AssistantTurn("", reply.calls, (reply.raw,)),)
    assert provider.wire(ModelRequest("", turns))["openai_messages"][0] == {
        "role": "assistant",
        "content": "",
        "tool_calls": calls,
    }
