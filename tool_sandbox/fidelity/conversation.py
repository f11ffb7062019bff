"""One conversation as the audit sees it: who said what, and what stood in tool results before."""

import datetime
import math
from collections.abc import Iterator

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.play.message_conversion import is_within_code
from tool_sandbox.world.script import UserScript

USER, AGENT, TOOL = RoleType.USER, RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT


@attrs.frozen
class Line:
    """What user or agent said to the other, or a tool answered the agent, with its index in the message log."""

    index: int
    speaker: RoleType
    text: str


@attrs.frozen
class Conversation:
    """What was said, oldest first, from the opening on, which the scenario has put into the user's mouth.

    The message at ``end_index`` is the one by which the user ended it. What it was ``told`` before are today and the
    days around it, its script or its brief, and what its own tools
    returned. A user without a script has one that says nothing.
    """

    lines: list[Line]
    end_index: int | None
    told: list[str]
    script: UserScript
    is_scripted: bool

    @property
    def replies(self) -> Iterator[tuple[Line, Line]]:
        """What the user said itself, each behind what the agent had said before."""
        heard: Line | None = None
        for line in self.lines:
            if line.speaker == AGENT:
                heard = line
            elif line.speaker == USER and heard is not None:
                yield heard, line

    def said(self, *speakers: RoleType, before: float = math.inf) -> list[str]:
        """What some said before a message, the opening included."""
        return [line.text for line in self.lines if line.speaker in speakers and line.index < before]


def read(context: ExecutionContext, script: UserScript | None) -> Conversation:
    """Reads a conversation off a message log, without what only the user or only an agent's code was shown."""
    lines, brief, results, end_index, is_over = [], [], [], None, False
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            sender, recipient, content = row["sender"], row["recipient"], row["content"] or ""
            if row["visible_to"] == [USER] or is_within_code(sender, recipient, row["visible_to"]):
                continue
            is_over = row["conversation_active"] is False
            if (sender, recipient) == (RoleType.SYSTEM, USER):
                brief.append(content)
            elif (sender, recipient) == (USER, TOOL):
                end_index = index
            elif (sender, recipient) == (TOOL, USER):
                results.append(content)
            elif (sender, recipient) in ((USER, AGENT), (AGENT, USER), (TOOL, AGENT)):
                lines.append(Line(index, sender, content))
    now = datetime.datetime.fromtimestamp(context.now(), context.timezone)
    today = " ".join(f"{now + datetime.timedelta(days=days):%Y-%m-%d}" for days in (0, -1, 1))
    told = [today, *script.lines, script.unknown_reply or ""] if script else [today, *brief]
    told += results
    end_index = end_index if is_over else None
    return Conversation(lines, end_index, told, script or UserScript(""), is_scripted=script is not None)
