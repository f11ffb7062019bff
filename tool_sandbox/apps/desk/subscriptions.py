"""Tools for plans and subscriptions."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    at_least,
    at_most,
    change,
    checked_date,
    contains,
    equals,
    get,
    search,
    today,
    tool,
)
from tool_sandbox.apps.desk.customers import Row, balance, months_after, need_verified, plan_of, state_of
from tool_sandbox.apps.desk.tables import CHARGES, PLANS, SUBSCRIPTIONS

CHANGE_FEE = 2_500


def next_renewal() -> str:
    """The first day of the coming month."""
    return months_after(f"{today()[:8]}01", 1)


def _current(subscription_id: str) -> Row:
    """A subscription of a verified customer that has not ended and will not."""
    row = get(SUBSCRIPTIONS, subscription_id)
    need_verified(row["customer_id"])
    if row["ends_on"] is not None:
        raise ValueError(f"the subscription {'has ended' if state_of(row) == 'ended' else 'ends'} on {row['ends_on']}")
    return row


def _charge(customer_id: str, kind: str, amount: int, currency: str, description: str) -> None:
    due = str(datetime.date.fromisoformat(today()) + datetime.timedelta(days=14))
    cells = {"customer_id": customer_id, "kind": kind, "amount": amount, "currency": currency}
    add(CHARGES, **cells, charged_on=today(), due_on=due, description=description)


def months_left(row: Row) -> int:
    """Months of the commitment of a subscription that have begun or are to come."""
    left = 0
    while months_after(today(), left) < row["committed_until"]:
        left += 1
    return left


@tool
def search_desk_plans(
    words: str | NotGiven = NOT_GIVEN,
    kind: Literal["home", "business"] | NotGiven = NOT_GIVEN,
    retired: bool | NotGiven = False,
    megabits: int | NotGiven = NOT_GIVEN,
    monthly_price: int | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find plans to which customers of the support desk can subscribe, the cheapest first.

    Args:
        words: Words that all occur in the name.
        kind: home or business.
        retired: True for plans that cannot be chosen any more.
        megabits: Smallest speed in megabits a second.
        monthly_price: Highest price of a month in cents.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (monthly_price in cents), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = [contains("name", words), equals("kind", kind), equals("retired", retired)]
    conditions += [at_least("megabits", megabits), at_most("monthly_price", monthly_price)]
    return search(PLANS, *conditions, order_by="monthly_price", limit=limit, cursor=cursor)


@tool
def change_desk_subscription_plan(subscription_id: str, plan_id: str) -> dict[str, Any]:
    """Give a subscription of a verified customer another plan: a dearer one at once, a cheaper one at the next renewal.

    A dearer plan begins a new commitment. A cheaper one within the commitment costs 25.00, which is charged at once.

    Args:
        subscription_id: Identifier of the subscription.
        plan_id: Identifier of the new plan.

    Returns:
        holds_from (date), committed_until, and fee in cents.

    Raises:
        ValueError: The plan is retired or the one that it has, the subscription ends, or something is owed.
        NoDataError: No subscription or no plan has this identifier.
        PermissionError: The customer has not been verified.
    """
    row, plan = _current(subscription_id), get(PLANS, plan_id)
    old = plan_of(row)
    if plan["retired"]:
        raise ValueError(f"rule 15: {plan['name']} is retired and cannot be chosen")
    if plan_id == old["plan_id"]:
        raise ValueError(f"the subscription has {plan['name']} already")
    if owed := balance(row["customer_id"]):
        raise ValueError(
            f"rule 19: the customer owes {owed} cents that are due; no change of plan before they are paid"
        )
    if plan["monthly_price"] >= old["monthly_price"]:
        fee, start = 0, today()
        until = months_after(start, plan["commitment_months"])
        cells = {"plan_id": plan_id, "next_plan_id": None, "next_plan_from": None, "committed_until": until}
    else:
        fee, start, until = CHANGE_FEE * (row["committed_until"] > today()), next_renewal(), row["committed_until"]
        cells = {"plan_id": old["plan_id"], "next_plan_id": plan_id, "next_plan_from": start}
    if fee:
        _charge(row["customer_id"], "plan_change", fee, plan["currency"], f"Change to {plan['name']}")
    change(SUBSCRIPTIONS, subscription_id, **cells)
    return {"holds_from": start, "committed_until": until, "fee": fee}


@tool
def pause_desk_subscription(subscription_id: str, months: Literal[1, 2], first_day: str | None = None) -> str:
    """Pause a subscription of a verified customer for one or two months, in which nothing is charged.

    Args:
        subscription_id: Identifier of the subscription.
        months: 1 or 2.
        first_day: First day of the pause, the first of a coming month; the next renewal if left out.

    Returns:
        Date from which the subscription goes on.

    Raises:
        ValueError: The dates are wrong, the last pause is not a year ago, the commitment lasts longer, or the
            subscription ends.
        NoDataError: No subscription has this identifier.
        PermissionError: The customer has not been verified.
    """
    row, start = _current(subscription_id), checked_date(first_day, "first_day") or next_renewal()
    if start[8:] != "01" or not today() < start < months_after(today(), 13):
        raise ValueError("first_day must be the first of one of the next twelve months")
    if row["paused_until"] and months_after(row["paused_until"], 12) > start:
        raise ValueError(f"rule 17: there is a pause until {row['paused_until']}, the next is a year later")
    if row["committed_until"] > start:
        raise ValueError(f"rule 17: no pause within the commitment, which lasts until {row['committed_until']}")
    until = months_after(start, months)
    change(SUBSCRIPTIONS, subscription_id, paused_from=start, paused_until=until)
    return until


@tool
def cancel_desk_subscription(subscription_id: str, fee_agreed: int = 0) -> dict[str, Any]:
    """Cancel a subscription of a verified customer: at once in its first 14 days, else at the end of the month.

    Within the commitment it costs half of the monthly price for each month that is left, which is charged at once.

    Args:
        subscription_id: Identifier of the subscription.
        fee_agreed: Fee in cents to which the customer has said yes; needed if there is one.

    Returns:
        ends_on (last day) and fee in cents.

    Raises:
        ValueError: The fee is another one than was agreed, or the subscription ends already.
        NoDataError: No subscription has this identifier.
        PermissionError: The customer has not been verified.
    """
    row = _current(subscription_id)
    plan, now_on = plan_of(row), datetime.date.fromisoformat(today())
    is_new = (now_on - datetime.date.fromisoformat(row["started_on"])).days < 14
    fee = 0 if is_new else months_left(row) * int(plan["monthly_price"]) // 2
    if fee_agreed != fee:
        raise ValueError(f"rule 18: the fee is {fee} cents; tell the customer, and give fee_agreed={fee} if agreed")
    last = now_on if is_new else datetime.date.fromisoformat(next_renewal()) - datetime.timedelta(days=1)
    if fee:
        _charge(row["customer_id"], "termination", fee, plan["currency"], f"Early end of {plan['name']}")
    change(SUBSCRIPTIONS, subscription_id, ends_on=str(last), next_plan_id=None, next_plan_from=None)
    return {"ends_on": str(last), "fee": fee}
