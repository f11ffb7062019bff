"""What happens in restaurants by itself, for scenarios in a world that moves."""

from typing import Any

from tool_sandbox.apps import add, as_moment, checked_moment, effect, get, remove, rows_with, seconds_of
from tool_sandbox.apps.dining.free import free_tables
from tool_sandbox.apps.dining.tables import RESTAURANTS, TABLES, TAKEN


def _time(restaurant: dict[str, Any], starts_at: str) -> tuple[str, str]:
    begins = checked_moment(starts_at, "starts_at")
    return begins, as_moment(seconds_of(begins) + 60 * restaurant["minutes_at_table"])


@effect
def table_is_freed(restaurant_id: str, starts_at: str, party_size: int) -> str:
    """Other guests give up what keeps the smallest table for a party from being free at a time."""
    restaurant = get(RESTAURANTS, restaurant_id)
    begins, ends = _time(restaurant, starts_at)
    tables = [row for row in rows_with(TABLES, "restaurant_id", restaurant_id) if row["most"] >= party_size]
    for each in sorted((row for row in tables if row["fewest"] <= party_size), key=lambda row: int(row["most"])):
        if free_tables(restaurant, begins, party_size, None):
            break
        for row in rows_with(TAKEN, "table_id", each["table_id"]):
            if seconds_of(row["starts_at"]) < seconds_of(ends) and seconds_of(row["ends_at"]) > seconds_of(begins):
                remove(TAKEN, row["taken_id"])
    return f"{restaurant['name']} has a table for {party_size} at {starts_at}"


@effect
def tables_are_taken(restaurant_id: str, starts_at: str, party_size: int) -> str:
    """Other guests reserve all tables that a party could have at a time."""
    restaurant = get(RESTAURANTS, restaurant_id)
    begins, ends = _time(restaurant, starts_at)
    for each in free_tables(restaurant, begins, party_size, None):
        add(TAKEN, table_id=each["table_id"], starts_at=begins, ends_at=ends)
    return f"{restaurant['name']} has no table for {party_size} at {starts_at} any more"
