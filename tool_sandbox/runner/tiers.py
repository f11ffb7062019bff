"""The tiers of the suite, by which other frameworks offer its scenarios.

Another tier is another name in `TIERS`.
"""

from collections.abc import Callable, Mapping, Sequence

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.runner.selection import select
from tool_sandbox.scenarios import ScenarioInfo, list_scenarios
from tool_sandbox.world.errors import UnknownNameError

TIERS: Mapping[str, Callable[[], Sequence[ScenarioInfo]]] = {"core": list_scenarios}
"""Name of a tier to its scenarios."""


def select_in(
    tier: str,
    scenarios: Sequence[str] = (),
    tags: Sequence[str] = (),
    families: Sequence[str] = (),
    augmentations: Sequence[str] = (),
) -> list[ScenarioInfo]:
    """Finds scenarios of a tier; what is left empty excludes none.

    Raises:
        ConfigurationError: There is no such tier or scenario.
    """
    if tier not in TIERS:
        raise UnknownNameError(f"there is no tier {tier!r:.40}.", suggest(tier, TIERS) or TIERS)
    infos = None if tier == "core" else TIERS[tier]()
    return select(scenarios or None, tags, infos, families=families, augmentations=augmentations)
