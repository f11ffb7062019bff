"""What a run is asked to be, on the command line and in Python, and what is meant where nothing was said."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Self

import attrs

from tool_sandbox.helpers.printable import printable
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.runner import DEFAULT_USER
from tool_sandbox.runner.selection import select
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.runner.player import RoleFactory
    from tool_sandbox.runner.run import PreparedRun
    from tool_sandbox.runner.suites import Suite
    from tool_sandbox.scenarios import ScenarioInfo

TEST_SCENARIO_NAMES = (
    "send_message_with_contact_content_cellular_off_multiple_user_turn",
    "send_message_with_contact_content_cellular_off_multiple_user_turn_10_distraction_tools",
    "send_message_with_contact_content_cellular_off_3_distraction_tools_arg_description_scrambled",
)
"""The scenarios of ``--test_mode``."""


@attrs.define(kw_only=True)
class Request:
    """What is requested; every field is named like its flag of the command line.

    `fill_in` changes the fields that were left out to what they mean.

    Attributes:
        agent: Name of the agent, or what makes one.
        user: Name of the user, or what makes one.
        system_prompt: File with what the agent is told in place of every scenario's instruction.
        instruction: The text itself, which ``system_prompt`` is read into.
        scenarios: Names and patterns of scenarios of the suite, or name to scenario.
        category: Only scenarios with one of these tags.
        family: Only scenarios of these families.
        augmentation: Only these augmentations.
        opt_in: Also the opt-in augmentations.
        test_mode: Only a few scenarios, as a smoke test.
        seed: Seeds of the worlds.
        trials: Trials per scenario.
        profile: Scoring rules.
        suite: Where a suite from elsewhere is.
        clock: How time passes in it.
        suite_time: Time at which it is loaded.
        budget: US dollars that the run may spend.
        max_tokens_total: Tokens that it may use.
        judge: Model that gives a second opinion.
        cache: Directory of stored answers.
        prices: File with prices.
        concurrency: Conversations at once.
        processes: Worker processes.
        services: Backend of the search tools.
        preferred_tool_backend: Backend of tools that have several.
    """

    agent: "str | RoleFactory" = "Oracle"
    user: "str | RoleFactory | None" = None
    system_prompt: Path | None = None
    instruction: str | None = None
    scenarios: "Sequence[str] | Mapping[str, Scenario] | None" = None
    category: Sequence[str] = ()
    family: Sequence[str] = ()
    augmentation: Sequence[str] = ()
    opt_in: bool = False
    test_mode: bool = False
    seed: Sequence[int] | None = None
    trials: int | None = None
    profile: str | None = None
    suite: str | None = None
    clock: Any = None
    suite_time: str | None = None
    budget: float | None = None
    max_tokens_total: int | None = None
    judge: str | None = None
    cache: Path | None = None
    prices: Path | None = None
    concurrency: int | None = None
    processes: int | None = None
    services: str = "offline"
    preferred_tool_backend: str = "DEFAULT"

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Self:
        """What the flags of a command ask for, be it to play or only to list what there is.

        Args:
            flags: Name to value, as ``vars`` of parsed flags gives them; those that are of no concern here are ignored.
        """
        return cls(**{field.name: flags[field.name] for field in attrs.fields(cls) if field.name in flags})

    def prepare(self) -> "PreparedRun":
        """Checks the settings and plans what to play.

        Raises:
            ConfigurationError: It asks for something that cannot be done.
        """
        # Commands that only list what there is have no need of it.
        from tool_sandbox.runner.budget import Budget
        from tool_sandbox.runner.run import prepare_run

        self._check()
        self.fill_in()
        suite = self.loaded_suite()
        return prepare_run(
            self.agent,
            self.user or DEFAULT_USER,
            self._scenarios(suite),
            suite=suite,
            categories=self.category,
            seeds=self.seed or (0,),
            trials=self.trials or 1,
            profile=self._profile,
            services=self.services,
            preferred_tool_backend=self.preferred_tool_backend,
            threads=self.concurrency,
            processes=self.processes,
            budget=Budget(self.budget, self.max_tokens_total),
            cache=self.cache,
            prices=self.prices,
            instruction=self.instruction,
            judge=self.judge,
        )

    def loaded_suite(self) -> "Suite | None":
        """Loads the suite that is asked for, which runs its code.

        Returns:
            The suite, ``None`` for that of this package.

        Raises:
            ConfigurationError: It cannot be loaded, or a flag belongs to a suite and there is none.
        """
        if self.suite is None:
            for flag in ("clock", "suite_time"):
                if getattr(self, flag) is not None:
                    raise ConfigurationError(f"--{flag.replace('_', '-')} can only be used together with --suite")
            return None
        from tool_sandbox.runner.suites import load_suite

        return load_suite(
            self.suite,
            clock=self.clock or "frozen",
            suite_time=self.suite_time,
            profile=self._profile,
            services=self.services,
            preferred_tool_backend=self.preferred_tool_backend,
        )

    def infos(self, patterns: Sequence[str] | None, suite: "Suite | None") -> "list[ScenarioInfo]":
        """Finds the scenarios that names and filters ask for.

        Args:
            patterns: Names and patterns, ``None`` for all.
            suite: The suite to choose from, ``None`` for that of this package.

        Returns:
            The scenarios in order.

        Raises:
            ConfigurationError: Something of that name does not exist, or nothing is left.
        """
        return select(
            patterns,
            self.category,
            None if suite is None else suite.infos,
            families=self.family,
            augmentations=self.augmentation,
            opt_in=self.opt_in,
        )

    def fill_in(self) -> None:
        """Fills in user, scenarios, seeds, trials, rules, services and instruction: as usual, or of a replayed run.

        Raises:
            ConfigurationError: A stored run or the file of the instruction cannot be read.
        """
        from tool_sandbox.runner.instruction import read_instruction
        from tool_sandbox.runner.replaying import replayed_run

        if self.system_prompt is not None:
            self.instruction = read_instruction(self.system_prompt)
        parties = (party for party in (self.agent, self.user) if isinstance(party, str))
        run = next((path for path in map(replayed_run, parties) if path is not None), None)
        if run is not None:
            self._follow(run)
        self.user = self.user or DEFAULT_USER
        self.seed = self.seed or [0]
        self.trials = self.trials or 1

    def _follow(self, path: Path) -> None:
        """Takes everything that was not given from a stored run."""
        from tool_sandbox.runner.replaying import PREFIX, stored_choice
        from tool_sandbox.runner.store import RunDirectory

        run = RunDirectory(path).read_run()
        suite: Mapping[str, Any] = run["suite"] or {}
        instruction = run.get("instruction")
        if self.user is None:
            user = stored_choice(path, "user")
            # The scripted user needs nothing stored; a model or a person would have to be asked.
            self.user = user if user == DEFAULT_USER else f"{PREFIX}{path}"
        if not self._chooses:
            name = suite.get("name")
            if name is not None and self.suite is None:
                raise ConfigurationError(f"the run was played with suite {name}; give its path with --suite PATH")
            self.scenarios = list(dict.fromkeys(episode["scenario_name"] for episode in run["episodes"]))
        stored: dict[str, Any] = {
            "seed": run["seeds"],
            "trials": run["trials"],
            "profile": run["profile"],
            "clock": suite.get("clock"),
            "suite_time": suite.get("time"),
            "instruction": instruction and instruction["text"],
        }
        for flag, value in stored.items():
            if getattr(self, flag) is None:
                setattr(self, flag, value)
        if self.services == "offline":
            services = run["services"].get("choice", "offline")
            if ":" in services:
                # A file may not name another one to be read or written.
                told = f"{path} had other services; repeat them: --services {printable(quote(services))}"
                raise ConfigurationError(told)
            self.services = services
        if self.preferred_tool_backend == "DEFAULT":
            self.preferred_tool_backend = run["preferred_tool_backend"]

    def _check(self) -> None:
        """Refuses values that the command line cannot be given."""
        if self.instruction is not None and not self.instruction.strip():
            raise ConfigurationError("the system prompt is empty")
        for name in ("trials", "concurrency", "processes", "max_tokens_total"):
            if (number := getattr(self, name)) is not None and not (_is_whole(number) and number > 0):
                raise ConfigurationError(f"{name} has to be a positive whole number, not {number!r:.80}")
        if self.seed is not None and not (self.seed and all(map(_is_whole, self.seed))):
            raise ConfigurationError(f"seed has to be one whole number or several, not {self.seed!r:.80}")
        if self.budget is not None and not 0 < self.budget < math.inf:
            raise ConfigurationError(f"budget has to be an amount in US dollars, not {self.budget!r:.80}")

    @property
    def _filters(self) -> bool:
        return bool(self.category or self.family or self.augmentation or self.opt_in)

    @property
    def _chooses(self) -> bool:
        """Whether it says which scenarios are meant."""
        return self.scenarios is not None or self.test_mode or self._filters

    @property
    def _profile(self) -> Profile | None:
        if self.profile is None:
            return None
        if self.profile not in list(Profile):
            raise UnknownNameError(f"there is no profile {self.profile!r}.", suggest(self.profile, Profile))
        return Profile(self.profile)

    def _scenarios(self, suite: "Suite | None") -> "Sequence[str] | Mapping[str, Scenario] | None":
        if isinstance(self.scenarios, Mapping):
            own = ["category", "family", "augmentation", "opt_in", "test_mode", "profile", "suite"]
            asked = [name for name in own if getattr(self, name)]
            asked += ["services"] * (self.services != "offline") + ["seed"] * any(self.seed or ())
            if asked:
                raise ConfigurationError(
                    f"{asked[0]} is for scenarios by name; Scenario objects are played as they are"
                )
            return self.scenarios
        if self.test_mode:
            if self.scenarios is not None:
                raise ConfigurationError("--test-mode chooses the scenarios itself; leave out --scenarios")
            if suite is None:
                return list(TEST_SCENARIO_NAMES)
            return [name for name in TEST_SCENARIO_NAMES if name in suite] or list(suite)[: len(TEST_SCENARIO_NAMES)]
        if self.scenarios is not None and not self.scenarios:
            raise ConfigurationError("--scenarios needs at least one name; see: tool_sandbox scenarios list")
        if not (self.family or self.augmentation or self.opt_in):
            return self.scenarios
        return [info.name for info in self.infos(self.scenarios, suite)]


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
