"""Did the simulated user play its part? A deterministic audit of one conversation.

The checks are made such that a finding is worth reading: what may be right is not reported.
"""

from enum import StrEnum

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.fidelity.character import acting_as_assistant
from tool_sandbox.fidelity.conversation import read
from tool_sandbox.fidelity.course import commission, ended_early, ignored_question, never_ended, repetition
from tool_sandbox.fidelity.facts import invented_fact, leaked_secret
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.script import UserScript

__all__ = ["Finding", "FindingKind", "audit"]


class FindingKind(StrEnum):
    """What a simulated user did wrong."""

    LEAKED_SECRET = "leaked_secret"  # noqa: S105 - the name of a finding
    INVENTED_FACT = "invented_fact"
    ACTING_AS_ASSISTANT = "acting_as_assistant"
    ENDED_EARLY = "ended_early"
    NEVER_ENDED = "never_ended"
    IGNORED_QUESTION = "ignored_question"
    COMMISSION = "commission"
    REPETITION = "repetition"


@attrs.frozen
class Finding:
    """One thing that a simulated user did wrong.

    Attributes:
        message_index: Index in the message log of the message that shows it.
        text: What the user said there; for a conversation that ended at the wrong time, what the agent said last.
        detail: What is wrong with it, in a few words.
    """

    kind: FindingKind
    message_index: int
    text: str
    detail: str

    def as_dict(self) -> dict[str, str | int]:
        """The finding as plain data, as it stands in results."""
        return attrs.asdict(self) | {"kind": str(self.kind)}


_OF_A_REPLY = (invented_fact, acting_as_assistant, ignored_question, repetition, commission, leaked_secret)
"""What may be wrong with what the user says to what the agent has said: each check has the name of its findings."""


def audit(context: ExecutionContext, script: UserScript | None = None, outcome: Outcome | None = None) -> list[Finding]:
    """What a simulated user did wrong in a conversation, in order; the opening is not its own but the scenario's."""
    conversation = read(context, script)
    findings = [
        Finding(FindingKind(check.__name__), line.index, line.text, detail)
        for heard, line in conversation.replies
        for check in _OF_A_REPLY
        for detail in check(conversation, heard, line)
    ]
    was_cut_off = outcome is Outcome.MAX_MESSAGES or (outcome is None and conversation.end_index is None)
    findings += [Finding(FindingKind.ENDED_EARLY, *found) for found in ended_early(conversation)]
    if was_cut_off:
        findings += [Finding(FindingKind.NEVER_ENDED, *found) for found in never_ended(conversation)]
    return sorted(findings, key=lambda finding: finding.message_index)
