"""Whether the tables of apps are as they were declared to be, asked of what has changed."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tool_sandbox.world.rules import AtMostOne, TableRule
from tool_sandbox.world.table import Row, Table, TableSchema, difference

FEW = 5
"""So many things are looked for one by one among all rows; more of them at once."""

Tables = Callable[[str], Table]
"""Gives a table as it is now by its name."""


def broken_rules(
    schemas: Sequence[TableSchema], written: Sequence[str], before: Mapping[str, Table], now: Tables, read: Tables
) -> Iterator[str]:
    """What is wrong with tables that were right before, in one line each, most telling first.

    Rows that did not change are not looked at again, unless a rule is about the table as a whole.

    Args:
        schemas: Declarations of all tables of apps in this world.
        written: Names of those that may have changed.
        before: These as they were; one that is missing was empty.
        now: Gives them as they are now.
        read: The same, for those that a verdict depends on.
    """
    changed = {
        name: _Change(before.get(name, table.schema.empty), table)
        for name, table in zip(written, map(now, written), strict=True)
        if table is not before.get(name, table.schema.empty)
    }
    if not changed:
        return
    for name, change in changed.items():
        yield from (f"{name}: {line}" for line in change.broken_rules())
    for schema in schemas:
        for column in schema.references:
            yield from _dangling(schema, column.name, str(column.references), changed, read)
        for rule in schema.rules:
            names = (schema.name, *rule.others)
            if not changed.keys().isdisjoint(names):
                tables = [read(name) for name in names]
                parts = [(cell, *tables) for cell in _touched(rule, names, changed)] if rule.per else [tables]
                lines = (rule.check(*part) for part in parts)
                yield from (f"{schema.name}: {line}" for line in lines if line is not None)


def _touched(rule: TableRule, names: Sequence[str], changed: Mapping[str, "_Change"]) -> list[Any]:
    """Cells that say which parts of tables have changed, each once, empty ones left out."""
    changes = [changed[name] for name in names if name in changed]
    cells = [
        row[change.schema.positions[column]]
        for change in changes
        for column in rule.per
        if column in change.schema.positions
        for row in (*change.old, *change.new)
    ]
    return [cell for cell in dict.fromkeys(cells) if cell is not None]


class _Change:
    """What is different between two states of a table."""

    def __init__(self, before: Table, after: Table) -> None:
        start, end, new_end = difference(before, after)
        self.schema, self.after = after.schema, after
        self.old, self.new = before.rows[start:end], after.rows[start:new_end]
        if len(self.old) == len(self.new):
            # Rows that did not change between others that did.
            pairs = [pair for pair in zip(self.old, self.new, strict=True) if pair[0] is not pair[1]]
            self.old, self.new = (tuple(rows) for rows in zip(*pairs, strict=True)) if pairs else ((), ())

    def broken_rules(self) -> Iterator[str]:
        """What is wrong within this table."""
        schema = self.schema
        if schema.key and len(self.after.keys) < len(self.after):
            counts = Counter(row[schema.key_position] for row in self.after.rows)
            twice = next(key for key, count in counts.items() if count > 1)
            yield f"two rows have the {schema.key} {twice!r:.100}"
        # A row that only moved is no news.
        known = set(map(id, self.old))
        for row in self.new:
            if id(row) not in known:
                lines = (rule(schema.as_dict(row)) for rule in schema.row_rules)
                yield from (line for line in lines if line is not None)
        for number, unique in enumerate(schema.unique):
            yield from self._repeated(number, unique)

    def _repeated(self, number: int, unique: AtMostOne) -> Iterator[str]:
        cells_of = self.schema.counted(number)
        new = Counter(cells for row in self.new if (cells := cells_of(row)) is not None)
        # What stood once and stands once again needs no look at the other rows.
        new -= Counter({cells for row in self.old if (cells := cells_of(row)) is not None})
        if not new:
            return
        every = self.after.derived(cells_of)
        counts = Counter(every) if len(new) > FEW else {cells: every.count(cells) for cells in new}
        if (twice := next((cells for cells in new if counts[cells] > 1), None)) is not None:
            yield _words(self.schema, unique, self.after.rows[every.index(twice)])

    @property
    def keys_gone(self) -> set[Any]:
        """Keys that no row has any more."""
        position = self.schema.key_position
        return {row[position] for row in self.old} - self.after.keys.keys()


def _words(schema: TableSchema, unique: AtMostOne, row: Row) -> str:
    values = schema.as_dict(row)
    if unique.words:
        return unique.words.format(**values)
    same = " and ".join(f"{name} {values[name]!r:.100}" for name in (*unique.where, *unique.per))
    return f"only one row may have {same}"


def _dangling(
    schema: TableSchema, column: str, target: str, changed: Mapping[str, _Change], read: Tables
) -> Iterator[str]:
    """References to rows that are not there, among those that could have become so."""
    position = schema.positions[column]
    is_list = position in schema.list_positions

    def keys(row: Row) -> Sequence[Any]:
        cell = row[position]
        return () if cell is None else cell if is_list else (cell,)

    if (own := changed.get(schema.name)) is not None:
        known = read(target).keys
        missing = next((key for row in own.new for key in keys(row) if key not in known), None)
        if missing is not None:
            yield f"{schema.name}: {column} {missing!r:.100} is no key of {target}"
            return
    if (other := changed.get(target)) is not None and (gone := other.keys_gone):
        table = read(schema.name)
        held = {key for row in table.rows for key in keys(row)} if is_list else set(table.column(column))
        if left := sorted(gone & held):
            yield f"{target}: {left[0]!r:.100} is still the {column} of a row of {schema.name}"
