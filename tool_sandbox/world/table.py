"""Immutable tables and their history: the storage behind ``ExecutionContext``.

A table is kept as Python rows, because worlds are small and written one row at a time; a polars
frame is built (once) when it is asked for. Tables are shared, never copied: by snapshots that
did not change them and by forks.
"""

import bisect
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tool_sandbox.world.column import Column as Column
from tool_sandbox.world.rules import AtMostOne, RowRule, TableRule

INDEX_COLUMN = "sandbox_message_index"

Row = tuple[Any, ...]


class TableSchema:
    """What is declared of a table: its ordered columns, without the message index, and what always holds in it.

    Attributes:
        name: Name of the table; that of an app's is ``app.table``, those of the published databases are elsewhere.
        columns: Columns in order.
        key: Column that identifies a row, empty where nothing does.
        unique: What only one row may have, beside the key.
        row_rules: Given a row that is new or has changed, what is wrong with it, ``None`` if nothing is.
        rules: What must hold of the table as a whole.
    """

    def __init__(
        self,
        columns: Iterable[Column],
        name: str = "",
        key: str = "",
        unique: Iterable[AtMostOne] = (),
        row_rules: Iterable[RowRule] = (),
        rules: Iterable[TableRule] = (),
    ) -> None:
        """Derives the look-ups that tables share."""
        self.columns = tuple(columns)
        self.name, self.key = name, key
        self.unique, self.row_rules, self.rules = tuple(unique), tuple(row_rules), tuple(rules)
        self.names = tuple(column.name for column in self.columns)
        self.positions = {name: position for position, name in enumerate(self.names)}
        self.key_position = self.positions.get(key, -1)
        self.list_positions = tuple(i for i, column in enumerate(self.columns) if column.is_list)
        self.dtypes: dict[str, Any] = {column.name: column.dtype for column in self.columns}
        self.stored_dtypes: dict[str, Any] = {INDEX_COLUMN: pl.Int32, **self.dtypes}
        self.empty = Table(self, ())
        self._readers: dict[tuple[Callable[..., Any], tuple[str, ...]], Callable[[Row], Any]] = {}
        self._counted: dict[int, Callable[[Row], Row | None]] = {}

    def reader(self, function: Callable[..., Any], *names: str) -> Callable[[Row], Any]:
        """What calls a function with the cells of columns of a row: the same object whenever it is asked for."""
        if (function, names) not in self._readers:
            positions = [self.positions[name] for name in names]
            self._readers[function, names] = lambda row: function(*(row[position] for position in positions))
        return self._readers[function, names]

    def counted(self, number: int) -> Callable[[Row], Row | None]:
        """What gives the cells of a row that only one row may have, by the number of the declaration."""
        if number not in self._counted:
            per = [self.positions[name] for name in self.unique[number].per]
            where = [(self.positions[name], value) for name, value in self.unique[number].where.items()]

            def cells(row: Row) -> Row | None:
                if any(row[position] != value for position, value in where):
                    return None
                found = tuple(row[position] for position in per)
                return None if None in found else found

            self._counted[number] = cells
        return self._counted[number]

    @property
    def references(self) -> tuple[Column, ...]:
        """Columns whose cells are keys of a table."""
        return tuple(column for column in self.columns if column.references is not None)

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
        # Most cells of a message are empty.
        return tuple(
            [
                column.normalise(cell) if (cell := get(column.name)) is not None or not column.is_nullable else None
                for column in self.columns
            ]
        )

    def is_headguard(self, values: Mapping[str, Any]) -> bool:
        """Whether a stored row marks a snapshot as existing, and is none."""
        return all(values.get(name) is None for name in self.names)

    def changed(self, row: Row, values: Mapping[str, Any]) -> Row:
        """A row with other cells; raises as `row` does."""
        if unknown := values.keys() - self.positions.keys():
            raise KeyError(f"unknown columns {sorted(unknown)}; this database has {list(self.names)}")
        cells = list(row)
        for name, value in values.items():
            position = self.positions[name]
            cells[position] = self.columns[position].normalise(value)
        return tuple(cells)

    def plain(self, row: Row) -> Row:
        """The row with its list cells as lists, for polars and for callers."""
        if not self.list_positions:
            return row
        cells = list(row)
        for position in self.list_positions:
            if cells[position] is not None:
                cells[position] = list(cells[position])
        return tuple(cells)

    def as_dict(self, row: Row) -> dict[str, Any]:
        """A fresh dictionary of a row, list cells as lists."""
        return dict(zip(self.names, self.plain(row), strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return TableSchema, (self.columns, self.name, self.key, self.unique, self.row_rules, self.rules)


class Table:
    """An immutable list of rows of one namespace.

    Indexes are made when first asked for, kept with the table, and shared by everything that shares it. A table that
    differs in a few rows takes over what stays true of it.

    Attributes:
        schema: Columns of the rows.
        rows: Rows in insertion order; list cells are tuples.
    """

    __slots__ = ("_derived", "_frame", "_groups", "_keys", "rows", "schema")

    def __init__(self, schema: TableSchema, rows: tuple[Row, ...]) -> None:
        """Wraps rows that are already normalised."""
        self.schema = schema
        self.rows = rows
        self._frame: pl.DataFrame | None = None
        self._keys: dict[Any, int] | None = None
        self._groups: dict[str, dict[Any, list[int]]] = {}
        self._derived: dict[Callable[[Row], Any], list[Any]] = {}

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

    # Look-ups --------------------------------------------------------------------------------

    @property
    def keys(self) -> Mapping[Any, int]:
        """Key to the position of its row; the last one where a key is not unique."""
        if self._keys is None:
            position = self.schema.key_position
            self._keys = {row[position]: place for place, row in enumerate(self.rows)}
        return self._keys

    def get(self, key: Any) -> dict[str, Any] | None:
        """A fresh dictionary of the row with a key, ``None`` if there is none."""
        place = self.keys.get(key)
        return None if place is None else self.schema.as_dict(self.rows[place])

    def cells(self, key: Any, *names: str) -> Row | None:
        """Some cells of the row with a key, without the rest of it; ``None`` if there is none."""
        place = self.keys.get(key)
        return None if place is None else tuple(self.rows[place][self.schema.positions[name]] for name in names)

    def groups(self, name: str) -> Mapping[Any, list[int]]:
        """Cell of a column, or item of its lists, to the positions of the rows that have it."""
        if name not in self._groups:
            found = dict[Any, list[int]]()
            for place, row in enumerate(self.rows):
                for cell in self._cells(row, name):
                    found.setdefault(cell, []).append(place)
            self._groups[name] = found
        return self._groups[name]

    def with_cell(self, name: str, cell: Any) -> list[dict[str, Any]]:
        """Fresh dictionaries of the rows that have a cell, or an item in a list, in row order; by an index."""
        return [self.schema.as_dict(self.rows[place]) for place in self.groups(name).get(cell, ())]

    def count(self, **cells: Any) -> int:
        """Number of the rows that have all of some cells, or items in lists; by indexes."""
        found = [self.groups(name).get(cell, ()) for name, cell in cells.items()]
        return len(found[0]) if len(found) == 1 else len(set(found[0]).intersection(*found[1:]))

    def derived(self, function: Callable[..., Any], *names: str) -> Sequence[Any]:
        """What a pure function makes of each row, or of its cells in columns; made once for the same function."""
        if names:
            function = self.schema.reader(function, *names)
        if function not in self._derived:
            self._derived[function] = list(map(function, self.rows))
        return self._derived[function]

    def folded(self, *names: str) -> Sequence[str]:
        """Texts of columns without difference of case, one row a text: cells, and items of lists, one a line."""
        return self.derived(_fold, *names)

    # Tables that differ in a few rows --------------------------------------------------------

    def spliced(self, start: int, end: int, rows: Sequence[Row]) -> "Table":
        """The table with other rows in the place of those from ``start`` to before ``end``."""
        table = Table(self.schema, (*self.rows[:start], *rows, *self.rows[end:]))
        if self._keys is not None:
            table._keys = self._spliced_keys(start, end, rows)
        for function, made in self._derived.items():
            table._derived[function] = [*made[:start], *map(function, rows), *made[end:]]
        if len(rows) == end - start or start == end == len(self.rows):
            # No other row moves.
            for name, groups in self._groups.items():
                table._groups[name] = self._spliced_groups(name, groups, start, end, rows)
        return table

    def _spliced_groups(
        self, name: str, groups: dict[Any, list[int]], start: int, end: int, rows: Sequence[Row]
    ) -> dict[Any, list[int]]:
        old, new = ([self._cells(row, name) for row in some] for some in (self.rows[start:end], rows))
        if old == new:
            return groups
        changed = {cell for cells in (*old, *new) for cell in cells}
        made = groups | {cell: list(groups.get(cell, ())) for cell in changed}
        for place, cells in enumerate(old, start=start):
            for cell in cells:
                made[cell].remove(place)
        for place, cells in enumerate(new, start=start):
            for cell in cells:
                bisect.insort(made[cell], place)
        for cell in changed:
            if not made[cell]:
                del made[cell]
        return made

    def _cells(self, row: Row, name: str) -> Iterable[Any]:
        """What an index has a row under."""
        position = self.schema.positions[name]
        cell = row[position]
        return tuple(dict.fromkeys(cell or ())) if position in self.schema.list_positions else (cell,)

    def _spliced_keys(self, start: int, end: int, rows: Sequence[Row]) -> "dict[Any, int] | None":
        keys, position = self._keys, self.schema.key_position
        if keys is None:
            return None
        new = [row[position] for row in rows]
        if new == [row[position] for row in self.rows[start:end]]:
            return keys
        if start == len(self.rows):
            return keys | {key: place for place, key in enumerate(new, start=start)}
        return None

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


def _fold(*cells: Any) -> str:
    texts = (cell if isinstance(cell, str) else "\n".join(map(str, cell)) for cell in cells if cell is not None)
    return "\n".join(texts).casefold()


def difference(before: Table, after: Table) -> tuple[int, int, int]:
    """Where two tables of one schema differ.

    Returns:
        ``(start, end, new_end)``: rows from ``start`` to before ``end`` of the first stand where those from ``start``
        to before ``new_end`` of the second do; all others are the same.
    """
    old, new = before.rows, after.rows
    shared = min(len(old), len(new))
    start = _alike(old, new, shared)
    rest = _alike(old[::-1], new[::-1], shared - start)
    return start, len(old) - rest, len(new) - rest


def _alike(old: Sequence[Row], new: Sequence[Row], most: int) -> int:
    """Number of rows at the beginning that are the same objects, or equal."""
    for place, same in enumerate(map(operator.is_, old[:most], new[:most])):
        if not same and old[place] != new[place]:
            return place
    return most


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
            if values.keys() <= schema.stored_dtypes.keys() and schema.is_headguard(values):
                guards += 1
            else:
                table_rows.append(schema.row(values))
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
