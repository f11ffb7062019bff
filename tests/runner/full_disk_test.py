"""A full disk: nothing half-written counts, one clear line, and what is missing is played when there is room."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tool_sandbox.analysis.data_loading import load_run
from tool_sandbox.play.trajectory_files import write_bytes
from tool_sandbox.runner.resume import play_resume, prepare_resume
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import FinishedRun
from tool_sandbox.world.errors import StorageError

SCENARIOS = ["wifi*", "cellular*"]
PROCESSES = ("--processes", "2", "--concurrency", "2")

SCRIPT = """
set -u
program="$1"; disk="$2"; kept="$3"; shift 3
mount -t tmpfs -o size=400k tmpfs "$disk" || exit 99
"$program" -m tool_sandbox.cli "$@" --output_dir "$disk" > "$kept/output" 2> "$kept/error"
echo $? > "$kept/code"
cp -r "$disk" "$kept/full"
mount -o remount,size=100m "$disk"
"$program" -m tool_sandbox.cli resume "$disk"/* > "$kept/output_after" 2> "$kept/error_after"
echo $? > "$kept/code_after"
cp -r "$disk" "$kept/after"
"""

LIMITED = """
import resource, sys
from tool_sandbox.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def undisturbed(tmp_path: Path) -> FinishedRun:
    return play(prepare_run("Oracle", "Scripted", SCENARIOS), tmp_path / "undisturbed")


def unshare() -> list[str]:
    """The command that gives a program mounts of its own, for root and for everybody else."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        if shutil.which("unshare") and not subprocess.run([*words, "true"], capture_output=True).returncode:
            return words
    pytest.skip("no program may mount anything here")


def temporary(path: Path) -> list[Path]:
    return [file for file in path.rglob("*") if file.name.endswith(".tmp")]


def assert_scores_equal(path: Path, wanted: FinishedRun) -> None:
    summary = load_run(path).summary
    for key in ("per_scenario_results", "category_aggregated_results", "category_details"):
        assert summary[key] == wanted.summary[key]
    names = {str(file.relative_to(wanted.path)) for file in (wanted.path / "trajectories").rglob("*")}
    assert {str(file.relative_to(path)) for file in (path / "trajectories").rglob("*")} == names


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), PROCESSES])
def test_full_disk(tmp_path: Path, undisturbed: FinishedRun, more: tuple[str, ...]) -> None:
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    kept.mkdir()
    words = [sys.executable, str(disk), str(kept), "--scenarios", *SCENARIOS, *more]
    done = subprocess.run([*unshare(), "sh", "-c", SCRIPT, "sh", *words], capture_output=True, text=True)
    if done.returncode == 99:
        pytest.skip(f"no program may mount anything here: {done.stderr}")
    assert (kept / "code").read_text() == "1\n"
    error = (kept / "error").read_text()
    assert error.count("No space left") == 1
    assert "Traceback" not in error
    (full,) = (kept / "full").iterdir()
    assert temporary(full) == []
    loaded = load_run(full)
    assert 0 < len(loaded.results) < len(undisturbed.results)
    assert not loaded.is_complete
    by_name = {result["directory"]: result for result in undisturbed.results}
    assert all(result == by_name[result["directory"]] for result in loaded.results)
    assert (kept / "code_after").read_text() == "0\n", (kept / "error_after").read_text()
    (after,) = (kept / "after").iterdir()
    assert_scores_equal(after, undisturbed)


@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name == "nt", reason="there are no such limits here")
@pytest.mark.parametrize(("limit", "played", "more"), [(8_000, 0, ()), (8_000, 0, PROCESSES), (20_000, 16, ())])
def test_files_that_may_not_grow(
    tmp_path: Path, undisturbed: FinishedRun, limit: int, played: int, more: tuple[str, ...]
) -> None:
    """The large file of a conversation fails, so its small result is not written either; or only the summary fails."""
    words = [str(limit), "--scenarios", *SCENARIOS, *more, "--output_dir", str(tmp_path / "data")]
    done = subprocess.run([sys.executable, "-c", LIMITED, *words], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("File too large") == 1
    assert played or "STOPPED: cannot write results to " in done.stderr
    assert "Traceback" not in done.stderr
    (path,) = (tmp_path / "data").iterdir()
    assert temporary(path) == []
    assert len(load_run(path).results) == played
    (run,) = play_resume(prepare_resume([path]))
    assert run.is_complete
    assert_scores_equal(path, undisturbed)


@pytest.mark.skipif(os.name == "nt", reason="there are no such limits here")
def test_a_copy_that_has_no_room_is_one_line(tmp_path: Path, undisturbed: FinishedRun) -> None:
    words = ("rescore", str(undisturbed.path), "--to", str(tmp_path / "copy"))
    done = subprocess.run([sys.executable, "-c", LIMITED, "4096", *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"tool_sandbox: cannot write {tmp_path / 'copy'}/")
    assert line.endswith("File too large")


def test_failed_write_changes_nothing(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "file"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(StorageError, match=r"cannot write .*file: File too large"):
            write_bytes(path, b"x" * 1000)  # of which the first hundred bytes are taken
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StorageError, match="No such file or directory"):
        write_bytes(tmp_path / "missing" / "file", b"x")
