"""A run at an address is held by one process at a time, and by nobody for long who is gone."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from tests.bucket import there
from tool_sandbox.cli import main
from tool_sandbox.runner import leases
from tool_sandbox.runner.claims import claim
from tool_sandbox.runner.leases import LEASE_S, Lease
from tool_sandbox.runner.remote import copy_with, fetched, forget
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.world.errors import ConfigurationError, StorageError

NAMES = ["wifi_*", "get_wifi", "cellular_off"]


class Folder(dict[str, bytes]):
    """Notes in a store that shows at once what is written."""

    def read(self) -> dict[str, bytes]:
        return dict(self)

    def write(self, name: str, content: bytes) -> None:
        self[name] = content

    def remove(self, name: str) -> None:
        self.pop(name, None)


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    address = f"memory://{request.node.name}"
    yield address
    forget()
    files = fsspec.filesystem("memory")
    if files.exists(address):
        files.rm(address, recursive=True)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is on another machine than all others."""
    monkeypatch.setattr(leases, "_machine", lambda: "another")


def unfinished(place: str) -> str:
    """The address of a run that was stopped after some conversations."""
    stop, seen = Stop(), []

    def note(result: Any) -> None:
        seen.append(result)
        if len(seen) == 3:
            stop.request()

    run = play(prepare_run("Oracle", scenarios=NAMES, threads=1), place, on_result=note, stop=stop)
    assert not run.is_complete
    forget()
    return f"{place}/{run.path.name}"


def noted(folder: Folder) -> dict[str, Any]:
    (content,) = folder.values()
    note: dict[str, Any] = json.loads(content)
    return note


# Notes ---------------------------------------------------------------------------------------------------------


def test_of_many_at_once_one_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "PATIENCE_S", 60.0)
    folder, holding, most = Folder(), [], []

    def take_turns(number: int) -> None:
        with Lease("run", folder).held():
            holding.append(number)
            most.append(len(holding))
            time.sleep(0.01)
            holding.remove(number)

    threads = [threading.Thread(target=take_turns, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6
    assert not folder


def test_a_holder_is_named_until_its_note_has_run_out(elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder()
    left = Lease("s3://x/run", folder)
    left._take()
    note = noted(folder)
    monkeypatch.setattr(leases, "_machine", lambda: "yet another")
    with pytest.raises(ConfigurationError) as caught, Lease("s3://x/run", folder).held():
        pass
    told = (
        rf"s3://x/run is being played by another process \(pid {os.getpid()} on {re.escape(note['host'])} since (\S+)\)"
        r"; wait for it or stop it; if it was killed, the run can be taken after (\S+)"
    )
    assert re.fullmatch(told, str(caught.value))
    assert list(folder) == [left._name]
    later = time.time() + LEASE_S + 1
    monkeypatch.setattr(leases.time, "time", lambda: later)
    with Lease("s3://x/run", folder).held():
        assert left._name not in folder
        assert not left.is_valid
    assert not folder


def test_a_process_of_this_machine_that_is_gone_holds_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    machine = leases._machine()
    if machine is None:
        pytest.skip("this machine does not say which it is")
    until = time.time() + LEASE_S
    folder = Folder(a=json.dumps({"pid": process.pid, "machine": machine, "until": until}).encode())
    with Lease("run", folder).held():
        assert "a" not in folder


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"pid": 1, "until": 1e300}', '{"pid": "x", "until": NaN}', "\0"])
def test_a_note_that_is_none_holds_nothing(content: str) -> None:
    with Lease("run", Folder(a=content.encode())).held():
        pass


def test_who_slept_too_long_does_not_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "BEAT_S", 0.01)
    folder = Folder()
    late = Lease("run", folder)
    with late.held():
        while len(folder) == 0:
            time.sleep(0.01)
        note = noted(folder)
        assert late.is_valid
        # As if another had found the note too old, and taken the run.
        other = json.dumps({**note, "machine": "another"}).encode()
        folder["other"] = other
        folder.remove(late._name)
        while late.is_valid:
            time.sleep(0.01)
    assert dict(folder) == {"other": other}


# Runs ----------------------------------------------------------------------------------------------------------


def test_a_run_that_is_held_is_not_resumed(
    place: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "PATIENCE_S", 0.1)
    address = unfinished(place)
    path = fetched(address)
    with claim(path):
        monkeypatch.setattr(leases, "_machine", lambda: "another")
        before = there(address)
        copies = list(sys.modules["tool_sandbox.runner.remote"]._copies)
        for command in ("resume", "retry"):
            assert main([command, address]) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert f"{address} is being played by another process (pid {os.getpid()}" in line
        assert there(address) == before
        sys.modules["tool_sandbox.runner.remote"]._copies.extend(copies)
    assert main(["resume", address]) == 0
    assert not [name for name in there(address) if ".claims" in name]


def test_what_another_played_meanwhile_is_not_played_again(place: str) -> None:
    address = unfinished(place)
    mine, copies = fetched(address), sys.modules["tool_sandbox.runner.remote"]._copies
    known = list(copies)
    assert main(["resume", address]) == 0
    copies.extend(known)
    after = there(address)
    with claim(mine):
        files = {str(file.relative_to(mine)): file.read_bytes() for file in mine.rglob("record.jsonl")}
    assert files == {name: content for name, content in after.items() if name.endswith("record.jsonl")}
    assert there(address) == after


def test_nothing_is_sent_without_the_lease(place: str) -> None:
    path = fetched(unfinished(place))
    copy = copy_with(path)
    assert copy is not None
    with claim(path):
        (lease,) = copy._leases.values()
        lease._is_lost = True
        (path / "run.json").write_text("{}")
        with pytest.raises(StorageError, match="another process may have taken the run meanwhile"):
            copy.send(path)
        before = there(copy.address)
    assert before["run.json"] != b"{}"


# A real object store -------------------------------------------------------------------------------------------


COMMAND = [sys.executable, "-m", "tool_sandbox"]


@pytest.mark.slow
def test_a_killed_holder_is_waited_for_elsewhere(
    bucket: str, capsys: pytest.CaptureFixture[str], elsewhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Many conversations, so that it is killed before the last.
    words = [*COMMAND, "--agent", "Oracle", "--scenarios", *NAMES, "--trials", "20", "-o", bucket]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as owner:
        while owner.poll() is None and not [name for name in there(bucket) if name.endswith("record.jsonl")]:
            time.sleep(0.02)
        owner.send_signal(signal.SIGKILL)
    assert owner.returncode == -signal.SIGKILL
    left = there(bucket)
    assert not [name for name in left if name.endswith("result_summary.json")], "it was over before it was killed"
    (run,) = {name.partition("/")[0] for name in left}
    address = f"{bucket}/{run}"
    assert main(["resume", address]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{address} is being played by another process (pid {owner.pid} on " in line
    now = time.time
    monkeypatch.setattr(leases.time, "time", lambda: now() + LEASE_S + 5)
    assert main(["resume", address]) == 0
    assert not [name for name in there(bucket) if ".claims" in name or "/replaced/" in name]


@pytest.mark.slow
def test_two_resumes_at_once_play_once(bucket: str, tmp_path: Path) -> None:
    address = unfinished(bucket)
    before = there(address)
    resumes = [
        subprocess.Popen([*COMMAND, "resume", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = [(*process.communicate(), process.returncode) for process in resumes]
    after = there(address)
    assert any(code == 0 for *_, code in told), told
    assert all(code == 0 or "is being played by another process" in err for _, err, code in told), told
    retries = json.loads(after["run.json"])["retries"]
    played = [episode for retry in retries for episode in retry["episodes"]]
    missing = {name.split("/")[1] for name in after.keys() - before.keys() if name.endswith("record.jsonl")}
    assert sorted(played) == sorted(missing)
    assert not [name for name in after if name.startswith(("replaced/", ".claims"))]
