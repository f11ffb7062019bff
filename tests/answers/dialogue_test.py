"""Telling questions, requests and permission from statements and courtesy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.answers.dialogue import asks_permission, questions, sentences


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
        ("Which *one* **do you mean?**", ["Which *one* **do you mean?**"]),
        ("Really?!", ["Really?!"]),
        ("I'm not sure which Marcus you mean.", ["I'm not sure which Marcus you mean."]),
        ("You haven't told me whom to text.", ["You haven't told me whom to text."]),
        ("Once you tell me the number, it will go out.", ["Once you tell me the number, it will go out."]),
        ("I'd need the longitude too.", ["I'd need the longitude too."]),
        ("Shall I go ahead", ["Shall I go ahead"]),
        ("Let me know if I should delete it.", ["Let me know if I should delete it."]),
        ("Reply YES to confirm.", ["Reply YES to confirm."]),
        ("I am waiting for your confirmation.", ["I am waiting for your confirmation."]),
        ("Let me know if there is something you'd like me to change.", []),
        ("Let me know whenever you want the wifi back.", []),
        ("I needed to turn on cellular.", []),
        ('I sent "Hi! How are you? Call me." to Nora.', []),
        ("It says \u201cHow are you?\u201d", []),
        ('It says "Call me." Do you want to reply?', ["Do you want to reply?"]),
        ('Shall I write "How are you?" Just say so.', ['Shall I write "How are you?"']),
        ('Whom shall I ask "How are you?"?', ['Whom shall I ask "How are you?"?']),
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
        ("Does that work for you?", True),
        ("Sounds good?", True),
        ("Does this look right?", True),
        ("Look right?", True),
        ("Everything correct so far?", True),
        ("Is that what you want?", True),
        ("**Shall I save it?**", True),
        ("Want me to go ahead?", True),
        ("Mind if I turn it on?", True),
        ("I'll remove Nora then, alright?", True),
        ("Delete her?", True),
        ("Shall I text Nora, whose number I found?", True),
        ("Should I send it when cellular is on?", True),
        ("Let me know if that works for you.", True),
        ("Can you confirm?", True),
        ("Can you confirm the number?", False),
        ("Do you know which one you mean?", False),
        ("Could you tell me what I should write?", False),
        ("Is it olive oil or honey?", False),
        ("Did you mean Nora?", False),
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
    for phrase in (
        "I need ",
        "let me know ",
        "could you please ",
        "a? ",
        "a. ",
        "...",
        "tell me ",
        '"',
        "\u201c",
        ", which ",
        "so ",
        "not sure ",
    ):
        assert questions(phrase * 20_000) is not None
