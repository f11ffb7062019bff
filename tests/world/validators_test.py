"""Types, ranges, phone numbers and currency codes."""

# Both spellings of unions are tested.
# ruff: noqa: UP007, UP045

import inspect
import math
from typing import Any, Literal, Optional, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import NumberParseException

from tool_sandbox.world.utils import NOT_GIVEN, NotGiven
from tool_sandbox.world.validators import (
    CURRENCY_CODES,
    MAX_TIMESTAMP,
    MIN_TIMESTAMP,
    bounded,
    canonical_phone_number,
    typechecked,
    validate_currency_code,
    validate_finite,
    validate_latitude,
    validate_longitude,
    validate_not_bool,
    validate_phone_number,
    validate_range,
    validate_timestamp,
    validate_type,
    validate_type_range,
)


class Words(list[str]):
    """A subclass of a generic."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", str),
        (1, int),
        (1, float),
        (1.5, float),
        (True, bool),
        (True, int),
        (None, None),
        (None, type(None)),
        (None, Optional[int]),
        (3, Optional[int]),
        (3, int | None),
        (1, Union[float, NotGiven]),
        (NOT_GIVEN, Union[float, NotGiven]),
        (NOT_GIVEN, float | None | NotGiven),
        (object(), Any),
        ("a", Literal["a", "b"]),
        (["a"], list[str]),
        (Words(["a"]), list[str]),
        ({"a": 1}, dict[str, int]),
        ((1, "a"), tuple[int, str]),
        (ValueError(), Exception),
        (True, Union[float, int]),
        (True, Union[float, bool]),
        (True, Any),
    ],
)
def test_types_that_fit(value: Any, expected: Any) -> None:
    validate_type(value, "value", expected)


@pytest.mark.parametrize(
    ("value", "expected", "words"),
    [
        (1, str, "value must be str, not int"),
        ("1", int, "value must be int, not str"),
        (1.0, int, "value must be int, not float"),
        (0, bool, "value must be bool, not int"),
        (True, float, "value must be float, not bool"),
        (True, Optional[float], "value must be float or None, not bool"),
        (None, str, "value must be str, not NoneType"),
        (None, Union[str, NotGiven], "value must be str, not NoneType"),
        ("c", Literal["a", "b"], "value must be one of 'a', 'b', not str"),
        (["a", 1], list[str], r"value must be list\[str\], not list"),
        ({"a": "b"}, dict[str, int], r"value must be dict\[str, int\], not dict"),
        ("a", list, "value must be list, not str"),
        (1, str | list[int], r"value must be str or list\[int\], not int"),
    ],
)
def test_types_that_do_not_fit(value: Any, expected: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        validate_type(value, "value", expected)


@given(value=st.none() | st.booleans() | st.integers() | st.floats() | st.text())
@pytest.mark.parametrize("expected", [str, int, float, bool, type(None)])
def test_plain_types_follow_one_rule(value: Any, expected: type) -> None:
    fits = isinstance(value, expected) or (expected is float and type(value) is int)
    try:
        validate_type(value, "value", expected)
    except TypeError:
        assert not fits
    else:
        assert fits


@typechecked
def sample(first: int, second: str = 5, *rest: float, third: bool = False, free=None, **others: int) -> Any:  # type: ignore[assignment,no-untyped-def]
    """What it does."""
    return first, second, rest, third, free, others


def test_typechecked_keeps_what_a_function_is() -> None:
    assert inspect.isfunction(sample)
    assert (sample.__name__, sample.__doc__) == ("sample", "What it does.")
    assert list(inspect.signature(sample).parameters) == ["first", "second", "rest", "third", "free", "others"]


def test_typechecked_passes_on() -> None:
    assert sample(1, "a", 2.0, 3, third=True, free=object, more=4)[5] == {"more": 4}
    assert sample(first=1) == (1, 5, (), False, None, {})


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("a",), {}),
        ((), {"first": "a"}),
        ((1, 2), {}),
        ((1, "a", "b"), {}),
        ((1,), {"third": 1}),
        ((1,), {"more": "x"}),
        ((), {}),
    ],
)
def test_typechecked_refuses(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        sample(*args, **kwargs)


def test_unknown_keyword_and_surplus_argument() -> None:
    @typechecked
    def narrow(a: int, b) -> int:  # type: ignore[no-untyped-def]
        return a

    assert narrow(1, object()) == 1
    with pytest.raises(TypeError, match="'c'"):
        narrow(1, 2, c=3)
    with pytest.raises(TypeError):
        narrow(1, 2, 3)


def test_postponed_annotations() -> None:
    @typechecked
    def later(a: "int | None") -> None:
        pass

    later(None)
    with pytest.raises(TypeError):
        later("x")  # type: ignore[arg-type]


def test_text_that_no_world_can_hold() -> None:
    @typechecked
    def anything(value: Any) -> Any:
        return value

    with pytest.raises(ValueError, match="value"):
        anything("\ud800")
    # What a function can use beyond that is its own business.
    assert anything("x" * 20_000) == "x" * 20_000
    assert anything(value=math.inf) == math.inf


@pytest.mark.parametrize("value", ["x" * 10_001, math.nan, -math.inf, 10**400])
def test_bounded(value: Any) -> None:
    @bounded
    def anything(value: Any, *, other: Any = None) -> Any:
        return value

    assert anything(1.5, other="x") == 1.5
    for call in (lambda: anything(value), lambda: anything(1, other=value)):
        with pytest.raises(ValueError, match=r"value|other"):
            call()


def test_not_bool() -> None:
    validate_not_bool(a=1, b=0.0, c=None)
    with pytest.raises(TypeError, match="b must"):
        validate_not_bool(a=1, b=True)


# Ranges --------------------------------------------------------------------------------------


def test_range_is_inclusive() -> None:
    for value in (0, 5, 10.0):
        validate_range(value, "x", min_val=0, max_val=10)
    validate_range(-5, "x", max_val=10)
    validate_range(10**18, "x", min_val=0)
    for value in (-1, 10.001):
        with pytest.raises(ValueError, match="x must be at least 0 and at most 10"):
            validate_range(value, "x", min_val=0, max_val=10)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
def test_numbers_are_finite(value: float) -> None:
    for check in (validate_finite, validate_range):
        with pytest.raises(ValueError, match="x must be a finite number"):
            check(value, "x")


def test_type_comes_before_range() -> None:
    with pytest.raises(TypeError):
        validate_type_range("5", "x", float, min_val=6)
    validate_type_range(None, "x", Optional[float], min_val=6)
    validate_type_range(NOT_GIVEN, "x", Union[float, NotGiven], min_val=6)
    with pytest.raises(ValueError, match="at least 6"):
        validate_type_range(5, "x", float, min_val=6)


@pytest.mark.parametrize(
    ("check", "low", "high"),
    [
        (validate_timestamp, 315529200.0, 2524604400.0),
        (validate_latitude, -90.0, 90.0),
        (validate_longitude, -180.0, 180.0),
    ],
)
def test_windows(check: Any, low: float, high: float) -> None:
    check(low, "x", float)
    check(high, "x", float)
    for outside in (low - 0.001, high + 0.001, math.nan):
        with pytest.raises(ValueError, match="x must"):
            check(outside, "x", float)
    with pytest.raises(TypeError):
        check(None, "x", float)


def test_window_of_timestamps() -> None:
    assert (MIN_TIMESTAMP, MAX_TIMESTAMP) == (315529200.0, 2524604400.0)


# Phone numbers and currencies ----------------------------------------------------------------


def test_phone_numbers() -> None:
    validate_phone_number(NOT_GIVEN)
    validate_phone_number("+14155550123")
    for bad in ("4155550123", "hello", "", "\ud800"):
        with pytest.raises(NumberParseException):
            validate_phone_number(bad)


@pytest.mark.parametrize("text", ["+1 415 555 0123", "+1-415-555-0123", "+1 (415) 555.0123", " +14155550123 "])
def test_canonical_phone_number(text: str) -> None:
    assert canonical_phone_number(text) == "+14155550123"
    assert canonical_phone_number(canonical_phone_number(text)) == "+14155550123"


@pytest.mark.parametrize(
    "text", ["+1 800 FLOWERS", "+1415555", "+1415555012345678", "+14155550123;ext=5", "+١٤١٥٥٥٥٠١٢٣"]
)
def test_numbers_without_canonical_form(text: str) -> None:
    with pytest.raises(NumberParseException):
        canonical_phone_number(text)


PUBLISHED_CODES = """
AED ARS AUD BGN BMD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HRK HUF IDR ILS INR JMD JPY KRW KZT MXN MYR NGN
NOK NZD PEN PHP PLN QAR RON RUB SAR SEK SGD THB TRY TTD TWD UAH USD VND XBT ZAR
"""


def test_published_currencies_are_known() -> None:
    assert len(PUBLISHED_CODES.split()) == 49
    assert set(PUBLISHED_CODES.split()) < CURRENCY_CODES


@pytest.mark.parametrize("code", ["USD", "usd", "Usd", " usd ", "AFN", "XBT", "HRK"])
def test_currency_codes(code: str) -> None:
    assert validate_currency_code(code) is None


@pytest.mark.parametrize("code", ["", "$", "US", "USDT", "dollar", "XXX", "ＵＳＤ", "x" * 10_000])
def test_unknown_currency_codes(code: str) -> None:
    with pytest.raises(ValueError, match="currency code"):
        validate_currency_code(code)
