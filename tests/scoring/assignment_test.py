import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.scoring.published._assignment import minimal_assignment_cost

costs = st.sampled_from([0.0, 0.25, 1.0, 3.0, math.inf]) | st.floats(0, 10)


@st.composite
def matrices(draw: st.DrawFn) -> list[list[float]]:
    size = draw(st.integers(0, 5))
    return [[draw(costs) for _ in range(size)] for _ in range(size)]


@given(matrices())
def test_no_bijection_is_cheaper(matrix: list[list[float]]) -> None:
    rows = range(len(matrix))
    cheapest = min(math.fsum(matrix[row][order[row]] for row in rows) for order in itertools.permutations(rows))
    found = minimal_assignment_cost(matrix)
    assert found == cheapest or math.isclose(found, cheapest, rel_tol=1e-12)


def test_a_free_bijection_costs_exactly_nothing() -> None:
    assert minimal_assignment_cost([[0.3, 0.0, 0.7], [0.0, 0.1, 0.9], [0.2, 0.4, 0.0]]) == 0.0
