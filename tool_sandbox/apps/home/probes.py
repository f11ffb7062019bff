"""Calls that bring about errors which chance does not: without wifi nothing in the home can be set."""

from collections.abc import Callable

from tool_sandbox.apps import rows_of, set_setting
from tool_sandbox.apps.home.devices import set_home_device, set_home_lights
from tool_sandbox.apps.home.scenes import run_home_scene
from tool_sandbox.apps.home.tables import DEVICES, SCENES


def set_lights_without_wifi() -> None:
    """Lights cannot be set."""
    set_setting("wifi", on=False)
    set_home_lights("on")


def set_device_without_wifi() -> None:
    """Nor can a device."""
    set_setting("wifi", on=False)
    set_home_device(next(iter(rows_of(DEVICES).keys)), power="on")


def run_scene_without_wifi() -> None:
    """A scene cannot be run."""
    set_setting("wifi", on=False)
    run_home_scene(next(iter(rows_of(SCENES).keys)))


PROBES: tuple[Callable[[], None], ...] = (set_lights_without_wifi, set_device_without_wifi, run_scene_without_wifi)
