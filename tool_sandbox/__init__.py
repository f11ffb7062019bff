"""ToolSandbox: a stateful, conversational, interactive benchmark for tool-using language models.

``import tool_sandbox as ts`` is the public face; what it offers is listed in ``__all__`` and described in
``docs/python.md``. Nothing is imported before it is asked for.
"""

import importlib
import logging
import sys
from typing import TYPE_CHECKING, Any

from tool_sandbox.version import __version__

if TYPE_CHECKING:
    from tool_sandbox.api.env import Env as Env
    from tool_sandbox.api.observation import Observation as Observation
    from tool_sandbox.api.playing import run as run
    from tool_sandbox.api.pool import EnvPool as EnvPool
    from tool_sandbox.api.runs import Comparison as Comparison
    from tool_sandbox.api.runs import Run as Run
    from tool_sandbox.api.runs import compare as compare
    from tool_sandbox.api.runs import load as load
    from tool_sandbox.apps.app import App as App
    from tool_sandbox.models.logs import LogLevel as LogLevel
    from tool_sandbox.models.logs import set_logging as set_logging
    from tool_sandbox.play.scenario import Scenario as Scenario
    from tool_sandbox.records.metrics import Metrics as Metrics
    from tool_sandbox.roles.external.loop import loop_agent as agent
    from tool_sandbox.scenarios.definition import scenario as scenario
    from tool_sandbox.world import errors as errors
    from tool_sandbox.world.tool import register_as_tool as tool

    __all__ = [
        "App",
        "Comparison",
        "Env",
        "EnvPool",
        "LogLevel",
        "Metrics",
        "Observation",
        "Run",
        "Scenario",
        "__version__",
        "agent",
        "compare",
        "errors",
        "load",
        "run",
        "scenario",
        "set_logging",
        "tool",
    ]

_PLACES = {
    "App": "apps.app:App",
    "Comparison": "api.runs:Comparison",
    "Env": "api.env:Env",
    "EnvPool": "api.pool:EnvPool",
    "LogLevel": "models.logs:LogLevel",
    "Metrics": "records.metrics:Metrics",
    "Observation": "api.observation:Observation",
    "Run": "api.runs:Run",
    "Scenario": "play.scenario:Scenario",
    "agent": "roles.external.loop:loop_agent",
    "compare": "api.runs:compare",
    "errors": "world.errors",
    "load": "api.runs:load",
    "run": "api.playing:run",
    "scenario": "scenarios.definition:scenario",
    "set_logging": "models.logs:set_logging",
    "tool": "world.tool:register_as_tool",
}
"""Public name to its module, and its name there; a module alone is itself what is meant."""

_PLUGINS = {name: f"verifiers:{name}" for name in ("ToolSandboxEnv", "ToolSandboxHarness", "ToolSandboxTaskset")}
"""What verifiers looks for under the name of an environment: in `__all__` of the module of that name."""

# Quiet by default.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name == "__all__":
        # Without verifiers there is nothing that could use its classes, or import them.
        return sorted({*_PLACES, "__version__", *(_PLUGINS if "verifiers.v1" in sys.modules else ())})
    if (found := (_PLACES | _PLUGINS).get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place, _, inner = found.partition(":")
    module = importlib.import_module(f"{__name__}.{place}")
    return getattr(module, inner) if inner else module


def __dir__() -> list[str]:
    return sorted({*_PLACES, *(name for name in globals() if name.startswith("__"))})
