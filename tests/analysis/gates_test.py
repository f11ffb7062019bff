from pathlib import Path

import pytest

from tests.analysis.runs import families, store, usage
from tool_sandbox.analysis.compare import compare
from tool_sandbox.analysis.gates import Gate, parse_gate
from tool_sandbox.analysis.gating import GateResult, evaluate_gates
from tool_sandbox.world.errors import ConfigurationError

CATEGORIES = ("LONG_CHAIN", "PRIVACY", "ALL_CATEGORIES")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("strict_success drops by more than 0.02", ("drops", 0.02, "strict_success", False, False, None)),
        ("Success_Rate falls by more than 5%", ("drops", 0.05, "success", True, False, None)),
        ("cost rises by more than 10% in long_chain", ("rises", 0.1, "cost_usd", True, False, "LONG_CHAIN")),
        ("similarity significantly drops", ("drops", 0.0, "similarity", False, True, None)),
        ("pass^3 drops significantly by more than .1", ("drops", 0.1, "pass^3", False, True, None)),
        ("success drops by more than 5 %", ("drops", 0.05, "success", True, False, None)),
        ("score is below 80%", ("is below", 0.8, "similarity", False, False, None)),
        ("latency is above 12.5", ("is above", 12.5, "latency_s", False, False, None)),
        ("infrastructure_rate is above 0.05", ("is above", 0.05, "infrastructure_rate", False, False, None)),
        ("any scenario breaks", ("breaks", 0, None, False, False, None)),
        ("more than 3 scenarios break in PRIVACY", ("breaks", 3, None, False, False, "PRIVACY")),
    ],
)
def test_grammar(text: str, expected: tuple[object, ...]) -> None:
    gate = parse_gate(text, CATEGORIES)
    name = gate.metric and gate.metric.name
    assert (gate.kind, gate.threshold, name, gate.is_relative, gate.significantly, gate.category) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("strict_sucess drops", "Did you mean: strict_success"),
        ("happiness drops", "there is no metric 'happiness'; there are strict_success, success"),
        ("", "it says nothing"),
        ("strict_success", "the condition is missing"),
        ("strict_success explodes", "cannot read 'explodes'"),
        ("strict_success drops by more than", "cannot read"),
        ("strict_success drops by more than much", "'much' is not a number"),
        ("strict_success drops by more than -0.1", "must not be negative"),
        ("strict_success is below nan", "'nan' is not a number"),
        ("strict_success is below 1e999", "is not a number"),
        (f"more than {'9' * 5000} scenarios break", "what breaks is written"),
        ("strict_success is below ٣", "is not a number"),
        ("turn_count is above 5%", "turn_count is not a share"),
        ("strict_success drops in LONG_CHIAN", "Did you mean: LONG_CHAIN"),
        ("strict_success drops in", 'follow "in"'),
        ("infrastructure_rate rises significantly", "without an interval"),
        ("any scenario breaks significantly", "scenarios that break"),
        ("many scenarios break", 'written "any scenario breaks"'),
        ("more than -1 scenarios break", 'written "any scenario breaks"'),
        ("strict_success drops by more than 5", 'write 0.05 for 5 of a hundred, or "5%" of the baseline\'s value'),
        ("side_effects rises by more than 2", "side_effects is a share, from 0 to 1, and never rises by more than 2"),
        ("pass^3 drops by more than 1", "never drops by more than 1"),
        ("excluded_rate rises by more than 5", "write 0.05 for 5"),
        ("turn_count drops by more than 120%", "nothing drops by more than 1.2 times itself, so this can never fail"),
        ("score is below 0", "similarity is from 0 to 1, so this never fails"),
        ("success is below 80", "so this always fails; 80 of a hundred is 0.8"),
        ("infrastructure_rate is above 5", "so this never fails; 5 of a hundred is 0.05"),
        ("success is above 100%", "so this never fails"),
        ("success is above -0.1", "so this always fails"),
        ("turns is below 0", "turn_count is at least 0, so this never fails"),
        ("total_cost_usd is below -1", "total_cost_usd is at least 0, so this never fails"),
        ("__import__('os').system('true') is below 1", "there is no metric"),
    ],
)
def test_mistakes_are_one_clear_line(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        parse_gate(text, CATEGORIES)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("gate ")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("runs")
    names = families(20, 2)
    return {
        "all": store(base, "all", names, usage=usage(0.5)),
        # 4 of 40 scenarios fail, all of them in LONG_CHAIN.
        "drop": store(base, "drop", names | {f"f0{n}_1": [0.5] for n in range(4)}, usage=usage(0.5)),
        "unreliable": store(base, "unreliable", names | {f"f0{n}_1": [None] for n in range(4)}),
        "part": store(base, "part", names, planned=50),
        "unpriced": store(base, "unpriced", names, usage=usage(None)),
        "published": store(base, "published", names, profile="published"),
        "one family": store(base, "one", {f"a_{n}": [0.0] for n in range(9)}, base_name="a"),
        "its baseline": store(base, "base", {f"a_{n}": [1.0] for n in range(9)}, base_name="a"),
        "five families": store(base, "five", families(5, 4)),
        "five families, lost": store(base, "five lost", families(5, 4, 0.0)),
        "nothing": store(base, "nothing", {name: [0.0] for name in names}),
    }


def judge(text: str, *paths: Path) -> GateResult:
    (result,) = evaluate_gates([parse_gate(text, CATEGORIES)], compare(paths))
    return result


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("strict_success drops by more than 0.1", True),
        ("strict_success drops by more than 0.09", False),
        ("strict_success drops by more than 10%", True),
        ("strict_success drops by more than 9%", False),
        ("strict_success drops", False),
        ("strict_success rises", True),
        ("strict_success drops by more than 0.19 in LONG_CHAIN", False),
        ("strict_success drops by more than 0.2 in LONG_CHAIN", True),
        ("strict_success drops in PRIVACY", True),
        # The interval is about [-0.19, -0.005].
        ("strict_success drops significantly by more than 0.05", True),
        ("similarity drops by more than 0.04", False),
        ("success is below 0.91", False),
        ("success is below 0.9", True),
        ("success is above 0.89", False),
        ("success is significantly below 0.95", True),
        ("success is significantly below 0.99", False),
        ("any scenario breaks", False),
        ("more than 3 scenarios break", False),
        ("more than 4 scenarios break", True),
        ("any scenario breaks in PRIVACY", True),
        ("cost_usd rises by more than 1%", True),
        ("total_cost_usd is above 19", False),
        ("infrastructure_rate is above 0.01", True),
    ],
)
def test_gates_measure(runs: dict[str, Path], text: str, passed: bool) -> None:
    result = judge(text, runs["all"], runs["drop"])
    assert result.passed == passed, result.reason
    assert "cannot be evaluated" not in result.reason


def test_a_large_drop_is_significant(runs: dict[str, Path]) -> None:
    assert not judge("strict_success drops significantly by more than 0.5", runs["drop"], runs["nothing"]).passed


@pytest.mark.parametrize(
    ("text", "before", "after", "said"),
    [
        ("strict_success drops by more than 0.5", "all", "unreliable", "infrastructure errors"),
        ("success is below 0.1", "all", "unreliable", "infrastructure errors"),
        ("any scenario breaks", "all", "unreliable", "infrastructure errors"),
        ("success is below 0.1", "all", "part", "incomplete: 40 of 50"),
        ("infrastructure_rate is above 0.5", "all", "part", "incomplete"),
        ("cost_usd rises by more than 50%", "all", "unpriced", "cost_usd is not known"),
        ("total_cost_usd is above 500", "all", "unpriced", "total_cost_usd is not known"),
        ("strict_success drops by more than 0.5", "all", "published", "scored by the strict"),
        ("pass^3 drops by more than 0.5", "all", "drop", "needs scenarios with 3"),
        ("pass^3 is below 0.1", "all", "drop", "needs scenarios with 3"),
        ("success drops by more than 0.5", "all", "one family", "no such scenario in common"),
        ("success drops significantly", "its baseline", "one family", "too few families"),
        ("success rises by more than 5%", "nothing", "all", "the baseline is 0"),
        ("success drops significantly", "five families", "five families, lost", "too few families"),
        ("more than 40 scenarios break", "all", "nothing", "of 40 scenarios never more than 40 break"),
    ],
)
def test_what_cannot_be_evaluated_fails(runs: dict[str, Path], text: str, before: str, after: str, said: str) -> None:
    result = judge(text, runs[before], runs[after])
    assert not result.passed
    assert result.reason.startswith("cannot be evaluated: ")
    assert said in result.reason


def test_a_rate_can_be_gated_where_it_is_too_high(runs: dict[str, Path]) -> None:
    assert (
        judge("infrastructure_rate is above 0.1", runs["all"], runs["unreliable"]).reason
        == "infrastructure_rate is 0.1"
    )


@pytest.mark.parametrize(
    ("text", "before", "said"),
    [
        ("success drops by more than 0.02", "nothing", "from 0 it cannot drop by more, so this could not fail"),
        ("success drops", "drop", None),
        ("success rises by more than 0.2", "drop", "from 0.9 it cannot rise by more, so this could not fail"),
        ("any scenario breaks", "nothing", "the baseline succeeds in 0, so this could not fail"),
        ("more than 36 scenarios break", "drop", "the baseline succeeds in 36, so this could not fail"),
        ("more than 35 scenarios break", "drop", None),
    ],
)
def test_a_gate_says_where_it_could_not_fail(runs: dict[str, Path], text: str, before: str, said: str | None) -> None:
    result = judge(text, runs[before], runs["all"])
    assert result.passed
    assert said in result.reason if said else "could not fail" not in result.reason


def test_a_gate_says_how_much_of_the_baseline_it_is_over(runs: dict[str, Path], tmp_path: Path) -> None:
    few = store(tmp_path, "few", families(20, 1) | {"f00_0": [1.0] * 3, "f00_1": [None]})
    assert judge("success drops", runs["all"], few).reason.endswith(", over 20 of 40 scenarios")
    assert "scenarios" not in judge("success drops in PRIVACY", runs["all"], few).reason
    assert judge("pass^3 is below 0.5", few).reason.endswith(", over 1 of 21 scenarios")
    assert "scenarios" not in judge("success drops", runs["drop"], runs["all"]).reason


def test_one_run_has_no_baseline(runs: dict[str, Path]) -> None:
    assert judge("success is below 0.8", runs["drop"]).passed
    assert not judge("success is below 0.95", runs["drop"]).passed
    with pytest.raises(ConfigurationError, match="needs a baseline"):
        judge("success drops", runs["drop"])


def test_every_run_but_the_baseline_is_gated(runs: dict[str, Path]) -> None:
    gates: list[Gate] = [parse_gate("success drops by more than 0.5", CATEGORIES)]
    results = evaluate_gates(gates, compare([runs["all"], runs["drop"], runs["nothing"]]))
    assert [(result.label, result.passed) for result in results] == [("drop", True), ("nothing", False)]
