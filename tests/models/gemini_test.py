"""Gemini: the real SDK against a server that speaks the real protocol."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.gemini import KEY
from tests.loopback.gemini import Gemini as Dialect
from tests.loopback.server import Answer
from tests.models.gemini_client import CALL, TOOLS, after, contents, once
from tool_sandbox.models.faults import FaultKind, MalformedReplyError, ProviderError
from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.gemini_contents import to_messages
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
)


def test_text() -> None:
    reply, server = once(Answer("Hi.", served_model="gemini-3-pro-002"))
    assert (reply.text, reply.calls, reply.stop, reply.stop_text) == ("Hi.", (), StopReason.END, "STOP")
    assert (reply.served_model, reply.request_id) == ("gemini-3-pro-002", "resp-1")
    (seen,) = server.seen
    assert seen.heard is not None
    assert seen.heard.system == "Be kind."
    assert seen.heard.tools == ("search", "now")
    assert seen.headers["x-goog-api-key"] == KEY
    assert KEY not in seen.path


def test_schemas_arrive_as_they_are() -> None:
    _, server = once(Answer("Hi."))
    search, now = server.seen[0].body["tools"][0]["functionDeclarations"]
    assert search["parameters_json_schema"]["properties"] == {
        "days": {"type": "integer", "description": "How many."},
        "near": {},
        "unit": {"enum": ["C", "F"]},
    }
    assert search["parameters_json_schema"]["required"] == ["days", "near", "unit"]
    assert now == {"name": "now", "description": "Does now."}


def test_a_call_and_its_result() -> None:
    reply, _ = once(Answer(calls=(("search", {"days": 2.0, "near": 3.0, "unit": "C"}),)))
    (call,) = reply.calls
    assert reply.stop is StopReason.TOOL_USE
    assert call.name == "search"
    assert json.dumps(call.arguments) == '{"days": 2, "near": 3.0, "unit": "C"}', "integers only where they are wanted"
    _, server = once(Answer("Warm."), after(reply, ToolResult(call.id, "search", "25")))
    assert contents(server)[2] == {
        "role": "user",
        "parts": [{"functionResponse": {"name": "search", "response": {"content": "25"}}}],
    }


def test_parallel_calls_are_answered_in_one_content_in_order() -> None:
    reply, _ = once(Answer("Let me see.", calls=(("now", {}), ("now", {}), ("search", {"days": 1}))))
    first, second, third = reply.calls
    assert reply.text == "Let me see."
    assert len({call.id for call in reply.calls}) == 3
    results = (ToolResult(third.id, "search", "c", is_error=True), ToolResult(first.id, "now", "a"))
    _, server = once(Answer("So."), after(reply, *results))
    assert [part["functionResponse"]["response"] for part in contents(server)[2]["parts"]] == [
        {"content": "a"},
        {"content": "There is no result."},
        {"content": "c"},
    ]
    assert second.id.endswith("_1")


def test_ids_of_the_server_are_kept() -> None:
    reply, _ = once(Answer(calls=(("now", {}), ("now", {})), call_ids=("x-1", "x-2")))
    assert [call.id for call in reply.calls] == ["x-1", "x-2"]
    results = [ToolResult(call.id, "now", "12") for call in reply.calls]
    _, server = once(Answer("So."), after(reply, *results))
    assert [part["functionResponse"]["id"] for part in contents(server)[2]["parts"]] == ["x-1", "x-2"]


def test_ids_that_are_used_twice_are_replaced_but_only_for_us() -> None:
    reply, _ = once(Answer(calls=(("now", {}), ("now", {})), call_ids=("x", "x")))
    assert len({call.id for call in reply.calls}) == 2
    results = [ToolResult(call.id, "now", text) for call, text in zip(reply.calls, "ab", strict=True)]
    _, server = once(Answer("So."), after(reply, *results))
    responses = [part["functionResponse"] for part in contents(server)[2]["parts"]]
    assert [(response["id"], response["response"]["content"]) for response in responses] == [("x", "a"), ("x", "b")]


def test_made_ids_are_the_same_every_time() -> None:
    answer = Answer(calls=(("now", {}),))
    assert once(answer)[0] == once(answer)[0]


def test_what_the_model_said_is_sent_back_unchanged() -> None:
    parts = [
        {"text": "Hm.", "thought": True, "unheardOf": {"a": [1.0]}},
        {"functionCall": {"name": "search", "args": {"days": 1.0, "unit": "C", "near": None}}},
        {"functionCall": {"name": "now", "args": {}}},
    ]
    reply, _ = once(Answer(extra={"parts": parts}))
    assert reply.text == "", "thoughts are no text"
    assert json.loads(json.dumps(reply.raw)) == reply.raw
    signature = reply.raw["parts"][1]["thoughtSignature"]
    assert "+" in signature or "/" in signature, "the alphabet matters"
    results = [ToolResult(call.id, call.name, "1") for call in reply.calls]
    _, server = once(Answer("So."), after(reply, *results))
    assert contents(server)[1] == {"role": "model", "parts": parts}


def test_calls_of_others_are_marked_as_unsigned() -> None:
    turn = AssistantTurn("So.", (RequestedCall("1", "now", {}), RequestedCall("2", "bad name!", "{")))
    results = ResultsTurn((ToolResult("1", "now", "12"), ToolResult("2", "bad name!", "no", is_error=True)))
    request = ModelRequest("", (UserTurn("Hello?"), turn, results), TOOLS)
    _, server = once(Answer("Hi."), request)
    assert contents(server)[1]["parts"] == [
        {"text": "So."},
        {"functionCall": {"name": "now", "args": {}}, "thoughtSignature": "skip_thought_signature_validator"},
        {"functionCall": {"name": "bad_name_", "args": {"malformed_arguments": "{"}}},
    ]
    assert "thoughtSignature" not in json.dumps(Gemini("gemini-2.5-pro").wire(request))


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("STOP", StopReason.END),
        ("MAX_TOKENS", StopReason.MAX_TOKENS),
        ("CONTINUATION", StopReason.MAX_TOKENS),
        ("SAFETY", StopReason.BLOCKED),
        ("RECITATION", StopReason.BLOCKED),
        ("BLOCKLIST", StopReason.BLOCKED),
        ("PROHIBITED_CONTENT", StopReason.BLOCKED),
        ("SPII", StopReason.BLOCKED),
        ("MODEL_ARMOR", StopReason.BLOCKED),
        ("ESCALATION", StopReason.BLOCKED),
        ("IMAGE_SAFETY", StopReason.BLOCKED),
        ("LANGUAGE", StopReason.OTHER),
        ("OTHER", StopReason.OTHER),
        ("MALFORMED_RESPONSE", StopReason.OTHER),
        ("TOO_MANY_TOOL_CALLS", StopReason.OTHER),
        ("OF_NEXT_YEAR", StopReason.OTHER),
    ],
)
def test_finish_reasons(finish: str, stop: StopReason) -> None:
    reply, _ = once(Answer("Hi.", stop=finish))
    assert (reply.stop, reply.stop_text, reply.calls) == (stop, finish, ())


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "OTHER"])
def test_calls_do_not_hide_why_it_stopped(finish: str) -> None:
    reply, _ = once(Answer(calls=(("now", {}),), stop=finish))
    assert reply.stop == finish.lower()
    assert len(reply.calls) == 1


def test_a_blocked_prompt() -> None:
    reply, _ = once(Answer(extra={"blocked": "PROHIBITED_CONTENT"}))
    assert (reply.stop, reply.stop_text) == (StopReason.BLOCKED, "prompt blocked: PROHIBITED_CONTENT")
    assert reply.usage is not None
    assert reply.usage.input_tokens == 100


def test_an_empty_reply() -> None:
    for answer in (Answer(), Answer(thinking="Hm."), Answer(extra={"candidate": {"content": None}})):
        reply, _ = once(answer)
        assert (reply.text, reply.calls, reply.stop, reply.raw) == ("", (), StopReason.END, None)


def test_a_malformed_call_becomes_one_that_can_be_answered() -> None:
    reply, _ = once(Answer(calls=(("search", "days=1,"),)))
    (call,) = reply.calls
    assert (reply.stop, reply.raw) == (StopReason.TOOL_USE, None)
    assert (call.name, call.arguments) == ("search", "Malformed function call: print(default_api.search(days=1,))")
    _, server = once(Answer("So."), after(reply, ToolResult(call.id, call.name, "no JSON", is_error=True)))
    assert contents(server)[1]["parts"][0]["functionCall"]["name"] == "search"


def test_an_unexpected_call_is_a_call() -> None:
    reply, _ = once(Answer(calls=(("rm", {"x": 1}),), stop="UNEXPECTED_TOOL_CALL"))
    assert (reply.stop, reply.calls[0].name, reply.calls[0].arguments) == (StopReason.TOOL_USE, "rm", {"x": 1})
    reply, _ = once(Answer("Hm.", stop="UNEXPECTED_TOOL_CALL"))
    assert (reply.text, reply.calls[0].name) == ("Hm.", "malformed_function_call")


def test_numbers_that_json_does_not_have_are_not_sent_back() -> None:
    call = {"functionCall": {"name": "now", "args": {"x": [1e999, 1.5]}}}
    reply, _ = once(Answer(extra={"parts": [call]}))
    assert (reply.calls[0].arguments, reply.raw) == ({"x": [float("inf"), 1.5]}, None)
    _, server = once(Answer("Hi."), after(reply, ToolResult(reply.calls[0].id, "now", "no", is_error=True)))
    assert contents(server)[1]["parts"][0]["functionCall"]["args"] == {"x": ["Infinity", 1.5]}


def test_several_texts_are_joined() -> None:
    reply, _ = once(Answer(extra={"parts": [{"text": "One."}, {"text": "No!", "thought": True}, {"text": "Two."}]}))
    assert reply.text == "One.\nTwo."
    reply, _ = once(
        Answer(extra={"parts": [{"text": "Wifi is "}, {"text": "off."}, {"text": "", "thoughtSignature": "A"}]})
    )
    assert reply.text == "Wifi is off.", "one text may come in several parts"


def test_usage() -> None:
    more = {"usageMetadata": {"promptTokenCount": 50, "toolUsePromptTokenCount": 7, "thoughtsTokenCount": 3}}
    reply, _ = once(Answer("Hi.", input_tokens=120, cached_tokens=80, output_tokens=30, reasoning_tokens=20))
    assert reply.usage == Usage(120, 80, output_tokens=30, reasoning_tokens=20)
    assert once(Answer("Hi.", extra={"response": more}))[0].usage == Usage(57, output_tokens=3, reasoning_tokens=3)
    assert once(Answer("Hi.", extra={"response": {"usageMetadata": None}}))[0].usage is None


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "x",
        {},
        {"candidates": []},
        {"candidates": "x"},
        {"candidates": [None]},
        {"promptFeedback": {}},
        {"promptFeedback": []},
        {"candidates": [{"content": "x"}]},
        {"candidates": [{"content": {"parts": "x"}}]},
        {"candidates": [{"content": {"parts": [None]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": "x"}]}}]},
        {"candidates": [{"finishReason": "MISSING_THOUGHT_SIGNATURE"}]},
    ],
)
def test_a_server_that_breaks_its_own_format(body: Any) -> None:
    from google.genai import types

    response = types.GenerateContentResponse(sdk_http_response=types.HttpResponse(body=json.dumps(body)))
    with pytest.raises(MalformedReplyError):
        Gemini("gemini-3-pro").read(response)


def test_an_account_that_is_shut() -> None:
    with pytest.raises(ProviderError) as caught:
        once(Answer(stop="PUP_LIMITED_DISABLED"))
    fault = Gemini("gemini-3-pro").explain(caught.value)
    assert fault is not None
    assert fault.kind is FaultKind.PERMISSION


def test_objects_of_the_sdk_are_read_too() -> None:
    from google.genai import types

    part = types.Part(function_call=types.FunctionCall(name="now", args={}), thought_signature=b"\xff")
    candidate = types.Candidate(content=types.Content(role="model", parts=[part]), finish_reason="STOP")
    reply = Gemini("gemini-3-pro").read(types.GenerateContentResponse(candidates=[candidate]))
    assert reply.calls[0].name == "now"
    assert reply.raw["parts"][0]["thoughtSignature"] == "_w=="


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_part = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(),
        "thought": st.booleans(),
        "functionCall": st.fixed_dictionaries({}, optional={"name": st.text(), "args": _json, "id": st.text()}),
    },
)


@given(parts=st.lists(_part, max_size=4), finish=st.sampled_from(["STOP", "MAX_TOKENS", "MALFORMED_FUNCTION_CALL"]))
def test_nothing_that_a_model_writes_raises_and_all_of_it_can_be_answered(parts: Any, finish: str) -> None:
    from google.genai import types

    document = {"candidates": [{"content": {"parts": parts}, "finishReason": finish}]}
    response = types.GenerateContentResponse(sdk_http_response=types.HttpResponse(body=json.dumps(document)))
    reply = Gemini("gemini-3-pro").read(response)
    ids = [call.id for call in reply.calls]
    assert len(set(ids)) == len(ids)
    assert "" not in ids
    results = [ToolResult(call.id, call.name, "no", is_error=True) for call in reply.calls]
    turns: tuple[Turn, ...] = (UserTurn("?"), AssistantTurn(reply.text, reply.calls, (reply.raw,) if reply.raw else ()))
    turns = (*turns, ResultsTurn(tuple(results))) if results else (*turns, UserTurn("And?"))
    messages = to_messages(ModelRequest("", turns), is_signed=False)
    heard = Dialect(signs=False).turns(messages)
    assert [turn.role for turn in heard].count("tool") == len(reply.calls)


@pytest.mark.parametrize(
    ("turns", "roles"),
    [
        ((), ["user"]),
        ((UserTurn(""),), ["user"]),
        ((UserTurn("a"), UserTurn("b")), ["user"]),
        ((UserTurn("a"), AssistantTurn(), UserTurn("b")), ["user"]),
        ((AssistantTurn("a"), UserTurn("b")), ["user", "model", "user"]),
        ((UserTurn("a"), AssistantTurn("b")), ["user", "model", "user"]),
        ((UserTurn("a"), AssistantTurn("b"), AssistantTurn("c"), UserTurn("d")), ["user", "model", "user"]),
        ((UserTurn("a"), CALL, UserTurn("b")), ["user", "model", "user", "user"]),
        ((UserTurn("a"), CALL), ["user", "model", "user"]),
        ((ResultsTurn((ToolResult("1", "now", "12"),)),), ["user"]),
    ],
)
def test_every_history_has_a_form_that_is_accepted(turns: tuple[Turn, ...], roles: list[str]) -> None:
    _, server = once(Answer("Hi."), ModelRequest("", turns, TOOLS))
    assert [content["role"] for content in contents(server)] == roles
    assert "systemInstruction" not in server.seen[0].body
