"""The result of one conversation, as in a record."""

import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
)
from tool_sandbox.conversation.messages import Message
from tool_sandbox.models.faults import one_line
from tool_sandbox.play.blame import author_place
from tool_sandbox.play.identity import scenario_hash
from tool_sandbox.records.result import (
    CallCounts,
    ChangedRow,
    Lineage,
    Offered,
    Result,
    ScenarioHash,
    Statements,
    SuiteVersion,
    UnclearReading,
    UnsupportedStatement,
)
from tool_sandbox.roles.tool_dispatch import is_agent_code, is_invalid_call
from tool_sandbox.runner.lineage import split_name
from tool_sandbox.runner.offer import offered_tools
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.verdicts import fault_of, outcome_of
from tool_sandbox.world.errors import ConversationStoppedError
from tool_sandbox.world.outcome import Outcome

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scoring import EvaluationResult
    from tool_sandbox.scoring.side_effects import SideEffect


_NO_CALLS: CallCounts = {"tool_calls": 0, "tool_errors": 0, "invalid_calls": 0}


def finished_result(
    scenario: "Scenario",
    episode: Episode,
    context: ExecutionContext,
    score: "EvaluationResult",
    suite: Mapping[str, Any] | None,
) -> Result:
    """Builds the result of a conversation that was played and scored."""
    result = _result(episode, scenario, score, _count_tool_calls(context), suite, {"offered": offered_tools(context)})
    is_active = context.get_table(DatabaseNamespace.SANDBOX).column("conversation_active")[-1]
    result["outcome"] = str(Outcome.MAX_MESSAGES if is_active else Outcome.COMPLETED)
    return result


def note_ending(result: Result, stopped: "ConversationStoppedError | None", *, has_refused: bool) -> None:
    """Says how a conversation ended that was scored, where its last message does not show it."""
    if stopped is not None:
        result["outcome"], result["evaluated"] = str(stopped.outcome), stopped.outcome.is_evaluated
        result["reason"] = one_line(str(stopped))
    elif has_refused and result["outcome"] == Outcome.COMPLETED:
        result["outcome"], result["reason"] = str(Outcome.REFUSED), "the last answer of the agent's model was a refusal"


def failed_result(
    episode: Episode,
    error: BaseException,
    scenario: "Scenario | None" = None,
    suite: Mapping[str, Any] | None = None,
) -> Result:
    """Builds the result of a conversation that could not be played or scored."""
    counts = _NO_CALLS if scenario is None else _count_tool_calls(get_current_context())
    outcome = outcome_of(error)
    reason = one_line(str(error)) or type(error).__name__
    if outcome is Outcome.SCENARIO_ERROR and (place := author_place(error)) is not None:
        reason = f"{reason} ({place})"
    return _result(episode, scenario, None, counts, suite, {}) | {
        "traceback": "".join(traceback.format_exception(error)),
        "exception_type": type(error).__name__,
        "outcome": str(outcome),
        "fault": fault_of(error),
        "evaluated": outcome.is_evaluated,
        "reason": reason,
    }


def _result(
    episode: Episode,
    scenario: "Scenario | None",
    score: "EvaluationResult | None",
    counts: CallCounts,
    suite: Mapping[str, Any] | None,
    offered: Offered,
) -> Result:
    """A result of which only its ending is still to be told; a conversation without a score has earned nothing."""
    limit = scenario.max_messages if scenario else 0
    return {
        "name": episode.scenario_name,
        "categories": [str(category) for category in scenario.categories] if scenario else [],
        "traceback": None,
        "exception_type": None,
        "milestone_similarity": score.milestone_similarity if score else 0,
        "minefield_similarity": score.minefield_similarity if score else 0,
        "similarity": score.similarity if score else 0,
        "turn_count": score.turn_count if score else limit,
        "milestone_mapping": _plain_mapping(score.milestone_mapping) if score else {},
        "minefield_mapping": _plain_mapping(score.minefield_mapping) if score else {},
        "directory": episode.directory,
        "seed": episode.seed,
        "trial": episode.trial,
        "profile": str(score.profile if score else scenario.evaluation.profile) if scenario else None,
        "success": bool(score and score.success),
        "minefield_hit": _hits_minefield(score) if score else False,
        "outcome": str(Outcome.COMPLETED),
        "total_turn_count": score.total_turn_count if score else limit,
        "side_effects": [plain_side_effect(effect) for effect in score.side_effects] if score else [],
        "failure": None,
        **statements(score),
        **counts,
        "fault": None,
        "evaluated": True,
        "reason": None,
        "usage": {"agent": None, "user": None, "judge": None},
        "replay": None,
        "user_findings": None,
        "judge": None,
        **offered,
        **_lineage(scenario),
        "suite": None if suite is None else cast(SuiteVersion, dict(suite)),
        "scenario_hash": None if scenario is None else cast(ScenarioHash, scenario_hash(scenario)),
    }


def _count_tool_calls(context: ExecutionContext) -> CallCounts:
    """Counts the agent's answered calls, the failures among them, and those that could not even be tried.

    Code is no call, but those that it makes are.
    """
    agent, environment = RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT
    counts, running = _NO_CALLS.copy(), []
    for _, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            parties = row["sender"], row["recipient"]
            if row["visible_to"] == [RoleType.USER]:
                continue
            if parties == (agent, environment) and is_agent_code(Message(**row)):
                running.append(row["openai_tool_call_id"])
            elif parties == (environment, agent) and row["openai_tool_call_id"] in running:
                running.remove(row["openai_tool_call_id"])
            elif parties == (environment, agent):
                counts["tool_calls"] += 1
                counts["tool_errors"] += row["tool_call_exception"] is not None
            elif parties == (agent, environment):
                counts["invalid_calls"] += is_invalid_call(context, agent, row["content"] or "")
    return counts


def _hits_minefield(score: "EvaluationResult") -> bool:
    return score.minefield_similarity != 0 if score.minefield_hit is None else score.minefield_hit


def _plain_mapping(mapping: Mapping[int, tuple[int, float]]) -> dict[str, list[float]]:
    return {str(number): [index, similarity] for number, (index, similarity) in mapping.items()}


def statements(score: "EvaluationResult | None") -> Statements:
    """What was found about statements to the user, of which the published rules know nothing."""
    found: Statements = {}
    if score is None:
        return found
    if score.unsupported is not None:
        found["unsupported"] = [cast(UnsupportedStatement, finding.to_dict()) for finding in score.unsupported]
    if score.unclear is not None:
        found["unclear"] = [cast(UnclearReading, doubt.to_dict()) for doubt in score.unclear]
        found["score_interval"] = score.score_interval and list(score.score_interval)
    return found


def plain_side_effect(effect: "SideEffect") -> ChangedRow:
    """A side effect as it stands in a result."""
    return {
        "description": str(effect),
        "database": str(effect.namespace),
        "kind": cast(Literal["added", "removed", "updated"], effect.kind),
        "key": effect.key,
        "columns": list(effect.columns),
        "message_index": effect.message_index,
    }


def _lineage(scenario: "Scenario | None") -> Lineage:
    """What a scenario is an augmentation of: scores of augmentations of one task are not independent."""
    if scenario is None or not scenario.name:
        return {"family": None, "base_name": None, "augmentation": None, "tier": None, "axis": None}
    base_name, augmentation = split_name(scenario.name)
    return {
        "family": scenario.family or base_name,
        "base_name": base_name,
        "augmentation": augmentation,
        "tier": scenario.tier or None,
        "axis": scenario.axis or None,
    }
