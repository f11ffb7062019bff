"""Anthropic's Messages API for tests: refuses what the real one refuses, remembers thoughts, plays the prompt cache."""

import itertools
import json
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tests.loopback.server import Answer, Broken, Encoded, Heard, HeardTurn, RejectedError, require, server_sent_events

VERSIONS = ("2023-06-01", "2026-10-21")
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-4-8", "claude-haiku-4-5")
_FIELDS = {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "stream"}
_FIELDS |= {"cache_control", "stop_sequences", "metadata", "container", "diagnostics", "inference_geo"}
_FIELDS |= {"service_tier", "speed"}
_SAMPLING = ("temperature", "top_p", "top_k")
_BETA_FIELDS = {"context-management-2025-06-27": "context_management"}
_BETA_SYSTEM = ("per-turn-control-2026-07-01", "mid-conversation-system-2026-04-07")
"""Betas with which messages of the role ``system`` may stand between the others."""
_UNFORCED = re.compile(r"claude-(?:(?:opus|sonnet)-5-5|(?:fable|mythos)-5-[12])")
_PREFILLED = re.compile(r"claude-(?:haiku|opus|sonnet)-4-5")
_CODE = re.compile(r"code_execution_(?:20260120|20260521)")
_CODE_RESULTS = {
    name: f"{name}_tool_result" for name in ("code_execution", "bash_code_execution", "text_editor_code_execution")
}
_SEARCH = re.compile(r"(tool_search_tool_(?:bm25|regex))_20251119")
_LOOKBACK = 20
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@attrs.define(eq=False)
class AnthropicDialect:
    """One account at Anthropic.

    Understands in ``Answer.extra``: ``content`` (blocks in place of text and calls), ``before`` (blocks before them),
    ``stop_details``, ``stop_sequence``, ``usage`` (fields of it), and for streams ``events`` (in place of what follows
    the content) and ``pieces`` (JSON texts in place of the arguments of each call). For code execution: ``by_code``
    (which calls code makes: ``True`` for all, else their places), ``new_cell`` (they come from another run of code than
    the one that waits), ``hosted`` (blocks of finished runs, see `ran`) and ``container`` (in place of the right one).

    Attributes:
        key: The only key that is let in, any if ``None``.
        plays_cache: Whether tokens are counted from the text, and read from and written to a cache at its markers.
        containers: Container to the runs of code in it. One that is taken out has expired.
        first_container: Number of the first container, so that two accounts can give different names.
    """

    key: str | None = None
    plays_cache: bool = False
    containers: dict[str, set[str]] = attrs.field(factory=dict)
    first_container: int = 1
    _numbers: "itertools.count[int]" = attrs.field(factory=lambda: itertools.count(1))
    _thoughts: dict[str, Any] = attrs.field(factory=dict)
    _thoughts_before: dict[str, list[Any]] = attrs.field(factory=dict)
    _kept: set[tuple[str, ...]] = attrs.field(factory=set)
    _sent: dict[str, Any] = attrs.field(factory=dict)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        self._let_in(headers)
        route = path.partition("?")[0]
        if method == "GET" and route.startswith("/v1/models"):
            return self._models(route.removeprefix("/v1/models").strip("/"))
        if method != "POST" or route not in ("/v1/messages", "/v1/messages/count_tokens"):
            raise RejectedError(f"no such endpoint: {method} {route}", 404)
        require(isinstance(body, dict), "the body has to be an object")
        plain = _without_betas(body, headers.get("anthropic-beta", ""))
        self._check(plain, headers["anthropic-version"], is_count=route.endswith("count_tokens"))
        if route.endswith("count_tokens"):
            return _json({"input_tokens": sum(_tokens(block) for block in _blocks(body)[0])})
        turns = _heard(plain["messages"])
        tools = tuple(tool["name"] for tool in body.get("tools", ()))
        return Heard(body["model"], _system(body), turns, tools, body, path, headers)

    def _let_in(self, headers: Mapping[str, str]) -> None:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = headers.get("x-api-key") or (token if scheme.lower() == "bearer" else "")
        if not given or (self.key is not None and given != self.key):
            # The real one does not quote the key; other servers do.
            raise RejectedError(f"invalid x-api-key {given}", 401)
        require(headers.get("anthropic-version") in VERSIONS, "anthropic-version: unknown version")

    def _models(self, model: str) -> Encoded:
        infos = [
            {"type": "model", "id": known, "display_name": known, "created_at": "2026-09-22T00:00:00Z"}
            | {"max_input_tokens": 1_000_000, "max_tokens": 128_000, "lifecycle": "active"}
            for known in MODELS
            if model in ("", known)
        ]
        if not infos:
            raise RejectedError(f"model: {model}", 404)
        page = {"data": infos, "has_more": False, "first_id": infos[0]["id"], "last_id": infos[-1]["id"]}
        return _json(infos[0] if model else page)

    def _check(self, body: Mapping[str, Any], version: str, *, is_count: bool) -> None:
        sampling = _SAMPLING if version == "2023-06-01" else ()
        for name in body:
            require(name in _FIELDS or name in sampling, f"{name}: Extra inputs are not permitted")
        require(isinstance(body.get("model"), str), "model: Field required")
        require(is_count or isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
        _check_tools(body)
        _check_markers(body)
        messages = body.get("messages")
        require(isinstance(messages, list) and bool(messages), "messages: at least one message is required")
        assert isinstance(messages, list)
        for message in messages:
            require(message.get("role") in ("user", "assistant"), "messages: unexpected role")
        require(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
        turns = _merged(messages)
        for turn in turns:
            self._check_content(*turn)
        _check_answers(turns)
        self._check_code(body, turns)
        _check_searched(body, turns)
        role, content = turns[-1]
        can_end = role == "user" or _PREFILLED.match(body["model"]) or content[-1].get("type") == "server_tool_use"
        require(bool(can_end), "This model does not support assistant message prefill.")
        for role, content in turns[:-1]:
            last = content[-1]["type"]
            require(
                role == "user" or last not in ("thinking", "redacted_thinking"),
                "messages: The final block in an assistant message cannot be `thinking`.",
            )

    def _check_content(self, role: str, content: Sequence[Mapping[str, Any]]) -> None:
        require(bool(content), "messages: content must not be empty")
        allowed = ("text", "tool_result", "image", "document")
        for block in content:
            kind = block.get("type")
            require(role == "assistant" or kind in allowed, f"messages: {kind} blocks cannot be in {role} messages")
            if kind == "text":
                require(bool(str(block.get("text", "")).strip()), "messages: text content blocks must be non-empty")
            if kind == "tool_use":
                require(role == "assistant", "messages: tool_use blocks can only be in assistant messages")
                require(isinstance(block.get("input"), dict), "tool_use.input: Input should be a valid dictionary")
                require(bool(re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"])), "tool_use.id: String should match pattern")
                require(bool(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", block["name"])), "tool_use.name: bad name")
            if kind in ("thinking", "redacted_thinking"):
                plain = {name: value for name, value in block.items() if name != "cache_control"}
                sent = self._thoughts.get(block.get("signature") or block.get("data") or "")
                require(sent == plain, f"messages: Invalid `signature` in `{kind}` block")
            for thought in self._thoughts_before.get(block.get("id", ""), ()):
                require(thought in content, "messages: thinking blocks must be sent back with the calls after them")
            for part in block.get("content") or () if kind == "tool_result" else ():
                require(isinstance(part, str) or bool(part.get("text", "x").strip()), "tool_result: empty text")

    def _check_code(self, body: Mapping[str, Any], turns: Sequence[tuple[str, list[dict[str, Any]]]]) -> None:
        """Blocks of code come back as they went, and in the container of the conversation."""
        runs = {block["id"] for _, content in turns for block in content if block["type"] == "server_tool_use"}
        for block in (block for _, content in turns for block in content):
            sent = self._sent.get(_code_key(block))
            plain = {name: value for name, value in block.items() if name != "cache_control"}
            require(sent is None or sent == plain, f"messages: {block['type']} was changed")
        container = body.get("container")
        if container is None:
            message = (
                "container_id is required when there are pending tool uses generated by code execution with tools."
            )
            require(not _waiting_code(turns), message)
            return
        known = self.containers.get(container)
        require(known is not None, f"container: {container} was not found or has expired")
        assert known is not None
        require(bool(known & runs), f"container: {container} belongs to another conversation")

    def _container(self, body: Mapping[str, Any], answer: Answer, content: Sequence[dict[str, Any]]) -> Any:
        """The container that a reply names: a new one where code runs for the first time."""
        hosted = [block for block in content if block.get("type") == "server_tool_use"]
        runs = {block["id"] for block in hosted if block.get("name") in _CODE_RESULTS and "id" in block}
        name = body.get("container")
        if name is None and runs:
            name = f"container_{self.first_container + len(self.containers)}"
        if name is not None:
            self.containers.setdefault(name, set()).update(runs)
        self._sent |= {_code_key(block): block for block in content if _code_key(block)}
        container = None if name is None else {"id": name, "expires_at": "2099-01-01T00:00:00Z"}
        return answer.extra.get("container", container)

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        number = next(self._numbers)
        content = _content(answer, number)
        if "content" not in answer.extra:
            content = _with_code(content, answer, heard.body, number)
            content = _with_search(content, heard.body, number)
        thoughts = [block for block in content if block.get("type") in ("thinking", "redacted_thinking")]
        with self._lock:
            self._thoughts |= {block.get("signature") or block["data"]: block for block in thoughts}
            self._thoughts_before |= {block["id"]: thoughts for block in content if block.get("type") == "tool_use"}
            usage = self._usage(heard.body, answer)
            container = self._container(heard.body, answer, content)
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": answer.served_model or heard.model,
            "content": content,
            "stop_reason": answer.stop or ("tool_use" if answer.calls else "end_turn"),
            "stop_sequence": answer.extra.get("stop_sequence"),
            "stop_details": answer.extra.get("stop_details"),
            "container": container,
            "usage": usage,
        }
        if answer.stop == "null":
            message["stop_reason"] = None
        if answer.refusal is not None:
            message |= {"stop_reason": "refusal", "stop_details": {"type": "refusal", "category": answer.refusal}}
        headers = {"request-id": f"req_{number}"}
        if heard.body.get("stream"):
            return Encoded(200, server_sent_events(_events(message, answer)), headers, "text/event-stream")
        return Encoded(200, json.dumps(message).encode(), headers)

    def error(self, broken: Broken) -> Encoded:
        number = next(self._numbers)
        kind = broken.code or _ERRORS.get(broken.status, "api_error")
        details = {"message": broken.message, "type": kind}
        body = {"type": "error", "error": details, "request_id": f"req_{number}"}
        return Encoded(broken.status, json.dumps(body).encode(), {"request-id": f"req_{number}"})

    def _usage(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        read, written, rest = answer.cached_tokens, 0, answer.input_tokens - answer.cached_tokens
        if self.plays_cache:
            read, written, rest = self._cache(body)
        return {
            "input_tokens": rest,
            "output_tokens": answer.output_tokens,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens_details": {"thinking_tokens": answer.reasoning_tokens},
            "service_tier": "standard",
            **answer.extra.get("usage", {}),
        }

    def _cache(self, body: Mapping[str, Any]) -> tuple[int, int, int]:
        """Tokens read from the cache, written to it, and neither; a marker finds what is kept twenty blocks back."""
        blocks, markers = _blocks(body)
        found = 0
        for end in markers:
            reach = range(end, max(0, end - _LOOKBACK) - 1, -1)
            found = max(found, next((length for length in reach if tuple(blocks[:length]) in self._kept), 0))
        self._kept |= {tuple(blocks[:end]) for end in markers}
        sizes = [_tokens(block) for block in blocks]
        last = max(markers, default=0)
        return sum(sizes[:found]), sum(sizes[found : max(last, found)]), sum(sizes[max(last, found) :])


def _without_betas(body: Mapping[str, Any], header: str) -> dict[str, Any]:
    """A request without what only its betas allow."""
    betas = {beta.strip() for beta in header.split(",")}
    allowed = {field for beta, field in _BETA_FIELDS.items() if beta in betas}
    plain = {name: value for name, value in body.items() if name not in allowed}
    if betas.intersection(_BETA_SYSTEM) and isinstance(plain.get("messages"), list):
        plain["messages"] = [message for message in plain["messages"] if message.get("role") != "system"]
    return plain


def _check_tools(body: Mapping[str, Any]) -> None:
    tools, choice = body.get("tools", []), body.get("tool_choice")
    names = [tool.get("name") for tool in tools]
    require(len(set(names)) == len(names), "tools: Tool names must be unique.")
    for tool in tools:
        require(bool(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool.get("name", ""))), "tools.name: bad name")
        if search := _SEARCH.fullmatch(str(tool.get("type"))):
            require(tool == {"type": tool["type"], "name": search[1]}, "tools: tool search takes no more")
            continue
        if _CODE.fullmatch(str(tool.get("type"))):
            require(tool == {"type": tool["type"], "name": "code_execution"}, "tools: code_execution takes no more")
            continue
        require(tool.get("input_schema", {}).get("type") == "object", "tools.input_schema.type: Field required")
        known = {"name", "description", "input_schema", "cache_control", "strict", "type", "allowed_callers"}
        known.add("defer_loading")
        require(set(tool) <= known, "tools: Extra inputs are not permitted")
        _check_callers(tool, body)
    deferred = [tool.get("defer_loading", False) for tool in tools]
    require(not (deferred and all(deferred)), "tools: at least one tool must not be deferred")
    if choice is not None:
        require(bool(tools), "tool_choice: may only be specified while providing tools")
        require(choice["type"] in ("auto", "any", "tool", "none"), "tool_choice.type: unknown")
        require(choice["type"] != "tool" or choice.get("name") in names, "tool_choice.name: no such tool")
        is_forced = choice["type"] in ("any", "tool")
        require(not (is_forced and _UNFORCED.match(body["model"])), "tool_choice: forced tool use is not supported")
        require(choice["type"] != "none" or len(choice) == 1, "tool_choice.none: Extra inputs are not permitted")


def _check_callers(tool: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """What code may call needs the tool that runs the code, and a model and settings that go with it."""
    callers = tool.get("allowed_callers", ["direct"])
    kinds = [other.get("type") for other in body["tools"]]
    by_code = [caller for caller in callers if caller != "direct"]
    require(bool(callers), "tools.allowed_callers: must not be empty")
    require(all(caller in kinds for caller in by_code), f"tools.allowed_callers: {by_code} is no tool of the request")
    if by_code:
        choice = body.get("tool_choice") or {"type": "auto"}
        require(body["model"] != "claude-haiku-4-5", "programmatic tool calling is not supported by this model")
        require(not tool.get("strict"), "tools.strict: not supported with programmatic tool calling")
        require(choice["type"] in ("auto", "none"), "tool_choice: cannot force programmatic tool calling")
        require("disable_parallel_tool_use" not in choice, "disable_parallel_tool_use: not with programmatic calls")


def _check_markers(body: Mapping[str, Any]) -> None:
    texts = json.dumps([body.get("tools", []), body.get("system", []), body.get("messages", [])])
    count = texts.count('"cache_control"') + (body.get("cache_control") is not None)
    require(count <= 4, f"A maximum of 4 blocks with cache_control may be provided. Found {count}.")


def _as_blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _merged(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(_as_blocks(message["content"]))
        else:
            turns.append((message["role"], _as_blocks(message["content"])))
    return turns


def _check_answers(turns: Sequence[tuple[str, list[dict[str, Any]]]]) -> None:
    """Every call is answered exactly once in the message after it, results first."""
    calls = [block["id"] for _, content in turns for block in content if block["type"] == "tool_use"]
    require(len(set(calls)) == len(calls), "messages: `tool_use` ids must be unique")
    pending: list[str] = []
    for role, content in turns:
        if role == "assistant":
            pending = [block["id"] for block in content if block["type"] == "tool_use"]
            continue
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        require(
            sorted(results) == sorted(pending),
            f"messages: `tool_use` ids {pending} need exactly one `tool_result` block each in the next message, "
            f"found {results}",
        )
        kinds = [block["type"] == "tool_result" for block in content]
        require(kinds == sorted(kinds, reverse=True), "messages: `tool_result` blocks have to come first")
        pending = []
    _check_runs(turns)


def _check_runs(turns: Sequence[tuple[str, list[dict[str, Any]]]]) -> None:
    """Code that waits for results gets nothing else, and has an end before the user says something."""
    waiting: dict[str, str] = {}
    for role, content in turns:
        if role == "user":
            is_said = any(block["type"] != "tool_result" for block in content)
            require(not (waiting and is_said), f"messages: only `tool_result` blocks while {list(waiting)} are waiting")
        for block in content if role == "assistant" else ():
            if block["type"] == "server_tool_use" and block["name"] in _CODE_RESULTS:
                require(isinstance(block.get("input"), dict), "server_tool_use.input: should be a valid dictionary")
                waiting[block["id"]] = block["name"]
            if block["type"] in _CODE_RESULTS.values():
                begun = waiting.pop(block["tool_use_id"], "")
                require(_CODE_RESULTS.get(begun) == block["type"], f"messages: {block['type']} without a run before it")
            if block["type"] == "tool_use" and "caller" in block:
                caller = block["caller"]
                require(isinstance(caller.get("type"), str), "tool_use.caller.type: Field required")
                is_known = caller["type"] == "direct" or caller.get("tool_id") in waiting
                require(is_known, "tool_use.caller.tool_id: no such run of code")


def _waiting_code(turns: Sequence[tuple[str, list[dict[str, Any]]]]) -> bool:
    """Whether the request ends with results for code."""
    before = turns[-2][1] if len(turns) > 1 and turns[-1][0] == "user" else []
    ended = [block["tool_use_id"] for block in before if block["type"] in _CODE_RESULTS.values()]
    callers = [block["caller"] for block in before if block["type"] == "tool_use" and "caller" in block]
    return any(caller["type"] != "direct" and caller.get("tool_id") not in ended for caller in callers)


def _code_key(block: Mapping[str, Any]) -> str:
    """What a block of code execution is known by, empty for other blocks."""
    if block.get("type") in _CODE_RESULTS.values():
        return f"result {block.get('tool_use_id')}"
    if block.get("type") == "tool_search_tool_result":
        return f"result {block.get('tool_use_id')}"
    is_code = block.get("type") == "server_tool_use" or (block.get("type") == "tool_use" and "caller" in block)
    return f"{block['type']} {block.get('id')}" if is_code and isinstance(block.get("input"), dict) else ""


def open_run(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The run of code that waits at the end of a conversation."""
    waiting = None
    for block in (block for message in messages for block in _as_blocks(message["content"])):
        if block["type"] == "server_tool_use" and block["name"] in _CODE_RESULTS:
            waiting = block["id"]
        elif block["type"] in _CODE_RESULTS.values():
            waiting = None
    return waiting


def ran(run: str, stdout: str = "", name: str = "code_execution", **content: Any) -> dict[str, Any]:
    """The block that ends a run of code; ``content`` replaces the result."""
    result = {"type": f"{name}_result", "stdout": stdout, "stderr": "", "return_code": 0, "content": []}
    return {"type": _CODE_RESULTS[name], "tool_use_id": run, "content": content or result}


def began(run: str, code: str, name: str = "code_execution") -> dict[str, Any]:
    """The block that begins a run of code."""
    return {"type": "server_tool_use", "id": run, "name": name, "input": {"code": code}, "caller": {"type": "direct"}}


def _system(body: Mapping[str, Any]) -> str:
    return "\n".join(block["text"] for block in _as_blocks(body.get("system", "")))


def _heard(messages: Sequence[Mapping[str, Any]]) -> tuple[HeardTurn, ...]:
    turns: list[HeardTurn] = []
    names: dict[str, str] = {}
    for message in messages:
        content = _as_blocks(message["content"])
        texts = [block["text"] for block in content if block["type"] == "text"]
        calls = [(block["id"], block["name"], block["input"]) for block in content if block["type"] == "tool_use"]
        names |= {call_id: name for call_id, name, _ in calls}
        if message["role"] == "assistant":
            turns.append(HeardTurn("assistant", "\n".join(texts), tuple(calls)))
            continue
        for block in content:
            if block["type"] == "tool_result":
                call_id, parts = block["tool_use_id"], _as_blocks(block.get("content") or ())
                text = "".join(part["text"] for part in parts)
                is_error = block.get("is_error", False)
                turns.append(HeardTurn("tool", text, call_id=call_id, name=names.get(call_id), is_error=is_error))
        turns += [HeardTurn("user", text) for text in texts]
    return tuple(turns)


def _blocks(body: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    """The prompt block by block, and after how many of them the markers are."""
    parts = [("tool", tool) for tool in body.get("tools", ())]
    parts += [("system", block) for block in _as_blocks(body.get("system") or ())]
    parts += [(message["role"], block) for message in body["messages"] for block in _as_blocks(message["content"])]
    markers = [number for number, (_, block) in enumerate(parts, start=1) if "cache_control" in block]
    if body.get("cache_control"):
        markers.append(len(parts))
    plain = [(role, {name: block[name] for name in sorted(block) if name != "cache_control"}) for role, block in parts]
    return [json.dumps(part) for part in plain], markers


def _tokens(block: str) -> int:
    return len(block) // 4 + 1


def _content(answer: Answer, number: int) -> list[dict[str, Any]]:
    if "content" in answer.extra:
        return list(answer.extra["content"])
    blocks: list[dict[str, Any]] = list(answer.extra.get("before", ()))
    if answer.thinking is not None:
        blocks.append({"type": "thinking", "thinking": answer.thinking, "signature": f"signature_{number}"})
    if answer.text:
        blocks.append({"type": "text", "text": answer.text})
    ids = answer.call_ids or tuple(f"toolu_{number}_{place}" for place in range(len(answer.calls)))
    blocks += [
        {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        for call_id, (name, arguments) in zip(ids, answer.calls, strict=True)
    ]
    return blocks


def _with_code(
    content: list[dict[str, Any]], answer: Answer, body: Mapping[str, Any], number: int
) -> list[dict[str, Any]]:
    """Has code make the calls: the code that waits, or new code; code that has nothing more to call ends."""
    waiting = open_run(body["messages"])
    kind = next((tool["type"] for tool in body.get("tools", ()) if _CODE.fullmatch(str(tool.get("type")))), "")
    calls = [block for block in content if block["type"] == "tool_use"]
    chosen = answer.extra.get("by_code", ())
    by_code = calls if chosen is True else [calls[place] for place in chosen]
    before: list[dict[str, Any]] = []
    if waiting is not None and (not by_code or answer.extra.get("new_cell")):
        before, waiting = [ran(waiting, "done")], None
    before += answer.extra.get("hosted", ())
    if by_code and waiting is None:
        waiting = f"srvtoolu_{number}"
        names = ", ".join(f"{block['name']}(**{block['input']!r})" for block in by_code)
        before.append(began(waiting, f"import asyncio\nprint(await asyncio.gather({names}))"))
    for block in by_code:
        block["caller"] = {"type": kind, "tool_id": waiting}
    return [*before, *content]


def _with_search(content: list[dict[str, Any]], body: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    """Has the model search for deferred tools before it calls them for the first time."""
    name = next((match[1] for tool in body.get("tools", ()) if (match := _SEARCH.fullmatch(str(tool.get("type"))))), "")
    deferred = {tool["name"] for tool in body.get("tools", ()) if tool.get("defer_loading")}
    called = dict.fromkeys(block["name"] for block in content if block["type"] == "tool_use")
    wanted = [tool for tool in called if tool in deferred - referenced(body["messages"])]
    if not name or not wanted:
        return content
    search, found = f"srvtoolu_search_{number}", [{"type": "tool_reference", "tool_name": tool} for tool in wanted]
    given = {"pattern" if name.endswith("regex") else "query": "|".join(wanted)}
    result = {"type": "tool_search_tool_search_result", "tool_references": found}
    return [
        {"type": "server_tool_use", "id": search, "name": name, "input": given, "caller": {"type": "direct"}},
        {"type": "tool_search_tool_result", "tool_use_id": search, "content": result},
        *content,
    ]


def referenced(messages: Sequence[Mapping[str, Any]]) -> set[str]:
    """The tools that searches have found so far."""
    blocks = (block for message in messages for block in _as_blocks(message["content"]))
    results = (block["content"] for block in blocks if block["type"] == "tool_search_tool_result")
    return {found["tool_name"] for result in results for found in result.get("tool_references", ())}


def _check_searched(body: Mapping[str, Any], turns: Sequence[tuple[str, list[dict[str, Any]]]]) -> None:
    """A call of a deferred tool comes after a search that has found it, which has to be sent back."""
    deferred = {tool["name"] for tool in body.get("tools", ()) if tool.get("defer_loading")}
    seen: set[str] = set()
    for block in (block for _, content in turns for block in content):
        if block["type"] == "tool_search_tool_result":
            seen |= referenced([{"content": [block]}])
        if block["type"] == "tool_use" and block["name"] in deferred:
            require(block["name"] in seen, f"messages: {block['name']} was called without a tool_reference")


def _events(message: dict[str, Any], answer: Answer) -> list[tuple[str | None, Any]]:
    usage = message["usage"]
    start = {
        **message,
        "content": [],
        "container": None,
        "stop_reason": None,
        "stop_details": None,
        "stop_sequence": None,
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "usage": {**usage, "output_tokens": 1}}},
        {"type": "ping"},
    ]
    pieces = iter(answer.extra.get("pieces", ()))
    for index, block in enumerate(message["content"]):
        empty, deltas = _deltas(block, pieces)
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details", "container")}
    end = [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage["output_tokens"]}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in [*events, *answer.extra.get("events", end)]]


def _deltas(block: dict[str, Any], pieces: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it is announced, and what comes after."""
    if block["type"] == "text":
        halves = [block["text"][:5], block["text"][5:]]
        return {**block, "text": ""}, [{"type": "text_delta", "text": half} for half in halves if half]
    if block["type"] == "thinking":
        return {"type": "thinking", "thinking": "", "signature": ""}, [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    if block["type"] in ("tool_use", "server_tool_use"):
        text = next(pieces, None) if block["type"] == "tool_use" else None
        text = json.dumps(block["input"]) if text is None else text
        halves = ["", text[:3], text[3:]]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": half} for half in halves]
    return block, []


def _json(data: Any) -> Encoded:
    return Encoded(200, json.dumps(data).encode())
