"""Tools about customers: who is who, and whether the person who asks is the customer."""

import datetime
from typing import Any

from dateutil.relativedelta import relativedelta

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    as_moment,
    change,
    checked_text,
    contains,
    equals,
    get,
    now,
    rows_with,
    search,
    seconds_of,
    today,
    tool,
)
from tool_sandbox.apps.desk.tables import CHARGES, CUSTOMERS, DEVICES, PLANS, SUBSCRIPTIONS, TICKETS, VERIFICATIONS

Row = dict[str, Any]

VERIFIED_FOR, LOCKED_FOR = 1_800.0, 3_600.0
"""Seconds for which a customer counts as verified, and for which wrong PINs count."""

MOST_TRIES = 3
PUBLIC = ("customer_id", "name", "email", "phone_number", "region", "representative", "joined_on")


def _tries(customer_id: str, passed: bool, seconds: float) -> list[Row]:
    since = seconds_of(now()) - seconds
    rows = rows_with(VERIFICATIONS, "customer_id", customer_id)
    return [row for row in rows if row["passed"] == passed and seconds_of(row["tried_at"]) > since]


def need_verified(customer_id: str) -> None:
    """Fails unless a customer has proved who they are.

    Raises:
        PermissionError: The customer has not; says what to do.
    """
    if not _tries(customer_id, True, VERIFIED_FOR):
        raise PermissionError(
            "rule 1: the customer has not been verified in the last 30 minutes; ask for the PIN and use "
            "verify_desk_customer"
        )


def months_after(day: str, months: int) -> str:
    """The same day of a later month, or its last day where that month is shorter."""
    return str(datetime.date.fromisoformat(day) + relativedelta(months=months))


def balance(customer_id: str) -> int:
    """What a customer owes of charges that are due, in cents."""
    rows = rows_with(CHARGES, "customer_id", customer_id)
    return sum(int(row["amount"]) for row in rows if row["paid_on"] is None and row["due_on"] < today())


def state_of(subscription: Row) -> str:
    """Whether a subscription is active, paused or has ended today."""
    if subscription["ends_on"] is not None and subscription["ends_on"] < today():
        return "ended"
    is_paused = subscription["paused_from"] and subscription["paused_from"] <= today() < subscription["paused_until"]
    return "paused" if is_paused else "active"


def plan_of(subscription: Row) -> Row:
    """The plan that a subscription has today."""
    is_next = subscription["next_plan_from"] is not None and subscription["next_plan_from"] <= today()
    return get(PLANS, subscription["next_plan_id" if is_next else "plan_id"])


@tool
def search_desk_customers(
    words: str | NotGiven = NOT_GIVEN,
    email: str | NotGiven = NOT_GIVEN,
    phone_number: str | NotGiven = NOT_GIVEN,
    region: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find customers of the support desk, by name. Several can have the same one.

    Args:
        words: Words that all occur in the name, or in that of the representative.
        email: E-mail address.
        phone_number: Phone number in international form.
        region: Region in which they live.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = [equals("email", email), equals("phone_number", phone_number), equals("region", region)]
    conditions.append(contains(("name", "representative"), words))
    return search(CUSTOMERS, *conditions, order_by="name", show=PUBLIC, limit=limit, cursor=cursor)


@tool
def get_desk_customer(customer_id: str) -> dict[str, Any]:
    """Read all about a customer of the support desk: subscriptions, devices, what is owed, and open tickets.

    Args:
        customer_id: Identifier of the customer.

    Returns:
        The customer; verified_until (None if not verified); owed (in cents, of charges that are due); subscriptions
        with their states and the names of their plans; device_ids; open_ticket_ids.

    Raises:
        NoDataError: No customer has this identifier.
    """
    customer = get(CUSTOMERS, customer_id)
    passed = [seconds_of(row["tried_at"]) for row in _tries(customer_id, True, VERIFIED_FOR)]
    subscriptions = rows_with(SUBSCRIPTIONS, "customer_id", customer_id)
    tickets = [
        row for row in rows_with(TICKETS, "customer_id", customer_id) if row["state"] not in ("solved", "closed")
    ]
    return {name: customer[name] for name in PUBLIC} | {
        "verified_until": as_moment(max(passed) + VERIFIED_FOR) if passed else None,
        "owed": balance(customer_id),
        "subscriptions": [row | {"state": state_of(row), "plan": plan_of(row)["name"]} for row in subscriptions[-20:]],
        "device_ids": [row["device_id"] for row in rows_with(DEVICES, "customer_id", customer_id)][-50:],
        "open_ticket_ids": [row["ticket_id"] for row in tickets][-50:],
    }


@tool
def verify_desk_customer(customer_id: str, pin: str) -> dict[str, Any]:
    """Check the PIN that somebody gives against that of a customer. A right one counts for 30 minutes.

    Args:
        customer_id: Identifier of the customer.
        pin: Four digits, which only the customer knows.

    Returns:
        passed, and tries_left: after three wrong PINs within an hour none is accepted until the hour is over.

    Raises:
        ValueError: The PIN is not four digits.
        NoDataError: No customer has this identifier.
        PermissionError: There were three wrong PINs within an hour.
    """
    customer = get(CUSTOMERS, customer_id)
    if not (len(pin) == 4 and pin.isascii() and pin.isdigit()):
        raise ValueError("pin must be four digits")
    wrong = len(_tries(customer_id, False, LOCKED_FOR))
    if wrong >= MOST_TRIES:
        raise PermissionError("rule 5: three PINs were wrong within an hour; the customer has to call again later")
    passed = pin == customer["pin"]
    add(VERIFICATIONS, customer_id=customer_id, passed=passed, tried_at=now())
    return {"passed": passed, "tries_left": MOST_TRIES - wrong - (not passed)}


@tool
def modify_desk_customer(
    customer_id: str,
    email: str | NotGiven = NOT_GIVEN,
    phone_number: str | NotGiven = NOT_GIVEN,
    region: str | NotGiven = NOT_GIVEN,
    representative: str | NotGiven | None = NOT_GIVEN,
) -> None:
    """Change the entry of a verified customer of the support desk. What is left out stays as it is.

    Args:
        customer_id: Identifier of the customer.
        email: New e-mail address, which no other customer has.
        phone_number: New phone number in international form.
        region: Region in which the customer lives now.
        representative: Name of somebody who may speak for the customer; None for nobody.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, a value is blank or too long, or another customer has the address.
        NoDataError: No customer has this identifier.
        PermissionError: The customer has not been verified.
    """
    get(CUSTOMERS, customer_id)
    need_verified(customer_id)
    cells = {"email": email, "phone_number": phone_number, "region": region, "representative": representative}
    cells = {name: checked_text(cell, name, 80) for name, cell in cells.items()}
    if any(row["customer_id"] != customer_id for row in rows_with(CUSTOMERS, "email", email)):
        raise ValueError(f"another customer has the address {email!r}")
    change(CUSTOMERS, customer_id, **cells)
