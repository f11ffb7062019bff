"""A deterministic user: a small state machine that answers what it is asked and no more."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.common.dialogue import asks_permission, questions, sentences
from tool_sandbox.common.execution_context import RoleType
from tool_sandbox.common.message_conversion import Message
from tool_sandbox.common.script import Knows, UserScript
from tool_sandbox.roles.base_role import BaseRole

if TYPE_CHECKING:
    from tool_sandbox.common.scenario import Scenario

END_CONVERSATION = "end_conversation()"
"""What the user sends to the execution environment to end the conversation."""

CONSENT = "Yes, please go ahead."
REFUSAL = "No, please don't."
NO_ANSWER = "Sorry, are you still there?"

_OFFER = re.compile(r"\b(?:would|do) you (?:also |still )?(?:like|want)\b", re.IGNORECASE)
_COMPLETED = re.compile(
    r"\b(?:done|has been|have been|successfully|is now|are now"
    r"|(?:is|are|was|were) (?:sent|added|removed|deleted|updated|set)"
    r"|I(?:'ve| have)? (?:sent|added|removed|deleted|updated|turned|switched|created|saved|changed|moved|set))\b",
    re.IGNORECASE,
)
_OBSTACLE = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable|not possible|blocked|disabled|turned off|switched off|is off|are off"
    r"|is on|prevents?|low battery|power saving|permission|before I)\b",
    re.IGNORECASE,
)


@attrs.define
class _Conversation:
    """Where the user stands after the agent's texts so far."""

    script: UserScript
    requests_made: int = 0
    told: set[Knows] = attrs.field(factory=set)
    tries: int = 0

    @property
    def next_turn(self) -> str | None:
        """The request that comes next, ``None`` when all have been made."""
        return self.script.turns[self.requests_made] if self.requests_made < len(self.script.turns) else None

    def hear(self, text: str) -> str | None:
        """Takes in one text of the agent.

        Returns:
            What the user says to it, ``None`` when the conversation is over.
        """
        if not text.strip():
            return self._lose_patience(NO_ANSWER)
        asked = questions(text)
        if not asked or self._is_offer_of_more(text, asked):
            return self._next_request()
        known = [fact for fact in self._open_facts() if any(_is_about(fact, sentence) for sentence in asked)]
        if any(fact.reply == self.next_turn for fact in known):
            return self._next_request()
        decisions = [fact for fact in known if fact.decides]
        known = decisions or known
        permission = [] if decisions else [sentence for sentence in asked if asks_permission(sentence)]
        replies = [fact.reply for fact in known]
        if permission and not (known and any(re.search(r"\bor\b", sentence) for sentence in permission)):
            replies.insert(0, CONSENT if self.script.consents else REFUSAL)
        is_new = not self.told.issuperset(known)
        self.told.update(known)
        if not replies:
            return self._lose_patience(self.script.unknown_reply)
        answer = " ".join(replies)
        return answer if is_new else self._lose_patience(answer)

    def _lose_patience(self, line: str) -> str | None:
        self.tries += 1
        return line if self.tries <= self.script.patience else None

    def _next_request(self) -> str | None:
        request = self.next_turn
        self.requests_made += request is not None
        return request

    def _open_facts(self) -> list[Knows]:
        """What can be revealed now: every fact, but a change of mind only while it is due."""
        turns = self.script.turns
        return [fact for fact in self.script.knows if fact.reply not in turns or fact.reply == self.next_turn]

    @staticmethod
    def _is_offer_of_more(text: str, asked: list[str]) -> bool:
        """Whether the agent reports that it is done and merely offers to do more."""
        asking = set(asked)
        report = " ".join(sentence for sentence in sentences(text) if sentence not in asking)
        return (
            all(_OFFER.search(sentence) for sentence in asked)
            and bool(_COMPLETED.search(report))
            and not _OBSTACLE.search(text)
        )


def _is_about(fact: Knows, sentence: str) -> bool:
    return bool(re.search(fact.topic, sentence, re.IGNORECASE))


def next_line(script: UserScript, heard: Iterable[str]) -> str | None:
    """What a scripted user says next.

    Args:
        script: Requests, facts, patience.
        heard: All texts of the agent so far, oldest first.

    Returns:
        The next text to the agent, ``None`` when the user ends the conversation. With nothing heard,
        the opening.
    """
    conversation = _Conversation(script)
    line: str | None = script.opening
    for text in heard:
        line = conversation.hear(text)
    return line


class ScriptedUser(BaseRole):
    """Plays the user script of a scenario.

    The state is worked out anew from the messages at each turn, so a conversation can be forked,
    replayed or resumed anywhere. Without a script (scenarios of other packages have none) the user
    ends the conversation after the agent's first reply.
    """

    role_type = RoleType.USER
    model_name = "Scripted"

    def __init__(self) -> None:
        """A user that has no script yet; `begin` hands it over."""
        self._script: UserScript | None = None

    def begin(self, scenario: "Scenario") -> None:
        """Takes the user script of the scenario that is about to be played."""
        self._script = scenario.user_script

    def respond(self, ending_index: int | None = None) -> None:
        """Sends the next request or fact, or ends the conversation.

        Args:
            ending_index: Index of the last message to take into account, the newest by default.

        Raises:
            KeyError: The last message is not addressed to the user.
        """
        messages = self.get_messages(ending_index=ending_index)
        self.messages_validation(messages)
        heard = [
            message.content
            for message in self.filter_messages(messages)
            if message.sender == RoleType.AGENT and message.visible_to != [RoleType.USER]
        ]
        line = next_line(self._script, heard) if self._script is not None else None
        recipient = RoleType.EXECUTION_ENVIRONMENT if line is None else RoleType.AGENT
        content = END_CONVERSATION if line is None else line
        self.add_messages([Message(sender=RoleType.USER, recipient=recipient, content=content)])
