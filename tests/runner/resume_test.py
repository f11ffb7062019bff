"""What is missing in a run is played, and nothing else; nobody else writes into a run meanwhile."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from tests.loopback.brain import SolutionBrain, WithReplacements
from tests.loopback.choice import choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Heard, Loopback, Move, serve
from tests.records import trajectories, without_resumption
from tool_sandbox.analysis.data_loading import load_run
from tool_sandbox.runner.resume import play_resume, prepare_resume
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.store import FinishedRun, RunDirectory, read_json
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConfigurationError

NAMES = ["wifi_off", "cellular_off", "remove_contact_by_phone"]
BRAIN = SolutionBrain.of(list(named_scenarios(names=NAMES).values()))


@pytest.fixture
def run(tmp_path: Path) -> FinishedRun:
    return play(prepare_run("Oracle", "Scripted", NAMES, threads=1), tmp_path / "data")


def result_file(run: FinishedRun, name: str) -> Path:
    return run.path / "trajectories" / name / "record.jsonl"


def resumed(*runs: FinishedRun) -> list[FinishedRun]:
    agents = [run.summary["run"]["agent"] for run in runs]
    return play_resume(prepare_resume([run.path for run in runs], agent=agents))


def missing(run: FinishedRun) -> list[str]:
    return [episode.directory for retry in prepare_resume([run.path]).missing for episode in retry.run.episodes]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", [None, "", '{"name": "wifi_o', "[]", '{"directory": "cellular_off"}', '"\ufffd"'])
def test_missing_or_damaged_result_is_played_and_nothing_else(run: FinishedRun, damage: str | None) -> None:
    before = trajectories(run.path)
    untouched = result_file(run, "cellular_off").stat().st_mtime_ns
    file = result_file(run, "wifi_off")
    if damage is None:
        shutil.rmtree(file.parent)
    else:
        file.write_text(damage, "utf-8")
        (file.parent / "left_over.txt").write_text("of the first attempt")
    assert missing(run) == ["wifi_off"]
    (again,) = resumed(run)
    assert trajectories(run.path) == before
    assert result_file(run, "cellular_off").stat().st_mtime_ns == untouched
    assert without_resumption(again.summary) == without_resumption(run.summary)
    (entry,) = read_json(run.path / "run.json")["retries"]
    assert entry["episodes"] == ["wifi_off"]
    assert missing(run) == []


def test_result_of_another_conversation_is_none(run: FinishedRun) -> None:
    shutil.copy(result_file(run, "cellular_off"), result_file(run, "wifi_off"))
    with pytest.raises(ConfigurationError, match=r"wifi_off/record.jsonl is not the result .*tool_sandbox resume"):
        RunDirectory(run.path).read_results()
    assert missing(run) == ["wifi_off"]


def test_complete_run_gets_the_files_that_are_derived(run: FinishedRun) -> None:
    derived = [run.path / name for name in ("result_summary.json", "scenario_results_polars.parquet", "floor.json")]
    resumed(run)
    before = [file.read_bytes() for file in derived]
    for file in derived:
        file.unlink()
        resumed(run)
        assert [other.read_bytes() for other in derived] == before
    derived[0].write_text("")
    resumed(run)
    assert derived[0].read_bytes() == before[0]
    assert "retries" not in read_json(run.path / "run.json")


def test_complete_run_needs_nothing_that_played_it(run: FinishedRun) -> None:
    stored = read_json(run.path / "run.json")
    gone = {"agent": "no/such-agent", "suite": {"version": "0", "content_hash": "0"}}
    (run.path / "run.json").write_text(json.dumps(stored | gone))
    assert missing(run) == []
    result_file(run, "wifi_off").unlink()
    with pytest.raises(ConfigurationError):
        prepare_resume([run.path])


@pytest.mark.slow
def test_several_runs_are_played_together(run: FinishedRun, tmp_path: Path) -> None:
    other = play(prepare_run("Unhelpful", "Scripted", NAMES, threads=1), tmp_path / "data")
    before = [trajectories(run.path), trajectories(other.path)]
    result_file(run, "wifi_off").unlink()
    result_file(other, "cellular_off").unlink()
    result_file(other, "wifi_off").unlink()
    heard: list[tuple[int, str]] = []
    resume = prepare_resume([run.path, other.path])
    assert resume.count == 3
    first, second = play_resume(resume, on_result=lambda number, result: heard.append((number, result["name"])))
    assert sorted(heard) == [(0, "wifi_off"), (1, "cellular_off"), (1, "wifi_off")]
    assert [trajectories(run.path), trajectories(other.path)] == before
    assert without_resumption(first.summary) == without_resumption(run.summary)
    assert without_resumption(second.summary) == without_resumption(other.summary)


@pytest.mark.usefixtures("loopback_key")
class TestCosts:
    """What replaced attempts had cost is recorded once, whenever the program is killed."""

    @pytest.fixture
    def broken(self) -> dict[str, Move]:
        return {"wifi_off": Broken(500), "cellular_off": Broken(500)}

    @pytest.fixture
    def server(self, broken: dict[str, Move]) -> Iterator[Loopback]:
        def replacement(heard: Heard, number: int, answer: Answer) -> Move | None:
            return broken.get(BRAIN.scenario(heard).name)

        with serve(
            OpenAIChatDialect(), WithReplacements(BRAIN, replacement, key=lambda heard: BRAIN.scenario(heard).name)
        ) as server:
            yield server

    @pytest.fixture
    def interrupted(self, server: Loopback, tmp_path: Path) -> FinishedRun:
        return play(prepare_run(choice(server), "Scripted", NAMES, threads=1), tmp_path)

    def used(self, path: Path) -> list[int]:
        """Requests of each retry's replaced attempts."""
        usages = [entry["replaced_usage"]["agent"] for entry in RunDirectory(path).read_run()["retries"]]
        return [0 if usage is None else usage["calls"] for usage in usages]

    @pytest.mark.slow
    def test_every_replaced_attempt_counts_once(self, interrupted: FinishedRun, broken: dict[str, Move]) -> None:
        del broken["wifi_off"]
        (again,) = resumed(interrupted)
        assert [result["outcome"] for result in again.results].count("infrastructure_error") == 1
        broken.clear()
        (again,) = resumed(interrupted)
        assert [result["similarity"] for result in again.results] == [1, 1, 1]
        assert self.used(interrupted.path) == [2, 1]
        described = read_json(interrupted.path / "run.json")
        jsonschema.validate(described, load_schema("run"))
        jsonschema.validate(read_json(interrupted.path / "result_summary.json"), load_schema("result_summary"))
        assert again.summary["run"]["retries"] == described["retries"]

    @pytest.mark.slow
    def test_attempt_counts_from_the_moment_it_makes_way(
        self, interrupted: FinishedRun, broken: dict[str, Move]
    ) -> None:
        """As if the program had been killed after it had cleared one of two conversations."""
        directory = RunDirectory(interrupted.path)
        stored = directory.read_run()
        entry = {"started": stored["started"], "agent": stored["agent"], "episodes": ["wifi_off", "cellular_off"]}
        directory.begin_retry({**stored, "retries": [entry | {"replaced_usage": {"agent": None, "user": None}}]})
        directory.clear("wifi_off")
        assert self.used(interrupted.path) == [1]
        assert load_run(interrupted.path).summary["run"]["retries"][0]["replaced_usage"]["agent"]["calls"] == 1
        broken.clear()
        resumed(interrupted)
        assert self.used(interrupted.path) == [1, 1]

    def test_two_attempts_in_one_retry_count_both(self, interrupted: FinishedRun) -> None:
        """As if a worker had died after it had written its result: the conversation is played once more."""
        directory = RunDirectory(interrupted.path)
        stored = directory.read_run()
        result = directory.read_result("wifi_off")
        assert result is not None
        entry = {"started": stored["started"], "agent": stored["agent"], "episodes": ["wifi_off"]}
        directory.begin_retry({**stored, "retries": [entry | {"replaced_usage": {"agent": None, "user": None}}]})
        directory.clear("wifi_off")
        directory.write_result("wifi_off", result)
        directory.clear("wifi_off")
        assert self.used(interrupted.path) == [2]


HOLD = """
import sys, time
from pathlib import Path
from tool_sandbox.runner.store import RunDirectory
with RunDirectory(Path(sys.argv[1])).claim():
    print("held", flush=True)
    time.sleep(600)
"""

WORK = """
import multiprocessing, sys, time
from pathlib import Path
from tool_sandbox.runner.claims import taking_part
from tool_sandbox.runner.store import RunDirectory

def work(path, told):
    with taking_part([path]):
        told.send("working")
        time.sleep(600)

if __name__ == "__main__":
    path = Path(sys.argv[1])
    with RunDirectory(path).claim():
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        spawn.Process(target=work, args=(path, theirs)).start()
        print(ours.recv(), flush=True)
        time.sleep(600)
"""


class TestClaims:
    """One process plays a run, and its workers."""

    def start(self, tmp_path: Path, program: str, run: Path) -> "subprocess.Popen[str]":
        script = tmp_path / "program.py"
        script.write_text(program)
        process = subprocess.Popen([sys.executable, str(script), str(run)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() in ("held\n", "working\n")
        return process

    @pytest.mark.slow
    def test_other_process_is_refused_with_one_line_and_can_read(self, run: FinishedRun, tmp_path: Path) -> None:
        result_file(run, "wifi_off").unlink()
        holder = self.start(tmp_path, HOLD, run.path)
        try:
            with pytest.raises(ConfigurationError) as caught:
                resumed(run)
            expected = rf"{run.path} is being played by another process \(pid {holder.pid} on .* since 20.*\); wait"
            assert caught.match(expected)
            assert "\n" not in str(caught.value)
            before = sorted(run.path.iterdir())
            (run.path / "result_summary.json").unlink()
            assert load_run(run.path).summary["run"]["played"] == 2
            assert sorted(run.path.iterdir()) == [file for file in before if file.name != "result_summary.json"]
        finally:
            holder.kill()
            holder.wait()
        (again,) = resumed(run)
        assert again.is_complete
        assert not (run.path / ".holder.json").exists()

    def test_workers_of_a_killed_process_end_and_are_waited_for(self, run: FinishedRun, tmp_path: Path) -> None:
        holder = self.start(tmp_path, WORK, run.path)
        (lock,) = run.path.glob(".worker-*.lock")
        holder.kill()
        with RunDirectory(run.path).claim():
            assert not lock.exists()
        holder.wait()

    @pytest.mark.slow
    def test_thread_that_holds_a_run_may_claim_it_again_and_no_other(self, run: FinishedRun) -> None:
        refused: list[ConfigurationError] = []

        def try_it() -> None:
            try:
                with RunDirectory(run.path).claim():
                    pass
            except ConfigurationError as error:
                refused.append(error)

        with RunDirectory(run.path).claim():
            with RunDirectory(run.path).claim():
                pass
            other = threading.Thread(target=try_it)
            other.start()
            other.join()
        assert len(refused) == 1
        try_it()
        assert len(refused) == 1

    def test_place_that_cannot_be_locked(self, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / ".lock").mkdir()
        for path in (tmp_path / "run", tmp_path / "missing"):
            with (
                pytest.raises(ConfigurationError, match=r"cannot lock .*\.lock") as caught,
                RunDirectory(path).claim(),
            ):
                pass
            assert "\n" not in str(caught.value)

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
    def test_directory_that_can_only_be_read(self, run: FinishedRun) -> None:
        run.path.chmod(0o500)
        try:
            with pytest.raises(ConfigurationError, match="cannot lock"), RunDirectory(run.path).claim():
                pass
            assert load_run(run.path).is_complete
        finally:
            run.path.chmod(0o700)
