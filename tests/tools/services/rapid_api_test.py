"""The live service, against a real server on this machine."""

import json
import time
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from tests.loopback import whole
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.tools.rapid_api_search_tools import search_lat_lon, search_stock, search_weather_around_lat_lon
from tool_sandbox.tools.services import create_service
from tool_sandbox.tools.services.lookups import StockLookup
from tool_sandbox.tools.services.rapid_api import RapidApiService
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

KEY = "secret-key-0123456789"


@attrs.define
class Reply:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = attrs.field(factory=dict)
    delay: float = 0.0


@attrs.define
class Server:
    """Replies in order, the last one again and again, and what was asked."""

    url: str = ""
    replies: list[Reply] = attrs.field(factory=list)
    requests: list[tuple[str, dict[str, str]]] = attrs.field(factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(whole.WholeRequests):
        def hear(self) -> None:
            state.requests.append((self.path, dict(self.headers)))
            reply = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            time.sleep(reply.delay)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

    with whole.Server(Handler).serving() as state.url:
        yield state


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def service(server: Server, pauses: list[float]) -> RapidApiService:
    return RapidApiService(KEY, base_url=server.url, timeout=2.0, sleep=pauses.append)


def ask(service: RapidApiService) -> dict[str, Any]:
    return service.body(StockLookup("Apple & Co"), 0.0)


def test_request(server: Server, service: RapidApiService) -> None:
    server.replies = [Reply(body=b'{"data": {"stock": [{"symbol": "AAPL:NASDAQ"}]}}')]
    with new_context(ExecutionContext(services=service)):
        assert search_stock("Apple & Co") == {"symbol": "AAPL"}
    path, headers = server.requests[0]
    headers = {name.lower(): value for name, value in headers.items()}
    assert path in ("/search?query=Apple+%26+Co", "/search?query=Apple%20%26%20Co")
    assert headers["x-rapidapi-key"] == KEY
    assert headers["x-rapidapi-host"] == "real-time-finance-data.p.rapidapi.com"


@pytest.mark.parametrize("status", [401, 403, 404, 418, 301])
def test_errors_that_do_not_pass(server: Server, service: RapidApiService, pauses: list[float], status: int) -> None:
    server.replies = [Reply(status, b'{"message": "no"}', {"Location": "http://127.0.0.1:9/"})]
    with pytest.raises(InfrastructureError) as error:
        ask(service)
    assert KEY not in str(error.value)
    assert len(server.requests) == 1
    assert pauses == []


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_errors_that_may_pass(server: Server, service: RapidApiService, pauses: list[float], status: int) -> None:
    server.replies = [Reply(status), Reply(status), Reply(body=b'{"ok": 1}')]
    assert ask(service) == {"ok": 1}
    assert pauses == [0.5, 1.0]


def test_attempts_are_bounded(server: Server, service: RapidApiService, pauses: list[float]) -> None:
    server.replies = [Reply(500, KEY.encode())]
    with pytest.raises(InfrastructureError, match="status 500") as error:
        ask(service)
    assert KEY not in str(error.value)
    assert (len(server.requests), len(pauses)) == (3, 2)


@pytest.mark.parametrize(("asked", "waited"), [("7", 7.0), ("9999", 30.0), ("-3", 0.0), ("soon", 0.5)])
def test_retry_after(server: Server, service: RapidApiService, pauses: list[float], asked: str, waited: float) -> None:
    server.replies = [Reply(429, headers={"Retry-After": asked}), Reply(body=b"{}")]
    ask(service)
    assert pauses == [waited]


def test_silence_times_out(server: Server, pauses: list[float]) -> None:
    server.replies = [Reply(delay=0.5)]
    service = RapidApiService(KEY, base_url=server.url, timeout=0.05, attempts=2, sleep=pauses.append)
    with pytest.raises(InfrastructureError, match="Timeout"):
        ask(service)
    assert len(pauses) == 1


def test_without_a_server(pauses: list[float]) -> None:
    service = RapidApiService(KEY, base_url="http://127.0.0.1:1", sleep=pauses.append)
    with pytest.raises(InfrastructureError, match="failed 3 times") as error:
        ask(service)
    assert KEY not in str(error.value)


@pytest.mark.parametrize("body", [b"", b"<html>", b"null", b"[1]", b'"text"', b"{", b"\xff\xfe", b"3"])
def test_bodies_that_are_no_object(server: Server, service: RapidApiService, body: bytes) -> None:
    server.replies = [Reply(body=body)]
    with pytest.raises(InfrastructureError, match="JSON object"):
        ask(service)


def test_no_weather_is_not_a_failure(server: Server, service: RapidApiService) -> None:
    server.replies = [Reply(400, json.dumps({"error": {"code": 1006, "message": "No matching location."}}).encode())]
    with new_context(ExecutionContext(services=service)):
        assert search_weather_around_lat_lon(0, 0.0, -150.0) is None


def test_failure_leaves_the_world_alone(server: Server, service: RapidApiService) -> None:
    server.replies = [Reply(403)]
    context = ExecutionContext(services=service)
    before = context.fork()
    with new_context(context), pytest.raises(InfrastructureError):
        search_lat_lon(0.0, 0.0)
    assert context.equals(before)


def test_key_comes_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPID_API_KEY", f" {KEY}\n")
    server.replies = [Reply()]
    service = create_service("rapidapi", base_url=server.url)
    assert service.mode == "rapidapi"
    assert isinstance(service, RapidApiService)
    ask(service)
    assert KEY not in repr(service)
    assert KEY in server.requests[0][1].values()


@pytest.mark.parametrize("key", ["", "  ", "with\nbreak", "schlüssel"])
def test_unusable_keys(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("RAPID_API_KEY", key)
    with pytest.raises(ConfigurationError, match="RAPID_API_KEY") as error:
        create_service("rapidapi")
    assert not key.strip() or key not in str(error.value)
