"""The ways in which tools are offered."""

import copy

import tool_sandbox.tools
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.conversation.tool_discovery import ToolBackend, rank_tools_by_similarity
from tool_sandbox.play.scenario import Scenario


def augment(scenarios: dict[str, Scenario], backend: ToolBackend) -> dict[str, Scenario]:
    augmented = dict(scenarios)
    for name, scenario in scenarios.items():
        distracted = copy.deepcopy(scenario)
        context = distracted.starting_context
        ranked = rank_tools_by_similarity(context.tool_allow_list, tool_sandbox.tools, backend)
        context.tool_allow_list += ranked[:3]
        distracted.categories[-1] = ScenarioCategories.THREE_DISTRACTION_TOOLS
        augmented[f"{name}_3_distraction_tools"] = distracted
        scrambled = copy.deepcopy(distracted)
        scrambled.starting_context.tool_augmentation_list = [ScenarioCategories.TOOL_NAME_SCRAMBLED]
        scrambled.categories.append(ScenarioCategories.TOOL_NAME_SCRAMBLED)
        augmented[f"{name}_3_distraction_tools_tool_name_scrambled"] = scrambled
    return augmented
