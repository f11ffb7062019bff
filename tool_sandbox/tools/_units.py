"""Conversion between units, on pint, for expressions that a model wrote.

Pint evaluates powers, so an expression such as ``9**9**9*meter`` would never return. Only names of
units, products, quotients and small whole powers reach it.
"""

import functools
import math
import re
import threading
from typing import TYPE_CHECKING, Any

from tool_sandbox.world.validators import validate_finite

if TYPE_CHECKING:
    import pint

MAX_EXPRESSION_LENGTH = 100
"""Longest accepted expression in characters."""

MAX_POWER = 9
"""Largest accepted exponent; no unit in use has a larger one."""

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_NAME = rf"(?![{_SUPERSCRIPTS}])(?:[^\W\d]|°)\w*|[%′″]"
_POWER = r"(?:\*\*|\^)\s*[-+]?\d+(?![\w.])"
_TOKEN = re.compile(rf"\s*(?:(?P<power>{_POWER})|(?P<name>{_NAME})|(?P<other>[*/·()]|1(?=\s*/)))\s*")

_AMERICAN = re.compile(r"^\s*(?:US|USA|American)[\s_]+(?=[A-Za-z])", re.IGNORECASE)

_lock = threading.Lock()


def _temperature_spellings() -> dict[str, str]:
    spellings = {"k": "kelvin", "kelvin": "kelvin", "kelvins": "kelvin"}
    for letter, unit, others in (
        ("c", "degree_Celsius", ("celsius", "centigrade", "celcius")),
        ("f", "degree_Fahrenheit", ("fahrenheit", "farenheit")),
    ):
        spellings[letter] = unit
        for name in (letter, *others):
            if name != letter:
                spellings[name] = unit
            for degree in ("°", "° ", "deg", "deg ", "degree ", "degrees ", "degree_", "degrees_", "degree", "degrees"):
                spellings[degree + name] = unit
    return spellings


_TEMPERATURES = _temperature_spellings()
_AMBIGUOUS_TEMPERATURES = frozenset({"c", "f", "k"})


@functools.cache
def _registry() -> "pint.UnitRegistry[Any]":
    import pint

    return pint.UnitRegistry()


def _is_harmless(expression: str) -> bool:
    """Whether an expression consists of names, products, quotients and small powers of single names.

    Powers of brackets and powers of powers are not harmless, however small: they can be nested.
    Pint also reads ``m²``, ``square meter`` and ``meter squared`` as powers.
    """
    position, may_take_power, must_be_name = 0, False, False
    while position < len(expression):
        token = _TOKEN.match(expression, position)
        if token is None:
            return False
        position = token.end()
        name = token["name"]
        if (power := token["power"]) or name in ("squared", "cubed"):
            if not may_take_power or (power and abs(int(power.lstrip("*^ \t"))) > MAX_POWER):
                return False
            may_take_power = False
        elif name:
            superscripts = sum(character in _SUPERSCRIPTS for character in name)
            if superscripts > 1 or (superscripts and name[-1] not in _SUPERSCRIPTS):
                return False
            is_prefix = name in ("square", "sq", "cubic", "cu")
            if must_be_name and is_prefix:
                return False
            may_take_power = not (superscripts or must_be_name or is_prefix)
            must_be_name = is_prefix
        else:
            may_take_power = False
        if must_be_name and not name:
            return False
    return True


def _validate_expression(expression: str) -> None:
    """Checks that an expression can be evaluated safely.

    Raises:
        pint.errors.UndefinedUnitError: It cannot.
    """
    from pint.errors import UndefinedUnitError

    if len(expression) > MAX_EXPRESSION_LENGTH or not expression.strip() or not _is_harmless(expression):
        raise UndefinedUnitError(expression[:MAX_EXPRESSION_LENGTH])


def _convert(amount: float, from_unit: str, to_unit: str) -> float:
    import pint

    try:
        # Building units and their conversion factors fills caches of the registry.
        with _lock:
            return _registry().Quantity(amount, from_unit).to(to_unit).magnitude
    except (pint.errors.UndefinedUnitError, pint.errors.DimensionalityError):
        raise
    except OverflowError:
        raise ValueError("the result of the conversion is too large") from None
    except Exception as error:
        # Whatever else the parser stumbles over is an expression that names no unit.
        raise pint.errors.UndefinedUnitError(f"{from_unit}, {to_unit}") from error


def _is_defined(unit: str) -> bool:
    try:
        with _lock:
            _registry().parse_units(unit)
    except Exception:
        return False
    return True


def _spelled_out(unit: str) -> str:
    """A unit whose name was written in several words, as pint knows it."""
    if (rest := _AMERICAN.sub("", unit)) != unit:
        # "US gallon" is no gallon of microseconds.
        name = "_".join(rest.split())
        return next(
            (one for one in (f"US_{name}", f"US_{name}".rstrip("s"), name) if _is_defined(one)), _spelled_out(rest)
        )
    joined = "_".join(unit.split())
    candidates = (unit, unit.lower(), joined, joined.lower())
    return next((candidate for candidate in candidates if _is_defined(candidate)), unit)


def _temperature(unit: str) -> str | None:
    return _TEMPERATURES.get(" ".join(unit.lower().split()))


def _canonical_pair(from_unit: str, to_unit: str) -> tuple[str, str]:
    """Maps spellings of temperatures and repairs the case or spacing of an unknown unit.

    A single letter means a temperature only beside another temperature: ``C`` is the coulomb too.
    """
    temperatures = [_temperature(from_unit), _temperature(to_unit)]
    single = [unit.strip().lower() in _AMBIGUOUS_TEMPERATURES for unit in (from_unit, to_unit)]
    units = [from_unit, to_unit]
    for position in (0, 1):
        temperature = temperatures[position]
        if temperature is not None and (temperatures[1 - position] is not None or not single[position]):
            units[position] = temperature
        else:
            units[position] = _spelled_out(units[position])
    return units[0], units[1]


def convert(amount: float, from_unit: str, to_unit: str, *, strict: bool) -> float:
    """Converts an amount from one unit to another.

    Args:
        amount: A finite number.
        from_unit: Unit of the amount: a name, or names joined by ``*``, ``/``, blanks and powers up to `MAX_POWER`.
        to_unit: Wanted unit.
        strict: Whether spellings such as ``degrees Celsius`` and ``C`` mean temperatures and only an unknown unit is
            tried in lower case; otherwise both are, as soon as one is unknown.

    Returns:
        The amount in the wanted unit, unrounded.

    Raises:
        pint.errors.UndefinedUnitError: A unit is unknown, or an expression is not a unit.
        pint.errors.DimensionalityError: The units measure different things.
        ValueError: The amount or the result is not finite.
    """
    from pint.errors import UndefinedUnitError

    validate_finite(amount, "amount")
    _validate_expression(from_unit)
    _validate_expression(to_unit)
    if strict:
        result = _convert(amount, *_canonical_pair(from_unit, to_unit))
    else:
        try:
            result = _convert(amount, from_unit, to_unit)
        except UndefinedUnitError:
            result = _convert(amount, from_unit.lower(), to_unit.lower())
    if not isinstance(result, (int, float)) or not math.isfinite(result):
        raise ValueError("the result of the conversion is not a finite number")
    return result
