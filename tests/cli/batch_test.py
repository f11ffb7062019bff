"""Runs in batches through the command line: scored as any other, at half the price, safe from the end of a process."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.batches import AnthropicBatchDialect, OpenAIBatchDialect, Plan, Service
from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import KEY_VARIABLE
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Broken, Loopback, serve
from tests.records import trajectories
from tests.shell import Shell
from tool_sandbox.analysis.data_loading import load_run
from tool_sandbox.scenarios import named_scenarios

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("loopback_key")]

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "batch_or_not.py"
NAMES = ["wifi_off", "remove_contact_by_phone", "modify_contact_with_message_recency"]
BRAIN = SolutionBrain.of(list(named_scenarios(names=NAMES).values()))


def at_anthropic(plan: Plan) -> Service:
    return AnthropicBatchDialect(AnthropicDialect(), BRAIN, plan)


def at_openai(plan: Plan) -> Service:
    return OpenAIBatchDialect(OpenAIChatDialect(), BRAIN, plan)


def claude(server: Loopback) -> str:
    return f"anthropic/claude-haiku-5-5:base_url={server.url},api_key_env={KEY_VARIABLE}"


def gpt(server: Loopback) -> str:
    return f"openai/gpt-6-astra:base_url={server.url}/v1,api_key_env={KEY_VARIABLE},api=chat"


vendors = pytest.mark.parametrize(("at", "model"), [(at_anthropic, claude), (at_openai, gpt)], ids=["claude", "gpt"])


def only(folder: Path) -> Path:
    (run,) = folder.iterdir()
    return run


def facts(run: Path) -> Any:
    """What does not depend on how the model was asked."""
    results = load_run(run).summary["per_scenario_results"]
    return [(each["name"], each["similarity"], each["turn_count"]) for each in results], sorted(trajectories(run))


@vendors
def test_a_run_is_scored_as_any_other(
    at: Callable[[Plan], Service], model: Callable[[Loopback], str], tmp_path: Path, shell: Shell
) -> None:
    service = at(Plan())
    with serve(service, BRAIN) as server:
        words = ["--agent", model(server), "-s", *NAMES]
        shell(*words, "-o", tmp_path / "ordinary")
        printed = shell(*words, "-o", tmp_path / "batch", "--batch")
    assert facts(only(tmp_path / "batch")) == facts(only(tmp_path / "ordinary"))
    assert "batch of 3 requests sent" in printed.err
    assert "batch of 3 requests over after" in printed.err
    paid = [load_run(only(tmp_path / name)).summary["usage"]["agent"]["paid_usd"] for name in ("ordinary", "batch")]
    assert paid[1] == pytest.approx(paid[0] / 2)
    assert "batch" in printed.out


@vendors
def test_a_run_that_is_killed_finds_its_batches_again(
    at: Callable[[Plan], Service], model: Callable[[Loopback], str], tmp_path: Path, shell: Shell
) -> None:
    may_end = threading.Event()
    service = at(Plan(looks=lambda batch: 0 if batch.number == 1 or may_end.is_set() else None))
    with serve(service, BRAIN) as server:
        words = ["--agent", model(server), "-s", *NAMES]
        shell(*words, "-o", tmp_path / "ordinary")
        command = [sys.executable, "-m", "tool_sandbox.cli", *words, "-o", str(tmp_path / "batch"), "--batch"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while len(service.batches) < 2:
                assert process.poll() is None
                may_end.wait(0.05)
            os.kill(process.pid, signal.SIGKILL)
        may_end.set()
        run = only(tmp_path / "batch")
        shell("resume", run, "--agent", model(server))
    assert facts(run) == facts(only(tmp_path / "ordinary"))
    # What was asked twice would have been paid for twice.
    assert len(set(service.asked)) == len(service.asked)


def test_stragglers_are_sent_by_themselves(tmp_path: Path, shell: Shell) -> None:
    fate = lambda batch, place, key: "expired" if batch.number == 2 else "answered"  # noqa: E731
    service = at_anthropic(Plan(looks=lambda batch: None, fate=fate))
    with serve(service, BRAIN) as server:
        printed = shell("--agent", claude(server), "-s", NAMES[0], "-o", tmp_path, "--batch", "--batch-patience", "1s")
    assert "asked without a batch, at the full price: 1 request" in printed.err
    assert load_run(only(tmp_path)).summary["usage"]["agent"]["origins"].keys() == {"batch", "network"}


def test_a_wrong_key_stops_the_run(tmp_path: Path, shell: Shell) -> None:
    service = at_anthropic(Plan(begin=lambda number, count: Broken(401, message="no such key")))
    with serve(service, BRAIN, rejects=True) as server:
        printed = shell("--agent", claude(server), "-s", *NAMES, "-o", tmp_path, "--batch", code=1)
    assert "the provider does not accept the key" in printed.out + printed.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--batch"], "--batch is for models"),
        (["--batch-patience", "3h"], "--batch-patience is for runs with --batch"),
        (["--batch", "--batch-patience", "3"], "a duration such as 90m or 24h"),
        (["--batch", "--agent", "ollama/m"], "no batch service"),
        (["--batch", "--agent", "openai/gpt-6-astra:stream=true"], "leave out stream"),
        (["--batch", "--agent", "openai/gpt-6-astra", "--processes", "2"], "one process"),
        (["--batch", "--agent", "anthropic/claude-haiku-5-5:max_tokens=30000"], "set max_tokens to 21333 at most"),
    ],
)
def test_mistakes(words: list[str], told: str, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    assert told in shell.complaint(*words, "-s", "wifi_off")


def test_an_estimate(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    words = ["--agent", "openai/gpt-6-astra", "-s", *NAMES, "--dry-run"]
    ordinary, batch = shell(*words).out, shell(*words, "--batch", "--batch-patience", "90m").out
    assert "batches at half the price, which is in the estimate: " in batch
    assert "waited for 90m is sent by itself" in batch
    dollars = [json.loads(printed.partition(", $")[2].partition(" to $")[0]) for printed in (ordinary, batch)]
    assert dollars[1] == pytest.approx(dollars[0] / 2, rel=0.1)


@vendors
def test_the_example_of_the_page(
    at: Callable[[Plan], Service], model: Callable[[Loopback], str], tmp_path: Path
) -> None:
    """It estimates half the price, and pays half of it."""
    service = at(Plan())
    with serve(service, BRAIN) as server:
        words = [sys.executable, str(EXAMPLE), model(server), "--scenarios", *NAMES, "--play"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    _, ordinary, batches, played = done.stdout.splitlines()
    (_, calls, rounds, dollars, hours), in_batches = ordinary.split(), batches.split()
    assert in_batches[1:3] == [calls, rounds]
    assert float(in_batches[3]) == pytest.approx(float(dollars) / 2, rel=0.1)
    assert float(in_batches[4]) == float(rounds) > float(hours)
    assert played.startswith("played: score 1.000, ")
    assert f"replies from {{'batch': {calls}}}" in played


def test_the_example_of_the_page_refuses_in_one_line() -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE), "ollama/m"], capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "--batch cannot be used" in done.stderr
