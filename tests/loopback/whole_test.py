"""Servers for tests, and clients that are killed while they ask."""

import socket
from urllib.parse import urlsplit

import pytest

from tests.loopback.managed import serve_managed
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, serve
from tests.loopback.whole import Server, WholeRequests

BODY = b'{"model": "m", "messages": []}'
REQUEST = b"POST /v1/x HTTP/1.1\r\nauthorization: Bearer k\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY


def say(url: str, part: bytes) -> bytes:
    """Sends so much of a request, and what the server has to say to it."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("end", [10, 40, REQUEST.index(b"\r\n\r\n") + 2, len(REQUEST) - len(BODY), len(REQUEST) - 1])
def test_a_part_of_a_request_is_none(end: int) -> None:
    with serve(OpenAIChatDialect(), [Answer("Hi.")], rejects=True) as server:
        assert say(server.url, REQUEST[:end]) == b""
        assert server.seen == []
        assert say(server.url, REQUEST).startswith(b"HTTP/1.1 4")
        assert [seen.raw for seen in server.seen] == [BODY]
    with serve_managed([Answer("Hi.")], rejects=True) as account:
        assert say(account.url, REQUEST[:end]) == b""
        assert account.seen == []
        assert say(account.url, REQUEST).startswith(b"HTTP/1.1 4")
        assert [seen.raw for seen in account.seen] == [BODY]


def test_nobody_is_turned_away_by_a_busy_server() -> None:
    """A run with many connections at once got "connection reset by peer" while the server's machine was busy."""

    class Greeting(WholeRequests):
        def hear(self) -> None:
            self.send_response(204)
            self.end_headers()

    server = Server(Greeting)
    waiting = [socket.create_connection(server.server_address[:2], timeout=60) for _ in range(40)]
    for part in REQUEST[:-2], REQUEST[-2:]:
        for connection in waiting:
            connection.sendall(part)
    with server.serving():
        assert all(connection.recv(100).split()[1] == b"204" for connection in waiting)
    for connection in waiting:
        connection.close()
