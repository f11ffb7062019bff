"""The environment of OpenEnv, over its own client and server, scores what ``ts.Env`` scores."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.api.env_parity_test import SAMPLE, actions, in_a_run
from tests.integrations.same_agent import check_scores, scripts
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.runner.splits import seed_in
from tool_sandbox.scenarios import get_scenario

pytest.importorskip("openenv", reason="openenv has an environment of its own: scripts/test --doors")

HARD = "reserve_usual_tables_then_others"
"""A scenario of the hard tier."""

PAGE = Path(__file__).parents[2] / "docs" / "openenv.md"


@contextlib.contextmanager
def serving(shown: int) -> Iterator[str]:
    """The command of the page with a port, on one that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    text = PAGE.read_text("utf-8")
    (line,) = re.findall(rf"^\$ python (-m tool_sandbox.openenv .*) --port {shown}$", text, re.MULTILINE)
    words = [word.strip("'") for word in line.split()]
    with subprocess.Popen([sys.executable, *words, "--port", str(port)]) as process:
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(8000) as address:
        yield address


@pytest.fixture
def client(server: str) -> Iterator[Any]:
    from tool_sandbox.openenv import ToolSandboxEnv

    with ToolSandboxEnv(base_url=server).sync() as client:
        yield client


def test_the_program_of_the_page(server: str) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    program = program.replace("http://127.0.0.1:8000", server)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1.0 True completed"), done.stderr


def test_a_model_plays_with_the_file_of_the_page(server: str) -> None:
    (line,) = re.findall(r"^\$ (python docs/examples/.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    words = [sys.executable, *line.replace("http://127.0.0.1:8000", server).split()[1:]]
    brain = SolutionBrain.of([get_scenario(name) for name in ("wifi_off", "get_wifi")])
    with serve(OpenAIChatDialect(), brain) as model:
        address = {"OPENAI_API_KEY": "sk-docs-0123456789", "OPENAI_BASE_URL": f"{model.url}/v1"}
        done = subprocess.run(
            words, cwd=PAGE.parents[1], env=os.environ | address, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-2000:]
    assert [line.split()[4] for line in done.stdout.splitlines()] == ["1.00", "1.00"]


def test_schema_and_health(server: str) -> None:
    import httpx

    assert httpx.get(f"{server}/health").json()["status"] == "healthy"
    schema = httpx.get(f"{server}/schema").json()
    assert {"text", "calls", "message"} <= schema["action"]["properties"].keys()
    assert {"messages", "tools", "score"} <= schema["observation"]["properties"].keys()
    assert {"scenario", "milestones"} <= schema["state"]["properties"].keys()


def test_messages_are_those_of_an_env(client: Any) -> None:
    from tool_sandbox.openenv import ToolSandboxAction

    env = ts.Env("wifi_off", seed=5)
    shown = env.reset()
    told = client.reset(scenario="wifi_off", seed=5).observation
    assert (told.messages, told.tools) == (shown.messages, shown.tools)
    call = {"id": "a", "type": "function", "function": {"name": "set_wifi_status", "arguments": '{"on": false}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = client.step(ToolSandboxAction(message=message))
    assert result.observation.messages == env.step(message).new_messages
    state = client.state()
    assert (state.scenario, state.seed, state.step_count, state.milestones) == ("wifi_off", 5, 1, [1.0, 0.0])


def test_what_cannot_be_is_one_line_and_changes_nothing(client: Any) -> None:
    from tool_sandbox.openenv import ToolSandboxAction

    with pytest.raises(RuntimeError, match="there is no scenario 'find_me' here"):
        client.reset(scenario="find_me")
    with pytest.raises(RuntimeError, match="seed has to be a whole number, not 'a'"):
        client.reset(seed="a")
    client.reset(scenario="wifi_off")
    with pytest.raises(RuntimeError, match="the action cannot be read"):
        client.step(ToolSandboxAction(message={"role": "assistant", "tool_calls": [{"function": 3}]}))
    with pytest.raises(ValueError, match="exactly one of text, calls and message"):
        ToolSandboxAction(text="a", calls=[])
    assert client.state().step_count == 0


def test_sessions_do_not_see_each_other(server: str) -> None:
    from tool_sandbox.openenv import ToolSandboxAction, ToolSandboxEnv

    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(ToolSandboxEnv(base_url=server).sync()) for _ in range(8)]
        for number, each in enumerate(clients):
            each.reset(scenario="wifi_off", seed=number)
        clients[0].step(ToolSandboxAction(calls=[{"name": "set_wifi_status", "arguments": {"on": False}}]))
        met = [each.state().milestones[0] for each in clients]
    assert met == [1.0, *[0.0] * 7]


@pytest.mark.parametrize("agent", [OracleAgent, partial(OracleAgent, error_rate=0.4)])
def test_scores_are_those_of_a_run(agent: Any) -> None:
    from tool_sandbox.openenv import ToolCall, ToolSandboxAction, ToolSandboxEnvironment

    environment = ToolSandboxEnvironment()
    for name in SAMPLE[::3]:
        scenario = get_scenario(name)
        played, result = in_a_run(scenario, agent)
        seen = environment.reset(scenario=name)
        for act in actions(played, scenario.starting_context.max_sandbox_message_index + 1):
            calls = None if isinstance(act, str) else [ToolCall(name=tool, arguments=given) for tool, given in act]
            seen = environment.step(ToolSandboxAction(text=act if calls is None else None, calls=calls))
        assert (seen.done, seen.score, seen.outcome) == (True, result["similarity"], result["outcome"]), name


def test_scores_are_those_of_every_door() -> None:
    """With the agent and the conversations that all doors have in common."""
    from tool_sandbox.openenv import ToolSandboxAction, ToolSandboxEnvironment

    environment, scores = ToolSandboxEnvironment(), {}
    for (name, seed), script in scripts().items():
        environment.reset(scenario=name, seed=seed)
        for act in script.actions:
            calls = None if isinstance(act, str) else [{"name": tool, "arguments": given} for tool, given in act]
            seen = environment.step(ToolSandboxAction(text=act if calls is None else None, calls=calls))
        assert (seen.success, seen.outcome) == (script.result["success"], script.result["outcome"])
        scores[name, seed] = seen.score
    check_scores(scores)


def test_a_seed_chooses_a_scenario() -> None:
    from tool_sandbox.openenv import ToolSandboxEnvironment

    environment = ToolSandboxEnvironment(["wifi_off", "get_wifi"])
    assert len({environment.reset(seed).messages[-1]["content"] for seed in (0, 1)}) == 2
    assert environment.reset(2).messages == environment.reset(2).messages


def test_no_world_is_in_both_splits() -> None:
    """Worlds are those that verifiers has, by the same function."""
    from tool_sandbox.openenv import ToolSandboxEnvironment

    seeds = {}
    for split in ("train", "held_out"):
        environment = ToolSandboxEnvironment(["wifi_off"], split=split)
        seeds[split] = []
        for number in (None, 0, 1, 2, -3):
            seen = environment.reset(number)
            assert environment.state.seed == seed_in(split, number or 0)
            own = ts.Env("wifi_off", seed=seed_in(split, number or 0)).reset()
            assert (seen.messages, seen.tools) == (own.messages, own.tools)
            seeds[split].append(environment.state.seed)
    assert seeds == {"train": [1, 1, 3, 5, -5], "held_out": [0, 0, 2, 4, -6]}


@pytest.mark.parametrize("choice", [{"tier": "hard"}, {"scenarios": [HARD]}])
def test_the_hard_tier_is_served(choice: dict[str, Any]) -> None:
    from tool_sandbox.openenv import ToolSandboxEnvironment

    environment = ToolSandboxEnvironment(**choice)
    seen = environment.reset(scenario=HARD)
    own = ts.Env(HARD).reset()
    assert (seen.messages, seen.tools, environment.state.scenario) == (own.messages, own.tools, HARD)


def test_families_can_be_held_out() -> None:
    from tool_sandbox.openenv import ToolSandboxEnvironment

    names = ["find_min_temperature_weekday", "wifi_off"]
    for split, name in (("train", "wifi_off"), ("held_out", "find_min_temperature_weekday")):
        environment = ToolSandboxEnvironment(names, split, ["weather"])
        for number in (0, 1):
            environment.reset(number)
            assert environment.state.scenario == name


def test_worlds_that_are_held_out_are_served() -> None:
    from tool_sandbox.openenv import ToolSandboxEnv

    with serving(8001) as address, ToolSandboxEnv(base_url=address).sync() as client:
        client.reset(scenario="wifi_off", seed=3)
        assert client.state().seed == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--scenarios", "nope"], "nope"),
        (["--port", "99999"], "port has to be a number from 1 to 65,535"),
        (["--split", "test"], "choose from"),
        (["--tier", "easy"], "choose from"),
        (["--tier", "hard", "--scenarios", "wifi_off"], "wifi_off"),
        (["--split", "train", "--held-out-families", "nope"], "nope"),
        (["--held-out-families", "weather"], "goes with a split"),
    ],
)
def test_bad_arguments_of_the_server_are_one_line(words: list[str], told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tool_sandbox.openenv", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert told in done.stderr.splitlines()[-1]
