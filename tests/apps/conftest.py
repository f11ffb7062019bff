"""Worlds with apps."""

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile

ROOT = Path(__file__).parents[2]
START = 1747243440.0
"""14 May 2025, 10:24 in Los Angeles."""


def make_context(*apps: object) -> ExecutionContext:
    clock = ScenarioClock(START, "America/Los_Angeles")
    return ExecutionContext(profile=Profile.STRICT, id_seed="test", clock=clock, apps=apps)  # type: ignore[arg-type]


@pytest.fixture
def notes() -> Iterator[ExecutionContext]:
    """A world with the notes app, still empty."""
    with new_context(make_context("notes")) as context:
        yield context


@pytest.fixture(scope="session")
def plants() -> ModuleType:
    """The example of the guide."""
    spec = spec_from_file_location("plants_example", ROOT / "docs" / "examples" / "plants.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
