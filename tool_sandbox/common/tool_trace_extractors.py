"""Published path of `tool_sandbox.scoring.published.tool_trace_extractors`."""

from tool_sandbox.scoring.published.tool_trace_extractors import *  # noqa: F403
