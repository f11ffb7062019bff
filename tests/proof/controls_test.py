"""Each control does what its name says."""

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.proof.controls import (
    CLAIMS_ONLY,
    CONTROLS,
    EMPTY_ANSWER,
    READ_ONLY,
    REQUEST_BLIND,
    WORDLESS,
    controls,
    weight_of_answers,
)
from tool_sandbox.proof.play import play, record
from tool_sandbox.scenarios import get_scenario


def names(scenario_name: str) -> set[str]:
    scenario = get_scenario(scenario_name)
    return {control.name for control in controls(scenario, record(scenario))}


def test_every_kind_of_control_is_used_and_described() -> None:
    assert names("remove_contact_by_phone") == set(CONTROLS) - {EMPTY_ANSWER}
    assert EMPTY_ANSWER in names("find_current_city")


def test_a_control_that_would_be_the_reference_itself_is_left_out() -> None:
    assert READ_ONLY not in names("get_wifi")
    assert CLAIMS_ONLY not in names("send_message_with_contact_content_cellular_off_insufficient_information")


def test_only_three_controls_make_calls() -> None:
    scenario = get_scenario("remove_contact_by_phone")
    calling = set()
    for control in controls(scenario, record(scenario)):
        context, result = play(scenario, control.agent())
        assert not result.success
        history = context.get_history(DatabaseNamespace.SANDBOX)
        if any(table.where(sender="AGENT", recipient="EXECUTION_ENVIRONMENT") for _, table in history):
            calling.add(control.name)
    assert calling == {REQUEST_BLIND, READ_ONLY, WORDLESS}


def test_answers_are_told_from_changes() -> None:
    weights = weight_of_answers(get_scenario("remove_contact_by_phone"))
    assert [round(weight, 9) for weight in weights] == [0.0, 0.3]
