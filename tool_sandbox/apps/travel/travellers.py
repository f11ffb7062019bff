"""Tools for travellers and their memberships."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    change,
    checked_date,
    checked_text,
    contains,
    get,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.travel.stock import balance_of
from tool_sandbox.apps.travel.tables import MEMBERSHIPS, TRAVELLERS

Row = dict[str, Any]


def _check_passport(number: Any, expires_on: Any, own: str = "") -> None:
    checked_text(number, "passport_number", 20)
    checked_date(expires_on, "passport_expires_on")
    if isinstance(number, str):
        for other in rows_with(TRAVELLERS, "passport_number", number):
            if other["traveller_id"] != own:
                raise ValueError(f"another traveller has the passport number {number!r}")


def _with_memberships(traveller: Row, read: Read) -> Row:
    memberships = read(MEMBERSHIPS).with_cell("traveller_id", traveller["traveller_id"])
    for each in memberships:
        each["points"], each["pending_points"] = balance_of(each, read)
        del each["traveller_id"], each["opening_points"]
    return traveller | {"memberships": memberships}


@tool
def search_travellers(words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """Find people for whom travel can be booked, with passports, wishes and memberships. Without words it lists all.

    Args:
        words: Words that all occur in the name.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (travellers; each membership with the points that can be spent, and those that are credited after a
        journey), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains("name", words)
    return search(TRAVELLERS, conditions, order_by="name", show=_with_memberships, limit=limit, cursor=cursor)


@tool
def add_traveller(
    name: str,
    passport_number: str | None = None,
    passport_expires_on: str | None = None,
    seat_wish: Literal["window", "aisle", "none"] = "none",
) -> str:
    """Add somebody for whom travel can be booked.

    Args:
        name: First and last name, as in the passport.
        passport_number: Number of the passport; needed for journeys to another country.
        passport_expires_on: Last day of the passport, for example 2031-05-14.
        seat_wish: Which seats the traveller likes.

    Returns:
        Identifier of the new traveller.

    Raises:
        ValueError: Another traveller has this passport, or a value cannot be understood.
    """
    checked_text(name, "name", 80)
    _check_passport(passport_number, passport_expires_on)
    cells = {"passport_number": passport_number, "passport_expires_on": passport_expires_on}
    return add(TRAVELLERS, name=name, seat_wish=seat_wish, **cells)


@tool
def modify_traveller(
    traveller_id: str,
    name: str | NotGiven = NOT_GIVEN,
    passport_number: str | NotGiven | None = NOT_GIVEN,
    passport_expires_on: str | NotGiven | None = NOT_GIVEN,
    seat_wish: Literal["window", "aisle", "none"] | NotGiven = NOT_GIVEN,
) -> None:
    """Change what is known of a traveller. What is left out stays as it is.

    Args:
        traveller_id: Identifier of the traveller.
        name: First and last name, as in the passport.
        passport_number: Number of the passport; None if there is none.
        passport_expires_on: Last day of the passport.
        seat_wish: Which seats the traveller likes.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, another traveller has this passport, or a value cannot be understood.
        NoDataError: No traveller has this identifier.
    """
    get(TRAVELLERS, traveller_id)
    checked_text(name, "name", 80)
    _check_passport(passport_number, passport_expires_on, traveller_id)
    cells = {"passport_number": passport_number, "passport_expires_on": passport_expires_on}
    change(TRAVELLERS, traveller_id, name=name, **cells, seat_wish=seat_wish)
