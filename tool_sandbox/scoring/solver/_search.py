"""Exact optimum of a matching problem.

Milestones are placed in a topological order. All that the rest of the problem needs to know about the placed
ones is a `Summary` for each milestone still to be placed: the earliest position it may take, the content that
its guardrails demand, and which rows of its graded scores apply. Placements with equal summaries are therefore
solved once, and parts of the problem that no longer influence each other are solved apart.

The search is depth first with two upper bounds, so that it looks only at placements that can still win:

- each remaining milestone takes its best remaining position, regardless of the others;
- messages along a spanning forest of the order: each milestone is told the best value of what hangs below it,
  order and guardrails to its one parent in the forest included. On chains and trees this bound is exact.

The number of distinct summaries, not the number of assignments, limits the work; it grows with a small power
of the number of messages. Sums are compared up to `SLACK`, so that rounding neither makes nor breaks ties.
"""

import math
from collections.abc import Sequence

from tool_sandbox.scoring.solver._ceilings import Ceilings
from tool_sandbox.scoring.solver._model import NodeModel
from tool_sandbox.scoring.solver._nodes import UNKNOWN, Summary
from tool_sandbox.scoring.solver._states import Option, State, StateSpace

SLACK = 1e-12
"""Difference of sums below which two assignments count as equally good."""

_PRUNE = SLACK / 64
"""Improvements below this are not looked for; summed over all milestones they stay below `SLACK`."""


class Solver:
    """Optimal completions of partial assignments.

    Attributes:
        nodes: Milestones in topological order; all places below refer to this order.
        parents: For each place those of its direct predecessors.
        ceilings: Bounds of the total for each position of each milestone.
    """

    def __init__(self, models: Sequence[NodeModel], size: int, *, anchoring: bool = False) -> None:
        """Orders the milestones and computes the messages along the forest."""
        self.space = space = StateSpace(models, size, anchoring=anchoring)
        self.nodes, self.parents, self.size = space.nodes, space.parents, size
        self._forest = [max(parents, default=None) for parents in space.parents]
        self._send_messages()
        self.ceilings = Ceilings(space)
        self._anchoring = anchoring
        self._known: dict[State, tuple[float, bool]] = {}
        self._ranked: dict[tuple[int, Summary], list[Option]] = {}
        self._parts: dict[tuple[int, ...], list[frozenset[int]]] = {}

    # Preparation -----------------------------------------------------------------------------

    def _send_messages(self) -> None:
        """Tells every milestone the bound of what hangs below it in the forest, for each of its positions."""
        for place in reversed(range(len(self.nodes))):
            node = self.nodes[place]
            node.finish_below()
            parent = self._forest[place]
            if parent is None:
                continue
            guards = [(slot, content) for other, slot, content in self.space.guards_from[parent] if other == place]
            graded = [(slot, row_at) for other, slot, row_at in self.space.graded_from[parent] if other == place]
            contents, rows = list(node.start.contents), list(node.start.rows)
            below = self.nodes[parent].below
            for position in range(self.size):
                for slot, content in guards:
                    contents[slot] = content[position]
                for slot, row_at in graded:
                    rows[slot] = row_at[position]
                below[position] += node.best_with_below(Summary(position, tuple(contents), tuple(rows), True))

    # Search ----------------------------------------------------------------------------------

    def bound(self, state: State) -> float:
        """Upper bound of what the remaining milestones can bring."""
        apart = along = 0.0
        for place, summary in enumerate(state):
            if summary is not None:
                node = self.nodes[place]
                apart += node.best_from(summary)
                if self._is_root(state, place):
                    along += node.best_with_below(summary)
        return min(apart, along)

    def _is_root(self, state: State, place: int) -> bool:
        """Whether nothing above a milestone in the forest remains to be placed."""
        parent = self._forest[place]
        return parent is None or state[parent] is None

    def optimum(self) -> float:
        """Largest number of points of all milestones; tried first for what the ceilings promise."""
        promised = self.ceilings.highest() - SLACK
        value = self.completion(self.space.start(), promised)
        return value if value >= promised else self.completion(self.space.start())

    def completion(self, state: State, need: float = 0.0) -> float:
        """Largest number of points that the remaining milestones can bring."""
        parts = self._split(state)
        if len(parts) == 1:
            return self._solve(state, need)
        bounds = [self.bound(part) for part in parts]
        total = math.fsum(bounds)
        for part, bound in zip(parts, bounds, strict=True):
            if total < need:
                break
            total += self._solve(part, need - (total - bound)) - bound
        return total

    def _split(self, state: State) -> list[State]:
        """Splits what remains into parts that do not influence each other."""
        places = tuple([place for place, summary in enumerate(state) if summary is not None])
        if places not in self._parts:
            self._parts[places] = self._connected(places)
        parts = self._parts[places]
        if len(parts) == 1:
            return [state]
        return [tuple([summary if place in part else None for place, summary in enumerate(state)]) for part in parts]

    def _connected(self, places: tuple[int, ...]) -> list[frozenset[int]]:
        parts: list[frozenset[int]] = []
        for place in places:
            linked = {place, *self.parents[place], *self._links(place)}
            linked |= {other for other in places if place in self._links(other)}
            touching = [part for part in parts if part & linked]
            parts = [part for part in parts if not part & linked]
            parts.append(frozenset({place}).union(*touching))
        return parts

    def _links(self, place: int) -> list[int]:
        return [other for other, _, _ in (*self.space.guards_from[place], *self.space.graded_from[place])]

    def _solve(self, state: State, need: float) -> float:
        value, is_exact = self._known.get(state, (math.inf, False))
        if is_exact or value < need:
            return value
        remaining = [(place, summary) for place, summary in enumerate(state) if summary is not None]
        if not remaining:
            return 0.0
        place, summary = remaining[0]
        bound = self.bound(state)
        if len(remaining) == 1 and not self._anchoring:
            self._known[state] = bound, True
            return bound
        if bound < need:
            self._known[state] = bound, False
            return bound
        value = self._search(state, place, summary, need)
        self._known[state] = value, value >= need
        return value

    def _search(self, state: State, place: int, summary: Summary, need: float) -> float:
        """Tries the options of one milestone, most promising first."""
        without = tuple(None if other == place else rest for other, rest in enumerate(state))
        others = [(other, rest) for other, rest in enumerate(without) if rest is not None]
        apart = math.fsum(self.nodes[other].best_from(rest) for other, rest in others)
        along = math.fsum(
            self.nodes[other].best_with_below(rest) for other, rest in others if self._is_root(state, other)
        )
        demands = self._demands(without, place)
        below = self.nodes[place].below
        is_start = None not in state
        best, highest_bound, threshold = -math.inf, -math.inf, need
        for option in self._ranked_options(place, summary):
            bound = option.points + below[option.position] + along
            if bound < threshold:
                highest_bound = max(highest_bound, bound)
                break
            bound = option.points + apart
            for lost, contents in demands:
                if any(content[option.position] != demanded for content, demanded in contents):
                    bound -= lost
            if is_start:
                bound = min(bound, self.ceilings.total(place, option.position))
            if bound < threshold:
                highest_bound = max(highest_bound, bound)
                continue
            rest = self.completion(self.space.after(state, place, option), threshold - option.points)
            total = option.points + rest
            if rest >= threshold - option.points:
                best = max(best, total)
                threshold = max(threshold, best + _PRUNE)
            else:
                highest_bound = max(highest_bound, total)
        return best if best >= need else min(highest_bound, math.nextafter(need, -math.inf))

    def _demands(self, state: State, place: int) -> list[tuple[float, list[tuple[list[int], int]]]]:
        """What is lost where the content at the position of a milestone is not the one that others demand."""
        demands: dict[int, list[tuple[list[int], int]]] = {}
        for other, slot, content in self.space.guards_from[place]:
            summary = state[other]
            if summary is not None and summary.contents and summary.contents[slot] != UNKNOWN:
                demands.setdefault(other, []).append((content, summary.contents[slot]))
        return [
            (self.nodes[other].best_from(summary), contents)
            for other, contents in demands.items()
            if (summary := state[other]) is not None
        ]

    def _ranked_options(self, place: int, summary: Summary) -> list[Option]:
        """The options, by what they bring with the bound of what hangs below, best first."""
        ranked = self._ranked.get((place, summary))
        if ranked is None:
            below = self.nodes[place].below
            ranked = self.space.options(place, summary)
            ranked.sort(key=lambda option: option.points + below[option.position], reverse=True)
            self._ranked[place, summary] = ranked
        return ranked
