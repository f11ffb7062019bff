import datetime
import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Broken, Heard, Move, serve
from tests.records import result_in
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.records.result import Result
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.playing import LEAST_PATIENCE, Part, play_together
from tool_sandbox.runner.run import PreparedRun, new_part, play, prepare_run
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.runner.store import RunDirectory, read_json
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConfigurationError

pytestmark = pytest.mark.usefixtures("loopback_key")

NAMES = ["wifi_off", "cellular_off", "remove_contact_by_phone"]
STARTED = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)


def part(run: PreparedRun, base: Path) -> Part:
    directory = RunDirectory.create(base, run.agent.label, run.user.label, STARTED)
    return new_part(run, directory, STARTED, None)


def prepared(agent: Any = "Oracle", **more: Any) -> PreparedRun:
    return prepare_run(agent, "Scripted", NAMES, **more)


class Waiting(BaseRole):
    """Says something once it is told to."""

    role_type = RoleType.AGENT
    model_name = "waiting"
    told = threading.Event()
    begun = threading.Semaphore(0)

    def respond(self, ending_index: int | None = None) -> None:
        self.begun.release()
        self.told.wait()
        self.add_messages([Message(RoleType.AGENT, RoleType.USER, "Well?")])


@pytest.fixture(autouse=True)
def _fresh() -> None:
    Waiting.told, Waiting.begun = threading.Event(), threading.Semaphore(0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("processes", [1, 2])
def test_several_runs_at_once_give_what_each_gives_alone(processes: int, tmp_path: Path) -> None:
    runs = [prepared(trials=2), prepared("Oracle:error_rate=0.3", trials=2), prepared("Unhelpful")]
    alone = [play(run, tmp_path / "alone") for run in runs]
    seen: list[tuple[int, str]] = []
    parts = [part(run, tmp_path / "together") for run in runs]
    together = play_together(
        parts,
        concurrency=4,
        processes=processes,
        on_result=lambda one, result: seen.append((parts.index(one), result["directory"])),
    )
    assert [run.path for run in together] == [one.directory.path for one in parts]
    for before, now in zip(alone, together, strict=True):
        assert now.results == before.results
        assert read_json(now.path / "result_summary.json") == now.summary
    assert sorted(seen) == [
        (number, name) for number, run in enumerate(together) for name in sorted(r["directory"] for r in run.results)
    ]


def test_a_run_is_summed_up_when_it_is_over(tmp_path: Path) -> None:
    slow, fast = part(prepared(Waiting, threads=1), tmp_path), part(prepared(), tmp_path)
    left = len(NAMES)

    def note(one: Part, result: Result) -> None:
        nonlocal left
        left -= one is fast
        if not left and not Waiting.told.is_set():
            threading.Timer(0.1, Waiting.told.set).start()

    def look() -> None:
        while not (fast.directory.path / "result_summary.json").exists():
            time.sleep(0.01)
        early.append(not (slow.directory.path / "result_summary.json").exists())

    early: list[bool] = []
    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    play_together([slow, fast], on_result=note)
    looking.join(timeout=30)
    assert early == [True]


@pytest.mark.slow
def test_no_other_process_may_play_there(tmp_path: Path) -> None:
    one, other = part(prepared(), tmp_path), part(prepared(), tmp_path)
    with other.directory.claim():
        refused: list[Exception] = []

        def try_it() -> None:
            try:
                play_together([one, other])
            except ConfigurationError as error:
                refused.append(error)

        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
    assert "is being played by another process" in str(refused[0])
    assert play_together([one, other])[0].is_complete, "the first is free again"


def test_what_is_left_has_no_result_and_writes_none_later(tmp_path: Path) -> None:
    one = part(prepared(Waiting, threads=2), tmp_path)
    stop = Stop(grace_s=0.0)

    def ask() -> None:
        Waiting.begun.acquire()
        Waiting.begun.acquire()
        stop.request()

    threading.Thread(target=ask).start()
    before = set(threading.enumerate())
    (run,) = play_together([one], stop=stop)
    assert (run.summary["run"]["played"], run.summary["run"]["interrupted"]) == (0, True)
    files = {path: path.stat().st_mtime_ns for path in run.path.rglob("*")}
    Waiting.told.set()
    for thread in threading.enumerate():
        if thread.name.startswith("conversation") and thread not in before:
            thread.join(timeout=30)
            assert not thread.is_alive()
    assert {path: path.stat().st_mtime_ns for path in run.path.rglob("*")} == files


def test_conversations_that_finish_in_time_count(tmp_path: Path) -> None:
    one = part(prepared(Waiting, threads=2), tmp_path)
    announced: list[int] = []

    def announce(count: int) -> None:
        announced.append(count)
        Waiting.told.set()

    stop = Stop(grace_s=60.0, announce=announce)

    def ask() -> None:
        Waiting.begun.acquire()
        Waiting.begun.acquire()
        stop.request()

    threading.Thread(target=ask).start()
    (run,) = play_together([one], stop=stop)
    assert announced == [2]
    assert run.summary["run"]["played"] == 2
    assert not run.is_complete


@pytest.mark.slow
def test_run_without_anything_to_play_is_summed_up(tmp_path: Path) -> None:
    one = part(prepared(), tmp_path)
    (run,) = play_together([attrs.evolve(one, run=attrs.evolve(one.run, episodes=()))])
    assert (run.summary["run"]["played"], run.summary["run"]["interrupted"]) == (0, False)
    assert play_together([]) == []


def test_directory_that_vanished_stops_the_run(tmp_path: Path) -> None:
    one = part(prepared(trials=200), tmp_path)
    count = 0

    def remove(part: Part, result: Result) -> None:
        nonlocal count
        count += 1
        if count == 3:
            shutil.rmtree(one.directory.path)

    (run,) = play_together([one], on_result=remove)
    assert run.summary["run"]["stopped"] == f"cannot write results to {one.directory.path}: run.json is no longer there"
    assert count < 10
    assert not list(one.directory.path.rglob("record.jsonl"))


def test_provider_that_is_away_is_given_up(tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), []) as closed:
        agent = choice(closed)
    parts = [part(prepare_run(agent, "Scripted", ["wifi_off"], trials=400, threads=4), tmp_path) for _ in "ab"]
    ended: list[Part] = []
    runs = play_together(parts, concurrency=4, on_end=ended.append)
    assert set(map(id, ended)) == set(map(id, parts))
    assert len(ended) == 2
    for run in runs:
        assert "conversations all failed to reach a model" in run.summary["run"]["stopped"]
        assert run.summary["run"]["interrupted"] is False
    assert sum(run.summary["run"]["played"] for run in runs) <= LEAST_PATIENCE + 2 * 4


@pytest.mark.slow
def test_provider_that_comes_back_is_not(tmp_path: Path) -> None:
    brain = SolutionBrain.of(list(named_scenarios(names=["wifi_off"]).values()))
    count = 0

    def stutter(heard: Heard) -> Move:
        nonlocal count
        count += 1
        return Broken(500) if count % 12 < 5 else brain(heard)

    with serve(OpenAIChatDialect(lenient=True), stutter) as server:
        run = play(prepare_run(choice(server), "Scripted", ["wifi_off"], trials=30, threads=1), tmp_path)
    assert run.is_complete
    assert "stopped" not in run.summary["run"]


@pytest.mark.slow
def test_slow_model_does_not_hold_all_places(tmp_path: Path) -> None:
    brain = SolutionBrain.of(list(named_scenarios(names=["wifi_off"]).values()))
    release, lock, asked = threading.Event(), threading.Lock(), []

    def slow(heard: Heard) -> Move:
        with lock:
            asked.append(heard)
        release.wait(60)
        return brain(heard)

    def note(one: Part, result: Result) -> None:
        if one is not parts[1]:
            return
        finished.append(result["trial"])
        if len(finished) < 20 - 6:
            # Later, places that the fast model has no use for go to the slow one.
            held.append(len(asked))
        if len(finished) == 20:
            release.set()

    held: list[int] = []
    finished: list[int] = []
    dialect = OpenAIChatDialect(lenient=True)
    with serve(dialect, slow) as slow_server, serve(dialect, brain) as fast_server:
        parts = [
            part(prepare_run(choice(server), "Scripted", ["wifi_off"], trials=20), tmp_path)
            for server in (slow_server, fast_server)
        ]
        runs = play_together(parts, concurrency=6, on_result=note)
    assert max(held) <= 3
    assert all(run.is_complete for run in runs)


@pytest.mark.slow
def test_a_result_that_no_player_gave_is_written(tmp_path: Path) -> None:
    run = prepare_run("Oracle", "Scripted", NAMES[:2])
    deadly = attrs.evolve(run, source=_Deadly())
    (played,) = play_together([part(deadly, tmp_path)], concurrency=2, processes=2)
    assert {result["fault"] for result in played.results} == {"infrastructure"}
    assert len(list(played.path.rglob("record.jsonl"))) == 2
    assert result_in(played.path / "trajectories" / "wifi_off")["suite"]


class _Deadly:
    def __call__(self, episode: Any) -> Any:
        os._exit(3)
