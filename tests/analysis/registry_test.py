"""A metric has one name and one meaning, whoever asks for it."""

import pytest

from tests.analysis.metrics_test import USAGE, result
from tool_sandbox.analysis.metrics import measure, metrics_schema
from tool_sandbox.analysis.registry import METRICS, RUN_METRICS, metric, metric_names
from tool_sandbox.world.errors import UnknownNameError

EVERYONE = {
    "agent": USAGE,
    "user": {**USAGE, "input_tokens": 7, "latency_s": 3.0, "cost_usd": 0.5},
    "judge": {**USAGE, "input_tokens": 9, "latency_s": 5.0, "cost_usd": 4.0},
}


def test_metrics_and_compare_mean_the_same() -> None:
    checked = {"unsupported": [], "user_findings": [], "judge": {"false_statements": []}}
    trials = [
        result("a", "f", number, profile="strict", usage=EVERYONE, tool_errors=number, **checked) for number in range(2)
    ]
    estimates = measure(trials, by=())["overall"]["estimates"]
    means = {name: estimate["mean"] for name, estimate in estimates.items() if estimate is not None}
    assert means == {name: each.of_trials(trials) for name, each in METRICS.items()}
    assert (means["tokens"], means["latency_s"], means["cost_usd"]) == (1050, 6, 0.75)
    assert RUN_METRICS["total_cost_usd"].of_results(trials) == 2 * (0.25 + 0.5 + 4)


def test_no_model_is_no_number_and_nothing_to_compare() -> None:
    oracle = [result("a", "f")]
    for name in ("latency_s", "call_latency_s", "tokens", "cost_usd"):
        assert measure(oracle, by=())["overall"]["estimates"][name] is None
        assert METRICS[name].of_trials(oracle) == 0
        assert METRICS[name].of_trials([{"name": "a"}]) is None  # type: ignore[typeddict-item]


def test_every_metric_is_explained() -> None:
    assert all(each.meaning and each.unit for each in (*METRICS.values(), *RUN_METRICS.values()))
    described = metrics_schema()["$defs"]["Group"]["properties"]["estimates"]
    assert list(described["properties"]) == described["required"] == list(METRICS)
    assert described["properties"]["turn_count"]["description"].startswith(METRICS["turn_count"].meaning)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *((name, name) for name in metric_names()),
        *(("latency", "latency_s"), ("minefields", "minefield_hit"), ("Score", "similarity"), ("turns", "turn_count")),
        *(("cost", "cost_usd"), ("total_cost", "total_cost_usd"), ("success_rate", "success")),
    ],
)
def test_older_names_are_known(name: str, found: str) -> None:
    assert metric(name).name == found


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"there is no metric 'minefeilds'; .*Did you mean: minefield_hit"):
        metric("minefeilds")
