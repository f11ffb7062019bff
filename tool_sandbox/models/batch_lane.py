"""Requests to one model that go on together, in one batch after the other."""

import contextlib
import logging
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

import attrs

from tool_sandbox.helpers.counting import counted
from tool_sandbox.models.batch_ledger import BatchLedger, Intent
from tool_sandbox.models.batch_service import BatchAnswer, BatchAnswers, BatchItem, BatchService, BatchState
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.models.redaction import redact_bytes

MOST_ITEMS = 1000
"""Requests in a batch. Services take more, but an answer has to fit into memory."""

MOST_BYTES = 100 * 2**20
"""Bytes of requests in a batch; Anthropic takes 256 MB and OpenAI 200 MB."""

MOST_MISSES = 3
"""How many batches may leave a request without an answer before it is sent by itself."""

MOST_READS = 3
"""How often a file of answers is fetched that seems to be cut off."""

_BACKOFF_S = 5.0
_LONGEST_BACKOFF_S = 300.0
_CANCEL_S = 600.0
"""Seconds that a batch has to end once it is cancelled."""

_REFUSED = (FaultKind.AUTHENTICATION, FaultKind.BILLING, FaultKind.PERMISSION)

_logger = logging.getLogger(__name__)


@attrs.frozen
class BatchPolicy:
    """How long to wait in batches. All times are seconds.

    Attributes:
        patience_s: Longest wait of a request in batches; after that it is sent by itself, at the full price.
        settle_s: A batch begins when all conversations wait and no request has come for so long.
        linger_s: A batch begins in any case when no request has come for so long, or six times that after the first.
        first_look_s: Wait before a batch is looked at; doubled each time.
        longest_look_s: Longest such wait.
    """

    patience_s: float = 86400.0
    settle_s: float = 1.0
    linger_s: float = 10.0
    first_look_s: float = 1.0
    longest_look_s: float = 60.0


@attrs.define(eq=False)
class BatchRequest:
    """A request of a conversation that waits.

    Attributes:
        key: Its name in a batch.
        conversation: Who asks.
        body: What is asked.
        since: POSIX seconds since when it waits, batches that left it without an answer included.
        answer: What came; ``None`` if it is to be sent by itself.
        error: What is to be raised in place of an answer.
        is_done: Set when answer or error is there.
        misses: How many batches have left it without an answer.
    """

    key: str
    conversation: str
    body: bytes
    since: float
    answer: BatchAnswer | None = None
    error: Exception | None = None
    is_done: threading.Event = attrs.field(factory=threading.Event)
    misses: int = 0

    def end(self, answer: BatchAnswer | None = None, error: Exception | None = None) -> None:
        """Lets the conversation go on."""
        self.answer, self.error = answer, error
        self.is_done.set()


@attrs.define(eq=False)
class _Batch:
    """A batch that is under way: who waits for it, and when it is looked at again."""

    intent: Intent
    id: str
    pause_s: float
    next_look: float
    waiting: dict[str, BatchRequest] = attrs.field(factory=dict)
    told: float = 0.0
    reads: int = 0
    is_cancelled: bool = False

    def later(self, now: float, longest_s: float) -> None:
        self.next_look = now + self.pause_s
        self.pause_s = min(2 * self.pause_s, longest_s)


class Lane:
    """The requests to one model. Requests are added by their conversations; everything else is done by one thread.

    Attributes:
        lock: Held by everybody who changes who waits.
    """

    def __init__(
        self,
        service: BatchService,
        ledger: BatchLedger,
        policy: BatchPolicy,
        secrets: Sequence[str],
        lock: "threading.Condition",
        now: float,
    ) -> None:
        """Goes on with the batches that an earlier process has left."""
        self.lock = lock
        self._service, self._ledger, self._policy, self._secrets = service, ledger, policy, secrets
        self._queue: dict[str, BatchRequest] = {}
        intents = ledger.open(service.lane)
        self._batches = [self._begun(intent, intent.batch, now) for intent in intents if intent.batch is not None]
        self._unsure = [intent for intent in intents if intent.batch is None]
        self._most = MOST_ITEMS
        self._backoff_s, self._not_before, self._newest = _BACKOFF_S, now, now

    @property
    def waiting(self) -> int:
        """Conversations that wait."""
        return len(self._queue) + sum(len(batch.waiting) for batch in self._batches)

    def add(self, request: BatchRequest, now: float) -> None:
        """Has a request wait, for a batch that it is in already or for the next one; the lock is held."""
        for batch in self._batches:
            if request.key in batch.intent.keys:
                batch.waiting[request.key] = request
                return
        self._queue[request.key] = request
        self._newest = now

    def serve(self, now: float, *, all_wait: bool) -> float:
        """Does what is due, and returns when to come back."""
        if self._unsure and now >= self._not_before:
            self._recover(now)
        while self._is_ripe(now, all_wait=all_wait):
            self._submit(now)
        for batch in [batch for batch in self._batches if batch.next_look <= now]:
            self._look(batch, now)
        self._release(self._impatient(self._queue.values(), now))
        return self._next(now)

    def fail(self, error: Exception) -> None:
        """Tells everybody who waits that it was in vain."""
        with self.lock:
            requests = [*self._queue.values(), *(each for batch in self._batches for each in batch.waiting.values())]
            self._queue.clear()
            for batch in self._batches:
                batch.waiting.clear()
        for request in requests:
            request.end(error=error)

    # Beginning -------------------------------------------------------------------------------

    def _is_ripe(self, now: float, *, all_wait: bool) -> bool:
        with self.lock:
            if not self._queue or self._unsure or now < self._not_before:
                return False
            quiet, oldest = now - self._newest, now - min(request.since for request in self._queue.values())
            linger = self._policy.linger_s
            is_quiet = quiet >= (self._policy.settle_s if all_wait else linger) or oldest >= 6 * linger
            return is_quiet or len(self._queue) >= self._most

    def _next(self, now: float) -> float:
        with self.lock:
            looks = [batch.next_look for batch in self._batches]
            if self._queue or self._unsure:
                looks.append(max(self._not_before, now + self._policy.settle_s / 2))
        return min(looks, default=now + self._policy.longest_look_s)

    def _submit(self, now: float) -> None:
        with self.lock:
            requests = _first(self._queue.values(), self._most)
        keys = {request.key: request.conversation for request in requests}
        intent = Intent(uuid.uuid4().hex, self._service.lane, now, keys)
        self._ledger.intend(intent)
        try:
            batch = self._service.submit([BatchItem(each.key, each.body) for each in requests], intent.tag)
        except Exception as error:
            self._not_sent(intent, requests, error, now)
            return
        self._adopt(intent, batch, now)
        self._backoff_s = _BACKOFF_S
        _logger.info("%s: batch of %s sent", self._service.lane, counted(len(requests), "request"))

    def _begun(self, intent: Intent, batch: str, now: float) -> _Batch:
        first = self._policy.first_look_s
        return _Batch(attrs.evolve(intent, batch=batch), batch, first, now + first)

    def _adopt(self, intent: Intent, batch: str, now: float) -> None:
        self._ledger.sent(intent.tag, batch)
        begun = self._begun(intent, batch, now)
        with self.lock:
            begun.waiting = {key: self._queue.pop(key) for key in intent.keys if key in self._queue}
            self._batches.append(begun)

    def _not_sent(self, intent: Intent, requests: Sequence[BatchRequest], error: Exception, now: float) -> None:
        fault = self._service.explain(error)
        if fault is None or fault.status is None or fault.status >= 500:
            # It may have begun all the same, and would be paid for twice.
            self._unsure.append(intent)
        else:
            self._ledger.over(intent.tag)
        if fault is not None and fault.status == 413 and len(requests) > 1:
            self._most = len(requests) // 2
        elif fault is not None and fault.is_transient:
            self._pause(now, fault)
        else:
            with self.lock:
                for request in requests:
                    self._queue.pop(request.key, None)
            for request in requests:
                request.end(error=error if fault is None else self._given_up(fault))

    def _pause(self, now: float, fault: RequestFault) -> None:
        wait = fault.retry_after_s if fault.retry_after_s is not None else self._backoff_s
        self._not_before = now + wait
        self._backoff_s = min(2 * self._backoff_s, _LONGEST_BACKOFF_S)
        _logger.info("%s: no batch can begin: %s; trying again in %.0f s", self._service.lane, fault.kind, wait)

    def _given_up(self, fault: RequestFault) -> ProviderError:
        return ProviderError(f"{self._service.lane}: {fault}", fault)

    def _recover(self, now: float) -> None:
        """Finds out whether batches have begun whose beginning was not heard of."""
        for intent in list(self._unsure):
            try:
                found = self._service.find(intent.tag, len(intent.keys), intent.at)
            except Exception as error:
                fault = self._service.explain(error)
                if fault is not None and fault.is_transient:
                    self._pause(now, fault)
                    return
                found = []
            self._unsure.remove(intent)
            new = [batch for batch in found if not self._ledger.knows(batch)]
            if new:
                self._adopt(intent, new[0], now)
            else:
                self._ledger.over(intent.tag)

    # Ending ----------------------------------------------------------------------------------

    def _look(self, batch: _Batch, now: float) -> None:
        try:
            state = self._service.look(batch.id)
            answers = self._service.answers(batch.id) if state.is_over and state.fault is None else None
            if not state.is_over and now >= batch.intent.at + self._policy.patience_s and not batch.is_cancelled:
                self._service.cancel(batch.id)
                batch.is_cancelled, batch.pause_s = True, self._policy.first_look_s
        except Exception as error:
            self._not_seen(batch, error, now)
            return
        if state.fault is not None:
            self._refused(batch, state, state.fault, now)
        elif answers is not None:
            self._over(batch, answers, now)
        else:
            self._tell(batch, state, now)
            self._wait_on(batch, now)

    def _wait_on(self, batch: _Batch, now: float) -> None:
        batch.later(now, self._policy.longest_look_s)
        if now >= batch.intent.at + self._policy.patience_s + _CANCEL_S:
            # It does not even end when it is cancelled.
            self._end(batch, {}, now)

    def _not_seen(self, batch: _Batch, error: Exception, now: float) -> None:
        fault = self._service.explain(error)
        if fault is not None and fault.kind is FaultKind.NOT_FOUND:
            self._end(batch, {}, now)
            return
        if fault is not None and fault.kind in _REFUSED:
            # The batch goes on, and whoever resumes the run gets its answers.
            with self.lock:
                waiting, batch.waiting = batch.waiting, {}
            for request in waiting.values():
                request.end(error=self._given_up(fault))
        self._wait_on(batch, now)

    def _refused(self, batch: _Batch, state: BatchState, fault: RequestFault, now: float) -> None:
        count = len(batch.intent.keys)
        if state.is_too_large and count > 1:
            self._most = count // 2
        elif not (fault.is_transient or state.is_too_large):
            for request in batch.waiting.values():
                request.end(error=self._given_up(fault))
            with self.lock:
                batch.waiting = {}
        self._end(batch, {}, now, is_missed=False)
        self._pause(now, fault)

    def _over(self, batch: _Batch, answers: BatchAnswers, now: float) -> None:
        found = {key: answer for key, answer in answers.found.items() if key in batch.intent.keys}
        batch.reads += 1
        if answers.unreadable and len(found) < len(batch.intent.keys) and batch.reads < MOST_READS:
            batch.later(now, self._policy.longest_look_s)
            return
        self._end(batch, {key: self._clean(answer) for key, answer in found.items()}, now)

    def _clean(self, answer: BatchAnswer) -> BatchAnswer:
        return attrs.evolve(answer, body=redact_bytes(answer.body, self._secrets))

    def _end(self, batch: _Batch, found: Mapping[str, BatchAnswer], now: float, *, is_missed: bool = True) -> None:
        good = {key: answer for key, answer in found.items() if answer.status == 200}
        for key, answer in good.items():
            self._ledger.answered(batch.intent.keys[key], key, answer)
        self._ledger.over(batch.intent.tag)
        if found:
            # What is left there costs money, but is worth no conversation.
            with contextlib.suppress(Exception):
                self._service.tidy(batch.id)
        with self.lock:
            self._batches.remove(batch)
            missing = [request for key, request in batch.waiting.items() if key not in found]
            self._queue |= {request.key: request for request in missing}
        for key, answer in found.items():
            if key in batch.waiting:
                batch.waiting[key].end(answer)
        for request in missing:
            request.misses += is_missed
        self._release(self._impatient(missing, now))
        failed, count = len(found) - len(good), len(batch.intent.keys)
        told = [f"{len(good)} answered", *([f"{failed} failed"] if failed else [])]
        told += [f"{count - len(found)} without an answer"] if count > len(found) else []
        took, what = _span(now - batch.intent.at), counted(count, "request")
        _logger.info("%s: batch of %s over after %s: %s", self._service.lane, what, took, ", ".join(told))

    def _impatient(self, requests: Iterable[BatchRequest], now: float) -> list[BatchRequest]:
        with self.lock:
            waits = list(requests)
        return [one for one in waits if one.misses >= MOST_MISSES or now - one.since >= self._policy.patience_s]

    def _release(self, requests: Sequence[BatchRequest]) -> None:
        """Has requests be sent by themselves."""
        if not requests:
            return
        with self.lock:
            for request in requests:
                self._queue.pop(request.key, None)
        for request in requests:
            request.end()
        told = counted(len(requests), "request")
        _logger.info("%s: asked without a batch, at the full price: %s", self._service.lane, told)

    def _tell(self, batch: _Batch, state: BatchState, now: float) -> None:
        took = now - batch.intent.at
        if took < 2 * batch.told or took < self._policy.longest_look_s:
            return
        batch.told = took
        done = f", {state.done} of them done" if state.done is not None else ""
        what = counted(len(batch.intent.keys), "request")
        _logger.info("%s: batch of %s under way for %s%s", self._service.lane, what, _span(took), done)


def _first(requests: Iterable[BatchRequest], most: int) -> list[BatchRequest]:
    """As many requests as fit into a batch, at least one."""
    found: list[BatchRequest] = []
    size = 0
    for request in requests:
        size += len(request.body)
        if found and (len(found) >= most or size > MOST_BYTES):
            break
        found.append(request)
    return found


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
