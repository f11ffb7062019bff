"""``tool_sandbox metrics`` tells the numbers of runs, on a narrow terminal and as JSON."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.analysis.runs import result, store, store_results
from tests.records import edit_record, records_below
from tests.shell import Shell
from tool_sandbox.analysis.metrics import metrics_schema
from tool_sandbox.cli import main
from tool_sandbox.runner.run import play, prepare_run

NAMES = ["wifi_off", "wifi_off_3_distraction_tools", "turn_on_wifi_low_battery_mode", "remove_contact_by_phone"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("runs")
    agents = {"perfect": "Oracle", "erring": "Oracle:error_rate=0.3", "useless": "Unhelpful"}
    return {name: play(prepare_run(agent, "Scripted", NAMES, trials=2), base).path for name, agent in agents.items()}


def _with_errors(run: Path, target: Path, count: int) -> Path:
    """A copy of a run in which a provider failed for the first conversations."""
    shutil.copytree(run, target)
    (target / "result_summary.json").unlink()
    change = {"outcome": "infrastructure_error", "evaluated": False, "similarity": 0, "success": False}
    for path in sorted(records_below(target))[:count]:
        edit_record(path.parent, lambda result: result | change)
    return target


def test_one_run(runs: dict[str, Path], shell: Shell) -> None:
    lines = shell("metrics", runs["erring"]).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "agent Oracle:error_rate=0.3, user Scripted"
    assert lines[1] == "8 conversations of 4 scenarios, 2 trials"
    header = next(line for line in lines if line.lstrip().startswith("mean"))
    assert header.split() == ["mean", "interval", "bootstrap", "refusing", "request-blind"]
    firsts = [line.split("  ")[0] for line in lines]
    for title in ("success rate", "partial score", "pass^1", "pass^2", "pass@2", "turns", "tool calls", "side effects"):
        assert title in firsts
    success = next(line for line in lines if line.startswith("success rate"))
    assert success.split()[-2:] == ["0.0%", "0.0%"]
    assert next(line for line in lines if line.startswith("partial score")).split()[-1] == "0.175"
    assert lines[-1].startswith("95 % intervals from ")


def test_runs_are_ranked_side_by_side(runs: dict[str, Path], shell: Shell) -> None:
    folder = runs["perfect"].parent
    lines = shell("metrics", folder).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[:2] for line in lines[2:5]] == [
        ["1", "Oracle"],
        ["2", "Oracle:error_rate=0.3"],
        ["3", "Unhelpful"],
    ]
    assert next(line for line in lines if line.startswith("success rate")).count("%") == 3
    assert sum(line.startswith("floor: ") for line in lines) == 2


@pytest.mark.parametrize("grouping", ["category", "augmentation", "family"])
def test_parts(runs: dict[str, Path], grouping: str, shell: Shell) -> None:
    names = {"category": "SINGLE_TOOL_CALL", "augmentation": "3_distraction_tools", "family": "settings"}
    for chosen in ([runs["perfect"]], [runs["perfect"], runs["useless"]]):
        lines = shell("metrics", *chosen, "--by", grouping).out.splitlines()
        assert max(map(len, lines)) <= 80
        start = next(number for number, line in enumerate(lines) if line.startswith(f"{grouping} "))
        assert lines[start].split()[-1] == "floor"
        assert any(line.startswith(f"{names[grouping]} ") for line in lines[start:])


def test_json(runs: dict[str, Path], tmp_path: Path, shell: Shell) -> None:
    target = tmp_path / "metrics.json"
    assert "success rate" in shell("metrics", runs["perfect"], runs["useless"], "--json", target, "--k", "2").out
    told: dict[str, Any] = json.loads(shell("metrics", runs["perfect"], runs["useless"], "--json", "-", "--k", "2").out)
    assert told == json.loads(target.read_text("utf-8"))
    assert [run["agent"] for run in told["runs"]] == ["Oracle", "Unhelpful"]
    for run in told["runs"]:
        jsonschema.validate({key: run[key] for key in run if key not in ("path", "agent", "user")}, metrics_schema())
        assert list(run["overall"]["pass_at_k"]) == ["2"]
    assert [run["overall"]["headlines"]["success"]["value"] for run in told["runs"]] == [1, 0]


def test_runs_over_different_scenarios_are_ranked_by_what_they_share(tmp_path: Path, shell: Shell) -> None:
    """The first wins where both played, and loses by its mean over all that it played."""
    easy, hard = {f"a_{n}": [1.0] for n in range(4)}, {f"b_{n}": [0.0] for n in range(8)}
    wide = store(tmp_path, "wide", easy | hard, planned=15)
    narrow = store(tmp_path, "narrow", easy | {"a_0": [0.0]})
    text = shell("metrics", narrow, wide).out
    assert [line.split()[:3] for line in text.splitlines()[2:4]] == [["1", "wide", "100.0%"], ["2", "narrow", "75.0%"]]
    assert "over the 4 scenarios that all runs played; conversations of others are left out" in text
    assert "4 conversations of 4 scenarios; 8 are left out" in text
    assert "INCOMPLETE: 12 of 15 conversations were played" in text
    told = json.loads(shell("metrics", narrow, wide, "--json", "-").out)
    assert (told["common"]["scenarios"], told["common"]["left_out"]) == (4, [0, 8])
    assert [run["overall"]["conversations"] for run in told["runs"]] == [4, 4]
    assert "12 conversations of 12 scenarios" in shell("metrics", wide).out


def test_runs_that_share_nothing_are_not_ranked(tmp_path: Path, shell: Shell) -> None:
    runs = [
        store(tmp_path, "lost", {"a_0": [0.0]}),
        # Of the same name, and another scenario by its fingerprint.
        store(tmp_path, "won", {"a_0": [1.0]}, scenario_hash={"start": "s", "evaluation": "other"}),
    ]
    text = shell("metrics", *runs).out
    assert "no scenario was played by all runs" in text
    assert [line.split()[1] for line in text.splitlines()[2:4]] == ["lost", "won"]


def test_other_rules_are_warned_of(tmp_path: Path, shell: Shell) -> None:
    runs = [
        store_results(tmp_path, name, [result("a_0", 0, 1.0)], profile=profile)
        for name, profile in (("a", "strict"), ("b", "published"))
    ]
    assert "WARNING: different rules of scoring: strict and published" in shell("metrics", *runs).out


def test_a_run_with_infrastructure_errors_has_no_headline(runs: dict[str, Path], tmp_path: Path, shell: Shell) -> None:
    unreliable = _with_errors(runs["perfect"], tmp_path / "unreliable", 2)
    out = shell("metrics", unreliable).out
    assert next(line for line in out.splitlines() if line.startswith("success rate")).split()[2:] == [
        "refused", "75.0%", "to", "100.0%", "0.0%", "0.0%",
    ]  # fmt: skip
    assert "REFUSED: 25.0% infrastructure errors, more than 5.0%" in out
    assert "excluded: 2 infrastructure errors (25.0%), 0 user errors (0.0%)" in out
    ranked = shell("metrics", unreliable, runs["perfect"]).out.splitlines()
    assert "refused  75.0% to 100.0%" in ranked[3], "the run without a headline comes last"
    allowed = shell("metrics", unreliable, "--max-infrastructure-rate", "0.3").out
    assert "REFUSED" not in allowed
    assert "success with them as failures 75.0%, as successes 100.0%" in allowed
    assert "left out of pass@k and pass^k for too few evaluated trials" in allowed


def test_an_unfinished_run_says_so(runs: dict[str, Path], tmp_path: Path, shell: Shell) -> None:
    unfinished = tmp_path / "unfinished"
    shutil.copytree(runs["perfect"], unfinished)
    (unfinished / "result_summary.json").unlink()
    shutil.rmtree(next((unfinished / "trajectories").iterdir()))
    assert "INCOMPLETE: 7 of 8 conversations were played" in shell("metrics", unfinished).out
    assert not (unfinished / "result_summary.json").exists(), "it may be going on"


def test_names_in_files_cannot_steer_a_terminal(runs: dict[str, Path], tmp_path: Path, shell: Shell) -> None:
    hostile = tmp_path / "hostile"
    shutil.copytree(runs["perfect"], hostile)
    described = json.loads((hostile / "run.json").read_text("utf-8"))
    (hostile / "run.json").write_text(json.dumps(described | {"agent": "\x1b[2Jevil"}), "utf-8")
    for given in ([hostile], [hostile, runs["useless"]]):
        assert "\x1b" not in shell("metrics", *given).out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--k", "3"], "--k 3 needs as many trials; there are at most 2"),
        (["--k", "0"], "'0' is not a positive whole number"),
        (["--confidence", "95"], "'95' is not a number from 0 to 1"),
        (["--confidence", "1"], "'1' is not a number between 0 and 1"),
        (["--confidence", "0.9999999999999999"], "too near to one of them"),
        (["--max-infrastructure-rate", "x"], "'x' is not a number from 0 to 1"),
        (["--by", "colour"], "invalid choice"),
        (["--json", "/nowhere/at/all.json"], "cannot write /nowhere/at/all.json"),
    ],
)
def test_mistakes_are_one_line(runs: dict[str, Path], flags: list[str], message: str, shell: Shell) -> None:
    assert message in shell.complaint("metrics", runs["perfect"], *flags)


def test_a_name_that_is_no_unicode_is_written_all_the_same(tmp_path: Path) -> None:
    """A lone surrogate is possible in JSON, and so in a file that somebody hands on."""
    run, target = store(tmp_path, "a", {"a_1": [1.0]}, categories=["\ud800"]), tmp_path / "metrics.json"
    assert main(["metrics", str(run), "--json", str(target)]) == 0
    assert "\ud800" in json.loads(target.read_text("utf-8"))["runs"][0]["groups"]["category"]
