"""Tools for finding hotel rooms."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    at_least,
    checked_date,
    contains,
    equals,
    found_in,
    get,
    paged,
    rows_of,
    today,
    tool,
)
from tool_sandbox.apps.travel.stock import nights_of
from tool_sandbox.apps.travel.tables import HOTELS, ROOMS
from tool_sandbox.world.validators import validate_range

Row = dict[str, Any]

MOST_NIGHTS = 30


def check_nights(check_in_on: str | NotGiven, nights: int) -> None:
    """Refuses stays that nobody can book; without a date there is no stay.

    Raises:
        ValueError: The date cannot be understood or is over, or the number of nights is out of range.
    """
    checked_date(check_in_on, "check_in_on")
    if isinstance(check_in_on, str) and check_in_on < today():
        raise ValueError(f"check_in_on must not be before today, {today()}, got {check_in_on}")
    validate_range(nights, "nights", min_val=1, max_val=MOST_NIGHTS)


def _offers(hotel: Row, guests: int, check_in_on: str | NotGiven, nights: int, read: Read) -> list[Row]:
    """Rooms of a hotel that are large enough, with the price of the whole stay; without a date, all of them."""
    offers = []
    for room in read(ROOMS).with_cell("hotel_id", hotel.get("hotel_id")):
        del room["hotel_id"]
        if room["sleeps"] < guests:
            continue
        if isinstance(check_in_on, NotGiven):
            offers.append(room)
        elif (found := nights_of(room["room_id"], check_in_on, nights, read)) is not None:
            prices = [night["price"] for night in found]
            offers.append(room | {"price": sum(prices), "nightly": prices})
    return sorted(offers, key=lambda room: room.get("price", 0))


@tool
def search_hotels(
    city: str | NotGiven = NOT_GIVEN,
    check_in_on: str | NotGiven = NOT_GIVEN,
    nights: int = 1,
    guests: int = 1,
    words: str | NotGiven = NOT_GIVEN,
    stars: int = 1,
    amenity: str | NotGiven = NOT_GIVEN,
    order_by: Literal["price", "stars", "minutes_to_center"] = "price",
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find hotels. With a date, only those with a room that is free in all nights, with the price of the whole stay.

    Args:
        city: City of the hotels.
        check_in_on: Date of arrival, for example 2025-05-14.
        nights: Number of nights, from 1 to 30.
        guests: Number of people in one room.
        words: Words that all occur in the name.
        stars: Smallest number of stars.
        amenity: Something that the hotels have, for example pool or parking.
        order_by: The cheapest first (by name without a date), those with the most stars, or the nearest to the center.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (hotels, each with its cheapest room that fits, and the prices of the stay and of its nights in minor
        units of the currency of the hotel), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The date, the limit or the cursor cannot be understood, or the number of nights is out of range.
    """
    check_nights(check_in_on, nights)

    def found(read: Read) -> list[Row]:
        table, hotels = read(HOTELS), []
        conditions = (
            equals("city", city),
            contains("name", words),
            at_least("stars", stars),
            equals("amenities", amenity),
        )
        for place in found_in(table, *conditions):
            hotel = table.schema.as_dict(table.rows[place])
            offers = _offers(hotel, guests, check_in_on, nights, read)
            hotels += [hotel | {"cheapest_room": offers[0]}] if offers else []
        return sorted(hotels, key=lambda hotel: _rank(hotel, order_by))

    query = (city, check_in_on, nights, guests, words, stars, amenity, order_by)
    return paged(query, found, limit, cursor)


def _rank(hotel: Row, order_by: str) -> tuple[Any, str]:
    first = {"price": hotel["cheapest_room"].get("price", 0), "stars": -hotel["stars"]}
    return first.get(order_by, hotel["minutes_to_center"]), hotel["name"]


@tool
def get_hotel(
    hotel_id: str,
    check_in_on: str | NotGiven = NOT_GIVEN,
    nights: int = 1,
    guests: int = 1,
) -> dict[str, Any]:
    """Read about a hotel and its rooms. With a date, only rooms that are free in all nights, with the whole price.

    A booking of a room can be cancelled without a fee until free_cancel_days before arrival; later it costs the first
    night.

    Args:
        hotel_id: Identifier of the hotel.
        check_in_on: Date of arrival.
        nights: Number of nights, from 1 to 30.
        guests: Number of people in one room.

    Returns:
        The hotel with its rooms; the prices of the stay and of its nights in minor units of the currency of the hotel.

    Raises:
        ValueError: The date cannot be understood or is over, or the number of nights is out of range.
        NoDataError: No hotel has this identifier.
    """
    hotel = get(HOTELS, hotel_id)
    check_nights(check_in_on, nights)
    return hotel | {"rooms": _offers(hotel, guests, check_in_on, nights, rows_of)}
