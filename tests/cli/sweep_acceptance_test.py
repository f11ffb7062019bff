"""A sweep of three agents of known order is killed, resumed, compared and reported, all through the real program."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PROGRAM = (sys.executable, "-m", "tool_sandbox.cli")
AGENTS = ("Oracle", "Oracle:error_rate=0.1", "Oracle:error_rate=0.3")
TRIALS = 2
SCENARIOS = 68


def sandbox(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)


def results(sweep: Path) -> dict[str, dict[str, Any]]:
    """Conversation to what it was worth, of each run of a sweep."""
    return {
        summary["run"]["agent"]: {
            result["directory"]: (result["similarity"], result["success"], result["outcome"])
            for result in summary["per_scenario_results"]
        }
        for summary in (json.loads(path.read_text()) for path in sorted(sweep.glob("*/result_summary.json")))
    }


@pytest.mark.slow
def test_a_sweep_is_killed_resumed_compared_and_reported(tmp_path: Path) -> None:
    what = ("--tag", "MULTIPLE_USER_TURN", "--augmentation", "no_distraction_tools", "--trials", str(TRIALS))
    asked = ("sweep", "--agent", *AGENTS, *what, "-o")
    killed = tmp_path / "killed"
    playing = subprocess.Popen(
        [*PROGRAM, *map(str, asked), str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while playing.poll() is None and sum(1 for _ in killed.glob("*/*/trajectories/*/record.jsonl")) < 60:
        time.sleep(0.05)
    os.kill(playing.pid, signal.SIGKILL)
    playing.wait()
    (sweep,) = killed.iterdir()
    before = sum(1 for _ in sweep.glob("*/trajectories/*/record.jsonl"))
    assert 60 <= before < SCENARIOS * TRIALS * len(AGENTS)

    resumed = sandbox("resume", sweep)
    assert resumed.returncode == 0, resumed.stderr

    undisturbed = sandbox(*asked, tmp_path / "whole")
    assert undisturbed.returncode == 0, undisturbed.stderr
    (whole,) = (tmp_path / "whole").iterdir()
    assert results(sweep) == results(whole)
    assert {len(run) for run in results(sweep).values()} == {SCENARIOS * TRIALS}

    compared = sandbox("compare", sweep, "--json", tmp_path / "compared.json", "--fail-if", "any scenario breaks")
    assert compared.returncode == 1, compared.stdout
    versus = json.loads((tmp_path / "compared.json").read_text())["versus"]
    assert [(each["label"], each["verdict"]) for each in versus] == [(agent, "worse") for agent in AGENTS[1:]]
    success = [each["differences"]["strict_success"] for each in versus]
    assert all(each["difference"]["high"] < 0 and each["p_value"] < 0.001 for each in success)

    same = sandbox("compare", next(sweep.glob("*0.1*")), next(whole.glob("*0.1*")), "--fail-if", "any scenario breaks")
    assert same.returncode == 0, same.stdout

    reported = sandbox("report", sweep, "-o", tmp_path / "report.html")
    assert reported.returncode == 0, reported.stderr
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
