"""Tools for transfers that repeat."""

import datetime
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
    equals,
    get,
    remove_with,
    rows_with,
    search,
    today,
    tool,
)
from tool_sandbox.apps.wallet.codes import ask_code
from tool_sandbox.apps.wallet.ledger import book_due_runs, open_runs
from tool_sandbox.apps.wallet.payments import check_amount
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, RUNS, STANDING_ORDERS, Category
from tool_sandbox.apps.wallet.transfers import LONGEST_DESCRIPTION, check_payee

SHOWN_RUNS = 8
FARTHEST_DAYS = 730


def _horizon() -> datetime.date:
    return datetime.date.fromisoformat(today()) + datetime.timedelta(days=FARTHEST_DAYS)


def _check_open(standing_order_id: str) -> dict[str, Any]:
    order = get(STANDING_ORDERS, standing_order_id)
    if order["state"] == "cancelled":
        raise ValueError("the standing order is cancelled already")
    return order


@tool
def create_standing_order(
    account_id: str,
    payee_id: str,
    amount: int,
    description: str,
    first_on: str,
    unit: Literal["week", "month"] = "month",
    every: int = 1,
    last_on: str | None = None,
    category: Category = "other",
) -> dict[str, str]:
    """Set up a transfer to a payee that repeats by itself.

    It begins once confirm_payment_with_code was called with the code that the owner gets on the phone. A run that is
    due on a weekend or a holiday happens on the next business day; the 31st means the last day of shorter months.

    Args:
        account_id: Account that pays.
        payee_id: Payee who gets it.
        amount: Amount in minor units of the currency of the account (cents).
        description: What the receiver reads, at most 60 characters.
        first_on: Date of the first run, for example 2025-06-01, after today and within two years.
        unit: Whether it repeats by weeks or months.
        every: After how many of them it repeats, from 1 to 12.
        last_on: Date after which there are no more runs; without end if left out.
        category: What it counts as.

    Returns:
        standing_order_id and confirmation_id.

    Raises:
        ValueError: A date, amount, number or text is out of range, the payee is removed or has another currency.
        NoDataError: No account or payee has this identifier.
    """
    check_payee(payee_id, get(ACCOUNTS, account_id))
    check_amount(amount)
    checked_text(description, "description", LONGEST_DESCRIPTION)
    checked_date(first_on, "first_on")
    checked_date(last_on, "last_on")
    if not today() < first_on <= _horizon().isoformat():
        raise ValueError(f"first_on must be after today and until {_horizon()}, got {first_on}")
    if last_on is not None and last_on < first_on:
        raise ValueError(f"last_on must not be before first_on, got {last_on}")
    if not 1 <= every <= 12:
        raise ValueError(f"every must be from 1 to 12, got {str(every)[:20]}")
    cells = {"account_id": account_id, "payee_id": payee_id, "amount": int(amount), "description": description}
    cells |= {"first_on": first_on, "last_on": last_on, "unit": unit, "every": int(every), "category": category}
    standing_order_id = add(STANDING_ORDERS, **cells, state="awaiting_code", booked_until=today())
    return {"standing_order_id": standing_order_id, "confirmation_id": ask_code(standing_order_id=standing_order_id)}


@tool
def get_standing_order(standing_order_id: str) -> dict[str, Any]:
    """Read a standing order with its next runs.

    Args:
        standing_order_id: Identifier of the standing order.

    Returns:
        The order with the name of its payee, and up to eight next_runs: when each is due, when it happens, its amount
        and whether it is skipped. An order that is paused or cancelled has none.

    Raises:
        NoDataError: No standing order has this identifier.
    """
    order = get(STANDING_ORDERS, standing_order_id)
    coming = _coming(order, rows_with(RUNS, "standing_order_id", standing_order_id))
    return order | {"payee": get(PAYEES, order["payee_id"])["name"], "next_runs": coming[:SHOWN_RUNS]}


def _coming(order: dict[str, Any], exceptions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if order["state"] in ("paused", "cancelled"):
        return []
    return open_runs(order, exceptions, _horizon() + datetime.timedelta(days=366))


def _listed(order: dict[str, Any], read: Read) -> dict[str, Any]:
    exceptions = read(RUNS).with_cell("standing_order_id", order["standing_order_id"])
    coming = [run["runs_on"] for run in _coming(order, exceptions) if not run["skipped"]]
    for name in ("first_on", "booked_until", "category"):
        del order[name]
    payee = read(PAYEES).get(order["payee_id"]) or {}
    return order | {"payee": payee.get("name"), "next_run_on": min(coming, default=None)}


@tool
def search_standing_orders(
    words: str | NotGiven = NOT_GIVEN,
    payee_id: str | NotGiven = NOT_GIVEN,
    account_id: str | NotGiven = NOT_GIVEN,
    state: Literal["awaiting_code", "active", "paused", "cancelled"] | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find transfers that repeat by themselves. Without conditions it lists all.

    Args:
        words: Words that all occur in the description.
        payee_id: Payee who gets them.
        account_id: Account that pays.
        state: How they stand.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with the name of the payee and the day of the next run), total, and next_cursor, which is None on the
        last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains("description", words), equals("payee_id", payee_id), equals("account_id", account_id)
    return search(STANDING_ORDERS, *conditions, equals("state", state), show=_listed, limit=limit, cursor=cursor)


@tool
def modify_standing_order(
    standing_order_id: str,
    amount: int | NotGiven = NOT_GIVEN,
    description: str | NotGiven = NOT_GIVEN,
    last_on: str | NotGiven | None = NOT_GIVEN,
    paused: bool | NotGiven = NOT_GIVEN,
) -> dict[str, Any]:
    """Change all runs to come of a standing order, or pause it. Runs that are due while it is paused are left out.

    A higher amount holds once confirm_payment_with_code was called with the code that the owner gets on the phone.

    Args:
        standing_order_id: Identifier of the standing order.
        amount: New amount in minor units (cents), but for single runs that were changed.
        description: What the receiver reads, at most 60 characters.
        last_on: Date after which there are no more runs; None for no end.
        paused: True pauses it, False goes on.

    Returns:
        state and amount as they are now, and confirmation_id, which is None when no code is needed.

    Raises:
        ValueError: Nothing to change was given, it is cancelled or awaits a code, or a value is out of range.
        NoDataError: No standing order has this identifier.
    """
    book_due_runs()
    order = _check_open(standing_order_id)
    if order["state"] == "awaiting_code":
        raise ValueError("the standing order awaits its code, confirm it with confirm_payment_with_code first")
    checked_text(description, "description", LONGEST_DESCRIPTION)
    if isinstance(checked_date(last_on, "last_on"), str) and str(last_on) < max(today(), order["first_on"]):
        raise ValueError(f"last_on must not be before today or the first run, got {last_on}")
    if all(isinstance(each, NotGiven) for each in (amount, description, last_on, paused)):
        raise ValueError("nothing to change, give at least one of amount, description, last_on, paused")
    confirmation_id = None
    if not isinstance(amount, NotGiven) and check_amount(amount) > order["amount"]:
        confirmation_id = ask_code(standing_order_id=standing_order_id, new_amount=int(amount))
    lower = amount if isinstance(amount, NotGiven) else min(int(amount), order["amount"])
    state = paused if isinstance(paused, NotGiven) else "paused" if paused else "active"
    changed = change(
        STANDING_ORDERS, standing_order_id, amount=lower, description=description, last_on=last_on, state=state
    )
    if order["state"] == "paused" and state == "active":
        change(STANDING_ORDERS, standing_order_id, booked_until=today())
    return {"state": changed["state"], "amount": changed["amount"], "confirmation_id": confirmation_id}


@tool
def change_standing_order_run(
    standing_order_id: str,
    action: Literal["skip", "change", "as usual"],
    due_on: str | None = None,
    amount: int | None = None,
) -> None:
    """Leave out one run of a standing order, give it another amount, or have it as usual again.

    Args:
        standing_order_id: Identifier of the standing order.
        action: What happens with it.
        due_on: Date on which the run is due, from next_runs of get_standing_order; the next one if left out.
        amount: Amount of this run in minor units (cents), for change only; not more than usual.

    Returns:
        Nothing.

    Raises:
        ValueError: No run is due on this date, the order is cancelled, or the amount is missing or out of range.
        NoDataError: No standing order has this identifier.
    """
    book_due_runs()
    order = _check_open(standing_order_id)
    coming = [run["due_on"] for run in open_runs(order, [], _horizon())]
    due_on = due_on or next(iter(coming), "any day")
    if due_on not in coming:
        raise ValueError(f"no run that is still to come is due on {due_on[:20]!r}, see get_standing_order")
    if (action == "change") != (amount is not None):
        raise ValueError("give an amount with action change, and with no other action")
    known = rows_with(RUNS, "standing_order_id", standing_order_id)
    for row in known:
        if row["due_on"] == due_on:
            remove_with(RUNS, "run_exception_id", row["run_exception_id"])
    if action != "as usual":
        size = None if amount is None else check_amount(amount, order["amount"])
        add(RUNS, standing_order_id=standing_order_id, due_on=due_on, action=action, amount=size)


@tool
def cancel_standing_order(standing_order_id: str) -> None:
    """End a standing order for good: there are no more runs. What was paid stays.

    Args:
        standing_order_id: Identifier of the standing order.

    Returns:
        Nothing.

    Raises:
        ValueError: It is cancelled already.
        NoDataError: No standing order has this identifier.
    """
    book_due_runs()
    _check_open(standing_order_id)
    change(STANDING_ORDERS, standing_order_id, state="cancelled")
