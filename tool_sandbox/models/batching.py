"""Asks models in batches, which cost half the price: conversations wait, and go on together.

A conversation hands over its request where it would be sent over the network (see `tool_sandbox.models.recording`), and
waits there until a batch has brought the answer, which may take a day. So roles, retries, records, caches and prices
know nothing of batches.
"""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models.batch_lane import BatchPolicy, BatchRequest, Lane
from tool_sandbox.models.batch_ledger import BatchLedger
from tool_sandbox.models.batch_service import BatchAnswer, BatchService
from tool_sandbox.models.cache import is_complete, request_digest
from tool_sandbox.models.exchange import Exchange
from tool_sandbox.models.providers import usual_concurrency
from tool_sandbox.models.recording import Fetch
from tool_sandbox.models.session import Session

if TYPE_CHECKING:
    from tool_sandbox.models.provider import Provider


class Batching:
    """The batches of a run. Used by the threads of all its conversations."""

    def __init__(self, ledger: BatchLedger, policy: BatchPolicy, clock: Callable[[], float] = time.time) -> None:
        """Sends nothing yet."""
        self._ledger, self._policy, self._clock = ledger, policy, clock
        self._changed = threading.Condition()
        self._has_changed = False
        self._lanes: dict[str, Lane] = {}
        self._playing: set[str] = set()
        self._since: dict[str, float] = {}
        self._thread: threading.Thread | None = None
        self._places: dict[str, threading.Semaphore] = {}

    @contextmanager
    def playing(self, conversation: str) -> Iterator[None]:
        """Counts a conversation among those that a batch waits for; once it is over, its answers are forgotten."""
        with self._changed:
            self._playing.add(conversation)
        try:
            yield
        finally:
            with self._changed:
                self._playing.discard(conversation)
                self._notify()
        self._ledger.finished(conversation)

    def ask(
        self, service: BatchService, conversation: str, key: str, body: bytes, secrets: Sequence[str]
    ) -> BatchAnswer | None:
        """Waits for the answer to a request; ``None`` if it is to be sent by itself."""
        if (answer := self._ledger.answer(conversation, key)) is not None:
            return answer
        now = self._clock()
        with self._changed:
            request = BatchRequest(key, conversation, body, self._since.setdefault(key, now))
            lane = self._lanes.get(service.lane)
            if lane is None:
                lane = Lane(service, self._ledger, self._policy, secrets, self._changed, now)
                self._lanes[service.lane] = lane
            lane.add(request, now)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="batches", daemon=True)
                self._thread.start()
            self._notify()
        request.is_done.wait()
        if request.error is not None:
            raise request.error
        if request.answer is None or request.answer.status == 200:
            with self._changed:
                self._since.pop(key, None)
        return request.answer

    def singly(self, provider: "Provider", session: Session, fetch: Fetch) -> Exchange:
        """Sends a request by itself. As many at once as suit the provider, however many conversations are played."""
        with self._changed:
            if provider.name not in self._places:
                self._places[provider.name] = threading.Semaphore(usual_concurrency([provider.name]))
            places = self._places[provider.name]
        started = time.monotonic()
        with places:
            session.wait_s += time.monotonic() - started
            return fetch()

    def _notify(self) -> None:
        self._has_changed = True
        self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._has_changed = False
                waiting = sum(lane.waiting for lane in self._lanes.values())
                if not waiting and not self._playing:
                    self._thread = None
                    return
                lanes, all_wait = list(self._lanes.values()), waiting >= len(self._playing)
            now = self._clock()
            back = min((self._serve(lane, now, all_wait=all_wait) for lane in lanes), default=now)
            with self._changed:
                if not self._has_changed:
                    self._changed.wait(max(back - self._clock(), 0.01))

    def _serve(self, lane: Lane, now: float, *, all_wait: bool) -> float:
        try:
            return lane.serve(now, all_wait=all_wait)
        except Exception as error:
            # The ledger cannot be written, say; nothing may be sent then.
            lane.fail(error)
            return now + self._policy.longest_look_s


@attrs.define(eq=False)
class BatchSource:
    """Answers the requests of one party in one conversation from batches, as a ``Source``.

    Attributes:
        batching: The batches of the run.
        provider: Whose model is asked.
        session: Learns how long it waited.
        conversation: Name of the conversation within its run.
        secrets: What must not be kept.
        answered: How often each request has been answered so far: the same one again is another sample.
    """

    batching: Batching
    provider: "Provider"
    session: Session
    conversation: str
    secrets: tuple[str, ...] = attrs.field(default=(), repr=False)
    answered: Counter[bytes] = attrs.field(factory=Counter)

    def __call__(self, asked: Exchange, fetch: Fetch) -> Exchange:
        """Answers a request."""
        service = self.provider.batches(asked.url, asked.request_headers)
        if service is None:
            return self.batching.singly(self.provider, self.session, fetch)
        # A run may be resumed over another proxy.
        digest = request_digest(attrs.evolve(asked, url=urlsplit(asked.url).path))
        sample = f"{self.conversation}/{asked.party}/{self.answered[digest]}/"
        key = hashlib.sha256(sample.encode() + digest).hexdigest()
        started = time.monotonic()
        answer = self.batching.ask(service, self.conversation, key, asked.request_body, self.secrets)
        waited = time.monotonic() - started
        self.session.wait_s += waited
        if answer is None:
            return self.batching.singly(self.provider, self.session, fetch)
        exchange = _answered(asked, answer, waited)
        self.answered[digest] += is_complete(exchange)
        return exchange


def _answered(asked: Exchange, answer: BatchAnswer, waited_s: float) -> Exchange:
    headers: Mapping[str, str] = answer.headers
    return attrs.evolve(
        asked,
        status=answer.status,
        response_headers=headers,
        response_body=answer.body,
        latency_s=waited_s,
        origin="batch",
    )
