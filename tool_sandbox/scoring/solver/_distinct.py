"""Mappings in which no message serves two milestones.

Without the rule the optimum may have one message meet several milestones. Each such conflict is settled by
branching: either of the two does without this message. The best of all branches is the optimum under the rule,
because a mapping that obeys it survives in at least one branch; a branch whose optimum is no better than a
mapping already found is dropped.
"""

import math
from collections.abc import Sequence

import attrs

from tool_sandbox.scoring.solver._model import NodeModel
from tool_sandbox.scoring.solver._search import SLACK, Solver
from tool_sandbox.scoring.solver._walk import Placed, best_mapping


def distinct_mapping(models: Sequence[NodeModel], size: int, *, anchoring: bool) -> Placed:
    """Finds the best mapping in which no two message milestones score at the same position."""
    best: Placed = []
    most = -math.inf
    branches = [list(models)]
    while branches:
        branch = branches.pop()
        solver = Solver(branch, size, anchoring=anchoring)
        if solver.completion(solver.space.start()) <= most + SLACK:
            continue
        placed = best_mapping(solver, anchoring=anchoring)
        conflict = _conflict(branch, placed)
        if conflict is None:
            best, most = placed, math.fsum(branch[node].weight * similarity for node, _, similarity in placed)
            continue
        position, first, second = conflict
        # The branch pushed last is explored first: the later milestone gives way.
        branches += [_without(branch, first, position), _without(branch, second, position)]
    return best


def _conflict(models: Sequence[NodeModel], placed: Placed) -> tuple[int, int, int] | None:
    """The first position that serves two message milestones, and these."""
    taken: dict[int, int] = {}
    for node, position, similarity in placed:
        if similarity > 0 and models[node].is_message:
            if position in taken:
                return position, taken[position], node
            taken[position] = node
    return None


def _without(models: Sequence[NodeModel], node: int, position: int) -> list[NodeModel]:
    base = list(models[node].base)
    base[position] = 0.0
    return [attrs.evolve(model, base=base) if number == node else model for number, model in enumerate(models)]
