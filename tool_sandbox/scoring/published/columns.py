"""Column similarities: how much each cell of a column resembles one target value.

Each function takes a frame and returns a frame with the single column ``similarity``, one row per input row,
values from 0 to 1. The evaluator computes the same numbers cell by cell, without frames, whenever a measure is
one of these functions or a partial that binds ``atol_dict``; any other function of this shape is called with
the frame.
"""

from collections.abc import Callable
from typing import Any, Protocol

import polars as pl

from tool_sandbox.scoring.published import _cells
from tool_sandbox.scoring.published._cells import CellKernel, CellKernelFactory, bound_tolerances

SIMILARITY = "similarity"


class ColumnSimilarityMeasureType(Protocol):
    """Shape of a column similarity."""

    def __call__(
        self, dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
    ) -> pl.DataFrame:
        """Compares every cell of a column with a value."""
        ...


def _similarities(cells: list[Any], kernel: CellKernel, *, null_for_null: bool = False) -> pl.DataFrame:
    values = [None if null_for_null and cell is None else kernel(cell) for cell in cells]
    return pl.DataFrame({SIMILARITY: pl.Series(values, dtype=pl.Float32)})


def _check_comparable(column: pl.Series, value: Any) -> None:
    """Raises where polars cannot compare, whatever the rows hold."""
    dtype = column.dtype
    if isinstance(dtype, pl.Enum) and isinstance(value, str) and value not in dtype.categories:
        raise pl.exceptions.ComputeError(f"{value!r} is not a category of column {column.name!r}")
    is_text = dtype in (pl.String, pl.Enum, pl.Categorical)
    if (is_text and isinstance(value, (int, float))) or (
        (dtype.is_numeric() or dtype == pl.Boolean) and isinstance(value, str)
    ):
        raise pl.exceptions.ComputeError(f"column {column.name!r} ({dtype}) cannot be compared with {value!r}")


def column_exact_match_similarity(
    dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
) -> pl.DataFrame:
    """1 where the cell equals the value."""
    column = dataframe.get_column(column_name)
    value = value.to_list() if isinstance(value, pl.Series) else value
    _check_comparable(column, value)
    kernel = _cells.exact(column_name, value)
    return _similarities(column.to_list(), kernel, null_for_null=value is not None)


def column_close_similarity(
    dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
) -> pl.DataFrame:
    """1 where the number lies within the tolerance of its column."""
    kernel = _cells.close(column_name, value, atol_dict)
    return _similarities(dataframe.get_column(column_name).to_list(), kernel)


def column_one_similarity(
    dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
) -> pl.DataFrame:
    """1 everywhere, also for a column that does not exist."""
    return pl.DataFrame({SIMILARITY: pl.Series([1.0] * len(dataframe), dtype=pl.Float64)})


def column_contains_similarity(
    dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
) -> pl.DataFrame:
    """1 where the text contains the value literally, upper and lower case distinguished."""
    kernel = _cells.contains(column_name, value)
    return _similarities(dataframe.get_column(column_name).to_list(), kernel, null_for_null=True)


def column_tool_trace_exact_match_similarity(
    dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
) -> pl.DataFrame:
    """1 where any recorded trace has the tool and all arguments of any golden trace."""
    kernel = _cells.tool_trace(column_name, value, atol_dict)
    return _similarities(dataframe.get_column(column_name).to_list(), kernel)


def column_rouge_l_similarity(
    dataframe: pl.DataFrame, column_name: str, value: Any, atol_dict: dict[str, float] | None = None
) -> pl.DataFrame:
    """ROUGE-L (F1) of each text with the value."""
    kernel = _cells.rouge(column_name, value)
    return _similarities(dataframe.get_column(column_name).to_list(), kernel)


_FACTORIES: dict[Callable[..., Any], CellKernelFactory] = {
    column_exact_match_similarity: _cells.exact,
    column_one_similarity: _cells.one,
    column_close_similarity: _cells.close,
    column_contains_similarity: _cells.contains,
    column_tool_trace_exact_match_similarity: _cells.tool_trace,
    column_rouge_l_similarity: _cells.rouge,
}
# Cheap measures are asked first: one cell without any resemblance decides the whole row.
_RANKS = {factory: rank for rank, factory in enumerate(_FACTORIES.values())}
_FOREIGN_RANK = len(_RANKS)


def cell_kernel(measure: Callable[..., Any], column_name: str, value: Any) -> tuple[int, CellKernel | None]:
    """Finds the cell-by-cell form of a measure."""
    bound = bound_tolerances(measure)
    factory = _FACTORIES.get(bound[0]) if bound is not None and bound[0].__hash__ is not None else None
    if bound is None or factory is None:
        return _FOREIGN_RANK, None
    return _RANKS[factory], factory(column_name, value, bound[1])
