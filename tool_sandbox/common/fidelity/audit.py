"""All checks of a simulated user over one conversation."""

import datetime

from tool_sandbox.common.execution_context import ExecutionContext
from tool_sandbox.common.fidelity.character import acting_as_assistant
from tool_sandbox.common.fidelity.conversation import read
from tool_sandbox.common.fidelity.course import commissions, ended_early, ignored_questions, never_ended, repetitions
from tool_sandbox.common.fidelity.facts import invented_facts
from tool_sandbox.common.fidelity.finding import Finding
from tool_sandbox.common.fidelity.secrets import leaked_secrets
from tool_sandbox.common.outcome import Outcome
from tool_sandbox.common.script import UserScript


def audit(context: ExecutionContext, script: UserScript | None = None, outcome: Outcome | None = None) -> list[Finding]:
    """Checks what a simulated user said in a conversation, from its second message on: the opening is the scenario's.

    The same conversation always gives the same findings. Without a script there are no secrets and no facts to ask
    for, and what the user may know is the text of its brief.

    Args:
        context: The world after the conversation.
        script: What the scripted user of the scenario says, if there is one.
        outcome: How the conversation ended; by default it is taken to have reached its largest number of messages if
            the user did not end it.

    Returns:
        What it did wrong, in the order of the messages.
    """
    conversation = read(context)
    told = (*script.lines, script.unknown_reply or "") if script is not None else (conversation.brief,)
    findings = [
        *invented_facts(conversation, told, _today(context)),
        *acting_as_assistant(conversation, script.lines if script is not None else ()),
        *ignored_questions(conversation, script),
        *repetitions(conversation, script),
        *commissions(conversation, script),
        *ended_early(conversation, script),
    ]
    if script is not None:
        findings += leaked_secrets(conversation, script)
    was_cut_off = outcome is Outcome.MAX_MESSAGES or (outcome is None and conversation.end_index is None)
    if was_cut_off:
        findings += never_ended(conversation, script)
    return sorted(findings, key=lambda finding: finding.message_index)


def _today(context: ExecutionContext) -> str:
    """The date in the world and those next to it."""
    now = datetime.datetime.fromtimestamp(context.now(), context.timezone)
    return " ".join(f"{now + datetime.timedelta(days=days):%Y-%m-%d}" for days in (-1, 0, 1))
