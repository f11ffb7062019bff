"""What somebody who travels relies on."""

from collections.abc import Iterator
from typing import Any

import pytest

from tool_sandbox.apps import Draw, add, change, rows_of
from tool_sandbox.apps.registry import find_app
from tool_sandbox.apps.travel.bookings import get_travel_booking, pay_travel_booking, search_travel_bookings
from tool_sandbox.apps.travel.changes import cancel_travel_booking, change_trip_leg
from tool_sandbox.apps.travel.holds import hold_hotel_room, hold_trip
from tool_sandbox.apps.travel.hotels import get_hotel
from tool_sandbox.apps.travel.tables import BOOKINGS, DEPARTURES, FARES, MEMBERSHIPS, STOPS, TRAVELLERS
from tool_sandbox.apps.travel.travellers import modify_traveller, search_travellers
from tool_sandbox.apps.travel.trips import get_departure, search_trips
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """Nora on 14 May 2025, 10:24 in Los Angeles, without timetables."""
    clock = ScenarioClock(1747243440.0, "America/Los_Angeles")
    context = ExecutionContext(profile=Profile.STRICT, id_seed="travel", clock=clock, apps=["travel"])
    with new_context(context):
        for city, country, zone in (
            ("Here", "A", "America/Los_Angeles"),
            ("Hub", "A", "America/Chicago"),
            ("Far", "B", "Europe/London"),
        ):
            cells = {"name": city, "kind": "airport", "city": city, "country": country, "zone": zone}
            add(STOPS, stop_id=city, minutes_to_change=50, **cells)
        add(TRAVELLERS, traveller_id="nora", name="Nora", seat_wish="none", passport_number=None)
        yield context


def fly(start: str, end: str, departs_at: str, arrives_at: str, price: int = 10_000, **fare: Any) -> str:
    """Puts a flight with one fare on sale, and returns the fare."""
    ends = {"from_stop_id": start, "to_stop_id": end, "from_city": start, "to_city": end}
    cells = {"departs_on": departs_at[:10], "departs_at": departs_at, "arrives_at": arrives_at, "state": "on time"}
    number = f"NW {100 + len(rows_of(DEPARTURES))}"
    departure_id = add(DEPARTURES, kind="flight", number=number, carrier="Northwell Air", **ends, **cells)
    rules = {"seats": 2, "bags": 1, "change_fee": 4_500, "refund_percent": 50, "closes_hours": 24} | fare
    return add(FARES, departure_id=departure_id, name="standard", price=price, currency="USD", **rules)


def morning(price: int = 10_000, **fare: Any) -> str:
    return fly("Here", "Hub", "2025-05-20T07:00:00-07:00", "2025-05-20T13:00:00-05:00", price, **fare)


def booked(fare_id: str) -> str:
    held = hold_trip([fare_id], ["nora"])
    pay_travel_booking(held["booking_id"], held["total"])
    return str(held["booking_id"])


def test_a_connection_needs_time_to_change_and_the_shortest_is_found() -> None:
    first = morning()
    fly("Hub", "Far", "2025-05-20T13:49:00-05:00", "2025-05-21T03:00:00+01:00", price=1)
    onward = fly("Hub", "Far", "2025-05-20T13:50:00-05:00", "2025-05-21T03:00:00+01:00")
    fly("Here", "Far", "2025-05-20T08:00:00-07:00", "2025-05-21T05:00:00+01:00", price=90_000)
    (cheap, fast) = search_trips("here", "FAR", "2025-05-20", order_by="price")["results"]
    assert [leg["fare_id"] for leg in cheap["legs"]] == [first, onward]
    assert (cheap["price"], cheap["minutes"]) == (20_000, 12 * 60)
    assert (fast["price"], fast["minutes"]) == (90_000, 13 * 60)
    with pytest.raises(ValueError, match="changing from NW 100 to NW 101 takes 50 minutes, not enough"):
        hold_trip([first, _fare_of("NW 101")], ["nora"])


def _fare_of(number: str) -> str:
    departure_id = rows_of(DEPARTURES).where(number=number)[0]["departure_id"]
    return str(rows_of(FARES).where(departure_id=departure_id)[0]["fare_id"])


def test_a_journey_over_a_border_needs_a_passport_that_lasts() -> None:
    fare_id = fly("Here", "Far", "2025-05-20T08:00:00-07:00", "2025-05-21T05:00:00+01:00")
    with pytest.raises(ValueError, match="Nora needs a passport"):
        hold_trip([fare_id], ["nora"])
    modify_traveller("nora", passport_number="P1", passport_expires_on="2025-05-20")
    with pytest.raises(ValueError, match="ends on 2025-05-20, the journey on 2025-05-21"):
        hold_trip([fare_id], ["nora"])
    modify_traveller("nora", passport_expires_on="2025-05-21")
    assert hold_trip([fare_id], ["nora"])["total"] == 10_000


def test_a_hold_keeps_seats_until_it_expires() -> None:
    fare_id = morning(seats=1)
    held = hold_trip([fare_id], ["nora"])
    assert held["held_until"] == "2025-05-15T10:24:00-07:00"
    assert get_departure("nw 100", "2025-05-20")["fares"][0]["free_seats"] == 0
    assert search_trips("Here", "Hub")["total"] == 0
    change(BOOKINGS, held["booking_id"], held_until="2025-05-14T10:24:00-07:00")
    assert search_travel_bookings(state="expired")["total"] == 1
    with pytest.raises(ValueError, match="only what is held can be paid, the booking is expired"):
        pay_travel_booking(held["booking_id"], 10_000)
    assert search_trips("Here", "Hub")["total"] == 1


def test_nothing_is_paid_above_what_was_agreed() -> None:
    held = hold_trip([morning()], ["nora"])
    with pytest.raises(ValueError, match=r"the booking costs 100.00 USD, more than the total given"):
        pay_travel_booking(held["booking_id"], 9_999)
    change(DEPARTURES, rows_of(DEPARTURES).dicts()[0]["departure_id"], state="cancelled")
    with pytest.raises(ValueError, match="NW 100 on 2025-05-20 is cancelled, see change_trip_leg"):
        pay_travel_booking(held["booking_id"], 10_000)
    assert get_travel_booking(held["booking_id"])["state"] == "held"


def test_a_change_costs_the_fee_and_a_higher_price_but_no_fee_for_gold() -> None:
    booking_id, dearer = booked(morning()), morning_later(13_000)
    segment_id = get_travel_booking(booking_id)["legs"][0]["segment_id"]
    quote = change_trip_leg(segment_id, dearer)
    assert quote == {"changed": False, "fee": 4_500, "difference": 3_000, "total": 13_000, "currency": "USD"}
    add(
        MEMBERSHIPS,
        membership_id="m",
        traveller_id="nora",
        carrier="Northwell Air",
        number="1",
        tier="gold",
        opening_points=0,
    )
    with pytest.raises(ValueError, match=r"the change costs 30.00 USD, more than agreed_cost"):
        change_trip_leg(segment_id, dearer, agreed_cost=2_999)
    assert change_trip_leg(segment_id, dearer, agreed_cost=3_000)["changed"]
    booking = get_travel_booking(booking_id)
    assert (booking["total"], booking["fees"], booking["starts_at"][:13]) == (13_000, 0, "2025-05-21T07")
    cheaper = fly("Here", "Hub", "2025-05-22T07:00:00-07:00", "2025-05-22T13:00:00-05:00", 5_000)
    assert change_trip_leg(segment_id, cheaper)["difference"] == 0


def join(tier: str, points: int) -> None:
    cells = {"traveller_id": "nora", "carrier": "Northwell Air", "number": "1"}
    add(MEMBERSHIPS, membership_id="m", tier=tier, opening_points=points, **cells)


def morning_later(price: int) -> str:
    return fly("Here", "Hub", "2025-05-21T07:00:00-07:00", "2025-05-21T13:00:00-05:00", price)


def test_rules_of_fares_decide_about_changes_and_refunds() -> None:
    basic = booked(morning(change_fee=None, refund_percent=0))
    with pytest.raises(ValueError, match="the standard fare of NW 100 allows no changes"):
        change_trip_leg(get_travel_booking(basic)["legs"][0]["segment_id"], morning_later(1))
    late = booked(fly("Here", "Hub", "2025-05-15T09:00:00-07:00", "2025-05-15T15:00:00-05:00"))
    assert [get_travel_booking(each)["cancellation_fee"] for each in (basic, late)] == [10_000, 10_000]
    half = booked(morning_later_still())
    with pytest.raises(ValueError, match=r"cancelling costs 50.00 USD, more than agreed_fee"):
        cancel_travel_booking(half)
    assert cancel_travel_booking(half, 5_000)["refund"] == 5_000
    with pytest.raises(ValueError, match="the booking is cancelled or has begun"):
        cancel_travel_booking(half, 5_000)
    change(DEPARTURES, rows_of(DEPARTURES).where(number="NW 100")[0]["departure_id"], state="cancelled")
    assert cancel_travel_booking(basic)["refund"] == 10_000


def morning_later_still() -> str:
    return fly("Here", "Hub", "2025-05-23T07:00:00-07:00", "2025-05-23T13:00:00-05:00")


def test_points_are_earned_by_journeys_spent_and_given_back() -> None:
    add(
        MEMBERSHIPS,
        membership_id="m",
        traveller_id="nora",
        carrier="Northwell Air",
        number="1",
        tier="blue",
        opening_points=800,
    )
    held = hold_trip([morning(refund_percent=100)], ["nora"])
    with pytest.raises(ValueError, match="the membership has 800 points to spend, not 801"):
        pay_travel_booking(held["booking_id"], 10_000, membership_id="m", points=801)
    assert pay_travel_booking(held["booking_id"], 10_000, membership_id="m", points=800)["charged"] == 9_200
    assert _points() == (0, 500)
    assert cancel_travel_booking(held["booking_id"])["points"] == 800
    assert _points() == (800, 0)


def _points() -> tuple[int, int]:
    (membership,) = search_travellers()["results"][0]["memberships"]
    return membership["points"], membership["pending_points"]


def test_a_stay_is_priced_night_by_night_and_full_hotels_are_not_offered(world: ExecutionContext) -> None:
    with new_context(ExecutionContext(profile=Profile.STRICT, id_seed="t", clock=world.clock, apps=["travel"])) as full:
        find_app("travel").fill(full, Draw("travel"), "medium")
        hotel = full.get_table("travel.hotels").dicts()[0]
        room = get_hotel(hotel["hotel_id"], "2025-05-16", nights=2)["rooms"][0]
        traveller = full.get_table("travel.travellers").dicts()[0]["traveller_id"]
        free = full.get_table("travel.nights").where(room_id=room["room_id"], night_of="2025-05-16")[0]["rooms"]
        held = hold_hotel_room(room["room_id"], "2025-05-16", [traveller], nights=2)
        assert held["total"] == room["price"] == sum(room["nightly"])
        for _ in range(free - 1):
            hold_hotel_room(room["room_id"], "2025-05-16", [traveller], nights=1)
        with pytest.raises(ValueError, match="the room is not free in all 2 nights"):
            hold_hotel_room(room["room_id"], "2025-05-16", [traveller], nights=2)
