"""Whether the head of a Ray cluster listens at an address, asked within seconds; Ray itself takes minutes to give up.

It speaks gRPC, and is asked for the id of the cluster, as every client of Ray asks it first, by the few frames of
HTTP/2 that this takes: no package for gRPC comes with Ray, and what its own can ask changes from version to version.
"""

import os
import socket
import time
from collections.abc import Iterator

PATIENCE_S = 10.0
"""Longest wait for a connection, and for an answer."""

SOMETHING_ELSE = "something else listens there"
ANOTHER_SERVER = "another server of gRPC listens there, or a part of Ray other than the head of a cluster"

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_METHOD = "/ray.rpc.NodeInfoGcsService/GetClusterId"
_POST, _HTTP = b"\x83", b"\x86"
"""How and over what it is asked, by the numbers that these have in the table of HPACK."""

_HEADER = 9
"""Bytes of a frame before its content."""

_LARGEST = 2**14
"""Bytes of the content of a frame; a server sends no larger ones unasked."""

_DATA, _HEADERS, _RESET, _SETTINGS, _GO_AWAY = 0, 1, 3, 4, 7
_LAST, _ACKNOWLEDGED, _WHOLE = 1, 1, 4
"""Flags: the end of what is asked or answered, of settings, of headers."""

Frame = tuple[int, int, int, bytes]
"""Kind, flags, number of the question, and content."""


def refusal(host: str, port: int, *, is_head: bool = True) -> str | None:
    """What keeps Ray from an address; ``None`` if nothing that can be found out does.

    Args:
        host: Of the address.
        port: Of the address.
        is_head: Whether a head has to be there, not a server for clients from outside the cluster.
    """
    try:
        with socket.create_connection((host, port), PATIENCE_S) as connection:
            return None if _is_on("RAY_USE_TLS", "0") else _heard(connection, f"{host}:{port}", is_head)
    except OSError as error:
        return error.strerror or str(error)


def _is_on(variable: str, off: str) -> bool:
    return os.environ.get(variable, off).lower() != off


def _heard(connection: socket.socket, authority: str, is_head: bool) -> str | None:
    frames = read_frames(connection, time.monotonic() + PATIENCE_S)
    try:
        connection.sendall(_PREFACE + frame(_SETTINGS))
        if next(frames, (None,))[:3] != (_SETTINGS, 0, 0):
            return SOMETHING_ELSE
        # Who wants a token says nothing to others.
        if not is_head or _is_on("RAY_AUTH_MODE", "disabled"):
            return None
        connection.sendall(frame(_SETTINGS, _ACKNOWLEDGED) + _question(authority))
        return None if _is_answered(frames) else ANOTHER_SERVER
    except OSError:
        return SOMETHING_ELSE


def _question(authority: str) -> bytes:
    """Calls the method with an empty message."""
    named = {":path": _METHOD, ":authority": authority, "te": "trailers", "content-type": "application/grpc"}
    headers = _POST + _HTTP + b"".join(b"\0" + _text(name) + _text(value) for name, value in named.items())
    return frame(_HEADERS, _WHOLE, 1, headers) + frame(_DATA, _LAST, 1, bytes(5))


def _text(text: str) -> bytes:
    """A text of HPACK as it is; one of 127 bytes or more would need a longer number."""
    data = text.encode()[:126]
    return bytes([len(data)]) + data


def _is_answered(frames: Iterator[Frame]) -> bool:
    """Whether a message comes before the end of the answer."""
    for kind, flags, number, content in frames:
        if (kind, number) == (_DATA, 1):
            return content[:1] == b"\0" and int.from_bytes(content[1:5], "big") == len(content) - 5
        if kind == _GO_AWAY or (number == 1 and (kind == _RESET or flags & _LAST)):
            return False
    return False


def frame(kind: int, flags: int = 0, number: int = 0, content: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    return len(content).to_bytes(3, "big") + bytes([kind, flags]) + number.to_bytes(4, "big") + content


def read_frames(connection: socket.socket, deadline: float) -> Iterator[Frame]:
    """What is said, until nothing more comes in time, or something that is no HTTP/2."""
    while (header := _read(connection, _HEADER, deadline)) is not None:
        size = int.from_bytes(header[:3], "big")
        content = _read(connection, size, deadline) if size <= _LARGEST else None
        if content is None:
            return
        yield header[3], header[4], int.from_bytes(header[5:], "big"), content


def _read(connection: socket.socket, size: int, deadline: float) -> bytes | None:
    found = b""
    while len(found) < size:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        got = connection.recv(size - len(found))
        if not got or time.monotonic() > deadline:
            return None
        found += got
    return found
