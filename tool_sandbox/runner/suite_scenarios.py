"""What a scenario package offers: its scenarios, its tools, and what can be said about them."""

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.runner.suite_import import SuiteModules
from tool_sandbox.world.errors import ScenarioError

if TYPE_CHECKING:
    from tool_sandbox.conversation.tool_discovery import ToolBackend
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scenarios import ScenarioInfo
    from tool_sandbox.world.tool import ToolFunction

FUNCTION = "named_scenarios"
"""Function of a package that builds its scenarios."""

MAPPING = "SCENARIOS"
"""Mapping of a package that holds its scenarios."""


@attrs.frozen
class Offer:
    """The scenarios that a package offers, to be built.

    Attributes:
        build: Builds them for a backend of tools and a seed.
        takes_seed: Whether seeds other than 0 give other instances.
        version: Version of the package.
    """

    build: "Callable[[ToolBackend, int], Any]"
    takes_seed: bool
    version: str | None

    def scenarios(self, backend: "ToolBackend", seed: int) -> "dict[str, Scenario]":
        """Builds the scenarios."""
        from tool_sandbox.play.scenario import Scenario

        built = self.build(backend, seed)
        if not isinstance(built, Mapping):
            raise ScenarioError(f"it has to give a mapping of names to scenarios, not {_kind(built)}")
        scenarios: dict[str, Scenario] = {}
        for name, entry in built.items():
            if not isinstance(name, str) or not name:
                raise ScenarioError(f"the name of a scenario has to be a text, got {name!r}")
            if not isinstance(entry, Scenario):
                raise ScenarioError(f"scenario {name!r} is {_kind(entry)}, not a Scenario")
            scenarios[name] = entry
        if not scenarios:
            raise ScenarioError("it has no scenarios")
        return scenarios


def find_offer(modules: SuiteModules, name: str = "") -> Offer:
    """Finds the scenarios of a package, in this order: a function `FUNCTION`, a mapping `MAPPING`, definitions."""
    root = modules.load(name)
    version = getattr(root, "SUITE_VERSION", getattr(root, "__version__", None))
    version = version if isinstance(version, str) else None
    function, mapping = getattr(root, FUNCTION, None), getattr(root, MAPPING, None)
    if callable(function):
        return _from_function(function, version)
    if mapping is not None:
        return Offer(lambda backend, seed: mapping, False, version)
    members = [member for module in _with_submodules(modules, root) for member in vars(module).values()]
    return _from_definitions(members, version)


def _from_function(function: Callable[..., Any], version: str | None) -> Offer:
    parameters = inspect.signature(function).parameters
    takes_seed = "seed" in parameters

    def build(backend: "ToolBackend", seed: int) -> Any:
        seeds = {"seed": seed} if takes_seed else {}
        if "preferred_tool_backend" in parameters:
            return function(preferred_tool_backend=backend, **seeds)
        # One that is called otherwise is handed over by its position.
        return function(*[backend][: len(parameters) - len(seeds)], **seeds)

    return Offer(build, takes_seed, version)


def _from_definitions(members: list[object], version: str | None) -> Offer:
    """Scenarios that are written in the vocabulary of our own, each in all its augmentations."""
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
    from tool_sandbox.scenarios.build import build
    from tool_sandbox.scenarios.definition import Definition

    definitions = list(dict.fromkeys(member for member in members if isinstance(member, Definition)))
    if not definitions:
        raise ScenarioError(
            f"it has no function {FUNCTION}(preferred_tool_backend), no mapping {MAPPING} and no @scenario"
        )

    def build_all(backend: "ToolBackend", seed: int) -> "dict[str, Scenario]":
        built: dict[str, Scenario] = {}
        for definition in definitions:
            built |= build(definition, AUGMENTATIONS, seed=seed, preferred_tool_backend=backend)
        return built

    return Offer(build_all, True, version)


def _with_submodules(modules: SuiteModules, root: ModuleType) -> list[ModuleType]:
    if hasattr(root, "__path__"):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            modules.load(found.name.removeprefix(f"{modules.private}."))
    return [module for module in modules.loaded() if module.__name__.startswith(root.__name__)]


def own_tools(modules: SuiteModules, backend: "ToolBackend") -> "dict[str, ToolFunction]":
    """Tools that the modules of a package define."""
    from tool_sandbox.conversation.tool_discovery import choose_tools, registered_tools
    from tool_sandbox.world.tool import Tool

    members = [
        (member.__name__, member)
        for module in modules.loaded()
        for member in list(vars(module).values())
        if isinstance(member, FunctionType)
        and Tool.is_registered(member)
        and f"{member.__module__}.".startswith(f"{modules.private}.")
    ]
    try:
        tools = choose_tools(members, backend)
    except KeyError as error:
        raise ScenarioError(str(error.args[0])) from error
    if taken := sorted(tools.keys() & registered_tools(backend).keys()):
        raise ScenarioError(f"its tool {taken[0]!r} has the name of a tool that every world has")
    return tools


def describe(suite: "Mapping[str, Scenario]") -> "list[ScenarioInfo]":
    """Says about each scenario of a suite what can be said without playing it."""
    from tool_sandbox.scenarios import ScenarioInfo
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS

    suffixes = sorted(AUGMENTATIONS, key=lambda augmentation: -len(augmentation.suffix))
    infos = []
    for name, scenario in suite.items():
        augmentation = next(
            found for found in suffixes if name.endswith(found.suffix) and name.removesuffix(found.suffix) in suite
        )
        infos.append(
            ScenarioInfo(
                name=name,
                base_name=name.removesuffix(augmentation.suffix),
                family=scenario.family,
                augmentation=augmentation.name,
                categories=tuple(scenario.categories),
                goal=scenario.goal or _request(scenario),
            )
        )
    return infos


def _request(scenario: "Scenario") -> str:
    """First line of what the user asks the agent for at the start, empty if that comes later."""
    from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType

    context = scenario.starting_context
    index = context.first_user_sandbox_message_index
    if index < 0:
        return ""
    (message,) = context.get_table(DatabaseNamespace.SANDBOX, index).dicts()
    return (message["content"] or "").partition("\n")[0] if message["recipient"] == RoleType.AGENT else ""


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"
