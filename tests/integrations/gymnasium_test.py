"""The environment of Gymnasium keeps to its interface, and scores what ``ts.Env`` scores."""

import json
import subprocess
import sys
import warnings

import pytest

import tool_sandbox as ts
from tool_sandbox.scenarios import get_scenario

gymnasium = pytest.importorskip("gymnasium")

CALL = json.dumps([["set_wifi_status", {"on": False}]])


def test_the_checks_of_gymnasium_pass_without_a_warning() -> None:
    from gymnasium.utils.env_checker import check_env

    import tool_sandbox.gymnasium

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("ToolSandbox-v0", scenario="wifi_off", render_mode="ansi").unwrapped)
        check_env(gymnasium.make("ToolSandbox-v0", scenario="get_wifi", reward="dense").unwrapped)
    check_env(tool_sandbox.gymnasium.make(get_scenario("wifi_off")))


def test_it_scores_what_an_env_scores() -> None:
    env = gymnasium.make("tool_sandbox.gymnasium:ToolSandbox-v0", scenario="wifi_off", render_mode="ansi")
    shown, info = env.reset(seed=3)
    assert shown in env.observation_space
    assert CALL in env.action_space
    assert (info["seed"], json.loads(shown["messages"])) == (3, ts.Env("wifi_off", seed=3).reset().messages)
    shown, reward, *ended, info = env.step(CALL)
    assert (reward, ended, info["milestones_met"]) == (0, [False, False], 1)
    assert "set_wifi_status" in env.render()
    shown, reward, *ended, info = env.step("Wifi is turned off.")
    assert (reward, ended, info["outcome"]) == (1, [True, False], "completed")


@pytest.mark.parametrize("text", ["Hello.", '"Hello."', '{"role": "assistant", "content": "Hello."}'])
def test_a_text_for_the_user(text: str) -> None:
    import tool_sandbox.gymnasium

    env = tool_sandbox.gymnasium.make("wifi_off")
    env.reset()
    shown, *_ = env.step(text)
    assert "Hello." in shown["messages"]


@pytest.mark.parametrize("text", ["5", "[1", "[[1]]", "{}", "null", "[" * 5000])
def test_what_is_no_action_is_said_as_it_is(text: str) -> None:
    import tool_sandbox.gymnasium

    env = tool_sandbox.gymnasium.make("wifi_off")
    env.reset()
    shown, *_ = env.step(text)
    assert any(message["content"] == text for message in json.loads(shown["messages"]))


def test_another_scenario_by_option() -> None:
    import tool_sandbox.gymnasium

    env = tool_sandbox.gymnasium.make("wifi_off")
    _, info = env.reset(seed=2, options={"scenario": "get_wifi"})
    assert (info["scenario"], info["seed"]) == ("get_wifi", 2)


def test_other_ways_to_render_are_refused() -> None:
    with pytest.raises(ts.errors.ConfigurationError, match="render_mode has to be ansi or None, not 'human'"):
        gymnasium.make("tool_sandbox.gymnasium:ToolSandbox-v0", scenario="wifi_off", render_mode="human")


def test_without_the_package() -> None:
    program = "import sys; sys.modules['gymnasium'] = None\nimport tool_sandbox.gymnasium"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MissingRequirementError" in done.stderr.splitlines()[-1]
    assert "pip install 'tool_sandbox[gymnasium]'" in done.stderr.splitlines()[-1]
