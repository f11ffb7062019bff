"""A milestone inside the solver: where it can score under what is known, and bounds of what it can bring."""

import bisect
from typing import NamedTuple

from tool_sandbox.scoring.solver._model import Floats, NodeModel

UNKNOWN = -1
"""Content or row that no placed milestone has determined yet."""


class Summary(NamedTuple):
    """What placed milestones mean for one that is still to be placed.

    Attributes:
        earliest: First position it may take.
        contents: For each guard the content demanded; empty when guards have already failed.
        rows: For each graded score the row that applies.
        alive: Whether it can score at all.
    """

    earliest: int
    contents: tuple[int, ...]
    rows: tuple[int, ...]
    alive: bool


class Profile(NamedTuple):
    """Where a milestone can score under a summary, and how much.

    Attributes:
        positions: Positions with a similarity above 0, ascending.
        similarities: The similarities there.
        best: For each entry the largest number of points from there on; a 0 at the end.
        best_below: The same, with the bound of what hangs below in the forest.
    """

    positions: list[int]
    similarities: Floats
    best: Floats
    best_below: Floats


_NOWHERE = Profile([], [], [0.0], [-1.0])


class Node:
    """A milestone inside the solver: its model, and the tables that bounds and options are read from."""

    def __init__(self, number: int, model: NodeModel, size: int, *, anchoring: bool) -> None:
        """Derives what depends on the model alone; ``below`` is filled in by the solver."""
        self.number = number
        self.model = model
        self.weight = model.weight
        self.below: Floats = [0.0] * (size + 1)
        self.best_below_from: Floats = [0.0] * (size + 1)
        highest = self._highest_rows()
        self.likely = [
            position
            for position in range(size)
            if model.base[position] > 0 and highest[position] > 0 and (anchoring or model.allowed[position])
        ]
        self.start = Summary(0, (UNKNOWN,) * len(model.guards), (UNKNOWN,) * len(model.graded), True)
        self._highest = highest
        self._scores: dict[tuple[int, ...], list[tuple[int, float]]] = {}
        self._profiles: dict[tuple[tuple[int, ...], tuple[int, ...]], Profile] = {}
        self._by_content: list[dict[int, list[int]]] = []
        for guard in model.guards:
            buckets: dict[int, list[int]] = {}
            for position in self.likely:
                buckets.setdefault(guard.content[position], []).append(position)
            self._by_content.append(buckets)

    def _highest_rows(self) -> Floats:
        """Upper bound of the product of all graded scores at each position."""
        highest = [1.0] * len(self.model.base)
        for graded in self.model.graded:
            highest = [
                value * max(column) for value, column in zip(highest, zip(*graded.rows, strict=True), strict=True)
            ]
        return highest

    def score(self, position: int, rows: tuple[int, ...]) -> float:
        """Similarity at a position before guardrails; an upper bound while rows are unknown."""
        model = self.model
        product = model.base[position]
        if UNKNOWN in rows:
            product *= self._highest[position]
        else:
            for graded, row in zip(model.graded, rows, strict=True):
                product *= graded.rows[row][position]
        return product if model.exponent == 1.0 else product**model.exponent

    def holds(self, position: int, contents: tuple[int, ...]) -> bool:
        """Whether the guardrails hold at a position, as far as their contents are known."""
        return self.model.allowed[position] and all(
            content in (UNKNOWN, guard.content[position])
            for guard, content in zip(self.model.guards, contents, strict=True)
        )

    def profile(self, summary: Summary) -> Profile:
        """Where the milestone can score under a summary."""
        if not summary.alive:
            return _NOWHERE
        key = summary.contents, summary.rows
        profile = self._profiles.get(key)
        if profile is None:
            profile = self._profiles[key] = self._build(*key)
        return profile

    def _build(self, contents: tuple[int, ...], rows: tuple[int, ...]) -> Profile:
        candidates = self.likely
        for buckets, content in zip(self._by_content, contents, strict=True):
            if content != UNKNOWN and len(found := buckets.get(content, [])) < len(candidates):
                candidates = found
        positions, similarities = [], []
        for position in candidates:
            if self.holds(position, contents) and (similarity := self.score(position, rows)) > 0:
                positions.append(position)
                similarities.append(similarity)
        best, best_below = [0.0], [-1.0]
        for position, similarity in zip(reversed(positions), reversed(similarities), strict=True):
            points = self.weight * similarity
            best.append(max(best[-1], points))
            best_below.append(max(best_below[-1], points + self.below[position]))
        return Profile(positions, similarities, best[::-1], best_below[::-1])

    def best_from(self, summary: Summary) -> float:
        """Largest number of points under a summary, regardless of the other milestones."""
        profile = self.profile(summary)
        return profile.best[bisect.bisect_left(profile.positions, summary.earliest)]

    def best_with_below(self, summary: Summary) -> float:
        """The same, with the bound of what hangs below in the forest."""
        profile = self.profile(summary)
        scoring = profile.best_below[bisect.bisect_left(profile.positions, summary.earliest)]
        return max(scoring, self.best_below_from[summary.earliest])

    def finish_below(self) -> None:
        """Called once ``below`` is complete, before any profile is asked for."""
        best = 0.0
        for position in reversed(range(len(self.below))):
            best = max(best, self.below[position])
            self.best_below_from[position] = best

    def last_use(self, slot: int) -> dict[int, int]:
        """For each content that a guard may demand the last position that can score with it."""
        return {content: positions[-1] for content, positions in self._by_content[slot].items()}

    def anchored_options(self, summary: Summary) -> list[tuple[int, float]]:
        """Positions and similarities where an unmet milestone stays with its predecessors.

        A milestone about world state is met at the first position that scores best, whether or not guardrails
        hold there; one about messages at any position that scores, or not at all.
        """
        if summary.rows not in self._scores:
            scores = [(position, self.score(position, summary.rows)) for position in self.likely]
            self._scores[summary.rows] = [(position, score) for position, score in scores if score > 0]
        scored = self._scores[summary.rows]
        found = scored[bisect.bisect_left(scored, (summary.earliest, 0.0)) :]
        if self.model.is_anchored and found:
            # Of equals the earliest: max keeps the first.
            found = [max(found, key=lambda option: option[1])]
            unmet = []
        else:
            unmet = [(summary.earliest, 0.0)]
        return unmet + [
            (position, score if summary.alive and self.holds(position, summary.contents) else 0.0)
            for position, score in found
        ]
