"""Scenarios as environments of Gymnasium, with the extra ``gymnasium``.

import gymnasium
import tool_sandbox.gymnasium

env = gymnasium.make("ToolSandbox-v0", scenario="wifi_off")
"""

from typing import TYPE_CHECKING, Any

from tool_sandbox.api.env import Env
from tool_sandbox.integrations.gymnasium import ConversationEnv, register

if TYPE_CHECKING:
    from tool_sandbox.api.playing import OneScenario

__all__ = ["ID", "make"]

ID = "ToolSandbox-v0"


def make(scenario: "OneScenario", *, render_mode: str | None = None, **options: Any) -> ConversationEnv:
    """Makes an environment of Gymnasium.

    Args:
        scenario: As for `Env`.
        render_mode: ``ansi`` or ``None``.
        **options: Further arguments of `Env`: ``user``, ``seed``, ``reward``, ...

    Raises:
        ConfigurationError: There is no such scenario, or an argument makes no sense.
    """
    return ConversationEnv(Env(scenario, **options), render_mode)


register(ID, f"{__name__}:make")
