"""The closing lines of a run."""

from pathlib import Path
from typing import Any

from tests.analysis.metrics_test import failed, lost, result, run_of
from tests.shell import Shell
from tool_sandbox.analysis.metrics import measure
from tool_sandbox.cli.reporting import closing_lines
from tool_sandbox.cli.tables import summary_table, text_table
from tool_sandbox.runner.floor import REFUSING, REQUEST_BLIND, Floors
from tool_sandbox.runner.summary import summarise


def _floors(results: list[dict[str, Any]]) -> Floors:
    places = [(each["name"], 0) for each in results]
    return Floors({REFUSING: dict.fromkeys(places, 0.0), REQUEST_BLIND: dict.fromkeys(places, 0.125)})


def test_main_numbers_with_intervals_and_floors() -> None:
    results = run_of([[True, False], [False, False], [True, True], [True, True], [True, False], [True, True]])
    lines = closing_lines(measure(results, floors=_floors(results)))
    assert max(map(len, lines)) <= 80
    assert [line.partition("[")[0].split() for line in lines[:3]] == [
        ["success", "66.7%"],
        ["score", "0.833"],
        ["pass^2", "50.0%"],
    ]
    assert lines[0].endswith("floors: refusing 0.0%, request-blind 0.0%")
    assert lines[1].endswith("floors: refusing 0.000, request-blind 0.125")
    assert "pass@2 83.3% [" in lines[2]
    assert lines[3:] == ["          95 % intervals from 3 families of scenarios"]


def test_one_trial_has_no_pass_k() -> None:
    assert not any("pass" in line for line in closing_lines(measure(run_of([[True], [False], [True]]))))


def test_base_scenarios_of_one_family_speak_for_it_alone() -> None:
    metrics = measure([result(f"s{number}", "f", success=number > 2) for number in range(9)])
    told = "95 % intervals from 9 base scenarios of one family, for that family only"
    assert closing_lines(metrics)[-1].strip() == told
    assert metrics["overall"]["clustered_by"] == "base_scenario"


def test_one_base_scenario_shows_nothing_about_others() -> None:
    lines = closing_lines(measure(run_of([[True]])))
    assert lines == [
        "success   100.0%",
        "score     1.000",
        "          no interval: one base scenario says nothing about others",
    ]


def test_excluded_conversations_are_bounded() -> None:
    results = [result(f"s{number}", f"f{number % 5}") for number in range(39)] + [result("x", "x", **failed())]
    lines = closing_lines(measure(results))
    assert "          with the 1 excluded as failures 97.5%, as successes 100.0%" in lines


def test_too_many_infrastructure_errors_leave_no_number() -> None:
    results = [result(f"s{number}", f"f{number}", **lost(0.5)) for number in range(9)] + [result("x", "x", **failed())]
    lines = closing_lines(measure(results))
    assert lines[:2] == [
        "success   REFUSED: 10.0% infrastructure errors, more than 5.0%",
        "          it is between 0.0% and 10.0%",
    ]
    table = summary_table(summarise(results, {}, None))
    assert table.splitlines()[-1].split()[:4] == ["ALL_CATEGORIES", "10", "refused", "refused"]


def test_a_run_ends_with_them(tmp_path: Path, shell: Shell) -> None:
    flags = ["--scenarios", "wifi_off", "remove_contact_by_phone", "--trials", "2", "-o", str(tmp_path)]
    *_, success, score, passed, trust, results = shell("--agent", "Unhelpful", *flags).out.splitlines()
    assert success.startswith("success   0.0% [0.0, ")
    assert score.startswith("score     0.000 [0.000, ")
    assert passed.startswith("pass^2    0.0%")
    assert trust.strip() == "95 % intervals from 2 families of scenarios"
    assert results.startswith("results: ")


def test_a_table_leaves_the_terminal_alone() -> None:
    table = text_table(["category", "n"], [["\x1b[2Jgone", "1"], ["two\nlines", "2"]])
    assert [line.split() for line in table.split("\n")[2:]] == [["\\x1b[2Jgone", "1"], ["two", "2"], ["lines"]]
