"""What a fact is, what a reader says about a text, and what becomes of unclear readings.

A score is worked out with unclear readings as not stated. `Doubts` collects them meanwhile, and can take those that
nobody has decided for stated, so that one knows what a score depends on.
"""

import datetime
import enum
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import auto
from typing import Any, Protocol, runtime_checkable

import attrs

from tool_sandbox.answers.facts._document import parse
from tool_sandbox.helpers.typed import Typed, as_tuple
from tool_sandbox.world.enums import UpperStrEnum
from tool_sandbox.world.errors import ScenarioError


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


def as_facts(facts: Any) -> tuple[Any, ...]:
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


_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH_WORDS = """
the are be been has have had does did will would can could i you she it they him her us them my your his its our their
this that these those there here what which who when where how not yes and or but if of to from by with about any
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
# German, French, Spanish, Italian, Portuguese and Dutch
_FOREIGN_WORDS = """
der die das und ist nicht ein eine ich du sie wir ihr es den dem mit von zu auf im am wurde habe kein keine an in so
le la les des un une et est pas je tu il elle nous vous sur dans pour avec que qui ne au aux votre vos son ses mon ma
el los las una y no yo tu su sus en por para con se del al lo ha más está son a
gli di che non sono per una della nel suo tuo ho stato o os um uma e não eu você seu sua em na da com foi
de het een en niet ik je wij met van op te voor zijn heeft
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
_FEWEST_WORDS, _ENGLISH_SHARE, _FOREIGN_SHARE = 8, 0.1, 0.25
_LATIN_END = "\u024f"


def is_foreign(text: str) -> bool:
    """Whether a text, as it was written, is mostly in another language: its words, or its script, have to be there."""
    letters = [character for character in text if character.isalpha()]
    if len(letters) >= _FEWEST_WORDS and 2 * sum(letter > _LATIN_END for letter in letters) > len(letters):
        return True
    words = _WORD.findall(text.lower())
    if len(words) < _FEWEST_WORDS or sum(word in _ENGLISH for word in words) > _ENGLISH_SHARE * len(words):
        return False
    return sum(word in _FOREIGN or not word.isascii() for word in words) > _FOREIGN_SHARE * len(words)


def _reading(fact: Fact, text: str) -> Reading:
    reading = fact.read(text)
    return Reading.UNCLEAR if reading is Reading.SILENT and is_foreign(text) else reading


_cached_reading = functools.lru_cache(maxsize=2048)(_reading)


def read(fact: Fact, text: str) -> Reading:
    """What a message says about a fact: ``fact.read(text)``, but unclear where it is silent in another language.

    It is remembered, unless it is very long: the same message is read again for every milestone that may match it.
    """
    return _cached_reading(fact, text) if len(text) <= 20_000 else _reading(fact, text)


Decisions = Mapping[tuple[int, str, str], bool]
"""Index of a message, fact in words, and sentence to whether somebody decided that this states it."""


@attrs.frozen
class Doubt:
    """An unclear reading: message, fact (with the value that the world has), sentence, and what somebody decided."""

    message: int
    fact: str
    sentence: str
    is_stated: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON values for a result."""
        return attrs.asdict(self)


@attrs.define
class Doubts:
    """The unclear readings of one conversation, as they come up while it is scored."""

    _decisions: Decisions
    found: dict[tuple[int, str, str], Doubt] = attrs.field(factory=dict, init=False)
    _is_stated: bool = attrs.field(default=False, init=False)

    @contextmanager
    def taken_for(self, *, stated: bool) -> Iterator[None]:
        """Settles what comes up inside by the decisions, and what nobody decided as stated or not."""
        self._is_stated = stated
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def settle(self, fact: Fact, text: str, index: int) -> bool:
        """Notes an unclear reading, with the sentence that is unclear on its own, and says whether it is stated."""
        document = parse(text)
        sentences = (document.text[start:end].strip() for start, end in document.sentences)
        sentence = next((each for each in sentences if fact.read(each) is Reading.UNCLEAR), document.text)
        doubt = self.note(index, fact.describe(), sentence)
        return self._is_stated if doubt.is_stated is None else doubt.is_stated

    def note(self, index: int, fact: str, sentence: str) -> Doubt:
        """Notes that a sentence may or may not state a fact, and says what was decided."""
        place = index, fact, sentence if len(sentence) <= 500 else f"{sentence[:500]}..."
        doubt = self.found[place] = Doubt(*place, self._decisions.get(place))
        return doubt


_CURRENT: ContextVar[Doubts | None] = ContextVar("doubts", default=None)


def is_stated(fact: Fact, text: str, index: int) -> bool:
    """Whether a message states a fact; where that is unclear, what was decided, and not stated by default."""
    reading, doubts = read(fact, text), _CURRENT.get()
    return reading is Reading.STATED or bool(reading is Reading.UNCLEAR and doubts and doubts.settle(fact, text, index))
