"""Tools for reading and paying bookings."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    as_money,
    at_least,
    at_most,
    change,
    checked_moment,
    contains,
    equals,
    get,
    meets,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.travel.stock import balance_of, cancellation_fee, departure_of, legs_of, state_of
from tool_sandbox.apps.travel.tables import (
    BOOKINGS,
    DEPARTURES,
    FARES,
    HOTELS,
    MEMBERSHIPS,
    ROOMS,
    STAYS,
    TRAVELLERS,
)

Row = dict[str, Any]

RULES = ("name", "change_fee", "refund_percent", "closes_hours", "bags")


def _listed(booking: Row, read: Read) -> Row:
    travellers = [read(TRAVELLERS).get(each) or {} for each in booking.pop("traveller_ids")]
    del booking["made_at"]
    return booking | {"state": state_of(booking), "travellers": [each.get("name") for each in travellers]}


@tool
def search_travel_bookings(
    words: str | NotGiven = NOT_GIVEN,
    kind: Literal["trip", "hotel"] | NotGiven = NOT_GIVEN,
    state: Literal["held", "expired", "confirmed", "travelled", "cancelled"] | NotGiven = NOT_GIVEN,
    traveller_id: str | NotGiven = NOT_GIVEN,
    starts_from: str | NotGiven = NOT_GIVEN,
    starts_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find bookings of flights, trains and hotels, those that begin last first. Without conditions it lists all.

    Args:
        words: Words that all occur in the title (cities or hotel) or the reference.
        kind: Whether trips or hotel rooms are wanted.
        state: Held and not paid, expired without payment, confirmed and still to end, travelled, or cancelled.
        traveller_id: Identifier of somebody for whom it is.
        starts_from: Earliest time of departure or arrival in the hotel, for example 2025-05-14T10:24.
        starts_until: Latest time of departure or arrival in the hotel.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (bookings), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        BOOKINGS,
        contains(("title", "reference"), words),
        equals("kind", kind),
        equals("traveller_ids", traveller_id),
        at_least("starts_at", checked_moment(starts_from, "starts_from")),
        at_most("starts_at", checked_moment(starts_until, "starts_until")),
        meets("state", state, lambda booking: state_of(booking) == state),
        order_by="starts_at",
        descending=True,
        show=_listed,
        limit=limit,
        cursor=cursor,
    )


def _leg(segment: Row) -> Row:
    departure, fare = get(DEPARTURES, segment["departure_id"]), get(FARES, segment["fare_id"])
    known = ("number", "carrier", "from_city", "to_city", "departs_at", "arrives_at", "state")
    shown = {name: departure[name] for name in known} | {"fare": {name: fare[name] for name in RULES}}
    return {name: cell for name, cell in segment.items() if name != "booking_id"} | shown


def _stay(stay: Row) -> Row:
    room = get(ROOMS, stay["room_id"])
    hotel = get(HOTELS, room["hotel_id"])
    about = {"hotel": hotel["name"], "city": hotel["city"], "room": room["name"], "breakfast": room["breakfast"]}
    del stay["booking_id"]
    return stay | about | {"free_cancel_days": room["free_cancel_days"]}


@tool
def get_travel_booking(booking_id: str) -> dict[str, Any]:
    """Read a whole booking: state, travellers, legs with the rules of their fares or the stay, costs.

    Args:
        booking_id: Identifier of the booking.

    Returns:
        The booking; amounts in minor units of its currency, refunds are negative; cancellation_fee is what it would
        cost to cancel it now, None if it cannot be cancelled any more.

    Raises:
        NoDataError: No booking has this identifier.
    """
    booking = get(BOOKINGS, booking_id)
    people = [{"traveller_id": each, "name": get(TRAVELLERS, each)["name"]} for each in booking.pop("traveller_ids")]
    return booking | {
        "state": state_of(booking),
        "travellers": people,
        "legs": [_leg(segment) for segment in legs_of(booking_id)],
        "stay": next((_stay(stay) for stay in rows_with(STAYS, "booking_id", booking_id)), None),
        "cancellation_fee": cancellation_fee(get(BOOKINGS, booking_id)),
    }


def _check_points(booking: Row, membership_id: str | None, points: int) -> None:
    if not 0 <= points <= booking["total"]:
        raise ValueError(f"points must be from 0 to the total, {booking['total']}, got {str(points)[:20]}")
    if points and (membership_id is None or booking["currency"] != "USD"):
        raise ValueError("points need a membership_id, and pay only for bookings in USD")
    if membership_id is not None and (free := balance_of(get(MEMBERSHIPS, membership_id))[0]) < points:
        raise ValueError(f"the membership has {free} points to spend, not {points}")


@tool
def pay_travel_booking(
    booking_id: str,
    total: int,
    membership_id: str | None = None,
    points: int = 0,
) -> dict[str, Any]:
    """Pay a booking that is held, which confirms it. Ask the user for a yes to the total first.

    Args:
        booking_id: Identifier of the booking.
        total: The most that the user has agreed to pay for it, in minor units of its currency.
        membership_id: Identifier of a membership of which points are spent.
        points: Points that are spent, each worth one cent; only for bookings in USD.

    Returns:
        reference, charged (minor units, on the card on file), and currency.

    Raises:
        ValueError: The booking is not held or a leg is cancelled, it costs more than was agreed, or points are too few.
        NoDataError: The booking or the membership is not there.
    """
    booking = get(BOOKINGS, booking_id)
    if state_of(booking) != "held":
        raise ValueError(f"only what is held can be paid, the booking is {state_of(booking)}")
    for leg in legs_of(booking_id):
        if (departure := departure_of(leg))["state"] == "cancelled":
            raise ValueError(f"{departure['number']} on {departure['departs_on']} is cancelled, see change_trip_leg")
    if booking["total"] > total:
        costs = as_money(booking["total"], booking["currency"])
        raise ValueError(f"the booking costs {costs}, more than the total given; ask the user to agree")
    _check_points(booking, membership_id, points)
    due = booking["total"] - int(points)
    spent = {"points_spent": int(points), "membership_id": membership_id if points else None}
    change(BOOKINGS, booking_id, state="confirmed", **spent)
    return {"reference": booking["reference"], "charged": due, "currency": booking["currency"]}
