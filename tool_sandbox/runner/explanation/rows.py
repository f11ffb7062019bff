"""What rows that a milestone wants miss, for constraints with target rows, as the published benchmark writes them."""

from collections.abc import Callable
from typing import Any

from tool_sandbox.conversation.check_words import value_in_words
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.helpers.counting import counted
from tool_sandbox.runner.explanation.gaps import Row, Shortfall, messages, quoted
from tool_sandbox.scoring import SnapshotConstraint
from tool_sandbox.scoring.published.columns import cell_kernel
from tool_sandbox.world.table import INDEX_COLUMN

Candidates = list[tuple[int, Row]]


def rows_missing(
    constraint: SnapshotConstraint, context: ExecutionContext, index: int, reference: int | None
) -> Shortfall:
    """Says which wanted row resembles nothing, and how the closest row differs."""
    namespace = constraint.database_namespace
    target_rows = constraint.target_dataframe
    wanted: list[Row] = [] if target_rows is None else list(target_rows.to_dicts())
    candidates = _candidates(namespace, context, index, reference)
    if namespace is not DatabaseNamespace.SANDBOX and not candidates and wanted:
        return Shortfall(f"nothing changed in {namespace}", index)
    worst: tuple[float, str, int] | None = None
    for target in wanted:
        scored = [(*_resemblance(constraint, target, row), place) for place, row in candidates]
        if not scored:
            continue
        best = max(scored, key=lambda entry: (entry[0], entry[2]))
        if worst is None or best[0] < worst[0]:
            worst = best
    if worst is None or not worst[1]:
        return Shortfall(f"{counted(len(candidates), 'row')} there, {len(wanted)} wanted", index)
    return Shortfall(worst[1], worst[2])


def _candidates(
    namespace: DatabaseNamespace, context: ExecutionContext, index: int, reference: int | None
) -> Candidates:
    """Messages, or rows of a world database that are different at two moments (all rows without a reference)."""
    if namespace is DatabaseNamespace.SANDBOX:
        return list(messages(context))
    now = context.get_table(namespace, index).dicts()
    if reference is None:
        return [(index, row) for row in now]
    before = context.get_table(namespace, reference).dicts()
    changed = [row for row in now if row not in before]
    return [(index, row) for row in changed or [row for row in before if row not in now]]


def _resemblance(constraint: SnapshotConstraint, target: Row, row: Row) -> tuple[float, str]:
    """Share of cells that are as wanted, by their measures, and the others in words."""
    measures: dict[str, Callable[..., Any]] = constraint.column_similarity_measure or {}
    names = [name for name in target if name != INDEX_COLUMN and name in measures]
    total, gaps = 0.0, []
    for name in names:
        kernel = cell_kernel(measures[name], name, target[name])[1]
        similarity = 1.0 if kernel is None else kernel(row.get(name)) or 0.0
        total += similarity
        if similarity < 1:
            gaps.append(f"{name} = {quoted(row.get(name))} instead of {value_in_words(target[name])}")
    return total / max(1, len(names)), "; ".join(gaps)
