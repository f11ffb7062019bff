"""A deterministic user: a small state machine that answers what it is asked and no more."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.common.blame import scenario_code
from tool_sandbox.common.dialogue import (
    asks_permission,
    asks_whether_it_is_the_one,
    is_offer_of_more,
    is_unfinished,
    questions,
    without_dictated_questions,
)
from tool_sandbox.common.execution_context import DatabaseNamespace, RoleType, get_current_context
from tool_sandbox.common.message_conversion import Message
from tool_sandbox.common.script import Knows, UserScript
from tool_sandbox.roles.base_role import BaseRole

if TYPE_CHECKING:
    from tool_sandbox.common.scenario import Scenario

END_CONVERSATION = "end_conversation()"
"""What the user sends to the execution environment to end the conversation."""

CONSENTS = ("Yes, please go ahead.", "Yes, please.", "Sure, go ahead.")
REFUSAL = "No, please don't."
DECLINED = "No, thanks."
UNKNOWN = ("I don't know, sorry.", "No idea, I'm afraid.", "That I can't tell you, sorry.")
LEAVE_IT = "I really don't know more than I said. Leave it if it can't be done without."
YES, NO = "Yes, that's the one.", "No, that's not it."
NO_ANSWER = "Sorry, are you still there?"
GO_ON = "All right, go on."


@attrs.define
class _Conversation:
    """Where the user stands after the agent's texts so far."""

    script: UserScript
    wants_no_change: bool = False
    requests_made: int = 0
    told: set[Knows] = attrs.field(factory=set)
    judged: set[str] = attrs.field(factory=set)
    tries: int = 0
    consents: int = 0
    unknown: int = 0
    has_declined: bool = False

    @property
    def next_turn(self) -> str | None:
        """The request that comes next, ``None`` when all have been made."""
        return self.script.turns[self.requests_made] if self.requests_made < len(self.script.turns) else None

    def hear(self, text: str, *, is_done: bool = False) -> str | None:
        """Takes in one text of the agent.

        Args:
            text: What the agent says.
            is_done: Whether everything is changed that the user wants to be.

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
        if is_due:
            return self._next_request()
        is_offer = (is_done or self.wants_no_change) and all(map(asks_permission, asked))
        if self.told.issuperset(known) and (is_offer or is_offer_of_more(text, asked)):
            return self._decline()
        known = [fact for fact in known if fact.decides] or known
        replies = [fact.reply for fact in known]
        proposals = {text} if any(self._is_for_consent(sentence, known) for sentence in asked) else set()
        is_new = not (self.told.issuperset(known) and self.judged.issuperset(proposals))
        if proposals:
            replies.insert(0, self._consent(is_new=is_new))
        elif not known and any(map(asks_whether_it_is_the_one, asked)):
            replies, is_new = [YES if self._means(text) else NO], text not in self.judged
            self.judged.add(text)
        self.told.update(known)
        self.judged.update(proposals)
        if not replies:
            return self._lose_patience(self._unknown())
        answer = " ".join(replies)
        return answer if is_new else self._lose_patience(answer)

    def _means(self, text: str) -> bool:
        """Whether a text speaks of what the user has in mind."""
        heard = text.casefold()
        return any(meant.casefold() in heard for meant in self.script.means)

    def _consent(self, *, is_new: bool) -> str:
        if not self.script.consents:
            return REFUSAL
        self.consents += is_new
        return CONSENTS[max(0, self.consents - 1) % len(CONSENTS)]

    def _decline(self) -> str | None:
        """Turns an offer down, once, unless there is something to ask for anyway."""
        if (request := self._next_request()) is not None or self.has_declined:
            return request
        self.has_declined = True
        return DECLINED

    def _unknown(self) -> str:
        """What the user says to a question that it cannot answer: that it does not know, then that it need not."""
        self.unknown += 1
        if self.script.unknown_reply is not None:
            return self.script.unknown_reply
        return UNKNOWN[len(self.script.opening) % len(UNKNOWN)] if self.unknown == 1 else LEAVE_IT

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


def next_line(
    script: UserScript, heard: Iterable[str | tuple[str, bool]], *, wants_no_change: bool = False
) -> str | None:
    """What a scripted user says next.

    Args:
        script: Requests, facts, patience.
        heard: All texts of the agent so far, oldest first, each alone or with whether everything was changed by then
            that the user wants to be.
        wants_no_change: Whether nothing may be changed, so that every proposal is turned down.

    Returns:
        The next text to the agent, ``None`` when the user ends the conversation. With nothing heard,
        the opening.
    """
    conversation = _Conversation(script, wants_no_change)
    line: str | None = script.opening
    for said in heard:
        text, is_done = (said, False) if isinstance(said, str) else said
        line = conversation.hear(text, is_done=is_done)
    return line


class ScriptedUser(BaseRole):
    """Plays the user script of a scenario.

    The state is worked out anew from the messages at each turn, so a conversation can be forked,
    replayed or resumed anywhere. Without a script (scenarios of other packages have none) the user
    ends the conversation after the agent's first reply. Once everything is changed that the task asks for, and where
    it asks for no change at all, what the agent proposes is an offer, and is turned down.
    """

    role_type = RoleType.USER
    model_name = "Scripted"

    def __init__(self) -> None:
        """A user that has no script yet; `begin` hands it over."""
        self._script: UserScript | None = None
        self._wants_no_change = False
        self._goals: list[Callable[..., float]] = []

    def begin(self, scenario: "Scenario") -> None:
        """Takes the user script of the scenario that is about to be played."""
        self._script = scenario.user_script
        self._wants_no_change = scenario.evaluation.allowed_changes == []
        self._goals = [
            attrs.evolve(constraint.snapshot_constraint, lasts=False)
            for milestone in scenario.evaluation.milestone_matcher.milestones
            for constraint in milestone.snapshot_constraints
            if getattr(constraint.snapshot_constraint, "lasts", False)  # a change that is a goal
        ]

    def respond(self, ending_index: int | None = None) -> None:
        """Sends the next request or fact, or ends the conversation.

        Args:
            ending_index: Index of the last message to take into account, the newest by default.

        Raises:
            KeyError: The last message is not addressed to the user.
        """
        messages = self.get_messages(ending_index=ending_index)
        self.messages_validation(messages)
        line = None
        if self._script is not None:
            heard = list(self._heard(ending_index))
            with scenario_code():
                line = next_line(self._script, heard, wants_no_change=self._wants_no_change)
        recipient = RoleType.EXECUTION_ENVIRONMENT if line is None else RoleType.AGENT
        content = END_CONVERSATION if line is None else line
        self.add_messages([Message(sender=RoleType.USER, recipient=recipient, content=content)])

    def _heard(self, ending_index: int | None) -> Iterator[tuple[str, bool]]:
        """Texts of the agent, and whether all goals were reached when each was said."""
        context = get_current_context()
        for index, table in context.get_history(DatabaseNamespace.SANDBOX):
            if ending_index is not None and index > ending_index:
                return
            for row in table.dicts():
                seen_by = row["visible_to"] or ()
                if row["sender"] == RoleType.AGENT and RoleType.USER in seen_by and seen_by != [RoleType.USER]:
                    yield (
                        row["content"] or "",
                        bool(self._goals) and all(goal(context=context, index=index) for goal in self._goals),
                    )
