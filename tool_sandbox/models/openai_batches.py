"""Batches of OpenAI, for chat completions and responses."""

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tool_sandbox.models.batch_service import BatchAnswer, BatchAnswers, BatchItem, BatchState, read_answers
from tool_sandbox.models.faults import FaultKind, RequestFault, fault_of_status, one_line
from tool_sandbox.models.provider import Provider

if TYPE_CHECKING:
    from openai.types import Batch

_TAG = "tool_sandbox"
_OVER = ("completed", "expired", "cancelled", "failed")


class OpenAIBatches:
    """The service behind ``client.batches``, with a file of requests and one or two of answers."""

    def __init__(self, provider: Provider, lane: str, endpoint: str) -> None:
        """Sends to an endpoint, as ``/v1/responses``."""
        self.lane = lane
        self._provider = provider
        self._endpoint = endpoint

    @property
    def _client(self) -> Any:
        return self._provider.client

    def submit(self, items: Sequence[BatchItem], tag: str) -> str:
        """Uploads the requests and begins a batch of them."""
        head = {"method": "POST", "url": self._endpoint}
        lines = (json.dumps({"custom_id": item.key, **head, "body": json.loads(item.body)}) for item in items)
        content = "".join(f"{line}\n" for line in lines).encode()
        file = self._client.files.create(file=(f"{_TAG}-{tag}.jsonl", content), purpose="batch")
        batch = self._client.batches.create(
            input_file_id=file.id, endpoint=self._endpoint, completion_window="24h", metadata={_TAG: tag}
        )
        return str(batch.id)

    def find(self, tag: str, count: int, since: float) -> list[str]:
        """The newest batches, up to the one with the tag."""
        for number, batch in enumerate(self._client.batches.list(limit=100)):
            if (batch.metadata or {}).get(_TAG) == tag:
                return [batch.id]
            if number >= 1000:
                break
        return []

    def look(self, batch: str) -> BatchState:
        """How far a batch is."""
        found = self._client.batches.retrieve(batch)
        if found.status == "failed":
            return self._refused(found)
        done = found.request_counts and found.request_counts.completed + found.request_counts.failed
        return BatchState(found.status in _OVER, done)

    def _refused(self, batch: "Batch") -> BatchState:
        errors = (batch.errors and batch.errors.data) or []
        code = " ".join(filter(None, (error.code for error in errors[:1])))
        words = one_line("; ".join(filter(None, (error.message for error in errors[:3]))) or "the batch failed")
        if not errors:
            return BatchState(is_over=True, fault=RequestFault(FaultKind.SERVER, words))
        fault = fault_of_status(400, code, f"{words} ({code})" if code else words, {})
        return BatchState(is_over=True, fault=fault, is_too_large=code == "token_limit_exceeded")

    def answers(self, batch: str) -> BatchAnswers:
        """What came of a batch, out of both its files; there can be one, both or none."""
        about = self._client.batches.retrieve(batch)
        files = filter(None, (about.output_file_id, about.error_file_id))
        lines = (line for file in files for line in self._client.files.content(file).content.splitlines())
        return read_answers(lines, _answer)

    def cancel(self, batch: str) -> None:
        """Asks to end a batch early; what is over by then counts."""
        self._client.batches.cancel(batch)

    def tidy(self, batch: str) -> None:
        """Deletes its files, which would stay there."""
        about = self._client.batches.retrieve(batch)
        for file in filter(None, (about.input_file_id, about.output_file_id, about.error_file_id)):
            with contextlib.suppress(Exception):
                self._client.files.delete(file)

    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception of the SDK means."""
        return self._provider.explain(error)


def _answer(entry: Any) -> BatchAnswer | None:
    """The answer in a line, ``None`` for one that says why there is none, as ``batch_expired``."""
    response = entry.get("response")
    if response is None:
        return None
    headers = {"content-type": "application/json"}
    if isinstance(response.get("request_id"), str):
        headers["x-request-id"] = response["request_id"]
    return BatchAnswer(int(response["status_code"]), json.dumps(response["body"]).encode(), headers)
