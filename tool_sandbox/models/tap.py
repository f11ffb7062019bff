"""Where all HTTP traffic of all provider SDKs passes, so that it can be recorded, replayed and cached in one place."""

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.models.proxies import environment_proxies

Send = Callable[[httpx2.Request], httpx2.Response]
"""Sends a request over the network."""

Tap = Callable[[httpx2.Request, Send], httpx2.Response]
"""Answers a request, by sending it or otherwise."""

_tap: ContextVar[Tap | None] = ContextVar("tap", default=None)

CONNECTIONS = 1000
"""Connections that one process may have open at once: more than conversations that it may play."""


class _TimedBody(httpx2.SyncByteStream):
    """A body that has to be complete in time.

    The client's own time-out begins anew with every byte, so that a server that drips could hold a conversation for
    ever.
    """

    def __init__(self, inner: httpx2.SyncByteStream, started: float, limit_s: float) -> None:
        self._inner = inner
        self._started = started
        self._limit_s = limit_s

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            if time.monotonic() - self._started > self._limit_s:
                raise httpx2.ReadTimeout(f"the answer was not complete after {self._limit_s:g} s")
            yield chunk

    def close(self) -> None:
        self._inner.close()


class TappedTransport(httpx2.BaseTransport):
    """Hands every request to the tap that the calling context has set, or sends it."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        """Wraps a transport.

        Args:
            inner: What sends requests.
        """
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answers a request, called by the client."""
        tap = _tap.get()
        return self._send(request) if tap is None else tap(request, self._send)

    def _send(self, request: httpx2.Request) -> httpx2.Response:
        started = time.monotonic()
        response = self._inner.handle_request(request)
        limit = (request.extensions.get("timeout") or {}).get("read")
        if limit is not None and isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _TimedBody(response.stream, started, limit)
        return response

    def close(self) -> None:
        """Closes all connections."""
        self._inner.close()


@contextmanager
def tapped(tap: Tap) -> Iterator[None]:
    """Has a tap see all provider traffic of the current context.

    Args:
        tap: What answers requests.
    """
    token = _tap.set(tap)
    try:
        yield
    finally:
        _tap.reset(token)


@functools.cache
def http_client() -> httpx2.Client:
    """The HTTP client that all SDKs of this process share; each of them sets its own time-outs.

    Proxies are taken from the environment (``HTTPS_PROXY`` and so on); servers on this machine are reached directly.

    Raises:
        ConfigurationError: A proxy cannot be used.
    """
    direct = _transport(None)
    mounts: dict[str, httpx2.BaseTransport] = {
        pattern: direct if proxy is None else _transport(proxy) for pattern, proxy in environment_proxies().items()
    }
    return httpx2.Client(transport=direct, mounts=mounts, follow_redirects=False)


def _transport(proxy: str | None) -> TappedTransport:
    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    try:
        return TappedTransport(httpx2.HTTPTransport(limits=limits, proxy=proxy))
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        # Not with its address, which may hold a password.
        raise ConfigurationError(f"a proxy of the environment cannot be used ({type(error).__name__})") from None
