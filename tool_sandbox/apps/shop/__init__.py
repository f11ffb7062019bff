"""The shop: products with variants whose stock and prices move, a cart, coupons, orders and returns."""

from tool_sandbox.apps import App
from tool_sandbox.apps.shop.addresses import add_shipping_address, delete_shipping_address, search_shipping_addresses
from tool_sandbox.apps.shop.cart import (
    add_to_shop_cart,
    get_shop_cart,
    modify_shop_cart_item,
    remove_from_shop_cart,
)
from tool_sandbox.apps.shop.catalogue import get_shop_product, search_shop_coupons, search_shop_products
from tool_sandbox.apps.shop.checkout import check_out_shop_cart, confirm_shop_order
from tool_sandbox.apps.shop.content import content
from tool_sandbox.apps.shop.orders import (
    cancel_shop_order,
    change_shop_order_address,
    get_shop_order,
    reorder_shop_order,
    search_shop_orders,
)
from tool_sandbox.apps.shop.probes import PROBES
from tool_sandbox.apps.shop.returns import (
    cancel_shop_return,
    hand_in_return_parcel,
    request_shop_return,
    search_shop_returns,
)
from tool_sandbox.apps.shop.tables import (
    ADDRESSES,
    CART,
    COUPONS,
    LINES,
    ORDERS,
    PRICES,
    PRODUCTS,
    RETURNS,
    VARIANTS,
)

APP = App(
    name="shop",
    title="Online shop",
    tables=[PRODUCTS, VARIANTS, PRICES, CART, COUPONS, ADDRESSES, ORDERS, LINES, RETURNS],
    tools=[
        search_shop_products,
        get_shop_product,
        search_shop_coupons,
        add_to_shop_cart,
        get_shop_cart,
        modify_shop_cart_item,
        remove_from_shop_cart,
        add_shipping_address,
        search_shipping_addresses,
        delete_shipping_address,
        check_out_shop_cart,
        confirm_shop_order,
        search_shop_orders,
        get_shop_order,
        cancel_shop_order,
        change_shop_order_address,
        reorder_shop_order,
        request_shop_return,
        search_shop_returns,
        cancel_shop_return,
        hand_in_return_parcel,
    ],
    content=content,
    words={
        PRODUCTS.name: ("product", "products"),
        VARIANTS.name: ("variant", "variants"),
        PRICES.name: ("price", "prices"),
        CART.name: ("item in the cart", "items in the cart"),
        COUPONS.name: ("coupon", "coupons"),
        ADDRESSES.name: ("address", "addresses"),
        ORDERS.name: ("order", "orders"),
        LINES.name: ("line of an order", "lines of orders"),
        RETURNS.name: ("return", "returns"),
    },
    needs=("wallet",),
    probes=PROBES,
)
