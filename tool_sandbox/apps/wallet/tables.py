"""What the wallet keeps: accounts, payees, transfers, standing orders, transactions and what asks for a code."""

from typing import Any, Literal, get_args

from tool_sandbox.apps import (
    TableRule,
    automatic,
    choice,
    date,
    flag,
    key,
    moment,
    only_one,
    reference,
    seconds_of,
    table,
    text,
    whole,
)
from tool_sandbox.apps.columns import money
from tool_sandbox.world.table import Table

Category = Literal[
    "groceries", "eating out", "housing", "utilities", "transport", "health", "shopping", "leisure", "travel", "gifts",
    "income", "savings", "fees", "other",
]  # fmt: skip
CATEGORIES: tuple[Category, ...] = get_args(Category)
CURRENCIES = ("USD", "EUR", "GBP")
LARGEST = 100_000_000
"""Largest amount in minor units."""


def is_account_number(number: str) -> bool:
    """Whether a text is an account number in capitals without spaces whose check digits fit (ISO 13616)."""
    if not (number.isascii() and number.isalnum() and number.isupper() and 15 <= len(number) <= 34):
        return False
    return number[:2].isalpha() and int("".join(str(int(each, 36)) for each in number[4:] + number[:4])) % 97 == 1


def _payee(row: dict[str, Any]) -> str | None:
    return None if is_account_number(row["account_number"]) else "the check digits of an account number must fit"


def _transfer(row: dict[str, Any]) -> str | None:
    if (row["payee_id"] is None) == (row["to_account_id"] is None):
        return "a transfer goes either to a payee or to an own account"
    if (row["state"] == "sent") != (row["settles_at"] is not None):
        return "a transfer has a time at which it settles if and only if it was sent"
    return "a transfer goes to another account" if row["account_id"] == row["to_account_id"] else None


def _transaction(row: dict[str, Any]) -> str | None:
    if row["amount"] == 0 or (row["refund_of"] is not None and row["amount"] < 0):
        return "a transaction has an amount, and a refund brings money"
    return "a transaction settles before it is booked" if _late(row["booked_at"], row["settles_at"]) else None


def _late(first: str, second: str) -> bool:
    return seconds_of(first) > seconds_of(second)


def _run(row: dict[str, Any]) -> str | None:
    wrong = (row["action"] == "change") != (row["amount"] is not None)
    return "an exception of a standing order has an amount if and only if it changes it" if wrong else None


def _order(row: dict[str, Any]) -> str | None:
    if row["last_on"] is not None and row["last_on"] < row["first_on"]:
        return "a standing order ends before it begins"
    return None


def _subject(row: dict[str, Any]) -> str | None:
    given = [name for name in ("transfer_id", "standing_order_id", "account_id") if row[name] is not None]
    fits = row["new_amount"] is None if row["transfer_id"] else row["new_amount"] is not None or not row["account_id"]
    return None if len(given) == 1 and fits else "a code is for one transfer, standing order or limit of an account"


def _refunds_fit(of: str, transactions: Table) -> str | None:
    given, paid = sum(row["amount"] for row in transactions.with_cell("refund_of", of)), transactions.get(of)
    wrong = given and paid is not None and given > -paid["amount"]
    return f"more was refunded than was paid with {of}" if wrong else None


def _shares_fit(of: str, shares: Table, transactions: Table) -> str | None:
    shared, paid = sum(row["amount"] for row in shares.with_cell("transaction_id", of)), transactions.get(of)
    wrong = shared > abs(paid["amount"] if paid else 0)
    return f"the shares of {of} are more than its amount" if wrong else None


ACCOUNTS = table(
    "wallet.accounts",
    key("account_id"),
    text("name"),
    choice("kind", "current", "savings", "card"),
    choice("currency", *CURRENCIES),
    text("account_number"),
    money("opening_balance", -LARGEST, LARGEST),
    money("overdraft", 0, LARGEST),
    money("daily_limit", 0, LARGEST),
    flag("blocked"),
    unique=[only_one("name", words="there is an account with the name {name!r} already"), only_one("account_number")],
)
"""Own accounts. Balances follow from the transactions; an overdraft is how far one may go below zero."""

PAYEES = table(
    "wallet.payees",
    key("payee_id"),
    text("name"),
    text("account_number"),
    choice("currency", *CURRENCIES),
    text("note", optional=True),
    flag("trusted"),
    flag("removed"),
    unique=[only_one("account_number", removed=False, words="there is a payee with this account number already")],
    row_rules=[_payee],
)
"""Whom money can be sent to; removed ones stay for the history. Trusted ones had a transfer confirmed by code."""

TRANSFERS = table(
    "wallet.transfers",
    key("transfer_id"),
    reference("account_id", "wallet.accounts"),
    reference("payee_id", "wallet.payees", optional=True),
    reference("to_account_id", "wallet.accounts", optional=True),
    money("amount", 1, LARGEST),
    text("description"),
    choice("category", *CATEGORIES),
    choice("state", "awaiting_code", "sent", "cancelled"),
    automatic(moment("created_at")),
    automatic(moment("settles_at", optional=True)),
    row_rules=[_transfer],
)
"""Single transfers. Whether a sent one is pending or settled follows from the time."""

STANDING_ORDERS = table(
    "wallet.standing_orders",
    key("standing_order_id"),
    reference("account_id", "wallet.accounts"),
    reference("payee_id", "wallet.payees"),
    money("amount", 1, LARGEST),
    text("description"),
    choice("category", *CATEGORIES),
    whole("every", 1, 12),
    choice("unit", "week", "month"),
    date("first_on"),
    date("last_on", optional=True),
    choice("state", "awaiting_code", "active", "paused", "cancelled"),
    automatic(date("booked_until")),
    row_rules=[_order],
)
"""Transfers that repeat. Runs that were due until ``booked_until`` stand among the transactions."""

RUNS = table(
    "wallet.run_exceptions",
    key("run_exception_id"),
    reference("standing_order_id", "wallet.standing_orders"),
    date("due_on"),
    choice("action", "skip", "change"),
    money("amount", 1, LARGEST, optional=True),
    unique=[only_one("standing_order_id", "due_on")],
    row_rules=[_run],
)
"""Single runs of standing orders that are left out or have another amount."""

TRANSACTIONS = table(
    "wallet.transactions",
    key("transaction_id"),
    reference("account_id", "wallet.accounts"),
    money("amount", -LARGEST, LARGEST),
    text("counterparty"),
    text("description"),
    choice("category", *CATEGORIES),
    choice("kind", "card", "transfer", "standing_order", "income", "refund", "fee"),
    automatic(moment("booked_at")),
    automatic(moment("settles_at")),
    flag("cancelled"),
    text("note", optional=True),
    reference("transfer_id", "wallet.transfers", optional=True),
    reference("standing_order_id", "wallet.standing_orders", optional=True),
    reference("refund_of", "wallet.transactions", optional=True),
    row_rules=[_transaction],
    rules=[TableRule(_refunds_fit, per=("refund_of", "transaction_id"))],
)
"""Money that went out (negative) or came in. Pending until it settles."""

SHARES = table(
    "wallet.shares",
    key("share_id"),
    reference("transaction_id", "wallet.transactions"),
    money("amount", 1, LARGEST),
    choice("category", *CATEGORIES),
    text("person", optional=True),
    flag("paid_back"),
    rules=[TableRule(_shares_fit, others=("wallet.transactions",), per=("transaction_id",))],
)
"""Parts of a transaction that belong to another category, or that somebody else owes. The rest is one's own."""

CODES = table(
    "wallet.confirmations",
    key("confirmation_id"),
    reference("transfer_id", "wallet.transfers", optional=True),
    reference("standing_order_id", "wallet.standing_orders", optional=True),
    reference("account_id", "wallet.accounts", optional=True),
    money("new_amount", 0, LARGEST, optional=True),
    automatic(text("code")),
    automatic(moment("expires_at")),
    flag("used"),
    row_rules=[_subject],
)
"""Codes that the owner gets on the phone, each for one thing that happens once it is given: a transfer, the start of a
standing order or a higher amount of it, or a higher limit of an account."""
