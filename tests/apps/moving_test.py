"""What happens by itself in the apps: every effect changes the world, says so, and keeps all rules."""

import contextvars
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tool_sandbox.apps import get, rows_of
from tool_sandbox.apps.calendar import moving as calendar
from tool_sandbox.apps.calendar.rooms import search_meeting_rooms
from tool_sandbox.apps.calendar.tables import ATTENDEES, EVENTS, ROOMS
from tool_sandbox.apps.check import make_world
from tool_sandbox.apps.desk import moving as desk
from tool_sandbox.apps.desk.tables import CUSTOMERS, TICKETS
from tool_sandbox.apps.dining import moving as dining
from tool_sandbox.apps.dining.free import free_tables
from tool_sandbox.apps.dining.tables import RESTAURANTS, TABLES, TAKEN
from tool_sandbox.apps.files import moving as files
from tool_sandbox.apps.groups import moving as groups
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, POSTS
from tool_sandbox.apps.home import moving as home
from tool_sandbox.apps.home.tables import DEVICES
from tool_sandbox.apps.mail import moving as mail
from tool_sandbox.apps.mail.tables import ATTACHMENTS, FILTERS, MAILS
from tool_sandbox.apps.registry import built_in, with_needed
from tool_sandbox.apps.shop import moving as shop
from tool_sandbox.apps.shop.catalogue import price_of, stock_of
from tool_sandbox.apps.shop.tables import PRICES, VARIANTS
from tool_sandbox.apps.tasks import moving as tasks
from tool_sandbox.apps.tasks.tables import LISTS
from tool_sandbox.apps.travel import moving as travel
from tool_sandbox.apps.travel.stock import free_seats
from tool_sandbox.apps.travel.tables import DEPARTURES, FARES
from tool_sandbox.apps.wallet import moving as wallet
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.events import EventKind, schedule, use_events, wait
from tool_sandbox.world.table import TableSchema

EVENING = "2025-05-16T19:00"
NOON = ("2025-05-20T12:00", "2025-05-20T13:00")
BY = "claire.whitfield@example.com"

Effect = Callable[[], str]


def first(schema: TableSchema, **cells: Any) -> dict[str, Any]:
    return next(row for row in rows_of(schema) if all(row[name] == cell for name, cell in cells.items()))


def fare() -> dict[str, Any]:
    return next(row for row in rows_of(FARES) if free_seats(row) > 0)


def variant() -> dict[str, Any]:
    return next(row for row in rows_of(VARIANTS) if stock_of(row) > 1)


def member() -> tuple[str, str]:
    row = first(MEMBERS)
    return row["chat_id"], row["person_id"]


def table_of_two() -> str:
    return str(
        next(row for row in rows_of(RESTAURANTS) if free_tables(row, f"{EVENING}:00-07:00", 2, None))["restaurant_id"]
    )


EFFECTS: dict[str, tuple[Callable[[], Effect], str]] = {
    "calendar invitation_arrives": (lambda: calendar.invitation_arrives(BY, "Retro", *NOON), "invites to Retro"),
    "calendar room_is_taken": (
        lambda: calendar.room_is_taken(first(ROOMS)["room_id"], *NOON, BY),
        "claire.whitfield@example.com has booked",
    ),
    "desk ticket_arrives": (
        lambda: desk.ticket_arrives(first(CUSTOMERS)["customer_id"], "No signal", "It is dark.", priority="high"),
        "opened a ticket: No signal",
    ),
    "desk customer_answers": (
        lambda: desk.customer_answers(first(TICKETS, state="waiting")["ticket_id"], "It blinks."),
        "wrote about",
    ),
    "dining table_is_freed": (lambda: dining.table_is_freed(table_of_two(), EVENING, 2), "has a table for 2"),
    "dining tables_are_taken": (lambda: dining.tables_are_taken(table_of_two(), EVENING, 2), "has no table for 2"),
    "files file_is_shared": (lambda: files.file_is_shared(BY, "Rota", "Monday: Claire"), "shared Rota"),
    "groups post_arrives": (lambda: groups.post_arrives(*member(), "I am late."), "I am late."),
    "home device_goes_offline": (
        lambda: home.device_goes_offline(first(DEVICES, online=True)["device_id"]),
        "went offline",
    ),
    "home device_comes_back": (lambda: home.device_comes_back(first(DEVICES)["device_id"]), "is online again"),
    "mail mail_arrives": (
        lambda: mail.mail_arrives(
            ("Omar", "omar@example.com"), "Keys", "Here.", answers_id=first(MAILS)["mail_id"], files=[("a.pdf", 900)]
        ),
        "a mail from Omar came in: Keys",
    ),
    "shop price_moves": (lambda: shop.price_moves(variant()["variant_id"], 1299), "costs 12.99 USD now"),
    "shop stock_runs_out": (lambda: shop.stock_runs_out(variant()["variant_id"]), "there are 0 now"),
    "shop stock_comes_in": (lambda: shop.stock_comes_in(variant()["variant_id"], 7), "7 more of"),
    "tasks task_is_assigned": (
        lambda: tasks.task_is_assigned(first(LISTS, owner="me")["list_id"], "Order chairs", BY, "2025-06-02"),
        "put 'Order chairs' on the list",
    ),
    "travel fare_moves": (lambda: travel.fare_moves(fare()["fare_id"], 9900), "costs 99.00"),
    "travel seats_run_out": (lambda: travel.seats_run_out(fare()["fare_id"]), "is sold out"),
    "travel flight_is_cancelled": (
        lambda: travel.flight_is_cancelled(first(DEPARTURES)["departure_id"]),
        "is cancelled",
    ),
    "travel flight_is_delayed": (
        lambda: travel.flight_is_delayed(first(DEPARTURES)["departure_id"], 95),
        "leaves 95 minutes later",
    ),
    "wallet payment_arrives": (
        lambda: wallet.payment_arrives(4250, "Omar Haddad", "tickets"),
        "42.50 USD from Omar Haddad came in",
    ),
}
"""App and effect to how it is made in the world of the app, and what it says."""


def in_world(app: str, play: Callable[[DeviceState], None]) -> None:
    contextvars.copy_context().run(lambda: play(make_world(with_needed([app]), "medium")))


def happens(device: DeviceState, effect: Effect) -> str:
    """Has it happen as an event of a scenario does, a minute later."""
    use_events(device, {"it": EventKind(effect)})
    event = schedule(device, "it", at=device.now() + 60)
    wait(device, 120)
    return str((device.get_table("world.events").get(event) or {})["told"])


@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_happens_and_keeps_all_rules(name: str) -> None:
    make, told = EFFECTS[name]

    def play(device: DeviceState) -> None:
        before = device.savepoint()
        assert told in happens(device, make())
        names = {str(each) for each in device.table_names() if device.get_table(each) != before.table(each)}
        assert any(each.startswith(f"{name.split()[0]}.") for each in names) or name == "dining table_is_freed"

    in_world(name.split()[0], play)


def test_all_effects_are_tried() -> None:
    known = set()
    for app in built_in():
        if importlib.util.find_spec(f"tool_sandbox.apps.{app}.moving"):
            module = importlib.import_module(f"tool_sandbox.apps.{app}.moving")
            members = inspect.getmembers(module, inspect.isfunction)
            known |= {f"{app} {n}" for n, f in members if f.__module__ == module.__name__ and not n.startswith("_")}
    assert known == {*EFFECTS}


# What they mean for the tools ----------------------------------------------------------------------------------


def test_prices_stock_and_seats_are_what_the_tools_tell() -> None:
    def play(device: DeviceState) -> None:
        row = variant()
        happens(device, shop.price_moves(row["variant_id"], 777))
        happens(device, shop.stock_runs_out(row["variant_id"], left=1))
        assert price_of(row, rows_of(PRICES)) == 777
        assert stock_of(get(VARIANTS, row["variant_id"])) == 1

    in_world("shop", play)


def test_a_room_that_has_been_booked_is_not_taken() -> None:
    def play(device: DeviceState) -> None:
        room = first(ROOMS)["room_id"]
        free = {"free_from": NOON[0], "free_until": NOON[1], "limit": 50}
        assert room in [row["room_id"] for row in search_meeting_rooms(**free)["results"]]
        happens(device, calendar.room_is_taken(room, *NOON, "somebody@example.com"))
        assert room not in [row["room_id"] for row in search_meeting_rooms(**free)["results"]]
        count = len(rows_of(EVENTS))
        assert "but it is booked" in happens(device, calendar.room_is_taken(room, *NOON, BY))
        assert len(rows_of(EVENTS)) == count

    in_world("calendar", play)


def test_tables_are_taken_and_freed() -> None:
    def play(device: DeviceState) -> None:
        restaurant = get(RESTAURANTS, table_of_two())
        own, begins = restaurant["restaurant_id"], f"{EVENING}:00-07:00"
        happens(device, dining.tables_are_taken(own, EVENING, 2))
        assert not free_tables(restaurant, begins, 2, None)
        happens(device, dining.table_is_freed(own, EVENING, 2))
        assert len(free_tables(restaurant, begins, 2, None)) == 1
        assert rows_of(TAKEN)
        assert rows_of(TABLES)

    in_world("dining", play)


def test_filters_see_mail_that_comes_in() -> None:
    def play(device: DeviceState) -> None:
        rule = first(FILTERS)
        address = rule["query"].split()[0].partition(":")[2]
        happens(device, mail.mail_arrives(("Weekly", address), "Issue 7", "News.", files=[("issue.pdf", 900)]))
        row = rows_of(MAILS).dicts()[-1]
        assert row["label_ids"] == rule["label_ids"]
        assert [each["file_name"] for each in rows_of(ATTACHMENTS).with_cell("mail_id", row["mail_id"])] == [
            "issue.pdf"
        ]

    in_world("mail", play)


def test_an_invitation_waits_for_an_answer() -> None:
    def play(device: DeviceState) -> None:
        happens(device, calendar.invitation_arrives(BY, "Retro", *NOON))
        assert rows_of(ATTENDEES).dicts()[-1]["answer"] == "none"

    in_world("calendar", play)


def test_whoever_has_left_a_chat_does_not_post_in_it() -> None:
    def play(device: DeviceState) -> None:
        chat, person = member()
        outside = next(row["chat_id"] for row in rows_of(CHATS) if (row["chat_id"], person) not in members())
        count = len(rows_of(POSTS))
        assert "is not in it" in happens(device, groups.post_arrives(outside, person, "Hello."))
        assert len(rows_of(POSTS)) == count
        happens(device, groups.post_arrives(chat, person, "Hello."))
        assert len(rows_of(POSTS)) == count + 1

    in_world("groups", play)


def members() -> set[tuple[str, str]]:
    return {(row["chat_id"], row["person_id"]) for row in rows_of(MEMBERS)}


def test_a_closed_ticket_is_not_written_in() -> None:
    def play(device: DeviceState) -> None:
        ticket = first(TICKETS, state="closed")
        happens(device, desk.customer_answers(ticket["ticket_id"], "Again."))
        assert get(TICKETS, ticket["ticket_id"]) == ticket
        assert rows_of(TICKETS).dicts()[-1]["state"] == "new"

    in_world("desk", play)


def test_wrong_arguments_are_refused_when_the_scenario_is_written() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'price'"):
        shop.price_moves("variant_1")  # type: ignore[call-arg]
    with pytest.raises(ScenarioError, match="price_moves: price takes int"):
        shop.price_moves("variant_1", "12.99")  # type: ignore[arg-type]
