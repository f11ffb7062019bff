"""Where the scenarios of a check come from."""

from collections.abc import Sequence
from typing import Protocol

import attrs

from tool_sandbox.play.scenario import Scenario
from tool_sandbox.scenarios import SUITE_VERSION, ScenarioInfo, content_hash, get_scenario, list_scenarios


class Source(Protocol):
    """A suite to be checked. It can be pickled, because other processes build its scenarios for themselves."""

    @property
    def name(self) -> str:
        """Name of the suite, empty for that of this package, whose limits as a whole apply to no other."""

    @property
    def flags(self) -> str:
        """What commands on one of its scenarios need, with a blank before it."""

    @property
    def version(self) -> str | None:
        """What it calls its version."""

    @property
    def content_hash(self) -> str:
        """Fingerprint of its files."""

    @property
    def infos(self) -> Sequence[ScenarioInfo]:
        """Its scenarios in order."""

    def __call__(self, name: str, seed: int) -> Scenario:
        """Builds one of them."""


@attrs.frozen
class OwnSuite:
    """A tier of the suite of this package.

    Attributes:
        tier: Which one.
    """

    tier: str = "core"
    name = ""
    version = SUITE_VERSION

    @property
    def flags(self) -> str:
        """What commands on one of its scenarios need."""
        return "" if self.tier == "core" else f" --tier {self.tier}"

    @property
    def content_hash(self) -> str:
        """Fingerprint of what the suite consists of."""
        return content_hash(self.tier)

    @property
    def infos(self) -> Sequence[ScenarioInfo]:
        """Its scenarios in order, opt-in augmentations included."""
        return list_scenarios(self.tier, opt_in=True)

    def __call__(self, name: str, seed: int) -> Scenario:
        """Builds one of them."""
        return get_scenario(name, seed)


OWN = OwnSuite()
