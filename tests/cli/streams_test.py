"""Output that cannot be encoded, that nobody reads, or that has nowhere to go: never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shell import Shell
from tool_sandbox.analysis.data_loading import load_run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="closes descriptors as POSIX does")


def start(shell: str, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Has a shell start the program, as ``"$@"`` in its command."""
    command = ["sh", "-c", shell, "sh", sys.executable, "-m", "tool_sandbox", *words]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_an_output_cannot_show_is_named(encoding: str, shell: Shell) -> None:
    done = start('"$@"', "scenarios", "check", "wifi_off", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "checked 1 of 1\n")
    assert "\\u2264" in done.stdout
    done = start('"$@"', "scenarios", "list", "--json", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json.loads(shell("scenarios", "list", "--json").out)


def test_what_is_typed_in_another_encoding_is_heard(tmp_path: Path) -> None:
    flags = ("--user", "Cli", "--agent", "Cli", "--scenario", "wifi_off", "-o", str(tmp_path))
    start("printf 'Gr\\303\\274ezi\\n' | \"$@\"", *flags, PYTHONIOENCODING="ascii")
    (result,) = load_run(*tmp_path.iterdir()).results
    assert result["exception_type"] == "ConversationAbandonedError"


@pytest.mark.slow
@pytest.mark.parametrize("closing", [">&-", "<&- >&- 2>&-"])
def test_without_streams_all_is_done(closing: str, tmp_path: Path) -> None:
    done = start(f'"$@" {closing}', "--scenario", "wifi_off", "-o", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr
    assert load_run(*tmp_path.iterdir()).is_complete
    assert start(f'"$@" {closing}', "agents").returncode == 0


def test_a_reader_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    """The exit code is the command's, and files are written all the same."""
    reading, writing = os.pipe()
    os.close(reading)

    def code(*words: str) -> int:
        return subprocess.run([sys.executable, "-m", "tool_sandbox", *words], stdout=writing, check=False).returncode

    assert code("doctor", "--agent", "anthropic/claude-haiku-5-5") == 1
    file = tmp_path / "power.json"
    assert code("power", "--scenarios", "10", "--families", "2", "--json", str(file)) == 0
    assert json.loads(file.read_bytes())
    os.close(writing)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
def test_a_full_disk_is_one_line() -> None:
    done = start('"$@" >/dev/full', "agents")
    line = "tool_sandbox: cannot write to standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, line)
    assert start('"$@" >/dev/full 2>/dev/full', "agents").returncode == 1
