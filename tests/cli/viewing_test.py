"""``tool_sandbox view``: its address, its port, its end."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.shell import Shell
from tool_sandbox.cli.viewing import start


@pytest.mark.skipif(os.name != "posix", reason="sends a signal of POSIX")
def test_it_serves_until_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tool_sandbox.cli", "view", str(tmp_path), "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        url = line.split(" at ")[1].split(" ")[0]
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert b"ToolSandbox" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_port_that_is_taken(taken_port: int, tmp_path: Path, shell: Shell) -> None:
    complaint = shell.complaint("view", tmp_path, "--port", taken_port, "--no-open")
    assert f"cannot listen on port {taken_port}" in complaint


def test_next_port_is_tried(taken_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tool_sandbox.cli.viewing.DEFAULT_PORT", taken_port)
    server = start(tmp_path, None)
    assert taken_port < server.server_port < taken_port + 20
    server.server_close()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["missing"], "missing is not a folder"), (["--port", "70000"], "'70000' is not a port")],
)
def test_mistakes_are_one_line(arguments: list[str], complaint: str, shell: Shell) -> None:
    assert complaint in shell.complaint("view", *arguments)
