import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.scoring.published._rouge import rouge_l, tokens
from tool_sandbox.scoring.published._text_sets import TextSets


def longest_common_subsequence(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    """The definition: the longest sequence of positions that is in order on both sides."""
    for size in range(min(len(left), len(right)), 0, -1):
        chosen = set(itertools.combinations(left, size))
        if chosen & set(itertools.combinations(right, size)):
            return size
    return 0


words = st.lists(st.sampled_from(["a", "bb", "running", "runs", "x1", "the"]), max_size=6).map(" ".join)


@given(words, words)
def test_it_is_the_f1_of_the_longest_common_subsequence(left: str, right: str) -> None:
    ours, theirs = tokens(left), tokens(right)
    common = longest_common_subsequence(ours, theirs)
    if left == right:
        expected = 1.0
    elif not common:
        expected = 0.0
    else:
        precision, recall = common / len(ours), common / len(theirs)
        expected = 2 * precision * recall / (precision + recall)
    assert rouge_l(left, right) == pytest.approx(expected, abs=1e-12)
    assert rouge_l(left, right) == rouge_l(right, left)


def test_an_anchor() -> None:
    assert rouge_l("hello there my friend", "hello there") == pytest.approx(2 / 3)


def test_only_tokens_of_more_than_three_characters_are_stemmed() -> None:
    assert tokens("Has PLAYING, cats!") == ("has", "play", "cat")
    assert tokens("gas's re-sent_now") == ("gas", "s", "re", "sent", "now")


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_texts_split_at_everything_but_letters_and_digits(text: str) -> None:
    import re

    assert len(tokens(text)) == len(re.findall("[a-z0-9]+", text.lower()))


@pytest.mark.parametrize(
    ("left", "right", "least", "most"),
    [
        ("Привет, мир", "привет мир", 1.0, 1.0),
        ("你好世界", "你好", 0.6, 0.7),
        ("café ouvert", "cafe\u0301 OUVERT", 1.0, 1.0),
        ("Привет", "Пока", 0.0, 0.0),
        ("", "", 1.0, 1.0),
        ("...", "", 0.0, 0.0),
    ],
)
def test_other_scripts_count(left: str, right: str, least: float, most: float) -> None:
    assert least <= rouge_l(left, right) <= most


texts = st.text("ab 12", max_size=12)


@given(st.lists(st.lists(st.tuples(texts, st.integers(0, 9)), min_size=1, max_size=3), max_size=20), texts | st.none())
def test_the_best_of_many_sets_is_found_for_all_of_them_at_once(
    sets: list[list[tuple[str, int]]], cell: str | None
) -> None:
    # Texts made from a template differ in a number, which makes most words common and some rare.
    filled = [[f"it is {number} {text}" for text, number in group] for group in sets]
    expected = [0.0 if cell is None else max(rouge_l(text, cell) for text in group) for group in filled]
    assert TextSets(filled)(cell) == pytest.approx(expected, abs=1e-12)
