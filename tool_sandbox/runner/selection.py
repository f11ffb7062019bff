"""Which scenarios a command means: names, patterns, tags, families, augmentations."""

import fnmatch
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from tool_sandbox.scenarios import ScenarioInfo


def select(
    patterns: Sequence[str] | None,
    categories: Sequence[str] = (),
    infos: "Sequence[ScenarioInfo] | None" = None,
    *,
    families: Sequence[str] = (),
    augmentations: Sequence[str] = (),
    axes: Sequence[str] = (),
    tier: str | None = None,
    size: int | None = None,
    opt_in: bool = False,
) -> "list[ScenarioInfo]":
    """Finds scenarios of a suite; of this package's, without a tier, those of the core tier unless another is named."""
    from tool_sandbox.scenarios import TIERS, list_scenarios

    if infos is not None and tier:
        raise ConfigurationError("tier is for the suite of this package; other suites have none")
    tiers: tuple[str, ...] = (tier,) if tier else ("hard",) if axes else ("core",)
    if not tier and infos is None and _missing(families, {info.family for info in list_scenarios("core")}):
        tiers = tuple(TIERS)

    def listed(*, opt_in: bool, tiers: Sequence[str] = tiers) -> "Sequence[ScenarioInfo]":
        return [info for one in tiers for info in list_scenarios(one, opt_in=opt_in)] if infos is None else infos

    def everything() -> "Sequence[ScenarioInfo]":
        return listed(opt_in=True, tiers=tiers if tier else tuple(TIERS))

    tags = {_category(category) for category in categories}
    usual = listed(opt_in=opt_in)
    if not tags <= {str(tag) for info in usual for tag in info.categories} or not all(
        _fitting(pattern, [info.augmentation for info in usual]) for pattern in augmentations
    ):
        usual = listed(opt_in=True)
    wanted_families = _known("family", families, [info.family for info in usual])
    wanted_augmentations = _known("augmentation", augmentations, [info.augmentation for info in usual])
    wanted_axes = _known("axis", axes, [info.axis for info in usual if info.axis])
    chosen = _filtered(_named(patterns, usual, everything), tags, wanted_families, wanted_augmentations)
    found = _checked([info for info in chosen if not axes or info.axis in wanted_axes])
    return found if size is None else _subset(found, size)


def _named(
    patterns: Sequence[str] | None, usual: "Sequence[ScenarioInfo]", all_of_them: "Callable[[], Sequence[ScenarioInfo]]"
) -> "list[ScenarioInfo]":
    """Scenarios by name or pattern: among the usual ones if one fits, else among all."""
    if patterns is None:
        return list(usual)
    known = {info.name: info for info in usual}
    missing = _missing(patterns, known)
    everything = {info.name: info for info in all_of_them()} if missing else known
    found: dict[str, ScenarioInfo] = {}
    for pattern in patterns:
        pool = everything if pattern in missing else known
        found |= {name: pool[name] for name in _expand(pattern, pool) if name not in found}
    return list(found.values())


def _filtered(
    chosen: "list[ScenarioInfo]", tags: set[str], families: set[str], augmentations: set[str]
) -> "list[ScenarioInfo]":
    if tags:
        chosen = [info for info in chosen if not tags.isdisjoint(map(str, info.categories))]
    if families:
        chosen = [info for info in chosen if info.family in families]
    if augmentations:
        chosen = [info for info in chosen if info.augmentation in augmentations]
    return chosen


def _subset(infos: "list[ScenarioInfo]", size: int) -> "list[ScenarioInfo]":
    """A fixed part of the base scenarios, as they are unless other augmentations are chosen, in their order."""
    from tool_sandbox.scenarios.subset import subset

    one_each = {info.base_name: info for info in sorted(infos, key=lambda info: info.name == info.base_name)}
    kept = {info.name for info in subset([*one_each.values()], size)}
    return [info for info in infos if info.name in kept]


def _checked(chosen: "list[ScenarioInfo]") -> "list[ScenarioInfo]":
    if not chosen:
        raise ConfigurationError("no scenario is selected; see: tool_sandbox scenarios list")
    return chosen


def _missing(patterns: Sequence[str], known: Collection[str]) -> set[str]:
    """Names and patterns that fit nothing that is known."""
    return {pattern for pattern in patterns if not _fitting(pattern, known)}


def _fitting(pattern: str, known: Collection[str]) -> list[str]:
    """The known names that a name or pattern means."""
    if pattern in known:
        return [pattern]
    return fnmatch.filter(known, pattern) if any(character in pattern for character in "*?[") else []


def _expand(pattern: str, known: "dict[str, ScenarioInfo]") -> list[str]:
    if matches := _fitting(pattern, known):
        return matches
    if any(character in pattern for character in "*?["):
        raise UnknownNameError(f"no scenario matches {pattern!r}.")
    bases = {info.base_name: None for info in known.values()}
    raise UnknownNameError(f"there is no scenario {pattern!r}.", suggest(pattern, [*bases, *known]))


def _known(what: str, patterns: Sequence[str], known: Sequence[str]) -> set[str]:
    names = list(dict.fromkeys(known))
    for pattern in patterns:
        if not _fitting(pattern, names):
            raise UnknownNameError(f"there is no {what} {pattern!r}.", suggest(pattern, names))
    return {name for pattern in patterns for name in _fitting(pattern, names)}


def _category(name: str) -> str:
    from tool_sandbox.conversation.execution_context import ScenarioCategories

    known = [str(category) for category in ScenarioCategories]
    if name.upper() not in known:
        raise UnknownNameError(f"there is no category {name!r}.", suggest(name.upper(), known))
    return name.upper()
