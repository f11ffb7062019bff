"""Which scenarios a command means: names, patterns, categories."""

import difflib
import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tool_sandbox.common.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from tool_sandbox.scenarios import ScenarioInfo


def select(patterns: Sequence[str] | None, categories: Sequence[str] = ()) -> "list[ScenarioInfo]":
    """Finds scenarios of the suite.

    Args:
        patterns: Names, or patterns with ``*``, ``?`` and ``[...]``; ``None`` for all scenarios.
        categories: Only scenarios with at least one of these tags; case does not matter. Empty for all.

    Returns:
        Each scenario once: those of the first pattern first, within one in the order of the suite.

    Raises:
        UnknownNameError: A name or category does not exist, or a pattern matches nothing.
        ConfigurationError: Nothing is left.
    """
    from tool_sandbox.scenarios import list_scenarios

    known = {info.name: info for info in list_scenarios()}
    names = list(known) if patterns is None else [name for pattern in patterns for name in _expand(pattern, known)]
    wanted = {_category(category) for category in categories}
    chosen = [known[name] for name in dict.fromkeys(names)]
    if wanted:
        chosen = [info for info in chosen if not wanted.isdisjoint(map(str, info.categories))]
    if not chosen:
        raise ConfigurationError("no scenario is selected; see: tool_sandbox scenarios list")
    return chosen


def _expand(pattern: str, known: "dict[str, ScenarioInfo]") -> list[str]:
    if pattern in known:
        return [pattern]
    if any(character in pattern for character in "*?["):
        if matches := fnmatch.filter(known, pattern):
            return matches
        raise UnknownNameError(f"no scenario matches {pattern!r}.")
    bases = {info.base_name: None for info in known.values()}
    raise UnknownNameError(f"there is no scenario {pattern!r}.", close_names(pattern, [*bases, *known]))


def _category(name: str) -> str:
    from tool_sandbox.common.execution_context import ScenarioCategories

    known = [str(category) for category in ScenarioCategories]
    if name.upper() not in known:
        raise UnknownNameError(f"there is no category {name!r}.", close_names(name.upper(), known))
    return name.upper()


def close_names(name: str, known: Sequence[str]) -> list[str]:
    """Returns up to three existing names that look like ``name``, best first."""
    return difflib.get_close_matches(name, list(dict.fromkeys(known)), n=3, cutoff=0.5)
