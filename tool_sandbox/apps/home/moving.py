"""What happens at home by itself, for scenarios in a world that moves."""

from tool_sandbox.apps import change, effect, get, now
from tool_sandbox.apps.home.tables import DEVICES, SETTINGS
from tool_sandbox.apps.home.times import as_it_is


@effect
def device_goes_offline(device_id: str) -> str:
    """A device cannot be reached any more, and stays as it is; the user can restart it by hand."""
    device = as_it_is(get(DEVICES, device_id))
    settings = {name: device[name] for name in (*SETTINGS, "changed_at")}
    change(DEVICES, device_id, **settings, online=False, seen_at=now())
    return f"{device['name']} went offline"


@effect
def device_comes_back(device_id: str) -> str:
    """A device can be reached again, with the settings that it had."""
    device = change(DEVICES, device_id, online=True, seen_at=now(), changed_at=now())
    return f"{device['name']} is online again"
