"""The run directory: one small file a finished conversation, everything else derived from those.

Layout (``docs/results.md`` describes every file)::

    agent_<agent>_user_<user>_<MM_DD_YYYY_HH_MM_SS>/
        run.json                         what was asked for; written first
        trajectories/<scenario>/
            conversation.json  execution_context.json  pretty_print.txt
            evaluation.json              what the conversation is scored by
            exchanges.jsonl  model_calls.json     what models were asked and answered, where there were any
            result.json                  written when the conversation is over
        result_summary.json              written at the end, or rebuilt from the results
        scenario_results_polars.parquet

Every file is replaced as a whole, so a killed run leaves a directory that can be read and summed up.
"""

import datetime
import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.trajectory_files import write_bytes, write_json
from tool_sandbox.runner.summary import Result, summarise

if TYPE_CHECKING:
    import polars as pl

RUN_FILE = "run.json"
RESULT_FILE = "result.json"
EVALUATION_FILE = "evaluation.json"
CONVERSATION_FILE = "conversation.json"
CONTEXT_FILE = "execution_context.json"
SUMMARY_FILE = "result_summary.json"
PARQUET_FILE = "scenario_results_polars.parquet"
TRAJECTORIES = "trajectories"

_UNSAFE = re.compile(r"[^A-Za-z0-9._=+@-]+")


@attrs.frozen
class RunDirectory:
    """A directory that holds one run.

    Attributes:
        path: The directory itself.
    """

    path: Path

    @classmethod
    def create(cls, base: Path, agent: str, user: str, started: datetime.datetime) -> "RunDirectory":
        """Makes a new directory whose name says who played and when.

        Args:
            base: Directory of all runs, made when missing.
            agent: Name of the agent or of its model; characters that are unsafe in a path become ``-``.
            user: Likewise for the user.
            started: Local time of the start. Two runs that start in the same second get different directories.

        Raises:
            ConfigurationError: The directory cannot be made or written to.
        """
        stamp = started.strftime("%m_%d_%Y_%H_%M_%S")
        name = f"agent_{_readable(agent)}_user_{_readable(user)}_{stamp}"
        number = 1
        while True:
            path = base / (name if number == 1 else f"{name}_{number}")
            try:
                path.mkdir(parents=True)
                (path / TRAJECTORIES).mkdir()
            except FileExistsError:
                if not base.is_dir():
                    raise ConfigurationError(f"cannot write results to {base}: it is not a directory") from None
                number += 1
            except OSError as error:
                raise ConfigurationError(f"cannot write results to {base}: {error.strerror or error}") from error
            else:
                return cls(path)

    def trajectory(self, directory: str) -> Path:
        """Path of one conversation's files; ``directory`` is ``Episode.directory``."""
        return self.path / TRAJECTORIES / directory

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Writes ``run.json``, the description of the run."""
        write_json(self.path / RUN_FILE, dict(run), indent=2)

    def write_result(self, directory: str, result: Result) -> None:
        """Writes ``result.json`` of one finished conversation."""
        trajectory = self.trajectory(directory)
        trajectory.mkdir(parents=True, exist_ok=True)
        write_json(trajectory / RESULT_FILE, result, indent=2)

    def write_evaluation(self, directory: str, description: Mapping[str, Any]) -> None:
        """Writes ``evaluation.json``, what a conversation is scored by, into its directory, which exists."""
        write_json(self.trajectory(directory) / EVALUATION_FILE, dict(description), indent=2)

    def clear(self, directory: str) -> None:
        """Removes the files of one conversation, which is going to be played again."""
        shutil.rmtree(self.trajectory(directory), ignore_errors=True)

    def read_run(self) -> dict[str, Any]:
        """Reads ``run.json``.

        Raises:
            ConfigurationError: The file is missing or damaged.
        """
        run: dict[str, Any] = read_json(self.path / RUN_FILE)
        if not isinstance(run, dict):
            raise ConfigurationError(f"{self.path / RUN_FILE} does not describe a run")
        return run

    def read_results(self) -> list[Result]:
        """Reads every ``result.json``, in the order in which the run planned them.

        Raises:
            ConfigurationError: ``run.json`` or a result is missing or damaged.
        """
        results = {path.parent.name: _read_result(path) for path in self.path.glob(f"{TRAJECTORIES}/*/{RESULT_FILE}")}
        planned = [episode["directory"] for episode in self.read_run()["episodes"]]
        return [results[directory] for directory in planned if directory in results]

    def write_summary(self, results: Sequence[Result], run: Mapping[str, Any], git_sha: str | None) -> dict[str, Any]:
        """Writes ``result_summary.json`` and the parquet file.

        Args:
            results: Results of the conversations that were played.
            run: Description of the run.
            git_sha: Commit of the working directory, ``None`` outside of a repository.

        Returns:
            The content of ``result_summary.json``.
        """
        summary = summarise(results, run, git_sha)
        write_json(self.path / SUMMARY_FILE, summary, indent=4)
        _write_parquet(results, self.path / PARQUET_FILE)
        return summary

    def rebuild_summary(self) -> dict[str, Any]:
        """Writes the summary again from the results on the disk, for a run that was killed before its end.

        Raises:
            ConfigurationError: ``run.json`` or a result is missing or damaged.
        """
        run = self.read_run()
        return self.write_summary(self.read_results(), run, run.get("git_sha"))


@attrs.frozen(slots=False)
class Run:
    """A run that is over.

    Attributes:
        path: Its directory.
        summary: Content of ``result_summary.json``.
    """

    path: Path
    summary: dict[str, Any]

    @property
    def results(self) -> list[dict[str, Any]]:
        """One entry a conversation."""
        results: list[dict[str, Any]] = self.summary["per_scenario_results"]
        return results

    @property
    def is_complete(self) -> bool:
        """Whether everything that was planned has been played."""
        return bool(self.summary["run"]["complete"])

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """One row a conversation, see ``scenario_results_frame``."""
        from tool_sandbox.runner.frame import scenario_results_frame

        return scenario_results_frame(self.results)


def read_json(path: Path) -> Any:
    """Reads a JSON file.

    Raises:
        ConfigurationError: It cannot be read or is not JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not a JSON file: {error}") from error


def _read_result(path: Path) -> Result:
    """A result that says truly where it is: files are written by what it says."""
    result: Result = read_json(path)
    if not isinstance(result, dict) or result.get("directory") != path.parent.name:
        raise ConfigurationError(f"{path} is not the result of the conversation in its directory")
    return result


def _readable(name: str) -> str:
    return _UNSAFE.sub("-", name).strip("-.")[:80] or "unnamed"


def _write_parquet(results: Iterable[Result], path: Path) -> None:
    import io

    from tool_sandbox.runner.frame import scenario_results_frame

    buffer = io.BytesIO()
    scenario_results_frame(list(results)).write_parquet(buffer)
    write_bytes(path, buffer.getvalue())
