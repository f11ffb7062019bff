"""The tools of a conversation over MCP, for an agent that speaks it."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import attrs

from tool_sandbox.integrations.mcp import ToolEndpoint, shared_server
from tool_sandbox.models.messages import RequestedCall, ToolResult
from tool_sandbox.roles.external.bridge import Results, ToolBridge


@attrs.frozen
class Quirks:
    """What a program makes of tools that are served over MCP.

    Attributes:
        own_arguments: Arguments that it has its model give to every tool, for itself, and passes on nevertheless.
        structured: Whether it needs results as structured content as well.
    """

    own_arguments: frozenset[str] = frozenset()
    structured: bool = False


NO_QUIRKS = Quirks()


def open_endpoint(bridge: ToolBridge, quirks: Quirks = NO_QUIRKS) -> ToolEndpoint:
    """Serves the tools of a conversation on the server of this process."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in bridge.tools}

    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        foreign = quirks.own_arguments - schemas.get(name, {}).get("properties", {}).keys()
        plain = {key: value for key, value in arguments.items() if key not in foreign}
        return first(bridge.submit([RequestedCall("", name, plain)]))

    return shared_server().open(bridge.tools, call, structured=quirks.structured)


def close_endpoint(endpoint: ToolEndpoint) -> None:
    """Ends the sessions of a conversation."""
    shared_server().close(endpoint)


def listed(endpoint: ToolEndpoint) -> int:
    """How often the agent has listed its tools: 0 says that it has not connected."""
    return shared_server().listed(endpoint)


def first(results: "Future[Results]") -> "Future[ToolResult]":
    """The only result of a batch of one call."""
    result: Future[ToolResult] = Future()

    def pass_on(done: "Future[Results]") -> None:
        if (error := done.exception()) is not None:
            result.set_exception(error)
        else:
            result.set_result(done.result()[0])

    results.add_done_callback(pass_on)
    return result
