"""One conversation of an HTTP server: its secret, its sessions, its requests."""

import asyncio
import hmac
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.helpers.untrusted import LARGEST_MESSAGE
from tool_sandbox.integrations.mcp.tools import ServedTools, clean_json

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HOSTS = ("127.0.0.1", "localhost", "host.docker.internal")
"""Names under which the server may be addressed; a web page that has its own name point here is turned away."""

LARGEST_REQUEST = LARGEST_MESSAGE
"""Bytes that a request may have."""

MOST_HELD = 4 * LARGEST_REQUEST
"""Bytes of all requests under way in one conversation."""

ENDING_S = 1.0
"""Seconds that requests under way have at the end of a conversation."""

MOST_SESSIONS = 64
"""Sessions that clients may have open at once in one conversation."""


@attrs.define(eq=False)
class ServedConversation:
    """The tools of one conversation behind an address of its own. Lives in the event loop of the server.

    Attributes:
        tools: What is called.
        id: Its place in the address, without meaning.
        token: Secret that every request has to carry.
    """

    tools: ServedTools
    id: str = attrs.field(factory=lambda: secrets.token_hex(8))
    token: str = attrs.field(factory=lambda: secrets.token_urlsafe(32), repr=False)
    _manager: "asyncio.Future[StreamableHTTPSessionManager | None] | None" = None
    _task: "asyncio.Task[None] | None" = None
    _posts: "set[asyncio.Task[Any]]" = attrs.field(factory=set)
    _is_over: bool = False
    _held: int = 0
    _hang_up: asyncio.Event = attrs.field(factory=asyncio.Event)

    def lets_in(self, scope: Scope) -> bool:
        """Whether a request carries the secret."""
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, token = (given[0] if len(given) == 1 else b"").partition(b" ")
        is_right = hmac.compare_digest(token.strip(), self.token.encode())
        return is_right and scheme.lower() == b"bearer"

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request that was let in."""
        try:
            await self._answer(scope, receive, send)
        finally:
            self._held -= scope.pop(_HELD, 0)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, rest = await self._read(scope, receive)
        manager = None if self._is_over else await self._started()
        if body is None:
            await answer(send, 413, _TOO_LARGE)
        elif manager is None or self._is_over:
            await answer(send, 404, NOTHING_HERE)
        elif body and (body := clean_json(body)) is None:
            await answer(send, 400, _NO_JSON)
        else:
            whole = _Whole(send)
            await self._handle(manager, scope, _given_back(body, rest, self._until_end(receive)), whole)
            await whole.complete()

    async def _read(self, scope: Scope, receive: Receive) -> tuple[bytes | None, list[Message]]:
        """The body of a request, ``None`` if it is too large, and what came in the place of its end."""
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not declared.isdigit() or int(declared[:20]) > LARGEST_REQUEST:
            return None, []
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body), [message]
            part = message.get("body", b"")
            body += part
            self._held += len(part)
            scope[_HELD] = len(body)
            if len(body) > LARGEST_REQUEST or self._held > MOST_HELD:
                return None, []
            if not message.get("more_body", False):
                return bytes(body), []

    async def end(self) -> None:
        """Ends its sessions and the calls that wait; requests that come later find nothing."""
        self._is_over = True
        self.tools.turn_away()
        if self._posts:
            await asyncio.wait(self._posts, timeout=ENDING_S)
        self._hang_up.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _handle(
        self, manager: "StreamableHTTPSessionManager", scope: Scope, receive: Receive, send: Send
    ) -> None:
        if scope["method"] != "POST":
            # A client of an older revision keeps a GET open for as long as its session lasts.
            await manager.handle_request(scope, receive, send)
            return
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._posts.add(task)
        try:
            await manager.handle_request(scope, receive, send)
        finally:
            self._posts.discard(task)

    def _until_end(self, receive: Receive) -> Receive:
        """Says that the client has gone once the conversation is over, so that streams to it end."""

        async def received() -> Message:
            waiting = asyncio.ensure_future(receive()), asyncio.ensure_future(self._hang_up.wait())
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                return waiting[0].result() if waiting[0].done() else {"type": "http.disconnect"}
            finally:
                for future in waiting:
                    future.cancel()

        return received

    async def _started(self) -> "StreamableHTTPSessionManager | None":
        if self._manager is None:
            self._manager = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run(self._manager))
        return await asyncio.shield(self._manager)

    async def _run(self, started: "asyncio.Future[StreamableHTTPSessionManager | None]") -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        try:
            manager = StreamableHTTPSessionManager(
                self.tools.server(),
                security_settings=TransportSecuritySettings(
                    allowed_hosts=[f"{host}:*" for host in HOSTS],
                    allowed_origins=[f"http://{host}:*" for host in HOSTS],
                ),
                # A session lives as long as the conversation, however long the user thinks.
                session_idle_timeout=None,
                max_request_body_size=LARGEST_REQUEST,
                max_sessions=MOST_SESSIONS,
            )
            async with manager.run():
                started.set_result(manager)
                await asyncio.get_running_loop().create_future()
        finally:
            if not started.done():
                started.set_result(None)


_HELD = "tool_sandbox.held"
"""Where a request notes how large its body is."""

NOTHING_HERE = b'{"error": "no such conversation, or not with this token"}'
"""Body for an unknown address and for a wrong secret alike."""

_NO_JSON = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}'
_TOO_LARGE = b'{"error": "the request is too large"}'


async def answer(send: Send, status: int, body: bytes) -> None:
    """Sends an answer in JSON."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@attrs.define
class _Whole:
    """Sends an answer, and its end where the server has left it out: a stream that was cut short is no mistake."""

    send: Send
    _is_open: bool = False

    async def __call__(self, message: Message) -> None:
        await self.send(message)
        self._is_open = message["type"] == "http.response.start" or bool(message.get("more_body", False))

    async def complete(self) -> None:
        if self._is_open:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


def _given_back(body: bytes, rest: list[Message], receive: Receive) -> Receive:
    """Lets a request be received once more."""
    messages = deque([{"type": "http.request", "body": body, "more_body": bool(rest)}, *rest])

    async def again() -> Message:
        return messages.popleft() if messages else await receive()

    return again
