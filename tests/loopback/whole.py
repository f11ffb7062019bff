"""What all servers on this machine share: nobody is turned away, and only whole requests count."""

import io
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """Answers on a free port of 127.0.0.1, each connection in a thread of its own."""

    # Read while the socket is made. When more clients than this wait on a busy machine, Linux answers with SYN cookies,
    # and resets whoever sends headers and body apart.
    request_queue_size = 256

    def __init__(self, handler: Callable[..., BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Yields its address, without a slash at the end."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield self.url
        finally:
            self.shutdown()
            self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients that give up or are killed are part of the tests.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class WholeRequests(BaseHTTPRequestHandler):
    """Hears whole requests; of one whose client was killed, or has hung up in the middle, nothing is heard.

    ``body`` is what came with the request.
    """

    body = b""

    def hear(self) -> None:
        """Answers a request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        self.hear()

    def do_POST(self) -> None:
        self.hear()

    def do_DELETE(self) -> None:
        self.hear()

    def parse_request(self) -> bool:
        try:
            return self._has_arrived()
        except ConnectionError:
            return self._give_up()

    def _has_arrived(self) -> bool:
        stream, head = self.rfile, b""
        while not head.endswith((b"\r\n\r\n", b"\n\n")) and head not in (b"\r\n", b"\n"):
            line = stream.readline()
            if not line:
                return self._give_up()
            head += line
        self.rfile = io.BytesIO(head)
        try:
            if not super().parse_request():
                return False
        finally:
            self.rfile = stream
        length = int(self.headers.get("content-length") or 0)
        self.body = stream.read(length)
        return len(self.body) == length or self._give_up()

    def _give_up(self) -> bool:
        self.close_connection = True
        return False

    def log_message(self, format: str, *args: Any) -> None:
        pass
