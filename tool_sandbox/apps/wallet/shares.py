"""Tools for splitting what was paid: between categories, and between people who owe their part."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    add_all,
    change,
    checked_text,
    checked_texts,
    contains,
    equals,
    get,
    remove,
    search,
    tool,
)
from tool_sandbox.apps.wallet.payments import check_amount
from tool_sandbox.apps.wallet.tables import SHARES, TRANSACTIONS, Category
from tool_sandbox.apps.wallet.transactions import shares_of

LONGEST_PERSON = 60
MOST_SHARES = 20


def _own_part(transaction: dict[str, Any]) -> int:
    shared = sum(share["amount"] for share in shares_of(transaction["transaction_id"]))
    return int(abs(transaction["amount"]) - shared)


def _check_room(transaction: dict[str, Any], more: int) -> None:
    if transaction["cancelled"]:
        raise ValueError("the transaction was cancelled, there is nothing to split")
    if len(shares_of(transaction["transaction_id"])) + more > MOST_SHARES:
        raise ValueError(f"a transaction has at most {MOST_SHARES} shares")


@tool
def add_transaction_share(
    transaction_id: str, amount: int, category: Category | None = None, person: str | None = None
) -> str:
    """Split a part off a transaction: one that counts as something else, or that somebody else owes.

    Args:
        transaction_id: Identifier of the transaction.
        amount: Size of the part in minor units (cents), at most what is not split off yet.
        category: What the part counts as; the same as the transaction if left out.
        person: Who owes it; left out for a part of one's own.

    Returns:
        Identifier of the share.

    Raises:
        ValueError: The part is larger than what is left, the transaction was cancelled, or the text is blank or too
            long.
        NoDataError: No transaction has this identifier.
    """
    transaction = get(TRANSACTIONS, transaction_id)
    check_amount(amount)
    checked_text(person, "person", LONGEST_PERSON)
    _check_room(transaction, 1)
    if amount > (left := _own_part(transaction)):
        raise ValueError(f"amount must be at most {left}, which is not split off yet")
    cells = {"category": category or transaction["category"], "person": person, "paid_back": False}
    return add(SHARES, transaction_id=transaction_id, amount=int(amount), **cells)


@tool
def split_transaction_evenly(transaction_id: str, people: list[str]) -> list[str]:
    """Split what is left of a payment evenly between oneself and others, who owe their parts. Odd cents stay with one.

    Args:
        transaction_id: Identifier of the transaction.
        people: Names of the others, at most 19.

    Returns:
        Identifiers of their shares, in order.

    Raises:
        ValueError: There are no people or too many, too little is left to split, the transaction was cancelled or
            brought money, or a name is blank or too long.
        NoDataError: No transaction has this identifier.
    """
    transaction = get(TRANSACTIONS, transaction_id)
    names = checked_texts(people, "people", longest=LONGEST_PERSON, most=MOST_SHARES - 1)
    _check_room(transaction, len(names))
    part = _own_part(transaction) // (len(names) + 1)
    if not names or transaction["amount"] > 0 or part < 1:
        raise ValueError("people must not be empty, and the transaction must be a payment of which enough is left")
    same = {"transaction_id": transaction_id, "amount": part, "category": transaction["category"], "paid_back": False}
    return add_all(SHARES, [{**same, "person": name} for name in names])


def _listed(share: dict[str, Any], read: Read) -> dict[str, Any]:
    of = read(TRANSACTIONS).get(share["transaction_id"]) or {}
    return share | {name: of.get(name) for name in ("counterparty", "description", "booked_at")}


@tool
def search_transaction_shares(
    person: str | NotGiven | None = NOT_GIVEN,
    category: Category | NotGiven = NOT_GIVEN,
    paid_back: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find parts of transactions, for example what somebody still owes. Without conditions it lists all.

    Args:
        person: Name, or a part of it, of who owes them; None for own parts.
        category: What they count as.
        paid_back: Whether they were paid back.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with counterparty, description and time of the transaction), total, and next_cursor, which is None on
        the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    by_person = equals("person", None) if person is None else contains("person", person)
    conditions = by_person, equals("category", category), equals("paid_back", paid_back)
    return search(SHARES, *conditions, show=_listed, limit=limit, cursor=cursor)


@tool
def mark_share_paid_back(share_id: str, paid_back: bool = True) -> None:
    """Note that somebody has paid back a share of a transaction, or that it is still owed after all.

    Args:
        share_id: Identifier of the share.
        paid_back: Whether it was paid back.

    Returns:
        Nothing.

    Raises:
        ValueError: Nobody owes the share.
        NoDataError: No share has this identifier.
    """
    if get(SHARES, share_id)["person"] is None:
        raise ValueError("nobody owes this share, it has no person")
    change(SHARES, share_id, paid_back=paid_back)


@tool
def remove_transaction_share(share_id: str) -> None:
    """Remove a share of a transaction; the part belongs to the rest of the transaction again.

    Args:
        share_id: Identifier of the share.

    Returns:
        Nothing.

    Raises:
        NoDataError: No share has this identifier.
    """
    remove(SHARES, share_id)
