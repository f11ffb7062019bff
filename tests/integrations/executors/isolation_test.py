"""What an agent finds in the place where it is started."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tool_sandbox.integrations.executors import Command, Limits, Workspace, make_executor
from tool_sandbox.integrations.executors.local import LocalExecutor, base_environment, without_proxy
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

LONG = 60.0
LOOK = """
import json, os, sys
def environment(pid):
    try:
        return open(f"/proc/{pid}/environ", errors="replace").read()
    except OSError:
        return ""
print(json.dumps({
    "environment": dict(os.environ), "directory": os.getcwd(), "home": os.path.expanduser("~"), "argv": sys.argv[1:],
    "parent": environment(os.getppid()), "parents_line": open(f"/proc/{os.getppid()}/cmdline").read(),
    "descriptors": os.listdir("/proc/self/fd"), "session": os.getsid(0) == os.getpid(),
}))
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes by /proc")


def look(executor: str, workspace: Workspace, *words: str, **environment: str) -> dict[str, Any]:
    command = Command((sys.executable, "-S", "-c", LOOK, *words), environment)
    with make_executor(executor).start(command, workspace, Limits()) as process:
        line = process.read_line(LONG)
        assert line is not None, process.stderr_tail
        found: dict[str, Any] = json.loads(line)
        return found


def test_a_secret_of_ours_cannot_be_found(monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ours-and-nobody-elses")
    monkeypatch.setenv("HARMLESS_NAME", "also-not-for-the-agent")
    found = look("subprocess", workspace, MINE="given")
    assert found["environment"]["MINE"] == "given"
    everything = json.dumps(found)
    assert "nobody-elses" not in everything
    assert "also-not" not in everything
    # What it was given is in no parent and on no command line either.
    assert "given" not in found["parent"] + found["parents_line"]
    assert found["environment"]["HOME"] == found["home"] == str(workspace.home)
    assert found["environment"]["TZ"] == "UTC"
    assert found["directory"] == str(workspace.work)
    assert found["session"]
    # Its three pipes, and the one by which it looks.
    assert len(found["descriptors"]) == 4
    allowed = {"PATH", "HOME", "TMPDIR", "PWD", "TZ", "LANG", "MINE", "TOOL_SANDBOX_PROCESS", "LC_CTYPE"}
    assert found["environment"].keys() - allowed - set(base_environment(os.environ)) == set()


def test_none_keeps_everything(monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> None:
    monkeypatch.setenv("HARMLESS_NAME", "for-all")
    found = look("none", workspace, MINE="given")
    assert found["environment"]["HARMLESS_NAME"] == "for-all"
    assert found["environment"]["MINE"] == "given"
    assert found["directory"] == str(Path.cwd())
    assert found["home"] == str(Path("~").expanduser())


def test_arguments_are_never_read_by_a_shell(workspace: Workspace) -> None:
    words = ("$HOME", "`id`", "; rm -rf x", "*", "a b", "", '"', "\n", "ü")
    assert look("subprocess", workspace, *words)["argv"] == list(words)


def test_files_are_there_before_it_starts(workspace: Workspace) -> None:
    code = "import os; print(open('a/b.txt').read(), open(os.path.expanduser('~/.config/x')).read())"
    files = {"a/b.txt": "work", "home/.config/x": "home"}
    command = Command((sys.executable, "-S", "-c", code), files=files)
    executor = make_executor("subprocess")
    with executor.start(command, workspace, Limits()) as process:
        assert process.read_line(LONG) == "work home"
    assert Path(executor.path(workspace, "a/b.txt")).read_text() == "work"


def test_one_conversation_does_not_see_another() -> None:
    with Workspace() as one, Workspace() as other:
        assert one.root != other.root
        assert {stat.S_IMODE(path.stat().st_mode) for path in (one.root, one.home, one.work)} == {0o700}


def test_several_processes_share_a_workspace(workspace: Workspace) -> None:
    executor = make_executor("subprocess")
    for code in ("open('kept', 'w').write('x')", "print(open('kept').read())"):
        with executor.start(Command((sys.executable, "-S", "-c", code)), workspace, Limits()) as process:
            line = process.read_line(LONG)
    assert line == "x"


def test_the_command_line_means_the_same_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").touch()
    (tmp_path / "run").touch(0o755)
    (tmp_path / "plain").touch(0o644)
    (tmp_path / "docs").mkdir()
    executor = LocalExecutor()
    assert executor.find(["sh", "agent.py", "docs", "-x", "none.py"]) == (
        "sh",
        f"{tmp_path}/agent.py",
        "docs",
        "-x",
        "none.py",
    )
    assert executor.find(["./run"]) == (f"{tmp_path}/run",)
    assert LocalExecutor("none", is_isolated=False).find(["sh", "agent.py"]) == ("sh", "agent.py")
    for wrong, reason in (
        ("./plain", "cannot be run"),
        ("./gone", "no such program"),
        ("no-such-program-x", "on the PATH"),
    ):
        with pytest.raises(ConfigurationError, match=reason):
            executor.find([wrong])


def test_a_program_beside_the_path_entry_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "run").touch(0o755)
    monkeypatch.setenv("PATH", "bin")
    assert LocalExecutor().find(["run"]) == (f"{tmp_path}/bin/run",)


def test_proxies_are_not_for_this_machine() -> None:
    base = base_environment({"HTTPS_PROXY": "http://proxy:3128", "no_proxy": "example.org, localhost", "KEY": "x"})
    assert base["HTTPS_PROXY"] == "http://proxy:3128"
    assert base["NO_PROXY"] == base["no_proxy"] == "example.org,localhost,127.0.0.1,::1"
    assert "KEY" not in base
    assert without_proxy({"PATH": "/bin"}) == {}


def test_choosing() -> None:
    assert [make_executor(name).name for name in ("none", "subprocess")] == ["none", "subprocess"]
    assert make_executor("docker", "python:3").name == "docker"
    for choice, image, reason in (
        ("podman", None, "choose one of"),
        ("docker", None, "needs an image"),
        ("none", "x", "has no image"),
    ):
        with pytest.raises(ConfigurationError, match=reason):
            make_executor(choice, image)
    with pytest.raises(UnknownNameError, match="Did you mean: subprocess"):
        make_executor("subproces")
