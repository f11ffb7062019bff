"""Telling questions, requests and permission from statements and courtesy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.common.dialogue import asks_permission, questions, sentences


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Which one do you mean?", ["Which one do you mean?"]),
        ("It is 3.5 km away. How do you travel?", ["How do you travel?"]),
        ("Please tell me the recipient.", ["Please tell me the recipient."]),
        ("I need the recipient and the text.", ["I need the recipient and the text."]),
        ("Could you give me the number", ["Could you give me the number"]),
        ("Sure.\nWhat should it say?", ["What should it say?"]),
        ("Your message has been sent.", []),
        ("The number is +1 415 555 0123.", []),
        ("Done! Is there anything else I can help you with?", []),
        ("Let me know if you need anything else.", []),
        ("How may I help you today?", []),
        ("", []),
    ],
)
def test_questions_and_requests_ask_and_courtesy_does_not(text, asked):
    assert questions(text) == asked


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Shall I turn cellular on?", True),
        ("Would you like me to turn off low battery mode?", True),
        ("Is that okay?", True),
        ("Whom shall I text?", False),
        ("What should the message say?", False),
        ("What is the number?", False),
    ],
)
def test_permission_is_a_yes_or_no_matter(sentence, expected):
    assert asks_permission(sentence) is expected


@given(st.text(max_size=200))
def test_no_text_loses_its_words_or_breaks_the_reader(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert set(questions(text)) <= set(sentences(text))


def test_long_texts_are_read_in_linear_time():
    assert questions("a" * 200_000 + "?")
    for phrase in ("I need ", "let me know ", "could you please ", "a? ", "a. ", "...", "tell me "):
        assert questions(phrase * 20_000) is not None
