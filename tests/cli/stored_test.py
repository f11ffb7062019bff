import re
from pathlib import Path

import pytest

from tool_sandbox.cli import COMMANDS, main

WORDS = ("--scenarios", "wifi_off", "--agent", "Oracle", "Oracle:error_rate=0.3")


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one sweep of two runs."""
    base = tmp_path_factory.mktemp("sweeps")
    assert main(["sweep", *WORDS, "--output_dir", str(base)]) == 0
    return base


def _line(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a wrong command is answered with."""
    capsys.readouterr()
    assert main(words) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.count("\n") == 1
    return errors


@pytest.mark.parametrize("command", ["resume", "metrics", "compare", "report", "show", "retry", "rescore", "power"])
def test_what_is_no_run_is_told_apart(command: str, sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sweep,) = sweeps.glob("sweep_*")
    file = sweeps / "notes.txt"
    file.write_text("no run")
    (sweeps / "empty").mkdir(exist_ok=True)
    assert "no such directory" in _line(capsys, command, str(sweeps / "nowhere"))
    assert "nor a file in one" in _line(capsys, command, str(file))
    assert "has no run.json" in _line(capsys, command, str(sweeps / "empty"))
    assert f"but of sweeps; name one, such as {sweep}" in _line(capsys, command, str(sweeps))


def test_one_run_is_wanted_where_a_sweep_was_named(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sweep,) = sweeps.glob("sweep_*")
    assert f"but of 2; name one, such as {sweep}" in _line(capsys, "rescore", str(sweep))
    assert f"tool_sandbox resume {sweep}" in _line(capsys, "sweep", str(sweep))


def test_run_is_not_compared_with_itself(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(next(sweeps.glob("sweep_*/agent_Oracle_user*")))
    assert "more than once" in _line(capsys, "compare", run, f"{run}/")


def test_missing_trial_names_those_that_are_there(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(next(sweeps.glob("sweep_*/agent_Oracle_user*")))
    assert "there are seed 0; trial 0" in _line(capsys, "show", run, "wifi_off", "--trial", "7")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("scenarios", "tools", "agents")])
def test_help_of_every_command_teaches(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"exit codes: 0 .*2 usage error", " ".join(shown.split()))
    assert f"\nexamples:\n  tool_sandbox{'' if command == 'run' else ' ' + command}" in shown
