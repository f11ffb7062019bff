"""Travel: trips that are held, paid and cancelled, and what is known of travellers."""

from typing import Any

from tool_sandbox.answers.facts import Date, Done
from tool_sandbox.apps.travel.content import booking_row, fare_row
from tool_sandbox.apps.travel.tables import BOOKINGS, DEPARTURES, FARES, SEGMENTS, STOPS, TRAVELLERS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import NOT_FOUND, Task, added, answer, call, called, cannot, changed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

TRAVEL = ("travel",)

Row = dict[str, Any]

LINES = (("Ravenholm", "Alderport"), ("Brackwater", "Tolmin Falls"), ("Eastmere", "Quillhaven"))
"""Cities that the timetables do not have otherwise."""


def _put_departure(world: World, cities: tuple[str, str], number: str, days: int, hour: int) -> Row:
    """A train between two cities, which takes three hours."""
    draw = world.draw("travel")
    stops = [row for row in world.stored(STOPS) if row["city"] in cities]
    for city in cities if not stops else ():
        about = {"name": f"{city} Central Station", "kind": "station", "city": city, "country": "United States"}
        cells: Row = {"stop_id": draw.key("stop"), **about, "zone": world.zone, "minutes_to_change": 10}
        stops.append(world.put(STOPS, cells))
    ends = {"from_stop_id": stops[0]["stop_id"], "to_stop_id": stops[1]["stop_id"]}
    times = {"departs_at": draw.moment(days, hour, 10), "arrives_at": draw.moment(days, hour + 3, 10)}
    row = {"departure_id": draw.key("departure"), "kind": "train", "number": number, "carrier": "Heron Lines", **ends}
    row |= {"from_city": cities[0], "to_city": cities[1], "departs_on": draw.date(days), "state": "on time"}
    return world.put(DEPARTURES, row | times)


def _put_fare(world: World, departure: Row, name: str) -> Row:
    """A fare with seats that are free."""
    return world.put(FARES, fare_row(world.draw("travel"), departure["departure_id"], name, 4_000, 9))


def _put_traveller(world: World, name: str, expires_on: str | None = None, number: str | None = None) -> Row:
    """Somebody for whom travel can be booked."""
    cells = {"name": name, "passport_number": number, "passport_expires_on": expires_on, "seat_wish": "none"}
    return world.put(TRAVELLERS, {"traveller_id": world.draw("travel").key("traveller"), **cells})


def _put_booking(world: World, departure: Row, fare: Row, traveller: Row, **more: Any) -> Row:
    """A booking of one seat, made three hours ago."""
    draw, price = world.draw("travel"), fare["price"]
    title, times = (
        f"{departure['from_city']} - {departure['to_city']}",
        (departure["departs_at"], departure["arrives_at"]),
    )
    row = booking_row(draw, "trip", title, draw.ago(180), times, [traveller], price, "USD") | more
    cells = {"booking_id": row["booking_id"], "position": 1, "fare_id": fare["fare_id"], "price": price}
    world.put(BOOKINGS, row)
    world.put(SEGMENTS, {"segment_id": draw.key("segment"), **cells, "departure_id": departure["departure_id"]})
    return row


def _spoken(world: World, days: int) -> str:
    date = world.in_days(days)
    return f"{date:%B} {date.day}, {date.year}"


@scenario(apps=TRAVEL)
def hold_train_seat(world: World) -> Task:
    """Hold a seat on one of two trains of a day, at a certain fare, for somebody."""
    cities, name = world.choice(*LINES), world.choice("Ottilie Krantz", "Basil Umarov", "Rosalba Quint")
    days, fare_name = world.integer(9, 4, 20), world.choice("flex", "standard", "basic")
    _put_departure(world, cities, "HL 906", days, 7)
    departure = _put_departure(world, cities, "HL 908", days, 12)
    fare = {each: _put_fare(world, departure, each) for each in ("basic", "standard", "flex")}[fare_name]
    traveller = _put_traveller(world, name)

    def solution() -> Solution:
        train = yield call("get_departure", number="HL 908", departs_on=world.in_days(days).isoformat())
        people = (yield call("search_travellers", words=name))["results"]
        fare_id = next(row["fare_id"] for row in train["fares"] if row["name"] == fare_name)
        yield call("hold_trip", fare_ids=[fare_id], traveller_ids=[people[0]["traveller_id"]])
        yield say(f"A {fare_name} seat on HL 908 is held for {name}; nothing is paid yet.")

    return Task(
        user=world.phrase(
            f"Hold a seat for {name} on the train HL 908 on {_spoken(world, days)}, at the {fare_name} fare. Don't pay "
            "it yet.",
            f"{name} wants to take HL 908 from {cities[0]} to {cities[1]} on {_spoken(world, days)}. Hold a seat at "
            f"the {fare_name} fare, but do not pay.",
        ),
        tools=["search_trips", "get_departure", "search_travellers", "hold_trip", "pay_travel_booking"],
        milestones=[
            added(
                BOOKINGS,
                kind="trip",
                title=" - ".join(cities),
                state="held",
                starts_at=departure["departs_at"],
                ends_at=departure["arrives_at"],
                traveller_ids=[traveller["traveller_id"]],
                total=fare["price"],
                currency="USD",
                fees=0,
                points_spent=0,
                refund=0,
            ),
            added(
                SEGMENTS,
                booking_id=Anything(),
                position=1,
                fare_id=fare["fare_id"],
                departure_id=departure["departure_id"],
                price=fare["price"],
            ).after(),
        ],
        solution=solution,
    )


@scenario(apps=TRAVEL, content="medium")
def move_held_trip_to_later_train(world: World) -> Task:
    """Exchange the leg of a trip that is held for a later train of the day, which costs nothing before it is paid."""
    cities, days = world.choice(*LINES), world.integer(8, 5, 12)
    traveller, draw = _put_traveller(world, "Ignatius Pell"), world.draw("travel")
    hours = (9, world.integer(15, 12, 18))
    early, late = (_put_departure(world, cities, f"HL {908 + hour}", days, hour) for hour in hours)
    fare, wanted = (_put_fare(world, each, "flex") for each in (early, late))
    _put_fare(world, late, "standard")
    booking = _put_booking(world, early, fare, traveller, state="held", held_until=draw.ago(180 - 1440))
    segment = world.stored(SEGMENTS)[-1]

    def solution() -> Solution:
        rows = (yield call("search_travel_bookings", words=cities[1], state="held"))["results"]
        trip = yield call("get_travel_booking", booking_id=rows[0]["booking_id"])
        train = yield call("get_departure", number=late["number"], departs_on=trip["starts_at"][:10])
        fare_id = next(row["fare_id"] for row in train["fares"] if row["name"] == "flex")
        yield call("change_trip_leg", segment_id=trip["legs"][0]["segment_id"], fare_id=fare_id, agreed_cost=0)
        yield say(f"I've moved the trip to {cities[1]} to the train {late['number']}.")

    return Task(
        user=world.phrase(
            f"The trip to {cities[1]} that is held: move it to the train {late['number']} of the same day, flex fare "
            "again. I won't pay any fee for that.",
            f"Please change my held trip to {cities[1]} to {late['number']}, same day, also at the flex fare, as long "
            "as the change is free.",
        ),
        tools=["search_travel_bookings", "get_travel_booking", "get_departure", "change_trip_leg"],
        milestones=[
            called("change_trip_leg", agreed_cost=0),
            changed(
                SEGMENTS,
                {"segment_id": segment["segment_id"]},
                fare_id=wanted["fare_id"],
                departure_id=late["departure_id"],
            ),
            changed(
                BOOKINGS,
                {"booking_id": booking["booking_id"]},
                starts_at=late["departs_at"],
                ends_at=late["arrives_at"],
            ).after(),
            answer(Done("moved", ("trip", "booking", cities[1]))),
        ],
        solution=solution,
    )


def _cancelling(world: World, *, is_there: bool) -> Task:
    """Cancels the trip to a city, which costs nothing; where there is none, there is one from that city."""
    cities, days = world.choice(*LINES), world.integer(9, 5, 20)
    way = cities if is_there else cities[::-1]
    departure = _put_departure(world, way, "HL 908", days, 12)
    fare = _put_fare(world, departure, "flex")
    booking = _put_booking(world, departure, fare, _put_traveller(world, "Ignatius Pell"))
    cancelled = changed(BOOKINGS, {"booking_id": booking["booking_id"]}, state="cancelled", refund=fare["price"])
    missing = [
        called("search_travel_bookings"),
        answer(cannot(NOT_FOUND, about=(*cities, "trip", "booking"), task="removed")),
    ]

    def solution() -> Solution:
        rows = (yield call("search_travel_bookings", words=f"{cities[0]} {cities[1]}"))["results"]
        rows = [row for row in rows if row["title"] == " - ".join(cities)]
        if not rows:
            yield say(f"I found no trip from {cities[0]} to {cities[1]}, so I did not cancel anything.")
            return
        yield call("cancel_travel_booking", booking_id=rows[0]["booking_id"])
        yield say(f"The trip from {cities[0]} to {cities[1]} is cancelled.")

    return Task(
        user=world.phrase(
            f"Cancel my trip from {cities[0]} to {cities[1]}, as long as it costs nothing.",
            f"I'm not going from {cities[0]} to {cities[1]} after all. Cancel that booking if there is no fee.",
        ),
        tools=["search_travel_bookings", "get_travel_booking", "cancel_travel_booking"],
        milestones=[cancelled] if is_there else missing,
        solution=solution,
    )


@scenario(apps=TRAVEL)
def cancel_trip_without_fee(world: World) -> Task:
    """Cancel a paid trip if that costs nothing, as it does."""
    return _cancelling(world, is_there=True)


@scenario(ScenarioCategories.INSUFFICIENT_INFORMATION, apps=TRAVEL, twin="cancel_trip_without_fee")
def cancel_trip_that_is_not_there(world: World) -> Task:
    """Cancel a trip that was never booked; there is one the other way."""
    return _cancelling(world, is_there=False)


@scenario(ScenarioCategories.SINGLE_TOOL_CALL, apps=TRAVEL, content="medium")
def look_up_passport_end(world: World) -> Task:
    """Say when the passport of one of two travellers of the same last name ends."""
    name, other = world.choice(
        ("Ottilie Krantz", "Odile Krantz"), ("Basil Umarov", "Bastian Umarov"), ("Rosalba Quint", "Rosanna Quint")
    )
    days = world.integer(733, 500, 1400)
    _put_traveller(world, other, world.in_days(days + 411).isoformat(), "K5520817")
    traveller = _put_traveller(world, name, world.in_days(days).isoformat(), "K5541902")

    def solution() -> Solution:
        rows = (yield call("search_travellers", words=name))["results"]
        yield say(f"The passport of {name} ends on {rows[0]['passport_expires_on']}.")

    return Task(
        user=world.phrase(
            f"On which date does the passport of {name} end? It's in the travel app.",
            f"Please look up until which date {name}'s passport lasts.",
        ),
        tools=["search_travellers", "search_travel_bookings"],
        milestones=[
            found("search_travellers", traveller_id=traveller["traveller_id"]),
            answer(Date(world.in_days(days), world.today)),
        ],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=TRAVEL)
def set_seat_wishes(world: World) -> Task:
    """Set which seats two travellers like, and leave a third one as she is."""
    first, second, third = world.choice(
        ("Ottilie Krantz", "Basil Umarov", "Odile Krantz"), ("Rosalba Quint", "Ezra Tamm", "Rosanna Quint")
    )
    one, two, _ = [_put_traveller(world, name) for name in (first, second, third)]
    wish, other = world.choice(("window", "aisle"), ("aisle", "window"))

    def solution() -> Solution:
        for name, seat in ((first, wish), (second, other)):
            rows = (yield call("search_travellers", words=name))["results"]
            yield call("modify_traveller", traveller_id=rows[0]["traveller_id"], seat_wish=seat)
        yield say(f"{first} gets {wish} seats now, and {second} {other} seats.")

    return Task(
        user=world.phrase(
            f"In the travel app, note that {first} likes {wish} seats and {second} likes {other} seats.",
            f"Change the seat wishes of two travellers, please: {wish} for {first}, {other} for {second}.",
        ),
        tools=["search_travellers", "modify_traveller", "add_traveller"],
        milestones=[
            changed(TRAVELLERS, {"traveller_id": one["traveller_id"]}, seat_wish=wish),
            changed(TRAVELLERS, {"traveller_id": two["traveller_id"]}, seat_wish=other).after(),
            answer(Done("updated", (first, second, "seat", "seats"))),
        ],
        solution=solution,
    )
