"""The words in which the tables of an app are declared.

PAGES = table(
    "notes.pages",
    key("page_id"),
    text("title"),
    choice("kind", "page", "list"),
    moment("changed_at"),
    unique=[only_one("title")],
)
"""

from collections.abc import Iterable
from typing import Any

import attrs
import polars as pl

from tool_sandbox.apps.places import placed_error
from tool_sandbox.world.column import Column
from tool_sandbox.world.rules import AtMostOne, RowRule, TableRule
from tool_sandbox.world.table import TableSchema


def key(name: str) -> Column:
    """Texts that identify a row; by convention ``<noun>_id``, from which ids and errors take the noun."""
    return Column(name, pl.String, str, is_nullable=False)


def text(name: str, *, optional: bool = False) -> Column:
    """Texts."""
    return Column(name, pl.String, str, is_nullable=optional)


def texts(name: str) -> Column:
    """Lists of texts, which may be empty."""
    return Column(name, pl.List(pl.String), str, is_list=True, is_nullable=False)


def choice(name: str, *options: str, optional: bool = False) -> Column:
    """One of a few texts."""
    return Column(name, pl.String, str, categories=frozenset(options), is_nullable=optional)


def flag(name: str) -> Column:
    """True or false."""
    return Column(name, pl.Boolean, bool, is_nullable=False)


def whole(name: str, low: int | None = None, high: int | None = None, *, optional: bool = False) -> Column:
    """Whole numbers, from ``low`` to ``high``."""
    return Column(name, pl.Int64, int, minimum=low, maximum=high, is_nullable=optional)


def number(name: str, low: float | None = None, high: float | None = None, *, optional: bool = False) -> Column:
    """Numbers, from ``low`` to ``high``."""
    return Column(name, pl.Float64, float, minimum=low, maximum=high, is_nullable=optional)


def money(name: str, low: int | None = None, high: int | None = None, *, optional: bool = False) -> Column:
    """Amounts of money in minor units (cents), whole numbers; the currency stands in a column of its own."""
    return attrs.evolve(whole(name, low, high, optional=optional), form="money")


def moment(name: str, *, optional: bool = False) -> Column:
    """Moments as local time of the world with its offset, ``2025-05-14T10:24:00-07:00``."""
    return Column(name, pl.String, str, form="moment", is_nullable=optional)


def date(name: str, *, optional: bool = False) -> Column:
    """Dates, ``2025-05-14``."""
    return Column(name, pl.String, str, form="date", is_nullable=optional)


def automatic(column: Column) -> Column:
    """A column that tools set by themselves whenever a row is made or changed: the time of the last change, say."""
    return attrs.evolve(column, is_automatic=True)


def reference(name: str, table: str, *, optional: bool = False) -> Column:
    """Keys of a table of this app or another one, named in full."""
    return Column(name, pl.String, str, references=table, is_nullable=optional)


def references(name: str, table: str) -> Column:
    """Lists of keys of a table."""
    return Column(name, pl.List(pl.String), str, is_list=True, references=table, is_nullable=False)


def only_one(*per: str, words: str = "", **where: Any) -> AtMostOne:
    """At most one row has the same cells in these columns, of the rows that have certain cells in others.

    Args:
        *per: Columns; rows in which one of them is empty do not count.
        words: What is said when two rows have them, with columns in braces: ``"there is a page {title!r} already"``.
        **where: Column to the cell that a row must have to count.
    """
    return AtMostOne(per, where, words)


def table(
    name: str,
    *columns: Column,
    unique: Iterable[AtMostOne] = (),
    row_rules: Iterable[RowRule] = (),
    rules: Iterable[TableRule] = (),
) -> TableSchema:
    """Declares a table of an app.

    Args:
        name: ``app.table``, in lower case.
        *columns: Columns; the first one is the key.
        unique: What only one row may have, beside the key.
        row_rules: Given a row as a dictionary, what is wrong with it; asked of rows that are new or have changed.
        rules: What must hold of the table as a whole, or of several together.

    Raises:
        ConfigurationError: The declaration contradicts itself; says where.
    """
    names = [column.name for column in columns]
    unique = tuple(unique)
    wrong = [
        (not columns, "a table needs columns"),
        (
            len({*names}) < len(names),
            f"two columns have the name {next((n for n in names if names.count(n) > 1), '')!r}",
        ),
        (
            not all(each.isidentifier() and each.islower() for each in name.split(".")) or name.count(".") != 1,
            "the name of a table is app.table in lower case",
        ),
        (
            bool(columns) and (columns[0].element is not str or columns[0].is_list or columns[0].is_nullable),
            "the first column is the key, made with key(...)",
        ),
        *((column.categories == frozenset(), f"column {column.name!r} has no options") for column in columns),
        *((_is_empty(column), f"column {column.name!r} has a range with nothing in it") for column in columns),
        *(
            (each not in names, f"there is no column {each!r}, which a rule names")
            for rule in unique
            for each in (*rule.per, *rule.where)
        ),
    ]
    for is_wrong, line in wrong:
        if is_wrong:
            raise placed_error(f"table {name!r}: {line}")
    return TableSchema(columns, name, names[0], unique, row_rules, rules)


def _is_empty(column: Column) -> bool:
    return column.minimum is not None and column.maximum is not None and column.minimum > column.maximum
