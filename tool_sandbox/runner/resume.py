"""Finishes runs that were killed or stopped: plays, in place, what is missing or failed, several runs at once."""

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.redaction import without_credentials
from tool_sandbox.play.opening import read_json
from tool_sandbox.records.options import recorded
from tool_sandbox.records.result import Result
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.runner.claims import is_tidy
from tool_sandbox.runner.cluster import Cluster
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.player import RoleFactory
from tool_sandbox.runner.playing import Part, connect, play_together
from tool_sandbox.runner.remote import copy_with, send_changes
from tool_sandbox.runner.repeating import check_repeated
from tool_sandbox.runner.run import PreparedRun, prepare_run
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.runner.store import PARQUET_FILE, SUMMARY_FILE, FinishedRun, RunDirectory
from tool_sandbox.runner.suites import Suite
from tool_sandbox.version import __version__
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.profile import Profile

FAILED = (Outcome.INFRASTRUCTURE_ERROR,)
"""Outcomes that are played again unless others are asked for."""


@attrs.frozen
class Retry:
    """Conversations of a stored run that can be played again.

    Attributes:
        run: What is to be played.
        directory: The stored run.
        stored: Its description.
        outcomes: Conversations that ended so are played again, and those that have no result or a damaged one.
        planned: All conversations of the run.
    """

    run: PreparedRun
    directory: RunDirectory
    stored: Mapping[str, Any]
    outcomes: Collection[Outcome]
    planned: Sequence[Episode]


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

    @property
    def planned(self) -> int:
        """All conversations of the runs in which something is missing."""
        return sum(len(retry.planned) for retry in self.missing)


def prepare_resume(
    paths: Sequence[Path],
    outcomes: Collection[Outcome] = FAILED,
    *,
    agent: "str | RoleFactory | Sequence[str] | None" = None,
    user: "str | RoleFactory | Sequence[str] | None" = None,
    **choices: Any,
) -> Resume:
    """Finds what is missing: no result, a damaged one, or one that ended as an infrastructure error or as is asked for.

    Nothing is written, and runs that lack nothing need neither their models nor their suite. The choices are those of
    `prepare_retry`.
    """
    described = {path: RunDirectory(path).read_run() for path in paths}
    for party, given in (("agent", agent), ("user", user)):
        known = [run["agent"] if party == "agent" else run["user"] for run in described.values()]
        for choice in _choices(given):
            if len(described) > 1 and (not isinstance(choice, str) or without_credentials(choice) not in known):
                told = f"none of the runs was played with the {party} {choice}"
                raise ConfigurationError(f"{told}; with several runs, only their own settings can be repeated")
    meter = BudgetMeter(choices.get("budget") or Budget())
    missing = []
    for path, stored in described.items():
        directory = RunDirectory(path)
        if all(directory.is_played(episode["directory"], outcomes) for episode in stored["episodes"]):
            continue
        parties = {
            "agent": _meant(agent, stored["agent"], alone=len(described) == 1),
            "user": _meant(user, stored["user"], alone=len(described) == 1),
        }
        retry = prepare_retry(path, outcomes, **parties, **choices)
        wiring = attrs.evolve(retry.run.wiring, meter=meter)
        missing.append(attrs.evolve(retry, run=attrs.evolve(retry.run, wiring=wiring)))
    return Resume(tuple(paths), tuple(missing))


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


def prepare_retry(
    path: Path,
    outcomes: Collection[Outcome] = FAILED,
    *,
    agent: "str | RoleFactory | None" = None,
    user: "str | RoleFactory | None" = None,
    suite: "Callable[[Mapping[str, Any]], Suite | None] | None" = None,
    anyway: bool = False,
    threads: int | None = None,
    processes: int = 1,
    budget: Budget | None = None,
    prices: Path | None = None,
    cluster: Cluster | None = None,
    batch_patience: str | None = None,
    **repeated: Any,
) -> Retry:
    """Finds what has to be played again, and checks that it can be played as before. Nothing is written.

    What in the description of the run would run code, or names an address or a path, has to be given here again, see
    `tool_sandbox.runner.repeating`.
    """
    directory = RunDirectory(path)
    stored = directory.read_run()
    if stored.get("suite") is None:
        raise ConfigurationError(f"{path} was played with scenarios of no suite; they cannot be found again")
    given = {"agent": agent, "user": user, "prices": prices, **repeated}
    check_repeated(path, stored, given, anyway=anyway)
    instruction = stored.get("instruction")
    asked = recorded(stored)
    run = prepare_run(
        agent or stored["agent"],
        user or stored["user"],
        list(dict.fromkeys(episode["scenario_name"] for episode in stored["episodes"])),
        suite=None if suite is None else suite(stored),
        seeds=asked["seed"],
        trials=asked["trials"],
        profile=None if asked["profile"] is None else Profile(asked["profile"]),
        services=stored["services"].get("choice") or stored["services"]["mode"],
        preferred_tool_backend=asked["preferred_tool_backend"],
        threads=threads,
        processes=processes,
        budget=budget,
        cache=repeated.get("cache"),
        prices=prices,
        instruction=instruction and instruction["text"],
        tools=asked["tools"] or "all",
        judge=asked["judge"],
        cluster=cluster,
        batch=bool(asked["batch"]),
        batch_patience=batch_patience or asked["batch_patience"],
    )
    directories = [episode["directory"] for episode in stored["episodes"]]
    names = zip(run.episodes, directories, strict=False)
    if len(directories) != len(run.episodes) or any(name not in each.directories for each, name in names):
        raise ConfigurationError(f"the list of episodes in {path}/run.json is not that of its scenarios and seeds")
    planned = tuple(attrs.evolve(each, directory=name) for each, name in zip(run.episodes, directories, strict=True))
    differences = incomparable(stored, run.description)
    if differences and not anyway:
        raise ConfigurationError(f"the new scores would not be comparable: {'; '.join(differences)} (use --anyway)")
    due = _due(directory, planned, outcomes)
    return Retry(attrs.evolve(run, episodes=due), directory, stored, outcomes, planned)


def _due(directory: RunDirectory, planned: Sequence[Episode], outcomes: Collection[Outcome]) -> tuple[Episode, ...]:
    return tuple(episode for episode in planned if not directory.is_played(episode.directory, outcomes))


def incomparable(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Why scores of a stored run and of one to be played do not compare."""
    found = []
    if stored["suite"].get("content_hash") != now["suite"]["content_hash"]:
        found.append("the suite has changed")
    # Patches of a version repair what says nothing about an agent.
    played_by = stored.get("package_version", "unknown")
    if _minor(played_by) != _minor(__version__):
        found.append(f"the run was played by version {played_by}, this is {__version__}")
    for party in ("agent", "user"):
        then, here = (_identity(description, party) for description in (stored, now))
        if then != here:
            found.append(f"the {party} was {then} and is {here}")
    was, now_is = ((description.get("agent_program") or {}) for description in (stored, now))
    for what in ("version", "sha256"):
        # Of a program that was not there before, the name says enough.
        if was.get(what) and now_is.get(what) and was[what] != now_is[what]:
            found.append(f"the {what} of the agent was {was[what]:.12} and is {now_is[what]:.12}")
    return found


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _identity(description: Mapping[str, Any], party: str) -> str:
    """Who plays, without how it is reached."""
    model = (description.get("models") or {}).get(party)
    if model is None:
        return str(description[party])
    settings = ",".join(f"{name}={value}" for name, value in sorted(model["settings"].items()))
    return f"{model['provider']}/{model['model']}{':' if settings else ''}{settings}"


def play_resume(
    resume: Resume,
    *,
    concurrency: int | None = None,
    processes: int = 1,
    stop: Stop | None = None,
    on_result: Callable[[int, Result], None] | None = None,
) -> list[FinishedRun]:
    """Plays what is missing, and sees to it that every run has its summary, its table and its floor.

    What the replaced attempts had used stays recorded in ``run.json``, because it was paid.
    """
    played: dict[Path, FinishedRun] = {}
    connect(retry.run for retry in resume.missing)
    if resume.missing:
        runs = _play(resume.missing, on_result, concurrency=concurrency, processes=processes, stop=stop)
        played = {run.path: run for run in runs}
    for path in resume.paths:
        if path not in played:
            played[path] = _summed_up(RunDirectory(path))
        if played[path].is_complete:
            floors_of(path)
    return [played[path] for path in resume.paths]


def _play(retries: Sequence[Retry], on_result: Callable[[int, Result], None] | None, **how: Any) -> list[FinishedRun]:
    with ExitStack() as held:
        for retry in retries:
            held.enter_context(retry.directory.claim())
        # Only now no other process changes what is there.
        parts = [_begin(retry) for retry in retries]
        numbers = {id(part): number for number, part in enumerate(parts)}
        runs = play_together(
            parts,
            **how,
            on_result=None if on_result is None else lambda part, result: on_result(numbers[id(part)], result),
        )
        for retry in retries:
            retry.directory.end_retry()
    send_changes()
    return runs


def _begin(retry: Retry) -> Part:
    """Notes in the directory, which is claimed, what is going to be played."""
    due = _due(retry.directory, retry.planned, retry.outcomes)
    stored = retry.directory.read_run()
    entry = {
        "started": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "agent": retry.run.description["agent"],
        "episodes": [episode.directory for episode in due],
        "replaced_usage": dict.fromkeys(("agent", "user", "judge")),
    }
    description = {**stored, "retries": [*stored.get("retries", ()), entry]}
    retry.directory.begin_retry(description)
    if (copy := copy_with(retry.directory.path)) is not None:
        copy.send(retry.directory.path)
    return Part(attrs.evolve(retry.run, episodes=due), retry.directory, description, replaces=True)


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
