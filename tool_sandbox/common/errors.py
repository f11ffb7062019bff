"""Published path of `tool_sandbox.world.errors`."""

from tool_sandbox.world.errors import *  # noqa: F403
