"""The laws of the engine that concern the world: snapshots, forks, atomic tools, isolation, time, round trips."""

import contextvars
import copy
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
    new_context,
    set_current_context,
)
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.utils import register_as_tool

SANDBOX, SETTING, CONTACT, MESSAGING, REMINDER = DatabaseNamespace

# A short program of writes: each step is applied to a context and to a plain model of it.
steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from("abc")),
        st.tuples(st.just("add"), st.sampled_from(["p0", "p1", "p2"])),
        st.tuples(st.just("remove"), st.sampled_from(["p0", "p1", "p2"])),
        st.tuples(st.just("rename"), st.sampled_from(["x", "y"])),
        st.tuples(st.just("set"), st.sampled_from(["p3", "p4"])),
    ),
    max_size=25,
)


def apply(context: ExecutionContext, step: tuple[str, str]) -> None:
    """Performs one step on a context."""
    kind, value = step
    if kind == "say":
        context.add_to_database(SANDBOX, [{"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": value}])
    elif kind == "add":
        context.add_to_database(CONTACT, [{"person_id": value, "name": "n"}])
    elif kind == "remove" and value in context.get_table(CONTACT).column("person_id"):
        context.remove_from_database(CONTACT, pl.col("person_id") == value)
    elif kind == "rename":
        context.update_database(CONTACT, context.get_database(CONTACT).with_columns(name=pl.lit(value)))
    elif kind == "set":
        context.set_rows(CONTACT, [*context.get_table(CONTACT).dicts(), {"person_id": value}])


def model(steps: list[tuple[str, str]]) -> list[list[tuple[str, str | None]]]:
    """State of the contacts after each message, the last entry being the state now."""
    rows: list[tuple[str, str | None]] = []
    states = []
    for kind, value in steps:
        if kind == "say":
            states.append(list(rows))
        elif kind == "add":
            rows.append((value, "n"))
        elif kind == "remove":
            rows = [row for row in rows if row[0] != value]
        elif kind == "rename":
            rows = [(key, value) for key, _ in rows]
        elif kind == "set":
            rows.append((value, None))
    return [*states, rows]


def contacts(context: ExecutionContext, index: int | None = None) -> list[tuple[str, str | None]]:
    """Id and name of the contacts of a snapshot."""
    return [(row[0], row[1]) for row in context.get_table(CONTACT, index).rows]


@given(steps=steps)
def test_snapshot_law(steps: list[tuple[str, str]]) -> None:
    """Reading at index i gives the state after message i was processed, whatever came later."""
    context = ExecutionContext(profile=Profile.STRICT)
    # A row at the very start, so that no query falls before the first snapshot.
    apply(context, ("add", "p9"))
    for step in steps:
        apply(context, step)
    states = model([("add", "p9"), *steps])
    for index in range(len(states)):
        assert contacts(context, index) == states[index]
        frame = context.get_database(CONTACT, sandbox_message_index=index)
        assert list(frame.select("person_id", "name").iter_rows()) == states[index]
    assert contacts(context) == states[-1]


@given(before=steps, here=steps, there=steps)
def test_fork_law(before: list[Any], here: list[Any], there: list[Any]) -> None:
    """Neither side of a fork sees what the other writes."""
    context = ExecutionContext(profile=Profile.STRICT, id_seed="seed")
    alone = ExecutionContext(profile=Profile.STRICT, id_seed="seed")
    for step in before:
        apply(context, step)
        apply(alone, step)
    twin = copy.deepcopy(context)
    for step in there:
        apply(twin, step)
        twin.new_id()
    for step in here:
        apply(context, step)
        apply(alone, step)
    assert context.equals(alone)
    assert context.new_id() == alone.new_id()


@pytest.mark.parametrize("rows", [1, 5000])
def test_fork_shares_tables(rows: int) -> None:
    """A fork copies references only: every table of it is the same object."""
    context = ExecutionContext()
    context.add_to_database(CONTACT, [{"person_id": str(number)} for number in range(rows)])
    twin = context.fork()
    for namespace in DatabaseNamespace:
        assert twin.get_table(namespace) is context.get_table(namespace)


class _Broken(BaseException):
    """An interruption that is not an ``Exception``."""


@given(steps=steps, fail=st.sampled_from([ValueError, _Broken, None]))
def test_atomic_tools(steps: list[Any], fail: type[BaseException] | None) -> None:
    """A tool that raises, or whose result cannot be recorded, leaves the world exactly as it was."""

    @register_as_tool()
    def tool() -> object:
        for step in steps:
            if step[0] != "say":
                apply(get_current_context(), step)
        get_current_context().new_id()
        if fail is not None:
            raise fail("no")
        return object()

    context = ExecutionContext(profile=Profile.STRICT, id_seed="seed")
    apply(context, ("say", "a"))
    context.trace_tool = True
    before = context.fork()
    with new_context(context), pytest.raises(fail or TypeError):
        tool()
    assert context.equals(before)


def test_isolation_of_threads() -> None:
    """Contexts that live in different threads do not see each other."""
    barrier = threading.Barrier(8)

    def converse(number: int) -> list[str]:
        set_current_context(ExecutionContext())
        barrier.wait()
        for _ in range(20):
            apply(get_current_context(), ("say", str(number)))
        return get_current_context().get_database(SANDBOX, get_all_history_snapshots=True)["content"].to_list()

    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(contextvars.copy_context().run, converse, number) for number in range(8)]
    assert [future.result() for future in futures] == [[str(number)] * 20 for number in range(8)]


@given(steps=steps)
def test_time_depends_on_the_trajectory_alone(steps: list[Any]) -> None:
    """Equal trajectories have equal times, whenever they are played."""
    clock = ScenarioClock(start=1e9, zone="Asia/Kolkata", seconds_per_message=3.0, anchor=0)
    context = ExecutionContext(clock=clock, profile=Profile.STRICT)
    for step in steps:
        apply(context, step)
    assert context.now() == 1e9 + 3.0 * max(0, context.max_sandbox_message_index)


@settings(deadline=None)
@given(steps=steps, profile=st.sampled_from(list(Profile)))
def test_round_trip_law(steps: list[Any], profile: Profile) -> None:
    """A context that is written and read back is equal, and its frames are identical."""
    context = ExecutionContext(profile=profile, id_seed="seed", clock=ScenarioClock(start=5, zone="UTC"))
    for step in steps:
        apply(context, step)
    through_json = ExecutionContext.from_dict(json.loads(json.dumps(context.to_dict(serialize_console=False))))
    through_pickle = pickle.loads(pickle.dumps(context))
    for restored in (through_json, through_pickle):
        assert restored.equals(context)
        assert all(restored._dbs[namespace].equals(context._dbs[namespace]) for namespace in DatabaseNamespace)
