"""The environment of verifiers, with its own client, command and files, scores what a run and ``ts.Env`` score."""

import asyncio
import itertools
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tool_sandbox as ts
from tests.api.env_parity_test import SAMPLE, actions, in_a_run
from tests.docs.place import ROOT
from tests.integrations.same_agent import NAMES, SEEDS, check_scores, scripts
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Brain, Broken, Hang, Heard, Move, serve
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario

vf: Any = pytest.importorskip("verifiers.v1", reason="verifiers has an environment of its own: scripts/test --doors")

KEY = "sk-test-0123456789"
ADDRESS = "http://127.0.0.1:8000/v1"
TEXT = (ROOT / "docs" / "verifiers.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)


def loaded(agent: Mapping[str, Any] | None = None, **taskset: Any) -> Any:
    """The environment of a configuration."""
    given = {"taskset": {"id": "tool-sandbox", "split": "held_out", **taskset}, "agent": dict(agent or {})}
    return vf.load_environment(vf.resolve_env_config(given))


def played(env: Any, brain: Brain | Sequence[Move], tasks: Any = None) -> list[Any]:
    """Traces of the tasks, all at once; the model of each has the name of its scenario."""

    async def play(url: str) -> list[Any]:
        client = vf.EvalClientConfig(base_url=f"{url}/v1", api_key_var="MODEL_KEY")

        async def one(task: Any) -> Any:
            name = getattr(task.data, "scenario", "none")
            context = vf.ModelContext(client=client, model=name, sampling=vf.SamplingConfig())
            (trace,) = (await env.run_episode(task, context)).traces
            return trace

        async with env.serving():
            return await asyncio.gather(*map(one, env.taskset if tasks is None else tasks))

    with serve(OpenAIChatDialect(), brain) as server:
        return asyncio.run(play(server.url))


def said(heard: Heard) -> int:
    return sum(turn.role == "assistant" for turn in heard.turns)


def answer(action: Any) -> Answer:
    return Answer(action) if isinstance(action, str) else Answer(calls=tuple(action))


def told(trace: Any) -> Any:
    return trace.info["tool_sandbox"]


# Scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [OracleAgent, partial(OracleAgent, error_rate=0.4)], ids=["right", "wrong"])
def test_scores_are_those_of_a_run(agent: Any) -> None:
    """All rollouts at once, over the wire, in the worlds that a run plays by default."""
    acts, results = {}, {}
    for name in SAMPLE:
        scenario = get_scenario(name)
        context, results[name] = in_a_run(scenario, agent)
        acts[name] = list(actions(context, scenario.starting_context.max_sandbox_message_index + 1))
    traces = played(loaded(scenarios=list(SAMPLE)), lambda heard: answer(acts[heard.model][said(heard)]))
    assert len(traces) == len(SAMPLE) >= 100
    for trace in traces:
        name = trace.task.data.scenario
        result, info = results[name], told(trace)
        assert (trace.ok, trace.reward, trace.metrics["score"]) == (True, result["similarity"], result["similarity"])
        assert (info["outcome"], info["success"]) == (result["outcome"], result["success"]), name
        assert len(trace.branches) == 1, name
    scores = {trace.reward for trace in traces}
    assert scores == {1.0} if agent is OracleAgent else len(scores) > 3


def test_scores_are_those_of_every_door() -> None:
    """With the agent and the conversations that all doors have in common; each seed is a client of its own."""
    traces = []
    for number in range(len(SEEDS)):

        def act(heard: Heard, seed: int = SEEDS[number]) -> Move:
            return answer(scripts()[heard.model, seed][said(heard)])

        traces += played(loaded(scenarios=NAMES, seed=number), act)
    for trace in traces:
        script, info = scripts()[trace.task.data.scenario, trace.task.data.seed], told(trace)
        assert (info["success"], info["outcome"]) == (script.result["success"], script.result["outcome"])
    check_scores({(trace.task.data.scenario, trace.task.data.seed): trace.reward for trace in traces})


@pytest.mark.parametrize("reward", ["score", "dense"])
def test_worlds_to_train_in_are_those_of_an_env(reward: str) -> None:
    """Messages, tools, rewards and findings, byte for byte."""
    calls: list[Any] = [[("set_wifi_status", {"on": False}), ("get_wifi_status", {})], [("no_such_tool", {})]]
    script = [*calls, "Shall I do more?", "Wifi is off, and the number is +12025550188."]
    env = loaded(split="train", seed=3, size=4, scenarios=["wifi_off", "get_wifi"], reward=reward)
    traces = played(env, lambda heard: answer(script[min(said(heard), 3)]))
    assert sorted({trace.task.data.seed for trace in traces}) == [7, 9]
    for trace in traces:
        own, data = ts.Env(trace.task.data.scenario, seed=trace.task.data.seed, reward=reward), trace.task.data
        seen, rewards = own.reset(), []
        first = seen
        while not seen.done:
            seen = own.step(script[min(len(rewards), 3)])
            rewards.append(seen.reward)
        assert trace.reward == math.fsum(rewards)
        info = {**seen.info, "success": seen.success, "outcome": seen.outcome, "rewards": rewards}
        assert json.dumps({name: told(trace)[name] for name in info}) == json.dumps(info)
        (branch,) = trace.branches
        shown = [(message.role, message.content or "") for message in branch.messages]
        last = len(seen.messages) - len(seen.new_messages)
        assert shown == [(message["role"], message["content"] or "") for message in seen.messages[:last]], data.name
        assert [tool.name for tool in trace.tools or ()] == [tool["function"]["name"] for tool in first.tools]


def test_a_server_of_environments_plays_the_same() -> None:
    """What trainers use: tasks go to another place, traces come back in pieces."""
    from verifiers.v1.serve import EnvClient, EnvServer

    env = loaded(split="train", size=8, scenarios=["wifi_off", "get_wifi"], reward="dense")
    replies = [answer([("set_wifi_status", {"on": False})]), answer("Wifi is off.")]

    def brain(heard: Heard) -> Move:
        return replies[said(heard)]

    async def play(url: str) -> list[Any]:
        server = EnvServer(env.config, "tcp://127.0.0.1:0")
        serving = asyncio.create_task(server.run())
        client = EnvClient(server.address)
        asked = vf.EvalClientConfig(base_url=f"{url}/v1", api_key_var="MODEL_KEY")
        runs = [client.run(asked, "m", vf.SamplingConfig(), task.data.model_dump()) for task in env.taskset]
        episodes = await asyncio.gather(*runs)
        await client.close()
        serving.cancel()
        await serving
        return [trace for episode in episodes for trace in episode.traces]

    with serve(OpenAIChatDialect(), brain) as model:
        served = asyncio.run(play(model.url))
    direct = played(env, brain)
    assert [(each.reward, told(each), each.ok) for each in served] == [(x.reward, told(x), True) for x in direct]
    assert len({trace.reward for trace in served}) > 1


def test_a_reward_survives_the_file() -> None:
    (trace,) = played(loaded(scenarios=["wifi_off"]), [Answer("I have done nothing.")])
    stored = json.loads(json.dumps(trace.to_record()))
    assert stored["rewards"]["reward"]["score"] == trace.reward
    assert stored["info"]["tool_sandbox"] == told(trace)


# Ends ----------------------------------------------------------------------------------------

OFF = Answer(calls=(("set_wifi_status", {"on": False}),))


def so_far() -> float:
    env = ts.Env("wifi_off")
    env.reset()
    env.step([("set_wifi_status", {"on": False})])
    return env.score()


@pytest.mark.parametrize(
    ("move", "agent", "outcome"),
    [
        (Broken(400, "context_length_exceeded", "maximum context length is 8 tokens"), {}, "model_error"),
        (Broken(400, "content_policy_violation", "This request was flagged."), {}, "refused"),
        (Answer("Wifi is off."), {"max_turns": 1}, "max_messages"),
        (Hang(5), {"timeout": {"rollout": 1.5}}, "max_messages"),
    ],
    ids=["context", "filter", "turns", "time"],
)
def test_what_ends_a_conversation_leaves_a_score(move: Move, agent: Any, outcome: str) -> None:
    (trace,) = played(loaded(agent, scenarios=["wifi_off"]), [OFF, move])
    assert (trace.ok, told(trace)["outcome"], trace.reward) == (True, outcome, so_far())
    assert "\n" not in told(trace)["reason"]


def test_a_model_that_cannot_be_asked_has_no_score() -> None:
    (trace,) = played(loaded(scenarios=["wifi_off"]), [OFF, Broken(401, "invalid_api_key", "no")])
    assert (trace.ok, trace.last_error.type, dict(trace.rewards)) == (False, "ProviderError", {})


def test_a_user_that_fails_leaves_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is one of our models, which play under the SDK that verifiers needs."""
    with serve(OpenAIChatDialect(), [Broken(401, "invalid_api_key", "no")]) as user:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{user.url}/v1")
        env = loaded(scenarios=["wifi_off"], user="openai/gpt-5.6-terra:api=chat")
        (trace,) = played(env, [Answer("Shall I?")])
    assert (trace.ok, trace.last_error.type) == (False, "HarnessError")
    assert "infrastructure_error: " in trace.last_error.message
    assert KEY not in trace.model_dump_json()


def test_an_instruction_takes_the_place_of_that_of_the_scenario(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("Be brief.")
    env = loaded(scenarios=["wifi_off"], system_prompt=file)
    (trace,) = played(env, lambda heard: Answer(heard.system))
    assert trace.branches[0].messages[0].content == "Be brief."
    assert trace.branches[0].messages[-1].content == "Be brief."


# Tasks ---------------------------------------------------------------------------------------


def worlds(**given: Any) -> list[tuple[str, int]]:
    config = vf.taskset_config_type("tool-sandbox")(id="tool-sandbox", scenarios=["wifi_o*", "get_wifi"], **given)
    tasks = list(vf.load_taskset(config))
    assert len({task.data.id for task in tasks}) == len(tasks)
    return [(task.data.scenario, task.data.seed) for task in tasks]


ANY_SEED = st.integers(-(2**40), 2**40)
SIZES = st.none() | st.integers(1, 60)


@settings(max_examples=25, deadline=None)
@given(st.tuples(ANY_SEED, ANY_SEED), st.tuples(SIZES, SIZES))
def test_worlds_to_train_in_are_never_held_out(seeds: tuple[int, int], sizes: tuple[int | None, int | None]) -> None:
    train = worlds(split="train", seed=seeds[0], size=sizes[0])
    held_out = worlds(split="held_out", seed=seeds[1], size=sizes[1])
    assert {seed for _, seed in train}.isdisjoint(seed for _, seed in held_out)
    assert train == worlds(split="train", seed=seeds[0], size=sizes[0])
    assert sizes[0] is None or len(train) == sizes[0]


def test_the_first_worlds_that_are_held_out_are_those_of_a_run() -> None:
    assert {seed for _, seed in worlds(split="held_out")} == {0}


def test_families_can_be_held_out() -> None:
    given = {"scenarios": ["find_min_temperature_weekday", "wifi_off"], "held_out_families": ["weather"]}
    split = {
        name: [task.data.scenario for task in loaded(**given, split=name).taskset] for name in ("train", "held_out")
    }
    assert split == {"train": ["wifi_off"], "held_out": ["find_min_temperature_weekday"]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"tier": "cor"}, "there is no tier 'cor'. Did you mean: core?"),
        ({"scenarios": ["wfi_off"]}, "there is no scenario 'wfi_off'. Did you mean: wifi_off"),
        ({"split": "test"}, "Input should be 'train' or 'held_out'"),
        ({"size": 0}, "greater than or equal to 1"),
        ({"seed": "x"}, "valid integer"),
        ({"reward": "scor"}, "there is no reward 'scor'. Did you mean: score?"),
        ({"discount": 2}, "discount has to be a number from 0 to 1, not 2.0"),
        ({"user": "Nobody"}, "Nobody"),
        ({"profile": "strickt"}, "Did you mean: strict?"),
        ({"services": "nothing"}, "nothing"),
        ({"families": ["none"]}, "none"),
        ({"scenarios": ["wifi_off"], "held_out_families": ["weather"]}, "no scenario is left for held_out"),
        ({"scenaros": ["wifi_off"]}, "scenaros"),
    ],
)
def test_what_is_wrong_is_one_line(given: Any, expected: str) -> None:
    with pytest.raises(ValueError, match="1 validation error") as caught:
        loaded(**given)
    assert any(expected in line for line in str(caught.value).splitlines())


def test_another_harness_is_refused_before_anything_runs() -> None:
    env = loaded({"harness": {"id": "null"}}, scenarios=["wifi_off"])
    (trace,) = played(env, [Answer("Hello.")])
    assert (trace.ok, trace.num_turns) == (False, 0)
    assert "are played by its own harness" in trace.last_error.message


def test_other_tasks_are_refused() -> None:
    (trace,) = played(loaded(scenarios=["wifi_off"]), [Answer("Hello.")], [vf.Task(vf.TaskData(prompt="Hello."))])
    assert (trace.ok, trace.num_turns) == (False, 0)
    assert "plays tasks of ToolSandbox only" in trace.last_error.message


# Commands ------------------------------------------------------------------------------------


@pytest.fixture
def url() -> Iterator[str]:
    with serve(OpenAIChatDialect(), SolutionBrain.of([get_scenario("wifi_off"), get_scenario("get_wifi")])) as server:
        yield f"{server.url}/v1"


@pytest.fixture
def shell(tmp_path: Path, url: str) -> Callable[[str], "subprocess.CompletedProcess[str]"]:
    """Runs a line as in the page, with the server on this machine behind the model."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(line: str, **more: str) -> "subprocess.CompletedProcess[str]":
        words = ["sh", "-c", line.replace(ADDRESS, url)]
        variables = {**os.environ, "PATH": path, **more}
        return subprocess.run(words, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)

    return run


def stored(folder: Path) -> list[dict[str, Any]]:
    lines = [line for file in folder.rglob("traces.jsonl") for line in file.read_text("utf-8").splitlines()]
    return [trace for line in lines for trace in json.loads(line).get("traces", ())]


def test_commands_of_the_page(shell: Any, url: str, tmp_path: Path) -> None:
    ((name, body),) = re.findall(r"^```toml\n# (\w+\.toml)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    (tmp_path / name).write_text(body.replace(ADDRESS, url))
    lines = [line for line in re.findall(r"^\$ (.*)$", TEXT, re.MULTILINE) if line.startswith("vf-eval")]
    assert len(lines) == 2
    for line in lines:
        done = shell(line)
        assert done.returncode == 0, done.stderr[-2000:]
    scores = [trace["rewards"]["reward"]["score"] for trace in stored(tmp_path)]
    assert scores == [1.0] * 6


def test_the_program_of_the_page(url: str) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    program = program.replace(ADDRESS, url)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["1.0 completed"]), done.stderr[-2000:]


def test_group_rollouts_of_the_page(tmp_path: Path) -> None:
    """A model that does it, only says so, or refuses: in each group the rewards differ."""
    asked = itertools.count()
    firsts = [answer([("set_wifi_status", {"on": False})]), answer("Wifi is off."), answer("I cannot do that.")]

    def model(heard: Heard) -> Move:
        return firsts[next(asked) % 3] if not said(heard) else answer("Wifi is off.")

    (line,) = re.findall(r"^\$ (python docs/examples/.*)$", TEXT, re.MULTILINE)
    with serve(OpenAIChatDialect(), model) as server:
        words = [sys.executable, *line.replace(ADDRESS, f"{server.url}/v1").split()[1:], "--size", "6"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["task", "reward", "advantage", "outcome"]
    assert len(rows) == 12
    for name in ("wifi_off", "get_wifi"):
        found = [row.split() for row in rows if row.startswith(f"{name}__seed_1 ")]
        assert len(found) == 6
        assert abs(sum(float(advantage) for *_, advantage, _ in found)) < 0.1
    assert len({row.split()[1] for row in rows}) > 1


def test_bad_options_of_the_command_are_told_without_a_traceback(shell: Any) -> None:
    done = shell("vf-eval tool-sandbox --env.taskset.tier none --no-push --no-rich")
    assert done.returncode != 0
    assert "there is no tier 'none'" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_tasks_that_nobody_plays_are_worth_nothing(shell: Any) -> None:
    options = "--taskset.scenarios wifi_off get_wifi --runtime.type subprocess --only-noop --no-rich"
    done = shell(f"vf-validate tool-sandbox {options}")
    assert json.loads(done.stdout[done.stdout.index("{\n") :])["outcomes"]["valid"] == 2, done.stdout[-2000:]


def test_the_package_for_the_hub(shell: Any, tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT / "scripts" / "hub",
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        metadata = archive.read(name).decode()
    assert re.findall("^(?:Name|Requires-Dist): .*", metadata, re.MULTILINE) == [
        "Name: tool-sandbox-env",
        "Requires-Dist: tool-sandbox[verifiers]",
    ]
    command = "vf-eval someone/tool-sandbox-env@0.1.0 --env.taskset.split held_out --env.taskset.scenarios wifi_off"
    options = f"-m model --client.base-url {ADDRESS} --client.api-key-var MODEL_KEY --no-push --no-rich"
    done = shell(f"{command} {options}", PYTHONPATH=str(wheel))
    assert done.returncode == 0, done.stderr[-2000:]
    (trace,) = stored(tmp_path)
    assert trace["rewards"]["reward"]["score"] == 1.0
