"""Serves the page for a folder of runs, to this machine alone.

What a person decides about an unclear reading is written, and nothing else. No path comes from a request.
"""

import gzip
import hashlib
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tool_sandbox.analysis.report.deciding import LONGEST_BODY, FindReviewer, NotTakenError, Posted, take
from tool_sandbox.analysis.report.folder import Folder, WatchedRun
from tool_sandbox.analysis.report.index import build_index, encode
from tool_sandbox.analysis.report.page import page
from tool_sandbox.analysis.report.writing import default_title
from tool_sandbox.world.errors import ConfigurationError, StorageError

HOST = "127.0.0.1"


class ViewServer(ThreadingHTTPServer):
    """A server of one folder.

    Attributes:
        folder: The folder.
        reviewer: Gives what takes decisions about a run.
        deciding: Held while a decision is taken, one at a time.
        hosts: What the ``Host`` header may say. A page of another site that makes its name point here says its own.
    """

    daemon_threads = True

    def __init__(self, folder: Folder, port: int, reviewer: FindReviewer) -> None:
        super().__init__((HOST, port), _Handler)
        self.folder, self.reviewer, self.deciding = folder, reviewer, threading.Lock()
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        self.page = "".join(page("ToolSandbox", {}, connects=True)).encode()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a browser that left before it had its answer; the rest is a bug, and shown as one."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Refusal(Exception):  # noqa: N818 - not an error of the program
    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    server_version = "ToolSandbox"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        self._respond(self._answer)

    do_HEAD = do_GET  # noqa: N815 - named by the method of HTTP

    def do_POST(self) -> None:
        # What is refused has a body that is not read, and that must not be taken for the next request.
        self.close_connection = True
        self._respond(self._take)

    def _respond(self, answer: Callable[[], None]) -> None:
        try:
            self._check()
            answer()
        except _Refusal as refusal:
            self._send(refusal.status, f"{refusal}\n".encode(), "text/plain; charset=utf-8")
        except (ConfigurationError, StorageError) as error:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, f"{error}\n".encode(), "text/plain; charset=utf-8")

    def _check(self) -> None:
        hosts = self.headers.get_all("Host", ())
        # Of two, a program on the way could have looked at the other one.
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise _Refusal(HTTPStatus.FORBIDDEN, f"ask for {self.server.url}")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise _Refusal(HTTPStatus.FORBIDDEN, "other sites may not read this")

    def _answer(self) -> None:
        try:
            parts = urlsplit(self.path)
        except ValueError:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "invalid address") from None
        query = parse_qs(parts.query)
        if parts.path == "/":
            self._send(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        elif parts.path == "/api/runs":
            folder = self.server.folder
            self._send_json({"folder": folder.path.resolve().name, "runs": folder.listing()})
        elif parts.path == "/api/index":
            self._send_json(_index(self.server.folder, query.get("run", []), query.get("after", [""])[0]))
        elif parts.path == "/api/conversation":
            self._send_json(self._conversation(query))
        else:
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _take(self) -> None:
        """Takes a decision, which only a page of this server can send.

        A browser says which site a request is from, and asks a server before it sends JSON to it from another site;
        that question is not answered.
        """
        origins = self.headers.get_all("Origin", ())
        if len(origins) != 1 or origins[0] not in {f"http://{host}" for host in self.server.hosts}:
            raise _Refusal(HTTPStatus.FORBIDDEN, "other sites may not write this")
        if self.path != "/api/decision":
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing here")
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision has to be JSON")
        lengths = self.headers.get_all("Content-Length", ())
        if len(lengths) != 1 or not (lengths[0].isascii() and lengths[0].isdecimal()):
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing")
        if len(lengths[0]) > len(str(LONGEST_BODY)) or int(lengths[0]) > LONGEST_BODY:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the decision is too long")
        try:
            posted = Posted.read(self.rfile.read(int(lengths[0])))
            with self.server.deciding:
                take(self.server.folder, self.server.reviewer, posted)
        except NotTakenError as error:
            raise _Refusal(HTTPStatus.BAD_REQUEST, str(error)) from None
        self._send_json({"taken": True})

    def _conversation(self, query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        run = _known(self.server.folder, query.get("run", [""])[0])
        details = run.conversation(query.get("directory", [""])[0])
        if details is None:
            raise _Refusal(HTTPStatus.NOT_FOUND, "the run has no such conversation")
        return details

    def _send_json(self, value: Any) -> None:
        self._send(HTTPStatus.OK, encode(value), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        if len(body) > 1000 and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 5, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: the terminal belongs to the person who looks."""


def _known(folder: Folder, name: str) -> WatchedRun:
    run = folder.runs().get(name)
    if run is None:
        raise _Refusal(HTTPStatus.NOT_FOUND, "there is no such run")
    return run


def _index(folder: Folder, wanted: Sequence[str], after: str) -> dict[str, Any]:
    """The index of some runs with its version; the version alone if the browser has that one already."""
    runs = [_known(folder, name) for name in wanted or folder.first_choice()]
    looks = [run.look() for run in runs]
    version = hashlib.sha256("\n".join(key for key, _ in looks).encode()).hexdigest()
    if version == after:
        return {"version": version}
    shown = [one for _, one in looks]
    index = build_index(shown, default_title(shown) or "ToolSandbox")
    for run, one in zip(runs, shown, strict=True):
        index["goals"].update(run.goals(one.results))
    return index | {"version": version}
