"""Runs, one or several, as Python and notebooks see them."""

import html
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.analysis import compare as comparing
from tool_sandbox.analysis import comparison, data_loading
from tool_sandbox.cli.stored import compared_paths, run_path
from tool_sandbox.helpers.printable import printable
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.metrics import GROUPINGS, Metrics
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    import polars as pl

    from tool_sandbox.analysis.views import ConversationView
    from tool_sandbox.export import Ending


@attrs.frozen(repr=False)
class Comparison(comparison.RunComparison):
    """Compared runs: their ``ranking``, and ``pairwise`` comparisons with the ``baseline``; see `compare`.

    It shows itself as the command line does, and in a notebook as tables; ``as_dict()`` has all of it as JSON values.
    """

    def __repr__(self) -> str:
        from tool_sandbox.cli.comparing_tables import comparison_lines

        return "\n".join(map(printable, comparison_lines(self)))

    def _repr_markdown_(self) -> str:
        """Tables for notebooks; names that come from runs are escaped."""
        from tool_sandbox.analysis.markdown import comparison_markdown

        return comparison_markdown(self)


@attrs.frozen(slots=False, repr=False)
class Run:
    """A run: conversations that were played, and their scores. `run` and `load` make it.

    Every frame is read when it is first asked for, and then kept.
    """

    _stored: data_loading.LoadedRun

    @property
    def path(self) -> Path:
        """Its directory."""
        return self._stored.path

    @property
    def agent(self) -> str:
        """Who played the agent."""
        return str(self._stored.summary["run"].get("agent"))

    @property
    def user(self) -> str:
        """Who played the user."""
        return str(self._stored.summary["run"].get("user"))

    @property
    def is_complete(self) -> bool:
        """Whether everything that was planned has been played."""
        return self._stored.is_complete

    @property
    def results(self) -> "pl.DataFrame":
        """One row per conversation: its scenario, seed and trial, its score, how it ended, what it took."""
        return self._stored.conversations

    @property
    def messages(self) -> "pl.DataFrame":
        """One row per message."""
        return self._stored.messages

    @property
    def tool_calls(self) -> "pl.DataFrame":
        """One row per call of a tool."""
        return self._stored.tool_calls

    @property
    def milestones(self) -> "pl.DataFrame":
        """One row per milestone or minefield, with why it was met or not."""
        return self._stored.milestones

    @property
    def world_changes(self) -> "pl.DataFrame":
        """One row per changed row of the world."""
        return self._stored.world_changes

    @property
    def floors(self) -> "pl.DataFrame":
        """What agents without skill score on the same scenarios."""
        return self._stored.floors

    @property
    def problems(self) -> list[str]:
        """What went wrong, one line each, as the command line says it; empty for a run in which nothing did."""
        from tool_sandbox.cli.reporting import problems

        return problems(self._stored)

    def conversation(self, directory: str) -> "ConversationView":
        """Reads one conversation: its messages, what they changed in the world, and what was scored where.

        Args:
            directory: Its name, in the column ``directory`` of ``results``; that of the scenario, for the first trial
                of the first seed.

        Raises:
            ConfigurationError: There is none of that name, or a file is damaged.
        """
        return self._stored.read_conversation(directory)

    def metrics(
        self,
        *,
        by: Sequence[str] = GROUPINGS,
        confidence: float = 0.95,
        max_infrastructure_rate: float = 0.05,
    ) -> Metrics:
        """Computes the metrics of the run, with intervals and floors; ``docs/metrics.md`` says what each means.

        Args:
            by: Groups to compute them for as well: ``tier``, ``axis``, ``category``, ``augmentation``, ``family``.
            confidence: Of the intervals.
            max_infrastructure_rate: Share of infrastructure errors above which there is no headline.

        Raises:
            ConfigurationError: An argument makes no sense, or a file is damaged.
        """
        return self._measured(tuple(by), confidence, max_infrastructure_rate, bootstrap=True)

    def _measured(self, by: Sequence[str], confidence: float, limit: float, *, bootstrap: bool) -> Metrics:
        from tool_sandbox.analysis.metrics import measure_run

        for grouping in by:
            if grouping not in GROUPINGS:
                raise UnknownNameError(f"there is no grouping {grouping!r}.", suggest(str(grouping), GROUPINGS))
        _check_shares(confidence, limit)
        choices: dict[str, Any] = {"by": by, "confidence": confidence, "max_infrastructure_rate": limit}
        return measure_run(self.path, bootstrap=bootstrap, **choices)

    def compare(self, *others: "Run | str | Path", confidence: float = 0.95) -> Comparison:
        """Compares other runs with this one, scenario by scenario; see `tool_sandbox.compare`.

        Args:
            *others: The runs, or their directories.
            confidence: Of all intervals.

        Raises:
            ConfigurationError: There is no other run, or a file is damaged.
        """
        return compare(self, *others, confidence=confidence)

    def report(self, path: str | Path | None = None, *, title: str | None = None, max_mb: float | None = None) -> Path:
        """Writes the run as one HTML file with every conversation, which opens from the disk.

        Args:
            path: The file, by default ``report.html`` in the directory of the run.
            title: Heading, by default the name of the agent.
            max_mb: Size to stay below: details of successful conversations are left out first.

        Returns:
            The file.

        Raises:
            ConfigurationError: It cannot be written, or a file of the run is damaged.
        """
        from tool_sandbox.analysis.report import write_report

        target = self.path / "report.html" if path is None else Path(path)
        return write_report([self.path], target, title=title, max_mb=max_mb).path

    def export(
        self,
        path: str | Path | None = None,
        *,
        to: str,
        scenarios: str | Sequence[str] = (),
        only: "Ending" = "all",
        min_score: float = 0.0,
        suite: str | Path | None = None,
    ) -> Path:
        """Writes the conversations as training data or as traces; ``docs/export.md`` says what each format is.

        Conversations that are excluded from all means are left out.

        Args:
            path: The file, or the folder for ``hf``; by default a name by the format, in the directory of the run.
            to: ``openai-jsonl``, ``sharegpt``, ``hf``, ``parquet`` or ``otel``.
            scenarios: Names or patterns of scenarios, by default all.
            only: ``success`` or ``failed`` for only those.
            min_score: The lowest score.
            suite: Path of the suite, if the run was played with one from elsewhere.

        Returns:
            The file or folder.

        Raises:
            ConfigurationError: Nothing is left to export, it cannot be written, or a file of the run is damaged.
        """
        from tool_sandbox.cli.stored import known_tools
        from tool_sandbox.export import Selection, export_runs, format_named

        target = self.path / format_named(to).name if path is None else Path(path)
        wanted = Selection([scenarios] if isinstance(scenarios, str) else scenarios, only, min_score)
        with known_tools([self.path], None if suite is None else str(suite)):
            export_runs([self.path], to, target, wanted)
        return target

    @cached_property
    def _rows(self) -> list[tuple[str, str]]:
        """What is shown of it: the main numbers, counts, where to look."""
        from tool_sandbox.cli.figures import FLOOR_TITLES, open_text, shown, trust
        from tool_sandbox.cli.metrics_text import headline_cells

        metrics = self._measured((), 0.95, 0.05, bootstrap=False)
        overall = metrics["overall"]
        planned = overall["conversations"] if metrics["planned"] is None else metrics["planned"]
        numbers = {"success": "success", "score": "similarity"}
        rows = [(title, " ".join(filter(None, headline_cells(overall, name)))) for title, name in numbers.items()]
        floors = [
            f"{FLOOR_TITLES[who]} {shown('success', each['success'])}"
            for who, each in (overall["floors"] or {}).items()
        ]
        rows += [("floors", f"success of agents without skill: {', '.join(floors)}")] if floors else []
        rows += [("refused", reason)] if (reason := overall["headlines"]["success"]["reason"]) is not None else []
        rows += [("intervals", told)] if (told := trust(overall, metrics["confidence"])) is not None else []
        rows += [("open", open_text(overall))] if overall["open"] else []
        rows.append(
            ("conversations", f"{overall['conversations']:,} of {planned:,} played, {overall['evaluated']:,} count")
        )
        rows.append(
            ("ended", ", ".join(f"{count:,} {outcome}" for outcome, count in overall["outcomes"].items()) or "-")
        )
        return rows

    def __repr__(self) -> str:
        numbers = ", ".join(f"{title} {text}" for title, text in self._rows if title in ("success", "score"))
        return f"<Run of {self.agent} with {self.user}: {numbers}; {self.path}>"

    def _repr_html_(self) -> str:
        """A table for notebooks, in which nothing that a run says is markup."""
        rows = [("agent", self.agent), ("user", self.user), *self._rows]
        rows += [("problem", line) for line in self.problems]
        rows.append(("files", f"{self.path} (.results, .metrics(), .report())"))
        cells = "".join(
            f'<tr><th style="text-align:left">{html.escape(title)}</th>'
            f'<td style="text-align:left">{html.escape(text)}</td></tr>'
            for title, text in rows
        )
        return f"<table>{cells}</table>"


def load(path: str | Path) -> Run:
    """Reads a run from its directory. Nothing is written, so that it may be read while it is played.

    Args:
        path: The directory, or a file in it.

    Returns:
        The run, as far as it has been played.

    Raises:
        ConfigurationError: There is no run, or a file is damaged.
    """
    return Run(data_loading.load_run(run_path(str(path))))


def compare(
    *runs: Run | str | Path,
    baseline: str | None = None,
    confidence: float = 0.95,
    max_infrastructure_rate: float = 0.05,
) -> Comparison:
    """Compares runs scenario by scenario: what differs and how significantly, what broke and what was fixed.

    Args:
        *runs: Runs, their directories, or directories of several (a sweep); the first run is the baseline.
        baseline: Label or directory of another one.
        confidence: Of all intervals.
        max_infrastructure_rate: Share of infrastructure errors above which a run gets no verdict.

    Returns:
        The comparison.

    Raises:
        ConfigurationError: There is nothing to compare with, no such baseline, or a file is damaged.
    """
    _check_shares(confidence, max_infrastructure_rate)
    paths = compared_paths([run.path if isinstance(run, Run) else run for run in runs])
    found = comparing.compare(
        paths, baseline=baseline, confidence=confidence, max_infrastructure_rate=max_infrastructure_rate
    )
    return Comparison(**{name: getattr(found, name) for name in attrs.fields_dict(comparison.RunComparison)})


def _check_shares(confidence: float, max_infrastructure_rate: float) -> None:
    if not 0 < confidence < 1:
        raise ConfigurationError(f"confidence has to be a number between 0 and 1, not {confidence!r}")
    if not 0 <= max_infrastructure_rate <= 1:
        told = f"max_infrastructure_rate has to be a number from 0 to 1, not {max_infrastructure_rate!r}"
        raise ConfigurationError(told)
