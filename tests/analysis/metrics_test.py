"""The numbers of a run are what its results add up to, and say how far they can be trusted."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.records import plain_result
from tool_sandbox.analysis.compare import mean_of
from tool_sandbox.analysis.metrics import GROUPINGS, headline, measure, measure_run, metrics_schema
from tool_sandbox.analysis.registry import METRICS
from tool_sandbox.analysis.statistics.intervals import SHARE, UNKNOWN, ClusterSums, bootstrap_intervals, clustered_mean
from tool_sandbox.runner.floor import REFUSING, REQUEST_BLIND, Floors
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.summary import summarise

FAMILIES = {"wifi": 2, "contacts": 3, "reminders": 1, "stocks": 2}
"""Families with their number of base scenarios."""

USAGE = {"calls": 4, "latency_s": 6.0, "input_tokens": 1000, "output_tokens": 50, "cost_usd": 0.25}


def result(name: str, family: str, trial: int = 0, **changes: Any) -> dict[str, Any]:
    """A result that won, but for what is changed."""
    usual = {
        "directory": f"{name}__trial_{trial}",
        "trial": trial,
        "profile": None,
        "family": family,
        "base_name": name,
        "augmentation": "no_distraction_tools",
        "categories": ["SINGLE_TOOL_CALL", "NO_DISTRACTION_TOOLS"],
    }
    return plain_result(name, **usual | changes)


def lost(score: float = 0.0) -> dict[str, Any]:
    return {"similarity": score, "success": False}


def said(world: str | None = None) -> dict[str, Any]:
    return {"message": 5, "kind": "TIME", "said": "8 pm", "world": world}


def failed(outcome: str = "infrastructure_error") -> dict[str, Any]:
    return {"outcome": outcome, "evaluated": False, "similarity": 0, "success": False}


def run_of(outcomes: Sequence[Sequence[bool]]) -> list[dict[str, Any]]:
    """Results of scenarios in four families: for each scenario, which of its trials were won."""
    names = [(f"{family}_{number}", family) for family, count in FAMILIES.items() for number in range(count)]
    return [
        result(name, family, trial, **({} if won else lost(0.5)))
        for (name, family), trials in zip(names, outcomes, strict=False)
        for trial, won in enumerate(trials)
    ]


def test_quantities_of_a_run() -> None:
    agent = {"agent": USAGE, "user": None, "judge": None}
    metrics = measure(
        [
            result("a", "f", usage=agent, tool_calls=4, tool_errors=1, user_findings=[], unsupported=[]),
            result(
                "b",
                "g",
                usage=agent,
                tool_calls=0,
                side_effects=[{}],
                turn_count=6,
                user_findings=[{"kind": "x"}],
                unsupported=[],
            ),
            result(
                "c", "h", minefield_hit=True, invalid_calls=3, unsupported=[said(), said("9 PM"), said()], **lost(0.4)
            ),
        ]
    )
    estimates = metrics["overall"]["estimates"]
    assert {name: estimate and round(estimate["mean"], 6) for name, estimate in estimates.items()} == {
        "strict_success": None,
        "success": 0.666667,
        "similarity": 0.8,
        "turn_count": 4.666667,
        "tool_calls": 2,
        "tool_errors": 0.333333,
        "tool_error_rate": 0.166667,
        "invalid_calls": 1,
        "side_effects": 0.333333,
        "minefield_hit": 0.333333,
        "unsupported": 1,
        "false_statements": None,
        "contradicted": 0.333333,
        "user_findings": 0.5,
        "latency_s": 6,
        "call_latency_s": 1.5,
        "input_tokens": 1000,
        "output_tokens": 50,
        "tokens": 1050,
        "cost_usd": 0.25,
    }
    assert metrics["overall"]["cost_usd"] == 0.5
    assert metrics["overall"]["latency"] is not None
    assert (metrics["overall"]["latency"]["median"], metrics["overall"]["latency"]["n"]) == (6, 2)


def test_runs_are_compared_by_what_was_unsupported() -> None:
    trials = [result("a", "f", unsupported=[said(), said("9 PM")]), result("a", "f", 1, unsupported=[])]
    values = {name: METRICS[name].of_trials(trials) for name in ("unsupported", "contradicted")}
    assert values == {"unsupported": 1, "contradicted": 0.5}
    assert METRICS["unsupported"].of_trials([*trials, result("a", "f", 2)]) is None


def test_open_conversations_are_counted() -> None:
    metrics = measure([result("a", "f", score_interval=[0.5, 1.0]), result("b", "g", score_interval=None)])
    assert (metrics["overall"]["open"], metrics["overall"]["open"]) == (1, 1)


def test_an_unknown_price_is_no_price() -> None:
    metrics = measure([result("a", "f", usage={"agent": {**USAGE, "cost_usd": None}, "user": USAGE, "judge": None})])
    assert metrics["overall"]["estimates"]["cost_usd"] is None
    assert metrics["overall"]["cost_usd"] is None


def test_published_means_are_those_of_the_summary() -> None:
    results = [
        result("a", "f", categories=["CANONICALIZATION", "THREE_DISTRACTION_TOOLS", "TOOL_NAME_SCRAMBLED"]),
        result("b", "g", categories=["CANONICALIZATION", "THREE_DISTRACTION_TOOLS"], turn_count=9, **lost(0.3)),
        result("c", "g", categories=["CANONICALIZATION"], **failed()),
    ]
    published = summarise(results, {}, None)["category_aggregated_results"]
    metrics = measure(results)
    groups = {**metrics["groups"]["category"], "ALL_CATEGORIES": metrics["overall"]}
    assert {
        name: {key: estimate["mean"] for key in ("similarity", "turn_count") if (estimate := group["estimates"][key])}
        for name, group in groups.items()
    } == published


def test_intervals_are_clustered_by_family() -> None:
    results = run_of([[True], [False], [True], [True], [False], [True], [True], [False]])
    estimate = measure(results)["overall"]["estimates"]["success"]
    assert estimate is not None
    values, families = [float(each["success"]) for each in results], [each["family"] for each in results]
    analytic = clustered_mean(values, families, bounds=SHARE)
    (bootstrap,) = bootstrap_intervals([ClusterSums.of(values, families)], bounds=[SHARE])
    assert estimate == {
        "mean": analytic.estimate,
        "low": analytic.low,
        "high": analytic.high,
        "method": analytic.method,
        "bootstrap": {"low": bootstrap.low, "high": bootstrap.high},
        "n": len(results),
        "clusters": len(FAMILIES),
    }


def test_amounts_are_not_below_zero() -> None:
    few = [
        result(
            f"s{number}", f"f{number}", tool_errors=9 * (number == 0), usage={"agent": {**USAGE, "cost_usd": number}}
        )
        for number in range(3)
    ]
    estimates = measure(few)["overall"]["estimates"]
    for name in ("tool_errors", "cost_usd"):
        found = estimates[name]
        assert found is not None
        assert found["high"] is not None
        assert found["low"] == 0 < found["high"]
    compared = mean_of(METRICS["tool_errors"], [[each] for each in few])
    assert compared is not None
    assert compared.low == 0 < compared.high
    # Equal values leave the upper end open, so nothing is known.
    turns = estimates["turn_count"]
    assert turns is not None
    assert (turns["low"], turns["method"]) == (None, UNKNOWN)


def test_within_a_family_base_scenarios_vary() -> None:
    metrics = measure(run_of([[True], [False], [True], [True], [False], [True], [True], [False]]))
    contacts = metrics["groups"]["family"]["contacts"]["estimates"]["success"]
    assert contacts is not None
    assert contacts["clusters"] == 3


def test_pass_k_is_a_mean_over_scenarios() -> None:
    overall = measure(run_of([[True, True, False], [False] * 3]))["overall"]
    at, hat = (
        [each[k]["estimate"]["mean"] for k in ("1", "2", "3")] for each in (overall["pass_at_k"], overall["pass_hat_k"])
    )  # type: ignore[index]
    assert at == pytest.approx([1 / 3, 1 / 2, 1 / 2])
    assert hat == pytest.approx([1 / 3, 1 / 6, 0])


def test_scenarios_with_too_few_trials_are_left_out_and_counted() -> None:
    results = run_of([[True, True], [False, False]])
    results[3] |= failed()
    overall = measure(results)["overall"]
    assert overall["trials"] == 2
    for passes in (overall["pass_at_k"], overall["pass_hat_k"]):
        assert passes["1"]["left_out"] == 0
        assert passes["2"]["left_out"] == 1
        assert passes["2"]["estimate"] is not None
        assert passes["2"]["estimate"]["mean"] == 1
    assert measure(results, ks=[3])["overall"]["pass_at_k"]["3"]["estimate"] is None


@settings(max_examples=30)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=2, max_size=8))
def test_laws_of_pass_k(outcomes: list[list[bool]]) -> None:
    overall = measure(run_of(outcomes), by=())["overall"]
    at, hat = (
        [each["estimate"]["mean"] for each in passes.values() if each["estimate"]]
        for passes in (overall["pass_at_k"], overall["pass_hat_k"])
    )
    success = overall["estimates"]["success"]
    assert success is not None
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert at[0] == hat[0] == pytest.approx(success["mean"])


@settings(max_examples=30)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=3), min_size=1, max_size=8), st.randoms())
def test_order_of_results_does_not_matter(outcomes: list[list[bool]], order: random.Random) -> None:
    results = run_of(outcomes)
    shuffled = list(results)
    order.shuffle(shuffled)
    assert json.dumps(measure(results, by=())) == json.dumps(measure(shuffled, by=()))


def test_infrastructure_errors_are_neither_zeros_nor_gone() -> None:
    results = [result(f"s{number}", f"f{number}", **(lost() if number < 30 else {})) for number in range(96)]
    results += [result(f"x{number}", "x", **failed()) for number in range(4)]
    overall = measure(results)["overall"]
    found = overall["headlines"]["success"]
    assert overall["outcomes"] == {"completed": 96, "infrastructure_error": 4}
    assert (found["value"], found["low"], found["high"], found["reason"]) == (66 / 96, 0.66, 0.70, None)
    refused = headline(results, max_infrastructure_rate=0.03)
    assert (refused["value"], refused["low"], refused["high"]) == (None, 0.66, 0.70)
    assert refused["reason"] == "4.0% infrastructure errors, more than 3.0%"


def test_user_errors_are_excluded_and_counted_apart() -> None:
    overall = measure([result("a", "f"), result("b", "g", **failed("user_error"))])["overall"]
    assert (overall["outcomes"], overall["evaluated"]) == ({"completed": 1, "user_error": 1}, 1)
    found = overall["headlines"]["similarity"]
    assert (found["value"], found["low"], found["high"]) == (1.0, 0.5, 1.0)


def test_a_run_without_a_result_that_counts_has_no_numbers() -> None:
    for results in ([], [result("a", "f", **failed())], [result("a", "f", **failed("user_error"))]):
        metrics = measure(results)
        assert metrics["overall"]["headlines"]["success"]["value"] is None
        assert metrics["overall"]["headlines"]["success"]["reason"]
        assert not any(metrics["overall"]["estimates"].values())
        jsonschema.validate(metrics, metrics_schema())


def test_a_trial_that_knows_nothing_of_its_scenario_is_counted_with_the_others() -> None:
    unknown = {"categories": [], "family": None, "base_name": None, "augmentation": None}
    unbuilt = result("a", "f", **failed()) | unknown
    metrics = measure([unbuilt, result("a", "f", 1)])
    assert metrics["overall"]["units"] == 1
    assert metrics["groups"]["family"]["f"]["conversations"] == 2


def test_older_results_have_a_family_too() -> None:
    older = {
        key: value
        for key, value in result("wifi_off_3_distraction_tools", "").items()
        if key in ("name", "categories", "similarity", "turn_count", "minefield_similarity", "traceback")
    }
    metrics = measure([older])
    assert list(metrics["groups"]["family"]) == ["wifi_off"]
    assert list(metrics["groups"]["augmentation"]) == ["3_distraction_tools"]
    assert metrics["overall"]["headlines"]["success"]["value"] == 1


def test_floors_stand_beside_the_scores_of_each_part() -> None:
    floors = Floors({REFUSING: {("a", 0): 0.0, ("b", 0): 0.0}, REQUEST_BLIND: {("a", 0): 1.0, ("b", 0): 0.5}})
    metrics = measure([result("a", "f"), result("a", "f", 1), result("b", "g")], floors=floors)
    assert metrics["overall"]["floors"] == {
        REFUSING: {"success": 0, "similarity": 0},
        REQUEST_BLIND: {"success": 0.5, "similarity": 0.75},
    }
    assert metrics["groups"]["family"]["f"]["floors"] == {
        REFUSING: {"success": 0, "similarity": 0},
        REQUEST_BLIND: {"success": 1, "similarity": 1},
    }
    assert measure([result("a", "f")])["overall"]["floors"] is None


def test_json_has_a_schema(tmp_path: Path) -> None:
    run = play(prepare_run("Oracle:error_rate=0.5", "Scripted", ["wifi_off", "get_wifi"], trials=2), tmp_path)
    described = measure_run(run.path)
    jsonschema.Draft202012Validator.check_schema(metrics_schema())
    jsonschema.validate(described, metrics_schema())
    assert json.loads(json.dumps(described, allow_nan=False)) == described
    assert set(described["groups"]) == set(GROUPINGS)
    assert described["overall"]["conversations"] == described["planned"] == len(run.results)
    assert described["overall"]["floors"]["refusing"] == {"success": 0, "similarity": 0}
    usual = result("a", "f", usage={"agent": USAGE, "user": None, "judge": None})
    jsonschema.validate(measure([usual], call_latencies=[1.0, 2.0]), metrics_schema())
