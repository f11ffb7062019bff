"""What had been shown to the agent, as values that can be looked up."""

import calendar
import datetime
import functools
import itertools
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tool_sandbox.answers.facts._quantities import Quantity
from tool_sandbox.answers.facts._units import DEGREES, UNITS
from tool_sandbox.answers.grounding import reading

_NO_DIGIT = re.compile(r"\D")
_WORD = re.compile(r"\w+(?:'\w+)?")
_POSIX = range(10**8, 5 * 10**9)
_CALENDAR = ("year", "month", "day", "hour", "minute", "second")
_READINGS = frozenset(("temperature", "degrees", "percent", "pressure"))
_LARGE = 100
_EARTH = 0.005
_LARGEST_OPERAND = 10**8
_MOST_OPERANDS = 60
_CROWD = 24


def plain_digits(text: str) -> str:
    """The digits of a text, run together."""
    return _NO_DIGIT.sub("", text)


@attrs.define
class Evidence:
    """Values that had been shown.

    Attributes:
        zone: Time zone of the world.
        now: POSIX time of the world.
        begun: POSIX time at which the conversation began, when "tomorrow" may have been another day.
        texts: Texts in the normal form of the readers.
        moments: Points in time, in the zone of the world.
        clocks: Times of day, in seconds after midnight.
        days: Days as (year, month, day), the year 0 where none was given.
        numbers: Numbers, lengths of lists among them.
        names: Names of people and places.
        certain: Those of the days that do not only follow from a day of the week.
        symbols: Ticker symbols.
        lengths: Lengths of lists.
        fields: Values of results by the last of their keys.
        converted: Results that are a single number.
    """

    zone: datetime.tzinfo | None
    now: float
    begun: float | None = None
    texts: dict[str, str] = attrs.field(factory=dict)
    moments: dict[float, datetime.datetime] = attrs.field(factory=dict)
    clocks: set[int] = attrs.field(factory=set)
    days: set[tuple[int, int, int]] = attrs.field(factory=set)
    numbers: set[float] = attrs.field(factory=set)
    names: set[str] = attrs.field(factory=set)
    certain: set[tuple[int, int, int]] = attrs.field(factory=set)
    symbols: set[str] = attrs.field(factory=set)
    lengths: set[int] = attrs.field(factory=set)
    fields: dict[str, list[Any]] = attrs.field(factory=dict)
    converted: set[float] = attrs.field(factory=set)

    def __attrs_post_init__(self) -> None:
        """The day itself is known to everybody."""
        self._take_day(self.today)

    def local(self, moment: float) -> datetime.datetime:
        """A moment on the clock of the world."""
        return datetime.datetime.fromtimestamp(moment, self.zone)

    def date(self, moment: float) -> datetime.date:
        """The day of a moment, on the calendar of the world."""
        return self.local(moment).date()

    def days_away(self) -> set[int]:
        """How many days it is from today to the days that were shown, in the nearest years where none was given."""
        return {(day - today).days for today in self.todays for day in self.dates}

    @property
    def dates(self) -> set[datetime.date]:
        """Days that were shown, in the years around this one where none was given."""
        this = self.today.year
        return {
            datetime.date(each, month, day)
            for year, month, day in self.days
            for each in ((year,) if year else (this - 1, this, this + 1))
            if month <= 12 and day <= calendar.monthrange(each, month)[1]
        }

    @property
    def universal_clocks(self) -> set[int]:
        """Times of day in universal time: of all moments, and as texts write them."""
        clocks = {int(moment) % 86400 // 60 * 60 for moment in self.moments}
        written = [str(cell) for key, cells in self.fields.items() if "utc" in key for cell in cells]
        clocks = clocks.union(*(reading.read(text).clocks for text in written))
        return clocks.union(*(reading.read(text).universal for text in self.texts))

    @property
    def todays(self) -> set[datetime.date]:
        """Days that were today in the conversation."""
        moments = (self.now, self.now if self.begun is None else self.begun)
        return set(map(self.date, moments))

    @property
    def today(self) -> datetime.date:
        """Day of the world."""
        return self.date(self.now)

    def take(self, value: Any) -> None:
        """Takes in a value of a call, a result or a row, with all that is in it."""
        if isinstance(value, str):
            self._take_text(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._take_number(float(value))
        elif isinstance(value, Mapping):
            self._take_calendar(value)
            for key, known in (("name", self.names), ("symbol", self.symbols)):
                if isinstance(cell := value.get(key), str):
                    known.add(cell)
            for key, inner in value.items():
                self.fields.setdefault(key, []).append(inner)
                self.take(inner)
        elif isinstance(value, (list, tuple)):
            self.lengths.add(len(value))
            self.numbers.add(float(len(value)))
            for inner in value:
                self.take(inner)

    def _take_text(self, text: str) -> None:
        read = reading.read(text)
        if not read.plain or read.plain in self.texts:
            return
        self.texts[read.plain] = plain_digits(read.plain)
        self.clocks |= read.clocks
        self.numbers |= read.numbers
        for day in read.days:
            if day.month is not None and day.day is not None:
                written = {(day.year or 0, day.month, day.day)}
                written |= {(day.year or 0, day.day, day.month)} if day.is_numeric else set()
                self.days |= written
                self.certain |= written
            elif day.days_ahead is not None:
                self._take_day(self.today + datetime.timedelta(days=day.days_ahead))
            elif day.weekday is not None:
                nearest = self.today + datetime.timedelta(days=(day.weekday - self.today.weekday()) % 7)
                for weeks in (-2, -1, 0, 1, 2):
                    self._take_day(nearest + datetime.timedelta(weeks=weeks), is_certain=False)

    def _take_number(self, number: float) -> None:
        if not math.isfinite(number):
            return
        self.numbers.add(number)
        if int(number) in _POSIX:
            self._take_moment(self.local(number))

    def _take_calendar(self, value: Mapping[str, Any]) -> None:
        fields = [value.get(name, 0) for name in _CALENDAR]
        if all(isinstance(field, (int, float)) for field in fields) and all(fields[:3]):
            try:
                self._take_moment(datetime.datetime(*map(int, fields), tzinfo=self.zone))  # type: ignore[misc, arg-type]
            except (ValueError, OverflowError):
                return

    def _take_moment(self, moment: datetime.datetime) -> None:
        self.moments[moment.timestamp()] = moment
        self.clocks.add(moment.hour * 3600 + moment.minute * 60)
        if moment.second >= 30:
            self.clocks.add((moment.hour * 3600 + moment.minute * 60 + 60) % 86400)
        self._take_day(moment.date())

    def _take_day(self, day: datetime.date, *, is_certain: bool = True) -> None:
        self.days.add((day.year, day.month, day.day))
        self.certain |= {(day.year, day.month, day.day)} if is_certain else set()

    def may_sum_up_to(self, amount: Quantity) -> bool:
        """Whether so many numbers were shown that any amount, but for a reading, may be a sum of some of them."""
        is_reading = amount.unit is not None and amount.unit.dimension in _READINGS
        return len(self.numbers) > _CROWD and not is_reading

    # Look-ups ------------------------------------------------------------------------------------------------------

    def holds_digits(self, digits: str) -> bool:
        """Whether digits stand in a row in something shown, separators aside."""
        return any(digits in each for each in self.texts.values())

    def holds_text(self, text: str) -> bool:
        """Whether words stand in something shown, punctuation aside."""
        wanted = _words(text)
        return any(wanted in _words(each) for each in self.texts)

    def holds_amount(self, amount: Quantity, named: frozenset[float] | None = None) -> bool:
        """Whether an amount was shown, or can be worked out: rounded, converted, a sum, a difference, a share."""
        # Large figures are often cut off and not rounded; how far it is depends on what is taken for the earth.
        is_large = abs(amount.value) > _LARGE
        is_distance = amount.unit is not None and amount.unit.dimension == "length"
        slack = amount.step / (1 if is_large else 2) + 1e-9 * abs(amount.value) + 1e-9
        slack = max(slack, _EARTH * amount.value) if is_large and is_distance else slack
        return any(
            min(abs(known - shown), abs(known + shown)) <= reach
            for shown, reach in _conversions(amount, slack)
            for known in self._known(amount, named)
        )

    def _known(self, amount: Quantity, named: frozenset[float] | None) -> Iterator[float]:
        yield from self.numbers
        if amount.unit is not None and amount.unit.dimension == "time":
            # Both seconds from moments, and days as they are counted on a calendar.
            for earlier, later in itertools.combinations(sorted(self.moments), 2):
                apart = later - earlier
                yield from (apart, apart / 60, apart / 3600, apart / 86400)
                yield float((self.moments[later].date() - self.moments[earlier].date()).days)
            yield from (float(days) for days in self.days_away())
        operands = sorted(number for number in self.numbers if 0 < abs(number) < _LARGEST_OPERAND)[:_MOST_OPERANDS]
        distances = [each for each in self.fields.get("calculate_lat_lon_distance", ()) if isinstance(each, float)]
        if amount.unit is not None and amount.unit.dimension == "length" and distances:
            operands = sorted(distances)
        if amount.unit is not None and amount.unit.dimension in _READINGS:
            # A reading of an instrument is no sum and no product; two of them differ by something, in either unit.
            for first, second in itertools.permutations(self._readings(), 2):
                yield from (first - second, 1.8 * (first - second))
            return
        for first, second in itertools.product(operands, repeat=2):
            if named is None or first in named or second in named:
                yield from (first + second, first - second, first * second, first / second)

    def _readings(self) -> set[float]:
        cells = [cell for key, cells in self.fields.items() if "temperature" in key for cell in cells]
        return {float(cell) for cell in cells if isinstance(cell, (int, float))} | self.converted


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "


def _conversions(amount: Quantity, slack: float) -> Iterator[tuple[float, float]]:
    """An amount as it is and in all other units of its dimension, each with what rounding may hide."""
    meant = [amount.unit] if amount.unit else []
    if amount.unit == DEGREES:
        meant = [UNITS["celsius"], UNITS["fahrenheit"]]
    for value in (amount.value,) if amount.upper is None else (amount.value, amount.upper):
        yield value, slack
        # Apps keep money in cents.
        yield from ((100 * value, 100 * slack) for said in meant if said.name == said.dimension and len(said.name) == 3)
        for said, unit in itertools.product(meant, UNITS.values()):
            if unit.dimension == said.dimension and unit.name != said.name:
                yield said.convert(value, unit), slack * abs(said.scale(unit))
