"""Reminders."""

from typing import Any

import pytest
from polars.exceptions import DuplicateError, NoDataError

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.tools.reminder import add_reminder, modify_reminder, remove_reminder, search_reminder
from tool_sandbox.world.profile import Profile

REMINDER = DatabaseNamespace.REMINDER
TOMORROW = 1_750_086_400.0


def test_add(world: ExecutionContext) -> None:
    reminder_id = add_reminder("Buy milk", TOMORROW, 37.3, -122.0)
    assert world.get_table(REMINDER).dicts() == [
        {
            "reminder_id": reminder_id,
            "content": "Buy milk",
            "creation_timestamp": world.now(),
            "reminder_timestamp": TOMORROW,
            "latitude": 37.3,
            "longitude": -122.0,
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"reminder_timestamp": TOMORROW * 1000}, ValueError),
        ({"reminder_timestamp": float("inf")}, ValueError),
        ({"reminder_timestamp": "tomorrow"}, TypeError),
        ({"latitude": 90.1, "longitude": 0.0}, ValueError),
        ({"latitude": 0.0, "longitude": -180.1}, ValueError),
        ({"latitude": float("nan"), "longitude": 0.0}, ValueError),
        ({"latitude": True, "longitude": 0.0}, TypeError),
        ({"content": 1}, TypeError),
        ({"where": "home"}, TypeError),
    ],
)
def test_add_errors(world: ExecutionContext, arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        add_reminder(**{"content": "Buy milk", "reminder_timestamp": TOMORROW, **arguments})
    assert len(world.get_table(REMINDER)) == 0


def test_past_times_are_allowed(world: ExecutionContext) -> None:
    add_reminder("Buy milk", world.now() - 10)


def test_half_a_place(world: ExecutionContext) -> None:
    if world.profile is Profile.PUBLISHED:
        add_reminder("Buy milk", TOMORROW, latitude=1.0)
        return
    with pytest.raises(ValueError, match="both"):
        add_reminder("Buy milk", TOMORROW, latitude=1.0)
    reminder_id = add_reminder("Buy milk", TOMORROW, 1.0, 2.0)
    with pytest.raises(ValueError, match="both"):
        modify_reminder(reminder_id, longitude=None)
    modify_reminder(reminder_id, latitude=None, longitude=None)


def test_modify_sets_creation_time(world: ExecutionContext) -> None:
    old = {"reminder_id": "r", "content": "Old", "creation_timestamp": 1e9, "reminder_timestamp": TOMORROW}
    world.add_to_database(REMINDER, [old])
    modify_reminder("r", content="New", latitude=1.0, longitude=2.0)
    assert world.get_table(REMINDER).dicts() == [
        {**old, "content": "New", "creation_timestamp": world.now(), "latitude": 1.0, "longitude": 2.0}
    ]
    modify_reminder("r", latitude=None, longitude=None)
    assert world.get_table(REMINDER).dicts()[0]["latitude"] is None


def test_modify_and_remove_errors(world: ExecutionContext) -> None:
    with pytest.raises(ValueError, match="at least one"):
        modify_reminder("nothing")
    with pytest.raises(NoDataError, match="nothing"):
        modify_reminder("nothing", content="X")
    with pytest.raises(NoDataError, match="nothing"):
        remove_reminder("nothing")
    with pytest.raises(TypeError):
        modify_reminder("nothing", content=None)
    world.add_to_database(REMINDER, [{"reminder_id": "twice", "content": "x"}] * 2)
    with pytest.raises(DuplicateError):
        modify_reminder("twice", content="X")
    remove_reminder("twice")
    assert len(world.get_table(REMINDER)) == 0


@pytest.fixture
def reminders(world: ExecutionContext) -> list[str]:
    return [
        add_reminder("Buy a chocolate milk", TOMORROW, 37.3, -122.0),
        add_reminder("Call the dentist", TOMORROW + 60),
        add_reminder("Look for company SF tickets", TOMORROW + 120),
    ]


def test_search(world: ExecutionContext, reminders: list[str]) -> None:
    def found(**criteria: Any) -> list[int]:
        return [reminders.index(row["reminder_id"]) for row in search_reminder(**criteria)]

    assert found(reminder_id=reminders[1]) == [1]
    assert found(content="chocolate milk")[0] == 0
    assert found(reminder_timestamp_lowerbound=TOMORROW + 60) == [1, 2]
    assert found(reminder_timestamp_upperbound=TOMORROW + 60) == [0, 1]
    assert found(creation_timestamp_lowerbound=world.now()) == [0, 1, 2]
    assert found(creation_timestamp_upperbound=world.now() - 1) == []
    assert found(latitude=37.3) == [0]
    assert found(longitude=-122.0, content="dentist") == []
    if world.profile is Profile.STRICT:
        assert found(content="dentist") == [1]


@pytest.mark.parametrize(
    ("criteria", "error"),
    [
        ({}, ValueError),
        ({"latitude": 91.0}, ValueError),
        ({"latitude": None}, TypeError),
        ({"content": None}, TypeError),
    ],
)
def test_search_errors(world: ExecutionContext, criteria: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        search_reminder(**criteria)
