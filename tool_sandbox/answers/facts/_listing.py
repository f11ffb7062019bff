"""Several things that an answer has to name, each with its own value, and things that it must not say."""

import re
import reprlib
from collections.abc import Iterable
from typing import Any

import attrs

from tool_sandbox.answers.facts._document import Document, parse
from tool_sandbox.answers.facts._entity import Entity
from tool_sandbox.answers.facts._judge import term_pattern
from tool_sandbox.answers.facts._quote import Quote
from tool_sandbox.answers.facts._reading import FactBase, Reading, as_facts, as_terms
from tool_sandbox.world.errors import ScenarioError

# "A is warmer than B: 20 °C versus 12 °C" lists its values too.
_RESPECTIVELY = re.compile(
    r"\brespectively\b|\bin (?:that|this|the same) order\b"
    r"|\bthan\b[^.;:!?()\d]{1,60}[:(](?:(?!\b(?:in|at|for)\b)[^:;!?()a-z]|[a-z]){1,30} (?:versus|vs\.?|against"
    r"|compared (?:to|with)) "
)


def _as_facts(items: Any) -> Any:
    return tuple(Entity(i) if isinstance(i, str) else i for i in items) if isinstance(items, Iterable) else items


def _all_of(readings: list[Reading]) -> Reading:
    order = (Reading.CONTRADICTED, Reading.SILENT, Reading.UNCLEAR)
    return next((reading for reading in order if reading in readings), Reading.STATED)


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
        reading = _all_of([item.read(text) for item in self.items])
        is_disordered = reading is Reading.STATED and self.ordered and not self._is_in_order(text)
        is_wrong = is_disordered or (self.exhaustive and self._names_others(text))
        return Reading.CONTRADICTED if is_wrong else reading

    def _names_others(self, text: str) -> bool:
        names = {name for item in self.items if isinstance(item, Entity) for name in (item.name, *item.aliases)}
        belonging = tuple(name for name in names if isinstance(name, str))
        others = (name for name in self.universe if name not in names)
        are_texts = any(isinstance(item, Quote) for item in self.items)
        wrong = (Quote(name) if are_texts else Entity(name, apart_from=belonging) for name in others)
        return any(fact.read(text) in (Reading.STATED, Reading.UNCLEAR) for fact in wrong)

    def _is_in_order(self, text: str) -> bool:
        found = [item.mentions(parse(text)) for item in self.items if hasattr(item, "mentions")]
        places = [min(rights) for each in found if (rights := [mention.start for mention in each if mention.right])]
        return places == sorted(places)


@attrs.frozen
class Absent(FactBase):
    """``facts`` that must not be said: an invented figure, somebody's secret number.

    For a value (number, phone number, name, quote, date) any mention breaks it, even one that is denied or asked; for
    other facts a statement. ``AnswerSimilarity`` looks at every message of the agent to the user in scope, also those
    before the answer.
    """

    facts: tuple[Any, ...] = attrs.field(converter=as_facts)

    def read(self, text: str) -> Reading:
        """Contradicted if one of the facts is mentioned, else stated."""
        values = [fact for fact in self.facts if hasattr(fact, "mentions")]
        is_mentioned = any(mention.right for fact in values for mention in fact.mentions(parse(text)))
        is_said = is_mentioned or any(fact.read(text) is Reading.STATED for fact in self.facts if fact not in values)
        return Reading.CONTRADICTED if is_said else Reading.STATED


def _with_subjects(pairs: Any) -> tuple[Any, ...]:
    return tuple(map(_with_subject, pairs if isinstance(pairs, Iterable) else (pairs,)))


def _with_subject(pair: Any) -> FactBase:
    """A value as a fact about its thing; a fact that already knows its subject stays as it is."""
    match pair:
        case FactBase():
            return pair
        case (thing, FactBase() as fact) if "about" in attrs.fields_dict(type(fact)):
            return attrs.evolve(fact, about=as_terms(thing))  # type: ignore[call-arg]
    raise ScenarioError(
        "Paired: pairs takes pairs of a thing and a fact with about, such as ('Oslo', Number(4.5)); "
        f"got {reprlib.repr(pair)}"
    )


@attrs.frozen
class Paired(FactBase):
    """Values of several things of one kind: "Berlin 12.3 °C, Oslo 4.5 °C".

    Every value must stand with its own thing; the same figures the other way round contradict. Things and values may
    also come as two lists: "Berlin and Oslo have 12.3 °C and 4.5 °C respectively".

    Args:
        pairs: Pairs of a thing (its name, or several names of it) and a fact with ``about``: a number, a time, a phone
            number.
    """

    pairs: tuple[Any, ...] = attrs.field(converter=_with_subjects)

    def read(self, text: str) -> Reading:
        """Stated if all values stand with their things; contradicted if one does not."""
        return self._read_lists(parse(text)) or _all_of([fact.read(text) for fact in self.pairs])

    def _read_lists(self, document: Document) -> Reading | None:
        """The reading of a sentence that lists things and then values; ``None`` if there is no such sentence."""
        for match in _RESPECTIVELY.finditer(document.own):
            start, end = document.sentence_at(match.start())
            found = [{(each.start, each.end): each.right for each in fact.mentions(document)} for fact in self.pairs]
            values = {span for one in found for span, right in one.items() if right is not None}
            terms = [term_pattern(fact.about).search(document.text, start, end) for fact in self.pairs]
            names = [term.start() for term in terms if term]
            places = sorted(span for span in values if start <= span[0] < end)
            if len(names) != len(self.pairs) or len(places) != len(names):
                continue
            order = sorted(range(len(names)), key=names.__getitem__)
            is_said = document.is_asserted(start) and not document.is_retracted(start)
            agree = all(found[number].get(place) for place, number in zip(places, order, strict=True))
            return Reading.STATED if is_said and agree else Reading.CONTRADICTED
        return None
