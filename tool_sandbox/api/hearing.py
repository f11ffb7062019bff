"""What the agent hears: the messages of the current world that are meant for it, as turns of a conversation."""

from collections.abc import Iterator
from typing import Any

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.models.messages import RequestedCall, ResultsTurn, ToolResult, Turn
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.model_history import to_turns


def _entries(first: int) -> Iterator[tuple[int, Any]]:
    """Messages from an index on that the agent sees."""
    for index, message in enumerate(BaseRole.get_messages(starting_index=first), start=first):
        if RoleType.AGENT in (message.visible_to or ()):
            yield index, message


def instruction() -> str:
    """What the agent is told before all else."""
    return "\n\n".join(message.content for _, message in _entries(0) if message.sender is RoleType.SYSTEM)


def heard(first: int, calls: tuple[RequestedCall, ...], number: int) -> Iterator[Turn]:
    """What the agent hears from a message on: results in the order of its calls, under the ids that it knows.

    Args:
        first: Index of the first message of its action.
        calls: The calls of the action.
        number: Number of the first one in the conversation, after which it is named in the log.
    """
    place = {f"call_{number + n}": n for n in range(len(calls))}
    entries = [entry for entry in _entries(first) if entry[1].sender is not RoleType.AGENT]
    for turn in to_turns(entries, RoleType.AGENT):
        if isinstance(turn, ResultsTurn):
            results = sorted(turn.results, key=lambda result: place[result.call_id])
            turn = ResultsTurn(
                tuple(
                    ToolResult(calls[place[result.call_id]].id, result.name, result.text, result.is_error)
                    for result in results
                )
            )
        yield turn


def opening_turns() -> tuple[Turn, ...]:
    """The conversation before the agent's first action."""
    return to_turns(list(_entries(0)), RoleType.AGENT)
