"""Home: devices that are set, scenes and schedules, locks, and who came and went."""

from typing import Any

from tool_sandbox.answers.facts import Done, Entity
from tool_sandbox.apps.home.content import code_row, device_row
from tool_sandbox.apps.home.tables import CODES, DEVICES, EVENTS, LOCKS, ROOMS, SCENES, SCHEDULES, STEPS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.matchers import Nothing, SameWords
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    Task,
    added,
    answer,
    call,
    called,
    cannot,
    changed,
    removed,
    say,
    setting,
    told,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

HOME = ("home",)

Row = dict[str, Any]

_BOOKED = told(
    r"\bI(?:'ve| have)?(?: also| just)? (?:booked|reserved|ordered) (?:you )?(?:an?|another|the) "
    r"(?:table|flight|room|taxi|cab|ride|ticket)\b"
)
"""What nothing at home can do, and the check of statements lets pass: the words of the app have an "a" among them."""


def _put_room(world: World, name: str) -> Row:
    """A room among the others."""
    return world.put(ROOMS, {"room_id": world.draw("home").key("room"), "name": name, "floor": "upper floor"})


def _put_device(world: World, room: Row, name: str, kind: str, **settings: Any) -> Row:
    """A device of a room that was set some days ago."""
    draw = world.draw("home")
    return world.put(DEVICES, device_row(draw, room["room_id"], name, kind, draw.moment(-4, 20), **settings))


def _put_scene(world: World, name: str, device: Row, **settings: Any) -> tuple[Row, Row]:
    """A scene that sets one device, and its step."""
    draw = world.draw("home")
    scene = world.put(SCENES, {"scene_id": draw.key("scene"), "name": name})
    cells: Row = {"power": None, "level": None, "degrees": None} | settings
    about = {"scene_id": scene["scene_id"], "device_id": device["device_id"]}
    return scene, world.put(STEPS, {"step_id": draw.key("step"), **about, **cells})


def _put_lock(world: World, name: str) -> Row:
    """A lock that can be reached and is locked."""
    cells: Row = {"name": name, "online": True, "state": "locked", "unlocked_at": None}
    cells |= {"relock_minutes": 8, "battery_percent": 66}
    return world.put(LOCKS, {"lock_id": world.draw("home").key("lock"), **cells})


@scenario(apps=HOME)
def schedule_home_scene(world: World) -> Task:
    """Let a scene run at a time on two days of the week; another scene has nearly the same name."""
    name, other, days = world.choice(
        ("Orchids at dusk", "Orchids at dawn", ("Wednesday", "Saturday")),
        ("Piano practice", "Piano concert", ("Monday", "Thursday")),
        ("Yoga corner", "Yoga class", ("Tuesday", "Sunday")),
    )
    title, time = world.phrase("Twice a week", "Every few days"), world.choice("17:40", "18:20", "19:10")
    lamp = _put_device(world, _put_room(world, "conservatory"), "floor lamp", "light")
    _put_scene(world, other, lamp, power="on", level=90)
    scene, _ = _put_scene(world, name, lamp, power="on", level=45)

    def solution() -> Solution:
        rows = (yield call("search_home_scenes", words=name))["results"]
        yield call("create_home_schedule", name=title, scene_id=rows[0]["scene_id"], time=time, weekdays=[*days])
        yield say(f'The schedule "{title}" runs {name} on {days[0]} and {days[1]} at {time}.')

    return Task(
        user=world.phrase(
            f'Run the scene "{name}" every {days[0]} and {days[1]} at {time}. Call the schedule "{title}".',
            f'Please make a schedule "{title}" that runs my scene "{name}" at {time} on every {days[0]} and {days[1]}.',
        ),
        tools=["search_home_scenes", "search_home_schedules", "create_home_schedule"],
        milestones=[
            added(
                SCHEDULES,
                name=SameWords(title),
                scene_id=scene["scene_id"],
                time=time,
                weekdays=[*days],
                starts_on=world.today.isoformat(),
                enabled=True,
            ),
            answer(Done("set", (title, name, "schedule"))),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(apps=HOME, content="medium")
def set_heating_of_one_room(world: World) -> Task:
    """Set the heating of one of many rooms to a temperature."""
    name, other = world.choice(("music room", "nursery"), ("sewing room", "playroom"), ("library", "conservatory"))
    degrees, before = world.choice(20.5, 21.5, 22.5), world.choice(17.0, 18.5)
    for each in (other, name):
        heating = _put_device(world, _put_room(world, each), "heating", "thermostat", power="on", degrees=before)

    def solution() -> Solution:
        rooms = (yield call("search_home_rooms", words=name))["results"]
        rows = (yield call("search_home_devices", room_id=rooms[0]["room_id"], kind="thermostat"))["results"]
        yield call("set_home_device", device_id=rows[0]["device_id"], degrees=degrees)
        yield say(f"The heating in the {name} is set to {degrees} degrees.")

    return Task(
        user=world.phrase(
            f"It's cold in the {name}. Set the heating there to {degrees} degrees Celsius.",
            f"Make it {degrees} degrees Celsius in the {name}, please: set the heating in there.",
        ),
        tools=["search_home_rooms", "search_home_devices", "set_home_device"],
        milestones=[
            changed(DEVICES, {"device_id": heating["device_id"]}, degrees=degrees),
            answer(Done("updated", ("heating", name, "temperature"))),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(apps=HOME)
def delete_scene_with_its_schedule(world: World) -> Task:
    """Delete a scene, which can be done only once its schedule is gone."""
    name, title = world.choice(
        ("Exam weeks", "Study alarm"), ("Puppy training", "Puppy breakfast"), ("Harvest party", "Lanterns")
    )
    draw = world.draw("home")
    lamp = _put_device(world, _put_room(world, "conservatory"), "floor lamp", "light")
    scene, step = _put_scene(world, name, lamp, power="on", level=70)
    cells: Row = {"name": title, "scene_id": scene["scene_id"], "time": "16:30", "weekdays": ["Monday", "Friday"]}
    cells |= {"starts_on": draw.date(world.integer(9, 3, 20)), "ends_on": None, "skipped": [], "enabled": True}
    schedule = world.put(SCHEDULES, {"schedule_id": draw.key("schedule"), **cells, "changed_at": draw.moment(-2, 12)})

    def solution() -> Solution:
        rows = (yield call("search_home_scenes", words=name))["results"]
        runs = (yield call("search_home_schedules", scene_id=rows[0]["scene_id"]))["results"]
        yield call("delete_home_schedule", schedule_id=runs[0]["schedule_id"])
        yield call("delete_home_scene", scene_id=rows[0]["scene_id"])
        yield say(f'The scene "{name}" and the schedule "{title}", which ran it, are deleted.')

    return Task(
        user=world.phrase(
            f'Delete my scene "{name}", along with whatever schedule runs it.',
            f'I don\'t need the scene "{name}" any more. Please delete it and the schedule that runs it.',
        ),
        tools=["search_home_scenes", "search_home_schedules", "delete_home_schedule", "delete_home_scene"],
        milestones=[
            removed(SCHEDULES, schedule_id=schedule["schedule_id"]),
            removed(SCENES, scene_id=scene["scene_id"]),
            removed(STEPS, step_id=step["step_id"]).after(),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(apps=HOME, content="medium")
def say_who_unlocked_last(world: World) -> Task:
    """Say who unlocked a door last, where others have unlocked it before."""
    door = world.choice("Boathouse door", "Greenhouse door", "Stable door")
    earlier, latest = world.choice(
        ("Ottilie Krantz", "Basil Umarov"), ("Rosalba Quint", "Ignatius Pell"), ("Ezra Tamm", "Sunniva Dahl")
    )
    draw, lock = world.draw("home"), _put_lock(world, door)
    happened = ((-3, latest, "unlocked"), (-2, earlier, "unlocked"), (-1, latest, "unlocked"), (-1, earlier, "locked"))
    for number, (days, holder, what) in enumerate(happened):
        about = {"lock_id": lock["lock_id"], "what": what, "holder": holder, "at": draw.moment(days, 14, 5 * number)}
        world.put(EVENTS, {"event_id": draw.key("event"), **about})
    world.stored(EVENTS).sort(key=lambda row: str(row["at"]))

    def solution() -> Solution:
        locks = (yield call("search_door_locks", words=door))["results"]
        rows = (yield call("search_door_events", lock_id=locks[0]["lock_id"], what="unlocked"))["results"]
        yield say(f"{rows[0]['holder']} was the last to unlock the {door.lower()}.")

    return Task(
        user=world.phrase(
            f"Who was the last to unlock the {door.lower()}?",
            f"Can you see whose code unlocked the {door.lower()} most recently?",
        ),
        tools=["search_door_locks", "search_door_events", "search_door_codes"],
        milestones=[
            found("search_door_events", holder=latest, at=draw.moment(-1, 14, 10)),
            answer(Entity(latest, instead_of=(earlier,))),
        ],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=HOME)
def set_blinds_of_one_room(world: World) -> Task:
    """Set all blinds of one room, however many there are, and nothing else there."""
    name = world.choice("conservatory", "music room", "library")
    sides = ("north blind", "east blind", "south blind", "west blind", "roof blind")
    level, room = 5 * world.integer(7, 5, 13), _put_room(world, name)
    blinds = [_put_device(world, room, each, "blind", level=95) for each in sides[: world.integer(3, 2, 5)]]
    _put_device(world, room, "floor lamp", "light", power="on", level=50)

    def solution() -> Solution:
        rooms = (yield call("search_home_rooms", words=name))["results"]
        rows = (yield call("search_home_devices", room_id=rooms[0]["room_id"], kind="blind"))["results"]
        yield [call("set_home_device", device_id=row["device_id"], level=level) for row in rows]
        yield say(f"All {len(rows)} blinds in the {name} are {level} percent open.")

    return Task(
        user=world.phrase(
            f"Open all the blinds in the {name} to {level} percent, please.",
            f"Set every blind of the {name} to {level} percent, the other things there can stay as they are.",
        ),
        tools=["search_home_rooms", "search_home_devices", "set_home_device"],
        milestones=[changed(DEVICES, {"device_id": row["device_id"]}, level=level).after() for row in blinds],
        never=[_BOOKED],
        solution=solution,
    )


@scenario(state="wifi_off", apps=HOME)
def switch_lamp_on_without_wifi(world: World) -> Task:
    """Switch a lamp on, for which wifi has to be on."""
    name, room = world.choice(("lava lamp", "playroom"), ("paper lantern", "nursery"), ("salt lamp", "music room"))
    lamp = _put_device(world, _put_room(world, room), name, "light", power="off", level=40)

    def solution() -> Solution:
        rows = (yield call("search_home_devices", words=name))["results"]
        yield call("set_wifi_status", on=True)
        yield call("set_home_device", device_id=rows[0]["device_id"], power="on")
        yield say(f"I've switched wifi on, and the {name} is on now.")

    return Task(
        user=world.phrase(f"Switch the {name} in the {room} on.", f"Please turn on the {name}, it's in the {room}."),
        tools=["search_home_devices", "set_home_device", "get_wifi_status", "set_wifi_status"],
        milestones=[
            setting(wifi=True).passing(),
            changed(DEVICES, {"device_id": lamp["device_id"]}, power="on"),
        ],
        never=[_BOOKED],
        solution=solution,
    )


def _without_code(world: World, *, is_there: bool) -> Task:
    """Takes the code of a lock away from somebody; where that person has none, somebody else has."""
    door = world.choice("Boathouse door", "Greenhouse door", "Stable door")
    holder, other = world.choice(("Ottilie Krantz", "Basil Umarov"), ("Rosalba Quint", "Ignatius Pell"))
    draw, lock, own = world.draw("home"), _put_lock(world, door), f"{world.integer(730_184, 600_000, 899_999)}"
    codes = [(world.me.name, own, True), (other, "514208", False), (holder, "362975", False)]
    for person, code, is_owner in codes if is_there else codes[:2]:
        cells = code_row(draw, lock["lock_id"], person, code, draw.moment(-60, 8), None, is_owner)
        row = world.put(CODES, cells)
    gone = [
        removed(CODES, code_id=row["code_id"]),
        added(EVENTS, lock_id=lock["lock_id"], what="code removed", holder=holder).after(),
    ]
    missing = [
        called("search_door_codes").returning(Nothing()),
        answer(cannot(NOT_FOUND, about=(holder, holder.split()[0], "code"), task="removed")),
    ]

    def solution() -> Solution:
        locks = (yield call("search_door_locks", words=door))["results"]
        rows = (yield call("search_door_codes", lock_id=locks[0]["lock_id"], holder=holder))["results"]
        if not rows:
            yield say(f"I found no code of {holder} for the {door.lower()}, so I did not remove any.")
            return
        yield call("remove_door_code", code_id=rows[0]["code_id"], code=own)
        yield say(f"{holder} has no code for the {door.lower()} any more.")

    return Task(
        user=world.phrase(
            f"Take the code of {holder} for the {door.lower()} away. My own code is {own}.",
            f"{holder} should not have a code of the {door.lower()} any more, please remove it. Mine is {own}.",
        ),
        tools=["search_door_locks", "search_door_codes", "remove_door_code"],
        milestones=gone if is_there else missing,
        never=[_BOOKED],
        solution=solution,
    )


@scenario(apps=HOME)
def remove_door_code_of_person(world: World) -> Task:
    """Take the code of a lock away from somebody, with the code of the owner."""
    return _without_code(world, is_there=True)


@scenario(ScenarioCategories.INSUFFICIENT_INFORMATION, apps=HOME, twin="remove_door_code_of_person")
def remove_door_code_that_is_not_there(world: World) -> Task:
    """Take the code of a lock away from somebody who has none."""
    return _without_code(world, is_there=False)
