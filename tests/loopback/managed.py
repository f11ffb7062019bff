"""Anthropic's Managed Agents for tests: refuses what the real platform refuses, runs the agent's loop by itself.

A `Brain` plays the model: it hears the whole session and answers with text and calls, or with `Answer.stop` set to what
the session shall end with. Requests and streams can be made to fail by `Mishaps`.
"""

import itertools
import json
import queue
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import attrs

from tests.loopback.server import Answer, Brain, Broken, Heard, HeardTurn, RejectedError, Seen, require
from tests.loopback.whole import Server, WholeRequests

BETA = "managed-agents-2026-04-01"
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")
ENDINGS = ("refusal", "budget_reached", "retries_exhausted", "terminated", "deleted", "mystery")
PAGE = 4
"""Objects on a page, whatever is asked for: so that paging is needed."""

Event = dict[str, Any]
_TEXT = {"type", "text"}


def never(event: Event, streams: int) -> bool:
    return False


@attrs.define(eq=False)
class Mishaps:
    """What goes wrong on the way.

    Attributes:
        broken: Answers in place of the right ones, by "METHOD route", in order; the ids in a route are left out. With
            ``code`` "late" the request is carried out first.
        cut: Whether a stream is cut before an event is sent, from the event and how many streams there were.
        twice: Whether every event is sent twice.
        mute: Whether an event is never sent over a stream.
        hangs_up: Whether a stream ends at once, from how many there were.
        starting: Called before a session begins to run.
    """

    broken: dict[str, list[Broken]] = attrs.field(factory=dict)
    cut: Callable[[Event, int], bool] = never
    twice: bool = False
    mute: Callable[[Event], bool] = lambda event: False
    hangs_up: Callable[[int], bool] = lambda streams: False
    starting: "Callable[[Talk], object]" = lambda talk: None


@attrs.define(eq=False)
class Talk:
    """A session."""

    id: str
    agent: dict[str, Any]
    environment: str
    title: str
    budget: Any
    events: list[Event] = attrs.field(factory=list)
    listeners: list["queue.SimpleQueue[Event | None]"] = attrs.field(factory=list)
    pending: list[str] = attrs.field(factory=list)
    status: str = "idle"
    archived: bool = False
    streams: int = 0
    cents: int = 0
    interrupts: int = 0

    def turns(self) -> tuple[HeardTurn, ...]:
        """The session as a model sees it: the calls of a reply in one turn, and their results after it in order."""
        turns: list[HeardTurn] = []
        names = {event["id"]: event["name"] for event in self.events if event["type"] == "agent.custom_tool_use"}
        answers = {e["custom_tool_use_id"]: e for e in self.events if e["type"] == "user.custom_tool_result"}
        text, calls = "", []
        for event in self.events:
            if event["type"] == "user.message":
                turns.append(HeardTurn("user", _text(event)))
            elif event["type"] == "agent.message":
                text = _text(event)
            elif event["type"] == "agent.custom_tool_use":
                calls.append((event["id"], event["name"], event["input"]))
            elif event["type"] == "span.model_request_end":
                if text or calls:
                    turns.append(HeardTurn("assistant", text, tuple(calls)))
                for name in [call[0] for call in calls if call[0] in answers]:
                    answer = answers[name]
                    error = answer.get("is_error", False)
                    turns.append(HeardTurn("tool", _text(answer), call_id=name, name=names[name], is_error=error))
                text, calls = "", []
        return tuple(turns)


@attrs.define(eq=False)
class Account:
    """The platform: what was made in it, and all requests.

    Attributes:
        url: ``http://127.0.0.1:PORT``.
    """

    brain: Brain
    key: str
    mishaps: Mishaps
    url: str = ""
    environments: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    agents: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    sessions: dict[str, Talk] = attrs.field(factory=dict)
    seen: list[Seen] = attrs.field(factory=list)
    crashes: list[BaseException] = attrs.field(factory=list)
    lock: threading.RLock = attrs.field(factory=threading.RLock)
    numbers: "itertools.count[int]" = attrs.field(factory=lambda: itertools.count(1))

    @property
    def rejections(self) -> list[str]:
        """Requests that the real platform would have refused."""
        return [seen.rejected for seen in self.seen if seen.rejected is not None]

    def count(self, route: str) -> int:
        """How often a route was asked for, as "METHOD route"."""
        return sum(f"{seen.method} {_route(seen.path)}" == route for seen in self.seen)

    def new(self, kind: str) -> str:
        return f"{kind}_{next(self.numbers)}"

    # Objects

    def make_environment(self, body: Mapping[str, Any]) -> dict[str, Any]:
        _only(body, "name", "config", "description", "metadata", "scope")
        require(isinstance(body.get("name"), str) and bool(body["name"]), "name: Field required")
        taken = any(known["name"] == body["name"] for known in self.environments.values())
        require(not taken, "an environment of this name exists", 409)
        config = body.get("config") or {"type": "cloud", "networking": {"type": "unrestricted"}}
        _only(config, "type", "networking", "packages")
        require(config["networking"]["type"] in ("limited", "unrestricted"), "networking.type: unknown")
        made = {"id": self.new("env"), "type": "environment", "name": body["name"], "config": config, "metadata": {}}
        made |= {"created_at": _now(), "updated_at": _now(), "archived_at": None, "description": None}
        self.environments[made["id"]] = made
        return made

    def make_agent(self, body: Mapping[str, Any]) -> dict[str, Any]:
        allowed = ("name", "model", "system", "tools", "description", "metadata", "mcp_servers", "skills")
        _only(body, *allowed, "multiagent", "execution_identity")
        require(isinstance(body.get("name"), str), "name: Field required")
        made = {"id": self.new("agent"), "type": "agent", "name": body["name"], "version": 1, "metadata": {}}
        made |= {"model": _model(body.get("model")), "system": body.get("system"), "tools": _tools(body)}
        made |= {"mcp_servers": body.get("mcp_servers", []), "skills": body.get("skills", [])}
        made |= {"multiagent": body.get("multiagent"), "created_at": _now(), "updated_at": _now()}
        made |= {"archived_at": None, "description": None, "execution_identity": {"type": "service_account"}}
        self.agents[made["id"]] = made
        return made

    def make_session(self, body: Mapping[str, Any]) -> dict[str, Any]:
        _only(body, "agent", "environment_id", "title", "budget", "metadata", "resources", "vault_ids")
        require(body.get("environment_id") in self.environments, "environment_id: no such environment", 404)
        budget = body.get("budget")
        if budget is not None:
            _only(budget, "type", "max_list_cost")
            _only(budget["max_list_cost"], "amount", "currency")
            require(bool(re.fullmatch(r"[1-9]\d*", budget["max_list_cost"]["amount"])), "budget.amount: minor units")
        agent = self._resolve(body.get("agent"))
        talk = Talk(self.new("sesn"), agent, body["environment_id"], body.get("title") or "", budget)
        self.sessions[talk.id] = talk
        return self.show(talk)

    def _resolve(self, wanted: Any) -> dict[str, Any]:
        wanted = {"type": "agent", "id": wanted} if isinstance(wanted, str) else wanted
        require(isinstance(wanted, dict), "agent: Field required")
        override = ("model", "system", "tools", "mcp_servers", "skills")
        has_more = wanted.get("type") == "agent_with_overrides"
        _only(wanted, "type", "id", "version", *(override if has_more else ()))
        agent = self.agents.get(wanted["id"])
        require(agent is not None, "agent: no such agent", 404)
        assert agent is not None
        require(wanted.get("version", agent["version"]) <= agent["version"], "agent.version: no such version", 404)
        changed = {name: wanted[name] for name in override if name in wanted}
        if "model" in changed:
            changed["model"] = _model(changed["model"])
        if "tools" in changed:
            changed["tools"] = _tools(wanted)
        return {**agent, **changed}

    def show(self, talk: Talk) -> dict[str, Any]:
        shown = {"id": talk.id, "type": "session", "status": talk.status, "agent": talk.agent, "title": talk.title}
        shown |= {"environment_id": talk.environment, "budget": talk.budget, "metadata": {}, "resources": []}
        shown |= {"created_at": _now(), "updated_at": _now(), "archived_at": _now() if talk.archived else None}
        usage = {"input_tokens": talk.cents, "list_cost": {"amount": str(talk.cents), "currency": "USD"}}
        return shown | {"usage": usage, "stats": {}, "outcome_evaluations": [], "vault_ids": []}

    # The loop

    def receive(self, talk: Talk, body: Mapping[str, Any]) -> dict[str, Any]:
        """Takes events of the client in, all or none."""
        _only(body, "events")
        require(isinstance(body.get("events"), list) and bool(body["events"]), "events: Field required")
        require(not talk.archived and talk.status != "terminated", "the session takes no events any more")
        open_calls = list(talk.pending)
        for event in body["events"]:
            self._check(event, open_calls)
        taken = []
        for event in body["events"]:
            queued = {**event, "id": self.new("sevt"), "processed_at": None}
            taken.append(queued)
            self.emit(talk, queued)
            # The same event comes again once it was processed.
            self.emit(talk, {**queued, "processed_at": _now()}, is_new=False)
            if event["type"] == "user.interrupt":
                talk.interrupts += 1
                talk.pending = []
                self.idle(talk, "end_turn")
        before, talk.pending = talk.pending, open_calls if talk.pending else []
        sent = [event["type"] for event in body["events"]]
        if "user.message" in sent or (before and not talk.pending and "user.interrupt" not in sent):
            talk.status = "running"
            threading.Thread(target=self._think, args=(talk,), daemon=True).start()
        elif before and talk.pending:
            self.idle(talk, "requires_action", event_ids=list(talk.pending))
        return {"data": taken}

    def _check(self, event: Mapping[str, Any], open_calls: list[str]) -> None:
        kind = event.get("type")
        if kind == "user.message":
            _only(event, "type", "content")
            require(bool(event.get("content")), "content: at least one block is required")
            _check_blocks(event["content"])
            require(not open_calls, f"the session waits for the results of {open_calls}")
        elif kind == "user.custom_tool_result":
            _only(event, "type", "custom_tool_use_id", "content", "is_error")
            _check_blocks(event.get("content", []))
            name = event.get("custom_tool_use_id")
            require(name in open_calls, f"custom_tool_use_id: {name} does not wait for a result")
            open_calls.remove(name)
        else:
            require(kind == "user.interrupt", f"events.type: {kind} is unknown")
            _only(event, "type", "session_thread_id")

    def _think(self, talk: Talk) -> None:
        try:
            self._answer(talk)
        except BaseException as error:
            self.crashes.append(error)
            self.finish(talk, "session.status_terminated")

    def _answer(self, talk: Talk) -> None:
        interrupts = talk.interrupts
        self.mishaps.starting(talk)
        self.tell(talk, "session.status_running")
        start = self.tell(talk, "span.model_request_start")
        names = tuple(tool["name"] for tool in talk.agent["tools"])
        heard = Heard(
            talk.agent["model"]["id"], talk.agent.get("system") or "", talk.turns(), names, talk.agent, talk.id, {}
        )
        answer = self.brain(heard)
        assert isinstance(answer, Answer)
        with self.lock:
            if talk.interrupts > interrupts:
                return
            for event in answer.extra.get("events", ()):
                self.tell(talk, **event)
            if answer.thinking is not None:
                self.tell(talk, "agent.thinking")
            if answer.text:
                self.tell(talk, "agent.message", content=[{"type": "text", "text": answer.text}])
            calls = [self.tell(talk, "agent.custom_tool_use", name=name, input=args) for name, args in answer.calls]
            usage = {"input_tokens": answer.input_tokens - answer.cached_tokens, "output_tokens": answer.output_tokens}
            usage |= {"cache_read_input_tokens": answer.cached_tokens, "cache_creation_input_tokens": 0}
            self.tell(talk, "span.model_request_end", model_request_start_id=start["id"], model_usage=usage)
            talk.cents += 3
            cost = {"amount": str(talk.cents), "currency": "USD"}
            self.tell(talk, "session.usage", usage={"input_tokens": 0, "list_cost": cost})
            self._end(talk, answer, [call["id"] for call in calls])

    def _end(self, talk: Talk, answer: Answer, calls: list[str]) -> None:
        if answer.extra.get("stays"):
            return
        if "error" in answer.extra:
            self.tell(talk, "session.error", error=answer.extra["error"])
        if answer.stop in ("terminated", "deleted"):
            kind = "session.deleted" if answer.stop == "deleted" else "session.status_terminated"
            self.finish(talk, kind)
        elif calls and answer.stop is None:
            talk.pending = calls
            self.idle(talk, "requires_action", event_ids=calls)
        else:
            details = {"type": "refusal", "category": answer.refusal} if answer.stop == "refusal" else None
            self.idle(talk, answer.stop or "end_turn", details)

    def idle(self, talk: Talk, reason: str, details: Any = None, **more: Any) -> None:
        talk.status = "idle"
        self.tell(talk, "session.status_idle", stop_reason={"type": reason, **more}, stop_details=details)

    def finish(self, talk: Talk, kind: str) -> None:
        talk.status = "terminated"
        self.tell(talk, kind)

    def tell(self, talk: Talk, type: str, **fields: Any) -> Event:
        event = {"id": self.new("sevt"), "type": type, "processed_at": _now(), **fields}
        self.emit(talk, event)
        return event

    def emit(self, talk: Talk, event: Event, *, is_new: bool = True) -> None:
        with self.lock:
            if is_new:
                talk.events.append(event)
            else:
                place = next(i for i, known in enumerate(talk.events) if known["id"] == event["id"])
                talk.events[place] = event
            for listener in talk.listeners:
                listener.put(event)


def _only(body: Any, *names: str) -> None:
    require(isinstance(body, dict), "the body has to be an object")
    for name in body:
        require(name in names, f"{name}: Extra inputs are not permitted")


def _model(model: Any) -> dict[str, Any]:
    model = {"id": model} if isinstance(model, str) else model
    _only(model, "id", "effort", "speed", "inference_geo")
    require(model.get("id") in MODELS, f"model: {model.get('id')} is unknown")
    effort = model.get("effort", "medium")
    require(effort in ("low", "medium", "high", "xhigh", "max"), "model.effort: unknown")
    return {"id": model["id"], "effort": {"type": effort}, "speed": "standard"}


def _tools(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools = body.get("tools", [])
    names = [tool.get("name") for tool in tools]
    require(len(set(names)) == len(names), "tools: names must be unique")
    for tool in tools:
        if tool.get("type") in ("agent_toolset_20260401", "mcp_toolset"):
            continue
        _only(tool, "type", "name", "description", "input_schema")
        require(tool.get("type") == "custom", "tools.type: unknown")
        require(bool(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool.get("name", ""))), "tools.name: bad name")
        require(isinstance(tool.get("description"), str), "tools.description: Field required")
        require(tool.get("input_schema", {}).get("type") == "object", "tools.input_schema.type: Field required")
    return list(tools)


def _check_blocks(blocks: Any) -> None:
    require(isinstance(blocks, list), "content: has to be a list")
    for block in blocks:
        _only(block, "type", "text")
        require(set(block) == _TEXT and bool(block["text"].strip()), "content: text blocks must be non-empty")


def _text(event: Mapping[str, Any]) -> str:
    return "".join(block["text"] for block in event.get("content") or ())


def _now() -> str:
    return "2026-11-21T12:00:00Z"


def _route(path: str) -> str:
    return re.sub(r"/(?:env|agent|sesn)_[^/]*", "/ID", urlsplit(path).path)


@contextmanager
def serve_managed(
    brain: Brain | Sequence[Answer],
    key: str = "sk-ant-test-0123456789abcdef",
    mishaps: Mishaps | None = None,
    *,
    rejects: bool = False,
) -> Iterator[Account]:
    """Runs the platform for a test, which fails where the real one would refuse a request, unless it ``rejects``."""
    answers = None if callable(brain) else iter(brain)
    think = brain if answers is None else lambda heard: next(answers)
    account = Account(think, key, mishaps or Mishaps())  # type: ignore[arg-type]
    server = Server(_handler(account))
    account.url = server.url
    with server.serving():
        try:
            yield account
        finally:
            for talk in account.sessions.values():
                for listener in talk.listeners:
                    listener.put(None)
    if account.crashes:
        raise BaseExceptionGroup("the platform crashed", account.crashes)
    assert rejects or account.rejections == []


def _handler(account: Account) -> type[BaseHTTPRequestHandler]:
    class Handler(WholeRequests):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def hear(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            rejected, result, status, more = None, None, 200, {}
            with account.lock:
                queue_ = account.mishaps.broken.get(f"{self.command} {_route(self.path)}", [])
                broken = queue_.pop(0) if queue_ else None
            try:
                if broken is None or broken.code == "late":
                    with account.lock:
                        result = self._dispatch(headers, json.loads(self.body) if self.body else None)
                if broken is not None:
                    raise RejectedError(broken.message, broken.status, "mishap")
            except RejectedError as error:
                rejected = None if error.code == "mishap" else str(error)
                more = dict(broken.headers) if broken is not None else {}
                status, result = error.status, _error(error)
            except Exception as error:
                account.crashes.append(error)
                self.close_connection = True
                return
            account.seen.append(Seen(self.command, self.path, headers, self.body, None, None, rejected))
            if isinstance(result, Talk):
                self._stream(result)
            else:
                self._reply(status, result, more)

        def _dispatch(self, headers: Mapping[str, str], body: Any) -> Any:
            if headers.get("authorization", headers.get("x-api-key")) not in (f"Bearer {account.key}", account.key):
                raise RejectedError("invalid x-api-key", 401)
            require(BETA in headers.get("anthropic-beta", ""), "anthropic-beta: this endpoint is in beta")
            address = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(address.query).items()}
            _, _, kind, *rest = address.path.split("/")
            if not rest:
                return self._collection(kind, body, query)
            things = {"environments": account.environments, "agents": account.agents, "sessions": account.sessions}
            require(rest[0] in things.get(kind, {}), f"no such object: {rest[0]}", 404)
            thing: Any = things[kind][rest[0]]
            if kind != "sessions":
                require(self.command == "GET" and len(rest) == 1, "no such endpoint", 404)
                require(int(query.get("version", 1)) <= thing.get("version", 1), "no such version", 404)
                return thing
            return self._session(thing, rest[1:], body, query)

        def _collection(self, kind: str, body: Any, query: Mapping[str, str]) -> Any:
            make = {"environments": account.make_environment, "agents": account.make_agent}
            if self.command == "GET":
                stored = {"environments": account.environments, "agents": account.agents}[kind]
                return _page([*stored.values()], query)
            return (account.make_session if kind == "sessions" else make[kind])(body)

        def _session(self, talk: Talk, rest: list[str], body: Any, query: Mapping[str, str]) -> Any:
            if rest == ["events"]:
                return account.receive(talk, body) if self.command == "POST" else _page(talk.events, query)
            if rest == ["events", "stream"]:
                return talk
            if rest == ["archive"]:
                require(talk.status != "running", "a session that is running cannot be archived")
                talk.archived = True
            return account.show(talk)

        def _stream(self, talk: Talk) -> None:
            listener: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
            with account.lock:
                talk.listeners.append(listener)
                talk.streams += 1
                number = talk.streams
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.flush()
            with suppress(OSError):
                while not account.mishaps.hangs_up(number) and (event := listener.get()) is not None:
                    if account.mishaps.cut(event, number):
                        break
                    if account.mishaps.mute(event):
                        continue
                    data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                    self.wfile.write(data * (2 if account.mishaps.twice else 1))
                    self.wfile.flush()
            with account.lock:
                talk.listeners.remove(listener)
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        def _reply(self, status: int, data: Any, headers: Mapping[str, str]) -> None:
            text = json.dumps(data).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    return Handler


def _page(things: Sequence[Any], query: Mapping[str, str]) -> dict[str, Any]:
    start = int(query.get("page", "p0")[1:])
    end = start + PAGE
    return {"data": list(things[start:end]), "next_page": f"p{end}" if end < len(things) else None}


def _error(error: RejectedError) -> dict[str, Any]:
    kinds = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 409: "conflict_error"}
    kinds |= {429: "rate_limit_error", 529: "overloaded_error"}
    details = {"type": kinds.get(error.status, "api_error"), "message": str(error)}
    return {"type": "error", "error": details, "request_id": f"req_{time.monotonic_ns()}"}
