"""The page on agents does what it says, with something that speaks the real protocol behind each of its ways."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.place import ROOT, Place
from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.code_brain import CodeBrain
from tests.loopback.server import Heard, Move, serve
from tests.records import records_below, result_in
from tool_sandbox.scenarios import get_scenario

PAGE = ROOT / "docs" / "test-your-agent.md"
TEXT = PAGE.read_text("utf-8")
KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdef",
    "CODEX_API_KEY": "sk-docs-0123456789",
    "GEMINI_API_KEY": "AIzaDocs-0123456789",
}
SCENARIO = "wifi_off"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the commands need a POSIX shell")


def section(title: str) -> str:
    """The text of a section, those below it included."""
    parts = re.split(r"^## ", TEXT, flags=re.MULTILINE)
    (found,) = [part for part in parts if part.startswith(title)]
    return found


def fences(text: str, *languages: str) -> list[str]:
    return [body for language, body in FENCE.findall(text) if language in languages]


def commands(title: str, word: str = "") -> list[str]:
    lines = [line for body in fences(section(title), "console") for line in body.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ") and word in line]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {})


def scores(place: Place, *, of: str = "") -> list[float]:
    files = sorted(records_below(place.directory / "results"))
    return [result_in(file.parent)["similarity"] for file in files if of in str(file)]


def test_every_command_of_the_page_belongs_to_a_test() -> None:
    told = [line for body in fences(TEXT, "console", "sh") for line in body.splitlines()]
    titles = ("1. ", "2. ", "3. ", "4. ", "5. ", "By hand", "Concurrency")
    assert sum(len(commands(title)) for title in titles) == len(told)
    assert all(line.startswith("$ ") for line in told)


@pytest.mark.slow
def test_a_loop_in_python(place: Place) -> None:
    doctor, play, show, sweep = commands("1. ")
    assert "ready" in place.run(doctor)
    place.run(play)
    assert scores(place) == [1.0]
    shown = place.run(show)
    texts = fences(section("1. "), "text")
    for line in texts[0].splitlines():
        assert line in shown
    swept = place.run(sweep)
    for line in texts[1].splitlines():
        assert line in swept


@pytest.mark.slow
def test_the_code_of_the_page_is_code_that_runs(place: Place) -> None:
    (program,) = fences(section("1. "), "python")
    assert place.run([sys.executable, "-c", program]).startswith("1.0 ")
    shown, model, role = fences(section("1. "), "py")
    assert shown.strip() in (ROOT / "docs" / "examples" / "my_agent.py").read_text("utf-8")
    (place.directory / "my_role.py").write_text(role)
    place.run(f"tool_sandbox --agent my_role.py:MyRole --scenarios {SCENARIO} -o results/role")
    assert scores(place, of="/role/") == [1.0]
    (place.directory / "my_model.py").write_text(model)
    from tests.loopback.openai_chat import OpenAIChatDialect

    with serve(OpenAIChatDialect(lenient=True), SolutionBrain.of([get_scenario(SCENARIO)])) as server:
        variables = {"OPENAI_API_KEY": "sk-docs-0123456789", "OPENAI_BASE_URL": f"{server.url}/v1"}
        place.run(f"tool_sandbox --agent my_model.py:MyModelAgent --scenarios {SCENARIO} -o results/model", variables)
    assert scores(place, of="/model/") == [1.0]


@pytest.mark.slow
def test_an_entry_point_as_the_page_writes_it(place: Place, tmp_path: Path) -> None:
    (written,) = [body for body in fences(section("1. "), "text") if "entry-points" in body]
    (line,) = [line for line in written.splitlines() if "=" in line]
    name, _, value = line.partition(" = ")
    information = tmp_path / "site" / "my_package-1.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    (information / "entry_points.txt").write_text(f"[tool_sandbox.agents]\n{name} = {json.loads(value)}\n")
    package = tmp_path / "site" / "my_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "agents.py").write_text((ROOT / "docs" / "examples" / "my_agent.py").read_text("utf-8"))
    variables = {"PYTHONPATH": f"{ROOT}:{tmp_path / 'site'}"}
    # Python looks for entry points in the folders that a process starts with.
    place.run(["tool_sandbox", "--agent", name, "--scenarios", SCENARIO, "-o", "results"], variables)
    assert scores(place) == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("word", ["json_lines_agent", "one_shot_agent"])
def test_a_command(word: str, place: Place) -> None:
    if word == "one_shot_agent":
        pytest.importorskip("mcp")
    (command,) = commands("2. ", word)
    place.run(command)
    assert scores(place) == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "agent"), [("claude", "claude-code"), ("codex", "codex"), ("gemini", "gemini-cli")]
)
def test_a_command_line_agent(program: str, agent: str, place: Place) -> None:
    pytest.importorskip("mcp")
    from tests.stubs.acting import install

    install(place.programs, program, scenarios=[SCENARIO])
    (command,) = commands("3. ", f"--agent {agent}")
    place.run(command, KEYS)
    assert scores(place) == [1.0]


@pytest.mark.slow
def test_the_claude_agent_sdk(place: Place) -> None:
    pytest.importorskip("claude_agent_sdk")
    from tests.roles.external.claude_sdk_test import Lenient, solve

    (command,) = commands("4. ", "claude-sdk")
    with serve(Lenient(), solve(SCENARIO)) as server:
        # The program is told where the model is by an option only.
        place.run(command.replace("claude-sdk:", f"claude-sdk:base_url={server.url},"), KEYS)
    assert scores(place) == [1.0]


@pytest.mark.slow
def test_managed_agents(place: Place) -> None:
    from tests.loopback.managed import serve_managed

    (command,) = commands("4. ", "managed-agents")
    with serve_managed(SolutionBrain.of([get_scenario(SCENARIO)]), KEYS["ANTHROPIC_API_KEY"]) as account:
        place.run(command, KEYS | {"ANTHROPIC_BASE_URL": account.url})
    assert scores(place) == [1.0]


@pytest.mark.slow
def test_a_model_that_writes_code(place: Place) -> None:
    direct, code = SolutionBrain.of([get_scenario(SCENARIO)]), CodeBrain.of([get_scenario(SCENARIO)])

    def either(heard: Heard) -> Move:
        return direct(heard) if heard.tools else code(heard)

    with serve(AnthropicDialect(), either) as server:
        for command in commands("5. "):
            place.run(command, KEYS | {"ANTHROPIC_BASE_URL": server.url})
    assert scores(place) == [1.0] * 3


@pytest.mark.slow
def test_by_hand_over_mcp(place: Place) -> None:
    pytest.importorskip("mcp")
    from tests.integrations.mcp.clients import connected, http_client
    from tool_sandbox.integrations.mcp import ToolEndpoint

    (command,) = commands("By hand")
    with served(command, place) as lines:
        told = "".join(lines)
        address = re.search(r"^ +URL +(\S+)$.*?Bearer (\S+)$", told, re.MULTILINE | re.DOTALL)
        assert address is not None, told
        for line in fences(section("By hand"), "text")[0].splitlines():
            assert line in told
        with connected(http_client(ToolEndpoint(address[1], address[2]))) as client:
            assert client.call("set_wifi_status", {"on": False}) == ("None", False)
            ending, _ = client.call("reply_to_user", {"text": "Wifi is turned off."})
            assert "Score 1.000" in ending
    assert scores(place) == [1.0]


@contextmanager
def served(command: str, place: Place) -> Iterator[list[str]]:
    """What a server prints until it waits."""
    process = subprocess.Popen(
        ["sh", "-c", f"exec {command}"],
        cwd=place.directory,
        env=place.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        lines: list[str] = []
        while not lines or "waiting for the client" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        yield lines
        rest, _ = process.communicate(timeout=120)
        assert process.returncode == 0, rest
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.slow
def test_many_conversations_at_once(place: Place) -> None:
    (command,) = commands("Concurrency")
    place.run(command)
    assert len(scores(place)) >= 8
