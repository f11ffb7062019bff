"""The private directory, in which the agent may do what it likes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tool_sandbox.integrations.executors import Workspace
from tool_sandbox.world.errors import AgentError


def test_writing_and_reading(workspace: Workspace) -> None:
    path = workspace.write("a/b/c.txt", "süß\n")
    assert path == workspace.work / "a/b/c.txt"
    assert workspace.read("work/a/b/c.txt", 100) == "süß\n"
    assert path.stat().st_mode & 0o777 == 0o600
    workspace.write("a/b/c.txt", "again")
    assert workspace.read("a/b/c.txt", 5) == "again"
    assert workspace.read("none", 5) is None
    assert workspace.read("no/directory", 5) is None
    with pytest.raises(AgentError, match="larger than 4"):
        workspace.read("a/b/c.txt", 4)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a\0b", "."])
def test_paths_that_lead_out(path: str, workspace: Workspace) -> None:
    with pytest.raises(ValueError, match="not a path within"):
        workspace.write(path, "x")
    with pytest.raises(ValueError, match="not a path within"):
        workspace.read(path, 10)


def test_links_are_not_followed(tmp_path: Path, workspace: Workspace) -> None:
    secret = tmp_path / "secret"
    secret.write_text("ours")
    (workspace.work / "file").symlink_to(secret)
    (workspace.work / "directory").symlink_to(tmp_path)
    with pytest.raises(AgentError, match="cannot be read"):
        workspace.read("file", 100)
    with pytest.raises(AgentError, match="cannot be read"):
        workspace.read("directory/secret", 100)
    with pytest.raises(AgentError, match="cannot be written"):
        workspace.write("directory/secret", "theirs")
    workspace.write("file", "new")
    assert workspace.read("file", 100) == "new"
    assert secret.read_text() == "ours"


def test_what_is_no_file(tmp_path: Path, workspace: Workspace) -> None:
    os.mkfifo(workspace.work / "pipe")
    (workspace.work / "directory").mkdir()
    for name in ("pipe", "directory"):
        with pytest.raises(AgentError):
            workspace.read(name, 100)
    with pytest.raises(AgentError):
        workspace.write("directory", "x")


def test_links_are_removed_and_not_what_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    with Workspace() as workspace:
        (workspace.work / "link").symlink_to(tmp_path)
        (workspace.home / "link").symlink_to(tmp_path / "kept")
    assert (tmp_path / "kept").exists()
    assert not workspace.root.exists()


def test_what_the_agent_has_locked_is_removed() -> None:
    with Workspace() as workspace:
        inner = workspace.work / "a" / "b"
        inner.mkdir(parents=True)
        (inner / "file").touch()
        inner.chmod(0)
        inner.parent.chmod(0o500)
        workspace.work.chmod(0o500)
    assert not workspace.root.exists()
    workspace.close()


MAKING = """
import os, signal, sys
from tool_sandbox.integrations.executors import Workspace
# A shell that starts the tests in the background has it ignored, which is inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)
workspaces = [Workspace() for _ in range(3)]
for workspace in workspaces:
    workspace.write("a/b.txt", "left behind")
(workspaces[0].work / "a").chmod(0)
print(workspaces[0].root, flush=True)
sys.stdin.read() == "" or os.kill(os.getpid(), int(sys.argv[1]))
"""


@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, 0])
def test_nothing_is_left_however_the_process_ends(ends: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKING, str(ends)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, input=b"x" if ends else b"", capture_output=True, env=environment, check=False)
    assert done.returncode == -ends, done.stderr
    assert Path(done.stdout.decode().strip()).is_relative_to(tmp_path)
    while list(tmp_path.iterdir()):
        time.sleep(0.05)


def test_a_removed_directory_is_made_again() -> None:
    with Workspace() as workspace:
        shutil.rmtree(workspace.root.parent)
        with Workspace() as other:
            assert other.root.parent != workspace.root.parent
