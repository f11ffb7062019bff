"""What a scenario is an augmentation of: scores of augmentations of one task are not independent."""

import functools
from collections.abc import Mapping
from typing import Any

NO_AUGMENTATION = "no_distraction_tools"
"""Name of the way in which the base scenario itself is offered."""


def split_name(name: str) -> tuple[str, str]:
    """Splits the name of a scenario."""
    suffix = next((suffix for suffix in _suffixes() if name.endswith(suffix) and name != suffix), "")
    return name.removesuffix(suffix), suffix.removeprefix("_") or NO_AUGMENTATION


def place_of(result: Mapping[str, Any]) -> tuple[str, int, int]:
    """Scenario, seed and trial: what names the same conversation in every run; older results have the first alone."""
    return result["name"], result.get("seed") or 0, result.get("trial") or 0


def base_name_of(result: Mapping[str, Any]) -> str:
    """Scenario that the one of a result is an augmentation of; older results do not say so themselves."""
    return str(result.get("base_name") or split_name(result["name"])[0])


def family_of(result: Mapping[str, Any]) -> str:
    """Group of scenarios that share a task; in results of older versions, the base scenario."""
    return str(result.get("family") or base_name_of(result))


def augmentation_of(result: Mapping[str, Any]) -> str:
    """How the base scenario is offered; older results do not say so themselves."""
    return str(result.get("augmentation") or split_name(result["name"])[1])


def tier_of(result: Mapping[str, Any]) -> str:
    """Part of the suite that the scenario belongs to; older results are all of the core tier."""
    return str(result.get("tier") or "core")


def axis_of(result: Mapping[str, Any]) -> str:
    """What makes the scenario hard, empty outside the hard tier."""
    return str(result.get("axis") or "")


def installed_family(base_name: str) -> str:
    """The family of a base scenario in the suite of this package."""
    return _families().get(base_name, base_name)


@functools.cache
def _families() -> dict[str, str]:
    from tool_sandbox.scenarios import list_scenarios

    return {info.base_name: info.family for info in list_scenarios()}


@functools.cache
def _suffixes() -> tuple[str, ...]:
    """Suffixes of all augmentations, longest first, because some end in others."""
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS, OPT_IN

    suffixes = {augmentation.suffix for augmentation in (*AUGMENTATIONS, *OPT_IN)} - {""}
    return tuple(sorted(suffixes, key=lambda suffix: (-len(suffix), suffix)))
