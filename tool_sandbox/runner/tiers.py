"""The tiers of the suite, by which other frameworks offer its scenarios."""

from collections.abc import Sequence

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.runner.selection import select
from tool_sandbox.scenarios import TIERS, ScenarioInfo
from tool_sandbox.world.errors import UnknownNameError


def select_in(
    tier: str,
    scenarios: Sequence[str] = (),
    tags: Sequence[str] = (),
    families: Sequence[str] = (),
    augmentations: Sequence[str] = (),
    axes: Sequence[str] = (),
) -> list[ScenarioInfo]:
    """Finds scenarios of a tier; what is left empty excludes none.

    Raises:
        ConfigurationError: There is no such tier or scenario.
    """
    if tier not in TIERS:
        raise UnknownNameError(f"there is no tier {tier!r:.40}.", suggest(tier, TIERS) or TIERS)
    return select(scenarios or None, tags, families=families, augmentations=augmentations, axes=axes, tier=tier)
