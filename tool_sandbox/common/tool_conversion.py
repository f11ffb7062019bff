"""Published path of `tool_sandbox.conversation.tool_conversion`."""

from tool_sandbox.conversation.tool_conversion import *  # noqa: F403
