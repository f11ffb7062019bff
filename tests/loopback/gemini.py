"""The wire protocol of the Gemini API and of Gemini on Vertex AI."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tests.loopback.server import Answer, Broken, Encoded, Heard, HeardTurn, RejectedError, require, server_sent_events

KEY = "AIzaSyLoopback+Key/0123456789"
TOKEN = "ya29.loopback-token"
UNSIGNED = "skip_thought_signature_validator"

_GEMINI = re.compile(
    r"/(?:v1|v1beta)/models/(?P<model>[^/:]+):(?:generateContent|countTokens|streamGenerateContent\?alt=sse)"
)
_VERTEX = re.compile(
    r"/v1beta1/projects/[^/]+/locations/[^/]+/publishers/google/models/(?P<model>[^/:]+):generateContent"
)
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_TOP = {
    "contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig", "cachedContent",
    "labels", "store", "serviceTier",
}  # fmt: skip
_GENERATION = {
    "temperature": (float, 0, 2),
    "topP": (float, 0, 1),
    "topK": (float, 1, 10_000),
    "maxOutputTokens": (int, 1, 10_000_000),
    "seed": (int, -(2**31), 2**31 - 1),
}
_PART = {"text", "thought", "thoughtSignature", "functionCall", "functionResponse"}
_SCHEMA = {
    "type", "description", "properties", "required", "enum", "items", "anyOf", "oneOf", "additionalProperties",
    "format", "title", "minimum", "maximum", "minItems", "maxItems", "prefixItems", "propertyOrdering", "$ref", "$defs",
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")


def error(status: int, message: str, *details: Mapping[str, Any], word: str | None = None) -> Broken:
    """An error with details, as the API builds it."""
    body = {"code": status, "message": message, "status": word or _STATUS[status], "details": list(details)}
    return Broken(status, message=message, body=json.dumps({"error": body}).encode())


def error_info(reason: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}


def retry_info(delay: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota_failure(quota_id: str) -> dict[str, Any]:
    metric = "generativelanguage.googleapis.com/generate_content_free_tier_requests"
    violation = {"quotaMetric": metric, "quotaId": quota_id}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


@attrs.frozen
class Gemini:
    """Checks and answers ``generateContent``, as a stream as well, and counts tokens.

    With ``signs``, calls and thoughts are signed, and history with another signature, or with anything else changed in
    a signed content, is refused. With ``forgives``, calls of before the user's last words may come unsigned.
    ``Answer.extra`` may hold ``parts`` (in place of all parts), ``candidate`` and
    ``response`` (further fields of either), ``blocked`` (reason for which the prompt is refused).
    """

    signs: bool = True
    forgives: bool = False

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        model = _authorised(method, path, headers)
        require(isinstance(body, dict), "the body is no object")
        if path.endswith(":countTokens"):
            return Encoded(200, json.dumps({"totalTokens": 100}).encode())
        body = {_camel(key): value for key, value in body.items()}
        _known(body, _TOP)
        _check_generation(body.get("generationConfig", {}))
        names = _declared(body.get("tools", []))
        _check_choice(body.get("toolConfig"), names)
        turns = self.turns(body.get("contents"))
        system = "\n".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", ()))
        return Heard(model, system, tuple(turns), tuple(names), body, path, headers)

    def turns(self, contents: Any) -> list[HeardTurn]:
        """Checks and understands the contents of a request."""
        require(isinstance(contents, list) and bool(contents), "contents is not specified")
        turns: list[HeardTurn] = []
        begins = max((n for n, content in enumerate(contents) if _is_said(content)), default=0)
        for number, content in enumerate(contents):
            _known(content, {"role", "parts"})
            parts = content.get("parts") or []
            require(bool(parts), f"contents[{number}].parts must not be empty")
            before = contents[number - 1] if number else None
            if content.get("role") == "model":
                turns.append(self._model_turn(parts, before, self.forgives and number < begins))
            else:
                require(content.get("role") == "user", "Please use a valid role: user, model.")
                turns.extend(_user_turns(parts, before))
        require(contents[0]["role"] == "user", "Please ensure that the first content is the user's.")
        require(contents[-1]["role"] == "user", "Please ensure that the last content is the user's.")
        return turns

    def _model_turn(self, parts: Sequence[Mapping[str, Any]], before: Any, is_forgiven: bool) -> HeardTurn:
        require(before is not None and before["role"] == "user", "two contents of the model follow one another")
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        if calls and self.signs and not is_forgiven:
            first = next(part for part in parts if "functionCall" in part)
            require("thoughtSignature" in first, "Function call is missing a thought_signature in functionCall parts.")
        signatures = {part.get("thoughtSignature", UNSIGNED) for part in parts} - {UNSIGNED}
        if signatures and self.signs:
            # Newer fields than a client knows are in it as well.
            require(signatures == {_signature(parts)}, "Thought signature is not valid.")
        else:
            for part in parts:
                _known(part, _PART)
        for call in calls:
            _known(call, {"name", "args", "id"})
            require(isinstance(call.get("args") or {}, dict), "function_call.args is no object")
        spoken = [part["text"] for part in parts if "text" in part and not part.get("thought")]
        heard = tuple((call.get("id", ""), call["name"], call.get("args") or {}) for call in calls)
        return HeardTurn("assistant", "\n".join(spoken), heard)

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        extra = answer.extra
        usage = {
            "promptTokenCount": answer.input_tokens,
            "candidatesTokenCount": answer.output_tokens - answer.reasoning_tokens,
            "totalTokenCount": answer.input_tokens + answer.output_tokens,
        }
        if answer.cached_tokens:
            usage["cachedContentTokenCount"] = answer.cached_tokens
        if answer.reasoning_tokens:
            usage["thoughtsTokenCount"] = answer.reasoning_tokens
        response = {"usageMetadata": usage, "modelVersion": answer.served_model or heard.model, "responseId": "resp-1"}
        if "blocked" in extra:
            response["promptFeedback"] = {"blockReason": extra["blocked"]}
        else:
            response["candidates"] = [{**self._candidate(answer), **extra.get("candidate", {})}]
        response = {**response, **extra.get("response", {})}
        if ":streamGenerateContent" in heard.path:
            events = [(None, chunk) for chunk in _chunks(response)]
            return Encoded(200, server_sent_events(events), content_type="text/event-stream")
        return Encoded(200, json.dumps(response).encode())

    def _candidate(self, answer: Answer) -> dict[str, Any]:
        broken = next(((name, text) for name, text in answer.calls if isinstance(text, str)), None)
        if broken is not None:
            words = f"Malformed function call: print(default_api.{broken[0]}({broken[1]}))"
            return {"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": words, "index": 0}
        parts: list[dict[str, Any]] = []
        if answer.thinking:
            parts.append({"text": answer.thinking, "thought": True})
        if answer.text:
            parts.append({"text": answer.text})
        ids = answer.call_ids or (None,) * len(answer.calls)
        for (name, arguments), call_id in zip(answer.calls, ids, strict=True):
            call = {"name": name, "args": arguments} | ({} if call_id is None else {"id": call_id})
            parts.append({"functionCall": call})
        parts = answer.extra.get("parts", parts)
        if self.signs and parts:
            signed = next((part for part in parts if "functionCall" in part), parts[-1])
            signed["thoughtSignature"] = _signature(parts)
        content = {"role": "model", "parts": parts} if parts else {"role": "model"}
        return {"content": content, "finishReason": answer.stop or "STOP", "index": 0}

    def error(self, broken: Broken) -> Encoded:
        details = [error_info(broken.code)] if broken.code else []
        word = _STATUS.get(broken.status, "UNKNOWN")
        body = {"code": broken.status, "message": broken.message, "status": word, "details": details}
        return Encoded(broken.status, json.dumps({"error": body}).encode())


def _chunks(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A response as it comes in pieces: text in halves, calls whole, and what it came to with the last piece."""
    candidate, *_ = response.get("candidates") or [{}]
    content = candidate.get("content", {})
    pieces: list[dict[str, Any]] = []
    for part in content.get("parts", ()):
        text = part.get("text", "")
        if len(text) > 1 and not part.get("thought"):
            # Text carries its signature at the end.
            rest = {**part, "text": text[len(text) // 2 :]}
            pieces += [{"text": text[: len(text) // 2]}, rest]
        else:
            pieces.append(part)
    if len(pieces) < 2:
        return [response]
    *first, last = ({**content, "parts": [piece]} for piece in pieces)
    early = {name: value for name, value in response.items() if name not in ("candidates", "usageMetadata")}
    chunks = [{**early, "candidates": [{"content": piece, "index": 0}]} for piece in first]
    return [*chunks, {**response, "candidates": [{**candidate, "content": last}]}]


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)


def _known(entry: Any, names: set[str]) -> None:
    require(isinstance(entry, dict), "Invalid JSON payload received. Not an object.")
    for key in entry:
        require(_camel(key) in names, f'Invalid JSON payload received. Unknown name "{key}": Cannot find field.')


def _authorised(method: str, path: str, headers: Mapping[str, str]) -> str:
    if method == "POST" and (match := _VERTEX.fullmatch(path)):
        if headers.get("authorization") != f"Bearer {TOKEN}":
            raise RejectedError("Request had invalid authentication credentials.", 401)
        return match["model"]
    match = _GEMINI.fullmatch(path)
    if method != "POST" or match is None:
        raise RejectedError(f"there is nothing at {method} {path}", 404)
    if "x-goog-api-key" not in headers:
        raise RejectedError("Method doesn't allow unregistered callers (callers without established identity).", 403)
    if headers["x-goog-api-key"] != KEY:
        raise RejectedError(f"API key not valid: {headers['x-goog-api-key']}", 400, "API_KEY_INVALID")
    return match["model"]


def _check_generation(config: Mapping[str, Any]) -> None:
    config = {_camel(key): value for key, value in config.items()}
    _known(config, {*_GENERATION, "thinkingConfig", "candidateCount"})
    for name, (kind, low, high) in _GENERATION.items():
        if name in config:
            allowed = (int, float) if kind is float else int
            is_valid = isinstance(config[name], allowed) and low <= config[name] <= high
            require(is_valid, f"generation_config.{name} is out of range: {config[name]}")
    thinking = {_camel(key): value for key, value in config.get("thinkingConfig", {}).items()}
    _known(thinking, {"thinkingBudget", "thinkingLevel", "includeThoughts"})
    require(len({"thinkingBudget", "thinkingLevel"} & thinking.keys()) < 2, "budget and level exclude one another")
    require(thinking.get("thinkingLevel", "LOW") in {"MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"}, "no such level")


def _declared(tools: Any) -> list[str]:
    names: list[str] = []
    require(len(tools) <= 1, "several tools of functions")
    for tool in tools:
        _known(tool, {"functionDeclarations"})
        for declaration in tool["functionDeclarations"]:
            declaration = {_camel(key): value for key, value in declaration.items()}
            _known(declaration, {"name", "description", "parameters", "parametersJsonSchema"})
            require(bool(_NAME.fullmatch(declaration.get("name", ""))), "Invalid function name.")
            require(bool(declaration.get("description")), "a function has no description")
            if (schema := declaration.get("parametersJsonSchema")) is not None:
                require(bool(schema.get("properties")), "parameters.properties: should be non-empty for OBJECT type")
                _check_schema(schema)
            names.append(declaration["name"])
    require(len(set(names)) == len(names), "Duplicate function declaration found")
    return names


def _check_schema(schema: Any) -> None:
    _known(schema, _SCHEMA)
    for entry in [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]:
        _check_schema(entry)
    require(set(schema.get("required", ())) <= schema.get("properties", {}).keys(), "required: property is not defined")


def _check_choice(config: Any, names: Sequence[str]) -> None:
    if config is None:
        return
    _known(config, {"functionCallingConfig"})
    calling = {_camel(key): value for key, value in config["functionCallingConfig"].items()}
    _known(calling, {"mode", "allowedFunctionNames"})
    require(calling["mode"] in {"AUTO", "ANY", "NONE", "VALIDATED"}, "no such mode")
    require(set(calling.get("allowedFunctionNames", ())) <= set(names), "allowed_function_names: not declared")


def _user_turns(parts: Sequence[Mapping[str, Any]], before: Any) -> list[HeardTurn]:
    for part in parts:
        _known(part, _PART)
        require(part.get("text") != "", "a text part must not be empty")
    waiting = [part["functionCall"] for part in before["parts"] if "functionCall" in part] if before else []
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    require(
        len(responses) == len(waiting) and (not responses or len(responses) == len(parts)),
        "Please ensure that the number of function response parts is equal to the number of function call parts of the "
        "function call turn.",
    )
    if not responses:
        return [HeardTurn("user", "\n".join(part["text"] for part in parts))]
    turns = []
    for call, response in zip(waiting, responses, strict=True):
        _known(response, {"name", "response", "id"})
        require(response["name"] == call["name"], "a function response is not named like its call")
        require(response.get("id") == call.get("id"), "a function response has not the id of its call")
        text, is_error = _outcome(response["response"])
        turns.append(HeardTurn("tool", text, call_id=call.get("id"), name=response["name"], is_error=is_error))
    return turns


def _is_said(content: Any) -> bool:
    """Whether a content is the user's words, not results of calls."""
    parts = content.get("parts") or []
    return content.get("role") == "user" and not any("functionResponse" in part for part in parts)


def _outcome(response: Mapping[str, Any]) -> tuple[str, bool | None]:
    """What came of a call; any field will do, but these two are those the API knows."""
    for name, is_error in (("output", False), ("error", True)):
        if name in response:
            return response[name], is_error
    return response["content"], None


def _signature(parts: Sequence[Mapping[str, Any]]) -> str:
    """Signs a content as a whole; holds characters that differ between the alphabets of base64."""
    bare = [{key: _one_kind(value) for key, value in part.items() if key != "thoughtSignature"} for part in parts]
    digest = hashlib.blake2b(json.dumps(bare, sort_keys=True).encode(), digest_size=21).digest()
    return base64.b64encode(b"\xfb\xef\xff" + digest).decode()


def _one_kind(value: Any) -> Any:
    """Without the difference between 1.0 and 1, which clients in JavaScript do not know."""
    if isinstance(value, Mapping):
        return {key: _one_kind(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_one_kind(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
