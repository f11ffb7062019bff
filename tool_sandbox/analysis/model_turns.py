"""Which messages came out of which request to a model."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.messages import StopReason

PARTIES = {"AGENT": "agent", "USER": "user"}
"""Sender of a message to the party in the part ``model_calls`` of a record."""


@attrs.frozen
class ModelTurn:
    """What the messages of one turn took.

    Attributes:
        latency_s: Seconds waited for answers, those of failed attempts too.
        wait_s: Seconds waited before retries.
        input_tokens: Tokens of the prompts, ``None`` if the provider did not say.
        output_tokens: Tokens of the replies, likewise.
        cost_usd: List price, ``None`` if it is not known.
        stop: Why the model stopped.
        failures: Attempts that failed.
    """

    latency_s: float
    wait_s: float
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    stop: str | None
    failures: int


def model_calls_by_message(
    senders: Sequence[tuple[int, str]], calls: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[int, ModelTurn]:
    """Gives every turn of a party that is a model the request it came out of.

    A turn is a party's messages up to the next message of another party. Requests are stored in order, so they belong
    to the turns one by one; where their numbers differ it is unknown which is which, and the party is left out.
    """
    found: dict[int, ModelTurn] = {}
    for sender, party in PARTIES.items():
        starts = [
            index
            for (index, name), (_, previous) in zip(senders, [(-1, ""), *senders], strict=False)
            if name == sender and previous != sender
        ]
        requests = _requests(calls.get(party, ()))
        if len(starts) == len(requests):
            found.update(zip(starts, map(_added_up, requests), strict=True))
    return found


def _requests(calls: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Calls that were answered; those after which a provider only paused together with what followed."""
    requests: list[list[Mapping[str, Any]]] = []
    is_paused = False
    for call in calls:
        if call["stop"] is None:
            continue
        if not is_paused:
            requests.append([])
        requests[-1].append(call)
        is_paused = call["stop"] == StopReason.PAUSE
    return requests


def _added_up(calls: Sequence[Mapping[str, Any]]) -> ModelTurn:
    failures = [failure for call in calls for failure in call["failures"]]
    usages = [call["usage"] for call in calls]
    return ModelTurn(
        latency_s=round(sum(entry["latency_s"] for entry in (*calls, *failures)), 3),
        wait_s=round(sum(failure["wait_s"] for failure in failures), 3),
        input_tokens=_sum([None if usage is None else usage["input_tokens"] for usage in usages]),
        output_tokens=_sum([None if usage is None else usage["output_tokens"] for usage in usages]),
        cost_usd=_sum([call["cost_usd"] for call in calls]),
        stop=calls[-1]["stop"],
        failures=len(failures),
    )


def _sum(values: Sequence[Any]) -> Any:
    return None if None in values else round(sum(values), 8)
