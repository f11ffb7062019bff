"""A deterministic user: a small state machine that answers what it is asked and no more."""

import enum
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import attrs

from tool_sandbox.answers.dialogue import (
    asks_approval,
    asks_for_preference,
    asks_for_wish,
    asks_openly,
    asks_permission,
    asks_to_act,
    asks_to_repeat,
    asks_what_is_next,
    asks_whether_it_is_the_one,
    asks_whether_so,
    demands,
    is_offer_of_more,
    is_unfinished,
    leaves_a_choice,
    offers,
    proposes_change,
    proposes_extra,
    proposes_setting,
    questions,
    reports_obstacle,
    sentences,
    without_dictated_questions,
)
from tool_sandbox.answers.directions import place_told
from tool_sandbox.answers.facts import AnswerSimilarity, is_refusal
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
)
from tool_sandbox.conversation.messages import Message
from tool_sandbox.fidelity.texts import contains, content_words, reports_failure, share, words
from tool_sandbox.play.blame import scenario_code
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.world.script import Call, Knows, Outcome, Reply, UserScript

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

END_CONVERSATION = "end_conversation()"
"""What the user sends to the execution environment to end the conversation."""

CONSENTS = ("Yes, please go ahead.", "Yes, please.", "Sure, go ahead.")
REFUSAL = "No, please don't."
DECLINED = ("No, thanks.", "No, that's all, thank you.")
ENOUGH = ("That's all I need, thanks.", "I'm all set, thanks.", "All good, thank you.")
FINE = "Yes, thanks."
AGREED = "Yes, that's fine."
EITHER = "You choose, whatever fits what I asked for."
AS_SAID = "Just as I said it, please."
UNKNOWN = ("I don't know, sorry.", "No idea, I'm afraid.", "I couldn't tell you, sorry.")
UNABLE = "I can't do that myself at the moment, sorry."
LEAVE_IT = (
    "I really don't know more than I said. Leave it if it can't be done without.",
    "Then leave it, that's all right.",
)
YES, NO, PERHAPS = "Yes, exactly.", "No, that's not what I meant.", "If it fits what I said, yes."
NO_ANSWER = "Sorry, are you still there?"
FAILED = "I tried, but it did not work. It says: {error}"
GO_ON = "All right, go on."

_OF_IDENTITY = re.compile(
    r"\b(?:meant?|want(?:ed)?|need|looking|thinking|after|referring|mind|right|one|sure|confirm|check)\b", re.IGNORECASE
)

_FORBIDS = re.compile(
    r"(?:^|[,.;:!?]|\b(?:and|but))\s*(?:please )?(?:don['’]t|do not|never|not|without)\b([^.,;:!?]*)", re.IGNORECASE
)
_REFERS = re.compile(r"\b(?:it|that|them|those|these|one)\b", re.IGNORECASE)
_SPECIFIC = re.compile(r"[\d\"“*]|\b(?!I\b)(?<!^)[A-Z]")
_FOLLOWS = re.compile(r"\W*(?:if (?:so|yes)|in that case|and if)\b", re.IGNORECASE)
_SHOWN = re.compile(r"\b(?:is|was) (?:that|this|it|one)\b|\b(?:among|of|in) (?:these|this|them)\b", re.IGNORECASE)
_OF_WORDING = re.compile(r"\b(?:what|how)\b[^?]*\b(?:write|say|text|message|wording|send)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:one|any|either|some) of (?:them|these|those)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|except|without|but|no|leav\w+|keep\w*)\b|n['’]t\b", re.IGNORECASE)

_SHORT = 2
"""Words of a question that speaks of what was said before it, at most."""

SAME = 0.5
"""Share of its words above which a text speaks of a thing."""


class Standing(enum.Enum):
    """Where the task stands with a text of the agent: open, in part answered by it, done, or told to be impossible."""

    OPEN = enum.auto()
    ANSWERED = enum.auto()
    DONE = enum.auto()
    IMPOSSIBLE = enum.auto()


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
    closings: int = 0
    acted: set[int] = attrs.field(factory=set)

    @property
    def next_turn(self) -> str | None:
        """The request that comes next, ``None`` when all have been made."""
        return self.script.turns[self.requests_made] if self.requests_made < len(self.script.turns) else None

    def hear(self, text: str, standing: Standing, outcomes: Sequence[Outcome] = ()) -> str | Call | None:
        """Takes in one text of the agent, and what came of the calls that the user made because of it."""
        if not text.strip():
            return self._lose_patience(NO_ANSWER)
        text = without_dictated_questions(text, self.script.lines)
        if told := self._told_to_do(text):
            return self._do(text, told, outcomes)
        asked = questions(text)
        if asked and self.next_turn is not None and all(map(asks_what_is_next, asked)):
            return self._next_request()
        is_done = standing in (Standing.DONE, Standing.IMPOSSIBLE)
        is_open = standing is Standing.IMPOSSIBLE and any(map(demands, asked))
        if not asked or (is_done and not is_open and "?" not in text and not any(map(asks_permission, asked))):
            return self._lose_patience(GO_ON) if is_unfinished(text) else self._next_request()
        known = list(dict.fromkeys(fact for sentence in asked for fact in self._facts_about(sentence)))
        known = known or [fact for fact in self._decisions() if any(_is_about(fact, each) for each in _of_it(text))]
        if any(fact.reply == self.next_turn for fact in known):
            return self._next_request()
        is_known = self.told.issuperset(known)
        if (is_known and (is_done or is_offer_of_more(text, asked))) or standing is Standing.DONE:
            lacks = standing is Standing.IMPOSSIBLE or (is_known and bool(known))
            return self._close(text, asked, lacks=lacks)
        if "?" not in text and self._has_said_enough(known):
            return self._next_request()
        if standing is Standing.ANSWERED and all(map(self._is_idea, asked)) and self.next_turn is not None:
            return self._next_request()
        known = [fact for fact in known if fact.decides] or known
        proposals = [sentence for sentence in asked if self._is_for_consent(sentence, known)]
        replies = [fact.reply for fact in known if all(share(fact.reply, part) <= SAME for part in proposals)]
        identity = [sentence for sentence in asked if asks_whether_it_is_the_one(sentence)]
        judged = {text} if proposals or identity else set()
        is_new = not (self.told.issuperset(known) and self.judged.issuperset(judged))
        if proposals:
            replies.insert(0, self._verdict(text, proposals, is_new=is_new))
            others = [part for part in asked if part not in proposals and not _FOLLOWS.match(part)]
            if others and len(replies) == 1 and replies[0] not in CONSENTS:
                replies.insert(0, self._unknown(others))
        elif identity and not known:
            replies = [self._is_meant(text, identity[0])]
        elif not known and all(asks_whether_so(part) and self._was_said(part) for part in asked):
            replies = [YES]
        if not replies and any(map(_REFERS.search, asked)):
            # "Need the longitude as well. What is it?"
            known = [fact for fact in self._open_facts() if fact not in self.told and _is_about(fact, text)][:1]
            replies = [fact.reply for fact in known]
        if not replies and not known:
            named = [part for part in asked if part.endswith("?") and not asks_openly(part) and self._was_said(part)]
            replies = [self._verdict(text, named, is_new=True)] if named else []
        if not replies and any(map(asks_to_repeat, asked)):
            replies = [([self.script.opening, *self.script.turns][self.requests_made])]
        if not replies and self.next_turn and '"' in self.next_turn and any(map(_OF_WORDING.search, asked)):
            return self._next_request()
        if not replies:
            return self._lose_patience(self._unknown(asked))
        self.told.update(known)
        self.judged.update(judged)
        answer = " ".join(replies)
        return answer if is_new else self._lose_patience(answer)

    def _told_to_do(self, text: str) -> list[int]:
        """What the user is clearly told to do, by its number in the script and in the order of the text."""
        places = [(place_told(text, acts.topic), number) for number, acts in enumerate(self.script.does)]
        return [number for _, number in sorted((place, number) for place, number in places if place is not None)]

    def _do(self, text: str, told: list[int], outcomes: Sequence[Outcome]) -> str | Call:
        """The next call, or what the user says when all are made: what came of them, and what else it was asked."""
        does = self.script.does
        made = [does[number].made(is_first=number not in self.acted) for number in told]
        if len(outcomes) < len(made):
            return made[len(outcomes)][0]
        self.acted.update(told)
        replies = [_said_of(reply, outcome) for (_, reply), outcome in zip(made, outcomes, strict=False)]
        asked = [each for each in questions(text) if not any(place_told(each, does[number].topic) for number in told)]
        known = dict.fromkeys(fact for each in asked for fact in self._facts_about(each))
        new = [fact for fact in known if fact not in self.told and fact.reply not in self.script.turns]
        self.told.update(new)
        return " ".join([*replies, *(fact.reply for fact in new)])

    def _has_said_enough(self, known: list[Knows]) -> bool:
        """Whether the agent only repeats what it needs, of which the user has said that it does not know it."""
        everyday = set(self.script.everyday)
        return (self.unknown > 0 or not self.told.isdisjoint(everyday)) and everyday.issuperset(known)

    def _facts_about(self, sentence: str) -> list[Knows]:
        """What a question touches: facts of the task, else what everybody knows if it is asked for."""
        about = [fact for fact in self._open_facts() if _is_about(fact, sentence)]
        if about or asks_permission(sentence) or asks_whether_it_is_the_one(sentence):
            return about
        return [fact for fact in self.script.everyday if _is_about(fact, sentence)]

    def _decisions(self) -> list[Knows]:
        return [fact for fact in self._open_facts() if fact.decides and fact not in self.told]

    def _is_meant(self, text: str, question: str) -> str:
        """Whether a question speaks of what the user has in mind; "is that the one?" is about the text before it."""
        if re.search(r"\bor\b", question):
            return AS_SAID
        if asks_openly(question):
            said = [meant for meant in self.script.means if contains(words(" ".join(self.script.lines)), words(meant))]
            return next((f"{meant}." for meant in said if contains(words(text), words(meant))), AS_SAID)
        is_shown = bool(_SHOWN.search(question))
        if any(share(meant, text if is_shown else question) > SAME for meant in self.script.means):
            return YES
        if not self.script.consents:
            return NO
        if not is_shown and self._was_said(question):
            return YES
        return NO if self.script.means and _SPECIFIC.search(text if is_shown else question) else PERHAPS

    def _was_said(self, question: str) -> bool:
        """Whether a question speaks of what the user has said or has to say."""
        named = _OF_IDENTITY.sub(" ", question)
        return bool(content_words(named)) and share(named, " ".join(self.script.lines)) > SAME

    def _is_idea(self, question: str) -> bool:
        """Whether a question proposes what nobody has asked for so far."""
        said = " ".join([self.script.opening, *self.script.turns[: self.requests_made]])
        is_needed = reports_obstacle(question) or proposes_setting(question)
        return asks_permission(question) and not is_needed and share(question, said) <= SAME

    def _was_forbidden(self, proposal: str) -> bool:
        """Whether a proposal goes against what the user has said: "don't attach a location"."""
        said = (self.script.opening, *self.script.turns[: self.requests_made])
        forbidden = [words for text in said for words in _FORBIDS.findall(text) if content_words(words)]
        return not _DENIES.search(proposal) and any(share(words, proposal) > SAME for words in forbidden)

    def _verdict(self, text: str, proposals: list[str], *, is_new: bool) -> str:
        """What the user says to proposals: yes, unless it wants nothing changed and they are to change something."""
        is_needed = reports_obstacle(text) or any(map(proposes_setting, proposals))
        is_change = is_needed or any(map(proposes_change, proposals))
        is_own = all(self._was_said(proposal) and not proposes_extra(proposal) for proposal in proposals)
        is_refused = not self.script.consents and (reports_failure(text) or (is_change and not is_own))
        if is_refused or any(map(self._was_forbidden, proposals)) or (self.wants_no_change and is_change):
            return DECLINED[0] if all(map(asks_for_wish, proposals)) else REFUSAL
        if any(map(leaves_a_choice, proposals)):
            return EITHER
        if not is_needed and not any(map(self._is_in_task, proposals)):
            return AS_SAID
        if all(map(asks_approval, proposals)):
            return AGREED
        self.consents += is_new
        return CONSENTS[max(0, self.consents - 1) % len(CONSENTS)]

    def _is_in_task(self, proposal: str) -> bool:
        """Whether a proposal adds nothing to what was asked for."""
        return (
            not proposes_extra(proposal)
            or share(proposal, " ".join(self.script.lines)) >= SAME
            or any(share(meant, proposal) > SAME for meant in self.script.means)
        )

    def _close(self, text: str, asked: list[str], *, lacks: bool) -> str | None:
        """What the user says to questions behind an outcome: the next request, or thanks and no more."""
        if (request := self._next_request()) is not None:
            return f"{self._aside(text, asked)}{request}"
        is_choice = any(asks_openly(part) or _ONE_OF.search(part) for part in asked)
        if any(map(asks_whether_it_is_the_one, asked)) and not (lacks and is_choice):
            meant = self._is_meant(text, asked[-1])
            fine = ENOUGH[0] if asks_openly(asked[-1]) else FINE
            is_meant = reports_failure(text) or meant == YES or not self.script.consents
            line = meant if is_meant or (lacks and meant == NO) else LEAVE_IT[1] if lacks else fine
            line = LEAVE_IT[1] if lacks and line == AS_SAID else line
        elif all(map(asks_approval, asked)):
            line = FINE
        elif all(map(asks_permission, asked)):
            line = REFUSAL if lacks and self.closings else DECLINED[min(self.closings, len(DECLINED) - 1)]
        elif lacks and any(map(asks_for_preference, asked)):
            line = LEAVE_IT[1]
        elif lacks:
            refused = [REFUSAL] if any(map(asks_permission, asked)) else []
            others = [part for part in asked if not (asks_permission(part) or (refused and _FOLLOWS.match(part)))]
            unknown = [self._unknown(others)] if others else []
            return self._lose_patience(" ".join([*unknown, *refused]))
        else:
            line = ENOUGH[(len(self.script.opening) + self.closings) % len(ENOUGH)]
        self.closings += 1
        return line if self.closings <= len(DECLINED) else None

    def _aside(self, text: str, asked: list[str]) -> str:
        """What the user says to a proposal that is in its way before it goes on with its next request."""
        if not all(map(asks_permission, asked)):
            return ""
        is_obstacle = reports_obstacle(text) and any(map(proposes_setting, asked)) and not any(map(offers, asked))
        if not is_obstacle:
            return ""
        return f"{CONSENTS[1] if self.script.consents and not self.wants_no_change else REFUSAL} "

    def _unknown(self, asked: list[str]) -> str:
        """What the user says to a question that it cannot answer: that it does not know, then that it need not."""
        self.unknown += 1
        if all(map(asks_to_act, asked)):
            return UNABLE
        if self.script.unknown_reply is not None:
            return self.script.unknown_reply
        if self.unknown == 1:
            return UNKNOWN[len(self.script.opening) % len(UNKNOWN)]
        return LEAVE_IT[self.unknown % len(LEAVE_IT)]

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
        about = [fact for fact in known if _is_about(fact, sentence) and share(fact.reply, sentence) <= SAME]
        return self.told.issuperset(about) and not (known and re.search(r"\bor\b", sentence))


def _of_it(text: str) -> list[str]:
    """Short questions ("OK?", "Shall I move it?"), each with the sentence before it."""
    said, asked = sentences(text), questions(text)
    return [
        f"{before} {each}"
        for before, each in itertools.pairwise(said)
        if each in asked and len(content_words(each)) <= _SHORT and before not in asked
    ]


def _is_about(fact: Knows, sentence: str) -> bool:
    return bool(re.search(fact.topic, sentence, re.IGNORECASE))


def _said_of(reply: Reply, outcome: Outcome) -> str:
    """What the user says of something that it has done."""
    if outcome.error is not None:
        return FAILED.format(error=outcome.error)
    return reply if isinstance(reply, str) else reply(outcome.result)


Heard = str | tuple[str, Standing] | tuple[str, Standing, Sequence[Outcome]]
"""A text of the agent, where the task stood with it, and what came of the calls that the user made because of it."""


def next_line(script: UserScript, heard: Iterable[Heard], *, wants_no_change: bool = False) -> str | Call | None:
    """What a scripted user says or does next."""
    conversation = _Conversation(script, wants_no_change)
    line: str | Call | None = script.opening
    for said in heard:
        line = conversation.hear(*((said, Standing.OPEN) if isinstance(said, str) else said))
    return line


class ScriptedUser(BaseRole):
    """Plays the user script of a scenario.

    The state is worked out anew from the messages at each turn, so a conversation can be forked,
    replayed or resumed anywhere. Without a script (scenarios of other packages have none) the user
    ends the conversation after the agent's first reply. Once all is changed and told that the task asks for, what the
    agent proposes is an offer, and is turned down.
    """

    role_type = RoleType.USER
    model_name = "Scripted"

    def __init__(self) -> None:
        """A user that has no script yet; `begin` hands it over."""
        self._script: UserScript | None = None
        self._wants_no_change = False
        self._goals: list[_Goal] = []

    def begin(self, scenario: "Scenario") -> None:
        """Takes the user script of the scenario that is about to be played."""
        self._script = scenario.user_script
        self._wants_no_change = scenario.evaluation.allowed_changes == []
        self._goals = [
            _Goal.of([constraint.snapshot_constraint for constraint in milestone.snapshot_constraints])
            for milestone in scenario.evaluation.milestone_matcher.milestones
        ]

    def fork(self) -> Self:
        """Itself: nothing changes in it during a conversation."""
        return self

    def respond(self, ending_index: int | None = None) -> None:
        """Sends the next request or fact, or ends the conversation."""
        messages = self.get_messages(ending_index=ending_index)
        self.messages_validation(messages)
        line: str | Call | None = None
        if self._script is not None:
            heard = list(self._heard(ending_index))
            with scenario_code():
                line = next_line(self._script, heard, wants_no_change=self._wants_no_change)
        if isinstance(line, Call):
            call_id = f"user_{get_current_context().max_sandbox_message_index + 1}"
            self.add_messages([self.tool_call_message(call_id, line.tool, line.arguments)])
            return
        recipient = RoleType.EXECUTION_ENVIRONMENT if line is None else RoleType.AGENT
        content = END_CONVERSATION if line is None else line
        self.add_messages([Message(sender=RoleType.USER, recipient=recipient, content=content)])

    def _heard(self, ending_index: int | None) -> Iterator[tuple[str, Standing, list[Outcome]]]:
        """Texts of the agent, where the task stood with each, and what the user did then."""
        outcomes = self._outcomes(ending_index)
        for index, text, standing in self._texts(ending_index):
            yield text, standing, outcomes.get(index, [])

    def _outcomes(self, ending_index: int | None) -> dict[int, list[Outcome]]:
        """What came of calls of the user, by the index of the agent's text before them."""
        found: dict[int, list[Outcome]] = {}
        if self._script is None or not self._script.does:
            return found
        for index, message in enumerate(self.get_messages(ending_index)):
            if (message.sender, message.recipient) == (RoleType.AGENT, RoleType.USER):
                found[index] = []
            elif (message.sender, message.recipient) == (RoleType.EXECUTION_ENVIRONMENT, RoleType.USER) and found:
                results = [json.loads(trace)["result"] for trace in message.tool_trace or ()]
                error = message.tool_call_exception
                found[max(found)].append(Outcome(results[0] if results else None, error))
        return found

    def _texts(self, ending_index: int | None) -> Iterator[tuple[int, str, Standing]]:
        """Texts of the agent with their indices, and where the task stood with each."""
        context = get_current_context()
        has_more = self._script is not None and bool(self._script.turns)
        told: set[int] = set()
        for index, table in context.get_history(DatabaseNamespace.SANDBOX):
            if ending_index is not None and index > ending_index:
                return
            for row in table.dicts():
                seen_by = row["visible_to"] or ()
                if row["sender"] == RoleType.AGENT and RoleType.USER in seen_by and seen_by != [RoleType.USER]:
                    reached = {n for n, goal in enumerate(self._goals) if goal.is_reached(context, index)}
                    new = {n for n in reached - told if self._goals[n].is_answer}
                    told |= new
                    wanted = {n for n, goal in enumerate(self._goals) if goal.is_wanted and not goal.is_passing}
                    is_all = bool(wanted) and wanted <= reached | told
                    # What is told for now only leads on where there is more to come.
                    is_passing = has_more and any(self._goals[n].is_passing for n in reached)
                    is_done = is_all or is_passing
                    is_impossible = any(self._goals[n].is_impossible for n in told)
                    done = Standing.IMPOSSIBLE if is_impossible else Standing.DONE
                    is_answer = any(not self._goals[n].is_impossible for n in new)
                    still = Standing.ANSWERED if is_answer else Standing.OPEN
                    yield index, row["content"] or "", done if is_done else still


@attrs.frozen
class _Goal:
    """A milestone as the user knows it: something that it wants to be changed or told."""

    checks: tuple[Callable[..., Any], ...]
    is_wanted: bool
    is_answer: bool
    is_passing: bool
    is_impossible: bool

    @classmethod
    def of(cls, constraints: list[Any]) -> "_Goal":
        """Reads the constraints of a milestone, the first of which is its own."""
        own = constraints[0]
        is_answer = isinstance(own, AnswerSimilarity)
        checks = tuple(
            attrs.evolve(check, lasts=False) if getattr(check, "lasts", False) else check for check in constraints
        )
        is_wanted = is_answer or getattr(own, "lasts", False)
        is_impossible = is_answer and any(map(is_refusal, own.facts))
        return cls(checks, is_wanted, is_answer, is_answer and own.scope == "turn", is_impossible)

    def is_reached(self, context: ExecutionContext, index: int) -> bool:
        """Whether a message comes with it."""
        return self.is_wanted and all(
            check.is_told(context, index)
            if isinstance(check, AnswerSimilarity)
            else check(context=context, index=index)
            for check in self.checks
        )
