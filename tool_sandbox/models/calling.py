"""One call of a model: retried while that can help, counted, and given up with one clear line."""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs

from tool_sandbox.models.batch_service import BATCH_PRICE
from tool_sandbox.models.faults import FaultKind, MalformedReplyError, ProviderError, RequestFault, one_line
from tool_sandbox.models.messages import AssistantTurn, ModelReply, ModelRequest, StopReason
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import public_url
from tool_sandbox.models.session import CallRecord, FailedAttempt, Session
from tool_sandbox.models.tap import noticed, tapped
from tool_sandbox.models.throttle import Attempt, Throttle, throttle_of
from tool_sandbox.world.errors import BudgetExceededError, ModelError, ModelRefusedError, StorageError

MAX_PAUSES = 5
"""How often in a row a provider may ask for the same conversation once more."""

E = TypeVar("E", bound=BaseException)

_logger = logging.getLogger(__name__)

Infer = Callable[..., Any]
"""Sends what ``Provider.wire`` built and returns the SDK's object."""


@attrs.frozen
class RetryPolicy:
    """How long to retry.

    Attributes:
        retries: Further attempts after the first.
        base_s: Wait before the first retry where the server names none; doubled each time.
        longest_wait_s: Largest wait. A server that asks for more is given up at once.
        silences: How many times to ask once more a server that has not answered in time: one that said nothing for
            so long twice seldom does the third time.
        total_s: Seconds after which no further attempt begins. Seven waits as long as a server may want them fit.
        notice_s: Seconds after which it is logged that there is no answer yet.
        sleep: Waits.
        jitter: Draws from [0, 1), so that many conversations do not come back at the same moment.
        throttle: Finds what limits the requests to a model.
    """

    retries: int = 6
    base_s: float = 0.5
    longest_wait_s: float = 120.0
    silences: int = 1
    total_s: float = 900.0
    notice_s: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random
    throttle: Callable[[Provider], Throttle] = throttle_of

    def wait_s(self, fault: RequestFault, attempt: int) -> float:
        """Seconds to wait after a failed attempt.

        The server's word (plus up to a tenth), else exponential backoff, of which a random half is left out.
        """
        if fault.retry_after_s is not None:
            return fault.retry_after_s * (1 + 0.1 * self.jitter())
        return min(self.longest_wait_s, self.base_s * 2.0**attempt) * (1 - 0.5 * self.jitter())


def ask(
    provider: Provider, request: ModelRequest, session: Session, policy: RetryPolicy, infer: Infer | None = None
) -> ModelReply:
    """Asks a model, and once more for as long as its provider pauses."""
    raws: tuple[Any, ...] = ()
    texts: list[str] = []
    for _ in range(MAX_PAUSES + 1):
        reply = _Call(provider, session, policy).answer(provider.wire(request), infer or provider.send)
        raws = (*raws, reply.raw) if reply.raw is not None else raws
        texts.append(reply.text)
        if reply.stop is not StopReason.PAUSE:
            return attrs.evolve(reply, raw=raws, text="\n".join(filter(None, texts)))
        request = attrs.evolve(request, turns=(*request.turns, AssistantTurn(reply.text, (), (reply.raw,))))
    raise ModelError(f"{provider.name}/{provider.model} paused {MAX_PAUSES + 1} times without an answer")


@attrs.define(eq=False)
class _Call:
    """A request with all its attempts.

    Attributes:
        provider: Whom it asks.
        session: Notes what happened.
        policy: How long it retries.
        turn: Its place among the requests to the same model.
        failures: The attempts so far, all of which failed.
        excused: How many of them failed only because too many were sent at once.
        begun: When it began.
    """

    provider: Provider
    session: Session
    policy: RetryPolicy
    turn: Attempt = attrs.field(init=False)
    failures: list[FailedAttempt] = attrs.field(factory=list)
    excused: int = 0
    begun: float = attrs.field(factory=time.monotonic)

    def __attrs_post_init__(self) -> None:
        self.turn = Attempt(self.policy.throttle(self.provider))

    def answer(self, wire: Mapping[str, Any], infer: Infer) -> ModelReply:
        """Makes attempts until one succeeds or the next cannot help."""
        while True:
            self._check_budget()
            # Without what it is going to wait for its turn.
            started = time.monotonic() - self.turn.wait_s
            try:
                reply = self._attempt(wire, infer)
                latency = time.monotonic() - started - self.turn.wait_s
                self.turn.succeed()
            except Exception as error:
                self._fail(error, time.monotonic() - started - self.turn.wait_s)
            else:
                _note(self, reply, latency)
                return reply
            finally:
                self.turn.end()

    def _check_budget(self) -> None:
        try:
            self.session.meter.check()
        except BudgetExceededError:
            if self.failures:
                _note(self, None, 0.0)
            raise

    def _attempt(self, wire: Mapping[str, Any], infer: Infer) -> ModelReply:
        self.session.origin, self.session.wait_s = "network", 0.0
        with noticed((self.policy.notice_s, self._say_that_it_waits)):
            if self.session.tap is None:
                self.turn.take()
                return self.provider.read(infer(**wire))
            # An answer that is stored somewhere does not have to wait.
            self.session.before_sending = self._take_turn
            try:
                with tapped(self.session.tap):
                    return self.provider.read(infer(**wire))
            finally:
                self.turn.wait_s += self.session.wait_s

    def _say_that_it_waits(self, seconds: float) -> None:
        # Hundreds of requests may wait for the same model: one says so.
        if self.turn.throttle.is_longest_wait(seconds):
            name, limit = f"{self.provider.name}/{self.provider.model}", self.provider.endpoint.timeout_s
            _logger.warning("%s: no answer for %.0f s, waiting up to %g s (option timeout)", name, seconds, limit)

    def _take_turn(self) -> None:
        if self.turn.take():
            # Others have spent meanwhile.
            self.session.meter.check()

    def _fail(self, error: Exception, latency_s: float) -> None:
        """Waits for the next attempt, or raises what the call ends with."""
        if (ours := _cause(error, BudgetExceededError) or _cause(error, StorageError)) is not None:
            if self.failures:
                _note(self, None, 0.0)
            raise ours
        fault = _explain(self.provider, error)
        if fault is None:
            raise error
        retries = len(self.failures) - self.excused
        wait = self.policy.wait_s(fault, retries)
        is_excused = self.turn.fail(fault)
        self.excused += is_excused
        elapsed = time.monotonic() - self.begun - self.turn.wait_s
        is_last = not self._may_retry(fault, retries - is_excused, elapsed + wait)
        self.failures.append(
            FailedAttempt(fault.kind, fault.message, fault.status, latency_s, 0.0 if is_last else wait)
        )
        if is_last:
            _note(self, None, 0.0)
            raise _given_up(self.provider, fault, len(self.failures), self.policy) from error
        _logger.info("%s/%s: %s; waiting %.1f s", self.provider.name, self.provider.model, fault, wait)
        self.policy.sleep(wait)
        if fault.retry_after_s is not None:
            self.turn.throttle.resume()

    def _may_retry(self, fault: RequestFault, retries: int, elapsed_s: float) -> bool:
        if self.session.origin == "replay":
            # A stored run has kept the last answer to each call, and no other.
            return False
        policy = self.policy
        is_patient = fault.retry_after_s is None or fault.retry_after_s <= policy.longest_wait_s
        if fault.is_silence:
            is_patient = sum((each.kind, each.status) == (fault.kind, None) for each in self.failures) < policy.silences
        return fault.is_transient and retries < policy.retries and is_patient and elapsed_s <= policy.total_s


def _explain(provider: Provider, error: Exception) -> RequestFault | None:
    if isinstance(error, MalformedReplyError):
        return RequestFault(FaultKind.MALFORMED, one_line(str(error)))
    raised = _cause(error, ProviderError)
    return provider.explain(error) if raised is None else raised.cause


def _cause(error: BaseException | None, kind: type[E]) -> E | None:
    """What a tap has raised: the SDKs wrap whatever comes out of their HTTP client."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, kind):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _given_up(provider: Provider, fault: RequestFault, attempts: int, policy: RetryPolicy) -> Exception:
    name = f"{provider.name}/{provider.model}"
    if fault.kind is FaultKind.CONTEXT_EXCEEDED:
        return ModelError(f"{name}: the conversation does not fit into the context: {fault.message}")
    if fault.kind is FaultKind.BLOCKED:
        return ModelRefusedError(f"{name}: a content filter refused the request: {fault.message}")
    tries = f" after {attempts} attempts" if attempts > 1 else ""
    if fault.is_transient and (fault.retry_after_s or 0.0) > policy.longest_wait_s:
        tries = f": asked to wait {fault.retry_after_s:.0f} s, more than the {policy.longest_wait_s:.0f} s allowed"
    address = provider.endpoint.base_url
    # An address that was given is named when nothing answers there.
    place = f" at {public_url(address)}" if address is not None and fault.status is None else ""
    return ProviderError(f"{name}{place}: {fault}{tries}", fault)


def _note(call: _Call, reply: ModelReply | None, latency_s: float) -> None:
    provider, session = call.provider, call.session
    told = reply or ModelReply()
    cost = None
    if told.usage is not None:
        # The model that answered has to be paid; an alias of it may be all that the price table knows.
        names = filter(None, (told.served_model, provider.model))
        prices = (session.price(provider.name, name, told.usage) for name in names)
        cost = next((price for price in prices if price is not None), None)
        if cost is not None and session.origin == "batch":
            cost *= BATCH_PRICE
    record = CallRecord(
        provider=provider.name,
        model=provider.model,
        served_model=told.served_model,
        stop=str(reply.stop) if reply is not None else None,
        stop_text=told.stop_text,
        usage=told.usage,
        latency_s=latency_s,
        failures=tuple(call.failures),
        request_id=told.request_id,
        origin=session.origin,
        cost_usd=cost,
        wait_s=call.turn.wait_s,
        callers=Counter(each.caller or "direct" for each in told.calls),
        hosted=told.hosted,
    )
    session.calls.append(record)
    session.meter.add(record)
