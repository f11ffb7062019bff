"""The eight ways in which every base scenario is offered.

Distraction tools are counted after denied tools and tools of the user are taken out, so "three"
means three. Tools are offered in a drawn order, not with the needed ones first.
"""

import functools
import hashlib
from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.common.execution_context import RoleType, ScenarioCategories
from tool_sandbox.common.tool_discovery import ToolBackend, get_all_tools, rank_tools_by_similarity

USER_TOOL = "end_conversation"
"""The one tool that belongs to the user and is offered in every scenario."""


@attrs.frozen
class Augmentation:
    """One way of offering tools.

    Attributes:
        suffix: Appended to the name of the base scenario.
        distractors: Number of tools added that the task does not need, ``None`` for all.
        level: Tag of the number of distraction tools.
        scrambles: What is hidden from the tool descriptions; also tags.
    """

    suffix: str
    distractors: int | None
    level: ScenarioCategories
    scrambles: tuple[ScenarioCategories, ...] = ()

    @property
    def name(self) -> str:
        """Readable name; ``"no_distraction_tools"`` for the base scenario itself."""
        return self.suffix.removeprefix("_") or "no_distraction_tools"

    @property
    def tags(self) -> tuple[ScenarioCategories, ...]:
        """Tags that the augmentation adds."""
        return (self.level, *self.scrambles)


def _scrambled(what: ScenarioCategories) -> Augmentation:
    suffix = f"_3_distraction_tools_{what.value.lower()}"
    return Augmentation(suffix, 3, ScenarioCategories.THREE_DISTRACTION_TOOLS, (what,))


AUGMENTATIONS = (
    Augmentation("", 0, ScenarioCategories.NO_DISTRACTION_TOOLS),
    Augmentation("_3_distraction_tools", 3, ScenarioCategories.THREE_DISTRACTION_TOOLS),
    Augmentation("_10_distraction_tools", 10, ScenarioCategories.TEN_DISTRACTION_TOOLS),
    Augmentation("_all_tools", None, ScenarioCategories.ALL_TOOLS_AVAILABLE),
    _scrambled(ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED),
    _scrambled(ScenarioCategories.ARG_TYPE_SCRAMBLED),
    _scrambled(ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED),
    _scrambled(ScenarioCategories.TOOL_NAME_SCRAMBLED),
)
"""The published variants in the published order."""


@functools.cache
def _agent_tools(backend: ToolBackend) -> frozenset[str]:
    return frozenset(
        name
        for name, tool in get_all_tools(backend).items()
        if RoleType.AGENT in getattr(tool, "visible_to", (RoleType.AGENT,))
    )


@functools.cache
def _ranking(tools: tuple[str, ...], backend: ToolBackend) -> tuple[str, ...]:
    import tool_sandbox.tools

    return tuple(rank_tools_by_similarity(list(tools), tool_sandbox.tools, backend))


def offered_tools(
    tools: Sequence[str], denied: Iterable[str], augmentation: Augmentation, backend: ToolBackend
) -> list[str]:
    """Tools that an augmented scenario offers to the agent.

    Args:
        tools: Tools that the task needs or explicitly offers.
        denied: Tools that must not be offered.
        augmentation: How many distraction tools to add.
        backend: Backend of tools that have several.

    Returns:
        The needed tools, then the most distracting others.
    """
    ranking = _ranking(tuple(sorted(tools)), backend)
    others = [name for name in ranking if name in _agent_tools(backend) and name not in set(denied)]
    return [*tools, *others[: augmentation.distractors]]


def drawn_order(names: Iterable[str], seed: str) -> list[str]:
    """The names in an order that depends on them and on ``seed`` alone."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
