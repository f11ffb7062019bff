"""Which results a solution acts upon is found out by giving it others."""

from tool_sandbox.answers.facts import Switch
from tool_sandbox.proof.dependence import independent, is_used
from tool_sandbox.proof.play import record
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, call, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution


def task(solution) -> Task:
    return Task(
        user="Is wifi on?",
        tools=["get_wifi_status", "get_current_timestamp", "shift_timestamp", "search_contacts"],
        milestones=[answer(Switch("wifi", on=True, yes=True))],
        solution=solution,
    )


def used(scenario) -> list[bool]:
    reference = record(scenario)
    return [is_used(scenario, reference, position) for position in range(len(reference.steps) - 1)]


def test_a_result_that_is_passed_on_is_used() -> None:
    assert used(get_scenario("remove_contact_by_phone")) == [True, False]


def test_a_result_that_is_needed_only_much_later_is_used(make) -> None:
    def solution() -> Solution:
        now = yield call("get_current_timestamp")
        yield call("get_wifi_status")
        yield call("shift_timestamp", timestamp=now, days=1)
        yield say("Yes, wifi is on.")

    scenario = make(task(solution))
    assert used(scenario) == [True, False, False]
    reference = record(scenario)
    assert independent(scenario, reference, 0)
    assert independent(scenario, reference, 1)


def test_a_result_that_only_decides_or_is_only_told_is_used(make) -> None:
    def solution() -> Solution:
        is_on = yield call("get_wifi_status")
        if is_on:
            yield call("get_current_timestamp")
        yield say("Yes, wifi is on.")

    def telling() -> Solution:
        is_on = yield call("get_wifi_status")
        yield say(f"{'Yes' if is_on else 'No'}, wifi is {'on' if is_on else 'off'}.")

    assert used(make(task(solution))) == [True, False]
    assert used(make(task(telling))) == [True]


def test_finding_nothing_is_a_result_like_any_other(make) -> None:
    def of(world: World) -> Task:
        """Look two people up, one of whom is not saved."""
        friend, stranger = world.friend, world.new_person()

        def solution() -> Solution:
            for person in (friend, stranger):
                if not (yield call("search_contacts", name=person.name)):
                    yield call("get_wifi_status")
            yield say("Yes, wifi is on.")

        return task(solution)

    assert used(make(of)) == [True, True, False]


def test_an_argument_that_occurs_in_the_result_before_is_no_accident(make) -> None:
    def of(world: World) -> Task:
        """Make two calls that were written down beforehand."""
        steps = [
            call("search_contacts", name=world.friend.name),
            call("search_contacts", phone_number=world.friend.phone_number),
            say("Yes, wifi is on."),
        ]
        return task(steps)

    scenario = make(of)
    assert not independent(scenario, record(scenario), 0)
