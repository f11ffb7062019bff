"""What constraints refer to, and the guardrails that follow from the order of milestones."""

import copy
import functools
from collections.abc import Callable, Sequence

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.scoring._graph import Graph
from tool_sandbox.scoring.milestones import INITIAL_STATE, DerivedGuardrail, Milestone
from tool_sandbox.scoring.published.snapshots import (
    addition_similarity,
    guardrail_similarity,
    removal_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
    update_similarity,
)
from tool_sandbox.world.errors import ScenarioError

_NEED_REFERENCE: tuple[Callable[..., float], ...] = (
    addition_similarity,
    removal_similarity,
    update_similarity,
    guardrail_similarity,
    tool_trace_dependant_similarity,
)
_NEED_TARGET: tuple[Callable[..., float], ...] = (
    snapshot_similarity,
    addition_similarity,
    removal_similarity,
    update_similarity,
    tool_trace_dependant_similarity,
)


class ReferenceIndexError(ScenarioError, IndexError):
    """A constraint refers to a milestone that does not exist."""


def references(milestone: Milestone) -> set[int]:
    """Indices that the constraints of a milestone refer to, -1 among them."""
    indices = (constraint.reference_milestone_node_index for constraint in milestone.snapshot_constraints)
    return {index for index in indices if index is not None}


def check_references(milestones: Sequence[Milestone], graph: Graph) -> None:
    """Checks what the constraints of milestones refer to."""
    for number, milestone in enumerate(milestones):
        for reference in sorted(references(milestone) - {INITIAL_STATE}):
            if not 0 <= reference < graph.size:
                raise ReferenceIndexError(f"milestone {number} refers to milestone {reference}; there are {graph.size}")
            if reference not in graph.ancestors[number]:
                raise ScenarioError(
                    f"milestone {number} refers to milestone {reference}, which does not come before it"
                )
    if milestones and not any(milestone.weight for milestone in milestones):
        raise ScenarioError("every milestone has weight 0; there are no points to earn")


def check_scorable(milestones: Sequence[Milestone]) -> None:
    """Checks that every milestone can be scored."""
    for number, milestone in enumerate(milestones):
        if all(constraint.is_guardrail for constraint in milestone.snapshot_constraints):
            raise ScenarioError(f"milestone {number} has no constraint to score")
        for constraint in milestone.snapshot_constraints:
            function = constraint.snapshot_constraint
            function = function.func if isinstance(function, functools.partial) else function
            if constraint.reference_milestone_node_index is None and function in _NEED_REFERENCE:
                raise ScenarioError(f"milestone {number}: {function.__name__} needs a reference milestone")
            if constraint.target_dataframe is None and function in _NEED_TARGET:
                raise ScenarioError(f"milestone {number}: {function.__name__} needs a target")


def constrained_databases(milestone: Milestone) -> set[str]:
    """Databases that a milestone says something about, guardrails aside."""
    return {
        constraint.database_namespace for constraint in milestone.snapshot_constraints if not constraint.is_guardrail
    }


def guarded_databases(milestone: Milestone, others: Sequence[Milestone]) -> list[str]:
    """World databases that must not change on the way to a milestone."""
    free = set[str]({DatabaseNamespace.SANDBOX}).union(*map(constrained_databases, (milestone, *others)))
    listed = milestone.guardrail_database_list or ()
    return [namespace for namespace in DatabaseNamespace if namespace in listed and namespace not in free]


def with_guardrails(milestones: Sequence[Milestone], graph: Graph) -> list[Milestone]:
    """Copies milestones and adds the guardrails that follow from their order.

    On the way from every predecessor and every reference to a milestone, its guarded databases must not
    change, except those that it, a predecessor or a reference constrains. The initial state constrains nothing.
    """
    copies = []
    for number, milestone in enumerate(milestones):
        before = sorted(references(milestone) | set(graph.parents[number]))
        databases = guarded_databases(milestone, [milestones[index] for index in before if index != INITIAL_STATE])
        derived = [
            DerivedGuardrail(namespace, guardrail_similarity, reference)
            for reference in before
            for namespace in databases
        ]
        twin = copy.copy(milestone)
        twin.snapshot_constraints = [*milestone.snapshot_constraints, *derived]
        copies.append(twin)
    return copies


def without_guardrails(milestone: Milestone) -> Milestone:
    """A copy without the guardrails that another matcher derived."""
    twin = copy.copy(milestone)
    twin.snapshot_constraints = [
        constraint for constraint in milestone.snapshot_constraints if not isinstance(constraint, DerivedGuardrail)
    ]
    return twin
