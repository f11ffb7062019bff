"""Message batches of Anthropic."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.models.anthropic_reply import STATUS_OF_TYPE
from tool_sandbox.models.batch_service import BatchAnswer, BatchAnswers, BatchItem, BatchState, read_answers
from tool_sandbox.models.faults import RequestFault
from tool_sandbox.models.provider import Provider

_SLACK_S = 60.0
"""Seconds by which the clocks of two machines may differ."""

_SEARCHED_S = 900.0
"""Seconds after an attempt to begin a batch in which it can have begun."""


class AnthropicBatches:
    """The service behind ``client.messages.batches``. Batches end within 24 hours; results are kept for 29 days."""

    def __init__(self, provider: Provider, lane: str, headers: Mapping[str, str]) -> None:
        """Sends with the headers that say what is asked, such as ``anthropic-beta``."""
        self.lane = lane
        self._provider = provider
        self._headers = {name: value for name, value in headers.items() if name.startswith("anthropic-")}

    @property
    def _batches(self) -> Any:
        return self._provider.client.messages.batches

    def submit(self, items: Sequence[BatchItem], tag: str) -> str:
        """Begins a batch; this service has no tags."""
        requests = [{"custom_id": item.key, "params": json.loads(item.body)} for item in items]
        return str(self._batches.create(requests=requests, extra_headers=self._headers).id)

    def find(self, tag: str, count: int, since: float) -> list[str]:
        """Batches of that time with as many requests; their answers will say whether they are it."""
        found = []
        for batch in self._batches.list(limit=100):
            began = batch.created_at.timestamp()
            if began < since - _SLACK_S:
                break  # newest first
            counts = batch.request_counts.to_dict().values()
            if began <= since + _SEARCHED_S and sum(counts) == count and batch.archived_at is None:
                found.append((abs(began - since), batch.id))
        return [batch for _, batch in sorted(found)]

    def look(self, batch: str) -> BatchState:
        """How far a batch is; the service counts only at the end."""
        return BatchState(self._batches.retrieve(batch).processing_status == "ended")

    def answers(self, batch: str) -> BatchAnswers:
        """What came of a batch, in any order."""
        with self._batches.with_streaming_response.results(batch) as response:
            return read_answers(map(str.encode, response.iter_lines()), _answer)

    def cancel(self, batch: str) -> None:
        """Asks to end a batch early; what is over by then counts."""
        self._batches.cancel(batch)

    def tidy(self, batch: str) -> None:
        """Nothing: results go away by themselves."""

    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception of the SDK means."""
        return self._provider.explain(error)


def _answer(entry: Any) -> BatchAnswer | None:
    """The answer in a line, ``None`` for one that expired or was cancelled."""
    result = entry["result"]
    if result["type"] == "succeeded":
        return BatchAnswer(200, json.dumps(result["message"]).encode())
    if result["type"] != "errored":
        return None
    status = STATUS_OF_TYPE.get(result["error"]["error"]["type"], 500)
    return BatchAnswer(status, json.dumps(result["error"]).encode())
