"""Published path of `tool_sandbox.world.utils`."""

from tool_sandbox.world.utils import *  # noqa: F403
