"""Published path of `tool_sandbox.world.script`."""

from tool_sandbox.world.script import *  # noqa: F403
