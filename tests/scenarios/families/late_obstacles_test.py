"""Impossible tasks differ from their possible twins in one thing, and have no way round."""

import attrs
import pytest

from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import _definitions, get_scenario
from tool_sandbox.scenarios.vocabulary import call, say
from tool_sandbox.world.script import ToolCallFailed

FAMILY = "late_obstacles"
TWINS = {name: each.twin for name, each in _definitions().items() if each.twin and each.family == FAMILY}


@pytest.mark.parametrize(("impossible", "possible"), TWINS.items())
def test_twins_are_asked_for_in_the_same_words(impossible, possible):
    here, there = (get_scenario(name).user_script.opening for name in (impossible, possible))
    own = {"Grand Canyon": "Apple Park", "June 23": "May 23"}
    for mine, theirs in own.items():
        here = here.replace(mine, theirs)
    assert here == there


def test_a_currency_without_a_rate_cannot_be_reached_through_another_one(play):
    def solution():
        euros = yield call("convert_currency", amount=2048, from_currency_code="USD", to_currency_code="EUR")
        try:
            yield call("convert_currency", amount=euros, from_currency_code="EUR", to_currency_code="CNY")
        except ToolCallFailed:
            yield say("I could not convert it.")

    scenario = get_scenario("convert_currency_backend_failure_insufficient_information")
    context, result = play(attrs.evolve(scenario, solution=solution), OracleAgent())
    assert result.similarity == 0
    assert "no exchange rate" in str(context.to_dict(False))


def test_an_offer_to_do_something_else_is_not_taken_up():
    scenario = get_scenario("modify_contact_last_sender_unknown_insufficient_information")
    assert not scenario.user_script.consents
