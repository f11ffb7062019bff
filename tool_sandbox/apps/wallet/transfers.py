"""Tools for single transfers."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    contains,
    equals,
    get,
    meets,
    now,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.wallet.codes import ask_code, send_transfer
from tool_sandbox.apps.wallet.ledger import book_due_runs, transfer_state
from tool_sandbox.apps.wallet.payments import check_amount, check_funds, check_limit
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, TRANSACTIONS, TRANSFERS, Category

LONGEST_DESCRIPTION = 60
CODE_FROM = 50_000
"""Amount in minor units from which a transfer to a trusted payee needs a code, too."""


def check_payee(payee_id: str, account: dict[str, Any]) -> dict[str, Any]:
    """The payee, who must not be removed and must have the currency of the account."""
    payee = get(PAYEES, payee_id)
    if payee["removed"]:
        raise ValueError(f"the payee {payee['name']!r} was removed, add_payee adds it again")
    if payee["currency"] != account["currency"]:
        raise ValueError(
            f"{payee['name']!r} has an account in {payee['currency']}, {account['name']!r} is one in "
            f"{account['currency']}: choose an account in {payee['currency']}"
        )
    return payee


def _check_own(to_account_id: str, account: dict[str, Any]) -> None:
    target = get(ACCOUNTS, to_account_id)
    if to_account_id == account["account_id"]:
        raise ValueError("to_account_id must be another account than account_id")
    if target["currency"] != account["currency"]:
        raise ValueError(f"the accounts have different currencies, {account['currency']} and {target['currency']}")


@tool
def create_money_transfer(
    account_id: str,
    amount: int,
    description: str,
    payee_id: str | None = None,
    to_account_id: str | None = None,
    category: Category = "other",
) -> dict[str, Any]:
    """Transfer money from an own bank account, either to a payee or to another own account.

    Between own accounts it settles at once. To a payee it settles at 6 in the morning of the next business day (Monday
    to Friday, no holiday of the United States), one business day later if sent at 3 in the afternoon or later. A
    transfer of 500.00 or more, or to a payee who is not trusted yet, waits until confirm_payment_with_code was called
    with the code that the owner gets on the phone.

    Args:
        account_id: Account that pays.
        amount: Amount in minor units of the currency of the account (cents).
        description: What the receiver reads, at most 60 characters.
        payee_id: Payee who gets it.
        to_account_id: Own account that gets it.
        category: What it counts as.

    Returns:
        transfer_id, state, settles_at, and the confirmation_id if a code is needed.

    Raises:
        ValueError: Not exactly one receiver is given, the currencies differ, there is too little money, the daily limit
            would be exceeded, the payee is removed, or an amount or text is out of range.
        PermissionError: The account is blocked.
        NoDataError: No account or payee has this identifier.
    """
    account = get(ACCOUNTS, account_id)
    check_amount(amount)
    checked_text(description, "description", LONGEST_DESCRIPTION)
    if (payee_id is None) == (to_account_id is None):
        raise ValueError("give either payee_id or to_account_id")
    trusted = True
    if to_account_id is not None:
        _check_own(to_account_id, account)
    elif payee_id is not None:
        trusted = check_payee(payee_id, account)["trusted"] and amount < CODE_FROM
        check_limit(account, amount)
    book_due_runs()
    check_funds(account, amount)
    cells = {"account_id": account_id, "payee_id": payee_id, "to_account_id": to_account_id, "amount": int(amount)}
    cells |= {"description": description, "category": category, "state": "awaiting_code", "created_at": now()}
    made: dict[str, Any] = {"transfer_id": add(TRANSFERS, **cells, settles_at=None)}
    if trusted:
        return made | send_transfer(made["transfer_id"]) | {"confirmation_id": None}
    confirmation_id = ask_code(transfer_id=made["transfer_id"])
    return made | {"state": "awaiting_code", "settles_at": None, "confirmation_id": confirmation_id}


@tool
def cancel_money_transfer(transfer_id: str) -> None:
    """Cancel a transfer that awaits its code or is still pending. What was taken from the account is there again.

    Args:
        transfer_id: Identifier of the transfer.

    Returns:
        Nothing.

    Raises:
        ValueError: The transfer has settled, or is cancelled already.
        NoDataError: No transfer has this identifier.
    """
    transfer = get(TRANSFERS, transfer_id)
    if (state := transfer_state(transfer)) in ("settled", "cancelled"):
        raise ValueError(f"the transfer is {state} already, it cannot be cancelled")
    change(TRANSFERS, transfer_id, state="cancelled", settles_at=None)
    for leg in rows_with(TRANSACTIONS, "transfer_id", transfer_id):
        change(TRANSACTIONS, leg["transaction_id"], cancelled=True)


def _listed(transfer: dict[str, Any], read: Read) -> dict[str, Any]:
    payee = read(PAYEES).get(transfer["payee_id"]) or read(ACCOUNTS).get(transfer["to_account_id"]) or {}
    del transfer["category"]
    return transfer | {"to": payee.get("name"), "state": transfer_state(transfer)}


@tool
def search_money_transfers(
    words: str | NotGiven = NOT_GIVEN,
    account_id: str | NotGiven = NOT_GIVEN,
    payee_id: str | NotGiven = NOT_GIVEN,
    state: Literal["awaiting_code", "pending", "settled", "cancelled"] | NotGiven = NOT_GIVEN,
    created_from: str | NotGiven = NOT_GIVEN,
    created_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find single transfers from own bank accounts, the newest first. Without conditions it lists all.

    Runs of standing orders are not among them, see search_bank_transactions.

    Args:
        words: Words that all occur in the description.
        account_id: Account that pays.
        payee_id: Payee who gets it.
        state: How the transfer stands now.
        created_from: Earliest time, for example 2025-05-14T10:24, in the zone of the device.
        created_until: Latest time.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with the name of the receiver and the state), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        TRANSFERS,
        contains("description", words),
        equals("account_id", account_id),
        equals("payee_id", payee_id),
        at_least("created_at", checked_moment(created_from, "created_from")),
        at_most("created_at", checked_moment(created_until, "created_until")),
        meets("state", state, lambda transfer: transfer_state(transfer) == state),
        order_by="created_at",
        descending=True,
        show=_listed,
        limit=limit,
        cursor=cursor,
    )
