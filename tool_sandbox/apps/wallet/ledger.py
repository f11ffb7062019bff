"""What follows from the transactions and the time: balances, states, limits, and the days on which banks work."""

import datetime
import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

from tool_sandbox.apps import (
    add,
    as_moment,
    as_money,
    change,
    current_device,
    get,
    now,
    rows_of,
    rows_with,
    seconds_of,
    today,
)
from tool_sandbox.apps.wallet.tables import ACCOUNTS, LARGEST, PAYEES, RUNS, STANDING_ORDERS, TRANSACTIONS, TRANSFERS
from tool_sandbox.world.table import Table

Row = dict[str, Any]

CUT_OFF = 15
"""Hour until which what is sent on a business day is on its way on that day."""
BOOKING_HOUR = 6
"""Hour at which banks book on business days."""
ONE_DAY = datetime.timedelta(days=1)


# Days --------------------------------------------------------------------------------------------------------


@functools.cache
def _bank_holidays(year: int) -> frozenset[datetime.date]:
    import holidays

    return frozenset(holidays.country_holidays("US", years=year))


def business_day(day: datetime.date, further: int = 0) -> datetime.date:
    """The first business day from a day on, or one that is so many business days later."""
    while True:
        if day.weekday() < 5 and day not in _bank_holidays(day.year):
            if not further:
                return day
            further -= 1
        day += ONE_DAY


def booking_moment(day: datetime.date, zone: datetime.tzinfo, hour: int = BOOKING_HOUR) -> str:
    """When banks book on a day, or another full hour of it."""
    return as_moment(datetime.datetime.combine(day, datetime.time(hour), zone).timestamp(), zone)


def settlement(sent: str, zone: datetime.tzinfo, days: int = 1, hour: int = BOOKING_HOUR) -> str:
    """When something settles that was sent at a local moment: so many business days after the one it counts for."""
    local = datetime.datetime.fromisoformat(sent)
    counts = business_day(local.date() + ONE_DAY if local.hour >= CUT_OFF else local.date())
    return booking_moment(business_day(counts, days), zone, hour)


def runs(
    order: Row, exceptions: Iterable[Row], until: datetime.date, since: datetime.date = datetime.date.min
) -> Iterator[Row]:
    """Runs of a standing order that are due until a day: when they are due and run, their amount, whether skipped.

    One that is due on the 31st is due on the last day of shorter months; all run on the next business day.
    All those due from another day on are among them, and maybe a few earlier ones.
    """
    other = {each["due_on"]: each for each in exceptions}
    first = datetime.date.fromisoformat(order["first_on"])
    last = min(until, datetime.date.fromisoformat(order["last_on"] or "9999-12-31"))
    passed = (since - first).days // ({"week": 7, "month": 31}[order["unit"]] * order["every"])
    for number in itertools.count(max(0, passed)):
        due = first + relativedelta(**{f"{order['unit']}s": number * order["every"]})
        if due > last:
            return
        found = other.get(due.isoformat(), {"action": "", "amount": None})
        yield {
            "due_on": due.isoformat(),
            "runs_on": business_day(due).isoformat(),
            "amount": found["amount"] or order["amount"],
            "skipped": found["action"] == "skip",
        }


def open_runs(order: Row, exceptions: Iterable[Row], until: datetime.date) -> list[Row]:
    """Runs that are not booked, skipped ones included, of those due until a day."""
    # From its due date to the next business day it is less than a week.
    since = datetime.date.fromisoformat(order["booked_until"]) - 7 * ONE_DAY
    return [run for run in runs(order, exceptions, until, since) if run["runs_on"] > order["booked_until"]]


def _due_runs(order: Row, exceptions: Iterable[Row]) -> list[Row]:
    local = datetime.datetime.fromisoformat(now())
    day = local.date() if local.hour >= BOOKING_HOUR else local.date() - ONE_DAY
    found = open_runs(order, exceptions, day) if order["state"] == "active" else []
    return [run for run in found if run["runs_on"] <= day.isoformat() and not run["skipped"]]


def book_due_runs() -> None:
    """Books the runs of standing orders that were due since the last time; whoever sends money does so first."""
    for order in rows_with(STANDING_ORDERS, "state", "active"):
        due = _due_runs(order, rows_with(RUNS, "standing_order_id", order["standing_order_id"]))
        for run in due:
            add(TRANSACTIONS, **run_row(order, get(PAYEES, order["payee_id"])["name"], run, current_device().timezone))
        if due:
            change(STANDING_ORDERS, order["standing_order_id"], booked_until=due[-1]["runs_on"])


def run_row(order: Row, counterparty: str, run: Row, zone: datetime.tzinfo) -> Row:
    """The transaction, still without a key, of a run of a standing order."""
    booked = booking_moment(datetime.date.fromisoformat(run["runs_on"]), zone)
    return transaction_cells(order["account_id"], -run["amount"], counterparty, order["description"], booked) | {
        "category": order["category"],
        "kind": "standing_order",
        "standing_order_id": order["standing_order_id"],
    }


def transaction_cells(account_id: str, amount: int, counterparty: str, description: str, booked: str) -> Row:
    """Cells of a transaction that settles at once and belongs to nothing else."""
    return {
        "account_id": account_id, "amount": amount, "counterparty": counterparty, "description": description,
        "category": "other", "kind": "card", "booked_at": booked, "settles_at": booked, "cancelled": False,
        "note": None, "transfer_id": None, "standing_order_id": None, "refund_of": None,
    }  # fmt: skip


# States ------------------------------------------------------------------------------------------------------


def state_of(transaction: Row) -> str:
    """Whether a transaction is pending or settled by now, or cancelled."""
    if transaction["cancelled"]:
        return "cancelled"
    return "settled" if seconds_of(transaction["settles_at"]) <= current_device().now() else "pending"


def transfer_state(transfer: Row) -> str:
    """Whether a transfer awaits a code, is pending or settled by now, or cancelled."""
    if transfer["state"] != "sent":
        return str(transfer["state"])
    return "settled" if seconds_of(transfer["settles_at"]) <= current_device().now() else "pending"


def balances(account: Row, transactions: Table, orders: Table, exceptions: Table) -> dict[str, int]:
    """What is settled on an account, and what can be spent: less what is pending or due, more by the overdraft."""
    instant, at = current_device().now(), transactions.schema.positions
    moments = transactions.derived(transactions.schema.reader(seconds_of, "settles_at"))
    balance, leaving = account["opening_balance"], 0
    for place in transactions.groups("account_id").get(account["account_id"], ()):
        row = transactions.rows[place]
        if row[at["cancelled"]]:
            continue
        if moments[place] <= instant:
            balance += row[at["amount"]]
        else:
            leaving += min(row[at["amount"]], 0)
    for order in orders.with_cell("account_id", account["account_id"]):
        due = _due_runs(order, exceptions.with_cell("standing_order_id", order["standing_order_id"]))
        leaving -= sum(run["amount"] for run in due)
    return {"balance": balance, "available": balance + leaving + account["overdraft"]}


def available(account: Row) -> int:
    """What can be spent from an account now."""
    sums = balances(account, rows_of(TRANSACTIONS), rows_of(STANDING_ORDERS), rows_of(RUNS))
    return sums["available"]


def limit_left(account: Row, transfers: Table) -> int:
    """What the daily limit of an account leaves for transfers to payees today."""
    day = today()
    sent = [
        each["amount"]
        for each in transfers.with_cell("account_id", account["account_id"])
        if each["state"] == "sent" and each["payee_id"] and each["created_at"][:10] == day
    ]
    return max(0, int(account["daily_limit"] - sum(sent)))


# Money that moves, also for other apps ------------------------------------------------------------------------


def check_amount(amount: int, largest: int = LARGEST) -> int:
    """An amount in minor units that is above zero."""
    if not 1 <= amount <= largest:
        raise ValueError(f"amount must be from 1 to {largest} in minor units (cents), got {str(amount)[:20]}")
    return int(amount)


def check_funds(account: Row, amount: int) -> None:
    """Refuses to take an amount from an account that is blocked or has too little."""
    if account["blocked"]:
        raise PermissionError(f"the account {account['name']!r} is blocked, unblock it with modify_bank_account")
    if (left := available(account)) < amount:
        has, wanted = as_money(left, account["currency"]), as_money(amount, account["currency"])
        raise ValueError(f"the account {account['name']!r} has {has} available, {wanted} are needed")


def check_limit(account: Row, amount: int) -> None:
    """Refuses a transfer to a payee that is over the daily limit."""
    if (left := limit_left(account, rows_of(TRANSFERS))) < amount:
        limit, rest = as_money(account["daily_limit"], account["currency"]), as_money(left, account["currency"])
        raise ValueError(f"the daily limit of {limit} of {account['name']!r} leaves {rest} for today")


def pay(account_id: str, amount: int, counterparty: str, description: str, category: str) -> str:
    """Pays by the card of an account, for tools of other apps; settles on the next business day.

    Raises:
        NoDataError: No account has this identifier.
        PermissionError: The account is blocked.
        ValueError: There is too little money.
    """
    book_due_runs()
    account = get(ACCOUNTS, account_id)
    check_funds(account, amount)
    cells = transaction_cells(account_id, -amount, counterparty, description, now())
    settles = settlement(now(), current_device().timezone)
    return add(TRANSACTIONS, **(cells | {"category": category, "settles_at": settles}))


def refunded(transaction_id: str) -> int:
    """What was paid back of a transaction, or is on its way."""
    return sum(int(each["amount"]) for each in rows_with(TRANSACTIONS, "refund_of", transaction_id))


def give_back(transaction: Row, amount: int, description: str, days: int = 5) -> str:
    """Sends money of a transaction back, which arrives so many business days later."""
    cells = transaction_cells(transaction["account_id"], amount, transaction["counterparty"], description, now())
    cells |= {"category": transaction["category"], "kind": "refund", "refund_of": transaction["transaction_id"]}
    return add(TRANSACTIONS, **(cells | {"settles_at": settlement(now(), current_device().timezone, days)}))


def undo_payment(transaction_id: str, description: str) -> None:
    """Gives all of a payment back, for tools of other apps: at once while it is pending, else by a refund."""
    paid = get(TRANSACTIONS, transaction_id)
    if state_of(paid) == "pending":
        change(TRANSACTIONS, transaction_id, cancelled=True)
    elif (left := -paid["amount"] - refunded(transaction_id)) > 0 and not paid["cancelled"]:
        give_back(paid, left, description)
