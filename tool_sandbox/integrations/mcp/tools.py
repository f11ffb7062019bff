"""What an MCP server says of the tools of one conversation, and how it has them called."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.helpers.untrusted import read_json
from tool_sandbox.models.messages import ToolResult
from tool_sandbox.models.plug_ins import is_importable
from tool_sandbox.version import __version__
from tool_sandbox.world.errors import MissingRequirementError, ToolSandboxError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp_types import ListToolsResult

CallTool = Callable[[str, Mapping[str, Any]], "Future[ToolResult]"]
"""Starts a call, from name and arguments, without waiting for its result."""

Offer = Callable[[], Sequence[Mapping[str, Any]]]
"""Gives the tools on offer, where they may become more."""

SERVER_NAME = "sandbox"
"""What the server calls itself."""


@attrs.frozen
class ToolEndpoint:
    """Where the tools of one conversation are.

    Attributes:
        url: Address for streamable HTTP.
        token: Secret that every request has to carry.
    """

    url: str
    token: str = attrs.field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """Headers that every request has to carry."""
        return {"Authorization": f"Bearer {self.token}"}


def is_installed() -> bool:
    """Whether the SDK seems to be there, without importing it."""
    return all(map(is_importable, ("mcp", "mcp_types", "uvicorn")))


def check_installed() -> None:
    """Makes sure that the SDK is there."""
    try:
        import mcp.server.lowlevel  # noqa: F401
        import mcp_types  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingRequirementError(
            "tools over MCP need version 2 of the package mcp: pip install 'tool_sandbox[mcp]'"
        ) from None


@attrs.define(eq=False)
class ServedTools:
    """The tools of one conversation.

    Attributes:
        tools: OpenAI function descriptions, as the agent sees them, or what gives them: then clients are told when a
            call has made them more.
        call: Starts a call; also of a tool that does not exist, which is an attempt like any other.
        instructions: What the server tells its clients about itself.
        listed: How often the tools were listed.
        structured: Whether results come as structured content as well, as ``{"result": text}``.
    """

    tools: Sequence[Mapping[str, Any]] | Offer
    call: CallTool
    instructions: str = ""
    listed: int = 0
    structured: bool = False
    _waiting: "set[asyncio.Future[ToolResult]]" = attrs.field(factory=set)

    def server(self) -> "Server[Any]":
        """Makes the protocol's side of it. Schemas and texts are passed on as they are."""
        import mcp_types
        from mcp.server.lowlevel import NotificationOptions, Server
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        listed: tuple[Any, mcp_types.ListToolsResult] | None = None
        bus = InMemorySubscriptionBus()

        async def list_tools(context: Any, params: Any) -> mcp_types.ListToolsResult:
            nonlocal listed
            self.listed += 1
            tools = self.offered
            if listed is None or listed[0] != tools:
                listed = tools, _listing(tools)
            return listed[1]

        async def call_tool(context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
            before = self.offered
            text, is_error = await self._outcome(params.name, params.arguments or {})
            if self.offered != before:
                # Before the result, whose reader wants to call what it names.
                await bus.publish(ToolsListChanged())
                if context.session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                    # Clients of the newest revisions are told where they have subscribed, and nowhere else.
                    changed = mcp_types.ToolListChangedNotification()
                    await context.session.send_notification(changed, context.request_id)
            content = mcp_types.TextContent(type="text", text=text)
            structured = {"result": text} if self.structured else None
            return mcp_types.CallToolResult(content=[content], structured_content=structured, is_error=is_error)

        server = Server(
            SERVER_NAME,
            version=__version__,
            instructions=self.instructions or None,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_subscriptions_listen=ListenHandler(bus) if callable(self.tools) else None,
            # Otherwise the SDK lists the tools before each call, which is not needed.
            get_tool_input_schema=lambda name: None,
        )
        if callable(self.tools):
            options = server.create_initialization_options
            told = NotificationOptions(tools_changed=True)
            server.create_initialization_options = partial(options, told)  # type: ignore[method-assign]
        return server

    @property
    def offered(self) -> Sequence[Mapping[str, Any]]:
        """The tools on offer now."""
        return self.tools() if callable(self.tools) else self.tools

    async def _outcome(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        try:
            waiting = _waited(self.call(name, arguments))
            self._waiting.add(waiting)
            waiting.add_done_callback(self._waiting.discard)
            result = await waiting
        except ToolSandboxError as error:
            return str(error), True
        return result.text, result.is_error

    def turn_away(self) -> None:
        """Has the calls fail whose results are waited for."""
        for waiting in list(self._waiting):
            if not waiting.done():
                waiting.set_exception(ToolSandboxError("the conversation is over"))


def _listing(tools: Sequence[Mapping[str, Any]]) -> "ListToolsResult":
    import mcp_types

    return mcp_types.ListToolsResult(
        tools=[
            mcp_types.Tool(
                name=function["name"],
                description=function.get("description") or "",
                input_schema=dict(function["parameters"]),
            )
            for function in (tool["function"] for tool in tools)
        ]
    )


def _waited(calling: "Future[ToolResult]") -> "asyncio.Future[ToolResult]":
    """Waits in the event loop. A client that goes away ends the wait only: the call itself is under way."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[ToolResult] = loop.create_future()

    def pass_on() -> None:
        if waiting.done():
            return
        if (error := calling.exception()) is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(calling.result())

    def wake(done: object) -> None:
        # A loop that is closed has no waiting caller.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(pass_on)

    calling.add_done_callback(wake)
    return waiting


def clean_json(body: bytes) -> bytes | None:
    r"""JSON that every parser takes, whatever a model has put into a call."""
    try:
        decoded = read_json(body)
    except ValueError:
        return None
    if b"\\u" not in body:
        return body
    text = json.dumps(decoded, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
    return body
