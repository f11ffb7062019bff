"""Checks and matchers: what counts as a call, a failure, a question, a change, something told or composed."""

import datetime

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.answers.facts import AnswerSimilarity, Entity, Time
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.checks import Asked, Called, Changed, Check, Failed, NotYet, Told
from tool_sandbox.scenarios.matchers import Anything, HasRow, Near, Nothing, OneOf, SameWords, Says
from tool_sandbox.scenarios.vocabulary import CONTACT, SETTING
from tool_sandbox.scoring.side_effects import matches


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
        (SameWords("Sharpen the kitchen knives", extra=3), "sharpen kitchen knives", True),
        (SameWords("Fetch two bags of ice", extra=3), "Fetch 2 bags of ice at the shop", True),
        (SameWords("Fetch two bags of ice", extra=3), "Fetch 3 bags of ice", False),
        (SameWords("Sharpen the kitchen knives"), "sharpen kitchen knives", False),
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


AT_TWO = Says([Time(datetime.time(14))], never=("clinic|doctor", "5550102"))


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("We meet at 2 PM.", True),
        ("See you tomorrow at 14:00!", True),
        ("We meet tomorrow.", False),
        ("We meet at 3 PM.", False),
        ("We do not meet at 2 PM.", False),
        ("We meet at 2 PM, after the Clinic.", False),
        ("We meet at 2 PM, call me on 5550102.", False),
        ("We meet at 2 PM, call me on (650) 555-01 02.", False),
        ("", False),
        (None, False),
        (1400, False),
    ],
)
def test_a_composed_text_says_what_it_must_and_nothing_that_it_must_not(text, fits):
    assert matches(AT_TWO, text) is fits


def test_a_composed_text_says_all_facts():
    both = Says([Time(datetime.time(14)), Entity("Ann Lee")])
    assert both("Ann Lee comes at 2 PM.")
    assert not both("Ann Lee comes.")
    assert Says([])("Anything goes.")


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


@pytest.mark.parametrize(
    ("text", "pattern", "indices"),
    [
        ("The number is (650) 555-0102.", "5550102", [4]),
        ("The number is 650 555 01 02.", "5550102", [4]),
        ("It ends in 0102.", "5550102", []),
        ("Your LANDLORD is Ann.", "landlord", [4]),
        ("Your landlord is Ann.", "^Ann", []),
        ("Your landlord is Ann.", r"is \w+\.$", [4]),
    ],
)
def test_what_is_told_counts_at_the_text_in_which_it_stands(play, text, pattern, indices):
    context, _ = play(get_scenario("cellular_off"), RecitingAgent(text, "Okay."))
    assert met(Told(pattern), context) == indices


def test_what_the_user_says_or_a_tool_returns_is_not_told(play):
    context, _ = play(get_scenario("search_contact_do_not_reveal_number_negative_constraint"), OracleAgent())
    number = context.get_table(CONTACT, 3).where(relationship="landlord")[0]["phone_number"]
    assert met(Told(number[-7:]), context) == []
    assert met(Told("screen"), context) == []


def test_a_change_has_not_been_made_until_it_shows(play):
    context, _ = play(get_scenario("remove_contact_by_phone"), OracleAgent())
    gone = context.get_table(CONTACT, 3).dicts()[1]["person_id"]
    removal, newest = Changed(CONTACT, "removed", {"person_id": gone}), context.max_sandbox_message_index
    assert met(NotYet(removal), context) == list(range(7))
    assert met(NotYet(attrs.evolve(removal, count=2)), context) == list(range(newest + 1))
    assert NotYet(removal).namespace == CONTACT


def test_a_change_that_was_taken_back_counts_as_made_only_while_it_lasts(play):
    context, _ = play(get_scenario("toggle_wifi_restart_order"), OracleAgent())
    newest = context.max_sandbox_message_index
    off = Changed(SETTING, "updated", {}, {"wifi": False})
    assert met(NotYet(off), context) == [index for index in range(newest + 1) if index not in (5, 6)]


def test_taking_back_is_a_change_only_once_there_is_something_to_take_back(play):
    context, _ = play(get_scenario("toggle_wifi_restart_order"), OracleAgent())
    newest = context.max_sandbox_message_index
    on = Changed(SETTING, "updated", {}, {"wifi": True})
    assert met(NotYet(on), context) == list(range(newest + 1))
    assert met(NotYet(on, undoes=True), context) == [5, 6]


def test_all_checks_are_described_by_plain_values():
    removal = Changed(CONTACT, "removed", {"name": OneOf(("Ann", "Bob"))})
    assert NotYet(removal, undoes=True).to_dict() == {
        "check": "NotYet",
        "change": {
            "check": "Changed",
            "namespace": "CONTACT",
            "kind": "removed",
            "where": {"name": {"matcher": "OneOf", "options": ["Ann", "Bob"]}},
            "count": 1,
            "lasts": True,
        },
        "undoes": True,
    }
    assert Called("search_contacts", {"rows": ({"name": "Ann"},)}).to_dict()["arguments"] == {"rows": [{"name": "Ann"}]}
    assert all(
        isinstance(check, Check) for check in (removal, NotYet(removal), Told("a"), AnswerSimilarity(Entity("a")))
    )
    assert not isinstance(AT_TWO, Check)
