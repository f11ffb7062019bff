"""The real program, killed with SIGKILL again and again: nothing is lost, nothing counted twice, the end is the same.

Each test kills runs at points drawn from a fixed seed: some after a time, some when the next results appear, some while
a run is summed up. After every kill the directory is looked at; then it is resumed, which is killed too.
"""

import fnmatch
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Heard, Loopback, Move, serve
from tests.records import trajectories, without_resumption
from tool_sandbox.analysis.data_loading import load_run
from tool_sandbox.runner.lineage import split_name
from tool_sandbox.runner.selection import select
from tool_sandbox.runner.store import read_json
from tool_sandbox.scenarios import named_scenarios

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("loopback_key"),
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here"),
]

SCENARIOS = [info.name for info in select(None) if info.name == split_name(info.name)[0]][::16]
"""One in sixteen, from all over the suite."""

LIMIT_S = 240.0
"""After this a program is taken to hang."""


def program(*words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tool_sandbox.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def output_of(process: "subprocess.Popen[str]") -> str:
    output, _ = process.communicate(timeout=LIMIT_S)
    return output


def finished(run: Path) -> set[str]:
    return {file.parent.name for file in run.glob("trajectories/*/record.jsonl")}


@attrs.frozen
class Stored:
    """What an undisturbed run left, by the name of its agent."""

    summary: dict[str, Any]
    files: dict[str, bytes]
    table: bytes
    floor: bytes

    @classmethod
    def of(cls, run: Path) -> "Stored":
        files = trajectories(run)
        table, floor = (run / name for name in ("scenario_results_polars.parquet", "floor.json"))
        return cls(without_resumption(load_run(run).summary), files, table.read_bytes(), floor.read_bytes())


@attrs.define(slots=False)
class Killer:
    """Plays one command until it is done, killing it on the way.

    Attributes:
        command: What is played, without the directory for results.
        base: Where the directories for results are made.
        seed: Decides when the program is killed.
        in_words: What of a run has to be the same in the end.
    """

    command: Sequence[str]
    base: Path
    seed: int
    in_words: Callable[[Path], Any] = Stored.of
    kills: int = 0

    def __attrs_post_init__(self) -> None:
        self.random = random.Random(self.seed)
        process = program(*self.command, "--output_dir", str(self.base / "undisturbed"))
        output = output_of(process)
        assert process.returncode == 0, output
        self.wanted = {self.agent(run): self.in_words(run) for run in self.runs("undisturbed")}
        self.results = {self.agent(run): self.results_of(run) for run in self.runs("undisturbed")}

    def runs(self, place: str) -> list[Path]:
        return sorted(file.parent for file in (self.base / place).rglob("run.json"))

    def agent(self, run: Path) -> str:
        return str(read_json(run / "run.json")["agent"])

    def results_of(self, run: Path) -> dict[str, float]:
        return {result["directory"]: result["similarity"] for result in load_run(run).results}

    def play(self, kills: int) -> None:
        """Plays whole runs until so many kills have hit, the last run to its end."""
        number = 0
        while self.kills < kills:
            place = f"run_{number}"
            number += 1
            resume = None
            while not self.step(place, resume, may_kill=self.kills < kills):
                resume = next((self.base / place).glob("*"), None)
            self.compare(place)
            shutil.rmtree(self.base / place)

    def step(self, place: str, resume: Path | None, *, may_kill: bool) -> bool:
        """Starts or resumes, and perhaps kills. Says whether all is played."""
        words = ("resume", str(resume)) if resume else (*self.command, "--output_dir", str(self.base / place))
        if resume and self.command[0] == "--agent":
            # An address and the name of a key have to be said again.
            words += tuple(self.command[:2])
        if resume and "--processes" in self.command:
            words += ("--processes", "2")
        before = {run: finished(run) for run in self.runs(place)}
        process = program(*words)
        is_killed = may_kill and self.kill(process, self.moment(place))
        output = output_of(process)
        if not is_killed:
            if resume and process.returncode == 2:
                # Nothing can be resumed that was killed before it had begun; there is one clear line about it.
                assert not finished_anywhere(self.base / place)
                assert "before" in output, output
                assert output.count("\n") == 1, output
                shutil.rmtree(self.base / place)
                return self.step(place, None, may_kill=False)
            assert process.returncode == 0, output
        # One that had made nothing yet, not even its directory, does not count.
        self.kills += is_killed and (self.base / place).exists()
        for run in self.runs(place):
            assert before.get(run, set()) <= finished(run), "a finished conversation was lost"
            self.check(run)
        return not is_killed

    def kill(self, process: "subprocess.Popen[str]", has_come: Callable[[], bool]) -> bool:
        """Kills the program when the moment has come; says whether that was before its end."""
        deadline = time.monotonic() + LIMIT_S
        while process.poll() is None and not has_come():
            assert time.monotonic() < deadline, "the program hangs"
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def moment(self, place: str) -> Callable[[], bool]:
        """Draws when to kill: after a time, at the next results, or when a run is being summed up."""
        kind = self.random.choices(("time", "results", "start", "summary"), (3, 5, 1, 2))[0]
        base = self.base / place
        if kind == "time":
            at = time.monotonic() + self.random.uniform(0.1, 1.2)
            return lambda: time.monotonic() > at
        if kind == "results":
            enough = finished_anywhere(base) + self.random.randint(1, 8)
            return lambda: finished_anywhere(base) >= enough
        if kind == "start":
            return lambda: bool(found(base, ".holder.json"))
        names = self.random.choice((".result_summary.json*", "result_summary.json", ".scenario_results*", "floor.json"))
        there = found(base, names)
        return lambda: not there.issuperset(found(base, names))

    def check(self, run: Path) -> None:
        """What holds after every kill."""
        files = set(run.rglob("*"))
        loaded = load_run(run)
        assert set(run.rglob("*")) == files, "looking at a run changed it"
        names = [result["directory"] for result in loaded.results]
        assert len(names) == len(set(names))
        assert set(names) == finished(run)
        assert loaded.is_complete == (len(names) == len(self.results[self.agent(run)]))
        wanted = self.results[self.agent(run)]
        assert {result["directory"]: result["similarity"] for result in loaded.results} == {
            name: wanted[name] for name in names
        }

    def compare(self, place: str) -> None:
        """What holds in the end."""
        runs = self.runs(place)
        assert {self.agent(run): self.in_words(run) for run in runs} == self.wanted
        for run in runs:
            hidden = {file.name for file in run.iterdir() if file.name.startswith(".")}
            assert hidden <= {".lock"}, "something is left of a killed program"


def finished_anywhere(base: Path) -> int:
    return len(found(base, "record.jsonl"))


def found(base: Path, pattern: str) -> set[str]:
    """Files below a directory in which a program makes and removes others meanwhile, by which a glob is put off."""
    return {
        str(Path(folder, name))
        for folder, _, names in os.walk(base)  # which leaves out what has gone
        for name in names
        if fnmatch.fnmatch(name, pattern)
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_run_in_threads(tmp_path: Path, seed: int) -> None:
    command = ("--agent", "Oracle:error_rate=0.3", "--trials", "2", "--scenarios", *SCENARIOS)
    Killer(command, tmp_path, seed).play(8)


def test_run_in_processes(tmp_path: Path) -> None:
    command = ("--agent", "Oracle", "--processes", "2", "--concurrency", "4", "--scenarios", *SCENARIOS)
    Killer(command, tmp_path, 3).play(10)


def test_sweep(tmp_path: Path) -> None:
    agents = ("Oracle", "Oracle:error_rate=0.3", "Unhelpful")
    Killer(("sweep", "--agents", *agents, "--scenarios", *SCENARIOS), tmp_path, 4).play(12)


@pytest.fixture
def server() -> Iterator[Loopback]:
    brain = SolutionBrain.of(list(named_scenarios(names=SCENARIOS).values()))

    def answer(heard: Heard) -> Move:
        time.sleep(0.02)
        return brain(heard)

    with serve(OpenAIChatDialect(), answer) as loopback:
        yield loopback


def test_run_with_a_model(tmp_path: Path, server: Loopback) -> None:
    command = ("--agent", choice(server), "--concurrency", "8", "--scenarios", *SCENARIOS)
    Killer(command, tmp_path, 5, without_times).play(12)


def without_times(run: Path) -> Any:
    """What a run with a model says but for how long everything took: every call and token counts once."""
    summary = without_resumption(load_run(run).summary)
    for usages in (summary["usage"], *(result["usage"] for result in summary["per_scenario_results"])):
        for usage in usages.values():
            if usage is not None:
                del usage["latency_s"]
    for details in summary["category_details"].values():
        del details["usage"]
    return summary, sorted(trajectories(run))
