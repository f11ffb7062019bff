"""A part of a suite for those who count money: fixed, and spread over all that it is about."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol, TypeVar


class Listed(Protocol):
    """What is known of a scenario."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def family(self) -> str:
        """Group of scenarios that share its task."""

    @property
    def axis(self) -> str:
        """What makes it hard, empty outside the hard tier."""


T = TypeVar("T", bound=Listed)


def subset(scenarios: Sequence[T], size: int) -> list[T]:
    """Chooses scenarios that stand for all: the same everywhere, and each larger subset holds the smaller ones.

    Axes take turns, and within an axis its families, each in an order that is drawn from the names.

    Args:
        scenarios: What to choose from.
        size: How many; all if there are fewer.
    """
    strata: dict[str, dict[str, list[T]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(scenarios, key=lambda one: _drawn(one.name)):
        strata[one.axis][one.family].append(one)
    queues = [_in_turns(list(strata[axis].values())) for axis in sorted(strata, key=_drawn)]
    return _in_turns(queues)[:size]


def _in_turns(queues: Sequence[Sequence[T]]) -> list[T]:
    longest = max(map(len, queues), default=0)
    return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]


def _drawn(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
