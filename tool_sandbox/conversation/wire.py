"""Plain Python values as JSON, and back.

Nothing is executed or unpickled on either side, so the other end of a channel need not be trusted.
Only the standard library is used: the worker that runs an agent's code loads this file by its path.
"""

import base64
import math
from typing import Any

MAX_DEPTH = 100
_MOST_COLLISIONS = 100
_SCALARS = (bool, int, float, str)


class NotPlainError(TypeError):
    """A value is not made of plain values only, or is nested too deeply."""


def encode(value: Any, depth: int = 0) -> Any:
    """Turns a plain value into what JSON can hold."""
    if depth > MAX_DEPTH:
        raise NotPlainError(f"nested more than {MAX_DEPTH} levels deep")
    kind = type(value)
    if kind is float and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or kind in _SCALARS:
        return value
    if kind is list:
        return [encode(item, depth + 1) for item in value]
    if kind is dict:
        return {"dict": [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in value.items()]}
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if kind in (tuple, set, frozenset):
        return {kind.__name__: [encode(item, depth + 1) for item in value]}
    raise NotPlainError(f"{kind.__name__} is not a plain value")


def decode(value: Any, depth: int = 0) -> Any:
    """Inverse of `encode`."""
    if depth > 2 * MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [decode(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise ValueError("a tagged value has exactly one tag")
    ((tag, body),) = value.items()
    try:
        if tag == "dict":
            keys = _distinct([decode(key, depth + 1) for key, _ in body])
            return {key: decode(item, depth + 1) for key, (_, item) in zip(keys, body, strict=True)}
        if tag == "float":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[body]
        if tag == "bytes":
            return base64.b64decode(body, validate=True)
        items = [decode(item, depth + 1) for item in body]
        if tag == "tuple":
            return tuple(items)
        return {"set": set, "frozenset": frozenset}[tag](_distinct(items))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"malformed value tagged {tag!r}") from error


def _distinct(items: list[Any]) -> list[Any]:
    """Items for a set or the keys of a dict, unless so many share a hash that comparing them would take minutes."""
    if len(items) - len(set(map(hash, items))) > _MOST_COLLISIONS:
        raise ValueError("too many values with the same hash")
    return items
