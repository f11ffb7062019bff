"""What somebody who eats out relies on."""

from collections.abc import Iterator

import pytest

from tool_sandbox.apps import add, change, rows_of
from tool_sandbox.apps.dining.reservations import (
    get_table_reservation,
    modify_table_reservation,
    reserve_table,
    search_table_reservations,
)
from tool_sandbox.apps.dining.restaurants import note_what_guest_eats, search_free_tables, search_what_guests_eat
from tool_sandbox.apps.dining.tables import HOURS, RESERVATIONS, RESTAURANTS, SPECIAL_HOURS, TABLES, TAKEN, WEEKDAYS
from tool_sandbox.apps.dining.visits import (
    cancel_table_reservation,
    confirm_table_reservation,
    rate_restaurant_visit,
)
from tool_sandbox.apps.dining.waiting import (
    accept_waiting_list_table,
    join_restaurant_waiting_list,
    search_waiting_list_entries,
)
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile

FRIDAY, SATURDAY = "2025-05-16", "2025-05-17"


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """Wednesday, 14 May 2025, 10:24: one restaurant with a table for two and one for six, closed on Mondays."""
    clock = ScenarioClock(1747243440.0, "America/Los_Angeles")
    context = ExecutionContext(profile=Profile.STRICT, id_seed="dining", clock=clock, apps=["dining"])
    with new_context(context):
        about = {
            "name": "Lina",
            "cuisine": "Italian",
            "neighbourhood": "Mission",
            "phone_number": "+1",
            "currency": "USD",
        }
        rules = {"minutes_at_table": 90, "days_ahead": 30, "confirm_from": 5, "free_cancel_hours": 24}
        cells = {
            "price_level": 2,
            "stars": 4,
            "features": [],
            "diets": ["vegan"],
            "favourite": False,
            "fee_per_person": 1_000,
        }
        add(RESTAURANTS, restaurant_id="lina", **about, **rules, **cells)
        for weekday in WEEKDAYS[1:]:
            add(HOURS, restaurant_id="lina", weekday=weekday, opens="18:00", last_seating="21:00")
        add(TABLES, table_id="two", restaurant_id="lina", name="2", area="terrace", fewest=1, most=2)
        add(TABLES, table_id="six", restaurant_id="lina", name="6", area="inside", fewest=3, most=6)
        yield context


def times(day: str, party_size: int = 2) -> list[str]:
    found = search_free_tables(day, party_size, earliest="00:00", latest="23:00")["results"]
    return list(found[0]["times"]) if found else []


def test_times_follow_the_hours_their_exceptions_and_what_is_taken() -> None:
    assert times("2025-05-19") == []
    assert (times(FRIDAY)[0], times(FRIDAY)[-1], len(times(FRIDAY))) == ("18:00", "21:00", 13)
    add(SPECIAL_HOURS, restaurant_id="lina", date=FRIDAY, reason="party", opens="18:00", last_seating="18:30")
    assert times(FRIDAY) == ["18:00", "18:15", "18:30"]
    add(SPECIAL_HOURS, restaurant_id="lina", date="2025-05-18", reason="painting")
    assert times("2025-05-18") == []
    taken = {"starts_at": f"{SATURDAY}T19:30:00-07:00", "ends_at": f"{SATURDAY}T21:00:00-07:00"}
    add(TAKEN, table_id="two", **taken)
    assert times(SATURDAY) == ["18:00", "21:00"]
    assert times("2025-06-14") == []
    with pytest.raises(ValueError, match="Lina takes reservations 30 days ahead, not 31"):
        reserve_table("lina", "2025-06-14T19:00", 2)


def test_a_table_is_given_once_and_again_after_it_was_cancelled() -> None:
    first = reserve_table("lina", f"{FRIDAY}T19:30", 2)
    assert (first["table"], first["area"], first["confirm_until"]) == ("2", "terrace", None)
    with pytest.raises(ValueError, match="no table for 2 is free at 2025-05-16T19:30"):
        reserve_table("lina", f"{FRIDAY}T19:30", 2)
    assert cancel_table_reservation(first["reservation_id"]) == 0
    assert reserve_table("lina", f"{FRIDAY}T19:30", 2)["table"] == "2"


def test_a_large_party_has_to_confirm_or_loses_the_table() -> None:
    made = reserve_table("lina", f"{FRIDAY}T19:30", 5)
    assert made["confirm_until"] == "2025-05-15T19:30:00-07:00"
    confirm_table_reservation(made["reservation_id"])
    with pytest.raises(ValueError, match="the reservation is booked, there is nothing to confirm"):
        confirm_table_reservation(made["reservation_id"])
    cells = {"confirm_until": "2025-05-14T10:24:00-07:00", "confirmed": False}
    change(RESERVATIONS, made["reservation_id"], **cells)
    assert search_table_reservations(state="lapsed")["total"] == 1
    assert times(FRIDAY, 5)
    modified = reserve_table("lina", f"{SATURDAY}T19:30", 4)
    assert modify_table_reservation(modified["reservation_id"], party_size=5)["confirm_until"] is not None


def test_it_is_free_to_cancel_until_it_is_not() -> None:
    made = reserve_table("lina", "2025-05-14T19:00", 2)
    assert get_table_reservation(made["reservation_id"])["cancellation_fee"] == 2_000
    with pytest.raises(ValueError, match="it is too late to move the reservation"):
        modify_table_reservation(made["reservation_id"], starts_at=f"{FRIDAY}T19:00")
    with pytest.raises(ValueError, match=r"cancelling costs 20.00 USD, more than agreed_fee; ask the user to agree"):
        cancel_table_reservation(made["reservation_id"], agreed_fee=1_999)
    assert cancel_table_reservation(made["reservation_id"], agreed_fee=2_000) == 2_000


def test_a_change_that_cannot_be_leaves_the_reservation() -> None:
    made = reserve_table("lina", f"{FRIDAY}T19:30", 2, guests=["Claire"])
    before = rows_of(RESERVATIONS).dicts()
    for cells, error in (
        ({"party_size": 7}, "no table for 7 is free"),
        ({"starts_at": "2025-05-19T19:30"}, "Lina seats nobody at 2025-05-19T19:30"),
        ({"starts_at": f"{FRIDAY}T19:31"}, "no quarter of an hour"),
        ({"guests": ["Claire", "Omar"]}, "party_size is 2, with 2 guests beside the user"),
    ):
        with pytest.raises(ValueError, match=error):
            modify_table_reservation(made["reservation_id"], **cells)  # type: ignore[arg-type]
    assert rows_of(RESERVATIONS).dicts() == before
    assert modify_table_reservation(made["reservation_id"], starts_at=f"{FRIDAY}T20:00")["area"] == "terrace"
    assert modify_table_reservation(made["reservation_id"], party_size=4)["area"] == "inside"


def test_who_waits_gets_the_table_that_becomes_free() -> None:
    made = reserve_table("lina", f"{FRIDAY}T19:00", 2)
    with pytest.raises(ValueError, match="a table is free at 20:30"):
        join_restaurant_waiting_list("lina", FRIDAY, 2)
    entry_id = join_restaurant_waiting_list("lina", FRIDAY, 2, earliest="19:00", latest="20:00")
    assert search_waiting_list_entries()["results"][0]["state"] == "waiting"
    with pytest.raises(ValueError, match="no table is free then; free are none"):
        accept_waiting_list_table(entry_id)
    cancel_table_reservation(made["reservation_id"])
    assert search_waiting_list_entries()["results"][0]["times"] == ["19:00", "19:15", "19:30", "19:45", "20:00"]
    assert accept_waiting_list_table(entry_id, "19:30")["starts_at"] == f"{FRIDAY}T19:30:00-07:00"
    assert search_waiting_list_entries()["total"] == 0


def test_visits_are_rated_after_they_were() -> None:
    made = reserve_table("lina", f"{FRIDAY}T19:30", 2)
    with pytest.raises(ValueError, match="only a visit that is over can be rated"):
        rate_restaurant_visit(made["reservation_id"], rating=5)
    past = {"starts_at": "2025-05-09T19:30:00-07:00", "ends_at": "2025-05-09T21:00:00-07:00"}
    change(RESERVATIONS, made["reservation_id"], **past)
    rate_restaurant_visit(made["reservation_id"], rating=4, bill=8_200)
    assert search_table_reservations(state="past")["results"][0]["bill"] == 8_200


def test_what_guests_eat_is_replaced_by_what_is_noted_later() -> None:
    first = note_what_guest_eats("Claire", ["vegan"])
    assert note_what_guest_eats("Claire", ["vegetarian"]) == first
    assert search_what_guests_eat(diet="vegan")["total"] == 0
    assert search_free_tables(FRIDAY, 2, diets=["Vegan"])["total"] == 1
    assert search_free_tables(FRIDAY, 2, diets=["vegan", "halal"])["total"] == 0
