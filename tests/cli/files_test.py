"""Files that flags ask for."""

import json
from pathlib import Path

import pytest

from tests.shell import Shell
from tool_sandbox.cli import main


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    base = tmp_path_factory.mktemp("runs")
    for agent in ("Oracle", "Unhelpful"):
        main(["--agent", agent, "--scenario", "wifi_off", "--output_dir", str(base)])
    return sorted(map(str, base.iterdir()))


def test_an_address_is_no_file_of_this_machine(
    runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", runs[0], "--to", "otel", "-o", "s3://bucket/traces.jsonl"]) == 2
    assert "'s3://bucket/traces.jsonl' is an address; give a file of this machine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (["metrics", "A"], "--json"),
        (["compare", "A", "B"], "--json"),
        (["compare", "A", "B"], "--markdown"),
        (["compare", "A", "B"], "--junit"),
        (["power", "--scenarios", "10", "--families", "5"], "--json"),
        (["rescore", "A"], "--json"),
        (["report", "A"], "-o"),
        (["scenarios", "check", "wifi_off"], "--json"),
    ],
)
def test_a_dash_is_standard_output_and_nothing_else_is_there(
    words: list[str],
    flag: str,
    runs: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [dict(zip("AB", runs, strict=True)).get(word, word) for word in words]
    assert main([*words, flag, "file"]) == 0
    assert capsysbinary.readouterr().out
    assert main([*words, flag, "-"]) == 0
    told = capsysbinary.readouterr().out
    assert told.rstrip() == (tmp_path / "file").read_bytes().rstrip()
    assert told.endswith(b"\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    if flag == "--json":
        assert json.loads(told)


@pytest.mark.parametrize("command", ["metrics", "compare"])
def test_a_file_that_cannot_be_written_is_one_line(command: str, runs: list[str], shell: Shell) -> None:
    printed = shell(command, runs[0], "--json", f"{runs[0]}/run.json/x", code=2).err
    assert printed == f"tool_sandbox: cannot write {runs[0]}/run.json/x: Not a directory\n"
