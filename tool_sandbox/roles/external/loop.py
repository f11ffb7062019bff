"""One's own agent in Python: a class with one method, or a function, that knows nothing of this package.

    class MyAgent:
        def respond(self, messages, tools):
            return "the text for the user"

``messages`` are chat messages in the format of OpenAI, ``tools`` a list of OpenAI function descriptions that can also
be called (`Tools`). The answer is a text for the user or an assistant message with ``tool_calls``; those are carried
out, and ``respond`` is asked again. ``async def respond`` is as good. Each conversation has an instance of its own;
``begin(messages, tools)`` and ``close()`` are called first and last, if there are such methods. A function
``(messages, tools) -> reply`` is called by several conversations at once.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import attrs

from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.agent import Driver, ExternalAgent
from tool_sandbox.roles.external.loop_driver import LoopDriver, Target
from tool_sandbox.roles.external.loop_tools import ToolFailedError, Tools
from tool_sandbox.world.errors import ConfigurationError

__all__ = ["LoopAgent", "LoopFactory", "Target", "ToolFailedError", "Tools", "loop_agent"]

TURN_TIMEOUT_S = 600.0
"""Seconds that a turn may take unless something else is asked for."""


class LoopAgent(ExternalAgent):
    """Plays the agent with a custom class or function in Python."""

    is_a_model: ClassVar[bool] = False
    provider_name: ClassVar[str] = "python"

    def __init__(
        self,
        target: Target,
        turn_timeout_s: float = TURN_TIMEOUT_S,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """A role that has said nothing yet.

        Args:
            target: The class or function.
            turn_timeout_s: Seconds that a turn may take, the tools it calls included.
            about: What ``run.json`` is to say of it beside its name.

        Raises:
            ConfigurationError: The time is none.
        """
        super().__init__()
        if not 0 < turn_timeout_s < math.inf:
            raise ConfigurationError(f"turn_timeout_s of {target.name} has to be a number of seconds above 0")
        self._target = target
        self._about = dict(about or {})
        self.model_name = target.model_name
        self.turn_timeout_s = turn_timeout_s

    def make_driver(self) -> Driver:
        """Makes what asks a new instance."""
        return LoopDriver(self._target)

    def describe(self) -> Mapping[str, Any]:
        """Its name, its version where it has one, the digest of its file.

        Raises:
            ConfigurationError: Its constructor raises, or it takes other arguments.
        """
        self._target.check()
        return {"name": self._target.name, **self._about}


@attrs.frozen
class LoopFactory:
    """Makes the role of a custom class or function. Can be sent to another process if that can.

    Attributes:
        target: The class or function.
        turn_timeout_s: Seconds that a turn may take.
    """

    target: Target
    turn_timeout_s: float = TURN_TIMEOUT_S

    @property
    def __name__(self) -> str:
        return self.target.name

    @property
    def model_name(self) -> str:
        """Model behind it as far as it says so."""
        return self.target.model_name

    def __call__(self) -> LoopAgent:
        """Makes a new role."""
        return LoopAgent(self.target, self.turn_timeout_s)


def loop_agent(agent: Callable[..., Any], *, turn_timeout_s: float = TURN_TIMEOUT_S, **options: Any) -> "LoopFactory":
    """Makes an agent of a custom class or function, with options, for ``run`` and ``prepare_run`` to play.

    Args:
        agent: A class with ``respond(self, messages, tools)``, or a function ``(messages, tools) -> reply``.
        turn_timeout_s: Seconds that a turn may take, the tools it calls included.
        **options: Arguments of the constructor, or further ones of the function.

    Returns:
        What makes a role for each conversation.

    Raises:
        ConfigurationError: It is neither, its constructor raises, or it takes other arguments.
    """
    name = getattr(agent, "__name__", type(agent).__name__)
    check_kind(name, agent)
    if isinstance(agent, type) and issubclass(agent, BaseRole):
        raise ConfigurationError(f"{name} is a role already; give it as it is")
    factory = LoopFactory(Target(name, agent, options), turn_timeout_s)
    factory().describe()
    return factory


def check_kind(name: str, thing: Any) -> None:
    """Refuses what is no agent.

    Args:
        name: What messages call it.
        thing: What was named.

    Raises:
        ConfigurationError: It is neither a class with ``respond`` nor callable.
    """
    if isinstance(thing, type):
        if not callable(getattr(thing, "respond", None)):
            raise ConfigurationError(f"class {name} has no method respond(self, messages, tools)")
    elif callable(getattr(thing, "respond", None)):
        kind = type(thing).__name__
        raise ConfigurationError(f"{name} is an instance; name its class {kind}: each conversation has one of its own")
    elif not callable(thing):
        raise ConfigurationError(
            f"{name} is neither a class with respond(self, messages, tools) nor a function (messages, tools), "
            f"but of the type {type(thing).__name__}"
        )
