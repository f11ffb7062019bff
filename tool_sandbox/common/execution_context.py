"""Published path of `tool_sandbox.conversation.execution_context`."""

from tool_sandbox.conversation.execution_context import *  # noqa: F403
