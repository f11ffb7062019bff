import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Heard, Loopback, Move, serve
from tests.records import result_in
from tests.shell import Shell
from tool_sandbox.analysis.data_loading import LoadedRun, load_run
from tool_sandbox.cli import main
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.scenarios import named_scenarios


def only_run(base: Path) -> LoadedRun:
    (path,) = base.iterdir()
    return load_run(path)


def test_help_names_every_command(shell: Shell) -> None:
    text = shell("--help").out
    for word in ("--agent", "--scenarios", "scenarios list", "tools", "agents", "exit codes"):
        assert word in text


COMMANDS = (
    *(
        "",
        "sweep",
        "resume",
        "retry",
        "serve",
        "metrics",
        "compare",
        "power",
        "report",
        "export",
        "view",
        "show",
        "review",
        "rescore",
        "import",
    ),
    *("scenarios", "scenarios list", "scenarios show", "scenarios check", "tools", "agents", "doctor"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_keeps_words_whole(command: str, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(columns: int) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        return shell(*command.split(), "--help").out

    words = {*told(400).split(), "\\"}
    for columns in (60, 80, 120):
        text = told(columns)
        assert set(text.split()) - words == set()
        assert columns == 60 or [line for line in text.splitlines() if len(line) > columns] == []


def test_command_line_is_there_without_the_engine() -> None:
    code = "import sys, tool_sandbox.cli; sys.exit(any(name in sys.modules for name in ('polars', 'rich', 'argparse')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent", "Orakel"], "Oracle"),
        (["--agent", "Scripted"], "Scripted cannot play the agent"),
        (["--user", "Nobody"], "there is no user 'Nobody'"),
        (["--agent", "Oracle:error_rate=2"], "error_rate must be between 0 and 1"),
        (["--agent", "Oracle:errors=1"], "error_rate"),
        (["--scenario", "wifi_of"], "wifi_off"),
        (["--scenario", "nothing*"], "no scenario matches 'nothing*'"),
        (["--scenarios"], "needs at least one name"),
        (["--category", "STATE_DEPENDANCY"], "STATE_DEPENDENCY"),
        (["--scenario", "wifi_off", "--category", "INSUFFICIENT_INFORMATION"], "no scenario is selected"),
        (["--test_mode", "--scenario", "wifi_off"], "leave out --scenarios"),
        (["--services", "rapidapi"], "RAPID_API_KEY"),
        (["--services", "telepathy"], "there is no search service 'telepathy'"),
        (["--services", "replay:missing.jsonl"], "missing.jsonl"),
        (["--services", "record"], "needs the path"),
        (["--trials", "0"], "not a positive whole number"),
        (["--parallel", "many"], "not a positive whole number"),
        (["--profile", "lenient"], "invalid choice"),
        (["--preferred_tool_backend", "NONE"], "there is no tool backend 'NONE'"),
        (["--output_dir", "in_the_way", "--scenario", "wifi_off"], "cannot write results to in_the_way"),
        (["--frobnicate"], "--frobnicate"),
        (["doctr"], "there is no command 'doctr'; there are run, "),
        (["--agnt", "Oracle"], "unrecognized arguments: --agnt Oracle. Did you mean: --agent?"),
        (["metrics", "RUN", "--jsn", "x"], "unrecognized arguments: --jsn x. Did you mean: --json?"),
        (["doctr"], "Did you mean: doctor?"),
        (["scenarios", "show", "wifi_of"], "wifi_off"),
        (["tools", "set_wifi"], "set_wifi_status"),
        (["scenarios"], "action"),
        (["--agent", "Oracle", "--agent", "Unhelpful"], "Oracle and Unhelpful contradict each other; to play several"),
        (["--seed", "0", "--seed", "1", "2"], "--seed: 0 and 1 2 contradict each other"),
        (["-o", "a", "--output_dir", "b"], "a and b contradict each other"),
        (["scenarios", "show", "wifi_off", "--seed", "1", "--seed", "2"], "1 and 2 contradict each other"),
        (["power", "-d", "0.1", "--difference", "0.2"], "0.1 and 0.2 contradict each other"),
        (["compare", "RUN", "--json", "-", "--junit", "-"], "--json and --junit cannot both be standard output (-)"),
        (["report", "RUN", "-o", "-", "--open"], "--open needs a file"),
    ],
)
def test_mistake_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in_the_way").write_text("a file")
    complaint = shell.complaint(*arguments)
    assert complaint.startswith("tool_sandbox")
    assert said in complaint
    assert [path.name for path in tmp_path.iterdir()] == ["in_the_way"]


def test_run_leaves_the_documented_files(tmp_path: Path, shell: Shell) -> None:
    names = ["wifi_off", "remove_contact_by_phone_all_tools", "wifi_off"]
    printed = shell("--scenarios", *names, "--output_dir", tmp_path).out
    run = only_run(tmp_path)
    assert run.path.name.startswith("agent_Oracle_user_Scripted_")
    assert str(run.path) in printed
    assert [result["name"] for result in run.results] == ["wifi_off", "remove_contact_by_phone_all_tools"]
    assert all(result["similarity"] == 1.0 and result["success"] for result in run.results)
    for name in ("run", "result_summary"):
        jsonschema.validate(json.loads((run.path / f"{name}.json").read_text("utf-8")), load_schema(name))
    for directory in (run.path / "trajectories").iterdir():
        assert (directory / "pretty_print.txt").read_text("utf-8")
        jsonschema.validate(result_in(directory), load_schema("result"))
        for name in ("conversation", "execution_context"):
            jsonschema.validate(json.loads((directory / f"{name}.json").read_text("utf-8")), load_schema(name))
    assert pl.read_parquet(run.path / "scenario_results_polars.parquet")["name"].to_list() == names[:2]


def test_seeds_and_trials_have_directories_of_their_own(tmp_path: Path) -> None:
    assert main(["-s", "wifi_off", "--seed", "0", "5", "--trials", "2", "-o", str(tmp_path)]) == 0
    run = only_run(tmp_path)
    assert [(result["directory"], result["seed"], result["trial"]) for result in run.results] == [
        ("wifi_off", 0, 0),
        ("wifi_off__seed_5", 5, 0),
        ("wifi_off__trial_1", 0, 1),
        ("wifi_off__seed_5__trial_1", 5, 1),
    ]


@pytest.mark.slow
def test_same_command_gives_the_same_trajectories(tmp_path: Path) -> None:
    files = []
    for base, flags in (("threads", ["-p", "4"]), ("processes", ["--processes", "2"]), ("one", ["-p", "1"])):
        assert main(["-s", "*_wifi", "wifi_off*", "-o", str(tmp_path / base), *flags]) == 0
        trajectories = only_run(tmp_path / base).path / "trajectories"
        paths = sorted(path for path in trajectories.rglob("*") if path.is_file())
        files.append({str(path.relative_to(trajectories)): path.read_bytes() for path in paths})
    assert files[0] == files[1] == files[2]
    assert files[0]


def test_old_spelling_of_the_flags(tmp_path: Path) -> None:
    flags = ["-t", "-p", "2", "--preferred_tool_backend", "DEFAULT", "--user", "Scripted", "--agent", "Unhelpful"]
    assert main([*flags, "-o", str(tmp_path)]) == 0
    assert len(only_run(tmp_path).results) == 3


@pytest.mark.parametrize("flags", [["--test"], ["--test-mode"], ["--test_mode"]])
def test_a_flag_may_be_cut_short(flags: list[str], shell: Shell) -> None:
    assert "3 conversations" in shell(*flags, "--dry-run").out


def test_doing_nothing_earns_nothing(tmp_path: Path) -> None:
    assert main(["--agent", "Unhelpful", "-s", "wifi_off", "remove_contact_by_phone", "-o", str(tmp_path)]) == 0
    run = only_run(tmp_path)
    assert [result["similarity"] for result in run.results] == [0, 0]


def test_profile_is_recorded(tmp_path: Path) -> None:
    assert main(["-s", "wifi_off", "--profile", "published", "-o", str(tmp_path)]) == 0
    run = only_run(tmp_path)
    assert run.results[0]["profile"] == "published"
    assert run.summary["run"]["profile"] == "published"


def test_conversation_that_cannot_be_played_does_not_stop_the_others(tmp_path: Path, shell: Shell) -> None:
    recording = tmp_path / "nothing.jsonl"
    recording.write_text("")
    flags = ["--services", f"replay:{recording}", "-o", str(tmp_path / "data")]
    said = shell("-s", "convert_currency", "wifi_off", *flags, code=1).err
    failed, played = only_run(tmp_path / "data").results
    assert (failed["exception_type"], failed["fault"], failed["outcome"]) == (
        "InfrastructureError",
        "infrastructure",
        "infrastructure_error",
    )
    assert failed["evaluated"] is False
    assert played["similarity"] == 1.0
    assert (tmp_path / "data").exists()
    assert "could not be played: convert_currency: " in said
    assert "EXCLUDED from all means: 1 of 2 conversations (1 infrastructure_error infrastructure)" in said
    assert "Traceback" not in said


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def started() -> Iterator[Start]:
    """Runs the program until the first conversation is over; no process outlives its test."""
    with contextlib.ExitStack() as processes:

        def start(base: Path, *flags: str) -> "subprocess.Popen[str]":
            command = [sys.executable, "-m", "tool_sandbox.cli", "-o", str(base), *flags]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            processes.enter_context(process)
            processes.callback(process.kill)
            deadline = time.monotonic() + 60
            while not list(base.glob("*/trajectories/*/record.jsonl")) and time.monotonic() < deadline:
                time.sleep(0.02)
            return process

        yield start


def _valid_run(base: Path) -> LoadedRun:
    """The run, whose summary is what its files add up to."""
    run = only_run(base)
    jsonschema.validate(run.summary, load_schema("result_summary"))
    on_disk = {path.parent.name for path in run.path.glob("trajectories/*/record.jsonl")}
    assert {result["directory"] for result in run.results} == on_disk
    assert not list(run.path.rglob("*.tmp"))
    return run


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("flags", "number"),
    [(("-p", "8"), signal.SIGINT), (("--processes", "2"), signal.SIGINT), (("-p", "8"), signal.SIGTERM)],
)
def test_interrupt_leaves_a_valid_run(
    flags: tuple[str, ...], number: signal.Signals, started: Start, tmp_path: Path
) -> None:
    process = started(tmp_path, "-s", "wifi_off", "--trials", "5000", *flags)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopping: waiting up to 5 s for " in errors
    assert "Ctrl-C again to stop at once" in errors
    assert "interrupted" in errors
    assert "Traceback" not in errors
    run = _valid_run(tmp_path)
    assert f"the rest: tool_sandbox resume {run.path}" in errors
    assert f"results: {run.path}" in output
    assert (run.summary["run"]["complete"], run.summary["run"]["interrupted"]) == (False, True)
    assert 0 < run.summary["run"]["played"] < run.summary["run"]["planned"]


def _slow_model(seconds: float) -> Iterator[Loopback]:
    """A model that answers the first request of a conversation at once, and the next after a while."""
    scenarios = list(named_scenarios(names=["wifi_off", "cellular_off"]).values())
    brain = SolutionBrain.of(scenarios)

    def think(heard: Heard) -> Move:
        if brain.scenario(heard).name == "cellular_off":
            time.sleep(seconds)
        return brain(heard)

    with serve(OpenAIChatDialect(lenient=True), think) as server:
        yield server


@pytest.fixture
def slow_model(loopback_key: None) -> Iterator[Loopback]:
    yield from _slow_model(1.0)


@pytest.fixture
def endless_model(loopback_key: None) -> Iterator[Loopback]:
    yield from _slow_model(300.0)


def _asking(server: Loopback, *flags: str) -> list[str]:
    return ["--agent", choice(server), "-s", "wifi_off", "cellular_off", "--trials", "30", "-p", "4", *flags]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("flags", [(), ("--processes", "2")])
def test_conversations_under_way_may_finish(
    flags: tuple[str, ...], slow_model: Loopback, started: Start, tmp_path: Path
) -> None:
    process = started(tmp_path, *_asking(slow_model, *flags))
    asked = len(slow_model.seen)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    run = _valid_run(tmp_path)
    assert all(result["similarity"] == 1 for result in run.results)
    # Nobody was left, so every conversation that the model heard of has a result.
    assert len(slow_model.seen) == sum(result["usage"]["agent"]["calls"] for result in run.results) >= asked
    assert "Traceback" not in errors


@pytest.mark.sampled(2)
@pytest.mark.parametrize("flags", [(), ("--processes", "2")])
def test_second_interrupt_stops_at_once(
    flags: tuple[str, ...], endless_model: Loopback, started: Start, tmp_path: Path
) -> None:
    process = started(tmp_path, *_asking(endless_model, *flags))
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    while (line := process.stderr.readline()) and not line.startswith("stopping"):
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    run = _valid_run(tmp_path)
    assert run.summary["run"]["interrupted"] is True
    assert {result["name"] for result in run.results} == {"wifi_off"}


WAITING = """
import sys, threading
from tool_sandbox.cli.playing import play_and_report
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.run import prepare_run

class Silent(BaseRole):
    def respond(self, ending_index=None):
        print("waiting", flush=True)
        threading.Event().wait()

play_and_report(prepare_run(Silent, scenarios=["wifi_off"]), sys.argv[1])
"""


@pytest.mark.slow
def test_interrupt_is_noticed_while_a_model_takes_its_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WAITING, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    while "waiting" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    while (line := process.stderr.readline()) and "waiting up to 5 s for 1 conversation (" not in line:
        pass
    process.communicate(timeout=60)
    assert _valid_run(tmp_path).summary["run"]["played"] == 0


def _read_to_the_end(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(descriptor, 4096):
            pass


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_control_c_is_noticed_while_a_person_is_asked(tmp_path: Path) -> None:
    import fcntl
    import pty
    import termios

    command = [sys.executable, "-m", "tool_sandbox.cli", "--user", "Cli", "--agent", "Cli", "-s", "wifi_off"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command, "-o", str(tmp_path)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    seen = b""
    while b"agent>" not in seen:
        seen += os.read(ours, 4096)
    # The interpreter does not notice a signal in the instant between showing a prompt and waiting for input.
    time.sleep(1)
    os.write(ours, b"\x03")
    reader = threading.Thread(target=_read_to_the_end, args=(ours,), daemon=True)
    reader.start()
    assert process.wait(timeout=60) in (1, 130)
    reader.join(timeout=60)
    os.close(ours)
    assert only_run(tmp_path).path.exists()


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_reader_that_has_seen_enough() -> None:
    command = f"{sys.executable} -m tool_sandbox.cli scenarios list | head -n 1"
    done = subprocess.run(["sh", "-c", command], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("name")
    assert done.stderr == ""


def test_description_of_a_scenario(shell: Shell) -> None:
    shown = json.loads(shell("scenarios", "show", "wifi_off", "--json").out)
    assert shown["tools"] == ["set_wifi_status"]
    assert shown["messages"][-1]["from"] == "USER"
    assert shown["milestones"]
    assert "set_wifi_status" in shell("scenarios", "show", "wifi_off").out


def test_listing_of_tools(shell: Shell) -> None:
    schemas = json.loads(shell("tools", "--json").out)
    assert len(schemas) == 34
    assert all(schema["type"] == "function" for schema in schemas)
    assert shell("tools", "set_wifi_status").out.startswith("set_wifi_status(on: bool)")
    assert "unit_conversion" in shell("tools").out


def test_listing_of_agents(shell: Shell) -> None:
    roles = {role["name"]: role for role in json.loads(shell("agents", "--json").out)}
    assert roles["Oracle"]["ready"] is True
    assert roles["Scripted"]["plays"] == ["user"]
    assert "Unhelpful" in shell("agents").out


def test_an_agent_that_could_not_go_on_is_told_of(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("class Raises:\n    def respond(self, messages, tools):\n        raise KeyError('MY_SETTING')\n")
    words = ["--agent", f"{agent}:Raises", "--scenarios", "wifi_off", "get_wifi", "-o", str(tmp_path / "runs")]
    assert main(words) == 0
    told = "".join(capfd.readouterr())
    assert "in 2 of 2 conversations the agent could not continue, first in " in told
    assert "KeyError: 'MY_SETTING'" in told
