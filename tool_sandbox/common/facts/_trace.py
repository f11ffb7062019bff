"""Values that are known only after a tool has answered."""

from __future__ import annotations

import copy
import json
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.common.facts._reading import FactBase
from tool_sandbox.common.typed import Typed

if TYPE_CHECKING:
    from tool_sandbox.common.execution_context import ExecutionContext


def _as_path(path: str | int | tuple[str | int, ...]) -> tuple[str | int, ...]:
    if isinstance(path, str):
        return tuple(int(part) if part.isdecimal() else part for part in path.split(".") if part)
    return (path,) if isinstance(path, int) else tuple(path)


def _as_pairs(arguments: dict[str, Any] | tuple[tuple[str, Any], ...] | None) -> tuple[tuple[str, Any], ...]:
    return tuple(arguments.items()) if isinstance(arguments, dict) else tuple(arguments or ())


@attrs.frozen
class FromTrace(Typed):
    """The value of a fact, taken from the result of a tool call.

    The last successful call of ``tool`` at or before the answer counts. A path that leads nowhere has no value, and the
    answer scores 0.

    Args:
        tool: Real name of the tool.
        path: Where in the result the value is: keys and list positions, as a tuple or joined with dots ("0.name");
            empty for the whole result.
        arguments: Only calls that have these values for these arguments count.
    """

    tool: str
    path: tuple[str | int, ...] = attrs.field(default=(), converter=_as_path)
    arguments: tuple[tuple[str, Any], ...] = attrs.field(default=(), converter=_as_pairs)

    def resolve(self, context: ExecutionContext, index: int) -> Any:
        """The value at message ``index`` of a trajectory; ``None`` if there is none."""
        for trace in _traces_backwards(context, index):
            if trace.get("tool_name") == self.tool and self._fits(trace.get("arguments") or {}):
                return self._follow(trace.get("result"))
        return None

    def _fits(self, arguments: dict[str, Any]) -> bool:
        return all(name in arguments and arguments[name] == value for name, value in self.arguments)

    def _follow(self, value: Any) -> Any:
        for step in self.path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON values, under ``from_trace``."""
        return {"from_trace": self.tool, "path": list(self.path), "arguments": dict(self.arguments)}


@attrs.frozen
class Derived(FromTrace):
    """A number from a tool result, rescaled: ``result * scale + offset``.

    Args:
        scale: Factor.
        offset: Summand.
    """

    scale: float = 1.0
    offset: float = 0.0

    def resolve(self, context: ExecutionContext, index: int) -> Any:
        """The value at message ``index`` of a trajectory; ``None`` if there is no number."""
        value = super().resolve(context, index)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return value * self.scale + self.offset if is_number else None

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON values, under ``from_trace``."""
        return super().to_dict() | {"scale": self.scale, "offset": self.offset}


def _traces_backwards(context: ExecutionContext, index: int) -> Iterator[dict[str, Any]]:
    from tool_sandbox.common.execution_context import DatabaseNamespace

    for position, table in reversed(context.get_history(DatabaseNamespace.SANDBOX)):
        if position > index:
            continue
        for row in reversed(table.dicts()):
            for trace in reversed(row["tool_trace"] or ()):
                decoded = json.loads(trace)
                if isinstance(decoded, dict):
                    yield decoded


def bind(value: Any, context: ExecutionContext, index: int) -> Any:
    """A fact with every value that comes from a trace filled in; ``None`` if one of them has no value."""
    if isinstance(value, FromTrace):
        return value.resolve(context, index)
    if isinstance(value, tuple):
        items = tuple(bind(item, context, index) for item in value)
        is_lost = any(new is None and old is not None for new, old in zip(items, value, strict=True))
        return None if is_lost else value if all(map(operator.is_, items, value)) else items
    if not isinstance(value, FactBase):
        return value
    fields = attrs.fields(type(value))
    old = tuple(getattr(value, field.name) for field in fields)
    new = bind(old, context, index)
    if new is None or new is old:
        return None if new is None else value
    twin = copy.copy(value)
    for field, each in zip(fields, new, strict=True):
        # A tool gave it: it is of more types than an author may write.
        object.__setattr__(twin, field.name, field.converter(each) if callable(field.converter) else each)
    return twin
