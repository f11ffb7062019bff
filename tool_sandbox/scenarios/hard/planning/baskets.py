"""Baskets of the online shop: what to buy under rules, where coupons, shipping and stock beat the cheapest pick."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Entity, Number
from tool_sandbox.apps.shop.checkout import FEES, FREE_FROM
from tool_sandbox.apps.shop.rows import price_row, product_row, variant_row
from tool_sandbox.apps.shop.tables import CART, COUPONS, LINES, ORDERS, PRICES, PRODUCTS, VARIANTS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import Deed, Job, look, mails, page
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, money, put_mail, put_page
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Task, added, call
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import DrawError

APPS = ("shop", "notes", "mail")
TOOLS = (
    *("search_shop_products", "get_shop_product", "search_shop_coupons", "add_to_shop_cart", "get_shop_cart"),
    *("modify_shop_cart_item", "remove_from_shop_cart", "check_out_shop_cart", "confirm_shop_order"),
    *("search_note_pages", "get_note_page", "search_mail", "get_mail", "search_bank_accounts"),
    "search_shipping_addresses",
    *NOW,
)
COUPONS_KEPT = (
    ("TENOFF", "percent", 10, 9_000, None, True), ("MUG20", "percent", 20, 4_500, "kitchen", False),
    ("LEAF15", "amount", 1_500, 6_500, "garden", False), ("NOSHIP", "free shipping", 0, 2_000, None, False),
    ("DOZEN12", "amount", 1_200, 11_000, None, False), ("SOON25", "percent", 25, 1_000, None, False),
)  # fmt: skip
"""Coupons: code, kind, value, minimum, department, whether only for full prices. The last one is not valid yet."""
MAKERS = (("Alder", "Brook", "Cinder"), ("Dune", "Ember", "Fjord"), ("Grove", "Heath", "Islay"))


@attrs.frozen
class Item:
    """A variant that can be bought, and what counts about it."""

    kind: str
    maker: str
    option: str
    department: str
    price: int
    list_price: int
    stock: int
    return_days: int


Choice = tuple[tuple[Item, int], ...]
"""What is bought of one kind: items and how many."""


@attrs.frozen
class Basket:
    """A choice for every kind, the coupon that makes it cheapest, and what it costs with it and with shipping."""

    lines: Choice
    coupon: str
    total: int


TIE = 40
"""Cents by which the best is better than the second best, at least."""


def _bases(lines: Choice) -> tuple[int, ...]:
    """What counts for each coupon, and the sum of all."""
    return tuple(
        sum(
            item.price * number
            for item, number in lines
            if department in (None, item.department) and (not full or item.price >= item.list_price)
        )
        for *_, department, full in COUPONS_KEPT[:-1]
    )


def _costs(bases: Sequence[int]) -> list[tuple[int, str]]:
    """What it costs with shipping, without and with each coupon that applies, the cheapest first."""
    subtotal, fee = max(bases), FEES["standard"]
    found = [(subtotal + (0 if subtotal >= FREE_FROM else fee), "")]
    for base, (code, kind, value, minimum, _, _) in zip(bases, COUPONS_KEPT, strict=False):
        if base >= minimum:
            less = base * value // 100 if kind == "percent" else min(value, base) if kind == "amount" else 0
            is_free = kind == "free shipping" or subtotal - less >= FREE_FROM
            found.append((subtotal - less + (0 if is_free else fee), code))
    return sorted(found)


def _best(
    choices: Sequence[Sequence[Choice]],
    fits: Callable[[Choice], bool],
    goal: Callable[[Choice, int], float],
    tie: int = TIE,
) -> Basket | None:
    """The best basket, if it is clearly better than all others and not what picking the cheapest of each kind gives."""
    found = list[tuple[float, Choice, list[tuple[int, str]]]]()
    weighed = [[(part, _bases(part)) for part in kind] for kind in choices]
    for parts in itertools.product(*weighed):
        lines = tuple(line for part, _ in parts for line in part)
        if fits(lines):
            costs = _costs([sum(column) for column in zip(*(bases for _, bases in parts), strict=True)])
            found.append((goal(lines, costs[0][0]), lines, costs))
    found.sort(key=lambda each: each[0])
    cheap = tuple(line for kind in weighed for line in min(kind, key=lambda each: max(each[1]))[0])
    if len(found) < 2 or found[0][1] == cheap or found[1][0] - found[0][0] < tie:
        return None
    (total, coupon), second = found[0][2][0], [*found[0][2], (10**9, "")][1]
    return Basket(found[0][1], coupon, total) if coupon and second[0] - total >= tie else None


def _put_shop(world: World, items: Sequence[Item]) -> dict[Item, Row]:
    """Sells the items, and gives the user the coupons; those that were there have expired, and the cart is empty."""
    draw, products, rows = world.draw("shop"), dict[tuple[str, str], Row](), dict[Item, Row]()
    world.stored(CART).clear()
    for row in world.stored(COUPONS):
        row |= {"valid_from": draw.moment(-60, 0), "valid_until": draw.moment(-2, 0)}
    for code, kind, value, minimum, department, full in COUPONS_KEPT:
        cells = {"coupon_id": draw.key("coupon"), "code": code, "kind": kind, "value": value, "minimum": minimum}
        first = 3 if code == COUPONS_KEPT[-1][0] else -20
        cells |= {"department": department, "full_price_only": full, "most_uses": 1}
        world.put(COUPONS, cells | {"valid_from": draw.moment(first, 0), "valid_until": draw.moment(20, 0)})
    for item in items:
        key = (item.maker, item.kind)
        if key not in products:
            text = f"{item.kind.capitalize()} made by {item.maker}."
            row = product_row(draw, f"{item.maker} {item.kind}", item.department, text, item.return_days)
            products[key] = world.put(PRODUCTS, row)
        rows[item] = world.put(VARIANTS, variant_row(draw, products[key], item.option, item.list_price, item.stock))
        if item.price != item.list_price:
            world.put(PRICES, price_row(draw, rows[item], item.price, draw.moment(-3, 0), draw.moment(9, 0)))
    return rows


def _drawn(world: World, kinds: Sequence[tuple[str, str, int]], options: Sequence[str], stock: int) -> list[Item]:
    """Items of every kind by three makers, at prices around one of the kind, a third of them reduced."""
    draw, items = world.draw("shop"), []
    for kind, department, middle in kinds:
        for maker in world.choice(*MAKERS):
            days = draw.choice((30, 30, 30, 14, 0))
            for option in options:
                price = middle * draw.integer(78, 128) // 1000 * 10 - 5
                full = price if draw.chance(0.6) else price * 5 // 4 // 10 * 10 + 5
                left = draw.choice((1, stock - 1, stock + 3, stock + 9))
                items.append(Item(kind, maker, option, department, price, full, left, days))
    return items


def _job(
    world: World, rows: dict[Item, Row], best: Basket, user: str, title: str, texts: Sequence[str], points: int = 0
) -> Task:
    """Fills the cart, and tells total and coupon, and maybe points."""
    anything = {
        table: {column.name: Anything() for column in table.columns if column.name != table.key}
        for table in (ORDERS, LINES)
    }
    deeds = []
    for item, number in best.lines:
        cells: dict[str, Any] = {"variant_id": rows[item]["variant_id"], "quantity": number}
        deeds.append(Deed((added(CART, **cells),), (call("add_to_shop_cart", **cells),)))
    looks = [page(title), mails("subject:shopping"), look("search_shop_coupons")]
    kinds = dict.fromkeys(item.kind for item in rows)
    looks += [look("search_shop_products", "get_shop_product", key="product_id", words=kind) for kind in kinds]
    offers = anything[ORDERS] | {"state": "offered"}
    others = [code for code, *_ in COUPONS_KEPT if code != best.coupon]
    # How the total comes about may be told beside it.
    prices = {item.price * count for item, count in best.lines} | {item.price for item, _ in best.lines}
    whole = sum(item.price * count for item, count in best.lines)
    parts = {whole, whole - best.total, FEES["standard"], FREE_FROM, *prices}
    parts |= {cents for code, _, *values, _, _ in COUPONS_KEPT if code == best.coupon for cents in values}
    total = Number(best.total / 100, "USD", context=tuple(sorted(each / 100 for each in parts)))
    return Job(
        f'{user} The rules are on the page "{title}" of my notes, and there was a mail about the shopping later. The '
        "coupons that I have can be used, one at most; its minimum has to be reached by the things that it is for. "
        "Standard shipping counts, too. Put the best choice into the cart of the shop, which is empty now, and do not "
        "order it. Then tell me with which coupon to order it, "
        f"and what it will cost with it, shipping included{', and how many points of joy it makes' if points else ''}.",
        TOOLS,
        looks,
        deeds,
        f"The cart is filled. It is to be ordered with the coupon {best.coupon}, and comes to {money(best.total)}."
        + (f" It makes {points} points." if points else ""),
        [
            *(Entity(best.coupon, instead_of=others), total),
            *([Number(points, "point")] if points else []),
        ],
        texts,
        more={"allowed": [added(ORDERS, 30, **offers), added(LINES, 300, **anything[LINES])], "secrets": [best.coupon]},
    ).task()


def _returnable(lines: Choice) -> bool:
    return all(item.return_days >= 14 for item, _ in lines)


def _one_of_each(world: World, title: str, kinds: Sequence[tuple[str, str, int]], same: int, rule: int) -> Task:
    """One of each kind; some of one maker, not too much of a colour, and all can be returned."""
    colours = world.choice(("white", "black"), ("sand", "slate"), ("ivory", "navy"))
    first, second, third, fourth = (kind for kind, *_ in (*kinds, *kinds)[same : same + 4])
    most = len(kinds) // 2

    def fits(lines: Choice) -> bool:
        by_kind = {item.kind: item for item, _ in lines}
        makers = {item.maker for item, _ in lines}
        dark = sum(item.option == colours[1] for item, _ in lines)
        is_set = by_kind[first].maker == by_kind[second].maker
        if rule == 2:
            other = by_kind[third].maker
            return is_set and other == by_kind[fourth].maker != by_kind[first].maker and dark == most
        return is_set and (dark <= most if rule else len(makers) == 3 and dark >= 2) and _returnable(lines)

    for _ in range(200):
        items = _drawn(world, kinds, colours, 3)
        choices = [[((item, 1),) for item in items if item.kind == kind and item.return_days] for kind, *_ in kinds]
        if all(choices) and (best := _best(choices, fits, lambda _, total: total)):
            break
    else:
        raise DrawError("no basket is clearly the best")
    extra = f"{('at least two', f'at most {most}', f'exactly {most}')[rule]} of the things are {colours[1]}"
    notes = put_page(
        world,
        title,
        f"We need exactly one of each: {', '.join(kind for kind, *_ in kinds)}. The {first} and the {second} have to "
        f"be of the same maker. {extra.capitalize()}. Nothing that cannot be given back for at least a week.",
    )
    late = "make sure that we can return everything for at least two weeks"
    if not rule:
        late += ", and that three different makers are in it, for comparison"
    if rule == 2:
        late += f", and take the {third} and the {fourth} of one maker as well, but not of the one of the first two"
    text = f"About the shopping: {late}. The rest is as it stands in the notes; the cheapest sum of all wins."
    mail = put_mail(world, world.friend.name, "Our shopping list", text, -2)
    user = "Please find the cheapest way to buy what we need in the online shop."
    return _job(world, _put_shop(world, items), best, user, title, (notes["content"], mail["body"]))


# A model takes the cheapest of each kind with the largest coupon, and does not see that a dearer item that lifts the
# sum of a department over the minimum of its coupon makes the whole cheaper.
@scenario(apps=APPS)
def fill_cart_for_tea_room(world: World) -> Task:
    """Buy one of each of five things as cheaply as possible under rules on makers, colours and returns."""
    kinds = (("tea pot", "kitchen", 2_600), ("tea cup", "kitchen", 1_150), ("lantern", "garden", 3_100))
    return _one_of_each(
        world, "Tea room", (*kinds, ("planter", "garden", 2_400), ("toaster", "electronics", 3_900)), 0, 1
    )


# Three makers have to be in it while two things are of one: whoever repairs a greedy choice step by step ends beside
# the optimum.
@scenario(apps=APPS)
def fill_cart_for_camp_kitchen(world: World) -> Task:
    """Buy one of each of five things, with all makers among them and a set of one maker."""
    kinds = (("stove", "garden", 3_600), ("kettle", "kitchen", 1_900), ("pan", "kitchen", 2_300))
    return _one_of_each(
        world, "Camp kitchen", (*kinds, ("hammock", "garden", 3_300), ("radio", "electronics", 2_700)), 1, 0
    )


# Two sets that must differ, and so many of a colour: of a dozen near ties one has the coupon on its side.
@scenario(apps=APPS)
def fill_cart_for_reading_corner(world: World) -> Task:
    """Buy one of each of six things as cheaply as possible, with two sets of different makers."""
    kinds = (
        ("reading lamp", "electronics", 2_900),
        ("clip light", "electronics", 1_700),
        ("cushion", "clothing", 2_100),
    )
    more = (("throw", "clothing", 2_600), ("cocoa pot", "kitchen", 2_300), ("fern stand", "garden", 3_000))
    return _one_of_each(world, "Reading corner", (*kinds, *more), 0, 2)


# A model buys the pack with the lowest price apiece, although what is over costs more than smaller packs, and forgets
# that there are only so many of one.
@scenario(apps=APPS)
def fill_cart_with_party_packs(world: World) -> Task:
    """Buy at least so many pieces of three kinds in packs of different sizes, as cheaply as possible."""
    draw, title = world.draw("shop"), world.phrase("Summer party", "Street festival", "Lantern evening")
    kinds = (("paper lantern", "kitchen", 46, 92), ("torch", "garden", 31, 148), ("glow stick", "toys", 38, 81))
    need = {kind: world.integer(number, number - 6, number + 9) for kind, _, number, _ in kinds}
    packs = (("pack of 6", 6, 108), ("pack of 10", 10, 97), ("pack of 25", 25, 88))
    for _ in range(200):
        items, choices, makers = list[Item](), list[list[Choice]](), world.choice(*MAKERS)
        for kind, department, _, cents in kinds:
            own = list[tuple[Item, int]]()
            for option, size, percent in packs:
                price = cents * size * draw.integer(percent - 8, percent + 12) // 100
                full = price if draw.chance(0.6) else price * 5 // 4
                own.append(
                    (Item(kind, makers[len(own)], option, department, price, full, draw.integer(1, 5), 30), size)
                )
            items += [item for item, _ in own]
            bundles = list[tuple[int, Choice]]()
            for numbers in itertools.product(*(range(item.stock + 1) for item, _ in own)):
                count = sum(number * size for number, (_, size) in zip(numbers, own, strict=True))
                lines = tuple((item, number) for number, (item, _) in zip(numbers, own, strict=True) if number)
                bundles += [(sum(item.price * number for item, number in lines), lines)] if count >= need[kind] else []
            # No coupon is worth more than thirteen dollars here, and shipping is free in any case.
            least = min((cents for cents, _ in bundles), default=0)
            choices.append([lines for cents, lines in bundles if cents < least + 1_300])
        if all(choices) and (best := _best(choices, lambda lines: True, lambda _, total: total, 12)):
            break
    else:
        raise DrawError("no basket is clearly the best")
    wanted = ", ".join(f"{number + 4 if kind == kinds[0][0] else number} {kind}s" for kind, number in need.items())
    notes = put_page(
        world, title, f"At least {wanted}; makers do not matter, some can be left over. Only what is there now."
    )
    text = f"About the shopping: four people have cancelled, so {need[kinds[0][0]]} {kinds[0][0]}s are enough."
    mail = put_mail(world, world.friend.name, "Our shopping list", text, -2)
    user = f"Please find the cheapest way to buy what we need for the {title.lower()} in the online shop."
    return _job(world, _put_shop(world, items), best, user, title, (notes["content"], mail["body"]))


def _presents(world: World, title: str, kinds: Sequence[tuple[str, str]], *, least: bool) -> Task:
    """A present for each of six people by rules: as much joy as a budget allows, or at least so much joy for little."""
    draw, prices = world.draw("shop"), [(*kind, 2_400) for kind in kinds]
    people = world.choice(
        ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"),
        ("Fay", "Gil", "Hal", "Ivy", "Jon", "Kit"),
        ("Kim", "Lee", "Mia", "Ned", "Oda", "Pat"),
    )
    for _ in range(300):
        items = _drawn(world, prices, ("classic", "deluxe"), 3)
        joy = {item: draw.integer(2, 9) + 3 * (item.price > 2_500) for item in items}
        a, b, c = draw.sample(range(6), 3)
        late = draw.choice([item for item in items if item.kind == kinds[a][0]])
        told = joy | {late: joy[late] + draw.choice((-5, 5))}
        choices = [[((i, 1),) for i in items if i.kind == kind and i.return_days >= 14] for kind, _ in kinds]
        choices[c] = [part for part in choices[c] if part[0][0].option == "classic"]
        if not all(choices):
            continue
        cheap = sum(min(part[0][0].price for part in kind) for kind in choices)
        budget = (cheap + 2_450) // 100 * 100
        need = sum(max(joy[part[0][0]] for part in kind) for kind in choices) - 8

        def fits(
            lines: Choice, a: int = a, b: int = b, most: int = budget, need: int = need, joy: dict[Item, int] = joy
        ) -> bool:
            # No coupon takes more than a fifth off, and shipping is the least of it.
            is_near = least or sum(item.price for item, _ in lines) * 4 // 5 < most
            few = sum(item.option == "deluxe" for item, _ in lines) <= 3 and lines[a][0].maker != lines[b][0].maker
            return few and is_near and sum(joy[item] for item, _ in lines) >= (need if least else need - 12)

        def goal(lines: Choice, total: int, most: int = budget, joy: dict[Item, int] = joy) -> float:
            return total - (0 if least else 10**6 * sum(joy[item] for item, _ in lines)) + 10**9 * (total > most)

        if least:
            budget = 10**8
        if (best := _best(choices, fits, goal)) and best.total <= budget - 40:
            break
    else:
        raise DrawError("no basket is clearly the best")
    points = 0 if least else sum(joy[item] for item, _ in best.lines)
    lines = [
        f"{person} ({kind}): " + ", ".join(f"{i.maker} {i.option} {told[i]}" for i in items if i.kind == kind)
        for person, (kind, _) in zip(people, kinds, strict=True)
    ]
    notes = put_page(
        world,
        title,
        "One present for everybody, of the kind in brackets, and at most three of them deluxe. Points of joy:\n"
        + "\n".join(lines),
    )
    wish = (
        f"We may spend {money(budget)} in all, coupon off and shipping included, and want as many points together as "
    )
    wish += "possible; if several ways make as many, the cheapest of them."
    if least:
        wish = f"It has to make {need} points together at least, and be as cheap as possible with that."
    text = (
        f"About the shopping: {wish} The points of the {late.maker} {late.option} for {people[a]} are wrong: it is "
        f"{joy[late]}. {people[a]} and {people[b]} sit side by side, so nothing of the same maker for these two. "
        f"{people[c]} gets nothing deluxe. And only things that can be returned for two weeks or longer."
    )
    mail = put_mail(world, world.friend.name, "Our shopping list", text, -2)
    user = "Please find out which presents from the online shop are the best for us."
    return _job(world, _put_shop(world, items), best, user, title, (notes["content"], mail["body"]), points)


# A model maximises the points person by person and is over the budget by the shipping, or under it because it did not
# see that a coupon applies only with the dearer present.
@scenario(apps=APPS)
def fill_cart_with_presents(world: World) -> Task:
    """Choose a present for each of six people, with as much joy as a budget allows."""
    kinds = (("puzzle", "toys"), ("scarf", "clothing"), ("herb box", "garden"), ("tea tin", "pantry"))
    title = world.phrase("Presents for the team", "Presents for the crew", "Gifts of the choir")
    return _presents(world, title, (*kinds, ("mug", "kitchen"), ("watering can", "garden")), least=False)


# What is cheap for its points one by one is not what is cheap together: department coupons, the pair that must differ.
@scenario(apps=APPS)
def fill_cart_with_prizes(world: World) -> Task:
    """Choose a prize for each of six people as cheaply as possible, with so much joy at least."""
    kinds = (("teapot", "kitchen"), ("kite", "toys"), ("fern", "garden"), ("rain cape", "clothing"))
    title = world.phrase("Prizes of the quiz", "Prizes of the race", "Prizes of the fair")
    return _presents(world, title, (*kinds, ("honey set", "pantry"), ("pepper mill", "kitchen")), least=True)
