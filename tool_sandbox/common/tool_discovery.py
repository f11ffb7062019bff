"""Published path of `tool_sandbox.conversation.tool_discovery`."""

from tool_sandbox.conversation.tool_discovery import *  # noqa: F403
from tool_sandbox.conversation.tool_discovery import _extract_tools as _extract_tools
