"""The Responses protocol: the real SDK against a server on this machine."""

import json
from typing import Any

import pytest

from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Broken, Cut, Garbage, Hang, Loopback, Move, serve, server_sent_events
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, MalformedReplyError, ProviderError
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
from tool_sandbox.models.openai_responses import OpenAIResponses
from tool_sandbox.models.parameters import read_parameters
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.models.session import Session
from tool_sandbox.world.errors import ConfigurationError, ModelError, ModelRefusedError

KEY = "sk-test-0123456789abcdef"
FUNCTION = {"name": "set_wifi_status", "description": "x", "parameters": {"type": "object", "properties": {}}}
ONE_TURN = ModelRequest("Be brief.", (UserTurn("Hi"),), ({"type": "function", "function": FUNCTION},))


def responses(server: Loopback, timeout_s: float = 10.0, /, model: str = "gpt-6-astra", **settings: Any) -> Any:
    return OpenAIResponses(model, settings, Endpoint(f"{server.url}/v1", KEY, timeout_s))


def reply_to(provider: OpenAIResponses, request: ModelRequest = ONE_TURN) -> ModelReply:
    return ask(provider, request, Session(), RetryPolicy(retries=0))


def followed(reply: ModelReply, *results: str) -> ModelRequest:
    turns = (*ONE_TURN.turns, AssistantTurn(reply.text, reply.calls, reply.raw))
    answers = (ToolResult(call.id, call.name, text) for call, text in zip(reply.calls, results, strict=True))
    after = ResultsTurn(tuple(answers)) if reply.calls else UserTurn("And?")
    return ModelRequest(ONE_TURN.system, (*turns, after), ONE_TURN.tools)


@pytest.mark.parametrize("stream", [False, True])
def test_text(stream: bool) -> None:
    move = Answer("Hello.", input_tokens=50, cached_tokens=20, output_tokens=9, reasoning_tokens=4, served_model="m-2")
    with serve(OpenAIResponsesDialect(), [move]) as server:
        reply = reply_to(responses(server, stream=stream))
        body = server.seen[0].body
    assert (reply.text, reply.calls, reply.stop, reply.stop_text) == ("Hello.", (), StopReason.END, "completed")
    assert reply.usage == Usage(50, 20, output_tokens=9, reasoning_tokens=4)
    assert (reply.served_model, reply.request_id) == ("m-2", "req_1")
    assert body.pop("stream", False) is stream
    assert body == {
        "model": "gpt-6-astra",
        "instructions": "Be brief.",
        "input": [{"type": "message", "role": "user", "content": "Hi"}],
        "tools": [{"type": "function", **FUNCTION, "strict": False}],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }


@pytest.mark.parametrize("stream", [False, True])
def test_calls_and_reasoning_go_back_as_they_came(stream: bool) -> None:
    calls = (("set_wifi_status", {"on": True}), ("set_wifi_status", '{"on": fal'))
    with serve(OpenAIResponsesDialect(), [Answer("Look:", calls, thinking="gAAAA=="), Answer("Done.")]) as server:
        provider = responses(server, stream=stream)
        reply = reply_to(provider)
        assert (reply.text, reply.stop) == ("Look:", StopReason.TOOL_USE)
        assert [(call.name, call.arguments) for call in reply.calls] == list(calls)
        assert reply_to(provider, followed(reply, "None", "TypeError")).text == "Done."
        reasoning, message, *items = server.seen[1].body["input"][1:]
    assert (reasoning["encrypted_content"], message["content"][0]["text"]) == ("gAAAA==", "Look:")
    assert [item["type"] for item in items] == ["function_call"] * 2 + ["function_call_output"] * 2
    assert items[1]["arguments"] == '{"on": fal'
    assert items[2] == {"type": "function_call_output", "call_id": reply.calls[0].id, "output": "None"}


def test_wire_of_a_history_that_is_not_the_providers_own() -> None:
    long = "x" * 80
    calls = (RequestedCall("c1", "f.g", {"x": 1}), RequestedCall(long, "g", "{broken"))
    results = (ToolResult("c1", "f.g", "1"), ToolResult(long, "g", "TypeError"))
    turns = (UserTurn("Hi"), AssistantTurn("Look:", calls), ResultsTurn(results), AssistantTurn(), UserTurn("And?"))
    wire = OpenAIResponses("m").wire(ModelRequest("", turns))
    items = wire["openai_input"]
    assert (wire["instructions"], wire["openai_tools"]) == ("", [])
    assert items[1] == {"type": "message", "role": "assistant", "content": "Look:"}
    assert items[2] == {"type": "function_call", "call_id": "c1", "name": "f_g", "arguments": '{"x": 1}'}
    assert items[3]["arguments"] == '{"arguments": "{broken"}'
    assert items[3]["call_id"] == items[5]["call_id"]
    assert len(items[5]["call_id"]) <= 64
    assert items[6] == {"type": "message", "role": "user", "content": "And?"}


def test_settings_are_sent() -> None:
    written = {"max_tokens": "99", "effort": "none", "temperature": "0.5", "top_p": "0.9", "parallel": "no"}
    settings = read_parameters("openai", OpenAIResponses.parameters, {**written, "tool_choice": "f", "stream": "no"})
    with serve(OpenAIResponsesDialect(), [Answer("x")]) as server:
        reply_to(responses(server, **settings))
        reply_to(responses(server, tool_choice="required"))
        body, other = (seen.body for seen in server.seen)
    wanted = {"max_output_tokens": 99, "reasoning": {"effort": "none"}, "temperature": 0.5, "top_p": 0.9}
    choice = {"tool_choice": {"type": "function", "name": "f"}, "parallel_tool_calls": False}
    assert {**body, **wanted, **choice} == body
    assert other["tool_choice"] == "required"


def test_a_model_that_does_not_reason_is_not_asked_for_it() -> None:
    with serve(OpenAIResponsesDialect(reasons=False), [Answer("x")]) as server:
        reply_to(responses(server, model="gpt-4o", temperature=0))


@pytest.mark.parametrize(
    ("answer", "stop", "word"),
    [
        (Answer("Hel", stop="max_output_tokens"), StopReason.MAX_TOKENS, "max_output_tokens"),
        (Answer("", (("f", '{"x'),), stop="max_output_tokens"), StopReason.MAX_TOKENS, "max_output_tokens"),
        (Answer("Hel", stop="content_filter"), StopReason.BLOCKED, "content_filter"),
        (Answer("Hel", stop="steered"), StopReason.OTHER, "steered"),
        (Answer("", refusal="I will not."), StopReason.REFUSAL, "completed"),
        (Answer(""), StopReason.END, "completed"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_ends(answer: Answer, stop: StopReason, word: str, stream: bool) -> None:
    with serve(OpenAIResponsesDialect(), [answer, Answer("Fine.")]) as server:
        provider = responses(server, stream=stream)
        reply = reply_to(provider)
        assert (reply.stop, reply.stop_text, reply.text) == (stop, word, answer.text or answer.refusal or "")
        assert reply_to(provider, followed(reply, *["cut off"] * len(answer.calls))).text == "Fine."


@pytest.mark.parametrize("cut", [Answer("", thinking="gA", stop="max_output_tokens"), Answer("", thinking="gA")])
def test_reasoning_without_an_answer_does_not_go_back(cut: Answer) -> None:
    with serve(OpenAIResponsesDialect(), [cut, Answer("Fine.")]) as server:
        provider = responses(server)
        assert reply_to(provider, followed(reply_to(provider))).text == "Fine."


def test_only_items_that_can_be_read_again_go_back() -> None:
    text = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
    unknown = {"type": "program", "id": "p_1", "async": True, "x": {"y": [1, None]}}
    last = {"type": "reasoning", "id": "b", "summary": [], "encrypted_content": "gA"}
    items = [{"type": "reasoning", "id": "a", "summary": []}, unknown, text, last]
    with serve(OpenAIResponsesDialect(), [Answer(extra={"body": {"output": items}})]) as server:
        reply = reply_to(responses(server))
    assert reply.raw == ([unknown, text],)
    assert OpenAIResponses("m").wire(followed(reply))["openai_input"][1:3] == [unknown, text]


@pytest.mark.parametrize("stream", [False, True])
def test_what_a_model_writes_can_always_be_sent_back(stream: bool) -> None:
    calls = (("functions.f\ud800 ' ", "[1]"), ("", ""), ("g", '{"a": "\\ud800"}'), ("h", "[" * 5000))
    with serve(OpenAIResponsesDialect(), [Answer("\ud800", calls, thinking="gA"), Answer("Done.")]) as server:
        provider = responses(server, stream=stream)
        reply = reply_to(provider)
        assert [call.arguments for call in reply.calls] == ["[1]", "", {"a": "\ud800"}, "[" * 5000]
        assert reply_to(provider, followed(reply, *["?"] * 4)).text == "Done."


def failed(code: str, message: str = "x") -> Answer:
    return Answer(extra={"status": "failed", "body": {"error": {"code": code, "message": message}}})


FAULTS: list[tuple[Move, FaultKind]] = [
    (Broken(429, "rate_limit_exceeded", "Rate limit reached"), "rate_limit"),
    (Broken(429, "insufficient_quota", "You exceeded your current quota"), "billing"),
    (Broken(500), "server"),
    (Broken(503), "overloaded"),
    (Broken(401, "invalid_api_key", f"Incorrect API key provided: {KEY}"), "authentication"),
    (Broken(404, "model_not_found", "no such model"), "not_found"),
    (Broken(400, "context_length_exceeded", "Your input exceeds the context window"), "context_exceeded"),
    (Broken(400, "invalid_prompt", "flagged as potentially violating our usage policy"), "blocked"),
    (Broken(400, "unknown_parameter", "Unknown parameter: 'x'"), "invalid_request"),
    (failed("server_error"), "server"),
    (failed("rate_limit_exceeded"), "rate_limit"),
    (failed("bio_policy"), "blocked"),
    (failed("invalid_prompt", "Invalid prompt: violates our usage policy"), "blocked"),
    (failed("invalid_image_url"), "server"),
    (Cut(), "connection"),
    (Cut(Answer("Hello, this will be cut"), 60), "connection"),
    (Hang(), "timeout"),
    (Garbage(), "malformed_reply"),
    (Garbage(b"<html>Welcome</html>"), "malformed_reply"),
    (Garbage(b"{}"), "malformed_reply"),
    (Garbage(b"[1]"), "malformed_reply"),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("move", "kind"), FAULTS)
def test_faults(stream: bool, move: Move, kind: FaultKind) -> None:
    session = Session()
    with serve(OpenAIResponsesDialect(), [move]) as server:
        provider = responses(server, 0.2 if isinstance(move, Hang) else 10.0, stream=stream)
        with pytest.raises((ProviderError, ModelError, ModelRefusedError)) as caught:
            ask(provider, ONE_TURN, session, RetryPolicy(retries=0))
    assert session.calls[0].failures[0].kind == kind, caught.value
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([{"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}], "rate_limit"),
        ([{"type": "response.created", "response": {"status": "in_progress"}}], "malformed_reply"),
        (
            [{"type": "response.completed", "response": {"status": "queued", "output": [{"type": "x"}]}}],
            "malformed_reply",
        ),
    ],
)
def test_faults_within_a_stream(events: list[Any], kind: str) -> None:
    body = server_sent_events([(event["type"], event) for event in events])
    with serve(OpenAIResponsesDialect(), [Garbage(body)]) as server, pytest.raises(ProviderError) as caught:
        reply_to(responses(server, stream=True))
    assert caught.value.cause.kind == kind


def test_items_of_a_stream_whose_end_has_none() -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
    events = [
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    ]
    body = server_sent_events([(event["type"], event) for event in events])
    with serve(OpenAIResponsesDialect(), [Garbage(body)]) as server:
        reply = reply_to(responses(server, stream=True))
    assert (reply.text, reply.usage, reply.served_model) == ("Hi", None, None)


@pytest.mark.parametrize(
    "answer",
    [
        "text",
        None,
        {},
        {"output": ["x"]},
        {"output": [], "status": "in_progress"},
        {"output": [{"type": "message", "content": None}]},
        {"output": [{"type": "message", "content": ["x"]}]},
    ],
)
def test_answers_of_no_known_form(answer: Any) -> None:
    with pytest.raises(MalformedReplyError):
        OpenAIResponses("m").read(answer)


def test_calls_without_id() -> None:
    call = {"type": "function_call", "name": None, "arguments": {"x": 1}}
    reply = OpenAIResponses("m").read({"output": [call], "usage": {"input_tokens": "7", "output_tokens": None}})
    assert reply.calls == (RequestedCall("", "", {"x": 1}),)
    assert json.loads(reply.raw[0]["arguments"]) == {"x": 1}
    assert reply.usage == Usage()


@pytest.mark.parametrize(
    ("model", "settings", "word"),
    [
        ("gpt-4o", {"seed": 7}, "api=chat"),
        ("gpt-4.1", {"effort": "low"}, "does not reason"),
        ("o4-mini", {"temperature": 0}, "effort"),
        ("gpt-5.6-sol", {"top_p": 0.1}, "effort=none"),
    ],
)
def test_settings_that_a_model_does_not_take(model: str, settings: dict[str, Any], word: str) -> None:
    with pytest.raises(ConfigurationError, match=word) as caught:
        OpenAIResponses(model, settings)
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        reply_to(OpenAIResponses("gpt-6-astra"))
