"""The optimiser against brute force over all assignments, tie rules included."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tool_sandbox.scoring.solver._distinct import distinct_mapping
from tool_sandbox.scoring.solver._model import Graded, Guard, NodeModel
from tool_sandbox.scoring.solver._search import Solver
from tool_sandbox.scoring.solver._walk import Placed, anchored_mapping, published_mapping

PALETTES = [[0.0, 1.0], [0.0, 0.0, 0.0, 0.5, 1.0], [0.0, 0.0, 0.0, 0.0, 0.3, 0.7], [0.25, 0.5, 0.75, 1.0], None]
EDGE_DENSITIES = [0.2, 0.5, 0.8]


class Problem:
    """A random matching problem: any order, guardrails against any ancestors, scores that depend on others."""

    def __init__(self, seed: int, *, anchoring: bool) -> None:
        draw = random.Random(seed)
        self.size = draw.randint(1, 5)
        count = draw.randint(1, 4 if self.size < 5 else 3)
        order = draw.sample(range(count), count)
        density = draw.choice(EDGE_DENSITIES)
        parents: dict[int, list[int]] = {node: [] for node in range(count)}
        for late, node in enumerate(order):
            parents[node] = [earlier for earlier in order[:late] if draw.random() < density]
        ancestors: dict[int, set[int]] = {}
        for node in order:
            ancestors[node] = set(parents[node]).union(*(ancestors[parent] for parent in parents[node]))
        palette = draw.choice(PALETTES)

        def scores() -> list[float]:
            return [draw.random() if palette is None else draw.choice(palette) for _ in range(self.size)]

        contents = [[draw.randrange(3) for _ in range(self.size)] for _ in range(2)]
        self.models = []
        for node in range(count):
            guards = []
            for content in draw.sample(contents, draw.choice([0, 1, 1, 2])):
                if references := frozenset(earlier for earlier in ancestors[node] if draw.random() < 0.6):
                    guards.append(Guard(references, content))
            graded = []
            for _ in range(draw.choice([0, 0, 1, 2]) if ancestors[node] else 0):
                rows = [scores() for _ in range(draw.randint(1, 3))]
                row_at = [draw.randrange(len(rows)) for _ in range(self.size)]
                graded.append(Graded(draw.choice(sorted(ancestors[node])), row_at, rows))
            is_anchored = anchoring and draw.random() < 0.5
            self.models.append(
                NodeModel(
                    parents=tuple(sorted(parents[node])),
                    weight=draw.choice([0.0, 1.0, 2.0]) if anchoring else 1.0,
                    exponent=draw.choice([1.0, 1.0, 0.5]),
                    base=scores(),
                    allowed=[draw.random() < 0.8 for _ in range(self.size)],
                    graded=graded,
                    guards=guards,
                    is_anchored=is_anchored,
                    is_message=not is_anchored,
                )
            )

    def score(self, node: int, position: int, placed: dict[int, int]) -> tuple[float, bool]:
        """Score before guardrails, and whether these hold."""
        model = self.models[node]
        product = model.base[position]
        for graded in model.graded:
            product *= graded.rows[graded.row_at[placed[graded.reference]]][position]
        holds = model.allowed[position] and all(
            guard.content[position] == guard.content[placed[reference]]
            for guard in model.guards
            for reference in guard.references
        )
        return product**model.exponent, holds

    def available(self, placed: dict[int, int]) -> list[int]:
        return [
            node
            for node, model in enumerate(self.models)
            if node not in placed and all(parent in placed for parent in model.parents)
        ]

    def published_assignments(self, placed: dict[int, int], last: int) -> Iterator[Placed]:
        """All sequences of assignments, in the published order."""
        if len(placed) == len(self.models):
            yield []
            return
        candidates = []
        for node in self.available(placed):
            for position in range(last, self.size):
                score, holds = self.score(node, position, placed)
                candidates.append((-round(score * holds, 9), node, position, score * holds))
        for _, node, position, similarity in sorted(candidates):
            for rest in self.published_assignments({**placed, node: position}, position):
                yield [(node, position, similarity), *rest]

    def anchored_assignments(self, placed: dict[int, int], similarities: dict[int, float]) -> Iterator[Placed]:
        """All assignments that the anchored rules allow, in their order."""
        if len(placed) == len(self.models):
            yield []
            return
        node = min(self.available(placed))
        for position, similarity in self.anchored_options(node, placed, similarities):
            following = {**placed, node: position}, {**similarities, node: similarity}
            for rest in self.anchored_assignments(*following):
                yield [(node, position, similarity), *rest]

    def anchored_options(
        self, node: int, placed: dict[int, int], similarities: dict[int, float]
    ) -> list[tuple[int, float]]:
        model = self.models[node]
        earliest = max((placed[parent] for parent in model.parents), default=0)
        is_open = all(self.models[parent].weight or similarities[parent] == 1 for parent in model.parents)
        scored = [(position, *self.score(node, position, placed)) for position in range(earliest, self.size)]
        met = [(position, score * (holds and is_open), score) for position, score, holds in scored if score > 0]
        if model.is_anchored and met:
            best = max(score for _, _, score in met)
            met = next([option] for option in met if option[2] == best)
            unmet = []
        else:
            unmet = [(earliest, 0.0, 0.0)]
        return sorted(
            ((position, similarity) for position, similarity, _ in unmet + met),
            key=lambda option: (-round(option[1], 9), option[0]),
        )

    def distinct_assignments(self, placed: dict[int, int], served: dict[int, int]) -> Iterator[Placed]:
        """All assignments in topological order in which a position serves at most one milestone."""
        if len(placed) == len(self.models):
            yield []
            return
        node = self.available(placed)[0]
        earliest = max((placed[parent] for parent in self.models[node].parents), default=0)
        for position in range(earliest, self.size):
            score, holds = self.score(node, position, placed)
            for similarity in {0.0, 0.0 if position in served else score * holds}:
                serving = {**served, position: node} if similarity else served
                for rest in self.distinct_assignments({**placed, node: position}, serving):
                    yield [(node, position, similarity), *rest]

    def points(self, placed: Placed) -> float:
        return sum(self.models[node].weight * similarity for node, _, similarity in placed)

    def first_best(self, assignments: Iterator[Placed]) -> Placed:
        best: Placed = next(assignments)
        for placed in assignments:
            if self.points(placed) > self.points(best) + 1e-12:
                best = placed
        return best


@given(st.integers(0, 2**32))
@settings(max_examples=400)
def test_published_mapping_is_the_first_of_the_best(seed: int) -> None:
    problem = Problem(seed, anchoring=False)
    best = problem.first_best(problem.published_assignments({}, 0))
    solver = Solver(problem.models, problem.size)
    assert solver.completion(solver.space.start()) == pytest.approx(problem.points(best), abs=1e-11)
    found = published_mapping(solver)
    assert [step[:2] for step in found] == [step[:2] for step in best]
    assert [step[2] for step in found] == pytest.approx([step[2] for step in best], abs=1e-12)


@given(st.integers(0, 2**32))
@settings(max_examples=400)
def test_anchored_mapping_is_the_first_of_the_best(seed: int) -> None:
    problem = Problem(seed, anchoring=True)
    best = problem.first_best(problem.anchored_assignments({}, {}))
    solver = Solver(problem.models, problem.size, anchoring=True)
    assert solver.completion(solver.space.start()) == pytest.approx(problem.points(best), abs=1e-11)
    found = anchored_mapping(solver)
    assert [step[:2] for step in found] == [step[:2] for step in best]
    assert [step[2] for step in found] == pytest.approx([step[2] for step in best], abs=1e-12)


@given(st.integers(0, 2**32))
@settings(max_examples=200)
def test_no_message_serves_two_milestones_when_they_are_to_be_distinct(seed: int) -> None:
    problem = Problem(seed, anchoring=False)
    most = max(problem.points(placed) for placed in problem.distinct_assignments({}, {}))
    found = distinct_mapping(problem.models, problem.size, anchoring=False)
    scoring = [position for node, position, similarity in found if similarity > 0]
    assert len(scoring) == len(set(scoring))
    assert problem.points(found) == pytest.approx(most, abs=1e-11)


@given(st.integers(0, 2**32))
@settings(max_examples=200)
def test_bounds_never_fall_below_what_can_be_reached(seed: int) -> None:
    problem = Problem(seed, anchoring=False)
    solver = Solver(problem.models, problem.size)
    state = solver.space.start()
    assert solver.bound(state) >= solver.completion(state) - 1e-12


@pytest.mark.parametrize("anchoring", [False, True])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=200)
def test_ceilings_are_never_below_any_assignment(seed: int, anchoring: bool) -> None:
    problem = Problem(seed, anchoring=anchoring)
    solver = Solver(problem.models, problem.size, anchoring=anchoring)
    assignments = problem.anchored_assignments({}, {}) if anchoring else problem.published_assignments({}, 0)
    place_of = {node.number: place for place, node in enumerate(solver.nodes)}
    for placed in assignments:
        points = problem.points(placed)
        assert points <= solver.ceilings.highest() + 1e-12
        for node, position, _ in placed:
            assert points <= solver.ceilings.total(place_of[node], position) + 1e-12


@given(st.integers(0, 2**32), st.floats(0, 4))
@settings(max_examples=200)
def test_a_completion_is_exact_or_a_bound_below_what_is_needed(seed: int, need: float) -> None:
    problem = Problem(seed, anchoring=False)
    exact = Solver(problem.models, problem.size)
    best = exact.completion(exact.space.start())
    limited = Solver(problem.models, problem.size)
    found = limited.completion(limited.space.start(), need)
    if best >= need:
        assert found == pytest.approx(best, abs=1e-11)
    else:
        assert best - 1e-11 <= found < need
