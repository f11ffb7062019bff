"""Answers that were paid for once, by what was asked."""

import hashlib
import json
import logging
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import attrs

from tool_sandbox.models.exchange import Exchange, body_from_json, body_to_json, headers_from_json, status_from_json
from tool_sandbox.models.plain import json_or_none
from tool_sandbox.models.recording import Fetch
from tool_sandbox.play.trajectory_files import write_text
from tool_sandbox.world.errors import ConfigurationError

VERSION = 1
"""Version of keys and entries; entries of another version are never found."""

_RELEVANT_HEADERS = ("anthropic-version", "anthropic-beta", "openai-beta")

_logger = logging.getLogger(__name__)


class ResponseCache:
    """Complete, successful answers in a directory, one file each.

    Several threads and processes can use one directory. Files are named by hashes and replaced as a whole; one that is
    damaged counts as missing. Entries hold answers without keys, and nothing of the requests.
    """

    def __init__(self, path: Path) -> None:
        """Opens a cache."""
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            raise ConfigurationError(f"cannot use {path} as a cache: {error.strerror or error}") from error
        # Each lives as long as somebody waits for it.
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._guard = threading.Lock()

    def get(self, key: str) -> dict[str, Any] | None:
        """The stored answer."""
        try:
            entry = json.loads(self._file(key).read_text("utf-8"))
            answer: dict[str, Any] = {
                "status": status_from_json(entry["status"]),
                "response_headers": headers_from_json(entry["headers"]),
                "response_body": body_from_json(entry["body"]),
            }
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        is_sound = entry.get("version") == VERSION and entry.get("sha256") == _digest(answer["response_body"])
        return answer if is_sound else None

    def put(self, key: str, exchange: Exchange) -> None:
        """Stores an answer. A full disk costs money, not the conversation: it is logged."""
        entry = {
            "version": VERSION,
            "status": exchange.status,
            "headers": dict(exchange.response_headers),
            "sha256": _digest(exchange.response_body),
            "body": body_to_json(exchange.response_body),
        }
        file = self._file(key)
        try:
            file.parent.mkdir(exist_ok=True)
            write_text(file, json.dumps(entry, ensure_ascii=False))
        except OSError as error:
            _logger.warning("cannot write to the cache %s: %s", self.path, error.strerror or error)

    @contextmanager
    def claimed(self, key: str) -> Iterator[None]:
        """Has other threads that ask for the same wait, so that it is paid for once."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            yield

    def _file(self, key: str) -> Path:
        return self.path / key[:2] / f"{key}.json"


@cache
def response_cache(path: Path) -> ResponseCache:
    """The cache of a directory that all conversations of this process share."""
    return ResponseCache(path)


@attrs.define(eq=False)
class CachedSource:
    """Answers the requests of one conversation from a cache, and else over the network.

    What is asked again within a conversation, or in another trial of it, is another sample and gets an answer of its
    own; a run that is repeated or taken up again asks the same things in the same order and pays nothing.

    Attributes:
        cache: Where answers are kept.
        trial: Number of the repetition of the conversation.
        answered: How often each request has been answered so far.
    """

    cache: ResponseCache
    trial: int = 0
    answered: Counter[bytes] = attrs.field(factory=Counter)

    def __call__(self, asked: Exchange, fetch: Fetch) -> Exchange:
        """Answers a request, as a ``Source``."""
        request = request_digest(asked)
        sample = f"{VERSION}/{self.trial}/{self.answered[request]}/"
        key = hashlib.sha256(sample.encode() + request).hexdigest()
        with self.cache.claimed(key):
            stored = self.cache.get(key)
            exchange = fetch() if stored is None else attrs.evolve(asked, origin="cache", **stored)
            is_complete_answer = is_complete(exchange)
            if stored is None and is_complete_answer:
                self.cache.put(key, exchange)
        if is_complete_answer:
            self.answered[request] += 1
        return exchange


def is_complete(exchange: Exchange) -> bool:
    """Whether an answer is worth keeping: successful, whole, and no error in the clothes of a success."""
    if exchange.status is None or not 200 <= exchange.status < 300 or exchange.error is not None:
        return False
    if exchange.response_headers.get("content-type", "").startswith("text/event-stream"):
        body = exchange.response_body.replace(b"\r\n", b"\n")
        lines = body.split(b"\n")
        return body.endswith(b"\n\n") and not any(
            line.startswith((b"event: error", b'data: {"error"')) for line in lines
        )
    answer = json_or_none(exchange.response_body)
    return isinstance(answer, dict) and not answer.get("error")


def request_digest(asked: Exchange) -> bytes:
    """What is asked, in 32 bytes."""
    headers = [asked.request_headers.get(name, "") for name in _RELEVANT_HEADERS]
    head = json.dumps([asked.method, asked.url, *headers])
    return hashlib.sha256(head.encode() + b"\n" + asked.request_body).digest()


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
