"""Times, days and lengths of time in a statement that nothing shown supports."""

import calendar
import datetime
import itertools
import re
from collections.abc import Iterator

from tool_sandbox.answers.facts._document import Document
from tool_sandbox.answers.facts._moments import DateMention, TimeMention, dates, times
from tool_sandbox.answers.facts._quantities import Quantity, quantities
from tool_sandbox.answers.facts._units import UNITS
from tool_sandbox.answers.grounding.evidence import Evidence
from tool_sandbox.answers.grounding.feasts import dated_holiday, is_observed
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.reading import clocks_of
from tool_sandbox.answers.grounding.statement import Statement

_AHEAD = re.compile(
    r"(?<!once )(?<!twice )(?<!times )\bin"
    r" (?:about |around |roughly |just (?:over |under )?|exactly |less than |under )?$"
)
_AWAY = re.compile(r" (?:ago|from now|away|to go|left|until then|till then)\b")
_GIVES = re.compile(
    r"\b(?:gives|leaves|giving|leaving) you (?:only |just |still |about |around |roughly |over |under )*$"
)
_GIVEN = re.compile(r" (?:from now|until|till|left|to (?:get|go|do)|and)\b|[,.;!]|$")
_OF_IT = re.compile(r"\b(?:it|its|that|this|which|reminder|message|text|one|came|due)\b")
_LEFT = re.compile(r" (?:left|to go)\b")
_APART = re.compile(r" (?:before(?:hand)?|earlier|later|after(?:wards)?|in advance|ahead)\b")
_LIMIT = re.compile(r" (?:in advance|ahead)\b")
_CLOSE = re.compile(
    r"\b(?:(?:an? (?:bit|little|few minutes)|shortly|just|soon|right) (?:before|after|past)|around|about|nearly|almost"
    r"|close to|going on) $"
)
_BOUND = re.compile(r"\b(?:until|till|up to|by|before|after|past|since|from|between)(?: just)? $")
_STAMP = re.compile(r"(?<![\w.])\d{9,10}(?![\w])")
NOTATION = re.compile(r"'? (?:time|clock|notation|format)\b")
_IS_ON = re.compile(r"(?:\b(?:is|was|be|falls?|fell|lands?)|'s)(?: always)?(?: on)?(?: an?| the)? $")
_IS_A = re.compile(r" (?:is|was|will be)(?: on)? an? ")
_NEXT_DAY = re.compile(
    r"\b(?:tomorrow|yesterday|(?:day|night|evening) (?:before|after|earlier|later)"
    r"|(?:next|following|previous) (?:day|morning)|overnight|midnight|eve|today|tonight)\b"
)
_OTHER_YEAR = re.compile(r"\b(?:next|last|following|previous) year\b|\b(?:19|20)\d\d\b")
_DAY, _QUARTER = 86400, 900
_SPANS = ("minute", "hour", "day", "week")
_NOW, _APART_FROM = "now", "any"
_LONG = 1000
HEDGED = re.compile(
    r"\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|just over|just under|over|under|some|close to"
    r"|more than|less than|at least|at most|within|up to|or so)(?: the| a| an)? ?$|~ ?$"
)
"""What stands before a figure that is none to the last digit."""

SMALL = 12
"""Whole numbers up to this one count things in passing."""


def _times(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for mention in said.clocks if document.own == document.text else times(document.text):
        meant = clocks_of(mention.seconds, is_ambiguous=mention.is_ambiguous)
        if mention.is_utc:
            if said.is_said(mention.start) and not meant & shown.universal_clocks and not _is_of_stamp(said, meant):
                yield Finding(
                    Kind.TIME, document.text[mention.start : mention.end], "nothing shown is at that time in UTC"
                )
            continue
        if meant & shown.clocks or _is_near(said, mention.start, meant) or _is_bound_of_day(said, mention):
            continue
        # With seconds it may be a length of time as well.
        if mention.step != 1 and said.is_asserted(mention.start):
            known = meant & said.stored.clocks or meant & said.world.described_clocks or not shown.moments
            words = document.text[mention.start : mention.end]
            yield Finding(Kind.TIME, words, None if known else "nothing shown or stored is at that time")


def _is_of_stamp(said: Statement, meant: set[int]) -> bool:
    """Whether a time is that of a timestamp that the text tells, in universal time."""
    return any(int(stamp) % _DAY // 60 * 60 in meant for stamp in _STAMP.findall(said.document.text))


def _is_bound_of_day(said: Statement, mention: TimeMention) -> bool:
    """Whether it is the midnight or noon up to or from which something is counted."""
    return mention.seconds % (_DAY // 2) == 0 and bool(
        _BOUND.search(said.document.own, max(0, mention.start - 16), mention.start)
    )


def _is_near(said: Statement, position: int, meant: set[int]) -> bool:
    """Whether a time is that of a moment in another zone, or a round one close to which something is said to be."""
    quarter = all(seconds % _QUARTER == 0 for seconds in meant)
    is_close = quarter and _CLOSE.search(said.document.own, max(0, position - 24), position)
    if not is_close and not said.is_elsewhere(position):
        return False
    apart = {(seconds - known) % _DAY for seconds in meant for known in said.shown.clocks}
    return any(min(each, _DAY - each) <= 2 * _QUARTER if is_close else each % _QUARTER == 0 for each in apart)


def _offsets(said: Statement) -> Iterator[Finding]:
    """How far away something is said to be, or how far apart two things are: "in two hours", "a day before"."""
    document, shown = said.document, said.shown
    last = 0
    for amount in quantities(said.figures, UNITS["second"]):
        if amount.unit is None or amount.unit.name not in _SPANS or not said.is_asserted(amount.start):
            continue
        # "Half an hour" is no hour.
        is_inside, last = amount.start < last, amount.end
        if is_inside:
            continue
        if NOTATION.match(document.own, amount.end):
            continue
        # "More than a week away" says no exact day, and a forecast reaches days ahead of nothing.
        if HEDGED.search(document.own, max(0, amount.start - 24), amount.start) and amount.unit.factor >= _DAY:
            continue
        before = document.own[max(0, amount.start - 40) : amount.start]
        ahead = _AHEAD.search(before) or (_GIVES.search(before) and _GIVEN.match(document.own, amount.end))
        begin, stop = document.sentences[document.clause_at(amount.start).sentence]
        if _LIMIT.match(document.own, amount.end) and "remind" not in document.own[begin:stop]:
            continue
        apart = _APART.match(document.own, amount.end)
        if not (ahead or apart or _AWAY.match(document.own, amount.end)) or not shown.moments:
            continue
        words = document.text[amount.start : amount.end]
        row = [] if apart else said.row_before(amount.start)
        if row and _OF_IT.search(document.own, begin, amount.start):
            if not said.told.holds_text(words) and not _is_span(amount, said.evidence_of(row), _NOW):
                # It may be said of something else that is that far away.
                is_open = _is_span(amount, shown, _NOW)
                yield Finding(Kind.TIME, words, "the row that is named is not that far away", is_open=is_open)
            continue
        told = apart and _is_between_days(amount, said)
        if not told and not shown.holds_text(words) and not _is_span(amount, shown, _APART_FROM if apart else _NOW):
            # How long something lasts or lies before something else may be said of all the world.
            is_bound = said.is_of_row(amount.start) or not (apart or _LEFT.match(document.own, amount.end))
            yield Finding(Kind.TIME, words, "nothing shown is that far away" if is_bound else None)


def _is_between_days(amount: Quantity, said: Statement) -> bool:
    """Whether it is the time from a day that was shown to one that the text names."""
    span = amount.value * (amount.unit or UNITS["second"]).factor / _DAY
    named = {(date.month, date.day) for date in said.days}
    known = [datetime.date(*day) for day in said.shown.days if day[0]]
    apart = [day + datetime.timedelta(days=sign * span) for day in known for sign in (1, -1) if 1 <= span < _LONG]
    return any((day.month, day.day) in named for day in apart)


def _is_span(amount: Quantity, shown: Evidence, anchors: str) -> bool:
    """Whether it is the time between two moments, one of them now if only that is meant."""
    unit = amount.unit or UNITS["second"]
    apart = amount.value * unit.factor
    slack = max(min(0.75 * amount.step * unit.factor, apart / 2), 120.0)
    now = datetime.datetime.fromtimestamp(shown.now, shown.zone)
    moments = [*shown.moments.values(), now]
    if unit.factor >= _DAY and amount.value * unit.factor / _DAY in {abs(days) for days in shown.days_away()}:
        return True
    for one, other in itertools.product([now] if anchors == _NOW else moments, moments):
        if amount.unit is not None and amount.unit.name in ("day", "week") and amount.step == 1:
            if abs((other.date() - one.date()).days) * 86400 == apart:
                return True
        # On the clock an hour may go by in two, or in none.
        elif min(abs(abs(between.total_seconds()) - apart) for between in _between(one, other)) <= slack:
            return True
    # Days that a tool counted, and by which something was shifted; bounds of a service.
    is_shown = amount.value > SMALL and amount.value in shown.numbers
    return is_shown or amount.value in [abs(each) for each in shown.fields.get(f"{unit.name}s", ())]


def _between(one: datetime.datetime, other: datetime.datetime) -> Iterator[datetime.timedelta]:
    # The difference of two moments in one zone is that of their clocks.
    yield datetime.timedelta(seconds=other.timestamp() - one.timestamp())
    clock = other.replace(tzinfo=None) - one.replace(tzinfo=None)
    yield clock
    yield datetime.timedelta(seconds=clock.total_seconds() % 86400)
    yield datetime.timedelta(seconds=-clock.total_seconds() % 86400)


def _dates(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for mention in said.days if document.own == document.text else dates(document.text):
        if not document.is_asserted(mention.start):
            continue
        is_alone = mention.month is None and mention.days_ahead is None and mention.weekday is not None
        # A day of the week alone is that of some day that was shown.
        if is_alone and shown.moments and said.is_said(mention.start):
            if _OTHER_YEAR.search(document.own, *said.sentence(mention.start)):
                continue
            if mention.weekday not in _weekdays(list(shown.days)):
                words = document.text[mention.start : mention.end]
                world = "nothing shown is on that day of the week" if _is_bound(said, mention) else None
                yield Finding(Kind.DATE, words, world)
            continue
        if mention.month is None or mention.day is None:
            continue
        words = document.text[mention.start : mention.end]
        if _IS_A.search(words) and mention.weekday in _weekdays_of(mention.month, mention.day, shown):
            continue
        fitting = _fitting(mention, shown)
        if holiday := dated_holiday(said, mention):
            name, feasts = holiday
            right = [day for day in feasts if (day.month, day.day) == (mention.month, mention.day)]
            if right and mention.weekday in (None, *(day.weekday() for day in right)):
                continue
            if is_observed(said, mention):
                continue
            if feasts and not document.is_negated(mention.start):
                yield Finding(Kind.DATE, words, f"{name} is on {', '.join(map(str, sorted(feasts)))}")
                continue
        if not fitting and said.is_elsewhere(mention.start):
            continue  # it may be the day before or after there
        if not fitting and not _is_counted(mention, document, shown):
            known = _fitting(mention, said.stored) or not shown.moments or not _is_bound(said, mention)
            yield Finding(Kind.DATE, words, None if known else "nothing shown or stored is on that day")
        elif fitting and mention.weekday is not None and (days := _weekdays(fitting)) and mention.weekday not in days:
            yield Finding(Kind.DATE, words, "that date is another day of the week")


def _is_bound(said: Statement, mention: DateMention) -> bool:
    """Whether a day is said to be that of something, and does not just come up."""
    if not said.is_clock_known and said.document.own.endswith("today is ", 0, mention.start):
        return False  # one of the days that it may be
    return bool(_IS_ON.search(said.document.own, max(0, mention.start - 24), mention.start)) or said.is_of_row(
        mention.start
    )


def _is_counted(mention: DateMention, document: Document, shown: Evidence) -> bool:
    """Whether the text tells how many days it is from a day that was shown."""
    spans = [each.value for each in quantities(document.text) if each.unit is not None and each.unit.name == "day"]
    spans += [1] if _NEXT_DAY.search(document.own) else []
    day, month = mention.day, mention.month
    for span in spans:
        for known in shown.days:
            for sign in (1, -1) if known[0] and span < _LONG else ():
                date = datetime.date(*known) + datetime.timedelta(days=sign * span)
                if (date.month, date.day) == (month, day) and mention.year in (None, date.year):
                    return True
    return False


def _fitting(mention: DateMention, evidence: Evidence) -> list[tuple[int, int, int]]:
    written = {(mention.month, mention.day)} | ({(mention.day, mention.month)} if mention.is_numeric else set())
    return [
        day
        for day in evidence.days
        if day[1:] in written and (mention.year is None or not day[0] or mention.year == day[0])
    ]


def _weekdays_of(month: int, day: int, evidence: Evidence) -> set[int]:
    """The days of the week of a date in the years that were shown, by the calendar alone."""
    years = {each[0] for each in evidence.days}
    return _weekdays([(year, month, day) for year in years if year and day <= calendar.monthrange(year, month)[1]])


def _weekdays(days: list[tuple[int, int, int]]) -> set[int]:
    return {datetime.date(*day).weekday() for day in days if day[0]}


MOMENT_READERS = (_times, _offsets, _dates)
