"""Runs of earlier versions load in the present shape; those of later ones, and damaged ones, are one clear line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.records import edit_record, make_older
from tool_sandbox.analysis.data_loading import load_run
from tool_sandbox.records.run import RUN_FORMAT
from tool_sandbox.runner.formats import current_result
from tool_sandbox.runner.resume import play_resume, prepare_resume
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.store import FinishedRun, RunDirectory, read_json
from tool_sandbox.world.errors import ConfigurationError

NAMES = ["wifi_off", "wifi_off_10_distraction_tools", "remove_contact_by_phone"]
LATER = ("minefield_hit", "family", "base_name", "augmentation")
"""Keys that the results of format 1 did not have at first."""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return play(prepare_run("Oracle", "Scripted", NAMES), tmp_path_factory.mktemp("data"))


@pytest.fixture
def run(fresh: FinishedRun, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    import shutil

    return Path(shutil.copytree(fresh.path, tmp_path / "run"))


def change(file: Path, how: Callable[[Any], Any]) -> None:
    if file.suffix == ".jsonl":
        edit_record(file.parent, how)
        return
    content = read_json(file)
    changed = how(content)
    file.write_text(json.dumps(content if changed is None else changed), "utf-8")


def make_old(path: Path) -> None:
    """Gives a run the shape of format 1."""

    def older(result: dict[str, Any]) -> None:
        for key in LATER:
            del result[key]

    def oldest(summary: dict[str, Any]) -> None:
        summary["run"]["format"] = 1
        del summary["run"]["interrupted"]
        for result in summary["per_scenario_results"]:
            older(result)

    make_older(path)
    change(path / "run.json", lambda described: described.update(format=1))
    change(path / "result_summary.json", oldest)
    for file in path.glob("trajectories/*/result.json"):
        change(file, older)


@pytest.mark.parametrize("is_summed_up", [True, False])
def test_older_run_loads_in_the_present_shape(run: Path, fresh: FinishedRun, is_summed_up: bool) -> None:
    make_old(run)
    if not is_summed_up:
        (run / "result_summary.json").unlink()
    loaded = load_run(run)
    assert loaded.results == fresh.results
    assert loaded.summary["run"]["format"] == RUN_FORMAT
    assert loaded.is_complete
    assert loaded.frame.equals(fresh.frame)
    for result in loaded.results:
        jsonschema.validate(result, load_schema("result"))


def test_older_run_is_resumed(run: Path, fresh: FinishedRun) -> None:
    make_old(run)
    (run / "trajectories" / "wifi_off" / "result.json").unlink()
    (resumed,) = play_resume(prepare_resume([run]))
    assert [result["similarity"] for result in resumed.results] == [1, 1, 1]
    jsonschema.validate(read_json(run / "run.json"), load_schema("run"))
    jsonschema.validate(read_json(run / "result_summary.json"), load_schema("result_summary"))
    assert resumed.summary["category_details"] == fresh.summary["category_details"]


def test_family_of_an_older_result_of_another_suite(fresh: FinishedRun) -> None:
    older = {key: value for key, value in fresh.results[1].items() if key not in LATER}
    assert current_result(older | {"name": "theirs_all_tools"}, Path("x"))["family"] == "theirs"


def test_minefields_of_older_runs() -> None:
    keys: dict[str, Any] = {"name": "a", "categories": [], "traceback": None, "exception_type": None, "turn_count": 3}
    keys |= {"milestone_mapping": {}, "minefield_mapping": {}, "milestone_similarity": 1.0}
    hits = [
        current_result(keys | {"minefield_similarity": met, "similarity": similarity}, Path("x"))["minefield_hit"]
        for met, similarity in ((0, 1.0), (0.5, 1.0), (1.0, 0.0))
    ]
    assert hits == [False, False, True]


@pytest.mark.parametrize("name", ["run.json", "result_summary.json"])
def test_newer_run_is_refused(run: Path, name: str) -> None:
    described: Callable[[Any], Any] = lambda content: content.get("run", content).update(format=RUN_FORMAT + 1)  # noqa: E731
    change(run / name, described)
    if name == "run.json":
        (run / "result_summary.json").unlink()
        with pytest.raises(ConfigurationError, match="update tool_sandbox"):
            prepare_resume([run])
    with pytest.raises(ConfigurationError, match=rf"{name} was written by a newer version .*; update tool_sandbox$"):
        load_run(run)


def without(key: str) -> Callable[[Any], Any]:
    return lambda content: {name: value for name, value in content.items() if name != key}


def having(key: str, value: Any) -> Callable[[Any], Any]:
    return lambda content: {**content, key: value}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (lambda _: [], "does not describe a run"),
        (without("format"), "has no valid format number"),
        (having("format", "2"), "has no valid format number"),
        (having("format", 0), "has no valid format number"),
        (without("agent"), "'agent' is missing"),
        (having("agent", 3), "'agent' should be a valid string: 3"),
        (having("seeds", [0, "1"]), r"'seeds\[1\]' should be a valid integer: '1'"),
        (having("episodes", None), "'episodes' should be a valid list: None"),
        (having("episodes", [{"scenario_name": "a", "seed": 0, "trial": 0}]), r"'episodes\[0\].directory' is missing"),
        (
            having("episodes", [{"scenario_name": "a", "seed": 0, "trial": 0, "directory": "../../a"}]),
            r"'episodes\[0\].directory' should be the name of a directory: '",
        ),
        (
            having("episodes", [{"scenario_name": "a", "seed": 0, "trial": 0, "directory": ".."}]),
            r"'episodes\[0\].directory' should be the name of a directory: '",
        ),
        (having("profile", "lenient"), "'profile' should be 'published' or 'strict': 'lenient'"),
        (having("seeds", []), r"'seeds' should have at least 1 item: \[\]$"),
        (having("trials", 0), "'trials' should be greater than or equal to 1: 0"),
        (having("services", {}), "'services.mode' is missing"),
        (having("models", {"agent": {"provider": "openai"}}), "'models.agent.model' is missing"),
        (having("retries", "none"), "'retries' should be a valid list: 'none'"),
    ],
)
def test_damaged_description_is_one_clear_line(run: Path, how: Callable[[Any], Any], words: str) -> None:
    (run / "result_summary.json").unlink()
    change(run / "run.json", how)
    for read in (load_run, lambda path: prepare_resume([path])):
        with pytest.raises(ConfigurationError, match=words) as caught:
            read(run)
        assert "run.json" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (lambda _: [], "is no result of a conversation"),
        (without("name"), "'name' is missing"),
        (without("similarity"), "'similarity' is missing"),
        (having("similarity", "1"), "'similarity' should be a valid number: '1'"),
        (having("similarity", float("nan")), "is not a JSON file: NaN is no number"),
        (having("similarity", True), "'similarity' should be a valid number: True"),
        (having("similarity", 1.1), "'similarity' should be less than or equal to 1"),
        (having("categories", [1]), r"'categories\[0\]' should be a valid string: 1"),
        (having("outcome", "fine"), "'outcome' should be 'completed', .* or 'user_error': 'fine'"),
        (having("trial", -1), "'trial' should be greater than or equal to 0: -1"),
        (having("usage", {"agent": {"calls": 3}}), "'usage.agent.attempts' is missing"),
        (having("side_effects", [None]), r"'side_effects\[0\]' should be a valid dictionary: None"),
        (having("replay", {}), "'replay.calls' is missing"),
        (having("name", "x" * 999 + "\x1b[2J"), "is not the result"),
    ],
)
@pytest.mark.parametrize("is_old", [False, True])
def test_damaged_result_is_one_clear_line_and_played_again(
    run: Path, how: Callable[[Any], Any], words: str, is_old: bool
) -> None:
    if is_old:
        make_older(run)
    file = run / "trajectories" / "wifi_off" / ("result.json" if is_old else "record.jsonl")
    if words == "is not the result":
        change(file, having("directory", "x" * 999 + "\x1b[2J"))
    else:
        change(file, how)
    with pytest.raises(ConfigurationError, match=words) as caught:
        RunDirectory(run).read_results()
    assert file.name in str(caught.value)
    assert "tool_sandbox resume" in str(caught.value)
    assert str(caught.value).isprintable()
    (retry,) = prepare_resume([run]).missing
    assert [episode.directory for episode in retry.run.episodes] == ["wifi_off"]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (lambda _: {}, "is not the summary of a run"),
        (having("per_scenario_results", [{}]), "'name' is missing"),
        (having("run", 3), "run is not an object"),
    ],
)
def test_damaged_summary_is_one_clear_line(run: Path, how: Callable[[Any], Any], words: str) -> None:
    change(run / "result_summary.json", how)
    with pytest.raises(ConfigurationError, match=words) as caught:
        load_run(run)
    assert "\n" not in str(caught.value)


def test_summary_that_was_cut_off_is_computed(run: Path, fresh: FinishedRun) -> None:
    (run / "result_summary.json").write_text('{"per_scenario_results": [')
    assert load_run(run).summary == fresh.summary
