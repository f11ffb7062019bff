"""A solution played over MCP ends as the same solution played directly: score, world, traces, message log."""

import contextlib
import itertools

import pytest

from tests.integrations.mcp.clients import MODES, ClientAgent, SyncClient, log_of
from tests.loopback.reference import play_reference, traces
from tests.stubs.playing import play
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.build import MAX_TURNS

NAMES = (
    "modify_contact_with_message_recency",
    "wifi_off_3_distraction_tools_tool_name_scrambled",
    "modify_contact_with_message_recency_3_distraction_tools_arg_type_scrambled",
    "modify_contact_with_message_recency_3_distraction_tools_tool_description_scrambled",
    "find_stock_symbol_with_company_name_flaky_service",
    "send_message_with_contact_content_cellular_off_multiple_user_turn",
)


class Player:
    """An agent that plays the reference solution with whatever client it is given."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._player = None

    def __call__(self, client: SyncClient, text: str) -> str:
        if self._player is None:
            self._player = play_reference(self._scenario, client.call)
            return next(self._player)
        return self._player.send(text)


def world(context: ExecutionContext) -> dict[str, list[object]]:
    """All tables but the message log."""
    names = [name for name in DatabaseNamespace if name is not DatabaseNamespace.SANDBOX]
    return {str(name): context.get_database(name).to_dicts() for name in names}


def assert_same(scenario: Scenario, mode: str) -> None:
    over = play(ClientAgent(Player(scenario), mode), scenario).context
    direct = play(OracleAgent(), scenario).context
    scores = [scenario.evaluation.evaluate(context, scenario.max_messages) for context in (over, direct)]
    assert scores[0].similarity == scores[1].similarity
    assert scores[0].milestone_mapping == scores[1].milestone_mapping
    assert world(over) == world(direct)
    assert traces(log_of(over)) == traces(log_of(direct))
    assert traces(log_of(over))
    # Calls that are made at once come one after the other; apart from that even the log is the same.
    assert sorted(map(repr, log_of(over))) == sorted(map(repr, log_of(direct))) or _has_parallel(direct)


def _has_parallel(context: ExecutionContext) -> bool:
    recipients = [row["recipient"] for row in log_of(context)]
    environment = RoleType.EXECUTION_ENVIRONMENT
    return any(one == other == environment for one, other in itertools.pairwise(recipients[4:]))


@pytest.mark.parametrize("name", NAMES)
def test_same_score_world_and_traces(name: str) -> None:
    assert_same(get_scenario(name), "auto")


@pytest.mark.parametrize("mode", MODES)
def test_in_every_revision(mode: str) -> None:
    assert_same(get_scenario(NAMES[0]), mode)


def test_errors_are_those_of_the_world_and_attempts_count() -> None:
    seen: list[tuple[str, bool]] = []
    scenario = get_scenario("modify_contact_with_message_recency")
    calls = (
        ("no_such_tool", {}),
        ("end_conversation", {}),
        ("set_wifi_status", {"on": True}),
        ("search_contacts", {"name": 7}),
        ("search_contacts", {"nonsense": "x"}),
        ("search_contacts", {"name": "Homer S"}),
        ("modify_contact", {}),
    )

    def turn(client: SyncClient, text: str) -> str:
        seen.extend(client.call(name, arguments) for name, arguments in calls)
        return "Done."

    context = play(ClientAgent(turn), scenario).context
    answers = [row for row in log_of(context) if row["sender"] == RoleType.EXECUTION_ENVIRONMENT][: len(calls)]
    assert [text for text, _ in seen] == [row["content"] for row in answers]
    assert [is_error for _, is_error in seen] == [row["tool_call_exception"] is not None for row in answers]
    assert [is_error for _, is_error in seen] == [True, True, True, True, True, False, True]
    called = [row["openai_function_name"] for row in log_of(context) if row["sender"] == RoleType.AGENT][: len(calls)]
    assert called == [name for name, _ in calls]


def test_hostile_arguments_are_played_to_the_end() -> None:
    deep: object = "x"
    for _ in range(150):
        deep = [deep]
    seen: list[tuple[str, bool]] = []
    hostile = ("x" * 300_000, deep, {"a": {"b": None}}, "'); import os #", "\u202e\u0000\n", 1e308, -(10**300), [])

    def turn(client: SyncClient, text: str) -> str:
        seen.extend(client.call("search_contacts", {"name": value}) for value in hostile)
        return "Done."

    context = play(ClientAgent(turn), get_scenario("modify_contact_with_message_recency")).context
    assert len(seen) == len(hostile)
    assert not context.get_table(DatabaseNamespace.SANDBOX).column("conversation_active")[-1]


def test_calls_after_the_turn_are_turned_away() -> None:
    late: list[tuple[str, bool]] = []

    class Late(ClientAgent):
        def respond(self, ending_index: int | None = None) -> None:
            super().respond(ending_index)
            if len(answered) == 1 and not late:
                late.append(answered[0].call("search_contacts", {}))

    answered: list[SyncClient] = []

    def turn(client: SyncClient, text: str) -> str:
        answered.append(client)
        return "Which one do you mean?"

    context = play(Late(turn), get_scenario("modify_contact_with_message_recency")).context
    assert late == [("it is not the agent's turn: nothing can be called now", True)]
    assert not any(row["openai_function_name"] == "search_contacts" for row in log_of(context))


@pytest.mark.slow
def test_the_end_of_the_conversation_ends_a_call_in_flight() -> None:
    seen: list[tuple[str, bool]] = []

    def turn(client: SyncClient, text: str) -> str:
        with contextlib.suppress(Exception):
            while not seen or not seen[-1][1]:
                seen.append(client.call("search_contacts", {"name": "Homer S"}))
        return "Done."

    play(ClientAgent(turn), "modify_contact_with_message_recency")
    # The server may be gone before the client has read that its last call is turned away.
    assert MAX_TURNS["core"] - 1 <= len(seen) <= MAX_TURNS["core"]
