"""Serves the stored answers of a conversation in place of a provider, and says where the requests have changed."""

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models.exchange import Exchange
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.models.recording import Fetch
from tool_sandbox.models.session import Session

ABSENT = "(absent)"
"""Stands for a value that only one side has."""

SHOWN = 120
"""Characters of a value that a difference shows."""


@attrs.frozen
class RequestDifference:
    """The first place in which two requests differ.

    Attributes:
        path: Where, in the style of ``messages[3].content``.
        stored: What the stored run asked there, shortened.
        now: What is asked there now, shortened.
    """

    path: str
    stored: str
    now: str


class ReplaySource:
    """Serves stored answers in order; never uses the network.

    Attempts after which a call was made again are left out: a replay waits for nothing and ends the same way. After a
    difference the stored answers go on being served in order.
    """

    def __init__(self, stored: Iterable[Exchange], session: Session) -> None:
        """Begins at the first stored answer."""
        self._stored = used_answers(stored)
        self._session = session
        self._served = 0
        self._notes: dict[str, Any] = {"calls": 0, "unused": len(self._stored), "divergences": []}
        session.notes["replay"] = self._notes

    def __call__(self, asked: Exchange, fetch: Fetch) -> Exchange:
        """Answers a request, as a ``Source``."""
        self._session.origin = "replay"
        self._notes["calls"] += 1
        if self._served == len(self._stored):
            self._diverge(asked, RequestDifference("", ABSENT, f"{asked.method} {asked.url}"))
            words = f"the stored run has {self._served} answers for the {asked.party}, and this is one request more"
            raise ProviderError(words, RequestFault(FaultKind.REPLAY, words))
        stored = self._stored[self._served]
        self._served += 1
        self._notes["unused"] -= 1
        difference = first_difference(stored, asked)
        if difference is not None:
            self._diverge(asked, difference)
        return attrs.evolve(
            asked,
            status=stored.status,
            response_headers=stored.response_headers,
            response_body=stored.response_body,
            error=stored.error,
            origin="replay",
        )

    def _diverge(self, asked: Exchange, difference: RequestDifference) -> None:
        self._notes["divergences"].append({"call": asked.call, **attrs.asdict(difference)})


def used_answers(stored: Iterable[Exchange]) -> list[Exchange]:
    """The exchanges that ended a call."""
    return [list(attempts)[-1] for _, attempts in groupby(stored, key=lambda exchange: exchange.call)]


def first_difference(stored: Exchange, now: Exchange) -> RequestDifference | None:
    """Compares two requests by method, path and body; the host does not matter."""
    if stored.method != now.method:
        return RequestDifference("method", stored.method, now.method)
    then, here = _path(stored.url), _path(now.url)
    if then != here:
        return RequestDifference("url", *shortened(then, here))
    if stored.request_body == now.request_body:
        return None
    try:
        found = _first_in_json(json.loads(stored.request_body), json.loads(now.request_body), "")
    except (ValueError, RecursionError):
        found = None
    if found is not None:
        return found
    # Equal values written differently: the order of keys, or blanks.
    texts = [body.decode("utf-8", "replace") for body in (stored.request_body, now.request_body)]
    return RequestDifference("body", *shortened(*texts))


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _first_in_json(stored: Any, now: Any, path: str) -> RequestDifference | None:
    if isinstance(stored, dict | list) and type(stored) is type(now):
        sides = [dict(enumerate(side)) if isinstance(side, list) else side for side in (stored, now)]
        for key in dict.fromkeys((*sides[0], *sides[1])):
            inner = f"{path}[{key}]" if isinstance(stored, list) else f"{path}.{key}" if path else key
            if not all(key in side for side in sides):
                return RequestDifference(inner, *(_shown(side[key]) if key in side else ABSENT for side in sides))
            if (found := _first_in_json(sides[0][key], sides[1][key], inner)) is not None:
                return found
        return None
    if type(stored) is type(now) and stored == now:
        return None
    if isinstance(stored, str) and isinstance(now, str):
        return RequestDifference(path, *shortened(stored, now))
    return RequestDifference(path, _shown(stored), _shown(now))


def _shown(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False), 0)


def shortened(stored: str, now: str) -> tuple[str, str]:
    """Two texts around the place where they begin to differ."""
    same = next((i for i, (a, b) in enumerate(zip(stored, now, strict=False)) if a != b), min(len(stored), len(now)))
    start = max(0, same - SHOWN // 4) if max(len(stored), len(now)) > SHOWN else 0
    return _cut(stored, start), _cut(now, start)


def _cut(text: str, start: int) -> str:
    part = text[start : start + SHOWN]
    return f"{'...' if start else ''}{part}{'...' if start + SHOWN < len(text) else ''}"
