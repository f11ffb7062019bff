"""Tool descriptions in the format of Anthropic."""

from collections.abc import Callable
from typing import Any

from tool_sandbox.conversation.tool_conversion import convert_to_openai_tool
from tool_sandbox.models.anthropic_history import to_tool


def convert_to_anthropic_tool(name: str, tool: Callable[..., Any]) -> dict[str, Any]:
    """Describes a tool in the way of Anthropic, with the scrambles of the current world applied."""
    return to_tool(convert_to_openai_tool(tool, name))
