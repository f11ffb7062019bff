"""A suite in one file, in the vocabulary of the scenarios of this package, with a tool of its own."""

from tool_sandbox.answers.facts import Switch
from tool_sandbox.conversation.execution_context import DatabaseNamespace, get_current_context
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, call, say, setting
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.utils import register_as_tool


@register_as_tool()
def leave_wireless_network() -> None:
    """Leave the wireless network.

    Returns:
        Nothing.
    """
    context = get_current_context()
    device = context.get_table(DatabaseNamespace.SETTING).dicts()
    context.set_rows(DatabaseNamespace.SETTING, [row | {"wifi": False} for row in device])


@scenario()
def leave_the_network(world: World) -> Task:
    """Leave the wireless network by the tool that does just this."""
    return Task(
        user=world.phrase("Leave the wireless network.", "Please disconnect me from wifi."),
        tools=["leave_wireless_network"],
        milestones=[setting(wifi=False), answer(Switch("wifi", on=False))],
        solution=[call("leave_wireless_network"), say("Wifi is off now.")],
    )
