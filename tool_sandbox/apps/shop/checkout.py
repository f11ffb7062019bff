"""Tools for turning the cart into an order: first the terms, then the purchase on exactly these."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    add,
    add_all,
    as_moment,
    change,
    current_device,
    get,
    now,
    remove_with,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.shop.addresses import written
from tool_sandbox.apps.shop.cart import check_stock, priced_items
from tool_sandbox.apps.shop.catalogue import coupon_of, discounts
from tool_sandbox.apps.shop.tables import ADDRESSES, CART, COUPONS, LINES, ORDERS, VARIANTS
from tool_sandbox.apps.wallet.ledger import settlement
from tool_sandbox.apps.wallet.payments import pay
from tool_sandbox.apps.wallet.phrases import ONLINE_SHOP
from tool_sandbox.apps.wallet.tables import ACCOUNTS

FREE_FROM = 5_000
FEES = {"standard": 490, "express": 1_290}
DAYS = {"standard": 4, "express": 2}
"""Business days from the order to its delivery."""
OFFER_MINUTES = 15


@tool
def check_out_shop_cart(
    account_id: str,
    address_id: str,
    shipping: Literal["standard", "express"] = "standard",
    coupon_code: str | None = None,
) -> dict[str, Any]:
    """Ask the online shop on which terms it sells what is in the cart. Nothing is bought before confirm_shop_order.

    Standard shipping costs 4.90 USD and is free from 50.00 USD after discount, and takes four business days; express
    shipping costs 12.90 USD and takes two. The terms hold for 15 minutes, but nothing is put aside.

    Args:
        account_id: Bank account of the wallet that will pay, in US dollars.
        address_id: Where the order will go.
        shipping: How it is sent.
        coupon_code: Code of one coupon.

    Returns:
        order_id of the offer, subtotal, discount, shipping_fee and total in cents, delivers_at, and valid_until.

    Raises:
        ValueError: The cart is empty, something is not there in this quantity, the coupon does not apply, or the
            account has another currency.
        NoDataError: No account or address has this identifier.
    """
    items, address = priced_items(), get(ADDRESSES, address_id)
    if get(ACCOUNTS, account_id)["currency"] != "USD":
        raise ValueError("the shop takes US dollars only, choose an account in USD")
    if not items:
        raise ValueError("the cart is empty, fill it with add_to_shop_cart")
    for item in items:
        check_stock(item["variant_id"], item["quantity"])
    coupon = None if coupon_code is None else coupon_of(coupon_code)
    off = [0] * len(items) if coupon is None else discounts(coupon, items)
    subtotal, discount = sum(item["amount"] for item in items), sum(off)
    is_free = coupon is not None and coupon["kind"] == "free shipping"
    is_free = shipping == "standard" and (is_free or subtotal - discount >= FREE_FROM)
    fee = 0 if is_free else FEES[shipping]
    sums = {"subtotal": subtotal, "discount": discount, "shipping_fee": fee, "total": subtotal - discount + fee}
    cells: dict[str, Any] = {
        "state": "offered",
        "cancelled_at": None,
        "ship_to": written(address),
        "shipping": shipping,
    }
    cells |= {"account_id": account_id, "transaction_id": None, "coupon_id": coupon and coupon["coupon_id"]}
    times = times_of(now(), shipping)
    order_id = add(ORDERS, **cells, **sums, **times)
    same = [{name: item[name] for name in ("variant_id", "quantity", "unit_price")} for item in items]
    add_all(LINES, [{"order_id": order_id, "discount": less} | line for less, line in zip(off, same, strict=True)])
    until = as_moment(current_device().now() + 60 * OFFER_MINUTES)
    return {"order_id": order_id, **sums, "delivers_at": times["delivers_at"], "valid_until": until}


def times_of(placed: str, shipping: str, zone: datetime.tzinfo | None = None) -> dict[str, str]:
    """When an order that is placed at a moment is sent and arrives."""
    zone = zone or current_device().timezone
    arrives = settlement(placed, zone, DAYS[shipping], hour=14)
    return {"placed_at": placed, "ships_at": settlement(placed, zone, 1, hour=9), "delivers_at": arrives}


@tool
def confirm_shop_order(order_id: str) -> dict[str, Any]:
    """Buy what the online shop has offered by check_out_shop_cart, on exactly these terms, and pay by the wallet.

    Args:
        order_id: Identifier of the offer.

    Returns:
        total in cents, ships_at (until then it can be cancelled), delivers_at, and the transaction_id of the payment.

    Raises:
        ValueError: The offer has expired or was taken already, something is sold out, the coupon is used up, or the
            account has too little money.
        PermissionError: The account is blocked.
        NoDataError: No order has this identifier.
    """
    order = get(ORDERS, order_id)
    if order["state"] != "offered":
        raise ValueError(f"the order is {order['state']} already")
    if current_device().now() - seconds_of(order["placed_at"]) > 60 * OFFER_MINUTES:
        raise ValueError("the offer has expired, check_out_shop_cart makes a new one")
    if order["coupon_id"] is not None:
        coupon_of(get(COUPONS, order["coupon_id"])["code"])
    for line in rows_with(LINES, "order_id", order_id):
        check_stock(line["variant_id"], line["quantity"])
        change(VARIANTS, line["variant_id"], stock=get(VARIANTS, line["variant_id"])["stock"] - line["quantity"])
        remove_with(CART, "variant_id", line["variant_id"])
    paid = pay(order["account_id"], order["total"], ONLINE_SHOP, f"online order, {order_id}", "shopping")
    times = times_of(now(), order["shipping"])
    change(ORDERS, order_id, state="ordered", transaction_id=paid, **times)
    return {"total": order["total"], "transaction_id": paid} | times
