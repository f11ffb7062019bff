"""Worlds and tasks to train on, and others to evaluate on, by which other frameworks offer the scenarios."""

from collections.abc import Collection, Sequence
from typing import Literal, get_args

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.runner.selection import select
from tool_sandbox.scenarios import ScenarioInfo
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

Split = Literal["train", "held_out"]
"""Worlds to train on, or to evaluate on: no seed of a world is in both."""

SPLITS: tuple[str, ...] = get_args(Split)


def check_split(split: str | None) -> None:
    """Refuses a split that there is not; ``None`` is all worlds.

    Raises:
        UnknownNameError: There is no such split.
    """
    if split is not None and split not in SPLITS:
        raise UnknownNameError(f"there is no split {split!r:.40}.", suggest(split, SPLITS) or SPLITS)


def seed_in(split: str | None, number: int) -> int:
    """Seed of a world of a split, in which they are numbered; of all worlds it is the number itself.

    Even seeds are held out, with 0 first, which is the world of a run; odd ones are to train on.
    """
    return number if split is None else 2 * number + (split == "train")


def scenarios_in(
    split: str | None, infos: Sequence[ScenarioInfo], held_out_families: Collection[str]
) -> list[ScenarioInfo]:
    """Scenarios of a split: families that are held out are left out of ``train``, and alone in ``held_out``.

    Raises:
        ConfigurationError: There are none, no such family, or families without a split.
    """
    check_split(split)
    if not held_out_families:
        return list(infos)
    if split is None:
        raise ConfigurationError("held_out_families goes with a split, train or held_out")
    apart = {info.family for info in select(None, families=list(held_out_families))}
    found = [info for info in infos if (info.family in apart) == (split == "held_out")]
    if not found:
        raise ConfigurationError(f"no scenario is left for {split}, given held_out_families")
    return found
