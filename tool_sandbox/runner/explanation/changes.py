"""What a demanded change of the world misses, in words."""

from typing import TYPE_CHECKING, Any

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.runner.explanation.gaps import Shortfall, closest, key_of, shown
from tool_sandbox.scoring.side_effects import fits

if TYPE_CHECKING:
    from tool_sandbox.scenarios.checks import Changed

Rows = dict[Any, dict[str, Any]]


def change_missing(check: "Changed", context: ExecutionContext, index: int) -> Shortfall:
    """Says what a demanded change misses."""
    end = context.max_sandbox_message_index if check.lasts else index
    start = _rows(context, check.namespace, context.first_user_sandbox_message_index)
    now = _rows(context, check.namespace, end)
    place = _last_change(context, check.namespace, end)
    if check.kind == "added":
        why = _addition(check, start, now)
    elif check.kind == "removed":
        why = _removal(check, start, now)
    else:
        why = _update(check, start, now)
    return Shortfall(why, place)


def _rows(context: ExecutionContext, namespace: DatabaseNamespace, index: int) -> Rows:
    return {row[key_of(namespace)]: row for row in context.get_table(namespace, index).dicts()}


def _last_change(context: ExecutionContext, namespace: DatabaseNamespace, end: int) -> int:
    """Newest message that touched the database, the end if none did."""
    first = context.first_user_sandbox_message_index
    indices = [index for index, _ in context.get_history(namespace) if first < index <= end]
    return max(indices, default=end)


def _addition(check: "Changed", start: Rows, now: Rows) -> str:
    added = [row for key, row in now.items() if key not in start]
    if not added:
        return f"no row was added to {check.namespace}"
    fitting = [row for row in added if fits(check.values, row)]
    others = [row for row in added if not fits(check.values, row)]
    if len(fitting) >= check.count:
        return f"{len(added)} rows were added to {check.namespace}, {check.count} wanted"
    if not others:
        return f"{len(fitting)} of {check.count} rows were added to {check.namespace}"
    return f"the row added to {check.namespace} has {', '.join(closest(check.values, others)[1])}"


def _removal(check: "Changed", start: Rows, now: Rows) -> str:
    left = [row for key, row in start.items() if key in now and fits(check.where, row)]
    if not left:
        return f"no such row was in {check.namespace} at the start"
    return f"still in {check.namespace}: {shown(left[0], ())}"


def _update(check: "Changed", start: Rows, now: Rows) -> str:
    meant = [key for key, row in start.items() if fits(check.where, row)]
    if not meant:
        return f"no such row was in {check.namespace} at the start"
    there = [now[key] for key in meant if key in now and not fits(check.values, now[key])]
    if not there:
        return f"the row is no longer in {check.namespace}"
    row, gaps = closest(check.values, there)
    state = "was left as it is" if row == start[row[key_of(check.namespace)]] else "was changed"
    return f"the row in {check.namespace} {state}: {', '.join(gaps)}"
