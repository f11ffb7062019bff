"""Dining: tables that are reserved, moved and cancelled, visits of the past, and what guests eat."""

import datetime
from typing import Any

from tool_sandbox.answers.facts import DateTime, Done, Entity
from tool_sandbox.apps.dining.content import reservation_row, taken_row
from tool_sandbox.apps.dining.tables import GUESTS, HOURS, RESERVATIONS, RESTAURANTS, TABLES, TAKEN, WEEKDAYS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import Nothing, OneOf
from tool_sandbox.scenarios.vocabulary import NOT_FOUND, Task, added, answer, call, called, cannot, changed, say, told
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

DINING = ("dining",)

Row = dict[str, Any]

_BOOKED = told(r"\bI(?:'ve| have)?(?: also| just)? (?:booked|reserved) (?:you )?(?:a|another) table\b")
_BOOKED_MORE = told(r"\bI(?:'ve| have)? also (?:booked|reserved) (?:you )?(?:a|another) table\b")
"""That a table was reserved, where none was, or one more than there is."""


def _put_restaurant(world: World, name: str, **rules: Any) -> tuple[Row, dict[str, Row]]:
    """A restaurant that seats guests every evening, and its tables by area."""
    draw = world.draw("dining")
    for other in world.stored(RESTAURANTS):
        other["favourite"] = False  # so that making a favourite of any one is a change
    about: Row = {"name": name, "cuisine": "Georgian", "neighbourhood": "Dogpatch", "phone_number": "+14155553900"}
    about |= {"price_level": 2, "stars": 4, "features": ["terrace"], "diets": ["vegetarian"], "favourite": False}
    about |= {"minutes_at_table": 90, "days_ahead": 60, "confirm_from": 8, "free_cancel_hours": 24}
    about |= {"fee_per_person": 0, "currency": "USD"} | rules
    restaurant = world.put(RESTAURANTS, {"restaurant_id": draw.key("restaurant"), **about})
    own = {"restaurant_id": restaurant["restaurant_id"]}
    for weekday in WEEKDAYS:
        times = {"weekday": weekday, "opens": "17:30", "last_seating": "21:30"}
        world.put(HOURS, {"hours_id": draw.key("hours"), **own, **times})
    tables = {}
    for area in ("inside", "terrace"):
        cells: Row = {"name": f"{area} 1", "area": area, "fewest": 1, "most": 6}
        tables[area] = world.put(TABLES, {"table_id": draw.key("table"), **own, **cells})
    return restaurant, tables


def _put_reservation(world: World, restaurant: Row, table: Row, party: int, starts_at: str, **more: Any) -> Row:
    """A reservation of a table."""
    draw = world.draw("dining")
    row = reservation_row(draw, restaurant, table, party, starts_at, draw.moment(-35, 20))
    return world.put(RESERVATIONS, row | more)


def _spoken(date: datetime.date) -> str:
    return f"{date:%B} {date.day}, {date.year}"


@scenario(apps=DINING)
def reserve_terrace_table(world: World) -> Task:
    """Reserve a table on the terrace of one of two restaurants with nearly the same name."""
    name, other = world.choice(
        ("Tbilisi Nights", "Tbilisi Lights"), ("Villa Kakheti", "Villa Kutaisi"), ("Walnut Cellar", "Walnut Parlour")
    )
    _put_restaurant(world, other)
    restaurant, tables = _put_restaurant(world, name)
    days, party = world.integer(12, 8, 25), world.integer(4, 2, 6)
    day, starts_at = world.in_days(days), world.draw("dining").moment(days, 19, 30)
    return Task(
        user=world.phrase(
            f"Please reserve a table on the terrace of {name} for {_spoken(day)} at 19:30. We are {party} with me.",
            f"I'd like to eat at {name} on {_spoken(day)} at 7:30 pm, on the terrace, {party} people including me. "
            "Reserve a table, please.",
        ),
        tools=["search_restaurants", "search_free_tables", "reserve_table"],
        milestones=[
            added(
                RESERVATIONS,
                restaurant_id=restaurant["restaurant_id"],
                table_id=tables["terrace"]["table_id"],
                party_size=party,
                starts_at=starts_at,
                state="booked",
                fee=0,
            ),
            answer(Done("set", (name, "table", "reservation"))),
        ],
        never=[_BOOKED_MORE],
        solution=_reserving(name, f"{day.isoformat()}T19:30", party),
    )


def _reserving(name: str, starts_at: str, party: int) -> Any:
    def solution() -> Solution:
        rows = (yield call("search_restaurants", words=name))["results"]
        restaurant_id = rows[0]["restaurant_id"]
        yield call("reserve_table", restaurant_id=restaurant_id, starts_at=starts_at, party_size=party, area="terrace")
        yield say(f"The table for {party} on the terrace of {name} is reserved for 19:30.")

    return solution


@scenario(apps=DINING, content="medium")
def move_table_reservation(world: World) -> Task:
    """Move a reservation of one evening to a later time, beside another one in the same restaurant."""
    name = world.choice("Tamar's Table", "Copper Samovar", "Pomegranate Yard")
    restaurant, tables = _put_restaurant(world, name)
    draw, days = world.draw("dining"), world.integer(9, 6, 14)
    row = _put_reservation(world, restaurant, tables["inside"], 3, draw.moment(days, 18, 30))
    _put_reservation(world, restaurant, tables["inside"], 3, draw.moment(days + 7, 18, 30))
    day, hour = world.in_days(days), world.choice(20, 21)

    def solution() -> Solution:
        places = (yield call("search_restaurants", words=name))["results"]
        rows = (yield call("search_table_reservations", restaurant_id=places[0]["restaurant_id"]))["results"]
        reservation_id = next(each["reservation_id"] for each in rows if each["starts_at"][:10] == day.isoformat())
        yield call("modify_table_reservation", reservation_id=reservation_id, starts_at=f"{day.isoformat()}T{hour}:15")
        yield say(f"The reservation at {name} is moved to {hour}:15.")

    return Task(
        user=world.phrase(
            f"I have a table at {name} on {_spoken(day)}. Move it to {hour}:15 on the same evening, please.",
            f"We will be late for our table at {name} on {_spoken(day)}: please make it {hour}:15 that evening.",
        ),
        tools=["search_restaurants", "search_table_reservations", "modify_table_reservation"],
        milestones=[
            changed(
                RESERVATIONS, {"reservation_id": row["reservation_id"]}, starts_at=draw.moment(days, int(hour), 15)
            ),
            answer(Done("moved", (name, "table", "reservation"))),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(apps=DINING)
def cancel_table_for_agreed_fee(world: World) -> Task:
    """Cancel a reservation for a fee to which the user has agreed up to an amount, and tell it."""
    name = world.choice("Smoky Dumpling", "Old Tiflis Cellar", "Saperavi House")
    each, party = world.choice(12, 15, 18), world.integer(4, 3, 6)
    restaurant, tables = _put_restaurant(world, name, free_cancel_hours=96, fee_per_person=100 * each)
    draw, days = world.draw("dining"), world.integer(2, 1, 3)
    row = _put_reservation(world, restaurant, tables["inside"], party, draw.moment(days, 19, 30))
    most = world.choice(120, 150)

    def solution() -> Solution:
        rows = (yield call("search_table_reservations", state="booked"))["results"]
        reservation_id = next(row["reservation_id"] for row in rows if row["restaurant"] == name)
        cost = (yield call("get_table_reservation", reservation_id=reservation_id))["cancellation_fee"]
        yield call("cancel_table_reservation", reservation_id=reservation_id, agreed_fee=cost)
        yield say(f"The reservation at {name} is cancelled.")

    return Task(
        user=world.phrase(
            f"Cancel my reservation at {name}. I agree to pay up to {most} dollars for that.",
            f"We can't go to {name}, so please cancel the table. A fee of up to {most} dollars is fine with me.",
        ),
        tools=["search_table_reservations", "get_table_reservation", "cancel_table_reservation"],
        milestones=[
            called("cancel_table_reservation", agreed_fee=OneOf((100 * each * party, 100 * most))),
            changed(
                RESERVATIONS,
                {"reservation_id": row["reservation_id"]},
                state="cancelled",
                fee=100 * each * party,
            ),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(ScenarioCategories.SINGLE_TOOL_CALL, apps=DINING, content="medium")
def look_up_confirmation_deadline(world: World) -> Task:
    """Say until when one of two reservations of large parties has to be confirmed."""
    name = world.choice("Marani Steps", "Blue Tarragon", "Golden Fleece Inn")
    restaurant, tables = _put_restaurant(world, name, confirm_from=5)
    draw, days = world.draw("dining"), world.integer(11, 8, 14)
    for ahead, party in ((days + 9, 5), (days, 6)):
        until = draw.moment(ahead - 1, 19, 15)
        row = _put_reservation(
            world, restaurant, tables["inside"], party, draw.moment(ahead, 19, 15), confirm_until=until
        )
    day, deadline = world.in_days(days), datetime.datetime.fromisoformat(row["confirm_until"])

    def solution() -> Solution:
        rows = (yield call("search_table_reservations", state="unconfirmed"))["results"]
        until = next(
            each["confirm_until"]
            for each in rows
            if each["restaurant"] == name and each["starts_at"][:10] == day.isoformat()
        )
        said = datetime.datetime.fromisoformat(until)
        yield say(f"You have to confirm the table by {said:%A, %B} {said.day}, {said.year}, {said:%H:%M}.")

    return Task(
        user=world.phrase(
            f"Until when do I have to confirm our table at {name} on {_spoken(day)}? Date and time, please.",
            f"Our table at {name} on {_spoken(day)} has to be confirmed: by which date and time at the latest?",
        ),
        tools=["search_table_reservations", "get_table_reservation"],
        milestones=[
            called("search_table_reservations"),
            answer(DateTime(deadline.replace(tzinfo=None), world.today, zone=world.zone)),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=DINING)
def note_guests_diets(world: World) -> Task:
    """Note what two people eat, of whom nothing is known yet."""
    (first, one), (second, two) = world.choice(
        (("Ottilie Krantz", "vegan"), ("Basil Umarov", "halal")),
        (("Ignatius Pell", "gluten-free"), ("Rosalba Quint", "vegetarian")),
        (("Sunniva Dahl", "lactose-free"), ("Ezra Tamm", "vegan")),
    )
    _put_restaurant(world, "Marani Steps")
    remark = world.phrase("sits near the door", "comes with a dog", "likes red wine")
    return Task(
        user=world.phrase(
            f'Note what my guests eat: {first} is {one}, {second} is {two}. For {second} add the remark "{remark}".',
            f"Please write down for the dining app: {first} eats {one}, {second} eats {two}, remark for {second}: "
            f'"{remark}".',
        ),
        tools=["note_what_guest_eats", "search_what_guests_eat"],
        milestones=[
            added(GUESTS, name=first, diets=[one]),
            added(GUESTS, name=second, diets=[two], remark=remark).after(),
        ],
        never=[_BOOKED],
        solution=[
            call("note_what_guest_eats", name=first, diets=[one]),
            call("note_what_guest_eats", name=second, diets=[two], remark=remark),
            say(f"I've noted that {first} is {one} and {second} is {two}."),
        ],
    )


@scenario(ScenarioCategories.CONDITIONAL, apps=DINING)
def reserve_second_choice(world: World) -> Task:
    """Reserve a table in the second restaurant, as the first one has none on that evening."""
    name, other = world.choice(
        ("Tbilisi Nights", "Walnut Parlour"), ("Villa Kakheti", "Copper Samovar"), ("Blue Tarragon", "Marani Steps")
    )
    full, tables = _put_restaurant(world, name)
    second, free = _put_restaurant(world, other)
    draw, days, party = world.draw("dining"), world.integer(10, 8, 25), world.integer(5, 2, 6)
    for table in tables.values():
        world.put(TAKEN, taken_row(draw, full, table, draw.moment(days, 18, 45)))
    world.put(TAKEN, taken_row(draw, second, free["inside"], draw.moment(days, 18, 45)))
    date = world.in_days(days).isoformat()

    def solution() -> Solution:
        for place in (name, other):
            rows = (yield call("search_restaurants", words=place))["results"]
            own = {"restaurant_id": rows[0]["restaurant_id"]}
            times = yield call(
                "search_free_tables", eat_on=date, party_size=party, earliest="19:00", latest="19:00", **own
            )
            if times["results"]:
                yield call("reserve_table", starts_at=f"{date}T19:00", party_size=party, **own)
                yield say(f"I've reserved the table at {place}.")

    return Task(
        user=world.phrase(
            f"Reserve a table for {party} on {_spoken(world.in_days(days))} at 19:00 sharp, at {name} if they have "
            f"one at that time, else at {other}. Where is it?",
            f"On {_spoken(world.in_days(days))} I want a table for {party} at exactly 7 pm: at {name}, or at {other} "
            f"if {name} has none then. Reserve it and tell me where it is.",
        ),
        tools=["search_restaurants", "search_free_tables", "reserve_table"],
        milestones=[
            added(
                RESERVATIONS,
                restaurant_id=second["restaurant_id"],
                table_id=free["terrace"]["table_id"],
                party_size=party,
                starts_at=draw.moment(days, 19),
                state="booked",
                fee=0,
            ),
            answer(Entity(other, instead_of=(name,))),
        ],
        never=[_BOOKED_MORE],
        solution=solution,
    )


@scenario(ScenarioCategories.INSUFFICIENT_INFORMATION, apps=DINING, twin="cancel_table_for_agreed_fee")
def cancel_table_that_is_not_there(world: World) -> Task:
    """Cancel a reservation in a restaurant where the user has none."""
    name = world.choice("Smoky Dumpling", "Old Tiflis Cellar", "Saperavi House")
    _put_restaurant(world, name)

    def solution() -> Solution:
        places = (yield call("search_restaurants", words=name))["results"]
        yield call("search_table_reservations", restaurant_id=places[0]["restaurant_id"])
        yield say(f"I found no reservation at {name}, so I did not cancel anything.")

    return Task(
        user=world.phrase(
            f"Cancel my reservation at {name}, please.", f"We can't go to {name}, so please cancel the table."
        ),
        tools=["search_restaurants", "search_table_reservations", "cancel_table_reservation"],
        milestones=[
            called("search_table_reservations").returning(Nothing()),
            answer(cannot(NOT_FOUND, about=(name, "reservation", "table"), task="removed")),
        ],
        never=[_BOOKED],
        solution=solution,
    )
