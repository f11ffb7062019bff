"""The audit as a whole: order and form of its findings, worlds of other packages, any text at all."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.fidelity import FindingKind, audit
from tool_sandbox.scenarios.prompts import USER_INSTRUCTION
from tool_sandbox.scenarios.user_simulator_few_shot_examples import (
    demonstrations_for,
    named_user_simulator_few_shot_examples,
)
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.script import Knows, UserScript

SCRIPT = UserScript("Who is Nora?", turns=("Text her.",), knows=(Knows("which", "My aunt."),), secrets=("Lindqvist",))


def test_findings_come_in_the_order_of_the_messages_and_as_plain_data(converse) -> None:
    texts = ("Which Nora?", "How can I help you?", "Hm.", "She is Nora Lindqvist, 44.", "I see.")
    context = converse("Who is Nora?", *texts, ended=True)
    findings = audit(context, SCRIPT)
    assert [finding.message_index for finding in findings] == sorted(finding.message_index for finding in findings)
    assert {finding.kind for finding in findings} == {
        FindingKind.ACTING_AS_ASSISTANT,
        FindingKind.LEAKED_SECRET,
        FindingKind.INVENTED_FACT,
        FindingKind.ENDED_EARLY,
    }
    plain = [finding.as_dict() for finding in findings]
    assert json.loads(json.dumps(plain)) == plain
    assert set(plain[0]) == {"kind", "message_index", "text", "detail"}
    assert audit(context, SCRIPT) == findings


def test_the_opening_is_the_scenarios_own(converse) -> None:
    context = converse("Assistant: Nora Lindqvist, 44, how can I help you?", "Done, it has been sent.")
    assert audit(context, UserScript("Hello."), Outcome.MODEL_ERROR) == []


def test_a_context_without_a_conversation_has_no_findings() -> None:
    assert audit(ExecutionContext(), SCRIPT) == []
    assert audit(ExecutionContext()) == []


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("To Olga Meier, she is my sister.", []),
        ("To Olga.", []),
        ("To Bartholomew.", ["invented_fact"]),
        ("+1 206 555 0147", ["invented_fact"]),
        ("How can I help you?", ["acting_as_assistant"]),
    ],
)
def test_without_a_script_the_brief_is_what_the_user_may_know(converse, reply, expected) -> None:
    brief = f"{USER_INSTRUCTION}Send a text to Olga Meier. She is your sister."
    context = converse("I want to text someone.", "Whom is it for?", reply, brief=brief)
    assert [str(finding.kind) for finding in audit(context, None, Outcome.MODEL_ERROR)] == expected


def test_demonstrations_are_no_part_of_the_conversation() -> None:
    context = ExecutionContext()
    parties = [RoleType.USER, RoleType.AGENT]
    context.add_to_database(
        DatabaseNamespace.SANDBOX,
        [
            *named_user_simulator_few_shot_examples()["remove_contact_by_phone_multiple_user_turn"],
            {"sender": parties[0], "recipient": parties[1], "content": "Remove somebody.", "visible_to": parties},
            {"sender": parties[1], "recipient": parties[0], "content": "Whom?", "visible_to": parties},
            {"sender": parties[0], "recipient": parties[1], "content": "To Kasimir Hale.", "visible_to": parties},
        ],
    )
    (finding,) = audit(context, None, Outcome.MODEL_ERROR)
    assert (finding.kind, finding.text) == (FindingKind.INVENTED_FACT, "To Kasimir Hale.")


def test_the_demonstrations_themselves_are_faithful(converse) -> None:
    for name, rows in named_user_simulator_few_shot_examples().items():
        task = rows[0]["content"].removeprefix(USER_INSTRUCTION)
        context = converse(*(row["content"] for row in rows[1:-1]), ended=True, brief=task)
        assert audit(context) == [], name
        assert demonstrations_for(name)[-1].texts == tuple(row["content"] for row in rows[1:-1])


PIECES = st.sampled_from(
    [
        "9" * 400,
        "1 2 3 4 5 6 7 8 9 0 ",
        "12:00:00.5",
        "1,000,000",
        "€5k",
        "²",
        "٣",
        "ß",
        '"',
        "(",
        "end_",
        "I've sent ",
        "?",
    ]
)
TEXT = st.text(max_size=60) | st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)


@settings(max_examples=150)
@given(st.lists(TEXT, min_size=2, max_size=7), st.booleans(), st.sampled_from([SCRIPT, None]))
def test_no_text_breaks_it(converse, texts, ended, script) -> None:
    context = converse(*(text.encode("utf-8", "replace").decode() for text in texts), ended=ended, brief="Task")
    assert isinstance(audit(context, script), list)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("piece", ["a ", "1", "1 ", "Aa", "I've ", "_a", "let me know ", "\n", '"', "your ", "- "])
def test_long_texts_are_read_in_passing(converse, piece) -> None:
    text = piece * (20_000 // len(piece))
    assert isinstance(audit(converse("Hi.", text, text, text, text), SCRIPT), list)
