"""What a reader says about a text, and what a fact is."""

from __future__ import annotations

import datetime
import enum
import functools
from collections.abc import Iterable
from enum import auto
from typing import Any, Protocol, runtime_checkable

import attrs

from tool_sandbox.common._enums import UpperStrEnum
from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._language import is_foreign
from tool_sandbox.common.typed import Typed, as_tuple


class Reading(UpperStrEnum):
    """What a text says about a fact.

    Attributes:
        STATED: The text asserts the fact, and nothing else about it afterwards.
        CONTRADICTED: The text denies the fact, asserts another value, or several values at once.
        SILENT: The text does not assert anything about the fact; questions, conditions, intentions and guesses are
            silent.
        UNCLEAR: The text can be taken either way: the right value is one of two, a deed is told and denied, or the
            language is not English. It is preferred to a guess.
    """

    STATED = auto()
    CONTRADICTED = auto()
    SILENT = auto()
    UNCLEAR = auto()


@runtime_checkable
class Fact(Protocol):
    """Something that an answer has to say, in whatever words."""

    def read(self, text: str) -> Reading:
        """What a text says about this fact; defined for every text."""

    def describe(self) -> str:
        """One line for reports."""

    def to_dict(self) -> dict[str, Any]:
        """Type name and fields as JSON values."""

    def __hash__(self) -> int: ...


@attrs.frozen
class FactBase(Typed):
    """What all facts share: a readable form and a JSON form. Facts are frozen attrs classes with hashable fields."""

    def to_dict(self) -> dict[str, Any]:
        """Type name under ``fact``, and every field as a JSON value."""
        fields = attrs.fields(type(self))
        return {"fact": type(self).__name__} | {field.name: _json(getattr(self, field.name)) for field in fields}

    def describe(self) -> str:
        """Type and the fields that differ from their defaults, on one line."""
        values = [(field, getattr(self, field.name)) for field in attrs.fields(type(self))]
        shown = ", ".join(f"{field.name}={_plain(value)}" for field, value in values if value != field.default)
        return f"{type(self).__name__}({shown})"


def _json(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [_json(item) for item in value]
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value


def _plain(value: Any) -> str:
    if isinstance(value, FactBase):
        return value.describe()
    if isinstance(value, tuple):
        return f"[{', '.join(_plain(item) for item in value)}]"
    return repr(value) if isinstance(value, str) else str(_json(value))


def as_facts(facts: Any) -> tuple[Fact, ...]:
    """Converter of fields that take one fact or several."""
    return tuple(facts) if isinstance(facts, (tuple, list)) else (facts,)


@attrs.frozen
class AnyOf(FactBase):
    """One of several ``facts``, whichever the answer chooses to tell."""

    facts: tuple[Fact, ...] = attrs.field(converter=as_facts)

    def read(self, text: str) -> Reading:
        """Stated if one of them is; else unclear, else contradicted, if one of them is."""
        readings = {fact.read(text) for fact in self.facts}
        order = (Reading.STATED, Reading.UNCLEAR, Reading.CONTRADICTED)
        return next((reading for reading in order if reading in readings), Reading.SILENT)


def as_terms(value: str | Iterable[str]) -> tuple[str, ...]:
    """Converter of fields that take one term or several."""
    return as_tuple(value)


def require_bound(fact: FactBase, value: Any) -> Any:
    """The value of a fact that can be read: only ``AnswerSimilarity`` can take one from a trace."""
    if hasattr(value, "resolve"):
        raise ScenarioError(
            f"{type(fact).__name__} takes its value from a tool result and cannot be read without a trajectory"
        )
    return value


def _reading(fact: Fact, text: str) -> Reading:
    reading = fact.read(text)
    return Reading.UNCLEAR if reading is Reading.SILENT and is_foreign(text) else reading


_cached_reading = functools.lru_cache(maxsize=2048)(_reading)


def read(fact: Fact, text: str) -> Reading:
    """What a message says about a fact: ``fact.read(text)``, but unclear where it is silent in another language.

    It is remembered, unless it is very long: the same message is read again for every milestone that may match it.
    """
    return _cached_reading(fact, text) if len(text) <= 20_000 else _reading(fact, text)
