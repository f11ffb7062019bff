"""A model server on 127.0.0.1 that speaks a vendor's real wire protocol to the vendor's real SDK.

A `Dialect` knows one protocol: it checks requests as strictly as the real server does and encodes replies. A `Brain`
decides what to answer; it sees the request in a form that is the same for all protocols.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

import attrs

from tests.loopback.whole import Server, WholeRequests


@attrs.frozen
class HeardTurn:
    """One entry of a conversation as a server understood it.

    ``role`` is ``user``, ``assistant`` or ``tool``. ``calls`` are (id, name, decoded arguments) of an assistant entry;
    ``call_id``, ``name`` and ``is_error`` belong to a tool result.
    """

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, Any], ...] = ()
    call_id: str | None = None
    name: str | None = None
    is_error: bool | None = None


@attrs.frozen
class Heard:
    """A request as a server understood it."""

    model: str
    system: str
    turns: tuple[HeardTurn, ...]
    tools: tuple[str, ...]
    body: Mapping[str, Any]
    path: str
    headers: Mapping[str, str]


@attrs.frozen
class Answer:
    """What the model is to answer; ``calls`` are (name, arguments), where text stands for broken JSON.

    ``stop`` is the vendor's own word, by default what fits. Tokens: ``input_tokens`` with ``cached_tokens`` included,
    ``output_tokens`` with ``reasoning_tokens`` included. ``extra`` is for what only one dialect knows.
    """

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    stop: str | None = None
    input_tokens: int = 100
    cached_tokens: int = 0
    output_tokens: int = 10
    reasoning_tokens: int = 0
    thinking: str | None = None
    refusal: str | None = None
    call_ids: tuple[str, ...] | None = None
    served_model: str | None = None
    extra: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Broken:
    """An HTTP error: the dialect builds the vendor's error body unless ``body`` is given."""

    status: int
    code: str = ""
    message: str = "something went wrong"
    headers: Mapping[str, str] = attrs.field(factory=dict)
    body: bytes | None = None


@attrs.frozen
class Cut:
    """The connection is closed: before anything is sent, or after ``after`` bytes of the answer."""

    answer: Answer | None = None
    after: int = 0


@attrs.frozen
class Hang:
    """Nothing is sent for some seconds, then the connection is closed."""

    seconds: float = 30.0


@attrs.frozen
class Drip:
    """The answer comes one byte at a time, ``every`` so many seconds."""

    answer: Answer
    every: float = 0.1


@attrs.frozen
class Garbage:
    """Status 200 with a body that is not what the vendor documents."""

    body: bytes = b'{"nonsense": true'


Move = Answer | Broken | Cut | Hang | Drip | Garbage
Brain = Callable[[Heard], Move]


class RejectedError(Exception):
    """A request that the real server would refuse; the dialect makes the vendor's error of it."""

    def __init__(self, message: str, status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


def require(is_fine: Any, message: str, status: int = 400, code: str = "") -> None:
    """Refuses a request unless something is fine."""
    if not is_fine:
        raise RejectedError(message, status, code)


@attrs.frozen
class Encoded:
    """A response: status, headers and body."""

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=dict)
    content_type: str = "application/json"


class Dialect(Protocol):
    """One vendor's protocol."""

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        """Checks and understands a request; an ``Encoded`` answers it without the brain (lists of models, say)."""

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        """Encodes an answer."""

    def error(self, broken: Broken) -> Encoded:
        """Encodes an error."""


@attrs.frozen
class Seen:
    """A request as it came in, and how it was answered."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    heard: Heard | None
    move: Move | None
    rejected: str | None = None

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@attrs.define(eq=False)
class Loopback:
    """A running server.

    ``url`` is ``http://127.0.0.1:PORT``; ``seen`` lists all requests, oldest first; ``crashes`` what dialect or brain
    raised, which the client only sees as a cut connection.
    """

    url: str
    seen: list[Seen] = attrs.field(factory=list)
    crashes: list[Exception] = attrs.field(factory=list)

    @property
    def rejections(self) -> list[str]:
        """Requests that the real server would have refused."""
        return [seen.rejected for seen in self.seen if seen.rejected is not None]


@contextmanager
def serve(dialect: Dialect, brain: Brain | Sequence[Move], *, rejects: bool = False) -> Iterator[Loopback]:
    """Runs a server for a test, which fails if the real one would have refused a request, unless it ``rejects``."""
    think = brain if callable(brain) else _in_order(brain)
    server = Server(_handler(dialect, think))
    loopback = Loopback(server.url)
    server.loopback = loopback  # type: ignore[attr-defined]
    with server.serving():
        yield loopback
    if loopback.crashes:
        raise ExceptionGroup("the server crashed", loopback.crashes)
    assert rejects or loopback.rejections == []


def _in_order(moves: Sequence[Move]) -> Brain:
    lock, left = threading.Lock(), list(moves)

    def think(heard: Heard) -> Move:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return think


def _handler(dialect: Dialect, brain: Brain) -> type[BaseHTTPRequestHandler]:
    class Handler(WholeRequests):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def hear(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            heard, move, rejected, encoded = None, None, None, None
            try:
                is_form = headers.get("content-type", "").startswith("multipart/")
                body = self.body if is_form else json.loads(self.body) if self.body else None
                understood = dialect.hear(self.command, self.path, headers, body)
                if isinstance(understood, Encoded):
                    encoded = understood
                else:
                    heard = understood
                    move = brain(heard)
            except RejectedError as error:
                rejected = str(error)
                encoded = dialect.error(Broken(error.status, error.code, rejected))
            except Exception as error:
                self.server.loopback.crashes.append(error)  # type: ignore[attr-defined]
                return self._drop()
            self.server.loopback.seen.append(  # type: ignore[attr-defined]
                Seen(self.command, self.path, headers, self.body, heard, move, rejected)
            )
            return self._make(heard, move, encoded)

        def _make(self, heard: Heard | None, move: Move | None, encoded: Encoded | None) -> None:
            if isinstance(move, Hang):
                time.sleep(move.seconds)
                return self._drop()
            if isinstance(move, Cut) and move.answer is None:
                return self._drop()
            if isinstance(move, Broken):
                encoded = dialect.error(move) if move.body is None else Encoded(move.status, move.body)
                encoded = attrs.evolve(encoded, headers={**encoded.headers, **move.headers})
            elif isinstance(move, Garbage):
                encoded = Encoded(200, move.body)
            elif isinstance(move, Cut | Drip):
                assert heard is not None
                assert move.answer is not None
                encoded = dialect.answer(heard, move.answer)
            elif isinstance(move, Answer):
                assert heard is not None
                encoded = dialect.answer(heard, move)
            assert encoded is not None
            self.send_response(encoded.status)
            for name, value in encoded.headers.items():
                self.send_header(name, value)
            self.send_header("content-type", encoded.content_type)
            self.send_header("content-length", str(len(encoded.body)))
            self.end_headers()
            if isinstance(move, Cut):
                self.wfile.write(encoded.body[: move.after])
                self.wfile.flush()
                return self._drop()
            if isinstance(move, Drip):
                return self._drip(encoded.body, move.every)
            self.wfile.write(encoded.body)
            return None

        def _drip(self, body: bytes, every: float) -> None:
            with suppress(OSError):
                for position in range(len(body)):
                    self.wfile.write(body[position : position + 1])
                    self.wfile.flush()
                    time.sleep(every)

        def _drop(self) -> None:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    return Handler


def server_sent_events(events: Sequence[tuple[str | None, Any]]) -> bytes:
    """Encodes (event name or ``None``, JSON or text) as a stream of server-sent events."""
    lines = []
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data)
        lines.append((f"event: {name}\n" if name is not None else "") + f"data: {text}\n\n")
    return "".join(lines).encode()
