"""All doors agree: the same agent has the same results through each of them, to the last bit.

verifiers and OpenEnv cannot be installed beside the others; their tests compare them with the same stored scores.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.integrations.same_agent import AGENT, NAMES, PLACES, SEEDS, Place, check_scores, same, scripts
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import get_scenario

pytestmark = pytest.mark.slow

OWN = ("suite", "user_findings", "directory")
"""What a run adds to a result, and no `Env` has."""

Results = Mapping[Place, Mapping[str, Any]]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Conversation to the result through the command line."""
    return through_the_command_line(tmp_path_factory.mktemp("here"))


def through_the_command_line(folder: Path, *words: str) -> Results:
    seeds = map(str, SEEDS)
    command = [sys.executable, "-m", "tool_sandbox", "--agent", AGENT, "--scenarios", *NAMES, "--seed", *seeds, *words]
    variables = {**os.environ, "RAY_TMPDIR": tempfile.gettempdir()}
    done = subprocess.run(
        [*command, *words, "-o", str(folder)], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (run,) = folder.iterdir()
    found = {(result["name"], result["seed"]): result for result in RunDirectory(run).read_results()}
    check_scores({place: result["similarity"] for place, result in found.items()})
    return found


def test_the_list_and_the_agent_are_worth_comparing(expected: Results) -> None:
    assert sorted(expected) == sorted(PLACES)
    assert len(NAMES) >= 30
    scores = [result["similarity"] for result in expected.values()]
    assert {0.0, 1.0} < set(scores)
    assert len(set(scores)) >= 10
    assert 0.2 < sum(scores) / len(scores) < 0.9
    assert len({app for name in NAMES for app in get_scenario(name).starting_context.apps}) >= 5


def test_env(expected: Results) -> None:
    scores = {}
    for (name, seed), script in scripts().items():
        env = ts.Env(name, seed=seed)
        env.reset()
        for action in script.actions:
            seen = env.step(action)
        scores[name, seed] = seen.score
        result = env._current().result
        assert result is not None, name
        assert same(result, OWN) == same(expected[name, seed], OWN)
    check_scores(scores)


def test_env_pool(expected: Results) -> None:
    """All worlds of a seed at once, in threads."""
    with ts.EnvPool(NAMES, size=len(NAMES), seed=SEEDS[1], threads=4) as pool:
        seen = pool.reset()
        places = [(each.info["scenario"], each.info["seed"]) for each in seen]
        assert sorted(places) == sorted(place for place in PLACES if place[1] == SEEDS[1])
        count = 0
        while live := [number for number, env in enumerate(pool.envs) if not env.is_over]:
            pool.step({number: scripts()[places[number]][count] for number in live})
            count += 1
        for place, env in zip(places, pool.envs, strict=True):
            assert same(env._current().result, OWN) == same(expected[place], OWN)


def test_inspect(expected: Results, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ChatMessage, ModelOutput, get_model

    from tests.integrations.inspect.models import output_of, played, said
    from tool_sandbox.integrations.inspect.kept import KEY, Kept
    from tool_sandbox.integrations.inspect.solver import played as playing

    def answer(messages: list[ChatMessage], *rest: Any) -> ModelOutput:
        episode = playing.get().episode
        return output_of(scripts()[episode.scenario_name, episode.seed][said(messages)], said(messages))

    model = get_model("mockllm/script", custom_outputs=answer)
    log = played(tmp_path, model, NAMES, seed=list(SEEDS), max_samples=4)
    scores = {}
    for each in log.samples or ():
        place = each.metadata["scenario"], each.metadata["seed"]
        assert same(Kept.of(each.store[KEY]).result) == same(expected[place])
        assert each.scores is not None
        scores[place] = each.scores["evaluation"].as_dict()["score"]
    check_scores(scores)


@pytest.mark.skipif(sys.platform != "linux", reason="starts a cluster")
def test_ray(expected: Results, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    found = through_the_command_line(tmp_path / "there", "--executor", "ray", "-p", "4")
    assert {place: same(result) for place, result in found.items()} == {at: same(each) for at, each in expected.items()}
