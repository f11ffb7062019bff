"""The online shop: addresses, the cart, what things cost, and orders."""

from typing import Any

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.shop.rows import product_row, variant_row
from tool_sandbox.apps.shop.tables import ADDRESSES, CART, PRODUCTS, VARIANTS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import SameWords
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    Task,
    added,
    answer,
    call,
    called,
    cannot,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

SHOP = ("wallet", "shop")


def _put_product(world: World, name: str, options: tuple[str, ...], cents: int, stock: int = 9) -> list[dict[str, Any]]:
    """A product of the garden department, each option dearer than the one before; gives its variants."""
    draw = world.draw("shop")
    product = world.put(PRODUCTS, product_row(draw, name, "garden", "Made to last for many summers."))
    return [
        world.put(VARIANTS, variant_row(draw, product, option, cents + 310 * place, stock))
        for place, option in enumerate(options)
    ]


def _put_item(world: World, variant: dict[str, Any], quantity: int) -> dict[str, Any]:
    """An item in the cart."""
    key = {"cart_item_id": world.draw("shop").key("cart_item")}
    return world.put(CART, key | {"variant_id": variant["variant_id"], "quantity": quantity})


def _put_address(world: World, label: str, recipient: str, street: str) -> dict[str, Any]:
    """An address that is not the usual one."""
    cells = {"label": label, "recipient": recipient, "street": street, "postcode": "30417", "city": "Ravensmoor"}
    return world.put(ADDRESSES, {"address_id": world.draw("shop").key("address"), **cells, "is_default": False})


@scenario(apps=SHOP)
def add_address_of_present(world: World) -> Task:
    """Add an address to which a present can go."""
    label, recipient, street, city = world.choice(
        ("boathouse", "Ottilie Brandt", "17 Ferry Steps", "Ravensmoor"),
        ("allotment", "Casimir Holt", "4 Orchard Rise", "Thornwick"),
        ("rehearsal room", "Philippa Voss", "92 Tannery Row", "Ellersby"),
    )
    postcode = f"{world.integer(30417, 30_000, 39_999)}"
    cells = {"label": label, "recipient": recipient, "street": street, "postcode": postcode, "city": city}
    wanted: dict[str, Any] = {name: SameWords(text) for name, text in cells.items()} | {"postcode": postcode}
    return Task(
        user=world.phrase(
            f'Add an address in the online shop under the label "{label}": {recipient}, {street}, {postcode} {city}.',
            f'Please save this address for orders of the online shop as "{label}": {recipient}, {street}, '
            f"{postcode} {city}.",
        ),
        tools=["add_shipping_address"],
        milestones=[added(ADDRESSES, **wanted)],
        solution=[call("add_shipping_address", **cells), say(f'I\'ve added the address "{label}".')],
    )


@scenario(apps=SHOP)
def delete_one_address(world: World) -> Task:
    """Delete one of two addresses in the same city."""
    first, second = world.choice(
        (("boathouse", "Ottilie Brandt", "17 Ferry Steps"), ("old boathouse", "Ottilie Brandt", "3 Ferry Steps")),
        (("allotment", "Casimir Holt", "4 Orchard Rise"), ("old allotment", "Casimir Holt", "61 Orchard Rise")),
        (("studio", "Philippa Voss", "92 Tannery Row"), ("old studio", "Philippa Voss", "8 Tannery Row")),
    )
    _put_address(world, *first)
    gone = _put_address(world, *second)

    def solution() -> Solution:
        found = yield call("search_shipping_addresses", words=second[0])
        yield call("delete_shipping_address", address_id=found["results"][0]["address_id"])
        yield say(f'The address "{second[0]}" is deleted.')

    return Task(
        user=world.phrase(
            f'Delete the address with the label "{second[0]}" from the online shop, please.',
            f'I no longer need the address "{second[0]}" in the online shop. Please delete it.',
        ),
        tools=["search_shipping_addresses", "delete_shipping_address"],
        milestones=[removed(ADDRESSES, address_id=gone["address_id"])],
        solution=solution,
    )


@scenario(apps=SHOP)
def put_variant_in_cart(world: World) -> Task:
    """Put several of one variant of a product into the cart."""
    name, options = world.choice(
        ("Thistledown hammock", ("single", "double", "family")),
        ("Pebblebrook birdbath", ("granite", "bronze", "slate")),
        ("Marigold trellis", ("low", "medium", "tall")),
    )
    place, quantity = world.integer(1, 0, 2), world.integer(3, 2, 5)
    variant = _put_product(world, name, options, 2_490)[place]

    def solution() -> Solution:
        products = yield call("search_shop_products", words=name)
        product = yield call("get_shop_product", product_id=products["results"][0]["product_id"])
        chosen = next(row for row in product["variants"] if row["option"] == options[place])
        yield call("add_to_shop_cart", variant_id=chosen["variant_id"], quantity=quantity)
        yield say(f"{quantity} of {name}, {options[place]}, are in your cart.")

    return Task(
        user=world.phrase(
            f'Put {quantity} of the "{name}", option "{options[place]}", into my cart of the online shop.',
            f'I want {quantity} pieces of the "{name}" in the option "{options[place]}". Add them to my shop cart, '
            "please.",
        ),
        tools=["search_shop_products", "get_shop_product", "add_to_shop_cart"],
        milestones=[added(CART, variant_id=variant["variant_id"], quantity=quantity)],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=SHOP)
def tidy_up_cart(world: World) -> Task:
    """Take one item out of the cart and set the quantity of another one."""
    first, second, options = world.choice(
        ("Thistledown hammock", "Pebblebrook birdbath", ("pale", "dark")),
        ("Marigold trellis", "Thistledown hammock", ("low", "tall")),
        ("Pebblebrook birdbath", "Marigold trellis", ("small", "wide")),
    )
    quantity = world.integer(4, 3, 8)
    out = _put_item(world, _put_product(world, first, options, 2_490)[0], 1)
    kept = _put_item(world, _put_product(world, second, options, 3_190)[1], 2)

    def solution() -> Solution:
        items = (yield call("get_shop_cart"))["items"]
        ids = {row["name"].partition(",")[0]: row["cart_item_id"] for row in items}
        yield call("remove_from_shop_cart", cart_item_id=ids[first])
        yield call("modify_shop_cart_item", cart_item_id=ids[second], quantity=quantity)
        yield say(f"The {first} is out of the cart, and there are {quantity} of the {second}.")

    return Task(
        user=world.phrase(
            f"In my shop cart, take out the {first} and make it {quantity} of the {second} in all.",
            f"Please remove the {first} from my cart of the online shop, and set the {second} to {quantity} pieces.",
        ),
        tools=["get_shop_cart", "modify_shop_cart_item", "remove_from_shop_cart"],
        milestones=[
            removed(CART, cart_item_id=out["cart_item_id"]),
            changed(CART, {"cart_item_id": kept["cart_item_id"]}, quantity=quantity).after(),
        ],
        solution=solution,
    )


@scenario(apps=SHOP, content="medium")
def stock_of_variant(world: World) -> Task:
    """Say how many of one variant of a product are there, where of others there are more or fewer."""
    name, options = world.choice(
        ("Thistledown hammock", ("single", "double", "family")),
        ("Pebblebrook birdbath", ("granite", "bronze", "slate")),
        ("Marigold trellis", ("low", "medium", "tall")),
    )
    place, stock = world.integer(1, 0, 2), world.integer(37, 31, 49)
    variants = _put_product(world, name, options, 2_490)
    for number, variant in enumerate(variants):
        variant["stock"] = stock + 13 * number
    there = variants[place]["stock"]

    def solution() -> Solution:
        products = yield call("search_shop_products", words=name)
        product = yield call("get_shop_product", product_id=products["results"][0]["product_id"])
        chosen = next(row for row in product["variants"] if row["option"] == options[place])
        yield say(f"The stock of the {name} in the option {options[place]} is {chosen['stock']} now.")

    return Task(
        user=world.phrase(
            f'How many pieces of the "{name}", option "{options[place]}", does the online shop have now?',
            f'What is the stock of the "{name}" in the option "{options[place]}" in the online shop?',
        ),
        tools=["search_shop_products", "get_shop_product"],
        milestones=[called("get_shop_product", product_id=variants[0]["product_id"]), answer(Number(there))],
        solution=solution,
    )


@scenario(ScenarioCategories.SINGLE_TOOL_CALL, apps=SHOP, twin="put_variant_in_cart")
def put_unknown_product_in_cart(world: World) -> Task:
    """Say that the shop does not have a product."""
    name, other = world.choice(
        ("Thistledown hammock", "Thistledown parasol"),
        ("Pebblebrook birdbath", "Pebblebrook fountain"),
        ("Marigold trellis", "Marigold lantern"),
    )
    _put_product(world, other, ("small", "large"), 2_490)
    return Task(
        user=world.phrase(
            f'Put one "{name}" into my cart of the online shop, any option will do.',
            f'I want a "{name}", no matter which option. Add it to my shop cart, please.',
        ),
        tools=["search_shop_products", "get_shop_product", "add_to_shop_cart"],
        milestones=[
            called("search_shop_products"),
            answer(cannot(NOT_FOUND, about=(name, "product"), task="add")),
        ],
        solution=[
            call("search_shop_products", words=name),
            say(f"I can't add it to the cart: there is no product {name} in the online shop."),
        ],
    )
