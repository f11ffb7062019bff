"""Time and chance as the modules of a suite see them.

Published scenarios read the wall clock and draw random numbers while they are defined. So that a suite can be loaded
twice, in two processes or in two years, and be the same, its modules see stand-ins for ``datetime``, ``time``,
``random`` and ``uuid`` that ask the run instead of the machine.
"""

import datetime
import math
import random
import time
import uuid
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tool_sandbox.runner.suite_import import Overlay

RANDOM_SEED = 42
"""Seed of the random numbers, that of the published command line."""


def stand_ins(now: Callable[[], float], new_id: Callable[[], str], chance: random.Random) -> dict[str, ModuleType]:
    """Makes the modules that a suite sees in place of the standard ones."""
    return {
        "datetime": _datetime(now),
        "time": _time(now),
        "random": _random(chance),
        "uuid": Overlay(uuid, uuid1=lambda *_: uuid.UUID(new_id()), uuid4=lambda: uuid.UUID(new_id())),
    }


class _StandIn(type):
    """Makes classes that pass for the class they are derived from: calls make its instances, which are theirs, too."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        real = vars(cls).get("_real")
        return super().__call__(*args, **kwargs) if real is None else real(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, vars(cls)["_real"]) if "_real" in vars(cls) else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, vars(cls)["_real"]) if "_real" in vars(cls) else super().__subclasscheck__(subclass)


def _datetime(now: Callable[[], float]) -> ModuleType:
    class SuiteDate(datetime.date, metaclass=_StandIn):
        _real = datetime.date

        @classmethod
        def today(cls) -> Any:
            return datetime.date.fromtimestamp(now())

    class SuiteDatetime(datetime.datetime, metaclass=_StandIn):
        _real = datetime.datetime

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return datetime.datetime.fromtimestamp(now(), tz)

        @classmethod
        def today(cls) -> Any:
            return datetime.datetime.fromtimestamp(now())

        @classmethod
        def utcnow(cls) -> Any:
            return datetime.datetime.fromtimestamp(now(), datetime.UTC).replace(tzinfo=None)

    return Overlay(datetime, date=SuiteDate, datetime=SuiteDatetime)


def _time(now: Callable[[], float]) -> ModuleType:
    def seconds(given: float | None) -> float:
        return now() if given is None else given

    def local(moment: Any) -> Any:
        return time.localtime(now()) if moment is None else moment

    return Overlay(
        time,
        time=now,
        time_ns=lambda: math.floor(now() * 1_000_000) * 1_000,
        localtime=lambda secs=None: time.localtime(seconds(secs)),
        gmtime=lambda secs=None: time.gmtime(seconds(secs)),
        ctime=lambda secs=None: time.ctime(seconds(secs)),
        asctime=lambda t=None: time.asctime(local(t)),
        strftime=lambda format, t=None: time.strftime(format, local(t)),
    )


def _random(chance: random.Random) -> ModuleType:
    """The module with functions that draw from a certain generator."""
    drawing = {name: getattr(chance, name) for name in random.__all__ if hasattr(random.Random, name)}
    return Overlay(random, **drawing)
