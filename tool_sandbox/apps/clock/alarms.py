"""Tools for alarms."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
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
from tool_sandbox.apps.clock.tables import ALARMS, DAYS, LONGEST_LABEL, TIME

Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def _checked_time(value: Any) -> Any:
    if isinstance(value, str) and not TIME.fullmatch(value):
        raise ValueError(f"time must be a time of day such as 07:30, from 00:00 to 23:59, got {value[:40]!r}")
    return value


def _in_order(days: Any) -> Any:
    return [day for day in DAYS if day in days] if isinstance(days, list) else days


def next_ring(alarm: dict[str, Any]) -> str | None:
    """When an alarm rings next, ``None`` if it is off or has rung for the only time."""
    if not alarm["enabled"]:
        return None
    days, zone = alarm["repeat_days"], current_device().timezone
    begin = seconds_of(now() if days else alarm["set_at"])
    hour, minute = map(int, alarm["time"].split(":"))
    first = datetime.datetime.fromtimestamp(begin, zone).date()
    for ahead in range(8):
        day = first + datetime.timedelta(days=ahead)
        # A time that clocks skip on that day is an hour later then.
        rings = datetime.datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).timestamp()
        if rings > begin and (not days or DAYS[day.weekday()] in days):
            return as_moment(rings) if rings > current_device().now() else None
    return None


@tool
def set_alarm(time: str, label: str = "Alarm", repeat_days: list[Day] | None = None) -> str:
    """Set a new alarm, which is on. Without days it rings once, the next time that it is that time of day.

    Args:
        time: Local time of day at which it rings, for example 07:30.
        label: What it is for.
        repeat_days: Days of the week on which it rings again and again, for example ["monday", "friday"].

    Returns:
        Identifier of the new alarm.

    Raises:
        ValueError: The time cannot be understood, or the label is blank or too long.
    """
    _checked_time(time)
    checked_text(label, "label", LONGEST_LABEL)
    days = _in_order(repeat_days or [])
    return add(ALARMS, label=label, time=time, repeat_days=days, enabled=True, set_at=now())


@tool
def get_alarm(alarm_id: str) -> dict[str, Any]:
    """Read one alarm, with the moment at which it rings next.

    Args:
        alarm_id: Identifier of the alarm.

    Returns:
        The alarm; next_ring_at is None if it is off, or has rung for the only time.

    Raises:
        NoDataError: No alarm has this identifier.
    """
    alarm = get(ALARMS, alarm_id)
    return alarm | {"next_ring_at": next_ring(alarm)}


@tool
def search_alarms(
    words: str | NotGiven = NOT_GIVEN,
    repeat_day: Day | NotGiven = NOT_GIVEN,
    enabled: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find alarms, earliest time of day first. Without conditions it lists all.

    Args:
        words: Words that all occur in the label.
        repeat_day: A day of the week on which the alarms ring again and again.
        enabled: Whether the alarms are on.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (alarms), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        ALARMS,
        contains("label", words),
        equals("repeat_days", repeat_day),
        equals("enabled", enabled),
        order_by="time",
        limit=limit,
        cursor=cursor,
    )


@tool
def modify_alarm(
    alarm_id: str,
    time: str | NotGiven = NOT_GIVEN,
    label: str | NotGiven = NOT_GIVEN,
    repeat_days: list[Day] | NotGiven = NOT_GIVEN,
    enabled: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Change an alarm, or turn it on or off. What is left out stays as it is; one that rings once is set anew.

    Args:
        alarm_id: Identifier of the alarm.
        time: New local time of day, for example 07:30.
        label: What it is for from now on.
        repeat_days: All days of the week on which it rings from now on; an empty list to ring once.
        enabled: Whether it is on.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, or the time or the label cannot be taken.
        NoDataError: No alarm has this identifier.
    """
    get(ALARMS, alarm_id)
    given = {"time": _checked_time(time), "label": checked_text(label, "label", LONGEST_LABEL)}
    change(ALARMS, alarm_id, **given, repeat_days=_in_order(repeat_days), enabled=enabled)
    change(ALARMS, alarm_id, set_at=now())


@tool
def delete_alarm(alarm_id: str) -> None:
    """Delete an alarm.

    Args:
        alarm_id: Identifier of the alarm.

    Returns:
        Nothing.

    Raises:
        NoDataError: No alarm has this identifier.
    """
    remove(ALARMS, alarm_id)
