"""What formats of training data have in common."""

from collections.abc import Sequence

from tool_sandbox.export.trajectory import Entry, Trajectory


def until_last_word(trajectory: Trajectory) -> Sequence[Entry]:
    """The messages up to the last one of the agent: what comes after is no target, and no context of one."""
    last = max((place for place, entry in enumerate(trajectory.entries) if entry.weight), default=-1)
    return trajectory.entries[: last + 1]
