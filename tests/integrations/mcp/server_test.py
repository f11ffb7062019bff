"""The HTTP server: who is let in, what is said of tools, what comes back, and how it ends."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.integrations.mcp.clients import MODES, connected, http_client
from tool_sandbox.integrations.mcp import SandboxServer, ToolEndpoint, shared_server
from tool_sandbox.integrations.mcp.conversation import LARGEST_REQUEST, MOST_HELD, MOST_SESSIONS
from tool_sandbox.models.messages import ToolResult
from tool_sandbox.roles.external.bridge import BridgeClosedError
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

PARAMETERS = {
    "type": "object",
    "properties": {"arg_0": {}, "when": {"type": "string", "enum": ["now", "later"], "description": "When."}},
    "required": ["arg_0"],
}
TOOLS = [
    {"type": "function", "function": {"name": "settings_2", "description": "", "parameters": PARAMETERS}},
    {
        "type": "function",
        "function": {
            "name": "ping",
            "description": "Line one.\nLine two.",
            "parameters": {"type": "object", "properties": {}, "required": []},
        },
    },
]
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
BOTH = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

Answer = Callable[[str, Mapping[str, Any]], ToolResult]


def echo(name: str, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult("", name, repr((name, dict(arguments))), is_error=name not in ("settings_2", "ping"))


def at_once(answer: Answer) -> Callable[[str, Mapping[str, Any]], "Future[ToolResult]"]:
    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        future: Future[ToolResult] = Future()
        future.set_result(answer(name, arguments))
        return future

    return call


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


@pytest.fixture
def endpoint(server: SandboxServer) -> Iterator[ToolEndpoint]:
    endpoint = server.open(TOOLS, at_once(echo), instructions="Be good.")
    yield endpoint
    server.close(endpoint)


def base(server: SandboxServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def modern(method: str, params: Mapping[str, Any], **extra: Any) -> dict[str, Any]:
    """A request of the revision without sessions, with all that it has to carry."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}, **extra}


# Certificates take long to load, and there are none here.
HTTP = httpx2.Client(verify=False, timeout=60)


def raw(endpoint: ToolEndpoint, body: bytes | dict[str, Any], **headers: str) -> httpx2.Response:
    """Posts a request of the revision without sessions, or whatever the body is."""
    sent = {**BOTH, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ping"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return HTTP.post(endpoint.url, content=content, headers={**sent, **endpoint.headers, **headers})


# Protocol --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_tools_and_texts_are_exactly_those_of_the_sandbox(
    mode: str, server: SandboxServer, endpoint: ToolEndpoint
) -> None:
    with connected(http_client(endpoint, mode)) as client:
        listed = [(tool.name, tool.description, tool.input_schema, tool.output_schema) for tool in client.tools()]
        functions = [tool["function"] for tool in TOOLS]
        assert listed == [(each["name"], each["description"], each["parameters"], None) for each in functions]
        assert client.call("settings_2", {"arg_0": "ü\n\"x'", "other": None}) == (
            "('settings_2', {'arg_0': 'ü\\n\"x\\'', 'other': None})",
            False,
        )
        # Neither required nor allowed values are checked here: that is for the world to say.
        assert client.call("settings_2", {"when": "never"}) == ("('settings_2', {'when': 'never'})", False)
        assert client.call("no_such_tool", {}) == ("('no_such_tool', {})", True)
        if mode != "2026-07-28":
            assert client.instructions == "Be good."
        assert server.listed(endpoint) == 1


def test_calls_do_not_count_as_listings(server: SandboxServer, endpoint: ToolEndpoint) -> None:
    calls = modern("tools/call", {"name": "ping", "arguments": {"x": 1}})
    assert raw(endpoint, calls).status_code == 200
    assert server.listed(endpoint) == 0
    assert raw(endpoint, modern("tools/list", {}), **{"mcp-method": "tools/list"}).status_code == 200
    assert server.listed(endpoint) == 1


@pytest.mark.parametrize("version", HANDSHAKES)
def test_older_revisions_have_sessions(version: str, endpoint: ToolEndpoint) -> None:
    headers = {**BOTH, **endpoint.headers}
    with httpx2.Client(headers=headers, timeout=60, verify=False) as http:

        def post(method: str, params: dict[str, Any], number: int | None = 1) -> httpx2.Response:
            request = {"jsonrpc": "2.0", "method": method, "params": params}
            return http.post(endpoint.url, json=request if number is None else {**request, "id": number})

        info = {"name": "raw", "version": "1"}
        opened = post("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": info})
        assert _message(opened)["result"]["protocolVersion"] == version
        http.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        http.headers["mcp-protocol-version"] = version
        assert post("notifications/initialized", {}, None).status_code == 202
        called = _message(post("tools/call", {"name": "ping", "arguments": {}}))["result"]
        assert called["content"] == [{"type": "text", "text": "('ping', {})"}]
        assert http.delete(endpoint.url).status_code == 200
        assert post("tools/list", {}).status_code == 404


def _message(response: httpx2.Response) -> Any:
    """The answer to a request, be it JSON or a stream of events."""
    assert response.status_code == 200, response.text
    if response.headers["content-type"].startswith("application/json"):
        return response.json()
    return json.loads(
        next(line[5:] for line in response.text.splitlines() if line.startswith("data:") and line[5:].strip())
    )


def test_a_call_that_cannot_be_made_is_a_failed_call(server: SandboxServer) -> None:
    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        if name == "ping":
            raise BridgeClosedError("not now")
        future: Future[ToolResult] = Future()
        future.set_exception(BridgeClosedError("too late"))
        return future

    endpoint = server.open(TOOLS, call)
    with connected(http_client(endpoint)) as client:
        assert client.call("ping", {}) == ("not now", True)
        assert client.call("settings_2", {}) == ("too late", True)
    server.close(endpoint)


# Who is let in ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer wrong", "Basic {token}", "{token}", "Bearer {token}x", "Bearer é"],
)
def test_without_the_secret_nothing_is_told(
    authorization: str | None, server: SandboxServer, endpoint: ToolEndpoint
) -> None:
    calls = modern("tools/call", {"name": "ping", "arguments": {}})
    headers = [] if authorization is None else [(b"authorization", authorization.format(token=endpoint.token).encode())]
    base_headers = [(name.encode(), value.encode()) for name, value in BOTH.items()]
    for method in ("POST", "GET", "DELETE"):
        answer = HTTP.request(method, endpoint.url, content=json.dumps(calls), headers=[*base_headers, *headers])
        unknown = HTTP.request(method, f"{base(server)}/c/0123456789abcdef/mcp", headers=[*base_headers, *headers])
        assert (answer.status_code, unknown.status_code) == (401, 404)
        assert answer.content == unknown.content
        assert endpoint.token.encode() not in answer.content


def test_the_secret_of_another_conversation_opens_nothing(server: SandboxServer, endpoint: ToolEndpoint) -> None:
    other = server.open(TOOLS, at_once(echo))
    assert other.token != endpoint.token
    assert raw(ToolEndpoint(endpoint.url, other.token), modern("tools/list", {})).status_code == 401
    server.close(other)


def test_a_secret_is_not_shown(endpoint: ToolEndpoint) -> None:
    assert endpoint.token not in repr(endpoint)


@pytest.mark.parametrize("path", ["/", "/c/", "/c//mcp", "/mcp", "/c/x/y/mcp", "/health/x"])
def test_other_addresses_are_empty(path: str, server: SandboxServer) -> None:
    assert HTTP.get(base(server) + path).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"host": "host.docker.internal:1234"}, 200),
        ({"host": "localhost:1234", "origin": "http://localhost:1234"}, 200),
    ],
)
def test_web_pages_cannot_reach_it_under_their_own_name(
    headers: dict[str, str], status: int, endpoint: ToolEndpoint
) -> None:
    assert raw(endpoint, modern("tools/call", {"name": "ping", "arguments": {}}), **headers).status_code == status


@pytest.mark.slow
def test_sessions_are_bounded(endpoint: ToolEndpoint) -> None:
    info = {"protocolVersion": HANDSHAKES[-1], "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    with httpx2.Client(headers={**BOTH, **endpoint.headers}, timeout=60, verify=False) as http:
        statuses = [http.post(endpoint.url, json=request).status_code for _ in range(MOST_SESSIONS + 1)]
    assert statuses == [200] * MOST_SESSIONS + [503]


# Hostile calls ---------------------------------------------------------------------------------

_DEEP = b"[" * 100_000 + b"]" * 100_000


def _arguments(json_text: bytes) -> bytes:
    return (
        json.dumps(modern("tools/call", {"name": "ping", "arguments": "HERE"})).encode().replace(b'"HERE"', json_text)
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"null", 400),
        (b"\xff\xfe{", 400),
        (_arguments(_DEEP), 400),
        (_arguments(b'{"x": ' + b"9" * 5000 + b"}"), 400),
        (_arguments(b"[1]"), 400),
        (_arguments(b'"text"'), 400),
        (_arguments(b"7"), 400),
        (b" " * (LARGEST_REQUEST + 1), 413),
    ],
)
def test_what_is_no_call_is_refused_without_harm(body: bytes, status: int, endpoint: ToolEndpoint) -> None:
    refused = raw(endpoint, body)
    assert refused.status_code == status
    assert "Traceback" not in refused.text
    called = raw(endpoint, modern("tools/call", {"name": "ping", "arguments": {}}))
    assert _message(called)["result"]["content"][0]["text"] == "('ping', {})"


def test_what_requests_hold_at_once_is_bounded(server: SandboxServer, endpoint: ToolEndpoint) -> None:
    other = server.open(TOOLS, at_once(echo))
    size = LARGEST_REQUEST - 1
    head = (
        f"POST {urlsplit(endpoint.url).path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {endpoint.token}\r\nContent-Length: {size}\r\n\r\n"
    )
    call = modern("tools/call", {"name": "ping", "arguments": {}})
    with ExitStack() as stack:
        for _ in range(MOST_HELD // LARGEST_REQUEST):
            unfinished = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            unfinished.sendall(head.encode() + b" " * (size - 1))
        # While they are being read, one that comes in between could make one of them too much.
        [held] = [each for each in server._conversations.values() if each.token == endpoint.token]
        while held._held < MOST_HELD // LARGEST_REQUEST * (size - 1):
            time.sleep(0.02)
        large = json.dumps(call).encode() + b" " * (LARGEST_REQUEST // 2)
        assert raw(endpoint, large).status_code == 413
        # Nobody else is kept out.
        assert raw(other, large).status_code == 200
    while raw(endpoint, large).status_code != 200:
        time.sleep(0.02)
    server.close(other)


@pytest.mark.parametrize("mode", MODES)
def test_strange_arguments_arrive(mode: str, endpoint: ToolEndpoint) -> None:
    large = "x" * 1_000_000
    with connected(http_client(endpoint, mode)) as client:
        assert client.call("ping", {"x": large})[0] == repr(("ping", {"x": large}))
        assert client.call("ping", {"": [None, {"\u0000": 1e308}]})[0] == repr(("ping", {"": [None, {"\0": 1e308}]}))


@pytest.mark.parametrize("version", [None, "2026-07-28"])
def test_half_characters_become_question_marks(version: str | None, server: SandboxServer) -> None:
    seen: list[Mapping[str, Any]] = []

    def note(name: str, arguments: Mapping[str, Any]) -> ToolResult:
        seen.append(arguments)
        return echo(name, {})

    endpoint = server.open(TOOLS, at_once(note))
    body = _arguments(b'{"a": "x\\ud800y", "\\udfff": "\\ud83d\\ude00"}')
    if version is not None:
        assert raw(endpoint, body).status_code == 200
    else:
        with httpx2.Client(headers={**BOTH, **endpoint.headers}, timeout=60, verify=False) as http:
            info = {"protocolVersion": HANDSHAKES[-1], "capabilities": {}, "clientInfo": {"name": "r", "version": "1"}}
            request = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}
            http.headers["mcp-session-id"] = http.post(endpoint.url, json=request).headers["mcp-session-id"]
            http.post(endpoint.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
            assert http.post(endpoint.url, content=body).status_code == 200
    assert seen == [{"a": "x?y", "?": "\U0001f600"}]
    server.close(endpoint)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_that_goes_away_leaves_its_call_alone(mode: str, server: SandboxServer) -> None:
    started, results = threading.Event(), [Future(), Future()]  # type: ignore[var-annotated]
    handed_out = iter(results)

    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        started.set()
        return next(handed_out)

    endpoint = server.open(TOOLS, call)
    if mode == "legacy":
        with pytest.raises(BaseException), connected(http_client(endpoint, mode)) as client:  # noqa: B017, PT011
            _hang_up_when(started, client)
    else:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            _post_by_hand(connection, endpoint)
            assert started.wait(60)
    # The server has noticed.
    server.drain(60)
    assert not server._busy
    # Who waits for the result in the conversation must not find that it was cancelled.
    results[0].set_result(ToolResult("", "ping", "late"))
    started.clear()
    results[1].set_result(ToolResult("", "ping", "fine"))
    with connected(http_client(endpoint)) as client:
        assert client.call("ping", {}) == ("fine", False)
    server.close(endpoint)


def _hang_up_when(started: threading.Event, client: Any) -> None:
    def call() -> None:
        with pytest.raises(BaseException):  # noqa: B017, PT011
            client.call("ping", {})

    thread = threading.Thread(target=call)
    thread.start()
    assert started.wait(60)
    raise KeyboardInterrupt


def _post_by_hand(connection: socket.socket, endpoint: ToolEndpoint) -> None:
    body = json.dumps(modern("tools/call", {"name": "ping", "arguments": {}})).encode()
    sent = {**BOTH, **endpoint.headers, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}
    sent |= {"mcp-name": "ping", "host": "localhost:1", "content-length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    path = endpoint.url[endpoint.url.index("/c/") :]
    connection.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body)


# Beginning and end -----------------------------------------------------------------------------


def test_it_starts_stops_and_frees_the_port(caplog: pytest.LogCaptureFixture) -> None:
    before = threading.active_count()
    server = SandboxServer()
    server.stop()
    server.start()
    server.start()
    port = server.port
    assert HTTP.get(f"{base(server)}/health").json() == {"status": "ok"}
    endpoint = server.open(TOOLS, at_once(echo))
    with connected(http_client(endpoint, "legacy")) as client:
        client.call("ping", {})
        server.stop()
    server.stop()
    assert threading.active_count() == before
    # No request had to be cut off.
    assert [record.message for record in caplog.records if record.name.startswith("uvicorn")] == []
    with pytest.raises(httpx2.ConnectError):
        HTTP.get(f"{base(server)}/health")
    with pytest.raises(InfrastructureError, match="does not run"):
        server.open(TOOLS, at_once(echo))
    server.close(endpoint)
    with SandboxServer(port) as second:
        assert second.port == port
        assert HTTP.get(f"{base(second)}/health").status_code == 200
        assert raw(endpoint, modern("tools/list", {})).status_code == 404


def test_a_port_that_is_taken_is_one_line() -> None:
    with SandboxServer() as first, pytest.raises(ConfigurationError, match=f"cannot listen on port {first.port}: "):
        SandboxServer(first.port).start()


def test_the_end_of_a_conversation_answers_who_waits(server: SandboxServer) -> None:
    started, hanging = threading.Event(), Future()  # type: ignore[var-annotated]

    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        started.set()
        return hanging

    endpoint = server.open(TOOLS, call)
    with ThreadPoolExecutor() as pool, connected(http_client(endpoint, "2026-07-28")) as client:
        waiting = pool.submit(client.call, "ping", {})
        assert started.wait(60)
        server.close(endpoint)
        assert waiting.result(60) == ("the conversation is over", True)
    assert raw(endpoint, modern("tools/list", {})).status_code == 404
    server.close(endpoint)
    assert server.listed(endpoint) == 0
    hanging.set_result(ToolResult("", "ping", "late"))


def test_conversations_come_and_go_from_many_threads(server: SandboxServer) -> None:
    def come_and_go(number: int) -> None:
        for turn in range(10):
            mine = f"{number}-{turn}"
            endpoint = server.open(TOOLS, at_once(lambda name, arguments, mine=mine: ToolResult("", name, mine)))
            answer = raw(endpoint, modern("tools/call", {"name": "ping", "arguments": {}}))
            assert _message(answer)["result"]["content"][0]["text"] == mine
            server.close(endpoint)
            assert raw(endpoint, modern("tools/call", {"name": "ping", "arguments": {}})).status_code == 404

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(come_and_go, range(16)))
    assert not server._conversations


def test_one_server_a_process() -> None:
    assert shared_server() is shared_server()
    assert HTTP.get(f"{base(shared_server())}/health").status_code == 200


_FORK = """
import os, sys
from concurrent.futures import Future
import httpx2
from tool_sandbox.integrations.mcp import shared_server

def works():
    server = shared_server()
    endpoint = server.open([], lambda name, arguments: Future())
    with httpx2.Client(verify=False, trust_env=False) as http:
        assert http.get(f"http://127.0.0.1:{server.port}/health").status_code == 200
        assert http.get(endpoint.url).status_code == 401
    server.close(endpoint)
    return server.port

port = works()
child = os.fork()
if child == 0:
    other = works()
    sys.exit(0 if other != port else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert works() == port
print("fine")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_has_a_server_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", _FORK], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'tool_sandbox\[mcp\]'"):
        SandboxServer().start()
