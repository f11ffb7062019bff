"""Runs on a Ray cluster of three nodes on this machine: the same bytes, whatever ends in the middle."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.bucket import played, serving_bucket, there
from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import KEY_VARIABLE, choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Broken, Heard, serve
from tool_sandbox.cli import main
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.cluster import Cluster, cluster_of
from tool_sandbox.runner.knocking import ANOTHER_SERVER
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError, ToolSandboxError
from tool_sandbox.world.profile import Profile

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="starts nodes of a cluster")]

MB = 2**20
STORE = 80 * MB
"""Object store of a node, nearly the smallest that Ray takes."""

NAMES = ["wifi_*", "get_*", "add_contact*", "cellular_*"]


class Slow:
    """Makes an agent that takes a moment, so that there is something to interrupt."""

    def __call__(self) -> Any:
        from tool_sandbox.roles.oracle_agent import OracleAgent

        class Slowly(OracleAgent):
            def respond(self, *given: Any, **named: Any) -> Any:
                time.sleep(0.15)
                return super().respond(*given, **named)

        return Slowly()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where workers make their folders; Ray's own sockets need a short path."""
    folder = tmp_path_factory.mktemp("scratch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", tempfile.gettempdir())
        patch.setenv("TMPDIR", str(folder))
        yield folder


@pytest.fixture(scope="module")
def nodes(scratch: Path) -> Iterator[Any]:
    from ray.cluster_utils import Cluster as Nodes

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    nodes = Nodes(initialize_head=True, head_node_args=head)
    try:
        for _ in range(2):
            nodes.add_node(num_cpus=1, object_store_memory=STORE)
        Cluster(nodes.address).connect()
        nodes.wait_for_nodes()
        yield nodes
    finally:
        ray.shutdown()
        nodes.shutdown()


def files_of(run: Path) -> dict[str, bytes]:
    """Everything that was played, by name."""
    folder = run / "trajectories"
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def played_here(tmp_path: Path, agent: Any = "Oracle", names: list[str] = NAMES) -> dict[str, bytes]:
    run = play(prepare_run(agent, scenarios=names, threads=4), tmp_path / "here")
    return files_of(run.path)


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test leaves a folder of a worker behind, in whatever way that ended."""
    yield
    if "nodes" in request.fixturenames:
        scratch = request.getfixturevalue("scratch")
        while list(scratch.glob("tool_sandbox*")):
            time.sleep(0.1)  # until the test is given up


def test_the_same_bytes_as_here(nodes: Any, tmp_path: Path) -> None:
    run = prepare_run("Oracle", scenarios=NAMES, threads=24, cluster=Cluster(nodes.address))
    done = play(run, tmp_path / "there")
    assert done.is_complete
    assert len(done.results) == len(run.episodes) > 60
    assert files_of(done.path) == played_here(tmp_path)


def test_a_node_that_is_killed_loses_and_doubles_nothing(nodes: Any, tmp_path: Path) -> None:
    extra = nodes.add_node(num_cpus=1, object_store_memory=STORE)
    nodes.wait_for_nodes()
    run = prepare_run(Slow(), scenarios=NAMES, threads=24, cluster=Cluster(nodes.address))
    told: list[str] = []
    gone = threading.Event()

    def note(result: Any) -> None:
        told.append(result["directory"])
        if len(told) == 10:
            nodes.remove_node(extra, allow_graceful=False)
            gone.set()

    done = play(run, tmp_path / "there", on_result=note)
    assert gone.is_set()
    assert done.is_complete
    assert sorted(told) == sorted(episode.directory for episode in run.episodes)
    assert {result["outcome"] for result in done.results} == {"completed"}
    assert len(files_of(done.path)) == len(played_here(tmp_path))


def test_stopped_and_resumed(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stop = Stop(grace_s=0.5)
    run = prepare_run("Oracle", scenarios=NAMES, threads=6, cluster=Cluster(nodes.address))
    part = play(run, tmp_path / "there", stop=stop, on_result=lambda result: stop.request())
    assert 0 < len(part.results) < len(run.episodes)
    assert main(["resume", str(part.path), "--executor", "ray", "--address", nodes.address]) == 0
    capsys.readouterr()
    assert files_of(part.path) == played_here(tmp_path)


def test_the_driver_is_killed_and_resumed(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agent", "Oracle", "--executor", "ray", "--address", nodes.address, "-p", "6", "-o", str(tmp_path / "x")]
    command = [sys.executable, "-m", "tool_sandbox", *words, "--scenarios", *NAMES]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        while driver.poll() is None and len(list((tmp_path / "x").glob("*/trajectories/*/record.jsonl"))) < 5:
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
    (run,) = (tmp_path / "x").iterdir()
    assert main(["resume", str(run), "--executor", "ray", "--address", nodes.address]) == 0
    capsys.readouterr()
    assert files_of(run) == played_here(tmp_path)


def timeless(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files without the seconds that an agent with a loop of its own took."""
    return {name: re.sub(rb'"latency_s":[^,]*', b"", content) for name, content in files.items()}


class Large:
    """Makes an agent that searches for texts of a megabyte: a conversation has files of 6 MB, packed half as much."""

    def __call__(self) -> Any:
        def agent(messages: list[dict[str, Any]], tools: Any) -> Any:
            if messages[-1]["role"] == "tool":
                return "I cannot do that."
            draw = random.Random(messages[-1]["content"])
            texts = [json.dumps({"content": draw.randbytes(500_000).hex()}) for _ in range(2)]
            functions = [{"name": "search_messages", "arguments": text} for text in texts]
            calls = [{"id": f"{n}", "type": "function", "function": each} for n, each in enumerate(functions)]
            return {"role": "assistant", "content": None, "tool_calls": calls}

        return ts.agent(agent)()


@pytest.mark.parametrize(("agent", "names"), [("Oracle", NAMES), (Large(), ["wifi_*", "get_wifi*", "cellular_*"])])
def test_a_full_object_store_changes_nothing(nodes: Any, tmp_path: Path, agent: Any, names: list[str]) -> None:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    held = []
    for node in ray.nodes():
        if node["Alive"]:
            here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            fill = ray.remote(lambda: bytes(STORE // 2)).options(scheduling_strategy=here, num_cpus=0)
            held += [fill.remote() for _ in range(3)]
    ray.wait(held, num_returns=len(held), fetch_local=False)
    run = prepare_run(agent, scenarios=names, threads=24, cluster=Cluster(nodes.address))
    found = files_of(play(run, tmp_path / "there").path)
    assert timeless(found) == timeless(played_here(tmp_path, agent, names))
    size = sum(map(len, found.values()))
    assert agent == "Oracle" or size > 5 * MB * len(run.episodes)


def test_scenarios_are_checked_there(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["scenarios", "check", "wifi_off", "get_wifi*", "cellular_*", "--elsewhere", "--json"]
    for name, how in (("here", []), ("there", ["--executor", "ray", "--address", nodes.address])):
        assert main([*words, str(tmp_path / name), *how]) == 0
    capsys.readouterr()
    assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()


def test_a_run_is_scored_again_there(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = play(
        prepare_run("Oracle", scenarios=["wifi_*", "get_wifi"], profile=Profile.PUBLISHED), tmp_path / "run"
    ).path
    damaged = next((run / "trajectories").glob("get_wifi/execution_context.json"))
    damaged.write_text("{")
    told = []
    for name, how in (("here", []), ("there", ["--executor", "ray", "--address", nodes.address])):
        copy = tmp_path / name
        words = [
            "rescore",
            str(run),
            "--profile",
            "strict",
            "--to",
            str(copy),
            "--json",
            str(tmp_path / f"{name}.json"),
        ]
        assert main([*words, *how]) == 1
        told.append((capsys.readouterr().out.replace(str(copy), ""), (tmp_path / f"{name}.json").read_bytes()))
    assert told[0] == told[1]
    assert b'"strict"' in b"".join(files_of(tmp_path / "here").values())
    assert files_of(tmp_path / "here") == files_of(tmp_path / "there")
    assert (tmp_path / "here" / "run.json").read_bytes() == (tmp_path / "there" / "run.json").read_bytes()


ASKED = ["wifi_off", "cellular_off", "remove_contact_by_phone"]
BRAIN = SolutionBrain.of(list(named_scenarios(names=ASKED).values()))


@pytest.mark.usefixtures("loopback_key")
def test_workers_spend_one_budget(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests, threads = 60, 6
    # No machine of the cluster has it.
    monkeypatch.setenv("A_KEY_OF_MINE", "sk-for-workers-alone-123")
    with serve(OpenAIChatDialect(), BRAIN) as server:
        agent = choice(server).replace(KEY_VARIABLE, "A_KEY_OF_MINE")
        how: dict[str, Any] = {"trials": 20, "threads": threads, "cluster": Cluster(nodes.address)}
        run = prepare_run(agent, "Scripted", ASKED, budget=Budget(tokens=110 * requests), **how)
        done = play(run, tmp_path)
    # What is under way when nothing is left, and what begins until all have heard of it.
    assert requests <= len(server.seen) <= requests + 2 * threads
    assert "is spent" in done.summary["run"]["stopped"]
    assert {result["outcome"] for result in done.results} == {"completed", "infrastructure_error"}


@pytest.mark.usefixtures("loopback_key")
def test_workers_have_one_throttle(nodes: Any, tmp_path: Path) -> None:
    lock, rejected = threading.Lock(), []

    def think(heard: Heard) -> Any:
        is_alone = lock.acquire(blocking=False)
        rejected.append(not is_alone)
        if not is_alone:
            return Broken(429, headers={"Retry-After": "0.01"})
        try:
            time.sleep(0.01)
            return BRAIN(heard)
        finally:
            lock.release()

    with serve(OpenAIChatDialect(), think) as server:
        agent = choice(server).replace("retries=0", "retries=20")
        cluster = Cluster(nodes.address)
        done = play(prepare_run(agent, "Scripted", ASKED, trials=20, threads=9, cluster=cluster), tmp_path)
    assert [result["traceback"] for result in done.results if result["outcome"] != "completed"] == []
    # Of three workers with a throttle each, which all send a request at a time, two of three would be refused.
    late = rejected[len(rejected) // 2 :]
    assert sum(late) / len(late) < 0.25


def shown(observation: ts.Observation) -> Any:
    """All that an observation says."""
    names = ("reward", "done", "terminated", "truncated", "score", "success", "outcome", "reason", "info", "turns")
    formats = [observation.as_openai(), observation.as_anthropic(), observation.as_openai(new=True)]
    return [getattr(observation, name) for name in names], formats


@pytest.mark.parametrize("how", [{}, {"reward": "dense", "discount": 0.9, "auto_reset": True, "threads": 2}])
def test_worlds_of_a_pool_are_there(nodes: Any, how: dict[str, Any]) -> None:
    off, said = [("set_wifi_status", {"on": False})], "Wifi is turned off."
    seen = []
    for where in ({}, {"executor": "ray", "address": nodes.address}):
        with ts.EnvPool(["wifi_off", "get_wifi"], size=5, seed=3, **how, **where) as pool:
            told = [pool.reset(), pool.step([off, None, off, "Hello.", None])]
            pool.fork(0, into=[1, 3])
            told += [pool.observations, pool.step([said, "No.", said, said, off])]
            told += [list(pool.step({4: said, 3: said} if how else {4: said}).values())]
            for wrong, message in (([1.5] * 5, "world 0: "), ({9: said}, "no world 9"), ({}, "")):
                with contextlib.suppress(ToolSandboxError):
                    assert not pool.step(wrong)
                    assert not message
            texts = [pool.envs[2].render(), pool.envs[2].score(), shown(pool.envs[2].rewind(1))]
            seen.append(([list(map(shown, each)) for each in told], texts))
    assert seen[0] == seen[1]


def test_a_pool_whose_worker_ends_can_begin_again(nodes: Any) -> None:
    with ts.EnvPool("wifi_off", size=4, executor="ray", address=nodes.address) as pool:
        pool.reset()
        ray.kill(next(iter(pool._far._actors.values())))
        with pytest.raises(InfrastructureError, match="reset"):
            pool.step(["Hello."] * 4)
        assert [each.info["seed"] for each in pool.reset()] == [4, 5, 6, 7]
        assert len(pool.step(["Hello."] * 4)) == 4
    assert not pool._far._actors


def test_results_in_object_storage(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("s3fs")
    extra = nodes.add_node(num_cpus=1, object_store_memory=STORE)
    nodes.wait_for_nodes()
    how = ["--executor", "ray", "--address", nodes.address, "-p", "8"]
    with serving_bucket() as address:

        def records() -> dict[str, bytes]:
            return {name: content for name, content in there(address).items() if name.endswith("record.jsonl")}

        words = [sys.executable, "-m", "tool_sandbox", "--agent", "Oracle", *how, "-o", address, "--scenarios", *NAMES]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
            for enough, end in (
                (5, lambda: nodes.remove_node(extra, allow_graceful=False)),
                (15, lambda: driver.send_signal(signal.SIGKILL)),
            ):
                while driver.poll() is None and len(records()) < enough:
                    time.sleep(0.02)
                end()
        before = records()
        (run,) = {name.partition("/")[0] for name in before}
        assert main(["resume", f"{address}/{run}", *how]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == f"results: {address}/{run}"
        assert before.items() <= records().items()
        assert played(there(address)) == {f"trajectories/{name}": data for name, data in played_here(tmp_path).items()}
        assert not [name for name in there(address) if "/replaced/" in name]


AGENT = """
import os, pathlib, signal, time

class Agent:
    def respond(self, messages, tools):
        marker = pathlib.Path(__file__).with_name("ended")
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(SECONDS)
        return "No."
"""


def test_what_ray_says_is_no_part_of_the_output(nodes: Any, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT.replace("SECONDS", "2"))  # long enough for Ray to say it
    words = [
        sys.executable,
        "-m",
        "tool_sandbox",
        "--agent",
        f"{tmp_path}/agent.py:Agent",
        "-s",
        "wifi_off",
        "get_wifi",
        "-o",
        "x",
    ]
    how = ["--executor", "ray", "--address", nodes.address, "-p", "2"]
    done = subprocess.run([*words, *how], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (tmp_path / "ended").exists()
    assert "played 2/2" in done.stderr
    assert "raylet" not in done.stdout + done.stderr


def test_control_c_stops_all_workers(nodes: Any, tmp_path: Path) -> None:
    (tmp_path / "ended").touch()
    (tmp_path / "agent.py").write_text(AGENT.replace("SECONDS", "0.4"))
    words = [
        sys.executable,
        "-m",
        "tool_sandbox",
        "--agent",
        f"{tmp_path}/agent.py:Agent",
        "--scenarios",
        *NAMES,
        "-o",
        "x",
    ]
    how = ["--executor", "ray", "--address", nodes.address, "-p", "4"]
    with subprocess.Popen([*words, *how], cwd=tmp_path, text=True, stdout=-1, stderr=-1) as driver:
        while driver.poll() is None and len(list((tmp_path / "x").glob("*/trajectories/*/record.jsonl"))) < 4:
            time.sleep(0.02)
        driver.send_signal(signal.SIGINT)
        out, told = driver.communicate()
    assert driver.returncode == 130
    assert "stopping: waiting up to 5 s for" in told
    assert "Traceback" not in told + out
    (run,) = (tmp_path / "x").iterdir()
    summary = json.loads((run / "result_summary.json").read_text())
    played = len(list(run.glob("trajectories/*/record.jsonl")))
    assert summary["run"]["interrupted"]
    assert played == summary["run"]["played"] == len(summary["per_scenario_results"]) >= 4


def test_a_sweep_on_a_cluster(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "--agent", "Oracle", "Unhelpful", "--scenarios", "wifi_off", "get_wifi"]
    found = []
    for name, how in (("here", []), ("there", ["--executor", "ray", "--address", nodes.address])):
        assert main([*words, *how, "-o", str(tmp_path / name)]) == 0
        runs = sorted((tmp_path / name).glob("*/agent_*"))
        assert len(runs) == 2
        found.append([files_of(run) for run in runs])
    capsys.readouterr()
    assert found[0] == found[1]


class Fatal:
    """Makes an agent that takes its process with it, unless that is where it was made."""

    def __init__(self) -> None:
        self.here = os.getpid()

    def __call__(self) -> Any:
        from tool_sandbox.roles.oracle_agent import OracleAgent

        if os.getpid() != self.here:
            os._exit(3)
        return OracleAgent()


def test_a_conversation_that_ends_its_worker_fails_alone(nodes: Any, tmp_path: Path) -> None:
    run = prepare_run(Fatal(), scenarios=["wifi_off", "get_wifi"], threads=2, cluster=Cluster(nodes.address))
    done = play(run, tmp_path)
    assert {result["outcome"] for result in done.results} == {"infrastructure_error"}
    assert all("ended 3 times" in result["reason"] for result in done.results)


def test_no_key_is_in_what_ray_writes(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-secret-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    run = prepare_run(
        "openai/gpt-4.1-mini:retries=0", scenarios=["wifi_off"], threads=1, cluster=Cluster(nodes.address)
    )
    (result,) = play(run, tmp_path).results
    assert result["outcome"] == "infrastructure_error"
    folders = [Path(nodes.head_node.get_session_dir_path()), tmp_path]
    for file in (file for folder in folders for file in folder.rglob("*") if file.is_file()):
        with contextlib.suppress(OSError):
            assert key.encode() not in file.read_bytes(), file


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = {
        "address can only be used together with executor ray": ["--address", "127.0.0.1:1"],
        "address has to be HOST:PORT or auto, not 'x'": ["--executor", "ray", "--address", "x"],
        "a person at the terminal cannot play": ["--executor", "ray", "--agent", "Cli"],
        "processes are for executor local": ["--executor", "ray", "--processes", "2"],
    }
    for told, words in cases.items():
        with pytest.raises(SystemExit) as ended:
            sys.exit(main([*words, "-s", "wifi_off", "-o", str(tmp_path / "none")]))
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert told in line
    assert not (tmp_path / "none").exists()
    run = str(play(prepare_run("Oracle", scenarios=["wifi_off"]), tmp_path).path)
    for command in (["scenarios", "check", "wifi_off"], ["rescore", run]):
        for told, words in {
            "address can only be used together": ["--address", "127.0.0.1:1"],
            "has to be HOST:PORT or auto": ["--executor", "ray", "--address", "x"],
            "there is no Ray cluster at 127.0.0.1:1: ": [
                "--executor",
                "ray",
                "--address",
                "127.0.0.1:1",
            ],
        }.items():
            assert main([*command, *words]) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert told in line


def test_a_part_of_ray_that_is_no_head_is_one_line(nodes: Any, tmp_path: Path) -> None:
    """A server of gRPC as any other, told at once: at its address Ray itself waits for minutes."""
    node = nodes.head_node
    address = f"{node.node_ip_address}:{node.node_manager_port}"
    words = ["--executor", "ray", "--address", address, "-s", "wifi_off", "-o", str(tmp_path / "none")]
    done = subprocess.run([sys.executable, "-m", "tool_sandbox", *words], capture_output=True, text=True, check=False)
    told = f"tool_sandbox: there is no Ray cluster at {address}: {ANOTHER_SERVER}"
    assert (done.returncode, done.stderr.splitlines(), done.stdout) == (2, [told], "")
    assert not (tmp_path / "none").exists()


def test_without_an_address_no_other_cluster_is_joined(scratch: Path, tmp_path: Path) -> None:
    """Ray would take the one that was started last on this machine, or that a variable names."""
    words = ["--executor", "ray", "--agent", "Oracle", "-s", "wifi_off", "-o", str(tmp_path / "runs")]
    done = subprocess.run(
        [sys.executable, "-m", "tool_sandbox", *words],
        env=os.environ | {"RAY_ADDRESS": "127.0.0.1:1"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'tool_sandbox\[ray\]'"):
        Cluster().connect()
    assert cluster_of("local", None) is None


def test_a_run_without_a_cluster_says_nothing_of_one(tmp_path: Path) -> None:
    run = play(prepare_run("Oracle", scenarios=["wifi_off"]), tmp_path)
    assert "executor" not in json.loads((run.path / "run.json").read_text())
