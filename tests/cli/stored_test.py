import re
from pathlib import Path

import pytest

from tests.shell import Shell
from tool_sandbox.cli import COMMANDS, main

WORDS = ("--scenarios", "wifi_off", "--agent", "Oracle", "Oracle:error_rate=0.3")


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one sweep of two runs."""
    base = tmp_path_factory.mktemp("sweeps")
    assert main(["sweep", *WORDS, "--output_dir", str(base)]) == 0
    return base


@pytest.mark.parametrize("command", ["resume", "metrics", "compare", "report", "show", "retry", "rescore", "power"])
def test_what_is_no_run_is_told_apart(command: str, sweeps: Path, shell: Shell) -> None:
    (sweep,) = sweeps.glob("sweep_*")
    file = sweeps / "notes.txt"
    file.write_text("no run")
    (sweeps / "empty").mkdir(exist_ok=True)
    assert "no such directory" in shell.complaint(command, sweeps / "nowhere")
    assert "nor a file in one" in shell.complaint(command, file)
    assert "has no run.json" in shell.complaint(command, sweeps / "empty")
    assert f"but of sweeps; name one, such as {sweep}" in shell.complaint(command, sweeps)


def test_one_run_is_wanted_where_a_sweep_was_named(sweeps: Path, shell: Shell) -> None:
    (sweep,) = sweeps.glob("sweep_*")
    assert f"but of 2; name one, such as {sweep}" in shell.complaint("rescore", sweep)
    assert f"tool_sandbox resume {sweep}" in shell.complaint("sweep", sweep)


def test_run_is_not_compared_with_itself(sweeps: Path, shell: Shell) -> None:
    run = str(next(sweeps.glob("sweep_*/agent_Oracle_user*")))
    assert "more than once" in shell.complaint("compare", run, f"{run}/")


def test_missing_trial_names_those_that_are_there(sweeps: Path, shell: Shell) -> None:
    run = str(next(sweeps.glob("sweep_*/agent_Oracle_user*")))
    assert "there are seed 0; trial 0" in shell.complaint("show", run, "wifi_off", "--trial", "7")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("scenarios", "tools", "agents")])
def test_help_of_every_command_teaches(command: str, shell: Shell) -> None:
    shown = shell(command, "--help").out
    assert re.search(r"exit codes: 0 .*2 usage error", " ".join(shown.split()))
    assert f"\nexamples:\n  tool_sandbox{'' if command == 'run' else ' ' + command}" in shown
