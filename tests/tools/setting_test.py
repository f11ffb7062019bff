"""Switches, power saving and position."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.tools import setting

SWITCHES: dict[str, tuple[Callable[[bool], None], Callable[[], bool]]] = {
    "cellular": (setting.set_cellular_service_status, setting.get_cellular_service_status),
    "wifi": (setting.set_wifi_status, setting.get_wifi_status),
    "location_service": (setting.set_location_service_status, setting.get_location_service_status),
    "low_battery_mode": (setting.set_low_battery_mode_status, setting.get_low_battery_mode_status),
}
SERVICES = ("cellular", "wifi", "location_service")


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_turns_once(world: ExecutionContext, name: str) -> None:
    turn, read = SWITCHES[name]
    state = read()
    with pytest.raises(ValueError, match=name):
        turn(state)
    assert turn(not state) is None
    assert read() is not state
    assert setting.get_boolean_settings(name) is not state


@pytest.mark.parametrize(("name", "value"), list(itertools.product(SWITCHES, ["x", 1, None, 0.0])))
def test_only_bools(world: ExecutionContext, name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        SWITCHES[name][0](value)


@pytest.mark.parametrize("name", SERVICES)
def test_power_saving_blocks_turning_on(world: ExecutionContext, name: str) -> None:
    setting.set_low_battery_mode_status(True)
    with pytest.raises(PermissionError):
        SWITCHES[name][0](True)
    with pytest.raises(TypeError):
        SWITCHES[name][0]("x")  # type: ignore[arg-type]


def test_power_saving_turns_services_off_for_good(world: ExecutionContext) -> None:
    setting.set_wifi_status(False)
    setting.set_low_battery_mode_status(True)
    assert [SWITCHES[name][1]() for name in SERVICES] == [False, False, False]
    setting.set_low_battery_mode_status(False)
    assert [SWITCHES[name][1]() for name in SERVICES] == [False, False, False]
    assert len(world.get_table(DatabaseNamespace.SETTING)) == 1


def test_unknown_switches(world: ExecutionContext) -> None:
    for name in ("bluetooth", "device_id", "latitude"):
        with pytest.raises(KeyError):
            setting.get_boolean_settings(name)
        with pytest.raises(KeyError):
            setting.set_boolean_settings(name, True)
    with pytest.raises(TypeError):
        setting.get_boolean_settings(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        setting.set_boolean_settings("wifi", 1)  # type: ignore[arg-type]


def test_location(world: ExecutionContext) -> None:
    setting.set_wifi_status(False)
    assert setting.get_current_location() == {"latitude": 37.334606, "longitude": -122.009102}
    setting.set_location_service_status(False)
    with pytest.raises(PermissionError):
        setting.get_current_location()
