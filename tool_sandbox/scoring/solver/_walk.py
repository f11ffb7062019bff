"""One mapping out of the optimal ones, by the rules of `tool_sandbox.scoring.matching`.

Each step asks the solver which candidate is the first that can still reach the optimum.
"""

from collections.abc import Iterator

from tool_sandbox.scoring.solver._nodes import Summary
from tool_sandbox.scoring.solver._search import SLACK, Solver
from tool_sandbox.scoring.solver._states import Option, State

Placed = list[tuple[int, int, float]]
"""Milestone, position and similarity, in the order of assignment."""

_SIMILARITY_DIGITS = 9
"""Own similarities that agree to so many digits rank as equal."""


def best_mapping(solver: Solver, *, anchoring: bool) -> Placed:
    """Finds the mapping of the rule that applies."""
    return anchored_mapping(solver) if anchoring else published_mapping(solver)


def published_mapping(solver: Solver) -> Placed:
    """Finds the mapping of the published rule."""
    state = solver.space.start()
    least = missing = solver.optimum() - SLACK
    placed: Placed = []
    last = 0
    while any(summary is not None for summary in state):
        for place, option in _candidates(solver, state, last):
            following = solver.space.after(state, place, option, not_before=option.position)
            need = missing - option.points
            if (
                solver.bound(following) >= need
                and solver.ceilings.total(place, option.position) >= least - SLACK
                and solver.completion(following, need) >= need
            ):
                break
        else:
            raise AssertionError("no candidate reaches the optimum that the solver found")
        placed.append((solver.nodes[place].number, option.position, option.similarity))
        state, missing, last = following, need, option.position
    return placed


def _candidates(solver: Solver, state: State, last: int) -> Iterator[tuple[int, Option]]:
    """Candidates of one step in the published order, without those that plainly fall short."""
    available = sorted(
        (
            (place, summary)
            for place, summary in enumerate(state)
            if summary is not None and all(state[parent] is None for parent in solver.parents[place])
        ),
        key=lambda item: solver.nodes[item[0]].number,
    )
    scoring: list[tuple[float, int, int, int, float]] = []
    scores_at: dict[int, set[int]] = {}
    for place, summary in available:
        node = solver.nodes[place]
        profile = node.profile(summary)
        scores_at[place] = set(profile.positions)
        scoring.extend(
            (-round(similarity, _SIMILARITY_DIGITS), node.number, position, place, similarity)
            for position, similarity in zip(profile.positions, profile.similarities, strict=True)
            if position >= last
        )
    scoring.sort()
    for _, _, position, place, similarity in scoring:
        yield place, Option(solver.nodes[place].weight * similarity, position, similarity)
    for place, _ in available:
        for position in range(last, solver.size):
            if position not in scores_at[place]:
                yield place, Option(0.0, position, 0.0)


def anchored_mapping(solver: Solver) -> Placed:
    """Finds the mapping of the anchored rule."""
    state = solver.space.start()
    least = missing = solver.optimum() - SLACK
    placed: Placed = []
    while (chosen := _next_available(solver, state)) is not None:
        place, summary = chosen
        options = sorted(
            solver.space.options(place, summary),
            key=lambda option: (-round(option.similarity, _SIMILARITY_DIGITS), option.position),
        )
        for option in options:
            following = solver.space.after(state, place, option)
            need = missing - option.points
            is_possible = solver.ceilings.total(place, option.position) >= least - SLACK
            if is_possible and solver.completion(following, need) >= need:
                break
        else:
            raise AssertionError("no option reaches the optimum that the solver found")
        placed.append((solver.nodes[place].number, option.position, option.similarity))
        state, missing = following, need
    return placed


def _next_available(solver: Solver, state: State) -> tuple[int, Summary] | None:
    available = [
        (solver.nodes[place].number, place, summary)
        for place, summary in enumerate(state)
        if summary is not None and all(state[parent] is None for parent in solver.parents[place])
    ]
    if not available:
        return None
    _, place, summary = min(available)
    return place, summary
