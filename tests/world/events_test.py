"""Events: once, in order, at moments that forks and rollbacks reproduce; waiting; answers that are lost."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.roles.tool_dispatch import call_tool
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.device import current_device
from tool_sandbox.world.errors import ConfigurationError, ScenarioError
from tool_sandbox.world.events import EVENTS, EventKind, cancel, schedule, use_events, wait
from tool_sandbox.world.faults import FAULTS, LOST, lose_answer
from tool_sandbox.world.profile import Profile

START = 1747243440.0
CONTACT = DatabaseNamespace.CONTACT


def note(name: str = "x") -> str:
    """An effect that can be seen: a contact with the moment in its relationship."""
    device = current_device()
    row = {"person_id": device.new_id(), "name": name, "phone_number": "+1", "relationship": str(device.now())}
    device.add_to_database(CONTACT, [row | {"is_self": False}])
    return f"{name} came"


def world(**kinds: EventKind) -> ExecutionContext:
    context = ExecutionContext(
        profile=Profile.STRICT, id_seed="t", clock=ScenarioClock(START, "America/Los_Angeles", 5.0)
    )
    use_events(context, {"note": EventKind(note), **kinds})
    return context


@pytest.fixture
def context() -> Iterator[ExecutionContext]:
    with new_context(made := world()):
        yield made


def say(context: ExecutionContext, count: int = 1) -> None:
    for _ in range(count):
        message = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
        context.add_to_database(DatabaseNamespace.SANDBOX, [message])


def names(context: ExecutionContext) -> list[str]:
    return context.get_table(CONTACT).column("name")


def test_at_a_time(context: ExecutionContext) -> None:
    schedule(context, "note", at=START + 12, name="Ann")
    say(context, 2)
    assert names(context) == []
    say(context)
    assert names(context) == ["Ann"]
    say(context, 5)
    assert names(context) == ["Ann"]
    (row,) = context.get_table(EVENTS.name).dicts()
    assert (row["state"], row["told"], row["happened_at"]) == ("done", "Ann came", START + 15)
    assert '"CONTACT": [[null, {"person_id"' in row["changes"]


def test_after_messages(context: ExecutionContext) -> None:
    schedule(context, "note", after=2, name="Ann")
    say(context)
    assert names(context) == []
    say(context)
    assert names(context) == ["Ann"]


def test_on_a_condition() -> None:
    def is_met() -> bool:
        return len(current_device().get_table(CONTACT)) == 1

    with new_context(context := world(reply=EventKind(note, is_met))):
        schedule(context, "reply", name="Bob")
        say(context)
        assert names(context) == []
        note("Ann")
        say(context, 3)
    assert names(context) == ["Ann", "Bob"]


def test_waiting_meets_what_is_due_at_its_time(context: ExecutionContext) -> None:
    say(context)
    for name, seconds in (("late", 7200), ("early", 600), ("never", 90000)):
        schedule(context, "note", at=START + seconds, name=name)
    wait(context, 4 * 3600)
    assert names(context) == ["early", "late"]
    assert context.get_table(CONTACT).column("relationship") == [str(START + 600), str(START + 7200)]
    assert context.now() == START + 5 + 4 * 3600
    say(context)
    assert context.now() == START + 10 + 4 * 3600


def test_cancelled_in_time(context: ExecutionContext) -> None:
    event = schedule(context, "note", at=START + 60)
    assert cancel(context, event)
    wait(context, 3600)
    assert names(context) == []
    assert not cancel(context, event)


def test_an_event_brings_about_another() -> None:
    def chain(left: int) -> str:
        if left:
            schedule(current_device(), "chain", at=current_device().now() + 60, left=left - 1)
        return note(f"link {left}")

    with new_context(context := world(chain=EventKind(chain))):
        schedule(context, "chain", at=START + 60, left=3)
        wait(context, 3600)
    assert names(context) == ["link 3", "link 2", "link 1", "link 0"]


def test_events_without_end_are_a_fault_of_the_scenario() -> None:
    def again() -> str:
        schedule(current_device(), "again", at=current_device().now())
        return ""

    with new_context(context := world(again=EventKind(again))):
        schedule(context, "again", at=START)
        with pytest.raises(ScenarioError, match="never end"):
            say(context)
        with pytest.raises(ScenarioError, match="never end"):
            wait(context, 60)


def test_what_waits_for_a_condition_happens_before_later_times() -> None:
    """As soon as it is met, and not when the wait is over."""

    def is_met() -> bool:
        return "Ann" in current_device().get_table(CONTACT).column("name")

    with new_context(context := world(reply=EventKind(note, is_met))):
        schedule(context, "note", at=START + 600, name="Ann")
        schedule(context, "note", at=START + 1200, name="Cid")
        schedule(context, "reply", name="Bob")
        wait(context, 3600)
    assert names(context) == ["Ann", "Bob", "Cid"]
    assert context.get_table(CONTACT).column("relationship")[1] == str(START + 600)


def test_an_event_that_fails_is_a_fault_of_the_scenario() -> None:
    with new_context(context := world(bad=EventKind(lambda: str(1 / 0)))):
        schedule(context, "bad", after=1)
        with pytest.raises(ScenarioError, match="event 'bad' failed: ZeroDivisionError"):
            say(context)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"kind": "other"}, "no such kind"),
        ({"kind": "note"}, "exactly one of"),
        ({"kind": "note", "at": START + 5, "after": 1}, "exactly one of"),
        ({"kind": "note", "at": START - 5}, "can never happen"),
        ({"kind": "note", "after": 0}, "can never happen"),
        ({"kind": "note", "after": 1, "name": {1}}, "no JSON values"),
    ],
)
def test_what_cannot_be_scheduled(context: ExecutionContext, how: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        schedule(context, how.pop("kind"), **how)


@pytest.mark.parametrize("seconds", [0, -1, 32 * 86400, float("nan")])
def test_what_cannot_be_waited(context: ExecutionContext, seconds: float) -> None:
    with pytest.raises(ValueError, match="31 days at most"):
        wait(context, seconds)


def add_contact(context: ExecutionContext, **arguments: str) -> Any:
    return call_tool(context, context.name_to_tool, RoleType.AGENT, "add_contact", (), arguments)


MOMENTS = st.lists(st.integers(0, 200), min_size=1, max_size=8)
STEPS = st.lists(st.one_of(st.none(), st.integers(1, 120)), max_size=12)


@given(MOMENTS, STEPS, st.integers(0, 12))
def test_once_and_in_order_in_any_interleaving(moments: list[int], steps: list[int | None], fork_at: int) -> None:
    """Whatever passes time, and wherever the world is forked."""
    with new_context(context := world()):
        for number, moment in enumerate(moments):
            schedule(context, "note", at=START + moment, name=f"{moment:03} {number}")
        for number, step in enumerate(steps):
            if number == fork_at:
                twin = context.fork()
                wait(twin, 3600)
                assert names(twin) == sorted(names(twin))
                assert len(names(twin)) == len(moments)
            say(context) if step is None else wait(context, step)
            due = [moment for moment in moments if START + moment <= context.now()]
            assert names(context) == sorted(names(context))
            # A wait may end before the first message, in which nothing has happened yet.
            assert len(names(context)) <= len(due)
        say(context)
        wait(context, 3600)
        assert len(names(context)) == len(set(names(context))) == len(moments)
    assert ExecutionContext.from_dict(context.to_dict()).equals(context)


@given(st.booleans(), st.integers(0, 3), st.integers(0, 5))
def test_a_lost_answer_is_of_a_call_that_was_done_or_not(is_done: bool, passes: int, calls: int) -> None:
    with new_context(context := ExecutionContext(profile=Profile.STRICT, id_seed="t")):
        lose_answer(context, "add_contact", is_done=is_done, passes=passes)
        lost = 0
        for number in range(calls):
            try:
                add_contact(context, name=f"n{number}", phone_number="+14155550100")
            except TimeoutError:
                lost += 1
        assert lost == (calls > passes)
        assert len(context.get_table(CONTACT)) == calls - lost * (not is_done)
        (row,) = context.get_table(FAULTS.name).dicts()
        assert (row["state"], row["is_done"]) == ("met" if lost else "waiting", is_done)


def test_a_call_that_fails_by_itself_is_not_lost() -> None:
    with new_context(context := ExecutionContext(profile=Profile.STRICT, id_seed="t")):
        lose_answer(context, "add_contact", is_done=True)
        with pytest.raises(Exception, match="phone"):
            add_contact(context, name="A", phone_number="x")
        with pytest.raises(TimeoutError, match=LOST):
            add_contact(context, name="A", phone_number="+14155550100")
        assert names(context) == ["A"]
