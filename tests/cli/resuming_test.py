"""``tool_sandbox resume``, and what other commands make of a run that was killed or is being played."""

import json
import shutil
from pathlib import Path

import pytest

from tests.shell import Shell
from tool_sandbox.cli import main
from tool_sandbox.runner.store import RunDirectory, read_json

PLAY = ("--scenarios", "wifi_off", "cellular_off", "remove_contact_by_phone")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    assert main([*PLAY, "--output_dir", str(tmp_path / "data")]) == 0
    (path,) = (tmp_path / "data").iterdir()
    return path


@pytest.fixture
def killed(run: Path) -> Path:
    """A run in the state that a kill leaves: one result, the beginnings of another conversation, no summary."""
    for name in ("result_summary.json", "scenario_results_polars.parquet", "floor.json"):
        (run / name).unlink()
    (run / "trajectories" / "cellular_off" / "record.jsonl").unlink()
    (run / "trajectories" / "cellular_off" / ".0123456789abcdef.tmp").write_text("{")
    (run / ".123456789abcdef0.tmp").write_text("{")
    (run / ".holder.json").write_text('{"pid": 1, "host": "h", "since": "s"}')
    shutil.rmtree(run / "trajectories" / "wifi_off")
    return run


@pytest.mark.slow
def test_killed_run_is_finished(killed: Path, shell: Shell) -> None:
    out, err = shell("resume", killed)
    assert out.startswith(f"playing 2 of 3 conversations of {killed}, which are missing\n")
    assert out.endswith(f"results: {killed}\n")
    assert "Traceback" not in err
    assert read_json(killed / "result_summary.json")["run"]["complete"] is True
    assert {file.name for file in killed.iterdir()} == {
        *("run.json", "result_summary.json", "scenario_results_polars.parquet", "floor.json"),
        *("trajectories", ".lock"),
    }
    assert not list(killed.rglob("*.tmp"))
    assert shell("resume", killed).out == f"nothing is missing in {killed}\nresults: {killed}\n"


@pytest.mark.slow
def test_folder_of_runs_is_finished_at_once(killed: Path, shell: Shell) -> None:
    assert main([*PLAY, "--agent", "Unhelpful", "--output_dir", str(killed.parent)]) == 0
    other = next(path for path in killed.parent.iterdir() if path != killed)
    (other / "trajectories" / "wifi_off" / "record.jsonl").unlink()
    assert "playing 3 of 6 conversations of 2 runs" in shell("resume", killed.parent, "--concurrency", "2").out
    for path in (killed, other):
        assert read_json(path / "result_summary.json")["run"]["complete"] is True
    assert "nothing is missing in 2 runs" in shell("resume", killed.parent).out
    printed = shell("resume", killed.parent, "--agent", "Oracle:seed=1", code=2).err
    assert "none of the runs was played with the agent Oracle:seed=1" in printed


def test_run_that_never_began(tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "run" / "trajectories").mkdir(parents=True)
    error = shell.complaint("resume", tmp_path / "run")
    assert "was stopped before its run.json was written: nothing was played" in error
    assert "is not the directory of a run" in shell("resume", tmp_path / "missing", code=2).err


@pytest.mark.slow
def test_run_that_does_not_compare_is_refused(killed: Path, shell: Shell) -> None:
    stored = read_json(killed / "run.json")
    (killed / "run.json").write_text(json.dumps({**stored, "suite": {**stored["suite"], "content_hash": "0"}}))
    before = sorted(killed.rglob("*"))
    assert "the suite has changed (use --anyway)" in shell("resume", killed, code=2).err
    assert sorted(killed.rglob("*")) == before
    assert main(["resume", str(killed), "--anyway"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", [("resume",), ("retry",)])
def test_run_that_is_being_played_is_refused(killed: Path, command: tuple[str, ...], shell: Shell) -> None:
    # Another process would be told the same; that is played in tests/runner/resume_test.py.
    import threading

    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with RunDirectory(killed).claim():
            held.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        before = sorted(killed.rglob("*"))
        printed = shell(*command, killed, code=2)
        error = printed.err
        assert printed.out == "", "nothing is played"
        assert f"tool_sandbox: {killed} is being played by another process (pid " in error
        assert "Traceback" not in error
        assert sorted(killed.rglob("*")) == before
    finally:
        done.set()
        holder.join()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("rescore", "{run}"),
        ("compare", "{run}"),
        ("metrics", "{run}"),
        ("report", "{run}", "-o", "{base}/report.html"),
        ("show", "{run}", "remove_contact_by_phone"),
        ("--agent", "replay:{run}", "--scenarios", "remove_contact_by_phone", "--output_dir", "{base}/replayed"),
    ],
    ids=lambda command: command[0],
)
def test_killed_run_can_be_looked_at_and_is_not_touched(
    killed: Path, tmp_path: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    before = {file: file.read_bytes() for file in killed.rglob("*") if file.is_file()}
    code = main([word.format(run=killed, base=tmp_path) for word in command])
    assert code in (0, 1), capsys.readouterr().err
    after = {file: file.read_bytes() for file in killed.rglob("*") if file.is_file()}
    # What agents without skill score depends on nothing that is played, and may be kept at any time.
    after.pop(killed / "floor.json", None)
    assert after == before
