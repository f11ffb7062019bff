"""Loads stored runs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.helpers.paths import escape_name
from tool_sandbox.play.opening import read_json
from tool_sandbox.play.record import unpack
from tool_sandbox.runner import store
from tool_sandbox.runner.frame import scenario_results_frame
from tool_sandbox.runner.plan import LONGEST_DIRECTORY
from tool_sandbox.runner.store import SUMMARY_FILE, TRAJECTORIES, RunDirectory
from tool_sandbox.runner.sweep_directory import run_label
from tool_sandbox.world.errors import ConfigurationError, StorageError

if TYPE_CHECKING:
    import polars as pl

    from tool_sandbox.analysis.views import ConversationView

__all__ = [
    "LoadedRun",
    "Runs",
    "extract_scenario_results",
    "get_scenario_artifacts_path",
    "get_scenario_pretty_print_path",
    "load_result_summary",
    "load_run",
    "load_runs",
]


class _Frames:
    """The frames of one run or of several, by the names in ``tool_sandbox.analysis.frames.SCHEMAS``."""

    @cached_property
    def _view_frames(self) -> "dict[str, pl.DataFrame]":
        raise NotImplementedError

    @property
    def messages(self) -> "pl.DataFrame":
        """One row per message."""
        return self._view_frames["messages"]

    @property
    def tool_calls(self) -> "pl.DataFrame":
        """One row per call of a tool; ``arguments`` as JSON."""
        return self._view_frames["tool_calls"]

    @property
    def milestones(self) -> "pl.DataFrame":
        """One row per milestone or minefield; ``kind`` says which."""
        return self._view_frames["milestones"]

    @property
    def world_changes(self) -> "pl.DataFrame":
        """One row per changed row of the world; ``before`` and ``after`` as JSON."""
        return self._view_frames["world_changes"]


@attrs.frozen(slots=False)
class LoadedRun(store.FinishedRun, _Frames):
    """A run with its frames, each read when it is first asked for and then kept.

    Attributes:
        path: Its directory.
        summary: Content of ``result_summary.json``.
        name: Stands in the column ``run`` of the frames.
    """

    name: str = attrs.field(default=attrs.Factory(lambda self: self.path.resolve().name, takes_self=True), kw_only=True)

    def read_conversation(self, directory: str) -> "ConversationView":
        """Reads one conversation, see ``tool_sandbox.analysis.views.read_conversation``."""
        from tool_sandbox.analysis.views import read_conversation

        return read_conversation(self.path, directory)

    @cached_property
    def conversations(self) -> "pl.DataFrame":
        """One row per conversation."""
        from tool_sandbox.analysis.frames import conversations_frame

        return conversations_frame(self.name, self.results)

    @cached_property
    def floors(self) -> "pl.DataFrame":
        """Scores of agents that do nothing useful.

        Empty where a run has none, because it is not over or comes from an older version.
        """
        from tool_sandbox.analysis.frames import floors_frame
        from tool_sandbox.runner.floor import stored_floors

        return floors_frame(self.name, stored_floors(self.path))

    @cached_property
    def _view_frames(self) -> "dict[str, pl.DataFrame]":
        from tool_sandbox.analysis.frames import view_frames

        # Results of the published program stand in the summary alone, without directories of their own.
        directories = [result["directory"] for result in self.results if "directory" in result]
        return view_frames(self.name, map(self.read_conversation, directories))


@attrs.frozen(slots=False)
class Runs(_Frames, Sequence[LoadedRun]):
    """Several runs, their frames one below the other; the column ``run`` tells them apart.

    Attributes:
        runs: The runs.
    """

    runs: tuple[LoadedRun, ...]

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, index: Any) -> Any:
        return self.runs[index]

    @cached_property
    def conversations(self) -> "pl.DataFrame":
        """One row per conversation."""
        import polars as pl

        return pl.concat([run.conversations for run in self.runs])

    @cached_property
    def floors(self) -> "pl.DataFrame":
        """Scores of agents that do nothing useful."""
        import polars as pl

        return pl.concat([run.floors for run in self.runs])

    @cached_property
    def _view_frames(self) -> "dict[str, pl.DataFrame]":
        import polars as pl

        names = ("messages", "tool_calls", "milestones", "world_changes")
        return {name: pl.concat([getattr(run, name) for run in self.runs]) for name in names}


def load_run(path: str | Path, *, name: str | None = None) -> LoadedRun:
    """Loads a run directory, finished or not. Nothing is written, so a run may be loaded while it is played."""
    path = Path(path)
    if path.name == SUMMARY_FILE:
        path = path.parent
    summary = RunDirectory(path).summary()
    return LoadedRun(path, summary, name=run_label(path) if name is None else name)


def load_runs(paths: Iterable[str | Path] | Mapping[str, str | Path]) -> Runs:
    """Loads several runs, to be looked at together."""
    if isinstance(paths, Mapping):
        runs = [load_run(path, name=name) for name, path in paths.items()]
    else:
        runs = [load_run(path) for path in paths]
        # Two sweeps may use the same label.
        counts = Counter(run.name for run in runs)
        runs = [attrs.evolve(run, name=run.path.resolve().name) if counts[run.name] > 1 else run for run in runs]
    if not runs:
        raise ConfigurationError("there are no runs to load")
    names = [run.name for run in runs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ConfigurationError(
            f"two runs have the same name ({', '.join(sorted(twice))}); give a mapping of names to paths"
        )
    return Runs(tuple(runs))


def load_result_summary(path: str | Path) -> dict[str, Any]:
    """Reads a ``result_summary.json``."""
    summary: dict[str, Any] = read_json(Path(path))
    return summary


def extract_scenario_results(results: Mapping[str, Any]) -> "pl.DataFrame":
    """Gives one row per conversation."""
    return scenario_results_frame(results["per_scenario_results"])


def get_scenario_artifacts_path(result_summary_path: str | Path, *, scenario_name: str) -> Path:
    """Directory of a scenario's trajectory."""
    path = Path(result_summary_path)
    if path.suffix != ".json":
        raise AssertionError(f"expected the path of a .json file, got {path}")
    directory = path.parent / TRAJECTORIES / scenario_name
    if not directory.exists():
        directory = directory.with_name(escape_name(scenario_name, LONGEST_DIRECTORY))
    with suppress(StorageError):
        unpack(directory, path.parent)
    return directory


def get_scenario_pretty_print_path(result_summary_path: str | Path, *, scenario_name: str) -> Path:
    """Path of a scenario's readable message log, see ``get_scenario_artifacts_path``."""
    return get_scenario_artifacts_path(result_summary_path, scenario_name=scenario_name) / "pretty_print.txt"
