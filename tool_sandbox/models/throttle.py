"""How many requests a model is sent at once: as many as there are, until it pushes back.

Additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the increase and decrease algorithms for
congestion avoidance in computer networks", 1989), as TCP does: a rejection halves the limit, a limit's worth of answers
raises it by one. Once a limit's worth of answers has come, the limit is about right, and a rejection takes a tenth.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable

import attrs

from tool_sandbox.models.faults import FaultKind, RequestFault
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import public_url

LONGEST_HOLD_S = 120.0
"""A server that wants to be left alone for longer is not waited for: its request fails."""

_CREEP = 0.1
"""Growth, as a share of the usual, where the last rejection came, so that most of the time is spent just below it."""

_MILD = 10
"""Part of the limit, as a divisor, that a rejection costs which comes when the limit has proved itself."""


def is_pushback(fault: RequestFault) -> bool:
    """Whether a provider asks for fewer requests."""
    return fault.kind in (FaultKind.RATE_LIMIT, FaultKind.OVERLOADED) or (
        fault.is_transient and fault.retry_after_s is not None
    )


@attrs.define(eq=False)
class _Ticket:
    """A waiting request: how often the limit was lowered before its turn, once it has come."""

    cuts: int | None = None
    called: threading.Event = attrs.field(factory=threading.Event)


class Throttle:
    """Lets requests to one model pass, first come, first served. Shared by all conversations of a process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, in_flight: int = 0) -> None:
        """Has no limit until the first rejection; some requests may be under way."""
        self._clock = clock
        self._lock = threading.Lock()
        self._limit = math.inf
        self._rejected_at = math.inf
        self._cuts = 0
        self._answers = 0  # to requests that were sent since the limit was lowered
        self._in_flight = in_flight
        self._held_until = -math.inf
        self._queue: deque[_Ticket] = deque()
        self._longest_wait_s = 0.0

    @property
    def limit(self) -> float:
        """Requests that may be under way at once, infinite if the provider has never pushed back."""
        return self._limit

    @property
    def in_flight(self) -> int:
        """Requests under way."""
        return self._in_flight

    @property
    def waiting(self) -> int:
        """Requests that wait for their turn."""
        return len(self._queue)

    def enter(self) -> tuple[int, bool]:
        """Waits until a request may be sent; has to be followed by `leave`."""
        with self._lock:
            if not self._queue and self._is_open():
                self._in_flight += 1
                return self._cuts, False
            ticket = _Ticket()
            self._queue.append(ticket)
        try:
            while ticket.cuts is None:
                ticket.called.wait(self._admit_until())
                ticket.called.clear()
        except BaseException:
            self._give_back(ticket)
            raise
        return ticket.cuts, True

    def leave(self) -> None:
        """Takes note that a request is over, whatever became of it."""
        with self._lock:
            self._in_flight -= 1
            self._admit()

    def succeed(self, cuts: int) -> None:
        """Takes note of an answer, before `leave`."""
        with self._lock:
            if cuts != self._cuts:
                return
            self._answers += 1
            # A limit that was not reached says nothing about the next.
            if self._in_flight + 1 > self._limit:
                is_near = abs(self._limit - self._rejected_at) <= 1
                self._limit += (_CREEP if is_near else 1.0) / self._limit

    def push_back(self, cuts: int, hold_s: float | None = None) -> bool:
        """Takes note of a rejection, before `leave`.

        Requests that were sent before the limit was lowered say nothing about the new one, so a burst of rejections
        lowers it once.
        """
        with self._lock:
            if hold_s is not None and hold_s <= LONGEST_HOLD_S:
                self._held_until = max(self._held_until, self._clock() + hold_s)
                for ticket in self._queue:
                    # Those who wait for others have to look at the clock from now on.
                    ticket.called.set()
            if cuts != self._cuts:
                return True
            now = min(self._limit, self._in_flight)
            is_proven = self._limit < math.inf and self._answers >= now
            self._limit = max(1.0, now - max(1, now // _MILD) if is_proven else now // 2)
            if self._limit >= now:
                return False
            self._rejected_at, self._answers = now, 0
            self._cuts += 1
            return True

    def is_longest_wait(self, seconds: float) -> bool:
        """Whether nothing has waited for an answer nearly as long before; takes note of it."""
        with self._lock:
            is_longest = seconds > 1.5 * self._longest_wait_s
            self._longest_wait_s = max(self._longest_wait_s, seconds)
            return is_longest

    def resume(self) -> None:
        """Takes note that a request has waited for as long as the server wanted."""
        with self._lock:
            self._held_until = -math.inf
            self._admit()

    def _is_open(self) -> bool:
        return self._in_flight + 1 <= self._limit and self._clock() >= self._held_until

    def _admit_until(self) -> float | None:
        """Admits all that can pass, and returns the seconds until the next look; ``None`` to wait for a call."""
        with self._lock:
            left = self._held_until - self._clock()
            self._admit()
            return left if left > 0 else None

    def _admit(self) -> None:
        while self._queue and self._is_open():
            self._in_flight += 1
            ticket = self._queue.popleft()
            ticket.cuts = self._cuts
            ticket.called.set()

    def _give_back(self, ticket: _Ticket) -> None:
        with self._lock:
            if ticket.cuts is None:
                self._queue.remove(ticket)
            else:
                self._in_flight -= 1
            self._admit()


ThrottleKey = tuple[str, str, str | None]
"""Provider, model and address."""


class _Throttles:
    """The throttles of this process."""

    def __init__(self) -> None:
        self.make: Callable[[ThrottleKey], Throttle] = lambda key: Throttle()
        self._made: dict[ThrottleKey, Throttle] = {}
        self._making = threading.Lock()

    def find(self, key: ThrottleKey) -> Throttle:
        # Two of one model would each let as much pass.
        if key not in self._made:
            with self._making:
                if key not in self._made:
                    self._made[key] = self.make(key)
        return self._made[key]


_throttles = _Throttles()


def throttle_of(provider: Provider) -> Throttle:
    """The throttle of a model, one per process and address."""
    address = provider.endpoint.base_url
    return _throttles.find((provider.name, provider.model, None if address is None else public_url(address)))


def share_throttles(make: Callable[[ThrottleKey], Throttle]) -> None:
    """Has this process share its throttles with others: to be called before any is used."""
    _throttles.make = make


@attrs.define(eq=False)
class Attempt:
    """One attempt at a request, as the throttle sees it.

    Attributes:
        throttle: Whom it has to pass.
        wait_s: Seconds it waited for its turn.
    """

    throttle: Throttle
    wait_s: float = 0.0
    _cuts: int | None = None

    def take(self) -> bool:
        """Waits for its turn. To be called when it is certain that something is sent; a cache may have the answer."""
        if self._cuts is not None:
            return False
        started = time.monotonic()
        self._cuts, has_waited = self.throttle.enter()
        if has_waited:
            self.wait_s += time.monotonic() - started
        return has_waited

    def succeed(self) -> None:
        """Takes note of an answer, and makes room for the next."""
        if self._cuts is not None:
            self.throttle.succeed(self._cuts)
        self.end()

    def fail(self, fault: RequestFault) -> bool:
        """Takes note of a failure, and makes room for the next."""
        is_excused = False
        if self._cuts is not None and is_pushback(fault):
            is_excused = self.throttle.push_back(self._cuts, fault.retry_after_s)
        self.end()
        return is_excused

    def end(self) -> None:
        """Makes room for the next, if that has not been done."""
        if self._cuts is not None:
            self._cuts = None
            self.throttle.leave()
