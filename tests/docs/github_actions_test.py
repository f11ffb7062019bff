"""The workflow of the documentation, run step by step as far as one machine can."""

import json
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


def test_an_agent_that_stays_the_same_passes(machine: tuple[Path, dict[str, str]]) -> None:
    workspace, environment = machine
    played = list(play(workspace, environment))
    assert [name for name, _, _ in played] == [
        "Play the baseline", "Play this branch", "Compare", "Write the report"
    ]  # fmt: skip
    assert all(code == 0 for _, code, _ in played), played
    assert "All 5 gates passed" in Path(environment["GITHUB_STEP_SUMMARY"]).read_text("utf-8")
    assert (workspace / "results" / "report.html").stat().st_size > 0


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
