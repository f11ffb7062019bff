import random
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem import PorterStemmer

import tool_sandbox
from tool_sandbox.scoring.published._porter import stem

REFERENCE = PorterStemmer()

_SUFFIXES = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti "
    "iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent "
    "ion ou ism ate iti ous ive ize ed ing eed ies ied s sses y e ll ly"
)
SUFFIXES = _SUFFIXES.split()


@pytest.mark.slow
def test_words_of_this_package_and_of_python_are_stemmed_like_the_reference() -> None:
    """A dictionary that is always there: every word in the sources and their docstrings."""
    sources = [*Path(tool_sandbox.__file__).parent.rglob("*.py"), *Path(string.__file__).parent.glob("*.py")]
    words = {word for path in sources for word in re.findall("[a-z0-9]+", path.read_text(errors="ignore").lower())}
    assert len(words) > 10_000
    assert {word: stem(word) for word in words} == {word: REFERENCE.stem(word) for word in words}


def test_made_up_words_with_one_or_two_suffixes_are_stemmed_like_the_reference() -> None:
    draw = random.Random(1)
    words = {
        "".join(draw.choices("abcdeiouylstzxw", k=draw.randint(1, 6))) + "".join(draw.choices(SUFFIXES, k=number % 3))
        for number in range(40_000)
    }
    assert {word: stem(word) for word in words} == {word: REFERENCE.stem(word) for word in words}


@given(st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=12))
def test_any_token_is_stemmed_like_the_reference(word: str) -> None:
    assert stem(word) == REFERENCE.stem(word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dying", "die"),
        ("innings", "inning"),
        ("flies", "fli"),
        ("dies", "die"),
        ("enjoy", "enjoy"),
        ("happy", "happi"),
    ],
)
def test_the_extensions_apply(word: str, expected: str) -> None:
    assert stem(word) == expected
