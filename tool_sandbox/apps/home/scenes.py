"""Tools for scenes: settings of several devices under one name."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    add_all,
    change,
    checked_text,
    contains,
    get,
    need_setting,
    remove,
    remove_with,
    rows_of,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.home.devices import checked_settings, set_device, split_by_reach
from tool_sandbox.apps.home.tables import DEVICES, SCENES, SCHEDULES, SETTINGS, STEPS
from tool_sandbox.apps.home.times import as_it_is, settle

Row = dict[str, Any]

MOST_DEVICES = 40


@tool
def create_home_scene(name: str, device_ids: list[str]) -> str:
    """Save the present settings of devices as a scene; set_scene_device then changes what the scene sets.

    Args:
        name: Name of the scene, which no other scene has.
        device_ids: Identifiers of the devices, at most 40.

    Returns:
        Identifier of the new scene.

    Raises:
        ValueError: There is a scene of this name, or too few or too many devices, or one that has no settings.
        NoDataError: A device is not there.
    """
    checked_text(name, "name", 60)
    if rows_with(SCENES, "name", name):
        raise ValueError(f"there is a scene with the name {name!r} already")
    if not 1 <= len({*device_ids}) <= MOST_DEVICES:
        raise ValueError(f"device_ids must name 1 to {MOST_DEVICES} devices, got {len({*device_ids})}")
    devices = [as_it_is(get(DEVICES, device_id)) for device_id in dict.fromkeys(device_ids)]
    for device in devices:
        if device["kind"] == "sensor":
            raise ValueError(f"{device['name'][:60]} has no settings")
    scene_id = add(SCENES, name=name)
    add_all(STEPS, [{"scene_id": scene_id} | {n: row[n] for n in ("device_id", *SETTINGS)} for row in devices])
    return scene_id


@tool
def set_scene_device(
    scene_id: str,
    device_id: str,
    power: Literal["on", "off"] | NotGiven = NOT_GIVEN,
    level: int | NotGiven = NOT_GIVEN,
    degrees: float | NotGiven = NOT_GIVEN,
) -> None:
    """Say what a scene sets of a device, which becomes part of the scene if it was not. The device itself stays.

    Args:
        scene_id: Identifier of the scene.
        device_id: Identifier of the device.
        power: Whether it is on.
        level: In percent: how bright a light, how loud a speaker, how far open a blind is.
        degrees: Of thermostats, Celsius in steps of half a degree, from 5 to 30.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing was given, the device has no such setting, or a value is out of range.
        NoDataError: The scene or the device is not there.
    """
    get(SCENES, scene_id)
    settings = checked_settings(get(DEVICES, device_id), power=power, level=level, degrees=degrees)
    settle(scene_id)
    for step in rows_with(STEPS, "scene_id", scene_id):
        if step["device_id"] == device_id:
            change(STEPS, step["step_id"], **settings)
            return
    add(STEPS, scene_id=scene_id, device_id=device_id, **settings)


@tool
def remove_scene_device(scene_id: str, device_id: str) -> None:
    """Take a device out of a scene. The device itself stays as it is.

    Args:
        scene_id: Identifier of the scene.
        device_id: Identifier of the device.

    Returns:
        Nothing.

    Raises:
        ValueError: The device is not part of the scene.
        NoDataError: No scene has this identifier.
    """
    get(SCENES, scene_id)
    steps = [step for step in rows_with(STEPS, "scene_id", scene_id) if step["device_id"] == device_id]
    if not steps:
        raise ValueError("the device is not part of the scene")
    settle(scene_id)
    remove(STEPS, steps[0]["step_id"])


def _shown(scene: Row, read: Read) -> Row:
    steps = []
    for step in read(STEPS).with_cell("scene_id", scene["scene_id"]):
        device = read(DEVICES).get(step["device_id"]) or {}
        settings = {name: step[name] for name in SETTINGS if step[name] is not None}
        steps.append({"device_id": step["device_id"], "device": device.get("name")} | settings)
    schedules = [row["name"] for row in read(SCHEDULES).with_cell("scene_id", scene["scene_id"])]
    return scene | {"sets": steps, "schedules": schedules}


@tool
def search_home_scenes(words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """Find scenes of the home by their names, with the number of devices and the schedules that run them.

    Args:
        words: Words that all occur in the name.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def shown(scene: Row, read: Read) -> Row:
        made = _shown(scene, read)
        return made | {"sets": len(made["sets"]), "schedules": made["schedules"][:5]}

    return search(SCENES, contains("name", words), order_by="name", show=shown, limit=limit, cursor=cursor)


@tool
def get_home_scene(scene_id: str) -> dict[str, Any]:
    """Read what a scene of the home sets, device by device.

    Args:
        scene_id: Identifier of the scene.

    Returns:
        The scene; what it does not name stays as it is.

    Raises:
        NoDataError: No scene has this identifier.
    """
    scene = _shown(get(SCENES, scene_id), rows_of)
    return scene | {"sets": scene["sets"][:100], "schedules": scene["schedules"][:50]}


@tool
def run_home_scene(scene_id: str) -> dict[str, list[str]]:
    """Set all devices of a scene that can be reached. Needs wifi.

    Args:
        scene_id: Identifier of the scene.

    Returns:
        Names of the devices that were set, and of those that are offline and stay as they are.

    Raises:
        ConnectionError: Wifi is off.
        NoDataError: No scene has this identifier.
    """
    need_setting("wifi", "running scenes")
    get(SCENES, scene_id)
    devices = []
    for step in rows_with(STEPS, "scene_id", scene_id):
        devices.append(device := get(DEVICES, step["device_id"]))
        if device["online"]:
            set_device(device, {name: step[name] for name in SETTINGS if step[name] is not None})
    return split_by_reach(devices)


@tool
def delete_home_scene(scene_id: str) -> None:
    """Delete a scene that no schedule runs. Devices stay as they are.

    Args:
        scene_id: Identifier of the scene.

    Returns:
        Nothing.

    Raises:
        ValueError: A schedule runs the scene; it has to be deleted first.
        NoDataError: No scene has this identifier.
    """
    get(SCENES, scene_id)
    if schedules := rows_with(SCHEDULES, "scene_id", scene_id):
        raise ValueError(f"the schedule {schedules[0]['name'][:60]!r} runs the scene, delete it first")
    remove(SCENES, scene_id)
    remove_with(STEPS, "scene_id", scene_id)
