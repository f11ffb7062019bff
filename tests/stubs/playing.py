"""Plays a conversation in this process, without a run directory."""

import contextvars
from functools import cached_property
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
)
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConversationStoppedError


def parties(agent: BaseRole, user: BaseRole | None = None) -> dict[RoleType, BaseRole]:
    """An agent, a user (the scripted one unless another is given), and the environment."""
    environment = ExecutionEnvironment()
    return {RoleType.EXECUTION_ENVIRONMENT: environment, RoleType.USER: user or ScriptedUser(), RoleType.AGENT: agent}


def rows_of(context: ExecutionContext) -> list[dict[str, Any]]:
    """The message log of a world, from its beginning."""
    return [row for _, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]


def score_of(scenario: Scenario, context: ExecutionContext) -> float:
    """The score of a conversation by the world at its end."""
    return scenario.evaluation.evaluate(context, scenario.max_messages).similarity


@attrs.frozen(slots=False, eq=False)
class Played:
    """What came of a conversation: the world at its end, why the agent could not go on, and the agent."""

    scenario: Scenario
    agent: Any
    context: ExecutionContext
    stopped: ConversationStoppedError | None

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The message log."""
        return rows_of(self.context)

    @cached_property
    def score(self) -> float:
        return score_of(self.scenario, self.context)

    @property
    def calls(self) -> list[str]:
        """Names of the tools that the agent called, in order, as it knows them."""
        return [row["openai_function_name"] for row in self._sent(RoleType.EXECUTION_ENVIRONMENT)]

    @property
    def said(self) -> list[str]:
        """What the agent has said to the user."""
        return [row["content"] for row in self._sent(RoleType.USER)]

    @property
    def results(self) -> list[str]:
        """What the environment has answered."""
        return [row["content"] for row in self.rows if row["sender"] == RoleType.EXECUTION_ENVIRONMENT]

    def _sent(self, recipient: RoleType) -> list[dict[str, Any]]:
        return [row for row in self.rows if (row["sender"], row["recipient"]) == (RoleType.AGENT, recipient)]


def play(agent: BaseRole, scenario: Scenario | str = "wifi_off") -> Played:
    """Plays a conversation to its end. What is raised beside agents that cannot go on is raised here, too."""
    played = get_scenario(scenario) if isinstance(scenario, str) else scenario

    def converse() -> Played:
        try:
            stopped = played._converse(parties(agent), played.name)
            return Played(played, agent, get_current_context(), stopped)
        finally:
            # As in a run, where the world is still there.
            agent.teardown()

    return contextvars.copy_context().run(converse)
