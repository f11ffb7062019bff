"""The budget of a run, and when it has to stop."""

import threading
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.models.session import PAID
from tool_sandbox.records.result import Result
from tool_sandbox.runner.usage import used
from tool_sandbox.world.errors import BudgetExceededError

if TYPE_CHECKING:
    from tool_sandbox.models.session import CallRecord

HOPELESS_REQUESTS = 3
"""Requests in a row that a provider calls invalid, with no conversation finished, after which a run stops."""

_OUTAGE = frozenset({"connection", "server", "timeout", "overloaded"})
"""Faults that say that a provider is away."""

_STOPS = {
    "authentication": "the provider does not accept the key",
    "billing": "the account has no money or quota left",
    "permission": "the key may not use this model",
    "not_found": "the provider does not know this model, or its address is another one",
}


@attrs.frozen
class Budget:
    """What a run may spend. Answers out of a cache or a stored run cost nothing.

    Attributes:
        usd: US dollars by the price table, ``None`` for no limit.
        tokens: Tokens of prompts and replies together, ``None`` for no limit.
    """

    usd: float | None = None
    tokens: int | None = None

    def share(self, processes: int) -> "Budget":
        """What each of some processes may spend."""
        usd = None if self.usd is None else self.usd / processes
        return Budget(usd, None if self.tokens is None else -(-self.tokens // processes))

    def is_spent(self, usd: float, tokens: int) -> bool:
        """Whether nothing is left."""
        return (self.usd is not None and usd >= self.usd) or (self.tokens is not None and tokens >= self.tokens)

    def __str__(self) -> str:
        limits = []
        if self.usd is not None:
            whole, _, part = f"{self.usd:.6f}".partition(".")
            limits.append(f"${whole}.{part.rstrip('0').ljust(2, '0')}")
        limits += [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        return " and ".join(limits) or "no limit"


class BudgetMeter:
    """Watches over what the conversations of one process spend; a ``Meter`` of their sessions.

    A call is let through as long as anything is left, so what can be spent beyond the budget is what the calls cost
    that are under way at that moment. Sent to another process, it starts from zero there.
    """

    def __init__(self, budget: Budget) -> None:
        """Starts from zero."""
        self._budget = budget
        self._lock = threading.Lock()
        self._usd = 0.0
        self._tokens = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._budget,)

    def share(self, processes: int) -> "BudgetMeter":
        """The meter of one of several processes, which starts from zero."""
        return BudgetMeter(self._budget.share(processes))

    @property
    def budget(self) -> Budget:
        """What may be spent."""
        return self._budget

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        with self._lock:
            return self._budget.is_spent(self._usd, self._tokens)

    def check(self) -> None:
        """Called before every attempt."""
        if self.is_spent:
            raise BudgetExceededError(f"the budget of {self._budget} is spent")

    def add(self, record: "CallRecord") -> None:
        """Called after every request."""
        usd, tokens = spent_by(record)
        with self._lock:
            self._usd += usd
            self._tokens += tokens


def spent_by(record: "CallRecord") -> tuple[float, int]:
    """US dollars and tokens of a request."""
    if record.origin not in PAID or record.usage is None:
        return 0.0, 0
    return record.cost_usd or 0.0, record.usage.input_tokens + record.usage.output_tokens


class Outage:
    """Notices that a model cannot be reached any more. Shared by the runs that ask it."""

    def __init__(self, patience: int) -> None:
        """Starts without any result."""
        self._patience = patience
        self._lock = threading.Lock()
        self._failed = 0

    def add(self, result: Result) -> int:
        """Takes note of a result."""
        with self._lock:
            self._failed = self._failed + 1 if result.get("fault") in _OUTAGE else 0
            return self._failed if self._failed >= self._patience else 0


class Watch:
    """Says when a run has to stop before everything is played. Told of every result; may be told by several threads.

    It stops a run when the budget is spent, when a fault will meet every other request too (a wrong key, an unknown
    model), when the first requests are all invalid, when a provider is away for long, when nothing can be written, and
    when the person at the terminal leaves.
    """

    def __init__(self, budget: Budget, *, is_replay: bool = False, outage: Outage | None = None) -> None:
        """Starts without any result."""
        self._budget = budget
        self._outage = outage
        self._is_replay = is_replay
        self._lock = threading.Lock()
        self._usd = 0.0
        self._tokens = 0
        self._invalid = 0
        self._finished = False
        self.reason: str | None = None
        """Why the run stops, in one line; ``None`` while it goes on."""

    def __call__(self, result: Result) -> bool:
        """Takes note of a result."""
        with self._lock:
            self._count(result)
            # Also where there is a reason already: another run may share the model.
            failed = 0 if self._outage is None else self._outage.add(result)
            if self.reason is None:
                self.reason = self._reason(result, failed)
            return self.reason is not None

    def give_up(self, reason: str) -> bool:
        """Stops the run for a reason that no result shows."""
        with self._lock:
            self.reason = self.reason or reason
        return True

    def _count(self, result: Result) -> None:
        for usage in used(result):
            self._usd += usage["paid_usd"] or 0.0
            self._tokens += usage["paid_tokens"]
        if result.get("fault") == "invalid_request":
            self._invalid += 1
        else:
            self._invalid = 0
            self._finished |= result.get("traceback") is None

    def _reason(self, result: Result, failed: int) -> str | None:
        fault, why = result.get("fault"), result.get("reason") or ""
        if fault == "abandoned":
            return "the person at the terminal left"
        if fault == "budget" or self._budget.is_spent(self._usd, self._tokens):
            return f"the budget of {self._budget} is spent"
        if self._is_replay:
            return None
        if fault in _STOPS:
            return f"{_STOPS[fault]}: {why}"
        if self._invalid >= HOPELESS_REQUESTS and not self._finished:
            return f"the provider rejects every request as invalid: {why}"
        if failed:
            return f"the last {failed} conversations all failed to reach a model: {why}"
        return None
