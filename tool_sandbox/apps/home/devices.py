"""Tools for rooms and devices."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    change,
    checked_text,
    contains,
    equals,
    get,
    need_setting,
    now,
    rows_with,
    search,
    tool,
    user_tool,
)
from tool_sandbox.apps.home.tables import DEVICES, ROOMS, SETTINGS, SETTINGS_OF
from tool_sandbox.apps.home.times import as_it_is

Row = dict[str, Any]

RANGES = {"level": (0, 100), "degrees": (5, 30)}


def checked_settings(device: Row, **given: Any) -> dict[str, Any]:
    """Settings for a device.

    Raises:
        ValueError: Nothing was given, the device has no such setting, or a value is out of range.
    """
    chosen = {name: value for name, value in given.items() if not isinstance(value, NotGiven)}
    known = SETTINGS_OF[device["kind"]]
    if not chosen:
        raise ValueError(f"nothing to set; {device['name'][:60]} has {', '.join(known) or 'no settings'}")
    for name, value in chosen.items():
        if name not in known:
            raise ValueError(f"{device['name'][:60]} has no {name}, it has {', '.join(known) or 'no settings'}")
        if name in RANGES and not RANGES[name][0] <= value <= RANGES[name][1]:
            raise ValueError(f"{name} must be from {RANGES[name][0]} to {RANGES[name][1]}, got {str(value)[:20]}")
    if "degrees" in chosen and chosen["degrees"] * 2 % 1:
        raise ValueError(f"degrees must be in steps of half a degree, got {str(chosen['degrees'])[:20]}")
    return {name: value if isinstance(value, (str, float)) else int(value) for name, value in chosen.items()}


def shown_device(device: Row, read: Read) -> Row:
    """A device as it is now, with the name of its room and only the settings that it has."""
    made, room = as_it_is(device, read), read(ROOMS).get(device["room_id"]) or {}
    settings = {name: made.pop(name) for name in SETTINGS}
    return made | {"room": room.get("name")} | {name: settings[name] for name in SETTINGS_OF[device["kind"]]}


def set_device(device: Row, settings: dict[str, Any]) -> None:
    """Makes settings of a device that is online, over what schedules have set."""
    merged = as_it_is(device) | settings
    change(DEVICES, device["device_id"], **{name: merged[name] for name in SETTINGS}, changed_at=now())


def _offline(device: Row) -> str:
    return f"{device['name'][:60]} is offline since {device['seen_at'][:16]}; somebody at home has to restart it"


@tool
def search_home_rooms(words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """List the rooms of the home, with the numbers of their devices.

    Args:
        words: Words that all occur in the name.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def shown(room: Row, read: Read) -> Row:
        return room | {"devices": len(read(DEVICES).with_cell("room_id", room["room_id"]))}

    return search(ROOMS, contains("name", words), order_by="name", show=shown, limit=limit, cursor=cursor)


@tool
def search_home_devices(
    words: str | NotGiven = NOT_GIVEN,
    room_id: str | NotGiven = NOT_GIVEN,
    kind: str | NotGiven = NOT_GIVEN,
    online: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find devices of the home with their settings as they are now. Without conditions it lists all; locks are apart.

    Args:
        words: Words that all occur in the name.
        room_id: Identifier of the room.
        kind: light, plug, appliance, speaker, blind, thermostat or sensor.
        online: Whether they can be reached.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (level is how bright, loud or far open a device is, in percent; degrees are Celsius), total, and
        next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains("name", words), equals("room_id", room_id), equals("kind", kind), equals("online", online)
    return search(DEVICES, *conditions, order_by="name", show=shown_device, limit=limit, cursor=cursor)


@tool
def set_home_device(
    device_id: str,
    power: Literal["on", "off"] | NotGiven = NOT_GIVEN,
    level: int | NotGiven = NOT_GIVEN,
    degrees: float | NotGiven = NOT_GIVEN,
) -> None:
    """Set a device of the home. What is left out stays as it is. Needs wifi.

    Args:
        device_id: Identifier of the device.
        power: Whether it is on (lights, plugs, appliances, speakers, thermostats).
        level: In percent: how bright a light, how loud a speaker, how far open a blind is.
        degrees: Of thermostats, Celsius in steps of half a degree, from 5 to 30.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing was given, the device has no such setting, or a value is out of range.
        ConnectionError: Wifi is off, or the device is offline.
        NoDataError: No device has this identifier.
    """
    need_setting("wifi", "setting devices")
    device = get(DEVICES, device_id)
    settings = checked_settings(device, power=power, level=level, degrees=degrees)
    if not device["online"]:
        raise ConnectionError(_offline(device))
    set_device(device, settings)


@tool
def set_home_lights(
    power: Literal["on", "off"], level: int | NotGiven = NOT_GIVEN, room_id: str | NotGiven = NOT_GIVEN
) -> dict[str, list[str]]:
    """Switch all lights of a room, or of the whole home, that can be reached. Needs wifi.

    Args:
        power: Whether they are on.
        level: How bright, in percent; left out, each stays as bright as it was.
        room_id: Identifier of the only room.

    Returns:
        Names of the lights that were set, and of those that are offline and stay as they are.

    Raises:
        ValueError: There is no light in the room, or level is out of range.
        ConnectionError: Wifi is off.
        NoDataError: No room has this identifier.
    """
    need_setting("wifi", "setting lights")
    if not isinstance(room_id, NotGiven):
        get(ROOMS, room_id)
    lights = [each for each in rows_with(DEVICES, "kind", "light") if room_id in (NOT_GIVEN, each["room_id"])]
    if not lights:
        raise ValueError("there is no light in this room")
    settings = checked_settings(lights[0], power=power, level=level)
    for light in lights:
        if light["online"]:
            set_device(light, settings)
    return split_by_reach(lights)


def split_by_reach(devices: list[Row]) -> dict[str, list[str]]:
    """Names of devices that were reached and of those that were not."""
    names = {online: [each["name"] for each in devices if each["online"] is online] for online in (True, False)}
    return {"set": names[True], "offline": names[False]}


@tool
def modify_home_device(device_id: str, name: str | NotGiven = NOT_GIVEN, room_id: str | NotGiven = NOT_GIVEN) -> None:
    """Give a device of the home another name, or put it into another room.

    Args:
        device_id: Identifier of the device.
        name: New name, which no other device of the room has.
        room_id: Identifier of the new room.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, the name is blank or too long, or a device of the room has it.
        NoDataError: The device or the room is not there.
    """
    device = get(DEVICES, device_id)
    checked_text(name, "name", 60)
    wanted = device | {key: cell for key, cell in (("name", name), ("room_id", room_id)) if cell is not NOT_GIVEN}
    get(ROOMS, wanted["room_id"])
    for other in rows_with(DEVICES, "room_id", wanted["room_id"]):
        if other["device_id"] != device_id and other["name"] == wanted["name"]:
            raise ValueError(f"there is a device {wanted['name']!r} in this room already")
    change(DEVICES, device_id, name=name, room_id=room_id)


@user_tool
def restart_device_by_hand(device_id: str) -> str:
    """Pull the plug of a device in your home, and put it back, so that it can be reached again.

    Args:
        device_id: Identifier of the device.

    Returns:
        What happens.

    Raises:
        NoDataError: No device has this identifier.
    """
    device = get(DEVICES, device_id)
    change(DEVICES, device_id, online=True, seen_at=now(), changed_at=now())
    return f"{device['name']} blinks and is online again."
