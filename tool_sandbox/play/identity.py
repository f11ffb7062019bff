"""What a scenario is scored by, as JSON, and fingerprints that tell when it has changed."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.world.utils import attrs_serialize

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scoring import Evaluation, Milestone, MilestoneMatcher, SnapshotConstraint

Description = dict[str, Any]
"""JSON form of an evaluation, see `describe_evaluation`."""


def describe_evaluation(evaluation: "Evaluation") -> Description:
    """Says what trajectories of a scenario are scored by.

    Args:
        evaluation: Milestones, minefields and permitted changes.

    Returns:
        JSON values: ``profile``; ``milestones`` and ``minefields``, each with ``name``, ``weight``, ``after`` (numbers
        of its predecessors) and ``checks``; ``allowed_changes``, null where guardrails hold instead.
    """
    allowed = evaluation.allowed_changes
    described = {
        "profile": str(evaluation.profile),
        "milestones": _nodes(evaluation.milestone_matcher),
        "minefields": _nodes(evaluation.minefield_matcher),
        "allowed_changes": None if allowed is None else [str(change) for change in allowed],
    }
    plain: Description = json.loads(json.dumps(described, default=str))
    return plain


def _nodes(matcher: "MilestoneMatcher") -> list[Description]:
    return [
        {
            "name": milestone.name,
            "weight": milestone.weight,
            "after": sorted(matcher.graph.parents[number]),
            "checks": [_check(constraint) for constraint in milestone.snapshot_constraints],
            "guardrails": _guardrails(milestone),
        }
        for number, milestone in enumerate(matcher.milestones)
    ]


def _check(constraint: "SnapshotConstraint") -> Description:
    check = constraint.snapshot_constraint
    namespace = str(constraint.database_namespace)
    if hasattr(check, "to_dict"):
        return {"database": namespace, **check.to_dict()}
    fields = attrs.asdict(constraint, value_serializer=attrs_serialize)
    return {"database": namespace, "check": fields.pop("snapshot_constraint"), **fields}


def _guardrails(milestone: "Milestone") -> list[str]:
    return [str(namespace) for namespace in milestone.guardrail_database_list or ()]


def scenario_hash(scenario: "Scenario", description: Description | None = None) -> dict[str, str]:
    """Fingerprints of a scenario.

    Args:
        scenario: A scenario that has not been played.
        description: Its `describe_evaluation`, if that is at hand.

    Returns:
        ``start`` (world, opening messages, offered tools) and ``evaluation``, each 16 hexadecimal digits of a SHA-256.
        Where the start holds the time of loading or drawn ids, as in scenarios of other packages, so does ``start``.
    """
    start = scenario.starting_context.to_dict(serialize_console=False)
    return {"start": _digest(start), "evaluation": _digest(description or describe_evaluation(scenario.evaluation))}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
