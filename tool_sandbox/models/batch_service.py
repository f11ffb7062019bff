"""What a provider's batch service is, whichever provider it is."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import attrs

from tool_sandbox.models.faults import RequestFault
from tool_sandbox.models.plain import json_or_none

BATCH_PRICE = 0.5
"""Part of the list price that a request costs in a batch, at Anthropic and at OpenAI."""


@attrs.frozen
class BatchItem:
    """A request of a batch.

    Attributes:
        key: Its name in the batch: at most 64 letters and digits.
        body: What would be sent if it were alone.
    """

    key: str
    body: bytes


@attrs.frozen
class BatchAnswer:
    """The answer to one request of a batch, as it would have come over HTTP.

    Attributes:
        status: HTTP status.
        body: What came back.
        headers: Those that matter to a reader or to the SDK.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=lambda: {"content-type": "application/json"})


@attrs.frozen
class BatchState:
    """How far a batch is.

    Attributes:
        is_over: Whether nothing more comes.
        done: Requests that are over, ``None`` if the service does not say before the end.
        fault: Why the batch was refused as a whole.
        is_too_large: Whether it was refused because of its size; a smaller one would be taken.
    """

    is_over: bool
    done: int | None = None
    fault: RequestFault | None = None
    is_too_large: bool = False


@attrs.frozen
class BatchAnswers:
    """What came of a batch that is over. Requests that expired, were cancelled or are missing have no answer.

    Attributes:
        found: Key to answer, in any order.
        unreadable: Lines that could not be read, as of a file that was cut off.
    """

    found: Mapping[str, BatchAnswer]
    unreadable: int = 0


def read_answers(lines: Iterable[bytes], answer_of: Callable[[Any], BatchAnswer | None]) -> BatchAnswers:
    """Reads the lines in which a service answers.

    Args:
        lines: JSON objects, each with a ``custom_id``; a file can be cut off.
        answer_of: Finds the answer in such an object, ``None`` if it says why there is none.
    """
    found: dict[str, BatchAnswer] = {}
    unreadable = 0
    for line in filter(bytes.strip, lines):
        entry = json_or_none(line)
        try:
            if (answer := answer_of(entry)) is not None:
                found.setdefault(entry["custom_id"], answer)
        except (LookupError, TypeError, AttributeError, ValueError):
            unreadable += 1
    return BatchAnswers(found, unreadable)


class BatchService(Protocol):
    """Where the requests of one model can be sent as batches. All methods but ``explain`` raise the SDK's exceptions.

    Attributes:
        lane: Name of what can be sent together: one model at one address, asked in one way.
    """

    lane: str

    def submit(self, items: Sequence[BatchItem], tag: str) -> str:
        """Begins a batch, marked with a tag if the service knows such a thing, and returns its id."""

    def find(self, tag: str, count: int, since: float) -> list[str]:
        """Ids of batches that may be one of which it is not known whether it began.

        Args:
            tag: What it was marked with.
            count: Number of its requests.
            since: POSIX seconds of the attempt.
        """

    def look(self, batch: str) -> BatchState:
        """How far a batch is."""

    def answers(self, batch: str) -> BatchAnswers:
        """What came of a batch that is over."""

    def cancel(self, batch: str) -> None:
        """Asks to end a batch early."""

    def tidy(self, batch: str) -> None:
        """Removes what of a batch lies at the provider, if it would stay there for ever."""

    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception of the other methods means."""
