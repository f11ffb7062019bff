"""Money that moves: what refuses it, and payments and refunds for tools of other apps."""

from typing import Any

from tool_sandbox.apps import add, as_money, change, current_device, get, now, rows_of, rows_with
from tool_sandbox.apps.wallet.ledger import (
    available,
    book_due_runs,
    limit_left,
    settlement,
    state_of,
    transaction_cells,
)
from tool_sandbox.apps.wallet.tables import ACCOUNTS, LARGEST, TRANSACTIONS, TRANSFERS

Row = dict[str, Any]


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
