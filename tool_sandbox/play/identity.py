"""What a scenario is scored by, as JSON, and fingerprints that tell when it has changed."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from tool_sandbox.helpers.json_forms import as_json, json_form

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scoring import Evaluation, Milestone, MilestoneMatcher, SnapshotConstraint

Description = dict[str, Any]
"""JSON form of an evaluation, see `describe_evaluation`."""


def describe_evaluation(evaluation: "Evaluation") -> Description:
    """Says what trajectories of a scenario are scored by."""
    form: Description = as_json(_described(evaluation))
    return form


def _described(evaluation: "Evaluation") -> Description:
    allowed = evaluation.allowed_changes
    return {
        "profile": str(evaluation.profile),
        "milestones": _nodes(evaluation.milestone_matcher),
        "minefields": _nodes(evaluation.minefield_matcher),
        "allowed_changes": None if allowed is None else [str(change) for change in allowed],
    }


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
        return {"database": namespace, **(check.described() if hasattr(check, "described") else check.to_dict())}
    fields = constraint.to_dict()
    return {"database": namespace, "check": fields.pop("snapshot_constraint"), **fields}


def _guardrails(milestone: "Milestone") -> list[str]:
    return [str(namespace) for namespace in milestone.guardrail_database_list or ()]


def scenario_hash(scenario: "Scenario") -> dict[str, str]:
    """Fingerprints of a scenario."""
    start = scenario.starting_context.to_dict(serialize_console=False)
    # How the tools are offered is chosen for a run; the scenario is the same.
    start.get("extensions", {}).pop("tool_search", None)
    return {"start": _digest(start), "evaluation": _digest(_described(scenario.evaluation))}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=_counted).encode()).hexdigest()[:16]


def _counted(value: Any) -> Any:
    """What of an object counts in a fingerprint: a matcher as it is written, so that older runs stay comparable."""
    if hasattr(value, "described"):
        return value.described()
    form = json_form(value)
    return str(value) if "matcher" in form else form
