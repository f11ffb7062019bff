"""Claude calls tools from code at Anthropic: the same worlds and scores as by direct calls, and no call gets lost."""

import itertools
import json

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect, began, ran
from tests.loopback.brain import SolutionBrain
from tests.loopback.server import serve
from tests.models.anthropic_code_support import (
    OFF,
    ON,
    STYLES,
    VERSION,
    Coding,
    blocks,
    coded,
    play,
    rows,
    solved,
    world,
)
from tests.models.anthropic_support import KEY
from tool_sandbox.models.anthropic_code import RESULT_NOTE
from tool_sandbox.models.wiretap import read_exchanges
from tool_sandbox.roles.model_agent import DECLINED
from tool_sandbox.roles.model_role import CUT_OFF
from tool_sandbox.runner.run import play as play_run
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.scenarios import get_scenario, named_scenarios

SCENARIOS = (
    "wifi_off",
    "turn_on_cellular_blocked_order_error_recovery",
    "set_all_radios_off_then_restore_previous_mix_multiple_user_turn",
    "modify_contact_with_message_recency",
)
"""One call; a call that fails, then two at once; batches in several turns of the user; results that are used."""

MIXED = ("now and then", "both at once")
"""Styles in which the model calls some tools directly."""


# Whole scenarios -----------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_calls_from_code_make_the_world_and_score_of_direct_calls(name, style):
    score, context, _ = play(name, SolutionBrain.of([get_scenario(name)]), None)
    by_code = solved(name, style, "both" if style in MIXED else "programmatic")
    assert (score, by_code[0]) == (1.0, 1.0)
    assert world(by_code[1]) == world(context)
    calls = [
        [(row["openai_function_name"], row["tool_call_exception"]) for row in rows(each) if row["openai_function_name"]]
        for each in (context, by_code[1])
    ]
    assert calls[0] == calls[1]


def test_a_stream_brings_the_container_at_its_end():
    score, _, server = solved(SCENARIOS[1], "one run of code", stream=True)
    assert score == 1.0
    assert [seen.body.get("container") for seen in server.seen] == [None, *["container_1"] * (len(server.seen) - 1)]


def test_what_came_goes_back_unchanged_and_every_request_begins_with_the_one_before():
    _, _, server = solved(SCENARIOS[2], "a run for every step")
    bodies = [seen.body for seen in server.seen]
    for earlier, later in itertools.pairwise(bodies):
        start = json.dumps([earlier[part] for part in ("system", "tools", "messages")])[:-2]
        assert json.dumps([later[part] for part in ("system", "tools", "messages")]).startswith(start)
    callers = [block["caller"] for block in blocks(bodies[-1], "tool_use")]
    runs = [block["id"] for block in blocks(bodies[-1], "server_tool_use")]
    assert {caller["type"] for caller in callers} == {VERSION}
    assert {caller["tool_id"] for caller in callers} == set(runs)
    assert [block["tool_use_id"] for block in blocks(bodies[-1], "code_execution_tool_result")] == runs[:-1]


def test_results_of_one_batch_go_alone_and_together():
    _, _, server = solved(SCENARIOS[2], "one run of code")
    answers = [message["content"] for message in server.seen[-1].body["messages"] if message["role"] == "user"]
    results = [content for content in answers if content[0]["type"] == "tool_result"]
    assert [len(content) for content in results] == [3, 2, 2]
    assert {block["type"] for content in results for block in content} == {"tool_result"}
    assert [block["content"][0]["text"] for block in results[0]] == ["false", "true", "true"]


def test_direct_calls_beside_those_of_code_get_results_as_ever():
    _, _, server = solved(SCENARIOS[2], "both at once", "both")
    calls = blocks(server.seen[-1].body, "tool_use")
    texts = [block["content"][0]["text"] for block in blocks(server.seen[-1].body, "tool_result")]
    told = ["null" if "caller" in call else "None" for call in calls[3:]]
    assert ["caller" in call for call in calls] == [True, False, True, True, False, True, False]
    assert texts == ["false", "True", "true", *told]


def test_a_failing_tool_is_an_error_in_the_code_and_the_code_goes_on():
    _, _, server = solved(SCENARIOS[1], "one run of code")
    first, *others = blocks(server.seen[-1].body, "tool_result")
    assert first["is_error"]
    assert "Error" in first["content"][0]["text"]
    assert [block["is_error"] for block in others] == [False] * 3
    (run,) = {block["caller"]["tool_id"] for block in blocks(server.seen[-1].body, "tool_use")}
    assert blocks(server.seen[-2].body, "code_execution_tool_result") == []
    assert run == blocks(server.seen[-1].body, "server_tool_use")[0]["id"]


def test_code_that_runs_without_tools_beside_direct_calls():
    hosted = {"hosted": [began("srvtoolu_a", "1 + 1"), ran("srvtoolu_a", "2")]}
    solution = SolutionBrain.of([get_scenario("wifi_off")])
    score, context, server = play("wifi_off", lambda heard: attrs.evolve(solution(heard), extra=hosted), "alone")
    assert score == 1.0
    tools = server.seen[0].body["tools"]
    assert tools[0] == {"type": VERSION, "name": "code_execution"}
    assert not any("allowed_callers" in tool or RESULT_NOTE in tool.get("description", "") for tool in tools)
    assert server.seen[1].body["container"] == "container_1"
    assert not any("code_execution" in str(row["openai_function_name"]) for row in rows(context))
    (result,) = blocks(server.seen[1].body, "tool_result")
    assert result["content"][0]["text"] == "None"


# Replies that end early ----------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_calls_of_a_reply_that_was_cut_off_are_not_carried_out(stream):
    cut = coded(ON, stop="max_tokens")
    name = "wifi_off"
    solution = Coding(SolutionBrain.of([get_scenario(name)]), STYLES["one run of code"])
    moves = iter([cut])
    score, context, server = play(name, lambda heard: next(moves, None) or solution(heard), stream=stream)
    assert score == 1.0
    first = next(row for row in rows(context) if row["openai_function_name"] == "set_wifi_status")
    assert CUT_OFF in first["content"]
    (refused, _) = blocks(server.seen[-1].body, "tool_result")
    assert refused["is_error"]


def test_a_refusal_among_calls_of_code_ends_the_conversation():
    moves = iter([coded(("get_wifi_status", {}))])
    _, context, server = play("wifi_off", lambda heard: next(moves, None) or coded(OFF, refusal="cyber"))
    assert [row["content"] for row in rows(context)][-1] == DECLINED
    assert not any("set_wifi_status" in str(row["openai_function_name"]) for row in rows(context))
    assert len(server.seen) == 2


# Runs, replay, cache -------------------------------------------------------------------------

NAMES = ["wifi_off", SCENARIOS[1]]


def coding():
    return Coding(SolutionBrain.of(list(named_scenarios(names=NAMES).values())), STYLES["one run of code"])


@pytest.fixture
def played(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    def play_at(server, directory, **more):
        choice = f"anthropic/claude-opus-5-5:code_execution=programmatic,base_url={server.url},retries=0"
        done = play_run(prepare_run(choice, "Scripted", NAMES, threads=1, **more), tmp_path / directory)
        assert [result["similarity"] for result in done.results] == [1, 1]
        return done

    return play_at


@pytest.mark.slow
def test_two_runs_ask_the_same_but_for_the_container_and_a_replay_needs_no_network(played, tmp_path):
    runs = []
    for number in (1, 7):
        with serve(AnthropicDialect(key=KEY, first_container=number), coding()) as server:
            runs.append(played(server, str(number)))
    sent = [
        {path.name: [exchange.request_body for exchange in read_exchanges(path)] for path in each.path.glob("traj*/*")}
        for each in runs
    ]
    assert sent[0] != sent[1]
    for number in (1, 2):
        new, old = f'"container_{6 + number}"'.encode(), f'"container_{number}"'.encode()
        sent[1] = {name: [body.replace(new, old) for body in bodies] for name, bodies in sent[1].items()}
    assert sent[0] == sent[1]
    again = play_run(prepare_run(f"replay:{runs[0].path}", "Scripted", NAMES, threads=1), tmp_path / "again")
    assert again.summary["replay"] == {"identical": 2, "diverged": 0, "unused": 0, "first": None}
    assert [result["similarity"] for result in again.results] == [1, 1]


@pytest.mark.slow
def test_a_cached_run_asks_nothing_again(played, tmp_path):
    with serve(AnthropicDialect(key=KEY), coding()) as server:
        played(server, "one", cache=tmp_path / "cache")
        asked = len(server.seen)
        played(server, "two", cache=tmp_path / "cache")
    assert asked > 2
    assert len(server.seen) == asked
