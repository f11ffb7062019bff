"""Recording, replaying and caching the answers of a search service."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.tools.services.base import RequestKey, SearchService
from tool_sandbox.tools.services.lookups import Body, Lookup
from tool_sandbox.tools.services.wrapping import WrappingService
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError


@attrs.frozen
class RecordingService(WrappingService):
    """Passes lookups on and appends each answer to a file, one JSON object a line.

    A line has the keys ``url``, ``params`` and ``body``; keys and headers are not written. Threads
    and processes may share a file: each line is written by one append.

    Attributes:
        path: File to append to; its folder is made if needed.
    """

    path: Path

    def __attrs_post_init__(self) -> None:
        """Makes the folder."""
        self.path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def mode(self) -> str:
        """``record`` and the mode of the recorded service."""
        return f"record:{self._behind.mode}"

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers like the service behind it and records the answer; failures are not recorded."""
        body = self._behind.body(lookup, now)
        key = RequestKey.of(lookup.url, lookup.params)
        line = json.dumps({"url": key.url, "params": dict(key.params), "body": body}) + "\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)
        return body


class ReplayService(SearchService):
    """Answers from a file that `RecordingService` wrote; the newest answer to a request counts."""

    mode = "replay"

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Args:
            path: File of recorded answers.

        Raises:
            ConfigurationError: The file cannot be read, or a line other than an unfinished last one is damaged.
        """
        self._path = path
        self._bodies: dict[RequestKey, str] = {}
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"recorded answers cannot be read from {path}: {error}") from error
        # A process that was killed while it wrote leaves a last line without its end.
        for number, line in enumerate(lines[:-1], start=1):
            try:
                record = json.loads(line)
                params = tuple(sorted(record["params"].items()))
                self._bodies[RequestKey(record["url"], params)] = json.dumps(record["body"])
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ConfigurationError(f"line {number} of {path} is not a recorded answer") from error

    @property
    def version(self) -> str:
        """Name of the file."""
        return self._path.name

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers a recorded request.

        Raises:
            InfrastructureError: The request was not recorded.
        """
        key = RequestKey.of(lookup.url, lookup.params)
        if key not in self._bodies:
            raise InfrastructureError(f"no answer to {key.url} with {dict(key.params)} is recorded in {self._path}")
        body: Body = json.loads(self._bodies[key])
        return body


@attrs.frozen
class CachingService(WrappingService):
    """Remembers answers, so that a batch of calls tried in several orders asks only once.

    Failures are not remembered. The cache lives as long as the object: make one for each batch.
    """

    _bodies: dict[RequestKey, str] = attrs.field(factory=dict, init=False, repr=False, eq=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False, repr=False, eq=False)

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers from the cache, or else from the service behind it."""
        key = RequestKey.of(lookup.url, lookup.params)
        with self._lock:
            if key not in self._bodies:
                self._bodies[key] = json.dumps(self._behind.body(lookup, now))
            text = self._bodies[key]
        body: Body = json.loads(text)
        return body
