import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import KEY, choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Loopback, serve
from tool_sandbox.runner.playing import play_together
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.run import Part
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.store import RunDirectory, read_json
from tool_sandbox.runner.sweep import Sweep, prepare_sweep, read_sweep, start_sweep
from tool_sandbox.runner.sweep_directory import SWEEP_FILE, SweepDirectory, run_label
from tool_sandbox.runner.sweep_file import Participant
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError

NAMES = ("wifi_off", "get_wifi")


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


def test_file_says_everything(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        agents = ["Oracle", { agent = "Oracle:error_rate=0.3", label = "slips" }, { agent = "Unhelpful" }]
        users = ["Scripted"]
        scenarios = ["wifi*"]
        categories = ["SINGLE_TOOL_CALL"]
        seeds = [0, 1]
        trials = 5
        budget = 2
        cache = "answers"
        prices = "/prices.toml"
        services = "replay:taken.jsonl"
        suite = "pack.py"
        suite_time = 2026-03-14T09:30:00
        """,
    )
    (tmp_path / "pack.py").touch()
    sweep = read_sweep(path)
    assert sweep == Sweep(
        name="mine",
        agents=(
            Participant("Oracle", "Oracle"),
            Participant("Oracle:error_rate=0.3", "slips"),
            Participant("Unhelpful", "Unhelpful"),
        ),
        asked=Request(
            scenarios=("wifi*",),
            category=("SINGLE_TOOL_CALL",),
            seed=(0, 1),
            trials=5,
            processes=1,
            budget=2.0,
            cache=tmp_path / "answers",
            prices=Path("/prices.toml"),
            services=f"replay:{tmp_path / 'taken.jsonl'}",
            suite=str(tmp_path / "pack.py"),
            suite_time="2026-03-14T09:30:00",
        ),
        file=path,
    )


def test_changes_come_first_and_suffice(tmp_path: Path) -> None:
    path = written(tmp_path, 'agents = ["Oracle"]\ntrials = 5\ncache = "answers"')
    changed = read_sweep(path, {"trials": 2, "cache": Path("here"), "agents": ["Unhelpful"]})
    assert (changed.asked.trials, changed.asked.cache, changed.agents) == (
        2,
        Path("here"),
        (Participant("Unhelpful", "Unhelpful"),),
    )
    assert read_sweep(None, {"agents": ["Oracle"]}).name == "agents"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agnts = ['Oracle']", "mine.toml: there is no key 'agnts'; there are name, agents, "),
        ("agnts = ['Oracle']", "Did you mean: agents?"),
        ("users = ['Scripted']", "mine.toml: no agents are named"),
        ("agents = 'Oracle'", "mine.toml: agents has to be a list of agents, each a text or a table"),
        ("agents = []", "mine.toml: agents is an empty list"),
        ("agents = ['Oracle', 3]", "and 3 is none"),
        ("agents = ['Oracle', ' ']", "and ' ' is none"),
        ("agents = ['Oracle', 'Oracle']", "mine.toml: agents 'Oracle' occurs twice"),
        ("agents = ['Oracle', {agent='Unhelpful', label='Oracle'}]", "agents: the label 'Oracle' occurs twice"),
        ("agents = [{agnt='Oracle'}]", "agents has a table with the key 'agnt'"),
        ("agents = [{label='x'}]", "agents has a table without agent"),
        ("agents = ['Oracle']\nusers = ['Scripted', 'Scripted']", "users 'Scripted' occurs twice"),
        ("agents = ['Oracle']\nseeds = [1, 1]", "seeds 1 occurs twice"),
        ("agents = ['Oracle']\nseeds = [1, 2.5]", "seeds has to be a list of whole numbers, and 2.5 is none"),
        ("agents = ['Oracle']\nseeds = [true]", "and True is none"),
        ("agents = ['Oracle']\ntrials = 0", "trials has to be a positive whole number, not 0"),
        ("agents = ['Oracle']\ntrials = '5'", "trials has to be a positive whole number, not '5'"),
        ("agents = ['Oracle']\nbudget = -1", "budget has to be an amount in US dollars, not -1"),
        ("agents = ['Oracle']\nbudget = nan", "budget has to be an amount"),
        ("agents = ['Oracle']\nopt_in = 1", "opt_in has to be true or false, not 1"),
        ("agents = ['Oracle']\nprofile = 'lax'", "profile has to be published or strict, not 'lax'"),
        ("agents = ['Oracle']\nscenarios = []", "scenarios is an empty list"),
        ("agents = ['Oracle'", "mine.toml is not a TOML file"),
    ],
)
def test_mistakes_in_a_file_are_one_line_with_file_and_key(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_sweep(written(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        read_sweep(tmp_path / "missing.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe4"')
    with pytest.raises(ConfigurationError, match="it is not UTF-8"):
        read_sweep(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scenarios = ['wifi_of']", "mine.toml: there is no scenario 'wifi_of'. Did you mean: wifi_off"),
        ("families = ['wif']", "mine.toml: there is no family 'wif'"),
        ("system_prompt = 'none.txt'", "mine.toml: cannot read the system prompt"),
        ("clock = 'frozen'", "mine.toml: clock can only be used together with suite"),
        ("services = 'offlin'", "mine.toml: there is no search service 'offlin'"),
        ("preferred_tool_backend = 'NONE'", "mine.toml: there is no tool backend 'NONE'"),
    ],
)
def test_what_cannot_be_played_is_said_once(text: str, said: str, tmp_path: Path) -> None:
    sweep = read_sweep(written(tmp_path, f"agents = ['Oracle', 'Unhelpful']\n{text}"))
    with pytest.raises(ConfigurationError) as caught:
        prepare_sweep(sweep)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_everything_that_is_wrong_with_agents_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agents = ["Oracle", "Orakel", "openai/gpt-5.1", "Cli", "replay:somewhere"]
    with pytest.raises(ConfigurationError) as caught:
        prepare_sweep(read_sweep(None, {"agents": agents, "users": ["Scripted", "Nobody"], "scenarios": ["wifi_off"]}))
    lines = str(caught.value).splitlines()
    assert len(lines) == len(set(lines)) == 5
    for line, said in zip(
        lines,
        (
            "there is no user 'Nobody'",
            "there is no agent 'Orakel'",
            "OPENAI_API_KEY",
            "Cli: a person plays",
            "replay:somewhere: a replay cannot be part of a sweep",
        ),
        strict=True,
    ):
        assert said in line


def started(base: Path, **more: Any) -> tuple[SweepDirectory, list[Part]]:
    keys: dict[str, Any] = {"agents": ["Oracle", "Oracle:error_rate=0.3"], "scenarios": NAMES, "trials": 2, **more}
    return start_sweep(prepare_sweep(read_sweep(None, keys)), base, git_sha="f00")


def test_a_sweep_is_a_directory_of_ordinary_runs(tmp_path: Path) -> None:
    directory, parts = started(tmp_path, name="../a sweep")
    assert directory.path.name.startswith("sweep_a-sweep_")
    described = directory.read()
    jsonschema.validate(described, load_schema("sweep"))
    assert described["asked"]["trials"] == 2
    assert described["git_sha"] == "f00"
    assert list(directory.runs()) == ["Oracle", "Oracle:error_rate=0.3"]
    assert list(directory.runs().values()) == [part.directory.path for part in parts]
    assert [run_label(path) for path in directory.runs().values()] == list(directory.runs())
    assert run_label(tmp_path) == tmp_path.name
    for part in parts:
        stored = part.directory.read_run()
        jsonschema.validate(read_json(part.directory.path / "run.json"), load_schema("run"))
        assert len(stored["episodes"]) == 2 * len(NAMES)
    runs = play_together(parts, concurrency=4)
    assert [run.path for run in runs] == list(directory.runs().values())
    assert all(run.is_complete for run in runs)
    means = [run.summary["category_aggregated_results"]["ALL_CATEGORIES"]["similarity"] for run in runs]
    assert means[0] == 1 > means[1]


def test_agents_of_the_same_label_get_directories_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", KEY)
    agents = [f"vllm/m:base_url=http://127.0.0.1:{port}/v1" for port in (1, 2)]
    directory, parts = started(tmp_path, agents=agents)
    assert len({part.directory.path for part in parts}) == 2
    text = (directory.path / SWEEP_FILE).read_text("utf-8")
    assert "127.0.0.1:1" in text
    assert KEY not in text


def test_sweeps_of_one_second_get_directories_of_their_own(tmp_path: Path) -> None:
    assert len({started(tmp_path)[0].path for _ in range(3)}) == 3


def test_every_agent_meets_every_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", "http://127.0.0.1:9/v1")
    directory, _ = started(tmp_path, users=["Scripted", "vllm/m"])
    assert list(directory.runs()) == [
        "Oracle, Scripted",
        "Oracle, vllm/m",
        "Oracle:error_rate=0.3, Scripted",
        "Oracle:error_rate=0.3, vllm/m",
    ]


@pytest.mark.parametrize("count", [0, 1])
def test_a_sweep_that_was_killed_before_it_started_says_so(count: int, tmp_path: Path) -> None:
    """Killed while its runs were written: the last one, or all of them, have no description."""
    directory, parts = started(tmp_path)
    for part in parts[count:]:
        (part.directory.path / "run.json").unlink()
    with pytest.raises(ConfigurationError, match=r"never started properly.*remove it and start the sweep again"):
        directory.runs()


def test_run_files_come_after_the_sweep_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At whatever moment it is killed, a sweep with all its run files is whole."""
    seen: list[tuple[bool, int]] = []

    def write_run(self: RunDirectory, run: Any) -> None:
        seen.append(((self.path.parent / SWEEP_FILE).exists(), len(list(self.path.parent.glob("*/trajectories")))))
        write(self, run)

    write = RunDirectory.write_run
    monkeypatch.setattr(RunDirectory, "write_run", write_run)
    started(tmp_path)
    assert seen == [(True, 2), (True, 2)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 99}, "written by a newer version"),
        ({"format": None}, "does not describe a sweep"),
        ({"runs": []}, "'runs' should have at least 1 item"),
        ({"runs": [{"directory": "../x", "agent": "a", "user": "u", "label": "l"}]}, "the name of a directory: '../x'"),
        ({"runs": [{"directory": "..", "agent": "a", "user": "u", "label": "l"}]}, "the name of a directory: '..'"),
        ({"runs": [{"directory": "x"}]}, r"'runs\[0\].agent' is missing"),
    ],
)
def test_damaged_and_newer_sweeps_are_refused(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    directory, _ = started(tmp_path)
    described = directory.read() | changes
    (directory.path / SWEEP_FILE).write_text(json.dumps(described), "utf-8")
    with pytest.raises(ConfigurationError, match=said):
        directory.runs()


def test_results_cannot_go_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "in_the_way").touch()
    with pytest.raises(ConfigurationError, match="cannot write results to"):
        started(tmp_path / "in_the_way")


@pytest.fixture
def server(loopback_key: None) -> Iterator[Loopback]:
    brain = SolutionBrain.of([get_scenario(name) for name in NAMES])
    with serve(OpenAIChatDialect(), brain) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_the_budget_is_that_of_all_runs_together(processes: int, server: Loopback, tmp_path: Path) -> None:
    agents = [choice(server, model=f"m-{number}") for number in range(4)]
    _, parts = started(tmp_path, agents=agents, max_tokens_total=700, trials=3)
    runs = play_together(parts, concurrency=processes, processes=processes)
    used = sum(run.summary["usage"]["agent"]["paid_tokens"] for run in runs if run.summary["usage"]["agent"])
    # Each call is 110 tokens; a process may be one call beyond its share.
    assert 550 <= used <= 700 + processes * 110
    assert {run.summary["run"]["stopped"] for run in runs} == {"the budget of 700 tokens is spent"}
