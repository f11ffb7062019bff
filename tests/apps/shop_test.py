"""What somebody who uses the shop relies on."""

from collections.abc import Iterator

import pytest

from tool_sandbox.apps import Draw, add, as_moment, change, current_device, get, rows_of, rows_with, seconds_of
from tool_sandbox.apps.registry import with_needed
from tool_sandbox.apps.shop import (
    add_shipping_address,
    add_to_shop_cart,
    cancel_shop_order,
    change_shop_order_address,
    check_out_shop_cart,
    confirm_shop_order,
    get_shop_cart,
    get_shop_order,
    get_shop_product,
    hand_in_return_parcel,
    reorder_shop_order,
    request_shop_return,
    search_shipping_addresses,
    search_shop_coupons,
    search_shop_orders,
    search_shop_products,
    search_shop_returns,
)
from tool_sandbox.apps.shop.rows import price_row, product_row, variant_row
from tool_sandbox.apps.shop.tables import CART, COUPONS, LINES, ORDERS, PRICES, PRODUCTS, VARIANTS
from tool_sandbox.apps.wallet import get_bank_transaction, search_bank_accounts
from tool_sandbox.apps.wallet.phrases import ONLINE_SHOP
from tool_sandbox.apps.wallet.rows import account_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, TRANSACTIONS
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile

DRAW = Draw("shop")
DAY = 86_400


def make_world() -> ExecutionContext:
    clock = ScenarioClock(DRAW.start, "America/Los_Angeles")
    return ExecutionContext(profile=Profile.STRICT, id_seed="test", clock=clock, apps=["shop"])


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """An empty shop on Wednesday, 14 May 2025, at 10:24."""
    with new_context(make_world()) as context:
        yield context


@pytest.fixture
def account() -> str:
    return add(ACCOUNTS, **account_row(DRAW, "Everyday", "current", "USD", 0, 0) | {"opening_balance": 50_000})


@pytest.fixture
def home() -> str:
    return add_shipping_address("home", "Nora Lindqvist", "1 Mill Lane", "94110", "San Francisco", is_default=True)


def sell(name: str, price: int, stock: int = 5, department: str = "kitchen", days: int = 30) -> str:
    product = product_row(DRAW, name, department, "Good.", days)
    add(PRODUCTS, **product)
    return add(VARIANTS, **variant_row(DRAW, product, "one size", price, stock))


def coupon(code: str, kind: str, value: int, minimum: int = 0, *, full: bool = False, only: str | None = None) -> None:
    conditions = {"minimum": minimum, "department": only, "full_price_only": full, "most_uses": 1}
    times = {"valid_from": DRAW.moment(-1, 0), "valid_until": DRAW.moment(1, 0)}
    add(COUPONS, code=code, kind=kind, value=value, **conditions, **times)


def on_sale(variant_id: str, price: int, first: int, last: int) -> None:
    add(PRICES, **price_row(DRAW, get(VARIANTS, variant_id), price, DRAW.moment(first, 0), DRAW.moment(last, 0)))


def delivered(order_id: str, days: float) -> None:
    """Moves an order into the past, so that it came some days ago."""
    now = current_device().now()
    times = {"placed_at": now - (days + 6) * DAY, "ships_at": now - (days + 5) * DAY, "delivers_at": now - days * DAY}
    change(ORDERS, order_id, **{name: as_moment(moment) for name, moment in times.items()})


def buy(account: str, home: str, coupon_code: str | None = None) -> str:
    order_id = str(check_out_shop_cart(account, home, coupon_code=coupon_code)["order_id"])
    confirm_shop_order(order_id)
    return order_id


def test_an_order_is_offered_then_paid_and_takes_what_it_sells(account: str, home: str) -> None:
    kettle = sell("kettle", 2_000, stock=3)
    add_to_shop_cart(kettle, 2)
    offer = check_out_shop_cart(account, home)
    assert [offer[name] for name in ("subtotal", "discount", "shipping_fee", "total")] == [4_000, 0, 490, 4_490]
    assert (rows_of(TRANSACTIONS).keys, len(rows_of(CART))) == ({}, 1)
    done = confirm_shop_order(offer["order_id"])
    assert (done["ships_at"], done["delivers_at"]) == ("2025-05-15T09:00:00-07:00", "2025-05-20T14:00:00-07:00")
    paid = get_bank_transaction(done["transaction_id"])
    assert (paid["amount"], paid["counterparty"], paid["state"]) == (-4_490, ONLINE_SHOP, "pending")
    assert get_shop_cart()["items"] == []
    with pytest.raises(ValueError, match="'kettle, one size' there are 1, 2 are wanted"):
        reorder_shop_order(offer["order_id"])
    with pytest.raises(ValueError, match="the order is ordered already"):
        confirm_shop_order(offer["order_id"])


def test_terms_hold_for_a_while_though_prices_move(account: str, home: str) -> None:
    kettle = sell("kettle", 2_000)
    add_to_shop_cart(kettle)
    first, second = (check_out_shop_cart(account, home)["order_id"] for _ in range(2))
    on_sale(kettle, 1_500, 0, 1)
    assert search_shop_products(largest_price=1_500, in_stock=True)["total"] == 1
    assert get_shop_cart()["subtotal"] == 1_500
    assert confirm_shop_order(first)["total"] == 2_490
    change(ORDERS, second, placed_at=DRAW.ago(16))
    with pytest.raises(ValueError, match="the offer has expired"):
        confirm_shop_order(second)
    assert [order["state"] for order in search_shop_orders(words="KETTLE")["results"]] == ["placed", "expired"]


def test_prices_and_stock_follow_from_the_time() -> None:
    kettle = sell("kettle", 2_000, stock=0)
    on_sale(kettle, 1_000, -9, -1)
    on_sale(kettle, 1_800, -2, 2)
    on_sale(kettle, 900, 1, 2)
    change(VARIANTS, kettle, restocks_at=DRAW.ago(1), restock_quantity=4)
    (shown,) = get_shop_product(get(VARIANTS, kettle)["product_id"])["variants"]
    assert (shown["price"], shown["stock"], shown["restocks_at"]) == (1_800, 4, None)
    change(VARIANTS, kettle, restocks_at=DRAW.ago(-60))
    with pytest.raises(ValueError, match="there are 0, 1 are wanted"):
        add_to_shop_cart(kettle)


def test_coupons_have_conditions(account: str, home: str) -> None:
    kettle, shovel = sell("kettle", 3_000), sell("shovel", 2_999, department="garden")
    coupon("KITCHEN20", "percent", 20, minimum=3_000, full=True, only="kitchen")
    coupon("SHIP", "free shipping", 0)
    add_to_shop_cart(kettle)
    add_to_shop_cart(shovel)
    offer = check_out_shop_cart(account, home, coupon_code="kitchen20 ")
    assert (offer["discount"], offer["shipping_fee"], offer["total"]) == (600, 0, 5_399)
    assert [line["discount"] for line in rows_with(LINES, "order_id", offer["order_id"])] == [600, 0]
    on_sale(kettle, 2_900, 0, 1)
    with pytest.raises(ValueError, match=r"needs 30.00 USD of kitchen at full price, the cart has 0.00 USD of it"):
        check_out_shop_cart(account, home, coupon_code="KITCHEN20")
    confirm_shop_order(offer["order_id"])
    add_to_shop_cart(shovel)
    with pytest.raises(ValueError, match="KITCHEN20 is used up"):
        check_out_shop_cart(account, home, coupon_code="KITCHEN20")
    assert check_out_shop_cart(account, home, coupon_code="SHIP")["total"] == 2_999
    assert check_out_shop_cart(account, home, shipping="express", coupon_code="SHIP")["total"] == 2_999 + 1_290
    cancel_shop_order(offer["order_id"])
    assert [row["uses_left"] for row in search_shop_coupons()["results"]] == [1, 1]


def test_a_cancelled_order_leaves_no_trace_in_balance_and_stock(account: str, home: str) -> None:
    kettle = sell("kettle", 6_000)
    add_to_shop_cart(kettle)
    order_id = buy(account, home)
    work = add_shipping_address("work", "Nora Lindqvist", "9 Harbour Road", "94607", "Oakland")
    change_shop_order_address(order_id, work)
    assert get_shop_order(order_id)["ship_to"] == "Nora Lindqvist, 9 Harbour Road, 94607, Oakland"
    cancel_shop_order(order_id)
    assert search_bank_accounts()["results"][0]["available"] == 50_000
    assert (get(VARIANTS, kettle)["stock"], get_shop_order(order_id)["state"]) == (5, "cancelled")
    with pytest.raises(ValueError, match="the order is cancelled, only one that was placed"):
        change_shop_order_address(order_id, home)


def test_what_fails_to_be_paid_leaves_all_as_it_was(account: str, home: str) -> None:
    kettle = sell("kettle", 20_000)
    add_to_shop_cart(kettle, 3)
    order_id = check_out_shop_cart(account, home)["order_id"]
    with pytest.raises(ValueError, match=r"has 500.00 USD available, 600.00 USD are needed"):
        confirm_shop_order(order_id)
    assert (get(VARIANTS, kettle)["stock"], len(rows_of(CART)), get(ORDERS, order_id)["state"]) == (5, 1, "offered")


def test_refunds_of_a_line_add_up_to_what_it_cost(account: str, home: str) -> None:
    coupon("FIVE", "amount", 500)
    cup = sell("cup", 1_001)
    add_to_shop_cart(cup, 3)
    order_id = buy(account, home, "FIVE")
    (line,) = get_shop_order(order_id)["lines"]
    with pytest.raises(ValueError, match="the order is placed, only what was delivered"):
        request_shop_return(line["line_id"], "do not like it")
    delivered(order_id, 3)
    amounts = []
    for _ in range(3):
        wanted = request_shop_return(line["line_id"], "do not like it")
        assert wanted["hand_in_by"] == "2025-05-28"
        amounts.append(hand_in_return_parcel(wanted["return_id"])["amount"])
    assert (amounts, sum(amounts)) == ([834, 834, 835], 3 * 1_001 - 500)
    with pytest.raises(ValueError, match="0 are left to return"):
        request_shop_return(line["line_id"], "damaged")
    assert [row["state"] for row in search_shop_returns()["results"]] == ["handed in"] * 3


def test_returns_have_windows(account: str, home: str) -> None:
    for name, days in (("cup", 14), ("oil", 0)):
        add_to_shop_cart(sell(name, 1_000, days=days))
    order_id = buy(account, home)
    delivered(order_id, 20)
    cup, oil = (line["line_id"] for line in get_shop_order(order_id)["lines"])
    with pytest.raises(ValueError, match="it could be returned until 2025-05-08"):
        request_shop_return(cup, "too small")
    with pytest.raises(ValueError, match="it is on final sale"):
        request_shop_return(oil, "do not like it")
    assert request_shop_return(oil, "damaged")["hand_in_by"] == "2025-05-28"
    delivered(order_id, 61)
    with pytest.raises(ValueError, match="it could be returned until"):
        request_shop_return(cup, "wrong item")


def test_one_address_is_the_usual_one(home: str) -> None:
    add_shipping_address("office", "Nora Lindqvist", "2 Mill Lane", "94110", "San Francisco", is_default=True)
    assert [row["label"] for row in search_shipping_addresses(is_default=True)["results"]] == ["office"]


@pytest.mark.parametrize("seed", range(3))
def test_each_payment_to_the_shop_in_the_content_is_an_order(world: ExecutionContext, seed: int) -> None:
    for app in with_needed(["shop"]):
        app.fill(world, Draw(app.name, seed), "medium")
    paid = {
        row["transaction_id"]: row
        for row in rows_of(TRANSACTIONS)
        if row["counterparty"] == ONLINE_SHOP and row["amount"] < 0
    }
    orders = [row for row in rows_of(ORDERS) if row["state"] != "offered"]
    assert {row["transaction_id"]: -row["total"] for row in orders} == {key: row["amount"] for key, row in paid.items()}
    assert all(row["placed_at"] == paid[row["transaction_id"]]["booked_at"] for row in orders)
    for row in search_shop_returns(state="handed in")["results"]:
        order, refund = get_shop_order(row["order_id"]), get_bank_transaction(row["refund_id"])
        assert refund["amount"] == order["total"]
        assert refund["refund_of"] == order["transaction_id"]
        assert seconds_of(order["delivers_at"]) < seconds_of(row["requested_at"]) < seconds_of(row["handed_in_at"])
    states = {order["state"] for order in search_shop_orders(limit=50)["results"]}
    assert {"placed", "shipped", "delivered", "offered", "expired"} <= states
    assert search_shop_returns(state="requested")["total"] == 1
