"""One deadline around everything that passes over the network for a request: connecting, sending, headers and body.

The time-outs of the HTTP client hold for one wait each and begin anew with every byte, so that a server that drips
could hold a conversation for ever.
"""

import math
import ssl
import time
from collections.abc import Callable
from typing import Any

import attrs
import httpcore2

CONNECT_S = 10.0
"""Longest wait for a connection: three tries of the system at being heard, where most need a tenth of a second."""

_PIECE = 16 * 2**10
"""Bytes that are sent between two looks at the clock."""


@attrs.define(eq=False)
class Deadline:
    """The time that a request has, from now on.

    Attributes:
        limit_s: Seconds.
        notice_s: Seconds after which it is told that nothing complete has come; again whenever that has doubled.
        tell: Called then, with the seconds that have passed.
    """

    limit_s: float
    notice_s: float = math.inf
    tell: Callable[[float], object] = lambda seconds: None
    _begun: float = attrs.field(factory=time.monotonic, init=False)

    def left(self, error: type[httpcore2.TimeoutException]) -> float:
        """Seconds that are left; raises the error if there are none."""
        passed = time.monotonic() - self._begun
        if passed >= self.limit_s:
            raise error(f"no complete answer within {self.limit_s:g} s (option timeout)")
        if passed >= self.notice_s:
            self.notice_s *= 2
            self.tell(passed)
        return self.limit_s - passed

    def until_notice(self) -> float:
        """Seconds until something is to be told."""
        return max(self._begun + self.notice_s - time.monotonic(), 0.001)

    def timeouts(self) -> dict[str, float]:
        """What the HTTP client takes for time-outs, and hands on to `DeadlineBackend`."""
        waits = dict.fromkeys(("read", "write", "pool"), self.limit_s) | {"connect": min(self.limit_s, CONNECT_S)}
        return {wait: _Timeout(seconds, self) for wait, seconds in waits.items()}


class _Timeout(float):
    """Seconds of one wait, and the deadline of all of them."""

    deadline: Deadline

    def __new__(cls, seconds: float, deadline: Deadline) -> "_Timeout":
        timeout = super().__new__(cls, seconds)
        timeout.deadline = deadline
        return timeout


def _left(timeout: float | None, error: type[httpcore2.TimeoutException]) -> float | None:
    return min(timeout, timeout.deadline.left(error)) if isinstance(timeout, _Timeout) else timeout


class DeadlineBackend(httpcore2.SyncBackend):
    """The network as the HTTP client knows it, in which no wait outlives the deadline of its request."""

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *args: Any, **options: Any
    ) -> httpcore2.NetworkStream:
        """Connects to a server."""
        left = _left(timeout, httpcore2.ConnectTimeout)
        try:
            return _Stream(super().connect_tcp(host, port, left, *args, **options))
        except httpcore2.ConnectTimeout as error:
            raise httpcore2.ConnectTimeout(f"no connection within {timeout:g} s") from error


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            wait = _left(timeout, httpcore2.ReadTimeout)
            if not isinstance(timeout, _Timeout) or wait is None:
                return self._inner.read(max_bytes, wait)
            try:
                return self._inner.read(max_bytes, min(wait, timeout.deadline.until_notice()))
            except httpcore2.ReadTimeout:
                continue  # to tell of it, or because the time is up

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
