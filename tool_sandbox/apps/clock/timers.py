"""Tools for timers."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_moment,
    change,
    checked_text,
    contains,
    current_device,
    equals,
    get,
    now,
    remove,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.clock.tables import DAY_S, LONGEST_LABEL, TIMERS


def _left_s(timer: dict[str, Any]) -> int:
    """How many seconds are left of a timer now."""
    if timer["state"] == "paused":
        return int(timer["left_s"])
    return max(0, int(timer["left_s"]) - int(current_device().now() - seconds_of(timer["counted_from"])))


def _shown(timer: dict[str, Any], read: Read | None = None) -> dict[str, Any]:
    """A timer as it is shown: what runs has an end, what is paused has a rest, and neither moves between two looks."""
    left_s, counted_from, is_paused = timer.pop("left_s"), timer.pop("counted_from"), timer["state"] == "paused"
    ends_at = None if is_paused else as_moment(seconds_of(counted_from) + left_s)
    return timer | {"ends_at": ends_at, "paused_with_s": left_s if is_paused else None}


@tool
def start_timer(duration_s: int, label: str = "Timer") -> str:
    """Start a new timer, which counts down at once.

    Args:
        duration_s: How long it runs, in seconds, at most 86400 (a day).
        label: What it is for.

    Returns:
        Identifier of the new timer.

    Raises:
        ValueError: The duration is not from 1 to 86400 seconds, or the label is blank or too long.
    """
    if not 1 <= duration_s <= DAY_S:
        raise ValueError(f"duration_s must be from 1 to {DAY_S}")
    checked_text(label, "label", LONGEST_LABEL)
    duration = int(duration_s)
    return add(TIMERS, label=label, duration_s=duration, state="running", left_s=duration, counted_from=now())


@tool
def get_timer(timer_id: str) -> dict[str, Any]:
    """Read one timer, with the time that is left of it.

    Args:
        timer_id: Identifier of the timer.

    Returns:
        The timer; remaining_s is 0 once it has rung.

    Raises:
        NoDataError: No timer has this identifier.
    """
    timer = get(TIMERS, timer_id)
    return {"remaining_s": _left_s(timer), **_shown(timer)}


@tool
def search_timers(
    words: str | NotGiven = NOT_GIVEN,
    state: Literal["running", "paused"] | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find timers, those started or paused last first. Without conditions it lists all.

    Args:
        words: Words that all occur in the label.
        state: Whether the timers are running or paused.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (timers; one that is running and whose ends_at has passed has rung), total, and next_cursor, which is
        None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        TIMERS,
        contains("label", words),
        equals("state", state),
        order_by="counted_from",
        descending=True,
        show=_shown,
        limit=limit,
        cursor=cursor,
    )


@tool
def pause_timer(timer_id: str) -> int:
    """Stop a running timer for a while.

    Args:
        timer_id: Identifier of the timer.

    Returns:
        Number of seconds that are left of it.

    Raises:
        ValueError: It is paused already, or has rung.
        NoDataError: No timer has this identifier.
    """
    timer = get(TIMERS, timer_id)
    if timer["state"] == "paused":
        raise ValueError("the timer is paused already")
    if not (left := _left_s(timer)):
        raise ValueError("the timer has rung already, it cannot be paused")
    change(TIMERS, timer_id, state="paused", left_s=left, counted_from=now())
    return left


@tool
def resume_timer(timer_id: str) -> str:
    """Let a paused timer go on.

    Args:
        timer_id: Identifier of the timer.

    Returns:
        The moment at which it rings.

    Raises:
        ValueError: It is not paused.
        NoDataError: No timer has this identifier.
    """
    timer = get(TIMERS, timer_id)
    if timer["state"] != "paused":
        raise ValueError("the timer is not paused")
    changed = change(TIMERS, timer_id, state="running", counted_from=now())
    return str(_shown(changed)["ends_at"])


@tool
def cancel_timer(timer_id: str) -> None:
    """Cancel a timer, so that it does not ring, or take one that has rung off the list.

    Args:
        timer_id: Identifier of the timer.

    Returns:
        Nothing.

    Raises:
        NoDataError: No timer has this identifier.
    """
    remove(TIMERS, timer_id)
