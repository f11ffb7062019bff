"""Servers that never come to an end, and the real clients: every one of them gives up in time, and in little memory."""

import gzip
import importlib
import logging
import re
import socket
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest

from tests.models.vendors import question
from tool_sandbox.models import tap
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.models.messages import ModelReply, ModelRequest
from tool_sandbox.models.naming import choose_model
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.recording import Recorder
from tool_sandbox.models.session import Session
from tool_sandbox.models.throttle import Throttle

CHOICES = (
    "anthropic/claude-opus-5-5:",
    "anthropic/claude-opus-5-5:stream=true,",
    "openai/gpt-test:",
    "openai/gpt-test:stream=true,",
    "openai/gpt-test:api=chat,stream=true,",
    "google/gemini-test:",
    "openai-compatible/my-model:",
    "openai-compatible/my-model:format=hermes,",
)
TIMEOUT_S = 0.4
DRIPS = 30
EVERY_S = 0.1
"""What drips ends by itself after some seconds, so that a client that waits for it fails and does not hang."""

Act = Callable[[socket.socket], None]


@contextmanager
def serving(act: Act) -> Iterator[str]:
    """A server that reads requests whole, and then does something with the connection."""

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head, _, body = read_until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
            length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            while len(body) < length and (more := connection.recv(2**16)):
                body += more
            act(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def read_until(connection: socket.socket, end: bytes) -> bytes:
    data = b""
    while end not in data:
        if not (more := connection.recv(2**16)):
            raise ConnectionError("the client has gone")
        data += more
    return data


def dripping(head: bytes, drop: bytes, drips: int = DRIPS) -> Act:
    def act(connection: socket.socket) -> None:
        connection.sendall(head)
        for _ in range(drips):
            connection.sendall(drop)
            time.sleep(EVERY_S)

    return act


def encoded(encoding: str, body: bytes) -> Act:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: {encoding}\r\n"
    return lambda connection: connection.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)


ENDLESS = {
    "hang after accept": lambda connection: time.sleep(DRIPS * EVERY_S),
    "status drips": dripping(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "headers drip": dripping(b"HTTP/1.1 200 OK\r\n", b"x-more: to come\r\n"),
    "body drips": dripping(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n", b" "),
    "events never end": dripping(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", b": ping\n\n"),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC", "OPENAI", "GEMINI"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-loopback-0123456789abcdef")


def model(choice: str, url: str, timeout_s: float = TIMEOUT_S) -> Provider:
    return choose_model(f"{choice}base_url={url},timeout={timeout_s}").provider


def fault_of(provider: Provider, session: Session, **policy: Any) -> RequestFault:
    patience = RetryPolicy(retries=0, throttle=lambda provider: Throttle(), **policy)
    with pytest.raises(ProviderError) as caught:
        ask(provider, question(), session, patience)
    return caught.value.cause


@pytest.mark.sampled(5)
@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("act", ENDLESS.values(), ids=ENDLESS)
def test_one_deadline_holds_for_the_whole_exchange(act: Act, is_recorded: bool) -> None:
    def ask_one(choice: str) -> RequestFault:
        session = Session()
        session.tap = Recorder(session) if is_recorded else None
        return fault_of(model(choice, url), session)

    with serving(act) as url, ThreadPoolExecutor(len(CHOICES)) as pool:
        faults = dict(zip(CHOICES, pool.map(ask_one, CHOICES), strict=True))
    # On a busy machine the time may be up before there is a connection.
    ends = (f"no complete answer within {TIMEOUT_S} s (option timeout)", f"no connection within {TIMEOUT_S} s")
    assert {choice: fault for choice, fault in faults.items() if not fault.message.endswith(ends)} == {}


def bombs() -> dict[str, bytes]:
    zeros = bytes(3 * 2**20)
    found = {"gzip": gzip.compress(zeros), "deflate": zlib.compress(zeros)}
    found["gzip, gzip"] = gzip.compress(found["gzip"])
    for encoding, names in {"br": ("brotli", "brotlicffi"), "zstd": ("compression.zstd", "backports.zstd")}.items():
        for name in names:
            with suppress(ImportError):
                found[encoding] = importlib.import_module(name).compress(zeros)
    return found


@pytest.mark.parametrize("choice", CHOICES)
def test_bytes_are_counted_as_they_are_decoded(choice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tap, "LARGEST_REPLY", 2**20)
    for encoding, body in bombs().items():
        session = Session()
        session.tap = recorder = Recorder(session)
        with serving(encoded(encoding, body)) as url:
            fault = fault_of(model(choice, url, 60), session)
        assert fault == RequestFault(FaultKind.MALFORMED, "the answer is larger than 1 MiB"), encoding
        (exchange,) = recorder.exchanges
        assert exchange.response_body == b"", "nothing of it is kept"


def test_a_body_in_an_encoding_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tap, "LARGEST_REPLY", 2**20)
    body = b'{"error": {"message": "so far, so good"}}'
    for encoding, compressed in {"gzip": gzip.compress(body), "identity": body}.items():
        with serving(encoded(encoding, compressed)) as url:
            assert "so far, so good" in fault_of(model("openai/gpt-test:api=chat,", url, 60), Session()).message


@pytest.mark.skipif(sys.platform != "linux", reason="a full queue of connections drops others only there")
def test_a_server_that_cannot_be_reached_is_no_slow_one() -> None:
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        fault = fault_of(model(CHOICES[0], url), Session())
    assert fault.kind is FaultKind.CONNECTION
    assert fault.message.startswith("ConnectTimeout: no ")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("choice", CHOICES)
def test_it_is_said_what_is_waited_for(choice: str, caplog: pytest.LogCaptureFixture) -> None:
    act = dripping(b"HTTP/1.1 200 OK\r\n", b"x-more: to come\r\n", drips=5)
    with serving(act) as url, caplog.at_level(logging.WARNING, "tool_sandbox.models.calling"):
        fault_of(model(choice, url, 60), Session(), notice_s=0.1)
    said = caplog.records[0].getMessage()
    assert re.fullmatch(
        rf"{choice.partition(':')[0]}: no answer for \d+ s, waiting up to 60 s \(option timeout\)", said
    )


def test_one_of_many_that_wait_says_so() -> None:
    throttle = Throttle()
    waits = (30.0, 30.1, 31.0, 60.0, 61.0, 30.0, 120.0)
    assert [seconds for seconds in waits if throttle.is_longest_wait(seconds)] == [30.0, 60.0, 120.0]


@pytest.mark.parametrize(("kind", "asked"), [("timeout", 2), ("connection", 4)])
def test_a_server_that_is_silent_is_asked_only_once_more(kind: str, asked: int) -> None:
    class Silent(Provider):
        name = "silent"
        sent = 0

        def wire(self, request: ModelRequest) -> dict[str, Any]:
            return {}

        def send(self, **wire: Any) -> Any:
            self.sent += 1
            raise ProviderError("nothing", RequestFault(FaultKind(kind), "nothing"))

        def read(self, answer: Any) -> ModelReply:
            raise AssertionError(answer)

        def explain(self, error: Exception) -> RequestFault | None:
            return None

    provider = Silent("m-1")
    with pytest.raises(ProviderError):
        ask(provider, question(), Session(), RetryPolicy(3, sleep=lambda seconds: None, throttle=lambda p: Throttle()))
    assert provider.sent == asked
