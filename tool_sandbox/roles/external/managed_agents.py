"""Agents whose loop runs at Anthropic (Managed Agents), with the sandbox's tools as custom tools."""

import importlib.metadata
import math
from collections.abc import Mapping
from typing import Any, ClassVar

from tool_sandbox.models.anthropic_limits import EFFORTS
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.redaction import public_url
from tool_sandbox.roles.external.agent import Driver, ExternalAgent
from tool_sandbox.roles.external.managed_platform import BETA, Platform, Variant, platform_at
from tool_sandbox.roles.external.managed_session import DRAIN_S, ManagedDriver
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError, ToolSandboxError


class ManagedAgent(ExternalAgent):
    """Plays the agent with a session of Managed Agents: the model and its loop there, world and tools here."""

    provider_name: ClassVar[str] = "managed-agents"
    concurrency: ClassVar[int] = 16

    def __init__(
        self,
        model: str = "",
        effort: str | None = None,
        version: int | None = None,
        environment: str | None = None,
        agent: str | None = None,
        base_url: str | None = None,
        timeout_s: float = 600.0,
        budget: float | None = None,
    ) -> None:
        """An agent that has no session yet."""
        super().__init__()
        _check(model, effort, version, agent, timeout_s, budget)
        self.model_name = model or str(agent)
        self.choice = (model, effort, agent, version, environment)
        self.base_url = base_url
        self.timeout_s = timeout_s
        self.budget = budget
        # The driver stops the agent itself; this only guards against a driver that hangs.
        self.turn_timeout_s = timeout_s + 3 * DRAIN_S

    unforeseen: ClassVar[type[ToolSandboxError]] = InfrastructureError

    def platform(self) -> Platform:
        """The account."""
        return platform_at(self.base_url)

    def variant(self) -> Variant:
        """The agent that sessions are made of."""
        return self.platform().variant(*self.choice)

    def describe(self) -> Mapping[str, Any]:
        """Names the agent and the environment at the platform, which are found or made for this."""
        try:
            variant = self.variant()
        except ProviderError as error:
            if error.cause.kind in _MISTAKES:
                raise ConfigurationError(str(error)) from None
            raise
        address = self.platform().access.endpoint.base_url
        return {
            "name": "managed-agents",
            "version": f"{variant.agent} version {variant.version}",
            "sdk_version": importlib.metadata.version("anthropic"),
            "interface": BETA,
            "environment": variant.environment,
            "base_url": None if address is None else public_url(address),
            "isolation": "custom tools only; the agent's own tools, skills and MCP servers are left out",
        }

    @property
    def fixed_tools(self) -> str:
        """Why the tools of a conversation cannot become more."""
        return "the tools of a session are those that it was made with"

    def make_driver(self) -> Driver:
        """Makes what holds a session."""
        return ManagedDriver(self.platform(), self.choice, self.timeout_s, self.budget)


_MISTAKES = (FaultKind.AUTHENTICATION, FaultKind.PERMISSION, FaultKind.NOT_FOUND, FaultKind.INVALID_REQUEST)


def _check(
    model: str, effort: str | None, version: int | None, agent: str | None, timeout_s: float, budget: float | None
) -> None:
    if not model and agent is None:
        raise ConfigurationError("managed-agents needs a model, or the id of an agent: managed-agents:model=NAME")
    if effort is not None and effort not in EFFORTS:
        raise ConfigurationError(f"effort of managed-agents is one of {', '.join(EFFORTS)}, got {effort!r}")
    if effort is not None and not model:
        raise ConfigurationError("effort of managed-agents belongs to a model: give model=NAME too")
    if version is not None and agent is None:
        raise ConfigurationError("version of managed-agents is that of an agent: give agent=ID too")
    if not (math.isfinite(timeout_s) and timeout_s > 0):
        raise ConfigurationError(f"timeout_s of managed-agents has to be above 0, got {timeout_s:g}")
    if budget is not None and not (math.isfinite(budget) and budget >= 0.01):
        raise ConfigurationError(f"budget of managed-agents is USD, at least 0.01, got {budget:g}")
