"""What follows from the transactions and the time: balances, states, limits, and the days on which banks work."""

import datetime
import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from dateutil.relativedelta import relativedelta

from tool_sandbox.apps import (
    add,
    as_moment,
    change,
    current_device,
    get,
    now,
    rows_of,
    rows_with,
    seconds_of,
    today,
)
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, RUNS, STANDING_ORDERS, TRANSACTIONS
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
    """Books the runs of standing orders that were due since the last time; whoever sends money does so first.

    One for which there is too little money stands among the transactions as cancelled.
    """
    for order in rows_with(STANDING_ORDERS, "state", "active"):
        account, payee = get(ACCOUNTS, order["account_id"]), get(PAYEES, order["payee_id"])
        if account["blocked"]:
            continue
        due = _due_runs(order, rows_with(RUNS, "standing_order_id", order["standing_order_id"]))
        for number, run in enumerate(due, start=1):
            cells = run_row(order, payee["name"], run, current_device().timezone)
            # All that is due has been taken off what is available, also what comes after this.
            if available(account) + sum(later["amount"] for later in due[number:]) < 0:
                cells |= {"cancelled": True, "description": f"too little money: {order['description']}"[:60]}
            add(TRANSACTIONS, **cells)
            change(STANDING_ORDERS, order["standing_order_id"], booked_until=run["runs_on"])


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
    return state_at(current_device().now(), transaction["cancelled"], transaction["settles_at"])


def state_at(instant: float, cancelled: bool, settles_at: str) -> str:
    """The same of its cells, at a POSIX time."""
    return "cancelled" if cancelled else "settled" if seconds_of(settles_at) <= instant else "pending"


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
