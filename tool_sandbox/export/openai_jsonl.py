"""OpenAI's format for supervised fine-tuning: a line a conversation, with the tools on offer.

A line has the keys of ``FineTuneChatRequestInput`` in OpenAI's API reference and no other: ``messages``, ``tools`` and
``parallel_tool_calls``. ``weight`` of a message of the assistant says whether it is trained on. What else is known is
in a second file, line by line.
"""

from collections.abc import Mapping
from typing import Any

from tool_sandbox.export.training import until_last_word
from tool_sandbox.export.trajectory import Entry, Trajectory


def openai_line(trajectory: Trajectory) -> dict[str, Any] | None:
    """A conversation as an example to train with.

    It ends with the last message of the assistant, as OpenAI demands.

    Args:
        trajectory: The conversation.

    Returns:
        The line, ``None`` if the agent says nothing in it.
    """
    entries = until_last_word(trajectory)
    if not entries:
        return None
    line: dict[str, Any] = {"messages": [_message(entry) for entry in entries]}
    if trajectory.tools:
        line |= {"tools": trajectory.tools, "parallel_tool_calls": True}
    return line


def openai_metadata(trajectory: Trajectory) -> dict[str, Any]:
    """What is known about the same conversation: its metadata, and the reward of each message of the line."""
    return {**trajectory.metadata, "rewards": [entry.reward for entry in until_last_word(trajectory)]}


def _message(entry: Entry) -> Mapping[str, Any]:
    message = dict(entry.message)
    message.pop("name", None)
    if entry.role == "assistant":
        message["weight"] = entry.weight
        if entry.calls and not message["content"]:
            del message["content"]
    return message
