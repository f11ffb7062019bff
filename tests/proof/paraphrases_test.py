"""Other wordings of right answers: they say the same, and score the same."""

import datetime
from collections.abc import Callable

import pytest

from tool_sandbox.answers.facts import (
    Absent,
    AnyNumber,
    AnyOf,
    Boolean,
    Cannot,
    CannotReason,
    Date,
    DateTime,
    Done,
    Duration,
    Entity,
    Fact,
    Listing,
    NotDone,
    Number,
    Paired,
    Phone,
    Quote,
    Reading,
    Switch,
    Time,
    Weekday,
)
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.paraphrases import paraphrases, reworded
from tool_sandbox.proof.play import Playback, play, record
from tool_sandbox.proof.renderings import STYLES, rendered
from tool_sandbox.proof.wording import VERBS
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import Task, call, say, setting
from tool_sandbox.world.script import Say

SCENARIOS = [
    "convert_currency",
    "find_current_city_low_battery_mode",
    "find_days_till_holiday_multiple_user_turn",
    "get_cellular",
    "modify_contact_with_message_recency_insufficient_information",
    "remove_contact_by_phone",
    "search_phone_number_with_name",
    "search_reminder_with_recency_upcoming",
    "send_message_two_contacts_same_first_name_disambiguation_multiple_user_turn",
]
DAY = datetime.date(2026, 12, 25)
UNTOUCHED = {"nothing sent", "nothing deleted", "nothing added"}
FACTS: list[Fact] = [
    Switch("wifi", on=True),
    Switch("low_battery_mode", on=False),
    Boolean("Tom", ("saved",), ("missing",), value=True),
    Boolean("Tom", ("saved",), ("missing",), value=False),
    Number(72.46, "fahrenheit", in_unit=True),
    Number(5.61, "knot", about="wind"),
    Number(14688.82, "CNY", context=2048),
    Number(67.9983, "kilometer", relative=0.01),
    Number(224.5, "day", tolerance=0.5),
    Number(3, "contact"),
    Number(1764230400.0),
    Duration(15148),
    Duration(38 * 86400),
    Date(DAY),
    Time(datetime.time(17)),
    Time(datetime.time(9, 30), about="dentist"),
    DateTime(datetime.datetime(2026, 12, 25, 17, 30)),
    Weekday("Thursday"),
    Phone("+15550102345"),
    Phone("+4930123456", about="Ann"),
    Entity("Ann Weber", instead_of=("Tom Haake",)),
    Entity("Tom Haake", about="cheapest", instead_of=("Ann",)),
    Quote("Hi, is the road bike still for sale?"),
    Listing(("Ann", "Tom", "Bob"), ordered=True, universe=("Eve",)),
    Listing((Number(1, "usd", about="milk"), Number(2, "usd", about="bread"))),
    Paired((("Berlin", Number(12.3, "celsius")), ("Oslo", Number(4.5, "celsius")))),
    AnyOf((Absent(AnyNumber("celsius")), Entity("Ann"))),
    NotDone("sent", ("message", "Ann"), because=("rain",)),
    *(NotDone(action, "reminder") for action in VERBS),
    *(Done(action, about=("Ann Weber", "contact")) for action in VERBS),
    *(Done(action) for action in VERBS),
    *(Cannot(reason, terms=("location",), task="sent") for reason in CannotReason),
    Cannot("SETTING_BLOCKED", terms=("low_battery_mode",)),
    Cannot("TOOL_MISSING", terms=("remove", "removing"), task="removed"),
]


def test_a_fact_is_stated_in_every_style() -> None:
    texts = [(fact, rendered([fact], style)) for fact in FACTS for style in range(len(STYLES))]
    assert [(fact.describe(), text) for fact, text in texts if fact.read(text) is not Reading.STATED] == []


def test_styles_differ_and_tell_all_facts() -> None:
    facts = [Number(72.46, "fahrenheit"), Entity("Ann Weber"), Absent(Phone("+15550102345"))]
    texts = [rendered(facts, style) for style in range(len(STYLES))]
    assert len(set(texts)) == len(STYLES)
    assert all(fact.read(text) is Reading.STATED for fact in facts for text in texts)
    assert texts[2].index("Ann") < texts[2].index("72")


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_paraphrase_scores_as_the_reference_does(name: str) -> None:
    scenario = get_scenario(name)
    reference = record(scenario)
    found = paraphrases(scenario, reference)
    assert len({paraphrase.label for paraphrase in found}) == len(found) > len(STYLES) + 1
    for paraphrase in found:
        agent = paraphrase.agent()
        assert isinstance(agent, Playback)
        assert agent.steps != reference.steps
        assert play(scenario, agent)[1].success, paraphrase.label


def test_questions_stay() -> None:
    scenario = get_scenario("send_message_two_contacts_same_first_name_disambiguation_multiple_user_turn")
    reference = record(scenario)
    asked = next(step for step in reference.steps if isinstance(step, Say) and "?" in step.text)
    for paraphrase in paraphrases(scenario, reference):
        agent = paraphrase.agent()
        assert isinstance(agent, Playback)
        assert asked in agent.steps


def test_without_an_answer_there_are_remarks_alone(make: Callable[..., Scenario]) -> None:
    task = Task(
        user="Switch wifi off.",
        tools=["set_wifi_status"],
        milestones=[setting(wifi=False)],
        solution=[call("set_wifi_status", on=False), say("It is done.")],
    )
    scenario = make(task)
    kinds = {paraphrase.label.partition(":")[0] for paraphrase in paraphrases(scenario, record(scenario))}
    assert kinds == {"closing offer", "offer on a condition", "offer to undo", *UNTOUCHED}


def test_rewording() -> None:
    text = 'I have removed the note "I have to call +14155550129". It is 7.5 degrees Celsius; call +14155550129.'
    assert reworded(text) == (
        "Sure! I've deleted the note \"I have to call +14155550129\". It's 7.5 \u00b0C; call (415) 555-0129."
        " Is there anything else I can help you with?"
    )
    assert reworded("I can't do it.") == "Sure! I cannot do it. Is there anything else I can help you with?"
    assert reworded("I have it. Which one do you mean?") == "I've it. Which one do you mean?"


def _texts(name: str) -> dict[str, str]:
    scenario = get_scenario(name)
    return dict(each.label.split(": ", 1) for each in paraphrases(scenario, record(scenario)))  # type: ignore[misc]


def test_manners_of_a_figure() -> None:
    told = _texts("find_temperature_f_with_location_wifi_off")
    assert told["nothing but the value"] == '"76.1 °F."'
    assert told["in two forms"].endswith('(24.5°C)."') or "24.5" in told["in two forms"]
    assert told["as a forecast"].startswith('"Today it should be about 76.1 °F')
    assert told["place last"] == '"76.1 °F at Golden Gate Bridge."'
    assert "**" in told["in bold"]
    assert "|" in told["in a table"]


def test_remarks_tell_what_was_in_the_way_and_what_was_left_alone() -> None:
    told = _texts("find_temperature_f_with_location_wifi_off")
    assert told["overcome failure told"].startswith('"The first attempt failed because wi-Fi was off') or (
        "Wi-Fi was off, so I turned Wi-Fi on and tried again." in told["overcome failure told"]
    )
    assert "That needs Wi-Fi on: shall I?" in told["requirement told in a question"]
    assert {"nothing sent", "nothing deleted", "nothing added"} <= set(told)
    assert "nothing turned on" not in told
    assert "went off and is on again" in _texts("toggle_wifi_restart_order")["two moves told"]
