"""Tools for what the shop sells, and what it costs and whether it is there now."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    as_money,
    contains,
    current_device,
    equals,
    get,
    meets,
    rows_of,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.shop.tables import COUPONS, ORDERS, PRICES, PRODUCTS, VARIANTS, Department
from tool_sandbox.world.table import Table


def is_valid(row: dict[str, Any]) -> bool:
    """Whether something that is valid for a time is so now."""
    return seconds_of(row["valid_from"]) <= current_device().now() < seconds_of(row["valid_until"])


def price_of(variant: dict[str, Any], prices: Table) -> int:
    """What a variant costs now."""
    valid = [row for row in prices.with_cell("variant_id", variant["variant_id"]) if is_valid(row)]
    newest = max(valid, key=lambda row: seconds_of(row["valid_from"]), default={"price": variant["list_price"]})
    return int(newest["price"])


def stock_of(variant: dict[str, Any]) -> int:
    """How many of a variant are there now."""
    came = seconds_of(variant["restocks_at"]) <= current_device().now()
    return max(0, int(variant["stock"] + (variant["restock_quantity"] if came else 0)))


def name_of(variant_id: str, read: Read) -> str:
    """What a variant is called: name of the product, and the option."""
    product_id, option = read(VARIANTS).cells(variant_id, "product_id", "option") or ("", "")
    (name,) = read(PRODUCTS).cells(product_id, "name") or ("something",)
    return f"{name}, {option}"


def _shown(variant: dict[str, Any], prices: Table) -> dict[str, Any]:
    now_there = stock_of(variant)
    coming = None if seconds_of(variant["restocks_at"]) <= current_device().now() else variant["restocks_at"]
    cells = {name: variant[name] for name in ("variant_id", "option", "list_price")}
    return cells | {"price": price_of(variant, prices), "stock": now_there, "restocks_at": coming}


def _variants(product: dict[str, Any], read: Read) -> list[dict[str, Any]]:
    return read(VARIANTS).with_cell("product_id", product["product_id"])


def _lowest_price(product_id: str, read: Read) -> Any:
    variants, prices = read(VARIANTS), read(PRICES)
    rows = (variants.rows[place] for place in variants.groups("product_id").get(product_id, ()))
    listed, other = VARIANTS.positions["list_price"], prices.groups("variant_id")
    costs = (price_of(VARIANTS.as_dict(row), prices) if row[0] in other else row[listed] for row in rows)
    return min(costs, default=float("inf"))


def _listed(product: dict[str, Any], read: Read) -> dict[str, Any]:
    del product["description"]
    variants = _variants(product, read)
    lowest = _lowest_price(product["product_id"], read) if variants else None
    return product | {"variants": len(variants), "lowest_price": lowest, "in_stock": any(map(stock_of, variants))}


@tool
def search_shop_products(
    words: str | NotGiven = NOT_GIVEN,
    department: Department | NotGiven = NOT_GIVEN,
    largest_price: int | NotGiven = NOT_GIVEN,
    in_stock: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find products of the online shop. Without conditions it lists all.

    Args:
        words: Words that all occur in name or description.
        department: Department of the shop.
        largest_price: At least one variant costs at most so many cents now.
        in_stock: Whether at least one variant is there now.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (prices in cents of US dollars; in_stock: at least one variant is there; return_days: for how long after
        delivery it can be returned, 0 for not at all), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        PRODUCTS,
        contains(("name", "description"), words),
        equals("department", department),
        meets("largest_price", largest_price, lambda key: _lowest_price(key, rows_of) <= largest_price, "product_id"),
        meets("in_stock", in_stock, lambda product: any(map(stock_of, _variants(product, rows_of))) == in_stock),
        order_by="name",
        show=_listed,
        limit=limit,
        cursor=cursor,
    )


@tool
def get_shop_product(product_id: str) -> dict[str, Any]:
    """Read all about a product of the online shop, with its variants.

    Args:
        product_id: Identifier of the product.

    Returns:
        The product with its variants: option (size, colour or pack), price now and list_price in cents, stock now, and
        when more are to come.

    Raises:
        NoDataError: No product has this identifier.
    """
    product, prices = get(PRODUCTS, product_id), rows_of(PRICES)
    return product | {"variants": [_shown(each, prices) for each in rows_with(VARIANTS, "product_id", product_id)]}


# Coupons -----------------------------------------------------------------------------------------------------


def uses_left(coupon: dict[str, Any], orders: Table) -> int:
    """How often a coupon can still be used."""
    used = [order for order in orders.with_cell("coupon_id", coupon["coupon_id"]) if order["state"] == "ordered"]
    return max(0, int(coupon["most_uses"]) - len(used))


def coupon_of(code: str) -> dict[str, Any]:
    """The coupon with a code, which must be usable now.

    Raises:
        ValueError: There is none, it is not valid now, or it is used up.
    """
    coupon = next(iter(rows_with(COUPONS, "code", code.strip().upper())), None)
    if coupon is None:
        raise ValueError(f"there is no coupon {code[:40]!r}, see search_shop_coupons")
    if not is_valid(coupon):
        raise ValueError(f"the coupon is valid from {coupon['valid_from']} until {coupon['valid_until']}, not now")
    if not uses_left(coupon, rows_of(ORDERS)):
        raise ValueError(f"the coupon {coupon['code']} is used up")
    return coupon


def discounts(coupon: dict[str, Any], lines: list[dict[str, Any]]) -> list[int]:
    """What a coupon takes off each line.

    Args:
        coupon: The coupon.
        lines: With department, full_price (whether nothing is taken off already) and amount.

    Raises:
        ValueError: A condition of the coupon is not met.
    """
    counts = [
        coupon["department"] in (None, line["department"]) and (line["full_price"] or not coupon["full_price_only"])
        for line in lines
    ]
    base = sum(line["amount"] for line, does in zip(lines, counts, strict=True) if does)
    if not base or base < coupon["minimum"]:
        what = f"{coupon['department'] or 'goods'}{' at full price' if coupon['full_price_only'] else ''}"
        least, given = as_money(coupon["minimum"], "USD"), as_money(base, "USD")
        raise ValueError(f"the coupon {coupon['code']} needs {least} of {what}, the cart has {given} of it")
    whole = {"percent": base * coupon["value"] // 100, "amount": min(coupon["value"], base)}.get(coupon["kind"], 0)
    return spread(whole, [line["amount"] if does else 0 for line, does in zip(lines, counts, strict=True)])


def spread(amount: int, over: list[int]) -> list[int]:
    """An amount in parts of the proportions of others, which add up to it, by largest remainders."""
    total = sum(over) or 1
    parts = [amount * each // total for each in over]
    by_remainder = sorted(range(len(over)), key=lambda place: -(amount * over[place] % total))
    for place in by_remainder[: amount - sum(parts) if any(over) else 0]:
        parts[place] += 1
    return parts


def _coupon(coupon: dict[str, Any], read: Read) -> dict[str, Any]:
    return coupon | {"uses_left": uses_left(coupon, read(ORDERS)), "is_valid_now": is_valid(coupon)}


@tool
def search_shop_coupons(
    words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """Find the coupons that one has for the online shop, with their conditions, those that end first at the top.

    Args:
        words: Words that all occur in the code.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (value: percent or cents; minimum: cents of goods that count, which are those of the department if there
        is one, and those that cost their list price if full_price_only), total, and next_cursor, which is None on the
        last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(COUPONS, contains("code", words), order_by="valid_until", show=_coupon, limit=limit, cursor=cursor)
