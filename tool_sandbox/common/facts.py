"""Published path of `tool_sandbox.answers.facts`."""

from tool_sandbox.answers.facts import *  # noqa: F403
