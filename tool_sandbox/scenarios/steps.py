"""Sequences of calls that many reference solutions share.

Each is used with ``yield from`` and returns what it found out.
"""

import datetime
from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

from tool_sandbox.scenarios.vocabulary import call
from tool_sandbox.world.script import Call, Step


class Moment(NamedTuple):
    """The present: POSIX time in seconds, and the local date and time of day without a zone."""

    timestamp: float
    local: datetime.datetime

    @property
    def today(self) -> datetime.date:
        """The local date."""
        return self.local.date()

    @property
    def midnight(self) -> float:
        """POSIX time in seconds at which today began, on a day without a change of clocks."""
        passed = self.local - datetime.datetime.combine(self.today, datetime.time())
        return self.timestamp - passed.total_seconds()


def read_clock() -> Generator[Step, Any, Moment]:
    """Asks for the current time and turns it into a local date."""
    now = yield call("get_current_timestamp")
    info = yield call("timestamp_to_datetime_info", timestamp=now)
    parts = (info[name] for name in ("year", "month", "day", "hour", "minute", "second"))
    return Moment(now, datetime.datetime(*parts))


def next_reminder() -> Generator[Step, Any, dict[str, Any]]:
    """Finds the next reminder that is still ahead; returns its row."""
    now = yield call("get_current_timestamp")
    rows = yield call("search_reminder", reminder_timestamp_lowerbound=now)
    row: dict[str, Any] = min(rows, key=lambda row: row["reminder_timestamp"])
    return row


def newest_message() -> Generator[Step, Any, dict[str, Any]]:
    """Finds the newest text message; returns its row."""
    now = yield call("get_current_timestamp")
    rows = yield call("search_messages", creation_timestamp_upperbound=now)
    row: dict[str, Any] = max(rows, key=lambda row: row["creation_timestamp"])
    return row


def due(date: datetime.date, hour: int, minute: int = 0) -> Call:
    """The call that turns a local date and time of day into a timestamp."""
    parts = {"year": date.year, "month": date.month, "day": date.day, "hour": hour, "minute": minute, "second": 0}
    return Call("datetime_info_to_timestamp", parts)


def reminders_of(date: datetime.date) -> Generator[Step, Any, list[dict[str, Any]]]:
    """Finds what is due on a local date; returns rows in the order of their time."""
    begin = yield due(date, 0)
    end = yield due(date + datetime.timedelta(days=1), 0)
    rows = yield call("search_reminder", reminder_timestamp_lowerbound=begin, reminder_timestamp_upperbound=end)
    return sorted((row for row in rows if row["reminder_timestamp"] < end), key=lambda row: row["reminder_timestamp"])


def overdue_reminders() -> Generator[Step, Any, list[dict[str, Any]]]:
    """Finds the reminders whose time has passed; returns their rows."""
    now = yield call("get_current_timestamp")
    rows: list[dict[str, Any]] = yield call("search_reminder", reminder_timestamp_upperbound=now)
    return rows


def here() -> Generator[Step, Any, str]:
    """Finds the address of the device."""
    position = yield call("get_current_location")
    address: str = yield call("search_lat_lon", **position)
    return address


def whereabouts(place: str) -> Generator[Step, Any, dict[str, float]]:
    """Finds a place by name; returns its coordinates under the names that other tools want."""
    [found, *_] = yield call("search_location_around_lat_lon", location=place)
    return {"latitude": found["latitude"], "longitude": found["longitude"]}


def text(number: str, content: str) -> Call:
    """The call that sends a text message."""
    return Call("send_message_with_phone_number", {"phone_number": number, "content": content})


def number_of(name: str) -> Generator[Step, Any, str]:
    """Finds the number of a saved person by the full name."""
    rows = yield call("search_contacts", name=name)
    [number] = {row["phone_number"] for row in rows if row["name"] == name and row["phone_number"]}
    return str(number)


def way_between(start: Mapping[str, Any], end: Mapping[str, Any]) -> Call:
    """The call that measures the way between two rows with a latitude and a longitude."""
    points = enumerate((start, end))
    ends = {f"{name}_{number}": point[name] for number, point in points for name in ("latitude", "longitude")}
    return Call("calculate_lat_lon_distance", ends)


def converted(amount: float, source: str, target: str) -> Call:
    """The call that converts an amount from one unit of measure to another."""
    return Call("unit_conversion", {"amount": amount, "from_unit": source, "to_unit": target})


def exchanged(amount: float, source: str, target: str) -> Call:
    """The call that converts an amount of money; currencies by their codes."""
    codes = {"from_currency_code": source, "to_currency_code": target}
    return Call("convert_currency", {"amount": amount, **codes})
