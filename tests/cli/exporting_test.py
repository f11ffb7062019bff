"""``tool_sandbox export``: what it prints, writes and refuses."""

import json
import sys
from pathlib import Path

import pytest

import tool_sandbox as ts
from tests.records import edit_record
from tests.runner.suites.players import GARDEN
from tool_sandbox.cli import main
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.suites import load_suite

NAMES = ["wifi_off", "get_wifi", "cellular_off"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A small run, of which one conversation says nothing about the agent."""
    path = play(prepare_run("Oracle", "Scripted", NAMES), tmp_path / "runs").path
    edit_record(path / "trajectories" / "get_wifi", lambda found: {**found, "evaluated": False, "similarity": 0.25})
    return path


def test_file_is_written_beside_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(run), "--to", "openai-jsonl"]) == 0
    files = f"{run / 'openai.jsonl'}, {run / 'openai.metadata.jsonl'}"
    told = capsys.readouterr().out
    assert told.startswith(f"export: {files}, ")
    assert told.endswith(" kB, 2 conversations (left out: 1 excluded)\n")
    assert len((run / "openai.jsonl").read_text("utf-8").splitlines()) == 2
    assert main(["export", str(run), "--to", "openai-jsonl", "--include-excluded"]) == 0
    assert len((run / "openai.jsonl").read_text("utf-8").splitlines()) == 3


def test_choices_are_told(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new" / "out.jsonl"
    flags = ["--to", "sharegpt", "-o", str(target), "-s", "wifi*", "get*", "--min-score", "0.2"]
    assert main(["export", str(run.parent), *flags]) == 0
    assert capsys.readouterr().out.endswith("1 conversation (left out: 1 excluded, 1 not selected)\n")
    (line,) = target.read_text("utf-8").splitlines()
    assert json.loads(line)["metadata"]["scenario"] == "wifi_off"


def test_standard_output_has_nothing_else(run: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", open(1, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
        assert main(["export", str(run), "--to", "otel", "-o", "-"]) == 0
    output, errors = capfdbinary.readouterr()
    assert [list(json.loads(line)) for line in output.splitlines()] == [["resourceSpans"]] * 2
    assert errors == b"export: standard output, 2 conversations (left out: 1 excluded)\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["{run}"], "--to"),
        (["{run}", "--to", "csv"], "invalid choice: 'csv'"),
        (["missing", "--to", "otel"], "missing is not the directory of a run"),
        (["{run}", "--to", "otel", "--min-score", "2"], "'2' is not a number from 0 to 1"),
        (["{run}", "--to", "otel", "--min-score", "nan"], "'nan' is not a number from 0 to 1"),
        (["{run}", "--to", "otel", "--only", "failed"], "nothing to export: 0 excluded, 3 not selected"),
        (["{run}", "--to", "otel", "-s", "get*"], "nothing to export: 1 excluded, 2 not selected"),
        (["{run}", "--to", "otel", "-o", "{run}"], "is a directory; give the name of a file"),
        (["{run}", "--to", "otel", "-o", "{run}/run.json/x"], "cannot write"),
        (["{run}", "--to", "hf", "-o", "{run}"], "has other files, such as"),
        (["{run}", "--to", "hf", "-o", "{run}/run.json"], "is a file; hf is a directory"),
        (["{run}", "--to", "hf", "-o", "-"], "hf is a directory"),
        (["{run}", "--to", "otel", "--suite", "x"], "was played with the suite of this package; leave out --suite"),
    ],
)
def test_mistakes_are_one_line(
    run: Path, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *(word.format(run=run) for word in arguments)]) == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_suite_from_elsewhere_is_named_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = load_suite(GARDEN)
    run = play(prepare_run("Oracle", "Scripted", suite), tmp_path).path
    assert main(["export", str(run), "--to", "openai-jsonl"]) == 2
    assert "give its path with --suite PATH" in capsys.readouterr().err
    assert main(["export", str(run), "--to", "openai-jsonl", "--suite", str(GARDEN)]) == 0
    lines = [json.loads(line) for line in (run / "openai.jsonl").read_text("utf-8").splitlines()]
    offered = {tool["function"]["name"] for line in lines for tool in line["tools"]}
    assert offered & suite.tools.keys()


def test_python_writes_the_same(run: Path, tmp_path: Path) -> None:
    loaded = ts.load(run)
    assert loaded.export(to="sharegpt") == run / "sharegpt.jsonl"
    target = loaded.export(tmp_path / "out.jsonl", to="sharegpt", scenarios="wifi_off", only="success", min_score=1)
    assert target.read_bytes() in (run / "sharegpt.jsonl").read_bytes()
    with pytest.raises(ts.errors.UnknownNameError, match="Did you mean: sharegpt"):
        loaded.export(to="sharegtp")
