"""OpenAI's text completions, in front of a model that was trained with one of four prompt formats."""

import json
from collections.abc import Mapping
from typing import Any

import attrs

from tests.loopback.prompts import READERS, WRITERS
from tests.loopback.server import Answer, Broken, Encoded, Heard, RejectedError

_FIELDS = {
    "model": str,
    "prompt": str,
    "max_tokens": int,
    "temperature": (int, float),
    "top_p": (int, float),
    "seed": int,
    "stop": list,
}
_TYPES = {
    400: "invalid_request_error",
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "rate_limit_error",
    500: "server_error",
    503: "overloaded_error",
}


@attrs.frozen
class CompletionsDialect:
    """``POST /v1/completions`` for one prompt format.

    ``Answer.extra`` may have ``text``, which is then all that the model writes. With ``announces``, an answer in words
    is first announced by Command R's pseudo-tool, as the real model does when it is asked for actions.
    """

    format: str
    announces: bool = False

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        if (method, path) != ("POST", "/v1/completions"):
            raise RejectedError(f"Invalid URL ({method} {path})", 404)
        if not headers.get("authorization", "").startswith("Bearer "):
            raise RejectedError("no key", 401, "invalid_api_key")
        if not isinstance(body, dict):
            raise RejectedError("not a JSON object")
        for name, value in body.items():
            if name not in _FIELDS:
                raise RejectedError(f"Unrecognized request argument supplied: {name}")
            if not isinstance(value, _FIELDS[name]) or isinstance(value, bool):
                raise RejectedError(f"{name} has the wrong type")
        if not {"model", "prompt"} <= body.keys():
            raise RejectedError("you must provide a model and a prompt")
        if body["prompt"].startswith(("<s>", "<BOS_TOKEN>")):
            raise RejectedError("the server itself begins the sequence")
        if not 0 < len(body.get("stop", [None])) <= 4 or not 0 <= body.get("temperature", 1) <= 2:
            raise RejectedError("stop or temperature out of range")
        try:
            conversation = READERS[self.format](body["prompt"])
        except (ValueError, KeyError, SyntaxError, AssertionError) as error:
            raise RejectedError(f"not a prompt: {type(error).__name__} {error}") from error
        return Heard(
            body["model"],
            conversation.system,
            conversation.turns,
            conversation.tools,
            {**body, "wants_words": conversation.wants_words},
            path,
            headers,
        )

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        asked_for_actions = self.format == "cohere" and heard.tools and not heard.body["wants_words"]
        if self.announces and not answer.calls and asked_for_actions:
            answer = attrs.evolve(answer, calls=(("directly-answer", {}),), text="")
        text = answer.extra.get("text", WRITERS[self.format](answer))
        body = {
            "id": "cmpl-1",
            "object": "text_completion",
            "created": 1,
            "model": answer.served_model or heard.model,
            "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": answer.stop or "stop"}],
            "usage": {
                "prompt_tokens": answer.input_tokens,
                "completion_tokens": answer.output_tokens,
                "total_tokens": answer.input_tokens + answer.output_tokens,
                "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
            },
        }
        return Encoded(200, json.dumps(body).encode(), {"x-request-id": "req_1"})

    def error(self, broken: Broken) -> Encoded:
        error = {
            "message": broken.message,
            "type": _TYPES.get(broken.status, "server_error"),
            "param": None,
            "code": broken.code or None,
        }
        return Encoded(broken.status, json.dumps({"error": error}).encode(), {"x-request-id": "req_error"})
