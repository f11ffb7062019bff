"""What one party of one conversation asks of its model: the calls, their cost, and what passed over the wire."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import attrs

from tool_sandbox.models.faults import FaultKind
from tool_sandbox.models.messages import Usage

if TYPE_CHECKING:
    from tool_sandbox.models.tap import Tap

Party = Literal["agent", "user", "judge"]
Origin = Literal["network", "batch", "cache", "replay"]


@attrs.frozen
class FailedAttempt:
    """An attempt after which the same request was made again, or given up.

    Attributes:
        kind: What went wrong.
        message: The provider's words on one line.
        status: HTTP status, ``None`` if there was no answer.
        latency_s: Seconds until it failed.
        wait_s: Seconds waited before the next attempt, 0 if there was none.
    """

    kind: FaultKind
    message: str
    status: int | None
    latency_s: float
    wait_s: float


@attrs.frozen
class CallRecord:
    """One request to a model, with all its attempts.

    Attributes:
        provider: Name of the provider.
        model: Id of the model that was asked.
        served_model: Model that answered by its own account.
        stop: Why it stopped (``StopReason``), ``None`` if no attempt succeeded.
        stop_text: The provider's own word for that.
        usage: Tokens, ``None`` if unknown.
        latency_s: Seconds that the successful attempt took.
        failures: The attempts that failed, oldest first.
        request_id: The provider's id of the successful attempt.
        origin: Where the answer came from.
        cost_usd: List price of the tokens, ``None`` if the model has no price.
        wait_s: Seconds that its attempts waited for their turn, because the provider had pushed back, or for a batch.
        callers: Who made the tool calls of the reply (``direct`` for the model itself) to how many.
        hosted: Tools that the provider ran by itself, each as ``NAME: OUTCOME``.
    """

    provider: str
    model: str
    served_model: str | None = None
    stop: str | None = None
    stop_text: str = ""
    usage: Usage | None = None
    latency_s: float = 0.0
    failures: tuple[FailedAttempt, ...] = ()
    request_id: str | None = None
    origin: Origin = "network"
    cost_usd: float | None = None
    wait_s: float = 0.0
    callers: Mapping[str, int] = attrs.field(factory=dict)
    hosted: tuple[str, ...] = ()


class Meter(Protocol):
    """Watches over what a run spends; shared by its conversations."""

    def check(self) -> None:
        """Called before every attempt."""

    def add(self, record: CallRecord) -> None:
        """Called after every request, successful or given up."""


class _NoMeter:
    def check(self) -> None:
        pass

    def add(self, record: CallRecord) -> None:
        pass


PAID: tuple[Origin, ...] = ("network", "batch")
"""Where answers come from that cost something."""

Price = Callable[[str, str, Usage], float | None]
"""Cost in USD of the tokens of one call, from provider, model and usage; ``None`` if there is no price."""


def no_price(provider: str, model: str, usage: Usage) -> float | None:
    """Knows no prices."""
    return None


@attrs.define(eq=False)
class Session:
    """What one party asks of its model in one conversation.

    Attributes:
        party: Whose model it is.
        tap: Sees the HTTP traffic of the party's calls, ``None`` for none.
        meter: Watches over what the run spends.
        price: What tokens cost.
        calls: Every request so far.
        notes: What the result of the conversation should say beside the calls (divergence of a replay, for example).
        origin: Where the answer of the attempt that is going on comes from; the tap says so.
        log: What an agent with a loop of its own reported, line by line as it came, or as JSON values.
        before_sending: Called by the tap before a request goes over the network; may wait.
        wait_s: Seconds that the attempt which is going on has waited for a batch.
    """

    party: Party = "agent"
    tap: "Tap | None" = None
    meter: Meter = attrs.field(factory=_NoMeter)
    price: Price = no_price
    calls: list[CallRecord] = attrs.field(factory=list)
    notes: dict[str, Any] = attrs.field(factory=dict)
    origin: Origin = "network"
    log: list[Any] = attrs.field(factory=list)
    before_sending: Callable[[], object] = lambda: None
    wait_s: float = 0.0
