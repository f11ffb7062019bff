"""What is declared to hold in a table, whatever is done to it."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

RowRule = Callable[[dict[str, Any]], str | None]
"""Given a row, says in a line what is wrong with it; ``None`` if nothing is."""


class BrokenRuleError(ValueError):
    """A tool would have left a table in a state that it must never be in."""


@attrs.frozen
class AtMostOne:
    """At most one row may have certain cells.

    Attributes:
        per: Columns whose cells together occur once; rows in which one of them is empty do not count.
        where: Cells that a row must have to count; all rows do by default.
        words: What is said when two rows have them, with the columns in braces.
    """

    per: tuple[str, ...]
    where: Mapping[str, Any] = attrs.field(factory=dict)
    words: str = ""


@attrs.frozen
class TableRule:
    """What must hold of a table as a whole, checked whenever it has changed.

    Attributes:
        check: Given the table, and the others that it looks at, says in a line what is wrong, ``None`` if nothing is.
        others: Names of other tables that are looked at; a change of them counts, too.
        per: Columns by whose cells the rows fall into parts of which the rule holds one by one: ``check`` is given a
            cell before the tables, once for each that a row has or had which changed, in any of the tables.
    """

    check: Callable[..., str | None]
    others: tuple[str, ...] = ()
    per: tuple[str, ...] = ()
