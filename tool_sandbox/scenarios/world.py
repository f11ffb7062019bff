"""The seeded world of a scenario: whose phone this is, when it is, and what is stored on it.

A scenario is a function of a `World`. Seed 0 is the canonical instance: every draw takes its first
option, so what an author writes first is what the canonical instance says. Any other seed draws
people, numbers, contents, times and wording anew, reproducibly on every machine and Python version.
"""

import datetime
import functools
import hashlib
import uuid
import zoneinfo
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import attrs

from tool_sandbox.apps import draw as drawing
from tool_sandbox.apps.app import App
from tool_sandbox.apps.draw import Draw, Size
from tool_sandbox.apps.registry import with_needed
from tool_sandbox.scenarios import pools
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.table import TableSchema

T = TypeVar("T")

Stored = list[dict[str, Any]]
"""Rows of a table."""

_ACQUAINTANCES = 8
"""Number of people, last in order, whom apps know beside those in the contacts."""

SECONDS_PER_MESSAGE = 5.0
"""How much time passes in a world with each message."""

StartState = Literal["default", "wifi_off", "cellular_off", "location_off", "wifi_and_cellular_off", "low_battery"]

Today = str | Callable[[int], datetime.date]
"""Month and day ``"MM-DD"`` of a start, or a function from a year to the date."""

_STATES: dict[StartState, dict[str, bool]] = {
    "default": {},
    "wifi_off": {"wifi": False},
    "cellular_off": {"cellular": False},
    "location_off": {"location_service": False},
    "wifi_and_cellular_off": {"wifi": False, "cellular": False},
    "low_battery": {"wifi": False, "cellular": False, "location_service": False, "low_battery_mode": True},
}


@functools.lru_cache(maxsize=16384)
def stable_id(payload: str) -> str:
    """A UUID that depends on ``payload`` alone."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, payload))


def weekday_in(isoweekday: int, month: int = 5) -> Callable[[int], datetime.date]:
    """The second such weekday (1 = Monday) of a month, as a start date."""

    def date(year: int) -> datetime.date:
        eighth = datetime.date(year, month, 8)
        return eighth + datetime.timedelta(days=(isoweekday - eighth.isoweekday()) % 7)

    return date


def eve_of_spring_change(year: int) -> datetime.date:
    """The day before clocks go forward in the United States: a Saturday in March (15 U.S.C. 260a)."""
    return weekday_in(7, month=3)(year) - datetime.timedelta(days=1)


def eve_of_autumn_change(year: int) -> datetime.date:
    """The day before clocks go back in the United States: the Saturday before the first Sunday of November."""
    return weekday_in(7, month=11)(year) - datetime.timedelta(days=8)


@attrs.frozen
class Person:
    """Somebody with a name and a number, saved on the phone or not.

    Attributes:
        name: First and last name.
        phone_number: Number in international form.
        relationship: How the person relates to the owner of the phone.
        is_self: Whether this is the owner.
        entry: Number of the entry where one person is saved more than once.
    """

    name: str
    phone_number: str
    relationship: str | None = None
    is_self: bool = False
    entry: int = 1

    @property
    def person_id(self) -> str:
        """Identifier of the person's contact entry."""
        again = f" {self.entry}" if self.entry > 1 else ""
        return stable_id(f"contact {self.name} {self.phone_number}{again}")

    @property
    def first_name(self) -> str:
        """The name up to its first space."""
        return self.name.split()[0]

    @property
    def spoken(self) -> tuple[str, ...]:
        """What the person's entry may be called in a confirmation."""
        return self.name, self.first_name, "contact", "number"


@attrs.frozen
class TextMessage:
    """One stored text message; ``sent_at`` is POSIX time in seconds."""

    sender: Person
    recipient: Person
    content: str
    sent_at: float

    @property
    def message_id(self) -> str:
        """Identifier of the message."""
        return stable_id(f"message {self.sent_at} {self.content}")


@attrs.frozen
class Note:
    """One stored reminder; times are POSIX seconds, ``position`` is latitude and longitude in degrees."""

    content: str
    created_at: float
    due_at: float
    position: tuple[float, float] | None = None

    @property
    def reminder_id(self) -> str:
        """Identifier of the reminder."""
        return stable_id(f"reminder {self.due_at} {self.content}")


def _drawn(person: Person) -> drawing.Person:
    return drawing.Person(person.name, person.phone_number, person.relationship)


class World:
    """Start of a scenario: clock, device, people, messages and reminders, all drawn from one seed.

    The start tables have one shape: four contacts (the owner, two friends, the boss), five messages
    in two threads (one with an unsaved number, one with the boss) and three reminders (one due
    yesterday, one just now, one in an hour). A scenario adds what else it needs.

    Attributes:
        name: Name of the base scenario, part of the seed of every draw.
        seed: Number of the instance; 0 is canonical.
        state: Start state of the device.
        zone: IANA name of the device's time zone.
        now: POSIX time in seconds at the opening message.
        position: Latitude and longitude of the device in degrees.
        street: Street and number of the address where the device is.
        city: Name of the city that the device is in.
        me: The owner of the phone.
        boss: A saved person, relation "boss".
        friend: A saved person, relation "friend".
        other_friend: Another one.
        unknown: Somebody who is not saved, and sent a text.
        topic: What the text from the unsaved number is about.
        contacts: Saved people in table order.
        messages: Stored messages in table order.
        reminders: Stored reminders in table order.
        apps: Apps whose tables and tools the world has.
    """

    def __init__(
        self,
        name: str,
        seed: int = 0,
        *,
        state: StartState = "default",
        today: Today = "",
        time: str = "",
        variant: int = 0,
        apps: Sequence[App | str] = (),
        content: Size = "small",
    ) -> None:
        """Draws the start of the world.

        Args:
            name: Name of the base scenario.
            seed: Number of the instance.
            state: Start state of the device.
            today: Month and day as ``"MM-DD"``, or a function from a year to a date, when the task needs a
                certain date; drawn otherwise.
            time: Local time of day as ``"HH:MM"`` when the task needs a certain one; drawn otherwise.
            variant: Which option of every draw the canonical instance takes, so that the canonical instances of two
                wordings of one task differ in more than words.
            apps: Apps, or names of apps, that the world has.
            content: How much is in them.
        """
        self.name = name
        self.seed = seed
        self._variant = variant
        self.state: StartState = state
        self._draws: dict[str, int] = {}
        device = self.choice(*pools.DEVICES)
        self.zone = device.zone
        self.position = (device.latitude, device.longitude)
        self.street, self.city = device.street, device.city
        self.now = self._draw_now(today, time)
        self._strangers = iter(self._people())
        self.me = self.new_person("self", is_self=True)
        self.boss = self.new_person("boss")
        self.friend = self.new_person("friend")
        self.other_friend = self.new_person("friend")
        self.unknown = self.new_person()
        self._furnish()
        self.apps = with_needed(apps) if apps else ()
        self._size = content
        self._tables: dict[str, Stored] = {}
        self._app_draws: dict[str, Draw] = {}

    # Draws -----------------------------------------------------------------------------------------------------

    def choice(self, *options: T, but: T | None = None) -> T:
        """One of the options: at seed 0 the first, or the one of the variant; instead of ``but`` the next one."""
        number = self._number("choice", len(options))
        number = self._variant % len(options) if self.seed == 0 else number
        return options[(number + (but is not None and options[number] == but)) % len(options)]

    def phrase(self, *options: str) -> str:
        """One of several wordings of the same thing: the first at seed 0."""
        return self.choice(*options)

    def integer(self, canonical: int, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included; ``canonical`` at seed 0."""
        return canonical if self.seed == 0 else low + self._number("integer", high - low + 1)

    def holiday(self) -> tuple[str, int, int]:
        """A holiday that is not today: name, month and day."""
        today = (self.today.month, self.today.day)
        return self.choice(*pools.HOLIDAYS, but=next((one for one in pools.HOLIDAYS if one[1:] == today), None))

    def new_person(self, relationship: str | None = None, *, is_self: bool = False) -> Person:
        """Somebody who does not occur in this world yet; saved only by `save`."""
        person = next(self._strangers)
        return attrs.evolve(person, relationship=relationship, is_self=is_self)

    def namesake(self, person: Person, relationship: str, *, same_last_name: bool = True) -> Person:
        """Somebody else with the same name, or at least the same first name."""
        other = self.new_person(relationship)
        name = person.name if same_last_name else f"{person.first_name} {other.name.split()[1]}"
        return attrs.evolve(other, name=name)

    def save(self, person: Person) -> Person:
        """Adds a person to the contacts of the start."""
        self.contacts.append(person)
        return person

    def receive(self, sender: Person, content: str, *, minutes_ago: float) -> TextMessage:
        """Adds a message from ``sender`` to the owner."""
        message = TextMessage(sender, self.me, content, self.now - 60.0 * minutes_ago)
        self.messages.append(message)
        return message

    def remind(self, content: str, *, due_at: float, position: tuple[float, float] | None = None) -> Note:
        """Adds a reminder that was written two days before the start."""
        note = Note(content, self.now - 2 * 86400.0, due_at, position)
        self.reminders.append(note)
        return note

    def _number(self, purpose: str, below: int) -> int:
        """A reproducible number from 0 to ``below`` - 1; the n-th draw of a purpose depends on nothing else."""
        count = self._draws[purpose] = self._draws.get(purpose, 0) + 1
        return 0 if self.seed == 0 else self._hash(f"{purpose} {count}") % below

    def _hash(self, payload: str) -> int:
        digest = hashlib.blake2b(f"{self.name} {self.seed} {payload}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big")

    def _order(self, pool: Sequence[T]) -> list[T]:
        """The pool in a drawn order; at seed 0 as written, from the entry of the variant on."""
        if self.seed == 0:
            first = self._variant % len(pool)
            return [*pool[first:], *pool[:first]]
        return sorted(pool, key=lambda item: self._hash(f"order {item}"))

    # Apps ------------------------------------------------------------------------------------------------------

    def draw(self, app: str) -> Draw:
        """Chance, people and dates for the content of an app: the people are those of this world."""
        if app not in self._app_draws:
            known = {person.name for person in self.contacts}
            others = [person for person in self._people()[-_ACQUAINTANCES:] if person.name not in known]
            people = [person for person in (*self.contacts, *others) if not person.is_self and person.phone_number]
            self._app_draws[app] = Draw(
                f"{self.name} {app}", self.seed, start=self.now, zone=self.zone, owner=_drawn(self.me),
                people=[_drawn(person) for person in people],
            )  # fmt: skip
        return self._app_draws[app]

    def stored(self, table: TableSchema) -> Stored:
        """Rows that a table of an app has at the start, which may be changed, removed and added to.

        Raises:
            ScenarioError: The world has no such app.
        """
        if not self._tables:
            self._tables = self._drawn_tables()
        if table.name not in self._tables:
            app = table.name.partition(".")[0]
            raise ScenarioError(f"{self.name}: the world has no table {table.name}; its decorator takes apps=[{app!r}]")
        return self._tables[table.name]

    def put(self, table: TableSchema, row: dict[str, Any]) -> dict[str, Any]:
        """Adds a row to a table of an app, at the end, and gives it."""
        self.stored(table).append(row)
        return row

    def _drawn_tables(self) -> dict[str, Stored]:
        device = DeviceState(Profile.STRICT, self.clock)
        device.add_tables(table for app in self.apps for table in app.tables)
        for app in self.apps:
            app.fill(device, self.draw(app.name), self._size)
        return {table.name: device.get_table(table.name).dicts() for app in self.apps for table in app.tables}

    # Time ------------------------------------------------------------------------------------------------------

    @property
    def clock(self) -> ScenarioClock:
        """The clock of this world, not yet anchored to a message."""
        return ScenarioClock(self.now, self.zone, seconds_per_message=SECONDS_PER_MESSAGE)

    @property
    def today(self) -> datetime.date:
        """Local date at the start."""
        return self.local(self.now).date()

    def local(self, timestamp: float) -> datetime.datetime:
        """Aware local time of a POSIX timestamp."""
        return datetime.datetime.fromtimestamp(timestamp, zoneinfo.ZoneInfo(self.zone))

    def at(self, date: datetime.date, hour: int, minute: int = 0) -> float:
        """POSIX time in seconds of a local date and time of day."""
        time = datetime.time(hour, minute, tzinfo=zoneinfo.ZoneInfo(self.zone))
        return datetime.datetime.combine(date, time).timestamp()

    def in_days(self, days: int) -> datetime.date:
        """The local date that many days from today."""
        return self.today + datetime.timedelta(days=days)

    def coming(self, isoweekday: int) -> datetime.date:
        """The next date on that weekday, never today (1 = Monday)."""
        return self.in_days((isoweekday - self.today.isoweekday() - 1) % 7 + 1)

    def coming_other(self, isoweekday: int) -> datetime.date:
        """The same, but tomorrow where today is that weekday: "this coming Monday" is not said on a Monday."""
        return self.coming(isoweekday % 7 + (isoweekday == self.today.isoweekday()))

    def _draw_now(self, today: Today, time: str) -> float:
        """An instant between 9:30 and 16:30, so that an hour ago and in an hour are still today."""
        year = 2025 + self._number("year", 4)
        if callable(today):
            date = today(year)
        elif today:
            month, day = (int(part) for part in today.split("-"))
            date = datetime.date(year, month, day)
        elif self.seed == 0:
            date = datetime.date(2025, 5, 14)
        else:
            date = datetime.date(year, 1, 1) + datetime.timedelta(days=self._number("day", 365))
        minutes = self.integer(54, 0, 420)
        if time:
            hour, minute = (int(part) for part in time.split(":"))
            return self.at(date, hour, minute)
        return self.at(date, 9, 30) + 60.0 * minutes + self._number("second", 60)

    # Tables ----------------------------------------------------------------------------------------------------

    def _people(self) -> list[Person]:
        numbers = self._order(range(100, 200))
        areas = self._order(pools.AREA_CODES)
        names = zip(self._order(pools.FIRST_NAMES), self._order(pools.LAST_NAMES), strict=True)
        return [
            Person(f"{first} {last}", f"+1{areas[i % len(areas)]}5550{numbers[i]}")
            for i, (first, last) in enumerate(names)
        ]

    def _furnish(self) -> None:
        """Fills the tables of the start."""
        self.contacts = [self.me, self.friend, self.other_friend, self.boss]
        self.messages: list[TextMessage] = self._draw_messages()
        self.reminders: list[Note] = self._draw_reminders()

    def _draw_messages(self) -> list[TextMessage]:
        self.topic, question, reply = self.choice(*pools.STRANGER_THREADS)
        first, answer, newest = self.choice(*pools.BOSS_THREADS)
        long_ago = self.now - (3 * 86400 + 4 * 3600 + 5 * 60 + 6)
        today = self.now - (3600 + 3 * 60 + 3)
        return [
            TextMessage(self.unknown, self.me, question, long_ago),
            TextMessage(self.me, self.unknown, reply, long_ago + 3600),
            TextMessage(self.boss, self.me, first, today),
            TextMessage(self.me, self.boss, answer, today + 60),
            TextMessage(self.boss, self.me, newest, self.now - 62),
        ]

    def _draw_reminders(self) -> list[Note]:
        past, recent, ahead = self._order(pools.ERRANDS)[:3]
        return [
            Note(past, self.now - 3 * 86400, self.now - 86400),
            Note(recent, self.now - 86400, self.now - 60),
            Note(ahead, self.now - 3600, self.now + 3600, self.position),
        ]

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Start tables by namespace name, as rows of the database schema."""
        saved = {person.phone_number: person.person_id for person in reversed(self.contacts)}
        latitude, longitude = self.position
        return {
            "SETTING": [
                {
                    "device_id": stable_id("my_phone"),
                    "cellular": True,
                    "wifi": True,
                    "location_service": True,
                    "low_battery_mode": False,
                    "latitude": latitude,
                    "longitude": longitude,
                    **_STATES[self.state],
                }
            ],
            "CONTACT": [
                {
                    "person_id": person.person_id,
                    "name": person.name,
                    "phone_number": person.phone_number or None,
                    "relationship": person.relationship,
                    "is_self": person.is_self,
                }
                for person in self.contacts
            ],
            "MESSAGING": [
                {
                    "message_id": message.message_id,
                    "sender_person_id": saved.get(message.sender.phone_number),
                    "sender_phone_number": message.sender.phone_number,
                    "recipient_person_id": saved.get(message.recipient.phone_number),
                    "recipient_phone_number": message.recipient.phone_number,
                    "content": message.content,
                    "creation_timestamp": message.sent_at,
                }
                for message in self.messages
            ],
            "REMINDER": [
                {
                    "reminder_id": note.reminder_id,
                    "content": note.content,
                    "creation_timestamp": note.created_at,
                    "reminder_timestamp": note.due_at,
                    "latitude": note.position[0] if note.position else None,
                    "longitude": note.position[1] if note.position else None,
                }
                for note in self.reminders
            ],
            **{table.name: self.stored(table) for app in self.apps for table in app.tables},
        }
