"""What the dining app keeps: restaurants with hours and tables, reservations, waiting lists, and what guests eat."""

import itertools
import re
from typing import Any

from tool_sandbox.apps import (
    TableRule,
    automatic,
    choice,
    date,
    flag,
    key,
    moment,
    now,
    only_one,
    reference,
    seconds_of,
    table,
    text,
    texts,
    whole,
)
from tool_sandbox.apps.columns import money
from tool_sandbox.world.table import Table

Row = dict[str, Any]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
AREAS = ("inside", "terrace", "bar", "private room")
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


def state_of(reservation: Row) -> str:
    """State of a reservation now: booked, unconfirmed, lapsed, past or cancelled."""
    if reservation["state"] == "cancelled":
        return "cancelled"
    if reservation["confirm_until"] is not None and not reservation["confirmed"]:
        over = seconds_of(reservation["confirm_until"]) <= seconds_of(now())
        return "lapsed" if over else "unconfirmed"
    return "past" if seconds_of(reservation["ends_at"]) <= seconds_of(now()) else "booked"


def keeps_table(reservation: Row) -> bool:
    """Whether a reservation keeps its table from others."""
    return state_of(reservation) not in ("cancelled", "lapsed")


def _runs(row: Row) -> str | None:
    ordered = row["opens"] is None or (TIME.fullmatch(row["opens"]) and TIME.fullmatch(row["last_seating"]))
    if not ordered or (row["opens"] is not None and row["opens"] > row["last_seating"]):
        return "opening hours must be two times of a day in order"
    return None


def _both_or_none(row: Row) -> str | None:
    if (row["opens"] is None) != (row["last_seating"] is None):
        return "special hours have both times, or none when it is closed"
    return _runs(row)


def _ends_after_it_starts(row: Row) -> str | None:
    return "a table is taken for no time" if seconds_of(row["ends_at"]) <= seconds_of(row["starts_at"]) else None


def _seats_one_party(table_id: str, reservations: Table, taken: Table) -> str | None:
    """No table is kept for two parties at a time."""
    rows = [*filter(keeps_table, reservations.with_cell("table_id", table_id)), *taken.with_cell("table_id", table_id)]
    times = sorted((seconds_of(row["starts_at"]), seconds_of(row["ends_at"])) for row in rows)
    wrong = any(first[1] > second[0] for first, second in itertools.pairwise(times))
    return f"table {table_id} is kept for two parties at a time" if wrong else None


RESTAURANTS = table(
    "dining.restaurants",
    key("restaurant_id"),
    text("name"),
    text("cuisine"),
    text("neighbourhood"),
    text("phone_number"),
    whole("price_level", 1, 4),
    whole("stars", 1, 5),
    texts("features"),
    texts("diets"),
    flag("favourite"),
    whole("minutes_at_table", 30, 300),
    whole("days_ahead", 1, 120),
    whole("confirm_from", 2, 40),
    whole("free_cancel_hours", 0, 96),
    money("fee_per_person", 0),
    text("currency"),
    unique=[only_one("name")],
)
"""Restaurants, with what they ask of those who reserve."""

HOURS = table(
    "dining.hours",
    key("hours_id"),
    reference("restaurant_id", "dining.restaurants"),
    choice("weekday", *WEEKDAYS),
    text("opens"),
    text("last_seating"),
    unique=[only_one("restaurant_id", "weekday", "opens")],
    row_rules=[_runs],
)
"""When guests are seated on a day of the week; there may be two spans a day."""

SPECIAL_HOURS = table(
    "dining.special_hours",
    key("special_hours_id"),
    reference("restaurant_id", "dining.restaurants"),
    date("date"),
    text("reason"),
    text("opens", optional=True),
    text("last_seating", optional=True),
    unique=[only_one("restaurant_id", "date")],
    row_rules=[_both_or_none],
)
"""Dates on which other hours hold than those of the weekday; without times it is closed."""

TABLES = table(
    "dining.tables",
    key("table_id"),
    reference("restaurant_id", "dining.restaurants"),
    text("name"),
    choice("area", *AREAS),
    whole("fewest", 1, 40),
    whole("most", 1, 40),
    unique=[only_one("restaurant_id", "name")],
)
"""Tables of restaurants, with the sizes of parties that they are given to."""

TAKEN = table(
    "dining.taken",
    key("taken_id"),
    reference("table_id", "dining.tables"),
    moment("starts_at"),
    moment("ends_at"),
    row_rules=[_ends_after_it_starts],
)
"""When tables are taken by other people."""

RESERVATIONS = table(
    "dining.reservations",
    key("reservation_id"),
    reference("restaurant_id", "dining.restaurants"),
    reference("table_id", "dining.tables"),
    whole("party_size", 1, 40),
    moment("starts_at"),
    automatic(moment("ends_at")),
    texts("guests"),
    text("wishes", optional=True),
    choice("state", "booked", "cancelled"),
    automatic(moment("confirm_until", optional=True)),
    flag("confirmed"),
    automatic(moment("made_at")),
    money("fee", 0),
    money("bill", 0, optional=True),
    whole("rating", 1, 5, optional=True),
    text("note", optional=True),
    row_rules=[_ends_after_it_starts],
    rules=[TableRule(_seats_one_party, others=("dining.taken",), per=("table_id",))],
)
"""Own reservations, and what visits cost and were like."""

ENTRIES = table(
    "dining.entries",
    key("entry_id"),
    reference("restaurant_id", "dining.restaurants"),
    date("wait_on"),
    text("earliest"),
    text("latest"),
    whole("party_size", 1, 40),
    automatic(moment("joined_at")),
    unique=[only_one("restaurant_id", "wait_on")],
)
"""Own entries on waiting lists."""

GUESTS = table(
    "dining.guests",
    key("guest_id"),
    text("name"),
    texts("diets"),
    text("remark", optional=True),
    unique=[only_one("name", words="what {name} eats is noted already")],
)
"""What people eat."""
