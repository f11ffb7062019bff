"""Tools for the devices of customers, from afar; and those by which the customer does something at home."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    change,
    contains,
    current_device,
    equals,
    get,
    now,
    rows_with,
    search,
    today,
    tool,
    user_tool,
)
from tool_sandbox.apps.desk.customers import Row, months_after, need_verified
from tool_sandbox.apps.desk.tables import DEVICES

WARRANTY_MONTHS = 24
NEWEST = "7.4"
"""Firmware that all devices should have."""


def _listed(device: Row, read: Read) -> Row:
    until = months_after(device["bought_on"], WARRANTY_MONTHS)
    return device | {"warranty_until": until, "newest_firmware": NEWEST}


@tool
def search_desk_devices(
    customer_id: str | NotGiven = NOT_GIVEN,
    serial_number: str | NotGiven = NOT_GIVEN,
    state: Literal["working", "faulty", "ordered", "replaced"] | NotGiven = NOT_GIVEN,
    words: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find devices of customers of the support desk, as the books have them.

    Args:
        customer_id: Identifier of the customer.
        serial_number: Number on the bottom of the device.
        state: working, faulty, ordered (not delivered yet) or replaced (by another one).
        words: Words that all occur in the model.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with warranty_until, and newest_firmware to compare with), total, and next_cursor, which is None on the
        last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = [equals("customer_id", customer_id), equals("serial_number", serial_number), equals("state", state)]
    return search(DEVICES, *conditions, contains("model", words), show=_listed, limit=limit, cursor=cursor)


@tool
def run_desk_device_action(
    device_id: str, action: Literal["check", "update", "reset"], customer_agreed: bool = False
) -> dict[str, Any]:
    """Do something with a device of a verified customer from afar: check it, update its firmware, or reset it.

    Args:
        device_id: Identifier of the device.
        action: check, update (to the newest firmware) or reset (all settings of the customer are lost).
        customer_agreed: Whether the customer has said yes to losing the settings; needed for reset.

    Returns:
        What the device says then: firmware, and fault, which is None if it works. An update or a reset mends what is
        wrong with settings or firmware, not what is broken.

    Raises:
        ValueError: The device is not with the customer any more, or not yet.
        NoDataError: No device has this identifier.
        PermissionError: The customer has not been verified, or has not agreed to a reset.
        ConnectionError: The device is not plugged in.
    """
    device = get(DEVICES, device_id)
    need_verified(device["customer_id"])
    if device["state"] in ("ordered", "replaced"):
        raise ValueError(f"the device is {device['state']}")
    if action == "reset" and not customer_agreed:
        raise PermissionError("rule 23: a reset loses all settings; ask the customer, then give customer_agreed=True")
    if not device["plugged_in"]:
        raise ConnectionError("the device does not answer; the customer has to plug it in")
    cells: Row = {"firmware": NEWEST} if action == "update" else {"reset_at": now()} if action == "reset" else {}
    if cells:
        device = change(DEVICES, device_id, **cells)
    return {"firmware": device["firmware"], "fault": _fault(device)}


def _fault(device: Row) -> str | None:
    if device["state"] == "faulty":
        return "no signal on the line side"
    return "old firmware" if device["firmware"] != NEWEST else None


@tool
def exchange_desk_device(device_id: str) -> str:
    """Send a verified customer another device of the same model for one that is broken and under warranty.

    Args:
        device_id: Identifier of the device that is broken.

    Returns:
        Identifier of the new device, which is ordered.

    Raises:
        ValueError: The device works, has not been updated and reset before, is out of warranty or is a replacement.
        NoDataError: No device has this identifier.
        PermissionError: The customer has not been verified.
    """
    device = get(DEVICES, device_id)
    need_verified(device["customer_id"])
    until = months_after(device["bought_on"], WARRANTY_MONTHS)
    wrong = [
        (device["state"] != "faulty", f"the device is {device['state']}, only a faulty one is exchanged"),
        (until < today(), f"rule 22: the warranty of the device ended on {until}"),
        (device["replaces_id"] is not None, "rule 21: the device is a replacement; a technician has to come"),
        (device["firmware"] != NEWEST, f"rule 24: update the device first, its firmware is {device['firmware'][:20]}"),
        (device["reset_at"] is None, "rule 20: reset the device first"),
    ]
    for is_wrong, line in wrong:
        if is_wrong:
            raise ValueError(line)
    change(DEVICES, device_id, state="replaced", plugged_in=False)
    cells = {name: device[name] for name in ("customer_id", "model")} | {"replaces_id": device_id, "state": "ordered"}
    number = f"N{current_device().new_id()[:8].upper()}"
    return add(DEVICES, **cells, serial_number=number, bought_on=today(), firmware=NEWEST, plugged_in=False)


# What the customer does at home --------------------------------------------------------------


def _at_home(serial_number: str) -> Row:
    found = rows_with(DEVICES, "serial_number", serial_number)
    if not found or found[0]["state"] == "ordered":
        raise ValueError(f"there is no device with the number {serial_number[:40]!r} here")
    return found[0]


@user_tool
def plug_in_desk_device(serial_number: str, plugged_in: bool = True) -> None:
    """Plug in a device at home, or pull its plug.

    Args:
        serial_number: Number on the bottom of the device.
        plugged_in: True to plug it in, False to pull the plug.

    Returns:
        Nothing.

    Raises:
        ValueError: There is no such device at home.
    """
    change(DEVICES, _at_home(serial_number)["device_id"], plugged_in=plugged_in)


@user_tool
def look_at_desk_device(serial_number: str) -> dict[str, Any]:
    """Look at a device at home: model, lights, and when it was bought as the receipt says.

    Args:
        serial_number: Number on the bottom of the device.

    Returns:
        model, power_light (on or off), line_light (green, red or off) and bought_on.

    Raises:
        ValueError: There is no such device at home.
    """
    device = _at_home(serial_number)
    line = ("red" if _fault(device) else "green") if device["plugged_in"] else "off"
    lights = {"power_light": "on" if device["plugged_in"] else "off", "line_light": line}
    return {"model": device["model"], **lights, "bought_on": device["bought_on"]}
