"""What every party that a language model plays has in common."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import attrs

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.messages import ModelReply, ModelRequest, RequestedCall, StopReason
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.session import Session
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.model_history import Entry, KnownTurn, Remembered, to_turns
from tool_sandbox.world.errors import InfrastructureError, ToolSandboxError

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

CUT_OFF = "(cut off: the reply reached its largest number of tokens before this call was complete)"
"""Stands in place of the arguments of a call that must not be carried out; the answer to it quotes it."""

NOT_FINISHED = "(not carried out: the reply ended for an unknown reason)"
"""The same for a reply that may be incomplete."""


class ModelRole(BaseRole):
    """A party that a language model plays.

    The history is worked out anew from the message log at each turn, so that a conversation can be forked, replayed
    or resumed anywhere; only replies in the provider's own form are kept beside it.

    Attributes:
        provider: The model.
        policy: How long to retry when the provider fails.
        session: What was asked in this conversation, what it cost, and who watches.
    """

    def __init__(self, provider: Provider, policy: RetryPolicy | None = None) -> None:
        """A role that has said nothing yet."""
        self.provider = provider
        self.policy = policy or RetryPolicy()
        self.session = Session("user" if self.role_type is RoleType.USER else "agent")
        self._remembered: dict[int, Remembered] = {}
        self._known: dict[int, KnownTurn] = {}
        self.has_refused = False

    @property
    def model_name(self) -> str:
        """Id of the model."""
        return self.provider.model

    def begin(self, scenario: "Scenario") -> None:
        """Forgets the conversation before."""
        self.reset()

    def reset(self) -> None:
        """Forgets the conversation; what it cost stays in the session."""
        self._remembered, self._known = {}, {}
        self.has_refused = False

    def fork(self) -> Self:
        """A role that goes on by itself, with the replies so far in the provider's own form, in the same session."""
        twin = super().fork()
        twin._remembered, twin._known = self._remembered.copy(), self._known.copy()
        return twin

    def model_inference(self, **wire: Any) -> Any:
        """Sends one request, without retries; to be replaced by who wants to see or change what is sent."""
        return self.provider.send(**wire)

    @classmethod
    def sends_itself(cls) -> bool:
        """Whether requests are sent by this package, not by a `model_inference` that outside code put in its place."""
        return getattr(cls.model_inference, "__module__", "").startswith("tool_sandbox.")

    def ask(self, system: str, entries: Sequence[Entry], tools: Sequence[Mapping[str, Any]]) -> ModelReply:
        """Asks the model what to do next."""
        assert self.role_type is not None  # noqa: S101 - without a role type there is no turn
        turns = to_turns(entries, self.role_type, self._remembered, self._known)
        request = ModelRequest(system, turns, tuple(tools))
        if not self.sends_itself() or "model_inference" in vars(self):
            return ask(self.provider, request, self.session, self.policy, self.model_inference)
        try:
            self.provider.connect()
            return ask(self.provider, request, self.session, self.policy, self.model_inference)
        except ToolSandboxError:
            raise
        except Exception as error:
            # A fault of this package or of an SDK, which must not be counted against the party that the model plays.
            name = f"{self.provider.name}/{self.provider.model}"
            raise InfrastructureError(f"{name}: {type(error).__name__}: {error}") from error

    def write(self, messages: Sequence[Message], reply: ModelReply) -> None:
        """Appends the messages of a reply to the log, and remembers the provider's own form of it."""
        index = get_current_context().max_sandbox_message_index + 1
        self.add_messages(messages)
        # As they stand in the log now: characters that are no Unicode have been replaced.
        written = tuple(self.get_messages()[index:])
        if reply.raw:
            self._remembered[index] = Remembered(written, reply.raw)


def callable_calls(reply: ModelReply, index: int) -> tuple[ModelReply, tuple[RequestedCall, ...]]:
    """The calls of a reply, such that each can be answered."""
    calls = reply.calls
    ids = [call.id for call in calls]
    if "" in ids or len(set(ids)) < len(ids):
        calls = tuple(attrs.evolve(call, id=f"call_{index}_{number}") for number, call in enumerate(calls))
        reply = attrs.evolve(reply, raw=(), calls=calls)
    if reply.stop in (StopReason.MAX_TOKENS, StopReason.OTHER):
        remark = CUT_OFF if reply.stop is StopReason.MAX_TOKENS else NOT_FINISHED
        calls = tuple(attrs.evolve(call, arguments=remark) for call in calls)
    return reply, calls
