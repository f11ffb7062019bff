"""Tools for what went out and came in."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    as_money,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    contains,
    current_device,
    equals,
    get,
    meets,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.wallet.ledger import state_of
from tool_sandbox.apps.wallet.payments import check_amount, give_back, refunded
from tool_sandbox.apps.wallet.tables import ACCOUNTS, SHARES, TRANSACTIONS, Category

REFUND_DAYS = 60
LONGEST_NOTE = 500
_LISTED = ("transaction_id", "account_id", "amount", "counterparty", "description", "category", "kind", "booked_at")


def _listed(transaction: dict[str, Any], read: Read) -> dict[str, Any]:
    return {name: transaction[name] for name in _LISTED} | {"state": state_of(transaction)}


@tool
def search_bank_transactions(
    words: str | NotGiven = NOT_GIVEN,
    account_id: str | NotGiven = NOT_GIVEN,
    category: Category | NotGiven = NOT_GIVEN,
    kind: Literal["card", "transfer", "standing_order", "income", "refund", "fee"] | NotGiven = NOT_GIVEN,
    state: Literal["pending", "settled", "cancelled"] | NotGiven = NOT_GIVEN,
    smallest: int | NotGiven = NOT_GIVEN,
    largest: int | NotGiven = NOT_GIVEN,
    booked_from: str | NotGiven = NOT_GIVEN,
    booked_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find transactions of own bank accounts, the newest first. Without conditions it lists all.

    Args:
        words: Words that all occur in counterparty, description or note.
        account_id: Account that they belong to.
        category: What they count as.
        kind: How the money moved.
        state: Whether they are pending or settled now, or were cancelled.
        smallest: Smallest amount in minor units (cents), whether it went out or came in.
        largest: Largest amount in minor units (cents), whether it went out or came in.
        booked_from: Earliest time, for example 2025-05-14T10:24, in the zone of the device.
        booked_until: Latest time.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (amounts in minor units, negative for what went out), total, and next_cursor, which is None on the last
        page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        TRANSACTIONS,
        contains(("counterparty", "description", "note"), words),
        equals("account_id", account_id),
        equals("category", category),
        equals("kind", kind),
        at_least("booked_at", checked_moment(booked_from, "booked_from")),
        at_most("booked_at", checked_moment(booked_until, "booked_until")),
        meets("smallest", smallest, lambda amount: abs(amount) >= smallest, "amount"),
        meets("largest", largest, lambda amount: abs(amount) <= largest, "amount"),
        meets("state", state, lambda row: state_of(row) == state),
        order_by="booked_at",
        descending=True,
        show=_listed,
        limit=limit,
        cursor=cursor,
    )


@tool
def get_bank_transaction(transaction_id: str) -> dict[str, Any]:
    """Read all about one transaction of an own bank account.

    Args:
        transaction_id: Identifier of the transaction.

    Returns:
        The transaction with its currency and state, what was refunded of it, and the shares into which it is split.

    Raises:
        NoDataError: No transaction has this identifier.
    """
    found = get(TRANSACTIONS, transaction_id)
    del found["cancelled"]
    return found | {
        "currency": get(ACCOUNTS, found["account_id"])["currency"],
        "state": state_of(get(TRANSACTIONS, transaction_id)),
        "refunded": refunded(transaction_id),
        "shares": [{**share, "transaction_id": transaction_id} for share in shares_of(transaction_id)],
    }


def shares_of(transaction_id: str) -> list[dict[str, Any]]:
    """Shares into which a transaction is split."""
    return rows_with(SHARES, "transaction_id", transaction_id)


@tool
def modify_bank_transaction(
    transaction_id: str, category: Category | NotGiven = NOT_GIVEN, note: str | NotGiven | None = NOT_GIVEN
) -> None:
    """Set what a transaction counts as, or the note about it.

    Args:
        transaction_id: Identifier of the transaction.
        category: What it counts as from now on.
        note: New note, at most 500 characters; None removes it.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, or the note is blank or too long.
        NoDataError: No transaction has this identifier.
    """
    checked_text(note, "note", LONGEST_NOTE)
    change(TRANSACTIONS, transaction_id, category=category, note=note)


@tool
def request_transaction_refund(transaction_id: str, amount: int | None = None) -> dict[str, Any]:
    """Have a card payment paid back, for example one that was charged twice. The money comes five business days later.

    Args:
        transaction_id: Identifier of the payment, which has settled and is at most 60 days old.
        amount: How much is asked back in minor units (cents); all that was not refunded yet if left out.

    Returns:
        transaction_id of the refund, its amount, and settles_at.

    Raises:
        ValueError: It is no card payment, has not settled, is too old, or less than the amount is left of it.
        NoDataError: No transaction has this identifier.
    """
    paid = get(TRANSACTIONS, transaction_id)
    if paid["kind"] != "card" or paid["amount"] > 0:
        raise ValueError("only card payments can be paid back by the bank")
    if (state := state_of(paid)) != "settled":
        raise ValueError(f"the payment is {state}, only one that has settled can be paid back")
    if current_device().now() - seconds_of(paid["booked_at"]) > 86_400 * REFUND_DAYS:
        raise ValueError(f"the payment is more than {REFUND_DAYS} days old, ask {paid['counterparty']!r} instead")
    left = -paid["amount"] - refunded(transaction_id)
    asked = left if amount is None else check_amount(amount)
    if not 0 < asked <= left:
        currency = get(ACCOUNTS, paid["account_id"])["currency"]
        raise ValueError(f"only {as_money(left, currency)} of the payment can still be paid back")
    refund_id = give_back(paid, asked, f"Refund: {paid['description']}"[:60])
    return {"transaction_id": refund_id, "amount": asked, "settles_at": get(TRANSACTIONS, refund_id)["settles_at"]}
