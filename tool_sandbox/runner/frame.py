"""The results of a run as one table."""

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs
import polars as pl
import typing_extensions

from tool_sandbox.records.result import PublishedResult, Result, Statements
from tool_sandbox.records.usage import PartyUsage

_IN_WORDS = {"side_effects": pl.List(pl.String), "user_findings": pl.List(pl.String)}
"""Lists of which the frame has what there is to read."""

_LEFT_OUT = frozenset({"judge", *Statements.__optional_keys__})


def dtype_of(kind: Any) -> Any:
    """The polars dtype of a type in a record or in a view, ``None`` where its shape depends on the data."""
    if typing_extensions.is_typeddict(kind) or attrs.has(kind):
        fields = {name: dtype_of(each) for name, each in get_type_hints(kind).items()}
        return pl.Struct({name: dtype for name, dtype in fields.items() if dtype is not None})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return pl.String
    if origin in (list, tuple):
        return pl.List(dtype_of(arguments[0]))
    if origin is dict:
        return None
    known = [each for each in arguments if each is not NoneType]
    return dtype_of(known[0]) if known else _DTYPES[kind]


_DTYPES = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
_HINTS = get_type_hints(Result)
RESULT = {name: dtype_of(kind) for name, kind in _HINTS.items()} | _IN_WORDS | {"turn_count": pl.Int64}
"""Key of a result to its dtype; turns are counted, though a mean of them is a number too."""

_PUBLISHED: dict[str, Any] = {
    name: RESULT[name] for name in get_type_hints(PublishedResult) if RESULT[name] is not None
}
_MAPPINGS = [name for name in get_type_hints(PublishedResult) if RESULT[name] is None]
_USAGE: dict[str, Any] = dict(dtype_of(PartyUsage).to_schema())
_ADDED: dict[str, Any] = {
    "diverged" if name == "replay" else name: pl.Boolean if name == "replay" else RESULT[name]
    for name in _HINTS
    if name not in get_type_hints(PublishedResult) and name not in _LEFT_OUT
} | {"usage": pl.Struct({party: pl.Struct(_USAGE) for party in ("agent", "user")})}


def scenario_results_frame(results: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Gives one row per conversation."""
    has_added = not results or any("outcome" in result for result in results)
    columns = [_column(results, name, dtype) for name, dtype in _PUBLISHED.items()]
    columns += [_mapping_column(results, name) for name in _MAPPINGS]
    if has_added:
        columns += [_column(results, name, dtype) for name, dtype in _ADDED.items()]
    return pl.DataFrame(columns)


def _column(results: Sequence[Mapping[str, Any]], name: str, dtype: Any) -> pl.Series:
    values = [result.get(name) for result in results]
    if name == "usage":
        values = [None if value is None else {party: _narrow(value.get(party)) for party in value} for value in values]
    elif name == "user_findings":
        values = [None if value is None else [str(finding["kind"]) for finding in value] for value in values]
    elif name == "diverged":
        replays = [result.get("replay") for result in results]
        values = [None if replay is None else bool(replay["divergences"]) for replay in replays]
    elif name == "side_effects":
        values = [None if value is None else [str(effect["description"]) for effect in value] for value in values]
    elif dtype == pl.Float64:
        values = [None if value is None else float(value) for value in values]
    return pl.Series(name, _encodable(values), dtype=dtype)


def _encodable(value: Any) -> Any:
    """The same with ``?`` for every lone surrogate, which a model can write and UTF-8 cannot hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list | tuple):
        return [_encodable(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _encodable(each) for key, each in value.items()}
    return value


def _narrow(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The numbers of a party's usage; sums of floats may have come out whole."""
    if usage is None:
        return None
    values = {name: usage[name] for name in _USAGE}
    return {
        name: float(value) if _USAGE[name] == pl.Float64 and value is not None else value
        for name, value in values.items()
    }


def _mapping_column(results: Sequence[Mapping[str, Any]], name: str) -> pl.Series:
    mappings = [result.get(name) or {} for result in results]
    numbers = sorted({0}.union(*(map(int, mapping) for mapping in mappings)))
    fields = [str(number) for number in numbers]
    dtype = pl.Struct({field: pl.List(pl.Float64) for field in fields})
    floats = [{number: list(map(float, match)) for number, match in mapping.items()} for mapping in mappings]
    rows = [{field: mapping.get(field) for field in fields} for mapping in floats]
    return pl.Series(name, rows, dtype=dtype)
