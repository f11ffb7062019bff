"""What is missing, and how it is put into words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.check_words import cells_in_words, value_in_words
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.scoring.side_effects import matches
from tool_sandbox.world.schema import KEY_COLUMN

LONGEST_TEXT = 80
"""Characters of a text of the conversation that an explanation quotes."""

Row = Mapping[str, Any]


@attrs.frozen
class Shortfall:
    """What is missing.

    Attributes:
        why: In words.
        message_index: Where the conversation came closest.
    """

    why: str
    message_index: int


def messages(context: ExecutionContext) -> Iterator[tuple[int, dict[str, Any]]]:
    """Message index and row, from the first message of the user on."""
    first = context.first_user_sandbox_message_index
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        if index >= first:
            for row in table.dicts():
                yield index, row


def shortened(text: str) -> str:
    """A text of the conversation on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}..."


def quoted(value: Any) -> str:
    """A value that was found, as the words of a check would show it."""
    return f'"{shortened(value)}"' if isinstance(value, str) else shortened(value_in_words(value))


def differing(wanted: Mapping[str, Any], found: Row) -> list[str]:
    """Cells that are not as wanted: each with what is there, and what was wanted in its place."""
    return [
        f"{name} = {quoted(found[name]) if name in found else 'left out'} instead of {value_in_words(expected)}"
        for name, expected in wanted.items()
        if name not in found or not matches(expected, found[name])
    ]


def key_of(namespace: DatabaseNamespace) -> str:
    """Column that identifies a row."""
    return KEY_COLUMN[namespace]


def shown(row: Row, wanted: Iterable[str]) -> str:
    """The cells of a row that tell it from others, those that matter first."""
    names = [name for name in wanted if name in row] or [name for name in row if not name.endswith("_id")]
    return cells_in_words({name: row[name] for name in names[:3]})


def closest(wanted: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Row, list[str]]:
    """The row that misses the fewest cells, and what it misses; of equals the last."""
    return min(((row, differing(wanted, row)) for row in reversed(rows)), key=lambda entry: len(entry[1]))
