"""Tools for finding flights and trains."""

from collections.abc import Iterator
from typing import Any, Literal

from polars.exceptions import NoDataError

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    checked_date,
    equals,
    found_in,
    get,
    now,
    paged,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.travel.stock import fares_of
from tool_sandbox.apps.travel.tables import DEPARTURES, STOPS

Row = dict[str, Any]

LONGEST_CHANGE = 6 * 3600


def _trips(read: Read, from_city: str, to_city: str, departs_on: str | NotGiven) -> Iterator[list[Row]]:
    """Journeys that are still to come, direct ones and those with one change."""
    table = read(DEPARTURES)
    leaves = table.derived(table.schema.reader(seconds_of, "departs_at"))
    arrives = table.derived(table.schema.reader(seconds_of, "arrives_at"))
    first_stop, last_stop = table.schema.positions["from_stop_id"], table.schema.positions["to_stop_id"]
    onward: dict[str, list[int]] = {}
    for place in found_in(table, equals("to_city", to_city)):
        onward.setdefault(table.rows[place][first_stop], []).append(place)
    pauses = {stop["stop_id"]: 60 * stop["minutes_to_change"] for stop in read(STOPS).dicts()}
    present = seconds_of(now())
    for place in found_in(table, equals("from_city", from_city), equals("departs_on", departs_on)):
        if leaves[place] <= present:
            continue
        first = table.schema.as_dict(table.rows[place])
        if first["to_city"].casefold() == to_city.casefold():
            yield [first]
            continue
        stop = table.rows[place][last_stop]
        for other in onward.get(stop, ()):
            if pauses[stop] <= leaves[other] - arrives[place] <= LONGEST_CHANGE:
                yield [first, table.schema.as_dict(table.rows[other])]


def _trip(legs: list[Row], fare_name: str | NotGiven, seats: int, read: Read) -> Row | None:
    """What a search shows of a journey, nothing if it cannot be booked."""
    chosen = []
    for leg in legs:
        fares = [fare for fare in fares_of(leg, read) if fare_name in (NOT_GIVEN, fare["name"])]
        chosen += [fare for fare in fares if fare["free_seats"] >= seats][:1]
    if len(chosen) < len(legs) or any(leg["state"] == "cancelled" for leg in legs):
        return None
    return {
        "legs": [_leg(leg, fare) for leg, fare in zip(legs, chosen, strict=True)],
        "minutes": int(seconds_of(legs[-1]["arrives_at"]) - seconds_of(legs[0]["departs_at"])) // 60,
        "price": sum(fare["price"] for fare in chosen),
        "currency": chosen[0]["currency"],
    }


def _leg(departure: Row, fare: Row) -> Row:
    shown = {name: departure[name] for name in ("number", "departs_at", "arrives_at", "to_city")}
    return shown | {"fare_id": fare["fare_id"], "fare": fare["name"]}


@tool
def search_trips(
    from_city: str,
    to_city: str,
    departs_on: str | NotGiven = NOT_GIVEN,
    fare_name: Literal["basic", "standard", "flex"] | NotGiven = NOT_GIVEN,
    seats: int = 1,
    kind: Literal["flight", "train"] | NotGiven = NOT_GIVEN,
    direct: bool = False,
    price_at_most: int | NotGiven = NOT_GIVEN,
    order_by: Literal["departure", "arrival", "price", "duration"] = "departure",
    limit: int = 10,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find journeys that can be booked from one city to another, direct ones and those with one change.

    Args:
        from_city: City of departure.
        to_city: City of arrival.
        departs_on: Date of departure on the clock of the city of departure; any day if left out.
        fare_name: The fare that is wanted; the cheapest that is free if left out.
        seats: Number of travellers, from 1 to 9.
        kind: Whether all legs must be flights or trains.
        direct: Whether only journeys without a change are wanted.
        price_at_most: Highest price of the journey for one traveller, in cents.
        order_by: What comes first: the earliest departure or arrival, the lowest price, or the shortest journey.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (journeys with their legs and a fare of each, minutes in all, and the price for one traveller in cents),
        total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The date, the limit or the cursor is wrong, the cities are the same, or seats is out of range.
    """
    checked_date(departs_on, "departs_on")
    if from_city.casefold() == to_city.casefold():
        raise ValueError("from_city and to_city must be different cities")
    if not 1 <= seats <= 9:
        raise ValueError(f"seats must be from 1 to 9, got {str(seats)[:20]}")

    def found(read: Read) -> list[Row]:
        ways = _trips(read, from_city, to_city, departs_on)
        wanted = [legs for legs in ways if all(kind in (NOT_GIVEN, leg["kind"]) for leg in legs)]
        made = [_trip(legs, fare_name, seats, read) for legs in wanted]
        trips = [trip for trip in made if trip and not (direct and len(trip["legs"]) > 1)]
        trips = [trip for trip in trips if isinstance(price_at_most, NotGiven) or trip["price"] <= price_at_most]
        return sorted(trips, key=lambda trip: _rank(trip, order_by))

    query = (from_city, to_city, departs_on, fare_name, seats, kind, direct, price_at_most, order_by)
    return paged(query, found, limit, cursor)


def _rank(trip: Row, order_by: str) -> tuple[float, float]:
    departs, arrives = seconds_of(trip["legs"][0]["departs_at"]), seconds_of(trip["legs"][-1]["arrives_at"])
    first = {"departure": departs, "arrival": arrives, "price": trip["price"], "duration": arrives - departs}
    return first[order_by], departs


@tool
def get_departure(number: str, departs_on: str) -> dict[str, Any]:
    """Read about a flight or train of one day: local times, whether it is on time, and all fares with their rules.

    Fares tell the price of a seat in cents, free seats, bags, the change fee (None: no changes), which part of the
    price comes back after a cancellation, and how many hours before departure changes and refunds end.

    Args:
        number: Number of the flight or train, for example NW 100.
        departs_on: Date of departure on the clock of the city of departure, for example 2025-05-14.

    Returns:
        The departure and its fares, the cheapest first.

    Raises:
        ValueError: The date cannot be understood.
        NoDataError: There is no such flight or train on that day.
    """
    checked_date(departs_on, "departs_on")
    found = [
        each for each in rows_with(DEPARTURES, "number", number.strip().upper()) if each["departs_on"] == departs_on
    ]
    if not found:
        raise NoDataError(f"no flight or train {number[:20]!r} leaves on {departs_on}")
    stops = {end: get(STOPS, found[0].pop(f"{end}_id")) for end in ("from_stop", "to_stop")}
    shown = {
        end: {name: stop[name] for name in ("name", "country", "minutes_to_change")} for end, stop in stops.items()
    }
    return found[0] | shown | {"fares": fares_of(found[0])}
