"""What a run is asked to be, on the command line and in Python, and what is meant where nothing was said."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Self

import attrs

from tool_sandbox.helpers.printable import printable
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.kinds import TEXT, shown
from tool_sandbox.records.options import Option, RunOptions, option, options_of, recorded
from tool_sandbox.runner import DEFAULT_USER
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.selection import select
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.runner.run import PreparedRun
    from tool_sandbox.runner.suites import Suite
    from tool_sandbox.scenarios import ScenarioInfo

TEST_SCENARIO_NAMES = (
    "send_message_with_contact_content_cellular_off_multiple_user_turn",
    "send_message_with_contact_content_cellular_off_multiple_user_turn_10_distraction_tools",
    "send_message_with_contact_content_cellular_off_3_distraction_tools_arg_description_scrambled",
)
"""The scenarios of ``--test_mode``."""

_FILTERS = ("tier", "axis", "subset", "category", "family", "augmentation", "opt_in")
"""Options that choose scenarios by what they are."""


@attrs.define
class Request(RunOptions):
    """What is requested: `RunOptions`, by the names of the flags of the command line, and who plays the agent.

    `fill_in` changes the fields that were left out to what they mean.

    Attributes:
        agent: Name of the agent, or what makes one.
        instruction: What the agent is told in place of every scenario's instruction: ``system_prompt``, read.
    """

    agent: "str | Callable[..., Any]" = attrs.field(
        default="Oracle",
        metadata=option(
            TEXT,
            "the agent (default: Oracle)",
            "agent and user",
            python="The agent: a name as on the command line (``Oracle``, ``openai/MODEL``, ``codex``, "
            "``path/to/file.py:MyAgent``), or a custom loop: a class with ``respond(self, messages, tools)``, a "
            "function ``(messages, tools) -> reply``, or what `agent` made of one. A subclass of ``BaseRole`` will "
            "do, too.",
            is_swept=False,
        ),
    )
    instruction: str | None = attrs.field(default=None, init=False)

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Self:
        """What the flags of a command ask for, be it to play or only to list what there is."""
        names = (field.name for field, _ in options_of(cls))
        return cls(**{name: flags[name] for name in names if flags.get(name) is not None})

    def prepare(self) -> "PreparedRun":
        """Checks the settings and plans what to play."""
        # Commands that only list what there is have no need of it.
        from tool_sandbox.runner.budget import Budget

        self._check()
        self.fill_in()
        suite = self.loaded_suite()
        return self.planned(self._scenarios(suite), suite, Budget(self.budget, self.max_tokens_total))

    def planned(
        self, scenarios: "Sequence[str] | Mapping[str, Scenario] | None", suite: "Suite | None", budget: Budget
    ) -> "PreparedRun":
        """Plans what to play, of settings that are filled in."""
        from tool_sandbox.runner.cluster import cluster_of
        from tool_sandbox.runner.run import prepare_run

        return prepare_run(
            self.agent,
            self.user or DEFAULT_USER,
            scenarios,
            suite=suite,
            categories=self.category,
            seeds=self.seed or (0,),
            trials=self.trials or 1,
            profile=self._profile,
            services=self.services,
            preferred_tool_backend=self.preferred_tool_backend,
            threads=self.concurrency,
            processes=self.processes,
            budget=budget,
            cache=self.cache,
            prices=self.prices,
            instruction=self.instruction,
            tools=self.tools,
            judge=self.judge,
            cluster=cluster_of(self.executor, self.address),
            batch=self.batch,
            batch_patience=self.batch_patience,
        )

    def loaded_suite(self) -> "Suite | None":
        """Loads the suite that is asked for, which runs its code."""
        if self.suite is None:
            for flag in ("clock", "suite_time"):
                if getattr(self, flag) is not None:
                    raise ConfigurationError(f"{flag} can only be used together with suite")
            return None
        clock: Any = self.clock or "frozen"
        from tool_sandbox.runner.suites import load_suite

        return load_suite(
            self.suite,
            clock=clock,
            suite_time=self.suite_time,
            profile=self._profile,
            services=self.services,
            preferred_tool_backend=self.preferred_tool_backend,
        )

    def infos(self, patterns: Sequence[str] | None, suite: "Suite | None") -> "list[ScenarioInfo]":
        """Finds the scenarios that names and filters ask for."""
        return select(
            patterns,
            self.category,
            None if suite is None else suite.infos,
            families=self.family,
            augmentations=self.augmentation,
            axes=self.axis,
            tier=self.tier,
            size=self.subset,
            opt_in=self.opt_in,
        )

    def fill_in(self) -> None:
        """Fills in user, scenarios, seeds, trials, rules, services and instruction: as usual, or of a replayed run."""
        from tool_sandbox.runner.replaying import replayed_run
        from tool_sandbox.runner.source import read_instruction

        prompt = self.system_prompt
        if prompt is not None:
            self.instruction = read_instruction(prompt) if isinstance(prompt, Path) else prompt
        parties = (party for party in (self.agent, self.user) if isinstance(party, str))
        run = next((path for path in map(replayed_run, parties) if path is not None), None)
        if run is not None:
            self._follow(run)
        self.user = self.user or DEFAULT_USER
        for field, declared in options_of(type(self)):
            if getattr(self, field.name) is None:
                setattr(self, field.name, declared.usual)

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
        stored = recorded(run) | {"clock": suite.get("clock"), "suite_time": suite.get("time")}
        for field, declared in options_of(type(self)):
            if declared.is_repeated and getattr(self, field.name) == field.default and field.name in stored:
                setattr(self, field.name, stored[field.name])
        if self.instruction is None:
            self.instruction = instruction and instruction["text"]
        if self.services == "offline":
            services = run["services"].get("choice", "offline")
            if ":" in services:
                # A file may not name another one to be read or written.
                told = f"{path} had other services; repeat them: --services {printable(quote(services))}"
                raise ConfigurationError(told)
            self.services = services

    def _check(self) -> None:
        """Refuses values that the command line cannot be given."""
        if self.scenarios is not None and not isinstance(self.scenarios, Mapping) and not self.scenarios:
            raise ConfigurationError("--scenarios needs at least one name; see: tool_sandbox scenarios list")
        if isinstance(self.system_prompt, str) and not self.system_prompt.strip():
            raise ConfigurationError("the system prompt is empty")
        for field, declared in options_of(type(self)):
            value = getattr(self, field.name)
            # Those that are more in Python are looked at when they are found.
            if value != field.default and declared.python is None:
                _check(field.name, declared, value)

    @property
    def _filters(self) -> bool:
        return any(getattr(self, name) for name in _FILTERS)

    @property
    def _chooses(self) -> bool:
        """Whether it says which scenarios are meant."""
        return self.scenarios is not None or self.test_mode or self._filters

    @property
    def _profile(self) -> Profile | None:
        return None if self.profile is None else Profile(self.profile)

    def _scenarios(self, suite: "Suite | None") -> "Sequence[str] | Mapping[str, Scenario] | None":
        if isinstance(self.scenarios, Mapping):
            asked = [name for name in (*_FILTERS, "test_mode", "profile", "suite") if getattr(self, name)]
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
        if not any(getattr(self, name) for name in _FILTERS if name != "category"):
            return self.scenarios
        return [info.name for info in self.infos(self.scenarios, suite)]


def _check(name: str, declared: Option, value: Any) -> None:
    """Refuses what an option cannot be: a value, or one of several."""
    kind = declared.kind
    if kind.choices and isinstance(value, str) and value not in kind.choices:
        raise UnknownNameError(f"there is no {name} {value!r}.", suggest(value, kind.choices))
    try:
        for one in value if declared.several else [value]:
            kind.read(one)
        if declared.several == "some" and not value:
            raise ValueError
    except (TypeError, ValueError):
        words = f"one {kind.words.removeprefix('a ')} or several" if declared.several else kind.words
        raise ConfigurationError(f"{name} has to be {words}, not {shown(value)}") from None
