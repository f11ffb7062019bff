"""Tools for schedules, which run scenes by themselves."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    change,
    checked_date,
    checked_text,
    contains,
    equals,
    get,
    now,
    paged,
    remove,
    rows_with,
    search,
    seconds_of,
    today,
    tool,
)
from tool_sandbox.apps.home.tables import SCENES, SCHEDULES, WEEKDAYS
from tool_sandbox.apps.home.times import check_time, local_now, moment_of, next_run, runs_of, settle

Row = dict[str, Any]
Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

MOST_SKIPPED = 60
LONGEST_VIEW = 62


def _check_name(name: Any, own: str = "") -> None:
    checked_text(name, "name", 60)
    if isinstance(name, str) and any(row["schedule_id"] != own for row in rows_with(SCHEDULES, "name", name)):
        raise ValueError(f"there is a schedule with the name {name!r} already")


def _check(schedule: Row) -> None:
    """Refuses a schedule that can never run.

    Raises:
        ValueError: The time or a date is wrong, or there are no days.
    """
    check_time(schedule["time"], "time")
    for name in ("starts_on", "ends_on"):
        checked_date(schedule[name], name)
    if schedule["ends_on"] is not None and schedule["ends_on"] < schedule["starts_on"]:
        raise ValueError(f"ends_on must not be before starts_on, {schedule['starts_on']}")
    if not schedule["weekdays"]:
        raise ValueError("weekdays must name at least one day")


def _ordered(weekdays: Any) -> Any:
    return [day for day in WEEKDAYS if day in weekdays] if isinstance(weekdays, list) else weekdays


@tool
def create_home_schedule(
    name: str,
    scene_id: str,
    time: str,
    weekdays: list[Weekday],
    starts_on: str | None = None,
    ends_on: str | None = None,
) -> dict[str, Any]:
    """Let a scene run by itself at a time on some days of the week.

    Args:
        name: Name of the schedule, which no other schedule has.
        scene_id: Identifier of the scene.
        time: Time on the clock at home, for example 18:30.
        weekdays: Days of the week.
        starts_on: First date; today if left out.
        ends_on: Last date; endless if left out.

    Returns:
        schedule_id, and next_run, which is None if it never runs.

    Raises:
        ValueError: There is a schedule of this name, no day is named, or the time or a date is wrong.
        NoDataError: No scene has this identifier.
    """
    get(SCENES, scene_id)
    _check_name(name)
    cells = {"name": name, "scene_id": scene_id, "time": time, "weekdays": _ordered(weekdays), "skipped": []}
    cells |= {"starts_on": starts_on or today(), "ends_on": ends_on, "enabled": True, "changed_at": now()}
    _check(cells)
    return {"schedule_id": add(SCHEDULES, **cells), "next_run": next_run(cells)}


def _listed(schedule: Row, read: Read) -> Row:
    scene = read(SCENES).get(schedule["scene_id"]) or {}
    upcoming = [day for day in schedule["skipped"] if day >= today()]
    return schedule | {"scene": scene.get("name"), "next_run": next_run(schedule), "skipped": upcoming[:10]}


@tool
def search_home_schedules(
    words: str | NotGiven = NOT_GIVEN,
    scene_id: str | NotGiven = NOT_GIVEN,
    enabled: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find schedules of the home, with the next time at which each runs and dates to come that are skipped.

    Args:
        words: Words that all occur in the name.
        scene_id: Identifier of the scene that they run.
        enabled: Whether they are switched on.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains("name", words), equals("scene_id", scene_id), equals("enabled", enabled)
    return search(SCHEDULES, *conditions, order_by="name", show=_listed, limit=limit, cursor=cursor)


@tool
def modify_home_schedule(
    schedule_id: str,
    name: str | NotGiven = NOT_GIVEN,
    scene_id: str | NotGiven = NOT_GIVEN,
    time: str | NotGiven = NOT_GIVEN,
    weekdays: list[Weekday] | NotGiven = NOT_GIVEN,
    ends_on: str | NotGiven | None = NOT_GIVEN,
    enabled: bool | NotGiven = NOT_GIVEN,
) -> str | None:
    """Change a schedule of the home from now on. What is left out stays as it is.

    Args:
        schedule_id: Identifier of the schedule.
        name: New name, which no other schedule has.
        scene_id: Identifier of the scene that it runs.
        time: Time on the clock at home.
        weekdays: All days of the week on which it runs.
        ends_on: Last date; None for endless.
        enabled: Whether it is switched on.

    Returns:
        When it runs next; None if it does not.

    Raises:
        ValueError: Nothing to change was given, another schedule has the name, no day is named, or a value is wrong.
        NoDataError: The schedule or the scene is not there.
    """
    schedule = get(SCHEDULES, schedule_id)
    _check_name(name, schedule_id)
    if not isinstance(scene_id, NotGiven):
        get(SCENES, scene_id)
    settle(schedule["scene_id"])
    cells = {"name": name, "scene_id": scene_id, "time": time, "weekdays": _ordered(weekdays)}
    cells |= {"ends_on": ends_on, "enabled": enabled}
    _check(schedule | {key: cell for key, cell in cells.items() if cell is not NOT_GIVEN})
    change(SCHEDULES, schedule_id, **cells)
    return next_run(change(SCHEDULES, schedule_id, changed_at=now()))


@tool
def skip_home_schedule_date(schedule_id: str, skip_on: str, skip: bool = True) -> str | None:
    """Leave out one date of a schedule of the home, or put it back.

    Args:
        schedule_id: Identifier of the schedule.
        skip_on: Date on which it would run, for example 2025-05-14.
        skip: Whether the date is left out from now on.

    Returns:
        When it runs next; None if it does not.

    Raises:
        ValueError: The schedule does not run on this date, the date is over, or too many are skipped.
        NoDataError: No schedule has this identifier.
    """
    schedule = get(SCHEDULES, schedule_id)
    checked_date(skip_on, "skip_on")
    if skip_on < today():
        raise ValueError(f"skip_on must not be before today, {today()}, got {skip_on}")
    day = datetime.date.fromisoformat(skip_on)
    start = datetime.datetime.combine(day, datetime.time.min)
    whole = runs_of(schedule | {"skipped": []}, day).between(start, start + datetime.timedelta(days=1), inc=True)
    if not any(run.date() == day for run in whole):
        raise ValueError(f"the schedule does not run on {skip_on}, a {WEEKDAYS[day.weekday()]}")
    kept = [each for each in schedule["skipped"] if each != skip_on]
    if skip and len(kept) >= MOST_SKIPPED:
        raise ValueError(f"at most {MOST_SKIPPED} dates can be skipped")
    settle(schedule["scene_id"])
    return next_run(change(SCHEDULES, schedule_id, skipped=sorted([*kept, skip_on] if skip else kept)))


@tool
def search_home_schedule_runs(
    run_on: str | NotGiven = NOT_GIVEN, days: int = 7, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """List when which scenes will run by schedule, in order, without what is skipped or switched off.

    Args:
        run_on: First date; today if left out.
        days: Number of days, from 1 to 62.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (runs with schedule and scene), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The date, the limit or the cursor cannot be understood, or days is out of range.
    """
    if not 1 <= days <= LONGEST_VIEW:
        raise ValueError(f"days must be from 1 to {LONGEST_VIEW}, got {str(days)[:20]}")
    first = today() if isinstance(run_on, NotGiven) else checked_date(run_on, "run_on")
    begins = datetime.datetime.fromisoformat(max(first, today()))
    ends = datetime.datetime.fromisoformat(first) + datetime.timedelta(days=int(days))

    def found(read: Read) -> list[Row]:
        runs = []
        for schedule in read(SCHEDULES).where(enabled=True):
            scene = read(SCENES).get(schedule["scene_id"]) or {}
            about = {"schedule_id": schedule["schedule_id"], "schedule": schedule["name"], "scene": scene.get("name")}
            for run in runs_of(schedule, begins.date()).xafter(max(begins, local_now()), inc=False):
                if run >= ends:
                    break
                runs.append({"runs_at": moment_of(run)} | about)
        return sorted(runs, key=lambda run: (seconds_of(run["runs_at"]), str(run["schedule"])))

    return paged((first, int(days)), found, limit, cursor)


@tool
def delete_home_schedule(schedule_id: str) -> None:
    """Delete a schedule of the home. Its scene stays, and devices stay as they are.

    Args:
        schedule_id: Identifier of the schedule.

    Returns:
        Nothing.

    Raises:
        NoDataError: No schedule has this identifier.
    """
    settle(get(SCHEDULES, schedule_id)["scene_id"])
    remove(SCHEDULES, schedule_id)
