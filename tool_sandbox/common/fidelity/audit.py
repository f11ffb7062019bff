"""All checks of a simulated user over one conversation."""

from collections.abc import Callable, Iterator

from tool_sandbox.common.execution_context import ExecutionContext
from tool_sandbox.common.fidelity.character import acting_as_assistant
from tool_sandbox.common.fidelity.conversation import Conversation, Line, read
from tool_sandbox.common.fidelity.course import commissions, ended_early, ignored_questions, never_ended, repetitions
from tool_sandbox.common.fidelity.facts import invented_facts, leaked_secrets
from tool_sandbox.common.fidelity.finding import Finding, FindingKind
from tool_sandbox.common.outcome import Outcome
from tool_sandbox.common.script import UserScript

_OF_A_REPLY: dict[FindingKind, Callable[[Conversation, Line, Line], Iterator[str]]] = {
    FindingKind.INVENTED_FACT: invented_facts,
    FindingKind.ACTING_AS_ASSISTANT: acting_as_assistant,
    FindingKind.IGNORED_QUESTION: ignored_questions,
    FindingKind.REPETITION: repetitions,
    FindingKind.COMMISSION: commissions,
    FindingKind.LEAKED_SECRET: leaked_secrets,
}
"""What may be wrong with a message of the user, and what tells it from what the agent has said before."""


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
    conversation = read(context, script)
    findings = [
        Finding(kind, line.index, line.text, detail)
        for heard, line in conversation.replies
        for kind, check in _OF_A_REPLY.items()
        for detail in check(conversation, heard, line)
    ]
    was_cut_off = outcome is Outcome.MAX_MESSAGES or (outcome is None and conversation.end_index is None)
    findings += ended_early(conversation)
    findings += never_ended(conversation) if was_cut_off else ()
    return sorted(findings, key=lambda finding: finding.message_index)
