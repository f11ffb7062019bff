"""Upper bounds of the total for each position of each milestone, by messages in both directions along a forest.

The forest spans the order regardless of directions. Every milestone tells each neighbour, for each of the
neighbour's positions, the best that it and everything behind it can bring. Where the order has no cycles, as in
chains, trees and interlocking joins, and guardrails only follow its edges, the bounds are exact.
"""

import bisect
import math
from collections.abc import Sequence

from tool_sandbox.scoring.solver._model import Floats
from tool_sandbox.scoring.solver._nodes import Summary
from tool_sandbox.scoring.solver._states import StateSpace

_Bounds = tuple[Floats, Floats]
"""Bounds by position: if the milestone does not score there, and if it does, so that its guardrails hold."""


class Ceilings:
    """How much all milestones together can bring at most, given where one is."""

    def __init__(self, space: StateSpace) -> None:
        """Spans the forest; messages are sent when asked for."""
        self._space = space
        self._neighbours: list[list[int]] = [[] for _ in space.nodes]
        tree = list(range(len(space.nodes)))
        for place, parents in enumerate(space.parents):
            for parent in reversed(parents):
                if tree[parent] != tree[place]:
                    self._neighbours[place].append(parent)
                    self._neighbours[parent].append(place)
                    tree = [tree[place] if label == tree[parent] else label for label in tree]
        self._tree = tree
        self._messages: dict[tuple[int, int], _Bounds] = {}
        self._totals: dict[int, Floats] = {}

    def total(self, place: int, position: int) -> float:
        """Upper bound of the points of all milestones if one is at a position."""
        if place not in self._totals:
            self._totals[place] = self._total(place)
        return self._totals[place][position]

    def highest(self) -> float:
        """Upper bound of the points of all milestones."""
        return max(self.total(0, position) for position in range(self._space.size))

    def _total(self, place: int) -> Floats:
        roots = {self._tree[other]: other for other in range(len(self._tree)) if self._tree[other] != self._tree[place]}
        elsewhere = sum(max(self._values(root, None)) for root in roots.values())
        return [value + elsewhere for value in self._values(place, None)]

    def _values(self, place: int, towards: int | None) -> Floats:
        """What a milestone and everything behind it bring, by its own position."""
        node, (idle, scoring) = self._space.nodes[place], self._behind(place, towards)
        profile = node.profile(node.start)
        values = list(idle)
        if self._space.anchoring and not self._space.parents[place]:
            # Without predecessors to stay with, a milestone is at the start or where it scores.
            possible = {0, *node.likely}
            values = [value if position in possible else -math.inf for position, value in enumerate(idle)]
        for position, similarity in zip(profile.positions, profile.similarities, strict=True):
            values[position] = max(values[position], node.weight * similarity + scoring[position])
        return values

    def _behind(self, place: int, towards: int | None) -> _Bounds:
        """What everything behind a milestone brings, by its position."""
        idle = scoring = [0.0] * self._space.size
        for other in self._neighbours[place]:
            if other != towards:
                free, matching = self._message(other, place)
                idle, scoring = _sum(idle, free), _sum(scoring, matching)
        return idle, scoring

    def _message(self, sender: int, receiver: int) -> _Bounds:
        key = sender, receiver
        if key not in self._messages:
            if receiver in self._space.parents[sender]:
                message = self._from_follower(sender, receiver)
                self._messages[key] = message, message
            else:
                self._messages[key] = self._from_predecessor(sender, receiver)
        return self._messages[key]

    def _from_follower(self, sender: int, receiver: int) -> Floats:
        """By the position of a predecessor, which the sender must not precede, and whose content it may need."""
        space, node = self._space, self._space.nodes[sender]
        idle, scoring = self._behind(sender, receiver)
        idle_from = _largest_from(idle)
        guards = [(slot, content) for other, slot, content in space.guards_from[receiver] if other == sender]
        graded = [(slot, row_at) for other, slot, row_at in space.graded_from[receiver] if other == sender]
        contents, rows = list(node.start.contents), list(node.start.rows)
        best_from: dict[tuple[tuple[int, ...], tuple[int, ...]], Floats] = {}
        message = []
        for position in range(space.size):
            for slot, content in guards:
                contents[slot] = content[position]
            for slot, row_at in graded:
                rows[slot] = row_at[position]
            key = tuple(contents), tuple(rows)
            profile = node.profile(Summary(position, *key, True))
            if key not in best_from:
                points = zip(profile.positions, profile.similarities, strict=True)
                best_from[key] = _largest_from([node.weight * score + scoring[at] for at, score in points])
            following = bisect.bisect_left(profile.positions, position)
            message.append(max(idle_from[position], best_from[key][following]))
        return message

    def _from_predecessor(self, sender: int, receiver: int) -> _Bounds:
        """By the position of a follower, which must not precede the sender, and may need its content to score."""
        contents = [content for other, _, content in self._space.guards_from[sender] if other == receiver]
        most, most_with = 0.0, dict[tuple[int, ...], float]()
        free, matching = [], []
        for value, *content in zip(self._values(sender, receiver), *contents, strict=True):
            key = tuple(content)
            most = max(most, value)
            most_with[key] = max(most_with.get(key, -math.inf), value)
            free.append(most)
            matching.append(most_with[key])
        return free, matching


def _sum(left: Floats, right: Floats) -> Floats:
    return [one + other for one, other in zip(left, right, strict=True)]


def _largest_from(values: Sequence[float]) -> Floats:
    """For each entry the largest from there on; a 0 at the end."""
    largest = [0.0]
    for value in reversed(values):
        largest.append(max(largest[-1], value))
    return largest[::-1]
