"""``ts.Env`` plays what a run plays: the same messages, world, limits, outcome and score, to the last bit."""

import contextvars
import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import tool_sandbox as ts
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, get_current_context, new_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.play.record import Record
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.records.result import Result
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.model_history import requested_call
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.runner.plan import make_plan
from tool_sandbox.runner.player import RoleFactory, play_scenario
from tool_sandbox.scenarios import get_scenario, list_scenarios

NAMES = sorted(info.name for info in list_scenarios())
SAMPLE = NAMES[:: len(NAMES) // 120]


def in_a_run(scenario: Scenario, agent: RoleFactory, seed: int = 0) -> tuple[ExecutionContext, Result]:
    """Plays a scenario, which was built with the seed, as a run does."""
    from tool_sandbox.roles.scripted_user import ScriptedUser

    def play() -> tuple[ExecutionContext, Result]:
        record = Record()
        result = play_scenario(scenario, make_plan([scenario.name], [seed])[0], agent, ScriptedUser, record, record)
        return get_current_context(), result

    return contextvars.Context().run(play)


def actions(context: ExecutionContext, start: int) -> Iterator[Any]:
    """What the agent did, as an agent of an ``Env`` does it."""
    with new_context(context):
        log = list(enumerate(BaseRole.get_messages()))[start:]
        for kind, group in itertools.groupby(log, key=lambda entry: parties(entry[1])):
            if kind == (RoleType.AGENT, RoleType.USER):
                yield from (message.content for _, message in group)
            elif kind == (RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT):
                calls = [requested_call(index, message) for index, message in group]
                yield [(call.name, call.arguments) for call in calls]


def parties(message: Message) -> tuple[RoleType, RoleType]:
    return message.sender, message.recipient


def check(scenario: Scenario, agent: RoleFactory) -> Result:
    played, result = in_a_run(scenario, agent)
    env = ts.Env(scenario)
    observation = env.reset()
    for action in actions(played, scenario.starting_context.max_sandbox_message_index + 1):
        assert not observation.done
        observation = env.step(action)
    assert observation.done
    moment = env._current()
    assert moment.context.equals(played)
    assert moment.context.to_dict(serialize_console=False) == played.to_dict(serialize_console=False)
    assert moment.result == result
    assert (observation.score, observation.outcome) == (result["similarity"], result["outcome"])
    assert env.score() == result["similarity"]
    return result


@pytest.mark.parametrize("part", range(8))
def test_reference_solutions(part: int) -> None:
    for name in SAMPLE[part::8]:
        result = check(get_scenario(name), OracleAgent)
        assert (result["similarity"], result["outcome"]) == (1, "completed"), name


@pytest.mark.parametrize("part", range(8))
def test_solutions_with_mistakes(part: int) -> None:
    for name in SAMPLE[part::8]:
        check(get_scenario(name), partial(OracleAgent, error_rate=0.3))


def test_the_sample_is_large() -> None:
    assert len(SAMPLE) >= 100


@pytest.mark.parametrize("augmentation", ["arg_name_scrambled", "flaky"])
def test_augmentations_that_are_opt_in(augmentation: str) -> None:
    names = sorted(info.name for info in list_scenarios(opt_in=True) if augmentation in info.name)
    for name in names[:: len(names) // 4]:
        check(get_scenario(name), OracleAgent)


@pytest.mark.parametrize("limits", [{"max_messages": n, "max_turns": None} for n in (1, 2, 3, 4)] + [{"max_turns": 2}])
def test_limits(limits: dict[str, int | None]) -> None:
    scenario = get_scenario("modify_contact_with_message_recency")
    for field, value in limits.items():
        setattr(scenario, field, value)
    result = check(scenario, OracleAgent)
    assert result["outcome"] == "max_messages"


def test_an_agent_that_only_talks() -> None:
    scenario = get_scenario("wifi_off")
    assert check(scenario, partial(RecitingAgent, "Shall I?", "I cannot do that.", ""))["similarity"] == 0


CALL = {"id": "x", "type": "function", "function": {"name": "get_wifi_status", "arguments": "{}"}}
SAID: list[Any] = [
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL, {**CALL, "id": "y"}]},
    {"role": "assistant", "content": None, "tool_calls": [{**CALL, "function": {"name": "no", "arguments": "{"}}]},
    "Shall I turn it off?",
    {"content": "\ud800 odd", "tool_calls": [CALL]},
]


@pytest.mark.parametrize("last", ["Wifi is on.", {"role": "assistant", "content": "", "refusal": "I will not."}])
def test_messages_of_a_model_are_what_they_are_to_an_agent_with_a_loop(last: Any) -> None:
    scenario = get_scenario("get_wifi")
    left = [*SAID, last]

    def agent(messages: list[dict[str, Any]], tools: Any) -> Any:
        return left.pop(0)

    played, result = in_a_run(scenario, ts.agent(agent))
    env = ts.Env(scenario)
    env.reset()
    for action in [*SAID, last]:
        observation = env.step(action)
    moment = env._current()
    assert moment.context.equals(played)
    assert moment.result is not None
    assert moment.result | {"usage": None} == result | {"usage": None}
    assert observation.outcome == ("completed" if isinstance(last, str) else "refused")
