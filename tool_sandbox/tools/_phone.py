"""Phone numbers as the world stores and compares them."""

from collections.abc import Sequence
from typing import TypeVar

from tool_sandbox.tools import _store
from tool_sandbox.world.not_given import NotGiven
from tool_sandbox.world.validators import canonical_phone_number, validate_phone_number

_Number = TypeVar("_Number", str, str | NotGiven)


def stored_form(phone_number: _Number) -> _Number:
    """Checks a number and brings it to the form in which it is stored.

    Args:
        phone_number: Number with a leading ``+``, or `NOT_GIVEN`.

    Returns:
        The number in E.164 form in corrected worlds, as given in published ones.

    Raises:
        phonenumbers.NumberParseException: Not a phone number.
    """
    validate_phone_number(phone_number)
    return (
        canonical_phone_number(phone_number) if isinstance(phone_number, str) and _store.is_strict() else phone_number
    )


def same_number(rows: Sequence[_store.Row], position: int, value: str) -> Sequence[_store.Row]:
    """Filter for equal numbers: in canonical form in corrected worlds, literally in published ones."""
    if not _store.is_strict():
        return _store.equal(rows, position, value)
    return [row for row in rows if row[position] == value or _canonical_or_none(row[position]) == value]


def _canonical_or_none(stored: str | None) -> str | None:
    from phonenumbers import NumberParseException

    try:
        return None if stored is None else canonical_phone_number(stored)
    except NumberParseException:
        # A scenario may have stored a number that its tools would refuse.
        return None
