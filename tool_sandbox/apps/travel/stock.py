"""What is computed when it is read: states of bookings, seats and rooms that are free, balances of points."""

import datetime
from typing import Any

from tool_sandbox.apps import Read, get, now, rows_of, rows_with, seconds_of
from tool_sandbox.apps.travel.tables import BOOKINGS, DEPARTURES, FARES, NIGHTS, ROOMS, SEGMENTS, STAYS
from tool_sandbox.world.table import Table

Row = dict[str, Any]

POINTS_PER_UNIT = 5


def is_past(moment: str) -> bool:
    """Whether a moment is over."""
    return seconds_of(moment) <= seconds_of(now())


def state_of(booking: Row) -> str:
    """State of a booking now: held, expired, confirmed, travelled or cancelled."""
    if booking["state"] == "held":
        return "expired" if is_past(booking["held_until"]) else "held"
    if booking["state"] == "confirmed":
        return "travelled" if is_past(booking["ends_at"]) else "confirmed"
    return str(booking["state"])


def _keeps(bookings: Table, booking_id: str) -> Row | None:
    """A booking if it keeps seats and rooms."""
    booking = bookings.get(booking_id)
    return booking if booking is not None and state_of(booking) in ("held", "confirmed", "travelled") else None


def free_seats(fare: Row, read: Read = rows_of) -> int:
    """Seats that can still be had at a fare."""
    segments = read(SEGMENTS).with_cell("fare_id", fare["fare_id"])
    if not segments:
        return int(fare["seats"])
    kept = [_keeps(read(BOOKINGS), segment["booking_id"]) for segment in segments]
    return int(fare["seats"]) - sum(len(booking["traveller_ids"]) for booking in kept if booking)


def free_rooms(night: Row, read: Read = rows_of) -> int:
    """Rooms of a kind that are free in a night."""
    stays = read(STAYS).with_cell("room_id", night["room_id"])
    there = [each for each in stays if each["check_in_on"] <= night["night_of"] < each["check_out_on"]]
    kept = [each for each in there if _keeps(read(BOOKINGS), each["booking_id"])]
    return int(night["rooms"]) - len(kept)


def nights_of(room_id: str, check_in_on: str, nights: int, read: Read = rows_of) -> list[Row] | None:
    """The nights of a stay in a room, ``None`` if it is not free in one of them."""
    known = {night["night_of"]: night for night in read(NIGHTS).with_cell("room_id", room_id)}
    wanted = [known.get(later(check_in_on, days)) for days in range(nights)]
    found = [night for night in wanted if night and free_rooms(night, read) > 0]
    return found if len(found) == nights else None


def later(day: str, days: int) -> str:
    """The date that many days after another."""
    return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()


def balance_of(membership: Row, read: Read = rows_of) -> tuple[int, int]:
    """Points that can be spent, and those of paid journeys that are still to end; five for each whole unit paid."""
    bookings = read(BOOKINGS)
    spent = sum(each["points_spent"] for each in bookings.with_cell("membership_id", membership["membership_id"]))
    earned = {True: 0, False: 0}
    for booking in bookings.with_cell("traveller_ids", membership["traveller_id"]):
        for segment in read(SEGMENTS).with_cell("booking_id", booking["booking_id"]):
            departure = departure_of(segment, read)
            if booking["state"] == "confirmed" and departure["carrier"] == membership["carrier"]:
                earned[is_past(departure["arrives_at"])] += POINTS_PER_UNIT * (segment["price"] // 100)
    return membership["opening_points"] + earned[True] - spent, earned[False]


def fares_of(departure: Row, read: Read = rows_of) -> list[Row]:
    """Fares of a departure, the cheapest first, with the number of free seats."""
    fares = read(FARES).with_cell("departure_id", departure["departure_id"])
    return sorted((fare | {"free_seats": free_seats(fare, read)} for fare in fares), key=lambda fare: fare["price"])


def departure_of(fare: Row, read: Read = rows_of) -> Row:
    """The departure that a fare, or a segment, is for."""
    return read(DEPARTURES).get(fare["departure_id"]) or {}


def legs_of(booking_id: str) -> list[Row]:
    """Segments of a booking, in order."""
    return sorted(rows_with(SEGMENTS, "booking_id", booking_id), key=lambda segment: int(segment["position"]))


def hours_until(moment: str) -> float:
    """Hours from now to a moment, negative if it is over."""
    return (seconds_of(moment) - seconds_of(now())) / 3600


def cancellation_fee(booking: Row) -> int | None:
    """What is kept of the price when a booking is cancelled now, ``None`` if it cannot be any more."""
    if state_of(booking) == "held":
        return 0
    if state_of(booking) != "confirmed" or is_past(booking["starts_at"]):
        return None
    kept = 0
    for leg in legs_of(booking["booking_id"]):
        fare, departure = get(FARES, leg["fare_id"]), departure_of(leg)
        closed = hours_until(departure["departs_at"]) < fare["closes_hours"]
        percent = 100 if departure["state"] == "cancelled" else 0 if closed else fare["refund_percent"]
        kept += leg["price"] * len(booking["traveller_ids"]) * (100 - percent) // 100
    for stay in rows_with(STAYS, "booking_id", booking["booking_id"]):
        if hours_until(booking["starts_at"]) < 24 * get(ROOMS, stay["room_id"])["free_cancel_days"]:
            kept += stay["first_night"]
    return int(kept)
