"""The tools of conversations over the Model Context Protocol (MCP): HTTP for agents, stdio for clients on this machine.

Nothing of the ``mcp`` SDK is imported before a server starts.
"""

from tool_sandbox.integrations.mcp.server import SandboxServer, shared_server
from tool_sandbox.integrations.mcp.stdio import StdioServer
from tool_sandbox.integrations.mcp.tools import ToolEndpoint

__all__ = ["SandboxServer", "StdioServer", "ToolEndpoint", "shared_server"]
