"""Readings that are unclear: which they are, and what somebody decided about them.

A score is worked out with unclear readings as not stated. `Doubts` collects them meanwhile, and can take those that
nobody has decided for stated, so that one knows what a score depends on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import attrs

from tool_sandbox.common.facts._document import parse
from tool_sandbox.common.facts._reading import Fact, Reading, read

Decisions = Mapping[tuple[int, str, str], bool]
"""Index of a message, fact in words, and sentence to whether somebody decided that this states it."""

_LONGEST = 500


@attrs.frozen
class Doubt:
    """An unclear reading: message, fact (with the value that the world has), sentence, and what somebody decided."""

    message: int
    fact: str
    sentence: str
    is_stated: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON values for a result."""
        return attrs.asdict(self)


class Doubts:
    """The unclear readings of one conversation, as they come up while it is scored."""

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions
        self._is_stated = False
        self.found: dict[tuple[int, str, str], Doubt] = {}

    @contextmanager
    def taken_for(self, *, stated: bool) -> Iterator[None]:
        """Settles what comes up inside by the decisions, and what nobody decided as stated or not."""
        self._is_stated = stated
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def settle(self, fact: Fact, text: str, index: int) -> bool:
        """Notes an unclear reading of a message, and says whether it is taken for stated."""
        place = index, fact.describe(), _sentence(fact, text)
        decision = self._decisions.get(place)
        self.found[place] = Doubt(*place, decision)
        return self._is_stated if decision is None else decision


_CURRENT: ContextVar[Doubts | None] = ContextVar("doubts", default=None)


def is_stated(fact: Fact, text: str, index: int) -> bool:
    """Whether a message states a fact; where that is unclear, what was decided, and not stated by default."""
    reading, doubts = read(fact, text), _CURRENT.get()
    return reading is Reading.STATED or bool(reading is Reading.UNCLEAR and doubts and doubts.settle(fact, text, index))


def _sentence(fact: Fact, text: str) -> str:
    """The sentence that is unclear on its own, or all of a message."""
    document = parse(text)
    sentences = (document.text[start:end].strip() for start, end in document.sentences)
    found = next((each for each in sentences if fact.read(each) is Reading.UNCLEAR), document.text)
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}..."
