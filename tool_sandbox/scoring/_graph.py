"""The order of milestones: a checked directed acyclic graph."""

import heapq
from collections.abc import Sequence

import attrs

from tool_sandbox.world.errors import ScenarioError

Edge = tuple[int, int]


@attrs.frozen
class Graph:
    """Order of milestones.

    Attributes:
        parents: For each milestone its direct predecessors, ascending.
        ancestors: For each milestone everything that comes before it.
    """

    parents: tuple[tuple[int, ...], ...]
    ancestors: tuple[frozenset[int], ...]

    @property
    def size(self) -> int:
        """Number of milestones."""
        return len(self.parents)

    def sinks(self) -> list[int]:
        """Milestones without successors."""
        inner = {parent for parents in self.parents for parent in parents}
        return [node for node in range(self.size) if node not in inner]

    def components(self) -> list[list[int]]:
        """Milestones grouped by what the edges connect, in ascending order."""
        group = list(range(self.size))
        for node, parents in enumerate(self.parents):
            for parent in parents:
                old, new = group[node], group[parent]
                group = [new if label == old else label for label in group]
        return [[node for node in range(self.size) if group[node] == label] for label in sorted(set(group))]


def build_graph(size: int, edges: Sequence[Edge]) -> Graph:
    """Checks the edges and derives predecessors and ancestors."""
    edges = [] if size == 1 else list(dict.fromkeys((int(earlier), int(later)) for earlier, later in edges))
    for edge in edges:
        if not all(0 <= node < size for node in edge):
            raise ScenarioError(f"edge {edge} names a milestone that does not exist; there are {size}")
    parents = tuple(tuple(sorted(earlier for earlier, later in edges if later == node)) for node in range(size))
    ancestors: dict[int, frozenset[int]] = {}
    ready = [node for node in range(size) if not parents[node]]
    while ready:
        node = heapq.heappop(ready)
        ancestors[node] = frozenset(parents[node]).union(*(ancestors[parent] for parent in parents[node]))
        for _, later in (edge for edge in edges if edge[0] == node):
            if all(parent in ancestors for parent in parents[later]):
                heapq.heappush(ready, later)
    if len(ancestors) < size:
        raise ScenarioError(f"the milestones {sorted(set(range(size)) - ancestors.keys())} wait for one another")
    return Graph(parents, tuple(ancestors[node] for node in range(size)))
