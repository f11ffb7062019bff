"""Tools for what power costs and where it is used."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    at_least,
    at_most,
    checked_date,
    equals,
    found_in,
    get,
    meets,
    rows_of,
    search,
    today,
    tool,
)
from tool_sandbox.apps.home.tables import DEVICES, READINGS, ROOMS, TARIFFS

Row = dict[str, Any]


def _is_replaced(tariff: Row, day: str) -> bool:
    """Whether a tariff of the same name has begun later, until a day."""
    same = [row["valid_from"] for row in rows_of(TARIFFS).where(name=tariff["name"])]
    return any(tariff["valid_from"] < begins <= day for begins in same)


@tool
def search_power_tariffs(
    valid_on: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """List what power costs at which times of the day: past, present and announced tariffs.

    Args:
        valid_on: Date on which they hold, for example 2025-05-14.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (tariffs with the price of a kilowatt hour in cents; one that ends before it starts runs over midnight),
        total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The date, the limit or the cursor cannot be understood.
    """
    day = checked_date(valid_on, "valid_on")
    begun = at_most("valid_from", day)
    latest = meets("valid_on", day, lambda tariff: not _is_replaced(tariff, str(day)))
    return search(TARIFFS, begun, latest, order_by="valid_from", limit=limit, cursor=cursor)


@tool
def get_power_use(
    first_day: str,
    last_day: str | None = None,
    device_id: str | NotGiven = NOT_GIVEN,
    room_id: str | NotGiven = NOT_GIVEN,
) -> dict[str, Any]:
    """Add up the power that was used, and what it cost at the tariffs of the time.

    Args:
        first_day: First date, for example 2025-05-01.
        last_day: Last date; today if left out.
        device_id: Identifier of the only device that counts.
        room_id: Identifier of the only room that counts.

    Returns:
        watt_hours, cost in cents and currency in all, the parts of each tariff, and the twenty devices that used most.

    Raises:
        ValueError: A date cannot be understood, or the last is before the first.
        NoDataError: The device or the room is not there.
    """
    checked_date(first_day, "first_day")
    last = checked_date(last_day, "last_day") or today()
    if last < first_day:
        raise ValueError(f"the last day, {last}, is before first_day, {first_day}")
    if not isinstance(device_id, NotGiven):
        get(DEVICES, device_id)
    if not isinstance(room_id, NotGiven):
        get(ROOMS, room_id)
    table, tariffs, devices = rows_of(READINGS), dict[str, int](), dict[str, int]()
    places = found_in(table, equals("device_id", device_id), at_least("used_on", first_day), at_most("used_on", last))
    for place in places:
        row = table.schema.as_dict(table.rows[place])
        if room_id in (NOT_GIVEN, (rows_of(DEVICES).get(row["device_id"]) or {})["room_id"]):
            tariffs[row["tariff_id"]] = tariffs.get(row["tariff_id"], 0) + row["watt_hours"]
            devices[row["device_id"]] = devices.get(row["device_id"], 0) + row["watt_hours"]
    parts = [_part(get(TARIFFS, tariff_id), used) for tariff_id, used in tariffs.items()]
    parts.sort(key=lambda part: (part["valid_from"], part["tariff"]))
    most = sorted(devices, key=lambda each: (-devices[each], each))[:20]
    return {
        "watt_hours": sum(devices.values()),
        "cost": sum(part["cost"] for part in parts),
        "currency": "USD",
        "tariffs": parts[:50],
        "devices": [{"device": get(DEVICES, each)["name"], "watt_hours": devices[each]} for each in most],
    }


def _part(tariff: Row, watt_hours: int) -> Row:
    # Rounded to the nearest cent, halves up, once for each tariff: so the parts add up to the whole.
    cost = (watt_hours * tariff["price_per_kwh"] + 500) // 1000
    shown = {"tariff": tariff["name"], "valid_from": tariff["valid_from"], "price_per_kwh": tariff["price_per_kwh"]}
    return shown | {"watt_hours": watt_hours, "cost": cost}
