"""Containers: the command line, addresses, and a real one where a daemon answers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tool_sandbox.integrations.executors import Command, Limits, Workspace
from tool_sandbox.integrations.executors.docker import DockerExecutor, client_environment, rewrite_host
from tool_sandbox.world.errors import ConfigurationError

SECRET = "sk-proj-0123456789abcdef0123456789"
LONG = 120.0


def argv(platform: str = "linux", **limits: int) -> list[str]:
    environment = {"ANTHROPIC_API_KEY": SECRET, "PATH": "/opt/bin:/bin"}
    with Workspace() as workspace:
        executor = DockerExecutor("agents/mine:1.2", platform)
        words = executor.argv(
            Command(("my-agent", "--json"), environment), workspace, Limits(**limits), "tool_sandbox_x"
        )
        return [word.replace(str(workspace.root), "ROOT") for word in words]


def option(words: list[str], name: str) -> list[str]:
    return [words[place + 1] for place, word in enumerate(words) if word == name]


def test_the_command_line() -> None:
    words = argv(memory_bytes=2**29, processes=64)
    assert words[:2] == ["docker", "run"]
    assert {"--rm", "--interactive", "--init", "--read-only"} <= set(words)
    expected = {
        "--name": ["tool_sandbox_x"],
        "--label": ["tool_sandbox.agent=tool_sandbox_x"],
        "--memory": ["536870912"],
        "--memory-swap": ["536870912"],
        "--pids-limit": ["64"],
        "--ulimit": ["fsize=1073741824"],
        "--tmpfs": ["/tmp:rw,nosuid,nodev,mode=1777,size=1073741824"],
        "--security-opt": ["no-new-privileges"],
        "--cap-drop": ["ALL"],
        "--pull": ["never"],
        "--network": ["host"],
        "--workdir": ["/work"],
        "--user": [f"{os.getuid()}:{os.getgid()}"],
        "--mount": ["type=bind,source=ROOT/home,target=/home/agent", "type=bind,source=ROOT/work,target=/work"],
        "--entrypoint": ["my-agent"],
    }
    assert {name: option(words, name) for name in expected} == expected
    # The program comes last, behind the image, so that none of its words is an option of docker.
    assert words[-2:] == ["agents/mine:1.2", "--json"]


def test_no_value_of_a_key_is_on_it() -> None:
    words = argv()
    assert not any(SECRET in word for word in words)
    assert "ANTHROPIC_API_KEY" in option(words, "--env")
    # These would mean something to the client itself.
    assert {"HOME=/home/agent", "PATH=/opt/bin:/bin", "TZ=UTC"} <= set(option(words, "--env"))


def test_elsewhere_this_machine_has_another_name() -> None:
    words = argv("darwin")
    assert "--network" not in words
    assert option(words, "--add-host") == ["host.docker.internal:host-gateway"]
    url = "http://127.0.0.1:81/c/x/mcp"
    assert DockerExecutor("x", "darwin").reach(url) == "http://host.docker.internal:81/c/x/mcp"
    assert DockerExecutor("x", "linux").reach(url) == url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost/x", "http://host.docker.internal/x"),
        ("https://LOCALHOST:8443/x?y=localhost#z", "https://host.docker.internal:8443/x?y=localhost#z"),
        ("http://[::1]:9/", "http://host.docker.internal:9/"),
        ("http://user:pass@127.0.0.1:9", "http://user:pass@host.docker.internal:9"),
        ("http://0.0.0.0:9/", "http://host.docker.internal:9/"),
        ("http://localhost.example.org/", "http://localhost.example.org/"),
        ("https://api.example.com/localhost", "https://api.example.com/localhost"),
        ("http://127.0.0.1.example.com:1/", "http://127.0.0.1.example.com:1/"),
        ("http://localhost:nonsense/", "http://localhost:nonsense/"),
        ("", ""),
    ],
)
def test_rewriting_an_address(url: str, expected: str) -> None:
    assert rewrite_host(url) == expected


def test_places_within_the_container(workspace: Workspace) -> None:
    executor = DockerExecutor("x")
    assert executor.path(workspace, "a/b.txt") == "/work/a/b.txt"
    assert executor.path(workspace, "home/.x/y") == "/home/agent/.x/y"
    assert executor.find(["no-such-program-here", "x.py"]) == ("no-such-program-here", "x.py")


def test_a_comma_in_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a,b").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a,b"))
    with Workspace() as workspace:
        words = list(DockerExecutor("x").argv(Command(("y",)), workspace, Limits(), "z"))
        assert option(words, "--mount")[0] == f'type=bind,"source={workspace.home}",target=/home/agent'


@pytest.mark.parametrize("image", ["", "--privileged", "-v/:/x", "a b", "a\nb", "x" * 300, "$(id)"])
def test_what_is_no_image(image: str) -> None:
    with pytest.raises(ConfigurationError, match="not the name of a docker image"):
        DockerExecutor(image)


def test_the_client_gets_nothing_but_what_leads_to_its_daemon() -> None:
    ours = {"PATH": "/bin", "HOME": "/h", "DOCKER_HOST": "unix:///x", "OPENAI_API_KEY": SECRET}
    assert client_environment(ours) == {"PATH": "/bin", "HOME": "/h", "DOCKER_HOST": "unix:///x"}


def stub(directory: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a program of the name ``docker`` first on the PATH."""
    program = directory / "docker"
    program.write_text(f"#!{sys.executable} -S\nimport os, sys, time\nwords = sys.argv[1:]\n{script}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}{os.pathsep}{os.environ['PATH']}")


def test_without_docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match="needs the program docker on the PATH"):
        DockerExecutor("x").check()


def test_without_a_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path, "sys.exit('first line\\nCannot connect to the Docker daemon at unix:///x')", monkeypatch)
    with pytest.raises(ConfigurationError, match="no daemon that answers: Cannot connect") as raised:
        DockerExecutor("x").check()
    assert "\n" not in str(raised.value)


def test_without_the_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path, "sys.exit(0 if words[0] == 'version' else 'No such image')", monkeypatch)
    with pytest.raises(ConfigurationError, match="docker pull me:2"):
        DockerExecutor("me:2").check()


def test_with_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path, "print('sha256:1234' if words[0] == 'image' else '29.0')", monkeypatch)
    DockerExecutor("me:2").check()
    assert DockerExecutor("me:2").describe() == {"name": "docker", "image": "me:2", "image_id": "sha256:1234"}


def test_the_key_goes_through_the_environment_of_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Workspace
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-provider")
    stub(tmp_path, "print(os.environ.get('MY_KEY'), os.environ.get('OPENAI_API_KEY'))", monkeypatch)
    command = Command(("agent",), {"MY_KEY": SECRET})
    with DockerExecutor("x").start(command, workspace, Limits()) as process:
        assert process.read_line(LONG) == f"{SECRET} None"


def test_the_container_is_removed_when_the_client_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Workspace
) -> None:
    # A client that is killed leaves its container behind, if nobody removes it.
    log = tmp_path / "log"
    script = (
        f"open({str(log)!r}, 'a').write(' '.join(words) + '\\n')\n"
        "print('up', flush=True)\n"
        "time.sleep(1000 * (words[0] == 'run'))"
    )
    stub(tmp_path, script, monkeypatch)
    process = DockerExecutor("x").start(Command(("agent",)), workspace, Limits())
    assert process.read_line(LONG) == "up"
    process.kill()
    run, remove = log.read_text().splitlines()
    name = option(run.split(), "--name")[0]
    assert remove == f"rm --force {name}"


def _has_daemon() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "version"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _has_daemon(), reason="no docker daemon answers")
def test_a_real_container() -> None:
    found = subprocess.run(["docker", "image", "inspect", "busybox"], capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("the image busybox is not here")
    executor = DockerExecutor("busybox")
    executor.check()
    command = Command(
        ("sh", "-c", "cat in.txt; echo; echo $HOME; read x; echo got $x; touch /nothing"), files={"in.txt": "given"}
    )
    with Workspace() as workspace, executor.start(command, workspace, Limits()) as process:
        assert [process.read_line(LONG), process.read_line(LONG)] == ["given", "/home/agent"]
        process.wait(LONG)
        assert "Read-only" in process.stderr_tail
