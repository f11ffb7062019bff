"""Calls of which the answer is lost, so that nobody can know without looking whether they were carried out."""

from collections.abc import Callable
from typing import Any

import polars as pl

from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.table import Column, TableSchema

FAULTS = TableSchema(
    [
        Column("fault_id", pl.String, str, is_nullable=False),
        Column("tool", pl.String, str, is_nullable=False),
        Column("passes", pl.Int64, int, is_nullable=False, minimum=0),
        Column("is_done", pl.Boolean, bool, is_nullable=False),
        Column("state", pl.String, str, is_nullable=False, categories=frozenset({"waiting", "met"})),
    ],
    name="world.faults",
    key="fault_id",
)
"""Answers that are going to be lost, or were. ``passes`` is the number of calls of the tool that are answered before;
``is_done`` says whether the call is carried out."""

LOST = "no answer came within 30 seconds; whether it was done is not known"
"""What is said of a call whose answer is lost, whether it was carried out or not."""


def lose_answer(device: DeviceState, tool: str, *, is_done: bool, passes: int = 0) -> str:
    """Has the answer to one call of a tool be lost.

    Args:
        device: The world.
        tool: Name of the tool.
        is_done: Whether the call is carried out all the same.
        passes: Number of successful calls of the tool before it.

    Returns:
        Id of the fault.

    Raises:
        ConfigurationError: It can never happen.
    """
    if passes < 0:
        raise ConfigurationError(f"the answer of {tool!r} cannot be lost after {passes} calls")
    if not device.has_table(FAULTS.name):
        device.add_tables([FAULTS])
    fault_id = f"fault_{device.new_id()[:8]}"
    row = {"fault_id": fault_id, "tool": tool, "passes": passes, "is_done": is_done, "state": "waiting"}
    device.add_to_database(FAULTS.name, [row])
    return fault_id


def call_with_faults(device: DeviceState, tool: str, call: Callable[[], Any]) -> Any:
    """Makes a call, whose answer may be lost. A call that fails by itself has its own answer.

    Raises:
        TimeoutError: The answer is lost.
    """
    fault = _next_fault(device, tool)
    if fault is None:
        return call()
    if fault["passes"]:
        result = call()
        device.change_row(FAULTS.name, fault["fault_id"], {"passes": fault["passes"] - 1})
        return result
    before = device.savepoint()
    call()
    if not fault["is_done"]:
        device.restore(before)
    device.change_row(FAULTS.name, fault["fault_id"], {"state": "met"})
    raise TimeoutError(LOST)


def _next_fault(device: DeviceState, tool: str) -> dict[str, Any] | None:
    if not device.has_table(FAULTS.name):
        return None
    rows = device.get_table(FAULTS.name).with_cell("tool", tool)
    return next((row for row in rows if row["state"] == "waiting"), None)
