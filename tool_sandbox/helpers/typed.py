"""What authors write is checked when it is made: one line says what was given and what would be right."""

import contextlib
import datetime
import functools
import inspect
import re
import reprlib
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, Literal, ParamSpec, TypeVar, Union

import attrs

from tool_sandbox.world.errors import ScenarioError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_EXAMPLES: dict[Any, str] = {
    datetime.time: "datetime.time(17, 0)",
    datetime.date: "datetime.date(2026, 5, 17)",
    datetime.datetime: "datetime.datetime(2026, 5, 17, 17, 0)",
    datetime.timedelta: "datetime.timedelta(minutes=5)",
}


class Typed:
    """Base of attrs classes whose fields hold what their annotations say.

    A value that is yet to be taken from a trace may stand anywhere.
    """

    __slots__ = ()

    def __attrs_post_init__(self) -> None:
        """Checks every field."""
        kind: Any = type(self)
        for name, default, plain, items, hint in _fields(kind):
            value = getattr(self, name)
            # Nearly always so; facts are made by the thousand.
            if value is default or type(value) in plain:
                continue
            if type(value) is not tuple or not items.issuperset(map(type, value)):
                _require(kind.__name__, name, value, hint)


def checked(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Checks the arguments of a function against its annotations."""
    signature, hints = inspect.signature(function), typing.get_type_hints(function)

    @functools.wraps(function)
    def checking(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        # Of arguments that are missing or too many, the call itself tells.
        with contextlib.suppress(TypeError):
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                kind = signature.parameters[name].kind
                several = (
                    value if kind is kind.VAR_POSITIONAL else value.values() if kind is kind.VAR_KEYWORD else (value,)
                )
                for each in several:
                    _require(function.__name__, name, each, hints[name])
        return function(*args, **kwargs)

    return checking


def as_tuple(given: str | Iterable[Any]) -> tuple[Any, ...]:
    """Converter of fields that take one text, or several things; what is neither is left to the check of types."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, Iterable) else given


@functools.cache
def _fields(kind: type[Any]) -> tuple[tuple[str, Any, frozenset[Any], frozenset[Any], Any], ...]:
    """Name, default, classes that fit as they are, those of items that do, and annotation of each field."""
    hints = typing.get_type_hints(kind)
    return tuple(
        (field.name, field.default, _plain(hint), _plain_items(hint), hint)
        for field in attrs.fields(kind)
        for hint in [hints[field.name]]
    )


def _plain_items(hint: Any) -> frozenset[Any]:
    arguments = typing.get_args(hint)
    is_list = typing.get_origin(hint) is tuple and arguments[-1] is Ellipsis
    return _plain(arguments[0]) if is_list else frozenset()


def _plain(hint: Any) -> frozenset[Any]:
    members = _members(hint)
    return frozenset(members) | ({int} if float in members else set())


def _members(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (Union, types.UnionType) else (hint,)


def _require(owner: str, name: str, value: Any, hint: Any) -> None:
    if _fits(value, hint):
        return
    right = re.sub(r"\b(?:tool_sandbox|typing|collections)\.(?:\w+\.)*", "", inspect.formatannotation(hint))
    example = next((_EXAMPLES[member] for member in _members(hint) if member in _EXAMPLES), None)
    shown = f", such as {example}" if example else ""
    raise ScenarioError(f"{owner}: {name} takes {right.replace(' | ', ' or ')}{shown}; got {reprlib.repr(value)}")


def _fits(value: Any, hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or isinstance(hint, TypeVar) or hasattr(value, "resolve"):
        return True
    if origin in (Union, types.UnionType):
        return any(_fits(value, member) for member in arguments)
    if origin is Literal:
        return value in arguments
    if origin is tuple and isinstance(value, tuple):
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if origin is dict and isinstance(value, dict):
        return all(_fits(key, arguments[0]) and _fits(item, arguments[1]) for key, item in value.items())
    if isinstance(value, bool):
        return hint is bool
    kind = type(None) if hint is None else (int, float) if hint is float else origin or hint
    return isinstance(value, kind)
