"""A world with something that only the user can reach: a router with a light, and a lamp beside it."""

from typing import Any

from tool_sandbox.answers.facts import Quote
from tool_sandbox.apps import App, Draw, Size, change, choice, flag, get, key, rows_of, table, text, tool, user_tool
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.vocabulary import Task, acts, answer, call, called, changed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

DEVICES = table(
    "router.devices", key("device_id"), text("name"), choice("light", "red", "green", "off"), flag("plugged")
)


def _only(name: str) -> dict[str, Any]:
    return next(row for row in rows_of(DEVICES) if row["name"] == name)


@user_tool
def restart_router() -> str:
    """Hold the button at the back of the router until it restarts.

    Returns:
        The colour of its light after that.
    """
    return str(change(DEVICES, _only("router")["device_id"], light="green")["light"])


@user_tool
def unplug_lamp() -> str:
    """Pull the plug of the lamp beside the router.

    Returns:
        The state of its light after that.

    Raises:
        ValueError: It is unplugged already.
    """
    lamp = _only("lamp")
    if not lamp["plugged"]:
        raise ValueError("the lamp is unplugged already")
    return str(change(DEVICES, lamp["device_id"], light="off", plugged=False)["light"])


@tool
def get_line_status() -> str:
    """Ask the provider what it knows of the line.

    Returns:
        What is wrong, in words.
    """
    return (
        "line fine" if _only("router")["light"] == "green" else "line fine, router hangs and must be restarted by hand"
    )


@tool
def get_home_device(device_id: str) -> dict[str, Any]:
    """Read what is known about a device at home.

    Args:
        device_id: Identifier of the device.

    Returns:
        The device.

    Raises:
        NoDataError: No device has this identifier.
    """
    return get(DEVICES, device_id)


def content(draw: Draw, size: Size) -> dict[str, list[dict[str, Any]]]:
    rows = (("router", "red"), ("lamp", "green"))
    return {
        DEVICES.name: [
            {"device_id": draw.key("device"), "name": name, "light": light, "plugged": True} for name, light in rows
        ]
    }


ROUTER = App(
    name="router",
    title="Router",
    tables=[DEVICES],
    tools=[restart_router, unplug_lamp, get_line_status, get_home_device],
    content=content,
    words={DEVICES.name: ("device", "devices")},
)

TOPIC = r"(?:restart|reboot)\w* (?:the|your) router"
TOLD = "Please restart your router: hold the button at its back."


def _task(world: World, solution: Any, **more: Any) -> Task:
    router = next(row for row in world.stored(DEVICES) if row["name"] == "router")
    return Task(
        user="The internet at home does not work. Can you find out why, and help me to get it going again?",
        tools=["get_line_status", "get_home_device"],
        milestones=[
            called("get_line_status"),
            changed(DEVICES, {"device_id": router["device_id"]}, light="green"),
            called("get_line_status").returning("line fine"),
            answer(Quote("line fine")),
        ],
        solution=solution,
        **more,
    )


@scenario(ScenarioCategories.STATE_DEPENDENCY, apps=[ROUTER])
def have_router_restarted(world: World) -> Task:
    """Find out what is wrong, and have the user do what only it can do."""

    def solution() -> Solution:
        yield call("get_line_status")
        yield say(TOLD)
        status = yield call("get_line_status")
        yield say(f"It works again: {status}.")

    does = acts(TOPIC, call("restart_router"), reply=lambda light: f"Done, the light is {light}.")
    return _task(world, solution, does=[does])


@scenario(ScenarioCategories.STATE_DEPENDENCY, apps=[ROUTER])
def have_router_restarted_although_user_errs(world: World) -> Task:
    """Notice that the user did something else than it was told to, and tell it again."""
    lamp = next(row for row in world.stored(DEVICES) if row["name"] == "lamp")

    def solution() -> Solution:
        yield call("get_line_status")
        heard = yield say(TOLD)
        while "pulled" in heard:
            heard = yield say(f"That was the plug of something else. {TOLD}")
        status = yield call("get_line_status")
        yield say(f"It works again: {status}.")

    does = acts(
        TOPIC,
        call("restart_router"),
        reply=lambda light: f"Done, the light is {light}.",
        wrong=call("unplug_lamp"),
        wrong_reply="I pulled the plug, and the light went off.",
    )
    wrong = changed(DEVICES, {"device_id": lamp["device_id"]}, light="off", plugged=False)
    return _task(world, solution, does=[does], allowed=[wrong])
