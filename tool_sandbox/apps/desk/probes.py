"""Calls for the check of the app: the fourth wrong PIN, and a device without power."""

from tool_sandbox.apps import rows_of
from tool_sandbox.apps.desk.customers import verify_desk_customer
from tool_sandbox.apps.desk.devices import plug_in_desk_device, run_desk_device_action
from tool_sandbox.apps.desk.tables import CUSTOMERS, DEVICES, VERIFICATIONS


def try_wrong_pins() -> None:
    """No customer has the PIN 0000: they begin at 1000."""
    customer_id = rows_of(CUSTOMERS).dicts()[0]["customer_id"]
    for _ in range(4):
        verify_desk_customer(customer_id, "0000")


def check_without_power() -> None:
    """The device of a customer who is verified."""
    verified = rows_of(VERIFICATIONS).where(passed=True)[-1]["customer_id"]
    device = rows_of(DEVICES).where(customer_id=verified)[0]
    plug_in_desk_device(device["serial_number"], plugged_in=False)
    run_desk_device_action(device["device_id"], "check")


PROBES = (try_wrong_pins, check_without_power)
