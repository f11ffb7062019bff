"""What the shop has when a world begins, and what was ordered: what the wallet paid to it."""

import attrs

from tool_sandbox.apps import Draw, Size, as_moment, seconds_of
from tool_sandbox.apps.shop.addresses import written
from tool_sandbox.apps.shop.checkout import FEES, FREE_FROM
from tool_sandbox.apps.shop.phrases import CITIES, COUPONS, GOODS, LINES_OF_GOODS, STREETS
from tool_sandbox.apps.shop.rows import Row, Rows, order_rows, price_row, product_row, return_row, variant_row
from tool_sandbox.apps.shop.tables import (
    ADDRESSES,
    CART,
    LINES,
    ORDERS,
    PRICES,
    PRODUCTS,
    RETURNS,
    VARIANTS,
)
from tool_sandbox.apps.shop.tables import COUPONS as COUPON_TABLE
from tool_sandbox.apps.wallet.phrases import ONLINE_SHOP
from tool_sandbox.apps.wallet.tables import TRANSACTIONS

MAKERS: dict[Size, tuple[int, int]] = {"small": (1, 8), "medium": (3, 24), "large": (8, 24)}
"""How many makers make how many of the goods, in each size."""


def content(draw: Draw, size: Size) -> dict[str, Rows]:
    """Draws the rows of all tables."""
    makers, goods = MAKERS[size]
    made = _Shop(draw)
    made.sell(makers, goods)
    made.move_prices()
    made.give_coupons()
    made.know_addresses()
    made.order_what_was_paid()
    made.send_back()
    made.fill_cart()
    return {
        PRODUCTS.name: made.products,
        VARIANTS.name: made.variants,
        PRICES.name: made.prices,
        COUPON_TABLE.name: made.coupons,
        ADDRESSES.name: made.addresses,
        CART.name: made.cart,
        ORDERS.name: made.orders,
        LINES.name: made.lines,
        RETURNS.name: made.returns,
    }


@attrs.define
class _Shop:
    """Rows as they are made."""

    draw: Draw
    products: Rows = attrs.field(factory=list)
    variants: Rows = attrs.field(factory=list)
    prices: Rows = attrs.field(factory=list)
    coupons: Rows = attrs.field(factory=list)
    addresses: Rows = attrs.field(factory=list)
    cart: Rows = attrs.field(factory=list)
    orders: Rows = attrs.field(factory=list)
    lines: Rows = attrs.field(factory=list)
    returns: Rows = attrs.field(factory=list)

    def sell(self, makers: int, goods: int) -> None:
        """Products that differ in maker, price and options; some are sold out until more come."""
        for maker in LINES_OF_GOODS[:makers]:
            for name, department, description, options, low, high, days in GOODS[:goods]:
                # Final sale of what is returnable elsewhere.
                final = days > 0 and self.draw.chance(0.08)
                product = product_row(self.draw, f"{maker} {name}", department, description, 0 if final else days)
                self.products.append(product)
                price = self.draw.integer(low // 100, high // 100) * 100 - 10
                sized = any(option[0].isdigit() for option in options)
                for place, option in enumerate(options):
                    restock = self.draw.moment(self.draw.integer(0, 9), 15) if self.draw.chance(0.1) else None
                    stock = 0 if restock else self.draw.integer(1, 25)
                    own = price + place * price // 300 * 100 if sized else price
                    self.variants.append(variant_row(self.draw, product, option, own, stock, restock))

    def move_prices(self) -> None:
        """Offers that have ended, that are on, some of which end today, and that begin soon; few are dearer."""
        for variant in [each for each in self.variants if self.draw.chance(0.25)]:
            first = self.draw.choice((-60, -20, -3, -1, 0, 2))
            until = self.draw.moment(first + self.draw.choice((1, 4, 14)), 18)
            factor = 115 if self.draw.chance(0.15) else self.draw.choice((70, 80, 90))
            price = variant["list_price"] * factor // 1000 * 10
            self.prices.append(price_row(self.draw, variant, price, self.draw.moment(first, 0), until))

    def give_coupons(self) -> None:
        """Coupons of which some are not valid yet or any more."""
        for code, kind, value, minimum, department, full, uses, first, last in COUPONS:
            cells: Row = {"coupon_id": self.draw.key("coupon"), "code": code, "kind": kind, "value": value}
            cells |= {"minimum": minimum, "department": department, "full_price_only": full, "most_uses": uses}
            times = {"valid_from": self.draw.moment(first, 0), "valid_until": self.draw.moment(last, 23, 59)}
            self.coupons.append(cells | times)

    def know_addresses(self) -> None:
        """One's own addresses, and those of people who get presents; two people live in one street."""
        owner, street = self.draw.owner.name, self.draw.choice(STREETS)
        known = [
            ("home", owner),
            ("work", owner),
            *((person.first_name, person.name) for person in self.draw.people[:4]),
        ]
        for number, (label, recipient) in enumerate(known):
            postcode, city = self.draw.choice(CITIES)
            where = f"{self.draw.integer(2, 180)} {street if number in (0, 3) else self.draw.choice(STREETS)}"
            address: Row = {"address_id": self.draw.key("address"), "label": label, "recipient": recipient}
            address |= {"street": where, "postcode": postcode, "city": city, "is_default": label == "home"}
            self.addresses.append(address)

    # Orders ----------------------------------------------------------------------------------

    def order_what_was_paid(self) -> None:
        """An order for each payment of the wallet to the shop; what was refunded was sent back or cancelled."""
        rows = self.draw.rows(TRANSACTIONS)
        refunds = {row["refund_of"]: row for row in rows if row["refund_of"] is not None}
        paid = [row for row in rows if row["counterparty"] == ONLINE_SHOP and row["amount"] < 0]
        for row in paid:
            refund = refunds.get(row["transaction_id"])
            address = self.draw.choice(self.addresses) if self.draw.chance(0.2) else self.addresses[0]
            with_coupon = refund is None and row["amount"] < -3_000 and self.draw.chance(0.2)
            goods = self._goods_for(-row["amount"], single=refund is not None, off=500 if with_coupon else 0)
            coupon_id = self.coupons[0]["coupon_id"] if with_coupon else None
            order, lines = order_rows(self.draw, row, goods, written(address), coupon_id=coupon_id)
            if refund is not None:
                self._take_back(order, lines[0], refund)
            self.orders.append(order)
            self.lines += lines

    def send_back(self) -> None:
        """What has come of late broken and waits to be handed in, and the same long ago that never was."""
        for days in (1, 20):
            moment = self.draw.start - 86_400 * days
            came = [row for row in self.orders if row["state"] == "ordered" and seconds_of(row["delivers_at"]) < moment]
            known = {row["line_id"] for row in self.returns}
            order = max(came, key=lambda row: seconds_of(row["delivers_at"]), default={"order_id": ""})
            for line in [row for row in self.lines if row["order_id"] == order["order_id"]][:1]:
                if line["line_id"] not in known:
                    requested = as_moment(seconds_of(order["delivers_at"]) + 70_000, self.draw.tzinfo)
                    self.returns.append(return_row(self.draw, line, "damaged", requested))

    def _take_back(self, order: Row, line: Row, refund: Row) -> None:
        if order["shipping_fee"]:
            cancelled = as_moment(seconds_of(order["placed_at"]) + 3_600, self.draw.tzinfo)
            order |= {"state": "cancelled", "cancelled_at": cancelled}
            return
        requested = as_moment(seconds_of(refund["booked_at"]) - 50_000, self.draw.tzinfo)
        done = {"handed_in_at": refund["booked_at"], "refund_id": refund["transaction_id"]}
        reason = self.draw.choice(("damaged", "wrong item"))
        self.returns.append(return_row(self.draw, line, reason, requested, **done))

    def _goods_for(self, amount: int, *, single: bool, off: int) -> list[tuple[Row, int, int]]:
        """Goods that come to an amount with shipping and without a discount: prices were a little different then."""
        target = amount + off - (0 if amount >= FREE_FROM else FEES["standard"])
        usual = self.variants[1]
        best: list[tuple[Row, int, int]] = []
        for _ in range(8):
            goods, left = list[tuple[Row, int, int]](), target
            if not single and left > 4 * usual["list_price"] and self.draw.chance(0.5):
                goods.append((usual, 2, usual["list_price"]))
                left -= 2 * usual["list_price"]
            if not single and left > 6_000 and self.draw.chance(0.6):
                some = self.draw.choice([each for each in self.variants if each["list_price"] < left // 2])
                if some is not usual:
                    goods.append((some, 1, some["list_price"]))
                    left -= some["list_price"]
            taken = [variant["variant_id"] for variant, _, _ in goods]
            free = [each for each in self.variants if each["variant_id"] not in taken]
            # Of what costs too much for a small shop there are several.
            several = 1 if left < max(each["list_price"] for each in free) or left % 2 else 2
            near = sorted(free, key=lambda each: (abs(each["list_price"] - left // several), each["variant_id"]))
            some = self.draw.choice(near[: 1 + len(free) // 60])
            candidate = [(some, several, left // several), *goods]
            if not best or _oddity(candidate) < _oddity(best):
                best = candidate
        return best

    def fill_cart(self) -> None:
        """Two things that somebody has put there, and the offers for them: of yesterday, and of a moment ago."""
        moving = {price["variant_id"] for price in self.prices}
        there = [each for each in self.variants if each["stock"] > 2 and each["variant_id"] not in moving]
        chosen = list(zip(self.draw.sample(there, 2), (1, 2), strict=True))
        for variant, quantity in chosen:
            item = {"cart_item_id": self.draw.key("cart_item"), "variant_id": variant["variant_id"]}
            self.cart.append(item | {"quantity": quantity})
        goods = [(variant, quantity, variant["list_price"]) for variant, quantity in chosen]
        for minutes, some in ((1_466, goods[:1]), (4, goods)):
            subtotal = sum(quantity * price for _, quantity, price in some)
            terms = {"account_id": self.orders[0]["account_id"], "transaction_id": None}
            terms |= {"booked_at": self.draw.ago(minutes)}
            terms |= {"amount": -subtotal - (0 if subtotal >= FREE_FROM else FEES["standard"])}
            order, lines = order_rows(self.draw, terms, some, written(self.addresses[0]), state="offered")
            self.orders.append(order)
            self.lines += lines


def _oddity(goods: list[tuple[Row, int, int]]) -> float:
    """How far the price of the first of some goods is from its list price."""
    variant, _, price = goods[0]
    return float(abs(price / variant["list_price"] - 1))
