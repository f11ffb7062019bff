"""Values that are known only after a tool has answered."""

from __future__ import annotations

import copy
import json
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


def bind(fact: Any, context: ExecutionContext, index: int) -> Any:
    """A fact with every value that comes from a trace filled in; ``None`` if one of them has no value."""
    if not attrs.has(type(fact)):
        return fact
    changes: dict[attrs.Attribute[Any], Any] = {}
    for field in attrs.fields(type(fact)):
        value = getattr(fact, field.name)
        if isinstance(value, FromTrace):
            bound = value.resolve(context, index)
        elif isinstance(value, FactBase):
            bound = bind(value, context, index)
        elif isinstance(value, tuple) and any(isinstance(item, (FromTrace, FactBase)) for item in value):
            items = [_bind_item(item, context, index) for item in value]
            bound = None if any(item is None for item in items) else tuple(items)
        else:
            continue
        if bound is None:
            return None
        if bound is not value:
            changes[field] = bound
    return _with(fact, changes) if changes else fact


def _with(fact: Any, changes: dict[attrs.Attribute[Any], Any]) -> Any:
    """A copy with other values, which a tool gave: they are of more types than an author may write."""
    twin = copy.copy(fact)
    for field, value in changes.items():
        object.__setattr__(twin, field.name, field.converter(value) if callable(field.converter) else value)
    return twin


def _bind_item(item: Any, context: ExecutionContext, index: int) -> Any:
    if isinstance(item, FromTrace):
        return item.resolve(context, index)
    return bind(item, context, index) if isinstance(item, FactBase) else item
