"""The agents in ``docs/examples``, as somebody would run them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.records import lines_in, records_below, result_in

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"


def run(tmp_path: Path, agent: str, *scenarios: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tool_sandbox.cli", "--agent", agent, "--scenario", *scenarios]
    # The agent's program is named as it is in the docs.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return subprocess.run(
        [*command, "--output_dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def results(tmp_path: Path) -> dict[str, Any]:
    return {file.parent.name: result_in(file.parent) for file in records_below(tmp_path)}


@pytest.mark.slow
def test_json_lines(tmp_path: Path) -> None:
    done = run(tmp_path, "command: python docs/examples/json_lines_agent.py", "wifi_off", "cellular_off")
    assert done.returncode == 0, done.stderr
    assert {name: result["similarity"] for name, result in results(tmp_path).items()} == {
        "wifi_off": 1.0,
        "cellular_off": 1.0,
    }
    described = json.loads(next(tmp_path.glob("*/run.json")).read_text("utf-8"))["agent_program"]
    assert described["command"] == "python docs/examples/json_lines_agent.py"
    events = lines_in(next(tmp_path.glob("*/trajectories/wifi_off")), "agent_events")
    assert [json.loads(event)["type"] for event in events] == ["log", "tool_calls", "message"]


@pytest.mark.slow
def test_one_shot(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    done = run(tmp_path, "command: python docs/examples/one_shot_agent.py {prompt_file} {mcp_config}", "wifi_off")
    assert done.returncode == 0, done.stderr
    assert results(tmp_path)["wifi_off"]["similarity"] == 1.0


@pytest.mark.slow
def test_without_isolation(tmp_path: Path) -> None:
    done = run(tmp_path, "command(executor=none): python docs/examples/json_lines_agent.py", "wifi_off")
    assert done.returncode == 0, done.stderr
    assert results(tmp_path)["wifi_off"]["similarity"] == 1.0


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("command: no-such-agent-program", "there is no such program: no-such-agent-program on the PATH"),
        ("command(executor=none): ./no-such-agent", "there is no such program"),
        ("command(timeout=5): python x.py", "has no option 'timeout'"),
    ],
)
def test_mistakes_end_the_run_before_it_begins(tmp_path: Path, agent: str, reason: str) -> None:
    done = run(tmp_path, agent, "wifi_off")
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert results(tmp_path) == {}


@pytest.mark.slow
def test_an_agent_that_crashes_is_scored(tmp_path: Path) -> None:
    done = run(tmp_path, "command: python -c 'raise SystemExit(3)'", "wifi_off")
    assert done.returncode in (0, 1)
    result = results(tmp_path)["wifi_off"]
    assert result["similarity"] == 0.0
    assert "exit code 3" in result["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_homes_go_with_the_program_however_it_is_stopped(number: int, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    agent = "command: sh -c 'touch here; while :; do mkdir -p a/b/c; echo x >a/b/c/$$; done'"
    command = [sys.executable, "-m", "tool_sandbox.cli", "--agent", agent, "--scenario", "wifi_off", "get_wifi"]
    with subprocess.Popen(
        [*command, "--output_dir", str(tmp_path / "out")],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    ) as process:
        while len(list(temporary.rglob("here"))) < 2 and process.poll() is None:
            time.sleep(0.05)
        assert process.poll() is None
        while process.poll() is None:
            # The second time says that nothing is to be waited for.
            process.send_signal(number)
            time.sleep(0.2)
    while any(temporary.iterdir()):
        time.sleep(0.05)
