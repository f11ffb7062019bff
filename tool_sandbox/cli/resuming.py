"""The command that finishes runs that were killed or stopped."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tool_sandbox.cli.arguments import add_stored, repeated
from tool_sandbox.cli.parsing import Parser
from tool_sandbox.helpers.counting import counted

if TYPE_CHECKING:
    from tool_sandbox.runner.resume import Resume
    from tool_sandbox.runner.store import FinishedRun

_EPILOG = """\
exit codes: 0 all conversations are played, 1 some could not be, 2 usage error, 130 interrupted

examples:
  tool_sandbox resume data/RUN
  tool_sandbox resume data/RUN --agent "command: ./my_agent"      a command is never taken from a file
  tool_sandbox resume data/SWEEP --concurrency 50        all its runs at once
  tool_sandbox resume data/RUN --agent vllm/MODEL:base_url=http://127.0.0.1:9000/v1
"""


def parser() -> Parser:
    """The parser of the command."""
    made = Parser(
        prog="tool_sandbox resume",
        description="Plays what is missing in runs that were killed or stopped: conversations without a result, and "
        "those with an infrastructure error. All settings are those of the run; what runs code, or names a variable, "
        "an address or a path, must be given again. Then updates the summaries.",
        epilog=_EPILOG,
    )
    made.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run, or of several such as a sweep")
    add_stored(made, several=True)
    return made


def command(arguments: argparse.Namespace) -> int:
    """Plays what is missing in the runs."""
    from tool_sandbox.cli.playing import exit_code, interruptible
    from tool_sandbox.cli.progress import show_progress
    from tool_sandbox.cli.stored import played_suite, run_paths
    from tool_sandbox.runner.budget import Budget
    from tool_sandbox.runner.claims import check_free
    from tool_sandbox.runner.playing import places_of
    from tool_sandbox.runner.resume import play_resume, prepare_resume
    from tool_sandbox.runner.sweep_directory import run_label

    resume = prepare_resume(
        run_paths(arguments.runs),
        agent=arguments.agent,
        user=arguments.user,
        suite=lambda stored: played_suite(stored, arguments.suite),
        anyway=arguments.anyway,
        threads=arguments.concurrency,
        processes=arguments.processes or 1,
        budget=Budget(arguments.budget, arguments.max_tokens_total),
        **repeated(arguments),
    )
    check_free(retry.directory.path for retry in resume.missing)
    _announce(resume)
    places = [places_of(retry.run, arguments.concurrency) for retry in resume.missing]
    parts = [(run_label(retry.directory.path), len(retry.run.episodes)) for retry in resume.missing]
    is_interactive = any(retry.run.is_interactive for retry in resume.missing)
    if not resume.missing:
        finished = play_resume(resume)
    else:
        several = parts if len(parts) > 1 else None
        shown = show_progress(resume.count, interactive=is_interactive, parts=several, places=places)
        with interruptible() as stop, shown as progress:
            finished = play_resume(
                resume,
                concurrency=arguments.concurrency,
                processes=arguments.processes or 1,
                stop=stop,
                on_result=lambda number, result: progress.update(result, number),
            )
    _report(finished, had_missing=bool(resume.missing))
    codes = {exit_code(run) for run in finished}
    return max(codes, default=0)


def _announce(resume: "Resume") -> None:
    if not resume.missing:
        print(f"nothing is missing in {_named(resume.paths)}", flush=True)
        return
    planned = sum(len(retry.planned) for retry in resume.missing)
    where = _named([retry.directory.path for retry in resume.missing])
    print(f"playing {resume.count} of {counted(planned, 'conversation')} of {where}, which are missing", flush=True)


def _named(paths: Sequence[Path]) -> str:
    return str(paths[0]) if len(paths) == 1 else f"{len(paths)} runs"


def _report(runs: "Sequence[FinishedRun]", *, had_missing: bool) -> None:
    from tool_sandbox.cli.reporting import print_run, report_floor

    if had_missing and len(runs) == 1:
        print_run(runs[0], {})
        if not runs[0].summary["run"].get("interrupted"):
            report_floor(None, runs[0])
    elif had_missing:
        _print_table(runs)
    for run in runs:
        described = run.summary["run"]
        count = (
            "" if run.is_complete else f" ({described['played']} of {counted(described['planned'], 'conversation')})"
        )
        print(f"results: {run.path}{count}")


def _print_table(runs: "Sequence[FinishedRun]") -> None:
    from tool_sandbox.cli.sweep_report import print_runs
    from tool_sandbox.runner.floor import floors_of
    from tool_sandbox.runner.sweep_directory import SWEEP_FILE, run_label

    labels = [run_label(run.path) for run in runs]
    if len(set(labels)) < len(labels):
        labels = [str(run.path) for run in runs]
    # Runs of one sweep have the same floor, others each their own.
    places = {run.path.resolve().parent for run in runs}
    is_sweep = len(places) == 1 and (places.pop() / SWEEP_FILE).is_file() and all(run.is_complete for run in runs)
    print_runs(dict(zip(labels, runs, strict=True)), floors_of(runs[0].path) if is_sweep else None)
