"""A tap that keeps every HTTP exchange of a session, whether it came from the network or from somewhere else.

The SDK is served what is recorded, no more: the body without keys and content encoding, and the headers that are kept.
Only what is nested too deeply for any reader is flattened for it.
So an answer looks the same to it when it comes from the network, from a cache and from a stored run.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping

import attrs
import httpx2

from tool_sandbox.models.exchange import (
    Exchange,
    exchanges_from_lines,
    kept_request_headers,
    kept_response_headers,
)
from tool_sandbox.models.redaction import header_secrets, public_url, redact, redact_bytes
from tool_sandbox.models.session import Session
from tool_sandbox.models.stream_redaction import redact_stream
from tool_sandbox.models.tap import Send

Fetch = Callable[[], Exchange]
"""Gets the answer to a request over the network."""

Source = Callable[[Exchange, Fetch], Exchange]
"""Answers an exchange that has no answer yet."""


def from_network(asked: Exchange, fetch: Fetch) -> Exchange:
    """The source of a party that is neither cached nor replayed."""
    return fetch()


@attrs.define(eq=False)
class Recorder:
    """Keeps every exchange of one party in one conversation.

    Attributes:
        session: What the party asks; learns where answers come from.
        source: What answers.
        secrets: What must not be kept, beside the credentials of the requests themselves.
        lines: What passed, oldest first, as it is written: when it was sent, and the line. Hundreds of conversations
            are under way at once, and each of their requests repeats all before it.
    """

    session: Session
    source: Source = from_network
    secrets: tuple[str, ...] = attrs.field(default=(), repr=False)
    lines: list[tuple[float, bytes]] = attrs.field(factory=list)
    _before: bytes = b""

    @property
    def exchanges(self) -> list[Exchange]:
        """What passed, oldest first."""
        return exchanges_from_lines(((f"line {n}", line) for n, (_, line) in enumerate(self.lines, start=1)))

    def __call__(self, request: httpx2.Request, send: Send) -> httpx2.Response:
        """Answers a request, as a tap."""
        secrets = (*self.secrets, *header_secrets(request.headers))
        asked = Exchange(
            party=self.session.party,
            call=len(self.session.calls),
            sent_at=time.time(),
            method=request.method,
            url=redact(public_url(str(request.url)), secrets),
            request_headers=_redacted(kept_request_headers(request.headers), secrets),
            request_body=redact_bytes(request.read(), secrets),
        )

        def fetch() -> Exchange:
            self.session.before_sending()
            return _fetch(request, send, attrs.evolve(asked, sent_at=time.time()), secrets)

        exchange = self.source(asked, fetch)
        self.session.origin = exchange.origin
        self.lines.append((exchange.sent_at, exchange.to_line(self._before).encode("utf-8", "backslashreplace")))
        self._before = exchange.request_body
        return response_of(exchange)


def _fetch(request: httpx2.Request, send: Send, asked: Exchange, secrets: tuple[str, ...]) -> Exchange:
    started = time.monotonic()
    response, body, error = None, bytearray(), None
    try:
        response = send(request)
        try:
            for chunk in response.iter_bytes():
                body += chunk
        finally:
            response.close()
    except httpx2.RequestError as failure:
        if isinstance(failure, httpx2.DecodingError):
            body.clear()  # it is not read, and it may be far too large to keep
        error = redact(f"{type(failure).__name__}: {failure}", secrets)
    return attrs.evolve(
        asked,
        status=None if response is None else response.status_code,
        response_headers={} if response is None else _redacted(kept_response_headers(response.headers), secrets),
        response_body=_redacted_body(bytes(body), response, secrets),
        error=error,
        latency_s=time.monotonic() - started,
    )


def _redacted_body(body: bytes, response: httpx2.Response | None, secrets: tuple[str, ...]) -> bytes:
    redacted = redact_bytes(body, secrets)
    if response is None or "event-stream" not in response.headers.get("content-type", ""):
        return redacted
    return redact_stream(redacted, secrets)


def _redacted(headers: Mapping[str, str], secrets: tuple[str, ...]) -> dict[str, str]:
    together = "\n".join(headers.values())
    if redact(together, secrets) == together:
        # Nearly always, and one look is much cheaper than one a header.
        return dict(headers)
    return {name: redact(value, secrets) for name, value in headers.items()}


def response_of(exchange: Exchange) -> httpx2.Response:
    """What the SDK gets to see of an exchange."""
    failure = None if exchange.error is None else _failure(exchange.error)
    if exchange.status is None:
        raise failure or httpx2.TransportError("no answer")
    # As bytes: servers also write letters that are no ASCII, which the client does not encode by itself.
    headers = {name.encode(): value.encode("utf-8", "replace") for name, value in exchange.response_headers.items()}
    body = flattened(exchange.response_body)
    if failure is None:
        headers[b"content-length"] = str(len(body)).encode()
    return httpx2.Response(exchange.status, headers=headers, stream=_Body(body, failure))


class _Body(httpx2.SyncByteStream):
    """A body that has been read before, and what broke it."""

    def __init__(self, body: bytes, failure: httpx2.RequestError | None) -> None:
        self._body = body
        self._failure = failure

    def __iter__(self) -> Iterator[bytes]:
        if self._body:
            yield self._body
        if self._failure is not None:
            raise self._failure


_FAILURES: Mapping[str, type[httpx2.RequestError]] = {
    kind.__name__: kind
    for kind in (
        *(httpx2.ConnectTimeout, httpx2.ReadTimeout, httpx2.WriteTimeout, httpx2.PoolTimeout),
        *(httpx2.ConnectError, httpx2.ReadError, httpx2.WriteError, httpx2.CloseError),
        *(httpx2.LocalProtocolError, httpx2.RemoteProtocolError),
        *(httpx2.ProxyError, httpx2.UnsupportedProtocol, httpx2.DecodingError),
    )
}


def _failure(text: str) -> httpx2.RequestError:
    """The exception that was written down as kind and words."""
    name, _, words = text.partition(": ")
    kind = _FAILURES.get(name)
    return httpx2.TransportError(text) if kind is None else kind(words)


DEEPEST = 150
"""Levels of nesting that every reader accepts."""

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)


def flattened(body: bytes) -> bytes:
    """JSON of bounded depth: what is nested more deeply becomes a text that holds it.

    A model can write arguments of any depth, and servers pass them on; without this its slip would look like one of
    the server.
    """
    if body.count(b"{") + body.count(b"[") <= DEEPEST:
        return body
    parts, depth, start, end = [], 0, 0, 0
    for token in _TOKEN.finditer(body):
        if token.group() in (b"{", b"["):
            depth += 1
            if depth == DEEPEST + 1:
                start = token.start()
        elif token.group() in (b"}", b"]"):
            if depth == DEEPEST + 1:
                text = body[start : token.end()].decode("utf-8", "replace")
                parts += [body[end:start], json.dumps(text).encode()]
                end = token.end()
            depth -= 1
    return b"".join((*parts, body[end:]))
