"""Published path of `tool_sandbox.scoring`."""

from tool_sandbox.scoring import *  # noqa: F403
