"""The judge with a provider whose replies are listed: what it is asked, and what is made of its answers."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.faults import FaultKind, RequestFault
from tool_sandbox.models.messages import ModelReply, ModelRequest
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.session import Session
from tool_sandbox.proof.play import Playback, play
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.runner.fact_checking import false_statements, read_false_statements
from tool_sandbox.runner.judging import Judge, read_verdicts
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.script import Say


class Opinion(Provider):
    """A model with an opinion; an exception is raised instead."""

    name = "listed"

    def __init__(self, opinion: Callable[[ModelRequest], str | Exception]) -> None:
        super().__init__("judge-1")
        self.opinion = opinion
        self.requests: list[ModelRequest] = []

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        return {"request": request}

    def send(self, **wire: Any) -> Any:
        self.requests.append(wire["request"])
        opinion = self.opinion(wire["request"])
        if isinstance(opinion, Exception):
            raise opinion
        return opinion

    def read(self, answer: Any) -> ModelReply:
        return ModelReply(answer)

    def explain(self, error: Exception) -> RequestFault | None:
        return RequestFault(FaultKind.AUTHENTICATION, "no key") if isinstance(error, PermissionError) else None


def judged(opinion: Callable[[ModelRequest], str | Exception], name: str = "find_days_till_holiday") -> tuple[Any, Any]:
    scenario = get_scenario(name)
    context, score = play(scenario, OracleAgent())
    provider, session = Opinion(opinion), Session("judge")
    return Judge(provider, RetryPolicy(retries=0))(scenario, context, score, session), provider


def test_the_judge_sees_the_facts_and_the_message_and_no_verdict() -> None:
    report, provider = judged(lambda request: '{"1": "stated"}')
    (request,) = provider.requests
    (turn,) = request.turns
    assert "1. Number(value=" in turn.text
    message = json.loads(turn.text.partition("Message:\n")[2])
    assert "day" in message
    assert request.tools == ()
    (answer,) = report["answers"]
    assert (answer["deterministic"], answer["judge"], report["agreement"]) == (1.0, 1.0, 1.0)
    (reading,) = answer["readings"]
    assert (reading["deterministic"], reading["judge"], reading["agrees"]) == ("stated", "stated", True)


@pytest.mark.parametrize(
    ("opinion", "judge", "agreement"),
    [
        ('{"1": "silent"}', 0.0, 0.0),
        ('{"1": "contradicted"}', 0.0, 0.0),
        ('Here you are:\n```json\n{"1": "Stated"}\n```', 1.0, 1.0),
        ("I would rather not say.", None, None),
        ('{"1": "perhaps"}', None, None),
        ('{"2": "stated"}', None, None),
        ("{" * 5000, None, None),
    ],
)
def test_opinions_are_compared_and_never_change_the_score(opinion: str, judge: Any, agreement: Any) -> None:
    report, _ = judged(lambda request: opinion)
    (answer,) = report["answers"]
    assert (answer["deterministic"], answer["judge"], report["agreement"]) == (1.0, judge, agreement)


def test_a_judge_that_cannot_be_reached_says_so() -> None:
    report, _ = judged(lambda request: PermissionError())
    assert [(answer["judge"], answer["readings"]) for answer in report["answers"]] == [(None, [])]
    assert report["agreement"] is None
    assert "no key" in report["error"]


def test_a_judge_that_breaks_costs_no_conversation() -> None:
    report, _ = judged(lambda request: LookupError("unforeseen"))
    assert (report["agreement"], report["error"]) == (None, "LookupError: unforeseen")


def test_where_the_answer_was_missed_the_newest_texts_are_read() -> None:
    scenario = get_scenario("find_days_till_holiday")
    context, score = play(scenario, Playback([Say("Which holiday do you mean?")] * 20))
    report = Judge(Opinion(lambda request: '{"1": "silent"}'))(scenario, context, score, Session("judge"))
    (answer,) = report["answers"]
    assert answer["deterministic"] == answer["judge"] == 0.0
    assert 1 <= len(answer["readings"]) <= 4
    assert report["agreement"] == 1.0


def test_scenarios_without_answers_ask_nothing() -> None:
    report, provider = judged(lambda request: "{}", "remove_reminder_with_recency_latest")
    assert provider.requests == []
    assert (report["answers"], report["agreement"]) == ([], None)


@given(st.text(), st.integers(0, 5))
def test_any_text_is_read(text: str, count: int) -> None:
    assert len(read_verdicts(text, count)) == count


@given(st.lists(st.sampled_from(["stated", "contradicted", "silent"]), min_size=1), st.text(alphabet="ab \n`"))
def test_verdicts_are_found_in_what_stands_around_them(verdicts: list[str], around: str) -> None:
    answer = json.dumps({str(number): verdict for number, verdict in enumerate(verdicts, start=1)})
    assert read_verdicts(around + answer + around, len(verdicts)) == verdicts


TEXTS = {4: "Wifi is **on**.\nIt was off before.", 8: "Anna Bell lives in Rome."}


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"false": []}', []),
        ('```json\n{"false": [{"message": 4, "sentence": "wifi is on. It was", "reason": "off"}]}\n```', [4]),
        ('{"false": [{"message": 8, "sentence": "Wifi is on", "reason": "off"}]}', []),
        ('{"false": [{"message": 4, "sentence": " - ", "reason": "off"}]}', []),
        ('{"false": [{"message": 9, "sentence": "Wifi", "reason": "off"}, {"sentence": "Rome"}, 3]}', []),
        ('{"false": {"message": 4}}', None),
        ('{"true": []}', None),
        ("Nothing is false.", None),
        ("{" * 5000 + "}" * 5000, None),
        ('["false"]', None),
    ],
)
def test_what_a_judge_calls_false_has_to_be_there(reply: str, found: list[int] | None) -> None:
    statements = read_false_statements(reply, TEXTS)
    assert (None if statements is None else [each["message_index"] for each in statements]) == found


@given(st.text())
def test_any_answer_about_false_statements_is_read(text: str) -> None:
    assert read_false_statements(text, TEXTS) in (None, [])


def test_a_judge_sees_calls_results_and_words_and_no_score() -> None:
    scenario = get_scenario("find_days_till_holiday")
    context, _ = play(scenario, OracleAgent())
    provider = Opinion(lambda request: '{"false": []}')
    assert false_statements(Judge(provider), context, Session("judge")) == []
    (request,) = provider.requests
    first, *shown = [json.loads(line) for line in request.turns[0].text.splitlines()]
    # What it has no tool for, an agent may rightly say it cannot do.
    assert "search_holiday" in first["tools"]
    assert "end_conversation" not in first["tools"], "it is the user's"
    assert all(first["tools"].values())
    assert {"system", "user", "assistant", "tool"} == {entry["from"] for entry in shown}
    asked = {call["id"] for entry in shown for call in entry.get("calls", ())}
    assert asked == {entry["answers"] for entry in shown if "answers" in entry}
    assert (shown[-1]["from"], "day" in shown[-1]["text"]) == ("assistant", True)
