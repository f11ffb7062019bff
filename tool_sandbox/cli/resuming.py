"""The commands that play what is missing in stored runs, and again what says nothing about the agent."""

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from tool_sandbox.cli.playing import exit_code, interruptible
from tool_sandbox.cli.progress import show_progress
from tool_sandbox.cli.reporting import print_run, report_floor
from tool_sandbox.cli.stored import played_suite, run_path, run_paths
from tool_sandbox.helpers.counting import counted
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.claims import check_free
from tool_sandbox.runner.cluster import cluster_of
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.playing import places_of
from tool_sandbox.runner.remote import addressed
from tool_sandbox.runner.resume import FAILED, Resume, play_resume, prepare_resume
from tool_sandbox.runner.store import FinishedRun
from tool_sandbox.runner.sweep_directory import SWEEP_FILE, run_label
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.outcome import Outcome


def resume_command(arguments: argparse.Namespace) -> int:
    """Plays what is missing in runs that were killed or stopped."""
    resume = _prepared(arguments, run_paths(arguments.runs), FAILED)
    if resume.missing:
        where = _named([retry.directory.path for retry in resume.missing])
        planned = counted(resume.planned, "conversation")
        print(f"playing {resume.count} of {planned} of {where}, which are missing", flush=True)
        finished = _played(resume, arguments)
        if len(finished) > 1:
            _print_table(finished)
        else:
            print_run(finished[0], {})
            if not finished[0].summary["run"].get("interrupted"):
                report_floor(None, finished[0])
    else:
        print(f"nothing is missing in {_named(resume.paths)}", flush=True)
        finished = play_resume(resume)
    for run in finished:
        described = run.summary["run"]
        played = f"{described['played']} of {counted(described['planned'], 'conversation')}"
        print(f"results: {addressed(run.path)}{'' if run.is_complete else f' ({played})'}")
    return max(map(exit_code, finished), default=0)


def retry_command(arguments: argparse.Namespace) -> int:
    """Plays the failed conversations of a run again, in place."""
    path = run_path(arguments.run)
    resume = _prepared(arguments, [path], list(map(_outcome, arguments.outcome or FAILED)))
    if not resume.missing:
        print(f"nothing to play again in {addressed(path)}")
        return 0
    print(f"playing {resume.count} of {counted(resume.planned, 'conversation')} of {addressed(path)} again", flush=True)
    (finished,) = _played(resume, arguments)
    print_run(finished, {})
    if not finished.summary["run"].get("interrupted"):
        report_floor(resume.missing[0].run, finished)
    print(f"results: {addressed(finished.path)}")
    return exit_code(finished)


def _outcome(word: str) -> Outcome:
    try:
        return Outcome(word)
    except ValueError:
        raise UnknownNameError(f"there is no outcome {word!r}; there are {', '.join(Outcome)}.") from None


def _prepared(arguments: argparse.Namespace, paths: Sequence[Path], outcomes: Collection[Outcome]) -> Resume:
    resume = prepare_resume(
        paths,
        outcomes,
        suite=lambda stored: played_suite(stored, arguments.suite),
        threads=arguments.concurrency,
        processes=arguments.processes or 1,
        cluster=cluster_of(arguments.executor, arguments.address),
        budget=Budget(arguments.budget, arguments.max_tokens_total),
        **{flag: getattr(arguments, flag) for flag in ("agent", "user", "anyway", *_REPEATED)},
    )
    check_free(retry.directory.path for retry in resume.missing)
    return resume


_REPEATED = ("prices", "judge", "services", "cache")
"""The settings of a stored run that are given again, beside agent and user."""


def _played(resume: Resume, arguments: argparse.Namespace) -> list[FinishedRun]:
    parts = [(run_label(retry.directory.path), len(retry.run.episodes)) for retry in resume.missing]
    shown = show_progress(
        resume.count,
        interactive=any(retry.run.is_interactive for retry in resume.missing),
        parts=parts if len(parts) > 1 else None,
        places=[places_of(retry.run, arguments.concurrency) for retry in resume.missing],
    )
    with interruptible() as stop, shown as progress:
        return play_resume(
            resume,
            concurrency=arguments.concurrency,
            processes=arguments.processes or 1,
            stop=stop,
            on_result=lambda number, result: progress.update(result, number),
        )


def _named(paths: Sequence[Path]) -> str:
    return addressed(paths[0]) if len(paths) == 1 else f"{len(paths)} runs"


def _print_table(runs: Sequence[FinishedRun]) -> None:
    from tool_sandbox.cli.sweep_report import print_runs

    labels = [run_label(run.path) for run in runs]
    if len(set(labels)) < len(labels):
        labels = [str(run.path) for run in runs]
    # Runs of one sweep have the same floor, others each their own.
    places = {run.path.resolve().parent for run in runs}
    is_sweep = len(places) == 1 and (places.pop() / SWEEP_FILE).is_file() and all(run.is_complete for run in runs)
    print_runs(dict(zip(labels, runs, strict=True)), floors_of(runs[0].path) if is_sweep else None)
