"""Agents in files and by entry points, chosen on the real command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.records import records_below, result_in
from tool_sandbox.roles.external.loading import resolve
from tool_sandbox.roles.external.loop import LoopAgent
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

ROOT = Path(__file__).resolve().parents[3]

AGENT = """
from helper_beside_the_agent import ANSWER

print("imported", flush=True)


class MyAgent:
    def __init__(self, answer: str = ANSWER, times: int = 1, loud: bool = False, pause=0.5, mode: "Mode" = "fast"):
        assert (type(times), type(loud), type(pause)) == (int, bool, float), (times, loud, pause)
        self.answer = answer.upper() if loud else answer

    def respond(self, messages, tools):
        tools["set_wifi_status"](on=False)
        return self.answer


def answer(messages, tools, *, text="Wifi is turned off."):
    tools.call("set_wifi_status", {"on": False})
    return text


async def slowly(messages, tools):
    return answer(messages, tools)


class Fickle:
    def respond(self, messages, tools):
        return messages[99]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an agent and what it imports, which is where commands are given."""
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "my_agent.py").write_text(AGENT)
    (agents / "helper_beside_the_agent.py").write_text('ANSWER = "Wifi is turned off."\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return tmp_path


def command(
    folder: Path, *words: str, code: int = 0, path: tuple[Path, ...] = ()
) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, *path)))}
    done = subprocess.run(
        [sys.executable, "-m", "tool_sandbox.cli", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done


def results(folder: Path) -> list[dict[str, Any]]:
    found = [result_in(file.parent) for file in sorted(records_below(folder))]
    assert found
    return found


def run_of(folder: Path) -> dict[str, Any]:
    (file,) = folder.rglob("run.json")
    loaded: dict[str, Any] = json.loads(file.read_text())
    return loaded


# On the command line -----------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "name", ["MyAgent", "answer", "slowly", "MyAgent:times=2,turn_timeout_s=60", "answer:text=Wifi is off."]
)
def test_a_file_is_played(name: str, folder: Path) -> None:
    command(folder, "--agent", f"agents/my_agent.py:{name}", "-s", "wifi_off", "-o", "out")
    assert [result["similarity"] for result in results(folder / "out")] == [1.0]
    run = run_of(folder / "out")
    assert run["agent"] == f"agents/my_agent.py:{name}"
    plain = name.partition(":")[0]
    assert run["agent_program"]["name"] == f"agents/my_agent.py:{plain}"
    assert len(run["agent_program"]["sha256"]) == 64
    (directory,) = (folder / "out").iterdir()
    assert directory.name.startswith(f"agent_my_agent.{plain}")


@pytest.mark.slow
def test_several_processes_import_it_once_each(folder: Path) -> None:
    agent = "agents/my_agent.py:MyAgent"
    done = command(
        folder, "--agent", agent, "-s", "wifi_off", "--trials", "6", "-p", "2", "--processes", "2", "-o", "out"
    )
    assert [result["similarity"] for result in results(folder / "out")] == [1.0] * 6
    # What it prints is left alone.
    assert 2 <= done.stdout.count("imported") <= 3


@pytest.mark.slow
def test_it_is_imported_once_for_many_conversations(folder: Path) -> None:
    done = command(folder, "--agent", "agents/my_agent.py:MyAgent", "-s", "wifi_off", "--trials", "4", "-o", "out")
    assert done.stdout.count("imported") == 1


@pytest.mark.slow
def test_what_is_missing_is_played_from_the_same_directory_only(folder: Path, tmp_path: Path) -> None:
    command(folder, "--agent", "agents/my_agent.py:MyAgent", "-s", "wifi_off", "--trials", "2", "-o", "out")
    (path,) = (folder / "out").iterdir()
    next(records_below(path)).unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    again = ("resume", str(path), "--agent", "agents/my_agent.py:MyAgent")
    done = command(elsewhere, *again, code=2)
    assert "there is no file agents/my_agent.py in " in done.stderr
    assert "where this command is given" in done.stderr
    command(folder, *again)
    assert len(results(folder / "out")) == 2


@pytest.mark.slow
def test_a_sweep_a_retry_a_dry_run_and_the_doctor_take_it(folder: Path) -> None:
    agent = "agents/my_agent.py:MyAgent"
    done = command(folder, "doctor", "--agent", agent)
    assert f"agent {agent}: ready" in done.stdout
    done = command(folder, "doctor", "--agent", f"{agent}:times=x", code=1)
    assert "option times of agents/my_agent.py:MyAgent has to be a whole number, got 'x'" in done.stdout
    command(folder, "--agent", agent, "-s", "wifi_off", "--dry-run", "-o", "out")
    assert not (folder / "out").exists()
    agents = (agent, "agents/my_agent.py:answer", f"{agent}:loud=yes")
    command(folder, "sweep", "--agent", *agents, "--scenarios", "wifi_off", "-o", "out")
    (sweep,) = (folder / "out").iterdir()
    runs = sorted(entry for entry in sweep.iterdir() if (entry / "run.json").exists())
    assert len(runs) == 3
    assert [results(run)[0]["similarity"] for run in runs] == [1.0] * 3
    played = json.loads((runs[0] / "run.json").read_text())["agent"]
    command(folder, "retry", str(runs[0]), "--outcome", "completed", "--agent", played)


def test_a_loop_that_fails_names_its_line(folder: Path) -> None:
    command(folder, "--agent", "agents/my_agent.py:Fickle", "-s", "wifi_off", "-o", "out")
    (result,) = results(folder / "out")
    line = AGENT.splitlines().index("        return messages[99]") + 1
    place = f"agents/my_agent.py:{line}"
    assert result["reason"] == f"agents/my_agent.py:Fickle raised IndexError: list index out of range ({place})"


def test_a_role_of_this_package_is_taken_as_it_is(folder: Path) -> None:
    (folder / "roles.py").write_text(
        "from tool_sandbox.roles.oracle_agent import OracleAgent\n"
        "from tool_sandbox.roles.scripted_user import ScriptedUser as User\n\n\n"
        "class Mine(OracleAgent):\n    model_name = 'mine-1'\n"
    )
    command(folder, "--agent", "roles.py:Mine:error_rate=0", "-s", "wifi_off", "-o", "out")
    assert results(folder / "out")[0]["similarity"] == 1.0
    assert "agent_program" not in run_of(folder / "out")
    with pytest.raises(ConfigurationError, match=r"roles\.py:User plays the user, not the agent"):
        resolve("roles.py:User")
    with pytest.raises(UnknownNameError, match=r"roles\.py:Mine has no option 'eror_rate'; it takes .*error_rate"):
        resolve("roles.py:Mine:eror_rate=1")


CLUMSY = """\
from tool_sandbox.roles.oracle_agent import OracleAgent


class Clumsy(OracleAgent):
    has_played = False

    def respond(self, ending_index=None):
        self.has_played = True
        super().respond(ending_index)

    def teardown(self):
        if self.has_played:
            raise RuntimeError("lost the key sk-ant-0123456789abcdefghij")
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_what_is_logged_in_any_process_is_seen(processes: str, folder: Path) -> None:
    (folder / "clumsy.py").write_text(CLUMSY)
    done = command(
        folder, "--agent", "clumsy.py:Clumsy", "-s", "wifi_off", "-p", "2", "--processes", processes, "-o", "out"
    )
    assert "Clumsy could not be torn down" in done.stderr
    assert "RuntimeError: lost the key [redacted]" in done.stderr
    assert "sk-ant" not in done.stderr


# What is wrong with it -----------------------------------------------------------------------

BROKEN = {
    "syntax.py": ("x = (\n", r"cannot import syntax\.py: SyntaxError: '\(' was never closed \(syntax\.py:1\)"),
    "missing.py": (
        "\nimport no_such_package_of_mine\n",
        r"cannot import missing\.py: ModuleNotFoundError: No module named 'no_such_package_of_mine' \(missing\.py:2\)",
    ),
    "raises.py": (
        "import os\n\n\nos.environ['MY_KEY_']\n",
        r"cannot import raises\.py: KeyError: 'MY_KEY_' \(raises\.py:4\)",
    ),
    "leaves.py": ("raise SystemExit(3)\n", r"cannot import leaves\.py: SystemExit: 3 \(leaves\.py:1\)"),
}


@pytest.mark.parametrize("file", BROKEN)
def test_a_file_that_cannot_be_imported(file: str, folder: Path) -> None:
    text, message = BROKEN[file]
    (folder / file).write_text(text)
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=f"^{message}$"):
            resolve(f"{file}:Agent")


def test_a_mistake_is_one_line_and_ends_in_2(folder: Path) -> None:
    (folder / "syntax.py").write_text("x = (\n")
    done = command(folder, "--agent", "syntax.py:Agent", "-s", "wifi_off", code=2)
    assert done.stderr.splitlines() == [
        "tool_sandbox: cannot import syntax.py: SyntaxError: '(' was never closed (syntax.py:1)"
    ]


MORE = """\
from typing import Literal


class One:
    def __init__(self, name): ...
    def respond(self, m, t): ...
def one(messages): ...


class Two:
    def __init__(self): raise RuntimeError('no licence')
    def respond(self, m, t): ...


class Kind:
    def __init__(self, kind: Literal['a', 'b'] = 'a'): ...
    def respond(self, m, t): ...
"""


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("agents/my_agnt.py:MyAgent", r"there is no file agents/my_agnt\.py in .* Did you mean: agents/my_agent\.py"),
        ("nowhere/my_agent.py:MyAgent", r"there is no file nowhere/my_agent\.py in"),
        (
            "agents/my_agent.py:MyAgnt",
            r"has no 'MyAgnt'; there are MyAgent, answer, slowly, Fickle\. Did you mean: MyAgent",
        ),
        ("agents/my_agent.py:", r"the name of a class or function; there are MyAgent"),
        ("agents/my_agent.py:times=2", r"the name of a class or function; there are MyAgent"),
        ("agents/my_agent.py:MyAgent:tmes=2", r"has no option 'tmes'; it takes answer, times, .* Did you mean: times"),
        ("agents/my_agent.py:MyAgent:loud=perhaps", r"loud of .* has to be true or false, got 'perhaps'"),
        ("agents/my_agent.py:MyAgent:pause=x", r"pause of .* has to be a number, got 'x'"),
        ("agents/my_agent.py:MyAgent:turn_timeout_s=x", r"turn_timeout_s of .* has to be a number, got 'x'"),
        (
            "agents/my_agent.py:MyAgent:api_key=sk-1",
            r"a key \(api_key\) does not belong on .* have the agent read it from",
        ),
        ("agents/my_agent.py:MyAgent:times=1,times=2", r"is given the option 'times' twice"),
        ("agents/my_agent.py:ANSWER", r"ANSWER is neither a class with respond.* but of the type str"),
        ("more.py:One", r"more\.py:One needs the option name: write more\.py:One:name=\.\.\."),
        (
            "more.py:one",
            r"more\.py:one has to be callable with two arguments, messages and tools; it takes \(messages\)",
        ),
        ("more.py:Two", r"more\.py:Two cannot be created: RuntimeError: no licence \(more\.py:11\)"),
        ("more.py:Kind:kind=c", r"option kind of more\.py:Kind has to be a or b, got 'c'"),
    ],
)
def test_a_choice_that_means_nothing(choice: str, message: str, folder: Path) -> None:
    (folder / "more.py").write_text(MORE)
    with pytest.raises(ConfigurationError, match=message) as caught:
        prepare_run(agent=choice, scenarios=["wifi_off"])
    assert "\n" not in str(caught.value)
    assert "sk-1" not in str(caught.value)


def test_options_have_the_types_that_are_written_there(folder: Path) -> None:
    spec, make = resolve_role("agents/my_agent.py:MyAgent:times=3,loud=yes,pause=2,turn_timeout_s=7.5", "agent")
    role = make()
    assert isinstance(role, LoopAgent)
    assert role.turn_timeout_s == 7.5
    assert role._target.options == {"times": 3, "loud": True, "pause": 2.0}
    assert spec.is_external
    assert spec.name == "my_agent.MyAgent_times=3_loud=yes_pause=2_turn_timeout_s=7.5"
    assert make() is not role


# Entry points -----------------------------------------------------------------------------------


ENTRY_POINTS = """\
[tool_sandbox.agents]
acme = acme_agents:Acme
acme-function = acme_agents:acme
acme-gone = acme_agents:Gone
"""
ACME = """\
def acme(messages, tools):
    tools.call('set_wifi_status', {'on': False})
    return 'Wifi is turned off.'


class Acme:
    def __init__(self, polite: bool = False): ...
    respond = staticmethod(acme)
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A directory with an installed distribution that offers agents."""
    site = tmp_path / "site"
    information = site / "acme_agents-1.4.2.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-agents\nVersion: 1.4.2\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    (site / "acme_agents.py").write_text(ACME)
    return site


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["acme", "acme:polite=yes", "acme-function"])
def test_an_installed_package_offers_an_agent_by_name(name: str, installed: Path, tmp_path: Path) -> None:
    command(tmp_path, "--agent", name, "-s", "wifi_off", "-o", "out", path=(installed,))
    assert results(tmp_path / "out")[0]["similarity"] == 1.0
    program = run_of(tmp_path / "out")["agent_program"]
    assert program == {"name": name.partition(":")[0], "package": "acme-agents", "version": "1.4.2"}


def test_an_offer_that_does_not_hold(installed: Path, tmp_path: Path) -> None:
    done = command(tmp_path, "--agent", "acme-gone", "-s", "wifi_off", code=2, path=(installed,))
    assert "agent 'acme-gone' of acme-agents (acme_agents:Gone) cannot be loaded: AttributeError" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("choice", ["python brain.py", "python3.11 brain.py --fast", "node brain.js", "sh ./brain.sh"])
def test_a_command_without_its_beginning_is_recognised(choice: str) -> None:
    with pytest.raises(ConfigurationError, match="command: ") as caught:
        resolve_role(choice, "agent")
    assert f'--agent "command: {choice}"' in str(caught.value)
