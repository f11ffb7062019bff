"""Logs of Inspect as runs: what was played there is read, measured and compared as if it had been played here."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import get_model

import tool_sandbox as ts
from tests.integrations.inspect.models import model_of, played, script
from tool_sandbox.cli import main
from tool_sandbox.integrations.inspect.kept import KEY, Kept
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import ConfigurationError

NAMES = ["wifi_off", "get_wifi", "wifi_off_3_distraction_tools"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of two trials of three scenarios in two worlds, some of which go wrong."""
    folder = tmp_path_factory.mktemp("inspect")
    model = get_model("tool_sandbox/Oracle", error_rate=0.5)
    return Path(played(folder, model, NAMES, seed=[0, 5], epochs=2).location.removeprefix("file://"))


def imported(log: Path, base: Path) -> Path:
    assert main(["import", "inspect", str(log), "-o", str(base)]) == 0
    (path,) = base.iterdir()
    return path


def test_run_is_that_of_this_package(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = ts.run(
        "Oracle:error_rate=0.5",
        scenarios=NAMES,
        seed=[0, 5],
        trials=2,
        output_dir=tmp_path / "own",
        progress=False,
    )
    path = imported(log, tmp_path / "base")
    assert f"12 conversations\nresults: {path}\n" in capsys.readouterr().out
    run = ts.load(path)
    assert run.is_complete
    assert run.agent == "inspect/tool_sandbox/Oracle"
    differ = [name for name in own.results.columns if not run.results[name].equals(own.results[name])]
    assert [name for name in differ if not any(word in name for word in OF_A_MODEL)] == []
    for frame in ("milestones", "world_changes", "floors"):
        mine, theirs = (getattr(each, frame) for each in (own, run))
        assert theirs.drop("run", strict=False).equals(mine.drop("run", strict=False)), frame
    mine, theirs = (each.metrics()["overall"] for each in (own, run))
    assert {name for name in mine if mine[name] != theirs[name]} <= {"estimates", "latency", "cost_usd"}
    estimates = mine["estimates"]
    assert len(estimates) > 10
    for name in estimates:
        if not any(word in name for word in OF_A_MODEL):
            assert theirs["estimates"][name] == estimates[name], name


OF_A_MODEL = ("run", "agent", "user", "cost", "tokens", "latency", "usd")
"""Are in the names of columns that say what a model used; one of Inspect uses tokens, even where it is none."""


def test_commands_take_the_run(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(imported(log, tmp_path / "base"))
    for command in (
        ["metrics", path],
        ["show", path, "wifi_off"],
        ["report", path],
        ["rescore", path],
        ["rescore", path, "--to", str(tmp_path / "again")],
    ):
        assert main(command) == 0, command
    told = capsys.readouterr().out
    assert "12 scored again, 0 moved" in told
    assert main(["compare", path, str(tmp_path / "again")]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("strict_success"))
    assert row.split()[3] == "+0.000"


def test_record_is_kept_byte_for_byte(log: Path, tmp_path: Path) -> None:
    path = imported(log, tmp_path / "base")
    stored = read_eval_log(str(log))
    assert stored.samples is not None
    for each in stored.samples:
        kept = Kept.of(each.store[KEY])
        file = path / "trajectories" / kept.result["directory"] / "record.jsonl"
        assert file.read_bytes() == kept.record
    described = RunDirectory(path).read_run()
    assert (described["seeds"], described["trials"]) == ([0, 5], 2)
    assert described["agent_program"]["name"] == "inspect_ai"


def test_log_in_json_is_read(log: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    write_eval_log(read_eval_log(str(log), resolve_attachments=True), str(file))
    assert len(RunDirectory(imported(file, tmp_path / "base")).read_results()) == 12


def changed(log: Path, target: Path, change: Callable[[EvalLog], Any]) -> Path:
    """A copy of a log with something else in it."""
    stored = read_eval_log(str(log))
    change(stored)
    write_eval_log(stored, str(target))
    return target


def test_what_was_not_played_is_missing(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def drop(stored: EvalLog) -> None:
        assert stored.samples is not None
        del stored.samples[0]
        del stored.samples[1].store[KEY]

    assert main(["import", "inspect", str(changed(log, tmp_path / "log.eval", drop)), "-o", str(tmp_path / "b")]) == 1
    assert "10 conversations, 2 were not played" in capsys.readouterr().out
    (path,) = (tmp_path / "b").iterdir()
    assert not ts.load(path).is_complete
    assert len(ts.load(path).results) == 10


def swap(stored: EvalLog) -> None:
    assert stored.samples is not None
    stored.samples[0].store, stored.samples[1].store = stored.samples[1].store, stored.samples[0].store


def store(value: Any) -> Callable[[EvalLog], None]:
    def change(stored: EvalLog) -> None:
        assert stored.samples is not None
        stored.samples[0].store[KEY] = value

    return change


def with_record(change: Callable[[Any], Any]) -> Callable[[EvalLog], None]:
    def damage(stored: EvalLog) -> None:
        assert stored.samples is not None
        kept = Kept.of(stored.samples[0].store[KEY])
        result, _, rest = kept.record.partition(b"\n")
        record = json.dumps(change(json.loads(result))).encode() + b"\n" + rest
        stored.samples[0].store[KEY] = Kept(kept.description, record).as_dict()

    return damage


def played_elsewhere(stored: EvalLog) -> None:
    assert stored.samples is not None
    kept = Kept.of(stored.samples[0].store[KEY])
    suite = {"version": "1.0.0", "content_hash": "0" * 64}
    stored.samples[0].store[KEY] = Kept({**kept.description, "suite": suite}, kept.record).as_dict()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (swap, "is not the result of the conversation in its directory"),
        (store("nothing"), "what it keeps of the conversation is damaged"),
        (store({"format": 1, "zlib": "bm90aGluZw=="}), "what it keeps of the conversation is damaged"),
        (store({"format": 9, "zlib": ""}), "another version of tool_sandbox (format 9)"),
        (with_record(lambda result: result | {"similarity": "much"}), "similarity"),
        (with_record(lambda result: result | {"seed": 7}), "has the result of another conversation"),
        (with_record(lambda result: [1]), "is no result of a conversation"),
        (played_elsewhere, "different versions of the suite"),
    ],
)
def test_damaged_log_is_one_line(
    change: Callable[[EvalLog], Any], told: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(str(changed(log, tmp_path / "log.eval", change)), told, tmp_path, capsys)


def assert_refused(place: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "inspect", place, "-o", str(tmp_path / "base")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("tool_sandbox: ")
    assert captured.err.count("\n") == 1
    assert told in captured.err
    assert not list((tmp_path / "base").glob("*"))


def test_what_is_no_log_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.eval").write_text("no log")
    (tmp_path / "text.json").write_text('{"a": 1}')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert_refused(str(tmp_path / "nothing.eval"), "nothing.eval does not exist", tmp_path, capsys)
    assert_refused(str(tmp_path), "is a directory; name one log in it", tmp_path, capsys)
    for name in ("text.eval", "text.json", "picture.png"):
        assert_refused(str(tmp_path / name), f"{name} is no log of Inspect AI", tmp_path, capsys)


def test_log_of_another_task_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = Task(dataset=[Sample(input="Hello")], name="greeting")
    log = played(tmp_path, model_of(script("Hello")), task=task)
    assert_refused(log.location.removeprefix("file://"), "is the log of the task greeting", tmp_path, capsys)


def test_package_that_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    assert_refused("log.eval", "pip install 'tool_sandbox[inspect]'", tmp_path, capsys)


def test_program_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "excel", "log.xls"]) == 2
    assert "inspect" in capsys.readouterr().err


def test_kept_text_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tool_sandbox.integrations.inspect.kept.LARGEST", 1000)
    with pytest.raises(ConfigurationError, match="damaged"):
        Kept.of(Kept({}, b"0" * 100_000).as_dict())
