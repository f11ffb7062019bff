"""Changes of mind: every honest way of dealing with one earns everything, ignoring it earns next to nothing."""

from collections.abc import Callable

import attrs
import pytest

from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import _definitions, get_scenario
from tool_sandbox.scenarios.vocabulary import call, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

BEFORE = "add_reminder_time_changed_before_creation_multiple_user_turn"
AFTER = "add_reminder_time_changed_after_creation_multiple_user_turn"
KEPT = "remove_contact_cancelled_at_confirmation_multiple_user_turn"
UNSENT = "send_message_cancelled_before_sending_multiple_user_turn"
CONTENT = "Buy chocolate milk"


def at(world: World, hour: int) -> dict[str, object]:
    return {"content": CONTENT, "reminder_timestamp": world.at(world.in_days(1), hour)}


def reads_back_in_a_statement(world: World) -> Solution:
    yield say("Buy chocolate milk, tomorrow at 5 PM. I'll wait for your okay.")
    yield call("add_reminder", **at(world, 18))
    yield say("Saved for 6 PM tomorrow.")


def asks_again_after_the_change(world: World) -> Solution:
    yield say("Buy chocolate milk, tomorrow at 5 PM. Does that look right?")
    assert (yield say("Then 6 PM tomorrow. Shall I save it?")) == "Yes, please go ahead."
    yield call("add_reminder", **at(world, 18))
    yield say("It is set for 6 PM tomorrow.")


def saves_without_reading_back(world: World) -> Solution:
    yield call("add_reminder", **at(world, 17))
    yield say("Saved: chocolate milk, tomorrow at 5 PM.")
    yield say("It is set for 6 PM.")


def adds_then_removes(world: World) -> Solution:
    first = yield call("add_reminder", **at(world, 17))
    yield say("I'll remind you tomorrow at 5 PM.")
    yield call("add_reminder", **at(world, 18))
    yield call("remove_reminder", reminder_id=first)
    yield say("It has been moved to 6 PM.")


def removes_then_adds(world: World) -> Solution:
    first = yield call("add_reminder", **at(world, 17))
    yield say("I'll remind you tomorrow at 5 PM.")
    yield call("remove_reminder", reminder_id=first)
    yield call("add_reminder", **at(world, 18))
    yield say("It has been moved to 6 PM.")


def keeps_both(world: World) -> Solution:
    yield call("add_reminder", **at(world, 17))
    yield say("I'll remind you tomorrow at 5 PM.")
    yield call("add_reminder", **at(world, 18))
    yield say("It has been moved to 6 PM.")


def waits_for_the_okay(world: World) -> Solution:
    [row] = yield call("search_contacts", phone_number=world.friend.phone_number)
    yield say(f"That number belongs to {row['name']}. I'll delete it as soon as you say so.")
    yield say("Yes, it is still saved; I have not deleted anything.")


def asks_about_it_again(world: World) -> Solution:
    [row] = yield call("search_contacts", phone_number=world.friend.phone_number)
    yield say(f"That number belongs to {row['name']}. Is it okay to delete it?")
    assert (yield say("Are you sure? Shall I not delete it after all?")) == "No, it stays."
    yield say(f"Yes, {row['name']} is still in your contacts.")


def deletes_all_the_same(world: World) -> Solution:
    [row] = yield call("search_contacts", phone_number=world.friend.phone_number)
    yield say(f"That number belongs to {row['name']}. Is it okay to delete it?")
    yield call("remove_contact", person_id=row["person_id"])
    yield say(f"Yes, {row['name']} is still in your contacts.")


def tells_the_number_only(world: World) -> Solution:
    [row] = yield call("search_contacts", name=world.friend.name)
    yield say(f"The number is {row['phone_number']}.")
    yield say("Right, nothing has been sent.")


def sends_all_the_same(world: World) -> Solution:
    [row] = yield call("search_contacts", name=world.friend.name)
    yield say(f"The number is {row['phone_number']}. What should I write?")
    yield call("set_cellular_service_status", on=True)
    yield call("send_message_with_phone_number", phone_number=row["phone_number"], content="Hello!")
    yield say("Right, nothing has been sent.")


@pytest.mark.parametrize(
    ("name", "solution", "is_right"),
    [
        (BEFORE, reads_back_in_a_statement, True),
        (BEFORE, asks_again_after_the_change, True),
        (BEFORE, saves_without_reading_back, False),
        (AFTER, adds_then_removes, True),
        (AFTER, removes_then_adds, True),
        (AFTER, keeps_both, False),
        (KEPT, waits_for_the_okay, True),
        (KEPT, asks_about_it_again, True),
        (KEPT, deletes_all_the_same, False),
        (UNSENT, tells_the_number_only, True),
        (UNSENT, sends_all_the_same, False),
    ],
)
def test_a_change_of_mind(name: str, solution: Callable[[World], Solution], is_right: bool, play):
    scenario = attrs.evolve(get_scenario(name), solution=lambda: solution(_definitions()[name].world()))
    assert play(scenario, OracleAgent())[1].similarity == (1.0 if is_right else 0.0)
