"""What the clock keeps: alarms, timers, the cities whose time is shown, and what the stopwatch has measured."""

import re
from typing import Any

from tool_sandbox.apps import automatic, choice, flag, key, moment, only_one, table, text, texts, whole

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY_S = 86_400
LONGEST_LABEL = 80
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def _has_a_time(row: dict[str, Any]) -> str | None:
    if not TIME.fullmatch(row["time"]):
        return f"alarm {row['alarm_id']} has no time of day"
    if list(row["repeat_days"]) != [day for day in DAYS if day in row["repeat_days"]]:
        return f"the days of alarm {row['alarm_id']} are not days of the week in order"
    return None


def _has_no_more_than_its_duration(row: dict[str, Any]) -> str | None:
    return None if row["left_s"] <= row["duration_s"] else f"timer {row['timer_id']} has more left than it began with"


def _runs_until_it_is_stopped(row: dict[str, Any]) -> str | None:
    if row["running"] != (row["stopped_at"] is None):
        return f"stopwatch run {row['run_id']} is running if and only if it was not stopped"
    return None


ALARMS = table(
    "clock.alarms",
    key("alarm_id"),
    text("label"),
    text("time"),
    texts("repeat_days"),
    flag("enabled"),
    automatic(moment("set_at")),
    row_rules=[_has_a_time],
)
"""Alarms at a local time of day. One without days rings once, the first time that it is that time after ``set_at``."""

TIMERS = table(
    "clock.timers",
    key("timer_id"),
    text("label"),
    whole("duration_s", 1, DAY_S),
    choice("state", "running", "paused"),
    automatic(whole("left_s", 0, DAY_S)),
    automatic(moment("counted_from")),
    row_rules=[_has_no_more_than_its_duration],
)
"""Timers: what was left of each at a moment, from which one that runs counts down."""

WORLD_CLOCKS = table(
    "clock.world_clocks",
    key("world_clock_id"),
    text("label"),
    text("city"),
    text("zone"),
    unique=[only_one("label", words="there is a world clock called {label!r} already")],
)
"""Cities whose time is shown, each under a name of its own."""

RUNS = table(
    "clock.stopwatch_runs",
    key("run_id"),
    text("label"),
    flag("running"),
    automatic(moment("started_at")),
    automatic(moment("stopped_at", optional=True)),
    unique=[only_one(running=True, words="the stopwatch is running already")],
    row_rules=[_runs_until_it_is_stopped],
)
"""What the stopwatch has measured, in the order in which it was started."""
