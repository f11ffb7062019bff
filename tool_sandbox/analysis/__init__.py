"""Reads runs and says what they mean. Nothing is imported before it is asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tool_sandbox.analysis.data_loading import LoadedRun, Runs, load_run, load_runs

__all__ = ["LoadedRun", "Runs", "load_run", "load_runs"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tool_sandbox.analysis import data_loading

    return getattr(data_loading, name)
