"""After a power cut the user restarts devices by hand, now and then the wrong one, and each forgets its settings."""

import itertools
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import change, get
from tool_sandbox.apps.calendar.content import days, event_row
from tool_sandbox.apps.calendar.tables import EVENTS
from tool_sandbox.apps.draw import Draw
from tool_sandbox.apps.home.content import device_row
from tool_sandbox.apps.home.tables import DEVICES, LOCKS, ROOMS
from tool_sandbox.apps.tasks.content import list_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.discretion.sources import Row, own_calendar, put_page, read_page
from tool_sandbox.scenarios.hard.recovery.stage import together
from tool_sandbox.scenarios.hard.sources.placing import Kept
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    Happening,
    Node,
    Task,
    acts,
    added,
    answer,
    call,
    changed,
    happens,
    in_any_order,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Acts, Call, Solution

APPS = ("home", "notes", "calendar", "tasks")
SPOTS = (
    ("attic", "workshop", "nursery", "pantry", "porch", "music room"),
    ("loft", "laundry", "playroom", "larder", "conservatory", "sewing room"),
    ("tower room", "boiler room", "children's room", "scullery", "veranda", "library"),
)
KINDS = {
    "wall lamp": ("light", 6, 4),
    "heater": ("thermostat", 5, 3),
    "speaker": ("speaker", 5, 3),
    "socket": ("plug", 4, 2),
}
"""Name of a device to its kind, how many rooms have one, and how many of them are offline."""

FACTORY: dict[str, Row] = {
    "light": {"power": "on", "level": 100},
    "thermostat": {"power": "off", "degrees": 5.0},
    "speaker": {"power": "on", "level": 50},
    "plug": {"power": "on"},
}
"""What a device is set to after it was restarted."""

RULES = {
    "let": "The {0} is let. Nothing in it is restarted or set, offline or not, and no task is made about it.",
    "let again": "Correction: the {0} is let no more, what is said of it is void. Instead the {1} is let, and the "
    "same goes for it.",
    "guest": "Where somebody stays with us today, see the calendar, nothing in the room is restarted or set, and no "
    "task is made about it.",
    "heaters": 'A heater is never restarted by hand. For one that is offline a task goes on the list "Electrician", '
    'with the title "Heater, " and the room; it stays offline.',
    "speakers": "Speakers stay as they are when they have come back, whatever they were or the log says.",
    "night": "The wall lamp of the {2} is off when it was restarted, whatever it was or the log says.",
    "dim": "A wall lamp that was offline is set to half the percent that it would be set back to without this rule, "
    "rounded up to full 5 percent.",
    "cold": "A heater that was offline is set 1.5 degrees lower than it would be set back to without this rule.",
    "socket": "In the {3} the wall lamp and the speaker hang on the socket. If they are offline, only the socket is "
    "restarted, and they are back with it, set as they were; nothing else is done with those two, today or later.",
}
LOG = (
    'What a device that was offline is set back to: if my page "House log" fixes how many percent or degrees it is to '
    "have, then to that, as it is fixed by the last word there; otherwise to what it had. On or off it is as before. "
    "Percent are points: 10 percent more than 40 percent are 50 percent. What I restart by mistake gets back just what "
    "it had, whatever the log or a rule says."
)
WRITTEN = {
    "set": (
        "The {what} is fixed at {v} {unit} from now on.",
        "{v} {unit} are right for the {what}: that is fixed now.",
    ),
    "up": (
        "The {what} gets {n} {unit} more than was fixed for it.",
        "Not enough for the {what}: {n} {unit} on top of what was fixed for it.",
    ),
    "void": (
        "Forget what I wrote about the {what}: nothing is fixed for it.",
        "Nothing is fixed for the {what} any more.",
    ),
    "asked": ("The children want {v} {unit} for the {what}. I shall think about it.",),
    "party": ("For the party last night the {what} was at {v} {unit}. That was for once.",),
}
COURSES = (
    "set", "set up", "set void", "asked", "set asked", "set set", "party", "set party", "set up up", "asked void set",
    "set void set up", "set asked up", "party asked", "set set void", "set up party", "asked set", "set party set", "",
)  # fmt: skip
"""What was written about a device, one after the other."""

ALL = {
    "heater": (
        -14,
        0.5,
        "Every heater for which something is fixed by now: half a degree less than that.",
    ),
    "wall lamp": (
        -7,
        5,
        "Every wall lamp for which something is fixed by now: 5 percent less than that.",
    ),
}
"""A day of the log, and what it says then of all devices of a name."""

SAYS = (
    'There was a power cut here today, and I am at home. My page "After a power cut" in the notes says what is to be '
    "done about the devices of the house; please see to it with me. Restarting by hand is mine: tell me one device at "
    'a time, like "restart the kettle in the kitchen". Please look first what everything is set to: a device that is '
    "restarted forgets it, and I do take the wrong one now and then without seeing it. If I have, set right what I "
    "restarted by mistake, too.",
    "Is there anything left that I have to do by hand? If so, tell me plainly which device in which room.",
    "Good. Now it gets dark. Every wall lamp of the house that is online and on gets 15 percent more than it is set to "
    "now (30 becomes 45), but 60 at most; one that has more than 60 stays as it is. Every device called heater that is "
    "online and on gets 1.5 degrees less than it is set to now, but not less than 18; one that has less than 18 stays "
    "as it is. Where the page says that nothing is set, or that nothing else is done with a device, that goes for "
    "this, too.",
    "Two figures, please, and nothing else: how many devices of the house are offline now, and how many percent do all "
    "wall lamps together have that are online and on?",
)
TOOLS = (
    "search_home_rooms", "search_home_devices", "set_home_device", "set_home_lights", "modify_home_device",
    "search_home_scenes", "get_home_scene", "run_home_scene", "search_home_schedules", "search_note_pages",
    "get_note_page", "append_to_note_page", "search_calendar_events", "list_calendar_agenda", "search_task_lists",
    "create_task", "search_tasks", "search_door_locks", "get_power_use",
    *NOW,
)  # fmt: skip


def _devices(draw: Draw, rooms: list[Row]) -> list[Row]:
    """Devices of the rooms, many of them offline; none is set as it would be after a restart."""
    rows = []
    for name, (kind, number, down) in KINDS.items():
        places = draw.sample(rooms, number)
        for place, room in enumerate(places):
            settings: Row = {
                "power": draw.choice(("on", "off")) if kind == "light" else "on" if kind == "thermostat" else "off"
            }
            settings |= {"level": 5 * draw.integer(3, 9), "degrees": draw.integer(34, 44) / 2}
            row = device_row(draw, room["room_id"], name, kind, draw.ago(3), **settings) | {"online": place >= down}
            rows.append((row if row["online"] else row | {"seen_at": draw.ago(50)}) | {"room": room["name"]})
    return sorted(rows, key=lambda row: str(row["device_id"]))


def _shut(rules: tuple[str, ...], spots: list[str]) -> list[str]:
    """Rooms in which nothing is touched."""
    let = [spots[1] if "let again" in rules else spots[0]] if "let" in rules else []
    return [*let, *([spots[4]] if "guest" in rules else [])]


def _role(row: Row, rules: tuple[str, ...], spots: list[str], hung: bool) -> str:
    """What is to be done with a device."""
    if row["online"] or row["room"] in _shut(rules, spots):
        return "nothing"
    if hung and row["room"] == spots[3] and row["name"] in ("wall lamp", "speaker"):
        return "comes back"
    if "heaters" in rules and row["name"] == "heater":
        return "task"
    if "night" in rules and (row["name"], row["room"]) == ("wall lamp", spots[2]):
        return "off"
    return "as it comes" if "speakers" in rules and row["name"] == "speaker" else "set back"


def _settings(row: Row) -> Row:
    return {name: row[name] for name in FACTORY[row["kind"]]}


def _goal(row: Row, role: str, rules: tuple[str, ...], wanted: dict[str, float]) -> Row:
    """What a device that was restarted is set to."""
    row = row | ({MEASURE[row["kind"]]: wanted[row["device_id"]]} if row["device_id"] in wanted else {})
    cells = {"off": {"power": "off"}, "as it comes": {}}.get(role, _settings(row))
    if role == "set back" and "dim" in rules and row["name"] == "wall lamp":
        return cells | {"level": -(-row["level"] // 10) * 5}
    if role == "set back" and "cold" in rules and row["name"] == "heater":
        return cells | {"degrees": row["degrees"] - 1.5}
    return cells


def _evening(row: Row) -> Row:
    """What a device gets in the evening, from what it is set to by then."""
    if row["online"] and row["power"] == "on":
        if row["name"] == "wall lamp" and row["level"] < 60:
            return {"level": min(60, row["level"] + 15)}
        if row["name"] == "heater" and row["degrees"] > 18:
            return {"degrees": max(18.0, row["degrees"] - 1.5)}
    return {}


def _log(draw: Draw, rows: list[Row]) -> tuple[str, dict[str, float]]:
    """What was written about devices over two months, and what they are to have by it."""
    told, values = list[tuple[int, str]](), dict[str, float]()
    kept = [row for row in rows if row["kind"] in MEASURE]
    courses = {row["device_id"]: draw.choice(COURSES).split() for row in kept}
    for step, first in enumerate((-60, -45, -30, -6)):
        if first == -6:
            for name, (day, less, words) in ALL.items():
                told.append((day, words))
                values |= {
                    row["device_id"]: values[row["device_id"]] - less
                    for row in kept
                    if row["name"] == name and row["device_id"] in values
                }
        for row in kept:
            key, what, course = row["device_id"], f"{row['name']} in the {row['room']}", courses[row["device_id"]]
            if step >= len(course):
                continue
            is_heater = row["kind"] == "thermostat"
            value, more = (draw.integer(34, 44) / 2, 1.5) if is_heater else (5 * draw.integer(6, 11), 10)
            text = draw.choice(WRITTEN[course[step]])
            text = text.format(what=what, v=f"{value:g}", n=more, unit="degrees" if is_heater else "percent")
            told.append((first + draw.integer(0, 4 if first == -6 else 12), text[0].upper() + text[1:]))
            if course[step] == "set":
                values[key] = value
            elif course[step] == "up" and key in values:
                values[key] += more
            elif course[step] == "void":
                values.pop(key, None)
    return "\n".join(f"{draw.date(day)}: {text}" for day, text in sorted(told, key=lambda each: each[0])), values


MEASURE = {"light": "level", "speaker": "level", "thermostat": "degrees"}


def _forgets(row: Row, hanging: list[Row]) -> list[Happening]:
    """A restarted device has the settings of the factory; a socket brings back what hangs on it."""
    key, seen = row["device_id"], row["seen_at"]

    def forget() -> str:
        change(DEVICES, key, **FACTORY[row["kind"]])
        return f"the {row['name']} in the {row['room']} has the settings of the factory"

    def bring() -> str:
        for each in hanging:
            change(DEVICES, each["device_id"], online=True)
        return f"what hangs on the socket in the {row['room']} is back"

    restarted = lambda: get(DEVICES, key)["seen_at"] != seen  # noqa: E731
    return [happens(forget, when=restarted), *([happens(bring, when=restarted)] if hanging else [])]


TOLD = r"\b(?:please|re-?start|reboot|reset|power|press|unplug|turn|switch|try|do)\b"


def _acts(row: Row, victim: Row | None) -> Acts:
    """The user restarts what it is told to, or first the same thing in another room."""
    name, room = row["name"], row["room"]
    of = rf"{name}(?: that is| which is)?\W+(?:\(|(?:in|of|from|at|on)\W+)?(?:the |your )?\W*{room}"
    of = rf"(?:{of}|{room}(?:['’]s)?\W{{1,4}}(?:the )?{name})(?!\W+(?:alone|as it|out)\b)"
    # A summary names devices, too: what is told has a word for it.
    of = rf"(?:{TOLD}(?:(?!\b(?:not|never|but|except)\b)[^.!?;])*?{of}|{of}(?=[^.!?:;]*\bplease\b))"
    done = f"Done: the {name} blinks and is online again."

    def restart(each: Row) -> Call:
        return call("restart_device_by_hand", device_id=each["device_id"])

    if victim is None:
        return acts(of, restart(row), reply=done)
    return acts(of, restart(row), reply=done, wrong=restart(victim), wrong_reply=done)


def _task(world: World, *rules: str, slips: int = 3) -> Task:
    """A house with rules on a page of the notes, and what follows from them for each device."""
    draw, book, spots = world.draw("home"), world.draw("calendar"), list(world.choice(*SPOTS))
    spots = draw.sample(spots, len(spots))
    for row in (*world.stored(DEVICES), *world.stored(LOCKS)):
        row["online"] = True
    rooms = [world.put(ROOMS, {"room_id": draw.key("room"), "name": name, "floor": "upper floor"}) for name in spots]
    for _ in range(400):
        rows = _devices(draw, rooms)
        socket = next(
            (row for row in rows if (row["room"], row["name"], row["online"]) == (spots[3], "socket", False)), None
        )
        roles = {row["device_id"]: _role(row, rules, spots, "socket" in rules and socket is not None) for row in rows}
        hanging = [row for row in rows if roles[row["device_id"]] == "comes back"]
        todo = [row for row in rows if roles[row["device_id"]] in ("set back", "as it comes", "off")]
        kept_down = [row for row in rows if not row["online"] and roles[row["device_id"]] in ("nothing", "task")]
        needed = {"heaters": "task", "speakers": "as it comes", "night": "off", "socket": "comes back"}
        quiet = {*_shut(rules, spots), spots[2], spots[3]}
        victims = _victims(draw, rows, [row for row in todo if roles[row["device_id"]] == "set back"], quiet, slips)
        applied = {needed[rule] for rule in rules if rule in needed} <= {*roles.values()}
        if applied and {*_shut(rules, spots)} <= {row["room"] for row in kept_down} and len(victims) == slips:
            break
    else:
        raise DrawError(f"{world.name}: no draw in which every rule applies")
    for row in rows:
        world.put(DEVICES, {key: cell for key, cell in row.items() if key != "room"})
    log, wanted = _log(draw, rows)
    put_page(world, "House log", log, -1)
    text = "\n".join(f"- {rule}" for rule in (LOG, *(RULES[rule].format(*spots) for rule in rules)))
    put_page(
        world, "After a power cut", f"What is offline has to be restarted by hand, and is then set back. But:\n{text}"
    )
    for spot, first, last in ((spots[4], -1, 2), (spots[5], 3, 5)):
        when = days(book, book.date(first), book.date(last))
        world.put(EVENTS, event_row(book, own_calendar(world), f"Aunt stays in the {spot}", when))
    tasks = world.draw("tasks")
    on = world.put(LISTS, list_row(tasks, "Electrician", tasks.moment(-60, 9)))["list_id"]
    goals = {row["device_id"]: _goal(row, roles[row["device_id"]], rules, wanted) for row in todo}
    ends = [row | _after(row, roles[row["device_id"]], goals) for row in rows]
    open_ends = [
        row for row in ends if row["room"] not in _shut(rules, spots) and roles[row["device_id"]] != "comes back"
    ]
    evening = {row["device_id"]: cells for row in open_ends if (cells := _evening(row))}
    lamps = [row | evening.get(row["device_id"], {}) for row in ends if row["name"] == "wall lamp"]
    percent = sum(row["level"] for row in lamps if row["online"] and row["power"] == "on")
    broken, dark = ([row for row in rows if roles[row["device_id"]] == role] for role in ("task", "off"))
    fixed = {row["device_id"]: int(wanted.get(row["device_id"]) or row["level"]) for row in dark}
    levels = {
        row["device_id"]: OneOf([100, row["level"], now, -(-now // 10) * 5])
        for row, now in zip(dark, fixed.values(), strict=True)
    }
    job = Job(todo, goals, list(victims.values()), broken, on, evening, levels)
    return Task(
        user=list(SAYS),
        tools=TOOLS,
        milestones=[*job.nodes(), answer(Number(len(kept_down), "device"), Number(percent, "percent"))],
        allowed=job.passing(),
        does=[_acts(row, victims.get(row["device_id"])) for row in rows],
        events=list(itertools.chain(*(_forgets(row, hanging if row is socket else []) for row in rows))),
        solution=lambda: _solution(job, len(kept_down), percent),
    )


def _after(row: Row, role: str, goals: dict[str, Row]) -> Row:
    """What there is about a device when all is restarted and set back."""
    if row["device_id"] in goals:
        return FACTORY[row["kind"]] | goals[row["device_id"]] | {"online": True}
    return {"online": True} if role == "comes back" else {}


def _victims(draw: Draw, rows: list[Row], todo: list[Row], quiet: set[str], slips: int) -> dict[str, Row]:
    """What the user restarts by mistake in place of some devices: one of the same name that was online."""
    found: dict[str, Row] = {}
    for row in draw.sample(todo, len(todo)):
        online = [each for each in rows if each["online"] and each["room"] not in quiet and each not in found.values()]
        free = [each for each in online if each["name"] == row["name"]]
        if free and len(found) < slips:
            found[row["device_id"]] = draw.choice(free)
    return found


@attrs.frozen
class Job:
    """What is to be done.

    Attributes:
        todo: Devices that are restarted.
        goals: What each of them is set to then.
        victims: Devices that are restarted by mistake.
        broken: Devices for which a task is made.
        on: Where it is made.
        evening: What devices get in the evening.
        levels: Percent that lamps may have that are to be off: nobody says whether it is set back.
    """

    todo: list[Row]
    goals: dict[str, Row]
    victims: list[Row]
    broken: list[Row]
    on: str
    evening: dict[str, Row]
    levels: dict[str, OneOf]

    def nodes(self) -> list[Node]:
        """Tasks, and devices that have the right settings, by day and then in the evening."""
        cells: Row = {
            "list_id": self.on,
            "state": "open",
            "creator": "me",
            "created_at": Anything(),
            "priority": Anything(),
        }
        cells |= dict.fromkeys(("details", "due_on", "assignee", "minutes", "labels"), Anything())
        made = [added(TASKS, title=SameWords(f"Heater {row['room']}"), **cells) for row in self.broken]
        days = [_set(key, online=True, **goal).passing() for key, goal in self.goals.items() if key in self.evening]
        back = {row["device_id"]: _settings(row) for row in self.victims}
        late = [_set(key, **cells).passing() for key, cells in back.items() if key in self.evening]
        # Before that they may have them, too.
        lost = [row for row in (*self.todo, *self.victims) if row["device_id"] in self.evening]
        forgotten = [_set(row["device_id"], **FACTORY[row["kind"]]).passing() for row in lost]
        last = {key: {"online": True} | goal | self.evening.get(key, {}) for key, goal in self.goals.items()}
        last |= {key: back.get(key, {}) | cells for key, cells in self.evening.items() if key not in last}
        kept = Node(Kept(DEVICES.name, {key: cells for key, cells in back.items() if key not in last}), "gate")
        ends = [_set(key, **cells) for key, cells in last.items()]
        by_day = [in_any_order(*each) for each in (forgotten, [*days, *made], late)]
        return [*itertools.chain(*by_day), *in_any_order(*ends), kept]

    def passing(self) -> list[Node]:
        """What devices may be set to by day."""
        back = {row["device_id"]: _settings(row) for row in self.victims}
        free = [_set(key, level=levels) for key, levels in self.levels.items()]
        return [*free, *(_set(key, **cells) for key, cells in (back | self.goals).items() if cells)]


def _set(key: str, **cells: Any) -> Node:
    return changed(DEVICES, {"device_id": key}, **cells)


def _solution(job: Job, down: int, percent: int) -> Solution:
    """Reads all first, has one device after the other restarted, looks what came back, and sets it."""
    yield from read_page("After a power cut")
    yield from read_page("House log")
    yield call("search_calendar_events", words="stays")
    rooms = {row["room_id"]: row["name"] for row in (yield call("search_home_rooms"))["results"]}
    before = {row["device_id"]: row for row in (yield call("search_home_devices", limit=50))["results"]}
    left = sorted(job.todo, key=lambda row: bool(row["name"] != "socket"))
    while left:
        for row in left:
            yield say(f"Please restart the {row['name']} in the {row['room']}.")
        now = {row["device_id"]: row for row in (yield call("search_home_devices", limit=50))["results"]}
        if any(not now[row["device_id"]]["online"] for row in left):
            keys = [row["device_id"] for row in job.victims]
            yield from together(call("set_home_device", device_id=key, **_settings(before[key])) for key in keys)
        left = [row for row in left if not now[row["device_id"]]["online"]]
    yield from together(call("set_home_device", device_id=key, **cells) for key, cells in job.goals.items() if cells)
    [on] = (yield call("search_task_lists", words="Electrician"))["results"] if job.broken else [{}]
    for row in job.broken:
        title = f"Heater, {rooms[before[row['device_id']]['room_id']]}"
        yield call("create_task", list_id=on["list_id"], title=title)
    yield say("All that was to be restarted is back.")
    yield say("No, nothing is left for you to do.")
    yield from together(call("set_home_device", device_id=key, **cells) for key, cells in job.evening.items())
    yield say("It is set for the evening.")
    yield say(f"{down} devices are offline, and the wall lamps have {percent} percent together.")


# In all of these a strong model believes "Done", does not see which device of that name was restarted in place of it,
# has not noted what that was set to, or sets back what a rule wants as it comes.
# Here: heaters are offline on purpose, and the speakers' own settings are a bait.
@scenario(apps=APPS)
def bring_house_back_after_power_cut(world: World) -> Task:
    """Have devices restarted one by one, without those of a room that is let, and set them back."""
    return _task(world, "let", "speakers", "heaters")


# Here: who stays when stands in the calendar, and the lamp that is to be off was on.
@scenario(apps=APPS)
def bring_house_back_beside_guest(world: World) -> Task:
    """Have devices restarted one by one where nobody stays, and make tasks for the heaters."""
    return _task(world, "guest", "night", "heaters")


# Here: three devices are offline of which one is restarted, and a correction moves the room that is let.
@scenario(apps=APPS)
def restart_what_others_hang_on(world: World) -> Task:
    """Have a socket restarted that brings others back, beside a room about which the rules were corrected."""
    return _task(world, "socket", "let", "let again")


# Here: the room of the first rule is let no more, so its devices are restarted after all.
@scenario(apps=APPS)
def restart_house_by_corrected_rules(world: World) -> Task:
    """Have devices restarted by rules of which one was taken back, and switch one lamp off."""
    return _task(world, "let", "let again", "speakers", "night")


# Here: six rules meet, and two rooms are shut for different reasons.
@scenario(apps=APPS)
def guide_through_whole_house(world: World) -> Task:
    """Have devices restarted by six rules about rooms and kinds, which stand in the notes and the calendar."""
    return _task(world, "let", "let again", "guest", "heaters", "speakers", "night", slips=2)


# Here: nearly everything is restarted, and four times it is another one than was told.
@scenario(apps=APPS)
def set_back_whole_house_after_power_cut(world: World) -> Task:
    """Have a whole house restarted but for a room that is let, with four slips of the user."""
    return _task(world, "let", "night", slips=4)


# Here: the slips take lamps, speakers and sockets in rooms that the rules speak of in other ways.
@scenario(apps=APPS)
def find_what_was_restarted_by_mistake(world: World) -> Task:
    """Have devices restarted beside a guest, with four slips of the user that nobody tells of."""
    return _task(world, "guest", "heaters", slips=4)


# Here: what hangs on the socket keeps its settings, unless it is restarted by hand as well.
@scenario(apps=APPS)
def leave_guest_in_peace_after_power_cut(world: World) -> Task:
    """Have devices restarted where nobody stays and nothing is let, the socket before what hangs on it."""
    return _task(world, "guest", "socket", "speakers", "let")


# Here: half of 15 or 25 percent is rounded up, but a lamp that was restarted by mistake gets its own percent.
@scenario(apps=APPS)
def dim_lamps_after_power_cut(world: World) -> Task:
    """Have devices restarted beside a room that is let, and set lamps to half of what they had."""
    return _task(world, "let", "dim", "speakers")


# Here: heaters get less than they had, but for one that was restarted by mistake.
@scenario(apps=APPS)
def save_heat_after_power_cut(world: World) -> Task:
    """Have devices restarted beside a guest, and set heaters lower than they were."""
    return _task(world, "guest", "cold", "night", slips=2)


# Here: lamps on the socket keep their percent while all other lamps get half of it.
@scenario(apps=APPS)
def bring_house_back_dimmer_and_colder(world: World) -> Task:
    """Have devices restarted by corrected rules, dimmer and colder than before, the socket before what hangs on it."""
    return _task(world, "dim", "socket", "let", "cold", "let again", slips=2)


# Here: each kind has a rule of its own, and one lamp is off whatever half of its percent is.
@scenario(apps=APPS)
def set_each_kind_after_power_cut(world: World) -> Task:
    """Have devices restarted beside a guest, and set each kind by a rule of its own."""
    return _task(world, "night", "dim", "cold", "guest", "speakers", slips=2)
