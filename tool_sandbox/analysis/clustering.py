"""What counts as one independent observation: a family of scenarios, or a base scenario where there is one family."""

from collections.abc import Iterable, Mapping
from typing import Any

from tool_sandbox.helpers.counting import counted
from tool_sandbox.records.metrics import ClusterKind
from tool_sandbox.runner.lineage import base_name_of, family_of

FAMILY: ClusterKind = "family"
BASE_SCENARIO: ClusterKind = "base_scenario"
"""What intervals and tests treat as drawn at random."""


def clustered_by(families: Iterable[str]) -> ClusterKind:
    """What to treat as drawn at random."""
    return BASE_SCENARIO if len(set(families)) == 1 else FAMILY


def cluster_of(result: Mapping[str, Any], kind: str) -> str:
    """The cluster of a conversation."""
    return base_name_of(result) if kind == BASE_SCENARIO else family_of(result)


def clusters_text(kind: str, number: int) -> str:
    """What an interval rests on, in words."""
    if kind == FAMILY:
        return f"{counted(number, 'family')} of scenarios"
    return f"{counted(number, 'base scenario')} of one family"
