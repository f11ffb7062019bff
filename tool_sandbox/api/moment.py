"""A conversation at a moment at which it is the agent's turn, or over.

A moment is never changed: what follows an action is played on a fork of its world, with the loop of a run
(`tool_sandbox.play.dialogue`). So a conversation is forked by keeping a moment, and taken back by returning to one.
"""

import contextvars
import functools
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

import attrs

from tool_sandbox.api.actions import ActionError, own_calls, size_of
from tool_sandbox.api.hearing import heard, instruction, opening_turns
from tool_sandbox.conversation.execution_context import (
    ExecutionContext,
    RoleType,
    get_current_context,
    set_current_context,
)
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.helpers.untrusted import LARGEST_MESSAGE
from tool_sandbox.models.messages import AssistantTurn, ModelReply, RequestedCall, ResultsTurn, Turn
from tool_sandbox.play.record import Record
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.directed_agent import DirectedAgent, Move
from tool_sandbox.runner.player import pass_interrupt, tear_down
from tool_sandbox.runner.results import failed_result, finished_result, note_ending
from tool_sandbox.world.errors import ConversationStoppedError

if TYPE_CHECKING:
    from tool_sandbox.api.stage import Stage, Task
    from tool_sandbox.play.dialogue import Dialogue
    from tool_sandbox.records.result import Result
    from tool_sandbox.runner.wiring import Wires
    from tool_sandbox.scoring import EvaluationResult

T = TypeVar("T")


@attrs.frozen
class Opening:
    """What stays the same during a conversation.

    Attributes:
        task: What is played.
        wires: The models in it.
        system: What the agent is told before all else.
        tools: The tools on offer at first, as OpenAI function descriptions.
    """

    task: "Task"
    wires: "Wires"
    system: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()


@attrs.frozen(eq=False, slots=False, kw_only=True)
class Moment:
    """A conversation between two actions of the agent.

    Attributes:
        opening: What stays the same.
        context: The world, with its history.
        dialogue: Whose turn it is, and the parties; ``None`` if the conversation could not begin.
        turns: What the agent knows of the conversation.
        own: Number of turns up to and with the agent's last action; what follows is new to it.
        ids: Ids of all calls, as the agent knows them.
        calls: Number of calls so far.
        taken: Characters of all actions.
        before: The moment before the action that led here, ``None`` at the beginning.
        result: How the conversation ended, and what it is worth; ``None`` while it goes on.
        evaluated: The score behind the result, if there is one.
    """

    opening: Opening
    context: ExecutionContext
    dialogue: "Dialogue | None"
    turns: tuple[Turn, ...] = ()
    own: int = 0
    ids: frozenset[str] = frozenset()
    calls: int = 0
    taken: int = 0
    before: "Moment | None" = None
    result: "Result | None" = None
    evaluated: "EvaluationResult | None" = None

    @classmethod
    def first(cls, stage: "Stage", task: "Task") -> Self:
        """Begins a conversation, and plays to the first turn of the agent."""
        return _in_private(cls._first, stage, task)

    @classmethod
    def _first(cls, stage: "Stage", task: "Task") -> Self:
        roles, wires = stage.cast(task.episode)
        dialogue: Dialogue | None = None
        error: BaseException | None = None
        opening = Opening(task, wires)
        # The parties give back what they hold when nothing is left of the conversation, forks included.
        weakref.finalize(wires, tear_down, tuple(roles.values()))
        try:
            dialogue = task.scenario.begin(roles, task.episode.label)
            _play_to_agent(dialogue)
            opening = attrs.evolve(opening, system=instruction(), tools=_described())
        except BaseException as raised:
            pass_interrupt(raised)
            error = raised
        turns = opening_turns()
        begun = cls(opening=opening, context=get_current_context(), dialogue=dialogue, turns=turns)
        return begun._ended(error)

    def taken_with(self, act: ModelReply) -> int:
        """Characters of all actions with one more, see `taken_with`."""
        return taken_with(self.taken, act)

    def after(self, act: "ModelReply | ConversationStoppedError", taken: int) -> Self:
        """What follows an action; this moment stays as it is.

        Args:
            act: The action, or why the agent cannot go on.
            taken: What `taken_with` says of the action.
        """
        if isinstance(act, ConversationStoppedError):
            return _in_private(self._after, act, None, self.taken)
        shown, raw = own_calls(act, self.ids)
        # Ids of an agent are new in every run, and need not be any that a log can hold.
        calls = tuple(
            RequestedCall(f"call_{number}", call.name, call.arguments)
            for number, call in enumerate(shown, start=self.calls)
        )
        said = AssistantTurn(act.text, shown, raw)
        return _in_private(self._after, Move(act.text, calls, act.stop, act.stop_text), said, taken)

    def _after(self, move: Move | ConversationStoppedError, said: AssistantTurn | None, taken: int) -> Self:
        assert self.dialogue is not None  # noqa: S101 - what could not begin is over
        roles: dict[RoleType, Any] = {party: _forked(role) for party, role in self.dialogue.roles.items()}
        roles[RoleType.AGENT].move = move
        dialogue, context = self.dialogue.fork(roles), self.context.fork()
        set_current_context(context)
        first, error = context.max_sandbox_message_index + 1, None
        try:
            dialogue.advance(RoleType.AGENT)
            _play_to_agent(dialogue)
        except BaseException as raised:
            pass_interrupt(raised)
            error = raised
        shown = () if said is None else said.calls
        turns = self.turns if said is None else (*self.turns, said)
        following = type(self)(
            opening=self.opening,
            context=get_current_context(),
            dialogue=dialogue,
            turns=(*turns, *heard(first, shown, self.calls)),
            own=len(turns),
            ids=self.ids.union([call.id for call in shown]),
            calls=self.calls + len(shown),
            taken=taken,
            before=self,
        )
        return following._ended(error)

    def _ended(self, error: BaseException | None) -> Self:
        """This moment with its result, if the conversation is over."""
        if error is None and self.dialogue is not None and self.dialogue.next_party is not None:
            return self
        scenario, episode = self.opening.task.scenario, self.opening.task.episode
        score: EvaluationResult | None = None
        from tool_sandbox.runner.explanation.failure_modes import failure_of

        try:
            if error is not None:
                raise error
            score = scenario.evaluate(self.context)
            result = finished_result(scenario, episode, self.context, score, None)
            assert self.dialogue is not None  # noqa: S101 - it was played
            agent: Any = self.dialogue.roles[RoleType.AGENT]
            note_ending(result, self.dialogue.stopped, has_refused=agent.has_refused)
            result["failure"] = failure_of(scenario, self.context, score, result["outcome"])
        except BaseException as raised:
            pass_interrupt(raised)
            result = failed_result(episode, raised, scenario)
        return attrs.evolve(self, result=self.opening.wires.finish(result, Record()), evaluated=score)

    @functools.cached_property
    def evaluation(self) -> "EvaluationResult | None":
        """The score of the conversation as far as it goes, ``None`` if it failed or cannot be scored."""
        if self.result is not None:
            return self.evaluated
        return _in_private(self._evaluated)

    def _evaluated(self) -> "EvaluationResult":
        set_current_context(self.context)
        return self.opening.task.scenario.evaluate(self.context)

    @functools.cached_property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """The tools on offer now, as OpenAI function descriptions: those at first, and what the agent has found."""
        if not self.context.tool_search or self.before is None:
            return self.opening.tools
        if self.context.found_tools == self.before.context.found_tools:
            return self.before.tools
        return _in_private(self._offered)

    @property
    def new_tools(self) -> tuple[Mapping[str, Any], ...]:
        """The tools that the last action has found, and at first all that are on offer."""
        return self.tools if self.before is None else self.tools[len(self.before.tools) :]

    def _offered(self) -> tuple[Mapping[str, Any], ...]:
        set_current_context(self.context)
        return _described()

    @property
    def message_count(self) -> int:
        """Number of messages that the agent knows, as chat messages."""
        results = sum(len(turn.results) - 1 for turn in self.turns if isinstance(turn, ResultsTurn))
        return bool(self.opening.system) + len(self.turns) + results

    def path(self) -> "Iterator[Moment]":
        """This moment and those before it, newest first."""
        moment: Moment | None = self
        while moment is not None:
            yield moment
            moment = moment.before


def taken_with(taken: int, act: ModelReply) -> int:
    """Characters of all actions with one more.

    Raises:
        ActionError: They are too many, or the arguments of a call are not JSON.
    """
    taken += size_of(act.calls, act.text) if act.calls else 0
    if taken > LARGEST_MESSAGE:
        raise ActionError(f"more than {LARGEST_MESSAGE // 2**20} MiB of arguments in one conversation")
    return taken


def _in_private(function: Callable[..., T], *arguments: Any) -> T:
    """Calls a function in a context of its own: it does not see the world of the caller, nor the caller its world."""
    return contextvars.Context().run(function, *arguments)


def _described() -> tuple[Mapping[str, Any], ...]:
    return tuple(convert_to_openai_tools(DirectedAgent.get_available_tools()))


def _play_to_agent(dialogue: "Dialogue") -> None:
    while (party := dialogue.next_party) not in (None, RoleType.AGENT):
        dialogue.advance(party)


def _forked(role: Any) -> Any:
    return role.fork() if isinstance(role, BaseRole) else role
