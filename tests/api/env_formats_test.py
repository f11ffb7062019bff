"""Actions and observations in the formats of OpenAI and Anthropic, as dictionaries and as objects of the SDKs."""

import json
from typing import Any

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion, ChatCompletionMessage

import tool_sandbox as ts

ARGUMENTS = {"on": False}
ENTRY = {"id": "abc", "type": "function", "function": {"name": "set_wifi_status", "arguments": json.dumps(ARGUMENTS)}}
OPENAI = {"role": "assistant", "content": "Just a moment.", "tool_calls": [ENTRY]}
BLOCKS = [
    {"type": "thinking", "thinking": "Wifi is on.", "signature": "xyz"},
    {"type": "text", "text": "Just a moment."},
    {"type": "tool_use", "id": "toolu_1", "name": "set_wifi_status", "input": ARGUMENTS},
]
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": BLOCKS,
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "created": 0,
    "model": "gpt",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": OPENAI}],
}


@pytest.mark.parametrize(
    ("action", "call_id", "text"),
    [
        ([("set_wifi_status", ARGUMENTS)], "call_0", ""),
        (("set_wifi_status", ARGUMENTS), "call_0", ""),
        ([["set_wifi_status", json.dumps(ARGUMENTS)]], "call_0", ""),
        ([ENTRY], "abc", ""),
        (OPENAI, "abc", "Just a moment."),
        (ChatCompletionMessage.model_validate(OPENAI), "abc", "Just a moment."),
        (COMPLETION, "abc", "Just a moment."),
        (ChatCompletion.model_validate(COMPLETION), "abc", "Just a moment."),
        (BLOCKS, "toolu_1", "Just a moment."),
        (ANTHROPIC, "toolu_1", "Just a moment."),
        ({"role": "assistant", "content": BLOCKS}, "toolu_1", "Just a moment."),
        (Message.model_validate(ANTHROPIC), "toolu_1", "Just a moment."),
        (Message.model_validate(ANTHROPIC).content, "toolu_1", "Just a moment."),
        ({"role": "assistant", "content": Message.model_validate(ANTHROPIC).content}, "toolu_1", "Just a moment."),
    ],
)
def test_a_call_in_every_form(action: Any, call_id: str, text: str) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    observation = env.step(action)
    said, result = observation.messages[-2:]
    assert said["content"] == text
    assert [call["id"] for call in said["tool_calls"]] == [call_id]
    assert result == {"role": "tool", "tool_call_id": call_id, "name": "set_wifi_status", "content": "None"}
    assert observation.new_messages == [result]
    assert env.step("Wifi is turned off.").score == 1


@pytest.mark.parametrize("content", ["Wifi is turned off.", [{"type": "text", "text": "Wifi is turned off."}]])
def test_a_text_in_every_form(content: Any) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    env.step([("set_wifi_status", ARGUMENTS)])
    twin = env.fork()
    assert env.step({"role": "assistant", "content": content}).score == 1
    assert twin.step({**ANTHROPIC, "content": [{"type": "text", "text": "Wifi is turned off."}]}).score == 1


def test_the_same_ids_again_are_told_apart() -> None:
    env = ts.Env("wifi_off")
    env.reset()
    env.step(OPENAI)
    said, *results = env.step({**OPENAI, "tool_calls": [ENTRY, ENTRY]}).messages[-3:]
    ids = [call["id"] for call in said["tool_calls"]]
    assert len({*ids, "abc"}) == 3
    assert [result["tool_call_id"] for result in results] == ids


def test_results_stand_in_the_order_of_the_calls() -> None:
    env = ts.Env("modify_contact_with_message_recency")
    env.reset()
    names = ["search_contacts", "get_current_timestamp", "no_such_tool", "search_messages"]
    new = env.step([(name, {}) for name in names]).new_messages
    assert [message["name"] for message in new] == names


def test_a_request_to_openai() -> None:
    env = ts.Env("wifi_off")
    first = env.reset().as_openai()
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert first["tools"][0]["function"]["name"] == "set_wifi_status"
    later = env.step(OPENAI)
    assert later.as_openai()["messages"] == [*first["messages"], {**OPENAI}, *later.new_messages]
    assert later.as_openai(new=True)["messages"] == later.new_messages
    json.dumps(later.as_openai())


def test_a_request_to_anthropic() -> None:
    env = ts.Env("wifi_off")
    first = env.reset()
    asked = first.as_anthropic()
    assert asked["system"] == first.messages[0]["content"]
    assert asked["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Turn off wifi."}]}]
    assert asked["tools"][0]["input_schema"] == first.tools[0]["function"]["parameters"]
    assert first.as_anthropic(new=True) == asked
    later = env.step(Message.model_validate(ANTHROPIC))
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": False}
    answer = {"role": "user", "content": [{**result, "content": [{"type": "text", "text": "None"}]}]}
    assert later.as_anthropic(new=True)["messages"] == [answer]
    *_, said, heard = later.as_anthropic()["messages"]
    assert heard == answer
    # Thoughts are sent back as they came, with their signature.
    assert said["content"][0]["signature"] == "xyz"
    assert said["content"][2]["id"] == "toolu_1"


def test_a_cut_off_call_is_not_carried_out() -> None:
    env = ts.Env("wifi_off")
    env.reset()
    result = env.step({**ANTHROPIC, "stop_reason": "max_tokens"}).new_messages[0]
    assert "cut off" in result["content"]
    assert env.score() == 0


@pytest.mark.parametrize(
    ("action", "outcome"),
    [
        ({"role": "assistant", "content": None, "refusal": "I cannot do that."}, "refused"),
        ({**ANTHROPIC, "stop_reason": "refusal", "content": []}, "refused"),
    ],
)
def test_a_refusal(action: dict[str, Any], outcome: str) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    ended = env.step(action)
    assert (ended.terminated, ended.outcome, ended.score) == (True, outcome, 0)


def test_what_an_observation_gives_away_can_be_changed() -> None:
    env = ts.Env("wifi_off")
    first = env.reset()
    first.messages.clear()
    first.tools[0]["function"]["parameters"].clear()
    assert len(env.observation.messages) == 2
    assert env.observation.tools[0]["function"]["parameters"]
