"""Plays a scenario with the scripted user, and records what its reference solution does."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
)
from tool_sandbox.conversation.messages import Message, parse_tool_call
from tool_sandbox.conversation.tool_conversion import to_agent_facing_arguments
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import WRITING_TOOLS
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.oracle_agent import FINISHED, OracleAgent
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.scoring import EvaluationResult
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Call, Say, Step, ToolCallFailed


def play(
    scenario: Scenario, agent: BaseRole, environment: ExecutionEnvironment | None = None
) -> tuple[ExecutionContext, EvaluationResult]:
    """Plays a scenario to its end and scores it."""
    context = converse(scenario, agent, environment)
    return context, scenario.evaluation.evaluate(context, scenario.max_messages)


def converse(scenario: Scenario, agent: BaseRole, environment: ExecutionEnvironment | None = None) -> ExecutionContext:
    """Plays a scenario to its end."""
    roles: dict[RoleType, BaseRole] = {
        RoleType.EXECUTION_ENVIRONMENT: environment or ExecutionEnvironment(),
        RoleType.USER: ScriptedUser(),
        RoleType.AGENT: agent,
    }
    return scenario.play(roles, scenario.name)


class Playback(BaseRole):
    """Plays a fixed list of steps whatever comes back, and closes with `FINISHED` if the user goes on."""

    role_type = RoleType.AGENT

    def __init__(self, steps: Sequence[Step]) -> None:
        """An agent that plays ``steps`` in order."""
        self.steps = tuple(steps)

    def respond(self, ending_index: int | None = None) -> None:
        """Plays the next step, which follows from the number of messages sent so far."""
        sent = [message for message in self.get_messages(ending_index) if message.sender == RoleType.AGENT]
        made = sum(message.recipient == RoleType.EXECUTION_ENVIRONMENT for message in sent)
        remaining = len(sent)
        for step in self.steps:
            if remaining == 0:
                self.add_messages(_messages(step, made))
                return
            remaining -= len(step) if isinstance(step, list) else 1
        self.finish()

    def finish(self) -> None:
        """What is done once all steps are played."""
        self.add_messages(_messages(Say(FINISHED), 0))


def _messages(step: Step, number: int) -> list[Message]:
    if isinstance(step, Say):
        return [Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=step.text)]
    calls = [step] if isinstance(step, Call) else step
    return [_call_message(call, number + position) for position, call in enumerate(calls)]


def _call_message(call: Call, number: int) -> Message:
    context = get_current_context()
    if not context.is_tool_offered(call.tool):
        raise ScenarioError(f"a step calls {call.tool!r}, which is not offered")
    name = context.get_agent_facing_tool_name(call.tool)
    arguments = to_agent_facing_arguments(call.tool, call.arguments, context)
    return Playback.tool_call_message(f"call_{number}", name, arguments)


# The reference -------------------------------------------------------------------------------------------------


@attrs.frozen
class Access:
    """Tables of the world that a step read and wrote."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def collides_with(self, other: "Access") -> bool:
        """Whether one of the two writes what the other reads or writes."""
        return bool(self.writes & (other.reads | other.writes) or other.writes & self.reads)


@attrs.frozen(eq=False)
class Reference:
    """The reference solution of one scenario as it was really played.

    Attributes:
        steps: Concrete calls and texts in order, parallel calls as a list.
        results: What came back from each step: the result of a call or its `ToolCallFailed`, a list of these
            for parallel calls, the user's next message for a text (``None`` where the conversation ended).
        context: The world after the last message, with its history.
        result: The score.
        access: Tables that each step touched.
        plan: The steps of the solution itself, which makes a call again that failed in a way that passes.
    """

    steps: tuple[Step, ...]
    results: tuple[Any, ...]
    context: ExecutionContext
    result: EvaluationResult
    access: tuple[Access, ...] = ()
    plan: tuple[Step, ...] = ()

    @property
    def calls(self) -> list[Call]:
        """All calls in order, parallel ones one after the other."""
        return [call for step in self.steps for call in calls_of(step)]

    @property
    def writing_tools(self) -> tuple[str, ...]:
        """How the names of tools begin that change the world, also of those that only showed it by doing so."""
        wrote = [calls_of(step) for step, access in zip(self.steps, self.access, strict=False) if access.writes]
        others = {
            call.tool
            for calls in wrote
            if not any(call.tool.startswith(WRITING_TOOLS) for call in calls)
            for call in calls
        }
        return (*WRITING_TOOLS, *sorted(others))


def calls_of(step: Step) -> list[Call]:
    """The calls of a step: one, several in parallel, or none for a text."""
    if isinstance(step, Say):
        return []
    return [step] if isinstance(step, Call) else step


class _Recorder(OracleAgent):
    """The Oracle, noting the steps it takes."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: dict[int, Step] = {}

    def alter(self, step: Step, number: int) -> Step:
        self.taken[number] = step
        return step


class _Watcher(ExecutionEnvironment):
    """Runs tools and notes which tables each turn of the agent touches."""

    def __init__(self) -> None:
        self.accesses: list[Access] = []

    def respond(self, ending_index: int | None = None) -> None:
        context = get_current_context()
        sender = context.get_table(DatabaseNamespace.SANDBOX).column("sender")[-1]
        with context.record_access() as access:
            super().respond(ending_index)
        if sender == RoleType.AGENT:
            log = {DatabaseNamespace.SANDBOX}
            self.accesses.append(Access(frozenset(access.reads - log), frozenset(access.writes - log)))


def record(scenario: Scenario) -> Reference:
    """Plays the reference solution and notes what was done."""
    agent, watcher = _Recorder(), _Watcher()
    context, result = play(scenario, agent, watcher)
    turns = list(_turns(context))
    accesses = iter(watcher.accesses)
    touched = [Access() if isinstance(step, Say) else next(accesses, Access()) for step, _ in turns]
    plan = tuple(agent.taken[number] for number in sorted(agent.taken))
    steps, results = zip(*turns, strict=True)
    return Reference(steps, results, context, result, tuple(touched), plan)


def _turns(context: ExecutionContext) -> Iterator[tuple[Step, Any]]:
    """What the agent did, and what came back, read off the message log."""
    rows = [row for _, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]
    replies = {row["openai_tool_call_id"]: row for row in rows if row["sender"] == RoleType.EXECUTION_ENVIRONMENT}
    batch: list[tuple[Call, Any]] = []
    for index, row in enumerate(rows):
        if row["sender"] == RoleType.AGENT and row["recipient"] == RoleType.EXECUTION_ENVIRONMENT:
            call = _call(row["content"])
            batch.append((call, _outcome(call, replies.get(row["openai_tool_call_id"]))))
            continue
        if batch:
            calls, outcomes = [call for call, _ in batch], [outcome for _, outcome in batch]
            yield (calls[0], outcomes[0]) if len(batch) == 1 else (calls, outcomes)
            batch = []
        if row["sender"] == RoleType.AGENT:
            answers = (later["content"] for later in rows[index + 1 :] if later["recipient"] == RoleType.AGENT)
            yield Say(row["content"]), next(answers, None)


def _call(content: str) -> Call:
    call = parse_tool_call(content)
    if call is None:
        raise ScenarioError(f"the reference solution sent {content!r}, which is no tool call")
    return Call(call.name, call.arguments)


def _outcome(call: Call, reply: dict[str, Any] | None) -> Any:
    if reply is None:
        return None
    text = reply["content"] or ""
    if reply["tool_call_exception"] is not None:
        return ToolCallFailed(call, text)
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
