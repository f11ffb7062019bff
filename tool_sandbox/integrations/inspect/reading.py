"""Makes a run directory of a log of Inspect: what the solver kept of each conversation is what the directory has."""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.integrations.inspect.kept import KEY, Kept
from tool_sandbox.play.record import RECORD_FILE
from tool_sandbox.play.trajectory_files import make_directory, write_bytes
from tool_sandbox.records.run import RUN_FORMAT
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.formats import current_result
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.store import FinishedRun, RunDirectory
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

_UNREAD = {"messages", "events", "attachments", "events_data", "timelines", "output"}
"""What of a sample is not needed."""

_LABEL = re.compile(r"(?P<name>.+?)(?:__seed_(?P<seed>-?\d+))?")


@attrs.frozen
class _Sample:
    """What matters of a sample of a log."""

    label: str
    epoch: int
    seed: Any
    stored: Any


@attrs.frozen
class _Played:
    """A conversation of a log; ``None`` in place of what was kept where nothing was."""

    episode: Episode
    kept: Kept | None


def import_log(place: str, base: Path) -> FinishedRun:
    """Writes the conversations of a log as a run.

    Args:
        place: The log, a file or what Inspect reads elsewhere.
        base: Where the directory is made.

    Returns:
        The run, in which conversations without a result are missing.

    Raises:
        ConfigurationError: It is no log, or none of a task of this package; the package of Inspect is missing; or
            nothing can be written.
    """
    log, samples = _read(place)
    played = list(_conversations(log, samples, place))
    whole = [each.kept for each in played if each.kept is not None]
    if not whole:
        raise ConfigurationError(f"{place} has no conversation that was played")
    if len({str(kept.description.get("suite")) for kept in whole}) > 1:
        raise ConfigurationError(f"{place} has conversations of different versions of the suite")
    first = whole[0].description
    started = datetime.fromisoformat(log.eval.created)
    agent, user = (str(first.get(party)) for party in ("agent", "user"))
    directory = RunDirectory.create(base, agent.replace("/", "_"), user.replace("/", "_"), started.astimezone())
    try:
        directory.write_run(_description(log, first, [each.episode for each in played], started))
        for each in played:
            if each.kept is not None:
                make_directory(directory.trajectory(each.episode.directory))
                write_bytes(directory.trajectory(each.episode.directory) / RECORD_FILE, each.kept.record)
        finished = FinishedRun(directory.path, directory.rebuild_summary())
        floors_of(directory.path)
    except ConfigurationError:
        shutil.rmtree(directory.path, ignore_errors=True)
        raise
    return finished


def _read(place: str) -> "tuple[EvalLog, list[_Sample]]":
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise MissingRequirementError(
            "logs of Inspect AI need the package inspect_ai: pip install 'tool_sandbox[inspect]'"
        ) from None
    if "://" not in place and not Path(place).is_file():
        told = "is a directory; name one log in it" if Path(place).is_dir() else "does not exist"
        raise ConfigurationError(f"{place} {told}")
    try:
        log = read_eval_log(place, header_only=True)
        samples = list(_samples(place, log))
    except Exception as error:
        # Whatever a file can be, and whatever a library of Inspect makes of it.
        told = " ".join(str(error).split())[:200]
        raise ConfigurationError(f"{place} is no log of Inspect AI ({type(error).__name__}: {told})") from error
    named = log.eval.task_registry_name or log.eval.task
    if not named.startswith("tool_sandbox/") and all(sample.stored is None for sample in samples):
        raise ConfigurationError(f"{place} is the log of the task {named}, and not of one of tool_sandbox")
    return log, samples


def _samples(place: str, log: "EvalLog") -> Iterator[_Sample]:
    """The samples of a log, of which the file of many is not held in memory."""
    from inspect_ai.log import read_eval_log, read_eval_log_samples

    if place.endswith(".json") or log.eval.dataset.sample_ids is None:
        found = iter(read_eval_log(place).samples or ())
    else:
        found = read_eval_log_samples(place, all_samples_required=False, exclude_fields=_UNREAD)
    for sample in found:
        yield _Sample(str(sample.id), sample.epoch, sample.metadata.get("seed"), sample.store.get(KEY))


def _conversations(log: "EvalLog", found: Sequence[_Sample], place: str) -> Iterator[_Played]:
    """All that was to be played, in the order in which a run plays it."""
    samples = {(sample.label, sample.epoch): sample for sample in found}
    ids = list(dict.fromkeys([*map(str, log.eval.dataset.sample_ids or ()), *(label for label, _ in samples)]))
    seed = next((each.seed for each in found if _seed(each.label) is None and each.stored is not None), 0)
    epochs = max([log.eval.config.epochs or 1, *(epoch for _, epoch in samples)])
    for epoch in range(1, epochs + 1):
        for label in ids:
            episode = _episode(label, epoch, seed)
            sample = samples.get((label, epoch))
            yield _Played(episode, None if sample is None else _kept(sample, episode, place))


def _seed(label: str) -> int | None:
    found = _LABEL.fullmatch(label)
    return int(found["seed"]) if found is not None and found["seed"] is not None else None


def _episode(label: str, epoch: int, usual_seed: int) -> Episode:
    seed, trial = _seed(label), epoch - 1
    name = label if seed is None else label.rpartition("__seed_")[0]
    trial_label = f"{label}{f'__trial_{trial}' if trial else ''}"
    return Episode(name, usual_seed if seed is None else seed, trial, trial_label)


def _kept(sample: _Sample, episode: Episode, place: str) -> Kept | None:
    if sample.stored is None:
        return None
    where = Path(f"{place}: sample {sample.label}, epoch {sample.epoch}")
    try:
        kept = Kept.of(sample.stored)
        result = current_result(kept.result, where, episode.directory)
    except ConfigurationError as error:
        raise ConfigurationError(str(error) if str(where) in str(error) else f"{where}: {error}") from None
    except ValueError as error:
        raise ConfigurationError(f"{where}: its record is damaged: {error}") from None
    if (result["name"], result["seed"], result["trial"]) != (episode.scenario_name, episode.seed, episode.trial):
        raise ConfigurationError(f"{where} has the result of another conversation")
    return kept


def _description(
    log: "EvalLog", first: Mapping[str, Any], episodes: Sequence[Episode], started: datetime
) -> dict[str, Any]:
    """What ``run.json`` says: as it was when the first conversation was played, and what Inspect knows of it."""
    version = log.eval.packages.get("inspect_ai")
    return {
        **first,
        "format": RUN_FORMAT,
        "started": started.astimezone().isoformat(timespec="seconds"),
        "seeds": list(dict.fromkeys(episode.seed for episode in episodes)),
        "trials": max(episode.trial for episode in episodes) + 1,
        "agent_program": {
            "name": "inspect_ai",
            "version": version,
            "task": log.eval.task,
            "run_id": log.eval.run_id,
            "eval_id": log.eval.eval_id,
            "status": log.status,
            "generate_config": log.plan.config.model_dump(mode="json", exclude_none=True),
        },
        "git_sha": log.eval.revision.commit if log.eval.revision is not None else None,
        "published_files": False,
        "episodes": [
            {
                "scenario_name": episode.scenario_name,
                "seed": episode.seed,
                "trial": episode.trial,
                "directory": episode.directory,
            }
            for episode in episodes
        ],
    }
