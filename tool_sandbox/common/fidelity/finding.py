"""What the audit of a simulated user finds."""

from enum import StrEnum

import attrs


class FindingKind(StrEnum):
    """What a simulated user did wrong."""

    LEAKED_SECRET = "leaked_secret"  # noqa: S105 - the name of a finding
    """It said what the agent had to find out, or what is nobody's business."""

    INVENTED_FACT = "invented_fact"
    """It said a name, number, date, time or dictation that it was not told."""

    ACTING_AS_ASSISTANT = "acting_as_assistant"
    """It spoke as if it were the agent."""

    ENDED_EARLY = "ended_early"
    """It ended the conversation with something left to say."""

    NEVER_ENDED = "never_ended"
    """It went on after its task was reported done, until the conversation was cut off."""

    IGNORED_QUESTION = "ignored_question"
    """It did not answer a question that it could have answered."""

    COMMISSION = "commission"
    """It took up an offer after its task was done, and so asked for more than its task."""

    REPETITION = "repetition"
    """It said the same thing again although nobody had asked, or the same thing to everything."""


@attrs.frozen
class Finding:
    """One thing that a simulated user did wrong.

    Attributes:
        kind: What it was.
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
