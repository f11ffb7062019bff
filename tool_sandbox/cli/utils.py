"""Published names of the command line, for programs that drive it from Python."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import auto
from pathlib import Path
from typing import TYPE_CHECKING

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.conversation.tool_discovery import ToolBackend, get_all_tools
from tool_sandbox.records.result import Result
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.casting import Cast
from tool_sandbox.runner.plan import make_plan
from tool_sandbox.runner.replaying import Kind
from tool_sandbox.runner.request import TEST_SCENARIO_NAMES as TEST_SCENARIO_NAMES
from tool_sandbox.runner.summary import by_category, counted_categories
from tool_sandbox.world.enums import UpperStrEnum

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario


class RoleImplType(UpperStrEnum):
    """Names under which roles can be chosen; ``tool_sandbox agents`` says which are ready to use."""

    Hermes = auto()
    Gorilla = auto()
    GPT_3_5_0125 = auto()
    GPT_4_0125 = auto()
    GPT_4_o_2024_05_13 = auto()
    Claude_3_Opus = auto()
    Claude_3_Sonnet = auto()
    Claude_3_Haiku = auto()
    Gemini_1_0 = auto()
    Gemini_1_5 = auto()
    Gemini_1_5_Flash = auto()
    Cli = auto()
    Deterministic = auto()
    MistralOpenAIServer = auto()
    Cohere_Command_R = auto()
    Cohere_Command_R_Plus = auto()
    Unhelpful = auto()
    Oracle = auto()
    Scripted = auto()


class _Factories(Mapping[str, "Callable[[], BaseRole]"]):
    """Name to what makes the role; nothing of a role is imported before it is looked up."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def _names(self) -> list[str]:
        from tool_sandbox.roles.registry import role_names

        return role_names(self._kind)

    def __getitem__(self, name: str) -> Callable[[], BaseRole]:
        if str(name) not in self._names():
            raise KeyError(name)
        return Cast.find(str(name), self._kind).factory

    def __iter__(self) -> Iterator[str]:
        known = RoleImplType.__members__
        return iter([known.get(name, name) for name in self._names()])

    def __len__(self) -> int:
        return len(self._names())


AGENT_TYPE_TO_FACTORY: Mapping[str, Callable[[], BaseRole]] = _Factories("agent")
"""Name of an agent to what makes it. Looking one up checks that its key and package are there."""

USER_TYPE_TO_FACTORY: Mapping[str, Callable[[], BaseRole]] = _Factories("user")
"""Name of a user to what makes it. Looking one up checks that its key and package are there."""


def resolve_scenarios(
    desired_scenario_names: Iterable[str] | None, preferred_tool_backend: ToolBackend = ToolBackend.DEFAULT
) -> "dict[str, Scenario]":
    """Builds scenarios of the suite by their exact names."""
    from tool_sandbox.scenarios import list_scenarios, named_scenarios

    backend = ToolBackend(preferred_tool_backend)
    if desired_scenario_names is None:
        return named_scenarios(preferred_tool_backend=backend)
    names = list(dict.fromkeys(desired_scenario_names))
    if unknown := sorted(set(names) - {info.name for info in list_scenarios()}):
        raise KeyError(f"desired scenarios do not exist: {unknown}")
    return named_scenarios(preferred_tool_backend=backend, names=names)


def run_scenario(
    name_and_scenario: "tuple[str, Scenario]", *, agent_type: str, user_type: str, output_directory: str | Path
) -> Result:
    """Plays and scores one scenario with fresh roles, which are torn down whatever happens."""
    from tool_sandbox.runner.player import Player
    from tool_sandbox.runner.source import GivenScenarios

    name, scenario = name_and_scenario
    directory = Path(output_directory)
    directory.mkdir(parents=True, exist_ok=True)
    agent, user = Cast.find(str(agent_type), "agent"), Cast.find(str(user_type), "user")
    player = Player(agent.factory, user.factory, GivenScenarios({name: scenario}), directory)
    return player(make_plan([name])[0])


def get_category_summary(result_summary: Sequence[Result]) -> dict[str, dict[str, list[float]]]:
    """Collects scores per category."""
    return {
        category: {key: [result[key] for result in results] for key in ("similarity", "turn_count")}
        for category, results in by_category(result_summary).items()
    }


def get_category_to_scenario_count(name_to_scenario: "Mapping[str, Scenario]") -> Counter[str]:
    """Counts scenarios per category, and all of them as ``ALL_CATEGORIES``; see ``get_category_summary``."""
    return Counter(
        category for scenario in name_to_scenario.values() for category in counted_categories(scenario.categories)
    )


def get_necessary_tool_name_to_scenario_count(name_to_scenario: "Mapping[str, Scenario]") -> Counter[str]:
    """Counts how many scenarios need each tool."""
    present = {category for scenario in name_to_scenario.values() for category in scenario.categories}
    factor = len(present & _WAYS_OF_OFFERING)
    counts = Counter(dict.fromkeys(get_all_tools(), 0))
    for scenario in name_to_scenario.values():
        if ScenarioCategories.NO_DISTRACTION_TOOLS in scenario.categories:
            counts.update(scenario.starting_context.tool_allow_list or ())
    return Counter({name: count * factor for name, count in counts.items()})


_WAYS_OF_OFFERING = frozenset(
    {
        ScenarioCategories.NO_DISTRACTION_TOOLS,
        ScenarioCategories.THREE_DISTRACTION_TOOLS,
        ScenarioCategories.TEN_DISTRACTION_TOOLS,
        ScenarioCategories.ALL_TOOLS_AVAILABLE,
        ScenarioCategories.TOOL_NAME_SCRAMBLED,
        ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED,
        ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED,
        ScenarioCategories.ARG_NAME_SCRAMBLED,
        ScenarioCategories.ARG_TYPE_SCRAMBLED,
    }
)
