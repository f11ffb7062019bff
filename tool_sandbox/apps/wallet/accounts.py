"""Tools for own accounts and for payees."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_money,
    change,
    checked_text,
    contains,
    equals,
    get,
    rows_of,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.wallet.codes import ask_code
from tool_sandbox.apps.wallet.ledger import balances, limit_left, transfer_state
from tool_sandbox.apps.wallet.tables import (
    ACCOUNTS,
    LARGEST,
    PAYEES,
    RUNS,
    STANDING_ORDERS,
    TRANSACTIONS,
    TRANSFERS,
    is_account_number,
)

LONGEST_NAME = 40


def _shown(account: dict[str, Any], read: Read) -> dict[str, Any]:
    sums = balances(account, read(TRANSACTIONS), read(STANDING_ORDERS), read(RUNS))
    left = limit_left(account, read(TRANSFERS))
    return (
        {name: value for name, value in account.items() if name != "opening_balance"}
        | sums
        | {"limit_left_today": left}
    )


@tool
def search_bank_accounts(
    words: str | NotGiven = NOT_GIVEN,
    kind: Literal["current", "savings", "card"] | NotGiven = NOT_GIVEN,
    currency: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find own bank accounts with their balances. Without conditions it lists all.

    Args:
        words: Words that all occur in name or account number.
        kind: Kind of account.
        currency: Code of the currency, for example USD.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page. Amounts are in minor units (cents): balance
        is what has settled; available is what can be spent, less what is pending, more by the overdraft;
        limit_left_today is what can still be transferred to payees today.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains(("name", "account_number"), words), equals("kind", kind), equals("currency", currency)
    return search(ACCOUNTS, *conditions, order_by="name", show=_shown, limit=limit, cursor=cursor)


@tool
def modify_bank_account(
    account_id: str,
    name: str | NotGiven = NOT_GIVEN,
    blocked: bool | NotGiven = NOT_GIVEN,
    daily_limit: int | NotGiven = NOT_GIVEN,
) -> dict[str, Any]:
    """Rename, block or unblock an own bank account, or set how much can be transferred to payees in a day.

    A lower limit holds at once. A higher one holds when confirm_payment_with_code was called with the code that its
    owner gets on the phone.

    Args:
        account_id: Identifier of the account.
        name: New name, which no other account has.
        blocked: Whether nothing can be paid from it; standing orders wait until it is not.
        daily_limit: New limit in minor units (cents).

    Returns:
        confirmation_id, which is None when no code is needed, and daily_limit as it is now.

    Raises:
        ValueError: Nothing to change was given, another account has the name, or a value is blank or out of range.
        NoDataError: No account has this identifier.
    """
    account = get(ACCOUNTS, account_id)
    checked_text(name, "name", LONGEST_NAME)
    if any(each["account_id"] != account_id for each in rows_with(ACCOUNTS, "name", name)):
        raise ValueError(f"there is an account with the name {name!r} already")
    confirmation_id = None
    if not isinstance(daily_limit, NotGiven):
        if not 0 <= daily_limit <= LARGEST:
            raise ValueError(f"daily_limit must be from 0 to {LARGEST} in minor units (cents)")
        if daily_limit > account["daily_limit"]:
            confirmation_id = ask_code(account_id=account_id, new_amount=int(daily_limit))
        daily_limit = min(int(daily_limit), account["daily_limit"])
    changed = change(ACCOUNTS, account_id, name=name, blocked=blocked, daily_limit=daily_limit)
    return {"confirmation_id": confirmation_id, "daily_limit": changed["daily_limit"]}


@tool
def add_payee(name: str, account_number: str, currency: str = "USD", note: str | None = None) -> str:
    """Add somebody to whom money can be transferred. The first transfer to a new payee needs a code.

    Args:
        name: Name of the person or company.
        account_number: International number of the account (IBAN form), with or without spaces.
        currency: Currency of that account: USD, EUR or GBP.
        note: What tells this payee from others, at most 80 characters.

    Returns:
        Identifier of the new payee.

    Raises:
        ValueError: There is a payee with this account number, its check digits are wrong, the currency is another one,
            or a text is blank or too long.
    """
    checked_text(name, "name", LONGEST_NAME)
    checked_text(note, "note", 80)
    number = "".join(account_number.split()).upper()
    if not is_account_number(number):
        raise ValueError("account_number is wrong, its check digits do not fit; look for a typing error")
    if currency not in ("USD", "EUR", "GBP"):
        raise ValueError(f"currency must be USD, EUR or GBP, got {currency[:20]!r}")
    for known in rows_with(PAYEES, "account_number", number):
        if not known["removed"]:
            raise ValueError(f"there is a payee with this account number already: {known['payee_id']}")
    cells = {"name": name, "account_number": number, "currency": currency, "note": note}
    return add(PAYEES, **cells, trusted=False, removed=False)


@tool
def search_payees(
    words: str | NotGiven = NOT_GIVEN,
    currency: str | NotGiven = NOT_GIVEN,
    removed: bool | NotGiven = False,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find those to whom money can be transferred. Without conditions it lists all that are not removed.

    Args:
        words: Words that all occur in name, account number or note.
        currency: Code of the currency of their account.
        removed: Whether they were removed.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (trusted: an earlier transfer was confirmed by a code), total, and next_cursor, which is None on the
        last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains(("name", "account_number", "note"), words), equals("currency", currency)
    return search(PAYEES, *conditions, equals("removed", removed), order_by="name", limit=limit, cursor=cursor)


@tool
def remove_payee(payee_id: str) -> None:
    """Remove a payee. What was paid stays in the history.

    Args:
        payee_id: Identifier of the payee.

    Returns:
        Nothing.

    Raises:
        ValueError: The payee is removed already, has a standing order, or a transfer is awaiting its code or pending.
        NoDataError: No payee has this identifier.
    """
    payee = get(PAYEES, payee_id)
    if payee["removed"]:
        raise ValueError(f"the payee {payee['name']!r} is removed already")
    for order in rows_with(STANDING_ORDERS, "payee_id", payee_id):
        if order["state"] != "cancelled":
            raise ValueError(f"cancel the standing order {order['standing_order_id']} to this payee first")
    for transfer in rows_of(TRANSFERS).with_cell("payee_id", payee_id):
        if (state := transfer_state(transfer)) in ("awaiting_code", "pending"):
            amount = as_money(transfer["amount"], payee["currency"])
            raise ValueError(f"the transfer {transfer['transfer_id']} of {amount} to this payee is {state}")
    change(PAYEES, payee_id, removed=True)
