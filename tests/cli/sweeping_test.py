import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.runner.store_test import result
from tests.shell import Shell
from tool_sandbox.analysis import load_runs
from tool_sandbox.analysis.report.folder import Folder
from tool_sandbox.analysis.report.index import build_index
from tool_sandbox.cli import main
from tool_sandbox.cli.stored import run_paths
from tool_sandbox.cli.sweep_report import runs_table, to_resume
from tool_sandbox.runner.floor import FLOOR_FILE
from tool_sandbox.runner.store import FinishedRun, RunDirectory
from tool_sandbox.runner.summary import summarise
from tool_sandbox.runner.sweep_directory import SWEEP_FILE, SweepDirectory

SMALL = ("--scenarios", "wifi_off", "get_wifi", "--trials", "2")
_CONTROL = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


def only_sweep(base: Path) -> SweepDirectory:
    (path,) = base.glob("sweep_*")
    return SweepDirectory(path)


def played(base: Path, *words: object) -> SweepDirectory:
    assert main(["sweep", *map(str, words), "-o", str(base)]) == 0
    return only_sweep(base)


def test_a_sweep_ends_with_a_row_a_run(tmp_path: Path, shell: Shell) -> None:
    said = shell("sweep", "--agent", "Oracle", "Unhelpful", *SMALL, "-o", tmp_path, "--name", "two")
    directory = only_sweep(tmp_path)
    lines = said.out.splitlines()
    assert lines[0] == f"sweep two: 2 runs, 8 conversations; results go to {directory.path}"
    assert [line.split() for line in lines[4:8]] == [
        ["Oracle", "4", "1.000", "100.0%", "0", "0", "-"],
        ["Unhelpful", "4", "0.000", "0.0%", "0", "0", "-"],
        ["floor:", "refusing", "0.000", "0.0%"],
        ["floor:", "request-blind", "0.000", "0.0%"],
    ]
    assert lines[-3:] == [
        f"results: {directory.path}",
        f"what differs:  tool_sandbox compare {directory.path}",
        f"look at it:    tool_sandbox report {directory.path}",
    ]
    assert said.err.splitlines()[-1].startswith("played 8/8")
    assert "success: Oracle 100.0%, Unhelpful 0.0%" in said.err
    for path in directory.runs().values():
        assert RunDirectory(path).rebuild_summary()["run"]["complete"]
        assert (path / FLOOR_FILE).exists()


def test_a_dry_run_lists_runs_and_writes_nothing(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('agents = ["Oracle"]\nscenarios = ["wifi_off"]\ntrials = 3', "utf-8")
    out = tmp_path / "data"
    agents = ("Oracle:error_rate=0.1", "Unhelpful")
    lines = shell("sweep", file, "--dry-run", "--agents", *agents, "-o", out).out.splitlines()
    assert lines[0] == "would play: sweep mine, 6 conversations in 2 runs"
    assert [line.split()[:2] for line in lines[5:7]] == [["Oracle:error_rate=0.1", "3"], ["Unhelpful", "3"]]
    assert lines[-2:] == ["no model plays, so this costs nothing", "nothing was sent or written"]
    assert not out.exists()


def test_a_dry_run_estimates_what_models_cost(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
    agents = ("anthropic/claude-sonnet-5-5", "vllm/m", "Oracle")
    out = shell("sweep", "--agent", *agents, *SMALL, "--max-tokens-total", "5000", "--dry-run").out
    row = next(line for line in out.splitlines() if line.startswith("anthropic/")).split()
    assert row[1] == "4"
    assert row[4].startswith("$")
    assert "price: unknown for vllm/m" in out
    assert "budget: 5,000 tokens" in out
    assert all(len(line) <= 80 for line in out.splitlines() if not line.startswith(("ESTIMATE", "price")))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a file such as sweep.toml, or agents"),
        (("none.toml",), "cannot read none.toml: No such file or directory"),
        (("--agent", "Oracle", "Oracle"), "'Oracle' occurs twice"),
        (("--agent", "Orakel"), "there is no agent 'Orakel'"),
        (("--agent", "Oracle", "--scenarios", "wifi_of"), "Did you mean: wifi_off"),
        (("--agent", "Oracle", "--scenarios"), "--scenarios needs at least one name"),
        (("--agent", "Oracle", "--test_mode", "--scenarios", "wifi_off"), "leave out --scenarios"),
        (("--agent", "Oracle", "--trials", "0"), "not a positive whole number"),
        (("--agent", "Oracle", "--frobnicate"), "--frobnicate"),
    ],
)
def test_mistakes_are_said_before_anything_is_played(
    words: Sequence[str], said: str, tmp_path: Path, shell: Shell
) -> None:
    assert said in shell.complaint("sweep", *words, "-o", tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_flags_take_precedence_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('agents = ["Unhelpful"]\nscenarios = ["wifi*"]\ntrials = 3\nseeds = [0]', "utf-8")
    directory = played(tmp_path, file, "--trials", "1", "--scenario", "get_wifi", "--seed", "1", "2")
    asked = directory.read()["asked"]
    assert (asked["trials"], asked["scenarios"], asked["seeds"]) == (1, ["get_wifi"], [1, 2])
    assert asked["agents"] == [{"agent": "Unhelpful", "label": "Unhelpful"}]


def test_other_commands_take_a_sweep_for_its_runs(tmp_path: Path, shell: Shell) -> None:
    directory = played(tmp_path, "--agent", "Unhelpful", "Oracle", *SMALL)
    runs = list(directory.runs().values())
    # In the order of the sweep, which is not that of their names.
    assert run_paths([directory.path]) == run_paths([directory.path / SWEEP_FILE]) == runs != sorted(runs)
    assert "nothing is missing" in shell("resume", directory.path).out


@pytest.mark.slow
def test_a_removed_run_of_a_sweep_is_named_and_the_others_are_finished(tmp_path: Path, shell: Shell) -> None:
    directory = played(tmp_path, "--agent", "Unhelpful", "Oracle", *SMALL)
    gone, left = directory.runs().values()
    shutil.rmtree(gone)
    next(left.glob("trajectories/*/record.jsonl")).unlink()
    said = shell("resume", directory.path)
    assert f"the run Unhelpful of {directory.path} is missing: {gone.name} has no run.json" in said.err
    assert f"playing 1 of 4 conversations of {left}, which are missing" in said.out
    assert main(["metrics", str(directory.path)]) == 0
    shutil.rmtree(left)
    assert main(["resume", str(directory.path)]) == 2


def test_tables_show_the_labels_of_a_sweep(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('agents = ["Oracle", { agent = "Oracle:error_rate=0.5", label = "many slips" }]', "utf-8")
    directory = played(tmp_path, file, *SMALL)
    assert "2 many slips" in shell("metrics", directory.path).out
    for baseline in ("many slips", "Oracle:error_rate=0.5"):
        printed = shell("compare", directory.path, "--baseline", baseline).out
        assert "whether Oracle differs from many slips" in " ".join(printed.split())
    runs = load_runs(directory.runs().values())
    assert [run.name for run in runs] == ["Oracle", "many slips"]
    assert runs.conversations["run"].unique(maintain_order=True).to_list() == ["Oracle", "many slips"]
    shown = [run.look()[1] for run in Folder(directory.path).runs().values()]
    assert {run["label"] for run in build_index(shown, "x")["runs"]} == {"Oracle", "many slips"}
    # A name is no reason to refuse a run that is whole.
    run = directory.runs()["many slips"]
    (directory.path / SWEEP_FILE).write_text("{", "utf-8")
    assert main(["metrics", str(run)]) == 0


def test_too_many_errors_leave_bounds_instead_of_a_score(tmp_path: Path) -> None:
    lost = {"evaluated": False, "outcome": "infrastructure_error", "fault": "timeout", "success": False}
    results = [result("a"), result("b", 0.5), result("c", 0.0, **lost), result("d", 0.0, **lost)]
    table = runs_table({"x": FinishedRun(tmp_path, summarise(results, {}, None))}, None, 80)
    assert table.splitlines()[-1].split() == ["x", "4", "0.375-0.875", "25.0%-75.0%", "0", "2", "-"]


def test_interrupted_runs_are_scored_by_what_both_played(tmp_path: Path) -> None:
    long, short = [result("a"), result("b", 0.0), result("c", 0.0)], [result("a", 0.5), result("b")]
    planned = {"planned": 3}
    runs = {
        label: FinishedRun(tmp_path, summarise(each, planned, None))
        for label, each in (("long", long), ("short", short))
    }
    lines = runs_table(runs, None, 80).splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["long", "short"]
    assert [line.split()[2] for line in lines[2:4]] == ["0.500", "0.750"]
    assert lines[-1].startswith("over the 2 scenarios that all runs played")
    apart = {
        "x": FinishedRun(tmp_path, summarise(long, {}, None)),
        "y": FinishedRun(tmp_path, summarise([result("z")], {}, None)),
    }
    assert "no scenario was played by all runs" in runs_table(apart, None, 80)


def test_wide_labels_fit_into_the_table(tmp_path: Path) -> None:
    run = FinishedRun(tmp_path, summarise([result("a")], {}, None))
    label = "provider/some-model-with-a-name:reasoning=high,temperature=0.7, provider/another-model"
    for width in (80, 60):
        table = runs_table({label: run, "b": run}, None, width)
        assert all(len(line) <= width for line in table.splitlines())
        assert "excluded" not in table
    assert "excluded" in runs_table({"b": run}, None, 80)


def _start(base: Path, columns: int, rows: int, *words: str) -> tuple["subprocess.Popen[bytes]", int]:
    """Starts a sweep on a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "tool_sandbox.cli", "sweep", *words, "-o", str(base)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    return process, ours


def _read(terminal: int, *, until: str | None = None) -> str:
    """What comes out of a terminal, to its end or until something is shown."""
    seen = b""
    while until is None or until not in _CONTROL.sub("", seen.decode("utf-8", "replace")):
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    return seen.decode("utf-8", "replace")


@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 20)])
def test_no_line_is_torn_on_a_real_terminal(columns: int, rows: int, tmp_path: Path) -> None:
    agents = ("Oracle", "Oracle:error_rate=0.1", "Oracle:error_rate=0.3")
    process, terminal = _start(tmp_path, columns, rows, "--agent", *agents, *SMALL, "--scenarios", "wifi_off*")
    text = _CONTROL.sub("", _read(terminal))
    assert process.wait() == 0
    shown = [line for line in re.split(r"[\r\n]+", text) if line]
    live = [line for line in shown if "━" in line or "elapsed" in line or "/60" in line]
    assert any("elapsed" in line for line in live)
    assert max(map(len, live)) < columns
    assert any(line.startswith("floor: refusing") for line in shown)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_interrupted_sweep_can_be_resumed(tmp_path: Path, shell: Shell) -> None:
    agents = ("--agent", "Oracle", "Oracle:error_rate=0.3", "--concurrency", "1")
    process, terminal = _start(tmp_path, 80, 24, *agents, "--scenarios", "wifi*", "--trials", "9")
    _read(terminal, until="elapsed, ")
    directory = only_sweep(tmp_path)
    while not list(directory.path.glob("*/trajectories/*/record.jsonl")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    text = _CONTROL.sub("", _read(terminal))
    assert process.wait() == 130
    assert f"play the rest: tool_sandbox resume {directory.path}" in re.sub(r"\r?\n", "", text).replace("\r", "")
    planned = {path: len(RunDirectory(path).read_run()["episodes"]) for path in directory.runs().values()}
    played = {path: len(RunDirectory(path).read_results()) for path in planned}
    assert 0 < sum(played.values()) < sum(planned.values())
    lines = [line.split() for line in shell("resume", directory.path).out.splitlines()]
    assert {path: len(RunDirectory(path).read_results()) for path in planned} == planned
    assert ["Oracle", "72", "1.000", "100.0%"] in [line[:4] for line in lines]
    assert ["floor:", "refusing"] in [line[:2] for line in lines]


def test_what_is_left_of_a_sweep_is_told_with_the_flags_to_repeat(tmp_path: Path) -> None:
    def run(label: str, agent: str, *, complete: bool) -> FinishedRun:
        stored = {"agent": agent, "user": "Scripted", "services": {"mode": "offline"}, "complete": complete}
        return FinishedRun(tmp_path / label, {"run": stored})

    one, other = "my agent.py:A", "other.py:B"
    assert list(to_resume(tmp_path, [run("a", "Oracle", complete=False), run("b", "Oracle", complete=True)])) == [
        str(tmp_path)
    ]
    assert list(to_resume(tmp_path, [run("a", one, complete=False), run("b", one, complete=False)])) == [
        f"{tmp_path} --agent 'my agent.py:A'"
    ]
    runs = [run("a", one, complete=False), run("b", other, complete=False), run("c", "Oracle", complete=True)]
    assert list(to_resume(tmp_path, runs)) == [
        f"{tmp_path}/a --agent 'my agent.py:A'",
        f"{tmp_path}/b --agent other.py:B",
    ]
