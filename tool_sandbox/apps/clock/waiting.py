"""Tools that let time pass."""

from tool_sandbox.apps import checked_moment, current_device, now, seconds_of, tool
from tool_sandbox.world.events import wait


@tool
def wait_minutes(minutes: int) -> str:
    """Wait, and do nothing meanwhile. Other people and the world go on: messages come in, payments settle.

    Args:
        minutes: How long, in minutes, at most 44640 (31 days).

    Returns:
        The moment at which the wait is over.

    Raises:
        ValueError: It is less than a minute, or too long.
    """
    wait(current_device(), 60.0 * min(max(minutes, 0), 10**6))
    return now()


@tool
def wait_until(time: str) -> str:
    """Wait until a certain moment, and do nothing meanwhile. Other people and the world go on.

    Args:
        time: The moment, for example 2025-05-14T10:24, in the zone of the device; at most 31 days from now.

    Returns:
        The moment at which the wait is over.

    Raises:
        ValueError: The time cannot be understood, is past, or is too far away.
    """
    left = seconds_of(checked_moment(time, "time")) - current_device().now()
    if left <= 0:
        raise ValueError(f"time must be in the future, it is {now()} already")
    wait(current_device(), left)
    return now()
