"""The run directory: one small file per finished conversation, everything else derived from those.

Layout (``docs/results.md`` describes every file)::

    agent_<agent>_user_<user>_<MM_DD_YYYY_HH_MM_SS>/
        run.json                         what was asked for; written first
        trajectories/<scenario>/
            conversation.json  execution_context.json  pretty_print.txt     in runs that are not too long
            record.jsonl                 all else, see ``tool_sandbox.play.record``; written last
        replaced/<number of the retry>/<scenario>.<n>.jsonl   results that made way for another attempt
        result_summary.json              written at the end, or rebuilt from the results
        scenario_results_polars.parquet
        .lock                            held by the process that plays, see ``tool_sandbox.runner.claims``

Every file is replaced as a whole, so a killed run leaves a directory that can be read and summed up.
"""

import contextlib
import datetime
import itertools
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs

from tool_sandbox.play.opening import read_json
from tool_sandbox.play.record import (
    OLDER_FILES,
    Record,
    has_published_files,
    part_file,
    read_part,
    read_result,
    result_file,
)
from tool_sandbox.play.trajectory_files import PublishedFiles, make_directory, write_bytes, write_json
from tool_sandbox.records.result import Result
from tool_sandbox.records.run import RunDescription
from tool_sandbox.records.summary import RunSummary
from tool_sandbox.runner.formats import current_result, current_run, current_summary
from tool_sandbox.runner.frame import scenario_results_frame
from tool_sandbox.runner.layout import PARQUET_FILE as PARQUET_FILE
from tool_sandbox.runner.layout import REPLACED as REPLACED
from tool_sandbox.runner.layout import RUN_FILE as RUN_FILE
from tool_sandbox.runner.layout import SUMMARY_FILE as SUMMARY_FILE
from tool_sandbox.runner.layout import TRAJECTORIES as TRAJECTORIES
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.schema import check_shape
from tool_sandbox.runner.stamped import make_stamped, readable
from tool_sandbox.runner.summary import summarise, usage_of_parties
from tool_sandbox.world.errors import ConfigurationError, StorageError
from tool_sandbox.world.outcome import Outcome

if TYPE_CHECKING:
    import polars as pl

MOST_WITH_PUBLISHED_FILES = 1400
"""Conversations of a run up to which the published files of each are written beside its record; the published
benchmark has 1,032. With more, the records have what they say: many thousands of files are slow to copy and to list."""


@attrs.frozen
class RunDirectory:
    """A directory that holds one run.

    Attributes:
        path: The directory itself.
    """

    path: Path

    @classmethod
    def create(cls, base: Path, agent: str, user: str, started: datetime.datetime) -> "RunDirectory":
        """Makes a new directory whose name says who played and when."""
        path = make_stamped(base, f"agent_{readable(agent)}_user_{readable(user)}", started)
        try:
            (path / TRAJECTORIES).mkdir()
        except OSError as error:
            raise ConfigurationError(f"cannot write results to {base}: {error.strerror or error}") from error
        return cls(path)

    def claim(self) -> AbstractContextManager[None]:
        """Holds the directory while it is played into: no other process may, a second claim by this thread is fine.

        The lock of a process that was killed is free again, once its worker processes have ended too.
        """
        from tool_sandbox.runner.claims import claim

        return claim(self.path)

    def trajectory(self, directory: str) -> Path:
        """Path of one conversation's files; ``directory`` is ``Episode.directory``."""
        return self.path / TRAJECTORIES / directory

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Writes ``run.json``, the description of the run."""
        write_json(self.path / RUN_FILE, dict(run), indent=2)

    def write_result(self, directory: str, result: Result) -> None:
        """Writes the record of one finished conversation of which there is nothing but its result."""
        Record().write(self.trajectory(directory), result)

    def write_score(self, result: Result, evaluation: Mapping[str, Any], turns: list[dict[str, Any]]) -> None:
        """Replaces the score of a stored conversation."""
        trajectory = self.trajectory(result["directory"])
        record = Record.read(trajectory, self.path)
        record.put("evaluation", evaluation)
        PublishedFiles(trajectory).graded(turns) if has_published_files(trajectory) else record.graded(turns)
        record.write(trajectory, result)
        for name in OLDER_FILES:
            with _written(trajectory / name):
                (trajectory / name).unlink(missing_ok=True)

    def clear(self, directory: str) -> None:
        """Removes the files of one conversation, which is going to be played again.

        Its result is kept in ``replaced/``, where a retry has begun: it goes there in one step, so whenever the
        program is killed, what the attempt had cost is on the disk exactly once.
        """
        trajectory = self.trajectory(directory)
        retries = self._retries()
        if retries and self.is_played(directory, again=()):
            kept = self.path / REPLACED / str(retries[-1])
            file = result_file(trajectory)
            places = (kept / f"{directory}.{number}{file.suffix}" for number in itertools.count(1))
            with _written(file):
                file.replace(next(place for place in places if not place.exists()))
        with _written(trajectory), contextlib.suppress(FileNotFoundError):
            shutil.rmtree(trajectory)

    def begin_retry(self, run: Mapping[str, Any]) -> None:
        """Notes that conversations are going to be played again: from here on the old summary does not hold."""
        for name in (SUMMARY_FILE, PARQUET_FILE):
            with _written(self.path / name):
                (self.path / name).unlink(missing_ok=True)
        make_directory(self.path / REPLACED / str(len(run["retries"])))
        self.write_run(run)

    def end_retry(self) -> None:
        """Writes into ``run.json`` what the replaced attempts had used, as `read_run` adds it up."""
        self.write_run(self.read_run())
        for number in self._retries():
            with contextlib.suppress(OSError):  # not empty
                (self.path / REPLACED / str(number)).rmdir()
        with contextlib.suppress(OSError):
            (self.path / REPLACED).rmdir()

    def _retries(self) -> list[int]:
        """Numbers of the retries that replaced something or may yet, in order."""
        try:
            names = os.listdir(self.path / REPLACED)  # noqa: PTH208 - names are all that is wanted
        except OSError:
            return []
        return sorted(int(name) for name in names if name.isdecimal())

    def read_part(self, directory: str, part: str) -> Any:
        """Reads a part of a conversation, ``None`` if it has none, see `tool_sandbox.play.record.read_part`."""
        trajectory = self.trajectory(directory)
        found = read_part(trajectory, part, self.path)
        return None if found is None else check_shape(found, part, part_file(trajectory, part))

    def read_run(self) -> RunDescription:
        """Reads ``run.json``; what retries replaced is added up from the results in ``replaced/``."""
        run = current_run(read_json(self.path / RUN_FILE, self.path), self.path / RUN_FILE)
        return cast(RunDescription, self._with_replaced(run))

    def _with_replaced(self, run: Mapping[str, Any]) -> dict[str, Any]:
        retries = list(run.get("retries", ()))
        for number in self._retries():
            if 0 < number <= len(retries):
                files = sorted((self.path / REPLACED / str(number)).glob("*.json*"))
                total = usage_of_parties([current_result(read_result(file, self.path), file) for file in files])
                retries[number - 1] = {**retries[number - 1], "replaced_usage": total}
        return {**run, "retries": retries} if retries else {**run}

    def read_result(self, directory: str) -> Result | None:
        """Reads the result of one conversation, ``None`` if there is none."""
        path = result_file(self.trajectory(directory))
        try:
            return current_result(read_result(path, self.path), path, directory)
        except ConfigurationError as error:
            if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                return None
            raise

    def is_played(self, directory: str, again: Collection[str] = (Outcome.INFRASTRUCTURE_ERROR,)) -> bool:
        """Whether a conversation has a result that can stay."""
        try:
            result = self.read_result(directory)
        except ConfigurationError:
            return False  # a damaged file is no result
        return result is not None and result.get("outcome") not in again

    def read_results(self) -> list[Result]:
        """Reads every result, in the order in which the run planned them."""
        planned = [episode["directory"] for episode in self.read_run()["episodes"]]
        try:
            return [result for directory in planned if (result := self.read_result(directory)) is not None]
        except ConfigurationError as error:
            raise ConfigurationError(f"{error} (`tool_sandbox resume {self.path}` plays it again)") from error

    def summary(self) -> RunSummary:
        """Reads ``result_summary.json``, or computes what would be in there. Nothing is written.

        So a run can be looked at while another process plays it, after it was killed, and where nothing can be written.
        """
        path = self.path / SUMMARY_FILE
        try:
            stored = read_json(path, self.path)
        except ConfigurationError:
            # Not there, being removed at this moment, or damaged: the results say the same.
            if path.exists() and not (self.path / RUN_FILE).exists():
                raise
        else:
            return current_summary(stored, path)
        run, results = self._stored()
        return summarise(results, run, run.get("git_sha"))

    def write_summary(self, results: Sequence[Result], run: Mapping[str, Any], git_sha: str | None) -> RunSummary:
        """Writes ``result_summary.json`` and the parquet file."""
        summary = summarise(results, self._with_replaced(run), git_sha)
        write_json(self.path / SUMMARY_FILE, summary, indent=4)
        _write_parquet(results, self.path / PARQUET_FILE)
        return summary

    def rebuild_summary(self) -> RunSummary:
        """Writes the summary again from the results on the disk, for a run that was killed before its end."""
        run, results = self._stored()
        return self.write_summary(results, run, run.get("git_sha"))

    def _stored(self) -> tuple[dict[str, Any], list[Result]]:
        run: Mapping[str, Any] = self.read_run()
        results = self.read_results()
        # Of one that lacks something it is unknown whether it was stopped, was killed or is being played.
        is_complete = len(results) == len(run["episodes"])
        return {**run, **({"interrupted": False} if is_complete else {})}, results


def stored_directory(run: Path, episode: Episode) -> str:
    """Name of the directory that a conversation has in a stored run, which may be an older one."""
    names = episode.directories
    return next((name for name in names if (run / TRAJECTORIES / name).is_dir()), names[0])


@attrs.frozen(slots=False)
class FinishedRun:
    """A run that is over.

    Attributes:
        path: Its directory.
        summary: Content of ``result_summary.json``.
    """

    path: Path
    summary: RunSummary

    @property
    def results(self) -> list[Result]:
        """One entry per conversation."""
        return self.summary["per_scenario_results"]

    @property
    def is_complete(self) -> bool:
        """Whether everything that was planned has been played."""
        return bool(self.summary["run"]["complete"])

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per conversation, see ``scenario_results_frame``."""
        from tool_sandbox.runner.frame import scenario_results_frame

        return scenario_results_frame(self.results)


@contextlib.contextmanager
def _written(path: Path) -> Iterator[None]:
    """Says of which file it is that something goes wrong with the disk."""
    try:
        yield
    except OSError as error:
        raise StorageError(error.errno, error.strerror or str(error), str(path)) from error


def _write_parquet(results: Iterable[Result], path: Path) -> None:
    import io

    buffer = io.BytesIO()
    scenario_results_frame(list(results)).write_parquet(buffer)
    write_bytes(path, buffer.getvalue())
