"""What the events of a managed session mean; each counts once, however often and by whatever way it comes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.anthropic_reply import to_usage
from tool_sandbox.models.messages import RequestedCall, Usage
from tool_sandbox.models.plain import mapping, plain, text_or_none

_BUILT_IN = ("agent.tool_use", "agent.mcp_tool_use", "agent.thread_message_sent", "session.thread_created")
"""Events of things that an agent can only do outside of the sandbox."""

_OWN_LIMITS = ("tool_use_limit_reached_error", "compaction_limit_reached_error")
"""Errors that say that the agent was in a loop, not that the platform failed."""


@attrs.frozen
class Status:
    """How a session stands.

    Attributes:
        kind: ``running``, ``rescheduled``, ``idle``, ``terminated`` or ``deleted``.
        reason: Why it is idle, the platform's word.
        waits_for: Events that it waits for an answer to.
        details: What else the platform says of the reason.
    """

    kind: str
    reason: str = ""
    waits_for: tuple[str, ...] = ()
    details: str = ""

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended, for good or for ill."""
        return self.kind in ("terminated", "deleted") or (self.kind == "idle" and self.reason != "requires_action")


@attrs.frozen
class SessionFault:
    """An error that the platform reported.

    Attributes:
        kind: The platform's word for it.
        message: Its words for people.
    """

    kind: str
    message: str

    @property
    def is_the_agents(self) -> bool:
        """Whether the agent ran into a limit of its own loop."""
        return self.kind in _OWN_LIMITS

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@attrs.define(eq=False)
class Ledger:
    """What one session has told.

    Attributes:
        seen: Ids of the events that were counted.
        calls: Every call of a custom tool, by the id of its event.
        answered: Ids of the calls that the platform has the results of.
        texts: What the agent has said since its last calls.
        status: How the session stands in this turn, ``None`` as long as nothing was heard.
        fault: The newest error of this turn.
        built_in: A tool of the agent's own that it has used.
        usages: Tokens of the model requests of this turn.
        total: Tokens of the session so far by its own account, and what they cost in USD.
    """

    seen: set[str] = attrs.field(factory=set)
    calls: dict[str, RequestedCall] = attrs.field(factory=dict)
    answered: set[str] = attrs.field(factory=set)
    texts: list[str] = attrs.field(factory=list)
    status: Status | None = None
    fault: SessionFault | None = None
    built_in: str | None = None
    usages: list[Usage] = attrs.field(factory=list)
    total: tuple[Usage, float | None] | None = None
    _earlier: frozenset[str] = frozenset()

    def begin_turn(self) -> None:
        """Forgets how the turn before has ended."""
        self._earlier = frozenset(self.seen)
        self.texts, self.usages = [], []
        self.status = self.fault = None

    def take(self, event: Mapping[str, Any]) -> bool:
        """Counts an event."""
        name = event.get("id")
        if not isinstance(name, str) or not isinstance(event.get("type"), str) or name in self.seen:
            return False
        self.seen.add(name)
        self._count(name, event["type"], event)
        return True

    def catch_up(self, history: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Counts what was missed without a listener; the platform's own record decides how the session stands."""
        missed = [event for event in history if self.take(event)]
        self.answered = set(answers(history))
        of_this_turn = [event for event in history if event.get("id") not in self._earlier]
        known = [status for event in of_this_turn if (status := _status(event)) is not None]
        self.status = known[-1] if known else None
        return missed

    def open_calls(self) -> list[RequestedCall]:
        """The calls that the session waits for, in the order in which they were made."""
        wanted = self.status.waits_for if self.status is not None else ()
        return [call for name, call in self.calls.items() if name in wanted and name not in self.answered]

    def unknown_waits(self) -> list[str]:
        """What the session waits for without a request."""
        return [name for name in (self.status.waits_for if self.status else ()) if name not in self.calls]

    def said(self) -> str:
        """What the agent has said since the last time that this was asked."""
        text, self.texts = "\n".join(self.texts), []
        return text

    def _count(self, name: str, kind: str, event: Mapping[str, Any]) -> None:
        if (status := _status(event)) is not None:
            self.status = status
        elif kind == "agent.custom_tool_use":
            arguments = event.get("input")
            said = arguments if isinstance(arguments, dict) else json.dumps(arguments)
            self.calls[name] = RequestedCall(name, str(event.get("name") or ""), said)
        elif kind == "agent.message":
            content = event.get("content")
            self.texts += [text for block in (content if isinstance(content, list) else ()) if (text := _text(block))]
        elif kind == "user.custom_tool_result":
            self.answered |= set(answers([event]))
        elif kind == "span.model_request_end":
            self.usages.append(to_usage(event.get("model_usage")) or Usage())
        elif kind == "session.usage":
            self.total = to_total(event.get("usage"))
        elif kind == "session.error":
            self.fault = _fault(event.get("error"))
        elif kind in _BUILT_IN:
            self.built_in = str(event.get("name") or kind)


def answers(history: Iterable[Mapping[str, Any]]) -> list[str]:
    """Ids of the calls that have results in a history."""
    results = [event for event in history if event.get("type") == "user.custom_tool_result"]
    return [name for event in results if isinstance(name := event.get("custom_tool_use_id"), str)]


def _text(block: Any) -> str:
    block = mapping(block)
    return text_or_none(block.get("text")) or "" if block.get("type") == "text" else ""


def _fault(error: Any) -> SessionFault:
    error = mapping(error)
    return SessionFault(str(error.get("type") or "unknown_error"), str(error.get("message") or ""))


def _status(event: Mapping[str, Any]) -> Status | None:
    kind = event.get("type")
    if kind in ("session.status_running", "session.status_rescheduled", "session.status_terminated"):
        return Status(str(kind).removeprefix("session.status_"))
    if kind == "session.deleted":
        return Status("deleted")
    if kind != "session.status_idle":
        return None
    reason = mapping(event.get("stop_reason"))
    names = reason.get("event_ids")
    category = mapping(event.get("stop_details")).get("category")
    return Status(
        "idle",
        str(reason.get("type") or "unknown"),
        tuple(str(name) for name in names) if isinstance(names, list) else (),
        str(category or ""),
    )


def to_total(usage: Any) -> tuple[Usage, float | None]:
    """The tokens of a session and its list price in USD, ``None`` if the platform does not say."""
    cost = mapping(mapping(usage).get("list_cost"))
    try:
        cents = int(cost["amount"]) if cost.get("currency") == "USD" else None
    except (KeyError, TypeError, ValueError):
        cents = None
    return to_usage(usage) or Usage(), None if cents is None else cents / 100


def as_event(event: Any) -> dict[str, Any]:
    """An event of the SDK as plain data, with only the fields that the platform sent."""
    if hasattr(event, "to_dict"):
        event = event.to_dict(mode="json", warnings=False)
    data = plain(event)
    return data if isinstance(data, dict) else {}
