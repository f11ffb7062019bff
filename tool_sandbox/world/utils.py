"""Filtering frames, and small helpers that tools and scenarios share."""

import contextlib
import datetime
import functools
import inspect
import logging
import uuid
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Protocol

import attrs
import polars as pl

from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN as NOT_GIVEN
from tool_sandbox.world.not_given import NotGiven as NotGiven
from tool_sandbox.world.tool import add_tool_trace as add_tool_trace
from tool_sandbox.world.tool import register_as_tool as register_as_tool
from tool_sandbox.world.validators import typechecked as typechecked

# Frame filters -------------------------------------------------------------------------------


class DataframeFilterMethodType(Protocol):
    """A filter: keeps the rows of a frame whose column fits a value."""

    def __call__(self, dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
        """Returns the rows that fit."""


def exact_match_filter_dataframe(dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
    """Keeps rows whose cell equals ``value``; null cells never match.

    Args:
        dataframe: Any frame.
        column_name: Column to look at.
        value: Wanted cell; ``None`` matches nothing.
        **kwargs: Ignored.

    Returns:
        The matching rows.
    """
    if value is None:
        return dataframe.clear()
    return dataframe.filter(pl.col(column_name) == value)


def subsequence_filter_dataframe(dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
    """Keeps rows whose text contains ``str(value)`` literally.

    Args:
        dataframe: Any frame.
        column_name: A text column.
        value: Wanted part of the text.
        **kwargs: Ignored.

    Returns:
        The matching rows.
    """
    return dataframe.filter(pl.col(column_name).str.contains(str(value), literal=True))


def range_filter_dataframe(dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
    """Keeps rows whose cell lies between ``value`` and ``value + value_delta``, both included.

    Args:
        dataframe: Any frame.
        column_name: A column of numbers or datetimes.
        value: One bound.
        **kwargs: ``value_delta``, the signed distance of the other bound.

    Returns:
        The matching rows.

    Raises:
        KeyError: ``value_delta`` is missing.
    """
    other = value + kwargs["value_delta"]
    return dataframe.filter(pl.col(column_name).is_between(min(value, other), max(value, other)))


def lt_eq_filter_dataframe(dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
    """Keeps rows whose cell is at most ``value``."""
    return dataframe.filter(pl.col(column_name) <= value)


def gt_eq_filter_dataframe(dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
    """Keeps rows whose cell is at least ``value``."""
    return dataframe.filter(pl.col(column_name) >= value)


def fuzzy_match_filter_dataframe(dataframe: pl.DataFrame, column_name: str, value: Any, **kwargs: Any) -> pl.DataFrame:
    """Keeps rows whose text resembles ``value``, most similar first.

    Similarity is the weighted ratio of rapidfuzz (0-100) after lower-casing and dropping punctuation.

    Args:
        dataframe: Any frame.
        column_name: A text column; null cells never match.
        value: Text to compare with.
        **kwargs: ``threshold``, the smallest accepted similarity, 90 by default.

    Returns:
        The matching rows, ties in their original order.
    """
    from rapidfuzz import fuzz, process, utils

    hits = process.extract(
        value,
        dataframe.get_column(column_name).to_list(),
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        score_cutoff=kwargs.get("threshold", 90),
        limit=None,
    )
    # With a cutoff of 0 an empty query would otherwise match everything.
    return dataframe[[position for _, score, position in hits if score > 0]]


def filter_dataframe(
    dataframe: pl.DataFrame, filter_criteria: list[tuple[str, Any, DataframeFilterMethodType]]
) -> pl.DataFrame:
    """Applies the filters whose value was given, one after the other.

    Args:
        dataframe: Any frame.
        filter_criteria: ``(column, value, filter)``; a column may occur more than once.

    Returns:
        The rows that pass all of them.

    Raises:
        ValueError: Every value is `NOT_GIVEN`.
    """
    if all(value is NOT_GIVEN for _, value, _ in filter_criteria):
        names = ", ".join(name for name, _, _ in filter_criteria)
        raise ValueError(f"at least one search criterion has to be given: {names}")
    for column_name, value, method in filter_criteria:
        if value is not NOT_GIVEN:
            dataframe = method(dataframe=dataframe, column_name=column_name, value=value)
    return dataframe


def polars_multiply_columns_expression(column_names: list[str]) -> pl.Expr:
    """Product of columns.

    Args:
        column_names: At least one name.

    Returns:
        The expression.

    Raises:
        ValueError: No names.
    """
    if not column_names:
        raise ValueError("at least one column name is needed")
    return functools.reduce(lambda product, name: product * pl.col(name), column_names[1:], pl.col(column_names[0]))


# Small helpers -------------------------------------------------------------------------------


@contextlib.contextmanager
def all_logging_disabled(highest_level: int = logging.CRITICAL) -> Iterator[None]:
    """Silences logging inside a ``with`` block.

    Args:
        highest_level: Highest level that is silenced.

    Yields:
        Nothing. Afterwards the previous level is in force again.
    """
    previous = logging.root.manager.disable
    logging.disable(highest_level)
    try:
        yield
    finally:
        logging.disable(previous)


def attrs_serialize(inst: Any, field: Any, value: Any) -> Any:
    """Value serializer for ``attrs.asdict`` that makes definitions readable.

    Args:
        inst: Instance that is serialised (unused).
        field: Attribute that is serialised (unused).
        value: Its value.

    Returns:
        The name of a function or of what a partial wraps, the source of a lambda, the rows of a
        frame, the text of a string enum, what ``to_dict`` of an attrs object says, anything else
        unchanged.
    """
    if isinstance(value, functools.partial):
        return attrs_serialize(inst, field, value.func)
    if inspect.isroutine(value):
        return value.__name__ if value.__name__ != "<lambda>" else inspect.getsource(value)
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, StrEnum):
        return str(value)
    # An object that describes itself keeps the name of its type that way.
    return value.to_dict() if attrs.has(type(value)) and hasattr(value, "to_dict") else value


def deterministic_uuid(payload: str) -> str:
    """UUID version 5 of a text in the URL namespace (RFC 9562).

    Args:
        payload: Any text.

    Returns:
        The same identifier for the same text, always.
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, payload))


def is_close(value: Any, reference: Any, atol: float | None = None) -> bool:
    """Equality, with an absolute tolerance between numbers.

    Args:
        value: A value.
        reference: What it is compared with.
        atol: Largest accepted difference; applies only when both are ``int`` or ``float``.

    Returns:
        Whether they are close.
    """
    if atol is not None and isinstance(value, (int, float)) and isinstance(reference, (int, float)):
        return abs(value - reference) <= atol
    return bool(value == reference)


def _local_now() -> datetime.datetime:
    context = current_device()
    return datetime.datetime.fromtimestamp(context.now(), context.timezone).replace(tzinfo=None)


def get_tomorrow_datetime() -> datetime.datetime:
    """This time tomorrow on the clock of the current world, naive, in the device's zone."""
    return _local_now() + datetime.timedelta(days=1)


def get_next_iso_weekday_datetime(next_iso_weekday: int) -> datetime.datetime:
    """This time on the coming weekday, today included, naive, in the device's zone.

    Args:
        next_iso_weekday: 1 for Monday to 7 for Sunday.

    Returns:
        The datetime on the clock of the current world.
    """
    now = _local_now()
    return now + datetime.timedelta(days=(next_iso_weekday - now.isoweekday()) % 7)
