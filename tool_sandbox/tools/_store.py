"""Reading and writing rows of the world, shared by the tools that keep contacts, messages and reminders."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from polars.exceptions import DuplicateError, NoDataError
from rapidfuzz import fuzz, process, utils

from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.schema import DatabaseNamespace

Row = tuple[Any, ...]
Filter = Callable[[Sequence[Row], int, Any], Sequence[Row]]
"""Keeps those rows whose cell at a position fits a value."""

MAX_CONTENT_LENGTH = 5_000
"""Longest message or reminder in characters, in corrected worlds."""

_MIN_TOKEN_LENGTH = 3
"""Shorter words must occur literally; longer ones may be inflected or misspelt."""

_MIN_TOKEN_RATIO = 75.0
"""Similarity (0-100) from which two words count as forms of the same word."""


def is_strict() -> bool:
    """Whether the current world follows the corrected rules."""
    return current_device().profile is Profile.STRICT


# Filters -------------------------------------------------------------------------------------


def equal(rows: Sequence[Row], position: int, value: Any) -> Sequence[Row]:
    """Rows whose cell equals the value."""
    return [row for row in rows if row[position] == value]


def at_least(rows: Sequence[Row], position: int, value: Any) -> Sequence[Row]:
    """Rows whose cell is not null and not below the value."""
    return [row for row in rows if row[position] is not None and row[position] >= value]


def at_most(rows: Sequence[Row], position: int, value: Any) -> Sequence[Row]:
    """Rows whose cell is not null and not above the value."""
    return [row for row in rows if row[position] is not None and row[position] <= value]


def similar(threshold: float) -> Filter:
    """Filter for text that resembles the value, most similar first, ties in their order.

    Similarity is the weighted ratio of rapidfuzz after lower-casing and dropping punctuation. In
    corrected worlds the texts must have a word in common too, because the ratio alone finds almost
    anything for a query of one short word.

    Args:
        threshold: Smallest accepted similarity, 0-100, included.

    Returns:
        The filter.
    """

    def keep(rows: Sequence[Row], position: int, value: Any) -> Sequence[Row]:
        if is_strict():
            query = utils.default_process(value).split()
            rows = [row for row in rows if row[position] is not None and _share_a_word(query, row[position])]
        texts = [row[position] for row in rows]
        hits = process.extract(
            value, texts, scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=threshold, limit=None
        )
        return [rows[index] for _, score, index in hits if score > 0]

    return keep


def _share_a_word(query: Sequence[str], text: str) -> bool:
    words = utils.default_process(text).split()
    telling = [token for token in query if len(token) >= _MIN_TOKEN_LENGTH] or query
    return any(_same_word(token, word) for token in telling for word in words)


def _same_word(token: str, word: str) -> bool:
    if token == word:
        return True
    if not (token.isascii() and word.isascii()):
        # Many scripts do not put blanks between words.
        return token in word or word in token or fuzz.ratio(token, word) >= _MIN_TOKEN_RATIO
    if min(len(token), len(word)) < _MIN_TOKEN_LENGTH:
        return False
    return word.startswith(token) or token.startswith(word) or fuzz.ratio(token, word) >= _MIN_TOKEN_RATIO


def find_rows(namespace: DatabaseNamespace, criteria: Iterable[tuple[str, Any, Filter]]) -> list[dict[str, Any]]:
    """Finds the rows of a database that pass all given filters.

    Args:
        namespace: Database.
        criteria: ``(parameter, value, filter)``, applied in order; those with `NOT_GIVEN` are skipped. The
            parameter is named like its column, with ``_lowerbound`` or ``_upperbound`` behind for a bound.

    Returns:
        Fresh dictionaries of all columns, in database order unless `similar` reorders them.

    Raises:
        ValueError: No value was given.
    """
    criteria = list(criteria)
    given = [criterion for criterion in criteria if criterion[1] is not NOT_GIVEN]
    if not given:
        raise ValueError(f"give at least one of {', '.join(name for name, _, _ in criteria)}")
    table = current_device().get_table(namespace)
    rows: Sequence[Row] = table.rows
    for name, value, keep in given:
        column = name.removesuffix("_lowerbound").removesuffix("_upperbound")
        rows = keep(rows, table.schema.positions[column], value)
    return [dict(zip(table.columns, row, strict=True)) for row in rows]


# Writing -------------------------------------------------------------------------------------


def modify_row(namespace: DatabaseNamespace, key_column: str, key: str, changes: dict[str, Any]) -> None:
    """Changes columns of the one row with an id.

    The row keeps its position in corrected worlds and moves to the end in published ones.

    Args:
        namespace: Database.
        key_column: Name of the id column.
        key: The id.
        changes: Column to new value; those that are `NOT_GIVEN` stay.

    Raises:
        NoDataError: No row has this id.
        DuplicateError: More than one row has it.
    """
    context = current_device()
    rows = context.get_table(namespace).dicts()
    matches = [row for row in rows if row[key_column] == key]
    if not matches:
        raise NoDataError(_unknown(namespace, key_column, key))
    if len(matches) > 1:
        raise DuplicateError(f"{len(matches)} {namespace.lower()} entries have the {key_column} {key!r}")
    row = matches[0]
    row.update({name: value for name, value in changes.items() if value is not NOT_GIVEN})
    if context.profile is not Profile.STRICT:
        rows = [other for other in rows if other is not row] + [row]
    context.set_rows(namespace, rows)


def remove_rows(namespace: DatabaseNamespace, key_column: str, key: str) -> None:
    """Removes every row with an id.

    Args:
        namespace: Database.
        key_column: Name of the id column.
        key: The id.

    Raises:
        NoDataError: No row has this id.
    """
    context = current_device()
    rows = context.get_table(namespace).dicts()
    kept = [row for row in rows if row[key_column] != key]
    if len(kept) == len(rows):
        raise NoDataError(_unknown(namespace, key_column, key))
    context.set_rows(namespace, kept)


def _unknown(namespace: DatabaseNamespace, key_column: str, key: str) -> str:
    return f"no {namespace.lower()} entry has the {key_column} {key[:100]!r}"


# Rules of corrected worlds -------------------------------------------------------------------


def validate_stored_text(value: Any, name: str, *, max_length: int) -> None:
    """Refuses text that nobody would keep: blank, overlong, or with control characters.

    Applies in corrected worlds only; anything but a text passes.

    Args:
        value: The text.
        name: Name of the parameter, for the message.
        max_length: Longest accepted text in characters.

    Raises:
        ValueError: The text is refused.
    """
    if not isinstance(value, str) or not is_strict():
        return
    if not value.strip():
        raise ValueError(f"{name} must not be blank")
    if len(value) > max_length:
        raise ValueError(f"{name} is too long: {len(value)} characters, at most {max_length} are accepted")
    if any(unicodedata.category(character) == "Cc" and character not in "\t\n" for character in value):
        raise ValueError(f"{name} must not contain control characters other than tab and newline")
