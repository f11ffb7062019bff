"""Settings of the device: services, power saving and position."""

from typing import Any

from tool_sandbox.world.device import current_device
from tool_sandbox.world.schema import DatabaseNamespace
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import bounded, typechecked, validate_type

_SERVICES = ("cellular", "wifi", "location_service")
"""Switches that power saving turns off and keeps off."""


def _settings() -> dict[str, Any]:
    return current_device().get_table(DatabaseNamespace.SETTING).dicts()[0]


def _store_settings(**changes: Any) -> None:
    context = current_device()
    rows = context.get_table(DatabaseNamespace.SETTING).dicts()
    context.set_rows(DatabaseNamespace.SETTING, [{**row, **changes} for row in rows])


def get_boolean_settings(setting_name: str) -> bool:
    """Reads a switch.

    Args:
        setting_name: Column of the settings.

    Returns:
        Whether it is on.

    Raises:
        TypeError: The name is not a text.
        KeyError: There is no such switch.
    """
    validate_type(setting_name, "setting_name", str)
    value = _settings().get(setting_name)
    if not isinstance(value, bool):
        raise KeyError(f"there is no switch named {setting_name!r}")
    return value


def set_boolean_settings(setting_name: str, on: bool) -> None:
    """Turns a switch on or off.

    Args:
        setting_name: Column of the settings.
        on: The new state.

    Raises:
        TypeError: Wrong type of an argument.
        KeyError: There is no such switch.
        ValueError: The switch is in this state already.
    """
    validate_type(on, "on", bool)
    if get_boolean_settings(setting_name) == on:
        raise ValueError(f"{setting_name} is already {'on' if on else 'off'}")
    _store_settings(**{setting_name: on})


def _set_service(setting_name: str, on: bool) -> None:
    if on and get_boolean_settings("low_battery_mode"):
        raise PermissionError(f"{setting_name} cannot be turned on while low battery mode is on")
    set_boolean_settings(setting_name, on)


@register_as_tool()
@typechecked
@bounded
def set_low_battery_mode_status(on: bool) -> None:
    """Turn low battery mode on or off.

    Turning it on also turns off cellular service, wifi and location service, which then cannot be turned on
    until it is off again. Turning it off does not turn them back on.

    Args:
        on: True to turn it on, False to turn it off.

    Returns:
        Nothing.

    Raises:
        ValueError: It is in this state already.
    """
    set_boolean_settings("low_battery_mode", on)
    if on:
        _store_settings(**dict.fromkeys(_SERVICES, False))


@register_as_tool()
@typechecked
@bounded
def set_location_service_status(on: bool) -> None:
    """Turn location service on or off. It cannot be turned on in low battery mode.

    Args:
        on: True to turn it on, False to turn it off.

    Returns:
        Nothing.

    Raises:
        PermissionError: Low battery mode is on.
        ValueError: It is in this state already.
    """
    _set_service("location_service", on)


@register_as_tool()
@typechecked
@bounded
def set_cellular_service_status(on: bool) -> None:
    """Turn cellular service on or off. It cannot be turned on in low battery mode.

    Args:
        on: True to turn it on, False to turn it off.

    Returns:
        Nothing.

    Raises:
        PermissionError: Low battery mode is on.
        ValueError: It is in this state already.
    """
    _set_service("cellular", on)


@register_as_tool()
@typechecked
@bounded
def set_wifi_status(on: bool) -> None:
    """Turn wifi on or off. It cannot be turned on in low battery mode.

    Args:
        on: True to turn it on, False to turn it off.

    Returns:
        Nothing.

    Raises:
        PermissionError: Low battery mode is on.
        ValueError: It is in this state already.
    """
    _set_service("wifi", on)


@register_as_tool()
@typechecked
def get_low_battery_mode_status() -> bool:
    """Tell whether low battery mode is on.

    Returns:
        True if it is on, False if it is off.
    """
    return get_boolean_settings("low_battery_mode")


@register_as_tool()
@typechecked
def get_location_service_status() -> bool:
    """Tell whether location service is on.

    Returns:
        True if it is on, False if it is off.
    """
    return get_boolean_settings("location_service")


@register_as_tool()
@typechecked
def get_cellular_service_status() -> bool:
    """Tell whether cellular service is on.

    Returns:
        True if it is on, False if it is off.
    """
    return get_boolean_settings("cellular")


@register_as_tool()
@typechecked
def get_wifi_status() -> bool:
    """Tell whether wifi is on.

    Returns:
        True if it is on, False if it is off.
    """
    return get_boolean_settings("wifi")


@register_as_tool()
@typechecked
def get_current_location() -> dict[str, float]:
    """Tell where this device is. Needs location service.

    Returns:
        Latitude and longitude in degrees.

    Raises:
        PermissionError: Location service is off.
    """
    if not get_boolean_settings("location_service"):
        raise PermissionError("location service is off, the position of this device is not available")
    settings = _settings()
    return {"latitude": settings["latitude"], "longitude": settings["longitude"]}
