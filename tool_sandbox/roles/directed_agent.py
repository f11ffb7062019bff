"""An agent that does what it is told: one move, then the next."""

from typing import TYPE_CHECKING, ClassVar, Self

import attrs

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.messages import Message
from tool_sandbox.models.faults import one_line
from tool_sandbox.models.messages import RequestedCall, StopReason
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.world.errors import ConversationStoppedError, ModelRefusedError

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario


@attrs.frozen
class Move:
    """What an agent does at once: it calls tools, or says something to the user.

    Attributes:
        text: What it says to the user, or beside its calls.
        calls: The calls, none for a text to the user; their ids are unique in the conversation.
        stop: Why its model stopped writing.
        stop_text: The model's own word for that.
    """

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    stop: StopReason = StopReason.END
    stop_text: str = ""


class DirectedAgent(BaseRole):
    """Makes the moves that it is given, of which there has to be one whenever it is its turn.

    Attributes:
        move: What it is to do next, or why it cannot go on.
        has_refused: Whether its last text was a refusal.
    """

    role_type: ClassVar[RoleType] = RoleType.AGENT

    def __init__(self) -> None:
        """An agent that was told nothing yet."""
        self.move: Move | ConversationStoppedError | None = None
        self.has_refused = False

    def begin(self, scenario: "Scenario") -> None:
        """Forgets the conversation before."""
        self.move, self.has_refused = None, False

    def fork(self) -> Self:
        """An agent that waits for the next move."""
        twin = type(self)()
        twin.has_refused = self.has_refused
        return twin

    def respond(self, ending_index: int | None = None) -> None:
        """Writes the move to the log."""
        move, self.move = self.move, None
        if isinstance(move, ConversationStoppedError):
            raise move
        assert move is not None  # noqa: S101 - who directs it has given one
        if move.calls:
            messages = [self.tool_call_message(call.id, call.name, call.arguments) for call in move.calls]
            self.add_messages([messages[0].with_text(move.text or None), *messages[1:]])
            return
        self.has_refused = move.stop in (StopReason.REFUSAL, StopReason.BLOCKED)
        self.add_messages([Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=move.text)])
        if move.stop is StopReason.BLOCKED:
            raise ModelRefusedError(one_line(f"the model declined: {move.stop_text}"))
