"""Published path of `tool_sandbox.play.message_conversion`."""

from tool_sandbox.play.message_conversion import *  # noqa: F403
