"""Loads what a run left on the disk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tool_sandbox.runner.frame import scenario_results_frame
from tool_sandbox.runner.store import SUMMARY_FILE, Run, RunDirectory, read_json

__all__ = [
    "Run",
    "extract_scenario_results",
    "get_scenario_artifacts_path",
    "get_scenario_pretty_print_path",
    "load_result_summary",
    "load_run",
]


def load_result_summary(path: str | Path) -> dict[str, Any]:
    """Reads a ``result_summary.json``.

    Args:
        path: The file.

    Returns:
        The decoded file; ``docs/results.md`` describes its keys.

    Raises:
        ConfigurationError: It cannot be read or is not JSON.
    """
    summary: dict[str, Any] = read_json(Path(path))
    return summary


def extract_scenario_results(results: Mapping[str, Any]) -> pl.DataFrame:
    """Gives one row a conversation.

    Args:
        results: Content of ``result_summary.json``.

    Returns:
        The table of ``tool_sandbox.runner.frame.scenario_results_frame``.
    """
    return scenario_results_frame(results["per_scenario_results"])


def get_scenario_artifacts_path(result_summary_path: str | Path, *, scenario_name: str) -> Path:
    """Directory of a scenario's trajectory.

    Args:
        result_summary_path: Path of a ``result_summary.json``.
        scenario_name: Name of the scenario (or the ``directory`` of a result, for further seeds and trials).

    Returns:
        ``trajectories/<scenario_name>`` beside the summary. It need not exist.

    Raises:
        AssertionError: The path does not end in ``.json``.
    """
    path = Path(result_summary_path)
    if path.suffix != ".json":
        raise AssertionError(f"expected the path of a .json file, got {path}")
    return path.parent / "trajectories" / scenario_name


def get_scenario_pretty_print_path(result_summary_path: str | Path, *, scenario_name: str) -> Path:
    """Path of a scenario's readable message log, see ``get_scenario_artifacts_path``."""
    return get_scenario_artifacts_path(result_summary_path, scenario_name=scenario_name) / "pretty_print.txt"


def load_run(path: str | Path) -> Run:
    """Loads a run directory, finished or not.

    Args:
        path: The directory, or the ``result_summary.json`` inside it.

    Returns:
        The run. Where the summary is missing, because the run was killed, it is rebuilt and written.

    Raises:
        ConfigurationError: There is no run, or a file is damaged.
    """
    path = Path(path)
    if path.name == SUMMARY_FILE:
        path = path.parent
    summary_path = path / SUMMARY_FILE
    summary = load_result_summary(summary_path) if summary_path.exists() else RunDirectory(path).rebuild_summary()
    return Run(path, summary)
