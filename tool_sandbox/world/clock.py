"""Scenario time: what "now" and "today" mean in a world.

A world that is scored must not change at midnight, in another time zone or next year, so its time
is a function of the trajectory: a start instant plus a fixed step per message.
"""

import contextlib
import contextvars
import datetime
import time
import zoneinfo
from collections.abc import Iterator
from typing import Any, Protocol

import attrs


class Clock(Protocol):
    """Source of time of one world."""

    def now(self, message_index: int) -> float:
        """POSIX time in seconds while the message after ``message_index`` is being processed."""

    @property
    def timezone(self) -> datetime.tzinfo | None:
        """Time zone of the device, ``None`` for the zone of the machine."""


@attrs.frozen
class SystemClock:
    """The machine's wall clock and time zone, for code that knows no other."""

    def now(self, message_index: int) -> float:
        """POSIX time in seconds of the machine, whatever the message index."""
        return time.time()

    @property
    def timezone(self) -> datetime.tzinfo | None:
        """``None``: the zone of the machine."""
        return None


def _existing_zone(instance: Any, attribute: Any, value: str | None) -> None:
    if value is None:
        return
    try:
        zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {value!r}; use an IANA name such as 'America/Los_Angeles'") from error


@attrs.frozen
class ScenarioClock:
    """Time that advances with the conversation and with nothing else.

    Attributes:
        start: POSIX time in seconds at message index ``anchor``.
        zone: IANA name of the device's time zone, ``None`` for the zone of the machine.
        seconds_per_message: Seconds that pass with each message after ``anchor``; 0 stands still.
        anchor: Message index at which the world's time is ``start``; before it, time stands still.
    """

    start: float = attrs.field(converter=float)
    zone: str | None = attrs.field(default="UTC", validator=_existing_zone)
    seconds_per_message: float = attrs.field(default=1.0, converter=float)
    anchor: int = -1

    def now(self, message_index: int) -> float:
        """POSIX time in seconds after ``message_index`` messages of this world."""
        return self.start + self.seconds_per_message * max(0, message_index - self.anchor)

    @property
    def timezone(self) -> datetime.tzinfo | None:
        """The device's zone (cached by ``zoneinfo``), ``None`` for that of the machine."""
        return None if self.zone is None else zoneinfo.ZoneInfo(self.zone)

    def at(self, instant: datetime.datetime) -> "ScenarioClock":
        """The same clock started at another instant."""
        aware = instant if instant.tzinfo else instant.replace(tzinfo=self.timezone)
        return attrs.evolve(self, start=aware.timestamp())


_default: contextvars.ContextVar[Clock | None] = contextvars.ContextVar("default_clock", default=None)


def default_clock() -> Clock:
    """The clock of worlds that are made without one: that of the machine, unless `use_clock` says otherwise."""
    return _default.get() or SystemClock()


@contextlib.contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """Gives a clock to the worlds that are made without one inside a ``with`` block."""
    token = _default.set(clock)
    try:
        yield
    finally:
        _default.reset(token)
