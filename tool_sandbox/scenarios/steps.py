"""Sequences of calls that many reference solutions share.

Each is used with ``yield from`` and returns what it found out.
"""

import datetime
from collections.abc import Generator
from typing import Any, NamedTuple

from tool_sandbox.common.script import Call, Step
from tool_sandbox.scenarios.vocabulary import call


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


def due(date: datetime.date, hour: int) -> Call:
    """The call that turns a local date and a full hour into a timestamp."""
    parts = {"year": date.year, "month": date.month, "day": date.day, "hour": hour, "minute": 0, "second": 0}
    return Call("datetime_info_to_timestamp", parts)
