"""How conversations end, whatever the roles do."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from tool_sandbox.cli.reporting import print_run
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, get_current_context
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import play as play_one
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.scoring import Evaluation
from tool_sandbox.world.errors import (
    BudgetExceededError,
    ConfigurationError,
    ConversationAbandonedError,
    InfrastructureError,
    ModelError,
    ModelRefusedError,
    RoleError,
    ScenarioError,
    UserError,
)


class Raising(BaseRole):
    """Acts like somebody, then raises."""

    role_type = RoleType.AGENT
    model_name = "raising"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def respond(self, ending_index: int | None = None) -> None:
        if not any(message.sender is RoleType.AGENT for message in self.get_messages()):
            self.add_messages([self.tool_call_message("call_0", "set_wifi_status", {"on": False})])
            return
        raise self.error


class RaisingUser(Raising):
    role_type = RoleType.USER

    def respond(self, ending_index: int | None = None) -> None:
        raise self.error


class Asking(BaseRole):
    role_type = RoleType.AGENT

    def respond(self, ending_index: int | None = None) -> None:
        self.add_messages([Message(RoleType.AGENT, RoleType.USER, "Which?")])


def result_of(tmp_path: Path, agent: Any = Asking, user: Any = "Scripted") -> dict[str, Any]:
    run = play(prepare_run(agent, user, ["wifi_off"]), tmp_path)
    result: dict[str, Any] = run.results[0]
    assert result["evaluated"] is (result["outcome"] not in ("infrastructure_error", "scenario_error", "user_error"))
    has_mean = "ALL_CATEGORIES" in run.summary["category_aggregated_results"]
    assert has_mean is result["evaluated"]
    return result


RATE_LIMIT = ProviderError("m: rate_limit (slow down)", RequestFault(FaultKind.RATE_LIMIT, "slow down"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("error", "outcome", "fault"),
    [
        (ValueError("a bug"), "model_error", "unknown"),
        (KeyError("a bug"), "model_error", "unknown"),
        (SystemExit(3), "model_error", "unknown"),
        (RoleError("protocol"), "model_error", "role"),
        (InfrastructureError("no route"), "infrastructure_error", "infrastructure"),
        (RATE_LIMIT, "infrastructure_error", "rate_limit"),
        (BudgetExceededError("spent"), "infrastructure_error", "budget"),
        (ConfigurationError("no key"), "infrastructure_error", "configuration"),
        (ScenarioError("broken"), "scenario_error", "scenario"),
        (ConversationAbandonedError("left"), "user_error", "abandoned"),
    ],
)
def test_what_the_agent_raises(error: BaseException, outcome: str, fault: str, tmp_path: Path) -> None:
    result = result_of(tmp_path, lambda: Raising(error))
    assert (result["outcome"], result["fault"]) == (outcome, fault)
    assert (result["similarity"], result["exception_type"]) == (0, type(error).__name__)
    assert result["traceback"].splitlines()[-1].startswith(("Sys", "Val", "Key", "tool_sandbox."))
    assert result["reason"].startswith(str(error))


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ValueError("a bug"), "user_error"),
        (RATE_LIMIT, "infrastructure_error"),
        (ConversationAbandonedError("left"), "user_error"),
    ],
)
def test_what_the_user_raises_is_not_held_against_the_agent(error: BaseException, outcome: str, tmp_path: Path) -> None:
    assert result_of(tmp_path, user=lambda: RaisingUser(error))["outcome"] == outcome


@pytest.mark.parametrize(
    ("error", "outcome"), [(ModelError("full"), "model_error"), (ModelRefusedError("no"), "refused")]
)
def test_party_that_cannot_go_on_is_scored_by_what_was_played(
    error: BaseException, outcome: str, tmp_path: Path
) -> None:
    result = result_of(tmp_path, lambda: Raising(error))
    assert (result["outcome"], result["reason"], result["fault"]) == (outcome, str(error), None)
    assert (result["traceback"], result["exception_type"]) == (None, None)
    assert 0 < result["similarity"] < 1
    (directory,) = tmp_path.glob("*/trajectories/wifi_off")
    assert {"conversation.json", "record.jsonl", "execution_context.json"} <= {p.name for p in directory.iterdir()}


def test_user_that_cannot_go_on(tmp_path: Path) -> None:
    result = result_of(tmp_path, user=lambda: RaisingUser(UserError("lost\n  for words")))
    assert (result["outcome"], result["reason"], result["traceback"]) == ("user_error", "lost for words", None)


class Declining(Asking):
    has_refused = True


class Content(BaseRole):
    role_type = RoleType.USER

    def respond(self, ending_index: int | None = None) -> None:
        self.add_messages([self.tool_call_message("call_0", "end_conversation", {})])


@pytest.mark.slow
def test_last_word_that_is_a_refusal(tmp_path: Path) -> None:
    assert result_of(tmp_path, Declining, Content)["outcome"] == "refused"
    assert result_of(tmp_path, Asking, Content)["outcome"] == "completed"


class Unmade(Asking):
    def begin(self, scenario: Scenario) -> None:
        raise ValueError("cannot begin")


class Silent(BaseRole):
    role_type = RoleType.AGENT

    def respond(self, ending_index: int | None = None) -> None:
        pass


class Lost(BaseRole):
    role_type = RoleType.AGENT

    def respond(self, ending_index: int | None = None) -> None:
        self.add_messages([Message(RoleType.AGENT, RoleType.SYSTEM, "Hello?")])


@pytest.mark.slow
def test_set_up_belongs_to_no_party_and_silence_to_the_agent(tmp_path: Path) -> None:
    outcomes = {role.__name__: result_of(tmp_path, role)["outcome"] for role in (Unmade, Silent, Lost)}
    assert outcomes == {"Unmade": "infrastructure_error", "Silent": "model_error", "Lost": "model_error"}


def test_scoring_that_fails_is_not_held_against_the_agent(tmp_path: Path) -> None:
    scenario = named_scenarios(names=["wifi_off"])["wifi_off"]
    object.__setattr__(scenario.evaluation, "milestone_matcher", None)
    run = play(prepare_run("Oracle", "Scripted", {"wifi_off": scenario}), tmp_path)
    assert run.results[0]["outcome"] == "infrastructure_error"


class BrokenEvaluation(Evaluation):
    def evaluate(self, *args: Any, **keywords: Any) -> Any:
        return {}["a check of the author's"]  # a bug: here


def broken_set_up(scenario: Scenario) -> None:
    message = {"sender": RoleType.SYSTEM, "recipient": RoleType.EXECUTION_ENVIRONMENT, "content": "1 / 0"}
    scenario.starting_context.add_to_database(DatabaseNamespace.SANDBOX, [message])


def broken_check(scenario: Scenario) -> None:
    scenario.evaluation = BrokenEvaluation()


def broken_line(*args: Any, **keywords: Any) -> str:
    raise KeyError("a line of the author's")  # a bug: here


class LoadedScenarios:
    """Builds no scenario; as the source of a run that could be prepared."""

    def __call__(self, episode: Any) -> Scenario:
        raise AttributeError("a scenario of the author's")  # a bug: here


HERE = [
    number for number, line in enumerate(Path(__file__).read_text("utf-8").splitlines(), 1) if "a bug: here" in line
]


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("check", f'"a check of the author\'s" ({__file__}:{HERE[0]})'),
        ("script", f'"a line of the author\'s" ({__file__}:{HERE[1]})'),
        ("source", f"a scenario of the author's ({__file__}:{HERE[2]})"),
        ("set-up", "set-up message '1 / 0' failed: ZeroDivisionError: division by zero"),
    ],
    ids=lambda value: value if len(value) < 7 else "",
)
def test_bugs_of_an_author_are_the_scenarios_and_name_the_line(
    part: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = named_scenarios(names=["wifi_off"])["wifi_off"]
    if part == "check":
        broken_check(scenario)
    elif part == "set-up":
        broken_set_up(scenario)
    elif part == "script":
        monkeypatch.setattr("tool_sandbox.roles.scripted_user.next_line", broken_line)
    run = prepare_run("Oracle", "Scripted", {"wifi_off": scenario})
    run = attrs.evolve(run, source=LoadedScenarios()) if part == "source" else run
    played = play(run, tmp_path)
    (result,) = played.results
    assert (result["outcome"], result["fault"], result["evaluated"]) == ("scenario_error", "scenario", False)
    assert result["reason"] == reason
    print_run(played, {})
    said = capsys.readouterr()
    assert reason in said.err + said.out
    assert "retry" not in said.err + said.out
    assert RunDirectory(played.path).is_played("wifi_off"), "resume has nothing to do"


def test_class_of_an_exception_stays_what_it_is() -> None:
    scenario = named_scenarios(names=["wifi_off"])["wifi_off"]
    error = KeyError("mine")
    with pytest.raises(KeyError) as caught:
        play_one(scenario, Raising(error))
    assert caught.value is error
    assert get_current_context().max_sandbox_message_index > 3


def test_secrets_do_not_reach_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "s3cr3t-value-of-mine")
    result = result_of(tmp_path, lambda: Raising(ValueError("refused key s3cr3t-value-of-mine")))
    assert "s3cr3t" not in str(result)
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and b"s3cr3t-value-of-mine" in p.read_bytes()]
