"""What a reference solution makes of the results that it gets: which later steps follow from which result."""

from collections.abc import Iterator
from typing import Any

from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Call, Solution, SolutionFactory, Step, ToolCallFailed


def solution_of(scenario: Scenario) -> SolutionFactory:
    """The reference solution of a scenario."""
    if scenario.solution is None:
        raise ScenarioError(f"{scenario.name}: no reference solution")
    return scenario.solution


def send(solution: Solution, outcome: Any) -> Step | None:
    """The next step of a solution after an outcome, ``None`` at its end."""
    try:
        return solution.send(outcome)
    except StopIteration:
        return None


def throw(solution: Solution, failure: ToolCallFailed) -> Step | None:
    """The next step of a solution after a failed call, ``None`` at its end."""
    try:
        return solution.throw(failure)
    except StopIteration:
        return None


def independent(scenario: Scenario, reference: Reference, position: int) -> bool:
    """Whether the step after ``position`` has nothing to do with the step at ``position``."""
    first, second = reference.steps[position], reference.steps[position + 1]
    results = reference.results[position], reference.results[position + 1]
    if first == second or any(isinstance(result, ToolCallFailed) for result in results):
        return False
    if reference.access[position].collides_with(reference.access[position + 1]):
        return False
    if not isinstance(second, Call) or _leaves(results[0]) & _leaves(second.arguments):
        return False
    return all(
        _departure(scenario, reference, position, other) != position + 1 for other in _others(reference, position)
    )


def is_used(scenario: Scenario, reference: Reference, position: int) -> bool:
    """Whether anything that a solution does later follows from the result of a step."""
    return any(_departure(scenario, reference, position, other) is not None for other in _others(reference, position))


def _leaves(value: Any) -> set[Any]:
    """Texts and numbers inside a value; truth values and small numbers say nothing about where they come from."""
    if isinstance(value, dict):
        return {leaf for item in value.values() for leaf in _leaves(item)}
    if isinstance(value, (list, tuple)):
        return {leaf for item in value for leaf in _leaves(item)}
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {value} if isinstance(value, str) or (is_number and abs(value) > 100) else set()


def _others(reference: Reference, position: int) -> Iterator[Any]:
    """Other results that a step might have had: of the same shape, none, or those of the same tool elsewhere."""
    step, result = reference.steps[position], reference.results[position]
    yield _changed(result)
    if isinstance(result, list):
        yield []
    for other_step, other in zip(reference.steps, reference.results, strict=True):
        same_tool = isinstance(step, Call) and isinstance(other_step, Call) and step.tool == other_step.tool
        if same_tool and other != result and not isinstance(other, ToolCallFailed):
            yield other


def _changed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _changed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_changed(item) for item in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value} other" if isinstance(value, str) else value


def _departure(scenario: Scenario, reference: Reference, position: int, result: Any) -> int | None:
    """Number of the first step that is another one when the step at ``position`` returns something else."""
    inner = solution_of(scenario)()
    number = 0
    try:
        step: Step | None = next(inner)
        for number, (expected, outcome) in enumerate(zip(reference.steps, reference.results, strict=True)):
            if step != expected:
                return number
            if number == position:
                step = send(inner, result)
            elif isinstance(outcome, ToolCallFailed):
                step = throw(inner, outcome)
            elif number + 1 < len(reference.steps):
                step = send(inner, outcome)
        return None
    except Exception:
        # The solution cannot go on with this result, so what comes next depends on it.
        return number + 1
    finally:
        inner.close()
