"""The reference solution is recorded as it was really played, and can be played back."""

import pytest

from tool_sandbox.answers.facts import Switch
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.proof.course import Course
from tool_sandbox.proof.play import Playback, calls_of, play, record
from tool_sandbox.scenarios import get_scenario, list_scenarios, named_scenarios
from tool_sandbox.scenarios.vocabulary import Task, answer, call, say, setting
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Call, Say, ToolCallFailed

BASES = [info.name for info in list_scenarios() if info.augmentation == "no_distraction_tools"]


@pytest.mark.slow
def test_a_recorded_reference_can_be_played_back() -> None:
    for name, scenario in named_scenarios(names=BASES[::3]).items():
        reference = record(scenario)
        context, result = play(scenario, Playback(reference.steps))
        assert context.to_dict(False) == reference.context.to_dict(False), name
        assert result.success
        assert len(reference.steps) == len(reference.results) == len(reference.access)
        assert reference.plan == reference.steps


def test_steps_come_with_their_results_and_the_tables_they_touch() -> None:
    scenario = get_scenario("modify_contact_with_message_recency_multiple_user_turn")
    reference = record(scenario)
    calls = {step.tool: number for number, step in enumerate(reference.steps) if isinstance(step, Call)}
    assert reference.access[calls["modify_contact"]].writes == {DatabaseNamespace.CONTACT}
    first_text = next(i for i, step in enumerate(reference.steps) if isinstance(step, Say))
    assert reference.results[first_text] == scenario.user_script.turns[0]
    assert reference.results[-1] is None
    assert reference.calls[0].tool == "get_current_timestamp"
    assert isinstance(reference.results[0], float)


def test_a_failed_call_is_recorded_as_such() -> None:
    reference = record(get_scenario("send_message_power_saving_setter_missing_insufficient_information"))
    assert isinstance(reference.results[0], ToolCallFailed)


def test_parallel_calls_stay_together(make) -> None:
    task = Task(
        user="Switch wifi and cellular off.",
        tools=["set_wifi_status", "set_cellular_service_status"],
        milestones=[setting(wifi=False, cellular=False), answer(Switch("wifi", on=False))],
        solution=[
            [call("set_wifi_status", on=False), call("set_cellular_service_status", on=False)],
            say("Wifi is off, and so is cellular."),
        ],
    )
    scenario = make(task)
    reference = record(scenario)
    assert len(calls_of(reference.steps[0])) == 2
    assert reference.results[0] == [None, None]
    assert play(scenario, Playback(reference.steps))[1].success


def test_a_playback_goes_on_politely_after_its_last_step() -> None:
    context, result = play(get_scenario("cellular_off"), Playback([Say("Which one do you mean?")]))
    texts = [
        row["content"]
        for _, table in context.get_history(DatabaseNamespace.SANDBOX)
        for row in table.where(sender="AGENT")
    ]
    assert texts[:2] == ["Which one do you mean?", "That is all."]
    assert result.similarity == 0


def test_a_step_with_a_tool_that_is_not_offered_is_refused() -> None:
    with pytest.raises(ScenarioError, match="not offered"):
        play(get_scenario("cellular_off"), Playback([Call("set_wifi_status", {"on": False})]))


def test_a_variation_played_from_where_it_leaves_scores_as_from_the_beginning() -> None:
    scenario = get_scenario("send_message_with_contact_content_cellular_off")
    reference = record(scenario)
    course = Course(scenario, reference)
    for steps in ((*reference.steps[:-1], Say("I sent nothing.")), reference.steps[:1], (Say("No."),)):
        whole, parted = play(scenario, Playback(steps))[1], course.play(Playback(steps))[1]
        assert (whole.similarity, whole.milestone_mapping) == (parted.similarity, parted.milestone_mapping)
