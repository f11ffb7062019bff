"""Rows as the kernels read them, and multiset differences between two versions of a table."""

import functools
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

import attrs
import polars as pl

from tool_sandbox.scoring._rows import Row, row_key
from tool_sandbox.world.table import INDEX_COLUMN


class Rows(Protocol):
    """What the kernels need of a table; `tool_sandbox.world.table.Table` has it."""

    @property
    def columns(self) -> Sequence[str]:
        """Column names."""
        ...

    @property
    def rows(self) -> Sequence[Row]:
        """Rows in order, list cells as tuples."""
        ...

    @property
    def frame(self) -> pl.DataFrame:
        """The same as a polars frame, for measures that want one."""
        ...


@attrs.frozen(eq=False, slots=False)
class FrameRows:
    """Rows of a polars frame."""

    frame: pl.DataFrame

    @classmethod
    def without_index(cls, frame: pl.DataFrame) -> "FrameRows":
        """Rows without the message index, where there is one."""
        return cls(frame.drop(INDEX_COLUMN) if INDEX_COLUMN in frame.columns else frame)

    @functools.cached_property
    def columns(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(self.frame.columns)

    @functools.cached_property
    def rows(self) -> tuple[Row, ...]:
        """Rows in order, list cells as tuples."""
        rows = self.frame.rows()
        if any(isinstance(dtype, pl.List) for dtype in self.frame.dtypes):
            rows = [tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row) for row in rows]
        return tuple(rows)


def aligned(rows: Rows, columns: Sequence[str]) -> Sequence[Row]:
    """Rows with their cells in the order of ``columns``."""
    if tuple(rows.columns) == tuple(columns):
        return rows.rows
    positions = {name: position for position, name in enumerate(rows.columns)}
    if missing := [name for name in columns if name not in positions]:
        raise pl.exceptions.ColumnNotFoundError(f"columns {missing} are missing; there are {list(rows.columns)}")
    order = [positions[name] for name in columns]
    return [tuple(row[position] for position in order) for row in rows.rows]


def added_rows(current: Iterable[Row], reference: Counter[Hashable]) -> list[Row] | None:
    """Multiset difference ``current - reference``."""
    left = reference.copy()
    added = []
    for row in current:
        key = row_key(row)
        if left[key] > 0:
            left[key] -= 1
        else:
            added.append(row)
    return None if any(left.values()) else added
