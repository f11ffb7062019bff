"""Scenarios made for a test."""

from collections.abc import Callable

import pytest

from tool_sandbox.play.scenario import Scenario
from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
from tool_sandbox.scenarios.build import build
from tool_sandbox.scenarios.definition import Definition, scenario
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import World

Make = Callable[..., Scenario]


@pytest.fixture
def make() -> Make:
    """Builds a scenario from a function, or from a task that needs nothing of the world."""

    def make(source: Callable[[World], Task] | Task, *tags: str, **options: object) -> Scenario:
        if isinstance(source, Task):
            task = source

            def anonymous(world: World) -> Task:
                """Test something."""
                return task

            source = anonymous
        definition: Definition = scenario(*tags, **options)(source)  # type: ignore[arg-type]
        return build(definition, AUGMENTATIONS[:1])[definition.name]

    return make
