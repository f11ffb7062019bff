"""Conversations that show a model how to play the user."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.conversation.execution_context import RoleType

if TYPE_CHECKING:
    from tool_sandbox.conversation.messages import Message

_BOUNDARY = re.compile(r"[.!?]\s+(?=\S)|\n+")


@attrs.frozen
class Demonstration:
    """A conversation that another user had about another task, and ended.

    Attributes:
        task: What that user was told, empty if that is not known.
        texts: What was said by turns, the user first.
    """

    task: str
    texts: tuple[str, ...]


def in_band(messages: "Sequence[Message]") -> "tuple[list[list[Message]], int]":
    """The demonstrations that a world of other packages keeps in its message log, for the eyes of the user only."""
    first = next((place for place, message in enumerate(messages) if _is_said_to_agent(message)), len(messages))
    groups: list[list[Message]] = []
    for message in messages[:first]:
        if message.visible_to != [RoleType.USER]:
            break
        if message.sender is RoleType.SYSTEM or not groups:
            groups.append([])
        groups[-1].append(message)
    # A task that was not talked about is the real one.
    if groups and len(groups[-1]) == 1 and groups[-1][0].sender is RoleType.SYSTEM:
        groups.pop()
    return groups, sum(map(len, groups))


def _is_said_to_agent(message: "Message") -> bool:
    return message.sender is RoleType.USER and message.visible_to != [RoleType.USER]


def read_demonstrations(groups: "Iterable[Sequence[Message]]", brief: str) -> tuple[Demonstration, ...]:
    """Demonstrations from their messages."""
    return tuple(_read(group, brief) for group in groups)


def _read(group: "Sequence[Message]", brief: str) -> Demonstration:
    texts: list[str] = []
    speaker: RoleType | None = None
    is_told = group[0].sender is RoleType.SYSTEM
    for message in group[is_told:]:
        if message.recipient not in (RoleType.USER, RoleType.AGENT) or message.sender is RoleType.EXECUTION_ENVIRONMENT:
            continue
        if message.sender is speaker:
            texts[-1] += f"\n{message.content}"
        else:
            if speaker is None and message.sender is RoleType.AGENT:
                texts.append("")
            texts.append(message.content)
        speaker = message.sender
    return Demonstration(_without_instruction(group[0].content, brief) if is_told else "", tuple(texts))


def _without_instruction(text: str, brief: str) -> str:
    """The end of a text, from the last sentence on whose beginning it shares with the brief."""
    differing = (place for place, (one, other) in enumerate(zip(text, brief, strict=False)) if one != other)
    shared = next(differing, min(len(text), len(brief)))
    ends = [boundary.end() for boundary in _BOUNDARY.finditer(text) if boundary.end() <= shared]
    return text[ends[-1] if ends else 0 :].strip()
