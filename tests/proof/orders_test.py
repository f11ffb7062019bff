"""Independent calls are exchanged, dependent ones are not, and an order that nothing asks for is found out."""

from tool_sandbox.answers.facts import AnyNumber, Switch
from tool_sandbox.proof.orders import free_swaps
from tool_sandbox.proof.play import record
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution


def swapped(scenario) -> list[tuple[str, str, float]]:
    return [(swap.first.tool, swap.second.tool, swap.similarity) for swap in free_swaps(scenario, record(scenario))]


def two_readings(*milestones) -> Task:
    return Task(
        user="Are wifi and cellular on?",
        tools=["get_wifi_status", "get_cellular_service_status"],
        milestones=[*milestones, answer(Switch("wifi", on=True, yes=True))],
        solution=[call("get_wifi_status"), call("get_cellular_service_status"), say("Yes, wifi and cellular are on.")],
    )


def test_independent_calls_are_exchanged(make) -> None:
    task = two_readings(called("get_wifi_status"), called("get_cellular_service_status").after())
    assert swapped(make(task)) == [("get_wifi_status", "get_cellular_service_status", 1.0)]


def test_an_order_without_a_reason_costs_points(make) -> None:
    task = two_readings(called("get_wifi_status"), called("get_cellular_service_status"))
    assert swapped(make(task)) == [("get_wifi_status", "get_cellular_service_status", 0.0)]


def test_a_call_that_needs_the_result_of_another_stays_behind_it() -> None:
    assert swapped(get_scenario("remove_contact_by_phone")) == []


def test_a_write_and_a_read_of_the_same_table_keep_their_order() -> None:
    assert swapped(get_scenario("toggle_wifi_restart_order")) == []


def test_a_result_that_only_decides_what_comes_next_is_a_reason_too(make) -> None:
    def solution() -> Solution:
        if (yield call("get_wifi_status")):
            yield call("get_current_timestamp")
        yield say("It is on.")

    def task(world: World) -> Task:
        """Depend on a truth value."""
        return Task(
            user="Is wifi on?",
            tools=["get_wifi_status", "get_current_timestamp"],
            milestones=[answer(Switch("wifi", on=True, yes=True))],
            solution=solution,
        )

    assert swapped(make(task)) == []


def test_the_clock_may_be_read_before_or_after_something_else(make) -> None:
    def solution() -> Solution:
        now = yield call("get_current_timestamp")
        other = yield call("get_wifi_status")
        days = 4 if other else 5
        yield call("shift_timestamp", timestamp=now, days=days)
        yield say(f"It is {days} days from now.")

    def task(world: World) -> Task:
        """Read the clock."""
        return Task(
            user="How many days?",
            tools=["get_wifi_status", "get_current_timestamp", "shift_timestamp"],
            milestones=[called("shift_timestamp"), answer(AnyNumber("day"))],
            solution=solution,
        )

    assert swapped(make(task)) == [("get_current_timestamp", "get_wifi_status", 1.0)]
