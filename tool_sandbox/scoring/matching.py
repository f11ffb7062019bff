"""Matching milestones with the snapshots of a trajectory.

Each milestone is mapped to one message index between the first message of the user and the newest message, so
that the indices never decrease along an edge and the sum of similarities is the largest possible. Several
milestones may share an index. The result is a true optimum, which `tool_sandbox.scoring.solver` finds.

Which of several optimal mappings it is:

- Anchored rule, for milestones of the strict profile. Milestones are taken in topological order, the smallest index
  first; each takes the option with the highest similarity, the earliest among equals, that can still reach the optimum.
- Published rule, for all others. A depth-first search over sequences of assignments in which indices never decrease
  tries, at each step, every milestone whose predecessors are assigned at every index from the last one on, in the
  order: own similarity descending, milestone index ascending, snapshot index ascending. The first sequence that reaches
  the optimum is the mapping.
"""

import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.scoring._graph import Edge, Graph, build_graph
from tool_sandbox.scoring._rules import MatchingRules
from tool_sandbox.scoring._trajectory import Trajectory
from tool_sandbox.scoring.milestones import Milestone
from tool_sandbox.scoring.solver._distinct import distinct_mapping
from tool_sandbox.scoring.solver._guardrails import check_references, with_guardrails, without_guardrails
from tool_sandbox.scoring.solver._model import build_models
from tool_sandbox.scoring.solver._scorers import Scorer, prepare
from tool_sandbox.scoring.solver._search import Solver
from tool_sandbox.scoring.solver._walk import best_mapping

if TYPE_CHECKING:
    import networkx

Mapped = OrderedDict[int, tuple[int, float]]
"""Milestone index to message index and similarity."""

PUBLISHED_RULES = MatchingRules()


@attrs.define(eq=False, slots=False)
class MilestoneMatcher:
    """Milestones with their order.

    The milestones given are never modified: the matcher keeps copies, to whose constraints it adds the
    guardrails that follow from the order.

    Attributes:
        milestones: Copies of the milestones, derived guardrails included.
        edge_list: Pairs (earlier, later); a chain by default. Ignored for a single milestone.
        distinct: Whether no message may meet two milestones. By default several may share one.
    """

    milestones: Sequence[Milestone] = attrs.field(factory=list)
    edge_list: list[Edge] | None = None
    distinct: bool = attrs.field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Checks the milestones and derives the guardrails."""
        if self.edge_list is None:
            self.edge_list = [(earlier, earlier + 1) for earlier in range(len(self.milestones) - 1)]
        self._graph = build_graph(len(self.milestones), self.edge_list)
        given = [without_guardrails(milestone) for milestone in self.milestones]
        check_references(given, self._graph)
        self.milestones = with_guardrails(given, self._graph)
        self._scorers: list[list[Scorer]] | None = None

    @property
    def graph(self) -> Graph:
        """The order, checked."""
        return self._graph

    @property
    def milestone_dag(self) -> "networkx.DiGraph[int]":
        """The order as a networkx graph, built on demand."""
        import networkx

        dag: networkx.DiGraph[int] = networkx.DiGraph()
        dag.add_nodes_from(range(len(self.milestones)))
        dag.add_edges_from((parent, node) for node, parents in enumerate(self._graph.parents) for parent in parents)
        return dag

    def compute_mapping_and_similarity(
        self, execution_context: ExecutionContext, rules: MatchingRules = PUBLISHED_RULES
    ) -> tuple[Mapped, float | None]:
        """Finds the best mapping."""
        if not self.milestones:
            return OrderedDict(), None
        trajectory = Trajectory(execution_context)
        models = build_models(trajectory, self.milestones, self._prepared(), self._graph, rules)
        if self.distinct:
            placed = distinct_mapping(models, trajectory.size, anchoring=rules.anchored)
        else:
            solver = Solver(models, trajectory.size, anchoring=rules.anchored)
            placed = best_mapping(solver, anchoring=rules.anchored)
        mapping = OrderedDict((node, (trajectory.first + position, score)) for node, position, score in placed)
        weights = [model.weight for model in models]
        points = math.fsum(weights[node] * score for node, (_, score) in mapping.items())
        return mapping, points / math.fsum(weights)

    def _prepared(self) -> list[list[Scorer]]:
        """The constraints, prepared on first use and kept for further trajectories."""
        if self._scorers is None:
            self._scorers = [list(map(prepare, milestone.snapshot_constraints)) for milestone in self.milestones]
        return self._scorers

    def __getstate__(self) -> dict[str, Any]:
        # Prepared constraints hold closures; a copy prepares its own.
        return {**self.__dict__, "_scorers": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
