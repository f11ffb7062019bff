"""What all finders of values do with the stretches of text that they find."""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar


class Span(Protocol):
    """A stretch of text from the offset ``start`` to before the offset ``end``."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


S = TypeVar("S", bound=Span)


def joined(found: Iterable[S], join: Callable[[S, S], S | None]) -> list[S]:
    """What was found in order, each joined with the one before it where ``join`` makes one of the two."""
    result: list[S] = []
    for each in found:
        both = join(result[-1], each) if result else None
        result[len(result) - (both is not None) :] = [both or each]
    return result


def leftmost_longest(found: Iterable[S]) -> list[S]:
    """What was found in order, without what begins inside something else."""
    ordered = sorted(found, key=lambda each: (each.start, -each.end))
    return joined(ordered, lambda last, each: last if each.start < last.end else None)
