import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.analysis.runs import families, result, store, store_results
from tests.shell import Shell
from tool_sandbox.cli import main

CHOICE = ["--family", "[cd]*", "--augmentation", "no_distraction_tools", "--scenarios", "*[aeiou]", "--trials", "2"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Real runs of agents that make a known share of mistakes."""
    base = tmp_path_factory.mktemp("played")
    for place, agent in (("good", "Oracle"), ("again", "Oracle"), ("bad", "Oracle:error_rate=0.3")):
        assert main(["--agent", agent, *CHOICE, "--output_dir", str(base / place)]) == 0
    return {place: str(next((base / place).iterdir())) for place in ("good", "again", "bad")}


def test_the_same_agent_twice_is_the_same(played: dict[str, str], shell: Shell) -> None:
    text = " ".join(shell("compare", played["good"], played["again"], "--fail-if", "any scenario breaks").out.split())
    assert "Oracle #2 and Oracle #1 are the same" in text
    assert "pass any scenario breaks" in text


def test_a_worse_agent_is_called_worse(played: dict[str, str], shell: Shell) -> None:
    gate = "strict_success drops significantly by more than 0.1"
    text = " ".join(shell("compare", played["good"], played["bad"], "--fail-if", gate, code=1).out.split())
    assert "Oracle:error_rate=0.3 is worse than Oracle: strict success -0." in text
    assert "p < 0.001" in text
    assert f"FAIL {gate}" in text
    printed = shell("compare", played["bad"], played["good"], "--fail-if", gate).out
    assert "Oracle is better than Oracle:error_rate=0.3" in " ".join(printed.split())


def test_output_fits_80_columns(played: dict[str, str], shell: Shell) -> None:
    gates = ["--fail-if", "any scenario breaks", "--fail-if", "cost is above 1"]
    printed = shell("compare", played["good"], played["bad"], played["again"], *gates, code=1)
    assert printed.err == ""
    assert [line for line in printed.out.splitlines() if len(line) > 80] == []
    assert "1. Oracle #1" in printed.out


def test_runs_are_only_read(played: dict[str, str], tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path(played["bad"]).rglob("*")}
    main(["compare", played["good"], played["bad"], "--json", str(tmp_path / "c.json")])
    assert {path: path.stat().st_mtime_ns for path in Path(played["bad"]).rglob("*")} == before


def test_a_folder_is_all_its_runs(tmp_path: Path, shell: Shell) -> None:
    for name in ("a", "b", "c"):
        store(tmp_path / "sweep", name, families(3, 1))
    text = " ".join(shell("compare", tmp_path / "sweep", "--baseline", "c").out.split())
    assert "a and c are the same" in text
    assert "b and c are the same" in text


def test_all_files_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [str(store(tmp_path, name, families(3, 1))) for name in ("a", "b")]
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "markdown", "junit")}
    flags = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert main(["compare", *runs, *flags, "--github-summary", "--fail-if", "success drops"]) == 0
    report = json.loads(files["json"].read_text("utf-8"))
    assert report["gates"][0]["passed"] is True
    assert report["versus"][0]["verdict"] == "same"
    assert ET.parse(files["junit"]).getroot().tag == "testsuites"
    assert summary.read_text("utf-8") == "before\n" + files["markdown"].read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing"], "missing is not the directory of a run"),
        (["RUN", "--fail-if", "sucess is below 1"], "Did you mean: success"),
        (["RUN", "--fail-if", "success drops"], "needs a baseline"),
        (["RUN", "--baseline", "b"], "there is no run 'b'"),
        (["RUN", "--max-infrastructure-rate", "5"], "is not a number from 0 to 1"),
        (["RUN", "--github-summary"], "needs GITHUB_STEP_SUMMARY"),
        ([], "required: RUN"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    run = str(store(tmp_path, "a", families(3, 1)))
    assert said in shell.complaint("compare", *(run if word == "RUN" else word for word in words))


def test_names_do_not_reach_the_terminal_raw(tmp_path: Path, shell: Shell) -> None:
    name = "a\x1b]0;owned\x07\u202e"
    runs = [
        str(store_results(tmp_path, agent, [result(name, 0, score, directory="odd", family="f")]))
        for agent, score in (("a\x1b[31m", 1.0), ("b", 0.0))
    ]
    text = shell("compare", *runs).out
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b]0;owned" in text


def test_gates_are_repeatable_and_one_failure_is_enough(tmp_path: Path) -> None:
    run = str(store(tmp_path, "a", families(3, 1)))
    assert main(["compare", run, "--fail-if", "success is below 0.8"]) == 0
    assert main(["compare", run, "--fail-if", "success is below 0.8", "--fail-if", "turns is above 3"]) == 1
    assert list(tmp_path.iterdir()) == [Path(run)]
