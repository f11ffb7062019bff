"""A folder of runs, some of which may be under way: read again and again, each result once."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.report.index import RunSnapshot, figures
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.play.record import finished, result_file
from tool_sandbox.records.result import Result
from tool_sandbox.records.run import RunDescription
from tool_sandbox.runner.floor import FLOOR_FILE, Floors, stored_floors
from tool_sandbox.runner.lineage import base_name_of
from tool_sandbox.runner.store import RUN_FILE, RunDirectory
from tool_sandbox.runner.sweep_directory import SWEEP_FILE, sweep_label
from tool_sandbox.world.errors import ConfigurationError


class WatchedRun:
    """A run on the disk. Files that have not changed are not read again.

    Attributes:
        identifier: Its name in links.
        path: Its directory.
    """

    def __init__(self, identifier: str, path: Path) -> None:
        self.identifier = identifier
        self.path = path
        self._lock = threading.Lock()
        self._results: dict[str, tuple[int, Result]] = {}
        self._goals: dict[str, str] = {}
        self._shown: tuple[str, RunSnapshot] | None = None
        self._described: tuple[int, RunDescription] | None = None

    def description(self) -> RunDescription:
        """Content of ``run.json``."""
        changed = _changed(self.path / RUN_FILE)
        if self._described is None or self._described[0] != changed:
            self._described = changed, RunDirectory(self.path).read_run()
        return self._described[1]

    def played(self) -> int:
        """How many conversations have a result."""
        return len(finished(self.path))

    def look(self) -> tuple[str, RunSnapshot]:
        """What there is now."""
        with self._lock:
            described = self.description()
            version = hashlib.sha256(str(_changed(self.path / FLOOR_FILE)).encode())
            results = []
            for name in (str(episode["directory"]) for episode in described["episodes"]):
                result = self._result(name)
                if result is not None:
                    results.append(result)
                    version.update(f"{name} {self._results[name][0]}\n".encode())
            key = version.hexdigest()
            if self._shown is None or self._shown[0] != key:
                floors = self._floors()
                self._shown = (
                    key,
                    RunSnapshot(self.identifier, described, results, figures(results, floors), sweep_label(self.path)),
                )
            return self._shown

    def goals(self, results: Sequence[Result]) -> Mapping[str, str]:
        """What the user wants in each base scenario that was played."""
        for result in results:
            base = base_name_of(result)
            if base not in self._goals:
                try:
                    self._goals[base] = read_conversation(self.path, str(result["directory"])).goal or ""
                except ConfigurationError:
                    self._goals[base] = ""
        return self._goals

    def conversation(self, directory: str) -> dict[str, Any] | None:
        """One conversation in full; ``None`` if the run has none of that name."""
        return read_conversation(self.path, directory).as_dict() if self.has(directory) else None

    def has(self, directory: str) -> bool:
        """Whether a conversation is among those that have a result."""
        with self._lock:
            return directory in self._results

    def _result(self, directory: str) -> Result | None:
        changed = _changed(result_file(RunDirectory(self.path).trajectory(directory)))
        if changed == 0:
            self._results.pop(directory, None)
            return None
        known = self._results.get(directory)
        if known is not None and known[0] == changed:
            return known[1]
        try:
            result = RunDirectory(self.path).read_result(directory)
        except ConfigurationError:
            # It is damaged; the rest of the run can be looked at all the same.
            return None
        if result is None:
            return None
        self._results[directory] = changed, result
        return result

    def _floors(self) -> Floors | None:
        """What is stored: nothing is played, and nothing is written."""
        try:
            return stored_floors(self.path)
        except ConfigurationError:
            return None


@attrs.define
class Folder:
    """A folder of runs and sweeps, or one run.

    Attributes:
        path: The folder.
    """

    path: Path
    _runs: dict[str, WatchedRun] = attrs.field(factory=dict, init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    def runs(self) -> dict[str, WatchedRun]:
        """Name to run, newest first; new ones are noticed at each call."""
        found = {
            run.resolve().name if run == self.path else run.relative_to(self.path).as_posix(): run
            for run in (file.parent for file in self._files())
        }
        with self._lock:
            self._runs = {name: self._runs.get(name) or WatchedRun(name, path) for name, path in found.items()}
            return dict(self._runs)

    def first_choice(self) -> list[str]:
        """Runs that are shown by default: those of a sweep, or the only one there is."""
        names = list(self.runs())
        return names if len(names) == 1 or (self.path / SWEEP_FILE).is_file() else []

    def listing(self) -> list[dict[str, Any]]:
        """A line for each run that can be read: id, group, agent, user, started, planned and played."""
        lines = []
        for name, run in self.runs().items():
            try:
                described = run.description()
            except ConfigurationError:
                continue
            lines.append(
                {
                    "id": name,
                    "group": name.rpartition("/")[0],
                    **{key: str(described.get(key) or "") for key in ("agent", "user", "started")},
                    "planned": len(described.get("episodes") or ()),
                    "played": run.played(),
                }
            )
        return sorted(lines, key=lambda line: (line["started"], line["id"]), reverse=True)

    def _files(self) -> list[Path]:
        if (self.path / RUN_FILE).is_file():
            return [self.path / RUN_FILE]
        found = (file for pattern in (f"*/{RUN_FILE}", f"*/*/{RUN_FILE}") for file in self.path.glob(pattern))
        here = self.path.resolve()
        # What links lead to elsewhere is none of the folder that somebody wanted to show.
        return sorted(file for file in found if file.parent.resolve().is_relative_to(here))


def _changed(path: Path) -> int:
    """When a file was last replaced, in nanoseconds; 0 if it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
