"""What somebody who uses the clock relies on: repeating alarms, timers that are paused, other zones, and waiting."""

from collections.abc import Iterator

import pytest

from tool_sandbox.apps.clock.alarms import get_alarm, modify_alarm, search_alarms, set_alarm
from tool_sandbox.apps.clock.cities import add_world_clock, convert_city_time, get_time_in_city, search_world_clocks
from tool_sandbox.apps.clock.stopwatch import start_stopwatch, stop_stopwatch
from tool_sandbox.apps.clock.timers import get_timer, pause_timer, resume_timer, search_timers, start_timer
from tool_sandbox.apps.clock.waiting import wait_minutes, wait_until
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.roles.tool_dispatch import call_tool
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.events import EVENTS, TIME, EventKind, schedule, use_events
from tool_sandbox.world.faults import LOST, lose_answer
from tool_sandbox.world.profile import Profile

START = 1747243440.0
"""Wednesday, 2025-05-14T10:24:00-07:00."""


def world_at(start: float) -> ExecutionContext:
    clock = ScenarioClock(start, "America/Los_Angeles")
    return ExecutionContext(profile=Profile.STRICT, id_seed="t", clock=clock, apps=["clock"])


@pytest.fixture
def world() -> Iterator[ExecutionContext]:
    with new_context(context := world_at(START)):
        yield context


@pytest.mark.parametrize(
    ("time", "days", "rings"),
    [
        ("10:25", [], "2025-05-14T10:25:00-07:00"),
        ("10:24", [], "2025-05-15T10:24:00-07:00"),
        ("07:00", ["sunday", "monday"], "2025-05-18T07:00:00-07:00"),
        ("10:00", ["wednesday"], "2025-05-21T10:00:00-07:00"),
        ("23:00", ["wednesday"], "2025-05-14T23:00:00-07:00"),
    ],
)
def test_when_an_alarm_rings_next(world: ExecutionContext, time: str, days: list[str], rings: str) -> None:
    assert get_alarm(set_alarm(time, repeat_days=days))["next_ring_at"] == rings


def test_an_alarm_that_rings_once_has_rung(world: ExecutionContext) -> None:
    alarm_id = set_alarm("10:30", "Tea")
    daily = set_alarm("10:30", repeat_days=["sunday", "monday", "wednesday"])
    assert wait_minutes(10) == "2025-05-14T10:34:00-07:00"
    assert get_alarm(alarm_id)["next_ring_at"] is None
    assert get_alarm(daily)["next_ring_at"] == "2025-05-18T10:30:00-07:00"
    modify_alarm(alarm_id, label="Tea again")
    assert get_alarm(alarm_id)["next_ring_at"] == "2025-05-15T10:30:00-07:00"
    modify_alarm(alarm_id, enabled=False)
    assert get_alarm(alarm_id)["next_ring_at"] is None
    assert [each["label"] for each in search_alarms(enabled=True)["results"]] == ["Alarm"]
    assert search_alarms(repeat_day="monday")["results"][0]["repeat_days"] == ["monday", "wednesday", "sunday"]


def test_an_alarm_keeps_its_local_time_over_a_change_of_the_clocks() -> None:
    with new_context(world_at(1741420800.0)):  # 2025-03-08T00:00:00-08:00, the day before clocks go forward
        alarm_id = set_alarm("07:00", repeat_days=["sunday"])
        assert get_alarm(alarm_id)["next_ring_at"] == "2025-03-09T07:00:00-07:00"


def test_a_timer_is_paused_and_goes_on(world: ExecutionContext) -> None:
    timer_id = start_timer(600, "Eggs")
    wait_minutes(4)
    assert get_timer(timer_id)["remaining_s"] == 360
    assert pause_timer(timer_id) == 360
    with pytest.raises(ValueError, match="paused already"):
        pause_timer(timer_id)
    wait_minutes(60)
    assert search_timers(state="paused")["results"][0]["paused_with_s"] == 360
    assert resume_timer(timer_id) == "2025-05-14T11:34:00-07:00"
    with pytest.raises(ValueError, match="not paused"):
        resume_timer(timer_id)
    wait_minutes(10)
    assert get_timer(timer_id)["remaining_s"] == 0
    with pytest.raises(ValueError, match="has rung already"):
        pause_timer(timer_id)


def test_the_stopwatch_measures_one_thing_at_a_time(world: ExecutionContext) -> None:
    start_stopwatch("Walk")
    with pytest.raises(ValueError, match="running already"):
        start_stopwatch()
    wait_minutes(12)
    assert (stop_stopwatch()["duration_s"]) == 720
    with pytest.raises(ValueError, match="not running"):
        stop_stopwatch()


def test_the_time_elsewhere(world: ExecutionContext) -> None:
    assert get_time_in_city("tokyo") == {"time": "2025-05-15T02:24:00+09:00", "weekday": "thursday"}
    assert convert_city_time("2025-12-01T09:00", "New York") == {
        "time": "2025-12-01T06:00:00-08:00", "weekday": "monday",
    }  # fmt: skip
    assert convert_city_time("09:00", "Tokyo", "Kathmandu")["time"] == "2025-05-15T05:45:00+05:45"
    # Between the two dates on which America and Europe change their clocks.
    assert convert_city_time("2025-03-12T12:00", "Berlin", "New York")["time"] == "2025-03-12T07:00:00-04:00"
    for wrong, told in (("2025-03-09T02:30", "does not exist"), ("2025-03-09T02:30-07:00", "without an offset")):
        with pytest.raises(ValueError, match=told):
            convert_city_time(wrong, "Los Angeles")
    with pytest.raises(ValueError, match=r"city: '\.\./etc/passwd' is not known"):
        get_time_in_city("../etc/passwd")


def test_world_clocks_have_names_of_their_own(world: ExecutionContext) -> None:
    add_world_clock("sydney", "Aunt Wanda")
    add_world_clock("Sydney")
    with pytest.raises(ValueError, match="called 'Sydney' already"):
        add_world_clock("Sydney")
    assert [row["label"] for row in search_world_clocks("sydney")["results"]] == ["Aunt Wanda", "Sydney"]


# Waiting -------------------------------------------------------------------------------------


def ring() -> str:
    set_alarm("09:00", "came by itself")
    return "an alarm was set"


def test_what_is_due_happens_while_waiting(world: ExecutionContext) -> None:
    use_events(world, {"ring": EventKind(ring)})
    schedule(world, "ring", at=START + 3600)
    assert wait_until("2025-05-14T11:00") == "2025-05-14T11:00:00-07:00"
    assert search_alarms()["total"] == 0
    wait_minutes(30)
    (alarm,) = search_alarms()["results"]
    assert alarm["set_at"] == "2025-05-14T11:24:00-07:00"


def test_times_that_cannot_be_waited_for(world: ExecutionContext) -> None:
    for wrong in (0, -5, 44_641, 10**30):
        with pytest.raises(ValueError, match="31 days at most"):
            wait_minutes(wrong)
    with pytest.raises(ValueError, match="it is 2025-05-14T10:24:00-07:00 already"):
        wait_until("2025-05-14T10:24")


def test_a_wait_in_which_an_event_fails_leaves_nothing(world: ExecutionContext) -> None:
    def fail() -> str:
        ring()
        raise RuntimeError("no")

    use_events(world, {"ring": EventKind(ring), "fail": EventKind(fail)})
    schedule(world, "ring", at=START + 60)
    schedule(world, "fail", at=START + 120)
    before = world.fork()
    with pytest.raises(ScenarioError, match="event 'fail' failed"):
        wait_minutes(5)
    assert world.equals(before)
    assert search_alarms()["total"] == 0
    assert [row["state"] for row in world.get_table(EVENTS.name).dicts()] == ["waiting", "waiting"]


def test_a_wait_that_was_not_done_took_no_time(world: ExecutionContext) -> None:
    lose_answer(world, "wait_minutes", is_done=False)
    with pytest.raises(TimeoutError, match=LOST):
        call_tool(world, world.name_to_tool, RoleType.AGENT, "wait_minutes", (), {"minutes": 5})
    assert world.now() == START
    assert len(world.get_table(TIME.name)) == 0


def test_a_world_that_has_waited_is_stored(world: ExecutionContext) -> None:
    wait_minutes(5)
    message = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Hello."}
    world.add_to_database(DatabaseNamespace.SANDBOX, [message])
    read = ExecutionContext.from_dict(world.to_dict())
    assert read.equals(world)
    assert read.now() == world.now() == START + 301


def test_whoever_reads_the_time_depends_on_a_wait(world: ExecutionContext) -> None:
    """Calls made in parallel are told apart by what they read and write."""
    with world.record_access() as waiting:
        wait_minutes(5)
    with world.record_access() as setting:
        set_alarm("07:00")
    assert TIME.name in waiting.writes & setting.reads
