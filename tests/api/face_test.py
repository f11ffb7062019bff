"""``import tool_sandbox as ts``: what is public is there, lazily, documented, and does what the command line does."""

import ast
import asyncio
import inspect
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from scripts.make_reference import pages
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tests.published_api_test import NAMES
from tool_sandbox.cli import main
from tool_sandbox.cli.arguments import play_parser
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import Task, call, say, setting

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text("utf-8")
NAME = "wifi_off"
HEAVY = "polars networkx openai anthropic google httpx2 attrs rich pint rapidfuzz asyncio"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> ts.Run:
    return ts.run(scenarios=["wifi_off", "get_wifi"], trials=2, output_dir=tmp_path_factory.mktemp("runs"))


def turn_wifi_off(messages: list[dict[str, Any]], tools: Any) -> str:
    tools["set_wifi_status"](on=False)
    return "Wifi is turned off."


@ts.scenario()
def wifi_off_politely(world: Any) -> Task:
    """Turn wifi off."""
    return Task(
        user="Please turn wifi off for me.",
        tools=["set_wifi_status"],
        milestones=[setting(wifi=False)],
        solution=[call("set_wifi_status", on=False), say("Wifi is turned off.")],
    )


# What is public ------------------------------------------------------------------------------


def test_importing_imports_nothing_else() -> None:
    program = (
        "import sys, tool_sandbox\n"
        "print(sorted(name for name in sys.modules if name.startswith('tool_sandbox.')))\n"
        f"print(sorted(set({HEAVY.split()}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['tool_sandbox.version']\n[]\n"


@pytest.mark.parametrize("name", ts.__all__)
def test_a_public_name_is_there_described_and_on_the_page(name: str) -> None:
    assert getattr(ts, name).__doc__
    assert f"`ts.{name}`" in PAGE
    assert name in dir(ts)


def test_every_name_of_the_page_is_public() -> None:
    assert set(re.findall(r"\bts\.(\w+)", PAGE)) <= set(ts.__all__)


NOT_YET = {
    "docs/analyse-in-python.md": {"analysis", "analysis.means"},
    "docs/models.md": {"models.openai_chat", "models.parameters", "models.providers"},
    "docs/results.md": {"models.wiretap", "runner.schema"},
    "docs/suite.md": {"proof.prove", "scenarios.augmentations", "scenarios.build"},
    "docs/openenv.md": {"openenv"},
    "docs/inspect.md": {"integrations.inspect.tasks"},
    "docs/sweeps.md": {"runner.playing", "runner.sweep"},
    "docs/moving-worlds.md": {"apps.mail.moving", "apps.mail.tables", "apps.notes.content", "apps.notes.tables"},
    "docs/write-a-scenario.md": {"scenarios.rule_books"},
    "docs/users.md": {"fidelity", "roles.oracle_agent", "roles.scripted_user"},
}
"""Pages that need something for which neither the public face nor the reference has a name."""


@pytest.mark.slow
def test_pages_import_what_is_public() -> None:
    reference = set(re.findall(r"`tool_sandbox\.([\w.]+)`", "".join(page.split("\n")[2] for page in pages().values())))
    public = reference | NAMES.keys()
    found: dict[str, set[str]] = {}
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        imported = set(re.findall(r"^\s*(?:from|import) tool_sandbox\.([\w.]+)", page.read_text("utf-8"), re.MULTILINE))
        if private := imported - public:
            found[page.relative_to(ROOT).as_posix()] = private
    assert found == NOT_YET


def test_the_page_names_what_a_run_offers() -> None:
    offered = {name for name in dir(ts.Run) if not name.startswith("_")}
    assert offered <= set(re.findall(r"\w+", PAGE))
    assert all(getattr(ts.Run, name).__doc__ for name in offered)


def test_all_can_be_imported_without_extras() -> None:
    """Classes for verifiers are among them only once verifiers is there, which is then what asks for them."""
    program = (
        "import sys, types\n"
        "import tool_sandbox\n"
        "from tool_sandbox import *\n"
        "before = set(tool_sandbox.__all__)\n"
        "sys.modules['verifiers.v1'] = types.ModuleType('verifiers.v1')\n"
        "print(sorted(set(tool_sandbox.__all__) - before), Env.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['ToolSandboxEnv', 'ToolSandboxHarness', 'ToolSandboxTaskset'] Env\n"


def test_names_for_type_checkers_are_those_at_run_time() -> None:
    (listed,) = re.findall(r"__all__ = (\[.*?\])", Path(ts.__file__).read_text("utf-8"), re.DOTALL)
    assert sorted(ast.literal_eval(listed)) == ts.__all__


def test_other_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ts.nothing  # type: ignore[attr-defined]


@pytest.mark.slow
def test_types_are_known_to_a_checker(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import tool_sandbox as ts\n"
        "reveal_type(ts.run('Oracle', scenarios='wifi*', trials=3))\n"
        "reveal_type(ts.load('data').results)\n"
        "reveal_type(ts.Env('wifi_off').reset())\n"
        "from openai.types.chat import ChatCompletionMessage\n"
        "ts.Env('wifi_off').step(ChatCompletionMessage(role='assistant'))\n"
        "ts.run(trials='3')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}", str(program)]
    environment = os.environ | {"MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--follow-imports=silent", "--ignore-missing-imports"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    for found in ("tool_sandbox.api.runs.Run", "DataFrame", "tool_sandbox.api.observation.Observation", '"trials"'):
        assert found in done.stdout
    assert done.stdout.count("error:") == 1


def test_arguments_are_the_flags_of_the_command_line() -> None:
    flags = vars(play_parser().parse_args([]))
    of_the_terminal = {"command", "dry_run"}
    parameters = inspect.signature(ts.run).parameters
    assert parameters.keys() == flags.keys() - of_the_terminal | {"progress"}
    for name in parameters.keys() & flags.keys():
        assert parameters[name].default == (flags[name] if flags[name] != [] else ()), name


# A run ---------------------------------------------------------------------------------------


def test_a_run_has_scores_frames_and_files(played: ts.Run, tmp_path: Path) -> None:
    assert (played.agent, played.user, played.is_complete, played.problems) == ("Oracle", "Scripted", True, [])
    assert played.results["success"].to_list() == [True] * 4
    assert set(played.tool_calls["tool"]) == {"set_wifi_status", "get_wifi_status", "end_conversation"}
    for frame in (played.messages, played.milestones, played.world_changes, played.floors):
        assert frame.height
    assert played.conversation("wifi_off").goal
    metrics = played.metrics(by=["family"])
    assert metrics["overall"]["headlines"]["success"]["value"] == 1
    assert metrics["overall"]["floors"] is not None
    assert set(metrics["groups"]) == {"family"}
    assert played.report(tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")
    assert played.report() == played.path / "report.html"


def test_a_run_is_what_the_command_line_plays(played: ts.Run, tmp_path: Path) -> None:
    assert main(["-s", "wifi_off", "get_wifi", "--trials", "2", "-o", str(tmp_path)]) == 0
    other = ts.load(next(tmp_path.iterdir()))
    columns = ["name", "trial", "similarity", "outcome", "tool_calls"]
    assert other.results.select(columns).equals(played.results.select(columns))
    assert sorted(path.name for path in other.path.iterdir()) == sorted(
        path.name for path in played.path.iterdir() if path.name != "report.html"
    )


def test_a_run_is_read_back(played: ts.Run) -> None:
    assert ts.load(played.path).results.equals(played.results)
    assert ts.load(str(played.path / "run.json")).path == played.path


def test_runs_are_compared(played: ts.Run, tmp_path: Path) -> None:
    other = ts.run("Unhelpful", scenarios=["wifi_off", "get_wifi"], output_dir=tmp_path, progress=False)
    compared = played.compare(other)
    assert compared.pairwise[0].differences["similarity"].change == -1
    assert "Unhelpful" in compared._repr_markdown_()
    assert "strict_success" in repr(compared)
    assert ts.compare(played.path, tmp_path).as_dict() == compared.as_dict()
    with pytest.raises(ts.errors.ConfigurationError, match="more than once"):
        played.compare(played)


def test_a_run_shows_itself(played: ts.Run, tmp_path: Path) -> None:
    assert repr(played).startswith("<Run of Oracle with Scripted: success 100.0%")
    shown = played._repr_html_()
    assert "4 of 4 played, 4 count" in shown
    assert "refusing 0.0%" in shown
    assert str(played.path) in shown

    def hostile(messages: Any, tools: Any) -> str:
        raise RuntimeError("<img>")

    hostile.__name__ = "<script>"
    bad = ts.run(hostile, scenarios=NAME, output_dir=tmp_path)
    shown = bad._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "<img>" not in shown
    assert any("&lt;img&gt;" in line for line in shown.split("<tr>"))
    assert bad.problems


def test_a_run_that_counts_for_nothing_says_so(tmp_path: Path) -> None:
    def away(messages: Any, tools: Any) -> str:
        raise ts.errors.InfrastructureError("the provider is away")

    run = ts.run(away, scenarios=NAME, output_dir=tmp_path)
    shown = run._repr_html_()
    assert "refused" in shown
    assert "1 of 1 played, 0 count" in shown
    assert "EXCLUDED" in shown


# Who plays what ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("agent", [turn_wifi_off, ts.agent(turn_wifi_off, turn_timeout_s=30), OracleAgent, "Oracle"])
def test_any_kind_of_agent(agent: Any, tmp_path: Path) -> None:
    run = ts.run(agent, scenarios=NAME, output_dir=tmp_path)
    assert run.results["similarity"].to_list() == [1]


@pytest.mark.slow
def test_a_class_with_a_loop_plays(tmp_path: Path) -> None:
    class Mine:
        def respond(self, messages: list[dict[str, Any]], tools: Any) -> str:
            return turn_wifi_off(messages, tools)

    run = ts.run(Mine, scenarios=NAME, output_dir=tmp_path)
    assert (run.agent, run.results["similarity"].to_list()) == ("Mine", [1])


@pytest.mark.parametrize(
    "scenarios",
    [
        get_scenario("wifi_off"),
        [get_scenario("wifi_off"), get_scenario("get_wifi")],
        {"mine": get_scenario("wifi_off")},
        wifi_off_politely,
        "wifi_of[f]",
    ],
    ids=["one", "several", "named", "written", "pattern"],
)
def test_whatever_is_played(scenarios: Any, tmp_path: Path) -> None:
    run = ts.run(scenarios=scenarios, output_dir=tmp_path)
    assert set(run.results["similarity"]) == {1}
    assert run.floors.height


def test_choices_are_those_of_the_command_line(tmp_path: Path) -> None:
    run = ts.run(
        scenarios="wifi*",
        augmentation="all_tools",
        category="single_tool_call",
        seed=[0, 3],
        profile="published",
        system_prompt="Be brief.",
        concurrency=2,
        output_dir=tmp_path,
    )
    assert set(run.results["name"]) == {"wifi_off_all_tools"}
    assert run.results["seed"].to_list() == [0, 3]
    assert set(run.results["profile"]) == {"published"}
    assert "Be brief." in [message.text for message in run.conversation("wifi_off_all_tools").messages]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    brain = SolutionBrain.of([get_scenario("wifi_off"), get_scenario("get_wifi")])
    with serve(OpenAIChatDialect(lenient=True), brain) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        yield


MODEL = "openai/gpt-5.6-terra:api=chat"


@pytest.mark.slow
@pytest.mark.usefixtures("model")
def test_a_model_plays_and_its_answers_are_kept(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"scenarios": ["wifi_off", "get_wifi"], "cache": tmp_path / "answers"}
    run = ts.run(MODEL, output_dir=tmp_path / "data", budget=1, **choices)
    again = ts.run(MODEL, output_dir=str(tmp_path / "data"), **choices)
    replayed = ts.run(f"replay:{run.path}", output_dir=tmp_path / "data")
    for each in (run, again, replayed):
        assert set(each.results["similarity"]) == {1}
    assert again._stored.summary["usage"]["agent"]["paid_usd"] == 0
    assert set(replayed.results["name"]) == {"wifi_off", "get_wifi"}


# What is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "kind", "told"),
    [
        ({"agent": "openai/gpt-5.6-terra"}, ts.errors.MissingRequirementError, "OPENAI_API_KEY"),
        ({"agent": "opena/gpt"}, ts.errors.UnknownNameError, "Did you mean: openai"),
        ({"agent": "openai/gpt-5.6-terra:efort=low"}, ts.errors.UnknownNameError, "efort"),
        ({"agent": 5}, ts.errors.ConfigurationError, "neither a name"),
        ({"agent": OracleAgent()}, ts.errors.ConfigurationError, "give its class"),
        ({"user": "Nobody"}, ts.errors.UnknownNameError, "Nobody"),
        ({"scenarios": "wfi*"}, ts.errors.UnknownNameError, "no scenario matches"),
        ({"scenarios": "wifi_of"}, ts.errors.UnknownNameError, "Did you mean: wifi_off"),
        ({"scenarios": []}, ts.errors.ConfigurationError, "at least one"),
        ({"scenarios": 5}, ts.errors.ConfigurationError, "neither the name of a scenario"),
        ({"scenarios": ["wifi_off", get_scenario("get_wifi")]}, ts.errors.ConfigurationError, "not both"),
        ({"scenarios": [get_scenario("get_wifi")] * 2}, ts.errors.ConfigurationError, "same name"),
        ({"scenarios": wifi_off_politely, "seed": 1}, ts.errors.ConfigurationError, "seed"),
        ({"scenarios": wifi_off_politely, "family": "x"}, ts.errors.ConfigurationError, "family"),
        ({"trials": 0}, ts.errors.ConfigurationError, "trials"),
        ({"trials": True}, ts.errors.ConfigurationError, "trials"),
        ({"concurrency": -1}, ts.errors.ConfigurationError, "concurrency"),
        ({"seed": []}, ts.errors.ConfigurationError, "seed"),
        ({"seed": 1.5}, ts.errors.ConfigurationError, "seed"),
        ({"seed": "1"}, ts.errors.ConfigurationError, "seed"),
        ({"budget": float("nan")}, ts.errors.ConfigurationError, "budget"),
        ({"profile": "strickt"}, ts.errors.UnknownNameError, "Did you mean: strict"),
        ({"category": "nothing"}, ts.errors.UnknownNameError, "nothing"),
        ({"system_prompt": Path("nowhere.txt")}, ts.errors.ConfigurationError, "nowhere.txt"),
        ({"system_prompt": " "}, ts.errors.ConfigurationError, "empty"),
        ({"suite": "nowhere.py"}, ts.errors.ConfigurationError, "nowhere.py"),
        ({"clock": "frozen"}, ts.errors.ConfigurationError, "clock"),
        ({"services": "nothing"}, ts.errors.ConfigurationError, "nothing"),
    ],
)
def test_what_is_wrong_is_one_line(
    choices: dict[str, Any],
    kind: type[Exception],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(kind) as caught:
        ts.run(**choices, output_dir=tmp_path / "data")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capsys.readouterr() == ("", "")
    assert not (tmp_path / "data").exists()


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-test-0123456789")
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(ts.errors.MissingRequirementError, match=r"tool_sandbox\[google\]"):
        ts.run("google/gemini-3.5-flash", scenarios=NAME)


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_what_is_no_run_cannot_be_loaded(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ts.errors.ConfigurationError, match="not the directory of a run"):
        ts.load(path)


def test_metrics_refuse_what_makes_no_sense(played: ts.Run) -> None:
    with pytest.raises(ts.errors.UnknownNameError, match="Did you mean: family"):
        played.metrics(by=["famly"])
    for refuse in (played.metrics, lambda **choices: ts.compare(played, **choices)):
        with pytest.raises(ts.errors.ConfigurationError, match="confidence"):
            refuse(confidence=95)
        with pytest.raises(ts.errors.ConfigurationError, match="max_infrastructure_rate"):
            refuse(max_infrastructure_rate=-1)


# Where it runs -------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_is_quiet_but_for_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ts.run(scenarios=NAME, output_dir=tmp_path)
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"agent Oracle, user Scripted, 1 conversation; results go to .*\n", said.err)
    ts.run(scenarios=NAME, output_dir=tmp_path, progress=False)
    assert capsys.readouterr() == ("", "")
    ts.run("Unhelpful", scenarios="wifi*", output_dir=tmp_path, progress=True)
    assert len(capsys.readouterr().err.splitlines()) >= 1


def test_it_plays_beside_an_event_loop_and_on_threads(tmp_path: Path) -> None:
    async def respond(messages: list[dict[str, Any]], tools: Any) -> str:
        await tools.acall("set_wifi_status", {"on": False})
        return "Wifi is turned off."

    async def notebook() -> ts.Run:
        with ts.Env(NAME) as env:
            assert not env.reset().done
        return ts.run(respond, scenarios=NAME, output_dir=tmp_path)

    runs = [asyncio.run(notebook())]
    threads = [threading.Thread(target=lambda: runs.append(ts.run(scenarios=NAME, output_dir=tmp_path))) for _ in "12"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.results["similarity"].to_list() for run in runs] == [[1]] * 3
    assert len({run.path for run in runs}) == 3


@pytest.mark.slow
def test_it_shows_itself_in_a_real_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbclient
    import nbformat

    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    source = 'import tool_sandbox as ts\nrun = ts.run(scenarios="wifi_off")\nrun'
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}, kernel_name="python3").execute()
    told, shown = notebook.cells[0].outputs
    assert told["name"] == "stderr"
    assert told["text"].count("\n") == 1
    assert shown["data"]["text/html"].startswith("<table>")


@pytest.mark.skipif(os.name != "posix", reason="an interrupt is a signal")
def test_an_interrupt_sums_up_and_is_raised(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)

    def interrupting(messages: list[dict[str, Any]], tools: Any) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return turn_wifi_off(messages, tools)

    with pytest.raises(KeyboardInterrupt, match="agent_"):
        ts.run(interrupting, scenarios=NAME, trials=50, concurrency=1, output_dir=tmp_path)
    run = ts.load(next(tmp_path.iterdir()))
    assert 0 < run.results.height < 50
    assert not run.is_complete
    assert signal.getsignal(signal.SIGINT) is before
