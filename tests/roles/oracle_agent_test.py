"""The oracle: plays solutions through ordinary messages, stops when they fail, and errs on demand."""

import json

import pytest

from tests.stubs.playing import parties, rows_of
from tool_sandbox.conversation.execution_context import ScenarioCategories, new_context
from tool_sandbox.play.message_conversion import to_openai_messages
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.mistakes import Mistakes, neighbour
from tool_sandbox.roles.oracle_agent import FINISHED, OracleAgent
from tool_sandbox.scenarios import get_scenario, list_scenarios, named_scenarios
from tool_sandbox.world.errors import ConfigurationError, ScenarioError
from tool_sandbox.world.script import Call, Say, ToolCallFailed

BASES = [info.base_name for info in list_scenarios() if info.augmentation == "no_distraction_tools"]


def play(scenario, agent=None):
    roles = parties(agent or OracleAgent())
    context = scenario.play(roles, scenario.name)
    return context, rows_of(context)[4:]


def solve(solution, name="cellular_off_all_tools"):
    scenario = get_scenario(name)
    scenario.solution = solution
    return play(scenario)[1]


def test_calls_have_the_layout_of_a_models_calls():
    _, rows = play(get_scenario("wifi_off"))
    assert rows[0]["content"] == (
        "call_0_parameters = {'on': False}\n"
        "call_0_response = set_wifi_status(**call_0_parameters)\n"
        "print(repr(call_0_response))"
    )
    assert [row["openai_tool_call_id"] for row in rows[:2]] == ["call_0", "call_0"]
    assert rows[0]["openai_function_name"] == "set_wifi_status"


def test_scrambled_names_are_the_ones_the_agent_sees():
    scenario = get_scenario("wifi_off_3_distraction_tools_tool_name_scrambled")
    _, rows = play(scenario)
    assert rows[0]["openai_function_name"] == scenario.starting_context.get_agent_facing_tool_name("set_wifi_status")
    assert rows[0]["openai_function_name"] != "set_wifi_status"
    assert "set_wifi_status(**" in rows[0]["content"]


def test_a_call_that_failed_for_the_moment_is_made_again_until_it_succeeds():
    _, rows = play(get_scenario("find_stock_symbol_with_company_name_flaky_service"))
    calls = [row for row in rows if row["recipient"] == "EXECUTION_ENVIRONMENT"]
    assert [call["openai_function_name"] for call in calls[:2]] == ["search_stock", "search_stock"]
    assert len({call["openai_tool_call_id"] for call in calls}) == len(calls)
    assert rows[1]["tool_call_exception"]
    assert rows[3]["tool_call_exception"] is None


def test_scrambled_arguments_are_translated_both_ways():
    scenario = get_scenario("modify_contact_with_message_recency")
    scenario.starting_context.tool_augmentation_list = [ScenarioCategories.ARG_NAME_SCRAMBLED]
    context, _ = play(scenario)
    assert scenario.evaluation.evaluate(context, 30).similarity == 1.0
    with new_context(context):
        calls = [
            json.loads(call["function"]["arguments"])
            for message in to_openai_messages(BaseRole.get_messages()[3:-2])[0]
            for call in message.get("tool_calls", ())
        ]
    assert list(calls[-1]) == ["arg_0", "arg_2"]


def test_a_solution_receives_real_results():
    received = []

    def solution():
        received.append((yield Call("get_wifi_status")))
        received.append((yield [Call("get_wifi_status"), Call("search_contacts", {"relationship": "boss"})]))
        received.append((yield Say("Which one do you mean?")))
        try:
            yield Call("set_wifi_status", {"on": True})
        except ToolCallFailed as failure:
            received.append(failure.call.tool)
        yield Say("That is it.")

    rows = solve(solution)
    final = received[-4:]
    assert final[0] is True
    assert final[1][0] is True
    assert final[1][1][0]["relationship"] == "boss"
    assert isinstance(final[2], str)
    assert final[3] == "set_wifi_status"
    assert [row["openai_tool_call_id"] for row in rows if row["sender"] == "AGENT" and row["openai_tool_call_id"]] == [
        "call_0",
        "call_1",
        "call_2",
        "call_3",
    ]


def test_after_the_end_it_only_says_so():
    def solution():
        yield Say("Which one do you mean?")

    texts = [row["content"] for row in solve(solution) if (row["sender"], row["recipient"]) == ("AGENT", "USER")]
    assert texts == ["Which one do you mean?", FINISHED]


def test_a_solution_that_fails_is_the_scenarios_fault():
    def failing():
        yield Call("set_wifi_status", {"on": True})

    def not_offered():
        yield Call("remove_contact", {"person_id": "x"})

    with pytest.raises(ScenarioError, match="cellular_off_all_tools: the reference solution failed"):
        solve(failing)
    with pytest.raises(ScenarioError, match="'remove_contact', which is not offered"):
        solve(not_offered, "cellular_off")


def test_a_scenario_without_a_solution_cannot_be_played():
    scenario = get_scenario("cellular_off")
    scenario.solution = None
    with pytest.raises(ConfigurationError, match="no reference solution"):
        play(scenario)


def test_it_goes_on_from_any_fork(monkeypatch):
    scenario = get_scenario("remove_contact_by_phone_multiple_user_turn")
    _, whole = play(scenario)
    for messages in range(1, len(whole)):
        shortened = get_scenario(scenario.name)
        shortened.max_turns, shortened.max_messages = None, messages
        context, _ = play(shortened)
        resumed = get_scenario(scenario.name)
        resumed.starting_context = context
        resumed.starting_context.clock = scenario.starting_context.clock
        assert play(resumed)[1] == whole


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_the_error_rate_is_a_share(rate):
    with pytest.raises(ConfigurationError, match="error_rate"):
        OracleAgent(error_rate=rate)


@pytest.mark.slow
def test_mistakes_lower_the_score_and_are_reproducible():
    scenarios = named_scenarios(names=BASES)

    def scores(rate, seed):
        return [
            scenario.evaluation.evaluate(play(scenario, OracleAgent(rate, seed))[0], 30).similarity
            for scenario in scenarios.values()
        ]

    always, often, sometimes = scores(1.0, 1), scores(0.5, 1), scores(0.1, 1)
    assert sum(always) < sum(often) < sum(sometimes) < len(BASES)
    assert sum(always) / len(BASES) <= 0.05
    assert scores(0.5, 1) == often != scores(0.5, 2)


def test_nothing_is_changed_at_rate_0_and_everything_at_rate_1():
    steps = [Say("It is 12 degrees."), Say("Wifi is on."), Call("f", {"on": True}), [Call("f"), Call("g")]]
    assert [Mistakes(0.0, 3, "x").apply(step, n) for n, step in enumerate(steps)] == steps
    for number in range(50):
        for step in steps:
            assert Mistakes(1.0, 3, "x").apply(step, number) != step


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, False),
        (3, 4),
        (2.5, 3.5),
        ("+14155550129", "+14155550120"),
        ("Nora Lindqvist", "Nora"),
        ("boss", "bosss"),
        (None, None),
    ],
)
def test_a_neighbour_is_close_and_different(value, expected):
    assert neighbour(value) == expected
