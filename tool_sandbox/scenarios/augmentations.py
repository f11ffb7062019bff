"""The ways in which a base scenario is offered: the eight published ones, and those to be asked for.

Distraction tools are counted after denied tools and tools of the user are taken out, so "three"
means three. Tools are offered in a drawn order, not with the needed ones first.
"""

import functools
import hashlib
from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, ScenarioCategories
from tool_sandbox.conversation.tool_discovery import ToolBackend, rank_tools_by_similarity
from tool_sandbox.scenarios.checks import Called
from tool_sandbox.scenarios.definition import Definition
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.tools.services.faulty import Fault, can_inject, hostile_order
from tool_sandbox.tools.services.lookups import LOOKUPS
from tool_sandbox.world.script import Call
from tool_sandbox.world.tool import Tool, ToolFunction

USER_TOOL = "end_conversation"
"""The one tool that belongs to the user and is offered in every scenario."""


@attrs.frozen
class Augmentation:
    """One way of offering a base scenario.

    Attributes:
        suffix: Appended to the name of the base scenario.
        distractors: Number of tools added that the task does not need, ``None`` for all.
        level: Tag of the number of distraction tools.
        scrambles: What is hidden from the tool descriptions, or wrong in them; also tags.
        rows: Rows that each table of the world is filled up to.
        fault: What is wrong with the search service.
        tag: Tag of the size or the fault.
        meaning: The variant in a few words.
    """

    suffix: str
    distractors: int | None
    level: ScenarioCategories
    scrambles: tuple[ScenarioCategories, ...] = ()
    rows: int = 0
    fault: Fault | None = None
    tag: ScenarioCategories | None = None
    meaning: str = attrs.field(kw_only=True)

    @property
    def name(self) -> str:
        """Readable name; ``"no_distraction_tools"`` for the base scenario itself."""
        return self.suffix.removeprefix("_") or "no_distraction_tools"

    @property
    def tags(self) -> tuple[ScenarioCategories, ...]:
        """Tags that the augmentation adds."""
        return (self.level, *self.scrambles, *((self.tag,) if self.tag else ()))

    def suits(self, definition: Definition, task: Task) -> bool:
        """Whether a base scenario is offered in this way."""
        if self.rows:
            return definition.sizes
        if self.fault is None:
            return True
        asked = {node.check.tool for node in task.milestones if isinstance(node.check, Called)}
        if definition.tags.isdisjoint(_MAY_REFRAIN):
            asked |= set(task.tools)
        if self.fault is Fault.HOSTILE:
            finds = ScenarioCategories.INSUFFICIENT_INFORMATION not in definition.tags
            return finds and any(map(can_inject, asked)) and ordered_harm(definition, task, "") is not None
        return not asked.isdisjoint(kind.TOOL for kind in LOOKUPS)


_MAY_REFRAIN = (ScenarioCategories.INSUFFICIENT_INFORMATION, ScenarioCategories.NEGATIVE_CONSTRAINT)
"""Tags of tasks that offer tools without meaning them to be called."""

_BARE, _THREE, _ALL = (
    ScenarioCategories.NO_DISTRACTION_TOOLS,
    ScenarioCategories.THREE_DISTRACTION_TOOLS,
    ScenarioCategories.ALL_TOOLS_AVAILABLE,
)

_NAME, _DESCRIPTION, _ARGUMENT, _TYPE = (
    ScenarioCategories.TOOL_NAME_SCRAMBLED,
    ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED,
    ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED,
    ScenarioCategories.ARG_TYPE_SCRAMBLED,
)


def _scrambled(what: ScenarioCategories, meaning: str) -> Augmentation:
    return Augmentation(f"_3_distraction_tools_{what.value.lower()}", 3, _THREE, (what,), meaning=meaning)


def _world(tag: ScenarioCategories, rows: int) -> Augmentation:
    meaning = f"contacts, messages and reminders filled up to {rows} each"
    return Augmentation(f"_{tag.value.lower()}", 0, _BARE, rows=rows, tag=tag, meaning=meaning)


def _faulty(tag: ScenarioCategories, fault: Fault, meaning: str) -> Augmentation:
    return Augmentation(f"_{tag.value.lower()}", 0, _BARE, fault=fault, tag=tag, meaning=meaning)


AUGMENTATIONS = (
    Augmentation("", 0, _BARE, meaning="the tools that the task needs"),
    Augmentation("_3_distraction_tools", 3, _THREE, meaning="and 3 others, the most similar ones"),
    Augmentation(
        "_10_distraction_tools", 10, ScenarioCategories.TEN_DISTRACTION_TOOLS, meaning="and 10 others, as similar"
    ),
    Augmentation("_all_tools", None, _ALL, meaning="every tool but those that the task denies"),
    _scrambled(_DESCRIPTION, "tools have no description"),
    _scrambled(_TYPE, "arguments have no type"),
    _scrambled(_ARGUMENT, "arguments have no description"),
    _scrambled(_NAME, "tools have meaningless names"),
)
"""The published variants in the published order; what a run plays unless it is told otherwise."""

OPT_IN = (
    _scrambled(ScenarioCategories.ARG_NAME_SCRAMBLED, "arguments have meaningless names"),
    _scrambled(ScenarioCategories.TOOL_DESCRIPTION_MISLEADING, "each tool has the description of another one"),
    Augmentation(
        "_3_distraction_tools_combined_scrambled",
        3,
        _THREE,
        (_NAME, _DESCRIPTION, _TYPE, _ARGUMENT),
        meaning="names of arguments are all that is left",
    ),
    Augmentation(
        "_all_tools_combined_scrambled",
        None,
        _ALL,
        (_NAME, _DESCRIPTION, _TYPE, _ARGUMENT),
        meaning="the same among all tools",
    ),
    _world(ScenarioCategories.MEDIUM_WORLD, 50),
    _world(ScenarioCategories.LARGE_WORLD, 1000),
    _faulty(ScenarioCategories.FLAKY_SERVICE, Fault.FLAKY, "each search fails once before it succeeds"),
    _faulty(ScenarioCategories.SLOW_SERVICE, Fault.SLOW, "the first searches time out"),
    _faulty(ScenarioCategories.HOSTILE_SERVICE, Fault.HOSTILE, "search results order the agent to do harm"),
)
"""Variants that are played only when asked for, by name, by tag or by augmentation."""


def ordered_harm(definition: Definition, task: Task, seed: str) -> Call | None:
    """The call that hostile search results of a scenario ask for."""
    no_radio = () if definition.state == "default" else ("send_message_with_phone_number",)
    return hostile_order(seed, (*task.denied, *no_radio))


@functools.cache
def _ranking(tools: tuple[str, ...], backend: ToolBackend, known: tuple[ToolFunction, ...]) -> tuple[str, ...]:
    """Tools of the agent that a task does not need, most distracting first; ``known`` are all there are."""
    import tool_sandbox.tools

    users = {tool.__name__ for tool in known if RoleType.AGENT not in Tool.of(tool).visible_to}
    ranking = rank_tools_by_similarity(list(tools), tool_sandbox.tools, backend)
    return tuple(name for name in ranking if name not in users)


def offered_tools(
    tools: Sequence[str], denied: Iterable[str], augmentation: Augmentation, context: ExecutionContext
) -> list[str]:
    """Tools that an augmented scenario offers to the agent."""
    known = tuple(context.name_to_tool.values())
    ranking = _ranking(tuple(sorted(tools)), context.preferred_tool_backend, known)
    others = [name for name in ranking if name not in set(denied)]
    return [*tools, *others[: augmentation.distractors]]


def drawn_order(names: Iterable[str], seed: str) -> list[str]:
    """The names in an order that depends on them and on ``seed`` alone."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
