"""What doing nothing earns: the number that any score has to be read against."""

import contextvars
import statistics

from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.run import PreparedRun


def measure_floor(run: PreparedRun) -> float | None:
    """Plays each scenario of a run once with the ``Unhelpful`` agent and the scripted user, without leaving files.

    Args:
        run: The run whose scenarios are meant.

    Returns:
        Mean similarity, from 0 to 1; ``None`` if a scenario has no script for the user.
    """
    first: dict[str, Episode] = {}
    for episode in run.episodes:
        first.setdefault(episode.scenario_name, episode)
    scores = []
    for episode in first.values():
        score = contextvars.copy_context().run(_floor_of, run, episode)
        if score is None:
            return None
        scores.append(score)
    return statistics.fmean(scores)


def _floor_of(run: PreparedRun, episode: Episode) -> float | None:
    from tool_sandbox.common.execution_context import RoleType
    from tool_sandbox.roles.execution_environment import ExecutionEnvironment
    from tool_sandbox.roles.scripted_user import ScriptedUser
    from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent

    scenario = run.source(episode)
    if scenario.user_script is None:
        return None
    roles = {
        RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
        RoleType.USER: ScriptedUser(),
        RoleType.AGENT: UnhelpfulAgent(),
    }
    context = scenario.play(roles, episode.scenario_name)
    return float(scenario.evaluation.evaluate(context, max_turn_count=scenario.max_messages).similarity)
