"""Which tables are free when: computed from opening hours, exceptions, and what is taken."""

import datetime
from collections.abc import Iterator
from typing import Any

from tool_sandbox.apps import Read, as_moment, current_device, now, rows_of, seconds_of, today
from tool_sandbox.apps.dining.tables import (
    HOURS,
    RESERVATIONS,
    SPECIAL_HOURS,
    TABLES,
    TAKEN,
    TIME,
    WEEKDAYS,
    keeps_table,
)

Row = dict[str, Any]

STEP = 15
"""Minutes between times at which guests are seated."""


def check_time(value: str, name: str) -> None:
    """Refuses what is no time of day.

    Raises:
        ValueError: It is none.
    """
    if not TIME.fullmatch(value):
        raise ValueError(f"{name} must be a time of day such as 18:30, got {value[:20]!r}")


def check_day(restaurant: Row, day: str) -> None:
    """Refuses days for which a restaurant takes no reservations.

    Raises:
        ValueError: The day is over or too far ahead.
    """
    ahead = (datetime.date.fromisoformat(day) - datetime.date.fromisoformat(today())).days
    if ahead < 0:
        raise ValueError(f"{day} is over")
    if ahead > restaurant["days_ahead"]:
        raise ValueError(f"{restaurant['name']} takes reservations {restaurant['days_ahead']} days ahead, not {ahead}")


def spans_of(restaurant_id: str, day: str, read: Read = rows_of) -> list[tuple[str, str]]:
    """First and last seating of a date, twice if there is a break, never if it is closed."""
    special = [row for row in read(SPECIAL_HOURS).with_cell("restaurant_id", restaurant_id) if row["date"] == day]
    weekday = WEEKDAYS[datetime.date.fromisoformat(day).weekday()]
    rows = read(HOURS).with_cell("restaurant_id", restaurant_id)
    rows = special or [row for row in rows if row["weekday"] == weekday]
    return sorted((row["opens"], row["last_seating"]) for row in rows if row["opens"] is not None)


def _is_free(table_id: str, starts: float, ends: float, read: Read, without: str) -> bool:
    reservations = read(RESERVATIONS).with_cell("table_id", table_id)
    kept = [row for row in reservations if row["reservation_id"] != without and keeps_table(row)]
    rows = [*kept, *read(TAKEN).with_cell("table_id", table_id)]
    return all(ends <= seconds_of(row["starts_at"]) or seconds_of(row["ends_at"]) <= starts for row in rows)


def free_tables(
    restaurant: Row, starts_at: str, party_size: int, area: str | None, read: Read = rows_of, without: str = ""
) -> list[Row]:
    """Tables for a party that are free from a moment on, the smallest first; opening hours are not looked at."""
    starts = seconds_of(starts_at)
    ends = starts + 60 * restaurant["minutes_at_table"]
    tables = read(TABLES).with_cell("restaurant_id", restaurant["restaurant_id"])
    fitting = [row for row in tables if row["fewest"] <= party_size <= row["most"] and area in (None, row["area"])]
    free = [row for row in fitting if _is_free(row["table_id"], starts, ends, read, without)]
    return sorted(free, key=lambda row: (row["most"], row["name"]))


def seatings(restaurant_id: str, day: str, earliest: str, latest: str, read: Read = rows_of) -> Iterator[str]:
    """Moments of a date at which guests are seated, those that are over left out."""
    zone, date = current_device().timezone, datetime.date.fromisoformat(day)
    for first, last in spans_of(restaurant_id, day, read):
        for minutes in range(_minutes(max(first, earliest)), _minutes(min(last, latest)) + 1):
            if minutes % STEP:
                continue
            local = datetime.datetime.combine(date, datetime.time(minutes // 60, minutes % 60), zone)
            if seconds_of(now()) < local.timestamp():
                yield as_moment(local.timestamp())


def free_times(restaurant: Row, day: str, span: tuple[str, str], party: int, area: str | None, read: Read) -> list[str]:
    """Moments of a date at which a party can be seated."""
    moments = seatings(restaurant["restaurant_id"], day, *span, read)
    return [moment for moment in moments if free_tables(restaurant, moment, party, area, read)]


def _minutes(time: str) -> int:
    return 60 * int(time[:2]) + int(time[3:])
