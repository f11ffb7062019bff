"""Values of facts: taken from the result of a tool, and found in a text."""

import contextlib
import copy
import functools
import json
import operator
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.answers.facts._document import Document, parse
from tool_sandbox.answers.facts._judge import Mention, judge, judge_one
from tool_sandbox.answers.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.helpers.typed import Typed
from tool_sandbox.world.schema import DatabaseNamespace

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext


def _as_path(path: str | int | tuple[str | int, ...]) -> tuple[str | int, ...]:
    if isinstance(path, str):
        return tuple(int(part) if part.isdecimal() else part for part in path.split(".") if part)
    return (path,) if isinstance(path, int) else tuple(path)


def _as_pairs(arguments: dict[str, Any] | tuple[tuple[str, Any], ...] | None) -> tuple[tuple[str, Any], ...]:
    return tuple(arguments.items()) if isinstance(arguments, dict) else tuple(arguments or ())


@attrs.frozen
class FromTrace(Typed):
    """The value of a fact, taken from the result of the last successful call of a tool at or before the answer.

    A path that leads nowhere has no value, and the answer scores 0.

    Args:
        tool: Real name of the tool.
        path: Where in the result the value is: keys and list positions, as a tuple or joined with dots ("0.name");
            empty for the whole result.
        arguments: Only calls that have these values for these arguments count.
    """

    tool: str
    path: tuple[str | int, ...] = attrs.field(default=(), converter=_as_path)
    arguments: tuple[tuple[str, Any], ...] = attrs.field(default=(), converter=_as_pairs)

    def resolve(self, context: "ExecutionContext", index: int) -> Any:
        """The value at message ``index`` of a trajectory; ``None`` if there is none."""
        history = reversed(context.get_history(DatabaseNamespace.SANDBOX))
        rows = (row for position, table in history if position <= index for row in reversed(table.dicts()))
        traces = (json.loads(trace) for row in rows for trace in reversed(row["tool_trace"] or ()))
        fitting = (trace for trace in traces if isinstance(trace, dict) and self._fits(trace))
        with contextlib.suppress(KeyError, IndexError, TypeError):
            return functools.reduce(lambda value, step: value[step], self.path, next(fitting, {}).get("result"))
        return None

    def _fits(self, trace: dict[str, Any]) -> bool:
        given = (trace.get("arguments") or {}).items()
        return trace.get("tool_name") == self.tool and dict(self.arguments).items() <= given

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON values, the tool under ``from_trace``."""
        fields = attrs.asdict(self, recurse=False) | {"path": list(self.path), "arguments": dict(self.arguments)}
        return {"from_trace": fields.pop("tool"), **fields}


@attrs.frozen
class Derived(FromTrace):
    """A number from a tool result, rescaled: ``result * scale + offset``."""

    scale: float = 1.0
    offset: float = 0.0

    def resolve(self, context: "ExecutionContext", index: int) -> Any:
        """The value at message ``index`` of a trajectory; ``None`` if there is no number."""
        value = super().resolve(context, index)
        return value * self.scale + self.offset if type(value) in (int, float) else None


def bind(value: Any, context: "ExecutionContext", index: int) -> Any:
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


@attrs.frozen
class ValueFact(FactBase):
    """A value of one kind, said of ``about``. What is read follows from its mentions alone.

    Args:
        about: Terms that name what the value is of; needed when a text may hold several values of the kind.
    """

    is_name: ClassVar[bool] = False
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms, kw_only=True)

    def read(self, text: str) -> Reading:
        """What a text says about the value; of a name that stands as one of two ("Ann or Bob") it is unclear."""
        document = parse(text)
        return (judge_one if self.is_name else judge)(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every value of the kind, judged."""
        raise NotImplementedError
