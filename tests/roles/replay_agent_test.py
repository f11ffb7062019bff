"""Parties that no model played say again what a stored run has of them."""

import json

import pytest

from tests.stubs.playing import parties
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, new_context
from tool_sandbox.helpers.paths import escape_name
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.replay_agent import StoredMessagesAgent, StoredMessagesUser
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.script import Call, Say

NAMES = [
    "wifi_off",
    "wifi_off_3_distraction_tools_tool_name_scrambled",
    "wifi_off_3_distraction_tools_arg_type_scrambled",
    "find_stock_symbol_with_company_name_flaky_service",
    "remove_contact_by_phone_no_remove_contact_insufficient_information",
]


def play(scenario, agent=None, user=None):
    roles = parties(agent or OracleAgent(), user or ScriptedUser())
    return scenario.play(roles, scenario.name)


def store(tmp_path, context, directory):
    path = tmp_path / "trajectories" / escape_name(directory)
    path.mkdir(parents=True)
    (path / "execution_context.json").write_text(json.dumps(context.to_dict(serialize_console=False)))
    return tmp_path


def length(context) -> int:
    return context.max_sandbox_message_index


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [StoredMessagesAgent, StoredMessagesUser])
def test_the_conversation_is_the_same_again(name, kind, tmp_path):
    stored = play(get_scenario(name))
    role = kind(store(tmp_path, stored, name))
    again = play(get_scenario(name), **{"agent" if kind is StoredMessagesAgent else "user": role})
    assert again.equals(stored)
    assert role.replay == {"calls": role.replay["calls"], "unused": 0, "divergences": []}
    assert role.replay["calls"] > 0


def test_parallel_calls_are_one_response(tmp_path):
    def solution():
        yield [Call("set_wifi_status", {"on": False}), Call("get_wifi_status", {})]
        yield Say("Wifi is off.")

    scenario = get_scenario("wifi_off_3_distraction_tools")
    scenario.solution = solution
    stored = play(scenario)
    agent = StoredMessagesAgent(store(tmp_path, stored, scenario.name))
    assert play(get_scenario("wifi_off_3_distraction_tools"), agent).equals(stored)
    assert agent.replay["calls"] == 2


def test_texts_beside_calls_come_again(tmp_path):
    stored = play(get_scenario("wifi_off"))
    index = next(
        index
        for index, table in stored.get_history(DatabaseNamespace.SANDBOX)
        if table.column("recipient")[-1] == RoleType.EXECUTION_ENVIRONMENT
        and table.column("sender")[-1] == RoleType.AGENT
    )
    stored.message_texts[index] = "One moment."
    again = play(get_scenario("wifi_off"), StoredMessagesAgent(store(tmp_path, stored, "wifi_off")))
    assert again.message_texts[index] == "One moment."


def test_the_player_names_the_directory(tmp_path):
    stored = play(get_scenario("wifi_off"))
    agent = StoredMessagesAgent(store(tmp_path, stored, "wifi_off__trial_1"))
    agent.episode_directory = "wifi_off__trial_1"
    assert play(get_scenario("wifi_off"), agent).equals(stored)


def test_one_role_plays_several_conversations(tmp_path):
    names = NAMES[:2]
    stored = [play(get_scenario(name)) for name in names]
    for name, context in zip(names, stored, strict=True):
        store(tmp_path, context, name)
    agent = StoredMessagesAgent(tmp_path)
    for name, context in zip(names, stored, strict=True):
        assert play(get_scenario(name), agent).equals(context)


def test_when_the_stored_messages_run_out_it_says_so(tmp_path):
    scenario = get_scenario("wifi_off")

    def nagging():
        yield Say("Which one?")
        yield from get_scenario("wifi_off").solution()

    stored = play(get_scenario("wifi_off"))
    scenario.solution = nagging
    agent = StoredMessagesAgent(store(tmp_path, stored, "wifi_off"))

    class Nagging(ScriptedUser):
        def respond(self, ending_index=None):
            self.add_messages([Message(RoleType.USER, RoleType.AGENT, "And?")])

    with pytest.raises(ProviderError, match="responses of the agent, and needs more") as caught:
        play(scenario, agent, Nagging())
    assert caught.value.cause.kind is FaultKind.REPLAY
    (divergence,) = agent.replay["divergences"]
    assert divergence["path"].startswith("messages[")
    assert "And?" in divergence["now"]


def test_a_world_that_answers_differently_is_told(tmp_path):
    stored = play(get_scenario("find_stock_symbol_with_company_name"))
    serialized = stored.to_dict(serialize_console=False)
    row = next(r for r in serialized["_dbs"]["SANDBOX"] if r["sender"] == "EXECUTION_ENVIRONMENT")
    row["content"] = "something else"
    path = tmp_path / "trajectories" / "find_stock_symbol_with_company_name"
    path.mkdir(parents=True)
    (path / "execution_context.json").write_text(json.dumps(serialized))
    agent = StoredMessagesAgent(tmp_path)
    play(get_scenario("find_stock_symbol_with_company_name"), agent)
    (divergence,) = agent.replay["divergences"]
    assert divergence["path"] == f"messages[{row['sandbox_message_index']}].content"
    assert divergence["stored"] == "something else"


@pytest.mark.parametrize("content", [None, "", "{}", "[1]", '{"_dbs": 3}', "\udcff"])
def test_a_conversation_that_cannot_be_read_is_named(content, tmp_path):
    path = tmp_path / "trajectories" / "wifi_off"
    path.mkdir(parents=True)
    if content is not None:
        (path / "execution_context.json").write_text(content, errors="surrogateescape")
    with pytest.raises(ConfigurationError, match=r"record\.jsonl" if content is None else r"execution_context\.json"):
        StoredMessagesAgent(tmp_path).begin(get_scenario("wifi_off"))


def test_it_waits_for_its_turn(tmp_path):
    stored = play(get_scenario("wifi_off"))
    agent = StoredMessagesAgent(store(tmp_path, stored, "wifi_off"))
    agent.begin(get_scenario("wifi_off"))
    with new_context(stored.fork()), pytest.raises(KeyError):
        agent.respond()
