"""``ts.Env``: a scenario that is played step by step scores what it scores in a run."""

import json
import threading
import time
from typing import Any

import pytest

import tool_sandbox as ts
from tests.loopback.reference import play_reference
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.scenarios import get_scenario


def play(env: ts.Env, name: str) -> ts.Observation:
    """Plays the reference solution."""
    observation = env.reset()

    def call(name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        nonlocal observation
        observation = env.step([(name, arguments)])
        text = observation.messages[-1]["content"]
        return text, "Error" in text

    player = play_reference(get_scenario(name), call)
    text = next(player)
    while not (observation := env.step(text)).done:
        text = player.send(observation.messages[-1]["content"])
    return observation


@pytest.mark.parametrize(
    "name",
    [
        "wifi_off",
        "wifi_off_3_distraction_tools_tool_name_scrambled",
        "modify_contact_with_message_recency",
        "send_message_with_contact_content_cellular_off_multiple_user_turn",
    ],
)
def test_the_reference_solution_scores_all(name: str) -> None:
    with ts.Env(name) as env:
        for _ in "12":
            ended = play(env, name)
            assert (ended.score, ended.success, ended.outcome, ended.reason) == (1, True, "completed", None)


def test_an_observation_is_what_a_model_is_sent() -> None:
    env = ts.Env("wifi_off")
    first = env.reset()
    assert [message["role"] for message in first.messages] == ["system", "user"]
    assert [tool["function"]["name"] for tool in first.tools] == ["set_wifi_status"]
    assert (first.done, first.score, first.success, first.outcome) == (False, None, None, None)
    json.dumps([first.messages, first.tools])
    second = env.step([("set_wifi_status", {"on": False}), ("no_such_tool", {})])
    assert [message["role"] for message in second.messages] == ["system", "user", "assistant", "tool", "tool"]
    assert "no_such_tool" in second.messages[-1]["content"]
    message = {"role": "assistant", "content": "Wifi is turned off."}
    assert env.step(message).success
    assert len(first.messages) == 2


def test_a_scenario_of_ones_own_and_another_seed() -> None:
    with ts.Env(get_scenario("get_wifi")) as env:
        assert play(env, "get_wifi").score == 1
    texts = {ts.Env("remove_contact_by_phone", seed=seed).reset().messages[-1]["content"] for seed in range(3)}
    assert len(texts) == 3


def test_refusing_scores_nothing() -> None:
    with ts.Env("wifi_off") as env:
        env.reset()
        ended = env.step("I cannot do that.")
        while not ended.done:
            ended = env.step("I cannot do that.")
        assert (ended.score, ended.success) == (0, False)


BLOCK = {"type": "tool_use", "id": "a", "name": "set_wifi_status", "input": {"on": False}}


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (5, "of the type int"),
        (None, "of the type NoneType"),
        ({"role": "user"}, "the role 'user'"),
        ({"role": "user", "content": [BLOCK]}, "the role 'user'"),
        ({"content": [{"type": "tool_use"}]}, "no name or no id"),
        ({"mistake": 1}, "a dictionary with 'mistake'"),
        ([("set_wifi_status",)], "a call is a pair of name and arguments"),
        ([("set_wifi_status", 5)], "the arguments of set_wifi_status are a dictionary"),
        ([("set_wifi_status", {"on": object()})], "the arguments of set_wifi_status are not JSON"),
        ([("set_wifi_status", {"on": "x" * 2**23})], "4 MiB"),
        ("x" * 100_001, "100,001 characters"),
    ],
)
def test_what_is_no_action_is_refused_and_nothing_has_happened(action: Any, told: str) -> None:
    env = ts.Env("wifi_off")
    before = env.reset()
    with pytest.raises(ts.errors.AgentError, match=told) as raised:
        env.step(action)
    assert "\n" not in str(raised.value)
    assert env.observation.messages == before.messages
    env.step([("set_wifi_status", {"on": False})])
    assert env.step("Wifi is turned off.").score == 1


def test_an_interrupt_leaves_the_conversation_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any, ending_index: int | None = None) -> Any:
        raise KeyboardInterrupt

    env = ts.Env("wifi_off")
    env.reset()
    before = env.step([("set_wifi_status", {"on": False})])
    with monkeypatch.context() as patched:
        patched.setattr("tool_sandbox.roles.scripted_user.ScriptedUser.respond", interrupted)
        with pytest.raises(KeyboardInterrupt):
            env.step("Wifi is turned off.")
    assert env.observation.messages == before.messages
    assert env.step("Wifi is turned off.").score == 1


def test_arguments_that_are_not_json_are_refused_and_nothing_is_lost() -> None:
    env = ts.Env("wifi_off")
    env.reset()
    with pytest.raises(TypeError):
        env.step([("set_wifi_status", {"on": object()})])
    env.step([("set_wifi_status", {"on": False})])
    assert env.step("Wifi is turned off.").score == 1


def test_nothing_can_be_done_before_and_after() -> None:
    env = ts.Env("wifi_off")
    with pytest.raises(ts.errors.ConfigurationError, match="reset"):
        env.step("Hello")
    env.reset()
    env.close()
    env.close()
    with pytest.raises(ts.errors.ConfigurationError, match="reset"):
        env.step("Hello")
    assert not env.reset().done
    assert len(env.reset().messages) == 2


def test_a_user_that_fails_counts_for_nothing() -> None:
    class Broken(BaseRole):
        role_type = RoleType.USER

        def respond(self, ending_index: int | None = None) -> None:
            raise RuntimeError("broken")

    env = ts.Env("wifi_off", user=Broken)
    env.reset()
    ended = env.step("Wifi is off.")
    assert (ended.done, ended.score, ended.success, ended.outcome) == (True, None, None, "user_error")


def test_a_scenario_that_cannot_begin_is_over() -> None:
    scenario = get_scenario("wifi_off")
    code = {"sender": RoleType.SYSTEM, "recipient": RoleType.EXECUTION_ENVIRONMENT, "content": "1 / 0"}
    scenario.starting_context.add_to_database(DatabaseNamespace.SANDBOX, [code])
    env = ts.Env(scenario)
    ended = env.reset()
    assert (ended.truncated, ended.score, ended.outcome) == (True, None, "scenario_error")
    assert ended.info["score"] is None
    with pytest.raises(ts.errors.ConfigurationError, match="no score"):
        env.score()
    with pytest.raises(ts.errors.ConfigurationError, match="is over"):
        env.step("Hello.")
    assert env.fork().observation.done


@pytest.mark.parametrize(
    ("scenario", "choices", "told"),
    [
        ("wifi_of", {}, "Did you mean: wifi_off"),
        ("wifi*", {}, "an Env plays one"),
        ("wifi_off", {"user": "Nobody"}, "Nobody"),
        ("wifi_off", {"turn_timeout_s": 0}, "turn_timeout_s"),
    ],
)
def test_what_is_wrong_is_told_at_once(scenario: str, choices: dict[str, Any], told: str) -> None:
    with pytest.raises(ts.errors.ConfigurationError, match=told):
        ts.Env(scenario, **choices)


def test_no_thread_is_started() -> None:
    before = threading.active_count()
    env = ts.Env("wifi_off")
    play(env, "wifi_off")
    assert threading.active_count() == before


def test_a_turn_has_an_end() -> None:
    env = ts.Env("wifi_off", turn_timeout_s=0.2)
    env.reset()
    time.sleep(0.5)
    ended = env.step("Wifi is off.")
    assert (ended.done, ended.outcome) == (True, "model_error")


def test_an_agent_that_cannot_go_on_is_scored_for_what_it_did() -> None:
    env = ts.Env("wifi_off", reward="dense")
    env.reset()
    env.step([("set_wifi_status", {"on": False})])
    so_far, other = env.score(), env.fork()
    ended = env.stop(ts.errors.ModelError("its context is full"))
    assert (ended.outcome, ended.reason, ended.score) == ("model_error", "its context is full", so_far)
    assert (ended.terminated, ended.reward) == (True, 0)
    ended = other.stop(ts.errors.LimitReachedError("no more tokens"))
    assert (ended.outcome, ended.truncated, ended.score) == ("max_messages", True, so_far)
    with pytest.raises(ts.errors.ConfigurationError, match="is over"):
        env.stop(ts.errors.ModelError("again"))
