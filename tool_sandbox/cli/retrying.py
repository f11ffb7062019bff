"""The command that plays again what says nothing about the agent."""

import argparse

from tool_sandbox.cli.arguments import repeated
from tool_sandbox.cli.playing import exit_code, interruptible
from tool_sandbox.cli.progress import show_progress
from tool_sandbox.cli.reporting import print_run, report_floor
from tool_sandbox.cli.stored import played_suite, run_path
from tool_sandbox.helpers.counting import counted
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.claims import check_free
from tool_sandbox.runner.retry import FAILED, play_retry, prepare_retry
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.outcome import Outcome


def retry_command(arguments: argparse.Namespace) -> int:
    """Plays the failed conversations of a run again, in place."""
    path = run_path(arguments.run)
    stored = RunDirectory(path).read_run()
    retry = prepare_retry(
        path,
        [_outcome(word) for word in arguments.outcome] if arguments.outcome else FAILED,
        agent=arguments.agent,
        user=arguments.user,
        suite=lambda stored: played_suite(stored, arguments.suite),
        anyway=arguments.anyway,
        threads=arguments.concurrency,
        processes=arguments.processes or 1,
        budget=Budget(arguments.budget, arguments.max_tokens_total),
        **repeated(arguments),
    )
    count = len(retry.run.episodes)
    if not count:
        print(f"nothing to play again in {path}")
        return 0
    check_free([path])
    print(f"playing {count} of {counted(len(stored['episodes']), 'conversation')} of {path} again", flush=True)
    with interruptible() as stop, show_progress(count, interactive=retry.run.is_interactive) as progress:
        finished = play_retry(retry, on_result=progress.update, stop=stop)
    print_run(finished, {})
    if not finished.summary["run"].get("interrupted"):
        report_floor(retry.run, finished)
    print(f"results: {finished.path}")
    return exit_code(finished)


def _outcome(word: str) -> Outcome:
    try:
        return Outcome(word)
    except ValueError:
        raise UnknownNameError(f"there is no outcome {word!r}; there are {', '.join(Outcome)}.") from None
