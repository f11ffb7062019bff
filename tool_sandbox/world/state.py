"""Storage of a world: one history of snapshots per database, read and written by message index."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, ClassVar

import attrs
import polars as pl

from tool_sandbox.world.profile import Profile
from tool_sandbox.world.schema import DEFAULT_SETTINGS, SCHEMAS, DatabaseNamespace, RoleType
from tool_sandbox.world.table import INDEX_COLUMN, History, Row, Table, TableSchema

_SANDBOX = DatabaseNamespace.SANDBOX
_SENDER = SCHEMAS[_SANDBOX].positions["sender"]
_ACTIVE = SCHEMAS[_SANDBOX].positions["conversation_active"]
_VISIBLE_TO = SCHEMAS[_SANDBOX].positions["visible_to"]


@attrs.define
class DatabaseAccess:
    """Which databases were touched while the access was recorded.

    Attributes:
        reads: Tables that were read.
        writes: Tables that were written.
    """

    reads: set[str] = attrs.field(factory=set)
    writes: set[str] = attrs.field(factory=set)


class _StoredFrames(MutableMapping[str, pl.DataFrame]):
    """The stored frames of a world, headguards and all history included, as a mapping."""

    def __init__(self, world: "WorldState") -> None:
        self._world = world

    def __getitem__(self, namespace: str) -> pl.DataFrame:
        history = self._world._histories[self._world.table_name(namespace)]
        return history.assigned if history.assigned is not None else history.frame()

    def __setitem__(self, namespace: str, frame: pl.DataFrame) -> None:
        namespace = self._world.table_name(namespace)
        history = History.from_rows(self._world._histories[namespace].schema, frame.iter_rows(named=True))
        history.assigned = frame
        self._world._record(namespace, write=True)
        self._world._histories[namespace] = history

    def __delitem__(self, namespace: str) -> None:
        raise TypeError("a namespace cannot be removed from a world")

    def __iter__(self) -> Iterator[str]:
        return iter(self._world._histories)

    def __len__(self) -> int:
        return len(self._world._histories)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, pl.DataFrame]:
        return dict(self)

    def __repr__(self) -> str:
        return repr(dict(self))


class WorldState:
    """The databases of one conversation, with a snapshot per message.

    Attributes:
        profile: Published or corrected behaviour; it decides what an emptied snapshot shows.
    """

    dbs_schemas: ClassVar[dict[DatabaseNamespace, dict[str, Any]]] = {
        namespace: schema.stored_dtypes for namespace, schema in SCHEMAS.items()
    }

    def __init__(self, profile: Profile) -> None:
        """Creates a world with one device, all of its services on, and nothing else."""
        self.profile = profile
        self._access: DatabaseAccess | None = None
        # Members of an enumeration of texts are found by their text, as the tables of apps are.
        self._histories: dict[str, History] = {
            namespace: History.start(schema, (DEFAULT_SETTINGS,) if namespace is DatabaseNamespace.SETTING else ())
            for namespace, schema in SCHEMAS.items()
        }

    def _copy_histories(self) -> dict[str, History]:
        return {namespace: history.copy() for namespace, history in self._histories.items()}

    # Tables of apps --------------------------------------------------------------------------

    def add_tables(self, schemas: Iterable[TableSchema]) -> None:
        """Gives the world further tables, empty ones, with the names that they are declared with.

        Raises:
            ValueError: There is a table of this name.
        """
        for schema in schemas:
            if schema.name in self._histories:
                raise ValueError(f"there are two tables {schema.name!r}")
            self._histories[schema.name] = History.start(schema)

    @property
    def app_schemas(self) -> list[TableSchema]:
        """Declarations of the tables of apps, in the order in which they were added."""
        return [history.schema for name, history in self._histories.items() if name not in SCHEMAS]

    def table_names(self, *, log: bool = False) -> list[str]:
        """Names of all tables of this world: the published ones, then those of apps.

        Args:
            log: Whether the message log is among them.
        """
        return [name for name in self._histories if log or name != _SANDBOX]

    def has_table(self, name: str) -> bool:
        """Whether this world has a table of a name."""
        return name in self._histories

    def table_name(self, name: str) -> str:
        """The name of a table, for a published one as a member of its enumeration.

        Raises:
            ValueError: This world has no such table.
        """
        return name if name in self._histories and name not in SCHEMAS else DatabaseNamespace(name)

    def key_column(self, name: str) -> str | None:
        """Column that identifies a row of a table, ``None`` where there is none."""
        return self._histories[name].schema.key or None

    # Stored frames ---------------------------------------------------------------------------

    @property
    def _dbs(self) -> MutableMapping[str, pl.DataFrame]:
        return _StoredFrames(self)

    @_dbs.setter
    def _dbs(self, frames: Mapping[str, pl.DataFrame]) -> None:
        view = _StoredFrames(self)
        for namespace, frame in frames.items():
            view[namespace] = frame

    # Index look-ups --------------------------------------------------------------------------

    @staticmethod
    def headguard_predicate(column_names: set[str]) -> pl.Expr:
        """Expression that is true for headguards.

        Args:
            column_names: Columns of the frame.

        Returns:
            True for rows that are null in every column but the message index; true for all rows
            when there is no other column.
        """
        others = sorted(column_names - {INDEX_COLUMN})
        if not others:
            return pl.lit(True)
        return pl.all_horizontal(pl.col(name).is_null() for name in others)

    @classmethod
    def drop_headguard(cls, dataframe: pl.DataFrame) -> pl.DataFrame:
        """Removes headguards from a frame, with or without the index column.

        Args:
            dataframe: Any frame.

        Returns:
            The frame without rows that are null in every column but the message index.
        """
        return dataframe.filter(~cls.headguard_predicate(set(dataframe.columns)))

    @property
    def max_sandbox_message_index(self) -> int:
        """Index of the newest message, -1 if there is none."""
        return self._histories[_SANDBOX].last_row_index()

    @property
    def first_user_sandbox_message_index(self) -> int:
        """Index of the first message from the user, -1 if there is none.

        Messages that only the user can see are demonstrations for a simulated user and do not count.
        """
        history = self._histories[_SANDBOX]
        for index, table in zip(history.indices, history.tables, strict=True):
            for row in table.rows:
                if row[_SENDER] == RoleType.USER and row[_VISIBLE_TO] != (RoleType.USER,):
                    return index
        return -1

    def get_most_recent_snapshot_sandbox_message_index(self, namespace: str, query_index: int) -> int:
        """Finds the snapshot that is in force at a message index.

        Args:
            namespace: Database.
            query_index: Message index.

        Returns:
            The largest stored index at or before ``query_index``, else the smallest one; -1 for a
            database that never held a row.

        Raises:
            IndexError: The index lies beyond the message that is being processed.
        """
        history = self._histories[namespace]
        if not history.has_rows():
            return -1
        self._check_range(query_index)
        return history.indices[history.position(query_index)]

    def _check_range(self, query_index: int) -> None:
        newest = self.max_sandbox_message_index
        if query_index > newest + 1:
            raise IndexError(f"message index {query_index} is out of range; the newest message is {newest}")

    # Read ------------------------------------------------------------------------------------

    def get_table(self, namespace: str, sandbox_message_index: int | None = None) -> Table:
        """Reads one snapshot as rows; the fast way to read.

        Args:
            namespace: Database.
            sandbox_message_index: Message index, ``None`` for the newest state.

        Returns:
            The snapshot after that message was processed, without headguards. Two snapshots with
            nothing written in between are the same object.

        Raises:
            IndexError: The index lies beyond the message that is being processed.
        """
        if self._access is not None:
            self._access.reads.add(namespace)
        history = self._histories[namespace]
        if not history.has_rows():
            return history.schema.empty
        if sandbox_message_index is None:
            # Only frames that were assigned can lie beyond the message that is being processed.
            newest = self.max_sandbox_message_index + 1
            is_newest = history.indices[-1] <= newest
            return history.tables[-1 if is_newest else history.position(newest)]
        self._check_range(sandbox_message_index)
        return history.tables[history.position(sandbox_message_index)]

    def get_database(
        self,
        namespace: str,
        sandbox_message_index: int | None = None,
        get_all_history_snapshots: bool = False,
        drop_sandbox_message_index: bool = True,
        drop_headguard: bool = True,
    ) -> pl.DataFrame:
        """Reads one snapshot, or the history up to it, as a frame.

        Args:
            namespace: Database.
            sandbox_message_index: Message index, ``None`` for the newest state.
            get_all_history_snapshots: Whether all snapshots up to that index are returned.
            drop_sandbox_message_index: Whether the index column is left out.
            drop_headguard: Whether headguards are left out.

        Returns:
            Rows in insertion order. The newest snapshot of ``SANDBOX`` is the newest message. A
            database that never held a row gives an empty frame.

        Raises:
            IndexError: The index lies beyond the message that is being processed.
        """
        if drop_headguard and drop_sandbox_message_index and not get_all_history_snapshots:
            # A clone, so that a caller who edits it in place does not edit history.
            return self.get_table(namespace, sandbox_message_index).frame.clone()
        if self._access is not None:
            self._access.reads.add(namespace)
        history = self._histories[namespace]
        if not history.has_rows():
            frame = pl.DataFrame(schema=history.schema.stored_dtypes)
        else:
            query = self.max_sandbox_message_index + 1 if sandbox_message_index is None else sandbox_message_index
            self._check_range(query)
            newest = history.position(query)
            positions = range(0 if get_all_history_snapshots else newest, newest + 1)
            frame = history.frame(positions, with_guards=not drop_headguard)
        return frame.drop(INDEX_COLUMN) if drop_sandbox_message_index else frame

    get_database_snapshot = get_database

    def get_history(self, namespace: str) -> list[tuple[int, Table]]:
        """All stored snapshots of a database.

        Args:
            namespace: Database.

        Returns:
            ``(message index, table)`` in ascending order; empty for a database that never held a row.
        """
        history = self._histories[namespace]
        return list(zip(history.indices, history.tables, strict=True)) if history.has_rows() else []

    # Write -----------------------------------------------------------------------------------

    def _record(self, namespace: str, *, write: bool) -> None:
        if self._access is not None:
            (self._access.writes if write else self._access.reads).add(namespace)

    def _current(self, namespace: str) -> tuple[int, int, Table]:
        """Index being written, with the headguards and table a write starts from."""
        history = self._histories[namespace]
        index = self.max_sandbox_message_index + 1
        stored = history.at(index)
        if stored is not None:
            return index, *stored
        if not history.has_rows():
            return index, 0, history.schema.empty
        position = history.position(index - 1)
        return index, history.guards[position], history.tables[position]

    def _maybe_create_snapshot(self, namespace: str) -> None:
        """Starts the snapshot of the message being processed as a copy of the newest one."""
        history = self._histories[namespace]
        index, guards, table = self._current(namespace)
        if history.at(index) is None and (guards or table.rows):
            history.put(index, table, guards)

    def _replace(self, namespace: str, rows: tuple[Row, ...], index: int, guards: int) -> None:
        history = self._histories[namespace]
        if not rows and not guards:
            if self.profile is Profile.PUBLISHED:
                # As published: without a headguard an emptied snapshot is no snapshot, and the
                # one before it shows again.
                history.drop(index)
                return
            guards = 1
        history.put(index, Table(history.schema, rows), guards)

    def add_to_database(self, namespace: str, rows: list[dict[str, Any]]) -> None:
        """Appends rows: messages to ``SANDBOX``, entries to the newest state of a world database.

        Args:
            namespace: Database.
            rows: Column name to value; missing columns are null. Not modified. A message without
                ``conversation_active`` takes it over from the message before.

        Raises:
            KeyError: Unknown column.
            TypeError: A value of the wrong type.
            ValueError: A row with nothing in it, or an impossible value.
        """
        schema = self._histories[namespace].schema
        new_rows = []
        for values in rows:
            row = schema.row(values)
            if all(cell is None for cell in row):
                raise ValueError(f"a row without any value cannot be added to {namespace}: {values!r}")
            new_rows.append(row)
        if not new_rows:
            return
        self._record(namespace, write=True)
        if namespace == _SANDBOX:
            self._add_messages(new_rows)
            return
        index, guards, table = self._current(namespace)
        end = len(table.rows)
        self._histories[namespace].put(index, table.spliced(end, end, new_rows), guards)

    def _add_messages(self, rows: list[Row]) -> None:
        history = self._histories[_SANDBOX]
        newest = self.max_sandbox_message_index
        active = history.tables[history.position(newest)].rows[-1][_ACTIVE] if newest >= 0 else True
        for index, row in enumerate(rows, start=newest + 1):
            if row[_ACTIVE] is None:
                row = (*row[:_ACTIVE], active, *row[_ACTIVE + 1 :])
            active = row[_ACTIVE]
            stored = history.at(index)
            history.put(index, Table(history.schema, (row,)), stored[0] if stored else 0)

    def remove_from_database(self, namespace: str, predicate: pl.Expr) -> None:
        """Removes rows from the newest state of a world database.

        Args:
            namespace: Database.
            predicate: Expression over its columns; only rows for which it is true are removed.

        Raises:
            KeyError: The message log cannot be shortened.
            polars.exceptions.NoDataError: Nothing matches; nothing is changed.
        """
        if namespace == _SANDBOX:
            raise KeyError("messages cannot be removed from SANDBOX")
        index, guards, table = self._current(namespace)
        frame = table.frame.with_columns(pl.lit(index, dtype=pl.Int32).alias(INDEX_COLUMN))
        matches = frame.with_columns(predicate.alias("match")).get_column("match").to_list()
        if not any(matches):
            raise pl.exceptions.NoDataError(f"no row of {namespace} matches; nothing was removed")
        self._record(namespace, write=True)
        kept = tuple(row for row, match in zip(table.rows, matches, strict=True) if not match)
        self._replace(namespace, kept, index, guards)

    def update_database(self, namespace: str, dataframe: pl.DataFrame) -> None:
        """Replaces the newest state of a world database, or the newest message of ``SANDBOX``.

        Args:
            namespace: Database.
            dataframe: The new rows; index column and unknown columns are ignored.

        Raises:
            polars.exceptions.ColumnNotFoundError: A column is missing.
            polars.exceptions.SchemaError: A column has another dtype.
            ValueError: ``SANDBOX`` holds no message yet.
        """
        history = self._histories[namespace]
        for column in history.schema.columns:
            if column.name not in dataframe.columns:
                raise pl.exceptions.ColumnNotFoundError(f"column {column.name!r} of {namespace} is missing")
            dtype = dataframe.schema[column.name]
            if dtype not in (column.dtype, pl.Null):
                raise pl.exceptions.SchemaError(
                    f"column {column.name!r} of {namespace} has dtype {dtype}, expected {column.dtype}"
                )
        new_rows = [history.schema.row(row) for row in dataframe.select(history.schema.names).iter_rows(named=True)]
        rows = tuple(row for row in new_rows if any(cell is not None for cell in row))
        newest = self.max_sandbox_message_index
        if namespace == _SANDBOX and newest < 0:
            raise ValueError("there is no message to update")
        self._record(namespace, write=True)
        history.put(newest if namespace == _SANDBOX else newest + 1, Table(history.schema, rows), guards=1)

    def set_rows(self, namespace: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replaces the newest state of a world database by rows, in this order and all at once.

        Args:
            namespace: A world database.
            rows: Column name to value; missing columns are null.

        Raises:
            KeyError: Unknown column, or the message log, which is append-only.
            TypeError: A value of the wrong type.
            ValueError: An impossible value.
        """
        if namespace == _SANDBOX:
            raise KeyError("messages cannot be replaced in SANDBOX")
        schema = self._histories[namespace].schema
        new_rows = tuple(schema.row(row) for row in rows)
        index, guards, _ = self._current(namespace)
        self._record(namespace, write=True)
        self._replace(namespace, new_rows, index, guards)

    def change_row(self, namespace: str, key: Any, values: Mapping[str, Any]) -> None:
        """Changes cells of one row; the cost hardly depends on how many other rows there are.

        Args:
            namespace: Table of an app.
            key: Cell of the key column of the row.
            values: Column name to new cell.

        Raises:
            KeyError: No row has this key, or a column is unknown.
            TypeError: A value of the wrong type.
            ValueError: An impossible value.
        """
        index, guards, table = self._current(namespace)
        place = table.keys[key]
        row = table.schema.changed(table.rows[place], values)
        self._record(namespace, write=True)
        self._histories[namespace].put(index, table.spliced(place, place + 1, [row]), guards)

    def remove_rows(self, namespace: str, keys: Collection[Any]) -> None:
        """Removes the rows that have certain keys; the others are not looked into.

        Args:
            namespace: Table of an app.
            keys: Cells of the key column.

        Raises:
            KeyError: No row has one of them.
        """
        index, guards, table = self._current(namespace)
        places = sorted({table.keys[key] for key in keys})
        if not places:
            return
        start, end = places[0], places[-1] + 1
        gone = set(places)
        kept = [table.rows[place] for place in range(start, end) if place not in gone]
        self._record(namespace, write=True)
        self._histories[namespace].put(index, table.spliced(start, end, kept), guards or 1)

    def set_message_fields(self, **values: Any) -> None:
        """Changes columns of the newest message.

        Args:
            **values: Column of ``SANDBOX`` to new value.

        Raises:
            ValueError: There is no message yet.
            KeyError: Unknown column.
            TypeError: A value of the wrong type.
        """
        history = self._histories[_SANDBOX]
        newest = self.max_sandbox_message_index
        stored = history.at(newest)
        if stored is None:
            raise ValueError("there is no message to update")
        row = list(stored[1].rows[-1])
        for name, value in values.items():
            position = history.schema.positions[name]
            row[position] = history.schema.columns[position].normalise(value)
        self._record(_SANDBOX, write=True)
        history.put(newest, Table(history.schema, (*stored[1].rows[:-1], tuple(row))), guards=1)

    @contextlib.contextmanager
    def record_access(self) -> Iterator[DatabaseAccess]:
        """Records which databases are read and written inside the ``with`` block.

        Yields:
            The access, filled while the block runs. Blocks nest; each sees all accesses inside it.
        """
        outer = self._access
        access = self._access = DatabaseAccess()
        try:
            yield access
        finally:
            self._access = outer
            if outer is not None:
                outer.reads |= access.reads
                outer.writes |= access.writes
