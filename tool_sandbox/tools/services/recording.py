"""Recording, replaying and caching the answers of a search service."""

import datetime
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.tools.services.base import RequestKey, SearchService
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError


class RecordingService:
    """Passes requests on and appends each answer to a file, one JSON object a line.

    A line has the keys ``url``, ``params`` and ``body``; keys and headers are not written. Threads
    and processes may share a file: each line is written by one append.
    """

    def __init__(self, service: SearchService, path: Path) -> None:
        """Wraps a service.

        Args:
            service: Where answers come from.
            path: File to append to; its folder is made if needed.
        """
        self._service = service
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def mode(self) -> str:
        """``record`` and the mode of the recorded service."""
        return f"record:{self._service.mode}"

    @property
    def version(self) -> str:
        """Version of the recorded service."""
        return self._service.version

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers like the wrapped service and records the answer; failures are not recorded."""
        body = self._service.get(url, params, headers, now=now, timezone=timezone)
        key = RequestKey.of(url, params)
        line = json.dumps({"url": key.url, "params": dict(key.params), "body": body}) + "\n"
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)
        return body


class ReplayService:
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

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers a recorded request.

        Raises:
            InfrastructureError: The request was not recorded.
        """
        key = RequestKey.of(url, params)
        if key not in self._bodies:
            raise InfrastructureError(f"no answer to {key.url} with {dict(key.params)} is recorded in {self._path}")
        body: dict[str, Any] = json.loads(self._bodies[key])
        return body


class CachingService:
    """Remembers answers, so that a batch of calls tried in several orders asks only once.

    Failures are not remembered. The cache lives as long as the object: make one for each batch.
    """

    def __init__(self, service: SearchService) -> None:
        """Wraps a service with an empty cache.

        Args:
            service: Where answers come from.
        """
        self._service = service
        self._bodies: dict[RequestKey, str] = {}
        self._lock = threading.Lock()

    @property
    def mode(self) -> str:
        """Mode of the wrapped service."""
        return self._service.mode

    @property
    def version(self) -> str:
        """Version of the wrapped service."""
        return self._service.version

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers from the cache, or else from the wrapped service."""
        key = RequestKey.of(url, params)
        with self._lock:
            if key not in self._bodies:
                self._bodies[key] = json.dumps(self._service.get(url, params, headers, now=now, timezone=timezone))
            text = self._bodies[key]
        body: dict[str, Any] = json.loads(text)
        return body
