"""A matching problem in numbers: what each milestone scores at each position, given where the others are.

The similarity of a milestone at a position is a product of three kinds of factors, and everything here is a
table over positions of one kind:

- scores that depend on the position alone (``base``);
- scores that also depend on the snapshot of an earlier milestone (``Graded``), of which only few differ;
- guardrails, 0 or 1: the position must have the same content as those of earlier milestones (``Guard``).
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.scoring._graph import Graph
from tool_sandbox.scoring._rules import MatchingRules
from tool_sandbox.scoring._trajectory import Trajectory, Versions
from tool_sandbox.scoring.milestones import INITIAL_STATE, DerivedGuardrail, Milestone
from tool_sandbox.scoring.published._gaps import TraceGap
from tool_sandbox.scoring.published._kernels import SnapshotKernel
from tool_sandbox.scoring.solver._guardrails import constrained_databases, guarded_databases
from tool_sandbox.scoring.solver._scorers import Scorer
from tool_sandbox.world.events import EVENTS

Floats = list[float]


@attrs.frozen(eq=False)
class Guard:
    """Content that must be the same as at the positions of some earlier milestones.

    Attributes:
        references: The earlier milestones.
        content: For each position the number of its content.
    """

    references: frozenset[int]
    content: list[int]


@attrs.frozen(eq=False)
class Graded:
    """A score that depends on where an earlier milestone is.

    Attributes:
        reference: The earlier milestone.
        row_at: For each position of the reference the row that applies.
        rows: Distinct rows: for each position of the milestone itself its score.
    """

    reference: int
    row_at: list[int]
    rows: list[Floats]


@attrs.frozen(eq=False)
class NodeModel:
    """One milestone in numbers.

    Attributes:
        parents: Direct predecessors.
        weight: Points.
        exponent: 1 / number of scoring constraints; the similarity is the product of scores to this power.
        base: Product of the scores that depend on the position alone.
        allowed: For each position whether the guardrails that depend on it alone hold.
        graded: Further scores.
        guards: Further guardrails.
        is_anchored: Whether the position follows from those of the predecessors.
        is_message: Whether a message has to be there, rather than a state of the world.
    """

    parents: tuple[int, ...]
    weight: float
    exponent: float
    base: Floats
    allowed: list[bool]
    graded: list[Graded]
    guards: list[Guard]
    is_anchored: bool
    is_message: bool


def build_models(
    trajectory: Trajectory,
    milestones: Sequence[Milestone],
    scorers: Sequence[Sequence[Scorer]],
    graph: Graph,
    rules: MatchingRules,
) -> list[NodeModel]:
    """Scores every milestone at every position."""
    builder = _Builder(trajectory, milestones, graph, rules)
    return [builder.model(node, scorers[node]) for node in range(graph.size)]


class _Builder:
    def __init__(
        self, trajectory: Trajectory, milestones: Sequence[Milestone], graph: Graph, rules: MatchingRules
    ) -> None:
        self._trajectory = trajectory
        self._milestones = milestones
        self._graph = graph
        self._rules = rules
        self._contents: dict[tuple[str, ...], list[int]] = {}
        self._scores: dict[int, Callable[[int], float]] = {}

    def model(self, node: int, scorers: Sequence[Scorer]) -> NodeModel:
        scoring = sorted((s for s in scorers if not s.constraint.is_guardrail), key=lambda s: s.rank)
        base = [1.0] * self._trajectory.size
        for scorer in scoring:
            if scorer.reference is None or scorer.reference == INITIAL_STATE:
                self._multiply(base, scorer)
        graded = [self._graded(base, s) for s in scoring if s.reference is not None and s.reference != INITIAL_STATE]
        is_message = any(s.namespace is DatabaseNamespace.SANDBOX for s in scoring)
        guards, allowed = self._guards(node)
        return NodeModel(
            parents=self._graph.parents[node],
            weight=self._milestones[node].weight if self._rules.weighted else 1.0,
            exponent=1 / max(1, len(scoring)),
            base=base,
            allowed=allowed,
            graded=graded,
            guards=guards,
            is_anchored=self._rules.anchored and not is_message,
            is_message=is_message,
        )

    def _multiply(self, base: Floats, scorer: Scorer) -> None:
        """Multiplies a score into ``base``, computed once a version and only where the rest is not 0."""
        score = self._score_at(scorer)
        for position, product in enumerate(base):
            if product:
                base[position] = product * score(position)

    def _score_at(self, scorer: Scorer) -> Callable[[int], float]:
        trajectory = self._trajectory
        if scorer.reads_trajectory:
            function = scorer.constraint.snapshot_constraint
            # One change stands in several milestones: in its own, and in those of what is said of it.
            if id(function) not in self._scores:
                self._scores[id(function)] = self._reading(function)
            return self._scores[id(function)]
        versions = trajectory.versions(scorer.namespace)
        kernel = scorer.against(None if scorer.reference is None else versions.tables[versions.at[0]])
        known: dict[int, float] = {}

        def score(position: int) -> float:
            version = versions.at[position]
            if version not in known:
                known[version] = 0.0 if kernel is None else kernel(versions.tables[version])
            return known[version]

        return score

    def _reading(self, function: Callable[..., Any]) -> Callable[[int], float]:
        """What a check of the trajectory says, asked once where nothing that it reads is different."""
        trajectory = self._trajectory
        columns = self._read_by(function) or [range(trajectory.size)]
        known: dict[tuple[int, ...], float] = {}

        def score(position: int) -> float:
            key = tuple(column[position] for column in columns)
            if key not in known:
                index = trajectory.first + position
                known[key] = float(function(context=trajectory.context, index=index))
            return known[key]

        return score

    def _read_by(self, function: Callable[..., Any]) -> list[Sequence[int]]:
        """For each table that decides what a check says: which version is in force at each position."""
        table = getattr(function, "only_reads", None)
        if table is None:
            return []
        names = [table, *([EVENTS.name] if self._trajectory.context.has_table(EVENTS.name) else [])]
        return [self._trajectory.versions(name).at for name in names]

    def _graded(self, base: Floats, scorer: Scorer) -> Graded:
        versions = self._trajectory.versions(scorer.namespace)
        if scorer.gap is None:
            of_version = [
                _row(scorer.against(table), versions, base, first)
                for table, first in zip(versions.tables, versions.first_positions, strict=True)
            ]
        else:
            of_version = _filled_rows(scorer.gap, versions, base)
        numbers: dict[tuple[float, ...], int] = {}
        row_of_version = [numbers.setdefault(row, len(numbers)) for row in of_version]
        reference = scorer.reference
        assert reference is not None  # noqa: S101
        return Graded(reference, [row_of_version[version] for version in versions.at], [list(row) for row in numbers])

    def _guards(self, node: int) -> tuple[list[Guard], list[bool]]:
        """Guardrails against earlier milestones, and what those against fixed states leave of the positions."""
        references: dict[str, set[int]] = {}
        for constraint in self._milestones[node].snapshot_constraints:
            if constraint.is_guardrail and (
                self._rules.derived_guardrails or not isinstance(constraint, DerivedGuardrail)
            ):
                reference = constraint.reference_milestone_node_index
                references.setdefault(constraint.database_namespace, set()).add(
                    INITIAL_STATE if reference is None else reference
                )
        allowed = [True] * self._trajectory.size
        if self._rules.derived_guardrails and self._rules.outer_guardrails:
            self._guard_outside(node, references, allowed)
        fixed = tuple(namespace for namespace in references if INITIAL_STATE in references[namespace])
        self._demand(allowed, fixed, at=0)
        groups: dict[frozenset[int], list[str]] = {}
        for namespace, indices in references.items():
            if others := frozenset(indices - {INITIAL_STATE}):
                groups.setdefault(others, []).append(namespace)
        return [Guard(others, self._content(tuple(names))) for others, names in groups.items()], allowed

    def _guard_outside(self, node: int, references: dict[str, set[int]], allowed: list[bool]) -> None:
        """Guards the way to a first milestone, and the way from a last one to the end of the conversation.

        What milestones constrain that are not ordered against this one may change at any time.
        """
        graph = self._graph
        unordered = [
            self._milestones[other]
            for other in range(graph.size)
            if other != node and other not in graph.ancestors[node] and node not in graph.ancestors[other]
        ]
        milestone = self._milestones[node]
        if not graph.parents[node]:
            for namespace in guarded_databases(milestone, unordered):
                references.setdefault(namespace, set()).add(INITIAL_STATE)
        if node in graph.sinks():
            free = set[str]({DatabaseNamespace.SANDBOX}).union(*map(constrained_databases, unordered))
            listed = milestone.guardrail_database_list or ()
            guarded = tuple(name for name in DatabaseNamespace if name in listed and name not in free)
            self._demand(allowed, guarded, at=self._trajectory.size - 1)

    def _demand(self, allowed: list[bool], namespaces: tuple[str, ...], at: int) -> None:
        """Rules out positions whose content differs from that at position ``at``."""
        if namespaces:
            content = self._content(namespaces)
            for position, number in enumerate(content):
                allowed[position] = allowed[position] and number == content[at]

    def _content(self, namespaces: tuple[str, ...]) -> list[int]:
        """For each position a number that is equal where all these databases are equal."""
        if namespaces not in self._contents:
            versions = [self._trajectory.versions(namespace) for namespace in namespaces]
            columns = [v.unordered_classes if self._rules.any_row_order else v.ordered_classes for v in versions]
            numbers: dict[tuple[int, ...], int] = {}
            self._contents[namespaces] = [numbers.setdefault(key, len(numbers)) for key in zip(*columns, strict=True)]
        return self._contents[namespaces]


def _row(kernel: SnapshotKernel | None, versions: Versions, base: Floats, first: int) -> tuple[float, ...]:
    """Scores against one reference, from the first position on at which it is in force."""
    row = [0.0] * len(base)
    if kernel is not None:
        known: dict[int, float] = {}
        for position in range(first, len(base)):
            if base[position]:
                version = versions.at[position]
                if version not in known:
                    known[version] = kernel(versions.tables[version])
                row[position] = known[version]
    return tuple(row)


def _filled_rows(gap: TraceGap, versions: Versions, base: Floats) -> list[tuple[float, ...]]:
    """Scores against each version as the reference whose traces fill a gap, the same row for the same values."""
    positions = [position for position, product in enumerate(base) if product]
    current = {version: place for place, version in enumerate(dict.fromkeys(versions.at[p] for p in positions))}
    places = [current[versions.at[position]] for position in positions]
    fillings = [gap.fillings_by(table) for table in versions.tables]
    distinct = list(dict.fromkeys(fillings))
    row_of = {}
    for filling, scores in zip(
        distinct, gap.scores(distinct, [versions.tables[version] for version in current]), strict=True
    ):
        row = [0.0] * len(base)
        for position, place in zip(positions, places, strict=True):
            row[position] = scores[place]
        row_of[filling] = tuple(row)
    return [row_of[filling] for filling in fillings]
