"""What is prepared for a visit and then put back, but for what stays, what others have changed, and second thoughts."""

from collections.abc import Callable, Sequence

import attrs

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
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, everything, one
from tool_sandbox.scenarios.matchers import Anything, OneOf
from tool_sandbox.scenarios.vocabulary import Happening, Node, Task, added, call, changed, happens, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Call, Solution
from tool_sandbox.world.table import TableSchema

ROOM_SETS = (("blue room", "loft"), ("oak room", "annex"), ("red room", "veranda"))


@attrs.define
class Thing:
    """One row that is set for the visit: its name, its cells before and for the visit, and the call for them."""

    name: str
    row: Row
    new: Row
    set_to: Callable[[Row], Call]

    @property
    def old(self) -> Row:
        """The cells that it had."""
        return {name: self.row[name] for name in self.new}


@attrs.define
class Group:
    """Things of one app, with the rule for the visit; ``by_hand`` is what somebody else makes of the third of them."""

    table: TableSchema
    rule: str
    things: list[Thing]
    tools: tuple[str, ...]
    find: Callable[[], Steps]
    allowed: Sequence[Node] = ()
    by_hand: Row | None = None


def _setter(tool: str, key: str) -> Callable[[Row], Call]:
    """The call that gives a row cells."""
    name = {"set_home_device": "device_id", "modify_task": "task_id"}[tool]
    return lambda cells: call(tool, **{name: key}, **cells)


def _home(world: World) -> Group:
    draw, rooms = world.draw("home"), world.choice(*ROOM_SETS)
    things: list[Thing] = []
    for number, room in enumerate(rooms):
        room_id = world.put(ROOMS, {"room_id": draw.key("room"), "name": room, "floor": "upper floor"})["room_id"]
        lit, wide = {"power": "on", "level": 65}, 20 * world.integer(3 + number % 2, 2, 5)
        warm = 15 + world.integer(number, 0, 6) / 2
        cells: tuple[tuple[str, str, Row, Row | None], ...] = (
            ("wall light", "light", {"power": "off", "level": 5 * world.integer(7 + number, 4, 11)}, lit),
            ("floor lamp", "light", {"power": ("on", "off")[number % 2], "level": 5 * world.integer(3, 2, 9)},
             lit if number % 2 else None),
            ("blind", "blind", {"level": wide}, {"level": wide // 2}),
            ("heating", "thermostat", {"power": ("on", "off")[number], "degrees": warm},
             {"power": "on", "degrees": warm + 1.5} if number < 1 else {"power": "on", "degrees": 20.0}),
            ("plug", "plug", {"power": "on"}, {"power": "off"} if number else None),
        )  # fmt: skip
        for name, kind, before, after in cells:
            label = name if name != "plug" else ("aquarium plug", "fan plug")[number]
            row = world.put(DEVICES, device_row(draw, room_id, label, kind, draw.ago(900), **before))
            if after is not None:
                new = {key: cell for key, cell in after.items() if row[key] != cell}
                things.append(Thing(f"{label} in the {room}", row, new, _setter("set_home_device", row["device_id"])))

    def find() -> Steps:
        for room in rooms:
            [found] = (yield call("search_home_rooms", words=room))["results"]
            yield call("search_home_devices", room_id=found["room_id"])

    rule = (
        f"House, only {' and '.join(rooms)}: lights that are off go on at 65 percent, lights that are on "
        f"stay "
        "as they are. Blinds half as far open as they are. Heatings that are on 1.5 degrees warmer than they are set, "
        "heatings that are off go on at 20 degrees. Plugs go off, but never the aquarium plug."
    )
    tools = ("search_home_rooms", "search_home_devices", "set_home_device", "set_home_lights", "create_home_scene")
    return Group(DEVICES, rule, things, tools, find, by_hand={"degrees": 24.5})


def _orders(world: World) -> Group:
    draw, account = world.draw("wallet"), one(world.stored(ACCOUNTS), name="Everyday account")
    names = world.choice(
        ("Gym on the Quay", "Veg Box Farm", "Piano School", "Book Circle", "Cheese Post"),
        ("Climbing Hall", "Milk Round", "Cello School", "Film Circle", "Coffee Post"),
        ("Swim Club", "Bread Round", "Drum School", "Poetry Circle", "Flower Post"),
    )
    things = []
    for number, name in enumerate(names):
        payee = world.put(PAYEES, payee_row(draw, name))
        cents = 20 * world.integer(130 + 17 * number, 60, 400)
        cells = {"state": "paused"} if number == 2 else {}
        row = world.put(STANDING_ORDERS, order_row(draw, account, payee, cents, name, draw.date(12 + number), **cells))
        things.append((name, row))

    def to(row: Row) -> Callable[[Row], Call]:
        def make(cells: Row) -> Call:
            paused = {"paused": cells["state"] == "paused"}
            return call("modify_standing_order", standing_order_id=row["standing_order_id"], **paused)

        return make

    def find() -> Steps:
        yield from everything("search_standing_orders")

    listed = ", ".join(names)
    return Group(
        STANDING_ORDERS,
        f"Bank, only the standing orders {listed}: those that are active are paused, those that are paused go on "
        f"again.",
        [Thing(f"standing order {name}", row, {"state": "active" if row["state"] == "paused" else "paused"}, to(row))
         for name, row in things],
        ("search_standing_orders", "get_standing_order", "modify_standing_order", "cancel_standing_order"),
        find,
        [changed(STANDING_ORDERS, {"standing_order_id": row["standing_order_id"]}, booked_until=Anything())
         for _, row in things],
    )  # fmt: skip


def _chores(world: World) -> Group:
    draw = world.draw("tasks")
    what, titles = world.choice(
        ("House and yard", ("Mow the lawn", "Wash the windows", "Oil the gate", "Prune the hedge", "Fix the tap")),
        ("Boat and pier", ("Scrub the deck", "Paint the rail", "Mend the sail", "Test the pump", "Fill the tank")),
        ("Barn and field", ("Stack the hay", "Mend the fence", "Grease the cart", "Clear the ditch", "Patch the roof")),
    )  # fmt: skip
    at = world.put(LISTS, list_row(draw, what, draw.moment(-40, 9)))
    things = []
    for number, title in enumerate(titles):
        day, cells = world.integer(4 + number, 2, 12), {"priority": ("normal", "high", "low")[number % 3]}
        row = world.put(TASKS, task_row(draw, at["list_id"], title, draw.moment(-9, 9), due_on=draw.date(day), **cells))
        new = {"priority": "low"} if cells["priority"] == "high" else {"due_on": draw.date(day + 9)}
        things.append(Thing(f'task "{title}"', row, new, _setter("modify_task", row["task_id"])))

    def find() -> Steps:
        [found] = (yield call("search_task_lists", words=what))["results"]
        yield from everything("search_tasks", list_id=found["list_id"])

    ids = OneOf([each.row["task_id"] for each in things])
    log = {"task_id": ids, "edit_id": Anything(), "field": Anything(), "old": Anything(), "new": Anything()}
    return Group(
        TASKS,
        f"Tasks on the list {what}: those with high priority get low priority and keep their date; all others are due "
        f"9 "
        "days later than now.",
        things,
        ("search_task_lists", "search_tasks", "get_task", "modify_task", "shift_task_due_dates", "undo_task_edit",
         "modify_tasks_together", "search_task_changes"),
        find,
        [added(EDITS, 60, made_by="me", undone=OneOf([True, False])), added(CHANGES, 60, **log)],
        {"due_on": draw.date(40)},
    )  # fmt: skip


def _dates(world: World) -> Group:
    draw = world.draw("calendar")
    calendar = next(row for row in world.stored(CALENDARS) if row["name"] == "Private" and row["access"] == "owner")
    names = world.choice(
        ("Sauna", "Choir", "Chess", "Pottery", "Fencing"), ("Judo", "Sewing", "Bridge", "Drawing", "Rowing"),
        ("Yoga", "Carving", "Go club", "Ceramics", "Archery"),
    )  # fmt: skip
    things = []
    for number, name in enumerate(names):
        when = times(draw, 5 + number, world.integer(18, 17, 20), 5 * world.integer(9 + number, 8, 12))
        row = world.put(EVENTS, event_row(draw, calendar, f"{name} evening", when, show_as="free"))
        days = 7 if number % 2 else 14
        later = times(draw, 5 + number + days, int(row["starts_at"][11:13]), 5)["starts_at"]
        minutes = int(row["ends_at"][14:16])
        later_end = times(draw, 5 + number + days, int(row["ends_at"][11:13]), 5, minute=minutes)["starts_at"]

        def make(cells: Row, row: Row = row) -> Call:
            return call(
                "modify_calendar_event", event_id=row["event_id"], **{key: cell[:16] for key, cell in cells.items()}
            )

        things.append(Thing(f"{name} evening", row, {"starts_at": later, "ends_at": later_end}, make))

    def find() -> Steps:
        yield from everything("search_calendar_events", words="evening")

    odd = " and ".join(f"{name} evening" for name in names[1::2])
    return Group(
        EVENTS,
        f"Calendar, only the events {', '.join(names)} evening: each moves by two weeks, same time of day, but {odd} "
        f"by one "
        "week.",
        things,
        ("search_calendar_events", "get_calendar_event", "modify_calendar_event", "cancel_calendar_event",
         "restore_calendar_event"),
        find,
    )  # fmt: skip


def _come_and_go(world: World, *makers: Callable[[World], Group]) -> Task:
    """Three turns: prepare, put back with exceptions, and prepare some of it again."""
    guest, other = world.new_person().first_name, world.new_person().first_name
    groups = [make(world) for make in makers]
    stage.put_page(world, f"When {guest} comes", "\n".join(each.rule for each in groups))
    kept = [each.things[1] for each in groups]
    again = [each.things[-1] for each in groups]
    nodes: list[Node] = []
    allowed: list[Node] = []
    events: list[Happening] = []
    left: list[Thing] = []
    for group in groups:
        key = group.table.key
        allowed += group.allowed
        for thing in group.things:
            new, old = (changed(group.table, {key: thing.row[key]}, **cells) for cells in (thing.new, thing.old))
            if thing is group.things[2] and group.by_hand is not None:
                events.append(_by_hand(group, thing, other))
                left.append(thing)
                allowed.append(new)
            elif thing in kept:
                nodes.append(new.after())
                allowed.append(old)
            elif thing in again:
                nodes += [
                    new.passing().named(thing.name).after(),
                    old.passing().named(f"no {thing.name}").after(thing.name),
                ]
                nodes.append(new.after(f"no {thing.name}"))
            else:
                nodes += [new.passing().named(thing.name).after(), old.after(thing.name)]
    back = [thing for each in groups for thing in each.things if thing not in kept and thing not in left]

    def solution() -> Solution:
        [page] = (yield call("search_note_pages", words=f"When {guest} comes"))["results"]
        yield call("get_note_page", page_id=page["page_id"])
        for group in groups:
            yield from group.find()
            for thing in group.things:
                yield thing.set_to(thing.new)
        yield say(f"All is ready for {guest}.")
        for group in groups:
            yield from group.find()
        for thing in back:
            yield thing.set_to(thing.old)
        yield say("It is all as it was, but for what is to stay.")
        for thing in again:
            yield thing.set_to(thing.new)
        yield say("These are as for the visit again.")

    stays = " and the ".join(each.name for each in kept)
    changes = (
        f" If {other} has changed anything by hand meanwhile, leave what {other} has changed as it is now."
        if left
        else ""
    )
    return Task(
        user=(
            f'{guest} is coming to stay. Please prepare everything as the note "When {guest} comes" says.',
            f"{guest} has just called: the visit is off. Put everything back exactly as it was before. Only the "
            f"{stays} "
            f"stay as you have set them for the visit.{changes}",
            f"One more thing: {other} would like the {' and the '.join(each.name for each in again)} as for the visit "
            "after all. Everything else is right as it is now.",
        ),
        tools=["search_note_pages", "get_note_page", *(tool for each in groups for tool in each.tools)],
        milestones=nodes,
        allowed=allowed,
        events=events,
        solution=solution,
    )


def _by_hand(group: Group, thing: Thing, who: str) -> Happening:
    """Somebody else sets a thing while the user is away: before the user speaks again."""

    def effect() -> str:
        change(group.table, thing.row[group.table.key], **group.by_hand or {})
        return f"{who} changed the {thing.name}: {group.by_hand}"

    def is_back() -> bool:
        senders = current_device().get_table(DatabaseNamespace.SANDBOX).column("sender")
        return senders.count(RoleType.USER) > 1

    return happens(effect, when=is_back)


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
