"""Published path of `tool_sandbox.play.scenario`."""

from tool_sandbox.play.scenario import *  # noqa: F403
