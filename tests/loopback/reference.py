"""Plays a reference solution through any function that calls tools: over MCP, a command protocol, from code.

    player = play_reference(scenario, call)
    text = next(player)                  # makes calls until there is something to say to the user
    text = player.send(users_answer)     # and so on, without end: after the solution it says what the Oracle says

What is called and said is what the ``Oracle`` agent does, names and arguments scrambled as the scenario wants them, so
that both ways of playing a scenario have to end with the same score, world and traces.
"""

import ast
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from tool_sandbox.conversation.tool_conversion import to_agent_facing_arguments
from tool_sandbox.conversation.tool_schemas import SEARCH_TOOL
from tool_sandbox.helpers.syntax import parse_expression
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.oracle_agent import FINISHED
from tool_sandbox.tools.services.faulty import is_transient
from tool_sandbox.world.script import Call, Say, Step, ToolCallFailed

Outcome = tuple[str, bool]
"""Text of a result, and whether the call failed."""

CallTool = Callable[[str, dict[str, Any]], Outcome]
"""Calls a tool by the name and with the argument names that the agent sees; arguments are JSON data."""

CallTogether = Callable[[Sequence[tuple[str, dict[str, Any]]]], Sequence[Outcome]]
"""Makes several such calls at once."""

Player = Generator[str, str, None]
"""Gives the texts to the user, and is sent the user's answers."""


def play_reference(scenario: Scenario, call: CallTool, call_together: CallTogether | None = None) -> Player:
    """Plays the reference solution of a scenario."""
    assert scenario.solution is not None, f"{scenario.name} has no reference solution"
    one_by_one: CallTogether = lambda calls: [call(name, arguments) for name, arguments in calls]  # noqa: E731
    solution = scenario.solution()
    found: set[str] = set()
    try:
        step: Step = next(solution)
        while True:
            if isinstance(step, Say):
                step = solution.send((yield step.text))
                continue
            calls = [step] if isinstance(step, Call) else step
            for query in _searches(scenario, calls, found):
                assert not one_by_one([query])[0][1]
            together = one_by_one if len(calls) == 1 else call_together or one_by_one
            outcomes = together([seen_by_agent(scenario, each) for each in calls])
            assert len(outcomes) == len(calls), f"{len(calls)} calls, {len(outcomes)} results"
            if any(is_error and is_transient(text) for text, is_error in outcomes):
                continue
            try:
                values = [_value(each, *outcome) for each, outcome in zip(calls, outcomes, strict=True)]
            except ToolCallFailed as failure:
                step = solution.throw(failure)
            else:
                step = solution.send(values[0] if isinstance(step, Call) else values)
    except StopIteration:
        pass
    while True:
        yield FINISHED


def _searches(scenario: Scenario, calls: Sequence[Call], found: set[str]) -> list[tuple[str, dict[str, Any]]]:
    """Searches for the tools of calls that were not found before, where a scenario needs them."""
    names = [seen_by_agent(scenario, call)[0] for call in calls if scenario.starting_context.tool_search]
    missing = [name for name in dict.fromkeys(names) if name not in found]
    found.update(missing)
    return [(SEARCH_TOOL, {"query": name, "limit": 1}) for name in missing]


def seen_by_agent(scenario: Scenario, call: Call) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call as the agent of a scenario has to write them, as JSON data."""
    context = scenario.starting_context
    arguments = to_agent_facing_arguments(call.tool, call.arguments, context)
    return context.get_agent_facing_tool_name(call.tool), json.loads(json.dumps(arguments))


def traces(messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The traces of all calls, in order, from the rows of a message log."""
    return [trace for row in messages for trace in row["tool_trace"] or ()]


def _value(call: Call, text: str, is_error: bool) -> Any:
    if is_error:
        raise ToolCallFailed(call, text)
    try:
        return ast.literal_eval(parse_expression(text.lstrip(" \t")))
    except (SyntaxError, ValueError):
        return text
