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


Span = tuple[float, float]


def _fitting(
    restaurant: Row, party_size: int, area: str | None, read: Read, without: str
) -> list[tuple[Row, list[Span]]]:
    """Tables for a party, the smallest first, each with the times at which it is not free."""
    tables = read(TABLES).with_cell("restaurant_id", restaurant["restaurant_id"])
    fitting = [row for row in tables if row["fewest"] <= party_size <= row["most"] and area in (None, row["area"])]
    fitting.sort(key=lambda row: (row["most"], row["name"]))
    return [(row, _busy(row["table_id"], read, without)) for row in fitting]


def _busy(table_id: str, read: Read, without: str) -> list[Span]:
    spans, present = list[Span](), seconds_of(now())
    for schema in (RESERVATIONS, TAKEN):
        table = read(schema)
        starts = table.derived(table.schema.reader(seconds_of, "starts_at"))
        ends = table.derived(table.schema.reader(seconds_of, "ends_at"))
        for place in table.groups("table_id").get(table_id, ()):
            if ends[place] <= present:
                # What is over keeps nobody from coming.
                continue
            row = table.schema.as_dict(table.rows[place]) if schema is RESERVATIONS else None
            if row is None or (row["reservation_id"] != without and keeps_table(row)):
                spans.append((starts[place], ends[place]))
    return spans


def _is_free(spans: list[Span], restaurant: Row, starts_at: str) -> bool:
    starts = seconds_of(starts_at)
    ends = starts + 60 * restaurant["minutes_at_table"]
    return all(ends <= first or last <= starts for first, last in spans)


def free_tables(restaurant: Row, starts_at: str, party_size: int, area: str | None, without: str = "") -> list[Row]:
    """Tables for a party that are free from a moment on, the smallest first; opening hours are not looked at."""
    fitting = _fitting(restaurant, party_size, area, rows_of, without)
    return [row for row, spans in fitting if _is_free(spans, restaurant, starts_at)]


def seatings(restaurant_id: str, day: str, earliest: str, latest: str, read: Read = rows_of) -> Iterator[str]:
    """Moments of a date at which guests are seated, those that are over left out."""
    zone, date = current_device().timezone, datetime.date.fromisoformat(day)
    present = seconds_of(now())
    for first, last in spans_of(restaurant_id, day, read):
        begins = _minutes(max(first, earliest))
        for minutes in range(begins + -begins % STEP, _minutes(min(last, latest)) + 1, STEP):
            local = datetime.datetime.combine(date, datetime.time(minutes // 60, minutes % 60), zone)
            if present < local.timestamp():
                yield as_moment(local.timestamp())


def free_times(restaurant: Row, day: str, span: tuple[str, str], party: int, area: str | None, read: Read) -> list[str]:
    """Moments of a date at which a party can be seated."""
    fitting = _fitting(restaurant, party, area, read, "")
    moments = seatings(restaurant["restaurant_id"], day, *span, read) if fitting else ()
    return [moment for moment in moments if any(_is_free(spans, restaurant, moment) for _, spans in fitting)]


def _minutes(time: str) -> int:
    return 60 * int(time[:2]) + int(time[3:])
