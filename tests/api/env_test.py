"""``ts.Env``: a scenario that is played step by step scores what it scores in a run."""

import gc
import json
import threading
import time
from typing import Any

import pytest

import tool_sandbox as ts
from tests.loopback.reference import play_reference
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


@pytest.mark.parametrize(("action", "told"), [(5, "an int"), (None, "None"), ({"role": "user"}, "the role 'user'")])
def test_what_is_no_reply_ends_the_conversation(action: Any, told: str) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    ended = env.step(action)
    assert (ended.done, ended.score, ended.outcome) == (True, 0, "model_error")
    assert told in str(ended.reason)


def test_an_interrupt_leaves_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any) -> Any:
        raise KeyboardInterrupt

    env = ts.Env("wifi_off")
    env.reset()
    with monkeypatch.context() as patched:
        patched.setattr("tool_sandbox.api.env._Channel.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            env.step([("set_wifi_status", {"on": False})])
    with pytest.raises(ts.errors.ConfigurationError, match="reset"):
        env.step("Wifi is turned off.")
    assert play(env, "wifi_off").score == 1


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
        role_type = ts.Env("wifi_off")._prepared.user.factory().role_type

        def respond(self, ending_index: int | None = None) -> None:
            raise RuntimeError("broken")

    env = ts.Env("wifi_off", user=Broken)
    env.reset()
    ended = env.step("Wifi is off.")
    assert (ended.done, ended.score, ended.success, ended.outcome) == (True, None, None, "user_error")


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


def waiting() -> int:
    return sum(thread.name in ("env", "agent-turn") for thread in threading.enumerate())


@pytest.mark.slow
def test_no_thread_is_left_behind() -> None:
    before = waiting()
    envs = [ts.Env("wifi_off") for _ in range(3)]
    for env in envs:
        env.reset()
        env.reset()
    assert waiting() > before
    envs[0].close()
    del envs, env
    gc.collect()
    end = time.monotonic() + 30
    while waiting() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert waiting() == before


def test_a_turn_has_an_end() -> None:
    env = ts.Env("wifi_off", turn_timeout_s=0.2)
    env.reset()
    time.sleep(0.5)
    ended = env.step("Wifi is off.")
    assert (ended.done, ended.outcome) == (True, "model_error")
