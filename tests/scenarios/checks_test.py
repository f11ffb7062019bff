"""Checks and matchers: what counts as a call, a failure, a question, a change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.common.evaluation.side_effects import matches
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.checks import Asked, Called, Changed, Failed
from tool_sandbox.scenarios.matchers import Anything, HasRow, Near, Nothing, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import CONTACT, SETTING


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (None, None, True),
        (None, "", False),
        (Near(5.0, 1.0), 5.9, True),
        (Near(5.0, 1.0), 6.1, False),
        (Near(1.0, 1.0), True, False),
        (Near(1.0, 1.0), "1", False),
        (SameWords("Buy milk"), "buy  MILK!", True),
        (SameWords("Buy milk"), "milk buy", False),
        (SameWords("Buy milk"), "Buy oat milk", False),
        (SameWords("Buy milk", extra=1), "Buy oat milk", True),
        (SameWords("Feed Bettina's cat"), "feed Bettina’s cat.", True),
        (SameWords("Buy milk"), None, False),
        (OneOf(("USD", "usd")), "usd", True),
        (OneOf(("USD", Near(3.0, 0.0))), 3, True),
        (OneOf(()), None, False),
        (HasRow({"name": "Ann"}), [{"name": "Bob"}, {"name": "Ann", "age": 3}], True),
        (HasRow({"name": "Ann"}), [{"age": 3}], False),
        (HasRow({"name": None}), [{"age": 3}], False),
        (HasRow({"name": "Ann"}), {"name": "Ann"}, False),
        (Nothing(), [], True),
        (Nothing(), None, True),
        (Nothing(), 0, False),
        (Anything(), None, True),
    ],
)
def test_matchers(expected, actual, fits):
    assert matches(expected, actual) is fits


@given(st.text(max_size=60))
def test_every_text_has_the_same_words_as_itself(text):
    assert SameWords(text)(text)
    assert SameWords(text)(f"  {text.upper()} !") or text.upper().casefold() != text.casefold()


def met(check, context) -> list[int]:
    newest = context.max_sandbox_message_index
    return [index for index in range(newest + 1) if check(context=context, index=index)]


def test_a_call_counts_at_its_result_and_only_if_it_succeeded(play):
    context, _ = play(get_scenario("remove_contact_by_phone"), OracleAgent())
    person = context.get_table(CONTACT, 3).dicts()[1]
    assert met(Called("search_contacts"), context) == [5]
    assert met(Called("search_contacts", {"phone_number": person["phone_number"]}), context) == [5]
    assert met(Called("search_contacts", {"phone_number": "+14155550000"}), context) == []
    assert met(Called("search_contacts", {"name": None}), context) == []
    assert met(Called("search_contacts", {}, HasRow({"name": person["name"]})), context) == [5]
    assert met(Called("search_contacts", {}, Nothing()), context) == []
    assert met(Failed("search_contacts"), context) == []


def test_a_failed_call_counts_as_a_failure_only(play):
    name = "send_message_power_saving_setter_missing_insufficient_information"
    context, _ = play(get_scenario(name), OracleAgent())
    assert met(Failed("set_cellular_service_status"), context) == [5]
    assert met(Failed("set_cellular_service_status", {"on": True}), context) == [5]
    assert met(Failed("set_cellular_service_status", {"on": False}), context) == []
    assert met(Failed("set_wifi_status"), context) == []
    assert met(Called("set_cellular_service_status"), context) == []


def test_a_question_has_to_ask(play):
    for text, indices in (("Which one do you mean?", [4]), ("I know which one you mean.", [])):
        context, _ = play(get_scenario("cellular_off"), RecitingAgent(text, "Okay."))
        assert met(Asked("which"), context) == indices


def test_a_change_counts_from_the_moment_it_shows(play):
    context, _ = play(get_scenario("remove_contact_by_phone"), OracleAgent())
    gone = context.get_table(CONTACT, 3).dicts()[1]["person_id"]
    newest = context.max_sandbox_message_index
    assert met(Changed(CONTACT, "removed", {"person_id": gone}), context) == list(range(7, newest + 1))
    assert met(Changed(CONTACT, "removed", {"person_id": gone}, count=2), context) == []
    assert met(Changed(CONTACT, "added"), context) == []
    assert met(Changed(CONTACT, "updated", {"relationship": "boss"}, {"name": "Somebody"}), context) == []


def test_a_change_that_is_taken_back_does_not_last(play):
    context, _ = play(get_scenario("toggle_wifi_restart_order"), OracleAgent())
    assert met(Changed(SETTING, "updated", {}, {"wifi": False}), context) == []
    assert met(Changed(SETTING, "updated", {}, {"wifi": False}, lasts=False), context) == [5, 6]
