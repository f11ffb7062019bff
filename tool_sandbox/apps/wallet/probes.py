"""Calls that bring about errors which are not met by chance."""

from tool_sandbox.apps import change, rows_of
from tool_sandbox.apps.wallet.codes import confirm_payment_with_code
from tool_sandbox.apps.wallet.shares import add_transaction_share, mark_share_paid_back
from tool_sandbox.apps.wallet.tables import ACCOUNTS, CODES, TRANSACTIONS
from tool_sandbox.apps.wallet.transfers import create_money_transfer


def _accounts_blocked() -> list[str]:
    keys = list(rows_of(ACCOUNTS).keys)
    for account_id in keys:
        change(ACCOUNTS, account_id, blocked=True)
    return keys


def transfer_from_blocked_account() -> None:
    """A blocked account pays nothing."""
    first, second = _accounts_blocked()[:2]
    create_money_transfer(first, 100, "savings", to_account_id=second)


def wrong_code() -> None:
    """A code must be the one that was sent."""
    first = rows_of(CODES).dicts()[0]
    confirm_payment_with_code(first["confirmation_id"], f"{(int(first['code']) + 1) % 1_000_000:06d}")


def code_is_used_twice() -> None:
    """A code counts once."""
    first = next(row for row in rows_of(CODES) if row["account_id"] is not None)
    for _ in range(2):
        confirm_payment_with_code(first["confirmation_id"], first["code"])


def own_share_is_paid_back() -> None:
    """Nobody owes a share of one's own."""
    transaction = next(row for row in rows_of(TRANSACTIONS) if not row["cancelled"] and row["amount"] < -100)
    mark_share_paid_back(add_transaction_share(transaction["transaction_id"], 1))


PROBES = (transfer_from_blocked_account, wrong_code, code_is_used_twice, own_share_is_paid_back)
