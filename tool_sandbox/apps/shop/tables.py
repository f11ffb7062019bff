"""What the shop keeps: products with variants and prices, the cart, coupons, addresses, orders and returns."""

from typing import Any, Literal, get_args

from tool_sandbox.apps import (
    TableRule,
    automatic,
    choice,
    date,
    flag,
    key,
    moment,
    only_one,
    reference,
    seconds_of,
    table,
    text,
    whole,
)
from tool_sandbox.apps.columns import money
from tool_sandbox.world.table import Table

Department = Literal["clothing", "kitchen", "electronics", "garden", "toys", "pantry"]
DEPARTMENTS: tuple[Department, ...] = get_args(Department)
LARGEST = 1_000_000
"""Largest price in minor units; the shop has prices in US dollars."""
MOST = 20
"""Largest quantity of one variant in an order."""


def _window(row: dict[str, Any]) -> str | None:
    if seconds_of(row["valid_from"]) >= seconds_of(row["valid_until"]):
        return "what is valid for a time must end after it begins"
    return None


def _restock(row: dict[str, Any]) -> str | None:
    wrong = (row["restocks_at"] is None) != (row["restock_quantity"] == 0)
    return "a restock has both a time and a quantity" if wrong else None


def _order(row: dict[str, Any]) -> str | None:
    if row["total"] != row["subtotal"] - row["discount"] + row["shipping_fee"]:
        return f"the total of {row['order_id']} must be what its parts add up to"
    if (row["state"] == "offered") != (row["transaction_id"] is None):
        return f"{row['order_id']} is paid if and only if it is more than an offer"
    wrong = (row["state"] == "cancelled") != (row["cancelled_at"] is not None)
    return f"{row['order_id']} is cancelled if and only if there is a time of it" if wrong else None


def _line(row: dict[str, Any]) -> str | None:
    return "a discount is more than the price" if row["discount"] > row["quantity"] * row["unit_price"] else None


def _lines_add_up(order_id: str, orders: Table, lines: Table) -> str | None:
    order, own = orders.get(order_id), lines.with_cell("order_id", order_id)
    sums = sum(line["quantity"] * line["unit_price"] for line in own), sum(line["discount"] for line in own)
    wrong = order is not None and sums != (order["subtotal"], order["discount"])
    return f"the lines of {order_id} must add up to its subtotal and discount" if wrong else None


def _returned_at_most(line_id: str, returns: Table, lines: Table) -> str | None:
    open_ones = [row["quantity"] for row in returns.with_cell("line_id", line_id) if not row["cancelled"]]
    wrong = sum(open_ones) > (lines.get(line_id) or {"quantity": 0})["quantity"]
    return f"more is returned of {line_id} than was ordered" if wrong else None


PRODUCTS = table(
    "shop.products",
    key("product_id"),
    text("name"),
    choice("department", *DEPARTMENTS),
    text("description"),
    whole("return_days", 0, 60),
    unique=[only_one("name")],
)
"""What is sold. ``return_days`` after delivery it can be returned, 0 for final sale."""

VARIANTS = table(
    "shop.variants",
    key("variant_id"),
    reference("product_id", "shop.products"),
    text("option"),
    money("list_price", 1, LARGEST),
    whole("stock"),
    moment("restocks_at", optional=True),
    whole("restock_quantity", 0, 10_000),
    unique=[only_one("product_id", "option")],
    row_rules=[_restock],
)
"""Sizes, colours and packs. From the time of the restock on its quantity is there, too."""

PRICES = table(
    "shop.prices",
    key("price_id"),
    reference("variant_id", "shop.variants"),
    money("price", 1, LARGEST),
    moment("valid_from"),
    moment("valid_until"),
    row_rules=[_window],
)
"""Prices for a time, above or below the list price; of those that are valid the one that began last counts."""

CART = table(
    "shop.cart_items",
    key("cart_item_id"),
    reference("variant_id", "shop.variants"),
    whole("quantity", 1, MOST),
    unique=[only_one("variant_id")],
)
"""What is in the cart. It costs what it costs when it is checked out."""

COUPONS = table(
    "shop.coupons",
    key("coupon_id"),
    text("code"),
    choice("kind", "percent", "amount", "free shipping"),
    whole("value", 0, LARGEST),
    money("minimum", 0, LARGEST),
    choice("department", *DEPARTMENTS, optional=True),
    flag("full_price_only"),
    whole("most_uses", 1, 100),
    moment("valid_from"),
    moment("valid_until"),
    unique=[only_one("code")],
    row_rules=[_window],
)
"""Coupons with their conditions; orders tell how often one was used."""

ADDRESSES = table(
    "shop.addresses",
    key("address_id"),
    text("label"),
    text("recipient"),
    text("street"),
    text("postcode"),
    text("city"),
    flag("is_default"),
    unique=[only_one("label", words="there is an address with the label {label!r} already"), only_one(is_default=True)],
)
"""Where orders go."""

ORDERS = table(
    "shop.orders",
    key("order_id"),
    choice("state", "offered", "ordered", "cancelled"),
    automatic(moment("placed_at")),
    automatic(moment("ships_at")),
    automatic(moment("delivers_at")),
    automatic(moment("cancelled_at", optional=True)),
    text("ship_to"),
    choice("shipping", "standard", "express"),
    reference("account_id", "wallet.accounts"),
    reference("transaction_id", "wallet.transactions", optional=True),
    reference("coupon_id", "shop.coupons", optional=True),
    money("subtotal", 0, 100 * LARGEST),
    money("discount", 0, 100 * LARGEST),
    money("shipping_fee", 0, LARGEST),
    money("total", 0, 100 * LARGEST),
    row_rules=[_order],
    rules=[TableRule(_lines_add_up, others=("shop.order_lines",), per=("order_id",))],
)
"""Orders, and offers that can still become orders. Whether one has shipped follows from the time."""

LINES = table(
    "shop.order_lines",
    key("line_id"),
    reference("order_id", "shop.orders"),
    reference("variant_id", "shop.variants"),
    whole("quantity", 1, MOST),
    money("unit_price", 1, LARGEST),
    money("discount", 0, 100 * LARGEST),
    row_rules=[_line],
)
"""What was ordered, at the price of then."""

RETURNS = table(
    "shop.returns",
    key("return_id"),
    reference("line_id", "shop.order_lines"),
    whole("quantity", 1, MOST),
    choice("reason", "too small", "too large", "damaged", "wrong item", "do not like it"),
    automatic(moment("requested_at")),
    automatic(date("hand_in_by")),
    automatic(moment("handed_in_at", optional=True)),
    reference("refund_id", "wallet.transactions", optional=True),
    flag("cancelled"),
    rules=[TableRule(_returned_at_most, others=("shop.order_lines",), per=("line_id",))],
)
"""What is sent back. The money is on its way once the parcel was handed in."""
