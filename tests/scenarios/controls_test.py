"""Agents that should fail do: silence, refusal, blindness, empty words, lies and unwanted acts earn nothing."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from tool_sandbox.common.execution_context import DatabaseNamespace
from tool_sandbox.common.facts import AnyOf, Cannot, Done, Switch
from tool_sandbox.common.script import Call
from tool_sandbox.roles.control_agents import (
    FalsifyingAgent,
    MeddlingAgent,
    MumblingAgent,
    ReadOnlyAgent,
    RecitingAgent,
    RequestBlindAgent,
)
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.scenarios import _definitions, list_scenarios, named_scenarios

INFOS = list_scenarios()
BASES = [info.base_name for info in INFOS if info.augmentation == "no_distraction_tools"]
SCENARIOS = named_scenarios(names=BASES)
ALL_TOOLS = named_scenarios(names=[info.name for info in INFOS if info.augmentation == "all_tools"])
TASKS = {name: definition.task() for name, definition in _definitions().items()}


def kinds(name: str) -> set[str]:
    return {node.kind for node in TASKS[name].milestones}


WITH_ANSWER = [name for name in BASES if "answer" in kinds(name)]
WITH_CHANGE = [name for name in BASES if "state" in kinds(name)]


def means(scores: dict[str, float]) -> dict[str, float]:
    """Mean score of each category, and of all."""
    by_category = defaultdict(list)
    for name, score in scores.items():
        for category in [*SCENARIOS[name].categories, "ALL"]:
            by_category[str(category)].append(score)
    return {category: sum(values) / len(values) for category, values in by_category.items()}


@pytest.mark.parametrize(
    "agent",
    [
        UnhelpfulAgent,
        lambda: RecitingAgent(""),
        lambda: RecitingAgent("Okay."),
        lambda: RecitingAgent("Done! Everything is all set."),
        lambda: RecitingAgent("Yes, it is on. No problem at all."),
        lambda: RecitingAgent(
            "I am very sorry, but unfortunately I cannot help you with that request, because I do not have the tools "
            "or the information that are needed for it."
        ),
    ],
    ids=["unhelpful", "silent", "okay", "done", "yes", "polite refusal"],
)
def test_an_agent_without_a_call_earns_nothing(agent, play):
    scores = means({name: play(scenario, agent())[1].similarity for name, scenario in SCENARIOS.items()})
    assert scores["ALL"] <= 0.02
    assert max(scores.values()) <= 0.05


def test_an_agent_that_does_not_read_the_request_earns_next_to_nothing(play):
    scores = means({name: play(scenario, RequestBlindAgent())[1].similarity for name, scenario in SCENARIOS.items()})
    assert scores["ALL"] <= 0.05


def test_the_right_calls_with_an_empty_answer_are_no_success(play):
    results = {name: play(SCENARIOS[name], MumblingAgent())[1] for name in WITH_ANSWER}
    assert [name for name, result in results.items() if result.success] == []
    assert sum(result.similarity for result in results.values()) / len(results) <= 0.30


def test_an_agent_that_changes_nothing_earns_next_to_nothing(play):
    scores = [play(SCENARIOS[name], ReadOnlyAgent())[1].similarity for name in WITH_CHANGE]
    assert sum(scores) / len(scores) <= 0.05
    assert max(scores) <= 0.30


def test_claims_without_deeds_are_no_success(play, said):
    for name in WITH_CHANGE:
        truth = said(play(SCENARIOS[name], OracleAgent())[0])
        result = play(SCENARIOS[name], RecitingAgent(*truth))[1]
        assert result.similarity <= 0.3, name


# Unwanted acts ---------------------------------------------------------------------------------------------------

UNWANTED = (
    Call("add_contact", {"name": "Mallory Stranger", "phone_number": "+14155550199"}),
    Call("add_reminder", {"content": "Pay Mallory", "reminder_timestamp": 1900000000.0}),
)


def unwanted_call(scenario) -> Call:
    return next(call for call in UNWANTED if scenario.starting_context.is_tool_offered(call.tool))


def positions(play, scenario) -> Iterator[int]:
    """Numbers of messages that the agent has sent when it does something."""
    context, _ = play(scenario, OracleAgent())
    history = context.get_history(DatabaseNamespace.SANDBOX)
    yield from range(sum(len(table.where(sender="AGENT")) for _, table in history))


@pytest.mark.parametrize("name", ALL_TOOLS)
def test_an_unwanted_act_costs_everything_at_any_moment(name, play):
    scenario = ALL_TOOLS[name]
    for position in positions(play, scenario):
        context, result = play(scenario, MeddlingAgent(position, unwanted_call(scenario)))
        replies = [
            row
            for _, table in context.get_history(DatabaseNamespace.SANDBOX)
            for row in table.where(sender="EXECUTION_ENVIRONMENT", openai_tool_call_id="unasked")
        ]
        if replies:  # inside a parallel batch there is no moment to meddle
            assert replies[0]["tool_call_exception"] is None
            assert (position, result.similarity) == (position, 0)


# False answers ---------------------------------------------------------------------------------------------------


def other_figures(text: str) -> str:
    return re.sub(r"\d", lambda digit: str((int(digit.group()) + 3) % 10), text)


def other_names(name: str) -> Callable[[str], str]:
    """Replaces the names of people, places, companies and stored texts that the answer of a scenario may hold."""
    world = _definitions()[name].world()

    def swap(text: str) -> str:
        swapped = text
        for person in (*world.contacts, world.unknown):
            swapped = swapped.replace(person.name, "Zelda Quillfeather")
        for stored in (*world.messages, *world.reminders):
            swapped = swapped.replace(stored.content, "The cat sat on the mat")
        for old, new in (("AAPL", "MSFT"), ("Apple Park", "Main Street"), ("Cupertino", "Omaha"), ("boss", "aunt")):
            swapped = swapped.replace(old, new)
        return swapped

    return swap


def opposite_state(text: str) -> str:
    return re.sub(r"\b(?:on|off)\b", lambda word: "off" if word.group() == "on" else "on", text)


def falsehoods(name: str) -> Iterator[Callable[[str], str]]:
    """Ways to turn the last text of a reference solution into a false one, by the facts it has to state."""
    facts = TASKS[name].milestones[-1].check.facts
    if any(isinstance(fact, Switch) for fact in facts):
        yield opposite_state
    elif any(isinstance(fact, Done) for fact in facts):
        yield lambda text: "I could not do that; nothing was changed."
    elif any(isinstance(fact, (AnyOf, Cannot)) for fact in facts):
        yield lambda text: "Done! That has been taken care of."
    else:
        yield lambda text: other_figures(other_names(name)(text))
    yield lambda text: ""
    yield lambda text: f"{text} Sorry, that was wrong: none of this is true."


@pytest.mark.parametrize("name", [name for name in WITH_ANSWER if TASKS[name].milestones[-1].kind == "answer"])
def test_a_false_answer_earns_nothing_for_the_answer(name, play, said):
    scenario = SCENARIOS[name]
    context, right = play(scenario, OracleAgent())
    last_node, last_text = len(TASKS[name].milestones) - 1, said(context)[-1]
    assert right.milestone_mapping[last_node][1] == 1
    for falsify in falsehoods(name):
        assert falsify(last_text) != last_text
        agent = FalsifyingAgent(last_step(play, scenario), falsify)
        result = play(scenario, agent)[1]
        assert (falsify(last_text), result.milestone_mapping[last_node][1]) == (falsify(last_text), 0)
        assert not result.success


def last_step(play, scenario) -> int:
    """Position of the last step of the reference solution."""

    class Counter(OracleAgent):
        last = 0

        def alter(self, step, number):
            self.last = max(self.last, number)
            return step

    counter = Counter()
    play(scenario, counter)
    return counter.last
