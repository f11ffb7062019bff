"""Loading runs: whole, killed or being played, never changed by looking."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tool_sandbox.analysis import load_run, load_runs
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import PARQUET_FILE, SUMMARY_FILE
from tool_sandbox.world.errors import ConfigurationError

NAMES = ["wifi_off", "cellular_off"]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    return play(prepare_run("Unhelpful", scenarios=NAMES), tmp_path_factory.mktemp("runs")).path


@pytest.fixture
def killed(played, tmp_path) -> Path:
    """A run that was killed while its second conversation was played."""
    path = Path(shutil.copytree(played, tmp_path / "run"))
    (path / SUMMARY_FILE).unlink()
    (path / PARQUET_FILE).unlink()
    (path / "trajectories/cellular_off/record.jsonl").unlink()
    return path


def files(path: Path) -> dict[str, int]:
    return {str(file.relative_to(path)): file.stat().st_mtime_ns for file in path.rglob("*")}


def test_a_killed_run_is_loaded_as_far_as_it_came_and_not_touched(killed):
    before = files(killed)
    run = load_run(killed)
    assert run.conversations["name"].to_list() == ["wifi_off"]
    assert run.messages["directory"].unique().to_list() == ["wifi_off"]
    assert run.frame["name"].to_list() == ["wifi_off"]
    assert not run.is_complete
    assert files(killed) == before


def test_a_run_may_be_named_by_its_summary_or_by_hand(played):
    assert load_run(played / SUMMARY_FILE).name == load_run(str(played)).name == played.name
    assert load_run(played, name="mine").conversations["run"].to_list() == ["mine", "mine"]


def test_one_conversation_of_a_run(played):
    view = load_run(played).read_conversation("wifi_off")
    assert view.result["name"] == "wifi_off"


def test_runs_need_names_of_their_own(played, tmp_path):
    with pytest.raises(ConfigurationError, match="same name"):
        load_runs([played, shutil.copytree(played, tmp_path / played.name)])
    with pytest.raises(ConfigurationError, match="no runs"):
        load_runs([])


def test_a_damaged_conversation_says_which(played, tmp_path):
    path = Path(shutil.copytree(played, tmp_path / "run"))
    (path / "trajectories/wifi_off/execution_context.json").write_text("{")
    run = load_run(path)
    assert len(run.conversations) == 2
    with pytest.raises(ConfigurationError, match="wifi_off"):
        run.messages  # noqa: B018 - reading it is what fails


def test_importing_the_package_is_light():
    code = "import sys, tool_sandbox.analysis; print(sorted({'polars', 'rich', 'numpy', 'altair'} & set(sys.modules)))"
    assert json.loads(subprocess.check_output([sys.executable, "-c", code]).decode().replace("'", '"')) == []
