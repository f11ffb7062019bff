"""Runs of real SDK clients against a loopback server: files, sums, budget, replay, retry."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.loopback.brain import SolutionBrain, WithReplacements
from tests.loopback.choice import KEY, choice, write_prices
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Brain, Broken, Heard, Loopback, Move, serve
from tests.records import lines_in, part_in, result_in
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.openai_chat import OpenAICompatibleChat
from tool_sandbox.models.wiretap import read_exchanges
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.estimate import estimate
from tool_sandbox.runner.rescore import rescore
from tool_sandbox.runner.resume import incomparable, play_resume, prepare_resume, prepare_retry
from tool_sandbox.runner.run import PreparedRun, play, prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.source import SuiteSource
from tool_sandbox.runner.store import FinishedRun, RunDirectory, read_json
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.outcome import Outcome

pytestmark = pytest.mark.usefixtures("loopback_key")

NAMES = ["wifi_off", "cellular_off", "remove_contact_by_phone"]
CALLS = 7
"""Requests that the reference solutions of `NAMES` take."""

BRAIN = SolutionBrain.of(list(named_scenarios(names=NAMES).values()))


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    return write_prices(tmp_path)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serve(OpenAIChatDialect(), BRAIN) as loopback:
        yield loopback


def prepared(server: Loopback, **more: Any) -> PreparedRun:
    return prepare_run(choice(server), "Scripted", NAMES, **{"threads": 1, **more})


def played(server: Loopback, base: Path, **more: Any) -> FinishedRun:
    return play(prepared(server, **more), base)


def with_moves(moves: Mapping[str, Move]) -> Brain:
    """Answers the opening of some scenarios with something else, as long as ``moves`` holds it."""

    def replacement(heard: Heard, number: int, answer: Answer) -> Move | None:
        return moves.get(BRAIN.scenario(heard).name)

    return WithReplacements(BRAIN, replacement, key=lambda heard: BRAIN.scenario(heard).name)


def test_run_says_what_was_asked_and_what_it_cost(server: Loopback, tmp_path: Path, prices: Path) -> None:
    run = played(server, tmp_path / "data", prices=prices, cache=tmp_path / "cache")
    assert [result["similarity"] for result in run.results] == [1, 1, 1]
    usage = run.summary["usage"]["agent"]
    assert (usage["calls"], usage["input_tokens"], usage["output_tokens"]) == (CALLS, CALLS * 100, CALLS * 10)
    assert usage["cost_usd"] == pytest.approx(CALLS * (100 * 10 + 10 * 100) / 1e6)
    assert run.summary["usage"]["user"] is None
    described = read_json(run.path / "run.json")
    assert described["models"]["agent"] == {
        "provider": "openai-compatible",
        "model": "m-1",
        "settings": {},
        "base_url": f"{server.url}/v1",
        "timeout_s": 300.0,
    }
    assert described["sdk_versions"]["openai"]
    assert described["cache"] == str(tmp_path / "cache")


def test_files_of_a_run_follow_their_schemas_and_hold_no_key(server: Loopback, tmp_path: Path, prices: Path) -> None:
    run = played(server, tmp_path / "data", prices=prices)
    for name in ("run", "result_summary"):
        jsonschema.validate(read_json(run.path / f"{name}.json"), load_schema(name))
    trajectory = run.path / "trajectories" / "wifi_off"
    jsonschema.validate(result_in(trajectory), load_schema("result"))
    jsonschema.validate(calls := part_in(trajectory, "model_calls"), load_schema("model_calls"))
    assert len(calls["agent"]) == 2
    assert len(lines_in(trajectory, "exchanges")) == 2
    assert run.frame["usage"].struct.field("agent").struct.field("calls").sum() == CALLS
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.slow
def test_cached_run_asks_nothing_twice(server: Loopback, tmp_path: Path, prices: Path) -> None:
    first, again = (played(server, tmp_path / "data", prices=prices, cache=tmp_path / "cache") for _ in range(2))
    assert len(server.seen) == CALLS
    usage = again.summary["usage"]["agent"]
    assert (usage["origins"], usage["paid_usd"], usage["paid_tokens"]) == ({"cache": CALLS}, 0, 0)
    assert usage["cost_usd"] == first.summary["usage"]["agent"]["cost_usd"]


@pytest.mark.parametrize("budget", [Budget(usd=0.005), Budget(tokens=300)])
def test_budget_stops_a_run(budget: Budget, server: Loopback, tmp_path: Path, prices: Path) -> None:
    run = played(server, tmp_path / "data", prices=prices, budget=budget)
    # The third call is the first of the second conversation and uses up what is left.
    assert len(server.seen) == 3
    assert [(result["outcome"], result["fault"]) for result in run.results] == [
        ("completed", None),
        ("infrastructure_error", "budget"),
    ]
    assert not run.is_complete
    assert "is spent" in run.summary["run"]["stopped"]
    assert lines_in(run.path / "trajectories" / "cellular_off", "exchanges")


def test_one_conversation_has_the_whole_budget_however_many_processes(server: Loopback, tmp_path: Path) -> None:
    run = prepare_run(choice(server), "Scripted", ["wifi_off"], processes=4, budget=Budget(tokens=400))
    (result,) = play(run, tmp_path).results
    assert (result["outcome"], result["similarity"]) == ("completed", 1)


def test_what_passed_before_something_unforeseen_is_written(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: OpenAICompatibleChat, answer: Any) -> Any:
        raise LookupError("unforeseen")

    monkeypatch.setattr(OpenAICompatibleChat, "read", broken)
    run = play(prepare_run(choice(server), "Scripted", ["wifi_off"], threads=1), tmp_path)
    (result,) = run.results
    assert (result["outcome"], result["evaluated"]) == ("infrastructure_error", False)
    assert "LookupError: unforeseen" in result["reason"]
    assert len(read_exchanges(run.path / "trajectories" / "wifi_off")) == 1


def test_budget_in_dollars_needs_a_price(server: Loopback) -> None:
    with pytest.raises(ConfigurationError, match="--prices FILE, or limit the run by --max-tokens-total"):
        prepared(server, budget=Budget(usd=1.0))
    prepared(server, budget=Budget(tokens=1))


@pytest.mark.parametrize(("status", "fault"), [(401, "authentication"), (404, "not_found")])
def test_hopeless_fault_stops_a_run(status: int, fault: str, tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), [Broken(status)]) as server:
        run = played(server, tmp_path)
        assert len(server.seen) == 1
    assert [result["fault"] for result in run.results] == [fault]
    assert run.summary["run"]["stopped"]
    assert "ALL_CATEGORIES" not in run.summary["category_aggregated_results"]


@pytest.mark.slow
def test_several_processes_stop_too(tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), [Broken(401)]) as server:
        run = played(server, tmp_path, processes=2, threads=2, trials=5)
        assert len(server.seen) <= 2
    assert run.summary["run"]["stopped"]


@pytest.mark.slow
def test_replay_is_the_same_run_without_a_network(server: Loopback, tmp_path: Path) -> None:
    first = played(server, tmp_path / "data")
    asked = len(server.seen)
    run = play(prepare_run(f"replay:{first.path}", "Scripted", NAMES, threads=1), tmp_path / "again")
    assert len(server.seen) == asked
    assert run.summary["replay"] == {"identical": 3, "diverged": 0, "unused": 0, "first": None}
    kept = ("execution_context.json", "conversation.json", "pretty_print.txt")
    for path in (path for path in first.path.rglob("*") if path.name in kept):
        assert (run.path / path.relative_to(first.path)).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_replay_says_where_a_changed_prompt_shows(server: Loopback, tmp_path: Path) -> None:
    first = played(server, tmp_path / "data")
    changed = prepare_run(f"replay:{first.path}", "Scripted", NAMES, threads=1, instruction="Be a pirate.")
    run = play(changed, tmp_path / "again")
    assert run.summary["replay"]["diverged"] == 3
    where = run.summary["replay"]["first"]
    assert (where["directory"], where["party"], where["path"]) == ("wifi_off", "agent", "messages[0].content")
    assert where["now"].startswith("Be a pirate.")
    assert [result["similarity"] for result in run.results] == [1, 1, 1]


@pytest.mark.slow
def test_replay_of_a_fault_is_that_fault(tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), with_moves({"cellular_off": Broken(429)})) as server:
        first = played(server, tmp_path / "data")
    run = play(prepare_run(f"replay:{first.path}", "Scripted", NAMES, threads=1), tmp_path / "again")
    assert [result["fault"] for result in run.results] == [None, "rate_limit", None]
    assert run.summary["replay"]["diverged"] == 0


def test_instruction_takes_the_place_of_every_scenarios(server: Loopback, tmp_path: Path) -> None:
    run = played(server, tmp_path, instruction="Be a pirate.")
    assert {seen.heard.system for seen in server.seen if seen.heard} == {"Be a pirate."}
    told = read_json(run.path / "run.json")["instruction"]
    assert (told["text"], told["version"]) == ("Be a pirate.", None)


@pytest.mark.slow
def test_retry_plays_what_failed_and_nothing_else(tmp_path: Path, prices: Path) -> None:
    moves: dict[str, Move] = {"cellular_off": Broken(500)}
    with serve(OpenAIChatDialect(), with_moves(moves)) as server:
        run = played(server, tmp_path, prices=prices)
        assert [result["outcome"] for result in run.results] == ["completed", "infrastructure_error", "completed"]
        untouched = (run.path / "trajectories" / "wifi_off" / "record.jsonl").stat().st_mtime_ns
        moves.clear()
        (run.path / "trajectories" / "cellular_off" / "left_over.txt").write_text("of the first attempt")
        asked = len(server.seen)
        same: dict[str, Any] = {"agent": choice(server), "prices": prices}
        found = prepare_resume([run.path], threads=1, **same)
        assert [episode.scenario_name for episode in found.missing[0].run.episodes] == ["cellular_off"]
        (again,) = play_resume(found)
        assert len(server.seen) == asked + 2
        assert prepare_resume([run.path], **same).missing == ()
    assert again.path == run.path
    assert not list(run.path.rglob("left_over.txt"))
    assert [result["similarity"] for result in again.results] == [1, 1, 1]
    assert again.is_complete
    assert (run.path / "trajectories" / "wifi_off" / "record.jsonl").stat().st_mtime_ns == untouched
    described = read_json(run.path / "run.json")
    jsonschema.validate(described, load_schema("run"))
    (entry,) = described["retries"]
    assert (entry["episodes"], entry["replaced_usage"]["agent"]["calls"]) == (["cellular_off"], 1)
    assert RunDirectory(run.path).rebuild_summary()["per_scenario_results"] == again.results


@pytest.mark.slow
def test_retry_tells_the_agent_the_same(tmp_path: Path) -> None:
    moves: dict[str, Move] = {"cellular_off": Broken(500)}
    with serve(OpenAIChatDialect(), with_moves(moves)) as server:
        run = played(server, tmp_path, instruction="Be a pirate.")
        moves.clear()
        (again,) = play_resume(prepare_resume([run.path], threads=1, agent=choice(server)))
    assert [result["similarity"] for result in again.results] == [1, 1, 1]
    assert {seen.heard.system for seen in server.seen if seen.heard} == {"Be a pirate."}


@pytest.mark.slow
def test_retry_also_plays_what_was_not_reached(server: Loopback, tmp_path: Path) -> None:
    run = played(server, tmp_path, budget=Budget(tokens=300))
    assert len(run.results) == 2
    (again,) = play_resume(prepare_resume([run.path], threads=1, agent=choice(server)))
    assert [result["similarity"] for result in again.results] == [1, 1, 1]
    assert again.summary["run"].get("stopped") is None


def test_retry_refuses_what_does_not_compare(server: Loopback, tmp_path: Path) -> None:
    run = played(server, tmp_path)
    path = run.path / "run.json"
    stored = read_json(path)
    path.write_text(json.dumps({**stored, "suite": {**stored["suite"], "content_hash": "0"}}))
    with pytest.raises(ConfigurationError, match="the suite has changed"):
        prepare_retry(run.path, agent=choice(server))
    prepare_retry(run.path, agent=choice(server), anyway=True)
    path.write_text(json.dumps(stored))
    with pytest.raises(ConfigurationError, match=r"the agent was openai-compatible/m-1 and is .*temperature=1"):
        prepare_retry(run.path, agent=choice(server, "temperature=1"))
    prepare_retry(run.path, agent=choice(server, "timeout=5"))
    assert incomparable({**stored, "package_version": "99.0.0"}, stored) != []
    program = {"name": "mine", "version": "1.2", "sha256": "a" * 64}
    assert incomparable({**stored, "agent_program": program}, {**stored, "agent_program": program}) == []
    changed = {**program, "version": "1.3", "sha256": "b" * 64}
    assert incomparable({**stored, "agent_program": program}, {**stored, "agent_program": changed}) == [
        "the version of the agent was 1.2 and is 1.3",
        "the sha256 of the agent was aaaaaaaaaaaa and is bbbbbbbbbbbb",
    ]


def test_retry_of_other_outcomes(server: Loopback, tmp_path: Path) -> None:
    run = played(server, tmp_path)
    assert len(prepare_retry(run.path, [Outcome.COMPLETED], agent=choice(server)).run.episodes) == 3
    assert prepare_retry(run.path, [Outcome.USER_ERROR], agent=choice(server)).run.episodes == ()


def test_estimate_asks_no_model(server: Loopback, prices: Path, tmp_path: Path) -> None:
    found = estimate(prepared(server, prices=prices, trials=2))
    assert (found.conversations, found.sampled, len(server.seen)) == (6, 3, 0)
    party = found.parties["agent"]
    assert (party.model, party.calls) == ("openai-compatible/m-1", 2 * CALLS)
    played(server, tmp_path, prices=prices)
    sent = sum(len(seen.raw) for seen in server.seen)
    assert party.input_tokens == pytest.approx(2 * sent / 3, rel=0.2)
    assert party.cost_usd == pytest.approx((party.input_tokens * 10 + party.output_tokens * 100) / 1e6)


@pytest.mark.parametrize("sample", [2, 120])
def test_trials_cost_as_often_as_there_are(
    sample: int, server: Loopback, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tool_sandbox.runner.estimate.SAMPLE", sample)
    found = {trials: estimate(prepared(server, prices=prices, trials=trials)) for trials in (1, 3)}
    one, three = (found[trials].parties["agent"] for trials in (1, 3))
    assert [each.sampled for each in found.values()] == [min(sample, 3)] * 2
    assert three.cost_usd == pytest.approx(3 * one.cost_usd)
    assert three.input_tokens == pytest.approx(3 * one.input_tokens, abs=3)


def test_run_without_models_costs_nothing() -> None:
    assert estimate(prepare_run("Oracle", "Scripted", NAMES)).parties == {}


def test_model_of_ones_own_is_metered(server: Loopback, tmp_path: Path, prices: Path) -> None:
    from tool_sandbox.models.naming import choose_model
    from tool_sandbox.roles.model_agent import ModelAgent

    provider = choose_model(choice(server)).provider
    run = play(prepare_run(lambda: ModelAgent(provider), "Scripted", NAMES, prices=prices, threads=3), tmp_path)
    assert run.summary["usage"]["agent"]["calls"] == CALLS
    assert KEY not in (run.path / "run.json").read_text("utf-8")


def test_model_that_plays_the_user_is_counted_and_audited(tmp_path: Path) -> None:
    with serve(
        OpenAIChatDialect(), [Answer("Call Jim Bob at 555-1234."), Answer(calls=(("end_conversation", {}),))]
    ) as it:
        user = choice(it)
        run = play(prepare_run("Unhelpful", user, ["wifi_off"]), tmp_path)
    result = run.results[0]
    assert result["usage"]["user"]["calls"] == 2
    assert result["usage"]["agent"] is None
    kinds = {finding["kind"] for finding in result["user_findings"]}
    assert "invented_fact" in kinds
    assert run.summary["user_fidelity"]["affected"] == 1
    jsonschema.validate(read_json(run.path / "result_summary.json"), load_schema("result_summary"))


def test_silent_fallback_is_flagged(tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), [Answer("No.", served_model="m-1-mini")]) as server:
        run = play(prepare_run(choice(server), "Scripted", ["wifi_off"]), tmp_path)
    assert run.summary["usage"]["agent"]["substituted"] is True
    assert set(run.summary["usage"]["agent"]["served_models"]) == {"m-1-mini"}


def test_price_of_tokens_is_asked_with_the_tokens(prices: Path, server: Loopback) -> None:
    price = prepared(server, prices=prices).wiring.price
    assert price("openai-compatible", "m-1", Usage(1_000_000)) == 10
    assert price("openai-compatible", "m-2", Usage(1_000_000)) is None


def test_new_scores_keep_what_was_observed(tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), [Answer("No.", stop="content_filter")]) as server:
        run = play(prepare_run(choice(server), "Scripted", ["wifi_off"]), tmp_path)
    assert run.results[0]["outcome"] == "refused"
    (entry,) = rescore(run.path, SuiteSource(), run.summary["run"]["suite"])
    assert entry.after == entry.before
