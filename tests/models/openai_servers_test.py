"""Chat completions of servers that do it their own way: the real SDK against a server on this machine."""

import json
from typing import Any

import pytest

from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Garbage, serve
from tests.models.openai_chat_test import ONE_TURN, answered, compatible, completion, reply_to
from tool_sandbox.models.messages import AssistantTurn, ModelRequest, StopReason, Usage, UserTurn
from tool_sandbox.models.openai_chat import OpenAIChat, OpenAICompatibleChat


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("a", "a"), ("a", None)])
def test_calls_without_ids_of_their_own_keep_what_belongs_to_them(ids: tuple[str | None, ...]) -> None:
    calls = [{"id": call_id, "function": {"name": "f", "arguments": "{}"}} for call_id in ids]
    answer = completion({"role": "assistant", "content": None, "tool_calls": calls, "reasoning_content": "Hm."})
    provider = OpenAICompatibleChat("m")
    reply, again = provider.read(answer), provider.read(answer)
    assert reply.calls == again.calls
    assert len({call.id for call in reply.calls} - {""}) == 2
    turns = (AssistantTurn("", reply.calls, (reply.raw,)),)
    sent = provider.wire(ModelRequest("", turns))["openai_messages"][0]
    assert sent["reasoning_content"] == "Hm."
    assert [call["id"] for call in sent["tool_calls"]] == [call.id for call in reply.calls]


@pytest.mark.parametrize(
    ("status", "error", "name"),
    [
        (
            400,
            {
                "code": "tool_use_failed",
                "message": "Failed.",
                "failed_generation": '<function=set_wifi_status{"on": 1}',
            },
            "set_wifi_status",
        ),
        (400, {"code": "tool_use_failed", "message": "attempted to call tool 'nope' which was not in request"}, "nope"),
        (500, {"message": "error parsing tool call: raw='{\"on\": fal', err=unexpected end"}, "invalid_tool_call"),
        (500, {"message": "Failed to parse input at pos 0: <tool_call>"}, "invalid_tool_call"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_call_that_a_server_cannot_read_is_the_models_slip(
    status: int, error: dict[str, Any], name: str, stream: bool
) -> None:
    body = json.dumps({"error": error}).encode()
    with serve(OpenAIChatDialect(lenient=True), [Broken(status, body=body), Answer("Done.")]) as server:
        provider = compatible(server, stream=stream)
        reply = reply_to(provider)
        assert [call.name for call in reply.calls] == [name]
        assert str(reply.calls[0].arguments).startswith(error["message"])
        assert reply_to(provider, answered(ONE_TURN, reply, "error")).text == "Done."


def test_characters_that_are_no_unicode_are_not_sent() -> None:
    with serve(OpenAIChatDialect(lenient=True), [Answer("Hi.")]) as server:
        assert reply_to(compatible(server), ModelRequest("\ud800", (UserTurn("a\ud83d"),))).text == "Hi."
        assert [message["content"] for message in server.seen[0].heard.body["messages"]] == ["?", "a?"]


def test_a_server_that_cannot_stream() -> None:
    body = json.dumps(completion({"role": "assistant", "content": "Hi."})).encode()
    with serve(OpenAIChatDialect(lenient=True), [Garbage(body)]) as server:
        assert reply_to(compatible(server, stream=True)).text == "Hi."


@pytest.mark.parametrize(
    "place", [lambda usage: {"x_groq": {"usage": usage}}, lambda usage: {"choices": [{"usage": usage}]}]
)
def test_tokens_in_other_places(place: Any) -> None:
    answer = completion({"content": "Hi"})
    extra = place({"prompt_tokens": 9.0, "completion_tokens": 2})
    choices = extra.pop("choices", [{}])
    answer["choices"][0] |= choices[0]
    assert OpenAICompatibleChat("m").read(answer | extra).usage == Usage(9, output_tokens=2)


def test_a_server_may_have_a_word_of_its_own_for_calls() -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    answer = completion({"role": "assistant", "content": None, "tool_calls": [call]})
    answer["choices"][0]["finish_reason"] = "functions"
    reply = OpenAICompatibleChat("m").read(answer)
    assert (reply.stop, reply.stop_text, len(reply.calls)) == (StopReason.TOOL_USE, "functions", 1)
    assert OpenAIChat("m").read(answer).stop is StopReason.OTHER
