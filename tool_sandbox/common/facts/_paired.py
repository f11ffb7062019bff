"""Several things, each with its own value."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from typing import Any

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import term_pattern
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms

# "A is warmer than B: 20 °C versus 12 °C" lists its values too.
_RESPECTIVELY = re.compile(
    r"\brespectively\b|\bin (?:that|this|the same) order\b"
    r"|\bthan\b[^.;:!?()\d]{1,60}[:(](?:(?!\b(?:in|at|for)\b)[^:;!?()a-z]|[a-z]){1,30} (?:versus|vs\.?|against"
    r"|compared (?:to|with)) "
)


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
        document = parse(text)
        listed = self._read_lists(document)
        if listed is not None:
            return listed
        readings = [fact.read(text) for fact in self.pairs]
        order = (Reading.CONTRADICTED, Reading.SILENT, Reading.UNCLEAR)
        return next((reading for reading in order if reading in readings), Reading.STATED)

    def _read_lists(self, document: Document) -> Reading | None:
        """The reading of a sentence that lists things and then values; ``None`` if there is no such sentence."""
        if not _RESPECTIVELY.search(document.own):
            return None
        found = [fact.mentions(document) for fact in self.pairs]
        values = {(each.start, each.end) for one in found for each in one if each.right is not None}
        rights = [{(each.start, each.end) for each in one if each.right} for one in found]
        for start, end in document.sentences:
            if not _RESPECTIVELY.search(document.own, start, end):
                continue
            terms = [term_pattern(fact.about).search(document.text, start, end) for fact in self.pairs]
            names = [term.start() for term in terms if term]
            places = sorted(span for span in values if start <= span[0] < end)
            if len(names) != len(self.pairs) or len(places) != len(names):
                continue
            order = sorted(range(len(names)), key=names.__getitem__)
            is_said = document.is_asserted(start) and not document.is_retracted(start)
            agree = all(place in rights[number] for place, number in zip(places, order, strict=True))
            return Reading.STATED if is_said and agree else Reading.CONTRADICTED
        return None
