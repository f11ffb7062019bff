"""ToolSandbox as it is found under the name that it has in the Environments Hub."""

from tool_sandbox.verifiers import ToolSandboxEnv, ToolSandboxHarness, ToolSandboxTaskset

__all__ = ["ToolSandboxEnv", "ToolSandboxHarness", "ToolSandboxTaskset"]
