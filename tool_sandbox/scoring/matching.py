"""Matching milestones with the snapshots of a trajectory.

Each milestone is mapped to one message index between the first message of the user and the newest message, so
that the indices never decrease along an edge and the sum of similarities is the largest possible. Several
milestones may share an index. The result is a true optimum; among optimal mappings `_walk` documents the rule.
"""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.scoring._distinct import distinct_mapping
from tool_sandbox.scoring._graph import (
    Edge,
    Graph,
    build_graph,
    check_references,
    with_guardrails,
    without_guardrails,
)
from tool_sandbox.scoring._model import MatchingRules, build_models
from tool_sandbox.scoring._scorers import Scorer, prepare
from tool_sandbox.scoring._solver import Solver
from tool_sandbox.scoring._trajectory import Trajectory
from tool_sandbox.scoring._walk import best_mapping
from tool_sandbox.scoring.milestones import INITIAL_STATE, Milestone

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
        """Checks the milestones and derives the guardrails.

        Raises:
            ScenarioError: An edge, a reference or a constraint is invalid; the message says which.
        """
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
        """Finds the best mapping.

        Args:
            execution_context: The conversation; not modified.
            rules: What the profile demands; the published rules by default.

        Returns:
            Milestone index to (message index, similarity) in the order of assignment, and the weighted mean of
            the similarities; ``None`` for a matcher without milestones.
        """
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


class CachedSimilarityCalculator:
    """Similarity of one milestone at any message index, given where its references are.

    Attributes:
        execution_context: The conversation.
        milestone: The milestone, scored with exactly the constraints it has.
    """

    def __init__(self, execution_context: ExecutionContext, milestone: Milestone) -> None:
        """Prepares the constraints.

        Args:
            execution_context: The conversation; it must not grow while this object is used.
            milestone: The milestone.
        """
        self.execution_context = execution_context
        self.milestone = milestone
        self._trajectory = Trajectory(execution_context)
        self._scorers = [prepare(constraint) for constraint in milestone.snapshot_constraints]
        self._known: dict[tuple[int, int, int | None], float] = {}

    def calculate_similarity(self, current_snapshot_index: int, milestone_snapshot_mapping: Mapping[int, Any]) -> float:
        """Geometric mean of the scoring constraints, 0 if a guardrail fails.

        Args:
            current_snapshot_index: Message index to score.
            milestone_snapshot_mapping: Reference milestone to its message index, alone or with a similarity.

        Returns:
            A number from 0 to 1; guardrails do not count in the mean, and a milestone without any other
            constraint scores their product.

        Raises:
            KeyError: A reference milestone is not in the mapping.
        """
        product, scoring = 1.0, 0
        for number, scorer in enumerate(self._scorers):
            reference_index = self._reference_index(scorer, milestone_snapshot_mapping)
            key = number, current_snapshot_index, reference_index
            if key not in self._known:
                self._known[key] = self._score(scorer, current_snapshot_index, reference_index)
            product *= self._known[key]
            scoring += not scorer.constraint.is_guardrail
        return product ** (1 / scoring) if scoring else product

    def _reference_index(self, scorer: Scorer, mapping: Mapping[int, Any]) -> int | None:
        reference = scorer.constraint.reference_milestone_node_index
        if reference is None:
            return None
        if reference == INITIAL_STATE:
            return self._trajectory.first
        found = mapping[reference]
        return int(found[0] if isinstance(found, Sequence) else found)

    def _score(self, scorer: Scorer, index: int, reference_index: int | None) -> float:
        if scorer.reads_trajectory:
            function = scorer.constraint.snapshot_constraint
            return float(function(context=self.execution_context, index=index))
        table = self._trajectory.table
        reference = None if reference_index is None else table(scorer.namespace, reference_index)
        kernel = scorer.against(reference)
        return 0.0 if kernel is None else kernel(table(scorer.namespace, index))
