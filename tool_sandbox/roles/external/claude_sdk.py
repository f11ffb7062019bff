"""The Claude Agent SDK as the agent under test, with the sandbox's tools in this process or over MCP."""

import importlib.metadata
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from tool_sandbox.roles.external.agent import Driver
from tool_sandbox.roles.external.claude_code import ClaudeCodeAgent
from tool_sandbox.roles.external.claude_sdk_driver import PACKAGE, ClaudeSdkDriver, check_installed
from tool_sandbox.roles.external.program import one_of

WAYS = ("in-process", "mcp")
"""How the agent reaches the tools."""


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class ClaudeSdkAgent(ClaudeCodeAgent):
    """Plays the agent with a ``ClaudeSDKClient``: the loop of Claude Code, driven from Python.

    Attributes:
        cli_path: Where the program is, the SDK's own or one on the PATH if ``None``.
    """

    provider_name: ClassVar[str] = "claude-sdk"
    how_to_get: ClassVar[str] = "pip install 'tool_sandbox[claude-sdk]'"
    place: ClassVar[str] = "cli_path"

    untold: ClassVar[tuple[str, ...]] = ("kill_after_s", "of_its_own", "cli_path")

    _executor: str = attrs.field(default="subprocess", init=False)
    image: str | None = attrs.field(default=None, init=False)
    binary: str = attrs.field(default="claude", init=False)
    _way: str = attrs.field(default="process", init=False, alias="session")
    bare: bool = attrs.field(default=True, init=False)
    _own: str = attrs.field(default="", init=False, alias="of_its_own")
    _reach: str = attrs.field(default="in-process", alias="tools", validator=one_of(*WAYS))
    cli_path: str | None = None

    def __attrs_post_init__(self) -> None:
        self.binary = self.cli_path or self.binary
        super().__attrs_post_init__()

    @property
    def is_in_process(self) -> bool:
        """Whether the agent reaches the tools in this process."""
        return self._reach == "in-process"

    def describe(self) -> Mapping[str, Any]:
        """The versions of the SDK and of its program, and how it is isolated."""
        check_installed()
        return super().describe()

    def more(self) -> Mapping[str, Any]:
        """What it says as a program, and the version of the SDK."""
        return {**super().more(), "sdk_version": importlib.metadata.version(PACKAGE)}

    def find(self) -> str | None:
        """Where the program is: the one that was named, the SDK's own, or one on the PATH."""
        return (None if self.cli_path else self.bundled()) or super().find()

    def make_driver(self) -> Driver:
        """Makes what holds a client in a new conversation."""
        return ClaudeSdkDriver(self, self.is_in_process)
