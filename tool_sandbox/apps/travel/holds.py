"""Tools that hold seats and rooms until they are paid."""

import datetime
import itertools
import zoneinfo
from collections.abc import Sequence
from typing import Any

from tool_sandbox.apps import add, as_moment, change, get, now, seconds_of, tool
from tool_sandbox.apps.travel.hotels import check_nights
from tool_sandbox.apps.travel.stock import (
    departure_of,
    free_seats,
    is_past,
    later,
    nights_of,
)
from tool_sandbox.apps.travel.tables import (
    BOOKINGS,
    FARES,
    HOTELS,
    ROOMS,
    SEGMENTS,
    STAYS,
    STOPS,
    TRAVELLERS,
)

Row = dict[str, Any]

HOLD_HOURS = 24
UNPAID = {"fees": 0, "points_spent": 0, "refund": 0}
MOST_TRAVELLERS = 9
MOST_LEGS = 8
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def reference_for(booking_id: str) -> str:
    """The code of six letters and digits by which carriers and hotels know a booking."""
    number = int(booking_id.rpartition("_")[2], 16)
    return "".join(_LETTERS[number // 32**place % 32] for place in range(6))


def check_legs(legs: Sequence[Row]) -> None:
    """Refuses departures that do not make a journey.

    Raises:
        ValueError: One is over or cancelled, or does not go on from the one before in time.
    """
    for leg in legs:
        if is_past(leg["departs_at"]):
            raise ValueError(f"{leg['number']} on {leg['departs_on']} has left already")
        if leg["state"] == "cancelled":
            raise ValueError(f"{leg['number']} on {leg['departs_on']} is cancelled")
    for first, second in itertools.pairwise(legs):
        if first["to_city"] != second["from_city"]:
            raise ValueError(f"{second['number']} leaves from {second['from_city']}, not from {first['to_city']}")
        pause = get(STOPS, first["to_stop_id"])["minutes_to_change"]
        if seconds_of(second["departs_at"]) - seconds_of(first["arrives_at"]) < 60 * pause:
            raise ValueError(f"changing from {first['number']} to {second['number']} takes {pause} minutes, not enough")


def check_seats(fare: Row, departure: Row, travellers: int) -> None:
    """Refuses a fare with too few free seats.

    Raises:
        ValueError: There are too few.
    """
    if (free := free_seats(fare)) < travellers:
        name = f"{fare['name']} fare of {departure['number']} on {departure['departs_on']}"
        raise ValueError(f"the {name} has {max(0, free)} free seats, {travellers} are needed")


def check_passports(travellers: Sequence[Row], legs: Sequence[Row]) -> None:
    """Refuses journeys across a border without a passport that lasts.

    Raises:
        ValueError: Somebody has none, or it ends before the journey does.
    """
    countries = {get(STOPS, leg[end])["country"] for leg in legs for end in ("from_stop_id", "to_stop_id")}
    last = legs[-1]["arrives_at"][:10]
    for traveller in travellers if len(countries) > 1 else ():
        if traveller["passport_number"] is None or traveller["passport_expires_on"] is None:
            raise ValueError(f"{traveller['name'][:60]} needs a passport for this journey, see modify_traveller")
        if traveller["passport_expires_on"] < last:
            ends = traveller["passport_expires_on"]
            raise ValueError(f"the passport of {traveller['name'][:60]} ends on {ends}, the journey on {last}")


def _travellers(traveller_ids: list[str]) -> list[Row]:
    if not 1 <= len(traveller_ids) <= MOST_TRAVELLERS or len({*traveller_ids}) < len(traveller_ids):
        raise ValueError(f"traveller_ids must be 1 to {MOST_TRAVELLERS} different travellers, got {len(traveller_ids)}")
    return [get(TRAVELLERS, traveller_id) for traveller_id in traveller_ids]


def _hold(kind: str, title: str, times: tuple[str, str], travellers: list[str], total: int, currency: str) -> Row:
    ends = min(seconds_of(now()) + HOLD_HOURS * 3600, seconds_of(times[0]))
    booking_id = add(
        BOOKINGS,
        reference="",
        kind=kind,
        title=title,
        state="held",
        made_at=now(),
        held_until=as_moment(ends),
        starts_at=times[0],
        ends_at=times[1],
        traveller_ids=travellers,
        total=total,
        currency=currency,
        **UNPAID,
    )
    return change(BOOKINGS, booking_id, reference=reference_for(booking_id))


def _answer(booking: Row) -> Row:
    return {name: booking[name] for name in ("booking_id", "reference", "total", "currency", "held_until")}


@tool
def hold_trip(fare_ids: list[str], traveller_ids: list[str]) -> dict[str, Any]:
    """Hold seats on flights or trains for 24 hours, at most until departure, without paying. Then pay_travel_booking.

    Args:
        fare_ids: Identifier of one fare for each leg of the journey, in order; the way back may be among them.
        traveller_ids: Identifiers of the travellers, at most nine.

    Returns:
        booking_id, reference, total for all travellers in cents, currency, and held_until.

    Raises:
        ValueError: A leg has left or is cancelled, the legs do not go on from each other with time to change, there are
            too few seats, currencies differ, or somebody lacks a passport that lasts until the end of the journey.
        NoDataError: A fare or a traveller is not there.
    """
    if not 1 <= len(fare_ids) <= MOST_LEGS:
        raise ValueError(f"fare_ids must name 1 to {MOST_LEGS} fares, got {len(fare_ids)}")
    fares, travellers = [get(FARES, fare_id) for fare_id in fare_ids], _travellers(traveller_ids)
    legs = [departure_of(fare) for fare in fares]
    check_legs(legs)
    for fare, leg in zip(fares, legs, strict=True):
        check_seats(fare, leg, len(travellers))
    if len({fare["currency"] for fare in fares}) > 1:
        raise ValueError("the fares are in different currencies, book them one by one")
    check_passports(travellers, legs)
    title = " - ".join([legs[0]["from_city"], *(leg["to_city"] for leg in legs)])
    total = len(travellers) * sum(fare["price"] for fare in fares)
    times = legs[0]["departs_at"], legs[-1]["arrives_at"]
    booking = _hold("trip", title, times, traveller_ids, total, fares[0]["currency"])
    for position, fare in enumerate(fares, start=1):
        cells = {name: fare[name] for name in ("fare_id", "departure_id", "price")}
        add(SEGMENTS, booking_id=booking["booking_id"], position=position, **cells)
    return _answer(booking)


@tool
def hold_hotel_room(room_id: str, check_in_on: str, traveller_ids: list[str], nights: int = 1) -> dict[str, Any]:
    """Hold a hotel room for 24 hours, at most until arrival, without paying. Then pay_travel_booking.

    Args:
        room_id: Identifier of the room.
        check_in_on: Date of arrival.
        traveller_ids: Identifiers of those who stay in the room.
        nights: Number of nights, from 1 to 30.

    Returns:
        booking_id, reference, total in minor units of the currency, currency, and held_until.

    Raises:
        ValueError: The room is too small or not free in one of the nights, or the date cannot be understood or is over.
        NoDataError: The room or a traveller is not there.
    """
    room, travellers = get(ROOMS, room_id), _travellers(traveller_ids)
    check_nights(check_in_on, nights)
    if len(travellers) > room["sleeps"]:
        raise ValueError(f"the room sleeps {room['sleeps']}, {len(travellers)} travellers were named")
    prices = [night["price"] for night in nights_of(room_id, check_in_on, nights) or ()]
    if not prices:
        raise ValueError(f"the room is not free in all {nights} nights from {check_in_on}, see get_hotel")
    hotel = get(HOTELS, room["hotel_id"])
    check_out_on = later(check_in_on, nights)
    times, total = stay_times(hotel, check_in_on, check_out_on), sum(prices)
    booking = _hold("hotel", f"{hotel['name']}, {hotel['city']}", times, traveller_ids, total, hotel["currency"])
    add(
        STAYS,
        booking_id=booking["booking_id"],
        room_id=room_id,
        check_in_on=check_in_on,
        check_out_on=check_out_on,
        guests=len(travellers),
        first_night=prices[0],
    )
    return _answer(booking)


def stay_times(hotel: Row, check_in_on: str, check_out_on: str) -> tuple[str, str]:
    """When a stay begins and ends: from 15:00 to 11:00 on the clock of the hotel."""
    zone = zoneinfo.ZoneInfo(hotel["zone"])
    days = datetime.date.fromisoformat(check_in_on), datetime.date.fromisoformat(check_out_on)
    hours = datetime.time(15, tzinfo=zone), datetime.time(11, tzinfo=zone)
    first, last = (datetime.datetime.combine(day, hour) for day, hour in zip(days, hours, strict=True))
    return first.isoformat(), last.isoformat()
