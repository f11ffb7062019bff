"""An order for many people, while wishes still come in, prices move, and things sell out or come in again."""

import datetime
from collections.abc import Callable
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import add, change, now
from tool_sandbox.apps.shop.addresses import written
from tool_sandbox.apps.shop.catalogue import spread
from tool_sandbox.apps.shop.checkout import FREE_FROM
from tool_sandbox.apps.shop.rows import product_row, variant_row
from tool_sandbox.apps.shop.tables import ADDRESSES, CART, COUPONS, LINES, ORDERS, PRICES, PRODUCTS, VARIANTS
from tool_sandbox.apps.wallet.tables import SHARES, TRANSACTIONS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.events.arrivals import CHAT, MAIL, Says, chat, inbox
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, money, one
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    Happening,
    Node,
    Task,
    added,
    answer,
    call,
    changed,
    happens,
    in_any_order,
    say,
)
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Solution

GOODS = ("lantern", "hammock", "kettle", "raincoat", "teapot", "stool", "basket", "blanket", "trowel", "tray",
         "bench", "sieve", "dibber", "cloche")  # fmt: skip
RULES = (
    "How we order: each gets what they have asked for by the closing time, and their last word counts. Prices and "
    "stock are what they are when we order, not before. What is sold out, or dearer than somebody wants to pay for "
    "one piece, is left out, unless they have said what they would take instead. All goes into one order, with the "
    "coupon that saves most; there is just one coupon for an order."
)
# Wishes: what is said at first, and later. What they come to follows in `_wanted`: option and number.
WISHES: tuple[tuple[str, str, tuple[int, int] | None], ...] = (
    ("I'd like one {good} in {c0}; if that is sold out, in {c1}.", "", (1, 1)),
    ("One {good} for me in the cheapest colour, but only if it costs at most {low}.", "", (2, 1)),
    ("One {good} in {c1}, if it costs no more than {high}.", "", None),
    (
        "Three of the {good}, all in one colour, whichever is the cheapest of those that they have enough of.",
        "",
        (1, 3),
    ),
    ("One {good} in {c2}, please.", "", (2, 1)),
    ("One {good} in {c0}, please.", "Leave my {good} out, please, I have found the old one.", None),
    ("Two of the {good} in {c1}.", "Make that four, please, still in {c1}.", (1, 4)),
    ("One {good} in {c0}, and in no other colour.", "", (0, 1)),
    ("One {good} in {c0}, please.", "I said {c0}, but I meant {c2}. Sorry!", (2, 1)),
    ("One {good} in {c2}, but if {c1} is cheaper when you order, take that.", "", (1, 1)),
    ("Two of the {good} in {c0}, if the two together cost at most {pair}, else only one of them.", "", (0, 2)),
    ("One {good} in {c1}, but only if {none} gets nothing of what they want.", "", (1, 1)),
    ("One {good} in {c2}, but only if {some} gets nothing of what they want.", "", None),
)


@attrs.define
class Market:
    """Who wants what, what that costs in the end, with which coupon, and what happens until then."""

    people: list[Person]
    names: list[str]
    variants: list[list[Row]]
    prices: list[list[int]]
    said: list[tuple[int, int, str]]
    moves: list[tuple[Callable[[], str], int]]
    coupons: list[Row]
    best: int = 0
    parts: list[int] = attrs.field(factory=list)

    @property
    def lines(self) -> list[tuple[int, int, int]]:
        """Person, option and number of all that is ordered."""
        return [(who, *wish[2]) for who, wish in enumerate(WISHES) if wish[2] is not None]


def _moved(variant: Row, price: int) -> Callable[[], str]:
    def effect() -> str:
        later = datetime.datetime.fromisoformat(now()) + datetime.timedelta(days=3)
        add(PRICES, variant_id=variant["variant_id"], price=price, valid_from=now(), valid_until=later.isoformat())
        return f"{variant['option']} costs {money(price)} now"

    return effect


def _stocked(variant: Row, stock: int) -> Callable[[], str]:
    def effect() -> str:
        change(VARIANTS, variant["variant_id"], stock=stock)
        return f"of {variant['option']} there are {stock} now"

    return effect


def _market(world: World) -> Market:
    draw, maker = world.draw("shop"), world.phrase("Larkspur", "Quillon", "Fennimore", "Ostara")
    world.stored(CART).clear()
    for coupon in world.stored(COUPONS):
        coupon |= {"valid_from": draw.moment(-400, 0), "valid_until": draw.moment(-1, 0)}
    colours = world.choice(("red", "green", "blue"), ("grey", "yellow", "white"), ("black", "orange", "pink"))
    made = Market([world.new_person() for _ in WISHES], [], [], [], [], [], [])
    turn = world.integer(0, 0, 9)
    for who, (first, later, _) in enumerate(WISHES):
        base = 10 * world.integer(131 + 37 * (who % 9), 120, 460)
        own = [base + 80, base + 210, base + 150]
        stocks = [9, 9, 2 if who == 3 else 9]
        if who == 3:
            own = [base + 190, base + 240, base + 60]
        if who == 7:
            stocks[0] = 0
        name = f"{maker} {GOODS[(who + turn) % 14]}"
        product = world.put(PRODUCTS, product_row(draw, name, "garden", "Comes in three colours."))
        rows = [
            world.put(VARIANTS, variant_row(draw, product, *each)) for each in zip(colours, own, stocks, strict=True)
        ]
        low, high = base - 30, base + 260
        moves: dict[int, list[tuple[Callable[[], str], int, int]]] = {
            0: [(_stocked(rows[0], 0), -1, 0)],
            1: [(_moved(rows[2], base - 90), 2, base - 90), (_moved(rows[0], base - 20), 0, base - 20)],
            2: [(_moved(rows[1], base + 300), 1, base + 300)],
            3: [(_moved(rows[1], base + 120), 1, base + 120)],
            7: [(_stocked(rows[0], 12), -1, 0)],
            9: [(_moved(rows[1], base + 100), 1, base + 100)],
            10: [(_moved(rows[0], base + 20), 0, base + 20)],
        }
        for effect, option, price in moves.get(who, []):
            made.moves.append((effect, who))
            if option >= 0:
                own[option] = price
        made.names.append(name)
        made.variants.append(rows)
        made.prices.append(own)
        words = (
            {"good": name, "low": money(low), "high": money(high), "pair": money(2 * base + 100)}
            | {"none": made.people[2].name, "some": made.people[0].name}
            | {f"c{n}": each for n, each in enumerate(colours)}
        )
        made.said += [(part, who, text.format(**words)) for part, text in enumerate((first, later)) if text]
    _set_coupons(world, made)
    return made


def _set_coupons(world: World, made: Market) -> None:
    """Coupons of which one saves most, which is not the one with the largest figure."""
    draw = world.draw("shop")
    amounts = [made.prices[who][option] * number for who, option, number in made.lines]
    lists = [made.variants[who][option]["list_price"] for who, option, _ in made.lines]
    full = [made.prices[who][option] >= price for (who, option, _), price in zip(made.lines, lists, strict=True)]
    whole, plain = sum(amounts), sum(each for each, is_full in zip(amounts, full, strict=True) if is_full)
    saves = (whole * 12 // 100, plain * 20 // 100, 100 * (whole // 900), 0)
    kinds = (("percent", 12, 6000, False), ("percent", 20, 4000, True), ("amount", saves[2], 5000, False),
             ("percent", 25, 100 * (whole // 100 + 40), False))  # fmt: skip
    codes = world.choice(
        ("GARDEN", "SUNNY", "FULL", "MAXI"), ("PORCH", "CLEAR", "WHOLE", "MEGA"), ("PATIO", "BRIGHT", "PURE", "TOP")
    )
    for code, (kind, value, minimum, is_full) in zip(codes, kinds, strict=True):
        cells = {"code": f"{code}{value}", "kind": kind, "value": value, "minimum": minimum, "department": None}
        cells |= {"full_price_only": is_full, "most_uses": 1, "valid_from": draw.moment(-9, 0)}
        made.coupons.append(
            world.put(COUPONS, {"coupon_id": draw.key("coupon"), **cells, "valid_until": draw.moment(9, 0)})
        )
    made.best = saves.index(max(saves))
    ranked = sorted(saves)
    if ranked[-1] - ranked[-2] < 30 or whole - max(saves) < FREE_FROM:
        raise DrawError(f"no coupon is best by far: {saves} of {whole}")
    over = amounts if made.best != 1 else [each if is_full else 0 for each, is_full in zip(amounts, full, strict=True)]
    made.parts = [each - less for each, less in zip(amounts, spread(max(saves), over), strict=True)]
    of_amount = dict(zip(over, made.parts, strict=True))
    if any(each and of_amount[each] != part for each, part in zip(over, made.parts, strict=True)):
        raise DrawError("a cent more or less depends on the order in the cart")


def _order(world: World, place: Callable[..., tuple[Says, Callable[[], Steps]]], *, shared: bool) -> Task:
    what = world.phrase("Garden circle", "Allotment club", "Courtyard friends")
    made = _market(world)
    account = stage.put_account(world, f"{what} account", 300000)
    address = one(world.stored(ADDRESSES), label="work")
    start = world.local(world.now)
    closes = start.replace(minute=0, second=0, microsecond=0) + datetime.timedelta(hours=3)
    until = (closes - start).total_seconds() / 60
    say_it, read = place(world, what, made.people, RULES)
    events: list[Happening | None] = []
    for number, (part, who, text) in enumerate(made.said):
        is_early = part == 0 and who not in (4, 8)
        minutes = -700 + 40 * number if is_early else 15 + (until - 30) * number / len(made.said)
        events.append(say_it(who, text, minutes))
    events += [happens(effect, at=world.now + 60 * (until * (2 + number) / 14))
               for number, (effect, _) in enumerate(made.moves)]  # fmt: skip
    bought = [(made.people[who].name, made.names[who], made.variants[who][option], number)
              for who, option, number in made.lines]  # fmt: skip
    total = sum(made.parts)

    def solution() -> Solution:
        yield call("wait_until", time=f"{closes:%Y-%m-%dT%H:%M}")
        yield from read()
        for _, good, variant, number in bought:
            [product] = (yield call("search_shop_products", words=good))["results"]
            shown = yield call("get_shop_product", product_id=product["product_id"])
            row = one(shown["variants"], option=variant["option"])
            yield call("add_to_shop_cart", variant_id=row["variant_id"], quantity=number)
        [paying] = (yield call("search_bank_accounts", words=f"{what} account"))["results"]
        [to] = (yield call("search_shipping_addresses", words="work"))["results"]
        codes = yield call("search_shop_coupons")
        code = one(codes["results"], coupon_id=made.coupons[made.best]["coupon_id"])["code"]
        terms = {"account_id": paying["account_id"], "address_id": to["address_id"], "coupon_code": code}
        offer = yield call("check_out_shop_cart", **terms, shipping="standard")
        paid = yield call("confirm_shop_order", order_id=offer["order_id"])
        if shared:
            yield call("get_shop_order", order_id=offer["order_id"])
            for (name, *_), cents in zip(bought, made.parts, strict=True):
                yield call("add_transaction_share", transaction_id=paid["transaction_id"], amount=cents, person=name)
        yield say(f"The order costs {money(total)} dollars in all.")

    lines = [added(LINES, variant_id=row["variant_id"], quantity=number, order_id=Anything(), discount=Anything(),
                   unit_price=made.prices[who][option])
             for (who, option, number), (_, _, row, _) in zip(made.lines, bought, strict=True)]  # fmt: skip
    shares = [added(SHARES, person=SameWords(name), amount=cents, category=Anything(), transaction_id=Anything())
              for (name, *_), cents in zip(bought, made.parts, strict=True)]  # fmt: skip
    cells = {"account_id": account["account_id"], "ship_to": written(address), "shipping": "standard", "total": total,
             "coupon_id": made.coupons[made.best]["coupon_id"], "subtotal": Anything(), "discount": Anything(),
             "shipping_fee": 0, "transaction_id": Anything()}  # fmt: skip
    wish = (
        " After that, note in the wallet what each of them owes me: a share of the payment for each person, with their "
        "full name, of exactly what their goods cost in that order after discount."
    )
    where = "pinned there" if place is chat else f'in my note "{what}: rules"'
    return Task(
        user=f'The "{what}" orders garden things together today. Everybody writes in '
        f"{'our group chat' if place is chat else 'a mail to me'} what they want, and how we order is {where}. "
        f"Closing time is {closes:%H:%M}: please wait for it, and then order in the online shop what is wanted. It "
        f"goes to my work address by standard shipping, paid from the {what} account. Buy right away, you need not "
        f"ask me again.{wish if shared else ''} Then tell me what the order costs in all. Only the figure, please.",
        tools=[
            "wait_until",
            "wait_minutes",
            *NOW,
            *(CHAT if place is chat else MAIL),
            *SHOP,
            *(WALLET if shared else ()),
        ],
        milestones=[
            *in_any_order(added(ORDERS, state="ordered", **cells), *lines, *(shares if shared else [])),
            answer(Number(total / 100, "USD")),
        ],
        allowed=[*_traces(made), added(ORDERS, state=OneOf(["offered", "ordered"]), **cells)],
        events=[event for event in events if event is not None],
        solution=solution,
    )


SHOP = ("search_shop_products", "get_shop_product", "search_shop_coupons", "add_to_shop_cart", "get_shop_cart",
        "modify_shop_cart_item", "remove_from_shop_cart", "search_shipping_addresses", "check_out_shop_cart",
        "confirm_shop_order", "get_shop_order", "search_shop_orders", "cancel_shop_order",
        "search_bank_accounts")  # fmt: skip
WALLET = ("search_bank_transactions", "add_transaction_share", "remove_transaction_share", "split_transaction_evenly")


def _traces(made: Market) -> list[Node]:
    """What shopping leaves behind: the cart, offers that were not taken, the payment, and less in stock."""
    anything: Any = Anything()
    offer: dict[str, Any] = dict.fromkeys(
        ("ship_to", "shipping", "account_id", "coupon_id", "subtotal", "discount", "shipping_fee", "total"), anything
    )
    line: dict[str, Any] = dict.fromkeys(("order_id", "variant_id", "quantity", "unit_price", "discount"), anything)
    paid: dict[str, Any] = dict.fromkeys(
        ("account_id", "amount", "counterparty", "description", "category", "kind"), anything
    )
    return [
        added(CART, 60, variant_id=anything, quantity=anything),
        added(ORDERS, 20, state="offered", **offer),
        added(LINES, 200, **line),
        added(TRANSACTIONS, **paid),
        *(changed(VARIANTS, {"variant_id": made.variants[who][option]["variant_id"]}, stock=anything)
          for who, option, _ in made.lines),
    ]  # fmt: skip


# What was read before the closing time is old by then; the limit, the sold out colour and the coupon decide late.
@scenario(apps=("clock", "groups", "shop", "wallet"))
def order_what_chat_wants(world: World) -> Task:
    """Order for many people what they want by a closing time, while prices and stock move."""
    return _order(world, chat, shared=False)


# As before; shares to the cent follow from how the discount is spread over the lines.
@scenario(apps=("clock", "groups", "shop", "wallet"))
def order_what_chat_wants_and_share(world: World) -> Task:
    """Order for many people what they want by a closing time, and note what each owes after the discount."""
    return _order(world, chat, shared=True)


@scenario(apps=("clock", "mail", "notes", "shop", "wallet"))
def order_what_mails_want(world: World) -> Task:
    """Order for many people what they write in mails until a closing time, while prices and stock move."""
    return _order(world, inbox, shared=False)


@scenario(apps=("clock", "mail", "notes", "shop", "wallet"))
def order_what_mails_want_and_share(world: World) -> Task:
    """Order for many people what they write in mails, and note what each owes after the discount."""
    return _order(world, inbox, shared=True)
