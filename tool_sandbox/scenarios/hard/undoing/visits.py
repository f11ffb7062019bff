"""What is prepared for a visit, put back, prepared once more from how it is then, and put back in parts."""

import datetime
from collections.abc import Callable, Iterator, Sequence

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import change, current_device
from tool_sandbox.apps.calendar.content import event_row, times
from tool_sandbox.apps.calendar.tables import CALENDARS, EVENTS
from tool_sandbox.apps.home.content import device_row
from tool_sandbox.apps.home.tables import DEVICES, ROOMS
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS, LISTS, TASKS
from tool_sandbox.apps.wallet.rows import order_row, payee_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, STANDING_ORDERS
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW, read_all
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, one, together
from tool_sandbox.scenarios.matchers import Anything, OneOf
from tool_sandbox.scenarios.vocabulary import Happening, Node, Task, added, answer, call, changed, happens, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Call, Solution
from tool_sandbox.world.table import TableSchema

ROOM_SETS = (("blue room", "loft"), ("oak room", "annex"), ("red room", "veranda"))


@attrs.define
class Thing:
    """One row that is set for the visit: its name, what it is at first, and after each of four turns."""

    name: str
    row: Row
    first: Row
    rule: Callable[[Row], Row]
    set_to: Callable[[Row], Call]
    real: Callable[[Row], Row] = dict
    by_hand: Row | None = None
    states: list[Row] = attrs.field(factory=list)

    def live(self, *, is_kept: bool, is_last: bool, is_first: bool) -> None:
        """Works out what it is after each turn: prepared, put back, prepared from there, and put back in parts."""
        prepared = self.rule(self.first)
        back = prepared if is_kept else self.by_hand or self.first
        again = self.rule(back)
        end = again if is_last else self.first if is_kept and is_first else back
        self.states = [self.real(each) for each in (self.first, prepared, back, again, end)]

    def step(self, turn: int) -> Iterator[Call]:
        """The call that is made in a turn, if any; what somebody else did in between is no call."""
        before, after = self.states[turn - 1], self.states[turn]
        if turn == 2 and self.by_hand is not None:
            before = after
        if before != after:
            yield self.set_to({name: cell for name, cell in after.items() if before[name] != cell})

    def nodes(self, table: TableSchema) -> list[Node]:
        """Each state after the one before it; the last one is to last."""
        skips = (0, 2) if self.by_hand is not None else (0,)
        turns = [turn for turn in range(5) if turn not in skips and self.states[turn] != self.states[turn - 1]]
        made: list[Node] = []
        for turn in turns:
            node = changed(table, {table.key: self.row[table.key]}, **self.states[turn])
            node = node if turn is turns[-1] else node.passing()
            made.append(node.named(f"{self.name} {turn}").after(*(each.label for each in made[-1:])))
        return made


@attrs.define
class Group:
    """Things of one app, with the rule for the visit."""

    table: TableSchema
    rule: str
    things: list[Thing]
    tools: tuple[str, ...]
    find: Callable[[], Steps]
    allowed: Sequence[Node] = ()


def _setter(tool: str, key: str) -> Callable[[Row], Call]:
    """The call that gives a row cells."""
    name = {"set_home_device": "device_id", "modify_task": "task_id"}[tool]
    return lambda cells: call(tool, **{name: key}, **cells)


HOME: dict[str, Callable[[Row], Row]] = {
    "light": lambda c: (
        c | ({"level": min(100, c["level"] + 15)} if c["power"] == "on" else {"power": "on", "level": 65})
    ),
    "blind": lambda c: {"level": c["level"] // 2},
    "thermostat": lambda c: {"power": "on", "degrees": c["degrees"] + 1.5 if c["power"] == "on" else 20.0},
    "plug": lambda c: {"power": "off"},
}


def _home(world: World) -> Group:
    draw, rooms = world.draw("home"), world.choice(*ROOM_SETS)
    things: list[Thing] = []
    for number, room in enumerate(rooms):
        room_id = world.put(ROOMS, {"room_id": draw.key("room"), "name": room, "floor": "upper floor"})["room_id"]
        cells: tuple[tuple[str, str, Row], ...] = (
            ("wall light", "light", {"power": ("off", "on")[number], "level": 5 * world.integer(7 + number, 4, 11)}),
            ("blind", "blind", {"level": 20 * world.integer(3 + number % 2, 2, 5)}),
            (
                "heating",
                "thermostat",
                {"power": ("on", "off")[number], "degrees": 15 + world.integer(number, 0, 6) / 2},
            ),
            ("aquarium plug", "plug", {"power": "on"}) if number == 0 else ("fan plug", "plug", {"power": "on"}),
            ("floor lamp", "light", {"power": ("on", "off")[number], "level": 5 * world.integer(16, 13, 18)}),
        )
        for name, kind, before in cells:
            row = world.put(DEVICES, device_row(draw, room_id, name, kind, draw.ago(900), **before))
            hand = {"power": "on", "degrees": 24.5} if name == "heating" and number == 0 else None
            setter = _setter("set_home_device", row["device_id"])
            if name != "aquarium plug":
                things.append(Thing(f"{name} in the {room}", row, before, HOME[kind], setter, by_hand=hand))

    def find() -> Steps:
        for room in rooms:
            [found] = (yield call("search_home_rooms", words=room))["results"]
            yield call("search_home_devices", room_id=found["room_id"])

    rule = (
        f"House, only {' and '.join(rooms)}: lights that are off go on at 65 percent, lights that are on get 15 "
        "points brighter, but 100 percent at most. Blinds go to half as far open as they are. Heatings that are on "
        "are set 1.5 degrees warmer, heatings that are off go on at 20 degrees. Plugs go off, but never the "
        "aquarium plug."
    )
    tools = ("search_home_rooms", "search_home_devices", "set_home_device", "set_home_lights", "create_home_scene")
    return Group(DEVICES, rule, things, tools, find)


def _orders(world: World) -> Group:
    draw, account = world.draw("wallet"), one(world.stored(ACCOUNTS), name="Everyday account")
    names = world.choice(
        ("Gym on the Quay", "Veg Box Farm", "Piano School", "Book Circle", "Cheese Post", "Tool Library"),
        ("Climbing Hall", "Milk Round", "Cello School", "Film Circle", "Coffee Post", "Seed Library"),
        ("Swim Club", "Bread Round", "Drum School", "Poetry Circle", "Flower Post", "Toy Library"),
    )
    things, day = [], draw.date(world.integer(75, 70, 90))

    def rule(cells: Row, cents: int) -> Row:
        is_paused = cells["state"] == "paused"
        last = cells["last_on"] if is_paused or cents >= 3000 else day
        return {"state": "active" if is_paused or cents < 3000 else "paused", "last_on": last}

    for number, name in enumerate(names):
        payee = world.put(PAYEES, payee_row(draw, name))
        cents = 10 * (world.integer(312 + number, 300, 380) if number % 2 == 0 else world.integer(210, 150, 299))
        last = draw.date(200 + number) if number in (3, 4) else None
        cells: Row = {"state": "paused" if number in (2, 5) else "active", "last_on": last}
        row = world.put(STANDING_ORDERS, order_row(draw, account, payee, cents, name, draw.date(12 + number), **cells))

        def to(cells: Row, row: Row = row) -> Call:
            wanted = {name: cell for name, cell in cells.items() if name != "state"}
            wanted |= {"paused": cells["state"] == "paused"} if "state" in cells else {}
            return call("modify_standing_order", standing_order_id=row["standing_order_id"], **wanted)

        things.append(Thing(f"standing order {name}", row, cells, lambda c, cents=cents: rule(c, cents), to))  # type: ignore[misc]

    def find() -> Steps:
        rows = yield from read_all("search_standing_orders")
        wanted = [row["standing_order_id"] for row in rows if row["payee"] in names]
        yield from together(call("get_standing_order", standing_order_id=each) for each in wanted)

    return Group(
        STANDING_ORDERS,
        f"Bank, only the standing orders {', '.join(names)}: those that are paused go on again, and nothing else "
        "about them changes. Those that are active are paused if they are for 30.00 dollars or more; if they are "
        f"for less, they stay active, and their last day becomes {day}, whether they had one or not.",
        things,
        ("search_standing_orders", "get_standing_order", "modify_standing_order", "cancel_standing_order"),
        find,
        [changed(STANDING_ORDERS, {"standing_order_id": each.row["standing_order_id"]}, booked_until=Anything())
         for each in things],
    )  # fmt: skip


def _chores(world: World) -> Group:
    draw = world.draw("tasks")
    what, titles = world.choice(
        ("House and yard", ("Mow the lawn", "Wash the windows", "Oil the gate", "Prune the hedge", "Fix the tap",
         "Stain the fence", "Sweep the roof")),
        ("Boat and pier", ("Scrub the deck", "Paint the rail", "Mend the sail", "Test the pump", "Fill the tank",
         "Wax the hull", "Splice the ropes")),
        ("Barn and field", ("Stack the hay", "Mend the fence", "Grease the cart", "Clear the ditch", "Patch the roof",
         "Sharpen the scythe", "Whitewash the wall")),
    )  # fmt: skip
    at = world.put(LISTS, list_row(draw, what, draw.moment(-40, 9)))
    things = []

    def due(days: int) -> int:
        weekday = (draw.today + datetime.timedelta(days=days)).weekday()
        return days + max(0, 7 - weekday) * (weekday > 4)

    def rule(cells: Row) -> Row:
        if cells["priority"] == "high":
            return cells | {"priority": "low"}
        days = due(int(cells["day"]) + (4 if cells["priority"] == "low" else 9))
        return {"priority": "normal", "day": days}

    for number, title in enumerate(titles):
        first: Row = {"priority": ("normal", "high", "normal", "low", "normal", "high", "low")[number],
                 "day": world.integer(4 + number, 2, 12)}  # fmt: skip
        cells: Row = {"due_on": draw.date(first["day"]), "priority": first["priority"]}
        row = world.put(TASKS, task_row(draw, at["list_id"], title, draw.moment(-9, 9), **cells))
        things.append(Thing(
            f'task "{title}"', row, first, rule, _setter("modify_task", row["task_id"]),
            lambda each: {"priority": each["priority"], "due_on": draw.date(each["day"])},
            {"priority": "normal", "day": 40} if number == 2 else None,
        ))  # fmt: skip

    def find() -> Steps:
        [found] = (yield call("search_task_lists", words=what))["results"]
        yield from read_all("search_tasks", list_id=found["list_id"])

    ids = OneOf([each.row["task_id"] for each in things])
    log = {"task_id": ids, "edit_id": Anything(), "field": Anything(), "old": Anything(), "new": Anything()}
    return Group(
        TASKS,
        f"Tasks on the list {what}: those with high priority get low priority and keep their date. Those with low "
        "priority get normal priority and are due 4 days later than now. Those with normal priority keep that and "
        "are due 9 days later than now. What would be due on a Saturday or Sunday by that is due on the Monday "
        "after it.",
        things,
        ("search_task_lists", "search_tasks", "get_task", "modify_task", "shift_task_due_dates", "undo_task_edit",
         "modify_tasks_together", "search_task_changes"),
        find,
        [added(EDITS, 90, made_by="me", undone=OneOf([True, False])), added(CHANGES, 180, **log),
         changed(EDITS, {"made_by": "me"}, undone=True)],
    )  # fmt: skip


def _dates(world: World) -> Group:
    draw = world.draw("calendar")
    calendar = next(row for row in world.stored(CALENDARS) if row["name"] == "Private" and row["access"] == "owner")
    names = world.choice(
        ("Sauna", "Choir", "Chess", "Pottery", "Fencing", "Tango"), ("Judo", "Sewing", "Bridge", "Drawing", "Rowing",
         "Salsa"), ("Yoga", "Carving", "Go club", "Ceramics", "Archery", "Swing"),
    )  # fmt: skip
    things: list[Thing] = []
    closed = (6 + 7, 5 + 14, 8 + 14)

    def rule(cells: Row) -> Row:
        days = cells["day"] + (7 if cells["minutes"] >= 60 else 14)
        return cells | {"day": days + (days in closed)}

    def real(cells: Row) -> Row:
        when = times(draw, cells["day"], cells["hour"], cells["minutes"])
        return {name: when[name] for name in ("starts_at", "ends_at")}

    for number, name in enumerate(names):
        first = {"day": 5 + number, "hour": world.integer(18, 17, 20),
                 "minutes": (45, 60, 50, 55, 75, 40)[(number + world.integer(0, 0, 2)) % 6]}  # fmt: skip
        when = times(draw, first["day"], first["hour"], first["minutes"])
        row = world.put(EVENTS, event_row(draw, calendar, f"{name} evening", when, show_as="free"))

        def make(cells: Row, row: Row = row) -> Call:
            wanted = {key: cell[:16] for key, cell in cells.items()}
            return call("modify_calendar_event", event_id=row["event_id"], **wanted)

        hand = first | {"day": first["day"] + 2, "hour": first["hour"] + 1} if number == 2 else None
        things.append(Thing(f"{name} evening", row, first, rule, make, real, hand))

    def find() -> Steps:
        yield from read_all("search_calendar_events", words="evening")

    days = ", ".join(f"{world.in_days(each):%B} {world.in_days(each).day}" for each in closed)
    return Group(
        EVENTS,
        f"Calendar, only the events {', '.join(names)} evening: what takes an hour or longer goes to one week "
        "later, what is shorter to two weeks later, at the same time of day and as long as before. We are away on "
        f"{days}: what would come to be on one of these days goes to the day after it, at the same time of day.",
        things,
        ("search_calendar_events", "get_calendar_event", "modify_calendar_event", "cancel_calendar_event",
         "restore_calendar_event"),
        find,
    )  # fmt: skip


def _come_and_go(world: World, *makers: Callable[[World], Group]) -> Task:
    """Four turns: prepare, put back with exceptions, prepare from how it is then, and put back in parts."""
    guest, other = world.new_person().first_name, world.new_person().first_name
    groups = [make(world) for make in makers]
    stage.put_page(world, f"When {guest} comes", "\n".join(each.rule for each in groups))
    things = [thing for each in groups for thing in each.things]
    kept, last = [each.things[1] for each in groups], [each.things[-1] for each in groups]
    hands = [thing for thing in things if thing.by_hand is not None]
    for thing in things:
        thing.live(is_kept=thing in kept, is_last=thing in last, is_first=thing is kept[0])
    nodes: list[Node] = []
    allowed: list[Node] = []
    ends: list[str] = []
    events: list[Happening] = []
    for group in groups:
        allowed += group.allowed
        for thing in group.things:
            made = thing.nodes(group.table)
            nodes += made
            ends += [each.label for each in made[-1:]]
            cells: Row = {name: OneOf([state[name] for state in thing.states]) for name in thing.states[0]}
            allowed.append(changed(group.table, {group.table.key: thing.row[group.table.key]}, **cells))
        events += [_by_hand(group, thing, other) for thing in group.things if thing in hands]
    differ = sum(thing.states[4] != thing.states[0] for thing in things)

    def solution() -> Solution:
        [page] = (yield call("search_note_pages", words=f"When {guest} comes"))["results"]
        yield call("get_note_page", page_id=page["page_id"])
        for turn in range(1, 5):
            if turn < 4:
                for group in groups:
                    yield from group.find()
            yield from together(step for thing in things for step in thing.step(turn))
            yield say(f"There are {differ} things that differ." if turn == 4 else "All of that is done.")

    names = [" and the ".join(each.name for each in some) for some in (kept, last)]
    changes = f" If {other} has changed anything by hand meanwhile, leave that as {other} has set it." if hands else ""
    return Task(
        user=(
            f'{guest} is coming to stay. Please prepare everything as the note "When {guest} comes" says.',
            f"{guest} has just called: the visit is off. Put everything back exactly as it was before. Only the "
            f"{names[0]} stay as you have set them for the visit.{changes}",
            "The visit is on again! Do all that the note says once more, with everything that it names, from how "
            "each of it is set now, also with what has stayed as for the visit.",
            "Off again, and for good. Take back all that you have done since I told you that it was on again, so "
            f"that everything is as it was right before that. There are two exceptions: the {names[1]} stay as they "
            f"are now, and the {kept[0].name} goes back to what it was before I first wrote to you. Of all the "
            "things that the note names, how many differ now from what they were before I first wrote to you, "
            "whoever has changed them? Only the figure, please.",
        ),
        tools=[
            *("search_note_pages", "get_note_page", *NOW),
            *(tool for each in groups for tool in each.tools),
        ],
        milestones=[*nodes, answer(Number(differ, "thing")).after(*ends)],
        allowed=allowed,
        events=events,
        solution=solution,
    )


def _by_hand(group: Group, thing: Thing, who: str) -> Happening:
    """Somebody else sets a thing while the user is away: it is so when the user calls the visit off."""
    cells = thing.real(thing.by_hand or {})

    def effect() -> str:
        change(group.table, thing.row[group.table.key], **cells)
        return f"{who} changed the {thing.name}: {cells}"

    def is_off() -> bool:
        newest = current_device().get_table(DatabaseNamespace.SANDBOX).dicts()[-1]
        return newest["sender"] == RoleType.USER and "is off" in (newest["content"] or "")

    return happens(effect, when=is_off)


# Old settings are only in what was read before; somebody changes one of them by hand; and some go back and forth.
@scenario(apps=("home", "notes", "calendar"))
def prepare_visit_at_home_and_in_calendar(world: World) -> Task:
    """Prepare house and calendar for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _home, _dates)


@scenario(apps=("home", "notes", "tasks"))
def prepare_visit_at_home_and_in_tasks(world: World) -> Task:
    """Prepare house and chores for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _home, _chores)


@scenario(apps=("notes", "tasks", "wallet"))
def prepare_visit_in_tasks_and_bank(world: World) -> Task:
    """Prepare chores and standing orders for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _chores, _orders)


@scenario(apps=("notes", "calendar", "wallet"))
def prepare_visit_in_calendar_and_bank(world: World) -> Task:
    """Prepare calendar and standing orders for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _dates, _orders)


@scenario(apps=("notes", "tasks", "calendar", "wallet"))
def prepare_visit_in_tasks_calendar_and_bank(world: World) -> Task:
    """Prepare all but the house for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _chores, _dates, _orders)


@scenario(apps=("home", "notes", "wallet"))
def prepare_visit_at_home_and_in_bank(world: World) -> Task:
    """Prepare house and standing orders for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _home, _orders)


@scenario(apps=("notes", "calendar", "tasks"))
def prepare_visit_in_calendar_and_tasks(world: World) -> Task:
    """Prepare calendar and chores for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _dates, _chores)


@scenario(apps=("home", "notes", "calendar", "wallet"))
def prepare_visit_at_home_in_calendar_and_bank(world: World) -> Task:
    """Prepare all but the chores for a visit, put it back when it is called off, and prepare a part again."""
    return _come_and_go(world, _home, _dates, _orders)
