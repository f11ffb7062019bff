"""``tool_sandbox show``: one conversation, two side by side, and lists, in a terminal and without one."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.analysis.retelling import forget_states, retell
from tests.records import result_in
from tool_sandbox.analysis import load_run
from tool_sandbox.runner.run import play, prepare_run

NAMES = ["wifi_off", "wifi_off_all_tools", "modify_reminder_with_recency_latest"]


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def good(base) -> Path:
    return play(prepare_run(scenarios=NAMES), base / "good").path


@pytest.fixture(scope="module")
def bad(base) -> Path:
    return play(prepare_run("Unhelpful", scenarios=NAMES, trials=2), base / "bad").path


@pytest.fixture
def show(shell):
    def run(*words: object) -> str:
        return shell("show", *words).out

    return run


def test_a_conversation_is_told_in_eighty_columns(show, good):
    text = show(good, "wifi_off")
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    for part in ("score 1.000", "goal: ", "USER -> AGENT", "set_wifi_status", "wifi: true -> false", "* milestone 0"):
        assert part in text


def test_of_parallel_calls_each_is_told_with_what_it_changed(show, good, tmp_path):
    run = Path(shutil.copytree(good, tmp_path / "run"))
    calls = [("add_contact", {"name": name, "phone_number": "+12453344098"}) for name in ("Cid", "Dee")]
    first = retell(run, "wifi_off", calls, at_once=True)
    text = show(run, "wifi_off")
    one, other = text[text.index(f"[{first}]") :].split(f"[{first + 1}]")
    assert ("Cid" in one, "Dee" in one, "Cid" in other, "Dee" in other) == (True, False, False, True)
    forget_states(run, "wifi_off")
    assert f"changed by one or more of [{first}], [{first + 1}]:" in show(run, "wifi_off")


def test_what_is_missing_is_told(show, bad):
    text = show(bad, "wifi_off", "--trial", 1)
    assert "0.00 not met" in text
    assert "why not: the row in SETTING was left as it is" in text


def test_the_opening_is_left_out_unless_all_is_asked_for(show, good):
    assert "SYSTEM -> AGENT" not in show(good, "wifi_off")
    assert "SYSTEM -> AGENT" in show(good, "wifi_off", "--full")


def test_several_trials_are_listed(show, bad):
    text = show(bad, "wifi_off")
    assert "choose one with --trial" in text
    assert text.count("wifi_off") == 3
    assert "wifi_off_all_tools" not in text


def test_a_directory_names_one_trial(show, bad):
    assert "trial 1" in show(bad, "wifi_off__trial_1")


def test_trials_and_milestones_have_the_numbers_of_the_files(show, bad):
    run = load_run(bad)
    for directory, trial in run.conversations.filter(name="wifi_off").select("directory", "trial").rows():
        text = show(bad, "wifi_off", "--trial", trial)
        assert f"seed 0, trial {trial}\n" in text
        result = result_in(bad / "trajectories" / directory)
        assert result["trial"] == trial
        numbers = run.milestones.filter(directory=directory)["number"].to_list()
        listed = text.partition("milestones ---")[2].splitlines()[1:]
        assert [int(line.split()[0]) for line in listed if line[:2].strip().isdigit()] == numbers
        assert numbers[0] == 0


def test_without_a_scenario_the_worst_come_first(show, good, bad):
    scores = [line.split()[1] for line in show(good).splitlines()[4:]]
    assert scores == sorted(scores)
    assert len(show(bad).splitlines()) == 4 + 2 * len(NAMES)
    assert "modify" not in show(good, "wifi*")


def test_two_runs_stand_one_after_the_other_with_what_differs(show, good, bad):
    text = show(good, bad, "wifi_off")
    assert max(map(len, text.splitlines())) <= 80
    assert text.index("A: ") < text.index("B: ")
    assert "B scores 1.000 less than A" in text
    assert "milestone 0" in text


def test_two_lists_begin_with_what_broke(show, good, bad):
    assert "-1.000" in show(good, bad).splitlines()[5]


def test_json_is_the_view(show, good, bad):
    assert json.loads(show(good, "wifi_off", "--json"))["result"]["name"] == "wifi_off"
    assert [view["result"]["trial"] for view in json.loads(show(good, bad, "wifi_off", "--json"))] == [0, 0]
    assert len(json.loads(show(bad, "wifi_off", "--json"))) == 2


def test_mistakes_are_one_line(shell, good, bad, tmp_path):
    assert "Did you mean wifi_off?" in shell.complaint("show", good, "wifi_of")
    assert "has no run.json" in shell.complaint("show", tmp_path)
    assert "too many" in shell.complaint("show", good, bad, shutil.copytree(good, tmp_path / "third"))
    assert "one scenario" in shell.complaint("show", good, "wifi_off", "cellular_off")
    assert "no finished conversation" in shell.complaint("show", good, "x*")
    assert "no finished conversation" in shell.complaint("show", good, "wifi_off", "--trial", 7)


@pytest.fixture
def hostile(good, tmp_path) -> Path:
    """A run whose texts would colour, move and execute something, and are very long."""
    run = Path(shutil.copytree(good, tmp_path / "run"))
    path = run / "trajectories/wifi_off/execution_context.json"
    context = json.loads(path.read_text())
    for row in context["_dbs"]["SANDBOX"]:
        if row["sender"] == "AGENT" and row["recipient"] == "USER":
            row["content"] = "\x1b[2J[red]:smile: \u202egnp.exe\nsecond line " + "long " * 500
    path.write_text(json.dumps(context))
    return run


def test_texts_of_models_are_neutralised_and_shortened(show, hostile):
    text = show(hostile, "wifi_off")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\x1b[2J[red]:smile: \u202egnp.exe" in text
    assert "more characters, see --full" in text
    assert len(show(hostile, "wifi_off", "--full")) > len(text) + 1_000


def test_a_terminal_that_knows_no_unicode_is_served(hostile):
    command = [sys.executable, "-m", "tool_sandbox.cli", "show", str(hostile), "modify_reminder_with_recency_latest"]
    done = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True)
    assert b"\\xb1" in done.stdout


def in_terminal(columns: int, *words: object) -> str:
    """Output of the command in a terminal of some width."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "tool_sandbox.cli", "show", *map(str, words)]
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    process = subprocess.Popen(command, stdout=follower, stderr=follower, stdin=follower, env=environment)
    os.close(follower)
    output = b""
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.close(leader)
    assert process.wait() == 0
    return output.decode()


@pytest.mark.slow
def test_a_wide_terminal_has_two_columns_and_colours(good, bad):
    text = in_terminal(140, good, bad, "wifi_off")
    assert "\x1b[" in text
    assert any("A: " in line and "B: " in line for line in text.splitlines())
    narrow = in_terminal(80, good, bad, "wifi_off")
    assert not any("A: " in line and "B: " in line for line in narrow.splitlines())
