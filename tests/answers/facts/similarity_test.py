"""Answers inside a trajectory: later messages count, values come from tool results."""

import datetime
import json
import pickle
from collections.abc import Sequence
from typing import Any

import pytest

from tool_sandbox.answers.facts import (
    Absent,
    AnswerSimilarity,
    AnyOf,
    Date,
    Derived,
    Done,
    Entity,
    FromTrace,
    Listing,
    Number,
    Phone,
    Reading,
    Switch,
)
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.world.errors import ScenarioError

USER, AGENT, ENVIRONMENT = RoleType.USER, RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT
OFF = Switch("wifi", on=False)


def trajectory(*messages: tuple[RoleType, RoleType, str] | dict[str, Any]) -> ExecutionContext:
    """A context holding these messages; a mapping is the trace of a tool call."""
    context = ExecutionContext()
    for message in messages:
        if isinstance(message, dict):
            row = {"sender": ENVIRONMENT, "recipient": AGENT, "content": "", "tool_trace": [json.dumps(message)]}
        else:
            row = {"sender": message[0], "recipient": message[1], "content": message[2]}
        context.add_to_database(DatabaseNamespace.SANDBOX, [row])
    return context


def says(*texts: str) -> ExecutionContext:
    """A request, then these texts of the agent, with a user's message between them."""
    messages: list[tuple[RoleType, RoleType, str]] = [(USER, AGENT, "Turn off wifi")]
    for text in texts:
        messages += [(AGENT, USER, text), (USER, AGENT, "Go on")]
    return trajectory(*messages)


def scores(answer: AnswerSimilarity, context: ExecutionContext) -> list[float]:
    return [answer(context=context, index=index) for index in range(context.max_sandbox_message_index + 1)]


def test_only_a_message_from_the_agent_to_the_user_can_be_an_answer() -> None:
    context = trajectory(
        (USER, AGENT, "Wi-Fi is off."), (AGENT, ENVIRONMENT, "Wi-Fi is off."), (AGENT, USER, "Wi-Fi is off.")
    )
    assert scores(AnswerSimilarity([OFF]), context) == [0.0, 0.0, 1.0]


def test_one_message_has_to_state_all_facts() -> None:
    answer = AnswerSimilarity([OFF, Switch("cellular", on=True)])
    assert scores(answer, says("Wi-Fi is off.", "Cellular is on.")) == [0.0] * 5
    assert scores(answer, says("Wi-Fi is off and cellular is on.")) == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "score"),
    [("6 and 30", 1.0), ("6\n30", 1.0), ("**6**, **30**.", 1.0), ("30 and 6", 0.0), ("6", 0.0), ("6, 30, 5", 0.0)],
)
def test_bare_figures_answer_in_the_order_of_the_question(text: str, score: float) -> None:
    answer = AnswerSimilarity([Number(6, "device"), Number(30, "percent")])
    assert scores(answer, says(text))[1] == score
    # Said again, it takes nothing back.
    assert not score or scores(answer, says("6 and 30", text))[1] == 1.0


@pytest.mark.parametrize(
    "later",
    [
        "Actually, Wi-Fi is still on.",
        "Sorry, that was wrong.",
        "Please ignore what I said before.",
        "I did not actually do that.",
        "I made that up.",
        "I couldn't turn off Wi-Fi.",
        "My previous answer was incorrect.",
    ],
)
def test_a_later_contradiction_or_retraction_takes_the_answer_back(later: str) -> None:
    assert scores(AnswerSimilarity([OFF]), says("Wi-Fi is off.", "One moment.", later))[1] == 0.0


@pytest.mark.parametrize(
    "later",
    [
        "You're welcome!",
        "Anything else?",
        "Cellular is on.",
        "Sorry, I made a mistake in my wording. To be clear: Wi-Fi is off.",
        "Let me know if that's wrong.",
    ],
)
def test_other_later_messages_leave_the_answer_alone(later: str) -> None:
    assert scores(AnswerSimilarity([OFF]), says("Wi-Fi is off.", later))[1] == 1.0


def test_the_scope_of_a_turn_ends_with_the_next_message_of_the_user() -> None:
    context = says("Wi-Fi is off.", "I've turned Wi-Fi back on.")
    assert scores(AnswerSimilarity([OFF]), context)[1] == 0.0
    assert scores(AnswerSimilarity([OFF], scope="turn"), context)[1] == 1.0


def test_the_scope_of_a_turn_wants_the_user_to_go_on() -> None:
    context = trajectory(
        (USER, AGENT, "?"), (AGENT, USER, "Wi-Fi is off."), (USER, AGENT, "And now?"), (AGENT, USER, "Wi-Fi is off.")
    )
    assert scores(AnswerSimilarity([OFF], scope="turn"), context) == [0.0, 1.0, 0.0, 0.0]
    assert scores(AnswerSimilarity([OFF]), context) == [0.0, 1.0, 0.0, 1.0]


def test_an_earlier_mistake_does_not_matter_for_the_corrected_answer() -> None:
    assert scores(AnswerSimilarity([OFF]), says("Wi-Fi is on.", "Sorry, that was wrong: Wi-Fi is off.")) == [
        0.0,
        0.0,
        0.0,
        1.0,
        0.0,
    ]


def test_what_must_be_absent_is_looked_for_in_all_messages() -> None:
    answer = AnswerSimilarity([Entity("Tom"), Absent(Phone("+15550102345"))])
    assert scores(answer, says("Your landlord is Tom."))[1] == 1.0
    assert scores(answer, says("It's 555-010-2345.", "Your landlord is Tom."))[3] == 0.0
    assert scores(answer, says("Your landlord is Tom.", "It's 555-010-2345."))[1] == 0.0


WEATHER = {
    "tool_name": "search_weather_around_lat_lon",
    "arguments": {"days": 0},
    "result": {"current_temperature": 20.1, "name": "Oslo"},
}
TEMPERATURE = Number(FromTrace("search_weather_around_lat_lon", "current_temperature"), "celsius")


def test_values_come_from_the_last_matching_call() -> None:
    later = {**WEATHER, "result": {"current_temperature": 25.0}}
    context = trajectory(
        (USER, AGENT, "Weather?"), WEATHER, (AGENT, USER, "It's 20.1 °C."), later, (AGENT, USER, "It's 25 °C.")
    )
    assert scores(AnswerSimilarity([TEMPERATURE]), context) == [0.0, 0.0, 0.0, 0.0, 1.0]
    first = AnswerSimilarity([TEMPERATURE])(
        context=trajectory((USER, AGENT, "?"), WEATHER, (AGENT, USER, "It's 68.2 °F.")), index=2
    )
    assert first == 1.0


@pytest.mark.parametrize(
    "source",
    [
        FromTrace("search_weather_around_lat_lon", "no_such_key"),
        FromTrace("search_weather_around_lat_lon", "current_temperature.0"),
        FromTrace("another_tool"),
        FromTrace("search_weather_around_lat_lon", "current_temperature", arguments={"days": 1}),
    ],
)
def test_a_value_that_cannot_be_found_scores_nothing(source: FromTrace) -> None:
    context = trajectory((USER, AGENT, "?"), WEATHER, (AGENT, USER, "It's 20.1 °C."))
    assert AnswerSimilarity([Number(source, "celsius")])(context=context, index=2) == 0.0


def test_values_are_filled_in_at_any_depth() -> None:
    fact = Listing((Entity(FromTrace("search_weather_around_lat_lon", "name", arguments={"days": 0})), TEMPERATURE))
    context = trajectory((USER, AGENT, "?"), WEATHER, (AGENT, USER, "In Oslo it's 20.1 °C."))
    assert AnswerSimilarity([fact])(context=context, index=2) == 1.0


FAHRENHEIT = Derived("search_weather_around_lat_lon", "current_temperature", scale=1.8, offset=32.0)


def test_a_derived_value_is_rescaled() -> None:
    context = trajectory((USER, AGENT, "?"), WEATHER, (AGENT, USER, "It's 68.18 °F."))
    assert FAHRENHEIT.resolve(context, 2) == pytest.approx(68.18)
    assert AnswerSimilarity([Number(FAHRENHEIT, "fahrenheit", in_unit=True)])(context=context, index=2) == 1.0
    assert FAHRENHEIT.to_dict()["scale"] == 1.8


def test_only_a_number_can_be_rescaled() -> None:
    context = trajectory((USER, AGENT, "?"), WEATHER)
    assert FAHRENHEIT.resolve(context, 0) is None
    assert Derived("search_weather_around_lat_lon", "name", scale=2.0).resolve(context, 1) is None


def test_any_of_several_facts_will_do() -> None:
    fact = AnyOf((Number(3, "kilometer"), Number(5, "minute")))
    assert fact.read("It is 3 km away.") is Reading.STATED
    assert fact.read("It takes 5 minutes.") is Reading.STATED
    assert fact.read("It is 4 km away.") is Reading.CONTRADICTED
    assert fact.read("Hello.") is Reading.SILENT
    assert AnyOf(fact).facts == (fact,)


def test_values_of_alternatives_are_filled_in() -> None:
    answer = AnswerSimilarity([AnyOf((TEMPERATURE, Number(FAHRENHEIT, "fahrenheit")))])
    for text, score in (("It's 20.1 °C.", 1.0), ("It's 68.2 °F.", 1.0), ("It's 30 °C.", 0.0)):
        assert answer(context=trajectory((USER, AGENT, "?"), WEATHER, (AGENT, USER, text)), index=2) == score
    assert json.loads(json.dumps(answer.to_dict())) == answer.to_dict()


def test_a_timestamp_from_a_trace_becomes_a_date() -> None:
    holiday = {"tool_name": "search_holiday", "arguments": {}, "result": 1795680000.0}
    fact = Date(FromTrace("search_holiday"), zone="America/Los_Angeles")
    context = trajectory((USER, AGENT, "?"), holiday, (AGENT, USER, "Thanksgiving is on November 26, 2026."))
    assert AnswerSimilarity([fact])(context=context, index=2) == 1.0


def test_a_fact_without_its_value_cannot_be_read() -> None:
    with pytest.raises(ScenarioError):
        TEMPERATURE.read("It's 20 °C.")


@pytest.mark.parametrize("facts", [[], [1], ["Tom"]])
def test_an_answer_needs_facts(facts: Sequence[Any]) -> None:
    with pytest.raises(ScenarioError):
        AnswerSimilarity(facts)


def test_indices_outside_the_trajectory_score_nothing() -> None:
    assert AnswerSimilarity([OFF])(context=says("Wi-Fi is off."), index=99) == 0.0
    assert AnswerSimilarity([OFF])(context=ExecutionContext(), index=0) == 0.0


def test_answers_are_values() -> None:
    answer = AnswerSimilarity([OFF, TEMPERATURE, Date(datetime.date(2026, 12, 25)), Done("sent", about=("text",))])
    assert answer.reads_trajectory is True
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert json.loads(json.dumps(answer.to_dict())) == answer.to_dict()
    assert "\n" not in answer.describe()
    assert "Switch(subject='wifi', on=False)" in answer.describe()
