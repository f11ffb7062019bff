"""The same scenarios on other machine dates and in other machine time zones.

Run as a program, this module moves every clock of Python first and plays afterwards::

    TZ=Asia/Kathmandu python -m tool_sandbox.proof.elsewhere -400

It is sent a list of scenario names with seeds and where they come from, pickled, and prints what they came to as JSON.
"""

import contextlib
import datetime
import functools
import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.helpers.spreading import HERE, Spread
from tool_sandbox.world.errors import InfrastructureError

if TYPE_CHECKING:
    from tool_sandbox.proof.source import Source

PLACES = (
    (0.0, "UTC"),
    (-400.0, "Asia/Kathmandu"),
    (37.0, "America/Los_Angeles"),
    (228.0, "UTC"),
    (3000.5, "Asia/Kathmandu"),
)
"""Days by which the clock of the machine is moved, and its time zone."""


@attrs.frozen
class ElsewhereResult:
    """Results of a process with another date and time zone.

    Attributes:
        days: Days by which its clocks were to be moved.
        zone: Its time zone.
        digests: Fingerprint of each scenario's score and trajectory, by name and seed.
        imperfect: Scenarios whose reference did not score 1.
        clocks: Days by which its clocks were really moved.
    """

    days: float
    zone: str
    digests: dict[str, str]
    imperfect: list[str]
    clocks: list[float]


def play_elsewhere(
    instances: Sequence[tuple[str, int]], spread: Spread = HERE, source: "Source | None" = None
) -> list[ElsewhereResult]:
    """Plays reference solutions in each of `PLACES`."""
    from tool_sandbox.proof.source import OWN

    wanted = pickle.dumps((list(instances), source or OWN))
    outcomes = dict(spread(functools.partial(_play_at, wanted=wanted), range(len(PLACES))))
    return [outcomes[number] for number in range(len(PLACES))]


def _play_at(number: int, wanted: bytes) -> ElsewhereResult:
    days, zone = PLACES[number]
    # Another hash seed in each process shows results that depend on the order of a set.
    environment = os.environ | {"TZ": zone, "PYTHONHASHSEED": str(number)}
    played = subprocess.run(  # noqa: S603 - our own program with a number
        [sys.executable, "-m", __name__, str(days)], env=environment, input=wanted, capture_output=True, check=False
    )
    if played.returncode:
        said = played.stderr.decode(errors="replace").strip()[-500:]
        raise InfrastructureError(f"playing {days:+g} days from now in {zone} failed: {said}")
    return ElsewhereResult(days, zone, **json.loads(played.stdout))


def differing(outcomes: Sequence[ElsewhereResult]) -> list[str]:
    """Scenarios that did not come to the same everywhere."""
    here = outcomes[0].digests
    return [name for name in here if len({outcome.digests[name] for outcome in outcomes}) > 1]


# In the other process ------------------------------------------------------------------------------------------


def move_clocks(days: float) -> None:
    """Moves every clock that Python code can ask, for the rest of the process."""
    offset = datetime.timedelta(days=days)
    real_time, real_datetime, real_date = time.time, datetime.datetime, datetime.date

    # The calendar classes read the machine's clock in C, past time.time, so both are moved.
    class MovedDatetime(real_datetime):  # type: ignore[valid-type,misc]
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            moved = real_datetime.now(datetime.UTC) + offset
            return cls.fromtimestamp(moved.timestamp(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now(datetime.UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

        def date(self) -> Any:
            return MovedDate(self.year, self.month, self.day)

    class MovedDate(real_date):  # type: ignore[valid-type,misc]
        @classmethod
        def today(cls) -> Any:
            return cls.fromordinal(MovedDatetime.now().toordinal())

    time.time = lambda: real_time() + offset.total_seconds()
    datetime.datetime = MovedDatetime  # type: ignore[misc]
    datetime.date = MovedDate  # type: ignore[misc]


def _main(days: float) -> None:
    # Whoever started this may have been told to leave an interrupt to its own parent.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    real_time = time.time
    move_clocks(days)
    # Imported only now, so that nothing has taken hold of a clock before it was moved.
    from tool_sandbox.proof.play import play
    from tool_sandbox.roles.oracle_agent import OracleAgent
    from tool_sandbox.world.clock import SystemClock

    instances, source = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    digests, imperfect = {}, []
    for name, seed in instances:
        # What code of a suite prints is no part of the outcome.
        with contextlib.redirect_stdout(sys.stderr):
            context, result = play(source(name, seed), OracleAgent())
        label = f"{name} --seed {seed}" if seed else name
        if not result.success:
            imperfect.append(label)
        trajectory = json.dumps([name, result.similarity, context.to_dict(False)])
        digests[label] = hashlib.sha256(trajectory.encode()).hexdigest()[:16]
    clocks = [SystemClock().now(0), datetime.datetime.now().timestamp(), time.time()]
    moved = sorted({round((clock - real_time()) / 86400, 1) for clock in clocks})
    json.dump({"digests": digests, "imperfect": imperfect, "clocks": moved}, sys.stdout)


if __name__ == "__main__":
    _main(float(sys.argv[1]))
