"""Tools for reservations of tables."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_moment,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    checked_texts,
    equals,
    get,
    meets,
    now,
    rows_of,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.dining.free import check_day, free_tables, seatings
from tool_sandbox.apps.dining.tables import RESERVATIONS, RESTAURANTS, TABLES, state_of

Row = dict[str, Any]

CONFIRM_HOURS = 24
MOST_GUESTS = 40


def seat(restaurant: Row, starts_at: str, party_size: int, area: str | None, without: str = "") -> Row:
    """The cells of a reservation that say where and when.

    Raises:
        ValueError: There is no such time, or no table that is free; says which.
    """
    moment = str(checked_moment(starts_at, "starts_at"))
    check_day(restaurant, moment[:10])
    if moment not in seatings(restaurant["restaurant_id"], moment[:10], "00:00", "23:59"):
        raise ValueError(f"{restaurant['name']} seats nobody at {moment[:16]}: closed, over, or no quarter of an hour")
    tables = free_tables(restaurant, moment, party_size, area, without=without)
    if not tables:
        place = f" ({area})" if area else ""
        raise ValueError(f"no table{place} for {str(party_size)[:6]} is free at {moment[:16]}, see search_free_tables")
    ends_at = as_moment(seconds_of(moment) + 60 * restaurant["minutes_at_table"])
    return {"table_id": tables[0]["table_id"], "party_size": int(party_size), "starts_at": moment, "ends_at": ends_at}


def confirmation(restaurant: Row, starts_at: str, party_size: int) -> dict[str, Any]:
    """Until when a reservation has to be confirmed; not if the party is small or the time is near."""
    until = seconds_of(starts_at) - CONFIRM_HOURS * 3600
    needed = party_size >= restaurant["confirm_from"] and until > seconds_of(now())
    return {"confirm_until": as_moment(until) if needed else None, "confirmed": False}


def make_reservation(restaurant: Row, cells: Row, guests: list[str], wishes: str | None) -> dict[str, Any]:
    """Adds a reservation, and tells what a caller has to know of it."""
    asked = confirmation(restaurant, cells["starts_at"], cells["party_size"])
    fixed = {"restaurant_id": restaurant["restaurant_id"], "state": "booked", "made_at": now(), "fee": 0}
    reservation_id = add(RESERVATIONS, **fixed, **cells, **asked, guests=guests, wishes=wishes)
    table = get(TABLES, cells["table_id"])
    shown = {"table": table["name"], "area": table["area"], "confirm_until": asked["confirm_until"]}
    return {"reservation_id": reservation_id, "starts_at": cells["starts_at"]} | shown


def _guests(guests: Any) -> Any:
    return checked_texts(guests, "guests", longest=80, most=MOST_GUESTS)


@tool
def reserve_table(
    restaurant_id: str,
    starts_at: str,
    party_size: int,
    area: Literal["inside", "terrace", "bar", "private room"] | None = None,
    guests: list[str] | None = None,
    wishes: str | None = None,
) -> dict[str, Any]:
    """Reserve a table in a restaurant, in the name of the user.

    Args:
        restaurant_id: Identifier of the restaurant.
        starts_at: When the party arrives, at a quarter of an hour, for example 2025-05-14T19:30.
        party_size: Number of people, the user included.
        area: Where the table is to be; anywhere if left out.
        guests: Names of those who come along.
        wishes: What the restaurant is asked for.

    Returns:
        reservation_id, starts_at, table, area, and confirm_until: if it is not None, confirm_table_reservation has to
        be called before then, or the table is given away.

    Raises:
        ValueError: The restaurant seats nobody then, no table is free, more guests than seats, or a text is too long.
        NoDataError: No restaurant has this identifier.
    """
    restaurant = get(RESTAURANTS, restaurant_id)
    checked_text(wishes, "wishes", 300)
    names = _guests(guests or [])
    if len(names) > max(0, party_size - 1):
        raise ValueError(f"party_size is {str(party_size)[:6]}, with {len(names)} guests beside the user")
    return make_reservation(restaurant, seat(restaurant, starts_at, party_size, area), names, wishes)


def _listed(reservation: Row, read: Read) -> Row:
    restaurant = read(RESTAURANTS).get(reservation["restaurant_id"]) or {}
    shown = ("reservation_id", "restaurant_id", "party_size", "starts_at", "guests", "confirm_until", "bill", "rating")
    about = {"restaurant": restaurant.get("name"), "state": state_of(reservation)}
    return {name: reservation[name] for name in shown} | about | {"guests": reservation["guests"][:8]}


@tool
def search_table_reservations(
    restaurant_id: str | NotGiven = NOT_GIVEN,
    state: Literal["booked", "unconfirmed", "lapsed", "past", "cancelled"] | NotGiven = NOT_GIVEN,
    guest: str | NotGiven = NOT_GIVEN,
    starts_from: str | NotGiven = NOT_GIVEN,
    starts_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find reservations of tables and visits of the past, the latest first. Without conditions it lists all.

    Args:
        restaurant_id: Identifier of the restaurant.
        state: Booked, unconfirmed (and to be confirmed), lapsed for want of that, past, or cancelled.
        guest: Name of somebody who comes along.
        starts_from: Earliest time, for example 2025-05-14T10:24.
        starts_until: Latest time.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with bills in cents), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        RESERVATIONS,
        equals("restaurant_id", restaurant_id),
        equals("guests", guest),
        at_least("starts_at", checked_moment(starts_from, "starts_from")),
        at_most("starts_at", checked_moment(starts_until, "starts_until")),
        meets("state", state, lambda reservation: state_of(reservation) == state),
        order_by="starts_at",
        descending=True,
        show=_listed,
        limit=limit,
        cursor=cursor,
    )


@tool
def get_table_reservation(reservation_id: str) -> dict[str, Any]:
    """Read a reservation of a table: where, when, with whom, and what cancelling it now would cost.

    Args:
        reservation_id: Identifier of the reservation.

    Returns:
        The reservation with restaurant, table and area; cancellation_fee in cents, None if it cannot be cancelled.

    Raises:
        NoDataError: No reservation has this identifier.
    """
    reservation = get(RESERVATIONS, reservation_id)
    restaurant, table = get(RESTAURANTS, reservation["restaurant_id"]), get(TABLES, reservation["table_id"])
    about = {"restaurant": restaurant["name"], "table": table["name"], "area": table["area"]}
    fee = fee_of(reservation, restaurant) if is_open(reservation) else None
    return reservation | about | {"state": state_of(reservation), "cancellation_fee": fee}


def is_open(reservation: Row) -> bool:
    """Whether a reservation is still to come."""
    begun = seconds_of(reservation["starts_at"]) <= seconds_of(now())
    return state_of(reservation) in ("booked", "unconfirmed") and not begun


def check_open(reservation: Row) -> None:
    """Refuses a reservation that is not.

    Raises:
        ValueError: It is over, has lapsed or was cancelled.
    """
    if not is_open(reservation):
        raise ValueError(f"the reservation is {state_of(reservation)} or has begun, nothing can be changed any more")


def fee_of(reservation: Row, restaurant: Row) -> int:
    """What it costs to cancel a reservation now."""
    hours = (seconds_of(reservation["starts_at"]) - seconds_of(now())) / 3600
    return 0 if hours >= restaurant["free_cancel_hours"] else restaurant["fee_per_person"] * reservation["party_size"]


def _same_area(reservation: Row, party_size: int) -> str | None:
    """The area of a reservation, if it has tables for a party."""
    area = str(get(TABLES, reservation["table_id"])["area"])
    tables = rows_with(TABLES, "restaurant_id", reservation["restaurant_id"])
    return area if any(row["area"] == area and row["fewest"] <= party_size <= row["most"] for row in tables) else None


@tool
def modify_table_reservation(
    reservation_id: str,
    starts_at: str | NotGiven = NOT_GIVEN,
    party_size: int | NotGiven = NOT_GIVEN,
    area: Literal["inside", "terrace", "bar", "private room"] | NotGiven | None = NOT_GIVEN,
    guests: list[str] | NotGiven = NOT_GIVEN,
    wishes: str | NotGiven | None = NOT_GIVEN,
) -> dict[str, Any]:
    """Change a reservation of a table. What is left out stays as it is; a confirmation is asked for again.

    Args:
        reservation_id: Identifier of the reservation.
        starts_at: New time; not while cancelling would cost a fee.
        party_size: New number of people, the user included.
        area: Where the table is to be; None for anywhere. Left out: where it was, if a table there is large enough.
        guests: Names of all who come along.
        wishes: What the restaurant is asked for.

    Returns:
        starts_at, table, area and confirm_until as they are now.

    Raises:
        ValueError: Nothing to change was given, the reservation is over, no table is free then, or it is too late.
        NoDataError: No reservation has this identifier.
    """
    reservation = get(RESERVATIONS, reservation_id)
    check_open(reservation)
    restaurant = get(RESTAURANTS, reservation["restaurant_id"])
    checked_text(wishes, "wishes", 300)
    cells: Row = {"guests": _guests(guests), "wishes": wishes}
    if not (isinstance(starts_at, NotGiven) and isinstance(party_size, NotGiven) and isinstance(area, NotGiven)):
        moved = reservation["starts_at"] if isinstance(starts_at, NotGiven) else starts_at
        size = reservation["party_size"] if isinstance(party_size, NotGiven) else party_size
        if not isinstance(starts_at, NotGiven) and fee_of(reservation, restaurant):
            raise ValueError("it is too late to move the reservation, cancelling it would cost a fee already")
        place = _same_area(reservation, size) if isinstance(area, NotGiven) else area
        cells |= seat(restaurant, moved, size, place, without=reservation_id)
        cells |= confirmation(restaurant, cells["starts_at"], size)
    changed = change(RESERVATIONS, reservation_id, **cells)
    if len(changed["guests"]) >= changed["party_size"]:
        raise ValueError(f"party_size is {changed['party_size']}, with {len(changed['guests'])} guests beside the user")
    table = rows_of(TABLES).get(changed["table_id"]) or {}
    shown = {name: changed[name] for name in ("starts_at", "party_size", "confirm_until")}
    return shown | {"table": table.get("name"), "area": table.get("area")}
