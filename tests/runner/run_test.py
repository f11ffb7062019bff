import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tool_sandbox.common.execution_context import get_current_context
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import FinishedRun
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

NAMES = ["wifi_off", "get_wifi", "cellular_off", "remove_contact_by_phone"]


class Tester(BaseRole):
    """Does what the name of the scenario says; otherwise it only talks."""

    role_type = RoleType.AGENT
    model_name = "org/tester:1"
    torn_down: ClassVar[list[str]] = []

    def begin(self, scenario: Scenario) -> None:
        self.scenario = scenario.name

    def respond(self, ending_index: int | None = None) -> None:
        if self.scenario == "wifi_off":
            raise ValueError("broken")
        if self.scenario == "get_wifi":
            raise SystemExit(3)
        if self.scenario == "cellular_off":
            raise InfrastructureError("no route to the model")
        self.add_messages([Message(RoleType.AGENT, RoleType.USER, "Which one do you mean?")])

    def teardown(self) -> None:
        self.torn_down.append(self.scenario)
        raise RuntimeError("cannot even stop")


class Talker(BaseRole):
    role_type = RoleType.AGENT

    def respond(self, ending_index: int | None = None) -> None:
        self.add_messages([Message(RoleType.AGENT, RoleType.USER, "Well?")])


@pytest.fixture
def mixed_run(tmp_path: Path) -> FinishedRun:
    Tester.torn_down.clear()
    return play(prepare_run(Tester, "Scripted", NAMES, threads=3), tmp_path)


def test_role_that_raises_costs_only_its_own_conversation(mixed_run: FinishedRun) -> None:
    results = {result["name"]: result for result in mixed_run.results}
    assert list(results) == NAMES
    assert {name: (result["exception_type"], result["fault"]) for name, result in results.items()} == {
        "wifi_off": ("ValueError", "unknown"),
        "get_wifi": ("SystemExit", "unknown"),
        "cellular_off": ("InfrastructureError", "infrastructure"),
        "remove_contact_by_phone": (None, None),
    }
    assert results["wifi_off"]["turn_count"] == 30
    assert results["wifi_off"]["traceback"].endswith("ValueError: broken\n")
    assert mixed_run.is_complete


def test_crashed_conversation_keeps_its_log_and_world(mixed_run: FinishedRun) -> None:
    files = {path.name for path in (mixed_run.path / "trajectories" / "wifi_off").iterdir()}
    assert files == {"pretty_print.txt", "execution_context.json", "record.jsonl"}


def test_every_role_is_torn_down(mixed_run: FinishedRun) -> None:
    assert sorted(Tester.torn_down) == sorted(NAMES)


def test_directory_and_description_name_the_model(mixed_run: FinishedRun) -> None:
    assert mixed_run.path.name.startswith("agent_org-tester-1_user_")
    described = json.loads((mixed_run.path / "run.json").read_text("utf-8"))
    assert (described["agent"], described["agent_model"]) == ("Tester", "org/tester:1")


def test_world_of_a_conversation_is_not_seen_outside(tmp_path: Path) -> None:
    before = get_current_context()
    play(prepare_run("Oracle", "Scripted", ["wifi_off"]), tmp_path)
    assert get_current_context() is before


def test_interrupt_keeps_what_was_played(tmp_path: Path) -> None:
    seen = []

    def interrupt(result: dict[str, Any]) -> None:
        seen.append(result["name"])
        if len(seen) == 2:
            raise KeyboardInterrupt

    run = play(prepare_run("Oracle", "Scripted", NAMES, trials=100), tmp_path, on_result=interrupt)
    assert not run.is_complete
    assert [result["name"] for result in run.results[:2]] == seen == NAMES[:2]
    assert 2 <= run.summary["run"]["played"] < run.summary["run"]["planned"] == 400


def test_limit_of_messages_is_an_outcome(tmp_path: Path) -> None:
    scenario = named_scenarios(names=["wifi_off"])["wifi_off"]
    scenario.max_turns = 2
    run = play(prepare_run(Talker, "Scripted", {"wifi_off": scenario}), tmp_path)
    assert run.results[0]["outcome"] == "max_messages"


def test_scenario_with_a_hostile_name_stays_inside(tmp_path: Path) -> None:
    scenario = named_scenarios(names=["wifi_off"])["wifi_off"]
    run = play(prepare_run("Oracle", "Scripted", {"../../etc/wifi off": scenario}), tmp_path / "data")
    assert run.results[0]["name"] == "../../etc/wifi off"
    assert run.results[0]["traceback"] is None
    assert [path.name for path in (run.path / "trajectories").iterdir()] == [run.results[0]["directory"]]
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_playing_does_not_change_the_scenario(tmp_path: Path) -> None:
    scenario = named_scenarios(names=["wifi_off"])["wifi_off"]
    before = scenario.starting_context.fork()
    play(prepare_run("Oracle", "Scripted", {"wifi_off": scenario}, trials=3, threads=3), tmp_path)
    assert scenario.starting_context.equals(before)


def test_tool_calls_and_their_failures_are_counted(tmp_path: Path) -> None:
    class Clumsy(BaseRole):
        role_type = RoleType.AGENT

        def respond(self, ending_index: int | None = None) -> None:
            number = get_current_context().max_sandbox_message_index
            if self.get_messages()[-1].sender == RoleType.USER and number < 10:
                calls: list[tuple[str, Any]] = [
                    ("set_wifi_status", {"on": False}),
                    ("set_wifi_status", {"on": "no"}),
                    ("nothing", {}),
                ]
                calls += [("add_contact", {}), ("set_wifi_status", "[1")]
                for position, (name, arguments) in enumerate(calls):
                    self.add_messages([self.tool_call_message(f"call_{position}", name, arguments)])
            else:
                self.add_messages([Message(RoleType.AGENT, RoleType.USER, "Wifi is off.")])

    run = play(prepare_run(Clumsy, "Scripted", ["wifi_off"]), tmp_path)
    result = run.results[0]
    # A wrong type is a failure of the call; a tool that is not on offer and broken JSON never get that far.
    assert (result["tool_calls"], result["tool_errors"], result["invalid_calls"]) == (5, 4, 3)


def test_side_effects_are_described(tmp_path: Path) -> None:
    class Vandal(BaseRole):
        role_type = RoleType.AGENT

        def respond(self, ending_index: int | None = None) -> None:
            context = get_current_context()
            context.set_rows(DatabaseNamespace.REMINDER, [])
            self.add_messages([Message(RoleType.AGENT, RoleType.USER, "Wifi is off.")])

    run = play(prepare_run(Vandal, "Scripted", ["wifi_off"]), tmp_path)
    effects = run.results[0]["side_effects"]
    assert effects
    assert all("REMINDER" in effect["description"] for effect in effects)
    assert run.frame["side_effects"].to_list()[0] == [effect["description"] for effect in effects]


@pytest.mark.parametrize("scenarios", [{}, ["nothing_like_it"]])
def test_nothing_to_play_is_refused_before_a_directory_is_made(scenarios: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        prepare_run("Oracle", "Scripted", scenarios)


def test_every_simulated_user_is_audited(tmp_path: Path) -> None:
    run = play(prepare_run("Oracle", "Scripted", ["wifi_off", "remove_contact_by_phone_multiple_user_turn"]), tmp_path)
    assert [result["user_findings"] for result in run.results] == [[], []]
    fidelity = run.summary["user_fidelity"]
    assert (fidelity["audited"], fidelity["affected"]) == (2, 0)


@pytest.mark.slow
def test_mistakes_are_others_in_every_trial(tmp_path):
    run = prepare_run("Oracle:error_rate=0.4", "Scripted", ["send_message_with_contact_content*"], trials=3)
    again = prepare_run("Oracle:error_rate=0.4", "Scripted", ["send_message_with_contact_content*"], trials=3)
    results = play(run, tmp_path).results
    by_trial = [[result["similarity"] for result in results if result["trial"] == trial] for trial in range(3)]

    assert by_trial[0] != by_trial[1] != by_trial[2] != by_trial[0]
    assert [result["similarity"] for result in play(again, tmp_path).results] == [r["similarity"] for r in results]


@pytest.mark.parametrize(
    ("agent", "user", "expected"),
    [
        ("Oracle", "Scripted", 1),
        (Talker, "Scripted", 16),
        ("anthropic/claude-x", "Scripted", 48),
        ("openai/gpt-x", "anthropic/claude-x", 48),
        ("openai/gpt-x", "Scripted", 64),
        ("ollama/m", "openai/gpt-x", 4),
        ("openai-compatible/m:base_url=http://127.0.0.1:9/v1", "Scripted", 16),
    ],
)
def test_conversations_at_once_suit_the_providers(
    agent: Any, user: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-test-key-of-mine-12345")
    assert prepare_run(agent, user, ["wifi_off"]).threads == expected
    assert prepare_run(agent, user, ["wifi_off"], threads=7).threads == 7


def test_lone_surrogates_do_not_stop_the_table() -> None:
    import io

    from tool_sandbox.runner.frame import scenario_results_frame

    hashes = {"start": "\udfff", "evaluation": "é"}
    frame = scenario_results_frame([{"name": "a\ud83d", "outcome": "completed", "scenario_hash": hashes}])
    frame.write_parquet(io.BytesIO())
    assert frame["name"].to_list() == ["a?"]
    assert frame["scenario_hash"].to_list() == [{"start": "?", "evaluation": "é"}]


@pytest.mark.parametrize(("threads", "processes"), [(1, 1), (127, 1), (128, 1), (255, 1), (256, 2), (1024, 3)])
def test_many_conversations_with_models_are_spread_over_cores(
    threads: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-of-nobody")
    model = prepare_run("openai/gpt-5.2", scenarios=["wifi_off"], threads=threads, processes=None)
    assert model.processes == processes
    assert prepare_run("openai/gpt-5.2", scenarios=["wifi_off"], threads=threads).processes == 1
    assert prepare_run("Oracle", scenarios=["wifi_off"], threads=threads, processes=None).processes == 1
