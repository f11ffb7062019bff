"""`tool_sandbox scenarios check`: what it selects, prints, writes and answers."""

import json
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.runner.suites.players import CHECKOUT, GARDEN, RADIO
from tool_sandbox.cli import main
from tool_sandbox.cli.checking import chosen_names
from tool_sandbox.proof.report import BEGIN, END
from tool_sandbox.world.errors import UnknownNameError


@pytest.fixture
def report_of(tmp_path):
    """A report with or without a finding."""

    def report_of(*findings: dict[str, str]):
        path = tmp_path / "report.json"
        content = {
            "suite_version": "2.1.0",
            "content_hash": "0" * 64,
            "whole": True,
            "checked": {"scenarios": 1, "base_scenarios": 1, "families": 1, "seeds": [0], "plays": 9},
            "limits": [{"check": "x", "ours": "1", "published": "2", "limit": "3", "met": not findings, "detail": ""}],
            "controls": {},
            "coverage": {key: {"a": 1} for key in ("tags", "families", "necessary_calls", "tools", "source_lines")},
            "findings": list(findings),
            "scenarios": [],
        }
        path.write_text(json.dumps(content))
        return path

    return report_of


def test_base_scenarios_are_meant_unless_told_otherwise() -> None:
    names = chosen_names([], [])
    assert "wifi_off" in names
    assert "wifi_off_all_tools" not in names
    assert chosen_names(["wifi_*"], []) == [name for name in names if name.startswith("wifi_")]


def test_a_scenario_named_in_full_is_meant_itself() -> None:
    assert chosen_names(["wifi_off_all_tools"], []) == ["wifi_off_all_tools"]
    assert set(chosen_names(["wifi_off_all_tools", "get_wifi"], [])) == {"wifi_off_all_tools", "get_wifi"}


def test_ways_of_offering_can_be_chosen() -> None:
    assert chosen_names(["wifi_off"], ["all_tools"]) == ["wifi_off_all_tools"]
    everything = chosen_names(["wifi_off"], [], everything=True)
    assert len(everything) >= 8
    assert {"wifi_off", "wifi_off_all_tools"} <= set(everything)
    assert set(chosen_names([], ["all_tools"])) == {f"{name}_all_tools" for name in chosen_names([], [])}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="wifi_of"):
        chosen_names(["wifi_of"], [])
    with pytest.raises(UnknownNameError, match="al_tools"):
        chosen_names([], ["al_tools"])


@pytest.mark.parametrize(
    "words",
    [
        ["wifi_of"],
        ["wifi_off", "--augmentation", "al_tools"],
        ["wifi_off", "--processes", "0"],
        ["wifi_off", "--seed", "x"],
        ["wifi_off", "--json", "no/such/directory/report.json"],
        ["wifi_off", "--augmentation", "all_tools", "--all-augmentations"],
        ["--from-report", "no-such-file.json"],
        ["--from-report", __file__],
    ],
)
def test_mistakes_are_answered_with_one_line(words, shell) -> None:
    assert shell.complaint("scenarios", "check", *words)


@pytest.mark.slow
def test_a_check_prints_limits_and_writes_the_report(tmp_path, shell) -> None:
    path, page = tmp_path / "report.json", tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    words = ["wifi_off", "--seed", "0", "2", "--elsewhere", "--json", str(path), "--markdown", str(page)]
    printed = shell("scenarios", "check", *words, "--processes", "1")
    assert "request-blind agent, mean" in printed.out
    assert "apply to a check of all base scenarios" in printed.out
    assert printed.out.endswith(" conversations, 0 findings\n")
    report = json.loads(path.read_text())
    assert [row["name"] for row in report["scenarios"]] == ["wifi_off", "wifi_off"]
    assert next(row for row in report["limits"] if "five dates" in row["check"])["met"] is True
    assert "| request-blind agent, mean |" in page.read_text()
    first = path.read_bytes()
    assert main(["scenarios", "check", *words, "--processes", "2"]) == 0
    assert path.read_bytes() == first


def test_progress_is_told_in_plain_lines_where_there_is_no_terminal(shell) -> None:
    assert shell("scenarios", "check", "wifi_off", "--processes", "1").err == "checked 1 of 1\n"


def test_a_finding_is_shown_with_its_command_and_ends_in_1(report_of, shell) -> None:
    finding = {
        "scenario": "wifi_off",
        "check": "mutant",
        "expected": "a near miss to score below 1",
        "happened": "it scores 1",
        "command": "tool_sandbox scenarios check wifi_off",
    }
    printed = shell("scenarios", "check", "--from-report", report_of(finding), code=1).out
    assert "wifi_off: mutant: expected a near miss to score below 1" in printed
    assert "    but it scores 1\n    $ tool_sandbox scenarios check wifi_off\n" in printed
    assert "NO" in printed


def test_an_earlier_report_brings_a_page_up_to_date(report_of, tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    assert main(["scenarios", "check", "--from-report", str(report_of()), "--markdown", str(page)]) == 0
    assert "| x | 1 | 2 | 3 | yes |" in page.read_text()


def test_help_teaches(shell) -> None:
    printed = shell("scenarios", "check", "--help").out
    for word in ("reference solution", "near misses", "exit codes", "examples:", "--elsewhere", "--from-report"):
        assert word in printed


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_workers_do_not_outlive_a_check_that_is_killed() -> None:
    command = [sys.executable, "-m", "tool_sandbox.cli", "scenarios", "check", "--processes", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        parent = psutil.Process(process.pid)
        deadline = time.monotonic() + 120
        while len(workers := [each for each in parent.children() if "spawn_main" in " ".join(each.cmdline())]) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        # Long enough that they are at work.
        while min(each.cpu_times().user for each in workers) < 1:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill()
    gone, alive = psutil.wait_procs(workers, timeout=60)
    assert (len(gone), alive) == (2, [])


# A suite of an author ------------------------------------------------------------------------------------------


AUTHORS = """
from tool_sandbox.answers.facts import Switch
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, call, say, setting


def task(*steps, user="Turn off my wifi."):
    milestones = [setting(wifi=False), answer(Switch("wifi", on=False))]
    return Task(user=user, tools=["set_wifi_status"], milestones=milestones, solution=steps)


@scenario()
def sound(world):
    '''Turn wifi off.'''
    return task(call("set_wifi_status", on=False), say("Wifi is off now."))


@scenario()
def wordless(world):
    '''Turn wifi off without a word.'''
    return task(call("set_wifi_status", on=False), say("Bye."))


@scenario()
def crashing(world):
    '''Turn wifi off with a slip.'''
    def solution():
        yield say({}["slip"])
    made = task()
    object.__setattr__(made, "solution", solution)
    return made
"""


@pytest.fixture
def authors(tmp_path):
    path = tmp_path / "authors.py"
    path.write_text(AUTHORS)
    return path


@pytest.mark.slow
def test_an_author_proves_scenarios_of_another_suite(authors, tmp_path, shell) -> None:
    path, page = tmp_path / "report.json", tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    words = ["--suite", str(authors), "--json", str(path), "--markdown", str(page), "--processes"]
    printed = shell("scenarios", "check", "sound", "--elsewhere", "--all-augmentations", *words, "1").out
    assert "limits of single scenarios, of suite authors" in printed
    assert "published suite " not in printed.splitlines()[0]
    report = json.loads(path.read_text())
    assert (report["suite"], report["checked"]["scenarios"]) == ("authors", 8)
    assert "Suite authors, content" in page.read_text()
    first = path.read_bytes()
    assert main(["scenarios", "check", "sound", "--elsewhere", "--all-augmentations", *words, "2"]) == 0
    assert path.read_bytes() == first


@pytest.mark.slow
def test_findings_on_a_suite_name_it_in_their_commands(authors, shell) -> None:
    printed = shell("scenarios", "check", "wordless", "crashing", "--suite", authors, "--clock", "ticking", code=1).out
    flags = f"--suite {authors} --clock ticking"
    commands = [line.strip() for line in printed.splitlines() if line.startswith("    $ ")]
    assert f"$ tool_sandbox scenarios check wordless {flags}" in commands
    assert f"$ tool_sandbox scenarios check {flags}" in commands
    assert all(command.endswith(flags) for command in commands)
    line = next(number for number, line in enumerate(AUTHORS.splitlines(), 1) if "slip" in line and "yield" in line)
    assert f"KeyError: 'slip' ({authors}:{line})" in printed


@pytest.mark.slow
def test_a_scenario_without_solution_is_one_finding(shell) -> None:
    printed = shell("scenarios", "check", "next_errand", "--elsewhere", "--suite", CHECKOUT, code=1)
    assert printed.out.count("there is no reference solution: nothing to prove") == 1
    assert "Traceback" not in printed.err


@pytest.mark.parametrize("suite", [RADIO, GARDEN])
def test_tools_of_an_author_that_write_are_known_by_what_they_do(suite) -> None:
    # None of their names begins as those of our tools that write.
    assert main(["scenarios", "check", "--suite", str(suite)]) == 0


def test_a_name_of_the_hard_tier_is_found_without_its_tier(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", "check", "tell_expenses_by_the_book"]) == 0
    assert "1 scenario, " in capsys.readouterr().out
