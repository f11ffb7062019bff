import json
import random
from pathlib import Path

import pytest

from tests.analysis.runs import families, store
from tests.shell import Shell
from tool_sandbox.cli import main


def scores(seed: int, trials: int = 2) -> dict[str, list[float | None]]:
    """Results that vary between scenarios and trials."""
    return {
        name: [float(random.Random(f"{seed} {name} {trial}").random() < 0.6) for trial in range(trials)]
        for name in families(12, 5)
    }


def test_assumptions_of_the_suite(tmp_path: Path, shell: Shell) -> None:
    target = tmp_path / "power.json"
    flags = ["--difference", "0.1", "--success", "0.6", "--icc", "0.7", "--json", str(target)]
    text = shell("power", *flags).out
    assert "3,128 scenarios of 56 families" in text
    assert [line for line in text.splitlines() if len(line) > 80] == []
    report = json.loads(target.read_text("utf-8"))
    limits = list(report["smallest_difference"].values())
    assert limits == sorted(limits, reverse=True)
    assert report["trials_needed"] == 1
    assert "a difference of 0.1: 1 trial of each scenario by each agent" in text


def test_assumptions_of_a_part_of_the_suite(shell: Shell) -> None:
    assert "40 scenarios of " in shell("power", "--tier", "hard", "--subset", "40", "--success", "0.4").out
    told = "tool_sandbox: --tier is an assumption; with runs it is estimated\n"
    assert shell.complaint("power", "no_run", "--tier", "hard") == told
    both = shell.complaint("power", "--subset", "40", "--families", "5")
    assert both == "tool_sandbox: --subset chooses scenarios, whose numbers are known; leave out --families\n"


def test_more_families_help_where_trials_do_not(shell: Shell) -> None:
    words = ["power", "-d", "0.01", "--icc", "1", "--family-icc", "0.2", "--scenarios", "100", "--families", "20"]
    text = shell(*words).out
    assert "no number of trials is enough" in text
    assert "or, with 1 trial: " in text


def test_runs_say_it_themselves(tmp_path: Path, shell: Shell) -> None:
    runs = [str(store(tmp_path, name, scores(seed))) for name, seed in (("a", 1), ("b", 2))]
    assert "variance of b against a\ndesign: 60 scenarios of 12 families, 2 trials each" in shell("power", *runs).out
    printed = shell("power", runs[0], "--correlation", "0.9", "--metric", "similarity").out
    assert "variance of a, correlation 0.9" in printed


def test_present_design_is_that_of_compare(tmp_path: Path) -> None:
    runs = [str(store(tmp_path, name, scores(seed))) for name, seed in (("a", 1), ("b", 2))]
    power, comparison = tmp_path / "power.json", tmp_path / "comparison.json"
    assert main(["power", *runs, "--json", str(power)]) == 0
    assert main(["compare", *runs, "--json", str(comparison)]) == 0
    (versus,) = json.loads(comparison.read_text("utf-8"))["versus"]
    smallest = json.loads(power.read_text("utf-8"))["smallest_difference"]["2"]
    assert smallest == pytest.approx(versus["differences"]["strict_success"]["smallest_seen"])


def test_one_trial_is_a_guess_and_says_so(tmp_path: Path, shell: Shell) -> None:
    assert "a run with --trials 2" in shell("power", store(tmp_path, "a", scores(1, 1))).out


@pytest.mark.parametrize("score", [1.0, 0.0])
@pytest.mark.parametrize("trials", [1, 2])
def test_runs_without_any_difference_promise_nothing(score: float, trials: int, tmp_path: Path, shell: Shell) -> None:
    runs = [str(store(tmp_path, name, families(12, 5, score, trials))) for name in ("a", "b")]
    for words in ([runs[0], "--correlation", "0.7"], runs):
        target = tmp_path / "power.json"
        text = shell("power", *words, "--json", target).out
        assert "taken: 26.5% of families differ" in text
        assert [line for line in text.splitlines() if len(line) > 80] == []
        report = json.loads(target.read_text("utf-8"))
        assert report["smallest_difference"]["1"] > 0.1
        assert report["noise"]["unseen"] == pytest.approx(1 - 0.025 ** (1 / 12))
        assert report["trials_needed"] is None


def test_the_bound_is_not_below_what_one_failure_shows(tmp_path: Path) -> None:
    """A family that fails is more than none, and none is no reason to expect less noise."""
    smallest = []
    for name, changes in (("none", {}), ("one", {f"f00_{n}": [0.0] for n in range(5)})):
        target = tmp_path / f"{name}.json"
        run = store(tmp_path, name, families(12, 5) | changes)
        assert main(["power", str(run), "--json", str(target)]) == 0
        smallest.append(json.loads(target.read_text("utf-8"))["smallest_difference"]["1"])
    assert smallest[0] > smallest[1] > 0


def test_one_family_has_its_base_scenarios(tmp_path: Path, shell: Shell) -> None:
    run = store(tmp_path, "a", {f"a_{number}": [float(number % 3 > 0)] for number in range(12)})
    text = shell("power", run).out
    assert "variance of a, correlation 0.5; of one family, so its base scenarios" in text
    assert "12 scenarios of 12 families" in text


def test_few_families_see_nothing_however_often_they_are_played(tmp_path: Path, shell: Shell) -> None:
    few = {name: trials for name, trials in scores(1).items() if name < "f05"}
    text = shell("power", store(tmp_path, "a", few), "-d", "0.5").out
    assert "there are too few families for any test" in text
    assert next(line for line in text.splitlines() if line.split()[:1] == ["10"]).split()[1] == "-"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ONE"], "the variance of success in one is unknown: there is one family of scenarios"),
        (
            ["EQUAL", "--metric", "turn_count"],
            "the variance of turn_count in equal is unknown: all results are the same",
        ),
        (["--success", "1"], "'1' is not a number between 0 and 1"),
        (["--icc", "1", "--correlation", "1"], "there is no variance"),
        (["--difference", "0"], "not a number between 0 and 1"),
        (["--power", "0.01"], "is not above --alpha"),
        (["--alpha", "1e-300"], "too near to one of them"),
        (["--scenarios", "9" * 400], "is more than 1,000,000"),
        (["--scenarios", "3", "--families", "5"], "3 scenarios cannot be of 5 families"),
        (["--icc", "0.1", "--family-icc", "0.2"], "--family-icc 0.2 is above --icc 0.1"),
        (["RUN", "--icc", "0.1"], "--icc is an assumption"),
        (["RUN", "--metric", "pass^3"], "cannot be decomposed"),
        (["RUN", "--metric", "infrastructure_rate"], "cannot be decomposed"),
        (["RUN", "--metric", "sucess"], "Did you mean: success"),
        (["missing"], "not the directory of a run"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(words: list[str], said: str, tmp_path: Path, shell: Shell) -> None:
    stored = {"RUN": ("a", scores(1)), "ONE": ("one", {"a_1": [1.0, 0.0]}), "EQUAL": ("equal", families(12, 5))}
    runs = {word: str(store(tmp_path, *stored[word])) for word in words if word in stored}
    assert said in shell.complaint("power", *(runs.get(word, word) for word in words))
