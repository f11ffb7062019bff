"""Searches whose results come in pages.

A cursor names the snapshot of the world that the first page was taken from, so that all pages of a search are of one
moment, whatever happens in between.
"""

import functools
import hashlib
import heapq
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs

from tool_sandbox.apps.store import rows_of
from tool_sandbox.apps.times import seconds_of
from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN
from tool_sandbox.world.table import Table, TableSchema
from tool_sandbox.world.validators import validate_range

LARGEST_PAGE = 50

_CURSOR = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})\.([0-9a-f]{8})", re.ASCII)

Read = Callable[[TableSchema], Table]
"""Gives a table as it was when the first page was taken."""

Show = Callable[[dict[str, Any], Read], dict[str, Any]]
"""Makes of a row, which is its own to change, what a list of results shows of it."""

Places = Sequence[int]
"""Positions of rows in a table."""


@attrs.frozen
class Condition:
    """What a row must meet to be found.

    Attributes:
        kind: Name of the condition, part of what a cursor belongs to.
        column: Column, or columns, that it looks at.
        value: What is wanted.
        keep: Given a table and positions, those whose rows meet it.
    """

    kind: str
    column: str
    value: Any
    keep: Callable[[Table, Places], Places] = attrs.field(repr=False)


def equals(column: str, value: Any) -> Condition:
    """Rows that have exactly this cell, or a list with it; without difference of case for texts."""
    wanted = value.casefold() if isinstance(value, str) else value

    def keep(table: Table, places: Places) -> Places:
        if not isinstance(value, str):
            found = table.groups(column).get(value, [])
        elif table.schema.columns[table.schema.positions[column]].is_list:
            hits = [places for cell, places in table.groups(column).items() if cell.casefold() == wanted]
            found = hits[0] if len(hits) == 1 else sorted({place for some in hits for place in some})
        else:
            folded = table.folded(column)
            return [place for place in places if folded[place] == wanted]
        return _both(table, places, found)

    return Condition("equals", column, value, keep)


def contains(columns: str | Sequence[str], words: Any) -> Condition:
    """Rows in which every word stands in one of the columns, without difference of case."""
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    wanted = words.casefold().split() if isinstance(words, str) else []

    def keep(table: Table, places: Places) -> Places:
        texts = table.folded(*names)
        for word in wanted:
            if len(places) == len(texts):
                places = [place for place, text in enumerate(texts) if word in text]
            else:
                places = [place for place in places if word in texts[place]]
        return places

    return Condition("contains", ",".join(names), words, keep)


def at_least(column: str, value: Any) -> Condition:
    """Rows whose cell is there and not below (before) the value."""
    return _compared("at_least", column, value, operator.ge)


def at_most(column: str, value: Any) -> Condition:
    """Rows whose cell is there and not above (after) the value."""
    return _compared("at_most", column, value, operator.le)


def before(column: str, value: Any) -> Condition:
    """Rows whose cell is there and below (before) the value."""
    return _compared("before", column, value, operator.lt)


def meets(kind: str, value: Any, test: Callable[..., bool], *columns: str) -> Condition:
    """Rows of which a test is true; slower than the other conditions, so named last.

    Args:
        kind: Name of the condition.
        value: What the test depends on; with `NOT_GIVEN` it is skipped.
        test: Given the cells of some columns, which is much faster, or a row as a dictionary.
        *columns: These columns.
    """

    def keep(table: Table, places: Places) -> Places:
        rows, schema = table.rows, table.schema
        if not columns:
            return [place for place in places if test(schema.as_dict(rows[place]))]
        (first, *others) = [schema.positions[name] for name in columns]
        if not others:
            return [place for place in places if test(rows[place][first])]
        cells_of = operator.itemgetter(first, *others)
        return [place for place in places if test(*cells_of(rows[place]))]

    return Condition(kind, "", value, keep)


def _compared(kind: str, column: str, value: Any, compare: Callable[[Any, Any], bool]) -> Condition:
    def keep(table: Table, places: Places) -> Places:
        position = table.schema.positions[column]
        if table.schema.columns[position].form == "moment":
            bound, moments, never = seconds_of(value), _instants(table, column), seconds_of(None)
            return [place for place in places if compare(moments[place], bound) and moments[place] != never]
        cells = table.column(column)
        return [place for place in places if cells[place] is not None and compare(cells[place], value)]

    return Condition(kind, column, value, keep)


def _instants(table: Table, column: str) -> Sequence[float]:
    return table.derived(table.schema.reader(seconds_of, column))


def _both(table: Table, places: Places, found: Sequence[int]) -> Places:
    if len(places) == len(table.rows):
        return found
    also = set(found)
    return [place for place in places if place in also]


def found_in(table: Table, *conditions: Condition) -> Places:
    """Positions of the rows of a table that meet all conditions, but for those whose value is `NOT_GIVEN`."""
    places: Places = range(len(table.rows))
    for condition in conditions:
        if condition.value is not NOT_GIVEN:
            places = condition.keep(table, places)
    return places


def search(
    schema: TableSchema,
    *conditions: Condition,
    order_by: str = "",
    descending: bool = False,
    show: Sequence[str] | Show = (),
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Finds rows, one page of them.

    Args:
        schema: Table.
        *conditions: What rows must meet; those whose value is `NOT_GIVEN` are skipped.
        order_by: Column that decides the order; that of the table by default. Empty cells come last.
        descending: Whether the largest come first.
        show: Columns that are shown, all by default; or a function that makes of a row what is shown, given the row
            and what reads other tables as they were then.
        limit: Rows of a page.
        cursor: Where to go on, from the page before.

    Returns:
        ``results``, ``total`` (number of all results) and ``next_cursor`` (``None`` on the last page).

    Raises:
        ValueError: Limit or cursor is wrong.
    """
    rows_of(schema)

    def find(read: Read, start: int, end: int) -> tuple[int, list[dict[str, Any]]]:
        table = read(schema)
        places = found_in(table, *conditions)
        page = _first(table, places, order_by, descending, end)[start:]
        return len(places), [_shown(schema.as_dict(table.rows[place]), show, read) for place in page]

    return _page((schema.name, conditions, order_by, descending), find, limit, cursor)


Found = TypeVar("Found")
"""What a search finds before it is made ready to be shown: the position of a row, say."""


def paged(
    query: Any,
    rows: Callable[[Read], Sequence[Found]],
    limit: int,
    cursor: str | None,
    show: Callable[[Found, Read], Any] | None = None,
) -> dict[str, Any]:
    """A page of rows that are put together from several tables.

    Args:
        query: All arguments that decide what is found, in a form that is written the same every time.
        rows: Given what reads tables, all that is found, in order.
        limit: Rows of a page.
        cursor: Where to go on, from the page before.
        show: Makes a row of what is found, where that is none yet; only for the page that is shown.

    Returns:
        A page as `search` gives it.

    Raises:
        ValueError: Limit or cursor is wrong.
    """

    def find(read: Read, start: int, end: int) -> tuple[int, list[Any]]:
        found = rows(read)
        return len(found), [show(each, read) if show else each for each in found[:end][start:]]

    return _page(query, find, limit, cursor)


@attrs.frozen
class Ordered(Sequence[int]):
    """Positions of rows in the order of their keys; of those that nobody asks for it is not found out.

    Attributes:
        places: The positions.
        keys: By position, what decides the order; of equal ones that comes first which comes first in ``places``.
        descending: Whether the largest come first.
    """

    places: Places
    keys: Sequence[Any]
    descending: bool = False

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, wanted: Any) -> Any:
        end = wanted.stop if isinstance(wanted, slice) else None
        if end is None or end < 0:
            return sorted(self.places, key=self.keys.__getitem__, reverse=self.descending)[wanted]
        choose = heapq.nlargest if self.descending else heapq.nsmallest
        return choose(end, self.places, key=self.keys.__getitem__)[wanted]


def newest_first(table: Table, places: Places, column: str) -> Ordered:
    """Positions by a column of moments, the latest first."""
    return Ordered(places, _instants(table, column), descending=True)


def _page(
    query: Any, find: Callable[[Read, int, int], tuple[int, list[Any]]], limit: int, cursor: str | None
) -> dict[str, Any]:
    validate_range(limit, "limit", min_val=1, max_val=LARGEST_PAGE)
    device = current_device()
    mark = hashlib.blake2b(repr(query).encode("utf-8", "replace"), digest_size=4).hexdigest()
    newest = device.max_sandbox_message_index + 1
    snapshot, start, expected = (newest, 0, None) if cursor is None else _read_cursor(cursor, mark, newest)
    read = functools.cache(lambda schema: device.get_table(schema.name, snapshot))
    total, rows = find(read, start, start + limit)
    if expected is not None and total != expected:
        raise ValueError("the results have changed since the first page; search again without a cursor")
    end = start + limit
    following = f"{snapshot}.{end}.{total}.{mark}" if end < total else None
    return {"results": rows, "total": total, "next_cursor": following}


def _read_cursor(cursor: str, mark: str, newest: int) -> tuple[int, int, int]:
    found = _CURSOR.fullmatch(cursor)
    if found is None or found[4] != mark or int(found[1]) > newest or int(found[2]) >= int(found[3]):
        raise ValueError("cursor must be the next_cursor of the page before, with all other arguments as for that page")
    return int(found[1]), int(found[2]), int(found[3])


def _first(table: Table, places: Places, order_by: str, descending: bool, most: int) -> Sequence[int]:
    if not order_by:
        return places[:most]
    position = table.schema.positions[order_by]
    cells: Sequence[Any] = table.column(order_by)
    filled = [place for place in places if cells[place] is not None]
    if table.schema.columns[position].form == "moment":
        cells = _instants(table, order_by)
    first = Ordered(filled, cells, descending)[:most]
    empty = [] if len(filled) == len(places) else [place for place in places if table.rows[place][position] is None]
    return [*first, *empty[: most - len(first)]]


def _shown(row: dict[str, Any], show: Sequence[str] | Show, read: Read) -> dict[str, Any]:
    if callable(show):
        return show(row, read)
    return {name: row[name] for name in show} if show else row
