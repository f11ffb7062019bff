"""What the home app keeps: rooms, devices, scenes, schedules, locks with codes, and what power costs."""

from typing import Any

from tool_sandbox.apps import (
    automatic,
    choice,
    date,
    flag,
    key,
    moment,
    number,
    only_one,
    reference,
    seconds_of,
    table,
    text,
    texts,
    whole,
)
from tool_sandbox.apps.columns import money

Row = dict[str, Any]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

SETTINGS_OF = {
    "light": ("power", "level"),
    "plug": ("power",),
    "appliance": ("power",),
    "speaker": ("power", "level"),
    "blind": ("level",),
    "thermostat": ("power", "degrees"),
    "sensor": (),
}
"""What can be set of each kind of device; a level is how bright, loud or far open it is, in percent."""

SETTINGS = ("power", "level", "degrees")


def settings_columns() -> tuple[Any, ...]:
    """Columns of what can be set, empty where a device has no such setting or a scene leaves it."""
    return (
        choice("power", "on", "off", optional=True),
        whole("level", 0, 100, optional=True),
        number("degrees", 5, 30, optional=True),
    )


def _has_its_settings(row: Row) -> str | None:
    if {name for name in SETTINGS if row[name] is not None} != {*SETTINGS_OF[row["kind"]]}:
        return f"device {row['device_id']} does not have the settings of a {row['kind']}"
    return None


def _sets_something(row: Row) -> str | None:
    return None if any(row[name] is not None for name in SETTINGS) else f"step {row['step_id']} sets nothing"


def _is_unlocked_since(row: Row) -> str | None:
    if (row["state"] == "unlocked") != (row["unlocked_at"] is not None):
        return f"lock {row['lock_id']} is unlocked if and only if it has a time at which it was"
    return None


def _ends_after_it_begins(row: Row) -> str | None:
    if seconds_of(row["valid_from"]) >= seconds_of(row["valid_until"]):
        return f"code {row['code_id']} ends before it begins"
    return None


ROOMS = table(
    "home.rooms",
    key("room_id"),
    text("name"),
    choice("floor", "basement", "ground floor", "upper floor", "outside"),
    unique=[only_one("name", words="there is a room with the name {name!r} already")],
)
"""Rooms of the home, the garden among them."""

DEVICES = table(
    "home.devices",
    key("device_id"),
    text("name"),
    reference("room_id", "home.rooms"),
    choice("kind", *SETTINGS_OF),
    flag("online"),
    automatic(moment("seen_at")),
    *settings_columns(),
    automatic(moment("changed_at")),
    unique=[only_one("room_id", "name", words="there is a device {name!r} in this room already")],
    row_rules=[_has_its_settings],
)
"""Devices, with the settings that were made last by somebody."""

SCENES = table(
    "home.scenes",
    key("scene_id"),
    text("name"),
    unique=[only_one("name", words="there is a scene with the name {name!r} already")],
)
"""Scenes."""

STEPS = table(
    "home.steps",
    key("step_id"),
    reference("scene_id", "home.scenes"),
    reference("device_id", "home.devices"),
    *settings_columns(),
    unique=[only_one("scene_id", "device_id")],
    row_rules=[_sets_something],
)
"""What a scene sets of a device."""

SCHEDULES = table(
    "home.schedules",
    key("schedule_id"),
    text("name"),
    reference("scene_id", "home.scenes"),
    text("time"),
    texts("weekdays"),
    date("starts_on"),
    date("ends_on", optional=True),
    texts("skipped"),
    flag("enabled"),
    automatic(moment("changed_at")),
    unique=[only_one("name", words="there is a schedule with the name {name!r} already")],
)
"""When scenes run by themselves: a time on days of the week, but for skipped dates."""

LOCKS = table(
    "home.locks",
    key("lock_id"),
    text("name"),
    flag("online"),
    choice("state", "locked", "unlocked"),
    automatic(moment("unlocked_at", optional=True)),
    whole("relock_minutes", 1, 240),
    whole("battery_percent", 0, 100),
    unique=[only_one("name")],
    row_rules=[_is_unlocked_since],
)
"""Locks of doors, which lock themselves again after some minutes."""

CODES = table(
    "home.codes",
    key("code_id"),
    reference("lock_id", "home.locks"),
    text("holder"),
    text("code"),
    flag("is_owner"),
    moment("valid_from"),
    moment("valid_until", optional=True),
    unique=[only_one("lock_id", "code"), only_one("lock_id", is_owner=True)],
    row_rules=[_ends_after_it_begins],
)
"""Codes that open locks, each of somebody, some for a time."""

EVENTS = table(
    "home.events",
    key("event_id"),
    reference("lock_id", "home.locks"),
    choice("what", "locked", "unlocked", "code added", "code removed"),
    text("holder"),
    automatic(moment("at")),
)
"""What was done with locks, and the holder of the code; assistant where there was none."""

TARIFFS = table(
    "home.tariffs",
    key("tariff_id"),
    text("name"),
    date("valid_from"),
    text("starts"),
    text("ends"),
    money("price_per_kwh", 0),
    text("currency"),
    unique=[only_one("name", "valid_from")],
)
"""What power costs at which times of the day, from a date on until the next of the same name."""

READINGS = table(
    "home.readings",
    key("reading_id"),
    reference("device_id", "home.devices"),
    date("used_on"),
    reference("tariff_id", "home.tariffs"),
    whole("watt_hours", 0),
    unique=[only_one("device_id", "used_on", "tariff_id")],
)
"""Power that a device has used on a day at a tariff."""
