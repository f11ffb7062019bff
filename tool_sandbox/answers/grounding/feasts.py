"""Holidays of the United States that a text dates."""

import datetime
import functools
import re

from tool_sandbox.answers.facts._moments import DateMention
from tool_sandbox.answers.facts._text import normalise
from tool_sandbox.answers.grounding.statement import Statement

_JOINT = re.compile(
    r",? ?(?:(?:19|20)\d\d,? )?(?:(?:is|comes(?: before that| first)|falls|fell|was|will be|comes"
    r"|follows|arrives|lands|it's|always|on|a"
    r"|this year|next year|week later|\w+ days? (?:away|later)|,|:|\(|=|--) ?)*"
)
_TO = re.compile(r"(?: ?(?:->|:|-|to|until|till|through)) ?(?:\w+day,? )?")
_OBSERVED = re.compile(r"\bobserved\b|\bday off\b")
_ABROAD = re.compile(r"\b(?:orthodox|canad\w+|julian|coptic)\b")
_MADE_SHORT = re.compile(r"(?<=thanksgiving) day$|(?<=christmas) day$|(?<=easter) sunday$")


def dated_holiday(said: Statement, mention: DateMention) -> tuple[str, set[datetime.date]] | None:
    """The holiday that a date is said to be that of, and the dates that it has."""
    begin, _ = said.sentence(mention.start)
    if any(_TO.fullmatch(said.document.own, mention.end, other.start) for other in said.days):
        return None  # The other end of a span.
    years = [mention.year] if mention.year else sorted({today.year + n for today in said.shown.todays for n in (0, 1)})
    for name, match in ((each, found) for each in _names() for found in _find(each, said.document.own, begin)):
        if _JOINT.fullmatch(said.document.own, match.end(), mention.start):
            return name, {date for year in years for date in _dates(year).get(name, ())}
    return None


def is_observed(said: Statement, mention: DateMention) -> bool:
    """Whether the sentence of a date speaks of the day that is taken off instead, or of that of others."""
    sentence = said.sentence(mention.start)
    return any(pattern.search(said.document.own, *sentence) for pattern in (_OBSERVED, _ABROAD))


def _find(name: str, own: str, begin: int) -> list[re.Match[str]]:
    return list(re.compile(rf"\b(?<!'s ){re.escape(name)}(?: day)?\b").finditer(own, begin)) if name in own else []


@functools.lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    """Longest first, as "Christmas Eve" is not Christmas."""
    return tuple(sorted(_dates(2024), key=len, reverse=True))


@functools.lru_cache(maxsize=64)
def _dates(year: int) -> dict[str, set[datetime.date]]:
    import holidays

    calendar = holidays.country_holidays("US", years=year, categories=("public", "unofficial"))
    found: dict[str, set[datetime.date]] = {}
    for date, names in calendar.items():
        for name in normalise(names).split("; "):
            for each in {name, _MADE_SHORT.sub("", name)}:
                if "(" not in each:
                    found.setdefault(each, set()).add(date)
    return found
