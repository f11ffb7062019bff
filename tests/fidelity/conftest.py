"""Conversations made for a test."""

from collections.abc import Callable

import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.fidelity import Finding, audit
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.script import Knows, UserScript

SCRIPT = UserScript(
    "I want to send a text.",
    knows=(
        Knows(r"\bwhom?\b|recipient|which contact", "To Claire Whitfield."),
        Knows(r"\bwhat\b|content|\bsay\b", 'It should say: "Dinner at our place on Sunday at 7 PM?"'),
    ),
    secrets=("+13125550105", "67.9983", "2026-01-01", "Diego Okafor"),
)

Converse = Callable[..., ExecutionContext]
Check = Callable[..., list[Finding]]


@pytest.fixture(scope="session")
def converse() -> Converse:
    """Builds a message log: texts by turns from the opening on, ``RESULT: ...`` for a tool result, and the end."""

    def converse(*texts: str, ended: bool = False, brief: str = "") -> ExecutionContext:
        context = ExecutionContext(clock=ScenarioClock(1_747_224_000.0))
        rows = [(RoleType.SYSTEM, RoleType.USER, brief)] if brief else []
        speakers = (RoleType.USER, RoleType.AGENT)
        turn = 0
        for text in texts:
            if text.startswith("RESULT: "):
                rows.append((RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT, text.removeprefix("RESULT: ")))
            else:
                rows.append((speakers[turn % 2], speakers[1 - turn % 2], text))
                turn += 1
        if ended:
            rows.append((RoleType.USER, RoleType.EXECUTION_ENVIRONMENT, "end_conversation()"))
            rows.append((RoleType.EXECUTION_ENVIRONMENT, RoleType.USER, "None"))
        context.add_to_database(
            DatabaseNamespace.SANDBOX,
            [
                {"sender": sender, "recipient": recipient, "content": content, "visible_to": [sender, recipient]}
                for sender, recipient, content in rows
            ],
        )
        if ended:
            context.set_message_fields(conversation_active=False)
        return context

    return converse


@pytest.fixture(scope="session")
def kinds(converse: Converse) -> Callable[..., list[str]]:
    """The kinds of findings of a conversation, each once."""

    def kinds(
        *texts: str,
        script: UserScript | None = SCRIPT,
        ended: bool = False,
        brief: str = "",
        outcome: Outcome | None = Outcome.COMPLETED,
    ) -> list[str]:
        found = audit(converse(*texts, ended=ended, brief=brief), script, outcome)
        return list(dict.fromkeys(str(finding.kind) for finding in found))

    return kinds
