"""How a client connects in ``tool_sandbox serve``: over HTTP, or as the parent of this process."""

import json
import shlex
import sys
from typing import TYPE_CHECKING, Protocol

from tool_sandbox.helpers.printable import printable_lines
from tool_sandbox.integrations.mcp import SandboxServer, StdioServer, ToolEndpoint

if TYPE_CHECKING:
    from tool_sandbox.cli.serving_agent import ClientConnection, Tools

LINGER_S = 5.0
"""Seconds that a client has to take the last answer."""


class ClientTransport(Protocol):
    """Connects the client."""

    def __enter__(self) -> "ClientTransport":
        """Starts to accept a connection."""

    def __exit__(self, *failure: object) -> None:
        """Disconnects."""

    def connect(self, client: "ClientConnection", tools: "Tools", told: str) -> None:
        """Lets the client in."""

    def end(self) -> None:
        """Gives the client time for the last answer."""


class HttpTransport:
    """A server on this machine."""

    def __init__(self, port: int) -> None:
        """A server that does not listen yet."""
        self._server = SandboxServer(port)

    def __enter__(self) -> "HttpTransport":
        self._server.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._server.stop()

    def connect(self, client: "ClientConnection", tools: "Tools", told: str) -> None:
        """Prints the address and what to paste into a client."""
        endpoint = self._server.open(tools, client.call, instructions=told)
        print(printable_lines(f"{told}\n\n{how_to_connect(endpoint)}"), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Waits a moment until everything is answered."""
        self._server.drain(LINGER_S)


class StdioTransport:
    """The client has started this process, and speaks over its standard input and output."""

    def __enter__(self) -> "StdioTransport":
        self._server = StdioServer()
        return self

    def __exit__(self, *failure: object) -> None:
        self._server.close()

    def connect(self, client: "ClientConnection", tools: "Tools", told: str) -> None:
        """Begins to answer."""
        self._server.start(tools, client.call, instructions=told, on_end=client.leave)
        print(printable_lines(told), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Waits until the client closes its end: one whose server is gone reports a crash."""
        self._server.wait()


def how_to_connect(endpoint: ToolEndpoint) -> str:
    """What a person has to know to connect a client."""
    server = {"type": "http", "url": endpoint.url, "headers": endpoint.headers}
    header = shlex.quote(f"Authorization: {endpoint.headers['Authorization']}")
    return "\n".join(
        [
            "connect an MCP client (streamable HTTP):",
            f"  URL     {endpoint.url}",
            f"  header  Authorization: {endpoint.headers['Authorization']}",
            "",
            "for a client with a configuration file:",
            json.dumps({"mcpServers": {"sandbox": server}}, indent=2),
            "",
            "for Claude Code:",
            f"  claude mcp add --transport http sandbox {endpoint.url} --header {header}",
            "",
            "waiting for the client (Control-C ends)",
        ]
    )
