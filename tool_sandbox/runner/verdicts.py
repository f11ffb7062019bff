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
    """The outcome of a conversation that an exception ended.

    Args:
        error: What was raised.

    Returns:
        What is raised by the code of a scenario is the scenario's fault, in any turn. What else is raised in the
        turn of the agent is its fault, likewise for the user; faults of services and settings, and everything else
        outside of a turn, are infrastructure.
    """
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
    """What failed, in one word, as it appears in results.

    Args:
        error: What ended a conversation.
    """
    if isinstance(error, errors.InfrastructureError):
        return error.fault
    if is_scenarios(error):
        return "scenario"
    return next((fault for kind, fault in _FAULTS.items() if isinstance(error, kind)), UNKNOWN)


def is_evaluated(result: Mapping[str, object]) -> bool:
    """Whether a result counts in means.

    Args:
        result: As in its record; one of a program that does not say so counts, as it does there.
    """
    return result.get("evaluated") is not False


def is_success(result: Mapping[str, Any]) -> bool:
    """Whether a conversation succeeded.

    Args:
        result: As in its record; one of a program that does not say so succeeded where its score is 1.
    """
    return bool(result.get("success", result["similarity"] == 1))


def is_contradicted(result: Mapping[str, Any]) -> bool:
    """Whether the user was told something that the world contradicts.

    Args:
        result: As in ``result.json``; one whose statements were not checked is not.
    """
    return any(finding["world"] is not None for finding in result.get("unsupported") or ())


def is_open(result: Mapping[str, Any]) -> bool:
    """Whether the score of a conversation depends on an unclear reading that is undecided.

    Args:
        result: As in ``result.json``.
    """
    return result.get("score_interval") is not None


def is_settled_by_judge(result: Mapping[str, Any]) -> bool:
    """Whether a model decided something that was unclear in a conversation.

    Args:
        result: As in ``result.json``.
    """
    return any(doubt.get("is_judge") for doubt in result.get("unclear") or ())
