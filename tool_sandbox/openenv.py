"""Scenarios as an environment of OpenEnv: its server and its client, with the extra ``openenv``.

The server is ``python -m tool_sandbox.openenv``; any client of OpenEnv plays, and `ToolSandboxEnv` is one with types.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pydantic import BaseModel, Field, model_validator

from tool_sandbox.api.env import Env
from tool_sandbox.api.stage import check_seed
from tool_sandbox.runner.selection import select
from tool_sandbox.runner.splits import SPLITS, scenarios_in, seed_in
from tool_sandbox.runner.tiers import select_in
from tool_sandbox.scenarios import TIERS
from tool_sandbox.version import __version__
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError

try:
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
except ImportError as error:
    told = "OpenEnv needs the extra: pip install 'tool_sandbox[openenv]'"
    if __name__ == "__main__":
        print(f"python -m tool_sandbox.openenv: {told}", file=sys.stderr)
        raise SystemExit(2) from None
    raise MissingRequirementError(told) from error

if TYPE_CHECKING:
    from fastapi import FastAPI

    from tool_sandbox.api.observation import Observation as Seen

__all__ = ["ToolCall", "ToolSandboxAction", "ToolSandboxEnv", "ToolSandboxObservation", "ToolSandboxState", "app"]

MOST_SESSIONS = 256
"""Conversations that a server plays at once."""


class ToolCall(BaseModel):
    """A call of a tool."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolSandboxAction(Action):
    """What the agent does: exactly one of its fields is given."""

    text: str | None = Field(default=None, description="a text to the user, which ends the turn of the agent")
    calls: list[ToolCall] | None = Field(default=None, description="calls of tools, made at once")
    message: dict[str, Any] | None = Field(default=None, description="an assistant message of OpenAI or Anthropic")

    @model_validator(mode="after")
    def _one(self) -> "ToolSandboxAction":
        if [self.text, self.calls, self.message].count(None) != 2:
            raise ValueError("an action has exactly one of text, calls and message")
        return self

    def plain(self) -> Any:
        """The action as `Env` takes it."""
        if self.calls is not None:
            return [(call.name, call.arguments) for call in self.calls]
        return self.text if self.message is None else self.message


class ToolSandboxObservation(Observation):
    """What the agent is shown, and how the conversation ended."""

    messages: list[dict[str, Any]] = Field(
        default_factory=list, description="messages since the last action, in the format of OpenAI; at first, all"
    )
    tools: list[dict[str, Any]] = Field(
        default_factory=list,
        description="tools on offer, as OpenAI's function descriptions: at the beginning, and later those found",
    )
    truncated: bool = Field(default=False, description="whether it was cut off rather than ended")
    score: float | None = Field(default=None, description="final score from 0 to 1")
    success: bool | None = Field(default=None, description="whether all was done that had to be, and nothing else")
    outcome: str | None = Field(default=None, description="how it ended")


class ToolSandboxState(State):
    """Where a conversation stands. An agent must not be shown it."""

    scenario: str | None = None
    seed: int | None = None
    score: float | None = Field(default=None, description="the score if the conversation ended now")
    milestones: list[float] = Field(default_factory=list, description="how well each milestone is met, from 0 to 1")
    side_effects: list[dict[str, Any]] = Field(default_factory=list, description="changes that are not allowed")
    unsupported: list[dict[str, Any]] = Field(default_factory=list, description="statements without support")


class ToolSandboxEnvironment(Environment[ToolSandboxAction, ToolSandboxObservation, ToolSandboxState]):
    """Plays one conversation after another.

    Args:
        scenarios: Names or patterns of what can be played; by default all.
        split: Worlds to train on, ``train``, or to evaluate on, ``held_out``; by default all.
        held_out_families: Families that are left out of ``train``, and alone in ``held_out``.
        tier: Tier of the suite, ``core`` or ``hard``; by default that of the scenarios, else ``core``.
        options: Further arguments of `Env`: ``user``, ``reward``, ``profile``, ...

    Raises:
        ConfigurationError: There is no such scenario, or an argument makes no sense.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        scenarios: Sequence[str] | None = None,
        split: str | None = None,
        held_out_families: Sequence[str] = (),
        tier: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        named = list(scenarios or ())
        infos = select_in(tier, named) if tier else select(named or None)
        self._names = [info.name for info in scenarios_in(split, infos, held_out_families)]
        self._split = split
        self._env = Env(self._names[0], **options)
        self._state = ToolSandboxState()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> ToolSandboxObservation:
        """Starts a conversation: of ``scenario``, else of the one that the seed chooses, with a world by that seed.

        With a split, seeds count its worlds; the state has the seed of the world itself.
        """
        scenario = kwargs.pop("scenario", None)
        if kwargs:
            raise ConfigurationError(f"reset takes scenario, seed and episode_id, not {', '.join(sorted(kwargs)):.80}")
        check_seed(seed or 0)
        if scenario is None:
            scenario = self._names[(seed or 0) % len(self._names)]
        elif scenario not in self._names:
            raise ConfigurationError(f"there is no scenario {scenario!r:.80} here")
        seen = self._env.reset(scenario, seed_in(self._split, seed or 0))
        self._state = ToolSandboxState(episode_id=episode_id or str(uuid4()))
        return _shown(seen)

    def step(self, action: ToolSandboxAction, timeout_s: float | None = None, **kwargs: Any) -> ToolSandboxObservation:
        """Acts as the agent; an action that cannot be read changes nothing."""
        seen = self._env.step(action.plain())
        self._state.step_count += 1
        return _shown(seen)

    @property
    def state(self) -> ToolSandboxState:
        """Where the conversation stands."""
        if self._state.episode_id is None:
            return self._state
        info = self._env.observation.info
        known = {key: value for key, value in info.items() if key in ToolSandboxState.model_fields}
        return ToolSandboxState(**{**self._state.model_dump(), **known})

    def get_metadata(self) -> EnvironmentMetadata:
        """What this is."""
        return EnvironmentMetadata(
            name="tool_sandbox", description="conversations in which an agent uses tools", version=__version__
        )

    def close(self) -> None:
        """Abandons the conversation."""
        self._env.close()


def _shown(seen: "Seen") -> ToolSandboxObservation:
    return ToolSandboxObservation(
        done=seen.done,
        reward=seen.reward,
        messages=seen.new_messages,
        tools=seen.new_tools,
        truncated=seen.truncated,
        score=seen.score,
        success=seen.success,
        outcome=seen.outcome,
    )


class ToolSandboxEnv(EnvClient[ToolSandboxAction, ToolSandboxObservation, ToolSandboxState]):
    """Client of a server; with ``sync()``, one without ``await``."""

    def _step_payload(self, action: ToolSandboxAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(exclude_none=True)
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ToolSandboxObservation]:
        done, reward = bool(payload.get("done")), payload.get("reward")
        seen = {**payload.get("observation", {}), "done": done, "reward": reward}
        return StepResult(ToolSandboxObservation(**seen), reward=reward, done=done, metadata=payload.get("metadata"))

    def _parse_state(self, payload: dict[str, Any]) -> ToolSandboxState:
        return ToolSandboxState(**payload)


def app(scenarios: Sequence[str] | None = None, **options: Any) -> "FastAPI":
    """The server as an ASGI application; arguments as for `ToolSandboxEnvironment`.

    Raises:
        ConfigurationError: There is no such scenario, or an argument makes no sense.
    """

    def environment() -> ToolSandboxEnvironment:
        return ToolSandboxEnvironment(scenarios, **options)

    environment().close()
    served: FastAPI = create_app(
        environment,
        ToolSandboxAction,
        ToolSandboxObservation,
        env_name="tool_sandbox",
        max_concurrent_envs=MOST_SESSIONS,
        state_cls=ToolSandboxState,
    )
    return served


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until it is stopped."""
    import uvicorn

    parser = argparse.ArgumentParser("python -m tool_sandbox.openenv", description="Serves scenarios to OpenEnv.")
    parser.add_argument("--tier", choices=TIERS, help="by default that of the scenarios, else core")
    parser.add_argument("--scenarios", nargs="+", metavar="NAME", help="names or patterns; by default the whole tier")
    parser.add_argument("--split", choices=SPLITS, help="worlds to train or to evaluate on; by default all")
    parser.add_argument("--held-out-families", nargs="+", default=(), metavar="NAME", help="only to evaluate on")
    parser.add_argument("--user", help="who plays the user, by default the scripted one")
    parser.add_argument("--tools", choices=("all", "search"), default="all", help="default: %(default)s")
    parser.add_argument("--reward", choices=("score", "dense"), default="score", help="default: %(default)s")
    parser.add_argument("--host", default="127.0.0.1", help="default: %(default)s")
    parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")
    given = parser.parse_args(arguments)
    if not 0 < given.port < 2**16:
        parser.error(f"port has to be a number from 1 to {2**16 - 1:,}, not {given.port}")
    try:
        options = {name: value for name, value in vars(given).items() if name not in ("host", "port")}
        served = app(**options)
    except ConfigurationError as error:
        parser.error(str(error))
    uvicorn.run(served, host=given.host, port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
