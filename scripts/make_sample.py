"""Plays the small runs below ``data/sample`` that the notebooks, the docs and their tests read.

Two agents, six tasks of different families offered in two ways, three trials: enough for every plot to have something
to show. What depends on the moment and the machine (times, versions) is left out, and so are files that say the same
again, so playing it again gives the same bytes as long as suite and engine are the same.

Usage: python scripts/make_sample.py [TARGET]
"""

import shutil
import sys
import tempfile
from pathlib import Path

from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import PARQUET_FILE, RunDirectory

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "data" / "sample"
AGENTS = {"oracle_10": "Oracle:error_rate=0.1", "oracle_30": "Oracle:error_rate=0.3"}
"""Name of the run's directory to its agent."""

TASKS = (
    "wifi_off",
    "remove_contact_by_phone",
    "modify_reminder_with_recency_latest",
    "convert_currency",
    "find_temperature_low_battery_mode",
    "send_message_with_contact_content_cellular_off",
)
OFFERED = ("", "_3_distraction_tools")
TRIALS = 3
REPEATED = ("conversation.json", "pretty_print.txt")
"""Files that the others can be turned into."""

OF_A_MACHINE = {"started": "2026-01-01T00:00:00+00:00", "python_version": "3", "sdk_versions": {}, "git_sha": None}


def make(target: Path) -> None:
    """Plays all runs and puts them below a directory, replacing those that are there."""
    for name, agent in AGENTS.items():
        with tempfile.TemporaryDirectory() as temporary:
            scenarios = [task + offered for task in TASKS for offered in OFFERED]
            run = RunDirectory(play(prepare_run(agent, scenarios=scenarios, trials=TRIALS), temporary).path)
            floors_of(run.path)
            _keep_what_stays_the_same(run)
            shutil.rmtree(target / name, ignore_errors=True)
            shutil.copytree(run.path, target / name)


def _keep_what_stays_the_same(run: RunDirectory) -> None:
    described = run.read_run()
    described |= {key: value for key, value in OF_A_MACHINE.items() if key in described}
    run.write_run(described)
    run.write_summary(run.read_results(), described, None)
    (run.path / PARQUET_FILE).unlink()
    for path in run.path.rglob("*"):
        if path.name in REPEATED or path.name.startswith("."):
            path.unlink()


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
