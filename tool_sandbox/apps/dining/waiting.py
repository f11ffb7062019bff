"""Tools for waiting lists: whether a table has become free is found when a list is read."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    checked_date,
    equals,
    get,
    now,
    remove,
    rows_of,
    rows_with,
    search,
    today,
    tool,
)
from tool_sandbox.apps.dining.free import check_day, check_time, free_times, spans_of
from tool_sandbox.apps.dining.reservations import make_reservation, seat
from tool_sandbox.apps.dining.tables import ENTRIES, RESTAURANTS, TABLES

Row = dict[str, Any]


@tool
def join_restaurant_waiting_list(
    restaurant_id: str, wait_on: str, party_size: int, earliest: str = "18:00", latest: str = "21:00"
) -> str:
    """Put the user on the waiting list of a restaurant that has no free table on a date, one entry for each date.

    Args:
        restaurant_id: Identifier of the restaurant.
        wait_on: Date, for example 2025-05-14.
        party_size: Number of people.
        earliest: Earliest time of being seated, for example 18:30.
        latest: Latest time of being seated.

    Returns:
        Identifier of the entry; search_waiting_list_entries tells whether a table has become free.

    Raises:
        ValueError: A table is free, the restaurant is closed then or has no table of this size, the user is on the list
            of this date, or a date or time is wrong.
        NoDataError: No restaurant has this identifier.
    """
    restaurant = get(RESTAURANTS, restaurant_id)
    checked_date(wait_on, "wait_on")
    check_time(earliest, "earliest")
    check_time(latest, "latest")
    if earliest > latest:
        raise ValueError("earliest must not be after latest")
    check_day(restaurant, wait_on)
    if not any(first <= latest and earliest <= last for first, last in spans_of(restaurant_id, wait_on)):
        raise ValueError(f"{restaurant['name']} seats nobody then on {wait_on}")
    if not any(row["fewest"] <= party_size <= row["most"] for row in rows_with(TABLES, "restaurant_id", restaurant_id)):
        raise ValueError(f"{restaurant['name']} has no table for {str(party_size)[:6]}")
    if any(row["wait_on"] == wait_on for row in rows_with(ENTRIES, "restaurant_id", restaurant_id)):
        raise ValueError(f"the user is on the waiting list for {wait_on} already")
    if times := free_times(restaurant, wait_on, (earliest, latest), party_size, None, rows_of):
        raise ValueError(f"a table is free at {times[0][11:16]}, reserve_table gets it")
    cells = {"wait_on": wait_on, "earliest": earliest, "latest": latest, "party_size": int(party_size)}
    return add(ENTRIES, restaurant_id=restaurant_id, **cells, joined_at=now())


def _listed(entry: Row, read: Read) -> Row:
    restaurant = read(RESTAURANTS).get(entry["restaurant_id"]) or {}
    span, over = (entry["earliest"], entry["latest"]), entry["wait_on"] < today()
    times = [] if over else free_times(restaurant, entry["wait_on"], span, entry["party_size"], None, read)
    state = "over" if over else "free" if times else "waiting"
    return entry | {"restaurant": restaurant["name"], "state": state, "times": [each[11:16] for each in times]}


@tool
def search_waiting_list_entries(
    restaurant_id: str | NotGiven = NOT_GIVEN,
    wait_on: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """List on which waiting lists of restaurants the user is, and where a table has become free.

    Args:
        restaurant_id: Identifier of the restaurant.
        wait_on: Date.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (entries; state is waiting, free or over, times are those that are free now), total, and next_cursor,
        which is None on the last page.

    Raises:
        ValueError: The date, the limit or the cursor cannot be understood.
    """
    conditions = equals("restaurant_id", restaurant_id), equals("wait_on", checked_date(wait_on, "wait_on"))
    return search(ENTRIES, *conditions, order_by="wait_on", show=_listed, limit=limit, cursor=cursor)


@tool
def accept_waiting_list_table(entry_id: str, time: str | None = None) -> dict[str, Any]:
    """Take a table that has become free for an entry on a waiting list; the entry becomes a reservation.

    Args:
        entry_id: Identifier of the entry.
        time: One of the times of the entry, for example 19:30; the earliest that is free if left out.

    Returns:
        reservation_id, starts_at, table, area, and confirm_until as for reserve_table.

    Raises:
        ValueError: No table is free, or not at this time.
        NoDataError: No entry has this identifier.
    """
    entry = get(ENTRIES, entry_id)
    restaurant, times = get(RESTAURANTS, entry["restaurant_id"]), _listed(entry, rows_of)["times"]
    if not times or time not in (None, *times):
        raise ValueError(f"no table is free then; free are {', '.join(times) or 'none'}")
    cells = seat(restaurant, f"{entry['wait_on']}T{time or times[0]}", entry["party_size"], None)
    remove(ENTRIES, entry_id)
    return make_reservation(restaurant, cells, [], None)


@tool
def leave_restaurant_waiting_list(entry_id: str) -> None:
    """Take the user off a waiting list of a restaurant.

    Args:
        entry_id: Identifier of the entry.

    Returns:
        Nothing.

    Raises:
        NoDataError: No entry has this identifier.
    """
    remove(ENTRIES, entry_id)
