"""A scenario is played without network and without keys, or the attempt is noted."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

KEYS = (
    "ANTHROPIC_API_KEY",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_REGION",
    "HF_TOKEN",
    "OPENAI_API_KEY",
    "RAPID_API_KEY",
)
"""Environment variables that hold keys of services."""


@contextmanager
def offline() -> Iterator[list[str]]:
    """Refuses connections and name look-ups of this process, and hides all keys."""
    attempts: list[str] = []
    hidden = {key: os.environ.pop(key) for key in KEYS if key in os.environ}
    connect, connect_ex, resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse_connection(self: socket.socket, address: Any) -> Any:
        attempts.append(str(address))
        raise OSError(f"offline: connection to {address!r} refused")

    def refuse_name(host: Any, *arguments: Any, **options: Any) -> Any:
        attempts.append(str(host))
        raise OSError(f"offline: look-up of {host!r} refused")

    try:
        socket.socket.connect = refuse_connection  # type: ignore[method-assign,assignment]
        socket.socket.connect_ex = refuse_connection  # type: ignore[method-assign,assignment]
        socket.getaddrinfo = refuse_name
        yield attempts
    finally:
        socket.socket.connect, socket.socket.connect_ex = connect, connect_ex  # type: ignore[method-assign]
        socket.getaddrinfo = resolve
        os.environ.update(hidden)
