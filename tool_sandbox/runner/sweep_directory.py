"""The directory of a sweep: several run directories, and what they belong to.

Layout::

    sweep_<name>_<MM_DD_YYYY_HH_MM_SS>/
        sweep.json                       what was asked for, and which runs there are
        agent_<agent>_user_<user>_.../   an ordinary run directory for each of them

The run directories are made first, then ``sweep.json`` is written, then every ``run.json``, and only then the first
conversation is played. So a sweep that was killed on the way there has a run without ``run.json``, nothing in it was
played, and `SweepDirectory.runs` says so. A run that was removed later is missing, and the others can be resumed.
"""

import contextlib
import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.play.opening import read_json
from tool_sandbox.play.record import finished
from tool_sandbox.play.trajectory_files import write_json
from tool_sandbox.runner.layout import SWEEP_FILE as SWEEP_FILE
from tool_sandbox.runner.schema import check_shape
from tool_sandbox.runner.stamped import make_stamped, readable
from tool_sandbox.runner.store import RUN_FILE
from tool_sandbox.world.errors import ConfigurationError

SWEEP_FORMAT = 1
"""Version of the layout of a sweep directory, raised when a reader has to change."""


@attrs.frozen
class SweepDirectory:
    """A directory that holds the runs of one sweep.

    Attributes:
        path: The directory itself.
    """

    path: Path

    @classmethod
    def create(cls, base: Path, name: str, started: datetime.datetime) -> "SweepDirectory":
        """Makes a new directory whose name says what the sweep is called and when it started."""
        return cls(make_stamped(base, f"sweep_{readable(name)}", started))

    def write(self, description: Mapping[str, Any]) -> None:
        """Writes ``sweep.json``."""
        write_json(self.path / SWEEP_FILE, dict(description), indent=2)

    def read(self) -> dict[str, Any]:
        """Reads ``sweep.json``."""
        file = self.path / SWEEP_FILE
        described = read_json(file, self.path)
        if not isinstance(described, dict) or not isinstance(number := described.get("format"), int):
            raise ConfigurationError(f"{file} does not describe a sweep")
        if number > SWEEP_FORMAT:
            raise ConfigurationError(
                f"{file} was written by a newer version of tool_sandbox (format {number}, this one reads up to "
                f"{SWEEP_FORMAT}); update tool_sandbox"
            )
        checked: dict[str, Any] = check_shape(described, "sweep", file, needs=("runs",))
        return checked

    def runs(self) -> dict[str, Path]:
        """Label of each run to its directory, in the order of the sweep; without those that are `missing`."""
        paths = self._planned()
        missing = self.missing()
        if missing and not any(finished(path) for path in paths.values()):
            name = next(iter(missing.values())).name
            raise ConfigurationError(
                f"{self.path} never started properly: {name} has no {RUN_FILE}; nothing was played in it, so "
                "remove it and start the sweep again"
            )
        if len(missing) == len(paths):
            raise ConfigurationError(f"{self.path} has none of its {len(paths)} runs any more")
        return {label: path for label, path in paths.items() if label not in missing}

    def missing(self) -> dict[str, Path]:
        """Label of each run that has no ``run.json``, because it was removed, to where it should be."""
        return {label: path for label, path in self._planned().items() if not (path / RUN_FILE).is_file()}

    def _planned(self) -> dict[str, Path]:
        return {run["label"]: self.path / run["directory"] for run in self.read()["runs"]}


def sweep_label(path: Path) -> str | None:
    """What a run is called in the sweep that it belongs to."""
    path = path.resolve()
    if (path.parent / SWEEP_FILE).is_file():
        # A name is no reason to refuse a run that is whole.
        with contextlib.suppress(ConfigurationError):
            for run in SweepDirectory(path.parent).read()["runs"]:
                if run["directory"] == path.name:
                    return str(run["label"])
    return None


def run_label(path: Path) -> str:
    """What a run is called: its label in the sweep that it belongs to, else the name of its directory."""
    label = sweep_label(path)
    return path.resolve().name if label is None else label
