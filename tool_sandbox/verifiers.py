"""Scenarios as an environment of verifiers, with the extra ``verifiers``: tasks, and the harness that plays them.

Nobody needs to import this module: verifiers finds what is in it by the name ``tool-sandbox``.
"""

import functools
import math
import random
import ssl
from collections.abc import Iterator

import certifi
import openai
from pydantic import Field, model_validator

from tool_sandbox.api.env import Env
from tool_sandbox.api.rollout import Rollout
from tool_sandbox.runner.splits import Split, scenarios_in, seed_in
from tool_sandbox.runner.tiers import select_in
from tool_sandbox.scenarios import ScenarioInfo
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError

try:
    import verifiers.v1 as vf
except ImportError as error:
    raise MissingRequirementError("verifiers needs the extra: pip install 'tool_sandbox[verifiers]'") from error

__all__ = ["ToolSandboxEnv", "ToolSandboxHarness", "ToolSandboxTaskset"]

KEY = "tool_sandbox"
"""Under which the trace of a rollout has what it is worth, and why."""


class ToolSandboxData(vf.TaskData):
    """Which conversation is played, and how; the arguments of `Env`."""

    scenario: str
    seed: int
    user: str | None = None
    profile: str | None = None
    services: str = "offline"
    reward: str = "score"
    discount: float = 1.0

    def environment(self) -> Env:
        """Where it is played."""
        given = self.model_dump(include={"seed", "user", "profile", "services", "reward", "discount"})
        return Env(self.scenario, **given)


class ToolSandboxConfig(vf.TasksetConfig):
    """Which tasks there are."""

    tier: str = "core"
    """Tier of the suite."""
    split: Split = "train"
    """Worlds to train on, or to evaluate on: no seed of a world is in both, whatever else is asked for."""
    seed: int = 0
    """Where the seeds of the worlds begin; with 0, those that are held out begin with the worlds of a run."""
    size: int | None = Field(None, ge=1)
    """Number of tasks; by default one for each scenario."""
    scenarios: list[str] = Field(default_factory=list)
    """Names or patterns of scenarios; by default all."""
    tags: list[str] = Field(default_factory=list)
    """Categories, of which a scenario has to have one."""
    families: list[str] = Field(default_factory=list)
    """Families of scenarios."""
    augmentations: list[str] = Field(default_factory=list)
    """How the scenarios are offered; `no_distraction_tools` for as they are."""
    held_out_families: list[str] = Field(default_factory=list)
    """Families that are left out of `train`, and alone in `held_out`."""
    user: str | None = None
    """Who plays the user, a name as for `--user`; by default the scripted one."""
    profile: str | None = None
    """Rules of the scoring, `strict` or `published`."""
    services: str = "offline"
    """What stands behind the search tools."""
    reward: str = "score"
    """`score`, or `dense`: the sum of the dense rewards."""
    discount: float = 1.0
    """Factor by which a dense reward is worth less one action later."""

    @model_validator(mode="after")
    def _can_be_played(self) -> "ToolSandboxConfig":
        try:
            self.data(self.chosen()[0].name).environment().close()
        except ConfigurationError as error:
            raise ValueError(str(error)) from None
        return self

    def chosen(self) -> list[ScenarioInfo]:
        """The scenarios.

        Raises:
            ConfigurationError: There are none, or no such tier.
        """
        infos = select_in(self.tier, self.scenarios, self.tags, self.families, self.augmentations)
        return scenarios_in(self.split, infos, self.held_out_families)

    def data(self, scenario: str, again: int = 0, goal: str = "") -> ToolSandboxData:
        """The task of a scenario, in one world after another."""
        seed = seed_in(self.split, self.seed + again)
        name = f"{scenario}__seed_{seed}"
        given = self.model_dump(include={"user", "profile", "services", "reward", "discount"})
        return ToolSandboxData(id=name, name=name, prompt=goal, scenario=scenario, seed=seed, **given)


class ToolSandboxTask(vf.Task[ToolSandboxData]):
    """One conversation, and what it is worth."""

    async def setup(self, trace: vf.Trace) -> None:
        """Refuses a harness that knows nothing of the world and the user.

        Raises:
            ConfigurationError: It is another one than `ToolSandboxHarness`.
        """
        harness = None if trace.agent is None else trace.agent.config.harness
        if not isinstance(harness, ToolSandboxHarnessConfig | None):
            raise ConfigurationError("tasks of ToolSandbox are played by its own harness; leave out harness.id")

    @vf.reward
    async def reward(self, trace: vf.Trace) -> float:
        """The rewards of all actions, as `Env` pays them; nothing for what was not played."""
        return math.fsum(trace.info.get(KEY, {}).get("rewards", ()))

    @vf.metric
    async def conversation(self, trace: vf.Trace) -> dict[str, float]:
        """Numbers of the conversation."""
        if not (told := trace.info.get(KEY)):
            return {}
        return {
            **{name: float(told[name]) for name in ("score", "success", "milestones_met")},
            **{name: float(len(told[name])) for name in ("milestones", "side_effects", "unsupported")},
        }


class ToolSandboxTaskset(vf.Taskset[ToolSandboxTask, ToolSandboxConfig]):
    """The scenarios in worlds of a split, in an order by the seed."""

    def load(self) -> Iterator[ToolSandboxTask]:
        """Every scenario in its first world, then every scenario in its second one, and so on."""
        config, infos = self.config, self.config.chosen()
        random.Random(config.seed).shuffle(infos)
        for number in range(config.size or len(infos)):
            again, place = divmod(number, len(infos))
            yield ToolSandboxTask(config.data(infos[place].name, again, infos[place].goal), config.task)


class ToolSandboxHarnessConfig(vf.HarnessConfig):
    """Has no settings of its own: how a conversation is played is part of its task."""


class ToolSandboxHarness(vf.Harness[ToolSandboxHarnessConfig]):
    """Plays the world, the user and the tools of a conversation, in this process; the model is the agent."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Plays to the end, or to where verifiers ends it.

        Raises:
            ConfigurationError: The task is none of ToolSandbox.
            InfrastructureError: The conversation has no score, through no fault of the model.
            APIError: The model could not be asked.
        """
        if not isinstance(data, ToolSandboxData):
            raise ConfigurationError("this harness plays tasks of ToolSandbox only")
        rollout = Rollout(data.environment, data.system_prompt)
        http, timeout = openai.DefaultAsyncHttpxClient(verify=_certificates()), openai.Timeout(None, connect=5.0)
        try:
            async with openai.AsyncOpenAI(
                base_url=endpoint, api_key=secret, timeout=timeout, http_client=http
            ) as client:
                await rollout.play(client, ctx.model, lambda: trace.stop_condition)
        finally:
            trace.info[KEY] = rollout.told()
        return vf.ProgramResult(0, "", "")


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than all else that a short conversation needs."""
    return ssl.create_default_context(cafile=certifi.where())


class ToolSandboxEnvConfig(vf.SingleAgentEnvConfig):
    """The one agent, for which nothing but its model has to run."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ToolSandboxEnv(vf.SingleAgentEnv, vf.Env[ToolSandboxEnvConfig]):
    """A conversation between the user and the model, whose tools are those of the world."""
