"""Who may write into a run at an address: one process, for as long as it keeps saying so.

An address has no lock that goes with the process. So who wants a run puts a note of its own beside it, and then reads
all notes: with no other that is valid, it holds the run. Of two who come at the same time at least the later one sees
the other, in every store whose listing has what was just written; no conditional write is needed, which stores offer in
different ways or ignore. A note is valid for `LEASE_S` and renewed long before. That of a killed process runs out; on
its own machine it is seen at once that it is gone.
"""

import contextlib
import datetime
import json
import os
import platform
import random
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import attrs

from tool_sandbox.helpers.printable import printable
from tool_sandbox.world.errors import ConfigurationError

LEASE_S = 120.0
"""How long a note is valid."""

BEAT_S = 30.0
"""How often it is renewed."""

PATIENCE_S = 2.0
"""How long another is waited for that may be about to leave, or came at the same time."""


_LONGEST_S = 86_400.0
"""A note that is valid for longer was not written by this module."""


class Notes(Protocol):
    """Small files in a folder at an address."""

    def read(self) -> dict[str, bytes]:
        """All of them, as they are now."""

    def write(self, name: str, content: bytes) -> None:
        """Writes one; it is there whole or not at all."""

    def remove(self, name: str) -> None:
        """Removes one, if it is there."""


@attrs.define(eq=False)
class Lease:
    """The right to write into a run at an address.

    Attributes:
        place: The run, as people know it.
    """

    place: str
    _notes: Notes
    _name: str = attrs.field(factory=lambda: f"{uuid.uuid4().hex}.json")
    _since: float = attrs.field(factory=time.time)
    _until: float = 0.0
    _is_lost: bool = False
    _over: threading.Event = attrs.field(factory=threading.Event)

    @property
    def is_valid(self) -> bool:
        """Whether this process may write."""
        return not self._is_lost and time.time() < self._until

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Holds the run, and says so until the end.

        Raises:
            ConfigurationError: Another process holds it.
        """
        self._take()
        beating = threading.Thread(target=self._beat, name="lease", daemon=True)
        beating.start()
        try:
            yield
        finally:
            self._over.set()
            beating.join()
            # What cannot be removed runs out.
            with contextlib.suppress(Exception):
                self._notes.remove(self._name)

    def _take(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        try:
            while True:
                self._renew()
                others = self._others()
                if not others:
                    return
                if time.monotonic() > deadline:
                    raise ConfigurationError(_refusal(self.place, next(iter(others.values()))))
                # Of those who came at the same time the first by name stays, so that one of them gets it.
                if min(others) < self._name:
                    self._notes.remove(self._name)
                time.sleep(random.uniform(0.05, 0.25))
        except BaseException:
            with contextlib.suppress(Exception):
                self._notes.remove(self._name)
            raise

    def _renew(self) -> None:
        until = time.time() + LEASE_S
        note = {
            "pid": os.getpid(),
            "host": platform.node(),
            "machine": _machine(),
            "since": _moment(self._since),
            "until": until,
        }
        self._notes.write(self._name, json.dumps(note).encode())
        self._until = until

    def _others(self) -> dict[str, dict[str, Any]]:
        """Valid notes of others; those that are not are removed."""
        valid = {}
        for name, content in self._notes.read().items():
            if name != self._name:
                note = _read(content)
                if _is_valid(note):
                    valid[name] = note
                else:
                    self._notes.remove(name)
        return valid

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            # An address that does not answer now may do so before the note runs out; until then nobody takes the run.
            with contextlib.suppress(Exception):
                until = self._until
                was_there = self._name in self._notes.read()
                self._renew()
                if (not was_there or time.time() > until) and self._others():
                    self._is_lost = True
                    return


def _read(content: bytes) -> dict[str, Any]:
    try:
        note = json.loads(content)
        return {**note, "until": float(note["until"]), "pid": int(note["pid"])}
    except (ValueError, TypeError, KeyError):
        return {}


def _is_valid(note: dict[str, Any]) -> bool:
    now = time.time()
    if not note or not now <= note["until"] < now + _LONGEST_S:
        return False
    return note.get("machine") is None or note["machine"] != _machine() or _is_running(note["pid"])


def _machine() -> str | None:
    """This machine since it was started, and whose processes are counted; ``None`` if it does not say."""
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{started} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return None


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _refusal(place: str, note: dict[str, Any]) -> str:
    holder = f"pid {note['pid']} on {note.get('host')} since {note.get('since')}"
    told = f"{place} is being played by another process ({holder}); wait for it or stop it"
    return printable(f"{told}; if it was killed, the run can be taken after {_moment(note['until'])}")


def _moment(timestamp: float) -> str:
    return datetime.datetime.fromtimestamp(timestamp).astimezone().isoformat(timespec="seconds")
