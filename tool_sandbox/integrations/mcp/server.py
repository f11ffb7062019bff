"""The HTTP server for the tools of any number of conversations, in a thread of its own."""

import asyncio
import atexit
import contextvars
import os
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tool_sandbox.integrations.mcp.conversation import NOTHING_HERE, Receive, Scope, Send, ServedConversation, answer
from tool_sandbox.integrations.mcp.tools import CallTool, Offer, ServedTools, ToolEndpoint, check_installed
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

if TYPE_CHECKING:
    from uvicorn import Config, Server

ADDRESS = "127.0.0.1"
"""The server listens here and nowhere else."""

STARTING_S = 60.0
"""Seconds until the server has to listen."""

STOPPING_S = 5
"""Seconds that requests under way have when the server stops."""

BACKLOG = 2048
"""Connections that may wait to be accepted: conversations tend to begin together."""

KEEP_ALIVE_S = 75
"""Seconds that a connection stays open without a request; an agent thinks between two calls."""


class SandboxServer:
    """Serves the tools of conversations over streamable HTTP, each under an address and a secret of its own.

    All methods may be called from any thread. A server can be started once.

    Attributes:
        port: Where it listens, known once it was started.
    """

    def __init__(self, port: int = 0) -> None:
        """A server that does not listen yet."""
        self.port = port
        self._lock = threading.Lock()
        self._conversations: dict[str, ServedConversation] = {}
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: Server | None = None
        self._is_ready = threading.Event()
        self._busy = 0

    def start(self) -> None:
        """Starts to listen. Does nothing if it has been started."""
        check_installed()
        with self._lock:
            if self._thread is not None:
                return
            self._socket = self._listen()
            self.port = self._socket.getsockname()[1]
            # The worlds of the thread that starts it are private to it.
            run = contextvars.Context().run
            self._thread = threading.Thread(target=run, args=(self._run,), name="mcp-server", daemon=True)
            self._thread.start()
        if not self._is_ready.wait(STARTING_S) or self._server is None:
            raise InfrastructureError(f"the MCP server on port {self.port} did not start")

    def stop(self) -> None:
        """Ends all conversations and frees the port. Does nothing if it has not been started, or has been stopped."""
        with self._lock:
            thread, server, loop = self._thread, self._server, self._loop
        if thread is None or server is None or loop is None:
            return
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(setattr, server, "should_exit", True)
        # Longer than anything in there may take.
        thread.join(3 * STOPPING_S)

    def __enter__(self) -> "SandboxServer":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def open(
        self,
        tools: Sequence[Mapping[str, Any]] | Offer,
        call: CallTool,
        *,
        instructions: str = "",
        structured: bool = False,
    ) -> ToolEndpoint:
        """Serves the tools of one more conversation."""
        conversation = ServedConversation(ServedTools(tools, call, instructions, structured=structured))
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                raise InfrastructureError("the MCP server does not run")
            self._conversations[conversation.id] = conversation
        return ToolEndpoint(f"http://{ADDRESS}:{self.port}/c/{conversation.id}/mcp", conversation.token)

    def close(self, endpoint: ToolEndpoint) -> None:
        """Ends the sessions of a conversation; from now on there is nothing at its address."""
        with self._lock:
            conversation = self._conversations.pop(_id_in(endpoint.url), None)
            loop = self._loop
        if conversation is not None and loop is not None:
            coroutine = conversation.end()
            try:
                asyncio.run_coroutine_threadsafe(coroutine, loop)
            except RuntimeError:
                # The loop has ended meanwhile, and everything in it.
                coroutine.close()

    def listed(self, endpoint: ToolEndpoint) -> int:
        """How often clients have listed the tools of a conversation, 0 after its end."""
        conversation = self._conversations.get(_id_in(endpoint.url))
        return 0 if conversation is None else conversation.tools.listed

    def drain(self, timeout_s: float) -> None:
        """Waits until what clients have asked is answered."""
        deadline = time.monotonic() + timeout_s
        while self._busy and time.monotonic() < deadline:
            time.sleep(0.02)

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":
            # Connections of a server that ended a moment ago do not keep the port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((ADDRESS, self.port))
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            raise ConfigurationError(f"cannot listen on port {self.port}: {error.strerror or error}") from None
        return listener

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            if self._socket is not None:
                self._socket.close()
            self._is_ready.set()

    async def _serve(self) -> None:
        from uvicorn import Server

        self._loop = asyncio.get_running_loop()
        server = Server(self._config())
        serving = asyncio.create_task(server.serve(sockets=[self._socket] if self._socket is not None else None))
        while not server.started and not serving.done():
            await asyncio.sleep(0.005)
        self._server = server
        self._is_ready.set()
        while not server.should_exit and not serving.done():
            await asyncio.sleep(0.05)
        await self._end_all()
        await serving

    async def _end_all(self) -> None:
        with self._lock:
            left, self._conversations = list(self._conversations.values()), {}
        await asyncio.gather(*(conversation.end() for conversation in left))

    def _config(self) -> "Config":
        from uvicorn import Config

        return Config(
            self._app,
            interface="asgi3",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=STOPPING_S,
        )

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/health":
            await answer(send, 200, b'{"status": "ok"}')
            return
        conversation = self._conversations.get(_id_in(scope["path"]))
        if conversation is None:
            await answer(send, 404, NOTHING_HERE)
        elif not conversation.lets_in(scope):
            await answer(send, 401, NOTHING_HERE)
        elif scope["method"] != "POST":
            # A client of an older revision keeps a GET open for as long as its session lasts.
            await conversation.handle(scope, receive, send)
        else:
            self._busy += 1
            try:
                await conversation.handle(scope, receive, send)
            finally:
                self._busy -= 1


def _id_in(path: str) -> str:
    """The id in an address, empty if it is none of a conversation."""
    parts = path.partition("://")[2].split("/")[1:] if "://" in path else path.split("/")[1:]
    return parts[1] if len(parts) == 3 and parts[0] == "c" and parts[2] == "mcp" else ""


_shared: tuple[int, SandboxServer] | None = None
_sharing = threading.Lock()


def shared_server() -> SandboxServer:
    """The server of this process, started on first use and stopped at its end."""
    global _shared
    with _sharing:
        # The server of a process that this one was forked from is not here.
        if _shared is None or _shared[0] != os.getpid():
            server = SandboxServer()
            server.start()
            atexit.register(server.stop)
            _shared = os.getpid(), server
        return _shared[1]


def _after_fork() -> None:
    """A lock that another thread held during the fork would never be released."""
    global _sharing
    _sharing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
