"""Values in a text: the stretches in which they stand, and facts about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import attrs

from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge
from tool_sandbox.common.facts._reading import FactBase, Reading


@attrs.frozen
class Span:
    """A stretch of text from the offset ``start`` to before the offset ``end``."""

    start: int
    end: int


S = TypeVar("S", bound=Span)


def joined(found: Iterable[S], join: Callable[[S, S], S | None]) -> list[S]:
    """What was found in order, each joined with the one before it where ``join`` makes one of the two."""
    result: list[S] = []
    for each in found:
        both = join(result[-1], each) if result else None
        result[len(result) - (both is not None) :] = [both or each]
    return result


def leftmost_longest(found: Iterable[S | None]) -> list[S]:
    """What was found in order, without what begins inside something else."""
    ordered = sorted(filter(None, found), key=lambda each: (each.start, -each.end))
    return joined(ordered, lambda last, each: last if each.start < last.end else None)


@attrs.frozen
class ValueFact(FactBase):
    """A value of one kind. What is read follows from its mentions alone."""

    @property
    def about(self) -> tuple[str, ...]:
        """Terms that name what the value is of."""
        return ()

    def read(self, text: str) -> Reading:
        """What a text says about the value."""
        document = parse(text)
        return judge(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every value of the kind, judged."""
        raise NotImplementedError
