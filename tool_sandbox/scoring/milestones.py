"""What is wanted of a trajectory: constraints on snapshots, grouped into milestones and minefields."""

import math
from collections.abc import Callable
from typing import Any

import attrs
import polars as pl

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.scoring.published._cells import bound_tolerances
from tool_sandbox.scoring.published._traces import parse_golden
from tool_sandbox.scoring.published.columns import (
    column_exact_match_similarity,
    column_one_similarity,
    column_rouge_l_similarity,
    column_tool_trace_exact_match_similarity,
)
from tool_sandbox.scoring.published.snapshots import guardrail_similarity
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.table import INDEX_COLUMN
from tool_sandbox.world.utils import attrs_serialize

INITIAL_STATE = -1
"""Reference index that stands for the state at the first message of the user."""

_OTHER_MEASURES: dict[DatabaseNamespace, dict[str, Callable[..., Any]]] = {
    DatabaseNamespace.SANDBOX: {
        "content": column_rouge_l_similarity,
        "openai_tool_call_id": column_one_similarity,
        "openai_function_name": column_one_similarity,
        "tool_call_exception": column_one_similarity,
        "tool_trace": column_tool_trace_exact_match_similarity,
    },
    DatabaseNamespace.CONTACT: {"relationship": column_rouge_l_similarity},
    DatabaseNamespace.MESSAGING: {"content": column_rouge_l_similarity},
    DatabaseNamespace.REMINDER: {"content": column_rouge_l_similarity},
}

_default_dbs_column_similarities: dict[DatabaseNamespace, dict[str, Callable[..., Any]]] = {
    namespace: dict.fromkeys(schema, column_exact_match_similarity) | _OTHER_MEASURES.get(namespace, {})
    for namespace, schema in ExecutionContext.dbs_schemas.items()
}

_MEASURES = tuple(_default_dbs_column_similarities.items())


@attrs.define(eq=False)
class SnapshotConstraint:
    """One condition on one database at one moment.

    Attributes:
        database_namespace: Table that is looked at.
        snapshot_constraint: A snapshot similarity. An object whose attribute ``reads_trajectory`` is true is
            called with ``context`` and ``index`` instead, and may look at the whole trajectory.
        reference_milestone_node_index: Milestone whose moment is the reference, -1 for the first message of
            the user, ``None`` for no reference.
        target_dataframe: Rows wanted, in the columns that matter.
        column_similarity_measure: Column similarity by column name; given entries override the defaults of
            the database.
    """

    database_namespace: str
    snapshot_constraint: Callable[..., Any]
    reference_milestone_node_index: int | None = None
    target_dataframe: pl.DataFrame | None = None
    column_similarity_measure: dict[str, Callable[..., Any]] | None = None

    def __attrs_post_init__(self) -> None:
        """Fills in the default column similarities and checks golden traces."""
        # Tables of apps are only asked about by what reads the trajectory, and needs no measures.
        defaults = next((known for name, known in _MEASURES if name == self.database_namespace), {})
        self.column_similarity_measure = {**defaults, **(self.column_similarity_measure or {})}
        if self.target_dataframe is not None:
            self._check_golden_traces(self.target_dataframe, self.column_similarity_measure)

    @staticmethod
    def _check_golden_traces(target: pl.DataFrame, measures: dict[str, Callable[..., Any]]) -> None:
        for name in target.columns:
            if name == INDEX_COLUMN or name not in measures:
                continue
            bound = bound_tolerances(measures[name])
            if bound is not None and bound[0] is column_tool_trace_exact_match_similarity:
                for value in target.get_column(name):
                    try:
                        parse_golden(value)
                    except ValueError as error:
                        raise ScenarioError(str(error)) from None

    def __eq__(self, other: object) -> bool:
        # Field by field, because frames do not compare to a truth value. Derived guardrails are constraints too.
        if not isinstance(other, SnapshotConstraint):
            return NotImplemented
        target, other_target = self.target_dataframe, other.target_dataframe
        return (
            self.database_namespace == other.database_namespace
            and self.snapshot_constraint == other.snapshot_constraint
            and self.reference_milestone_node_index == other.reference_milestone_node_index
            and self.column_similarity_measure == other.column_similarity_measure
            and (
                target is other_target
                or (target is not None and other_target is not None and target.equals(other_target))
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Every field: functions by their names, and what describes itself as it does."""
        target, measures = self.target_dataframe, self.column_similarity_measure or {}
        return {
            "database_namespace": str(self.database_namespace),
            "snapshot_constraint": attrs_serialize(None, None, self.snapshot_constraint),
            "reference_milestone_node_index": self.reference_milestone_node_index,
            "target_dataframe": None if target is None else target.to_dicts(),
            "column_similarity_measure": {name: attrs_serialize(None, None, each) for name, each in measures.items()},
        }

    @property
    def is_guardrail(self) -> bool:
        """Whether this only demands that nothing changed; recognised by identity of the function."""
        return self.snapshot_constraint is guardrail_similarity


class DerivedGuardrail(SnapshotConstraint):
    """A guardrail that a matcher added to its own copy of a milestone."""


@attrs.define
class Milestone:
    """Something that should happen: all constraints met at one message.

    Attributes:
        snapshot_constraints: Constraints; the similarity is their geometric mean.
        guardrail_database_list: Databases that must not change on the way to this milestone; all but the
            excluded ones by default.
        guardrail_database_exclusion_list: Databases that may change on the way.
        weight: Points in the strict profile. A milestone of weight 0 carries none and gates: its direct
            successors score only once it is fully met.
        name: Name for people.
    """

    snapshot_constraints: list[SnapshotConstraint]
    guardrail_database_list: list[DatabaseNamespace] | None = None
    guardrail_database_exclusion_list: list[DatabaseNamespace] | None = None
    weight: float = attrs.field(default=1.0, kw_only=True)
    name: str | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Resolves the guarded databases."""
        if self.guardrail_database_list is not None and self.guardrail_database_exclusion_list is not None:
            raise ScenarioError("give guardrail_database_list or guardrail_database_exclusion_list, not both")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise ScenarioError(f"the weight of a milestone must be a number of at least 0, got {self.weight!r}")
        excluded = self.guardrail_database_exclusion_list or ()
        guarded = list(DatabaseNamespace) if self.guardrail_database_list is None else self.guardrail_database_list
        self.guardrail_database_list = [namespace for namespace in guarded if namespace not in excluded]


@attrs.define
class Minefield(Milestone):
    """Something that must not happen; it takes all points when it does."""
