"""Tools for the time in other cities."""

import datetime
import zoneinfo
from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    as_moment,
    checked_moment,
    checked_text,
    contains,
    current_device,
    remove,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.clock.phrases import ZONES
from tool_sandbox.apps.clock.tables import DAYS, LONGEST_LABEL, TIME, WORLD_CLOCKS

_CITIES = {city.casefold(): city for city in ZONES}


def _found(city: str, name: str) -> str:
    """A city as it is spelt."""
    found = _CITIES.get(" ".join(city.casefold().split()))
    if found is None:
        raise ValueError(f"{name}: {city[:40]!r} is not known; give a large city nearby in English, such as Tokyo")
    return found


def _zone_of(city: str, name: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(ZONES[_found(city, name)])


def _with_day(moment: str) -> dict[str, Any]:
    return {"time": moment, "weekday": DAYS[datetime.datetime.fromisoformat(moment).weekday()]}


@tool
def add_world_clock(city: str, label: str | None = None) -> str:
    """Add the clock of a city to the world clocks.

    Args:
        city: A large city, in English, for example New York.
        label: What the clock is called, if not like the city.

    Returns:
        Identifier of the new world clock.

    Raises:
        ValueError: The city is not known, or there is a world clock of this name.
    """
    found = _found(city, "city")
    name = checked_text(label, "label", LONGEST_LABEL) or found
    if rows_with(WORLD_CLOCKS, "label", name):
        raise ValueError(f"there is a world clock called {name!r} already")
    return add(WORLD_CLOCKS, label=name, city=found, zone=ZONES[found])


@tool
def search_world_clocks(
    words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """Find world clocks, by their names in the order of the alphabet. Without conditions it lists all.

    Args:
        words: Words that all occur in the name of the clock, of the city or of its time zone.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (cities with their time zones), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        WORLD_CLOCKS, contains(("label", "city", "zone"), words), order_by="label", limit=limit, cursor=cursor
    )


@tool
def remove_world_clock(world_clock_id: str) -> None:
    """Take a city off the world clocks.

    Args:
        world_clock_id: Identifier of the world clock.

    Returns:
        Nothing.

    Raises:
        NoDataError: No world clock has this identifier.
    """
    remove(WORLD_CLOCKS, world_clock_id)


@tool
def get_time_in_city(city: str) -> dict[str, Any]:
    """Tell what time it is now in a city, whether or not it is among the world clocks.

    Args:
        city: A large city, in English, for example New York.

    Returns:
        time (local time with its offset) and weekday.

    Raises:
        ValueError: The city is not known.
    """
    return _with_day(as_moment(current_device().now(), _zone_of(city, "city")))


@tool
def convert_city_time(time: str, city: str, to_city: str | NotGiven = NOT_GIVEN) -> dict[str, Any]:
    """Tell what time it is here, or in another city, when it is a certain time in a city.

    Args:
        time: Local time in the city, for example 2025-05-14T10:24, or 10:24 for that time today.
        city: A large city, in English, for example New York.
        to_city: Another one; left out for the zone of the device.

    Returns:
        time (local time with its offset) and weekday, here or in to_city.

    Raises:
        ValueError: A city is not known, or the time cannot be understood or does not exist in the city.
    """
    there = _zone_of(city, "city")
    here = _zone_of(to_city, "to_city") if isinstance(to_city, str) else None
    given = datetime.datetime.fromtimestamp(seconds_of(checked_moment(_local(time, there), "time")), datetime.UTC)
    local = given.replace(tzinfo=there)
    if datetime.datetime.fromtimestamp(local.timestamp(), there).replace(tzinfo=None) != given.replace(tzinfo=None):
        raise ValueError(f"time: {time} does not exist in {city[:40]}, clocks go forward then")
    return _with_day(as_moment(local.timestamp(), here))


def _local(time: str, zone: zoneinfo.ZoneInfo) -> str:
    """A local time, written as one of a zone in which every time exists."""
    if TIME.fullmatch(time):
        return f"{as_moment(current_device().now(), zone)[:10]}T{time}Z"
    if time.endswith("Z") or "+" in time or "-" in time[10:]:
        raise ValueError("time must be the local time of the city, without an offset, such as 2025-05-14T10:24")
    # Anything that is no time is told as it was given.
    return f"{time}Z" if len(time) in (16, 19) else time
