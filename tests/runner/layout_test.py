"""What a run leaves on the disk: how many files, how long their paths are, and that older runs have all the same."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tests.records import edit_record, make_older, part_in, result_in
from tool_sandbox.analysis import load_run
from tool_sandbox.analysis.data_loading import get_scenario_pretty_print_path
from tool_sandbox.analysis.metrics import measure_run
from tool_sandbox.cli import main
from tool_sandbox.helpers.paths import escape_name
from tool_sandbox.play import trajectory_files
from tool_sandbox.runner.plan import LONGEST_DIRECTORY, make_plan
from tool_sandbox.runner.resume import play_resume, prepare_resume
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import list_scenarios, named_scenarios
from tool_sandbox.world.errors import StorageError

OUTPUT_DIRECTORY = 60
"""Characters of a place where somebody keeps runs."""

LONG = (
    "add_reminder_content_and_week_delta_and_time_and_location_low_battery_mode_multiple_user_turn_alt"
    "_3_distraction_tools_tool_description_scrambled"
)
NAMES = ["wifi_off", LONG]
PUBLISHED = {"conversation.json", "execution_context.json", "pretty_print.txt"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, loopback_key: None) -> Path:
    """A run of a model, which has a part of every kind but events."""
    brain = SolutionBrain.of(list(named_scenarios(names=NAMES).values()))
    with serve(OpenAIChatDialect(), brain) as server:
        return play(prepare_run(choice(server), "Scripted", NAMES, trials=2), tmp_path_factory.mktemp("runs")).path


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


@pytest.fixture
def long_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of more conversations than have their published files beside them."""
    monkeypatch.setattr("tool_sandbox.runner.run.MOST_WITH_PUBLISHED_FILES", 1)
    return play(prepare_run("Oracle", "Scripted", NAMES), tmp_path / "long").path


def names_in(run: Path) -> dict[str, set[str]]:
    return {path.name: {file.name for file in path.iterdir()} for path in (run / "trajectories").iterdir()}


def test_a_conversation_is_one_file_beside_the_published_ones(played: Path) -> None:
    assert set(map(frozenset, names_in(played).values())) == {frozenset({*PUBLISHED, "record.jsonl"})}
    assert len(names_in(played)) == 4


def test_a_conversation_of_a_long_run_is_one_file(long_run: Path) -> None:
    assert set(map(frozenset, names_in(long_run).values())) == {frozenset({"record.jsonl"})}


def test_paths_have_less_than_200_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    replace = os.replace

    def noted(source: Any, target: Any) -> None:
        opened.extend((str(source), str(target)))
        replace(source, target)

    monkeypatch.setattr(trajectory_files.os, "replace", noted)
    run = play(prepare_run("Oracle", "Scripted", NAMES, trials=2), tmp_path)
    opened += map(str, run.path.rglob("*"))
    assert max(len(path) - len(str(tmp_path)) for path in opened) + OUTPUT_DIRECTORY < 200


def test_all_scenarios_in_all_augmentations_have_short_directories_of_their_own() -> None:
    plan = make_plan([info.name for info in list_scenarios(opt_in=True)], seeds=[0, 10**9], trials=3)
    directories = {episode.directory.lower() for episode in plan}
    assert len(directories) == len(plan) > 14_000
    assert max(map(len, directories)) == LONGEST_DIRECTORY
    assert all(episode.directory == episode.label for episode in plan if len(episode.label) <= LONGEST_DIRECTORY)


def test_a_long_run_says_what_a_short_one_does(
    long_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.undo()
    short = play(prepare_run("Oracle", "Scripted", NAMES), tmp_path / "short").path
    for name in NAMES:
        directory = escape_name(name, LONGEST_DIRECTORY)
        there, here = (path / "trajectories" / directory for path in (short, long_run))
        assert result_in(here) == result_in(there)
        assert part_in(here, "evaluation") == part_in(there, "evaluation")
        assert load_run(long_run).read_conversation(directory) == load_run(short).read_conversation(directory)
        text = get_scenario_pretty_print_path(long_run / "result_summary.json", scenario_name=name)
        assert text == here / "pretty_print.txt"
        assert {file.name for file in here.iterdir()} == {*PUBLISHED, "record.jsonl"}
        for file in PUBLISHED:
            assert (here / file).read_bytes() == (there / file).read_bytes()
    assert main(["rescore", str(long_run), "--to", str(tmp_path / "copy")]) == 0
    assert "2 scored again, 0 moved" in capsys.readouterr().out


def test_a_long_run_that_cannot_be_written_to_is_left_alone(long_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise StorageError(28, "No space left on device", str(path))

    monkeypatch.setattr(trajectory_files, "write_bytes", full)
    path = get_scenario_pretty_print_path(long_run / "result_summary.json", scenario_name="wifi_off")
    assert path == long_run / "trajectories" / "wifi_off" / "pretty_print.txt"
    assert set(map(frozenset, names_in(long_run).values())) == {frozenset({"record.jsonl"})}


@pytest.mark.slow
def test_a_long_run_is_finished_as_it_began(long_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    shutil.rmtree(long_run / "trajectories" / "wifi_off")
    play_resume(prepare_resume([long_run]))
    assert set(map(frozenset, names_in(long_run).values())) == {frozenset({"record.jsonl"})}


def as_older(run: Path) -> None:
    """Gives a run the files, the names and the number of format 2."""
    make_older(run)
    described = json.loads((run / "run.json").read_text("utf-8"))
    for episode in described["episodes"]:
        new, suffix = run / "trajectories" / episode["directory"], f"__trial_{episode['trial']}"
        episode["directory"] = episode["scenario_name"] + (suffix if episode["trial"] else "")
        new.rename(new.with_name(episode["directory"]))
        result = new.with_name(episode["directory"]) / "result.json"
        found = json.loads(result.read_text("utf-8")) | {"directory": episode["directory"]}
        result.write_text(json.dumps(found), "utf-8")
    (run / "run.json").write_text(json.dumps(described), "utf-8")
    (run / "result_summary.json").unlink()


def plain(value: Any) -> Any:
    """Without the names of directories and the number of the format."""
    if isinstance(value, dict):
        left_out = ("directory", "format", "published_files", "path")
        return {key: plain(entry) for key, entry in value.items() if key not in left_out}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def summed_up(path: Path) -> Any:
    return plain(RunDirectory(path).summary())


def frames(path: Path) -> Any:
    run = load_run(path, name="run")
    of_all = (run.conversations, run.messages, run.tool_calls, run.milestones, run.world_changes)
    return [frame.drop("directory").rows() for frame in of_all]


def measured(path: Path) -> Any:
    return measure_run(path)


@pytest.mark.parametrize("read", [summed_up, frames, measured])
def test_an_older_run_says_the_same(run: Path, played: Path, read: Callable[[Path], Any]) -> None:
    as_older(run)
    assert read(run) == read(played)


def test_an_older_run_is_shown_reported_compared_and_scored_again(run: Path, played: Path, capsys: Any) -> None:
    as_older(run)
    assert main(["show", str(run), LONG, "--trial", "1"]) == 0
    older = capsys.readouterr().out
    assert main(["show", str(played), LONG, "--trial", "1"]) == 0
    assert capsys.readouterr().out.replace(played.name, run.name) == older
    assert main(["compare", str(run), str(played)]) == 0
    assert main(["report", str(run), "-o", str(run.parent / "report.html")]) == 0
    assert main(["rescore", str(run), "--to", str(run.parent / "copy")]) == 0
    assert "4 scored again, 0 moved" in capsys.readouterr().out
    assert summed_up(run.parent / "copy") == summed_up(played)
    assert set(map(frozenset, names_in(run.parent / "copy").values())) == {frozenset({*PUBLISHED, "record.jsonl"})}


def test_an_older_run_is_replayed(run: Path, tmp_path: Path) -> None:
    as_older(run)
    again = play(prepare_run(f"replay:{run}", "Scripted", NAMES, trials=2), tmp_path)
    assert again.summary["replay"] == {"identical": 4, "diverged": 0, "unused": 0, "first": None}


@pytest.mark.slow
def test_an_older_run_is_finished_in_its_own_directories(tmp_path: Path) -> None:
    run = play(prepare_run("Oracle", "Scripted", NAMES), tmp_path).path
    before = summed_up(run)
    as_older(run)
    names = set(names_in(run))
    (run / "trajectories" / LONG / "result.json").unlink()
    (finished,) = play_resume(prepare_resume([run]))
    assert finished.is_complete
    assert set(names_in(run)) == names == set(NAMES)
    assert names_in(run)[LONG] == {*PUBLISHED, "record.jsonl"}
    assert {**summed_up(run), "run": None} == {**before, "run": None}


def test_what_a_replaced_attempt_used_counts_in_both_formats(run: Path) -> None:
    directories = [episode["directory"] for episode in RunDirectory(run).read_run()["episodes"]]
    store = RunDirectory(run)
    entry = {"started": "2026-01-01T00:00:00+00:00", "agent": "Oracle", "episodes": directories[:2]}
    nothing = {"replaced_usage": dict.fromkeys(("agent", "user", "judge"))}
    store.begin_retry(store.read_run() | {"retries": [entry | nothing]})
    store.clear(directories[0])
    for name in directories[1:2]:
        edit_record(store.trajectory(name), lambda result: result)
        (store.trajectory(name) / "result.json").write_text(json.dumps(result_in(store.trajectory(name))), "utf-8")
        store.clear(name)
    assert {path.suffix for path in (run / "replaced" / "1").iterdir()} == {".json", ".jsonl"}
    (entry,) = store.read_run()["retries"]
    assert entry["replaced_usage"]["agent"]["calls"] >= 4


def test_a_run_that_format_2_wrote_loads(tmp_path: Path, capsys: Any) -> None:
    stored = json.loads(Path(__file__).with_name("run_of_format_2.json").read_text("utf-8"))
    for name, content in stored.items():
        file = tmp_path / "run" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    run = load_run(tmp_path / "run")
    assert [result["name"] for result in run.results] == NAMES
    view = run.read_conversation(LONG)
    assert (len(view.messages), len(view.milestones), len(view.tools)) == (7, 2, 15)
    assert main(["show", str(run.path), LONG]) == 0
    assert main(["metrics", str(run.path)]) == 0
    assert "2 conversations of 2 scenarios" in capsys.readouterr().out
    assert get_scenario_pretty_print_path(run.path / "result_summary.json", scenario_name=LONG).is_file()
