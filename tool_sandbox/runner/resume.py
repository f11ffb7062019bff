"""Finishes runs that were killed or stopped: plays what is missing, several runs at once."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.redaction import without_credentials
from tool_sandbox.play.opening import read_json
from tool_sandbox.records.result import Result
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.runner.claims import is_tidy
from tool_sandbox.runner.player import RoleFactory
from tool_sandbox.runner.retry import Retry, play_retries, prepare_retry
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.runner.store import PARQUET_FILE, SUMMARY_FILE, FinishedRun, RunDirectory
from tool_sandbox.runner.suites import Suite
from tool_sandbox.world.errors import ConfigurationError


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
    agent: "str | RoleFactory | Sequence[str] | None" = None,
    user: "str | RoleFactory | Sequence[str] | None" = None,
    suite: "Callable[[Mapping[str, Any]], Suite | None] | None" = None,
    anyway: bool = False,
    threads: int | None = None,
    processes: int = 1,
    budget: Budget | None = None,
    **repeated: Any,
) -> Resume:
    """Finds what is missing: no result, a damaged one, or one that ended as an infrastructure error.

    Nothing is written, and runs that lack nothing need neither their models nor their suite.
    """
    described = {path: RunDirectory(path).read_run() for path in paths}
    for party, given in (("agent", agent), ("user", user)):
        known = [run["agent"] if party == "agent" else run["user"] for run in described.values()]
        for choice in _choices(given):
            if len(described) > 1 and (not isinstance(choice, str) or without_credentials(choice) not in known):
                told = f"none of the runs was played with the {party} {choice}"
                raise ConfigurationError(f"{told}; with several runs, only their own settings can be repeated")
    missing = []
    for path, stored in described.items():
        directory = RunDirectory(path)
        if all(directory.is_played(episode["directory"]) for episode in stored["episodes"]):
            continue
        retry = prepare_retry(
            path,
            agent=_meant(agent, stored["agent"], alone=len(described) == 1),
            user=_meant(user, stored["user"], alone=len(described) == 1),
            suite=suite,
            anyway=anyway,
            threads=threads,
            processes=processes,
            budget=budget,
            **repeated,
        )
        missing.append(retry)
    meter = BudgetMeter(budget or Budget())
    return Resume(tuple(paths), tuple(_metered(retry, meter) for retry in missing))


def _choices(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def _meant(given: Any, stored: str, *, alone: bool) -> Any:
    """Which of the choices that were given is that of a run; for a run alone it may say how to reach it now."""
    choices = _choices(given)
    if alone and len(choices) == 1:
        return choices[0]
    return next((choice for choice in choices if without_credentials(choice) == stored), None)


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
) -> list[FinishedRun]:
    """Plays what is missing, and sees to it that every run has its summary, its table and its floor."""
    played: dict[Path, FinishedRun] = {}
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


def _summed_up(directory: RunDirectory) -> FinishedRun:
    """A run in which every conversation has a result, with the files that are derived from those."""
    is_summed_up = _is_summed_up(directory)
    # One that lacks nothing is left alone, so that it may be somewhere where nothing can be written.
    if not (is_summed_up and is_tidy(directory.path)):
        with directory.claim():
            if not is_summed_up:
                directory.rebuild_summary()
    return FinishedRun(directory.path, directory.summary())


def _is_summed_up(directory: RunDirectory) -> bool:
    try:
        summary = read_json(directory.path / SUMMARY_FILE, directory.path)
        return bool(summary["run"]["complete"]) and (directory.path / PARQUET_FILE).exists()
    except (ConfigurationError, KeyError, TypeError):
        return False
