"""Several things that an answer has to name, and things that it must not say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from tool_sandbox.common.facts._document import parse
from tool_sandbox.common.facts._entity import Entity
from tool_sandbox.common.facts._judge import judge
from tool_sandbox.common.facts._quote import Quote
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms


def _as_facts(items: Any) -> Any:
    if not isinstance(items, Iterable):
        return items
    return tuple(Entity(item) if isinstance(item, str) else item for item in items)


def _as_tuple(facts: Any) -> tuple[Any, ...]:
    return tuple(facts) if isinstance(facts, (tuple, list)) else (facts,)


@attrs.frozen
class Listing(FactBase):
    """All of several things.

    Args:
        items: Facts, or names.
        ordered: Whether they must be said in this order (where each is mentioned first; facts without a place in the
            text are left out).
        exhaustive: Whether naming anything else of ``universe`` contradicts.
        universe: Names that do not belong to the list.
    """

    items: tuple[Any, ...] = attrs.field(converter=_as_facts)
    ordered: bool = False
    exhaustive: bool = True
    universe: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """Stated if every item is, in order; contradicted if one is, or if something else is listed; else unclear."""
        readings = [item.read(text) for item in self.items]
        if Reading.CONTRADICTED in readings or (self.exhaustive and self._names_others(text)):
            return Reading.CONTRADICTED
        if any(reading is not Reading.STATED for reading in readings):
            return Reading.SILENT if Reading.SILENT in readings else Reading.UNCLEAR
        return Reading.STATED if not self.ordered or self._is_in_order(text) else Reading.CONTRADICTED

    def _names_others(self, text: str) -> bool:
        names = {name for item in self.items if isinstance(item, Entity) for name in (item.name, *item.aliases)}
        belonging = tuple(name for name in names if isinstance(name, str))
        others = [name for name in self.universe if name not in names]
        if any(isinstance(item, Quote) for item in self.items):
            return any(Quote(name).read(text) is Reading.STATED for name in others)
        document = parse(text)
        found = [Entity(name, instead_of=belonging).mentions(document) for name in others]
        return any(judge(document, [each for each in one if each.right]) is Reading.STATED for one in found)

    def _is_in_order(self, text: str) -> bool:
        found = [item.mentions(parse(text)) for item in self.items if hasattr(item, "mentions")]
        places = [min(rights) for each in found if (rights := [mention.start for mention in each if mention.right])]
        return places == sorted(places)


@attrs.frozen
class Absent(FactBase):
    """Something that must not be said: an invented figure, somebody's secret number.

    For a value (number, phone number, name, quote, date) any mention breaks it, even one that is denied or asked; for
    other facts a statement. ``AnswerSimilarity`` looks at every message of the agent to the user in scope, also those
    before the answer.

    Args:
        facts: What must not be said.
    """

    facts: tuple[Any, ...] = attrs.field(converter=_as_tuple)

    def read(self, text: str) -> Reading:
        """Contradicted if one of the facts is mentioned, else stated."""
        return Reading.CONTRADICTED if any(_is_mentioned(fact, text) for fact in self.facts) else Reading.STATED


def _is_mentioned(fact: Any, text: str) -> bool:
    if hasattr(fact, "mentions"):
        return any(mention.right for mention in fact.mentions(parse(text)))
    return bool(fact.read(text) is Reading.STATED)
