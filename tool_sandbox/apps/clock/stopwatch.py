"""Tools for the stopwatch."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    contains,
    now,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.clock.tables import LONGEST_LABEL, RUNS


def _shown(run: dict[str, Any], read: Read | None = None) -> dict[str, Any]:
    is_over = run["stopped_at"] is not None
    return run | {"duration_s": int(seconds_of(run["stopped_at"]) - seconds_of(run["started_at"])) if is_over else None}


@tool
def start_stopwatch(label: str = "Run") -> str:
    """Start the stopwatch. It measures one thing at a time.

    Args:
        label: What is measured.

    Returns:
        Identifier of the run that has begun.

    Raises:
        ValueError: The stopwatch is running already, or the label is blank or too long.
    """
    checked_text(label, "label", LONGEST_LABEL)
    if rows_with(RUNS, "running", True):
        raise ValueError("the stopwatch is running already, stop it first")
    return add(RUNS, label=label, running=True, started_at=now(), stopped_at=None)


@tool
def stop_stopwatch() -> dict[str, Any]:
    """Stop the stopwatch.

    Returns:
        The run, with its duration_s in seconds.

    Raises:
        ValueError: The stopwatch is not running.
    """
    running = rows_with(RUNS, "running", True)
    if not running:
        raise ValueError("the stopwatch is not running")
    return _shown(change(RUNS, running[0]["run_id"], running=False, stopped_at=now()))


@tool
def search_stopwatch_runs(
    words: str | NotGiven = NOT_GIVEN,
    started_from: str | NotGiven = NOT_GIVEN,
    started_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what the stopwatch has measured, newest first. Without conditions it lists all.

    Args:
        words: Words that all occur in the label.
        started_from: Earliest start, for example 2025-05-14T10:24, in the zone of the device.
        started_until: Latest start.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (runs; duration_s is None while one is running), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        RUNS,
        contains("label", words),
        at_least("started_at", checked_moment(started_from, "started_from")),
        at_most("started_at", checked_moment(started_until, "started_until")),
        order_by="started_at",
        descending=True,
        show=_shown,
        limit=limit,
        cursor=cursor,
    )
