"""Real MCP clients for tests: a synchronous one, and what plays a conversation through it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.stubs.playing import rows_of
from tool_sandbox.conversation.execution_context import (
    ExecutionContext,
)
from tool_sandbox.integrations.mcp import ToolEndpoint
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, ExternalAgent, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.program import close_endpoint, open_endpoint

MODES = ("legacy", "2026-07-28", "auto")
"""How a client of the SDK talks: with sessions, without, or as it finds out."""


def http_client(endpoint: ToolEndpoint, mode: str = "auto", **options: Any) -> Client:
    """A client of the SDK. Its HTTP client is closed with the process."""
    # Certificates take long to load, and there are none here.
    http = httpx2.AsyncClient(
        headers=endpoint.headers, timeout=httpx2.Timeout(60, read=300), verify=False, trust_env=False, **options
    )
    return Client(streamable_http_client(endpoint.url, http_client=http), mode=mode)


class SyncClient:
    """A client for code that is not asynchronous; ``structured`` says whether results have to come twice."""

    structured = False

    def __init__(self, stack: ExitStack, client: Client) -> None:
        self._portal = stack.enter_context(start_blocking_portal())
        self._client = stack.enter_context(self._portal.wrap_async_context_manager(client))

    def tools(self) -> list[Any]:
        return self._portal.call(self._client.list_tools).tools

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        result = self._portal.call(self._client.call_tool, name, arguments)
        (content,) = result.content
        assert result.structured_content == ({"result": content.text} if self.structured else None)
        return content.text, result.is_error

    @property
    def instructions(self) -> str | None:
        return self._client.instructions


@contextmanager
def connected(client: Client) -> Iterator[SyncClient]:
    with ExitStack() as stack:
        yield SyncClient(stack, client)


Turn = Callable[[SyncClient, str], str]
"""What an agent does in one turn: it calls tools, and answers the user's text."""


class ClientDriver(Driver):
    """An agent whose tools are at the other end of an MCP connection."""

    def __init__(self, turn: Turn, mode: str) -> None:
        self._turn, self._mode = turn, mode
        self._stack = ExitStack()

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        self.endpoint = open_endpoint(bridge)
        self._stack.callback(close_endpoint, self.endpoint)
        self.client = self._stack.enter_context(connected(http_client(self.endpoint, self._mode)))

    def turn(self, text: str) -> Reply:
        return Reply(self._turn(self.client, text))

    def close(self) -> None:
        self._stack.close()


class ClientAgent(ExternalAgent):
    """Plays the agent through a real MCP client."""

    provider_name = model_name = "test"

    def __init__(self, turn: Turn, mode: str = "auto") -> None:
        super().__init__()
        self._make = lambda: ClientDriver(turn, mode)

    def make_driver(self) -> Driver:
        return self._make()


def log_of(context: ExecutionContext) -> list[dict[str, Any]]:
    """The whole message log."""
    return rows_of(context)
