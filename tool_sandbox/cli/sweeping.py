"""The command that plays several agents and users over the same scenarios."""

import argparse
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tool_sandbox.cli.arguments import SWEPT
from tool_sandbox.cli.playing import exit_code, interruptible
from tool_sandbox.cli.progress import show_progress
from tool_sandbox.cli.repository import describe_commit
from tool_sandbox.cli.sweep_report import print_sweep, print_sweep_plan
from tool_sandbox.helpers.counting import counted
from tool_sandbox.models.naming import unasked
from tool_sandbox.records.result import Result
from tool_sandbox.runner.floor import Floors, measure_floors, store_floors
from tool_sandbox.runner.playing import Part, places_of, play_together
from tool_sandbox.runner.remote import addressed
from tool_sandbox.runner.request import TEST_SCENARIO_NAMES
from tool_sandbox.runner.store import FinishedRun
from tool_sandbox.runner.sweep import PreparedSweep, prepare_sweep, read_sweep, start_sweep
from tool_sandbox.world.errors import ConfigurationError


def command(arguments: argparse.Namespace) -> int:
    """Plays what file and flags ask for."""
    if arguments.file is None and not arguments.agent:
        raise ConfigurationError("name a file such as sweep.toml, or agents: tool_sandbox sweep --agent A B")
    sweep = read_sweep(arguments.file, _changes(arguments))
    if arguments.dry_run:
        with unasked():
            print_sweep_plan(prepare_sweep(sweep))
        return 0
    return _play(arguments, prepare_sweep(sweep))


def _changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keys that flags set."""
    if arguments.scenarios == []:
        raise ConfigurationError("--scenarios needs at least one name; see: tool_sandbox scenarios list")
    given = vars(arguments)
    named = {"name": arguments.name, "agents": arguments.agent, "users": arguments.user}
    named |= {key: given[flag] for flag, key in SWEPT.items()}
    if arguments.test_mode:
        if arguments.scenarios is not None:
            raise ConfigurationError("--test-mode chooses the scenarios itself; leave out --scenarios")
        named["scenarios"] = list(TEST_SCENARIO_NAMES)
    # Not given: None, an empty list of a flag that may be repeated, or a switch that is off.
    return {key: value for key, value in named.items() if value not in (None, False, [])}


def _play(arguments: argparse.Namespace, prepared: PreparedSweep) -> int:
    directory, parts = start_sweep(prepared, Path(arguments.output_dir), git_sha=describe_commit())
    print(f"{describe_sweep(prepared)}; results go to {addressed(directory.path)}", flush=True)
    numbers = {part.directory.path: number for number, part in enumerate(parts)}
    totals = [(label, len(run.episodes)) for label, run in prepared.runs.items()]
    places = [places_of(run, prepared.sweep.asked.concurrency) for run in prepared.runs.values()]
    models = [model for run in prepared.runs.values() for model in run.models.values()]
    # Requests of worker processes cannot be seen here.
    seen = models if prepared.sweep.asked.processes == 1 and prepared.sweep.asked.executor == "local" else []
    shown = show_progress(prepared.conversations, parts=totals, places=places, models=seen)
    with interruptible() as stop, shown as progress:

        def update(part: Part, result: Result) -> None:
            progress.update(result, numbers[part.directory.path])

        runs = play_together(
            parts,
            concurrency=prepared.sweep.asked.concurrency,
            processes=prepared.sweep.asked.processes or 1,
            stop=stop,
            on_result=update,
            on_end=lambda part: progress.end(numbers[part.directory.path]),
        )
    print_sweep(directory.path, dict(zip(prepared.runs, runs, strict=True)), _floors(prepared, runs))
    codes = [exit_code(run) for run in runs]
    return max(codes)


def _floors(prepared: PreparedSweep, runs: Sequence[FinishedRun]) -> Floors | None:
    """What agents without skill score, kept in each run; not measured during a shutdown."""
    if any(run.summary["run"]["interrupted"] for run in runs):
        return None
    floors = measure_floors(next(iter(prepared.runs.values())))
    for run in runs:
        # A disk that is full has been reported with the run; floors are measured again where they are missing.
        with contextlib.suppress(OSError):
            store_floors(run.path, floors)
    return floors


def describe_sweep(prepared: PreparedSweep) -> str:
    """How much is played, in one line."""
    runs, conversations = counted(len(prepared.runs), "run"), counted(prepared.conversations, "conversation")
    return f"sweep {prepared.sweep.name}: {runs}, {conversations}"
