"""A text of the agent to its user, with all that it can be held against."""

import datetime
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tool_sandbox.answers.facts._document import Document
from tool_sandbox.answers.facts._judge import Mention
from tool_sandbox.answers.facts._moments import DateMention, TimeMention, dates, masked, times
from tool_sandbox.answers.facts._number import Number
from tool_sandbox.answers.facts._phone import AnyPhone
from tool_sandbox.answers.facts._quantities import quantities
from tool_sandbox.answers.facts._quote import FUNCTION_WORDS, stem
from tool_sandbox.answers.facts._reading import Fact, Reading, read
from tool_sandbox.answers.facts._values import ValueFact, bind
from tool_sandbox.answers.grounding.evidence import Evidence
from tool_sandbox.answers.grounding.world import LABELS, Cells, Stored, World, cells
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.world.schema import KEY_COLUMN

_OFFER = re.compile(
    r"\b(?:if|(?:i can|i could)(?!not|n?'t| not| find\b| see\b)|can i|could i|shall i|should i|want me|would you"
    r"|i would|i'd|once (?:you|i)|whenever|had you|you'd|you would"
    # What holds of the world at large.
    r"|(?<!the )(?<!your )most|usually|typically|normally|as a rule|water (?:boils|freezes|weighs))\b"
)
_TO_MY_KNOWLEDGE = re.compile(r"\bas far as i (?:know|can tell|remember)\b")
_ELSEWHERE = re.compile(
    r"\b(?:utc|gmt|(?:[ecmp][sd]?|ce|ces)t|time zones?|(?:eastern|central|mountain|pacific|local|their|standard) time"
    r"|(?:over )?there|abroad)\b"
    r"|(?:'s|\bis|\bbe) (?:\d[\d:]*(?: ?[ap]m)?|noon|midnight) in (?!the\b)[a-z]"
    r"|\bin [a-z][a-z ]{2,20},? (?:it|that)(?:'s| is| will)\b"
)
_AT_HOME = re.compile(
    r"\b(?:(?:on|by) (?:your|the|this) (?:phone|device|clock|side|end)(?:'s clock)?"
    r"|(?:on |by )?your (?:own |local )?time|for you|where you are|(?<!over )here)\b(?! zone)"
)
_OF_ROW = re.compile(
    r"\b(?:remind(?:s|ed|er|ers)?|expect it|goes off|go off|due|is set|set for|it is for|comes? up|moved to|now for"
    r"|alert|ping|heads-up|message|text|wrote|sent|came|arrived|reached)\b"
)


LONGEST = 1000
"""Characters of a title or message that are compared word by word."""

Stem = tuple[str, int, int]
"""A word without its ending, and where it starts and ends."""
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


@attrs.define(eq=False, slots=False)
class Statement:
    """A text and its surroundings.

    Attributes:
        text: What the agent said.
        document: The same, parsed.
        shown: All that had been shown to the agent.
        others: The same without what look-ups of rows gave, as values.
        words: What the user had said.
        calls: Tool and arguments of every call before; of one that failed only the tool.
        results: Tool and result of every call that worked.
        errors: What the calls that failed said.
        attempted: All calls before, as the agent wrote them.
        world: The tables.
        wanted: What the user wants to be told.
    """

    text: str
    document: Document
    shown: Evidence
    others: list[Any]
    words: list[str]
    calls: list[tuple[str, Mapping[str, Any]]]
    results: list[tuple[str, Any]]
    errors: list[str]
    attempted: list[str]
    world: World
    wanted: tuple[Fact, ...]

    def is_wanted(self, words: str) -> bool:
        """Whether words tell a value that the user wants to be told: it is right, wherever the agent has it from."""
        # Of figures some are right that are only near, unless they are no further off than rounding makes them.
        values = (fact for fact in self.wanted if isinstance(fact, ValueFact))
        exact = (
            attrs.evolve(each, tolerance=None, relative=None) if isinstance(each, Number) else each for each in values
        )
        bound = (bind(fact, self.world.context, self.world.index) for fact in exact)
        return any(fact is not None and read(fact, words) is Reading.STATED for fact in bound)

    def is_said(self, position: int) -> bool:
        """Whether what stands at a position is asserted, and neither denied nor offered."""
        return self.is_asserted(position) and not self.document.is_negated(position)

    def is_asserted(self, position: int) -> bool:
        """Whether what stands at a position is said as a fact, or denied as one, and not offered."""
        begin, stop = self.sentence(position)
        return self.document.is_asserted(position) and not (
            _OFFER.search(self.document.own, begin, position) or _TO_MY_KNOWLEDGE.search(self.document.own, begin, stop)
        )

    def is_elsewhere(self, position: int) -> bool:
        """Whether the sentence of a position speaks of the clock of another zone, and not of this time at home."""
        return position not in self._at_home and bool(_ELSEWHERE.search(self.document.own, *self.sentence(position)))

    @functools.cached_property
    def _at_home(self) -> set[int]:
        """Where the times stand that are said to be those of the phone: each the nearest to such words."""
        nearest: set[int] = set()
        for match in _AT_HOME.finditer(self.document.own):
            begin, stop = self.sentence(match.start())
            beside = [clock for clock in self.clocks if begin <= clock.start < stop]
            if beside:
                nearest.add(min(beside, key=lambda each: max(each.start - match.end(), match.start() - each.end)).start)
        return nearest

    @functools.cached_property
    def is_clock_known(self) -> bool:
        """Whether the agent asked what time it is."""
        return any("current_timestamp" in tool for tool, _ in self.calls)

    def sentence(self, position: int) -> tuple[int, int]:
        """Where the sentence of a position starts and ends."""
        return self.document.sentences[self.document.clause_at(position).sentence]

    def is_of_row(self, position: int) -> bool:
        """Whether the sentence of a position speaks of a reminder that is due, or of a message that came."""
        return _OF_ROW.search(self.document.own, *self.sentence(position)) is not None

    def row_before(self, position: int) -> list[Cells]:
        """What the only reminder or message that the text names is and was, where it stands before a position."""
        named = [*self.named(DatabaseNamespace.REMINDER), *self.named(DatabaseNamespace.MESSAGING)]
        is_one = len({id(rows) for _, _, rows in named}) == 1
        return named[0][2] if is_one and named[0][0] < position else []

    def evidence_of(self, rows: list[Cells]) -> Evidence:
        """What rows hold, and the time of the text."""
        return self._evidence([*map(dict, rows), self.shown.now])

    def named(self, namespace: DatabaseNamespace) -> list[tuple[int, int, list[Cells]]]:
        """Rows of a table that the text calls by name: start, end, and what they are and were."""
        return self._named[namespace]

    @functools.cached_property
    def alluded(self) -> list[tuple[int, int, list[Cells]]]:
        """Reminders that the agent calls in other words, "renewing your library card" or "the card": as `named`."""
        called = self.world.called(DatabaseNamespace.REMINDER)
        titles = {label: [word for word, _, _ in stems(label[:LONGEST])] for label in called}
        holders: dict[str, set[str]] = {}
        for label, title in titles.items():
            for word in title:
                holders.setdefault(word, set()).add(label)
        found = []
        for label, things in ((label, title[1:]) for label, title in titles.items()):
            # Without what is to be done with them they still have to be those of one reminder.
            if things and len(set.intersection(*(holders[word] for word in things))) == 1:
                found += [(*span, called[label]) for span in self._spans_of(things)]
        return sorted(found, key=lambda each: each[0])

    def _spans_of(self, things: list[str]) -> Iterator[tuple[int, int]]:
        """Where words without endings stand one behind the other."""
        for number, (word, start, _) in enumerate(self.stems):
            beside = self.stems[number : number + len(things)] if word == things[0] else []
            if [each for each, _, _ in beside] == things:
                yield start, beside[-1][2]

    @functools.cached_property
    def stems(self) -> tuple[Stem, ...]:
        """The words of the text that say what it is about, without endings: each with where it starts and ends."""
        return stems(self.document.own)

    @functools.cached_property
    def apart(self) -> Evidence:
        """What had been shown, without what look-ups of rows gave."""
        return self._evidence(self.others)

    @functools.cached_property
    def told(self) -> Evidence:
        """What the user had said."""
        return self._evidence(self.words)

    def _evidence(self, values: list[Any]) -> Evidence:
        evidence = Evidence(self.shown.zone, self.shown.now, self.shown.begun)
        for value in values:
            evidence.take(value)
        return evidence

    @functools.cached_property
    def phones(self) -> list[Mention]:
        """Telephone numbers in the text."""
        return AnyPhone().mentions(self.document)

    @functools.cached_property
    def clocks(self) -> list[TimeMention]:
        """Times of day in the agent's own words."""
        return times(self.document.own)

    @functools.cached_property
    def days(self) -> list[DateMention]:
        """Days in the agent's own words."""
        return dates(self.document.own)

    @functools.cached_property
    def named_days(self) -> set[datetime.date]:
        """Dates that the text itself gives, and today."""
        evidence = self._evidence([])
        evidence.days |= {(day.year or 0, day.month, day.day) for day in self.days if day.month and day.day}
        return evidence.dates

    @functools.cached_property
    def operands(self) -> frozenset[float]:
        """Numbers from which others may be worked out: of the user, of this text, lengths, and results that are one."""
        given = self.shown.fields.get("amount", ())
        told = self.told.numbers | self.shown.lengths | self.shown.converted
        return frozenset({*told, *(each.value for each in quantities(self.figures)), *map(float, given)})

    @functools.cached_property
    def figures(self) -> str:
        """The text without the digits that are no amounts."""
        return masked(self.document.text, digit_runs=True, coordinates=False)

    @functools.cached_property
    def unnamed(self) -> str:
        """The agent's own words with a sign at the end of every name of a contact; offsets stay."""
        text = self.document.own
        for start, end, _ in self.named(DatabaseNamespace.CONTACT):
            text = f"{text[:start]}{' ' * (end - start - 1)}#{text[end:]}"
        return text

    @functools.cached_property
    def stored(self) -> Evidence:
        """What the tables hold, and held when the conversation began."""
        moments = (self.world.start, self.world.index)
        tables = dict.fromkeys(self.world.table(namespace, moment) for namespace in KEY_COLUMN for moment in moments)
        return _held(tuple(tables), self.shown.zone, self.shown.now, self.shown.begun)

    @functools.cached_property
    def _named(self) -> dict[DatabaseNamespace, list[tuple[int, int, list[Cells]]]]:
        return {namespace: list(self._find(namespace)) for namespace in LABELS}

    def _find(self, namespace: DatabaseNamespace) -> Iterator[tuple[int, int, list[Cells]]]:
        # Names inside the words of somebody else are no rows that are spoken of; titles stand in quotation marks.
        text = self.document.own if namespace is DatabaseNamespace.CONTACT else self.document.text
        found: list[tuple[int, int, list[Cells]]] = []
        for label, rows in self.world.called(namespace).items():
            for written in {label, _addressed(label)}:
                start = text.find(written) if len(written) > 2 else -1
                while start >= 0:
                    end = start + len(written)
                    if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                        found.append((start, end, rows))
                    start = text.find(written, end)
        found.sort(key=lambda each: (each[0], -each[1]))
        last = -1
        for start, end, rows in found:
            if start >= last:
                yield start, end, rows
                last = end


@functools.lru_cache(maxsize=8)
def _held(tables: tuple[Stored, ...], zone: datetime.tzinfo | None, now: float, begun: float | None) -> Evidence:
    """What tables hold; not to be modified."""
    evidence = Evidence(zone, now, begun)
    for table in tables:
        evidence.take(cells(table))
    return evidence


@functools.lru_cache(maxsize=4096)
def stems(text: str) -> tuple[Stem, ...]:
    """Words without endings, and where they start and end; those left out say nothing of what a text is about."""
    words = ((match.group(), *match.span()) for match in _WORD.finditer(text))
    return tuple((stem(word), start, end) for word, start, end in words if word not in FUNCTION_WORDS)


def _addressed(label: str) -> str:
    """How an agent speaks of what its user wrote in the first person."""
    return re.sub(r"\bmy\b", "your", label)
