"""What the content of an app is drawn from: chance by seed, people, and the time of the world."""

import datetime
import random
import zoneinfo
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import attrs

from tool_sandbox.apps.times import as_moment
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.table import TableSchema

T = TypeVar("T")

Size = Literal["small", "medium", "large"]
"""How much content an app has: a few rows of each table, some dozens, or thousands in all."""

SIZES: tuple[Size, ...] = ("small", "medium", "large")


@attrs.frozen
class Person:
    """Somebody whom the owner of the device has to do with.

    Attributes:
        name: First and last name.
        phone_number: Number in international form.
        relationship: How the person relates to the owner, ``None`` where that is not known.
    """

    name: str
    phone_number: str
    relationship: str | None = None

    @property
    def first_name(self) -> str:
        """The name up to its first space."""
        return self.name.split()[0]

    @property
    def email(self) -> str:
        """Address of the person: ``first.last@example.com``."""
        return f"{'.'.join(self.name.lower().split())}@example.com"


OWNER = Person("Nora Lindqvist", "+14085550100", "self")
PEOPLE = tuple(
    Person(name, f"+1415555{number:04d}", relationship)
    for number, (name, relationship) in enumerate(
        (
            ("Priya Ramanathan", "friend"),
            ("Marcus Castellano", "boss"),
            ("Yuki Fujimoto", "friend"),
            ("Claire Whitfield", "partner"),
            ("Diego Okafor", "coworker"),
            ("Gudrun Brennan", "coworker"),
            ("Omar Haddad", "neighbour"),
            ("Beth Novak", "sister"),
            ("Felix Delacroix", "brother"),
            ("Imani Mbeki", "coworker"),
            ("Tobias Sorensen", "landlord"),
            ("Leila Kowalczyk", "dentist"),
            ("Viktor Pereira", None),
            ("Wanda Underhill", "aunt"),
            ("Zachary Zhukov", "coworker"),
            ("Hazel Vasquez", None),
        ),
        start=101,
    )
)


class Draw:
    """Chance by seed, and what a world already has.

    The same seed and purpose give the same draws on every machine and every version of Python.

    Attributes:
        seed: Number of the instance.
        start: POSIX time in seconds at which the world begins.
        zone: IANA name of the zone of the device.
        owner: Whose device it is.
        people: Others, most important first.
    """

    def __init__(
        self,
        purpose: str,
        seed: int = 0,
        *,
        start: float = 1747243440.0,
        zone: str = "America/Los_Angeles",
        owner: Person = OWNER,
        people: Sequence[Person] = PEOPLE,
    ) -> None:
        """Begins a series of draws for a purpose: the name of an app."""
        self.seed, self.start, self.zone = seed, start, zone
        self.owner, self.people = owner, tuple(people)
        self._purpose = purpose
        # Of the methods of `Random` only this one is promised to stay as it is.
        self._random = random.Random(f"{purpose} {seed}").random
        self._ids: set[str] = set()
        self._device: DeviceState | None = None

    def into(self, device: DeviceState) -> "Draw":
        """The same draw, for a world that has the content of other apps already."""
        self._device = device
        return self

    def apart(self, purpose: str) -> "Draw":
        """A series of draws of its own in the same world: what it draws changes nothing of what this one draws."""
        same = {name: getattr(self, name) for name in ("seed", "start", "zone", "owner", "people")}
        other = Draw(f"{self._purpose} {purpose}", **same)
        other._device = self._device
        return other

    def rows(self, table: TableSchema) -> list[dict[str, Any]]:
        """Rows that the world has in a table of an app that this one needs."""
        return [] if self._device is None else self._device.get_table(table.name).dicts()

    # Chance ----------------------------------------------------------------------------------

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self._random() < probability

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.integer(0, len(options) - 1)]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Different options in a drawn order, as many as there are at most."""
        left = list(options)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def person(self) -> Person:
        """One of the people."""
        return self.choice(self.people)

    def key(self, noun: str) -> str:
        """A fresh key of a row, of the form that tools give: ``page_0f3a9c12``."""
        while True:
            fresh = f"{noun}_{self.integer(0, 2**32 - 1):08x}"
            if fresh not in self._ids:
                self._ids.add(fresh)
                return fresh

    # Time ------------------------------------------------------------------------------------

    @property
    def today(self) -> datetime.date:
        """Local date at which the world begins."""
        return datetime.datetime.fromtimestamp(self.start, self.tzinfo).date()

    @property
    def tzinfo(self) -> zoneinfo.ZoneInfo:
        """The zone of the device."""
        return zoneinfo.ZoneInfo(self.zone)

    def date(self, days: int) -> str:
        """The date that many days from today, as a column of dates holds it."""
        return (self.today + datetime.timedelta(days=days)).isoformat()

    def moment(self, days: int, hour: int, minute: int = 0) -> str:
        """A local time of day that many days from today, as a column of moments holds it."""
        day = self.today + datetime.timedelta(days=days)
        local = datetime.datetime(day.year, day.month, day.day, hour, minute, tzinfo=self.tzinfo)
        return as_moment(local.timestamp(), self.tzinfo)

    def ago(self, minutes: float) -> str:
        """The moment that many minutes before the world begins."""
        return as_moment(self.start - 60.0 * minutes, self.tzinfo)
