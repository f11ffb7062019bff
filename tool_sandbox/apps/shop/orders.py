"""Tools for orders that were placed."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    at_least,
    at_most,
    change,
    checked_moment,
    current_device,
    get,
    meets,
    now,
    rows_of,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.shop.addresses import written
from tool_sandbox.apps.shop.cart import put_in_cart
from tool_sandbox.apps.shop.catalogue import name_of
from tool_sandbox.apps.shop.checkout import OFFER_MINUTES
from tool_sandbox.apps.shop.tables import ADDRESSES, LINES, ORDERS, PRODUCTS, RETURNS, VARIANTS
from tool_sandbox.apps.wallet.payments import undo_payment

_LISTED = ("order_id", "placed_at", "delivers_at", "total", "shipping")

OrderState = Literal["offered", "expired", "placed", "shipped", "delivered", "cancelled"]


def order_state(order: dict[str, Any]) -> str:
    """How an order stands now."""
    instant = current_device().now()
    if order["state"] == "offered":
        return "expired" if instant - seconds_of(order["placed_at"]) > 60 * OFFER_MINUTES else "offered"
    if order["state"] == "cancelled":
        return "cancelled"
    if instant < seconds_of(order["ships_at"]):
        return "placed"
    return "shipped" if instant < seconds_of(order["delivers_at"]) else "delivered"


def _listed(order: dict[str, Any], read: Read) -> dict[str, Any]:
    lines = read(LINES).with_cell("order_id", order["order_id"])
    names = [f"{line['quantity']} x {name_of(line['variant_id'], read)}"[:60] for line in lines[:3]]
    more = [f"and {len(lines) - 3} more"] if len(lines) > 3 else []
    return {name: order[name] for name in _LISTED} | {"state": order_state(order), "goods": [*names, *more]}


def _holds(words: str, order: dict[str, Any]) -> bool:
    lines = rows_with(LINES, "order_id", order["order_id"])
    text = " ".join(name_of(line["variant_id"], rows_of) for line in lines).casefold()
    return all(word in text for word in words.casefold().split())


@tool
def search_shop_orders(
    words: str | NotGiven = NOT_GIVEN,
    state: OrderState | NotGiven = NOT_GIVEN,
    placed_from: str | NotGiven = NOT_GIVEN,
    placed_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find orders of the online shop and offers of it, the newest first. Without conditions it lists all.

    Args:
        words: Words that all occur in the names of what was ordered.
        state: How the order stands now: offered and expired are offers that were not taken.
        placed_from: Earliest time, for example 2025-05-14T10:24, in the zone of the device.
        placed_until: Latest time.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (total in cents, the state, and what was ordered), total, and next_cursor, which is None on the last
        page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        ORDERS,
        at_least("placed_at", checked_moment(placed_from, "placed_from")),
        at_most("placed_at", checked_moment(placed_until, "placed_until")),
        meets("state", state, lambda order: order_state(order) == state),
        meets("words", words, lambda order: _holds(str(words), order)),
        order_by="placed_at",
        descending=True,
        show=_listed,
        limit=limit,
        cursor=cursor,
    )


@tool
def get_shop_order(order_id: str) -> dict[str, Any]:
    """Read all about an order of the online shop.

    Args:
        order_id: Identifier of the order.

    Returns:
        The order with its state, and its lines: what was ordered at which unit_price and discount in cents, how many of
        it are returned, and until which date it can be returned (None: not at all).

    Raises:
        NoDataError: No order has this identifier.
    """
    order = get(ORDERS, order_id)
    return order | {"state": order_state(order), "lines": [_line(line, order) for line in _lines(order_id)]}


def _lines(order_id: str) -> list[dict[str, Any]]:
    return rows_with(LINES, "order_id", order_id)


def _line(line: dict[str, Any], order: dict[str, Any]) -> dict[str, Any]:
    del line["order_id"]
    more = {"name": name_of(line["variant_id"], rows_of), "returned": returned(line["line_id"])}
    return line | more | {"returnable_until": returnable_until(line, order)}


def returned(line_id: str) -> int:
    """How many of a line are sent back, or will be."""
    return sum(row["quantity"] for row in rows_with(RETURNS, "line_id", line_id) if not row["cancelled"])


def returnable_until(line: dict[str, Any], order: dict[str, Any]) -> str | None:
    """Last date on which a line can be returned because one does not like it, None for never."""
    days = get(PRODUCTS, get(VARIANTS, line["variant_id"])["product_id"])["return_days"]
    delivered = datetime.date.fromisoformat(order["delivers_at"][:10])
    return (delivered + datetime.timedelta(days=days)).isoformat() if days and order["state"] == "ordered" else None


def _check_not_shipped(order: dict[str, Any]) -> None:
    if (state := order_state(order)) != "placed":
        hint = ", request_shop_return sends it back" if state in ("shipped", "delivered") else ""
        raise ValueError(f"the order is {state}, only one that was placed and has not shipped can be changed{hint}")


@tool
def cancel_shop_order(order_id: str) -> None:
    """Cancel an order of the online shop that has not shipped. The payment is taken back or refunded.

    Args:
        order_id: Identifier of the order.

    Returns:
        Nothing.

    Raises:
        ValueError: The order has shipped, is cancelled already, or is only an offer.
        NoDataError: No order has this identifier.
    """
    order = get(ORDERS, order_id)
    _check_not_shipped(order)
    change(ORDERS, order_id, state="cancelled", cancelled_at=now())
    for line in _lines(order_id):
        change(VARIANTS, line["variant_id"], stock=get(VARIANTS, line["variant_id"])["stock"] + line["quantity"])
    undo_payment(order["transaction_id"], f"cancelled {order_id}")


@tool
def change_shop_order_address(order_id: str, address_id: str) -> None:
    """Have an order of the online shop that has not shipped go to another address.

    Args:
        order_id: Identifier of the order.
        address_id: Where it goes instead.

    Returns:
        Nothing.

    Raises:
        ValueError: The order has shipped, is cancelled, or is only an offer.
        NoDataError: No order or address has this identifier.
    """
    order, address = get(ORDERS, order_id), get(ADDRESSES, address_id)
    _check_not_shipped(order)
    change(ORDERS, order_id, ship_to=written(address))


@tool
def reorder_shop_order(order_id: str) -> list[str]:
    """Put all that was in an order of the online shop into the cart again, as many as then.

    Args:
        order_id: Identifier of the order.

    Returns:
        cart_item_ids of the items.

    Raises:
        ValueError: Of one thing there are not so many, or it would be more than the cart holds; nothing is put into the
            cart then.
        NoDataError: No order has this identifier.
    """
    get(ORDERS, order_id)
    return [put_in_cart(line["variant_id"], line["quantity"]) for line in _lines(order_id)]
