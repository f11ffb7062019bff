"""Checks of values that come from a model: types, ranges, phone numbers and currency codes.

Types are judged by ``typeguard``; annotations made of plain types only, which is what tools have,
are judged by a look-up, because ``typeguard`` takes a tenth of a second to import.
"""

import functools
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar, Union

from tool_sandbox.world.not_given import NOT_GIVEN, NotGiven

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

MIN_TIMESTAMP = 315529200.0
"""Earliest accepted POSIX time in seconds, 1979-12-31 23:00 UTC: smaller numbers are not seconds since 1970."""

MAX_TIMESTAMP = 2524604400.0
"""Latest accepted POSIX time in seconds, 2049-12-31 23:00 UTC: larger numbers are milli- or microseconds."""

MAX_TEXT_LENGTH = 10_000
"""Longest text a tool accepts, in characters; it bounds the time of a fuzzy search."""

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP
LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN
PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS
TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XBT
XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW ZWG ZWL
"""

CURRENCY_CODES = frozenset(_CODES.split())
"""Currencies of ISO 4217, funds and metals included, and ``XBT`` (bitcoin), ``HRK`` and other codes retired lately.

``XXX`` (no currency) and ``XTS`` (testing) denote no money and are left out.
"""

_PLAIN_TYPES = frozenset({str, int, float, bool, type(None), NotGiven})


# Types ---------------------------------------------------------------------------------------


def _members(expected_type: Any) -> tuple[Any, ...]:
    """Members of a union, else the type itself."""
    if typing.get_origin(expected_type) in (Union, types.UnionType):
        return typing.get_args(expected_type)
    return (type(None) if expected_type is None else expected_type,)


def _type_name(expected_type: Any) -> str:
    """A type as a caller would say it: members joined by ``or``, the omission marker left out."""
    names = []
    for member in _members(expected_type):
        if typing.get_origin(member) is Literal:
            names.append(f"one of {', '.join(map(repr, typing.get_args(member)))}")
        elif member is type(None):
            names.append("None")
        elif member is not NotGiven:
            is_class = isinstance(member, type) and not isinstance(member, types.GenericAlias)
            names.append(member.__name__ if is_class else str(member).removeprefix("typing."))
    return " or ".join(names) or "NOT_GIVEN"


@functools.lru_cache(maxsize=1024)
def _plain_types(expected_type: Any) -> frozenset[type] | None:
    """Exact types that fit an annotation made of plain types, ``None`` for any other annotation."""
    members = frozenset(_members(expected_type))
    if not members <= _PLAIN_TYPES:
        return None
    allowed = set(members)
    if float in members:
        allowed.add(int)
    if int in members:
        allowed.add(bool)
    return frozenset(allowed)


def _accepts_bool(members: tuple[Any, ...]) -> bool:
    """Whether one of the members takes a bool other than as a ``float``, which `typeguard` would allow."""
    return any(member is not float for member in members if _fits(True, member))


def _fits(value: Any, expected_type: Any) -> bool:
    from typeguard import CollectionCheckStrategy, TypeCheckError, check_type

    try:
        check_type(value, expected_type, collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS)
    except TypeCheckError:
        return False
    return True


def _python_scalar(value: Any) -> Any:
    """A numpy scalar as the Python value it stands for, anything else unchanged."""
    # Another thread may be in the middle of importing it, so that it is there without its contents.
    generic = getattr(sys.modules.get("numpy"), "generic", None)
    return value.item() if generic is not None and isinstance(value, generic) else value


def validate_type(value: Any, value_name: str, expected_type: Any) -> None:
    """Checks a value against a type annotation.

    An ``int`` is accepted where a ``float`` is expected and a ``bool`` where an ``int`` is, but not
    a ``bool`` for a ``float`` nor 0 and 1 for a ``bool``. Subclasses, numpy scalars, ``Any``,
    ``Literal``, generics with their elements and both spellings of unions are understood.

    Args:
        value: The value.
        value_name: Name of the parameter, for the message.
        expected_type: Its annotation.

    Raises:
        TypeError: The value does not fit; names the parameter, the actual and the expected type.
    """
    try:
        allowed = _plain_types(expected_type)
    except TypeError:  # unhashable, such as a Literal of a list
        allowed = None
    if allowed is not None and type(value) in allowed:
        return
    scalar = _python_scalar(value)
    if _fits(scalar, expected_type) and (
        not isinstance(scalar, bool) or bool in _members(expected_type) or _accepts_bool(_members(expected_type))
    ):
        return
    raise TypeError(f"{value_name} must be {_type_name(expected_type)}, not {type(value).__name__}")


def _validate_unicode(value: Any, value_name: str) -> None:
    """Refuses text that no world state and no trace can hold."""
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{value_name} is not valid Unicode text (it contains a lone surrogate)")


def bounded(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Refuses overlong texts and numbers that are not finite before a tool runs.

    Args:
        function: The function; its name, docstring and signature are kept.

    Returns:
        The checking function. It raises ``ValueError`` for a text longer than `MAX_TEXT_LENGTH`
        and for a number that is infinite, not a number, or too large for a float.
    """
    names = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if isinstance(value, (int, float)):
                validate_finite(value, name)
            elif isinstance(value, str) and len(value) > MAX_TEXT_LENGTH:
                raise ValueError(f"{name} is too long: {len(value)} characters, at most {MAX_TEXT_LENGTH} are accepted")
        return function(*args, **kwargs)

    return checked


def typechecked(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Checks the arguments that a caller passes against the annotations of a function.

    Defaults are not checked, parameters without annotation take anything. Text that is not valid
    Unicode is refused as well, before the function runs.

    Args:
        function: The function; its name, docstring and signature are kept.

    Returns:
        The checking function. It raises ``TypeError`` for a wrong type or an unknown parameter and
        ``ValueError`` for an impossible text.
    """
    parameters = inspect.signature(function).parameters
    positional = [
        name
        for name, parameter in parameters.items()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    surplus = {parameter.kind: name for name, parameter in parameters.items()}
    variadic = surplus.get(inspect.Parameter.VAR_POSITIONAL)
    keywords = surplus.get(inspect.Parameter.VAR_KEYWORD)

    @functools.cache
    def annotations() -> dict[str, Any]:
        # Resolved at the first call, when postponed annotations can refer to everything in their module.
        hints = typing.get_type_hints(function, include_extras=True)
        return {name: hints[name] for name in parameters if name in hints}

    def check(parameter: str | None, name: str, value: Any) -> None:
        if parameter in annotations():
            validate_type(value, name, annotations()[parameter])
        _validate_unicode(value, name)

    @functools.wraps(function)
    def checked(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        for position, value in enumerate(args):
            name = positional[position] if position < len(positional) else variadic
            if name is not None:
                check(name, name, value)
        for name, value in kwargs.items():
            if name not in parameters and keywords is None:
                raise TypeError(f"{function.__name__}() has no parameter {name!r}; it takes {', '.join(parameters)}")
            check(name if name in parameters else keywords, name, value)
        return function(*args, **kwargs)

    return checked


def validate_not_bool(**values: Any) -> None:
    """Refuses booleans where a number is wanted, although Python counts them as integers.

    Args:
        **values: Parameter name to value.

    Raises:
        TypeError: One of the values is a bool.
    """
    for name, value in values.items():
        if isinstance(value, bool):
            raise TypeError(f"{name} must be a number, not bool")


# Ranges --------------------------------------------------------------------------------------


def validate_finite(value: float, value_name: str) -> None:
    """Checks that a number is an ordinary one.

    Args:
        value: The number.
        value_name: Name of the parameter, for the message.

    Raises:
        ValueError: Not a number, infinite, or an integer too large for a float.
    """
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError(f"{value_name} must be a finite number")


def validate_range(
    value: float, value_name: str, *, min_val: float | None = None, max_val: float | None = None
) -> None:
    """Checks that a number is finite and within bounds.

    Args:
        value: The number.
        value_name: Name of the parameter, for the message.
        min_val: Smallest accepted value, ``None`` for no bound.
        max_val: Largest accepted value, ``None`` for no bound.

    Raises:
        ValueError: The number is outside, or not finite.
    """
    validate_finite(value, value_name)
    if (min_val is not None and value < min_val) or (max_val is not None and value > max_val):
        bounds = [
            f"at least {min_val}" if min_val is not None else "",
            f"at most {max_val}" if max_val is not None else "",
        ]
        raise ValueError(f"{value_name} must be {' and '.join(filter(None, bounds))}, got {value}")


def validate_type_range(
    value: Any, value_name: str, expected_type: Any, *, min_val: float | None = None, max_val: float | None = None
) -> None:
    """Checks type and, for a number, range.

    Args:
        value: The value; ``None`` and `NOT_GIVEN` pass where the type allows them.
        value_name: Name of the parameter, for the message.
        expected_type: Its annotation.
        min_val: Smallest accepted number.
        max_val: Largest accepted number.

    Raises:
        TypeError: Wrong type.
        ValueError: A number outside the bounds, or not finite.
    """
    validate_type(value, value_name, expected_type)
    number = _python_scalar(value)
    if isinstance(number, (int, float)):
        validate_range(number, value_name, min_val=min_val, max_val=max_val)


def validate_timestamp(timestamp: Any, name: str, expected_type: Any) -> None:
    """Checks a POSIX time in seconds, between `MIN_TIMESTAMP` and `MAX_TIMESTAMP`.

    The window catches milli- and microseconds given by mistake.

    Args:
        timestamp: The value.
        name: Name of the parameter, for the message.
        expected_type: Its annotation.

    Raises:
        TypeError: Wrong type.
        ValueError: Outside the window.
    """
    validate_type_range(timestamp, name, expected_type, min_val=MIN_TIMESTAMP, max_val=MAX_TIMESTAMP)


def validate_latitude(latitude: Any, name: str, expected_type: Any) -> None:
    """Checks a latitude in degrees, -90 to 90.

    Args:
        latitude: The value.
        name: Name of the parameter, for the message.
        expected_type: Its annotation.

    Raises:
        TypeError: Wrong type.
        ValueError: Out of range.
    """
    validate_type_range(latitude, name, expected_type, min_val=-90.0, max_val=90.0)


def validate_longitude(longitude: Any, name: str, expected_type: Any) -> None:
    """Checks a longitude in degrees, -180 to 180.

    Args:
        longitude: The value.
        name: Name of the parameter, for the message.
        expected_type: Its annotation.

    Raises:
        TypeError: Wrong type.
        ValueError: Out of range.
    """
    validate_type_range(longitude, name, expected_type, min_val=-180.0, max_val=180.0)


# Phone numbers and currencies ----------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _parsed_phone_number(phone_number: str) -> tuple[str, bool]:
    """E.164 form of a phone number, and whether its length is possible in its country."""
    import phonenumbers

    parsed = phonenumbers.parse(phone_number, None)
    canonical = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
    return canonical, phonenumbers.is_possible_number(parsed)


def validate_phone_number(phone_number: str | NotGiven) -> None:
    """Checks that a text can be read as an international phone number.

    Args:
        phone_number: Number with a leading ``+`` and country code, or `NOT_GIVEN`, which passes.

    Raises:
        phonenumbers.NumberParseException: It cannot.
    """
    if phone_number is not NOT_GIVEN:
        _parsed_phone_number(typing.cast(str, phone_number))


def canonical_phone_number(phone_number: str) -> str:
    """The one way of writing an international phone number: ``+``, country code and digits (E.164).

    Args:
        phone_number: Number with a leading ``+`` and country code; blanks, hyphens, dots, slashes
            and parentheses are allowed between ASCII digits.

    Returns:
        The canonical form.

    Raises:
        phonenumbers.NumberParseException: Not a phone number, or one with letters, an extension or
            a number of digits that is impossible in its country.
    """
    from phonenumbers import NumberParseException

    if not set(phone_number.strip()) <= set("+0123456789 -.()/"):
        raise NumberParseException(
            NumberParseException.NOT_A_NUMBER, "a phone number consists of +, country code and digits"
        )
    canonical, possible = _parsed_phone_number(phone_number)
    if not possible:
        raise NumberParseException(
            NumberParseException.NOT_A_NUMBER, "the number of digits is impossible for this country code"
        )
    return canonical


def validate_currency_code(currency_code: str) -> None:
    """Checks a currency code, in any letter case and with blanks around it.

    Args:
        currency_code: Three letters of ISO 4217, see `CURRENCY_CODES`.

    Raises:
        ValueError: Unknown code; symbols and names of currencies are not codes.
    """
    if currency_code.strip().upper() not in CURRENCY_CODES:
        raise ValueError(f"unknown currency code {currency_code[:20]!r}; use a three-letter ISO 4217 code such as USD")
