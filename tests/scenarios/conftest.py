"""Playing a scenario with the scripted user."""

from collections.abc import Callable

import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.scoring import EvaluationResult

Play = Callable[[Scenario, BaseRole], tuple[ExecutionContext, EvaluationResult]]


@pytest.fixture(scope="session")
def play() -> Play:
    """Plays a scenario to its end and scores it."""

    def play(scenario: Scenario, agent: BaseRole) -> tuple[ExecutionContext, EvaluationResult]:
        roles = {
            RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
            RoleType.USER: ScriptedUser(),
            RoleType.AGENT: agent,
        }
        context = scenario.play(roles, scenario.name)
        return context, scenario.evaluation.evaluate(context, scenario.max_messages)

    return play


@pytest.fixture(scope="session")
def said() -> Callable[[ExecutionContext], list[str]]:
    """Texts from the agent to the user."""

    def said(context: ExecutionContext) -> list[str]:
        return [
            row["content"]
            for _, table in context.get_history(DatabaseNamespace.SANDBOX)
            for row in table.where(sender="AGENT", recipient="USER")
        ]

    return said
