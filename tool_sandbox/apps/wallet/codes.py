"""Tools for the codes that the owner gets on the phone, and what happens once one is given."""

from typing import Any

from tool_sandbox.apps import (
    add,
    as_moment,
    as_money,
    change,
    current_device,
    get,
    now,
    rows_with,
    seconds_of,
    tool,
    user_tool,
)
from tool_sandbox.apps.wallet.ledger import book_due_runs, settlement, transaction_cells
from tool_sandbox.apps.wallet.payments import check_funds, check_limit
from tool_sandbox.apps.wallet.tables import ACCOUNTS, CODES, PAYEES, STANDING_ORDERS, TRANSACTIONS, TRANSFERS

CODE_MINUTES = 10


def _fresh() -> dict[str, str]:
    digits = int(current_device().new_id()[:8], 16) % 1_000_000
    return {"code": f"{digits:06d}", "expires_at": as_moment(current_device().now() + 60 * CODE_MINUTES)}


def ask_code(**subject: Any) -> str:
    """Sends a code for something to the phone of the owner; identifier of the confirmation."""
    return add(CODES, **_fresh(), used=False, **subject)


def _waiting(confirmation_id: str) -> dict[str, Any]:
    """A confirmation that was not given yet, for something that still waits for it."""
    found = get(CODES, confirmation_id)
    waits = not found["used"]
    if found["transfer_id"] is not None:
        waits &= get(TRANSFERS, found["transfer_id"])["state"] == "awaiting_code"
    elif found["standing_order_id"] is not None:
        state = get(STANDING_ORDERS, found["standing_order_id"])["state"]
        waits &= state == "awaiting_code" if found["new_amount"] is None else state != "cancelled"
    if not waits:
        raise ValueError("nothing waits for this code any more: it was confirmed or cancelled before")
    return found


def _meaning(found: dict[str, Any]) -> str:
    if found["account_id"] is not None:
        account = get(ACCOUNTS, found["account_id"])
        return f"daily limit of {as_money(found['new_amount'], account['currency'])} for {account['name']}"
    is_transfer = found["transfer_id"] is not None
    row = get(TRANSFERS, found["transfer_id"]) if is_transfer else get(STANDING_ORDERS, found["standing_order_id"])
    payee, account = get(PAYEES, row["payee_id"]), get(ACCOUNTS, row["account_id"])
    amount = as_money(found["new_amount"] or row["amount"], account["currency"])
    often = "transfer" if is_transfer else f"standing order every {row['every']} {row['unit']}(s)"
    return f"{often} of {amount} from {account['name']} to {payee['name']}, {row['description']}"


def send_transfer(transfer_id: str) -> dict[str, Any]:
    """Books a transfer that needs no code any more, and tells how it stands.

    Raises:
        PermissionError: The account is blocked.
        ValueError: There is too little money, or it is over the daily limit.
    """
    book_due_runs()
    transfer = get(TRANSFERS, transfer_id)
    account, is_own = get(ACCOUNTS, transfer["account_id"]), transfer["payee_id"] is None
    check_funds(account, transfer["amount"])
    if not is_own:
        check_limit(account, transfer["amount"])
    target = get(ACCOUNTS, transfer["to_account_id"]) if is_own else get(PAYEES, transfer["payee_id"])
    settles = now() if is_own else settlement(now(), current_device().timezone)
    more = {"kind": "transfer", "transfer_id": transfer_id, "settles_at": settles, "category": transfer["category"]}
    legs = [(account, -transfer["amount"], target["name"])]
    legs += [(target, transfer["amount"], account["name"])] if is_own else []
    for of, amount, other in legs:
        add(TRANSACTIONS, **transaction_cells(of["account_id"], amount, other, transfer["description"], now()) | more)
    change(TRANSFERS, transfer_id, state="sent", settles_at=settles, created_at=now())
    return {"state": "settled" if is_own else "pending", "settles_at": settles}


@tool
def confirm_payment_with_code(confirmation_id: str, code: str) -> dict[str, Any]:
    """Confirm a transfer, a standing order or a higher daily limit with the code that the owner got on the phone.

    Args:
        confirmation_id: Identifier of the confirmation, from the call that needs it.
        code: The six digits. Only the owner of the phone can read them.

    Returns:
        what was confirmed, in words, and for a transfer its state and settles_at.

    Raises:
        ValueError: The code has expired, nothing waits for it any more, there is too little money, or the transfer is
            over the daily limit by now.
        PermissionError: The code is wrong, or the account is blocked.
        NoDataError: No confirmation has this identifier.
    """
    found = _waiting(confirmation_id)
    if seconds_of(found["expires_at"]) < current_device().now():
        raise ValueError("the code has expired, send_payment_code_again sends a new one to the owner's phone")
    if code.strip() != found["code"]:
        raise PermissionError("the code is wrong, ask the owner of the phone to read it again")
    meaning, result = _meaning(found), {}
    change(CODES, confirmation_id, used=True)
    if found["account_id"] is not None:
        change(ACCOUNTS, found["account_id"], daily_limit=found["new_amount"])
    elif found["transfer_id"] is not None:
        result = send_transfer(found["transfer_id"])
        change(PAYEES, get(TRANSFERS, found["transfer_id"])["payee_id"], trusted=True)
    else:
        begins = found["new_amount"] is None
        changes = {"state": "active"} if begins else {"amount": found["new_amount"]}
        change(STANDING_ORDERS, found["standing_order_id"], **changes)
    return {"confirmed": meaning, **result}


@tool
def send_payment_code_again(confirmation_id: str) -> dict[str, Any]:
    """Send a new code to the phone of the owner, for what still waits for one. The one before no longer counts.

    Args:
        confirmation_id: Identifier of the confirmation.

    Returns:
        expires_at, ten minutes from now, and what the code is for.

    Raises:
        ValueError: Nothing waits for a code any more.
        NoDataError: No confirmation has this identifier.
    """
    _waiting(confirmation_id)
    found = change(CODES, confirmation_id, **_fresh())
    return {"expires_at": found["expires_at"], "for": _meaning(found)}


@user_tool
def read_payment_codes() -> list[dict[str, Any]]:
    """Read the codes on the phone that were not used and have not expired, the newest first.

    Returns:
        At most ten codes, each with what it is for and when it expires.
    """
    instant = current_device().now()
    valid = [each for each in rows_with(CODES, "used", False) if seconds_of(each["expires_at"]) >= instant]
    newest = sorted(valid, key=lambda each: seconds_of(each["expires_at"]), reverse=True)[:10]
    return [{"code": each["code"], "for": _meaning(each), "expires_at": each["expires_at"]} for each in newest]
