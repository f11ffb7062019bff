"""Branching: fork, rewind, score; rewards; users of one's own."""

import math
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.api.env_test import play
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Heard, Move, serve
from tool_sandbox.scenarios import get_scenario

NAME = "modify_contact_with_message_recency"
OFF = [("set_wifi_status", {"on": False})]


def test_a_fork_goes_on_by_itself() -> None:
    env = ts.Env("wifi_off")
    env.reset()
    before = env.step(OFF)
    other = env.fork()
    assert other.step("Wifi is turned off.").score == 1
    assert env.observation.messages == before.messages
    env.step([("set_wifi_status", {"on": True})])
    assert env.step("Wifi is turned off.").score != 1
    assert other.observation.score == 1
    again = env.fork()
    assert again.observation.score == env.observation.score
    other.close()
    assert env.observation.done


def test_forks_play_the_same_and_their_ids_do_not_meet() -> None:
    env = ts.Env(NAME)
    env.reset()
    env.step([("get_current_timestamp", {})])
    ends = []
    for twin in (env.fork(), env.fork(), env):
        twin.step([("search_contacts", {"is_self": True}), ("get_current_timestamp", {})])
        ends.append(twin._current().context)
    assert ends[0].equals(ends[1])
    assert ends[0].equals(ends[2])


def test_rewind_takes_back_what_was_done() -> None:
    env = ts.Env("wifi_off")
    first = env.reset()
    second = env.step(OFF)
    assert env.step("Nothing was done.").done
    assert env.rewind(3).messages == second.messages
    assert not env.observation.done
    assert env.step("Wifi is turned off.").score == 1
    taken_back = env.rewind(1)
    assert (taken_back.messages, taken_back.reward, env.score()) == (first.messages, 0, 0)
    env.step(OFF)
    assert env.step("Wifi is turned off.").score == 1


@pytest.mark.parametrize("place", [0, 2, -1, 99, "x", []])
def test_only_moments_of_the_agent_can_be_gone_back_to(place: Any) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    before = env.step(OFF)
    with pytest.raises(ts.errors.ConfigurationError, match=r"did not act after message .*, but after 1, 3$"):
        env.rewind(place)
    assert env.observation.messages == before.messages


def test_info_and_score_as_far_as_it_goes() -> None:
    env = ts.Env("wifi_off", seed=3)
    info = env.reset().info
    assert (info["scenario"], info["seed"], info["score"], info["milestones_met"]) == ("wifi_off", 3, 0, 0)
    info = env.step(OFF).info
    assert info["milestones"] == [1, 0]
    assert 0 < env.score() < 1
    env.step([("set_wifi_status", {"on": True})])
    ended = env.step("Wifi is turned off.")
    assert ended.info["score"] == ended.score == env.score()


def test_what_costs_points_is_in_the_info() -> None:
    env = ts.Env("get_wifi_10_distraction_tools")
    first = env.reset()
    assert "set_low_battery_mode_status" in [tool["function"]["name"] for tool in first.tools]
    info = env.step([("set_low_battery_mode_status", {"on": True})]).info
    assert [effect["database"] for effect in info["side_effects"]] == ["SETTING"]
    assert info["score"] == 0
    info = env.step("I have called +14155550123 for you.").info
    assert info["unsupported"]


@pytest.mark.parametrize("name", ["wifi_off", NAME])
def test_dense_rewards_sum_up_to_the_score_less_the_first_potential(name: str) -> None:
    class Added(ts.Env):
        total = 0.0

        def step(self, action: Any) -> ts.Observation:
            observation = super().step(action)
            self.total += observation.reward
            return observation

    paid, dense = Added(name), Added(name, reward="dense")
    dense.reset()
    start = dense.score()
    assert play(paid, name).reward == paid.total == 1
    assert play(dense, name).done
    assert math.isclose(dense.total, 1 - start)


def test_a_reward_of_a_share_comes_with_the_milestone() -> None:
    env = ts.Env("wifi_off", reward="dense", discount=0.5)
    start = env.reset()
    first = env.step(OFF)
    assert start.reward == 0
    assert first.reward == 0.5 * env.score()
    potential = env.score()
    assert env.step("Wifi is turned off.").reward == 1 - potential


def test_limits_truncate_and_the_user_terminates() -> None:
    scenario = get_scenario("wifi_off")
    scenario.max_turns = 2
    env = ts.Env(scenario)
    env.reset()
    env.step(OFF)
    ended = env.step(OFF)
    assert (ended.done, ended.terminated, ended.truncated, ended.outcome) == (True, False, True, "max_messages")
    assert ended.new_messages[-1]["role"] == "tool"
    ended = play(env, "wifi_off")
    assert (ended.done, ended.terminated, ended.truncated) == (True, True, False)


def test_a_user_of_ones_own() -> None:
    heard: list[list[dict[str, str]]] = []

    def user(messages: list[dict[str, str]]) -> str | None:
        heard.append(messages)
        return "Go on." if len(heard) == 1 else None

    env = ts.Env("wifi_off", user=user)
    env.reset()
    env.step(OFF)
    assert env.step("Shall I?").new_messages == [{"role": "user", "content": "Go on."}]
    ended = env.step("Wifi is turned off.")
    assert (ended.done, ended.score, ended.new_messages) == (True, 1, [])
    assert [message["role"] for message in heard[1]] == ["system", "user", "assistant", "user", "assistant"]


@pytest.mark.parametrize(("answer", "told"), [(5, "of the type int"), (ValueError("broken"), "ValueError: broken")])
def test_a_user_of_ones_own_that_fails(answer: Any, told: str) -> None:
    def user(messages: list[dict[str, str]]) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    env = ts.Env("wifi_off", user=user)
    env.reset()
    ended = env.step("Wifi is turned off.")
    assert (ended.outcome, ended.score, ended.reward, ended.truncated) == ("user_error", None, 0, True)
    assert told in str(ended.reason)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_user_of_ones_own_plays_in_a_run(processes: int, tmp_path: Path) -> None:
    names = ["wifi_off", "get_wifi"]
    run = ts.run(user=leave, scenarios=names, processes=processes, output_dir=tmp_path, progress=False)
    assert (run.user, run.results["outcome"].to_list()) == ("leave", ["completed"] * 2)


def leave(messages: list[dict[str, str]]) -> None:
    assert messages[-1]["role"] == "assistant"


def test_forks_with_a_model_as_user() -> None:
    """Each fork goes on with the replies that it knows, and asks for its own."""
    told: list[list[str]] = []

    def user(heard: Heard) -> Move:
        told.append([turn.text for turn in heard.turns])
        last = told[-1][-1]
        return Answer("", (("end_conversation", {}),)) if "off" in last else Answer(f"What do you mean by {last}")

    with serve(OpenAIChatDialect(lenient=True), user) as server:
        model = f"openai-compatible/model:base_url={server.url}/v1"
        env = ts.Env("wifi_off", user=model)
        env.reset()
        env.step(OFF)
        assert env.step("A?").new_messages == [{"role": "user", "content": "What do you mean by A?"}]
        other = env.fork()
        assert other.step("B?").new_messages[0]["content"] == "What do you mean by B?"
        assert env.step("Wifi is turned off.").score == 1
        assert other.step("C?").new_messages[0]["content"] == "What do you mean by C?"
        assert other.step("Wifi is turned off.").score == 1
        assert told[2] == [*told[0], "What do you mean by A?", "Wifi is turned off."]
        # A pool asks for several at once.
        pool = ts.EnvPool("wifi_off", size=6, user=model, threads=3)
        pool.reset()
        pool.step([OFF] * 6)
        assert {each.score for each in pool.step(["Wifi is turned off."] * 6)} == {1.0}


def test_another_scenario_and_another_seed() -> None:
    env = ts.Env("wifi_off")
    assert env.reset().messages == env.reset().messages
    other = env.reset("remove_contact_by_phone", seed=2)
    assert (other.info["scenario"], other.info["seed"]) == ("remove_contact_by_phone", 2)
    assert env.reset().messages == other.messages
    assert env.reset(get_scenario("wifi_off")).info["seed"] == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scenario": "wifi_of"}, "Did you mean"),
        ({"scenario": "wifi*"}, "an Env plays one"),
        ({"seed": "x"}, "seed has to be a whole number"),
        ({"scenario": get_scenario("wifi_off"), "seed": 3}, "seed is for scenarios by name"),
    ],
)
def test_a_wrong_reset_changes_nothing(change: dict[str, Any], told: str) -> None:
    env = ts.Env("wifi_off")
    before = env.reset()
    with pytest.raises(ts.errors.ConfigurationError, match=told):
        env.reset(**change)
    assert env.observation.messages == before.messages
    assert play(env, "wifi_off").score == 1


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"reward": "densely"}, "no reward"),
        ({"discount": 2}, "discount"),
        ({"discount": "half"}, "discount"),
        ({"turn_timeout_s": "1h"}, "turn_timeout_s"),
        ({"seed": "x"}, "seed"),
    ],
)
def test_wrong_choices(choices: dict[str, Any], told: str) -> None:
    with pytest.raises(ts.errors.ConfigurationError, match=told):
        ts.Env("wifi_off", **choices)


def test_the_text_for_people() -> None:
    env = ts.Env("wifi_off")
    env.reset()
    env.step(OFF)
    assert env.render().startswith("[3] USER -> AGENT\n    Turn off wifi.")
    assert "set_wifi_status" in env.render()
    assert repr(env.observation).startswith("<Observation of 4 messages, tool: 'None'")


@pytest.mark.parametrize("method", ["fork", "score", "render"])
def test_nothing_to_branch_before_a_reset(method: str) -> None:
    with pytest.raises(ts.errors.ConfigurationError, match="reset"):
        getattr(ts.Env("wifi_off"), method)()
