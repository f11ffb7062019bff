"""What can go wrong between Claude and us, with the real SDK: each fault is known for what it is."""

import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.server import Answer, Broken, Cut, Drip, Garbage, Hang, serve
from tests.models.anthropic_support import HELLO, KEY, NO_RETRIES, play, provider
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.session import Session
from tool_sandbox.world.errors import ModelError


def fault(move, *, timeout_s=5.0, request=HELLO, **settings):
    """What a single failed attempt is taken for."""
    with serve(AnthropicDialect(), [move]) as server:
        session = Session()
        with pytest.raises((ProviderError, ModelError)) as error:
            ask(provider(server.url, timeout_s=timeout_s, **settings), request, session, NO_RETRIES)
    assert KEY not in "".join(map(str, (error.value, session.calls)))
    return session.calls[-1].failures[-1]


@pytest.mark.parametrize(
    ("move", "kind"),
    [
        (Broken(400), FaultKind.INVALID_REQUEST),
        (Broken(401, message=f"invalid x-api-key {KEY}"), FaultKind.AUTHENTICATION),
        (Broken(402), FaultKind.BILLING),
        (Broken(403), FaultKind.PERMISSION),
        (Broken(404), FaultKind.NOT_FOUND),
        (Broken(408), FaultKind.TIMEOUT),
        (Broken(409), FaultKind.SERVER),
        (Broken(413), FaultKind.INVALID_REQUEST),
        (Broken(429), FaultKind.RATE_LIMIT),
        (Broken(429, message="You have reached your specified API usage limits: spend limit"), FaultKind.BILLING),
        (Broken(400, message="Your credit balance is too low"), FaultKind.BILLING),
        (Broken(400, message="prompt is too long: 1000001 tokens > 1000000 maximum"), FaultKind.CONTEXT_EXCEEDED),
        (Broken(500), FaultKind.SERVER),
        (Broken(500, body=b"<html>no</html>"), FaultKind.SERVER),
        (Broken(400, body=b"<html>blocked due to our content policy</html>"), FaultKind.INVALID_REQUEST),
        (Broken(413, body=b"<html>413 Request Entity Too Large</html>"), FaultKind.INVALID_REQUEST),
        (Broken(503), FaultKind.OVERLOADED),
        (Broken(504), FaultKind.TIMEOUT),
        (Broken(529), FaultKind.OVERLOADED),
        (Cut(), FaultKind.CONNECTION),
        (Cut(Answer("Hello"), after=60), FaultKind.CONNECTION),
        (Garbage(), FaultKind.MALFORMED),
        (Garbage(b""), FaultKind.MALFORMED),
        (Garbage(b"\xff\xfe"), FaultKind.MALFORMED),
        (Garbage(b"[]"), FaultKind.MALFORMED),
        (Garbage(b'{"type": "error", "error": {"type": "api_error", "message": "x"}}'), FaultKind.SERVER),
        (Garbage(b'{"type": "error", "error": {"type": "overloaded_error"}}'), FaultKind.OVERLOADED),
        (Garbage(b'{"type": "error", "error": {"type": "authentication_error"}}'), FaultKind.AUTHENTICATION),
        (Garbage(b'{"type": "error"}'), FaultKind.MALFORMED),
        (Garbage(b'{"content": [], "n": ' + b"9" * 5000 + b"}"), FaultKind.MALFORMED),
        (Broken(307, headers={"location": "http://127.0.0.1:9/v1"}), FaultKind.INVALID_REQUEST),
        (Broken(400, message="Input is too long for requested model."), FaultKind.CONTEXT_EXCEEDED),
        (Garbage(b'{"content": [{"text": "no type"}]}'), FaultKind.MALFORMED),
        (Garbage(b'{"content": "text"}'), FaultKind.MALFORMED),
        (Garbage(b'{"content": [{"type": "tool_use", "id": "a"}]}'), FaultKind.MALFORMED),
    ],
)
def test_a_fault_is_known_for_what_it_is(move, kind):
    assert fault(move).kind is kind


@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_does_not_answer_times_out(stream):
    assert fault(Hang(), timeout_s=0.1, stream=stream).kind is FaultKind.TIMEOUT


@pytest.mark.parametrize(
    ("move", "kind", "status"),
    [
        (Broken(529), FaultKind.OVERLOADED, 529),
        (Cut(), FaultKind.CONNECTION, None),
        (Cut(Answer("Hello"), after=100), FaultKind.CONNECTION, None),
        (Answer("Hello", extra={"events": []}), FaultKind.CONNECTION, None),
        (Answer("Hello", extra={"events": [{"type": "message_delta"}]}), FaultKind.MALFORMED, None),
        (Garbage(b"event: message_start\ndata: {\n\n"), FaultKind.MALFORMED, None),
        (Garbage(b'event: message_start\ndata: "x"\n\n'), FaultKind.MALFORMED, None),
        *(
            (
                Answer("Hello", extra={"events": [{"type": "error", "error": {"type": word, "message": "m"}}]}),
                kind,
                status,
            )
            for word, kind, status in (
                ("overloaded_error", FaultKind.OVERLOADED, 529),
                ("rate_limit_error", FaultKind.RATE_LIMIT, 429),
                ("api_error", FaultKind.SERVER, 500),
                ("brand_new_error", FaultKind.SERVER, 500),
                ("authentication_error", FaultKind.AUTHENTICATION, 401),
            )
        ),
    ],
)
def test_a_broken_stream_is_known_for_what_it_is(move, kind, status):
    failure = fault(move, stream=True)
    assert (failure.kind, failure.status) == (kind, status)


@pytest.mark.parametrize(
    ("headers", "seconds"), [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5)]
)
def test_the_server_says_when_to_come_back(headers, seconds):
    waits = []
    policy = RetryPolicy(sleep=waits.append, jitter=lambda: 0.0)
    moves = [Broken(429, headers=headers), Broken(529), Answer("Hi")]
    reply, server, session = play(moves, policy=policy)
    assert reply.text == "Hi"
    assert waits == [seconds, 1.0]
    assert [seen.headers["x-stainless-retry-count"] for seen in server.seen] == ["0"] * 3
    assert [failure.status for failure in session.calls[0].failures] == [429, 529]


@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_drips_is_given_up_without_a_recorder(stream):
    attempt = fault(Drip(Answer("slow " * 50), every=0.02), timeout_s=0.1, stream=stream)
    assert attempt.kind is FaultKind.TIMEOUT
