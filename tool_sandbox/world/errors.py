"""The error tree. Each class answers one question: whose fault is it?

Errors that a tool raises on purpose (``ValueError``, ``ConnectionError`` and so on) are results of
the simulated world, not members of this tree.
"""

from collections.abc import Iterable
from typing import ClassVar

from tool_sandbox.world.outcome import Outcome


class ToolSandboxError(Exception):
    """Base class of all errors that this package raises about itself."""


class ConfigurationError(ToolSandboxError):
    """The person running the benchmark asked for something that cannot be done (exit code 2)."""


class MissingRequirementError(ConfigurationError):
    """A key, package, address or credential that is needed is not there."""


class UnknownNameError(ConfigurationError, KeyError):
    """A name that does not exist was asked for."""

    def __init__(self, message: str, suggestions: Iterable[str] = ()) -> None:
        """Builds the one-line message.

        Args:
            message: What was asked for and does not exist.
            suggestions: Existing names that are close to it, best first.
        """
        self.suggestions = tuple(suggestions)
        hint = f" Did you mean: {', '.join(self.suggestions)}?" if self.suggestions else ""
        super().__init__(message + hint)

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class ScenarioError(ToolSandboxError, ValueError):
    """A scenario definition is broken: its author has to change it."""


class DrawError(ScenarioError):
    """A world was drawn that makes no fair task, for example one without a clear best choice: draw another one."""


class RoleError(ToolSandboxError):
    """A role broke the message protocol, for example by answering nothing at all."""


class ConversationAbandonedError(ToolSandboxError):
    """The person who played a role left before the conversation was over."""


class ConversationStoppedError(ToolSandboxError):
    """A party cannot go on, through its own fault. What was played until then is scored.

    Attributes:
        outcome: How such a conversation ends.
    """

    outcome: ClassVar[Outcome] = Outcome.MODEL_ERROR


class ModelError(ConversationStoppedError):
    """The agent's model cannot go on: its context is full, for example."""


class ModelRefusedError(ConversationStoppedError):
    """The agent's model, or a filter of its provider, declined to answer."""

    outcome = Outcome.REFUSED


class AgentError(ConversationStoppedError):
    """An agent with a loop of its own cannot go on, through its own fault: it crashed, hung, or spoke nonsense."""


class LimitReachedError(ConversationStoppedError):
    """A limit of whoever has the conversation played has ended it: of turns, tokens or time, say."""

    outcome = Outcome.MAX_MESSAGES


class UserError(ConversationStoppedError):
    """The simulated user cannot go on. Never counted against the agent."""

    outcome = Outcome.USER_ERROR


class InfrastructureError(ToolSandboxError):
    """A service, network or process failed. Never counted against the agent.

    Attributes:
        fault: What failed, in one word, as it appears in results.
    """

    fault: str = "infrastructure"


class StorageError(InfrastructureError, OSError):
    """A file of a run could not be written: the disk is full, say, or the directory is gone."""

    fault = "storage"

    def __str__(self) -> str:
        return super().__str__() if self.filename is None else f"cannot write {self.filename}: {self.strerror}"


class BudgetExceededError(InfrastructureError):
    """The run has spent what it may spend, so that a call was not made."""

    fault = "budget"
