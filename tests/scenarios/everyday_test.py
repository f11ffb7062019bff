"""What every user knows, and what it has in mind, by its world."""

import re

from tool_sandbox.roles.scripted_user import NO, YES, next_line
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.script import UserScript


def script_of(name: str) -> UserScript:
    script = named_scenarios(names=[name])[name].user_script
    assert script is not None
    return script


def test_a_user_knows_the_day_the_time_its_name_and_where_it_is() -> None:
    script = script_of("convert_currency")
    assert next_line(script, ["What's today's date?"]) == "It's Wednesday, May 14, 2025."
    assert str(next_line(script, ["What time is it now?"])).startswith("It's about ")
    assert str(next_line(script, ["Could you tell me your name?"])).startswith("I'm ")
    assert str(next_line(script, ["Which city are you in?"])).startswith("I'm in ")
    assert (
        next_line(script_of("find_travel_time_hours_minutes_unit_chain"), ["Where are you?"])
        == "Right here, where this phone is."
    )


def test_a_user_does_not_tell_what_its_task_is_about() -> None:
    script = script_of("find_days_till_holiday_insufficient_information")
    assert not re.search(r"\d|day\b", str(next_line(script, ["What's today's date?"])))
    city = script_of("find_current_city")
    assert not any(secret in str(next_line(city, ["Which city are you in?"])) for secret in city.secrets)


def test_a_user_has_the_rows_and_times_of_its_task_in_mind() -> None:
    script = script_of("remove_reminder_by_content")
    assert next_line(script, ['There is "Buy a birthday cake". Is that the one?']) == YES
    assert next_line(script, ['There is "Call the bakery". Is that the one?']) == NO
    script = script_of("add_reminder_content_and_week_delta_and_time_and_location")
    assert next_line(script, ["Did you mean May 15?"]) == YES
    assert next_line(script, ["Did you mean May 16?"]) == NO
