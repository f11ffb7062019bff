"""The neutral form: what the agent saw, what it said, and what each of its turns was worth."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.export.conftest import BESIDE, ERRORS, NAMES, PARALLEL, Runs, read
from tests.records import edit_record, make_older
from tool_sandbox.export.rewards import turn_rewards
from tool_sandbox.export.trajectory import METADATA, read_trajectory
from tool_sandbox.world.errors import ConfigurationError


def rows(path: Path, directory: str) -> list[dict[str, Any]]:
    world = json.loads((path / "trajectories" / directory / "execution_context.json").read_text("utf-8"))
    return [row for row in world["_dbs"]["SANDBOX"] if row["sender"] is not None]


def test_every_conversation_is_read(runs: Runs) -> None:
    assert len(runs.trajectories) == 2 * len(NAMES)
    for trajectory in runs.trajectories:
        assert list(trajectory.metadata) == list(METADATA)
        for name, kind in METADATA.items():
            assert type(trajectory.metadata[name]) is kind, name


def test_weight_is_exactly_on_what_the_agent_said(runs: Runs) -> None:
    by_name = {path.name: path for path in runs.paths}
    for trajectory in runs.trajectories:
        log = rows(by_name[trajectory.metadata["run"]], trajectory.metadata["directory"])
        said = [row for row in log if row["sender"] == "AGENT"]
        texts = [row["content"] for row in said if row["recipient"] == "USER"]
        weighted = [entry for entry in trajectory.entries if entry.weight]
        assert all(entry.role == "assistant" for entry in weighted)
        assert [entry.message["content"] for entry in weighted if not entry.calls] == texts
        assert sum(len(entry.calls) for entry in weighted) == len(said) - len(texts)
        assert {entry.role for entry in trajectory.entries if not entry.weight} <= {"system", "user", "tool"}


def test_rewards_add_up_to_the_score(runs: Runs) -> None:
    scores = [trajectory.score for trajectory in runs.trajectories]
    assert 0.0 in scores
    assert 1.0 in scores
    for trajectory in runs.trajectories:
        assert all((entry.reward is None) == (entry.weight == 0) for entry in trajectory.entries)
        total = sum(entry.reward for entry in trajectory.entries if entry.reward is not None)
        assert total == pytest.approx(trajectory.score, abs=1e-9)


def test_tools_are_those_that_were_called(runs: Runs) -> None:
    for trajectory in runs.trajectories:
        offered = {tool["function"]["name"]: tool["function"] for tool in trajectory.tools}
        for entry in trajectory.entries:
            if entry.error is None:
                for call in entry.calls:
                    arguments = json.loads(call["function"]["arguments"])
                    assert arguments.keys() <= offered[call["function"]["name"]]["parameters"]["properties"].keys()


def test_scrambled_names_are_what_the_agent_saw(runs: Runs) -> None:
    arguments = runs.of("wifi_off_3_distraction_tools_arg_name_scrambled").entries[2].calls[0]["function"]["arguments"]
    assert json.loads(arguments) == {"arg_0": False}
    tools = runs.of("wifi_off_3_distraction_tools_tool_name_scrambled").tools
    assert "set_wifi_status" not in [tool["function"]["name"] for tool in tools]


def test_parallel_calls_and_errors_are_there(runs: Runs) -> None:
    for name in PARALLEL:
        assert max(len(entry.calls) for entry in runs.of(name).entries) > 1
    assert [entry.error for entry in runs.of(ERRORS).entries if entry.error is not None]


def test_a_model_has_its_tokens_and_what_it_said_beside_calls(modeled: Runs) -> None:
    for trajectory in modeled.trajectories:
        said = [entry for entry in trajectory.entries if entry.weight]
        assert all(entry.model is not None and entry.model.input_tokens for entry in said)
        assert {entry.message["content"] for entry in said if entry.calls} <= {BESIDE}


# Rewards -------------------------------------------------------------------------------------

TWO = {"milestones": [{"weight": 3.0}, {"weight": 1.0}], "minefields": []}


def result(score: float, **changes: Any) -> dict[str, Any]:
    mapping = {"0": [4, 1.0], "1": [8, 1.0]}
    plain = {"milestone_mapping": mapping, "minefield_mapping": {}, "profile": "strict", "similarity": score}
    return plain | changes


@pytest.mark.parametrize(
    ("found", "rewards"),
    [
        (result(1.0), [0.75, 0.0, 0.25]),
        (result(1.0, profile="published"), [0.5, 0.0, 0.5]),
        (result(0.0, side_effects=[{"message_index": 6}]), [0.75, -0.75, 0.0]),
        (result(0.0, side_effects=[{"message_index": 3}]), [0.0, 0.0, 0.0]),
        (result(0.0, minefield_hit=True, minefield_mapping={"0": [5, 1.0]}), [0.75, -0.75, 0.0]),
        (result(0.5, unsupported=[{"message": 6, "world": "2"}]), [0.75, -0.25, 0.0]),
        (result(1.0, unsupported=[{"message": 6, "world": None}]), [0.75, 0.0, 0.25]),
        (result(1.0, unsupported=[{"message": 6, "world": "2", "is_open": True}]), [0.75, 0.0, 0.25]),
        # What nothing explains is the last turn's: an exception, a decision of a person.
        (result(0.0), [0.75, 0.0, -0.75]),
        (result(1.0, milestone_mapping={}), [0.0, 0.0, 1.0]),
    ],
)
def test_a_turn_is_worth_what_it_adds(found: dict[str, Any], rewards: list[float]) -> None:
    assert turn_rewards(found, TWO, [3, 5, 7]) == rewards


def test_what_comes_before_the_first_turn_is_its_own() -> None:
    assert turn_rewards(result(1.0, milestone_mapping={"0": [1, 1.0], "1": [8, 1.0]}), TWO, [3, 7]) == [0.75, 0.25]


def test_no_turns_have_no_rewards() -> None:
    assert turn_rewards(result(0.0), None, []) == []


# Files ---------------------------------------------------------------------------------------


@pytest.fixture
def copied(runs: Runs, tmp_path: Path) -> Path:
    """A run that may be changed."""
    directory = tmp_path / "run" / "trajectories" / "wifi_off"
    directory.mkdir(parents=True)
    for file in (runs.paths[0] / "trajectories" / "wifi_off").iterdir():
        (directory / file.name).write_bytes(file.read_bytes())
    return directory


def test_unknown_tools_are_an_error(copied: Path) -> None:
    file = copied / "execution_context.json"
    world = json.loads(file.read_text("utf-8"))
    world["tool_allow_list"].append("my_tool")
    file.write_text(json.dumps(world), "utf-8")
    with pytest.raises(ConfigurationError, match=r"^tools of the run are not known here \(my_tool\)"):
        read_trajectory(copied.parents[1], {}, "wifi_off")


def test_damage_is_an_error(copied: Path) -> None:
    edit_record(copied, lambda found: {**found, "milestone_mapping": {"7": [5, 1.0]}})
    with pytest.raises(ConfigurationError, match="wifi_off is damaged"):
        read_trajectory(copied.parents[1], {}, "wifi_off")


def test_a_conversation_that_never_began_is_none(copied: Path) -> None:
    (copied / "execution_context.json").unlink()
    assert read_trajectory(copied.parents[1], {}, "wifi_off") is None


def test_runs_of_older_layouts_say_the_same(runs: Runs, tmp_path: Path) -> None:
    older = tmp_path / runs.paths[0].name
    shutil.copytree(runs.paths[0], older)
    make_older(older)
    assert [one.entries for one in read(older).trajectories] == [
        one.entries for one in runs.trajectories if one.metadata["run"] == older.name
    ]
