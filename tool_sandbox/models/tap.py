"""Where all HTTP traffic of all provider SDKs passes, so that it can be recorded, replayed and cached in one place."""

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2

from tool_sandbox.models.deadlines import Deadline, DeadlineBackend
from tool_sandbox.models.proxies import environment_proxies
from tool_sandbox.world.errors import ConfigurationError

Send = Callable[[httpx2.Request], httpx2.Response]
"""Sends a request over the network."""

Tap = Callable[[httpx2.Request, Send], httpx2.Response]
"""Answers a request, by sending it or otherwise."""

_tap: ContextVar[Tap | None] = ContextVar("tap", default=None)

_ABOUT_ENCODING = (b"content-encoding", b"content-length", b"transfer-encoding")

CONNECTIONS = 1000
"""Connections that one process may have open at once: more than conversations that it may play."""


LARGEST_REPLY = 64 * 2**20
"""Bytes of a body, without its content encoding: twice what 128,000 tokens take that are streamed one by one."""

Notice = tuple[float, Callable[[float], object]]
"""Seconds after which an incomplete answer is reported, and to whom; again when they have doubled."""

_notice: ContextVar[Notice] = ContextVar("notice", default=(math.inf, lambda seconds: None))


class _BoundedBody(httpx2.SyncByteStream):
    """The body of a response, decoded, up to a size: a few bytes can stand for more than there is memory."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._response.iter_bytes():
            size += len(chunk)
            if size > LARGEST_REPLY:
                raise httpx2.DecodingError(f"the answer is larger than {LARGEST_REPLY // 2**20} MiB")
            yield chunk

    def close(self) -> None:
        self._response.close()


class TappedTransport(httpx2.BaseTransport):
    """Hands every request to the tap that the calling context has set, or sends it."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        """Wraps a transport."""
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answers a request, called by the client."""
        tap = _tap.get()
        return self._send(request) if tap is None else tap(request, self._send)

    def _send(self, request: httpx2.Request) -> httpx2.Response:
        limit = (request.extensions.get("timeout") or {}).get("read")
        if limit is not None:
            timeouts = Deadline(limit, *_notice.get()).timeouts()
            request.extensions = {**request.extensions, "timeout": timeouts}
        response = self._inner.handle_request(request)
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _ABOUT_ENCODING]
        extensions = response.extensions
        return httpx2.Response(
            response.status_code, headers=headers, stream=_BoundedBody(response), extensions=extensions
        )

    def close(self) -> None:
        """Closes all connections."""
        self._inner.close()


@contextmanager
def tapped(tap: Tap) -> Iterator[None]:
    """Has a tap see all provider traffic of the current context."""
    token = _tap.set(tap)
    try:
        yield
    finally:
        _tap.reset(token)


@contextmanager
def noticed(notice: Notice) -> Iterator[None]:
    """Reports requests of the current context that take long."""
    token = _notice.set(notice)
    try:
        yield
    finally:
        _notice.reset(token)


@functools.cache
def http_client() -> httpx2.Client:
    """The HTTP client that all SDKs of this process share; each of them sets its own time-outs.

    Proxies are taken from the environment (``HTTPS_PROXY`` and so on); servers on this machine are reached directly.
    """
    direct = _transport(None)
    mounts: dict[str, httpx2.BaseTransport] = {
        pattern: direct if proxy is None else _transport(proxy) for pattern, proxy in environment_proxies().items()
    }
    return httpx2.Client(transport=direct, mounts=mounts, follow_redirects=False)


def _transport(proxy: str | None) -> TappedTransport:
    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    try:
        transport = httpx2.HTTPTransport(limits=limits, proxy=proxy)
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        # Not with its address, which may hold a password.
        raise ConfigurationError(f"a proxy of the environment cannot be used ({type(error).__name__})") from None
    # The client has no other place for it.
    transport._pool._network_backend = DeadlineBackend()
    return TappedTransport(transport)
