"""Tools that change and cancel bookings, at the price that the rules say."""

from typing import Any

from tool_sandbox.apps import as_money, change, get, rows_with, seconds_of, tool
from tool_sandbox.apps.travel.holds import check_legs, check_passports, check_seats
from tool_sandbox.apps.travel.stock import cancellation_fee, departure_of, hours_until, is_past, legs_of, state_of
from tool_sandbox.apps.travel.tables import (
    BOOKINGS,
    FARES,
    MEMBERSHIPS,
    SEGMENTS,
    TRAVELLERS,
)

Row = dict[str, Any]


def _changeable(booking: Row) -> None:
    if state_of(booking) not in ("held", "confirmed"):
        raise ValueError(f"the booking is {state_of(booking)}, it cannot be changed any more")


def _is_gold(booking: Row, carrier: str) -> bool:
    memberships = [each for who in booking["traveller_ids"] for each in rows_with(MEMBERSHIPS, "traveller_id", who)]
    return any(each["carrier"] == carrier and each["tier"] == "gold" for each in memberships)


def _fee(booking: Row, segment: Row) -> int:
    """Fee for changing a leg of a paid booking, for one traveller."""
    fare, departure = get(FARES, segment["fare_id"]), departure_of(segment)
    if departure["state"] == "cancelled":
        return 0
    if fare["change_fee"] is None:
        raise ValueError(f"the {fare['name']} fare of {departure['number']} allows no changes")
    if hours_until(departure["departs_at"]) < fare["closes_hours"]:
        raise ValueError(f"changes ended {fare['closes_hours']} hours before the departure of {departure['number']}")
    return 0 if _is_gold(booking, departure["carrier"]) else int(fare["change_fee"])


def _exchange(segment_id: str, fare_id: str) -> tuple[Row, Row, Row, dict[str, int]]:
    """Booking, leg, new fare, and what it costs to exchange one for the other."""
    segment, fare = get(SEGMENTS, segment_id), get(FARES, fare_id)
    booking, old, new = get(BOOKINGS, segment["booking_id"]), departure_of(segment), departure_of(fare)
    _changeable(booking)
    if (old["from_city"], old["to_city"]) != (new["from_city"], new["to_city"]):
        raise ValueError(f"the new departure must go from {old['from_city']} to {old['to_city']}")
    if fare_id == segment["fare_id"]:
        raise ValueError("the leg has this fare already")
    if is_past(old["departs_at"]):
        raise ValueError(f"{old['number']} on {old['departs_on']} has left already")
    if fare["currency"] != booking["currency"]:
        raise ValueError(f"the new fare must be in {booking['currency']}")
    legs = [new if each["segment_id"] == segment_id else departure_of(each) for each in legs_of(booking["booking_id"])]
    check_legs([leg for leg in legs if not is_past(leg["departs_at"]) or leg is new])
    travellers = [get(TRAVELLERS, each) for each in booking["traveller_ids"]]
    check_passports(travellers, legs)
    check_seats(fare, new, len(travellers))
    paid, count = booking["state"] == "confirmed", len(travellers)
    fee = _fee(booking, segment) * count if paid else 0
    difference = (max(fare["price"], segment["price"]) if paid else fare["price"]) - segment["price"]
    return booking, segment, fare, {"fee": fee, "difference": difference * count}


@tool
def change_trip_leg(segment_id: str, fare_id: str, agreed_cost: int | None = None) -> dict[str, Any]:
    """Exchange a leg of a booked trip for another departure or fare between the same cities, or tell what it costs.

    A lower price is not paid back once the booking is paid. Members with gold tier pay no change fee to their carrier,
    and nobody does for a departure that the carrier has cancelled.

    Args:
        segment_id: Identifier of the leg, from get_travel_booking.
        fare_id: Identifier of the new fare.
        agreed_cost: The most that the user has agreed to pay for it, in cents. Left out: nothing is changed, the cost
            is only told.

    Returns:
        changed, fee and difference (cents, for all travellers, charged to the card on file), and the new total.

    Raises:
        ValueError: The rules do not allow it, the legs would not fit, seats are missing, or it costs more than agreed.
        NoDataError: The leg or the fare is not there.
    """
    booking, segment, fare, cost = _exchange(segment_id, fare_id)
    paid = booking["state"] == "confirmed"
    due = cost["fee"] + cost["difference"] if paid else 0
    told = cost | {"total": booking["total"] + cost["difference"], "currency": booking["currency"]}
    if agreed_cost is None:
        return {"changed": False} | told
    if due > agreed_cost:
        raise ValueError(f"the change costs {as_money(due, booking['currency'])}, more than agreed_cost; ask the user")
    price = segment["price"] + cost["difference"] // len(booking["traveller_ids"])
    change(SEGMENTS, segment_id, fare_id=fare_id, departure_id=fare["departure_id"], price=price)
    legs = [departure_of(each) for each in legs_of(booking["booking_id"])]
    cells = {"starts_at": legs[0]["departs_at"], "ends_at": legs[-1]["arrives_at"]}
    if not paid:
        cells["held_until"] = min(booking["held_until"], cells["starts_at"], key=seconds_of)
    change(BOOKINGS, booking["booking_id"], total=told["total"], fees=booking["fees"] + cost["fee"], **cells)
    return {"changed": True} | told


@tool
def cancel_travel_booking(booking_id: str, agreed_fee: int = 0) -> dict[str, Any]:
    """Cancel a whole booking. Seats and rooms are free again; points that were spent come back before money does.

    Args:
        booking_id: Identifier of the booking.
        agreed_fee: The most that the user has agreed to lose, in minor units; get_travel_booking tells it.

    Returns:
        fee, refund (minor units, to the card on file), points that came back, and currency.

    Raises:
        ValueError: The booking is over, expired or cancelled, has begun, or cancelling costs more than agreed.
        NoDataError: No booking has this identifier.
    """
    booking = get(BOOKINGS, booking_id)
    kept = cancellation_fee(booking)
    if kept is None:
        raise ValueError(f"the booking is {state_of(booking)} or has begun, it cannot be cancelled any more")
    if kept > agreed_fee:
        costs = as_money(kept, booking["currency"])
        raise ValueError(f"cancelling costs {costs}, more than agreed_fee; ask the user to agree")
    left = booking["total"] - kept if booking["state"] == "confirmed" else 0
    points = min(left, booking["points_spent"])
    spent = booking["points_spent"] - points
    change(BOOKINGS, booking_id, state="cancelled", points_spent=spent, refund=left - points)
    return {"fee": kept, "refund": left - points, "points": points, "currency": booking["currency"]}
