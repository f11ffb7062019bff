"""When schedules run, and what devices are set to because they have run."""

import datetime
import re
from typing import Any

from dateutil.rrule import WEEKLY, rrule, rruleset

from tool_sandbox.apps import Read, as_moment, change, current_device, now, rows_of, rows_with, seconds_of, today
from tool_sandbox.apps.home.tables import DEVICES, SCHEDULES, SETTINGS, STEPS, WEEKDAYS

Row = dict[str, Any]

_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


def check_time(value: str, name: str) -> None:
    """Refuses what is no time of day.

    Raises:
        ValueError: It is none.
    """
    if not _TIME.fullmatch(value):
        raise ValueError(f"{name} must be a time of day such as 18:30, got {value[:20]!r}")


def runs_of(schedule: Row, first: datetime.date) -> rruleset:
    """Local times at which a schedule runs, from a date on; endless if it has no last day."""
    clock = datetime.time.fromisoformat(schedule["time"])
    begins = max(first, datetime.date.fromisoformat(schedule["starts_on"]))
    ends = datetime.date.fromisoformat(schedule["ends_on"] or "2099-12-31")
    days = [WEEKDAYS.index(day) for day in schedule["weekdays"]]
    runs = rruleset()
    at = datetime.datetime.combine
    runs.rrule(rrule(WEEKLY, byweekday=days, dtstart=at(begins, clock), until=at(ends, clock)))
    for day in schedule["skipped"]:
        runs.exdate(at(datetime.date.fromisoformat(day), clock))
    return runs


def local_now() -> datetime.datetime:
    """The clock on the wall."""
    return datetime.datetime.fromisoformat(now()).replace(tzinfo=None)


def moment_of(local: datetime.datetime) -> str:
    """A time on the clock on the wall as a moment; a time that clocks jump over is moved forward."""
    return as_moment(local.replace(tzinfo=current_device().timezone).timestamp())


def next_run(schedule: Row) -> str | None:
    """When a schedule runs next, ``None`` if it does not."""
    if not schedule["enabled"]:
        return None
    found = runs_of(schedule, local_now().date()).after(local_now())
    return None if found is None else moment_of(found)


def _last_run(schedule: Row) -> str | None:
    # Eight days hold one of each weekday; runs before a skipped week are older than what anybody looks for.
    first = local_now().date() - datetime.timedelta(days=8)
    found = runs_of(schedule, first).before(local_now(), inc=True)
    return None if found is None else moment_of(found)


def as_it_is(device: Row, read: Read = rows_of) -> Row:
    """A device with what schedules have set since somebody changed it; nothing reaches it while it is offline."""
    if not device["online"]:
        return device
    due = []
    for step in read(STEPS).with_cell("device_id", device["device_id"]):
        for schedule in read(SCHEDULES).with_cell("scene_id", step["scene_id"]):
            since = max(device["changed_at"], schedule["changed_at"], key=seconds_of)
            if not schedule["enabled"] or (
                since[:10] == today() and not since[11:16] < schedule["time"] <= now()[11:16]
            ):
                continue
            at = _last_run(schedule)
            if at is not None and seconds_of(at) > seconds_of(since):
                due.append((seconds_of(at), schedule["name"], at, step))
    for _, _, at, step in sorted(due, key=lambda each: each[:2]):
        device = device | {name: step[name] for name in SETTINGS if step[name] is not None} | {"changed_at": at}
    return device


def settle(scene_id: str) -> None:
    """Writes down what a scene has done by schedule, before it or its schedules are changed."""
    for step in rows_with(STEPS, "scene_id", scene_id):
        device = rows_of(DEVICES).get(step["device_id"]) or {}
        made = as_it_is(device)
        if made != device:
            change(DEVICES, step["device_id"], **{name: made[name] for name in (*SETTINGS, "changed_at")})
