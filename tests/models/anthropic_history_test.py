"""Whatever stands in the log becomes a request that Anthropic takes."""

from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.server import Answer
from tests.models.anthropic_support import HELLO, MODEL, play
from tool_sandbox.models.anthropic_history import LOOKBACK, to_messages, with_marker
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    UserTurn,
)


def test_results_answer_each_call_once_in_one_message():
    calls = (RequestedCall("a", "f", {"x": 1}), RequestedCall("b", "g", "{broken"), RequestedCall("c:1", "h h", {}))
    results = (ToolResult("c:1", "h h", ""), ToolResult("a", "f", "ValueError: no", is_error=True))
    turns = (UserTurn("Go"), AssistantTurn("", calls), ResultsTurn(results))
    _, server, _ = play([Answer("Done")], ModelRequest("", turns))
    asked, answered = server.seen[0].body["messages"][1:]
    assert [block["input"] for block in asked["content"]] == [{"x": 1}, {"unparsed_arguments": "{broken"}, {}]
    assert answered["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": "a",
            "is_error": True,
            "content": [{"type": "text", "text": "ValueError: no"}],
        },
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "is_error": True,
            "content": [{"type": "text", "text": "(This call was not carried out.)"}],
        },
        {"type": "tool_result", "tool_use_id": asked["content"][2]["id"], "is_error": False},
    ]


def test_arguments_that_are_no_object_stay_text_and_can_be_sent_back():
    for stream, extra in ((False, {}), (True, {"pieces": ['{"on": fal']})):
        answer = Answer(calls=(("set_wifi_status", '{"on": fal'),), extra=extra)
        reply, _, _ = play([answer], stream=stream)
        assert reply.calls[0].arguments == '{"on": fal'
        results = ResultsTurn((ToolResult(reply.calls[0].id, "set_wifi_status", "bad", is_error=True),))
        turns = (*HELLO.turns, AssistantTurn("", reply.calls, reply.raw), results)
        _, server, _ = play([Answer("Sorry")], ModelRequest("", turns))
        assert server.seen[0].heard.turns[1].calls[0][2] == {"unparsed_arguments": '{"on": fal'}
    reply, _, _ = play([Answer(calls=(("f", [1, 2]), ("g", None)))])
    assert [call.arguments for call in reply.calls] == ["[1, 2]", "null"]


TEXTS = st.sampled_from(["", " ", "Hello", "Wi-Fi is off."])
CALLS = st.lists(st.sampled_from(["a", "b:1", "", "é"]), max_size=3, unique=True).map(
    lambda ids: tuple(RequestedCall(call_id, "f g", {}) for call_id in ids)
)
RAWS = st.sampled_from([(), ([],), ([{"type": "text", "text": ""}],), ([{"type": "text", "text": "x"}], [])])
RESULTS = st.lists(st.sampled_from(["a", "b:1", "z"]), max_size=3, unique=True).map(
    lambda ids: ResultsTurn(tuple(ToolResult(call_id, "f", "1") for call_id in ids))
)
TURNS = st.lists(
    st.one_of(st.builds(UserTurn, TEXTS), st.builds(AssistantTurn, TEXTS, CALLS, RAWS), RESULTS), max_size=8
)


@given(TURNS)
def test_any_history_can_be_sent(turns):
    """Whatever stands in the log, the request is one that the API accepts, provided that the model is asked now."""
    messages = to_messages([*turns, UserTurn("And?")])
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    body = {"model": MODEL, "max_tokens": 1, "messages": messages}
    AnthropicDialect().hear("POST", "/v1/messages", headers, body)
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]


def test_thoughts_without_words_are_left_out():
    thought = {"type": "thinking", "thinking": "Hm", "signature": "s"}
    turns = [UserTurn("Hi"), AssistantTurn("", (), ([thought],)), UserTurn("Hello?")]
    assert to_messages(turns) == [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "Hello?"}]}
    ]


def test_characters_that_are_no_unicode_do_not_stop_the_conversation():
    reply, _, _ = play([Answer("\ud800", (("set_wifi_status", {"\ud800": "\udfff"}),))])
    results = ResultsTurn((ToolResult(reply.calls[0].id, "set_wifi_status", "bad", is_error=True),))
    turns = (*HELLO.turns, AssistantTurn(reply.text, reply.calls, reply.raw), results)
    reply, _, _ = play([Answer("Sorry")], ModelRequest("", turns))
    assert reply.text == "Sorry"


def test_a_marker_is_set_only_where_the_lookback_ends_too_early():
    def request(blocks):
        content = [{"type": "text", "text": "x"}] * blocks
        return [
            {"role": "user", "content": content[:1]},
            {"role": "assistant", "content": content[:1]},
            {"role": "user", "content": content},
        ]

    short, long = request(LOOKBACK - 1), request(LOOKBACK)
    assert with_marker(short) == short
    assert with_marker(long)[0]["content"] == [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]
    assert long == request(LOOKBACK)


def test_an_id_is_sent_only_once():
    call = AssistantTurn("", (RequestedCall("call_0", "f", {}),))
    result = ResultsTurn((ToolResult("call_0", "f", "1"),))
    _, first, _, second, answer = to_messages([UserTurn("Hi"), call, result, call, result])
    assert first["content"][0]["id"] == "call_0"
    assert second["content"][0]["id"] == answer["content"][0]["tool_use_id"] != "call_0"


def test_what_the_api_refuses_of_its_own_replies_is_replaced():
    calls = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": {}} for name in ("../x", "")]
    thought = {"type": "thinking", "thinking": "", "signature": "s"}
    results = [ResultsTurn((ToolResult("toolu_1", "f", text),)) for text in ("one", "two")]
    turns = [UserTurn("Hi")]
    for call, result in zip(calls, results, strict=True):
        turns += [AssistantTurn("", (), ([thought, call],)), result]
    _, first, one, second, two = to_messages(turns)
    assert first["content"] == [thought, {**calls[0], "name": "___x"}]
    assert (second["content"][1]["name"], second["content"][1]["id"] != "toolu_1") == ("_", True)
    for reply, answer, text in ((first, one, "one"), (second, two, "two")):
        assert answer["content"][0]["tool_use_id"] == reply["content"][1]["id"]
        assert answer["content"][0]["content"][0]["text"] == text


def test_arguments_without_a_bottom_do_not_stop_the_conversation():
    deep = []
    for _ in range(600):
        deep = [deep]
    reply, _, _ = play([Answer(calls=(("set_wifi_status", {"on": deep}),))])
    results = ResultsTurn((ToolResult(reply.calls[0].id, "set_wifi_status", "no", is_error=True),))
    turns = (*HELLO.turns, AssistantTurn("", reply.calls, reply.raw), results)
    assert play([Answer("Sorry")], ModelRequest("", turns, HELLO.tools))[0].text == "Sorry"


def test_a_conversation_that_the_model_began_has_an_opening():
    assert [message["role"] for message in to_messages([AssistantTurn("Hello"), UserTurn("Hi")])] == [
        "user",
        "assistant",
        "user",
    ]
