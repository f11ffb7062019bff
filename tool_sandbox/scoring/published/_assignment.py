"""Exact minimum-cost assignment for the handful of rows of a target."""

import math
from collections.abc import Sequence


def minimal_assignment_cost(costs: Sequence[Sequence[float]]) -> float:
    """Smallest total cost of a bijection between rows and columns.

    Hungarian method with shortest augmenting paths, O(n^3).
    Source: H. W. Kuhn, "The Hungarian method for the assignment problem" (1955), in the potential form of
    R. Jonker and A. Volgenant (1987).
    """
    size = len(costs)
    if size == 1:
        return costs[0][0]
    # Column 0 is virtual: the row being placed stands there. Rows and columns count from 1.
    row_of = [0] * (size + 1)
    row_potential, column_potential = [0.0] * (size + 1), [0.0] * (size + 1)
    for row in range(1, size + 1):
        row_of[0] = row
        path = _shortest_augmenting_path(costs, row_of, row_potential, column_potential)
        if path is None:
            return math.inf
        for column, previous in path:
            row_of[column] = row_of[previous]
    # Summed from the costs themselves, so that a total of zeros is exactly zero.
    return math.fsum(costs[row_of[column] - 1][column - 1] for column in range(1, size + 1))


def _shortest_augmenting_path(
    costs: Sequence[Sequence[float]], row_of: list[int], row_potential: list[float], column_potential: list[float]
) -> list[tuple[int, int]] | None:
    """Finds how to place the row in column 0, as steps ``(column, column its new row comes from)``."""
    size = len(costs)
    distance = [math.inf] * (size + 1)
    previous = [0] * (size + 1)
    done = [False] * (size + 1)
    column = 0
    while row_of[column]:
        done[column] = True
        row = row_of[column]
        for other in range(1, size + 1):
            if not done[other]:
                reduced = costs[row - 1][other - 1] - row_potential[row] - column_potential[other]
                if reduced < distance[other]:
                    distance[other], previous[other] = reduced, column
        following = min((c for c in range(1, size + 1) if not done[c]), key=distance.__getitem__)
        delta = distance[following]
        if delta == math.inf:
            return None
        for other in range(size + 1):
            if done[other]:
                row_potential[row_of[other]] += delta
                column_potential[other] -= delta
            else:
                distance[other] -= delta
        column = following
    path = []
    while column:
        path.append((column, previous[column]))
        column = previous[column]
    return path
