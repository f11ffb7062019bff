"""What can go wrong with Gemini: each fault over the wire, through the real SDK, to its label."""

import json
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.loopback.gemini import KEY, TOKEN, error, error_info, quota_failure, retry_info
from tests.loopback.gemini import Gemini as Dialect
from tests.loopback.server import Answer, Broken, Cut, Garbage, Hang, Move, serve
from tests.loopback.whole import Server, WholeRequests
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.models.session import Session
from tool_sandbox.world.errors import ModelError, ModelRefusedError

HELLO = ModelRequest("Be kind.", (UserTurn("Hello?"),))
PLAN = "You exceeded your current quota, please check your plan and billing details."
MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


def fault_of(move: Move, timeout_s: float = 10.0) -> RequestFault:
    """The fault, asserted to be found out with one request."""
    with serve(Dialect(), [move]) as server:
        provider = Gemini("gemini-3-pro", {}, Endpoint(server.url, KEY, timeout_s))
        session = Session()
        with pytest.raises((ProviderError, ModelError, ModelRefusedError)) as caught:
            ask(provider, HELLO, session, RetryPolicy(retries=0))
        assert len(server.seen) == 1, "the SDK must not try again by itself"
    assert KEY not in str(caught.value)
    (failure,) = session.calls[0].failures
    if isinstance(caught.value, ProviderError):
        return caught.value.cause
    return RequestFault(failure.kind, failure.message, failure.status)


@pytest.mark.parametrize(
    ("move", "kind"),
    [
        (error(429, PLAN, quota_failure(MINUTE), retry_info("17s")), FaultKind.RATE_LIMIT),
        (error(429, PLAN, quota_failure(MINUTE)), FaultKind.RATE_LIMIT),
        (error(429, PLAN, retry_info("17s")), FaultKind.RATE_LIMIT),
        (error(429, PLAN, quota_failure(DAY), retry_info("17s")), FaultKind.BILLING),
        (error(429, PLAN), FaultKind.BILLING),
        (error(429, "Resource has been exhausted (e.g. check quota)."), FaultKind.RATE_LIMIT),
        (error(429, "Resource exhausted. Please try again later."), FaultKind.RATE_LIMIT),
        (error(400, "API key not valid. Please pass a valid API key."), FaultKind.AUTHENTICATION),
        (error(400, "API key expired.", error_info("API_KEY_INVALID")), FaultKind.AUTHENTICATION),
        (error(401, "Request had invalid authentication credentials."), FaultKind.AUTHENTICATION),
        (error(403, "Your project has been denied access."), FaultKind.PERMISSION),
        (error(403, "This API method requires billing.", error_info("BILLING_DISABLED")), FaultKind.BILLING),
        (error(400, "User location is not supported.", word="FAILED_PRECONDITION"), FaultKind.PERMISSION),
        (error(400, "Please enable billing.", word="FAILED_PRECONDITION"), FaultKind.BILLING),
        (error(404, "models/gemini-0 is not found for API version v1."), FaultKind.NOT_FOUND),
        (error(400, "Please use a valid role."), FaultKind.INVALID_REQUEST),
        (
            error(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
            FaultKind.CONTEXT_EXCEEDED,
        ),
        (
            error(400, "The input token count is 2100000 but model only supports up to 1048576."),
            FaultKind.CONTEXT_EXCEEDED,
        ),
        (error(499, "The operation was cancelled."), FaultKind.SERVER),
        (error(500, "An internal error has occurred."), FaultKind.SERVER),
        (error(503, "The model is overloaded. Please try again later."), FaultKind.OVERLOADED),
        (error(504, "Deadline expired before operation could complete."), FaultKind.TIMEOUT),
        (Broken(502, body=b"<html>Bad gateway</html>"), FaultKind.SERVER),
        (Broken(400, body=b"<html>blocked due to our content policy</html>"), FaultKind.INVALID_REQUEST),
        (Broken(413, body=b"<html>413 Request Entity Too Large</html>"), FaultKind.INVALID_REQUEST),
        (Broken(500, body=b"[]"), FaultKind.SERVER),
        (Broken(500, body=b'{"error": "x"}'), FaultKind.SERVER),
        (Broken(503, body=b'{"error": {"details": [null, {"retryDelay": 3}]}}'), FaultKind.OVERLOADED),
        (Broken(500, body=b"\xff\xfe"), FaultKind.SERVER),
        (Cut(), FaultKind.CONNECTION),
        (Cut(Answer("Hi."), after=20), FaultKind.CONNECTION),
        (Garbage(), FaultKind.MALFORMED),
        (Garbage(b""), FaultKind.MALFORMED),
        (Garbage(b"[]"), FaultKind.MALFORMED),
        (Garbage(b"{}"), FaultKind.MALFORMED),
        (Garbage(b"\xff\xfe"), FaultKind.MALFORMED),
        (Garbage(b"[" * 100_000), FaultKind.MALFORMED),
    ],
)
def test_faults(move: Move, kind: FaultKind) -> None:
    assert fault_of(move).kind is kind


def test_a_server_that_takes_too_long() -> None:
    assert fault_of(Hang(), timeout_s=0.1).kind is FaultKind.TIMEOUT


def test_a_server_that_is_not_there() -> None:
    provider = Gemini("gemini-3-pro", {}, Endpoint("http://127.0.0.1:1", KEY, 5.0))
    with pytest.raises(ProviderError) as caught:
        ask(provider, HELLO, Session(), RetryPolicy(retries=0))
    assert caught.value.cause.kind is FaultKind.CONNECTION


@pytest.mark.parametrize(("delay", "seconds"), [("17s", 17.0), ("0.5s", 0.5), ("34.074824224s", 34.074824224)])
def test_the_wait_that_the_server_asks_for(delay: str, seconds: float) -> None:
    fault = fault_of(error(429, PLAN, quota_failure(MINUTE), retry_info(delay)))
    assert (fault.status, fault.retry_after_s) == (429, seconds)
    assert fault_of(error(503, "busy", retry_info("soon"))).retry_after_s is None


def test_the_wait_in_the_headers() -> None:
    assert fault_of(Broken(503, headers={"retry-after": "4"})).retry_after_s == 4.0


def test_it_is_asked_again_after_the_wait() -> None:
    slept: list[float] = []
    moves = [error(429, PLAN, retry_info("17s")), error(503, "busy"), Cut(), Garbage(), Answer("Hi.")]
    with serve(Dialect(), moves) as server:
        provider = Gemini("gemini-3-pro", {}, Endpoint(server.url, KEY, 10.0))
        session = Session()
        policy = RetryPolicy(sleep=slept.append, jitter=lambda: 0.0)
        assert ask(provider, HELLO, session, policy).text == "Hi."
    assert slept == [17.0, 1.0, 2.0, 4.0]
    assert len({seen.raw for seen in server.seen}) == 1
    assert [failure.kind for failure in session.calls[0].failures] == [
        FaultKind.RATE_LIMIT,
        FaultKind.OVERLOADED,
        FaultKind.CONNECTION,
        FaultKind.MALFORMED,
    ]


def test_bugs_are_no_faults() -> None:
    assert Gemini("gemini-3-pro").explain(ZeroDivisionError()) is None
    assert Gemini("gemini-3-pro").explain(ValueError("x")) is None


def test_a_key_that_the_server_repeats_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "AIza-wrong/key+1"
    with serve(Dialect(), [Answer("Hi.")], rejects=True) as server:
        monkeypatch.setenv("GEMINI_API_KEY", wrong)
        for endpoint in (Endpoint(server.url, wrong), Endpoint(server.url)):
            with pytest.raises(ProviderError) as caught:
                ask(Gemini("gemini-3-pro", {}, endpoint), HELLO, Session(), RetryPolicy(retries=0))
            assert caught.value.cause.kind is FaultKind.AUTHENTICATION
            assert "API key not valid: (key)" in str(caught.value)
            assert wrong not in "".join(traceback.format_exception_only(caught.value))
            assert wrong not in repr(endpoint)
    assert all(wrong in (seen.rejected or "") for seen in server.seen)


# Credentials of Google Cloud -----------------------------------------------------------------


@contextmanager
def token_server(status: int, answer: dict[str, Any]) -> Iterator[str]:
    """Exchanges signed assertions for access tokens."""

    class Handler(WholeRequests):
        def hear(self) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with Server(Handler).serving() as url:
        yield f"{url}/token"


@pytest.fixture(scope="module")
def private_key() -> str:
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(*pem).decode()


def ask_vertex(
    private_key: str, token_uri: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[str], Session]:
    """Asks with the credentials of a key file; gives the bearer tokens that the model's server saw."""
    info = {"type": "service_account", "project_id": "p", "private_key": private_key, "token_uri": token_uri}
    (folder / "key.json").write_text(json.dumps(info | {"client_email": "robot@p.example"}))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(folder / "key.json"))
    session = Session()
    with serve(Dialect(), [Answer("Hi.")]) as server:
        provider = Gemini("gemini-3-pro", {"vertex": True, "project": "p", "region": "r"}, Endpoint(server.url))
        for _ in range(2):
            ask(provider, HELLO, session, RetryPolicy(retries=0))
    return [seen.headers["authorization"] for seen in server.seen], session


def test_default_credentials_of_google_cloud(private_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with token_server(200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}) as uri:
        tokens, session = ask_vertex(private_key, uri, tmp_path, monkeypatch)
    assert tokens == [f"Bearer {TOKEN}"] * 2
    assert [call.stop for call in session.calls] == ["end", "end"]


def test_credentials_that_google_refuses(private_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"error": "invalid_grant", "error_description": "account not found"}
    with token_server(400, answer) as uri, pytest.raises(ProviderError, match="account not found") as caught:
        ask_vertex(private_key, uri, tmp_path, monkeypatch)
    assert caught.value.cause.kind is FaultKind.AUTHENTICATION


def test_a_token_server_that_is_not_there(private_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda seconds: None)
    with pytest.raises(ProviderError) as caught:
        ask_vertex(private_key, "http://127.0.0.1:1/token", tmp_path, monkeypatch)
    assert caught.value.cause.kind is FaultKind.CONNECTION
