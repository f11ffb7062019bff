import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.runner.suites.players import CHECKOUT, ENGINE, GARDEN, NAMES, NEW_YEARS_EVE, RADIO, Attentive
from tests.shell import Shell
from tool_sandbox.cli import main
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.suites import load_suite


def command(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "tool_sandbox.cli", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, env=os.environ | variables, check=False)


def results_of(base: Path) -> dict[str, Any]:
    (path,) = base.iterdir()
    summary = json.loads((path / "result_summary.json").read_text("utf-8"))
    return {result["name"]: result for result in summary["per_scenario_results"]}


# Mistakes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nothing_of_the_kind\n", "ModuleNotFoundError: No module named 'nothing_of_the_kind' (broken.py:1)"),
        ("x = 1\ndef f(:\n", "SyntaxError: invalid syntax (broken.py:2)"),
        ("from broken import missing\n", "cannot import name 'missing' from"),
        ("def named_scenarios(preferred_tool_backend):\n    return 1 / 0\n", "division by zero (broken.py:2)"),
        ("raise SystemExit(3)\n", "SystemExit: 3 (broken.py:1)"),
        ("pass\n", "it has no function named_scenarios(preferred_tool_backend), no mapping SCENARIOS and no @scenario"),
        ("def named_scenarios(): return []\n", "mapping of names to scenarios, not of type list"),
        ("SCENARIOS = {'a': 'b'}\n", "scenario 'a' is of type str, not a Scenario"),
        (ENGINE + "SCENARIOS = {3: Scenario()}\n", "the name of a scenario has to be a text, got 3"),
        ("SCENARIOS = {}\n", "it has no scenarios"),
        (
            "from tool_sandbox.world.utils import register_as_tool\n\n@register_as_tool()\n"
            "def set_wifi_status() -> None:\n    pass\n" + ENGINE + "SCENARIOS = {'a': Scenario()}\n",
            "its tool 'set_wifi_status' has the name of a tool that every world has",
        ),
        (
            "from tool_sandbox.play.scenario import ScenarioExtension as Extension, Scenario\n"
            "from tool_sandbox.scoring import Milestone\n\ndef named_scenarios(backend):\n"
            "    return Extension('b', Scenario(), milestones=[Milestone([])]).get_extended_scenario()\n",
            "milestone 0 has no constraint to score (broken.py:5)",
        ),
    ],
)
def test_broken_package_is_one_line(source: str, said: str, tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "broken.py").write_text("" + source)
    complaint = shell.complaint("--suite", tmp_path / "broken.py", "-o", tmp_path / "data")
    assert complaint.startswith("tool_sandbox: suite broken cannot be loaded: ")
    assert said in complaint
    assert "suite_broken" not in complaint
    assert "suite_broken" not in sys.modules
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--suite", "no/such/place"], "there is no suite 'no/such/place'"),
        (["--suite", "no_such_package"], "neither a file or folder nor a Python package"),
        (["--suite", "empty"], "holds none"),
        (["--suite", "two"], "holds several: one, other"),
        (["--suite", "notes.txt"], "not a Python file"),
        (["--suite", str(CHECKOUT)], "has no reference solution for Oracle; choose another agent"),
        (["--suite", str(CHECKOUT), "--agent", "Unhelpful", "--seed", "0", "1"], "leave out the seed"),
        (["--suite", str(CHECKOUT), "--agent", "Unhelpful", "-s", "next_erand"], "next_errand"),
        (["--suite", str(CHECKOUT), "--agent", "Unhelpful", "-s", "wifi_off"], "there is no scenario 'wifi_off'"),
        (["scenarios", "show", "next_errand", "--suite", str(CHECKOUT), "--seed", "3"], "leave out the seed"),
        (["--clock", "ticking"], "clock can only be used together with suite"),
        (["--suite-time", "2030-01-01"], "suite_time can only be used together with suite"),
        (["scenarios", "show", "wifi_off", "--suite", str(RADIO)], "there is no scenario 'wifi_off'"),
        (["scenarios", "check", "wifi_off", "--suite", str(RADIO)], "there is no scenario 'wifi_off'"),
        (["scenarios", "check", "--suite", str(CHECKOUT), "--seed", "3"], "leave out the seed"),
        (["scenarios", "check", "--clock", "ticking"], "clock can only be used together with suite"),
        (["tools", "set_wifi", "--suite", str(RADIO)], "set_wifi_status"),
        (["serve", "-s", "wifi_off", "--suite", str(RADIO), "--transport", "stdio"], "there is no scenario 'wifi_off'"),
    ],
)
def test_mistake_on_the_command_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").touch()
    for name in ("one", "other"):
        (tmp_path / "two" / name).mkdir(parents=True)
        (tmp_path / "two" / name / "__init__.py").touch()
    assert said in shell.complaint(*arguments)


@pytest.mark.slow
def test_files_that_change_during_a_run_are_noticed(tmp_path: Path) -> None:
    shutil.copytree(GARDEN, tmp_path / "garden", ignore=shutil.ignore_patterns("__pycache__"))
    run = prepare_run("Oracle", "Scripted", load_suite(str(tmp_path)), processes=2)
    (tmp_path / "garden/plants.py").write_text("THIRSTY = ()\n")
    finished = play(run, tmp_path / "data")
    assert {result["exception_type"] for result in finished.results} == {"ConfigurationError"}
    assert "were changed during the run" in finished.results[0]["traceback"]


# The program -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_program_plays_a_checkout_twice_the_same(tmp_path: Path) -> None:
    flags = ["--suite", CHECKOUT, "--agent", "Unhelpful", "--suite-time", NEW_YEARS_EVE, "-o"]
    for base, more in (("one", ["-p", "1"]), ("two", ["--processes", "2"])):
        done = command(*flags, tmp_path / base, *more, TZ="Asia/Tokyo")
        assert done.returncode == 0, done.stderr
    one, two = results_of(tmp_path / "one"), results_of(tmp_path / "two")
    assert one == two
    assert len(one) == 15
    assert one["write_to_nobody"]["similarity"] == 1
    assert one["errand_of_tomorrow"]["similarity"] == 0
    assert one["next_errand"]["profile"] == "published"
    assert one["next_errand"]["suite"]["time"] == f"{NEW_YEARS_EVE}+09:00"


@pytest.mark.slow
def test_program_selects_from_a_suite(tmp_path: Path) -> None:
    flags = ["--suite", CHECKOUT, "--agent", "Unhelpful", "-o"]
    assert command(*flags, tmp_path / "a", "-s", "*_errand").returncode == 0
    assert command(*flags, tmp_path / "b", "--category", "tool_name_scrambled").returncode == 0
    assert command(*flags, tmp_path / "c", "-t").returncode == 0
    assert set(results_of(tmp_path / "a")) == {"next_errand"}
    assert set(results_of(tmp_path / "b")) == {f"{name}_3_distraction_tools_tool_name_scrambled" for name in NAMES}
    assert set(results_of(tmp_path / "c")) == set(NAMES[:3])


def test_program_plays_a_package_with_the_oracle(tmp_path: Path) -> None:
    done = command("--suite", GARDEN, "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    results = results_of(tmp_path)
    assert [result["similarity"] for result in results.values()] == [1.0, 1.0]
    for result in results.values():
        assert result["suite"]["name"]
        jsonschema.validate(result, load_schema("result"))


@pytest.mark.slow
def test_program_scores_a_run_again_by_its_suite(tmp_path: Path) -> None:
    played = play(prepare_run(Attentive, "Scripted", load_suite(str(CHECKOUT), suite_time=NEW_YEARS_EVE)), tmp_path)
    refused = command("rescore", played.path)
    assert refused.returncode == 2
    assert "played with suite tool_sandbox.scenarios; give its path with --suite PATH" in refused.stderr
    assert command("rescore", played.path, "--suite", GARDEN).returncode == 2
    done = command("rescore", played.path, "--suite", CHECKOUT)
    assert done.returncode == 0, done.stderr
    assert "15 scored again, 0 moved, 0 without a new score" in done.stdout


@pytest.mark.slow
def test_program_lists_and_shows_a_suite() -> None:
    listed = json.loads(command("scenarios", "list", "*boss*", "--suite", CHECKOUT, "--json").stdout)
    assert [entry["name"].removeprefix("who_is_the_boss") for entry in listed] == [
        "",
        "_3_distraction_tools",
        "_3_distraction_tools_tool_name_scrambled",
    ]
    assert {entry["base_name"] for entry in listed} == {"who_is_the_boss"}
    shown = json.loads(command("scenarios", "show", "note_two", "--suite", GARDEN, "--json").stdout)
    assert shown["tools"] == ["note_watering"]
    assert [entry["text"] for entry in shown["messages"]] == [shown["goal"]] == ["I have watered the fern and the fig"]


def test_tools_of_a_suite_are_shown_before_all_others(shell: Shell) -> None:
    first = shell("tools", "--suite", RADIO).out.splitlines()[2].split(maxsplit=2)
    assert first == ["leave_wireless_network", "radio", "Leave the wireless network."]
    shown = json.loads(shell("tools", "leave_wireless_network", "set_wifi_status", "--suite", RADIO, "--json").out)
    assert [tool["function"]["name"] for tool in shown] == ["leave_wireless_network", "set_wifi_status"]
    assert main(["tools", "leave_wireless_network"]) == 2
