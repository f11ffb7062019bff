"""What a partial assignment leaves open, and how placing a milestone changes it."""

import bisect
from collections.abc import Sequence
from typing import NamedTuple

from tool_sandbox.scoring.solver._model import NodeModel
from tool_sandbox.scoring.solver._nodes import UNKNOWN, Node, Summary

State = tuple[Summary | None, ...]
"""A summary for each milestone, in topological order; ``None`` for placed ones and those of another part."""

Link = tuple[int, int, list[int]]
"""Who looks at where a milestone is: its place, the slot in its summary, and the number to put there by position."""


class Option(NamedTuple):
    """One way to place a milestone.

    Attributes:
        points: What it brings: weight times similarity.
        position: Where.
        similarity: Its similarity there.
    """

    points: float
    position: int
    similarity: float


class StateSpace:
    """States of a matching problem.

    Attributes:
        nodes: Milestones in topological order; all places refer to this order.
        anchoring: Whether positions of milestones that are not met follow from their predecessors.
        parents: For each place those of its direct predecessors.
        descendants: For each place everything that comes after it.
        guards_from: For each place the guardrails of others that look at it.
        graded_from: For each place the graded scores of others that look at it.
    """

    def __init__(self, models: Sequence[NodeModel], size: int, *, anchoring: bool) -> None:
        """Orders the milestones and collects who looks at whom."""
        order = _topological_order(models)
        rank = {number: place for place, number in enumerate(order)}
        self.size = size
        self.nodes = [Node(number, models[number], size, anchoring=anchoring) for number in order]
        self.parents = [tuple(rank[parent] for parent in node.model.parents) for node in self.nodes]
        self.anchoring = anchoring
        self.descendants = _descendants(self.parents)
        self.guards_from: list[list[Link]] = [[] for _ in order]
        self.graded_from: list[list[Link]] = [[] for _ in order]
        for place, node in enumerate(self.nodes):
            for slot, guard in enumerate(node.model.guards):
                for reference in guard.references:
                    self.guards_from[rank[reference]].append((place, slot, guard.content))
            for slot, graded in enumerate(node.model.graded):
                self.graded_from[rank[graded.reference]].append((place, slot, graded.row_at))
        self._footprints = [self._footprint(place) for place in range(len(order))]

    def _footprint(self, place: int) -> tuple[list[int], list[list[int]]]:
        """Numbers the positions of a milestone by what they mean for those that look at it."""
        numbers: dict[tuple[int, ...], int] = {}
        of_position: list[int] = []
        positions: list[list[int]] = []
        useful = [(self.nodes[other].last_use(slot), content) for other, slot, content in self.guards_from[place]]
        rows = [row_at for _, _, row_at in self.graded_from[place]]
        for position in range(self.size):
            # Content at which the other can no longer score all means the same.
            key = (
                *(content[position] if last.get(content[position], -1) >= position else -2 for last, content in useful),
                *(row_at[position] for row_at in rows),
            )
            number = numbers.setdefault(key, len(numbers))
            if number == len(positions):
                positions.append([])
            positions[number].append(position)
            of_position.append(number)
        return of_position, positions

    def start(self) -> State:
        """The state before anything is placed."""
        return tuple(node.start for node in self.nodes)

    def after(self, state: State, place: int, option: Option, *, not_before: int = 0) -> State:
        """The state once a milestone is placed."""
        summaries = list(state)
        summaries[place] = None
        position = option.position
        for other in self.descendants[place]:
            summaries[other] = self._not_before(summaries[other], position)
        changed = set(self.descendants[place])
        for other, slot, content in self.guards_from[place]:
            summaries[other] = _with_content(summaries[other], slot, content[position])
            changed.add(other)
        for other, slot, row_at in self.graded_from[place]:
            summaries[other] = _with_row(summaries[other], slot, row_at[position])
            changed.add(other)
        if self.nodes[place].weight == 0 and option.similarity < 1:
            for other in self.descendants[place]:
                if place in self.parents[other]:
                    summaries[other] = _dead(summaries[other])
        if not_before:
            changed = {other for other, summary in enumerate(summaries) if summary is not None}
            for other in changed:
                summaries[other] = self._not_before(summaries[other], not_before)
        if not self.anchoring:
            for other in changed:
                summaries[other] = self._simplest(other, summaries[other])
        return tuple(summaries)

    @staticmethod
    def _not_before(summary: Summary | None, position: int) -> Summary | None:
        if summary is None or summary.earliest >= position:
            return summary
        return Summary(position, summary.contents, summary.rows, summary.alive)

    def _simplest(self, place: int, summary: Summary | None) -> Summary | None:
        """One representative for all summaries that leave the same to win."""
        if summary is None:
            return None
        node = self.nodes[place]
        earliest, contents, rows, alive = summary
        if alive and node.best_from(summary) <= 0:
            alive = False
        if not alive:
            contents, rows = (), ()
        if not self.descendants[place]:
            positions = node.profile(summary).positions if alive else []
            following = bisect.bisect_left(positions, earliest)
            earliest = positions[following] if following < len(positions) else self.size
        return Summary(earliest, contents, rows, alive)

    def options(self, place: int, summary: Summary) -> list[Option]:
        """The ways to place a milestone, but for those that another one makes pointless."""
        node = self.nodes[place]
        if self.anchoring:
            return [
                Option(node.weight * similarity, position, similarity)
                for position, similarity in node.anchored_options(summary)
            ]
        of_position, positions_of = self._footprints[place]
        profile = node.profile(summary)
        first = bisect.bisect_left(profile.positions, summary.earliest)
        options: list[Option] = []
        best = [0.0] * len(positions_of)
        for position, similarity in zip(profile.positions[first:], profile.similarities[first:], strict=True):
            points, number = node.weight * similarity, of_position[position]
            if points > best[number]:
                best[number] = points
                options.append(Option(points, position, similarity))
        scoring = {option.position for option in options}
        for positions in positions_of:
            following = bisect.bisect_left(positions, summary.earliest)
            if following < len(positions) and positions[following] not in scoring:
                options.append(Option(0.0, positions[following], 0.0))
        return options


def _with_content(summary: Summary | None, slot: int, content: int) -> Summary | None:
    if summary is None or not summary.contents:
        return summary
    known = summary.contents[slot]
    if known == UNKNOWN:
        contents = (*summary.contents[:slot], content, *summary.contents[slot + 1 :])
        return Summary(summary.earliest, contents, summary.rows, True)
    return summary if known == content else _dead(summary)


def _with_row(summary: Summary | None, slot: int, row: int) -> Summary | None:
    if summary is None or not summary.rows:
        return summary
    rows = (*summary.rows[:slot], row, *summary.rows[slot + 1 :])
    return Summary(summary.earliest, summary.contents, rows, summary.alive)


def _dead(summary: Summary | None) -> Summary | None:
    return None if summary is None else Summary(summary.earliest, (), summary.rows, False)


def _descendants(parents: Sequence[tuple[int, ...]]) -> list[frozenset[int]]:
    descendants: list[set[int]] = [set() for _ in parents]
    for place in reversed(range(len(parents))):
        for parent in parents[place]:
            descendants[parent] |= {place} | descendants[place]
    return [frozenset(places) for places in descendants]


def _topological_order(models: Sequence[NodeModel]) -> list[int]:
    """Orders milestones so that each comes as soon as its predecessors allow, which keeps summaries few."""
    order: list[int] = []

    def place(number: int) -> None:
        if number not in order:
            for parent in models[number].parents:
                place(parent)
            order.append(number)

    for number in range(len(models)):
        place(number)
    return order
