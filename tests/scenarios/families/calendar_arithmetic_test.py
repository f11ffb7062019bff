"""Dates worked out in another way count, dates worked out wrongly do not."""

import datetime

import attrs
import pytest

from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import _definitions, get_scenario
from tool_sandbox.scenarios.steps import due, read_clock
from tool_sandbox.scenarios.vocabulary import call, say

SEEDS = (0, 1, 2, 3)


def score(play, name, seed, content, find):
    """Score of an agent that finds the time of a reminder in its own way."""

    def solution():
        timestamp = yield from find()
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say("The reminder is set.")

    return play(attrs.evolve(get_scenario(name, seed), solution=solution), OracleAgent())[1].similarity


def wish(name, seed):
    """Content of the reminder that is wanted, and the hour at which it is due."""
    definition = _definitions()[name]
    values = definition.task(seed).milestones[-1].check.values
    return values["content"].text, definition.world(seed).local(values["reminder_timestamp"].value).hour


@pytest.mark.parametrize("seed", SEEDS)
def test_an_hour_of_a_day_with_23_hours_is_read_off_the_clock_and_not_counted_from_midnight(seed, play):
    name = "add_reminder_same_wall_time_across_dst_start"
    content, hour = wish(name, seed)

    def counted():
        moment = yield from read_clock()
        timestamp = yield call("shift_timestamp", timestamp=moment.midnight, hours=24 + hour)
        return timestamp

    def shifted():
        moment = yield from read_clock()
        today = yield due(moment.today, hour)
        timestamp = yield call("shift_timestamp", timestamp=today, days=1)
        return timestamp

    assert score(play, f"{name}_all_tools", seed, content, counted) == 0
    assert score(play, f"{name}_all_tools", seed, content, shifted) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_24_hours_are_not_a_day_when_clocks_go_back(seed, play):
    name = "add_reminder_in_24_hours_across_dst_end"
    content, _ = wish(name, seed)

    def next_day():
        now = yield call("get_current_timestamp")
        timestamp = yield call("shift_timestamp", timestamp=now, days=1)
        return timestamp

    def added():
        now = yield call("get_current_timestamp")
        return now + 86400

    assert score(play, name, seed, content, next_day) == 0
    assert score(play, name, seed, content, added) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_tomorrow_is_counted_from_the_request_and_not_from_the_call(seed, play):
    name = "add_reminder_tomorrow_asked_just_before_midnight"
    content, hour = wish(name, seed)

    def asks_then_looks():
        yield say("What shall I remind you of?")
        moment = yield from read_clock()
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        return timestamp

    def looks_then_asks():
        moment = yield from read_clock()
        yield say("What shall I remind you of?")
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        return timestamp

    assert score(play, name, seed, content, asks_then_looks) == 0
    assert score(play, name, seed, content, looks_then_asks) == 1
