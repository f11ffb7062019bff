"""What is on the clock when a world begins."""

from collections.abc import Sequence
from typing import Any

from tool_sandbox.apps import Draw, Size
from tool_sandbox.apps.clock import phrases
from tool_sandbox.apps.clock.tables import ALARMS, DAYS, RUNS, TIMERS, WORLD_CLOCKS

Row = dict[str, Any]

COUNTS: dict[Size, tuple[int, int, int, int]] = {
    "small": (5, 3, 3, 4),
    "medium": (14, 8, 9, 40),
    "large": (60, 40, 40, 1000),
}
"""Alarms, timers, world clocks and runs of the stopwatch of each size."""


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    alarms, timers, clocks, runs = COUNTS[size]
    cities = draw.sample(sorted(phrases.ZONES), clocks)
    return {
        ALARMS.name: [_alarm(draw, number) for number in range(alarms)],
        TIMERS.name: [_timer(draw, number) for number in range(timers)],
        WORLD_CLOCKS.name: [world_clock_row(draw, city) for city in cities],
        RUNS.name: [_run(draw, runs - number) for number in range(runs)],
    }


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def alarm_row(
    draw: Draw, label: str, time: str, *, repeat_days: Sequence[str] = (), enabled: bool = True, days_ago: int = 9
) -> Row:
    """An alarm that was set some days ago."""
    set_at = draw.moment(-days_ago, 20)
    row = {"alarm_id": draw.key("alarm"), "label": label, "time": time, "repeat_days": list(repeat_days)}
    return {**row, "enabled": enabled, "set_at": set_at}


def timer_row(draw: Draw, label: str, duration_s: int, *, left_s: int | None = None, minutes_ago: float = 0) -> Row:
    """A timer: one with time left is paused, another one was started some minutes ago."""
    left = duration_s if left_s is None else left_s
    row = {"timer_id": draw.key("timer"), "label": label, "duration_s": duration_s, "left_s": left}
    return {**row, "state": "running" if left_s is None else "paused", "counted_from": draw.ago(minutes_ago)}


def world_clock_row(draw: Draw, city: str, label: str = "") -> Row:
    """The clock of a city, called like the city unless it has another name."""
    row = {"world_clock_id": draw.key("world_clock"), "label": label or city}
    return {**row, "city": city, "zone": phrases.ZONES[city]}


def _alarm(draw: Draw, number: int) -> Row:
    label = phrases.ALARMS[number % len(phrases.ALARMS)]
    time = f"{draw.integer(5, 21):02}:{draw.integer(0, 11) * 5:02}"
    days = draw.choice(((), DAYS[:5], DAYS[5:], DAYS, (draw.choice(DAYS),)))
    days_ago = draw.integer(2, 200)
    return alarm_row(draw, label, time, repeat_days=days, enabled=draw.chance(0.6), days_ago=days_ago)


def _timer(draw: Draw, number: int) -> Row:
    label, duration_s = phrases.TIMERS[number % len(phrases.TIMERS)], draw.integer(2, 24) * 300
    left_s = draw.integer(60, duration_s - 60) if number % 2 else None
    return timer_row(draw, label, duration_s, left_s=left_s, minutes_ago=draw.integer(1, 20 if number == 0 else 300))


def _run(draw: Draw, days_ago: int) -> Row:
    label, lasted = draw.choice(phrases.RUNS), draw.integer(60, 5_400)
    begun = days_ago * 1_440.0 + draw.integer(100, 600)
    row = {"run_id": draw.key("run"), "label": label, "running": False, "started_at": draw.ago(begun)}
    return {**row, "stopped_at": draw.ago(begun - lasted / 60)}
