"""What all servers on this machine share: a request counts only when all of it has arrived."""

import io
from http.server import BaseHTTPRequestHandler
from typing import Any


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
