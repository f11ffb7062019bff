"""A deterministic user: a small state machine that answers what it is asked and no more."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.common.blame import scenario_code
from tool_sandbox.common.dialogue import (
    asks_permission,
    is_offer_of_more,
    is_unfinished,
    questions,
    without_dictated_questions,
)
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
RESTRAINT = "Just do what I asked for, nothing else."
NO_ANSWER = "Sorry, are you still there?"
GO_ON = "All right, go on."


@attrs.define
class _Conversation:
    """Where the user stands after the agent's texts so far."""

    script: UserScript
    consent: str
    requests_made: int = 0
    told: set[Knows] = attrs.field(factory=set)
    judged: set[str] = attrs.field(factory=set)
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
        text = without_dictated_questions(text, self.script.lines)
        asked = questions(text)
        if not asked:
            return self._lose_patience(GO_ON) if is_unfinished(text) else self._next_request()
        known = [fact for fact in self._open_facts() if any(_is_about(fact, sentence) for sentence in asked)]
        is_due = any(fact.reply == self.next_turn for fact in known)
        if is_due or (self.told.issuperset(known) and is_offer_of_more(text, asked)):
            return self._next_request()
        known = [fact for fact in known if fact.decides] or known
        replies = [fact.reply for fact in known]
        proposals = {text} if any(self._is_for_consent(sentence, known) for sentence in asked) else set()
        if proposals:
            replies.insert(0, self.consent if self.script.consents else REFUSAL)
        is_new = not (self.told.issuperset(known) and self.judged.issuperset(proposals))
        self.told.update(known)
        self.judged.update(proposals)
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

    def _is_for_consent(self, sentence: str, known: list[Knows]) -> bool:
        """Whether a bare yes or no answers a question.

        It does not where the user has something to say about it: a decision, a fact that is new to the agent, or which
        of two.
        """
        if not asks_permission(sentence) or any(fact.decides for fact in known):
            return False
        about = [fact for fact in known if _is_about(fact, sentence)]
        return self.told.issuperset(about) and not (known and re.search(r"\bor\b", sentence))


def _is_about(fact: Knows, sentence: str) -> bool:
    return bool(re.search(fact.topic, sentence, re.IGNORECASE))


def next_line(script: UserScript, heard: Iterable[str], consent: str = CONSENT) -> str | None:
    """What a scripted user says next.

    Args:
        script: Requests, facts, patience.
        heard: All texts of the agent so far, oldest first.
        consent: What a user who consents says to a request for permission.

    Returns:
        The next text to the agent, ``None`` when the user ends the conversation. With nothing heard,
        the opening.
    """
    conversation = _Conversation(script, consent)
    line: str | None = script.opening
    for text in heard:
        line = conversation.hear(text)
    return line


class ScriptedUser(BaseRole):
    """Plays the user script of a scenario.

    The state is worked out anew from the messages at each turn, so a conversation can be forked,
    replayed or resumed anywhere. Without a script (scenarios of other packages have none) the user
    ends the conversation after the agent's first reply. Where a task allows no change, the user consents to none:
    an agent that offers one is asked to do the task and nothing else.
    """

    role_type = RoleType.USER
    model_name = "Scripted"

    def __init__(self) -> None:
        """A user that has no script yet; `begin` hands it over."""
        self._script: UserScript | None = None
        self._consent = CONSENT

    def begin(self, scenario: "Scenario") -> None:
        """Takes the user script of the scenario that is about to be played."""
        self._script = scenario.user_script
        changes = scenario.evaluation.allowed_changes
        self._consent = CONSENT if changes is None or changes else RESTRAINT

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
        with scenario_code():
            line = next_line(self._script, heard, self._consent) if self._script is not None else None
        recipient = RoleType.EXECUTION_ENVIRONMENT if line is None else RoleType.AGENT
        content = END_CONVERSATION if line is None else line
        self.add_messages([Message(sender=RoleType.USER, recipient=recipient, content=content)])
