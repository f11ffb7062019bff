"""The Claude Agent SDK as the agent under test, with the sandbox's tools in this process or over MCP."""

import importlib.metadata
from collections.abc import Mapping
from typing import Any, ClassVar

from tool_sandbox.roles.external.agent import Driver
from tool_sandbox.roles.external.claude_code import ClaudeCodeAgent
from tool_sandbox.roles.external.claude_sdk_driver import PACKAGE, ClaudeSdkDriver, check_installed
from tool_sandbox.roles.external.cli_options import one_of

WAYS = ("in-process", "mcp")
"""How the agent reaches the tools."""


class ClaudeSdkAgent(ClaudeCodeAgent):
    """Plays the agent with a ``ClaudeSDKClient``: the loop of Claude Code, driven from Python."""

    provider_name: ClassVar[str] = "claude-sdk"
    how_to_get: ClassVar[str] = "pip install 'tool_sandbox[claude-sdk]'"
    place: ClassVar[str] = "cli_path"

    def __init__(
        self,
        model: str | None = None,
        max_turns: int | None = None,
        effort: str | None = None,
        max_budget_usd: float | None = None,
        tools: str = "in-process",
        version: str | None = None,
        cli_path: str | None = None,
        base_url: str | None = None,
        timeout_s: float = 600.0,
        memory_mb: int = 4096,
        output_mb: int = 64,
        retries: int = 4,
    ) -> None:
        """The SDK with the options of its name."""
        super().__init__(
            model=model,
            max_turns=max_turns,
            effort=effort,
            max_budget_usd=max_budget_usd,
            version=version,
            binary=cli_path or "claude",
            base_url=base_url,
            timeout_s=timeout_s,
            memory_mb=memory_mb,
            output_mb=output_mb,
            retries=retries,
        )
        one_of("tools", tools, WAYS)
        self.is_in_process = tools == "in-process"
        self.cli_path = cli_path

    def describe(self) -> Mapping[str, Any]:
        """The versions of the SDK and of its program, and how it is isolated."""
        check_installed()
        return super().describe()

    def more(self) -> Mapping[str, Any]:
        """The options of the SDK alone."""
        ways = {"tools": "in-process" if self.is_in_process else "mcp"}
        return {**super().more(), **ways, "sdk_version": importlib.metadata.version(PACKAGE)}

    def find(self) -> str | None:
        """Where the program is: the one that was named, the SDK's own, or one on the PATH."""
        return (None if self.cli_path else self.bundled()) or super().find()

    def make_driver(self) -> Driver:
        """Makes what holds a client in a new conversation."""
        return ClaudeSdkDriver(self, self.is_in_process)
