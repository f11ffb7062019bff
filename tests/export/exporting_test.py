"""What all formats have in common: what is chosen, atomic files, progress, mistakes."""

import io
import json
from pathlib import Path

import pytest

from tests.export.conftest import NAMES, Runs
from tool_sandbox.export import FORMATS, Selection, export_runs
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

COUNT = 2 * len(NAMES)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_runs_give_the_same_bytes(name: str, runs: Runs, tmp_path: Path) -> None:
    contents = []
    for place in ("a", "b"):
        exported = export_runs(runs.paths, name, tmp_path / place / "out")
        assert (exported.conversations, exported.excluded, exported.others, exported.empty) == (COUNT, 0, 0, 0)
        assert {file for file in (tmp_path / place).rglob("*") if file.is_file()} == {*exported.files}
        contents.append([file.read_bytes() for file in exported.files])
    assert contents[0] == contents[1]


@pytest.mark.parametrize(
    "selection",
    [
        Selection(only="success"),
        Selection(only="failed"),
        Selection(min_score=0.5),
        Selection(["wifi_off*"]),
        Selection(["get_wifi", "cellular_off"], "success", 1.0),
    ],
)
def test_only_what_is_wanted(selection: Selection, runs: Runs, tmp_path: Path) -> None:
    exported = export_runs(runs.paths, "sharegpt", tmp_path / "out.jsonl", selection)
    written = [json.loads(line)["metadata"] for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    found = [(metadata["run"], metadata["scenario"]) for metadata in written]
    wanted = [
        (one.metadata["run"], one.metadata["scenario"]) for one in runs.trajectories if selection.fits(one.result)
    ]
    assert found == wanted
    assert (exported.conversations, exported.others) == (len(wanted), COUNT - len(wanted))


def test_progress_is_told(runs: Runs, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    export_runs(runs.paths, "parquet", tmp_path / "out", on_read=lambda done, total: told.append((done, total)))
    assert told == [(number, COUNT) for number in range(1, COUNT + 1)]


def test_what_was_there_stays_until_the_new_one_is_complete(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("before", "utf-8")

    def stumble(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    for name in ("openai-jsonl", "sharegpt", "otel", "parquet"):
        with pytest.raises(KeyboardInterrupt):
            export_runs(runs.paths, name, target, on_read=stumble)
        assert [*tmp_path.iterdir()] == [target]
        assert target.read_text("utf-8") == "before"


def test_mistakes_of_programs_are_told(runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="there is no format 'jsonl'"):
        export_runs(runs.paths, "jsonl", tmp_path / "out")
    with pytest.raises(ConfigurationError, match="only has to be one of all, success, failed"):
        Selection(only="good")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="a number from 0 to 1, not 2"):
        Selection(min_score=2)
    with pytest.raises(ConfigurationError, match="hf is a directory"):
        export_runs(runs.paths, "hf", io.BytesIO())


@pytest.fixture
def nobody_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tool_sandbox.export.trajectory.read_trajectory", lambda *place: None)


@pytest.mark.usefixtures("nobody_speaks")
@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_written_of_nothing(name: str, runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="in no conversation does the agent say anything"):
        export_runs(runs.paths, name, tmp_path / "out")
    assert [*tmp_path.rglob("*")] == []
