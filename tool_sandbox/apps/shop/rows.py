"""Rows of the shop, for its content and for scenarios that need certain ones."""

import datetime
from typing import Any

from tool_sandbox.apps import Draw
from tool_sandbox.apps.shop.catalogue import spread
from tool_sandbox.apps.shop.checkout import times_of

Row = dict[str, Any]
Rows = list[Row]


def product_row(draw: Draw, name: str, department: str, description: str, return_days: int = 30) -> Row:
    """A product, still without variants."""
    cells = {"name": name, "department": department, "description": description, "return_days": return_days}
    return {"product_id": draw.key("product"), **cells}


def variant_row(draw: Draw, product: Row, option: str, list_price: int, stock: int, restock: str | None = None) -> Row:
    """A variant, of which 20 more come at a moment if one is given."""
    cells = {"product_id": product["product_id"], "option": option, "list_price": list_price, "stock": stock}
    return {
        "variant_id": draw.key("variant"),
        **cells,
        "restocks_at": restock,
        "restock_quantity": 20 if restock else 0,
    }


def price_row(draw: Draw, variant: Row, price: int, valid_from: str, valid_until: str) -> Row:
    """A price for a time."""
    return {
        "price_id": draw.key("price"),
        "variant_id": variant["variant_id"],
        "price": price,
        "valid_from": valid_from,
        "valid_until": valid_until,
    }


def order_rows(draw: Draw, paid: Row, goods: list[tuple[Row, int, int]], ship_to: str, **more: Any) -> tuple[Row, Rows]:
    """An order that a transaction of the wallet has paid, and its lines: variant, quantity and price of each.

    What goods and payment differ by is shipping, or else the discount of the coupon in ``more``.
    """
    order_id = draw.key("order")
    subtotal = sum(quantity * price for _, quantity, price in goods)
    fee = max(0, -paid["amount"] - subtotal)
    discount = subtotal + fee + paid["amount"]
    order = {
        "order_id": order_id,
        "state": "ordered",
        **times_of(paid["booked_at"], "standard", draw.tzinfo),
        "cancelled_at": None,
        "ship_to": ship_to,
        "shipping": "standard",
        "account_id": paid["account_id"],
        "transaction_id": paid["transaction_id"],
        "coupon_id": None,
        "subtotal": subtotal,
        "discount": discount,
        "shipping_fee": fee,
        "total": -paid["amount"],
    }
    lines = []
    off = spread(discount, [quantity * price for _, quantity, price in goods])
    for less, (variant, quantity, price) in zip(off, goods, strict=True):
        line = {"line_id": draw.key("line"), "order_id": order_id, "variant_id": variant["variant_id"]}
        lines.append(line | {"quantity": quantity, "unit_price": price, "discount": less})
    return order | more, lines


def return_row(draw: Draw, line: Row, reason: str, requested: str, **more: Any) -> Row:
    """A return of all of a line, which was not handed in yet."""
    last = datetime.date.fromisoformat(requested[:10]) + datetime.timedelta(days=14)
    cells = {"line_id": line["line_id"], "quantity": line["quantity"], "reason": reason, "requested_at": requested}
    state = {"hand_in_by": last.isoformat(), "handed_in_at": None, "refund_id": None, "cancelled": False}
    return {"return_id": draw.key("return"), **cells, **state, **more}
