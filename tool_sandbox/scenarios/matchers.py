"""What a cell, an argument or a result may be: plain values, or one of these predicates.

Matchers are data with equality that say of themselves what they are; a plain value stands for itself.
"""

import re
from collections.abc import Iterable
from typing import Any

import attrs

from tool_sandbox.answers.facts import Fact, Reading
from tool_sandbox.answers.facts._reading import read
from tool_sandbox.helpers.json_forms import as_json, fields_of
from tool_sandbox.helpers.typed import Typed, as_tuple
from tool_sandbox.scoring.side_effects import fits, matches

_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s().\-]+(?=\d)")
_SMALL_WORDS = frozenset({"a", "an", "the", "my"})
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FIGURES = {word: str(number) for number, word in enumerate(_NUMBERS)}
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Lower-case words and numbers of a text, without punctuation.

    Apostrophes are dropped, so that ``don't`` and ``dont`` are one word.
    """
    return _WORD.findall(text.replace("'", "").replace("’", "").casefold())


def without_separators(text: str) -> str:
    """A text in which the digits of a number stand side by side, however it was spaced."""
    return _BETWEEN_DIGITS.sub("", text)


@attrs.frozen
class Matcher(Typed):
    """What all matchers share: they describe themselves by their fields."""

    def to_dict(self) -> dict[str, Any]:
        """Type name under ``matcher``, and every field as a JSON value."""
        form: dict[str, Any] = as_json(fields_of(self, "matcher"))
        return form


@attrs.frozen
class Near(Matcher):
    """A number within an absolute tolerance, in the unit of the number itself."""

    value: float
    tolerance: float

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        if isinstance(actual, bool) or not isinstance(actual, (int, float)):
            return False
        return abs(actual - self.value) <= self.tolerance


def _telling(found: Iterable[str]) -> list[str]:
    """Words without those that a note may drop, numbers as figures."""
    return [_FIGURES.get(word, word) for word in found if word not in _SMALL_WORDS]


@attrs.frozen
class SameWords(Matcher):
    """The same words in the same order, whatever the capitals and the punctuation.

    Attributes:
        text: The words wanted.
        extra: How many further words may stand around or between them. Where any may, the wording is the agent's: then
            articles and "my" do not count, and a small number may be a word or a figure.
    """

    text: str
    extra: int = 0

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        if not isinstance(actual, str):
            return False
        wanted, found = words(self.text), words(actual)
        if self.extra:
            wanted, found = _telling(wanted), _telling(found)
        rest, links = iter(found), ("and", "or", "plus")
        if any(found.count(link) > wanted.count(link) for link in links):
            return False  # one thing more
        return len(found) <= len(wanted) + self.extra and all(word in rest for word in wanted)


@attrs.frozen
class Says(Matcher):
    """A text that the agent composed for somebody: it states all facts and leaves out what does not belong there.

    Attributes:
        facts: What the text has to say, in any wording.
        never: Regular expressions, case-insensitive, that must not occur in it; digits also count without separators.
    """

    facts: tuple[Fact, ...] = attrs.field(converter=as_tuple)
    never: tuple[str, ...] = attrs.field(default=(), converter=as_tuple, kw_only=True)

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        if not isinstance(actual, str) or any(read(fact, actual) is not Reading.STATED for fact in self.facts):
            return False
        digits = without_separators(actual)
        return not any(re.search(pattern, form, re.IGNORECASE) for pattern in self.never for form in (actual, digits))


@attrs.frozen
class OneOf(Matcher):
    """Any of several values or matchers."""

    options: tuple[Any, ...] = attrs.field(converter=as_tuple)

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return any(matches(option, actual) for option in self.options)


def _results(found: Any) -> Any:
    """The rows of what a search returned: of a page its results."""
    return found["results"] if isinstance(found, dict) and "results" in found else found


@attrs.frozen
class HasRow(Matcher):
    """A list of rows, or a page of results, of which at least one has these cells."""

    cells: dict[str, Any]

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        rows = _results(actual)
        return isinstance(rows, list) and any(isinstance(row, dict) and fits(self.cells, row) for row in rows)


@attrs.frozen
class Nothing(Matcher):
    """What a search returns that found nothing: null, an empty list or a page without results."""

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return actual is None or _results(actual) == []


@attrs.frozen
class Anything(Matcher):
    """Any value at all, null included."""

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return True
