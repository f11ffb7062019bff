"""All doors agree: the same agent has the same results through each of them, to the last bit.

verifiers and OpenEnv cannot be installed beside the others; with the same agent and the same scenarios their tests
compare them with a run in their environments.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.integrations.same_agent import AGENT, NAMES, same, scripts
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import get_scenario

pytestmark = pytest.mark.slow

OWN = ("suite", "user_findings")
"""What a run adds to a result, and no `Env` has."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, Any]]:
    """Name to the result through the command line."""
    return through_the_command_line(tmp_path_factory.mktemp("here"))


def through_the_command_line(folder: Path, *words: str) -> dict[str, Mapping[str, Any]]:
    command = [sys.executable, "-m", "tool_sandbox", "--agent", AGENT, "--scenarios", *NAMES, "-o", str(folder)]
    variables = {**os.environ, "RAY_TMPDIR": tempfile.gettempdir()}
    done = subprocess.run([*command, *words], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (run,) = folder.iterdir()
    return {result["name"]: result for result in RunDirectory(run).read_results()}


def test_the_list_and_the_agent_are_worth_comparing(expected: Mapping[str, Mapping[str, Any]]) -> None:
    assert sorted(expected) == sorted(NAMES)
    assert len(NAMES) >= 30
    scores = [result["similarity"] for result in expected.values()]
    assert {0.0, 1.0} < set(scores)
    assert 0.2 < sum(scores) / len(scores) < 0.9
    assert len({app for name in NAMES for app in get_scenario(name).starting_context.apps}) >= 5


def test_env(expected: Mapping[str, Mapping[str, Any]]) -> None:
    for name, script in scripts().items():
        env = ts.Env(name)
        env.reset()
        for action in script.actions:
            seen = env.step(action)
        result = env._current().result
        assert result is not None, name
        assert same(result, OWN) == same(expected[name], OWN)
        assert json.dumps(seen.score) == json.dumps(expected[name]["similarity"])


def test_env_pool(expected: Mapping[str, Mapping[str, Any]]) -> None:
    """All worlds at once, in threads."""
    with ts.EnvPool(NAMES, size=len(NAMES), threads=4) as pool:
        pool.reset()
        count = 0
        while live := [place for place, env in enumerate(pool.envs) if not env.is_over]:
            pool.step({place: scripts()[NAMES[place]][count] for place in live})
            count += 1
        for name, env in zip(NAMES, pool.envs, strict=True):
            assert same(env._current().result, OWN) == same(expected[name], OWN)


def test_inspect(expected: Mapping[str, Mapping[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ChatMessage, ModelOutput, get_model

    from tests.integrations.inspect.models import output_of, played, said
    from tool_sandbox.integrations.inspect.kept import KEY, Kept
    from tool_sandbox.integrations.inspect.solver import played as playing

    def answer(messages: list[ChatMessage], *rest: Any) -> ModelOutput:
        return output_of(scripts()[playing.get().episode.scenario_name][said(messages)], said(messages))

    log = played(tmp_path, get_model("mockllm/script", custom_outputs=answer), NAMES, max_samples=4)
    found = {each.metadata["scenario"]: each for each in log.samples or ()}
    assert found.keys() == expected.keys()
    for name, each in found.items():
        assert same(Kept.of(each.store[KEY]).result) == same(expected[name])
        assert each.scores is not None
        score = each.scores["evaluation"].as_dict()["score"]
        assert json.dumps(score) == json.dumps(expected[name]["similarity"])


@pytest.mark.skipif(sys.platform != "linux", reason="starts a cluster")
def test_ray(expected: Mapping[str, Mapping[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    found = through_the_command_line(tmp_path / "there", "--executor", "ray", "-p", "4")
    assert {name: same(result) for name, result in found.items()} == {n: same(each) for n, each in expected.items()}
