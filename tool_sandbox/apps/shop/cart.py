"""Tools for the cart."""

from typing import Any

from tool_sandbox.apps import add, change, get, remove, rows_of, rows_with, tool
from tool_sandbox.apps.shop.catalogue import name_of, price_of, stock_of
from tool_sandbox.apps.shop.tables import CART, MOST, PRICES, PRODUCTS, VARIANTS

MOST_ITEMS = 40


def put_in_cart(variant_id: str, quantity: int) -> str:
    """Adds to what is in the cart of a variant."""
    known = next(iter(rows_with(CART, "variant_id", variant_id)), None)
    whole = _checked_quantity(variant_id, quantity + (known["quantity"] if known else 0))
    if known is None:
        if len(rows_of(CART)) >= MOST_ITEMS:
            raise ValueError(f"the cart is full, it holds at most {MOST_ITEMS} different things")
        return add(CART, variant_id=variant_id, quantity=whole)
    change(CART, known["cart_item_id"], quantity=whole)
    return str(known["cart_item_id"])


def _checked_quantity(variant_id: str, quantity: int) -> int:
    if not 1 <= quantity <= MOST:
        raise ValueError(f"quantity must be from 1 to {MOST} in all, got {str(quantity)[:20]}")
    check_stock(variant_id, quantity)
    return int(quantity)


def check_stock(variant_id: str, quantity: int) -> None:
    """Refuses a quantity that is not there."""
    if (there := stock_of(get(VARIANTS, variant_id))) < quantity:
        raise ValueError(f"of {name_of(variant_id, rows_of)[:100]!r} there are {there}, {quantity} are wanted")


@tool
def add_to_shop_cart(variant_id: str, quantity: int = 1) -> str:
    """Put a variant of a product into the cart of the online shop, beside what is there of it.

    Args:
        variant_id: Identifier of the variant, from get_shop_product.
        quantity: How many.

    Returns:
        cart_item_id of the item.

    Raises:
        ValueError: There are not so many, it would be more than 20, or the cart holds 40 different things.
        NoDataError: No variant has this identifier.
    """
    get(VARIANTS, variant_id)
    return put_in_cart(variant_id, quantity)


@tool
def modify_shop_cart_item(cart_item_id: str, quantity: int) -> None:
    """Set how many of an item are in the cart of the online shop.

    Args:
        cart_item_id: Identifier of the item.
        quantity: How many from now on, from 1 to 20.

    Returns:
        Nothing.

    Raises:
        ValueError: There are not so many, or the number is out of range.
        NoDataError: No cart item has this identifier.
    """
    item = get(CART, cart_item_id)
    change(CART, cart_item_id, quantity=_checked_quantity(item["variant_id"], quantity))


@tool
def remove_from_shop_cart(cart_item_id: str) -> None:
    """Take an item out of the cart of the online shop.

    Args:
        cart_item_id: Identifier of the item.

    Returns:
        Nothing.

    Raises:
        NoDataError: No cart item has this identifier.
    """
    remove(CART, cart_item_id)


def priced_items() -> list[dict[str, Any]]:
    """What is in the cart, with what it costs now."""
    made = []
    for item in rows_of(CART):
        variant = get(VARIANTS, item["variant_id"])
        price = price_of(variant, rows_of(PRICES))
        made.append(
            item
            | {"name": name_of(item["variant_id"], rows_of), "unit_price": price, "amount": price * item["quantity"]}
            | {"department": get(PRODUCTS, variant["product_id"])["department"], "stock": stock_of(variant)}
            | {"full_price": price >= variant["list_price"]}
        )
    return made


@tool
def get_shop_cart() -> dict[str, Any]:
    """Read what is in the cart of the online shop, at the prices of now.

    Returns:
        items (unit_price and amount in cents; full_price: it costs at least its list price), and the subtotal. Discount
        and shipping are added when it is checked out.
    """
    items = priced_items()
    return {"items": items, "number": len(items), "subtotal": sum(item["amount"] for item in items)}
