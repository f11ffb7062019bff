"""Calls for the check of the app: the fourth wrong PIN, devices without power or already replaced."""

from tool_sandbox.apps import rows_of
from tool_sandbox.apps.desk.customers import Row, verify_desk_customer
from tool_sandbox.apps.desk.devices import NEWEST, exchange_desk_device, plug_in_desk_device, run_desk_device_action
from tool_sandbox.apps.desk.subscriptions import change_desk_subscription_plan
from tool_sandbox.apps.desk.tables import CUSTOMERS, DEVICES, SUBSCRIPTIONS, VERIFICATIONS


def try_wrong_pins() -> None:
    """No customer has the PIN 0000: they begin at 1000."""
    customer_id = rows_of(CUSTOMERS).dicts()[0]["customer_id"]
    for _ in range(4):
        verify_desk_customer(customer_id, "0000")


def _device() -> Row:
    """A faulty device of a customer who is verified, which has been updated and reset."""
    verified = [row["customer_id"] for row in rows_of(VERIFICATIONS).where(passed=True)]
    known = [row for row in rows_of(DEVICES).where(state="faulty", firmware=NEWEST) if row["customer_id"] in verified]
    return max(known, key=lambda row: str(row["bought_on"]))


def check_without_power() -> None:
    """The customer has pulled the plug."""
    device = _device()
    plug_in_desk_device(device["serial_number"], plugged_in=False)
    run_desk_device_action(device["device_id"], "check")


def check_what_was_replaced() -> None:
    """Another device is on its way."""
    device_id = _device()["device_id"]
    exchange_desk_device(device_id)
    run_desk_device_action(device_id, "check")


def keep_a_plan() -> None:
    """The plan that the subscription has."""
    customer_id = _device()["customer_id"]
    row = rows_of(SUBSCRIPTIONS).where(customer_id=customer_id)[0]
    change_desk_subscription_plan(row["subscription_id"], row["plan_id"])


def exchange_twice() -> None:
    """The first exchange succeeds."""
    device_id = _device()["device_id"]
    exchange_desk_device(device_id)
    exchange_desk_device(device_id)


PROBES = (try_wrong_pins, check_without_power, check_what_was_replaced, keep_a_plan, exchange_twice)
