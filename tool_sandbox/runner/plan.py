"""What to play: scenarios x seeds x trials, in a fixed order, each with a directory of its own."""

from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.helpers.paths import escape_name
from tool_sandbox.world.errors import ConfigurationError

MOST_EPISODES = 1_000_000
"""Conversations that a run may have. Their list is kept in memory and in ``run.json``."""


LONGEST_DIRECTORY = 50
"""Characters of the name of a conversation's directory, so that paths stay below the 260 of Windows and its tools."""


@attrs.frozen
class Episode:
    """One conversation to play.

    Attributes:
        scenario_name: Name of the scenario.
        seed: Seed of its world; 0 is the canonical instance.
        trial: Number of the repetition, from 0.
        label: Name of this conversation, unique in the plan.
        directory: Name of its directory below ``trajectories``: the label, cut where it is too long.
    """

    scenario_name: str
    seed: int
    trial: int
    label: str
    directory: str = attrs.field(
        default=attrs.Factory(lambda self: escape_name(self.label, LONGEST_DIRECTORY), takes_self=True)
    )

    @property
    def directories(self) -> tuple[str, str]:
        """Names that its directory may have: the present one, and that of runs before format 3, which cut it later."""
        return self.directory, escape_name(self.label)


def make_plan(scenario_names: Iterable[str], seeds: Sequence[int] = (0,), trials: int = 1) -> tuple[Episode, ...]:
    """Lists the conversations of a run.

    The order is that of the trials, then of the seeds, then of the names, so that an interrupted run has played every
    scenario about equally often. The first seed and trial are called like the scenario, as the published layout has
    it; the others append ``__seed_<n>`` and ``__trial_<n>``.
    """
    if trials < 1:
        raise ValueError(f"trials must be at least 1, got {trials}")
    if not seeds:
        raise ValueError("at least one seed is needed")
    names = tuple(dict.fromkeys(scenario_names))
    worlds = tuple(dict.fromkeys(seeds))
    if (count := len(names) * len(worlds) * trials) > MOST_EPISODES:
        raise ConfigurationError(
            f"{count:,} conversations are too many for a run, which may have {MOST_EPISODES:,}: "
            f"scenarios ({len(names):,}) x seeds ({len(worlds):,}) x trials ({trials:,})"
        )
    taken: set[str] = set()
    episodes = []
    for trial in range(trials):
        for seed in worlds:
            suffix = ("" if seed == seeds[0] else f"__seed_{seed}") + ("" if trial == 0 else f"__trial_{trial}")
            for name in names:
                episodes.append(Episode(name, seed, trial, _unique(name + suffix, taken)))
    return tuple(episodes)


def _unique(label: str, taken: set[str]) -> str:
    """The label, or the label with a number; case does not distinguish, because some file systems ignore it."""
    candidate, number = label, 2
    while escape_name(candidate, LONGEST_DIRECTORY).lower() in taken:
        candidate, number = f"{label}-{number}", number + 1
    taken.add(escape_name(candidate, LONGEST_DIRECTORY).lower())
    return candidate
