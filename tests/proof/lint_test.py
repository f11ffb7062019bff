"""Slips of an author are found without playing anything but the reference."""

import attrs
import pytest

from tool_sandbox.answers.facts import Entity, Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.proof.lint import definition_of, lint, source_lines
from tool_sandbox.proof.play import record
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    REMINDER,
    TOOL_MISSING,
    Task,
    answer,
    call,
    called,
    cannot,
    changed,
    removed,
    say,
    setting,
)

OFF = answer(Switch("wifi", on=False))


def complaints(scenario, task=None, necessary=1) -> list[tuple[str, str, str]]:
    definition, seed = definition_of(scenario)
    return list(lint(scenario, record(scenario), definition, task or definition.task(seed), necessary))


def switch_off(*milestones, **options) -> Task:
    return Task(
        user="Switch wifi off.",
        tools=["set_wifi_status", "get_wifi_status"],
        milestones=milestones or [setting(wifi=False), OFF],
        solution=[call("get_wifi_status"), call("set_wifi_status", on=False), say("Wifi is off.")],
        **options,
    )


def test_a_sound_scenario_gives_no_complaint(make) -> None:
    assert complaints(make(switch_off())) == []


def test_a_gate_at_the_end_is_isolated(make) -> None:
    (complaint,) = complaints(make(switch_off(setting(wifi=False), OFF, called("get_wifi_status"))))
    assert complaint[0] == "nodes"
    assert "get_wifi_status" in complaint[2]


def test_a_tool_that_is_offered_and_denied_is_found(make) -> None:
    scenario = make(switch_off())
    task = attrs.evolve(switch_off(), denied=["set_wifi_status"])
    assert "tools" in {complaint[0] for complaint in complaints(scenario, task)}


@pytest.mark.parametrize(
    ("never", "words"),
    [
        (removed(CONTACT), "remove_contact"),
        (changed(REMINDER, {}), "modify_reminder"),
        (setting(cellular=False), "set_cellular_service_status"),
    ],
)
def test_a_minefield_that_no_offered_tool_can_meet_is_found(make, never, words) -> None:
    (complaint,) = complaints(make(switch_off(never=[never])))
    assert complaint[0] == "minefields"
    assert words in complaint[2]


def test_a_minefield_about_a_row_that_does_not_exist_is_found(make) -> None:
    task = attrs.evolve(
        switch_off(never=[removed(CONTACT, name="Nobody")]), tools=["set_wifi_status", "remove_contact"]
    )
    task = attrs.evolve(task, solution=[call("set_wifi_status", on=False), say("Wifi is off.")])
    (complaint,) = complaints(make(task, ScenarioCategories.MULTIPLE_TOOL_CALL))[:1]
    assert "Nobody" in complaint[2]


def test_an_answer_must_be_a_secret_unless_the_user_says_it(make) -> None:
    scenario = make(switch_off(setting(wifi=False), answer(Entity("Xanthippe"))))
    open_script = attrs.evolve(scenario, user_script=attrs.evolve(scenario.user_script, secrets=()))
    assert [complaint[0] for complaint in complaints(open_script)] == ["secrets"]
    guarded = attrs.evolve(scenario, user_script=attrs.evolve(scenario.user_script, secrets=("Xanthippe",)))
    assert complaints(guarded) == []
    told = attrs.evolve(guarded, user_script=attrs.evolve(guarded.user_script, opening="I think Xanthippe did."))
    assert [complaint[0] for complaint in complaints(told)] == ["secrets"]


def test_a_secret_number_is_found_however_it_is_spaced(make) -> None:
    scenario = make(switch_off())
    script = attrs.evolve(scenario.user_script, secrets=("+14155550100",), turns=("Call +1 (415) 555-0100.",))
    found = complaints(attrs.evolve(scenario, user_script=script))
    assert ["+14155550100" in complaint[2] for complaint in found if complaint[0] == "secrets"] == [True]


def test_an_impossible_task_needs_a_twin_that_is_possible(make) -> None:
    def found(twin: str) -> list[str]:
        task = Task(
            user="Switch wifi off.",
            tools=["get_wifi_status"],
            denied=["set_wifi_status"],
            milestones=[answer(cannot(TOOL_MISSING, about=("wifi",)))],
            solution=[say("I cannot switch the wifi off, because I have no tool for it.")],
        )
        tag = ScenarioCategories.INSUFFICIENT_INFORMATION
        return [complaint[2] for complaint in complaints(make(task, tag, twin=twin)) if complaint[0] == "twin"]

    assert found("wifi_off") == []
    assert "none is named" in found("")[0]
    assert "there is no scenario" in found("wifi_of")[0]
    assert "impossible as well" in found("find_days_till_holiday_insufficient_information")[0]


@pytest.mark.parametrize("tag", ["BATCH_EDIT", "STATE_RESTORATION", "TIME_ARITHMETIC", "UNIT_CHAIN", "ERROR_RECOVERY"])
def test_a_tag_that_the_reference_does_not_bear_out_is_found(make, tag) -> None:
    (complaint,) = complaints(make(switch_off(), ScenarioCategories(tag)))
    assert tag in complaint[1]


def test_a_long_chain_needs_six_calls(make) -> None:
    scenario = make(switch_off(), ScenarioCategories.LONG_CHAIN)
    assert [complaint[0] for complaint in complaints(scenario, necessary=5)] == ["tags"]
    assert complaints(scenario, necessary=6) == []


def test_turn_and_call_tags_are_compared_with_the_reference(make) -> None:
    wrong = [ScenarioCategories.SINGLE_TOOL_CALL, ScenarioCategories.MULTIPLE_USER_TURN]
    assert len(complaints(make(switch_off(), *wrong))) == 4


def test_putting_a_switch_back_is_a_restoration(make) -> None:
    task = Task(
        user="Restart wifi.",
        tools=["set_wifi_status"],
        milestones=[setting(wifi=False).passing(), setting(wifi=True)],
        solution=[call("set_wifi_status", on=False), call("set_wifi_status", on=True), say("Wifi is on again.")],
    )
    tags = ScenarioCategories.STATE_RESTORATION, ScenarioCategories.MULTIPLE_TOOL_CALL
    assert complaints(make(task, *tags)) == []


def test_lines_of_a_definition_are_counted() -> None:
    definition, seed = definition_of(get_scenario("cellular_off", 4))
    assert seed == 4
    assert source_lines(definition) == 4
