"""An app about house plants: two tables, four tools, content, and three scenarios."""

from typing import Any

import tool_sandbox as ts
from tool_sandbox.apps import (
    NOT_GIVEN,
    Draw,
    NotGiven,
    Read,
    Size,
    add,
    change,
    checked_moment,
    checked_text,
    choice,
    contains,
    equals,
    get,
    key,
    moment,
    now,
    only_one,
    reference,
    remove,
    remove_with,
    rows_with,
    search,
    seconds_of,
    table,
    text,
    tool,
    whole,
)
from tool_sandbox.common.script import Solution
from tool_sandbox.scenarios.vocabulary import Task, added, call, changed, removed, say
from tool_sandbox.scenarios.world import World

PLANTS = table(
    "plants.plants",
    key("plant_id"),
    text("name"),
    choice("room", "kitchen", "study", "balcony"),
    whole("days_between", 1, 60),
    unique=[only_one("name", words="there is a plant with the name {name!r} already")],
)
WATERINGS = table(
    "plants.waterings",
    key("watering_id"),
    reference("plant_id", "plants.plants"),
    moment("watered_at"),
)


def listed(plant: dict[str, Any], read: Read) -> dict[str, Any]:
    moments = [row["watered_at"] for row in read(WATERINGS).with_cell("plant_id", plant["plant_id"])]
    return plant | {"last_watered": max(moments, key=seconds_of, default=None)}


@tool
def add_plant(name: str, room: str, days_between: int) -> str:
    """Add a house plant to the list of plants.

    Args:
        name: Name of the plant, which no other plant has.
        room: Where it stands: kitchen, study or balcony.
        days_between: After how many days it wants water again, from 1 to 60.

    Returns:
        Identifier of the new plant.

    Raises:
        ValueError: There is a plant of this name, there is no such room, or a value is out of range.
    """
    checked_text(name, "name", 60)
    if room not in ("kitchen", "study", "balcony"):
        raise ValueError(f"room must be kitchen, study or balcony, got {room[:40]!r}")
    if not 1 <= days_between <= 60:
        raise ValueError(f"days_between must be from 1 to 60, got {days_between}")
    if rows_with(PLANTS, "name", name):
        raise ValueError(f"there is a plant with the name {name!r} already")
    return add(PLANTS, name=name, room=room, days_between=int(days_between))


@tool
def search_plants(
    words: str | NotGiven = NOT_GIVEN, room: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """Find house plants, with the time at which each was watered last. Without conditions it lists all.

    Args:
        words: Words that all occur in the name.
        room: Where they stand.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains("name", words), equals("room", room)
    return search(PLANTS, *conditions, order_by="name", show=listed, limit=limit, cursor=cursor)


@tool
def water_plant(plant_id: str, watered_at: str | None = None, days_between: int | NotGiven = NOT_GIVEN) -> str:
    """Note that a house plant was watered.

    Args:
        plant_id: Identifier of the plant.
        watered_at: When, for example 2025-05-14T10:24 in the zone of the device; now if left out.
        days_between: After how many days it wants water from now on, from 1 to 60.

    Returns:
        Identifier of the entry.

    Raises:
        ValueError: The time cannot be understood or is still to come, or a number is out of range.
        NoDataError: No plant has this identifier.
    """
    get(PLANTS, plant_id)
    at = checked_moment(watered_at, "watered_at") or now()
    if seconds_of(at) > seconds_of(now()):
        raise ValueError(f"watered_at must not be in the future, got {watered_at!r}")
    if not isinstance(days_between, NotGiven):
        if not 1 <= days_between <= 60:
            raise ValueError(f"days_between must be from 1 to 60, got {days_between}")
        change(PLANTS, plant_id, days_between=int(days_between))
    return add(WATERINGS, plant_id=plant_id, watered_at=at)


@tool
def remove_plant(plant_id: str) -> int:
    """Take a house plant off the list of plants, with all that was noted about it.

    Args:
        plant_id: Identifier of the plant.

    Returns:
        Number of waterings that were noted.

    Raises:
        NoDataError: No plant has this identifier.
    """
    remove(PLANTS, plant_id)
    return remove_with(WATERINGS, "plant_id", plant_id)


KINDS = ("fern", "ivy", "rubber plant", "basil", "orchid", "spider plant", "aloe", "peace lily", "mint", "monstera")


def content(draw: Draw, size: Size) -> dict[str, list[dict[str, Any]]]:
    plants, waterings = [], []
    for number in range({"small": 4, "medium": 15, "large": 40}[size]):
        name = f"{KINDS[number % len(KINDS)]} from {draw.people[number // len(KINDS)].first_name}"
        plant_id, pause = draw.key("plant"), draw.integer(2, 14)
        room = draw.choice(("kitchen", "study", "balcony"))
        plants.append({"plant_id": plant_id, "name": name, "room": room, "days_between": pause})
        for times in range({"small": 2, "medium": 6, "large": 40}[size], 0, -1):
            watered = draw.moment(-times * pause, draw.integer(7, 20))
            waterings.append({"watering_id": draw.key("watering"), "plant_id": plant_id, "watered_at": watered})
    return {PLANTS.name: plants, WATERINGS.name: waterings}


APP = ts.App(
    name="plants",
    title="House plants",
    tables=[PLANTS, WATERINGS],
    tools=[add_plant, search_plants, water_plant, remove_plant],
    content=content,
    words={PLANTS.name: ("plant", "plants"), WATERINGS.name: ("watering", "waterings")},
)


# Scenarios -----------------------------------------------------------------------------------


def put_plant(world: World, name: str, days_between: int = 5) -> dict[str, Any]:
    plant_id = world.draw("plants").key("plant")
    return world.put(PLANTS, {"plant_id": plant_id, "name": name, "room": "balcony", "days_between": days_between})


@ts.scenario(apps=[APP])
def note_a_watering(world: World) -> Task:
    """Note that a plant was watered."""
    plant = put_plant(world, world.phrase("lemon tree", "olive tree", "bay tree"))

    def solve() -> Solution:
        found = yield call("search_plants", words=plant["name"])
        yield call("water_plant", plant_id=found["results"][0]["plant_id"])
        yield say(f"I've noted that the {plant['name']} was watered.")

    return Task(
        user=f"I have just watered my {plant['name']}. Please note that in the list of plants.",
        tools=["search_plants", "water_plant"],
        milestones=[added(WATERINGS, plant_id=plant["plant_id"])],
        solution=solve,
    )


@ts.scenario(apps=[APP])
def water_more_often(world: World) -> Task:
    """Have a plant watered more often, of two with nearly the same name."""
    name, days = world.phrase("lemon tree", "olive tree", "bay tree"), world.integer(3, 2, 4)
    put_plant(world, f"small {name}", 9)
    plant = put_plant(world, f"tall {name}", 9)

    def solve() -> Solution:
        found = yield call("search_plants", words=f"tall {name}")
        yield call("water_plant", plant_id=found["results"][0]["plant_id"], days_between=days)
        yield say(f"I've noted the watering of the tall {name}, and that it wants water every {days} days.")

    return Task(
        user=f"I have just watered the tall {name}. From now on it wants water every {days} days. Please note both.",
        tools=["search_plants", "water_plant"],
        milestones=[
            added(WATERINGS, plant_id=plant["plant_id"]),
            changed(PLANTS, {"plant_id": plant["plant_id"]}, days_between=days).after(),
        ],
        solution=solve,
    )


@ts.scenario(apps=[APP], content="medium")
def give_a_plant_away(world: World) -> Task:
    """Take a plant that was given away off the list."""
    plant = world.choice(*world.stored(PLANTS))

    def solve() -> Solution:
        found = yield call("search_plants", words=plant["name"])
        yield call("remove_plant", plant_id=found["results"][0]["plant_id"])
        yield say(f"The {plant['name']} is off the list.")

    return Task(
        user=f"I have given the {plant['name']} away. Please take it off the list of plants.",
        tools=["search_plants", "remove_plant"],
        milestones=[removed(PLANTS, plant_id=plant["plant_id"])],
        allowed=[removed(WATERINGS, plant_id=plant["plant_id"], count=6)],
        solution=solve,
    )
