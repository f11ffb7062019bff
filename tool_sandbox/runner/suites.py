"""Suites of others: scenario packages, the published benchmark among them, played on this engine.

Loading a suite runs its code. Its scenarios, and tools that it registers, are its own; world, tools, roles and scoring
are those of this package.
"""

import contextlib
import contextvars
import copy
import datetime
import math
import random
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext, get_current_context, set_current_context
from tool_sandbox.conversation.tool_discovery import ToolBackend, additional_tools
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.source import apply_choices
from tool_sandbox.runner.suite_import import SuiteModules
from tool_sandbox.runner.suite_location import SuiteLocation, locate
from tool_sandbox.runner.suite_scenarios import Offer, describe, find_offer, own_tools
from tool_sandbox.runner.suite_sources import RANDOM_SEED, stand_ins
from tool_sandbox.world.clock import Clock, ScenarioClock, SystemClock, use_clock
from tool_sandbox.world.errors import ConfigurationError, ScenarioError
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.tool import ToolFunction

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scenarios import ScenarioInfo

SuiteClock = Literal["frozen", "ticking", "system"]
"""How time passes in scenarios that have no clock of their own."""

CLOCKS: tuple[SuiteClock, ...] = ("frozen", "ticking", "system")

_Result = TypeVar("_Result")
_loading = threading.RLock()
_builder: "contextvars.ContextVar[Suite | None]" = contextvars.ContextVar("builder", default=None)
"""The suite whose code is run to build its scenarios, in a copied context."""


@attrs.frozen
class SuiteRequest:
    """What is needed to load the same suite again, in this or in another process.

    Attributes:
        location: Where it is.
        preferred_tool_backend: Backend of tools that have several.
        profile: Rules that replace those of the scenarios, ``None`` to keep them.
        services: Backend of the search tools: ``offline``, ``rapidapi``, ``record:PATH`` or ``replay:PATH``.
        clock: How time passes.
        time: POSIX time in seconds at which it is loaded, ``None`` for the clock of the machine.
    """

    location: SuiteLocation
    preferred_tool_backend: str = "DEFAULT"
    profile: Profile | None = None
    services: str = "offline"
    clock: SuiteClock = "frozen"
    time: float | None = None


def load_suite(
    suite: str | Path,
    *,
    clock: SuiteClock = "frozen",
    suite_time: str | float | None = None,
    profile: Profile | None = None,
    services: str = "offline",
    preferred_tool_backend: str = "DEFAULT",
) -> "Suite":
    """Loads a scenario package. This runs its code.

    Args:
        suite: Path of a checkout of the published benchmark, of a package, of a Python file or of a folder with one
            of these in it; or the name of an installed module.
        clock: ``frozen``: in every conversation it stays the time at which the suite was loaded. ``ticking``: each
            message takes a second from then on. ``system``: the clock of the machine, from the definition of the
            scenarios on. Scenarios with a clock of their own keep it.
        suite_time: Time at which to load it, in ISO 8601 (of the machine's time zone unless it names another) or as
            POSIX seconds; now by default. The same time gives the same scenarios.
        profile: Rules that replace those of the scenarios; ``published`` is what they have unless they say otherwise.
        services: Backend of the search tools: ``offline``, ``rapidapi``, ``record:PATH`` or ``replay:PATH``.
        preferred_tool_backend: Backend of tools that have several.

    Returns:
        Scenario name to scenario.

    Raises:
        ConfigurationError: There is no such suite, its code fails, or what it offers are not scenarios.
    """
    if clock not in CLOCKS:
        raise ConfigurationError(f"there is no clock {clock!r}; choose one of {', '.join(CLOCKS)}")
    if clock == "system" and suite_time is not None:
        raise ConfigurationError("a suite time makes no sense with the clock of the machine (clock 'system')")
    moment = None if clock == "system" else _moment(time.time() if suite_time is None else suite_time)
    return Suite.load(SuiteRequest(locate(str(suite)), preferred_tool_backend, profile, services, clock, moment))


def _moment(given: str | float) -> float:
    """POSIX time in whole seconds, so that it survives every conversion exactly."""
    try:
        seconds = datetime.datetime.fromisoformat(given).timestamp() if isinstance(given, str) else given
        return float(math.floor(seconds))
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigurationError(f"suite time {given!r} is no time such as 2026-03-14T09:30: {error}") from error


@attrs.define(eq=False)
class Suite(Mapping[str, "Scenario"]):
    """A loaded scenario package: scenario name to scenario.

    Attributes:
        request: How it was loaded.
        content_hash: Fingerprint of its files.
        version: What it calls its version, if it does.
        tools: Tools that it registers.
    """

    request: SuiteRequest
    content_hash: str
    version: str | None = None
    tools: "dict[str, ToolFunction]" = attrs.field(factory=dict)
    _modules: SuiteModules = attrs.field(init=False)
    _offer: Offer = attrs.field(init=False)
    _scenarios: "dict[int, dict[str, Scenario]]" = attrs.field(init=False, factory=dict)
    _chance: random.Random = attrs.field(init=False, factory=lambda: random.Random(RANDOM_SEED))

    @classmethod
    def load(cls, request: SuiteRequest) -> "Suite":
        """Imports the package and builds its scenarios.

        Args:
            request: What to load.

        Raises:
            ConfigurationError: Its code fails, or what it offers are not scenarios.
        """
        with _loading:
            suite = cls(request, request.location.content_hash)
            sources = stand_ins(suite._now, suite._new_id, suite._chance)
            suite._modules = SuiteModules(request.location.package, request.location.path, sources)
            try:
                suite._offer = suite._run(lambda: find_offer(suite._modules, request.location.module))
                suite.version = suite._offer.version
                suite.build(seed=0)
            except BaseException:
                suite._modules.forget()
                raise
            _loaded[request, suite.content_hash] = suite
            return suite

    @property
    def name(self) -> str:
        """Name of the package, the same wherever it lies."""
        return self.request.location.name

    @property
    def identity(self) -> dict[str, Any]:
        """What tells this suite from others in a result: name, version, hash of the files, clock and time."""
        moment = self.request.time
        return {
            "name": self.name,
            "version": self.version,
            "content_hash": self.content_hash,
            "clock": self.request.clock,
            "time": None if moment is None else datetime.datetime.fromtimestamp(moment).astimezone().isoformat(),
        }

    @property
    def infos(self) -> "list[ScenarioInfo]":
        """What can be said about each scenario, in the order of the package."""
        return describe(self)

    def __getitem__(self, name: str) -> "Scenario":
        return self._scenarios[0][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scenarios[0])

    def __len__(self) -> int:
        return len(self._scenarios[0])

    def check_seeds(self, seeds: Iterable[int]) -> None:
        """Refuses seeds that the package knows nothing of.

        Raises:
            ConfigurationError: It has one instance of each scenario, and a seed other than 0 is wanted.
        """
        if any(seeds) and not self._offer.takes_seed:
            raise ConfigurationError(f"suite {self.name} has one instance of each scenario; leave out the seed")

    def build(self, seed: int = 0) -> "dict[str, Scenario]":
        """Instances of all scenarios.

        Args:
            seed: Number of the instance, 0 for the canonical one.

        Returns:
            Scenario name to scenario; not built again when asked for again.

        Raises:
            ConfigurationError: The code of the package fails, what it returns are not scenarios, or it has one
                instance of each.
        """
        self.check_seeds([seed])
        with _loading:
            if seed not in self._scenarios:
                self._scenarios[seed] = self._run(lambda: self._settled(seed))
            return self._scenarios[seed]

    def _settled(self, seed: int) -> "dict[str, Scenario]":
        if seed:
            # Whatever was drawn before, in this process, the instance is the same.
            self._chance.seed(f"{RANDOM_SEED} {seed}")
        scenarios = self._offer.scenarios(self._backend, seed)
        self.tools = own_tools(self._modules, self._backend)
        return {name: self._settled_scenario(name, scenario) for name, scenario in scenarios.items()}

    def _settled_scenario(self, name: str, given: "Scenario") -> "Scenario":
        """A scenario with the clock, the services and the tools of the suite."""
        # A copy, because a package may give one scenario several names, or keep it for later.
        scenario = copy.copy(given)
        scenario.name = name
        context = scenario.starting_context = given.starting_context.fork()
        context.name_to_tool |= self.tools
        if context.clock == self._loading_clock:
            context.clock = self._clock(context.max_sandbox_message_index)
        if context.id_seed is None and self.request.time is not None:
            context.id_seed = f"{self.name}:{name}"
        apply_choices(scenario, self.request.profile, self.request.services)
        return scenario

    def _clock(self, anchor: int) -> Clock:
        """The clock of a conversation that starts after message ``anchor``."""
        if self.request.time is None or self.request.clock == "frozen":
            return self._loading_clock
        return ScenarioClock(self.request.time, zone=None, seconds_per_message=1.0, anchor=anchor)

    @property
    def _loading_clock(self) -> Clock:
        """The clock of worlds that the package makes while it is loaded."""
        moment = self.request.time
        return SystemClock() if moment is None else ScenarioClock(moment, zone=None, seconds_per_message=0.0)

    @property
    def _backend(self) -> ToolBackend:
        return ToolBackend(self.request.preferred_tool_backend)

    # The code of the package -----------------------------------------------------------------

    def _now(self) -> float:
        """Time that the package sees: that of the world it acts in, which while it is loaded is the time of loading."""
        return get_current_context().now()

    def _new_id(self) -> str:
        if _builder.get() is self:
            return str(uuid.UUID(int=self._chance.getrandbits(128), version=4))
        return get_current_context().new_id()

    def _run(self, call: Callable[[], _Result]) -> _Result:
        """Runs code of the package in a world of its own, and says in one line what went wrong there."""
        try:
            return contextvars.copy_context().run(self._run_alone, call)
        except (ConfigurationError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise ConfigurationError(f"suite {self.name} cannot be loaded: {self._cause(error)}") from error

    def _run_alone(self, call: Callable[[], _Result]) -> _Result:
        _builder.set(self)
        # What a package prints while it is loaded is no output of the command.
        with (
            contextlib.redirect_stdout(sys.stderr),
            additional_tools(lambda backend: own_tools(self._modules, backend)),
            use_clock(self._loading_clock),
        ):
            set_current_context(ExecutionContext())
            return call()

    def _cause(self, error: BaseException) -> str:
        """Type, message and place of an error, the place in the package if there is one."""
        lines = str(error).strip().splitlines() or [""]
        message = lines[0].replace(self._modules.private, self._modules.public)
        frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError) and error.filename is not None:
            message = error.msg
            frames.append((error.filename, error.lineno))
        root = self.request.location.path.parent
        inside = [(Path(file), line) for file, line in frames if Path(file).is_relative_to(root)]
        place = f" ({inside[-1][0].relative_to(root).as_posix()}:{inside[-1][1]})" if inside else ""
        # Ours say what is wrong in full; those of Python often make sense only with their type.
        said = message if isinstance(error, ScenarioError) else f"{type(error).__name__}: {message}".removesuffix(": ")
        return f"{said}{place}"


_loaded: dict[tuple[SuiteRequest, str], Suite] = {}
"""The suites of this process. A worker process loads its own, once."""


def loaded_suite(request: SuiteRequest, content_hash: str) -> Suite:
    """The suite of a request, loaded on first use in this process.

    Args:
        request: What to load.
        content_hash: Fingerprint of the files that are expected.

    Raises:
        ConfigurationError: It cannot be loaded, or the files are not those expected.
    """
    with _loading:
        suite = _loaded.get((request, content_hash)) or Suite.load(request)
    if suite.content_hash != content_hash:
        raise ConfigurationError(f"the files of suite {suite.name} were changed during the run")
    return suite


@attrs.frozen
class LoadedSuiteSource:
    """The scenarios of a suite that was loaded from elsewhere; another process loads it again.

    Attributes:
        request: What was loaded.
        content_hash: Fingerprint of its files.
    """

    request: SuiteRequest
    content_hash: str

    def __call__(self, episode: Episode) -> "Scenario":
        """Returns the scenario of an episode.

        Raises:
            ConfigurationError: The suite cannot be loaded as it was before.
            KeyError: There is no scenario of this name.
        """
        return loaded_suite(self.request, self.content_hash).build(episode.seed)[episode.scenario_name]
