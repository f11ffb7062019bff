"""Immutable tables and their history: the storage behind ``ExecutionContext``.

A table is kept as Python rows, because worlds are small and written one row at a time; a polars
frame is built (once) when it is asked for. Tables are shared, never copied: by snapshots that
did not change them and by forks.
"""

import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import polars as pl

INDEX_COLUMN = "sandbox_message_index"

Row = tuple[Any, ...]


@attrs.frozen
class Column:
    """One column of a namespace.

    Attributes:
        name: Column name.
        dtype: Polars dtype of the column.
        element: Python type of a cell (``str``, ``float`` or ``bool``), or of its items for a list.
        is_list: Whether a cell holds a list.
        categories: Allowed texts, ``None`` for any.
    """

    name: str
    dtype: Any
    element: type
    is_list: bool = False
    categories: frozenset[str] | None = None

    def normalise(self, value: Any) -> Any:
        """Returns ``value`` as it is stored, or raises if it does not fit.

        Args:
            value: A cell. Integers are accepted for numbers; lists become tuples.

        Returns:
            ``None``, a plain ``str``, ``float`` or ``bool``, or a tuple of plain strings.

        Raises:
            TypeError: The value has the wrong type.
            ValueError: The text is not one of the categories, or cannot be encoded as UTF-8.
        """
        if value is None:
            return None
        if not self.is_list:
            return self._normalise_scalar(value)
        if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, pl.Series)):
            raise TypeError(f"column {self.name!r} holds lists, got {type(value).__name__}")
        return tuple(self._normalise_scalar(item) for item in value)

    def _normalise_scalar(self, value: Any) -> Any:
        element = self.element
        if element is str and isinstance(value, str):
            text = str(value) if type(value) is not str else value
            if self.categories is not None and text not in self.categories:
                raise ValueError(f"column {self.name!r} takes one of {sorted(self.categories)}, got {text!r}")
            if not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError:
                    raise ValueError(f"column {self.name!r}: text is not valid Unicode (lone surrogate)") from None
            return text
        if element is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                raise ValueError(f"column {self.name!r}: the number is too large") from None
        if element is bool and isinstance(value, bool):
            return value
        raise TypeError(f"column {self.name!r} takes {element.__name__}, got {type(value).__name__}: {value!r}")


class TableSchema:
    """Ordered columns of a namespace, without the message index."""

    def __init__(self, columns: Iterable[Column]) -> None:
        """Derives the look-ups that tables share."""
        self.columns = tuple(columns)
        self.names = tuple(column.name for column in self.columns)
        self.positions = {name: position for position, name in enumerate(self.names)}
        self.list_positions = tuple(i for i, column in enumerate(self.columns) if column.is_list)
        self.dtypes: dict[str, Any] = {column.name: column.dtype for column in self.columns}
        self.stored_dtypes: dict[str, Any] = {INDEX_COLUMN: pl.Int32, **self.dtypes}
        self.empty = Table(self, ())

    def row(self, values: Mapping[str, Any]) -> Row:
        """Normalises one row given as a mapping.

        Args:
            values: Column name to cell; missing columns are null, the message index is ignored.

        Returns:
            The row in column order.

        Raises:
            KeyError: An unknown column.
            TypeError: A cell of the wrong type.
            ValueError: A cell with an impossible value.
        """
        if unknown := values.keys() - self.positions.keys() - {INDEX_COLUMN}:
            raise KeyError(f"unknown columns {sorted(unknown)}; this database has {list(self.names)}")
        get = values.get
        return tuple(column.normalise(get(column.name)) for column in self.columns)

    def plain(self, row: Row) -> Row:
        """The row with its list cells as lists, for polars and for callers."""
        if not self.list_positions:
            return row
        cells = list(row)
        for position in self.list_positions:
            if cells[position] is not None:
                cells[position] = list(cells[position])
        return tuple(cells)

    def __reduce__(self) -> tuple[Any, ...]:
        return TableSchema, (self.columns,)


class Table:
    """An immutable list of rows of one namespace.

    Attributes:
        schema: Columns of the rows.
        rows: Rows in insertion order; list cells are tuples.
    """

    __slots__ = ("_frame", "rows", "schema")

    def __init__(self, schema: TableSchema, rows: tuple[Row, ...]) -> None:
        """Wraps rows that are already normalised."""
        self.schema = schema
        self.rows = rows
        self._frame: pl.DataFrame | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names, without the message index."""
        return self.schema.names

    @property
    def frame(self) -> pl.DataFrame:
        """The rows as a polars frame without index column and headguards; built once."""
        if self._frame is None:
            rows = [self.schema.plain(row) for row in self.rows]
            self._frame = pl.DataFrame(rows, schema=self.schema.dtypes, orient="row")
        return self._frame

    def dicts(self) -> list[dict[str, Any]]:
        """Fresh dictionaries, one a row, list cells as lists."""
        names, plain = self.schema.names, self.schema.plain
        return [dict(zip(names, plain(row), strict=True)) for row in self.rows]

    def where(self, **equals: Any) -> list[dict[str, Any]]:
        """Rows whose cells equal the given values; ``None`` matches null.

        Args:
            **equals: Column name to wanted cell.

        Returns:
            Fresh dictionaries in row order.
        """
        wanted = [(self.schema.positions[name], value) for name, value in equals.items()]
        names, plain = self.schema.names, self.schema.plain
        return [
            dict(zip(names, plain(row), strict=True))
            for row in self.rows
            if all(row[position] == value for position, value in wanted)
        ]

    def column(self, name: str) -> list[Any]:
        """Cells of one column in row order."""
        position = self.schema.positions[name]
        return [row[position] for row in self.rows]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as `dicts` gives them."""
        return iter(self.dicts())

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self is other or (self.rows == other.rows and self.schema.names == other.schema.names)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Table":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.schema, self.rows)

    def __repr__(self) -> str:
        return f"Table({len(self.rows)} rows of {', '.join(self.schema.names)})"


class History:
    """All snapshots of one namespace, in the order of their message indices.

    Three parallel lists: message index, number of headguards (rows that are null but for the index
    and mark a snapshot as existing), table. Copying a history copies references only.

    Attributes:
        schema: Columns of the tables.
        indices: Message indices, ascending.
        guards: Number of headguards of each snapshot.
        tables: The snapshots.
        assigned: The frame that the history was made from, until something is written: rows in an
            unusual order come back as they were given.
    """

    __slots__ = ("assigned", "guards", "indices", "schema", "tables")

    def __init__(self, schema: TableSchema) -> None:
        """An empty history; see `start` for the one a world begins with."""
        self.schema = schema
        self.assigned: pl.DataFrame | None = None
        self.indices: list[int] = []
        self.guards: list[int] = []
        self.tables: list[Table] = []

    @classmethod
    def start(cls, schema: TableSchema, rows: tuple[Row, ...] = ()) -> "History":
        """A headguard and, behind it, ``rows``, all at message index 0."""
        history = cls(schema)
        history.put(0, Table(schema, rows) if rows else schema.empty, guards=1)
        return history

    def copy(self) -> "History":
        """A history that shares all tables and can be written independently."""
        twin = History.__new__(History)
        twin.schema = self.schema
        twin.assigned = self.assigned
        twin.indices = self.indices.copy()
        twin.guards = self.guards.copy()
        twin.tables = self.tables.copy()
        return twin

    def has_rows(self) -> bool:
        """Whether any snapshot holds a real row."""
        return any(table.rows for table in reversed(self.tables))

    def last_row_index(self) -> int:
        """Largest message index that has a real row, -1 if none."""
        for position in range(len(self.tables) - 1, -1, -1):
            if self.tables[position].rows:
                return self.indices[position]
        return -1

    def position(self, query_index: int) -> int:
        """Position of the newest snapshot at or before ``query_index``, else of the oldest one."""
        return max(0, bisect.bisect_right(self.indices, query_index) - 1)

    def at(self, index: int) -> tuple[int, Table] | None:
        """Headguards and table stored at exactly this message index."""
        position = bisect.bisect_left(self.indices, index)
        if position < len(self.indices) and self.indices[position] == index:
            return self.guards[position], self.tables[position]
        return None

    def put(self, index: int, table: Table, guards: int) -> None:
        """Stores a snapshot, replacing the one at the same index."""
        self.assigned = None
        position = bisect.bisect_left(self.indices, index)
        if position < len(self.indices) and self.indices[position] == index:
            self.guards[position], self.tables[position] = guards, table
        else:
            self.indices.insert(position, index)
            self.guards.insert(position, guards)
            self.tables.insert(position, table)

    def drop(self, index: int) -> None:
        """Forgets the snapshot at this index, if there is one."""
        self.assigned = None
        position = bisect.bisect_left(self.indices, index)
        if position < len(self.indices) and self.indices[position] == index:
            del self.indices[position], self.guards[position], self.tables[position]

    def stored_rows(self, positions: range | None = None, *, with_guards: bool = True) -> list[Row]:
        """Rows with their message index in front, headguards first within a snapshot.

        Args:
            positions: Snapshot positions to take; all by default.
            with_guards: Whether headguards are included.

        Returns:
            Rows of width ``1 + number of columns``, list cells as lists.
        """
        width, plain = len(self.schema.names), self.schema.plain
        rows: list[Row] = []
        for position in range(len(self.indices)) if positions is None else positions:
            index = self.indices[position]
            if with_guards:
                rows.extend([(index, *([None] * width))] * self.guards[position])
            rows.extend((index, *plain(row)) for row in self.tables[position].rows)
        return rows

    def frame(self, positions: range | None = None, *, with_guards: bool = True) -> pl.DataFrame:
        """`stored_rows` as a polars frame with the index column."""
        rows = self.stored_rows(positions, with_guards=with_guards)
        return pl.DataFrame(rows, schema=self.schema.stored_dtypes, orient="row")

    @classmethod
    def from_rows(cls, schema: TableSchema, rows: Iterable[Mapping[str, Any]]) -> "History":
        """Rebuilds a history from row mappings that carry the message index.

        Rows are grouped by index; within one index their order is kept.

        Args:
            schema: Columns of the namespace.
            rows: Stored rows, headguards included.

        Returns:
            The history.

        Raises:
            KeyError: A row without message index, or with an unknown column.
            TypeError: A cell of the wrong type.
            ValueError: A cell with an impossible value.
        """
        grouped: dict[int, tuple[int, list[Row]]] = {}
        for values in rows:
            index = int(values[INDEX_COLUMN])
            guards, table_rows = grouped.get(index, (0, []))
            row = schema.row(values)
            if all(cell is None for cell in row):
                guards += 1
            else:
                table_rows.append(row)
            grouped[index] = guards, table_rows
        history = cls(schema)
        for index in sorted(grouped):
            guards, table_rows = grouped[index]
            history.put(index, Table(schema, tuple(table_rows)), guards)
        return history

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return self.indices == other.indices and self.guards == other.guards and self.tables == other.tables

    __hash__ = None  # type: ignore[assignment]
