"""Fingerprints of what a scenario scores, so that one problem is not counted as two."""

import enum
import functools
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.scenarios.checks import FieldCheck
from tool_sandbox.scenarios.matchers import Matcher
from tool_sandbox.scoring import Evaluation, Milestone

_STRUCTURE = frozenset(
    {"check", "fact", "tool", "from_trace", "namespace", "kind", "scope", "unit", "because", "action"}
)
"""Fields that say what sort of thing is scored; all others hold literal values."""


def graph_fingerprint(evaluation: Evaluation, *, literals: bool = True) -> str:
    """Fingerprint of milestones, their order, minefields and allowed changes, however they are listed."""
    matcher = evaluation.milestone_matcher
    parents = matcher.graph.parents

    @functools.cache
    def label(node: int) -> str:
        before = sorted(label(parent) for parent in parents[node])
        return _digest([_milestone(matcher.milestones[node], literals), before])

    nodes = sorted(label(node) for node in range(len(matcher.milestones)))
    minefields = sorted(_digest(_milestone(mine, literals)) for mine in evaluation.minefield_matcher.milestones)
    allowed = sorted(_digest(_form(change, literals)) for change in evaluation.allowed_changes or ())
    return _digest([nodes, minefields, allowed])


def setting_fingerprint(scenario: Scenario) -> str:
    """Fingerprint of the start: the switches of the device at the start, the tools on offer, and the tags."""
    context = scenario.starting_context
    (device,) = context.get_table(DatabaseNamespace.SETTING).dicts()
    switches = {name: value for name, value in device.items() if isinstance(value, bool)}
    return _digest([switches, sorted(context.tool_allow_list or ()), sorted(map(str, scenario.categories))])


def _milestone(milestone: Milestone, literals: bool) -> Any:
    checks = [_form(constraint.snapshot_constraint, literals) for constraint in milestone.snapshot_constraints]
    return [checks, milestone.weight if literals else milestone.weight > 0]


def _form(value: Any, literals: bool, name: str = "") -> Any:
    """A check, a fact or a field as JSON values; without literals, their types stand for them."""
    if isinstance(value, Matcher):
        return repr(value) if literals else type(value).__name__
    if isinstance(value, FieldCheck):
        return _form(value.described(), literals)
    if hasattr(value, "to_dict"):
        return _form(value.to_dict(), literals)
    if isinstance(value, Mapping):
        return {str(key): _form(item, literals, str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        forms = [_form(item, literals, name) for item in value]
        return forms if literals or name not in ("about", "terms", "aliases", "instead_of") else "terms"
    if attrs.has(type(value)):
        return [type(value).__name__, _form(attrs.asdict(value, recurse=False), literals)]
    plain = str(value) if isinstance(value, enum.Enum) else value
    if literals or name in _STRUCTURE or plain is None or isinstance(plain, bool):
        return plain if isinstance(plain, (str, int, float, bool, type(None))) else repr(plain)
    return type(plain).__name__


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
