"""Plays a scenario with an agent that is another program, in this process and without a run directory."""

import contextvars
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, get_current_context
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.external.agent import ExternalAgent
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConversationStoppedError


@attrs.frozen
class Played:
    """What came of it: the score, the message log, why the agent could not go on, and the agent."""

    score: float
    rows: Sequence[Mapping[str, Any]]
    stopped: ConversationStoppedError | None
    agent: Any

    @property
    def calls(self) -> list[str]:
        """Names of the tools that were called, in order, as the agent knows them."""
        calls = [row for row in self.rows if row["recipient"] == RoleType.EXECUTION_ENVIRONMENT]
        return [row["openai_function_name"] for row in calls if row["sender"] == RoleType.AGENT]

    @property
    def says(self) -> list[str]:
        """What the agent has said to the user."""
        to_user = [row for row in self.rows if row["recipient"] == RoleType.USER]
        return [row["content"] for row in to_user if row["sender"] == RoleType.AGENT]


def play(agent: ExternalAgent, name: str) -> Played:
    """Plays a conversation to its end. What is raised beside agents that cannot go on is raised here, too."""
    try:
        return contextvars.copy_context().run(_play, agent, name)
    finally:
        agent.teardown()


def _play(agent: ExternalAgent, name: str) -> Played:
    scenario = named_scenarios(names=[name])[name]
    roles = {
        RoleType.AGENT: agent,
        RoleType.USER: ScriptedUser(),
        RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
    }
    stopped = scenario._converse(roles, name)
    context = get_current_context()
    score = scenario.evaluation.evaluate(context, scenario.max_messages).similarity
    rows = [row for _, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]
    return Played(score, rows, stopped, agent)
