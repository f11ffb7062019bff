"""Whether the tags of a scenario are true of its reference solution."""

import itertools
from collections.abc import Iterator
from typing import Any

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
)
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference, calls_of
from tool_sandbox.world.script import ToolCallFailed
from tool_sandbox.world.table import Table

Complaint = tuple[str, str, str]
"""Name of the check, what was expected, what was found."""

LONG_CHAIN_CALLS = 6
"""Number of necessary calls from which a task is a long chain."""

_CLOCK_TOOLS = frozenset(
    {
        "datetime_info_to_timestamp",
        "get_current_timestamp",
        "search_holiday",
        "seconds_to_hours_minutes_seconds",
        "shift_timestamp",
        "timestamp_diff",
        "timestamp_to_datetime_info",
    }
)
_UNIT_TOOLS = frozenset(
    {"calculate_lat_lon_distance", "convert_currency", "seconds_to_hours_minutes_seconds", "unit_conversion"}
)


def check_tags(scenario: Scenario, reference: Reference, necessary: int) -> Iterator[Complaint]:
    """Compares tags with what the reference solution does."""
    tags, calls = set(scenario.categories), len(reference.calls)
    says = sum(message == RoleType.USER for message in _recipients(reference.context))
    tools = {call.tool for call in reference.calls}
    impossible = ScenarioCategories.INSUFFICIENT_INFORMATION in tags
    rules = [
        (ScenarioCategories.SINGLE_USER_TURN, says == 1, f"{says} texts to the user", True),
        (ScenarioCategories.MULTIPLE_USER_TURN, says > 1, f"{says} texts to the user", True),
        (ScenarioCategories.SINGLE_TOOL_CALL, calls == 1, f"{calls} calls", not impossible),
        (ScenarioCategories.MULTIPLE_TOOL_CALL, calls > 1, f"{calls} calls", not impossible),
    ]
    for tag, holds, found, applies in rules:
        if applies and holds != (tag in tags):
            yield "tags", f"{tag} only where it is true, and there always", f"there are {found}"
    needs = [
        (
            ScenarioCategories.LONG_CHAIN,
            necessary >= LONG_CHAIN_CALLS,
            f"{LONG_CHAIN_CALLS} or more calls that cannot be left out",
        ),
        (ScenarioCategories.BATCH_EDIT, _changed_rows(reference.context) > 1, "more than one changed row"),
        (ScenarioCategories.STATE_RESTORATION, _restores(reference.context), "something that is put back"),
        (ScenarioCategories.TIME_ARITHMETIC, bool(tools & _CLOCK_TOOLS), "a call of a tool for time"),
        (ScenarioCategories.UNIT_CHAIN, bool(tools & _UNIT_TOOLS), "a conversion"),
        (ScenarioCategories.ERROR_RECOVERY, _stumbles(reference), "a call that fails or finds nothing"),
    ]
    for tag, holds, needed in needs:
        if tag in tags and not holds:
            yield "tags", f"{needed} where the tag is {tag}", "the reference solution does without"


def _recipients(context: ExecutionContext) -> list[str]:
    rows = [row for _, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]
    return [row["recipient"] for row in rows if row["sender"] == RoleType.AGENT]


def _changed_rows(context: ExecutionContext) -> int:
    """Number of rows of the world that differ between start and end."""
    changed = 0
    for name in context.table_names():
        start, end = (
            context.get_table(name, index).rows
            for index in (context.first_user_sandbox_message_index, context.max_sandbox_message_index)
        )
        changed += max(len(set(end) - set(start)), len(set(start) - set(end)))
    return changed


def _restores(context: ExecutionContext) -> bool:
    """Whether something of the world was there, was not, and is there again."""
    for name in context.table_names():
        states = [_contents(name, table) for _, table in context.get_history(name)]
        for before, between, after in itertools.combinations(states, 3):
            if (before - between) & after:
                return True
    return False


def _contents(name: str, table: Table) -> set[Any]:
    """Switches one by one, or rows without what a new row cannot have in common with an old one."""
    schema = table.schema
    if name == DatabaseNamespace.SETTING:
        return {cell for row in table for cell in row.items()}
    own = {schema.key, "creation_timestamp", *(column.name for column in schema.columns if column.is_automatic)}
    kept = [position for column, position in schema.positions.items() if column not in own]
    return {tuple(row[position] for position in kept) for row in table.rows}


def _is_empty(found: Any) -> bool:
    return found in (None, []) or (isinstance(found, dict) and found.get("results") == [])


def _stumbles(reference: Reference) -> bool:
    """Whether a call fails, or a search finds nothing."""
    return any(
        isinstance(outcome, ToolCallFailed) or (call.tool.startswith("search_") and _is_empty(outcome))
        for step, result in zip(reference.steps, reference.results, strict=True)
        for call, outcome in zip(calls_of(step), result if isinstance(step, list) else [result], strict=False)
    )
