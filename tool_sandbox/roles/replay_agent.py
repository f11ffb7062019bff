"""Parties that say again what they said in a stored run, for those that no model plays."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.conversation.execution_context import RoleType, new_context
from tool_sandbox.conversation.messages import Message, is_within_code
from tool_sandbox.helpers.paths import escape_name
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.models.replay import ABSENT, RequestDifference, shortened
from tool_sandbox.play.record import part_file, read_part
from tool_sandbox.play.trajectory_files import stored_context
from tool_sandbox.roles.base_role import BaseRole

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

_COMPARED = ("content", "sender", "recipient", "tool_call_exception")


class StoredMessagesRole(BaseRole):
    """Copies the messages of one party from a stored run, a response at a time.

    Which response is due is worked out from the message log, so a conversation can be forked or resumed anywhere.

    Attributes:
        run_directory: The stored run.
        episode_directory: Name of the conversation's directory, set before `begin` by who plays; by default that of
            the scenario's name.
        replay: What was served, and the first message that differs from the stored one, in the form of the notes
            of a replayed model.
    """

    model_name = "replay"

    def __init__(self, run_directory: Path) -> None:
        """A party that has said nothing yet."""
        self.run_directory = Path(run_directory)
        self.episode_directory: str | None = None
        self.replay: dict[str, Any] = {}
        self._stored: list[Message] = []
        self._start = 0
        self._responses: list[list[Message]] = []

    def begin(self, scenario: "Scenario") -> None:
        """Reads the stored conversation."""
        name = self.episode_directory or escape_name(scenario.name)
        self._start = scenario.starting_context.max_sandbox_message_index + 1
        self._stored = _read_messages(self.run_directory, name)
        self._responses = self._responses_in(self._stored)
        self.replay = {"calls": 0, "unused": len(self._responses), "divergences": []}

    def respond(self, ending_index: int | None = None) -> None:
        """Says what was said at this place of the stored conversation."""
        messages = self.get_messages(ending_index)
        self.messages_validation(messages)
        if messages[-1].sender is RoleType.SYSTEM:
            return
        number = len(self._responses_in(messages))
        self.replay["calls"] += 1
        self._compare(messages, number)
        if number >= len(self._responses):
            words = f"the stored conversation has {len(self._responses)} responses of the {self._party}, and needs more"
            raise ProviderError(words, RequestFault(FaultKind.REPLAY, words))
        self.replay["unused"] = len(self._responses) - number - 1
        self.add_messages([_as_said(message) for message in self._responses[number]])

    @property
    def _party(self) -> str:
        return str(self.role_type).lower()

    def _responses_in(self, messages: Sequence[Message]) -> list[list[Message]]:
        """What this party said since the conversation began: others answer each response.

        What its code called is not among it: the code will call it again.
        """
        groups = groupby(messages[self._start :], key=self._is_said)
        return [list(group) for is_mine, group in groups if is_mine]

    def _is_said(self, message: Message) -> bool:
        is_own = message.sender is self.role_type
        return is_own and not is_within_code(message.sender, message.recipient, message.visible_to)

    def _compare(self, messages: Sequence[Message], number: int) -> None:
        """Notes the first message that differs; all after it may follow from it."""
        if self.replay["divergences"]:
            return
        for index, now in enumerate(messages[self._start :], start=self._start):
            stored = self._stored[index] if index < len(self._stored) else None
            for name in _COMPARED:
                then, here = str(getattr(stored, name, ABSENT)), str(getattr(now, name))
                if then != here:
                    difference = RequestDifference(f"messages[{index}].{name}", *shortened(then, here))
                    self.replay["divergences"].append(
                        {"call": number, "path": difference.path, "stored": difference.stored, "now": difference.now}
                    )
                    return


class StoredMessagesAgent(StoredMessagesRole):
    """The agent of a stored run."""

    role_type: ClassVar[RoleType] = RoleType.AGENT


class StoredMessagesUser(StoredMessagesRole):
    """The user of a stored run."""

    role_type: ClassVar[RoleType] = RoleType.USER


def _as_said(message: Message) -> Message:
    """A message without what the execution environment wrote on it, such as the end of the conversation."""
    is_call = message.recipient is RoleType.EXECUTION_ENVIRONMENT
    active = None if is_call else message.conversation_active
    said = attrs.evolve(message, conversation_active=active, tool_trace=None, tool_call_exception=None)
    return said.with_text(message.text)


def _read_messages(run: Path, directory: str) -> list[Message]:
    trajectory, part = run / "trajectories" / directory, "execution_context"
    with new_context(stored_context(read_part(trajectory, part, run), part_file(trajectory, part))):
        return BaseRole.get_messages()
