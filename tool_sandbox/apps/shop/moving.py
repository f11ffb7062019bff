"""What happens in the shop by itself, for scenarios in a world that moves."""

from tool_sandbox.apps import add, as_moment, as_money, change, current_device, effect, get, now, rows_of
from tool_sandbox.apps.shop.catalogue import name_of, stock_of
from tool_sandbox.apps.shop.tables import PRICES, VARIANTS


@effect
def price_moves(variant_id: str, price: int, days: int = 14) -> str:
    """A variant costs something else for some days, in cents; what was ordered keeps its price."""
    until = as_moment(current_device().now() + 86_400 * days)
    add(PRICES, variant_id=variant_id, price=price, valid_from=now(), valid_until=until)
    return f"{name_of(variant_id, rows_of)} costs {as_money(price, 'USD')} now"


@effect
def stock_runs_out(variant_id: str, left: int = 0) -> str:
    """Others buy a variant, until so many are left; what comes in later comes all the same."""
    variant = get(VARIANTS, variant_id)
    there = stock_of(variant)
    if there > left:
        change(VARIANTS, variant_id, stock=variant["stock"] - (there - left))
    return f"of {name_of(variant_id, rows_of)} there are {min(there, left)} now"


@effect
def stock_comes_in(variant_id: str, quantity: int) -> str:
    """So many more of a variant are there."""
    change(VARIANTS, variant_id, stock=get(VARIANTS, variant_id)["stock"] + quantity)
    return f"{quantity} more of {name_of(variant_id, rows_of)} came in"
