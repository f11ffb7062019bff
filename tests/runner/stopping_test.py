import errno
import pickle
import threading
from pathlib import Path

import pytest

from tool_sandbox.play.trajectory_files import guarded, make_directory, write_text
from tool_sandbox.runner.gate import WriteGate
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.world.errors import StorageError


def test_first_request_gives_time_and_the_second_none() -> None:
    stop = Stop(grace_s=60.0)
    assert (stop.is_requested, stop.remaining_s) == (False, None)
    stop.request()
    assert (stop.is_requested, stop.is_immediate) == (True, False)
    assert stop.remaining_s is not None
    assert 0 < stop.remaining_s <= 60
    stop.request()
    assert (stop.is_immediate, stop.remaining_s) == (True, 0.0)


def test_an_interrupt_is_a_request_with_a_listener() -> None:
    stop, woken = Stop(), []
    with stop.listening(lambda: woken.append(1)):
        stop.interrupt()
        stop.interrupt()
    assert len(woken) == 2
    assert stop.is_immediate
    with pytest.raises(KeyboardInterrupt):
        stop.interrupt()


def test_people_are_told_once() -> None:
    told: list[int] = []
    stop = Stop(announce=told.append)
    stop.announce(3)
    stop.announce(2)
    assert told == [3]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir()
    (path / "run.json").write_text("{}")
    return path


def test_nothing_passes_a_closed_gate(run: Path) -> None:
    gate = WriteGate(run, "run.json")
    with guarded(gate):
        write_text(run / "a", "before")
        gate.close()
        with pytest.raises(StorageError, match="the run is over"):
            write_text(run / "b", "after")
        write_text(run.with_name("cache"), "what is elsewhere passes")
    write_text(run / "summary", "and so does whoever is not guarded")
    assert {path.name for path in run.iterdir()} == {"run.json", "a", "summary"}


def test_a_gate_waits_for_what_is_passing(run: Path) -> None:
    gate, inside, go = WriteGate(run), threading.Event(), threading.Event()

    def write() -> None:
        with gate:
            inside.set()
            go.wait()

    thread = threading.Thread(target=write)
    thread.start()
    inside.wait()
    threading.Timer(0.05, go.set).start()
    gate.close(patience_s=60.0)
    assert go.is_set()
    thread.join()


def test_after_a_failed_write_there_is_no_other(run: Path) -> None:
    gate = WriteGate(run, "run.json")
    with guarded(gate):
        with pytest.raises(StorageError):
            write_text(run / "missing" / "a", "x")
        with pytest.raises(StorageError) as caught:
            write_text(run / "result.json", "x")
    assert caught.value.errno == errno.ENOENT
    assert not (run / "result.json").exists()


def test_a_run_that_is_gone_is_not_made_again(run: Path) -> None:
    gate = WriteGate(run, "run.json")
    (run / "run.json").unlink()
    with guarded(gate), pytest.raises(StorageError, match=r"run\.json is no longer there"):
        write_text(run / "a", "x")
    with guarded(gate), pytest.raises(StorageError, match=r"run\.json is no longer there"):
        make_directory(run / "trajectories" / "a")
    assert not (run / "trajectories").exists()


def test_a_gate_is_open_in_another_process(run: Path) -> None:
    gate = WriteGate(run, "run.json")
    gate.close()
    with guarded(pickle.loads(pickle.dumps(gate))):
        write_text(run / "a", "x")
