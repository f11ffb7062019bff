"""Several runs that are played as one: each agent of a sweep with each of its users, over the same scenarios."""

import datetime
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.redaction import without_credentials
from tool_sandbox.records.options import options_of
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.runner.playing import Part, connect
from tool_sandbox.runner.remote import begin, folder_for
from tool_sandbox.runner.replaying import PREFIX
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.run import PreparedRun, new_part
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.suites import Suite
from tool_sandbox.runner.sweep_directory import SWEEP_FILE, SWEEP_FORMAT, SweepDirectory
from tool_sandbox.runner.sweep_file import Participant, Sweep, read_sweep
from tool_sandbox.version import __version__
from tool_sandbox.world.errors import ConfigurationError

__all__ = ["SWEEP_FILE", "PreparedSweep", "Sweep", "SweepDirectory", "prepare_sweep", "read_sweep", "start_sweep"]


@attrs.frozen
class PreparedSweep:
    """A sweep that can start: all settings have been checked.

    Attributes:
        sweep: What is asked for.
        runs: Label to run, in the order of agents, then users. Together they may spend the budget of the sweep.
    """

    sweep: Sweep
    runs: Mapping[str, PreparedRun]

    @property
    def conversations(self) -> int:
        """Conversations of all runs."""
        return sum(len(run.episodes) for run in self.runs.values())


def prepare_sweep(sweep: Sweep) -> PreparedSweep:
    """Checks the settings and plans what to play."""
    where = "" if sweep.file is None else f"{sweep.file}: "
    try:
        # How many conversations there may be at once is said of all runs together.
        asked = attrs.evolve(sweep.asked, concurrency=None)
        asked.fill_in()
        suite = asked.loaded_suite()
        names = [info.name for info in asked.infos(sweep.patterns, suite)]
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}{error}") from error
    budget = Budget(asked.budget, asked.max_tokens_total)
    runs: dict[str, PreparedRun] = {}
    # What is wrong with a user is found out with every agent.
    wrong: dict[str, None] = {}
    for label, participant, user in _pairs(sweep):
        try:
            runs[label] = _prepared(asked, participant, user, names, suite, budget)
        except ConfigurationError as error:
            wrong[f"{where}{error}"] = None
    if wrong:
        raise ConfigurationError("\n".join(wrong))
    meter = BudgetMeter(budget)
    shared = {label: attrs.evolve(run, wiring=attrs.evolve(run.wiring, meter=meter)) for label, run in runs.items()}
    return PreparedSweep(sweep, shared)


def _pairs(sweep: Sweep) -> Iterator[tuple[str, Participant, str]]:
    """Label, agent and user of each run."""
    for participant in sweep.agents:
        for user in sweep.users:
            told = f", {without_credentials(user)}" if len(sweep.users) > 1 else ""
            yield f"{participant.label}{told}", participant, user


def _prepared(
    asked: Request, participant: Participant, user: str, names: list[str], suite: Suite | None, budget: Budget
) -> PreparedRun:
    for choice in (participant.agent, user):
        if choice.startswith(PREFIX):
            raise ConfigurationError(f"{choice}: a replay cannot be part of a sweep; use tool_sandbox --agent {choice}")
    asked.agent, asked.user = participant.agent, user
    run = asked.planned(names, suite, budget)
    if run.is_interactive:
        person = participant.agent if run.agent.is_interactive else user
        raise ConfigurationError(f"{person}: a person plays one conversation at a time, so not in a sweep")
    return run


def start_sweep(
    prepared: PreparedSweep, output_dir: Path, *, git_sha: str | None = None
) -> tuple[SweepDirectory, list[Part]]:
    """Makes the directory of a sweep with those of its runs. Nothing is played."""
    connect(prepared.runs.values())
    started = datetime.datetime.now().astimezone()
    sweep = SweepDirectory.create(folder_for(output_dir), prepared.sweep.name, started)
    runs = prepared.runs.values()
    directories = [RunDirectory.create(sweep.path, run.agent.label, run.user.label, started) for run in runs]
    described = [
        {
            "directory": directory.path.name,
            "agent": run.description["agent"],
            "user": run.description["user"],
            "label": label,
        }
        for directory, (label, run) in zip(directories, prepared.runs.items(), strict=True)
    ]
    try:
        sweep.write(
            {
                "format": SWEEP_FORMAT,
                "name": prepared.sweep.name,
                "started": started.isoformat(timespec="seconds"),
                "package_version": __version__,
                "git_sha": git_sha,
                "asked": describe(prepared.sweep),
                "runs": described,
            }
        )
        begin(sweep.path)
        parts = [new_part(run, directory, started, git_sha) for directory, run in zip(directories, runs, strict=True)]
    except OSError as error:
        raise ConfigurationError(f"cannot write results to {sweep.path}: {error.strerror or error}") from error
    return sweep, parts


def describe(sweep: Sweep) -> dict[str, Any]:
    """What a sweep is asked to play, as ``sweep.json`` has it: every key, without passwords in addresses."""
    own = {field.name: getattr(sweep, field.name) for field in attrs.fields(Sweep) if field.name != "asked"}
    options = {
        declared.key or field.name: declared.usual if value is None else value
        for field, declared in options_of(Request)
        if declared.is_swept
        for value in [getattr(sweep.asked, field.name)]
    }
    return {key: _plain(value) for key, value in {**own, **options}.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Participant):
        return _plain(attrs.asdict(value))
    if isinstance(value, str | Path):
        return without_credentials(str(value))
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
