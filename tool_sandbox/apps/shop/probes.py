"""Calls that bring about errors which are not met by chance."""

from tool_sandbox.apps import change, rows_of
from tool_sandbox.apps.shop.checkout import check_out_shop_cart, confirm_shop_order
from tool_sandbox.apps.shop.tables import ADDRESSES
from tool_sandbox.apps.wallet.tables import ACCOUNTS


def order_from_blocked_account() -> None:
    """A blocked account pays nothing."""
    account_id = next(row["account_id"] for row in rows_of(ACCOUNTS) if row["currency"] == "USD")
    offer = check_out_shop_cart(account_id, next(iter(rows_of(ADDRESSES).keys)))
    change(ACCOUNTS, account_id, blocked=True)
    confirm_shop_order(offer["order_id"])


def order_twice() -> None:
    """An offer can be taken once."""
    account_id = next(row["account_id"] for row in rows_of(ACCOUNTS) if row["currency"] == "USD")
    offer = check_out_shop_cart(account_id, next(iter(rows_of(ADDRESSES).keys)))
    for _ in range(2):
        confirm_shop_order(offer["order_id"])


PROBES = (order_from_blocked_account, order_twice)
