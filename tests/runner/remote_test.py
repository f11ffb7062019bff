"""Results at an address: the same files as on a disk, at any moment a run that can be read and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

import tool_sandbox as ts
from tests.bucket import played, there
from tool_sandbox.cli import main
from tool_sandbox.runner.remote import Copy, address_of
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.world.errors import ConfigurationError

NAMES = ["wifi_*", "get_wifi", "cellular_off"]


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """An address in memory of this process."""
    address = f"memory://{request.node.name}"
    yield address
    files = fsspec.filesystem("memory")
    if files.exists(address):
        files.rm(address, recursive=True)


def played_here(tmp_path: Path) -> dict[str, bytes]:
    run = play(prepare_run("Oracle", scenarios=NAMES), tmp_path / "here").path
    return {str(file.relative_to(run)): file.read_bytes() for file in run.glob("trajectories/*/*")}


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("s3://b/x", "s3://b/x"), (Path("s3://b/x"), "s3://b/x"), (Path("memory://x"), "memory://x"),
        ("data/x", None), ("/a:/b", None), ("C:/x", None), (Path("file:///tmp/x"), "file:///tmp/x"),
    ],
)  # fmt: skip
def test_what_is_an_address(given: Any, address: str | None) -> None:
    assert address_of(given) == address


@pytest.mark.parametrize("address", ["s3://", "file://runs", "memory://", "local://runs/x"])
def test_an_address_that_lacks_a_part_is_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a path, it would be another place."""
    monkeypatch.chdir(tmp_path)
    for words in (
        ["--agent", "Oracle", "-s", "wifi_off"],
        ["import", "inspect", "x.eval"],
        ["serve", "--scenario", "wifi_off"],
    ):
        assert main([*words, "-o", address]) == 2
        assert f"'{address}' is not a directory or a whole address" in capsys.readouterr().err
    with pytest.raises(ConfigurationError, match="output_dir has to be a directory or a whole address"):
        ts.run("Oracle", scenarios=["wifi_off"], output_dir=address)
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_there_as_on_a_disk(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agent", "Oracle", "--scenarios", *NAMES, "-o", place]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    files = there(place)
    (run,) = {name.partition("/")[0] for name in files}
    assert told == f"results: {place}/{run}"
    assert played(files) == played_here(tmp_path)
    assert {"run.json", "result_summary.json", "scenario_results_polars.parquet", "floor.json"} <= {
        name.partition("/")[2] for name in files
    }
    for command in (["metrics"], ["show"], ["resume"], ["compare", f"{place}/{run}/run.json"], ["rescore"]):
        assert main([*command, f"{place}/{run}"]) == 0, capsys.readouterr().err
        assert "/tmp" not in capsys.readouterr().out
    assert main(["rescore", f"{place}/{run}", "--to", f"{place}/again"]) == 0
    assert played({name: content for name, content in there(place).items() if name.startswith("again/")})
    first, again = (ts.load(f"{place}/{name}").results["similarity"].to_list() for name in (run, "again"))
    assert first == again
    assert main(["report", f"{place}/{run}", "-o", str(tmp_path / "report.html")]) == 0


def test_what_is_over_is_there_before_the_end(place: str, tmp_path: Path) -> None:
    seen: list[int] = []
    stop = Stop()

    def note(result: Any) -> None:
        seen.append(len([name for name in there(place) if name.endswith("record.jsonl")]))
        if len(seen) == 6:
            stop.request()

    run = play(prepare_run("Oracle", scenarios=NAMES), place, on_result=note, stop=stop)
    assert not run.is_complete
    assert seen[-1] > 0
    address = f"{place}/{run.path.name}"
    assert len(ts.load(address).results) == len(run.results)
    assert main(["resume", address]) == 0
    files = there(place)
    assert played(files) == played_here(tmp_path)
    assert json.loads(files[f"{run.path.name}/run.json"])["retries"]


def test_a_result_that_did_not_yet_make_way_is_there_once(place: str, tmp_path: Path) -> None:
    run = play(prepare_run("Oracle", scenarios=["wifi_off"]), place).path
    files, root = fsspec.url_to_fs(place)
    record = f"{root}/{run.name}/trajectories/wifi_off/record.jsonl"
    files.pipe_file(f"{root}/{run.name}/replaced/1/wifi_off.1.jsonl", files.cat_file(record))
    assert main(["resume", f"{place}/{run.name}"]) == 0
    assert not [name for name in there(place) if "/replaced/" in name]


@pytest.mark.parametrize("name", ["x/../../../evil", ".hidden", "a/./b", "..\\x", "a//b", "../y", "x\0"])
def test_names_at_an_address_do_not_leave_the_folder(name: str, place: str) -> None:
    copy = Copy.of(place)
    assert copy._inner(f"{copy._root}/fine/x.json") == "fine/x.json"
    assert copy._inner(f"{copy._root}/{name}") is None


def test_what_cannot_be_used_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = {
        "nosuch://x": "nosuch://x cannot be used: Protocol not known: nosuch",
        "gs://bucket/x": "gs://bucket/x cannot be used: Please install gcsfs",
        "memory://nothing": "there is nothing at memory://nothing",
    }
    for address, told in cases.items():
        for words in (["-s", "wifi_off", "-o", address], ["metrics", address]):
            if words[0] == "-s" and address.startswith("memory"):
                continue
            assert main(words) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert told in line
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'tool_sandbox\[remote\]'"):
        Copy.of("s3://x/y")


def test_a_path_as_an_address_is_a_path(tmp_path: Path) -> None:
    run = play(prepare_run("Oracle", scenarios=["wifi_off"]), f"file://{tmp_path}/x").path
    assert run.parent == tmp_path / "x"
    assert main(["metrics", f"file://{run}"]) == 0


# A real object store -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_killed_and_resumed_in_object_storage(bucket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agent", "Oracle", "--scenarios", *NAMES, "-o", bucket]
    with subprocess.Popen([sys.executable, "-m", "tool_sandbox", *words], stdout=subprocess.DEVNULL) as driver:
        while driver.poll() is None and len([name for name in there(bucket) if name.endswith("record.jsonl")]) < 3:
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
    before = there(bucket)
    (run,) = {name.partition("/")[0] for name in before}
    assert main(["resume", f"{bucket}/{run}"]) == 0
    capsys.readouterr()
    after = there(bucket)
    assert played(after) == played_here(tmp_path)
    # What was there has not been played again.
    kept = {name: content for name, content in before.items() if name.endswith("record.jsonl")}
    assert kept.items() <= after.items()
    assert not [name for name in after if "/replaced/" in name]


@pytest.mark.slow
def test_a_bucket_that_is_not_there_is_one_line(
    bucket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--agent", "Oracle", "-s", "wifi_off", "-o", "s3://nowhere/x"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tool_sandbox: cannot write results to s3://nowhere/x")
    assert "secret" not in line
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in line
    assert main(["--agent", "Oracle", "-s", "wifi_off", "-o", str(tmp_path)]) == 0
