"""Published path of `tool_sandbox.world.validators`."""

from tool_sandbox.world.validators import *  # noqa: F403
