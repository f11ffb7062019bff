"""Seeded slips: what an almost perfect agent does wrong."""

import hashlib
import re
from typing import Any

import attrs

from tool_sandbox.world.script import Call, Say, Step

_DIGIT = re.compile(r"\d(?!.*\d)", re.DOTALL)
_OBSTACLE = re.compile(r"\b(?:cannot|can't|could not|couldn't|no|not|nothing)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(is|are|was|were|has been|have been|will|can)\b")
_CURRENCY = re.compile(r"[A-Z]{3}")
_CURRENCIES = ("USD", "EUR", "GBP", "CAD", "JPY", "CHF")
_UNITS = (
    ("celsius", "kelvin", "fahrenheit"),
    ("kilometer", "mile", "nautical_mile", "meter", "foot", "inch", "centimeter"),
    ("liter", "gallon", "cup", "milliliter", "tablespoon", "teaspoon"),
    ("kilogram", "pound", "ounce", "gram"),
    ("kilometer_per_hour", "mile_per_hour", "knot"),
)
_TIMESTAMP = 1e8
_HOUR = 3600.0


@attrs.frozen
class Mistakes:
    """Which steps of a solution go wrong, and how; a function of its attributes alone.

    Attributes:
        error_rate: Share of the steps that go wrong, from 0 to 1.
        seed: Another seed changes other steps.
        scenario_name: Name of the scenario that is played.
    """

    error_rate: float
    seed: int
    scenario_name: str

    def apply(self, step: Step, number: int) -> Step | None:
        """Spoils a step, or leaves it as it is."""
        chance, kind = self._draw(number)
        if chance >= self.error_rate:
            return step
        if isinstance(step, Say):
            return Say(_corrupted_text(step.text)) if kind % 2 else Say("Okay.")
        if isinstance(step, Call):
            return _corrupted_call(step, kind) if kind % 2 and step.arguments else None
        return [call for position, call in enumerate(step) if position != kind % len(step)] or None

    def _draw(self, number: int) -> tuple[float, int]:
        payload = f"{self.seed} {self.scenario_name} {number}".encode()
        digest = hashlib.blake2b(payload, digest_size=16).digest()
        return int.from_bytes(digest[:8], "big") / 2**64, int.from_bytes(digest[8:], "big")


def _corrupted_call(call: Call, kind: int) -> Call:
    names = sorted(call.arguments)
    name = names[kind // 2 % len(names)]
    return Call(call.tool, {**call.arguments, name: neighbour(call.arguments[name])})


def _corrupted_text(text: str) -> str:
    """The same sentence with another figure, or else the opposite of it; success where it told of an obstacle."""
    if _DIGIT.search(text):
        return str(neighbour(text))
    if _OBSTACLE.search(text):
        return "It is done."
    return _VERB.sub(r"\1 not", text, count=1) if _VERB.search(text) else f"It is not true that {text}"


def neighbour(value: Any) -> Any:
    """A value of the same type that is close to the given one, but not equal to it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + (_HOUR if abs(value) >= _TIMESTAMP else 1)
    if not isinstance(value, str):
        return value
    if (sibling := _sibling(value)) is not None:
        return sibling
    if _DIGIT.search(value):
        return _DIGIT.sub(lambda digit: str((int(digit.group()) + 1) % 10), value, count=1)
    first, _, _ = value.rpartition(" ")
    return first or f"{value}s"


def _sibling(value: str) -> str | None:
    """Another currency code, or another unit of the same kind; ``None`` for any other text."""
    if _CURRENCY.fullmatch(value):
        return next(code for code in _CURRENCIES if code != value)
    return next((unit for units in _UNITS if value in units for unit in units if unit != value), None)
