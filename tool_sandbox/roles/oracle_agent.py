"""An agent that plays the reference solution of a scenario, as is or with seeded mistakes."""

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message, parse_tool_call
from tool_sandbox.conversation.tool_conversion import to_agent_facing_arguments
from tool_sandbox.conversation.tool_schemas import SEARCH_TOOL
from tool_sandbox.helpers.syntax import parse_expression
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.mistakes import Mistakes
from tool_sandbox.tools.services.faulty import is_transient
from tool_sandbox.world.errors import ConfigurationError, ScenarioError
from tool_sandbox.world.script import Call, Say, Solution, SolutionFactory, Step, ToolCallFailed

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

FINISHED = "That is all."
"""What the agent says when the user goes on after the end of the solution."""

GAVE_UP = "Sorry, something went wrong."
"""What the agent says when its own mistakes led it astray."""


@attrs.frozen
class _Turn:
    """What the agent did at one moment of the conversation, and what came back.

    Attributes:
        calls: Messages to the execution environment; empty for a text to the user.
        replies: Their results by call id, or the user's message under the id ``None``.
    """

    calls: tuple[Message, ...]
    replies: dict[str | None, Message]

    def carries_out(self, step: Step) -> bool:
        """Whether this turn carried out the step; not if it has to be made again."""
        if isinstance(step, Say):
            return not self.calls
        if any(is_transient(reply.tool_call_exception or "") for reply in self.replies.values()):
            return False
        return [call.tool for call in _calls(step)] == [_tool_name(message) for message in self.calls]

    def outcome(self, step: Step) -> Any:
        """The user's text, the result of the call, or the results of parallel calls."""
        if isinstance(step, Say):
            return self.replies[None].content
        results = [
            _result(call, self.replies[message.openai_tool_call_id])
            for call, message in zip(_calls(step), self.calls, strict=True)
        ]
        return results[0] if isinstance(step, Call) else results


@attrs.define
class _Progress:
    """A solution that is under way, so that a long one need not be played from its start at every step.

    Attributes:
        solution: The generator, which waits for the outcome of a step.
        step: That step, as the agent makes it; ``None`` once there is no other.
        number: Steps that were drawn so far.
        turns: Turns of the agent that it has taken into account.
    """

    solution: Solution
    step: Step | None
    number: int
    turns: tuple[_Turn, ...]

    def fits(self, turns: Sequence[_Turn]) -> bool:
        """Whether a conversation is the one that it is at, or goes on from there."""
        return self.turns == tuple(turns[: len(self.turns)])


class OracleAgent(BaseRole):
    """Plays `Scenario.solution` through ordinary messages with real results.

    A step of which a call failed in a way that passes is made again; tools that have to be found are searched for by
    name before they are called. What comes next is worked out from
    the trajectory alone, so a conversation can be forked, replayed or resumed anywhere.
    """

    role_type = RoleType.AGENT
    model_name = "Oracle"
    finished = FINISHED

    def __init__(self, error_rate: float = 0.0, seed: int = 0) -> None:
        """An agent that makes mistakes on purpose, none by default."""
        if not 0.0 <= error_rate <= 1.0:
            raise ConfigurationError(f"error_rate must be between 0 and 1, got {error_rate}")
        self.error_rate = error_rate
        self.seed = seed
        self._scenario: Scenario | None = None
        self._trial = 0
        self._progress: _Progress | None = None

    def begin_trial(self, trial: int) -> None:
        """Takes the number of the repetition: each goes wrong in steps of its own."""
        self._trial = trial

    def begin(self, scenario: "Scenario") -> None:
        """Takes the scenario that is about to be played."""
        if scenario.solution is None:
            raise ConfigurationError(f"scenario {scenario.name!r} has no reference solution for the Oracle to play")
        self._scenario, self._progress = scenario, None

    @property
    def is_fallible(self) -> bool:
        """Whether the agent departs from the solution, and may then be unable to go on."""
        return self.error_rate > 0

    def alter(self, step: Step, number: int) -> Step | None:
        """What the agent does instead of a step of the solution; a function of the step and its number."""
        name = self._scenario.name if self._scenario is not None else ""
        if self._trial:
            name += f" trial {self._trial}"
        return Mistakes(self.error_rate, self.seed, name).apply(step, number)

    def perceive(self, outcome: Any) -> Any:
        """What the agent takes in of a result, or of what the user says."""
        return outcome

    def respond(self, ending_index: int | None = None) -> None:
        """Makes the next calls of the solution, or says its next text."""
        messages = [message for _, message in self.entries(ending_index)]
        if messages[-1].sender == RoleType.SYSTEM:
            return
        turns = _turns(messages)
        step = self._next_step(turns)
        if isinstance(step, Say):
            self.add_messages([Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=step.text)])
            return
        first = sum(len(turn.calls) for turn in turns)
        made = [self._call_message(call, first + i) for i, call in enumerate(_calls(step))]
        self.add_messages(_searches(_calls(step), first) or made)

    def _next_step(self, turns: Sequence[_Turn]) -> Step:
        if self._scenario is None or self._scenario.solution is None:
            raise ConfigurationError("the Oracle has not been given a scenario")
        name = self._scenario.name
        try:
            progress, self._progress = self._progress, None
            if progress is None or not progress.fits(turns):
                progress = self._started(self._scenario.solution)
            self._go_on(progress, turns)
            self._progress = progress
            return progress.step or Say(self.finished)
        except ScenarioError:
            raise
        except Exception as error:
            if self.is_fallible:
                return Say(GAVE_UP)
            raise ScenarioError(f"{name}: the reference solution failed: {type(error).__name__}: {error}") from error

    def _started(self, factory: SolutionFactory) -> _Progress:
        progress = _Progress(factory(), None, 0, ())
        self._draw(progress, lambda: next(progress.solution))
        return progress

    def _draw(self, progress: _Progress, draw: Callable[[], Step]) -> None:
        """Takes the next step of the solution that the agent makes."""
        try:
            made = self.alter(draw(), progress.number)
            progress.number += 1
            while made is None:
                made = self.alter(progress.solution.send(None), progress.number)
                progress.number += 1
            progress.step = made
        except StopIteration:
            progress.step = None

    def _go_on(self, progress: _Progress, turns: Sequence[_Turn]) -> None:
        """Takes turns into account until the solution wants one that has not happened."""
        for position in range(len(progress.turns), len(turns)):
            turn = turns[position]
            if progress.step is not None and turn.carries_out(progress.step):
                self._answer(progress, turn, progress.step)
        progress.turns = tuple(turns)

    def _answer(self, progress: _Progress, turn: _Turn, step: Step) -> None:
        try:
            outcome = turn.outcome(step)
            outcome = [*map(self.perceive, outcome)] if isinstance(step, list) else self.perceive(outcome)
        except ToolCallFailed as error:
            failure = error
            self._draw(progress, lambda: progress.solution.throw(failure))
        else:
            self._draw(progress, lambda: progress.solution.send(outcome))

    def _call_message(self, call: Call, number: int) -> Message:
        if not get_current_context().is_tool_offered(call.tool):
            raise ScenarioError(f"the reference solution calls {call.tool!r}, which is not offered")
        return as_agent_calls(call, f"call_{number}")


def as_agent_calls(call: Call, call_id: str) -> Message:
    """A call of a tool by its real names, as an agent makes it that was shown the world's names."""
    context = get_current_context()
    name = context.get_agent_facing_tool_name(call.tool)
    return OracleAgent.tool_call_message(call_id, name, to_agent_facing_arguments(call.tool, call.arguments, context))


def _searches(calls: Sequence[Call], number: int) -> list[Message]:
    """Calls that find tools first which the agent has not found yet, none where it may call all of them."""
    context = get_current_context()
    missing = dict.fromkeys(call.tool for call in calls if not context.may_use(RoleType.AGENT, call.tool))
    found = [tool for tool in missing if context.tool_search and context.is_offered_to(RoleType.AGENT, tool)]
    queries = [Call(SEARCH_TOOL, {"query": context.get_agent_facing_tool_name(tool), "limit": 1}) for tool in found]
    return [as_agent_calls(query, f"call_{number + i}") for i, query in enumerate(queries)]


def _tool_name(message: Message) -> str | None:
    call = parse_tool_call(message.content or "")
    return call.name if call is not None else None


def _calls(step: Call | list[Call]) -> list[Call]:
    return [step] if isinstance(step, Call) else step


def _result(call: Call, reply: Message) -> Any:
    text = reply.content or ""
    if reply.tool_call_exception is not None:
        raise ToolCallFailed(call, text)
    try:
        return ast.literal_eval(parse_expression(text.lstrip(" \t")))
    except (SyntaxError, ValueError):
        return text


def _turns(messages: Sequence[Message]) -> list[_Turn]:
    """Groups the history by turns of the agent; a turn of several calls waits for all results."""
    turns: list[_Turn] = []
    calls: list[Message] = []
    for message in messages:
        if message.sender == RoleType.AGENT:
            if message.recipient == RoleType.EXECUTION_ENVIRONMENT:
                calls.append(message)
                continue
            turns.append(_Turn((), {}))
        elif message.sender == RoleType.EXECUTION_ENVIRONMENT:
            if calls:
                turns.append(_Turn(tuple(calls), {}))
                calls = []
            turns[-1].replies[message.openai_tool_call_id] = message
        elif message.sender == RoleType.USER and turns:
            turns[-1].replies[None] = message
    return turns
