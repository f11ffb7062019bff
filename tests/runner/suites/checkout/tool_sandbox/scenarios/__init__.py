"""A suite laid out like the published checkout, whose modules find each other in every way that Python knows."""

import random

import tool_sandbox.scenarios.phone_scenarios as phone
from tool_sandbox.scenarios.augmenting import augment
from tool_sandbox.scenarios.start_worlds import USER_INSTRUCTION as USER_INSTRUCTION

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.conversation.tool_discovery import ToolBackend
from tool_sandbox.play.scenario import Scenario

from . import errands


def named_scenarios(preferred_tool_backend: ToolBackend) -> dict[str, Scenario]:
    from tool_sandbox.scenarios import start_worlds

    worlds = start_worlds.start_worlds(preferred_tool_backend)
    extensions = [*phone.extensions(worlds), *errands.extensions(worlds)]
    scenarios: dict[str, Scenario] = {}
    for extension in extensions:
        random.shuffle(extension.tool_allow_list)
        scenarios |= extension.get_extended_scenario()
    for scenario in scenarios.values():
        scenario.categories.append(ScenarioCategories.NO_DISTRACTION_TOOLS)
    return augment(scenarios, preferred_tool_backend)
