"""What listens at an address and is no head of a Ray cluster is told apart within seconds, whatever it says."""

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tool_sandbox.cli import main
from tool_sandbox.runner import knocking
from tool_sandbox.runner.knocking import ANOTHER_SERVER, SOMETHING_ELSE, frame, read_frames, refusal

DATA, HEADERS, RESET, SETTINGS, PING, GO_AWAY = 0, 1, 3, 4, 6, 7
READY = frame(SETTINGS, 0, 0, b"\0\3\0\0\0\x64")
BUSY = frame(PING, 0, 0, bytes(8)) + frame(SETTINGS, 1)
FOUND = frame(HEADERS, 4, 1, b"\x88")
ANSWER = b"\0\0\0\0\3id1"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knocking, "PATIENCE_S", 1.0)
    for variable in ("RAY_USE_TLS", "RAY_AUTH_MODE"):
        monkeypatch.delenv(variable, raising=False)


@contextlib.contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of somebody who does something with every caller, and never hangs up by himself."""
    callers: list[socket.socket] = []
    called = threading.Event()

    def answer() -> None:
        with contextlib.suppress(OSError):
            while True:
                callers.append(listener.accept()[0])
                called.set()
                serve(callers[-1])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, daemon=True).start()
        yield listener.getsockname()[1]
        assert called.wait(60)
        listener.shutdown(socket.SHUT_RDWR)
    for caller in callers:
        caller.close()


def saying(said: bytes | None) -> Callable[[socket.socket], None]:
    """Says something and hangs up, or says nothing."""

    def serve(caller: socket.socket) -> None:
        if said is not None:
            caller.sendall(said)
            caller.close()

    return serve


def http2(answer: bytes) -> Callable[[socket.socket], None]:
    """A server of HTTP/2 that answers the first question in some way."""

    def serve(caller: socket.socket) -> None:
        preface = b""
        while not preface.endswith(b"SM\r\n\r\n"):
            preface += caller.recv(1)
        caller.sendall(READY)
        kinds = []
        for kind, *_ in read_frames(caller, time.monotonic() + 60):
            kinds.append(kind)
            if kind == DATA:
                break
        assert kinds == [SETTINGS, SETTINGS, HEADERS, DATA]
        caller.sendall(answer)

    return serve


@pytest.mark.parametrize(
    ("serve", "told"),
    [
        (saying(None), SOMETHING_ELSE),
        (saying(b""), SOMETHING_ELSE),
        (saying(b"HTTP/1.1 400 Bad Request\r\n\r\n"), SOMETHING_ELSE),
        (saying(b"220 mail ready\r\n"), SOMETHING_ELSE),
        (saying(b"\xff" * 2**16), SOMETHING_ELSE),
        (http2(BUSY + FOUND + frame(DATA, 0, 1, ANSWER)), None),
        (http2(BUSY + frame(HEADERS, 5, 1, b"\x88")), ANOTHER_SERVER),
        (http2(frame(RESET, 0, 1, bytes(4))), ANOTHER_SERVER),
        (http2(frame(GO_AWAY, 0, 0, bytes(8))), ANOTHER_SERVER),
        (http2(FOUND + frame(DATA, 1, 1, b"<html>not found</html>")), ANOTHER_SERVER),
        (http2(b"\xff" * 2**16), ANOTHER_SERVER),
        (http2(BUSY), SOMETHING_ELSE),
    ],
)
def test_who_is_the_head_of_a_cluster(serve: Callable[[socket.socket], None], told: str | None) -> None:
    with listening(serve) as port:
        assert refusal("127.0.0.1", port) == told


def test_one_who_never_ends_his_answer_is_left() -> None:
    """By the clock, not by the number of frames."""

    def serve(caller: socket.socket) -> None:
        with contextlib.suppress(OSError):
            caller.sendall(READY)
            while True:
                caller.sendall(BUSY)
                time.sleep(0.01)

    with listening(serve) as port:
        assert refusal("127.0.0.1", port) in (SOMETHING_ELSE, ANOTHER_SERVER)


@pytest.mark.parametrize(("variable", "value"), [("RAY_AUTH_MODE", "token"), ("RAY_USE_TLS", "1")])
def test_who_lets_in_only_some_is_not_asked(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    with listening(saying(READY)) as port:
        assert refusal("127.0.0.1", port) is None


def test_nobody() -> None:
    assert refusal("127.0.0.1", 1) == "Connection refused"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no Ray")
def test_it_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "init", lambda **given: pytest.fail("Ray takes minutes to give up"))
    with listening(http2(frame(HEADERS, 5, 1, b"\x88"))) as port:
        assert main(["--executor", "ray", "--address", f"127.0.0.1:{port}", "-s", "wifi_off"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"tool_sandbox: there is no Ray cluster at 127.0.0.1:{port}: {ANOTHER_SERVER}"
