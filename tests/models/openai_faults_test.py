"""Faults of chat completions: the real SDK against a server on this machine."""

from typing import Any

import pytest

from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Cut, Garbage, Hang, Loopback, Move, serve
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.openai_chat import OpenAIChat
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.models.session import Session
from tool_sandbox.world.errors import ModelError, ModelRefusedError

KEY = "sk-test-0123456789abcdef"
ONE_TURN = ModelRequest("Be brief.", (UserTurn("Hi"),))


def chat(server: Loopback, timeout_s: float = 10.0, /, **settings: Any) -> OpenAIChat:
    return OpenAIChat("gpt-test", settings, Endpoint(f"{server.url}/v1", KEY, timeout_s))


FAULTS: list[tuple[Move, FaultKind]] = [
    (
        Broken(429, "rate_limit_exceeded", "Rate limit reached. Visit /account/billing", {"retry-after": "2"}),
        "rate_limit",
    ),
    (Broken(429, "insufficient_quota", "You exceeded your current quota"), "billing"),
    (Broken(500, "", "The server had an error"), "server"),
    (Broken(503, "", "Slow down"), "overloaded"),
    (Broken(502, body=b"<html><head><title>502 Bad Gateway</title></head></html>"), "server"),
    (Broken(404, "model_not_found", "The model `x` does not exist"), "not_found"),
    (Broken(403, "unsupported_country_region_territory", "Country not supported"), "permission"),
    (Broken(403, "", "Your input was flagged by moderation"), "blocked"),
    (Broken(400, "context_length_exceeded", "This model's maximum context length is 8"), "context_exceeded"),
    (
        Broken(400, body=b'{"object": "error", "message": "the request exceeds the available context size"}'),
        "context_exceeded",
    ),
    (Broken(400, "", "This model's maximum prompt length is 8 but the request contains 9 tokens."), "context_exceeded"),
    (Broken(422, "", "`inputs` tokens + `max_new_tokens` must be <= 8. Given: 9"), "context_exceeded"),
    (Broken(400, body=b"<html><title>Flagged: blocked due to our content policy</title></html>"), "invalid_request"),
    (Broken(403, body=b"<html><title>Flagged by moderation</title></html>"), "permission"),
    (Broken(413, body=b"<html><title>413 Request Entity Too Large</title></html>"), "invalid_request"),
    (Broken(413, "rate_limit_exceeded", "Request too large: tokens per minute (TPM)"), "rate_limit"),
    (Broken(400, "content_filter", "The prompt was filtered"), "blocked"),
    (Broken(400, "invalid_prompt", "Your prompt was flagged as potentially violating our usage policy"), "blocked"),
    (Broken(400, "", "Incorrect API key provided: xx"), "authentication"),
    (Broken(400, "invalid_value", "Invalid value"), "invalid_request"),
    (Broken(422, body=b'{"detail": [{"msg": "field required"}]}'), "invalid_request"),
    (Broken(400, body=b'{"error": "no such model"}'), "invalid_request"),
    (Broken(400, body=b"null"), "invalid_request"),
    (Cut(), "connection"),
    (Cut(Answer("Hello, this will be cut"), 40), "connection"),
    (Hang(), "timeout"),
    (Garbage(), "malformed_reply"),
    (Garbage(b"<html>Welcome</html>"), "malformed_reply"),
    (Garbage(b"\xff\xfe"), "malformed_reply"),
    (Garbage(b"[" * 100_000), "malformed_reply"),
    (Garbage(b"[1]"), "malformed_reply"),
    (Garbage(b'"text"'), "malformed_reply"),
    (Garbage(b"{}"), "malformed_reply"),
]
PLAIN_ONLY: list[tuple[Move, FaultKind]] = [
    (Garbage(b'{"error": {"code": 429, "message": "upstream", "metadata": {"raw": "slow down"}}}'), "rate_limit"),
    (Garbage(b'{"error": {"code": 402, "message": "Insufficient credits"}}'), "billing"),
    (Garbage(b'{"error": "overloaded"}'), "server"),
    (Garbage(b'{"object": "error", "message": "maximum context length", "code": 400}'), "context_exceeded"),
    (Garbage(b'{"choices": [{"finish_reason": "error", "message": {}, "error": {"code": 502}}]}'), "server"),
    (Garbage(b'{"choices": [{"finish_reason": "insufficient_system_resource", "message": {}}]}'), "overloaded"),
]
STREAM_ONLY: list[tuple[Move, FaultKind]] = [
    (Garbage(b'data: {"error": {"message": "x", "type": "server_error", "code": null}}\n\n'), "server"),
    (Garbage(b'data: {"error": {"message": "x", "code": 429}}\n\n'), "rate_limit"),
    (Garbage(b'data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n'), "malformed_reply"),
    (Garbage(b'data: {"choices": [{"index"\n\n'), "malformed_reply"),
    (Garbage(b"data: [1]\n\n"), "malformed_reply"),
]


def fault_after(move: Move, **settings: Any) -> tuple[Exception, Session]:
    session = Session()
    with serve(OpenAIChatDialect(), [move]) as server:
        provider = chat(server, 0.2 if isinstance(move, Hang) else 10.0, **settings)
        with pytest.raises((ProviderError, ModelError, ModelRefusedError)) as caught:
            ask(provider, ONE_TURN, session, RetryPolicy(retries=0))
    return caught.value, session


@pytest.mark.parametrize(
    ("stream", "move", "kind"),
    [
        *((stream, *case) for stream in (False, True) for case in FAULTS),
        *((False, *case) for case in PLAIN_ONLY),
        *((True, *case) for case in STREAM_ONLY),
    ],
)
def test_faults(stream: bool, move: Move, kind: FaultKind) -> None:
    error, session = fault_after(move, stream=stream)
    failure = session.calls[0].failures[0]
    assert failure.kind == kind, failure.message
    assert failure.message
    if isinstance(move, Broken):
        assert failure.status == move.status
    assert "\n" not in str(error)


def test_the_words_of_the_server_and_of_those_behind_it_are_kept() -> None:
    body = b'{"error": {"code": 502, "message": "Provider returned error", "metadata": {"raw": "out of memory"}}}'
    error, _ = fault_after(Broken(502, body=body))
    assert "Provider returned error: out of memory" in str(error)
    error, _ = fault_after(Broken(502, body=b"<html><title>Bad\nGateway</title><body>x</body></html>"))
    assert str(error) == "openai/gpt-test: server (HTTP 502, Bad Gateway)"


@pytest.mark.parametrize(
    "echo",
    [
        f"Incorrect API key provided: {KEY}.",
        "Incorrect API key provided: sk-test-************cdef. You can find it",
        "Invalid key 'sk-other-012345678'",
        "No user with key 89abcdef",
        f"Authorization: Bearer {KEY[:12]} is wrong",
    ],
)
def test_no_part_of_a_key_is_reported(echo: str) -> None:
    error, session = fault_after(Broken(401, "invalid_api_key", echo))
    said = str(error) + session.calls[0].failures[0].message
    assert session.calls[0].failures[0].kind is FaultKind.AUTHENTICATION
    assert "[key]" in said
    assert not any(part in said for part in (KEY, KEY[:12], "cdef", "012345678", "sk-test"))


@pytest.mark.parametrize("headers", [{"retry-after": "3"}, {"retry-after-ms": "3000", "retry-after": "9"}])
def test_the_server_is_asked_again_when_it_wants(headers: dict[str, str]) -> None:
    slept: list[float] = []
    policy = RetryPolicy(sleep=slept.append, jitter=lambda: 0.0)
    moves = [Broken(429, "rate_limit_exceeded", "wait", headers), Broken(500), Answer("Hello.")]
    with serve(OpenAIChatDialect(), moves) as server:
        assert ask(chat(server), ONE_TURN, Session(), policy).text == "Hello."
        assert len(server.seen) == 3
    assert slept == [3.0, 1.0]
