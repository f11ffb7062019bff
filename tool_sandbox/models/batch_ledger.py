"""What a run has sent in batches and got back, on the disk, so that nothing is paid for twice when it is resumed.

``batches.jsonl`` in the directory of a run has one object per line, and is only ever added to. ``intent`` says that a
batch is about to begin, ``sent`` that it has, ``answer`` holds one answer, ``over`` says that no more come from a
batch, and ``finished`` that a conversation is over and needs its answers no more.
"""

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.batch_service import BatchAnswer
from tool_sandbox.models.exchange import body_from_json, body_to_json, headers_from_json, status_from_json
from tool_sandbox.play.opening import open_regular
from tool_sandbox.world.errors import ConfigurationError, StorageError

LEDGER_FILE = "batches.jsonl"

_LARGEST = 2**34
"""Bytes of a ledger: a million answers of 16 KB."""


@attrs.define
class Intent:
    """A batch that was to begin.

    Attributes:
        tag: What it was marked with.
        lane: Where to.
        at: POSIX seconds.
        keys: Its requests: key to the conversation that asked.
        batch: Its id, ``None`` as long as it is not known whether it began.
    """

    tag: str
    lane: str
    at: float
    keys: Mapping[str, str]
    batch: str | None = None


class BatchLedger:
    """The ledger of a run. May be used by several threads."""

    def __init__(self, path: Path) -> None:
        """Reads what an earlier process has written."""
        self._path = path
        self._lock = threading.Lock()
        self._intents: dict[str, Intent] = {}
        self._answers: dict[str, dict[str, BatchAnswer]] = {}
        self._known: set[str] = set()
        self._is_cut = False
        if path.exists():
            self._read()

    def answer(self, conversation: str, key: str) -> BatchAnswer | None:
        """The answer to a request of a conversation."""
        with self._lock:
            return self._answers.get(conversation, {}).get(key)

    def knows(self, batch: str) -> bool:
        """Whether a batch of the provider is one of this run."""
        with self._lock:
            return batch in self._known

    def open(self, lane: str) -> list[Intent]:
        """Batches of a lane that are not over, oldest first."""
        with self._lock:
            return [attrs.evolve(intent) for intent in self._intents.values() if intent.lane == lane]

    def intend(self, intent: Intent) -> None:
        """Notes that a batch is about to begin."""
        record = {"tag": intent.tag, "lane": intent.lane, "at": intent.at, "keys": dict(intent.keys)}
        self._add({"intent": record}, is_vital=True)

    def sent(self, tag: str, batch: str) -> None:
        """Notes that a batch has begun."""
        self._add({"sent": {"tag": tag, "batch": batch}}, is_vital=True)

    def answered(self, conversation: str, key: str, answer: BatchAnswer) -> None:
        """Keeps an answer."""
        body = {"status": answer.status, "headers": dict(answer.headers), "body": body_to_json(answer.body)}
        self._add({"answer": {"conversation": conversation, "key": key, **body}})

    def over(self, tag: str) -> None:
        """Notes that no more answers come from a batch, or that it has never begun."""
        self._add({"over": {"tag": tag}}, is_vital=True)

    def finished(self, conversation: str) -> None:
        """Notes that a conversation is over."""
        self._add({"finished": {"conversation": conversation}})

    def _add(self, entry: Mapping[str, Any], *, is_vital: bool = False) -> None:
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            try:
                self._write(line, is_vital=is_vital)
            except OSError as error:
                raise StorageError(error.errno, error.strerror, str(self._path)) from error
            self._take(entry)

    def _write(self, line: bytes, *, is_vital: bool) -> None:
        with self._path.open("ab", buffering=0) as file:
            # Behind a line of which the end was never written.
            file.write(b"\n" + line if self._is_cut else line)
            self._is_cut = False
            if is_vital:
                os.fsync(file.fileno())

    def _read(self) -> None:
        line = b"\n"
        with open_regular(self._path, limit=_LARGEST) as file:
            for line in file:
                try:
                    self._take(json.loads(line))
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                    if line.strip() and line.endswith(b"\n") and not _is_beginning(line):
                        told = "remove it to ask everything anew"
                        raise ConfigurationError(f"{self._path} has a line that is damaged; {told}") from None
        self._is_cut = not line.endswith(b"\n")

    def _take(self, entry: Mapping[str, Any]) -> None:
        ((kind, what),) = entry.items()
        if kind == "intent":
            keys = {str(key): str(conversation) for key, conversation in what["keys"].items()}
            self._intents[what["tag"]] = Intent(str(what["tag"]), str(what["lane"]), float(what["at"]), keys)
        elif kind == "sent":
            self._intents[what["tag"]].batch = str(what["batch"])
            self._known.add(str(what["batch"]))
        elif kind == "over":
            self._intents.pop(what["tag"], None)
        elif kind == "finished":
            self._answers.pop(what["conversation"], None)
        elif kind == "answer":
            body, headers = body_from_json(what["body"]), headers_from_json(what["headers"])
            answer = BatchAnswer(status_from_json(what["status"]), body, headers)
            self._answers.setdefault(what["conversation"], {})[what["key"]] = answer


def _is_beginning(line: bytes) -> bool:
    """Whether a line that cannot be read is one of ours that was cut off by the end of a process."""
    return line.startswith((b'{"intent', b'{"sent', b'{"answer', b'{"over', b'{"finished'))
