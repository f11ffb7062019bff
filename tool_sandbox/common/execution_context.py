"""Published path of `tool_sandbox.conversation.execution_context`."""

from tool_sandbox.conversation.execution_context import *  # noqa: F403
from tool_sandbox.conversation.execution_context import ExecutionContext, get_or_make_context


def get_current_context() -> ExecutionContext:
    """The context of the running conversation.

    Threads and asyncio tasks each have their own.

    Returns:
        The context that was set last, or a default one that is created on first use.
    """
    return get_or_make_context()
