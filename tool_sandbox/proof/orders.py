"""The reference solution with two neighbouring calls exchanged, where nothing ties them to an order."""

from collections.abc import Iterator
from typing import Any

import attrs

from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.dependence import independent, send, solution_of, throw
from tool_sandbox.proof.play import Reference, play
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Call, Solution, SolutionFactory, ToolCallFailed

_CLOCK = "get_current_timestamp"
"""The one tool whose result depends on the moment of the call alone."""


@attrs.frozen
class Swap:
    """Two neighbouring calls that can be made in either order, and what the other order earns.

    Attributes:
        position: Number of the first of the two steps in the reference, from 0.
        first: The call that the reference makes first.
        second: The call that it makes next.
        similarity: Score of the other order.
    """

    position: int
    first: Call
    second: Call
    similarity: float


def free_swaps(scenario: Scenario, reference: Reference) -> Iterator[Swap]:
    """Exchanges every pair of neighbouring calls that are independent of one another.

    Two calls are independent if the second does not follow from the result of the first, no argument of it
    occurs in that result, neither writes a table that the other uses, and both succeed with the same results
    in the other order. The solution goes on with what really came back.
    """
    if reference.plan != reference.steps:
        return  # a call was made again, so the positions of the steps are not those of the solution
    for position, (first, second) in enumerate(zip(reference.steps, reference.steps[1:], strict=False)):
        if (
            not isinstance(first, Call)
            or not isinstance(second, Call)
            or not independent(scenario, reference, position)
        ):
            continue
        exchange = _Exchange(solution_of(scenario), position, second)
        try:
            _, result = play(attrs.evolve(scenario, solution=exchange.solution), OracleAgent())
        except ScenarioError:
            continue
        expected = reference.results[position], reference.results[position + 1]
        calls = first, second
        if exchange.went_through and all(map(_same, calls, exchange.results, expected)):
            yield Swap(position, first, second, float(result.similarity))


def _same(call: Call, result: Any, expected: Any) -> bool:
    return call.tool == _CLOCK or result == expected


@attrs.define
class _Exchange:
    """A solution that makes the call at ``position + 1`` before the one at ``position``."""

    factory: SolutionFactory
    position: int
    second: Call
    results: tuple[Any, Any] = (None, None)
    went_through: bool = False

    def solution(self) -> Solution:
        inner = self.factory()
        step = next(inner, None)
        number = 0
        while step is not None:
            if number == self.position:
                later = yield self.second
                earlier = yield step
                self.results = earlier, later
                if send(inner, earlier) != self.second:
                    return
                self.went_through = True
                step, number = send(inner, later), number + 2
                continue
            try:
                outcome = yield step
            except ToolCallFailed as failure:
                step = throw(inner, failure)
            else:
                step = send(inner, outcome)
            number += 1
