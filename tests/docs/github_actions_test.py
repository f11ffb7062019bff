"""The workflow of the documentation, run step by step as far as one machine can."""

import itertools
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tool_sandbox.analysis.comparison import ScenarioChange
from tool_sandbox.analysis.statistics.estimators import fisher_p_value

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "docs" / "github-actions.yml"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the steps need a POSIX shell")


def workflow() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    return loaded


def steps() -> list[dict[str, Any]]:
    (job,) = workflow()["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


@pytest.fixture
def machine(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A working directory, and what GitHub and the workflow set."""
    program = tmp_path / "bin" / "tool_sandbox"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tool_sandbox.cli "$@"\n')
    program.chmod(0o755)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    settings = {key: str(value) for key, value in workflow()["env"].items()}
    variables = {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    return workspace, os.environ | settings | variables | {"TRIALS": "1", "FAMILY": "c*"}


def play(workspace: Path, environment: dict[str, str], *, cache_hit: bool = False) -> Iterator[tuple[str, int, str]]:
    """Runs the steps as GitHub does: after a failure only those that say so."""
    failed = False
    for step in steps():
        condition = step.get("if", "success()")
        if "run" not in step or step["run"].startswith("pip install"):
            continue
        if "cache-hit" in condition and cache_hit:
            continue
        if failed and "cancelled()" not in condition:
            continue
        secrets = dict.fromkeys(step.get("env", {}), "")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=workspace,
            env=environment | secrets,
            capture_output=True,
            text=True,
            timeout=300,
        )
        failed = failed or done.returncode != 0
        yield step["name"], done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_an_agent_that_stays_the_same_passes(machine: tuple[Path, dict[str, str]]) -> None:
    workspace, environment = machine
    played = list(play(workspace, environment))
    assert [name for name, _, _ in played] == [
        "Play the baseline", "Play this branch", "Compare", "Write the report"
    ]  # fmt: skip
    assert all(code == 0 for _, code, _ in played), played
    assert "All 5 gates passed" in Path(environment["GITHUB_STEP_SUMMARY"]).read_text("utf-8")
    assert (workspace / "results" / "report.html").stat().st_size > 0


@pytest.mark.slow
def test_an_agent_that_got_worse_fails_with_all_results(machine: tuple[Path, dict[str, str]]) -> None:
    workspace, environment = machine
    played = {
        name: (code, text) for name, code, text in play(workspace, environment | {"AGENT": "Oracle:error_rate=0.3"})
    }
    assert {name: code for name, (code, _) in played.items()} == {
        "Play the baseline": 0,
        "Play this branch": 0,
        "Compare": 1,
        "Write the report": 0,
    }, played
    assert "Oracle:error_rate=0.3 is worse than Oracle" in played["Compare"][1]
    summary = Path(environment["GITHUB_STEP_SUMMARY"]).read_text("utf-8")
    assert summary == (workspace / "results" / "summary.md").read_text("utf-8")
    assert "gates failed" in summary
    comparison = json.loads((workspace / "results" / "comparison.json").read_text("utf-8"))
    assert comparison["versus"][0]["verdict"] == "worse"
    root = ET.parse(workspace / "results" / "junit.xml").getroot()
    assert [suite.get("name") for suite in root] == ["Oracle:error_rate=0.3", "gates"]
    assert int(root[0].get("failures", "0")) == len(comparison["versus"][0]["broken"]) > 20


@pytest.mark.slow
def test_a_cached_baseline_is_not_played_again(machine: tuple[Path, dict[str, str]]) -> None:
    workspace, environment = machine
    environment |= {"FAMILY": "settings"}
    baseline = [sys.executable, "-m", "tool_sandbox.cli", "--scenarios", "wifi*", "--output_dir", "baseline"]
    subprocess.run(baseline, cwd=workspace, env=environment, check=True, capture_output=True)
    played = {name: code for name, code, _ in play(workspace, environment, cache_hit=True)}
    # One family is not enough to say what is significant, and a gate that says nothing does not pass.
    assert played == {"Play this branch": 0, "Compare": 1, "Write the report": 0}


def test_actions_are_pinned_and_nothing_of_a_pull_request_is_pasted_into_a_shell() -> None:
    uses = [step["uses"] for step in steps() if "uses" in step]
    assert len(uses) == 5
    assert [each for each in uses if not re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", each)] == []
    assert [step["name"] for step in steps() if "${{" in step.get("run", "")] == []
    assert workflow()["permissions"] == {"contents": "read"}


def chance_to_break(trials: int, before: float, now: float) -> float:
    """How often a scenario is called broken that succeeds with these probabilities."""

    def likelihood(won: int, chance: float) -> float:
        return math.comb(trials, won) * chance**won * (1 - chance) ** (trials - won)

    total = 0.0
    for won, won_now in itertools.product(range(trials + 1), repeat=2):
        p_value = fisher_p_value((won, trials), (won_now, trials))
        if ScenarioChange("", 0, "", won / trials, won_now / trials, 0, "", p_value).is_one(-1, 0.05):
            total += likelihood(won, before) * likelihood(won_now, now)
    return total


def test_the_number_of_trials_can_tell_something_and_the_table_says_what() -> None:
    chosen = workflow()["env"]["TRIALS"]
    assert fisher_p_value((chosen, chosen), (0, chosen)) < 0.05
    assert chosen % 2 == 1
    assert chance_to_break(chosen, 0.9, 0.9) < 0.01
    rows = re.findall(
        r"^\| (\d+) \|(.* % .*)\| ([\d.]+) \|$", (ROOT / "docs" / "gate-my-ci.md").read_text("utf-8"), re.M
    )
    assert [int(trials) for trials, _, _ in rows] == [1, 2, 3, 4, 5, 7, 10]
    for trials, shares, p_value in rows:
        count = int(trials)
        told = [float(share.strip(" %")) / 100 for share in shares.split("|")]
        changes = [(0.8, 0.8), (0.9, 0.9), (0.95, 0.95), (1.0, 0.3), (1.0, 0.0)]
        found = [chance_to_break(count, before, now) for before, now in changes]
        assert told == pytest.approx(found, abs=0.0051)
        assert float(p_value) == pytest.approx(fisher_p_value((count, count), (0, count)), abs=0.0051)
