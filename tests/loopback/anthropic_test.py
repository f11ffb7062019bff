"""The loopback server for Claude refuses what the real one refuses: other tests rely on it."""

import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.server import Answer, Encoded, Heard, RejectedError, serve

HEADERS = {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
HI = {"role": "user", "content": "Hi"}
TOOL = {"name": "f", "description": "F.", "input_schema": {"type": "object", "properties": {}}}
CALL = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "1"}
BODY = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [HI], "tools": [TOOL]}
MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}


def hear(headers=HEADERS, path="/v1/messages", method="POST", **changes):
    return AnthropicDialect(key="k").hear(method, path, headers, BODY | changes)


def turns(*contents):
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": content} for number, content in enumerate(contents)]


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"path": "/v1/messages?beta=true"},
        {"headers": {"x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "x"}, "temperature": 0},
        {"messages": [HI, HI]},
        {"messages": turns("Hi", [CALL], [RESULT, {"type": "text", "text": "And?"}])},
    ],
)
def test_good_requests_are_understood(request_):
    assert isinstance(hear(**request_), Heard)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"headers": {"anthropic-version": "2026-10-21"}}, "invalid x-api-key"),
        ({"headers": HEADERS | {"authorization": "Bearer other"}}, "invalid x-api-key"),
        ({"headers": HEADERS | {"anthropic-version": "2020-01-01"}}, "version"),
        ({"path": "/v1/complete"}, "no such endpoint"),
        ({"temperature": 0}, "temperature: Extra inputs"),
        ({"seed": 1}, "seed: Extra inputs"),
        ({"tool_choice": {"type": "any"}}, "forced tool use"),
        ({"model": "claude-opus-4-8", "tool_choice": {"type": "tool", "name": "g"}}, "no such tool"),
        ({"tools": [], "tool_choice": {"type": "auto"}}, "while providing tools"),
        ({"tools": [TOOL, TOOL]}, "must be unique"),
        ({"system": [MARKED] * 5}, "maximum of 4"),
        ({"system": [MARKED] * 4, "cache_control": {"type": "ephemeral"}}, "maximum of 4"),
        ({"messages": []}, "at least one"),
        ({"messages": [{"role": "system", "content": "x"}]}, "unexpected role"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "first message"),
        ({"messages": turns("Hi", "So")}, "prefill"),
        ({"messages": turns(" ")}, "non-empty"),
        ({"messages": turns("Hi", [CALL], "And?")}, "need exactly one"),
        ({"messages": turns("Hi", [CALL], [RESULT, RESULT])}, "need exactly one"),
        ({"messages": turns("Hi", [CALL], [{"type": "text", "text": "And?"}, RESULT])}, "come first"),
        ({"messages": turns("Hi", [CALL | {"input": "x"}], [RESULT])}, "valid dictionary"),
        (
            {"messages": turns("Hi", [{"type": "thinking", "thinking": "", "signature": "x"}, CALL], [RESULT])},
            "Invalid",
        ),
    ],
)
def test_bad_requests_are_refused(request_, words):
    with pytest.raises(RejectedError, match=words):
        hear(**request_)


def test_thoughts_have_to_come_back_with_their_calls():
    dialect = AnthropicDialect()
    heard = dialect.hear("POST", "/v1/messages", HEADERS, BODY)
    dialect.answer(heard, Answer(calls=(("f", {}),), thinking="Hm.", call_ids=("a",)))
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "signature_1"}
    whole = BODY | {"messages": turns("Hi", [thought, CALL], [RESULT])}
    assert isinstance(dialect.hear("POST", "/v1/messages", HEADERS, whole), Heard)
    for content in ([CALL], [thought | {"thinking": "Hm"}, CALL]):
        with pytest.raises(RejectedError, match=r"thinking"):
            dialect.hear("POST", "/v1/messages", HEADERS, BODY | {"messages": turns("Hi", content, [RESULT])})


def test_models_and_tokens_can_be_asked_for():
    import anthropic

    with serve(AnthropicDialect(), [Answer("Hi")], rejects=True) as server:
        client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
        assert "claude-opus-5-5" in [model.id for model in client.models.list()]
        assert client.models.retrieve("claude-opus-5-5").max_tokens == 128_000
        assert client.messages.count_tokens(model="claude-opus-5-5", messages=[HI]).input_tokens > 0
        with pytest.raises(anthropic.NotFoundError):
            client.models.retrieve("claude-3-opus-20240229")
    assert isinstance(hear(path="/v1/models", method="GET"), Encoded)
