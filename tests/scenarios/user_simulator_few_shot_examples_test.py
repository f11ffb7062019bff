"""The demonstrations and the instruction of a model that plays the user."""

import re

import pytest

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.scenarios import USER_INSTRUCTION, list_scenarios, named_scenarios
from tool_sandbox.scenarios.user_simulator_few_shot_examples import (
    demonstrations_for,
    named_user_simulator_few_shot_examples,
)

EXAMPLES = named_user_simulator_few_shot_examples()
SEND = "send_message_with_contact_content_cellular_off_multiple_user_turn"
KEYS = {
    "search_message_with_recency_latest_multiple_user_turn",
    "modify_contact_with_message_recency_multiple_user_turn",
    "remove_contact_by_phone_multiple_user_turn",
    SEND,
    "find_temperature_f_with_location_and_time_diff_multiple_user_turn",
    "find_temperature_low_battery_mode",
}


def test_there_is_one_for_each_published_name() -> None:
    assert EXAMPLES.keys() == KEYS


@pytest.mark.parametrize("name", sorted(KEYS))
def test_each_goes_from_the_brief_to_the_end(name) -> None:
    first, *said, last = EXAMPLES[name]
    assert all(row.keys() == {"sender", "recipient", "content", "visible_to"} for row in EXAMPLES[name])
    assert all(row["visible_to"] == [RoleType.USER] for row in EXAMPLES[name])
    assert (first["sender"], first["recipient"]) == (RoleType.SYSTEM, RoleType.USER)
    assert first["content"].startswith(USER_INSTRUCTION)
    pairs = [(row["sender"], row["recipient"]) for row in said]
    assert pairs == ([(RoleType.USER, RoleType.AGENT), (RoleType.AGENT, RoleType.USER)] * len(said))[: len(said)]
    assert pairs[-1][0] is RoleType.AGENT
    assert (last["sender"], last["recipient"]) == (RoleType.USER, RoleType.EXECUTION_ENVIRONMENT)
    assert last["content"] == "end_conversation()"


@pytest.mark.parametrize("name", sorted(KEYS))
def test_the_user_says_no_figure_and_no_name_that_its_task_does_not_hold(name) -> None:
    task, *said, _ = (row["content"] for row in EXAMPLES[name])
    for text in said[::2]:
        for word in re.findall(r"\+?\d{2,}|(?<=[a-z] )[A-Z][a-z]+", text):
            assert word in task


def test_every_scenario_has_the_one_of_a_text_and_the_one_that_is_near() -> None:
    (send,) = demonstrations_for("wifi_off")
    assert send.texts[0] == EXAMPLES[SEND][1]["content"]
    assert demonstrations_for(SEND) == (send,)
    near = demonstrations_for("find_temperature_low_battery_mode_alt")
    assert [demonstration.texts[0] for demonstration in near] == [
        send.texts[0],
        EXAMPLES["find_temperature_low_battery_mode"][1]["content"],
    ]


def test_nothing_of_a_scenario_occurs_in_a_demonstration() -> None:
    names = [info.name for info in list_scenarios() if info.name == info.base_name][::5]
    shown = "\n".join(row["content"] for rows in EXAMPLES.values() for row in rows[1:])
    for scenario in named_scenarios(names=names).values():
        script = scenario.user_script
        for line in (*script.lines, *script.secrets):
            for fact in re.findall(r"\+\d{5,}|[A-Z][a-z]+ [A-Z][a-z]+", line):
                assert fact not in shown, scenario.name


@pytest.mark.parametrize(
    "duty",
    [
        "never the assistant",
        "as to another person",
        "short, casual",
        "do not ask any yourself",
        "Invent nothing",
        "truthfully",
        "repeat what you know",
        "use its tools",
        "low battery mode off",
        "cellular, wifi or location on",
        "even if you cannot check it",
        "after five failed tries",
        "end_conversation",
    ],
)
def test_the_instruction_tells_every_duty(duty) -> None:
    assert duty in USER_INSTRUCTION
    assert USER_INSTRUCTION.endswith("Your task: ")
