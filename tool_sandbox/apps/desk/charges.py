"""Tools for charges and refunds."""

import datetime
import functools
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_moment,
    as_money,
    at_least,
    at_most,
    change,
    checked_date,
    checked_text,
    current_device,
    equals,
    get,
    meets,
    now,
    rows_with,
    search,
    seconds_of,
    today,
    tool,
)
from tool_sandbox.apps.desk.customers import Row, need_verified
from tool_sandbox.apps.desk.tables import AGENTS, CHARGES, REFUNDS

LARGEST = 5_000
"""Cents up to which an agent refunds alone."""

DAYS_TO_PAY = 3


def business_days_after(day: datetime.date, count: int) -> datetime.date:
    """The date so many business days of the United States after another."""
    while count:
        day += datetime.timedelta(days=1)
        count -= day.weekday() < 5 and day not in _holidays(day.year)
    return day


@functools.lru_cache(64)
def _holidays(year: int) -> frozenset[datetime.date]:
    # Here, because it takes long to load.
    import holidays

    return frozenset(holidays.country_holidays("US", years=year))


def _with_state(row: Row, read: Read) -> Row:
    state = "on its way" if seconds_of(row["pays_at"]) > seconds_of(now()) else "paid"
    return row | {"state": "cancelled" if row.pop("cancelled") else state}


def _with_refunds(row: Row, read: Read) -> Row:
    refunds = read(REFUNDS).with_cell("charge_id", row["charge_id"])
    return row | {"refunded": sum(int(each["amount"]) for each in refunds if not each["cancelled"])}


@tool
def search_desk_charges(
    customer_id: str | NotGiven = NOT_GIVEN,
    kind: Literal["monthly", "roaming", "late_fee", "device", "termination", "plan_change"] | NotGiven = NOT_GIVEN,
    is_paid: bool | NotGiven = NOT_GIVEN,
    charged_since: str | NotGiven = NOT_GIVEN,
    charged_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what customers of the support desk were charged, the newest first.

    Args:
        customer_id: Identifier of the customer.
        kind: What it was for.
        is_paid: Whether it has been paid.
        charged_since: First date on which it was charged, for example 2025-05-14.
        charged_until: Last date on which it was charged.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (amount, and refunded of it so far, in cents), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A date, the limit or the cursor cannot be understood.
    """
    conditions = [equals("customer_id", customer_id), equals("kind", kind)]
    conditions += [at_least("charged_on", checked_date(charged_since, "charged_since"))]
    conditions += [at_most("charged_on", checked_date(charged_until, "charged_until"))]
    conditions += [meets("is_paid", is_paid, lambda paid_on: (paid_on is not None) == is_paid, "paid_on")]
    return search(
        CHARGES, *conditions, order_by="charged_on", descending=True, show=_with_refunds, limit=limit, cursor=cursor
    )


@tool
def refund_desk_charge(
    charge_id: str,
    amount: int,
    reason: str,
    method: Literal["original", "credit"] = "original",
    approval_code: str | None = None,
) -> str:
    """Refund a charge of a verified customer in whole or in part. It is paid after three business days.

    Args:
        charge_id: Identifier of the charge.
        amount: What is refunded, in cents.
        reason: Why, for the books.
        method: original (as it was paid) or credit (on the next charge).
        approval_code: Code of a supervisor, needed for more than 50.00.

    Returns:
        Identifier of the refund.

    Raises:
        ValueError: The charge is not paid, less of it is left, the amount is not positive, or the reason is blank.
        NoDataError: No charge has this identifier.
        PermissionError: The customer has not been verified, or a supervisor has to approve.
    """
    charge = get(CHARGES, charge_id)
    need_verified(charge["customer_id"])
    checked_text(reason, "reason", 200)
    refunds = [row for row in rows_with(REFUNDS, "charge_id", charge_id) if not row["cancelled"]]
    left = charge["amount"] - sum(row["amount"] for row in refunds)
    if charge["paid_on"] is None:
        raise ValueError("the charge has not been paid, there is nothing to refund")
    if not 1 <= amount <= left:
        raise ValueError(f"amount must be from 1 to {left} cents, which is what is left of the charge, got {amount}")
    approver = _approver(int(amount), charge["currency"], approval_code)
    paid = business_days_after(datetime.date.fromisoformat(today()), DAYS_TO_PAY)
    noon = datetime.datetime.combine(paid, datetime.time(12), current_device().timezone)
    cells = {"charge_id": charge_id, "amount": int(amount), "reason": reason, "method": method, "cancelled": False}
    return add(REFUNDS, **cells, approved_by=approver, made_at=now(), pays_at=as_moment(noon.timestamp()))


def _approver(amount: int, currency: str, code: str | None) -> str | None:
    if amount <= LARGEST:
        return None
    supervisors = rows_with(AGENTS, "role", "supervisor")
    for agent in supervisors:
        if code is not None and agent["approval_code"] == code:
            return str(agent["email"])
    said = "this approval_code is wrong" if code else "approval_code is needed"
    names = " or ".join(agent["name"] for agent in supervisors[:3])
    raise PermissionError(f"rule 7: {said} for more than {as_money(LARGEST, currency)}; ask {names[:120]}")


@tool
def cancel_desk_refund(refund_id: str) -> None:
    """Take back a refund that has not been paid yet.

    Args:
        refund_id: Identifier of the refund.

    Returns:
        Nothing.

    Raises:
        ValueError: It has been paid, or is cancelled already.
        NoDataError: No refund has this identifier.
    """
    refund = get(REFUNDS, refund_id)
    if refund["cancelled"]:
        raise ValueError("the refund is cancelled already")
    if seconds_of(refund["pays_at"]) <= seconds_of(now()):
        raise ValueError(f"the refund was paid at {refund['pays_at']}, it cannot be taken back")
    change(REFUNDS, refund_id, cancelled=True)


@tool
def search_desk_refunds(
    customer_id: str | NotGiven = NOT_GIVEN,
    charge_id: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find refunds of the support desk, the newest first.

    Args:
        customer_id: Identifier of the customer who gets it.
        charge_id: Identifier of the charge.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (amount in cents; state: on its way, paid or cancelled), total, and next_cursor, which is None on the
        last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    own = {row["charge_id"] for row in rows_with(CHARGES, "customer_id", customer_id)}
    conditions = equals("charge_id", charge_id), meets("customer", customer_id, own.__contains__, "charge_id")
    return search(
        REFUNDS, *conditions, order_by="made_at", descending=True, show=_with_state, limit=limit, cursor=cursor
    )
