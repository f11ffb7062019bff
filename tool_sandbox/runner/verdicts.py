"""How a conversation ended, and which party caused it."""

from collections.abc import Mapping
from typing import Any

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.play.blame import blamed_party, is_scenarios
from tool_sandbox.world import errors
from tool_sandbox.world.outcome import Outcome

ABANDONED = "abandoned"
"""Fault of a conversation that the person at the terminal left."""

UNKNOWN = "unknown"
"""Fault of an exception that is none of this package."""

_FAULTS: Mapping[type[BaseException], str] = {
    errors.RoleError: "role",
    errors.ConfigurationError: "configuration",
    errors.ConversationAbandonedError: ABANDONED,
}
_BLAMELESS = (errors.InfrastructureError, errors.ConfigurationError)
"""Raised in the turn of a party, and yet not its fault."""


def outcome_of(error: BaseException) -> Outcome:
    """The outcome of a conversation that an exception ended."""
    if is_scenarios(error):
        return Outcome.SCENARIO_ERROR
    if isinstance(error, errors.ConversationStoppedError):
        return error.outcome
    if isinstance(error, errors.ConversationAbandonedError):
        return Outcome.USER_ERROR
    party = None if isinstance(error, _BLAMELESS) else blamed_party(error)
    if party is RoleType.AGENT:
        return Outcome.MODEL_ERROR
    return Outcome.USER_ERROR if party is RoleType.USER else Outcome.INFRASTRUCTURE_ERROR


def fault_of(error: BaseException) -> str:
    """What failed, in one word, as it appears in results."""
    if isinstance(error, errors.InfrastructureError):
        return error.fault
    if is_scenarios(error):
        return "scenario"
    return next((fault for kind, fault in _FAULTS.items() if isinstance(error, kind)), UNKNOWN)


def failure_mode_of(result: Mapping[str, Any]) -> str | None:
    """Name of what went wrong first, ``None`` for a success, and where that is not known."""
    failure = result.get("failure")
    return failure["mode"] if failure else None


def is_evaluated(result: Mapping[str, object]) -> bool:
    """Whether a result counts in means."""
    return result.get("evaluated") is not False


def is_success(result: Mapping[str, Any]) -> bool:
    """Whether a conversation succeeded."""
    return bool(result.get("success", result["similarity"] == 1))


def is_contradicted(result: Mapping[str, Any]) -> bool:
    """Whether the user was told something that the world contradicts."""
    return any(
        finding["world"] is not None and not finding.get("is_open") for finding in result.get("unsupported") or ()
    )


def is_open(result: Mapping[str, Any]) -> bool:
    """Whether the score of a conversation depends on an unclear reading that is undecided."""
    return result.get("score_interval") is not None


def is_settled_by_judge(result: Mapping[str, Any]) -> bool:
    """Whether a model decided something that was unclear in a conversation."""
    return any(doubt.get("is_judge") for doubt in result.get("unclear") or ())
