"""A small world with a fixed clock, in both profiles."""

from collections.abc import Callable, Iterator

import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile

NOW = 1_750_000_000.0
"""2025-06-15 08:06:40 in Los Angeles, a Sunday."""

MakeWorld = Callable[..., ExecutionContext]


@pytest.fixture
def make_world() -> MakeWorld:
    def make(
        profile: Profile = Profile.STRICT, zone: str = "America/Los_Angeles", start: float = NOW
    ) -> ExecutionContext:
        clock = ScenarioClock(start, zone, seconds_per_message=0.0)
        context = ExecutionContext(profile=profile, clock=clock, id_seed="test")
        context.add_to_database(
            DatabaseNamespace.SANDBOX, [{"sender": "USER", "recipient": "AGENT", "content": "Hello."}]
        )
        people = [
            ("p-tomas", "Tomas Haake", "+11233344455", "self", True),
            ("p-fredrik", "Fredrik Thordendal", "+12453344098", "friend", False),
            ("p-john", "John Petrucci", "+12453344566", "friend", False),
            ("p-homer", "Homer S", "+10000000000", "boss", False),
        ]
        names = ("person_id", "name", "phone_number", "relationship", "is_self")
        context.add_to_database(DatabaseNamespace.CONTACT, [dict(zip(names, person, strict=True)) for person in people])
        context.trace_tool = True
        return context

    return make


@pytest.fixture(params=list(Profile), ids=str)
def world(request: pytest.FixtureRequest, make_world: MakeWorld) -> Iterator[ExecutionContext]:
    """The current world, once in each profile."""
    with new_context(make_world(request.param)) as context:
        yield context


@pytest.fixture
def strict(make_world: MakeWorld) -> Iterator[ExecutionContext]:
    with new_context(make_world(Profile.STRICT)) as context:
        yield context


@pytest.fixture
def published(make_world: MakeWorld) -> Iterator[ExecutionContext]:
    with new_context(make_world(Profile.PUBLISHED)) as context:
        yield context
