"""A package of scenarios with a tool and a reference solution of its own."""

import garden.plants
from garden.tools import note_watering as note_watering
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
)
from tool_sandbox.conversation.tool_discovery import rank_tools_by_similarity
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.scoring import Evaluation, Milestone, MilestoneMatcher, SnapshotConstraint
from tool_sandbox.world.script import Call, Say, Solution

__version__ = "3.1"

print("The garden is loaded.")


def solve() -> Solution:
    for plant in garden.plants.THIRSTY:
        yield Call("note_watering", {"plant": plant})
    yield Say("Noted.")


def world() -> ExecutionContext:
    context = ExecutionContext(tool_allow_list=["note_watering", "end_conversation"])
    request = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "I have watered the fern and the fig"}
    imports = {
        "sender": RoleType.SYSTEM,
        "recipient": RoleType.EXECUTION_ENVIRONMENT,
        "content": f"from {note_watering.__module__} import note_watering",
    }
    context.add_to_database(DatabaseNamespace.SANDBOX, [imports, request])
    return context


def was_noted(snapshot: object, **_: object) -> float:
    from .plants import THIRSTY

    return float(snapshot["content"].to_list() == [f"watered the {plant}" for plant in THIRSTY])


def named_scenarios() -> dict[str, Scenario]:
    def scenario(context: ExecutionContext, level: ScenarioCategories) -> Scenario:
        noted = Milestone([SnapshotConstraint(DatabaseNamespace.REMINDER, was_noted)])
        categories = [ScenarioCategories.MULTIPLE_TOOL_CALL, level]
        return Scenario(context, Evaluation(MilestoneMatcher([noted])), categories=categories, solution=solve)

    import tool_sandbox.tools

    distracted = world()
    distracted.tool_allow_list += rank_tools_by_similarity(["note_watering"], tool_sandbox.tools, "DEFAULT")[:3]
    return {
        "note_two": scenario(world(), ScenarioCategories.NO_DISTRACTION_TOOLS),
        "note_two_3_distraction_tools": scenario(distracted, ScenarioCategories.THREE_DISTRACTION_TOOLS),
    }
