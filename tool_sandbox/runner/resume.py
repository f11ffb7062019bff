"""Finishes runs that were killed or stopped: plays exactly what is missing, several runs at once."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.opening import read_json
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.runner.retry import Retry, play_retries, prepare_retry
from tool_sandbox.runner.store import PARQUET_FILE, SUMMARY_FILE, Run, RunDirectory
from tool_sandbox.runner.summary import Result

if TYPE_CHECKING:
    from tool_sandbox.runner.player import RoleFactory
    from tool_sandbox.runner.stopping import Stop
    from tool_sandbox.runner.suites import Suite


@attrs.frozen
class Resume:
    """Stored runs, and what is missing in them.

    Attributes:
        paths: Directories of all the runs.
        missing: Those in which something is missing, in the same order.
    """

    paths: Sequence[Path]
    missing: Sequence[Retry]

    @property
    def count(self) -> int:
        """Conversations that are missing."""
        return sum(len(retry.run.episodes) for retry in self.missing)


def prepare_resume(
    paths: Sequence[Path],
    *,
    agent: "str | RoleFactory | None" = None,
    user: "str | RoleFactory | None" = None,
    suite: "Callable[[Mapping[str, Any]], Suite | None] | None" = None,
    anyway: bool = False,
    threads: int | None = None,
    processes: int = 1,
    budget: Budget | None = None,
    prices: Path | None = None,
) -> Resume:
    """Finds what is missing: no result, a damaged one, or one that ended as an infrastructure error.

    Nothing is written, and runs that lack nothing need neither their models nor their suite.

    Args:
        paths: Directories of runs.
        agent: How to reach the agent now, if not as before; for one run only. Not another model.
        user: Likewise for the user.
        suite: Finds the suite of a run, by its description, that was played with one from elsewhere.
        anyway: Whether to play even where the new scores do not compare with the stored ones.
        threads: Conversations at once.
        processes: Processes they are spread over.
        budget: What all the runs together may spend on this.
        prices: File with prices that take precedence, by default that of each run.

    Returns:
        What to play.

    Raises:
        ConfigurationError: There is no run, it cannot be played on, or not so that scores compare.
    """
    if len(paths) > 1 and not (agent is None and user is None):
        raise ConfigurationError("agent and user can be given for a single run only; each run has its own")
    missing = []
    for path in paths:
        directory = RunDirectory(path)
        stored = directory.read_run()
        if all(directory.is_played(episode["directory"]) for episode in stored["episodes"]):
            continue
        retry = prepare_retry(
            path,
            agent=agent,
            user=user,
            suite=None if suite is None or stored.get("suite") is None else suite(stored),
            anyway=anyway,
            threads=threads,
            processes=processes,
            budget=budget,
            prices=prices,
        )
        missing.append(retry)
    meter = BudgetMeter(budget or Budget())
    return Resume(tuple(paths), tuple(_metered(retry, meter) for retry in missing))


def _metered(retry: Retry, meter: BudgetMeter) -> Retry:
    wiring = attrs.evolve(retry.run.wiring, meter=meter)
    return attrs.evolve(retry, run=attrs.evolve(retry.run, wiring=wiring))


def play_resume(
    resume: Resume,
    *,
    concurrency: int | None = None,
    processes: int = 1,
    stop: "Stop | None" = None,
    on_result: Callable[[int, Result], None] | None = None,
) -> list[Run]:
    """Plays what is missing, and sees to it that every run has its summary, its table and its floor.

    Args:
        resume: What to play.
        concurrency: Conversations at once, in all runs together.
        processes: Processes they are spread over.
        stop: How somebody asks to stop.
        on_result: Called with the position in ``resume.missing`` and every new result as it comes in.

    Returns:
        All runs, in the order of ``resume.paths``.

    Raises:
        ConfigurationError: Another process plays one of them.
    """
    played: dict[Path, Run] = {}
    if resume.missing:
        runs = play_retries(
            resume.missing, concurrency=concurrency, processes=processes, stop=stop, on_result=on_result
        )
        played = {run.path: run for run in runs}
    from tool_sandbox.runner.floor import floors_of

    for path in resume.paths:
        if path not in played:
            played[path] = _summed_up(RunDirectory(path))
        if played[path].is_complete:
            floors_of(path)
    return [played[path] for path in resume.paths]


def _summed_up(directory: RunDirectory) -> Run:
    """A run in which every conversation has a result, with the files that are derived from those."""
    from tool_sandbox.runner.claims import is_tidy

    is_summed_up = _is_summed_up(directory)
    # One that lacks nothing is left alone, so that it may be somewhere where nothing can be written.
    if not (is_summed_up and is_tidy(directory.path)):
        with directory.claim():
            if not is_summed_up:
                directory.rebuild_summary()
    return Run(directory.path, directory.summary())


def _is_summed_up(directory: RunDirectory) -> bool:
    try:
        summary = read_json(directory.path / SUMMARY_FILE, directory.path)
        return bool(summary["run"]["complete"]) and (directory.path / PARQUET_FILE).exists()
    except (ConfigurationError, KeyError, TypeError):
        return False
