import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.helpers.paths import escape_name


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("wifi_off", "wifi_off"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
        ("a b", "a%20b"),
        ("..", "%2E."),
        ("", "%"),
        ("50%", "50%25"),
        ("né\0", "n%C3%A9%00"),
    ],
)
def test_hostile_names_are_escaped(name: str, escaped: str) -> None:
    assert escape_name(name) == escaped


@given(st.text(st.characters()))
def test_escaped_name_is_one_harmless_component(name: str) -> None:
    escaped = escape_name(name)
    assert escaped.isascii()
    assert 0 < len(escaped) <= 180
    assert not escaped.startswith(".")
    assert not set(escaped) & set("/\\:\0 \n")


@given(st.text(), st.text())
def test_different_names_have_different_directories(first: str, second: str) -> None:
    assert (escape_name(first) == escape_name(second)) == (first == second)


def test_long_names_stay_different() -> None:
    first, second = escape_name("x" * 500), escape_name("x" * 499 + "y")
    assert first != second
    assert len(first) <= 180
