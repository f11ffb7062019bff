"""The command that plays scenarios."""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from tool_sandbox.cli.dry_run import print_dry_run
from tool_sandbox.cli.progress import Progress, show_progress
from tool_sandbox.cli.reporting import describe_run, moved_scores, print_run, report_floor
from tool_sandbox.cli.repository import describe_commit
from tool_sandbox.cli.tally import has_failed
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.models.naming import unasked
from tool_sandbox.records.result import Result
from tool_sandbox.runner.remote import addressed
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.run import PreparedRun, play
from tool_sandbox.runner.stopping import GRACE_S, Stop
from tool_sandbox.runner.store import RUN_FILE, FinishedRun


def play_command(arguments: argparse.Namespace) -> int:
    """Plays what the flags ask for."""
    request = Request.of(vars(arguments))
    if arguments.dry_run:
        with unasked():
            print_dry_run(request.prepare())
        return 0
    run = request.prepare()
    finished = play_and_report(run, request.output_dir)
    return exit_code(finished, run.wiring.replays)


def exit_code(run: FinishedRun, replays: Mapping[Any, Path] | None = None) -> int:
    """The exit code of a run that is over, see ``tool_sandbox.cli.main``."""
    if run.summary["run"].get("interrupted"):
        return 130
    replay = run.summary["replay"]
    has_moved = replay is not None and (
        replay["diverged"] > 0 or any(moved_scores(run, path) for path in (replays or {}).values())
    )
    # A run can be stopped when everything is played: its summary could not be written, say.
    is_stopped = run.summary["run"].get("stopped") is not None or not run.is_complete
    return 1 if has_moved or is_stopped or any(map(has_failed, run.results)) else 0


def play_and_report(run: PreparedRun, output_dir: str | Path) -> FinishedRun:
    """Plays a run, showing its progress on standard error and its result on standard output."""
    finished = play_shown(run, output_dir, sys.stdout)
    print_run(finished, run.wiring.replays)
    # A directory that was removed or renamed meanwhile has been reported with the run.
    if not finished.summary["run"]["interrupted"] and (finished.path / RUN_FILE).exists():
        report_floor(run, finished)
    print(f"results: {addressed(finished.path)}")
    return finished


def play_shown(
    run: PreparedRun,
    output_dir: str | Path,
    told: TextIO | None,
    *,
    shows_progress: bool = True,
    signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM),
) -> FinishedRun:
    """Plays a run, showing its progress on standard error."""
    with interruptible(signals) as stop, ExitStack() as shown:
        progress: list[Progress] = []

        def start(path: Path) -> None:
            if told is not None:
                print(printable(f"{describe_run(run)}; results go to {addressed(path)}"), file=told, flush=True)
            if shows_progress:
                # Requests of worker processes cannot be seen here.
                models = run.models.values() if run.processes == 1 and run.cluster is None else ()
                display = show_progress(len(run.episodes), interactive=run.is_interactive, models=models)
                progress.append(shown.enter_context(display))

        def update(result: Result) -> None:
            for display in progress:
                display.update(result)

        return play(run, output_dir, git_sha=describe_commit(), on_start=start, on_result=update, stop=stop)


@contextmanager
def interruptible(signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM)) -> Iterator[Stop]:
    """Has Control-C, and SIGTERM, stop what is being played in good order; a second one stops it at once."""
    stop = Stop(announce=_announce)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    # Its import puts a handler in place with which blocking calls go on, so that a wait for a line of input, or for
    # the next result, would not notice an interrupt.
    import polars  # noqa: F401

    before = [signal.getsignal(number) for number in signals]
    for number in signals:
        signal.signal(number, lambda number, frame: stop.interrupt())
    try:
        yield stop
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _announce(count: int) -> None:
    print(
        f"stopping: waiting up to {GRACE_S:g} s for {counted(count, 'conversation')} (Ctrl-C again to stop at once)",
        file=sys.stderr,
    )
