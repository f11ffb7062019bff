"""A run directory of a stranger: what it names is not run, read or asked unless somebody says it again."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tool_sandbox.cli import main
from tool_sandbox.play.trajectory_files import stored_context
from tool_sandbox.runner.repeating import is_plain
from tool_sandbox.runner.run import play, prepare_run

RECORDING = {"mode": "record", "version": "1", "choice": "record:/somewhere"}
Change = Callable[..., Path]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(prepare_run("Oracle", "Scripted", ["wifi_off", "cellular_off"]), tmp_path_factory.mktemp("data")).path


@pytest.fixture
def strange(played: Path, tmp_path: Path) -> Change:
    """A copy of the run in which something is missing, and ``run.json`` says something else."""

    def change(name: str = "run", **changes: Any) -> Path:
        run = Path(shutil.copytree(played, tmp_path / name))
        shutil.rmtree(run / "trajectories" / "wifi_off")
        described = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps(described | changes))
        return run

    return change


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A file of Python, and the file that is there once it was run or imported."""
    sprung = tmp_path / "sprung"
    file = tmp_path / "trap.py"
    file.write_text(f"open({str(sprung)!r}, 'w')\ndef agent(messages, tools): return 'no'\n")
    return file, sprung


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", ["resume", "retry"])
@pytest.mark.parametrize("form", ["command: {python} {file}", "command(env=HOME): {python} {file}", "{file}:agent"])
def test_no_code_of_a_run_is_run(
    strange: Change, trap: tuple[Path, Path], command: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, sprung = trap
    agent = form.format(python=sys.executable, file=file)
    run = strange(agent=agent)
    assert main([command, str(run)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"add: --agent '{agent}'" in line or f"add: --agent {agent}" in line
    assert main([command, str(run), "--agent", f"{agent}_other"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"the agent was {agent} and is {agent}_other" in line
    assert not sprung.exists()
    main([command, str(run), "--agent", agent])
    assert sprung.exists(), capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({"agent": "openai/gpt-5.1:base_url=http://evil.example/v1"}, "--agent openai"),
        ({"agent": "openai/gpt-5.1:api_key_env=AWS_SECRET_ACCESS_KEY"}, "--agent openai"),
        ({"user": "vllm/m:base_url=http://evil.example/v1"}, "--user vllm"),
        ({"agent": "Hermes:base_url=http://evil.example/v1"}, "--agent Hermes"),
        ({"judge": "openai/gpt-5.1:base_url=http://evil.example/v1"}, "--judge openai"),
        ({"agent": "code:openai/gpt-5.1"}, "--agent code"),
        ({"agent": "claude-code:binary=/tmp/evil"}, "--agent claude-code"),
        ({"agent": "replay:/somewhere"}, "--agent replay:/somewhere"),
        ({"cache": "/somewhere"}, "--cache /somewhere"),
        ({"prices": {"date": "2026-01-01", "version": "1", "file": "/dev/zero"}}, "--prices /dev/zero"),
        ({"services": RECORDING}, "--services record:/somewhere"),
        ({"cache": "a; b", "agent": "x.py:\nY"}, "--agent 'x.py:\\nY' --cache 'a; b'"),
    ],
)
def test_one_line_says_what_to_add(
    strange: Change, changes: dict[str, Any], flags: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = strange(**changes)
    for command in ("resume", "retry"):
        assert main([command, str(run)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"add: {flags}" in line


def test_what_is_said_again_is_used(strange: Change, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = strange(cache=str(tmp_path / "cache"))
    assert main(["resume", str(run), "--cache", str(tmp_path / "mine")]) == 0
    assert not (tmp_path / "cache").exists()


def test_services_and_judge_stay_what_they_were(strange: Change, capsys: pytest.CaptureFixture[str]) -> None:
    run = strange()
    for flag, value in (("services", "rapidapi"), ("judge", "openai/gpt-5.1")):
        assert main(["resume", str(run), f"--{flag}", value]) == 2
        assert f"--{flag} can only repeat the setting of the run: leave it out" in capsys.readouterr().err


def test_several_runs_have_each_their_own(
    strange: Change, trap: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = trap
    agents = [f"{file}:agent", f"command: {sys.executable} {file}"]
    runs = [str(strange(f"run_{number}", agent=agent)) for number, agent in enumerate(agents)]
    runs.append(str(strange("run_3")))
    assert main(["resume", *runs, "--agent", agents[0]]) == 2
    assert "run_1/run.json has settings that run code" in capsys.readouterr().err
    assert main(["resume", *runs, "--agent", agents[0], "--agent", "Unhelpful"]) == 2
    assert "none of the runs was played with the agent Unhelpful" in capsys.readouterr().err
    main(["resume", *runs, "--agent", agents[0], "--agent", agents[1]])
    assert "playing 3 of 6 conversations" in capsys.readouterr().out


@pytest.mark.parametrize(
    "choice", ["Oracle:error_rate=0.1", "openai/gpt-5.1:effort=low,max_tokens=9", "vllm/m:format=hermes", "Hermes"]
)
def test_plain_parties_need_no_repetition(choice: str) -> None:
    assert is_plain(choice, "agent")
    assert is_plain("Scripted", "user")


@pytest.mark.parametrize("choice", ["acme/m", "code:openai/m", "MyAgent", "command: x", "vllm/m:base_url=http://h/v1"])
def test_what_leads_elsewhere_has_to_be_said_again(choice: str) -> None:
    assert not is_plain(choice, "agent")


def test_a_replay_follows_no_run_into_another_folder(strange: Change, capsys: pytest.CaptureFixture[str]) -> None:
    run = strange(agent="replay:/somewhere")
    assert main(["--agent", f"replay:{run}"]) == 2
    assert "is a replay itself; replay the run that it repeats: replay:/somewhere" in capsys.readouterr().err
    run = strange("recorded", services=RECORDING)
    assert main(["--agent", f"replay:{run}"]) == 2
    assert "repeat them: --services record:/somewhere" in capsys.readouterr().err


def test_a_stored_world_brings_no_code(played: Path, tmp_path: Path) -> None:
    stored = json.loads((played / "trajectories" / "cellular_off" / "execution_context.json").read_text())
    sprung = tmp_path / "sprung"
    source = f"class A:\n    open({str(sprung)!r}, 'w')"
    entry = {"kind": "host", "source": source, "removed": [], "values": {}}
    stored["interactive_console"] = json.dumps({"set_up": [], "journal": [entry]})
    context = stored_context(stored, tmp_path)
    assert "A" not in context.interactive_console.locals
    assert not sprung.exists()
