"""A conversation as an environment of Gymnasium, whose observations and actions are texts.

``tool_sandbox.gymnasium`` makes and registers them; here is how the two fit together.
"""

import json
from typing import Any, Protocol

from tool_sandbox.world.errors import AgentError, ConfigurationError, MissingRequirementError

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    told = "a Gymnasium environment needs the package gymnasium: pip install 'tool_sandbox[gymnasium]'"
    raise MissingRequirementError(told) from error

ASCII = frozenset(map(chr, range(ord(" "), ord("~") + 1)))
"""All letters of JSON whose other letters are escaped."""

LONGEST_ACTION = 16_384
LONGEST_OBSERVATION = 2**24

Texts = dict[str, Any]


class Shown(Protocol):
    """What is needed of an ``Observation``."""

    @property
    def reward(self) -> float: ...  # noqa: D102
    @property
    def messages(self) -> list[dict[str, Any]]: ...  # noqa: D102
    @property
    def tools(self) -> list[dict[str, Any]]: ...  # noqa: D102
    @property
    def terminated(self) -> bool: ...  # noqa: D102
    @property
    def truncated(self) -> bool: ...  # noqa: D102
    @property
    def outcome(self) -> str | None: ...  # noqa: D102
    @property
    def info(self) -> Any: ...  # noqa: D102


class Played(Protocol):
    """What is needed of an ``Env``."""

    @property
    def takes_seed(self) -> bool: ...  # noqa: D102
    def reset(self, scenario: Any = None, seed: int | None = None) -> Shown: ...  # noqa: D102
    def step(self, action: Any) -> Shown: ...  # noqa: D102
    def render(self) -> str: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class ConversationEnv(gymnasium.Env[Texts, str]):
    """A conversation of the agent with its user.

    An observation has two JSON texts: ``messages`` and ``tools``, in the format of OpenAI. An action is a JSON text of
    what ``Env.step`` takes: a list of calls as ``[["name", {...}]]``, an assistant message, or a text in quotation
    marks; anything else is said to the user as it is.
    """

    def __init__(self, env: Played, render_mode: str | None = None) -> None:
        """Wraps an environment.

        Args:
            env: The conversation.
            render_mode: ``ansi``, for `render` to give a text, or ``None``.

        Raises:
            ConfigurationError: There is no such mode.
        """
        if render_mode not in (None, "ansi"):
            raise ConfigurationError(f"render_mode has to be ansi or None, not {render_mode!r:.40}")
        self.metadata = {"render_modes": ["ansi"], "render_fps": 1}
        self._env = env
        self.render_mode = render_mode
        text = spaces.Text(LONGEST_OBSERVATION, charset=ASCII)
        self.observation_space = spaces.Dict({"messages": text, "tools": text})
        self.action_space = spaces.Text(LONGEST_ACTION, charset=ASCII)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Texts, dict[str, Any]]:
        """Starts a new conversation.

        Args:
            seed: Seed of the world; a scenario that is an object has only one.
            options: ``{"scenario": ...}`` for another scenario from now on.
        """
        super().reset(seed=seed)
        scenario = (options or {}).get("scenario")
        takes_seed = isinstance(scenario, str) or (scenario is None and self._env.takes_seed)
        shown = self._env.reset(scenario, seed if takes_seed else None)
        return _texts(shown), _info(shown)

    def step(self, action: str) -> tuple[Texts, float, bool, bool, dict[str, Any]]:
        """Acts as the agent."""
        try:
            shown = self._env.step(json.loads(action))
        except (ValueError, RecursionError, AgentError):
            # No JSON, or JSON that is no action.
            shown = self._env.step(action)
        return _texts(shown), shown.reward, shown.terminated, shown.truncated, _info(shown)

    def render(self) -> str | None:
        """The conversation so far as a text."""
        return self._env.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Abandons the conversation."""
        self._env.close()


def register(name: str, maker: str) -> None:
    """Makes an environment known to ``gymnasium.make``, once.

    Args:
        name: Its id.
        maker: What makes one, as ``module:function``.
    """
    if name not in gymnasium.registry:
        gymnasium.register(name, entry_point=maker)


def _texts(shown: Shown) -> Texts:
    return {"messages": json.dumps(shown.messages), "tools": json.dumps(shown.tools)}


def _info(shown: Shown) -> dict[str, Any]:
    return {**shown.info, "outcome": shown.outcome}
