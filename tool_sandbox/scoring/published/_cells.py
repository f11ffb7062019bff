"""Similarity of one cell with one target value, in Float64.

A factory takes the column name, the target value and the tolerances, and returns the function of the cell,
so that what depends on the target alone is computed once.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from tool_sandbox.scoring.published._rouge import rouge_l
from tool_sandbox.scoring.published._traces import parse_golden, traces_match
from tool_sandbox.world.utils import is_close

CellKernel = Callable[[Any], float]
CellKernelFactory = Callable[[str, Any, Mapping[str, float] | None], CellKernel]


def exact(column_name: str, value: Any, atol_dict: Mapping[str, float] | None = None) -> CellKernel:
    """Equality; a null cell equals a null target and nothing else.

    Raises (when called):
        polars.exceptions.ComputeError: A text is compared with a number.
    """
    target = tuple(value) if isinstance(value, list) else value
    if isinstance(target, float) and target != target:
        return lambda cell: float(isinstance(cell, float) and cell != cell)

    def kernel(cell: Any) -> float:
        if isinstance(cell, list):
            cell = tuple(cell)
        if cell == target:
            return 1.0
        if cell is not None and target is not None and isinstance(cell, str) != isinstance(target, str):
            raise pl.exceptions.ComputeError(f"column {column_name!r}: cannot compare {cell!r} with {target!r}")
        return 0.0

    return kernel


def close(column_name: str, value: Any, atol_dict: Mapping[str, float] | None = None) -> CellKernel:
    """Equality of numbers up to the tolerance of the column."""
    # Assertions by contract: outside code expects this class of error.
    if not isinstance(value, (int, float)):
        raise AssertionError(f"column {column_name!r}: a number is needed for closeness, got {value!r}")
    if atol_dict is None:
        raise AssertionError(f"column {column_name!r}: closeness needs tolerances (atol_dict)")
    atol = atol_dict.get(column_name)
    return lambda cell: 0.0 if cell is None else float(is_close(value=value, reference=cell, atol=atol))


def one(column_name: str, value: Any, atol_dict: Mapping[str, float] | None = None) -> CellKernel:
    """Always 1."""
    return lambda cell: 1.0


def contains(column_name: str, value: Any, atol_dict: Mapping[str, float] | None = None) -> CellKernel:
    """Literal, case-sensitive substring."""
    if not isinstance(value, str):
        raise pl.exceptions.SchemaError(f"column {column_name!r}: a text is needed to search for, got {value!r}")
    return lambda cell: 0.0 if cell is None else float(value in cell)


def tool_trace(column_name: str, value: Any, atol_dict: Mapping[str, float] | None = None) -> CellKernel:
    """Whether any of the traces of a message is one of the golden traces."""
    golden = parse_golden(value)
    return lambda cell: float(traces_match(cell, golden, atol_dict))


def rouge(column_name: str, value: Any, atol_dict: Mapping[str, float] | None = None) -> CellKernel:
    """ROUGE-L; null resembles null alone."""
    if value is None:
        return lambda cell: float(cell is None)
    if not isinstance(value, str):
        raise TypeError(f"column {column_name!r}: ROUGE-L compares texts, got {value!r}")
    return lambda cell: 0.0 if cell is None else rouge_l(value, cell)


def bound_tolerances(measure: Callable[..., Any]) -> tuple[Callable[..., Any], Mapping[str, float] | None] | None:
    """Splits a measure into function and tolerances."""
    if not isinstance(measure, functools.partial):
        return measure, None
    if measure.args or measure.keywords.keys() - {"atol_dict"}:
        return None
    return measure.func, measure.keywords.get("atol_dict")
