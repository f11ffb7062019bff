"""The batch services of Anthropic and OpenAI for tests, beside the dialect that answers single requests."""

import email
import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from tests.loopback.server import Answer, Brain, Broken, Dialect, Encoded, Heard, Move, RejectedError, require


@attrs.define(eq=False)
class Batch:
    """A batch that a service has taken. ``requests`` are (custom id, body) as they came."""

    id: str
    number: int
    requests: list[tuple[str, Any]]
    tag: str | None = None
    file: str = "file-1"
    made_at: float = attrs.field(factory=time.time)
    looks: int = 0
    cancelled: bool = False
    lines: list[tuple[str, Any]] | None = None
    """What came of each request once it is over: custom id, and ``Encoded``, or a word for why there is no answer."""


@attrs.frozen
class Plan:
    """How a service treats its batches.

    Attributes:
        looks: How often a batch is looked at before it is over, ``None`` for one that never is.
        fate: What becomes of a request, from batch, place in it and key: ``answered``, or ``expired``, ``canceled``,
            ``missing``, ``garbled`` (a line that is cut off), or an error to be answered with.
        refuse: Why a batch fails as a whole: (code, message), or ``None``.
        begin: What happens when a batch is to begin: ``None`` to begin it, an error in its place, or ``"lost"`` for a
            batch that begins and of which nobody hears.
        end: What OpenAI calls the end of a batch.
    """

    looks: Callable[[Batch], int | None] = lambda batch: 1
    fate: Callable[[Batch, int, str], str | Broken] = lambda batch, place, key: "answered"
    refuse: Callable[[Batch], tuple[str, str] | None] = lambda batch: None
    begin: Callable[[int, int], Broken | str | None] = lambda number, count: None
    end: Callable[[Batch], str] = lambda batch: "completed"


@attrs.define(eq=False)
class Service:
    """What the services of both vendors have in common. ``brain`` answers what is in a batch."""

    inner: Dialect
    brain: Brain
    plan: Plan = attrs.field(factory=Plan)
    batches: dict[str, Batch] = attrs.field(factory=dict)
    tries: int = 0
    _lock: Any = attrs.field(factory=threading.RLock)

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        return self.inner.answer(heard, answer)

    def error(self, broken: Broken) -> Encoded:
        return self.inner.error(broken)

    @property
    def asked(self) -> list[str]:
        """Keys of all requests in all batches, in the order in which they came."""
        return [key for batch in self.batches.values() for key, _ in batch.requests]

    def take(self, requests: Sequence[tuple[str, Any]], tag: str | None = None) -> Batch:
        keys = [key for key, _ in requests]
        require(bool(keys), "requests: at least one is required")
        require(len(set(keys)) == len(keys), "custom_id: has to be unique")
        require(all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", key) for key in keys), "custom_id: bad form")
        with self._lock:
            self.tries += 1
            begins = self.plan.begin(self.tries, len(keys))
            if isinstance(begins, Broken):
                raise RejectedError(begins.message, begins.status, begins.code)
            number = len(self.batches) + 1
            batch = self.batches[f"batch_{number}"] = Batch(f"batch_{number}", number, list(requests), tag)
        if begins == "lost":
            raise RejectedError("bad gateway", 502)
        return batch

    def found(self, name: str) -> Batch:
        require(name in self.batches, f"no batch {name}", 404)
        return self.batches[name]

    def look(self, batch: Batch, path: str, headers: Mapping[str, str]) -> bool:
        """Counts a look, and says whether the batch is over."""
        with self._lock:
            batch.looks += 1
            limit = self.plan.looks(batch)
            if batch.lines is None and (batch.cancelled or (limit is not None and batch.looks > limit)):
                batch.lines = [self._line(batch, n, *each, path, headers) for n, each in enumerate(batch.requests)]
            return batch.lines is not None

    def _line(self, batch: Batch, place: int, key: str, body: Any, path: str, headers: Any) -> tuple[str, Any]:
        fate = self.plan.fate(batch, place, key)
        if batch.cancelled and fate == "answered" and place % 2:
            fate = "canceled"
        if isinstance(fate, Broken):
            return key, self.error(fate)
        if fate != "answered":
            return key, fate
        heard = self.inner.hear("POST", path, headers, body)
        assert isinstance(heard, Heard)
        move: Move = self.brain(heard)
        assert isinstance(move, Answer | Broken)
        return key, self.answer(heard, move) if isinstance(move, Answer) else self.error(move)

    def shuffled(self, batch: Batch) -> list[tuple[str, Any]]:
        lines = [line for line in batch.lines or () if line[1] != "missing"]
        random.Random(batch.number).shuffle(lines)
        return lines


class AnthropicBatchDialect(Service):
    """Anthropic's Messages API with its batches."""

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        route, _, rest = path.partition("?")[0].partition("/v1/messages/batches")
        if route or "/v1/messages/batches" not in path:
            return self.inner.hear(method, path, headers, body)
        if method == "POST" and not rest:
            for request in body["requests"]:
                require(set(request) == {"custom_id", "params"}, "requests: unknown field")
                require("stream" not in request["params"], "params: a batch has no streams")
            return _json(self._shown(self.take([(each["custom_id"], each["params"]) for each in body["requests"]])))
        if method == "GET" and not rest:
            listed = [self._shown(batch) for batch in reversed(self.batches.values())]
            return _json({"data": listed, "has_more": False, "first_id": None, "last_id": None})
        _, name, *what = rest.split("/")
        batch = self.found(name)
        if what == ["results"]:
            require(batch.lines is not None, "the batch is not over")
            return Encoded(200, b"\n".join(self._results(batch)), content_type="application/x-jsonl")
        if what == ["cancel"]:
            batch.cancelled = True
        else:
            self.look(batch, "/v1/messages", headers)
        return _json(self._shown(batch))

    def _results(self, batch: Batch) -> list[bytes]:
        lines = []
        for key, came in self.shuffled(batch):
            result: dict[str, Any] = {"type": came}
            if isinstance(came, Encoded):
                value = json.loads(came.body)
                result = {"type": "succeeded", "message": value} if came.status == 200 else {"type": "errored"}
                result |= {"error": value} if came.status != 200 else {}
            line = json.dumps({"custom_id": key, "result": result}).encode()
            lines.append(line[: len(line) // 2] if came == "garbled" else line)
        return lines

    def _shown(self, batch: Batch) -> dict[str, Any]:
        kinds = ("processing", "succeeded", "errored", "canceled", "expired")
        counts = dict.fromkeys(kinds, 0)
        counts["processing" if batch.lines is None else "succeeded"] = len(batch.requests)
        is_over = batch.lines is not None
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.made_at))
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if is_over else "canceling" if batch.cancelled else "in_progress",
            "request_counts": counts,
            "created_at": moment,
            "expires_at": moment,
            "ended_at": moment if is_over else None,
            "archived_at": None,
            "cancel_initiated_at": moment if batch.cancelled else None,
            "results_url": f"/v1/messages/batches/{batch.id}/results" if is_over else None,
        }


@attrs.define(eq=False)
class OpenAIBatchDialect(Service):
    """One of OpenAI's protocols, at ``path``, with files and batches."""

    path: str = "/v1/chat/completions"
    files: dict[str, bytes] = attrs.field(factory=dict)
    deleted: list[str] = attrs.field(factory=list)

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        route = path.partition("?")[0].split("/")[2:]
        if route[0] == "files":
            return self._file(method, route[1:], headers, body)
        if route[0] != "batches":
            return self.inner.hear(method, path, headers, body)
        if method == "POST" and len(route) == 1:
            return _json(self._shown(self._take(body)))
        if method == "GET" and len(route) == 1:
            return _json({"object": "list", "data": [self._shown(each) for each in reversed(self.batches.values())]})
        batch = self.found(route[1])
        if route[2:] == ["cancel"]:
            batch.cancelled = True
        elif self.plan.refuse(batch) is None and self.look(batch, self.path, headers):
            self._write(batch)
        return _json(self._shown(batch))

    def _file(self, method: str, route: Sequence[str], headers: Mapping[str, str], body: Any) -> Encoded:
        if method == "POST":
            form = email.message_from_bytes(b"content-type: " + headers["content-type"].encode() + b"\n\n" + body)
            parts = {part.get_param("name", header="content-disposition"): part for part in form.get_payload()}  # type: ignore
            require(parts["purpose"].get_payload(decode=True).strip() == b"batch", "purpose: has to be batch")
            name = f"file-{len(self.files) + len(self.deleted) + 1}"
            self.files[name] = parts["file"].get_payload(decode=True)
            about = {"id": name, "object": "file", "bytes": 1, "created_at": 1, "filename": "f", "purpose": "batch"}
            return _json({**about, "status": "processed"})
        require(route[0] in self.files, f"no file {route[0]}", 404)
        if method == "DELETE":
            self.deleted.append(route[0])
            del self.files[route[0]]
            return _json({"id": route[0], "object": "file", "deleted": True})
        return Encoded(200, self.files[route[0]], content_type="application/octet-stream")

    def _take(self, body: Any) -> Batch:
        require(body["completion_window"] == "24h", "completion_window: has to be 24h")
        require(body["endpoint"] == self.path, f"endpoint: {body['endpoint']} is not {self.path}")
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        for line in lines:
            require(set(line) == {"custom_id", "method", "url", "body"}, "unknown field")
            require((line["method"], line["url"]) == ("POST", self.path), "url: does not match the endpoint")
        require(len({line["body"]["model"] for line in lines}) == 1, "all requests have to be for one model")
        tag = (body.get("metadata") or {}).get("tool_sandbox")
        batch = self.take([(line["custom_id"], line["body"]) for line in lines], tag)
        batch.file = body["input_file_id"]
        return batch

    def _write(self, batch: Batch) -> None:
        outputs, errors = [], []
        for number, (key, came) in enumerate(self.shuffled(batch)):
            response = error = None
            if isinstance(came, Encoded):
                response = {"status_code": came.status, "request_id": f"req_{number}", "body": json.loads(came.body)}
            else:
                error = {"code": f"batch_{came}", "message": "This request was not executed."}
            line = json.dumps({"id": f"r_{number}", "custom_id": key, "response": response, "error": error}).encode()
            line = line[: len(line) // 2] if came == "garbled" else line
            (outputs if response and response["status_code"] == 200 else errors).append(line)
        for name, lines in (("out", outputs), ("err", errors)):
            if lines and f"{name}-{batch.id}" not in self.deleted:
                self.files[f"{name}-{batch.id}"] = b"\n".join(lines)

    def _shown(self, batch: Batch) -> dict[str, Any]:
        refused = self.plan.refuse(batch)
        status = self.plan.end(batch) if batch.lines is not None else "cancelling" if batch.cancelled else "in_progress"
        shown: dict[str, Any] = {
            "id": batch.id,
            "object": "batch",
            "endpoint": self.path,
            "input_file_id": batch.file,
            "completion_window": "24h",
            "created_at": int(batch.made_at),
            "status": "cancelled" if batch.lines is not None and batch.cancelled else status,
            "metadata": {"tool_sandbox": batch.tag},
            "request_counts": {"total": len(batch.requests), "completed": 0, "failed": 0},
            "output_file_id": f"out-{batch.id}" if f"out-{batch.id}" in self.files else None,
            "error_file_id": f"err-{batch.id}" if f"err-{batch.id}" in self.files else None,
        }
        if refused is not None:
            error = {"code": refused[0], "message": refused[1], "line": None, "param": None}
            shown |= {"status": "failed", "errors": {"object": "list", "data": [error]}}
        return shown


def _json(value: Any) -> Encoded:
    return Encoded(200, json.dumps(value).encode())
