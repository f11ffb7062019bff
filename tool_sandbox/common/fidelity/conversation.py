"""One conversation as the audit sees it: who said what, and what stood in tool results before."""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tool_sandbox.common.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.common.message_conversion import is_within_code
from tool_sandbox.common.script import UserScript


@attrs.frozen
class Line:
    """What one of the two said.

    Attributes:
        index: Index in the message log.
        by_user: Whether the user said it.
        text: What was said.
    """

    index: int
    by_user: bool
    text: str


@attrs.frozen
class Conversation:
    """What was said between user and agent.

    Attributes:
        brief: What the user was told before.
        lines: What was said, oldest first, from the opening on, which the scenario has put into the user's mouth.
        results: What tools answered the agent, with the index in the message log.
        end_index: Index of the message by which the user ended the conversation, ``None`` if it did not.
        today: The date in the world and those next to it, as anybody may know them.
        script: What the user had to say; nothing if it has no script.
        is_scripted: Whether it has one.
    """

    brief: str
    lines: tuple[Line, ...]
    results: tuple[tuple[int, str], ...]
    end_index: int | None
    today: str
    script: UserScript
    is_scripted: bool

    @property
    def replies(self) -> Iterator[tuple[Line, Line]]:
        """What the user said itself, each behind what the agent had said before."""
        heard: Line | None = None
        for line in self.lines:
            if not line.by_user:
                heard = line
            elif heard is not None:
                yield heard, line

    @property
    def agent_lines(self) -> list[Line]:
        """What the agent said."""
        return [line for line in self.lines if not line.by_user]

    def user_lines(self, before: int | None = None) -> list[Line]:
        """What the user said, the opening included, up to a message."""
        return [line for line in self.lines if line.by_user and (before is None or line.index < before)]

    def said_before(self, index: int) -> list[str]:
        """All that either of the two said before a message, the opening included."""
        return [line.text for line in self.lines if line.index < index]


def read(context: ExecutionContext, script: UserScript | None) -> Conversation:
    """Reads a conversation off a message log.

    Args:
        context: The world after the conversation. Messages that only the user sees are demonstrations, no part of it;
            what an agent's code was answered, the agent knows only as far as the code printed it.
        script: What the user had to say, if it has a script.
    """
    rows = [(index, row) for index, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]
    rows = [(index, row) for index, row in rows if not _is_hidden(row)]
    lines, results, brief = [], [], []
    end_index = None
    for index, row in rows:
        content = row["content"] or ""
        match row["sender"], row["recipient"]:
            case RoleType.SYSTEM, RoleType.USER:
                brief.append(content)
            case (RoleType.USER, RoleType.AGENT) | (RoleType.AGENT, RoleType.USER):
                lines.append(Line(index, row["sender"] == RoleType.USER, content))
            case RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT:
                results.append((index, content))
            case RoleType.USER, RoleType.EXECUTION_ENVIRONMENT:
                end_index = index
    is_over = bool(rows) and rows[-1][1]["conversation_active"] is False
    now = datetime.datetime.fromtimestamp(context.now(), context.timezone)
    return Conversation(
        brief="\n".join(brief),
        lines=tuple(lines),
        results=tuple(results),
        end_index=end_index if is_over else None,
        today=" ".join(f"{now + datetime.timedelta(days=days):%Y-%m-%d}" for days in (-1, 0, 1)),
        script=script or UserScript(""),
        is_scripted=script is not None,
    )


def _is_hidden(row: Mapping[str, Any]) -> bool:
    """Whether the agent was not told of a message to or from it."""
    return row["visible_to"] == [RoleType.USER] or is_within_code(row["sender"], row["recipient"], row["visible_to"])
