"""A base scenario as its author wrote it, and the tags that follow from it."""

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tool_sandbox.apps.app import App
from tool_sandbox.apps.draw import Size
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import StartState, Today, World
from tool_sandbox.world.errors import DrawError, ScenarioError

_CALLS = {ScenarioCategories.SINGLE_TOOL_CALL, ScenarioCategories.MULTIPLE_TOOL_CALL}
_TURNS = {ScenarioCategories.SINGLE_USER_TURN, ScenarioCategories.MULTIPLE_USER_TURN}

TRIES = 50
"""Worlds that are drawn for a seed, at most."""

FURTHER = 2**40
"""What is added to a seed for each of them: more than anybody's seeds."""


@attrs.frozen(eq=False)
class Definition:
    """A base scenario: a function from a seeded world to a task.

    Attributes:
        function: Draws the task from a world.
        tags: Tags that cannot be computed, or that overrule the computed ones.
        state: Start state of the device.
        today: Month and day ``"MM-DD"`` of the start, or a function from a year to a date; empty when any
            date will do.
        time: Local time of day ``"HH:MM"`` of the start, empty when any time during the day will do.
        rich: Whether the world is a `RichWorld`.
        variant: Which option of every draw the canonical instance takes.
        twin: Name of the scenario in which the same wish can be fulfilled, for a task that is impossible.
        sizes: Whether the task stays as it is when its world is filled up with more rows.
        apps: Apps, or names of apps, that the world has beside settings, contacts, messages and reminders.
        content: How much is in the apps.
    """

    function: Callable[[Any], Task]
    tags: frozenset[ScenarioCategories]
    state: StartState
    today: Today
    time: str
    rich: bool
    variant: int
    twin: str
    sizes: bool = True
    apps: tuple[App | str, ...] = ()
    content: Size = "small"

    @property
    def name(self) -> str:
        """Name of the base scenario: that of the function."""
        return self.function.__name__

    @property
    def family(self) -> str:
        """Name of the module that holds the scenario."""
        return self.function.__module__.rpartition(".")[2]

    @property
    def tier(self) -> str:
        """Part of the suite that it belongs to: ``"core"`` or ``"hard"``."""
        return "hard" if self.axis else "core"

    @property
    def axis(self) -> str:
        """What makes a scenario of the hard tier hard: the package around its module; empty for any other."""
        # Of "tool_sandbox.scenarios.hard.AXIS.FAMILY".
        *package, axis, _ = ["", "", *self.function.__module__.split(".")]
        return axis if package[2:] == ["tool_sandbox", "scenarios", "hard"] else ""

    @property
    def goal(self) -> str:
        """The task in one sentence: the first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def world(self, seed: int = 0) -> World:
        """The start of the world for a seed."""
        kind = RichWorld if self.rich else World
        return kind(
            self.name,
            seed,
            state=self.state,
            today=self.today,
            time=self.time,
            variant=self.variant,
            apps=self.apps,
            content=self.content,
        )

    def drawn(self, seed: int = 0) -> tuple[World, Task]:
        """World and task for a seed. Where the scenario refuses a world, another one is drawn, except at seed 0.

        Raises:
            DrawError: No world is fit.
        """
        for further in range(0, TRIES * FURTHER, FURTHER):
            world = self.world(seed + further)
            try:
                return world, self.function(world)
            except DrawError as error:
                refused = error
                if not seed:
                    break
        raise refused

    def task(self, seed: int = 0) -> Task:
        """The task for a seed."""
        return self.drawn(seed)[1]

    def categories(self, task: Task) -> list[ScenarioCategories]:
        """Tags of the base scenario in the order of declaration, without those of an augmentation.

        Tool-call, turn and state tags are computed: one offered tool means a single call, a script
        of one request with no facts to ask for and nothing for the user to do means a single turn, and
        a device that does not start with everything on means a state dependency.
        """
        tags = set(self.tags)
        if not tags & _CALLS:
            single = len(task.tools) == 1
            tags.add(ScenarioCategories.SINGLE_TOOL_CALL if single else ScenarioCategories.MULTIPLE_TOOL_CALL)
        if not tags & _TURNS:
            single = len(task.user) == 1 and not task.knows and not task.does
            tags.add(ScenarioCategories.SINGLE_USER_TURN if single else ScenarioCategories.MULTIPLE_USER_TURN)
        if self.state != "default":
            tags.add(ScenarioCategories.STATE_DEPENDENCY)
        return [category for category in ScenarioCategories if category in tags]

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: the scenario function is hidden behind this object and cannot be pickled itself.
        return _load, (self.function.__module__, self.name)


def _load(module: str, name: str) -> Definition:
    definition = getattr(importlib.import_module(module), name)
    if not isinstance(definition, Definition):
        raise ScenarioError(f"{module}.{name} is not a scenario")
    return definition


def scenario(
    *tags: ScenarioCategories,
    state: StartState = "default",
    today: Today = "",
    time: str = "",
    rich: bool = False,
    variant: int = 0,
    twin: str = "",
    sizes: bool = True,
    apps: Sequence[App | str] = (),
    content: Size = "small",
) -> Callable[[Callable[[Any], Task]], Definition]:
    """Turns a function from a world to a task into a base scenario.

    The function's name is the scenario's name, its docstring the goal, its module the family.

    Args:
        *tags: Tags that cannot be computed, or that overrule the computed ones.
        state: Start state of the device.
        today: Month and day ``"MM-DD"`` of the start, or a function from a year to a date, when the task needs
            a certain date.
        time: Local time of day ``"HH:MM"`` of the start when the task needs a certain one.
        rich: Whether the task takes place in the larger world, a `RichWorld`.
        variant: Which option of every draw the canonical instance takes: the second wording of a task takes 1, so
            that it is another problem, not only other words.
        twin: For an impossible task, the scenario in which the same wish can be fulfilled.
        sizes: False for a task about everything that is stored, which a fuller world would make another one.
        apps: Apps, or names of apps, that the world has beside settings, contacts, messages and reminders.
        content: How much is in the apps: ``"small"``, ``"medium"`` or ``"large"``.

    Returns:
        A decorator.
    """
    return lambda function: Definition(
        function, frozenset(tags), state, today, time, rich, variant, twin, sizes, tuple(apps), content
    )
