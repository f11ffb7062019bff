"""Plays one conversation and gives its result, whatever happens inside it."""

import contextvars
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.common import errors
from tool_sandbox.common.identity import Description, describe_evaluation, scenario_hash
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.summary import Result

if TYPE_CHECKING:
    from tool_sandbox.common.evaluation import EvaluationResult
    from tool_sandbox.common.evaluation.side_effects import SideEffect
    from tool_sandbox.common.execution_context import ExecutionContext
    from tool_sandbox.common.scenario import Scenario
    from tool_sandbox.roles.base_role import BaseRole

RoleFactory = Callable[[], "BaseRole"]
"""Makes a fresh role for one conversation. Has to be picklable to be used with processes."""

ScenarioSource = Callable[[Episode], "Scenario"]
"""Builds the scenario of an episode. Has to be picklable to be used with processes."""

ABANDONED = "abandoned"
"""Fault of a conversation that the person at the terminal left."""

_NO_CALLS = {"tool_calls": 0, "tool_errors": 0, "invalid_calls": 0}

_FAULTS: Mapping[type[BaseException], str] = {
    errors.InfrastructureError: "infrastructure",
    errors.ScenarioError: "scenario",
    errors.RoleError: "role",
    errors.ConfigurationError: "configuration",
    errors.ConversationAbandonedError: ABANDONED,
}


@attrs.frozen
class Player:
    """Plays the episodes of a run into its directory.

    Attributes:
        agent: Makes the agent of a conversation.
        user: Makes the user of a conversation.
        scenarios: Builds the scenario of an episode.
        directory: Where the files go.
        suite: Version and content hash of the suite, noted in every result; ``None`` for scenarios of no suite.
    """

    agent: RoleFactory
    user: RoleFactory
    scenarios: ScenarioSource
    directory: Path
    suite: Mapping[str, Any] | None = None

    def __call__(self, episode: Episode) -> Result:
        """Plays one episode and writes its files.

        The conversation runs in a copy of the caller's ``contextvars`` context, so the world it makes current is not
        seen outside. Nothing that goes wrong in a role, a tool or a scenario escapes, ``SystemExit`` included: it
        becomes part of the result. Only an interrupt by the person at the keyboard passes.

        Args:
            episode: What to play.

        Returns:
            The result, as written to ``result.json``.

        Raises:
            OSError: The result cannot be written.
        """
        result = contextvars.copy_context().run(self._play, episode)
        RunDirectory(self.directory).write_result(episode.directory, result)
        return result

    def _play(self, episode: Episode) -> Result:
        try:
            scenario = self.scenarios(episode)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return failed_result(episode, error, suite=self.suite)
        return play_scenario(scenario, episode, self.agent, self.user, self.directory, suite=self.suite)


def play_scenario(
    scenario: "Scenario",
    episode: Episode,
    agent: RoleFactory,
    user: RoleFactory,
    directory: Path,
    *,
    suite: Mapping[str, Any] | None = None,
) -> Result:
    """Plays and scores one conversation in the current ``contextvars`` context.

    Args:
        scenario: What to play; not modified.
        episode: Which conversation of the run this is.
        agent: Makes the agent.
        user: Makes the user.
        directory: Directory of the run; the trajectory is written below it.
        suite: Version and content hash of the suite that the scenario belongs to.

    Returns:
        The result; anything raised on the way is reported in it, but for ``KeyboardInterrupt``.
    """
    from tool_sandbox.common.execution_context import RoleType
    from tool_sandbox.roles.execution_environment import ExecutionEnvironment

    roles: dict[RoleType, BaseRole] = {}
    try:
        roles[RoleType.EXECUTION_ENVIRONMENT] = ExecutionEnvironment()
        roles[RoleType.USER] = user()
        roles[RoleType.AGENT] = agent()
        played = scenario.play_and_evaluate(roles, directory, episode.label)
        description = describe_evaluation(scenario.evaluation)
        RunDirectory(directory).write_evaluation(episode.directory, description)
        result = finished_result(scenario, episode, played.ending_context, played.evaluation_result)
        return result | _identity(scenario, suite, description)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return failed_result(episode, error, scenario, suite)
    finally:
        for role in roles.values():
            _tear_down(role)


def _tear_down(role: "BaseRole") -> None:
    import logging

    try:
        role.teardown()
    except BaseException:
        logging.getLogger(__name__).exception("%s could not be torn down", type(role).__name__)


def _identity(
    scenario: "Scenario | None", suite: Mapping[str, Any] | None, description: Description | None = None
) -> dict[str, Any]:
    """What was played: suite and fingerprints, so that a later reader can tell whether two scores compare."""
    return {
        "suite": None if suite is None else dict(suite),
        "scenario_hash": None if scenario is None else scenario_hash(scenario, description),
    }


def finished_result(
    scenario: "Scenario", episode: Episode, context: "ExecutionContext", score: "EvaluationResult"
) -> Result:
    """Builds the result of a conversation that was played and scored, but for what identifies the suite.

    Args:
        scenario: What was played.
        episode: Which conversation.
        context: World after it.
        score: Its score.
    """
    from tool_sandbox.common.execution_context import DatabaseNamespace

    newest = context.get_table(DatabaseNamespace.SANDBOX)
    is_active = newest.column("conversation_active")[-1]
    return {
        "name": episode.scenario_name,
        "categories": [str(category) for category in scenario.categories],
        "traceback": None,
        "exception_type": None,
        "milestone_similarity": score.milestone_similarity,
        "minefield_similarity": score.minefield_similarity,
        "similarity": score.similarity,
        "turn_count": score.turn_count,
        "milestone_mapping": _plain_mapping(score.milestone_mapping),
        "minefield_mapping": _plain_mapping(score.minefield_mapping),
        **_place(episode),
        "profile": str(score.profile),
        "success": bool(score.success),
        "outcome": "max_messages" if is_active else "completed",
        "total_turn_count": score.total_turn_count,
        "side_effects": [_plain_side_effect(effect) for effect in score.side_effects],
        **_count_tool_calls(context),
        "fault": None,
    }


def failed_result(
    episode: Episode,
    error: BaseException,
    scenario: "Scenario | None" = None,
    suite: Mapping[str, Any] | None = None,
) -> Result:
    """Builds the result of a conversation that could not be played or scored.

    Args:
        episode: Which conversation.
        error: What was raised.
        scenario: The scenario, if there is one.
        suite: Version and content hash of its suite.
    """
    counts = dict(_NO_CALLS)
    if scenario is not None:
        from tool_sandbox.common.execution_context import get_current_context

        counts = _count_tool_calls(get_current_context())
    return {
        "name": episode.scenario_name,
        "categories": [str(category) for category in scenario.categories] if scenario else [],
        "traceback": "".join(traceback.format_exception(error)),
        "exception_type": type(error).__name__,
        "milestone_similarity": 0,
        "minefield_similarity": 0,
        "similarity": 0,
        "turn_count": scenario.max_messages if scenario else 0,
        "milestone_mapping": {},
        "minefield_mapping": {},
        **_place(episode),
        "profile": str(scenario.evaluation.profile) if scenario else None,
        "success": False,
        "outcome": "error",
        "total_turn_count": scenario.max_messages if scenario else 0,
        "side_effects": [],
        **counts,
        "fault": next((fault for kind, fault in _FAULTS.items() if isinstance(error, kind)), "unknown"),
        **_identity(scenario, suite),
    }


def _place(episode: Episode) -> dict[str, Any]:
    return {"directory": episode.directory, "seed": episode.seed, "trial": episode.trial}


def _count_tool_calls(context: "ExecutionContext") -> dict[str, int]:
    """Counts the agent's answered calls, the failures among them, and those that could not even be tried."""
    from tool_sandbox.common.execution_context import DatabaseNamespace, RoleType
    from tool_sandbox.roles.tool_dispatch import is_invalid_call

    agent, environment = RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT
    counts = dict(_NO_CALLS)
    for _, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            parties = row["sender"], row["recipient"]
            if row["visible_to"] == [RoleType.USER]:
                continue
            if parties == (environment, agent):
                counts["tool_calls"] += 1
                counts["tool_errors"] += row["tool_call_exception"] is not None
            elif parties == (agent, environment):
                counts["invalid_calls"] += is_invalid_call(context, agent, row["content"] or "")
    return counts


def _plain_mapping(mapping: Mapping[int, tuple[int, float]]) -> dict[str, list[float]]:
    return {str(number): [index, similarity] for number, (index, similarity) in mapping.items()}


def _plain_side_effect(effect: "SideEffect") -> dict[str, Any]:
    return {
        "description": str(effect),
        "database": str(effect.namespace),
        "kind": effect.kind,
        "key": effect.key,
        "columns": list(effect.columns),
        "message_index": effect.message_index,
    }
