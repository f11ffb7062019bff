import json
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.runs import families, result, store, store_results, usage
from tool_sandbox.analysis.compare import compare
from tool_sandbox.analysis.comparison import RunComparison, conclusion
from tool_sandbox.analysis.markdown import comparison_markdown
from tool_sandbox.cli.comparing_tables import comparison_lines
from tool_sandbox.world.errors import ConfigurationError


def verdict(comparison: RunComparison, number: int = 0) -> tuple[str, str]:
    found = conclusion(comparison, comparison.pairwise[number])
    return found.kind, found.text


def test_identical_runs_are_the_same_and_that_is_no_proof(tmp_path: Path) -> None:
    scores = families(20, 3)
    comparison = compare([store(tmp_path, "a", scores), store(tmp_path, "b", scores)])
    found = comparison.pairwise[0].differences["strict_success"]
    assert (found.before, found.after, found.change, found.test.p_value) == (1, 1, 0, 1)
    assert found.test.interval.low < 0 < found.test.interval.high
    kind, text = verdict(comparison)
    assert kind == "same"
    assert "equal in all 60 scenarios; that excludes, with 95% confidence, only differences above 0.168" in text
    assert comparison.pairwise[0].broken == comparison.pairwise[0].fixed == ()


def test_families_that_balance_are_not_the_same(tmp_path: Path) -> None:
    swapped = [
        {f"f{family}_{member}": [float(member == one)] for family in range(9) for member in range(2)} for one in (0, 1)
    ]
    kind, text = verdict(compare([store(tmp_path, "a", swapped[0]), store(tmp_path, "b", swapped[1])]))
    assert kind == "no difference seen"
    assert "strict success +0.000" in text


@pytest.mark.parametrize(("count", "kind"), [(5, "unclear"), (6, "no difference seen")])
def test_too_few_families_for_the_sign_flips_are_not_said_to_see_anything(
    count: int, kind: str, tmp_path: Path
) -> None:
    mixed = families(count, 4) | {f"f{number:02}_0": [float(number % 2)] for number in range(count)}
    other = families(count, 4) | {f"f{number:02}_1": [float(number % 2)] for number in range(1, count)}
    found, text = verdict(compare([store(tmp_path, "a", mixed), store(tmp_path, "b", other)]))
    assert found == kind
    assert ("5 families of scenarios are too few" in text) == (count == 5)


def test_means_and_difference_by_hand(tmp_path: Path) -> None:
    """Trials are averaged first, so that a scenario with more trials does not count more."""
    before = {"a_1": [1.0, 1.0], "b_1": [1.0, 0.5], "c_1": [0.0, 0.0]}
    after = {"a_1": [1.0], "b_1": [0.5, 0.5, 1.0, 0.0], "c_1": [0.0, 1.0]}
    comparison = compare([store(tmp_path, "a", before), store(tmp_path, "b", after)])
    success = comparison.pairwise[0].differences["strict_success"]
    assert (success.before, success.after) == pytest.approx((1.5 / 3, 1.75 / 3))
    similarity = comparison.pairwise[0].differences["similarity"]
    assert (similarity.before, similarity.after) == pytest.approx((1.75 / 3, 2 / 3))
    assert similarity.change == pytest.approx(0.25 / 3)
    # Of the scenarios with two trials in both runs: pass^2 is 1/6 of the pairs of trials, and nothing.
    assert comparison.pairwise[0].differences["pass^2"].test.interval.n == 2


def test_worse_better_and_unseen(tmp_path: Path) -> None:
    good = store(tmp_path, "good", families(20, 4))
    bad = store(tmp_path, "bad", {name: [float(int(name[-1]) > 1)] for name in families(20, 4)})
    some = families(20, 4) | {"f00_0": [0.0], "f07_2": [0.0]}
    kind, text = verdict(compare([good, bad]))
    # All families dropped by the same half: the interval rests on their number, the p-value on the flips.
    assert (kind, text.split(":")[0]) == ("worse", "bad is worse than good")
    assert "strict success -0.500" in text
    assert verdict(compare([bad, good]))[0] == "better"
    kind, text = verdict(compare([good, store(tmp_path, "some", some)]))
    assert kind == "no difference seen"
    assert "tool_sandbox power" in text


def test_one_base_scenario_gives_no_verdict(tmp_path: Path) -> None:
    scores = (("a", 1.0), ("b", 0.0))
    paths = [store(tmp_path, name, {f"a_{n}": [score] for n in range(9)}, base_name="a") for name, score in scores]
    kind, text = verdict(compare(paths))
    assert kind == "unclear"
    assert "there is only 1 base scenario of one family" in text


def test_base_scenarios_count_within_one_family_and_this_is_said(tmp_path: Path) -> None:
    scores = {f"a_{n}": [1.0] for n in range(9)}
    paths = [store(tmp_path, "a", scores), store(tmp_path, "b", {name: [0.0] for name in scores} | {"a_8": [0.5]})]
    comparison = compare(paths)
    kind, text = verdict(comparison)
    assert (kind, text[-35:]) == ("worse", "from 9 base scenarios of one family")
    assert any("other families" in warning for warning in comparison.pairwise[0].warnings)
    told = comparison.as_dict()
    assert [told[key][0]["clustered_by"] for key in ("versus", "ranking")] == ["base_scenario"] * 2
    other = compare([store(tmp_path, name, scores | {"b_1": [1.0]}) for name in ("c", "d")])
    assert other.as_dict()["versus"][0]["clustered_by"] == "family"


def test_a_ranking_says_over_how_much_it_is_and_is_none_of_nothing(tmp_path: Path) -> None:
    runs = [
        store(tmp_path, "wide", families(4, 2)),
        store(tmp_path, "part", families(2, 2)),
        store(tmp_path, "less", families(3, 2)),
        store(tmp_path, "other", {"z_1": [1.0]}),
    ]
    for told in (comparison_markdown, lambda comparison: "\n".join(comparison_lines(comparison))):
        assert "ver the 4 scenarios that all runs evaluated" in told(compare(runs[:3]))
        assert "o scenario was evaluated by all runs, so they are not ranked" in told(compare(runs))
        assert "1. wide" not in told(compare(runs))


def test_what_broke_and_what_was_fixed(tmp_path: Path) -> None:
    before = {"a_1": [1.0] * 3, "b_1": [1.0] * 3, "c_1": [1.0, 1.0, 0.0], "d_1": [0.2] * 3, "e_1": [1.0, 0.0]}
    after = {"a_1": [0.5] * 3, "b_1": [0.0] * 3, "c_1": [0.0, 0.0, 1.0], "d_1": [1.0, 0.0, 1.0], "e_1": [0.0, 0.0]}
    pairwise = compare([store(tmp_path, "a", before), store(tmp_path, "b", after)]).pairwise[0]
    # e_1 was neither solved nor failed by most trials before.
    assert [change.name for change in pairwise.broken] == ["b_1", "a_1", "c_1"]
    assert [(change.name, change.before, change.after) for change in pairwise.fixed] == [
        ("d_1", 0, pytest.approx(2 / 3))
    ]


def test_only_what_both_evaluated_counts_and_the_rest_is_said(tmp_path: Path) -> None:
    before = store(tmp_path, "a", {"a_1": [1.0], "b_1": [1.0], "c_1": [None], "d_1": [1.0]})
    after = [result("a_1", 0, 0.0), result("c_1", 0, 1.0), result("e_1", 0, 1.0), result("d_1", 0, 1.0)]
    after[-1]["scenario_hash"] = {"start": "s", "evaluation": "other"}
    comparison = compare([before, store_results(tmp_path, "b", after)], max_infrastructure_rate=0.5)
    pairing = comparison.pairwise[0].pairing
    assert [pair.name for pair in pairing.pairs] == ["a_1"]
    assert (pairing.only_before, pairing.only_after) == (("b_1",), ("e_1",))
    assert (pairing.not_evaluated, pairing.incomparable) == (("c_1",), ("d_1",))
    said = "\n".join(comparison.pairwise[0].warnings)
    assert "left out: 1 scenario whose start or scoring differs in the other run (the first: d_1)" in said
    assert "1 scenario that only a has" in said
    assert "1 scenario that only b has" in said
    assert "1 scenario without an evaluated conversation" in said


def test_seeds_are_scenarios_of_their_own(tmp_path: Path) -> None:
    results = [result("a_1", 0, 1.0), result("a_1", 0, 0.0, seed=1, directory="a_1__seed_1")]
    only_first = [result("a_1", 0, 0.0)]
    comparison = compare([store_results(tmp_path, "a", results), store_results(tmp_path, "b", only_first)])
    assert len(comparison.pairwise[0].pairing.pairs) == 1
    assert comparison.pairwise[0].pairing.only_before == ("a_1 (seed 1)",)


def test_older_runs_have_no_family_and_no_fingerprint(tmp_path: Path) -> None:
    old = [result("wifi_off_3_distraction_tools", 0, 1.0), result("wifi_off", 0, 1.0)]
    for each in old:
        for key in ("family", "base_name", "scenario_hash", "suite"):
            del each[key]
    new = [result("wifi_off_3_distraction_tools", 0, 1.0), result("wifi_off", 0, 1.0)]
    comparison = compare([store_results(tmp_path, "a", old), store_results(tmp_path, "b", new)])
    assert {pair.family for pair in comparison.pairwise[0].pairing.pairs} == {"settings"}
    assert any("2 scenarios of unknown version" in each for each in comparison.pairwise[0].warnings)


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ({"user": "gpt"}, "different users: Scripted and gpt"),
        ({"profile": "published"}, "different rules of scoring: that of each scenario and published"),
        (
            {"instruction": {"version": "1", "sha256": "other", "text": None}},
            "different instructions of the agent: abc and other",
        ),
        (
            {"suite": {"name": "garden", "version": "1", "content_hash": "g"}},
            "different suites: of this package and garden",
        ),
    ],
)
def test_other_settings_are_warned_of(tmp_path: Path, described: dict[str, Any], said: str) -> None:
    other = store_results(tmp_path, "b", [result("a_1", 0, 1.0)], **described)
    comparison = compare([store(tmp_path, "a", {"a_1": [1.0]}), other])
    assert said in comparison.pairwise[0].warnings


def test_too_many_infrastructure_errors_give_no_verdict(tmp_path: Path) -> None:
    good = store(tmp_path, "good", families(10, 2))
    unreliable = store(tmp_path, "unreliable", families(10, 2) | {"f00_0": [None], "f00_1": [None]})
    assert verdict(compare([good, unreliable])) == (
        "none",
        "no verdict on unreliable: 10.0% infrastructure errors, more than 5.0% (unreliable)",
    )
    assert verdict(compare([good, unreliable], max_infrastructure_rate=0.1))[0] == "same"


def test_an_incomplete_run_is_warned_of(tmp_path: Path) -> None:
    part = store(tmp_path, "part", families(3, 1), planned=5)
    pairwise = compare([store(tmp_path, "all", families(3, 1)), part]).pairwise[0]
    assert pairwise.warnings == ("part is incomplete: 3 of 5 conversations were played",)


def test_what_is_open_is_counted_with_what_it_could_move(tmp_path: Path) -> None:
    before = [result(f"f{number}_1", 0, 1.0) for number in range(8)]
    after = [result(f"f{number}_1", 0, 1.0) for number in range(8)]
    before[0] |= {"similarity": 0.5, "success": False, "score_interval": [0.5, 1.0]}
    after[1] |= {"similarity": 0.0, "success": False, "score_interval": [0.0, 1.0]}
    # Not even at its best is this one a success.
    after[2] |= {"similarity": 0.0, "success": False, "score_interval": [0.0, 0.5]}
    runs = [store_results(tmp_path, agent, results) for agent, results in (("a", before), ("b", after))]
    comparison = compare(runs)
    (line,) = (warning for warning in comparison.pairwise[0].warnings if warning.startswith("open"))
    assert line == (
        "open: 1 conversation of a and 2 conversations of b depend on unclear answers; by their decisions, "
        "the difference in strict success is from -0.250 to +0.000"
    )
    assert line in " ".join(" ".join(comparison_lines(comparison)).split())
    closed = compare([store(tmp_path, "c", {"f_1": [1.0]}), store(tmp_path, "d", {"f_1": [1.0]})])
    assert not any("open" in warning for warning in closed.pairwise[0].warnings)


def test_several_runs_are_ranked_and_corrected_for(tmp_path: Path) -> None:
    names = families(8, 2)
    paths = [
        store(tmp_path, f"run{bad}", {name: [float(int(name[1:3]) >= bad)] for name in names}) for bad in (6, 0, 3)
    ]
    comparison = compare(paths, baseline="run0")
    assert [standing.label for standing in comparison.ranking] == ["run0", "run3", "run6"]
    assert [pairwise.label for pairwise in comparison.pairwise] == ["run6", "run3"]
    worst, other = (pairwise.differences["strict_success"] for pairwise in comparison.pairwise)
    assert worst.p_adjusted == pytest.approx(2 * worst.test.p_larger)
    assert other.p_adjusted == pytest.approx(other.test.p_larger)
    with pytest.raises(ConfigurationError, match=r"there is no run 'run7'.*Did you mean: run"):
        compare(paths, baseline="run7")


def test_equal_agents_get_labels_of_their_own(tmp_path: Path) -> None:
    paths = [store(tmp_path, "same", families(2, 1)) for _ in range(2)]
    assert [run.label for run in compare(paths).runs] == ["same #1", "same #2"]


def test_categories_are_corrected_for_their_number(tmp_path: Path) -> None:
    drop = {name: [0.0 if name.endswith("1") and int(name[1:3]) < 15 else 1.0] for name in families(20, 2)}
    pairwise = compare([store(tmp_path, "a", families(20, 2)), store(tmp_path, "b", drop)]).pairwise[0]
    success = {category: row[0] for category, row in pairwise.categories.items()}
    assert list(success) == ["SINGLE_USER_TURN", "LONG_CHAIN", "PRIVACY"]
    assert (success["LONG_CHAIN"].change, success["PRIVACY"].change) == (-0.75, 0)
    assert success["LONG_CHAIN"].p_adjusted == pytest.approx(3 * success["LONG_CHAIN"].test.p_value)
    assert success["PRIVACY"].p_adjusted == 1


def test_cost_is_unknown_where_one_is(tmp_path: Path) -> None:
    first = store(tmp_path, "a", families(3, 1), usage=usage(0.5))
    second = store(tmp_path, "b", families(3, 1), usage=lambda name, _: usage(None if name == "f01_0" else 0.5))
    pairwise = compare([first, first]).pairwise[0]
    assert pairwise.differences["cost_usd"].before == 0.5
    assert (pairwise.differences["tokens"].after, pairwise.differences["latency_s"].after) == (15, 2)
    pairwise = compare([first, second]).pairwise[0]
    assert "cost_usd" in pairwise.unknown
    assert pairwise.differences["tokens"].after == 15


def test_everything_is_json_and_the_same_every_time(tmp_path: Path) -> None:
    first = store(tmp_path, "a", families(20, 2))
    second = store(tmp_path, "b", {name: [float(hash_of(name) % 3 > 0)] for name in families(20, 2)})
    texts = [json.dumps(compare([first, second]).as_dict(), allow_nan=False) for _ in range(2)]
    assert texts[0] == texts[1]
    (pairwise,) = json.loads(texts[0])["versus"]
    assert pairwise["verdict"] == "worse"
    assert pairwise["differences"]["strict_success"]["difference"]["clusters"] == 20
    assert pairwise["compared"] == 40


def hash_of(name: str) -> int:
    return sum(map(ord, name))
