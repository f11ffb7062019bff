"""Clock: alarms, timers, a stopwatch, the time in other cities, and waiting."""

from tool_sandbox.apps import App
from tool_sandbox.apps.clock.alarms import delete_alarm, get_alarm, modify_alarm, search_alarms, set_alarm
from tool_sandbox.apps.clock.cities import (
    add_world_clock,
    convert_city_time,
    get_time_in_city,
    remove_world_clock,
    search_world_clocks,
)
from tool_sandbox.apps.clock.content import content
from tool_sandbox.apps.clock.stopwatch import search_stopwatch_runs, start_stopwatch, stop_stopwatch
from tool_sandbox.apps.clock.tables import ALARMS, RUNS, TIMERS, WORLD_CLOCKS
from tool_sandbox.apps.clock.timers import (
    cancel_timer,
    get_timer,
    pause_timer,
    resume_timer,
    search_timers,
    start_timer,
)
from tool_sandbox.apps.clock.waiting import wait_minutes, wait_until

APP = App(
    name="clock",
    title="Clock",
    tables=[ALARMS, TIMERS, WORLD_CLOCKS, RUNS],
    tools=[
        set_alarm,
        get_alarm,
        search_alarms,
        modify_alarm,
        delete_alarm,
        start_timer,
        get_timer,
        search_timers,
        pause_timer,
        resume_timer,
        cancel_timer,
        start_stopwatch,
        stop_stopwatch,
        search_stopwatch_runs,
        add_world_clock,
        search_world_clocks,
        remove_world_clock,
        get_time_in_city,
        convert_city_time,
        wait_minutes,
        wait_until,
    ],
    content=content,
    words={
        ALARMS.name: ("alarm", "alarms"),
        TIMERS.name: ("timer", "timers"),
        WORLD_CLOCKS.name: ("world clock", "world clocks"),
        RUNS.name: ("stopwatch run", "stopwatch runs"),
    },
    lets_time_pass=True,
)
