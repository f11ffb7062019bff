"""How a conversation ended: the one label that says whether its score counts, and against whom."""

from enum import StrEnum


class Outcome(StrEnum):
    """The end of a conversation."""

    COMPLETED = "completed"
    """The user ended it."""

    MAX_MESSAGES = "max_messages"
    """It reached the largest number of messages."""

    MODEL_ERROR = "model_error"
    """The agent could not go on, through its own fault (its context was full, say). What was played is scored."""

    REFUSED = "refused"
    """The agent's model declined to answer. What was played is scored."""

    INFRASTRUCTURE_ERROR = "infrastructure_error"
    """A provider, service or process failed. Says nothing about the agent and counts in no mean."""

    SCENARIO_ERROR = "scenario_error"
    """The code of the scenario failed, and will again. Says nothing about the agent and counts in no mean."""

    USER_ERROR = "user_error"
    """The simulated user could not go on. Says nothing about the agent and counts in no mean."""

    @property
    def is_evaluated(self) -> bool:
        """Whether the score says something about the agent, so that it counts in means."""
        return self not in (Outcome.INFRASTRUCTURE_ERROR, Outcome.SCENARIO_ERROR, Outcome.USER_ERROR)
