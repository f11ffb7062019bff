"""A conversation that goes on: whose turn it is, who answers, and when it is over.

A run plays it in one go (`Scenario.play`), an environment from one action of the agent to the next (``ts.Env``); both
play it with this. The world is the current one of the ``contextvars`` context, and what a dialogue itself holds is
little, so that a conversation is forked by a fork of both.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol, Self

import attrs

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
)
from tool_sandbox.play.blame import turn_of
from tool_sandbox.world.errors import ConversationStoppedError, RoleError

MOST_OWN_CALLS = 20
"""Calls that a user makes one after the other without their counting as turns."""


class Role(Protocol):
    """What plays a party of a scenario, see ``tool_sandbox.roles.base_role``."""

    def begin(self, scenario: Any) -> None:
        """Hears what is about to be played."""

    def respond(self, ending_index: int | None = None) -> None:
        """Answers the newest message, or the one at an index."""


@attrs.define
class Dialogue:
    """A conversation between its set-up and its end.

    Attributes:
        roles: The role that answers for each role type.
        name: Name of the scenario for error messages.
        start: Index of the newest message before the conversation.
        max_messages: Largest number of new messages; a last response of several may exceed it.
        max_turns: Instead of it, the largest number of responses of the agent, and of the user, if not ``None``.
        turns: Number of responses of each party so far, without calls of the user's own tools.
        own_calls: Number of calls that the user made since it last spoke.
        stopped: Why a party could not go on, ``None`` if none failed.
    """

    roles: Mapping[RoleType, Role]
    name: str
    start: int
    max_messages: int
    max_turns: int | None = None
    turns: Counter[RoleType] = attrs.field(factory=Counter)
    stopped: ConversationStoppedError | None = None
    own_calls: int = 0

    def fork(self, roles: Mapping[RoleType, Role]) -> Self:
        """A dialogue that stands where this one stands, and goes on with other roles."""
        limits = self.start, self.max_messages, self.max_turns
        return type(self)(roles, self.name, *limits, self.turns.copy(), self.stopped, self.own_calls)

    @property
    def next_party(self) -> RoleType | None:
        """Who has to answer in the current world, ``None`` once the conversation is over."""
        if self.stopped is not None:
            return None
        context = get_current_context()
        message = context.get_table(DatabaseNamespace.SANDBOX)
        recipient = RoleType(message.column("recipient")[-1])
        if self.max_turns is None:
            is_limit = context.max_sandbox_message_index >= self.max_messages + self.start
        else:
            is_limit = self.turns[recipient] >= self.max_turns and recipient is not RoleType.EXECUTION_ENVIRONMENT
        return None if is_limit or not message.column("conversation_active")[-1] else recipient

    def advance(self, party: RoleType) -> None:
        """Has the party whose turn it is answer; if it cannot go on, through its own fault, the conversation is over.

        Raises:
            KeyError: Nobody plays the party.
            RoleError: It answered nothing.
        """
        context = get_current_context()
        newest = context.max_sandbox_message_index
        self.turns[party] += 1
        role = self.roles.get(party)
        if role is None:
            # The sender to a party that has no player is to blame.
            with turn_of(RoleType(context.get_table(DatabaseNamespace.SANDBOX).column("sender")[-1])):
                raise KeyError(party)
        try:
            with turn_of(party):
                role.respond()
                if get_current_context().max_sandbox_message_index == newest:
                    told = f"scenario {self.name!r}: {party} answered message {newest} with nothing"
                    raise RoleError(told)
        except ConversationStoppedError as stop:
            self.stopped = stop
            return
        if party is RoleType.USER:
            self._count_own_call()

    def _count_own_call(self) -> None:
        """Takes a call of the user's own tools off its turns, unless it makes too many without a word."""
        recipient = get_current_context().get_table(DatabaseNamespace.SANDBOX).column("recipient")[-1]
        self.own_calls = self.own_calls + 1 if recipient == RoleType.EXECUTION_ENVIRONMENT else 0
        if 0 < self.own_calls <= MOST_OWN_CALLS:
            self.turns[RoleType.USER] -= 1


def run_set_up(context: ExecutionContext, roles: Mapping[RoleType, Role], name: str) -> None:
    """Has the execution environment run the set-up messages of the system, each once."""
    newest = context.max_sandbox_message_index
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.where(sender=RoleType.SYSTEM, recipient=RoleType.EXECUTION_ENVIRONMENT):
            roles[RoleType(row["recipient"])].respond(ending_index=index)
            # An assertion by contract: outside code expects this class of error.
            if get_current_context().max_sandbox_message_index != newest:
                raise AssertionError(f"scenario {name!r}: set-up message {index} was answered with a message")
