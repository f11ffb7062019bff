"""Wishes about orders of a shop: some are cancelled, some go back, and for some it is too late."""

from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.shop.rows import order_rows, product_row, return_row, variant_row
from tool_sandbox.apps.shop.tables import ADDRESSES, LINES, ORDERS, PRODUCTS, RETURNS, VARIANTS
from tool_sandbox.apps.wallet.rows import account_row, transaction_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, TRANSACTIONS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.recovery.stage import Steps, together
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Row,
    item_becomes,
    mailed,
    put_checklist,
    put_mail,
    put_page,
    read_checklist,
    read_mails,
    read_page,
)
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import (
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    changed,
    in_any_order,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

GOODS = (
    "Anvil", "Birdbath", "Compass", "Dartboard", "Easel", "Flask", "Globe", "Hammock", "Inkwell", "Jigsaw",
    "Kaleidoscope",
    "Lantern", "Metronome", "Nutcracker", "Ocarina", "Pedometer", "Quilt", "Rucksack", "Sundial", "Telescope",
    "Ukulele",
    "Voltmeter", "Windmill", "Xylophone", "Yoyo", "Zither",
)  # fmt: skip
CASES = (
    ("cancel", "placed", ""), ("cancel", "placed", "shared"), ("cancel", "sent", ""), ("cancel", "here", ""),
    ("cancel", "here", "final"), ("cancel", "old", ""), ("too small", "here", ""), ("too large", "here", "several"),
    ("do not like it", "here", "final"), ("damaged", "here", "final"), ("damaged", "old", ""), ("damaged", "ancient",
    ""),
    ("wrong item", "old", "several"), ("do not like it", "old", ""), ("too small", "sent", ""), ("too large", "placed",
    ""),
    ("do not like it", "here", "back"), ("wrong item", "here", "twice"), ("too small", "edge", ""),
)  # fmt: skip
"""What is wanted, where the order is, and what else is the matter with it."""
AGES = {"placed": (0, 0), "sent": (2, 0), "here": (12, 6), "edge": (36, 30), "old": (43, 38), "ancient": (75, 66)}
"""Days ago on which an order was placed and came; 30 days after that most things can be sent back."""
WISHES = {
    "cancel": "{0}: cancel it", "too small": "{0}: back, it is too small", "too large": "{0}: back, it is too large",
    "damaged": "{0}: back, it has a crack", "wrong item": "{0}: back, this is not what we ordered",
    "do not like it": "{0}: back, we just do not like it",
}  # fmt: skip
PAGE = (
    "Sending back:\n1. What is to be cancelled and has come already is sent back instead, because we do not like "
    "it. What is to go back and has not been sent yet is cancelled instead.\n2. An order is cancelled only if "
    "nothing else is in it that stays with us.\n3. All of one thing go back that are still with us, whatever their "
    "number.\n4. What is not possible has one of these reasons: not alone (rule 2), under way (sent, and not here "
    "yet), final sale, too late (it can no longer go back for that reason), back already (all of it is on its way "
    "back)."
)


@attrs.frozen
class Wish:
    """Something that is wanted, what becomes of it, and how much money comes back."""

    name: str
    text: str
    end: str
    money: int
    goals: tuple[Node, ...]
    allowed: tuple[Node, ...]
    calls: tuple[str, str, int]
    kept: tuple[Node, ...] = ()


def wishes(world: World) -> list[Wish]:
    """Puts orders of all kinds, and wants something of each."""
    draw = world.draw("shop")
    account = world.put(ACCOUNTS, account_row(world.draw("wallet"), "Orders", "current", "USD", 0, 100_000))
    home, names, found = world.stored(ADDRESSES)[0], draw.sample(GOODS, len(CASES) + 6), list[Wish]()
    ship_to = ", ".join(home[part] for part in ("recipient", "street", "postcode", "city"))
    for number, (wanted, state, more) in enumerate(draw.sample(CASES, len(CASES))):
        name, count = names.pop(), draw.integer(2, 4) if more in ("several", "back", "twice") else 1
        goods = []
        for each in (name, *([names.pop()] if more in ("shared", "twice") else [])):
            final = more == "final" and each == name
            product = world.put(
                PRODUCTS, product_row(draw, each, "toys", "Final sale." if final else "Nice.", 0 if final else 30)
            )
            variant = world.put(
                VARIANTS, variant_row(draw, product, "blue", draw.integer(900, 9900), draw.integer(2, 9))
            )
            goods.append((variant, count if each == name else 1, variant["list_price"] - draw.integer(0, 90)))
        days, came = AGES[state]
        booked = draw.ago(8 + number) if state == "placed" else draw.moment(-days, 10, number)
        total = sum(each * price for _, each, price in goods)
        total -= 0 if more in ("back", "twice") else draw.integer(0, 1) * (total // 10)
        paid = transaction_row(world.draw("wallet"), account, -total, "Online shop", name, booked)
        account["opening_balance"] += total
        world.put(TRANSACTIONS, paid)
        times: dict[str, Any] = (
            {} if state == "placed" else {"ships_at": draw.moment(-days + 1, 9), "delivers_at": draw.moment(-came, 14)}
        )
        times |= {"delivers_at": draw.moment(3, 14)} if state == "sent" else {}
        order, lines = order_rows(draw, paid, goods, ship_to, **times)
        world.put(ORDERS, order)
        for line in lines:
            world.put(LINES, line)
        back = count if more == "back" else 1 if more == "twice" else 0
        if back:
            world.put(RETURNS, return_row(draw, lines[0], "damaged", draw.moment(-2, 9), quantity=back))
        found.append(_wish(name, wanted, state, more, order, lines[0], count - back, paid))
    return found


def _sum(found: list[Wish], without: Sequence[Wish] = (), *beside: int) -> Number:
    """How much money comes back; what comes back for single things may be told beside it."""
    total = sum(wish.money for wish in found if wish not in without)
    parts = sorted({cents / 100 for cents in (*beside, *(wish.money for wish in found))})
    return Number(total / 100, "USD", context=tuple(parts))


def _wish(name: str, wanted: str, state: str, more: str, order: Row, line: Row, left: int, paid: Row) -> Wish:
    """What has to become of a wish."""
    reason, text = "do not like it" if wanted == "cancel" else wanted, WISHES[wanted].format(name)
    is_fault = reason in ("damaged", "wrong item")
    end = "not alone" if state == "placed" and more == "shared" else "under way" if state == "sent" else ""
    if state not in ("placed", "sent"):
        late = state == "ancient" if is_fault else state in ("old", "ancient")
        end = (
            "back already"
            if not left
            else "final sale"
            if more == "final" and not is_fault
            else "too late"
            if late
            else ""
        )
    if end:
        return Wish(name, text, end, 0, (), (), ("", "", 0))
    if state == "placed":
        goal = changed(ORDERS, {"order_id": order["order_id"]}, state="cancelled")
        free = (changed(VARIANTS, {"variant_id": line["variant_id"]}, stock=Anything()),
                changed(TRANSACTIONS, {"transaction_id": paid["transaction_id"]}, cancelled=True))  # fmt: skip
        return Wish(name, text, "done", order["total"], (goal,), free, ("cancel", "", 0))
    goal = added(RETURNS, line_id=line["line_id"], quantity=left, reason=reason)
    whole = line["quantity"] * line["unit_price"] - line["discount"]
    gone = line["quantity"] - left
    money = whole - whole * gone // line["quantity"]
    kept = [added(RETURNS, line_id=line["line_id"], quantity=left, reason=reason, cancelled=is_kept)
            for is_kept in (True, Anything())]  # fmt: skip
    return Wish(name, text, "done", money, (goal,), (), ("return", reason, left), tuple(kept))


def _fulfil(found: list[Wish]) -> Steps:
    """Looks all orders up, and cancels or sends back what can be."""
    pages = yield from together(call("search_shop_orders", words=wish.name) for wish in found)
    orders = yield from together(call("get_shop_order", order_id=page["results"][0]["order_id"]) for page in pages)
    steps = []
    for wish, order in zip(found, orders, strict=True):
        act, reason, count = wish.calls
        [line] = [each for each in order["lines"] if each["name"].startswith(wish.name)]
        if act == "cancel":
            steps.append(call("cancel_shop_order", order_id=order["order_id"]))
        elif act == "return":
            steps.append(call("request_shop_return", line_id=line["line_id"], reason=reason, quantity=count))
    for tool in ("cancel_shop_order", "request_shop_return"):
        yield from together(step for step in steps if step.tool == tool)


TOOLS = ("search_note_pages", "get_note_page", "search_shop_orders", "get_shop_order", "search_shop_returns",
    "get_shop_product", *NOW,
         "cancel_shop_order", "request_shop_return", "cancel_shop_return", "reorder_shop_order")  # fmt: skip


def _list(world: World, *, keeps: bool) -> Task:
    """Cancel and send back what is on a list as far as that is possible, and note why the rest is not."""
    title, found = world.phrase("Back to the shop", "Not wanted", "Away with it"), wishes(world)
    put_page(world, "Sending back", PAGE)
    items, kept = put_checklist(world, title, [wish.text for wish in found]), list[Wish]()
    if keeps:
        kept = [next(wish for wish in found if wish.kept), next(wish for wish in found if wish.calls[0] == "cancel")]
        kept.append([wish for wish in found if wish.kept][-1])
    back = [wish for wish in kept if wish.kept]
    totals = [sum(wish.money for wish in found), sum(wish.money for wish in found if wish not in back)]

    def solution() -> Solution:
        yield from read_page("Sending back")
        rows = yield from read_checklist(title)
        yield from _fulfil(found)
        lines = [(row["item_id"], f"{row['content']} ({wish.end})") for row, wish in zip(rows, found, strict=True)]
        yield from together(call("modify_checklist_item", item_id=key, content=line) for key, line in lines)
        yield say(f"In all there are ${totals[0] / 100:.2f} that come back.")
        sent = (yield call("search_shop_returns", state="requested", limit=50))["results"] if keeps else []
        for wish in back:
            [row] = [row for row in sent if row["name"].startswith(wish.name) and row["reason"] == wish.calls[1]]
            yield call("cancel_shop_return", return_id=row["return_id"])
            [item] = [row for row, other in zip(rows, found, strict=True) if other is wish]
            yield call("modify_checklist_item", item_id=item["item_id"], content=f"{item['content']} (kept)")
        if keeps:
            yield say(f"Now there are ${totals[1] / 100:.2f} that come back.")

    later = (
        f"Sorry, we keep these after all: {', '.join(wish.name for wish in kept)}. Put a stop to it where that "
        "still can be done, and write (kept) there in place of (done); where it cannot, leave the item as it is "
        "and order nothing again. How much money comes back now?"
    )
    both = [*zip(items, found, strict=True)]
    return Task(
        user=(
            f'Go through my checklist "{title}" and do at the online shop what stands there, as far as that is '
            'possible; my page "Sending back" says how. Add to each item in brackets how it ended: (done), or the '
            'reason in the words of the page. Then tell me how much money comes back in all, once everything that you '
            'cancelled or sent back is settled; what was on its way back before does not count.',
            *([later] if keeps else []),
        ),
        tools=[*TOOLS, "search_checklists", "get_checklist", "modify_checklist_item", "delete_checklist_item"],
        milestones=[
            *in_any_order(
                *(item_becomes(item, f"{wish.text} (done)").passing().named(wish.name) for item, wish in both
                  if wish in back),
                *(goal for wish in found for goal in (wish.kept[:1] if wish in back else wish.goals)),
                *(item_becomes(item, f"{wish.text} ({wish.end})") for item, wish in both if wish not in back),
                *([answer_for_now(_sum(found))] if keeps else []),
            ),
            *in_any_order(*(item_becomes(item, f"{wish.text} (kept)") for item, wish in both if wish in back)),
            answer(_sum(found, back, totals[0])),
        ],
        allowed=[
            *(each for wish in found for each in wish.allowed),
            *(node for wish in back for node in wish.kept[1:]),
            *(item_becomes(item, f"{wish.text} (done)") for item, wish in zip(items, found,
                strict=True) if wish in back),
        ],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: 19 orders, each of which has to be opened for its state, its last day and what else
# is in it; a wish turns into another one; the money is added up from prices, numbers and discounts.
@scenario(apps=("shop", "wallet", "notes"))
def cancel_and_send_back_what_can_be(world: World) -> Task:
    """Cancel and send back what is on a list as far as that is possible, and note why the rest is not."""
    return _list(world, keeps=False)


# The same; then some of it is to be kept, which can be done of what is sent back and not of what is cancelled.
@scenario(apps=("shop", "wallet", "notes"))
def send_back_and_keep_some_after_all(world: World) -> Task:
    """Cancel and send back what can be, then keep some of it after all where that is still possible."""
    return _list(world, keeps=True)


# Where a very good model slips: as above for three people, each of whom is told the own sum and no other.
@scenario(apps=("shop", "wallet", "notes", "mail"))
def send_back_what_three_people_want(world: World) -> Task:
    """Do what three people wish about orders as far as it is possible, and tell each how much comes back."""
    topic, found = world.phrase("Things to go back", "What we do not keep", "Parcels"), wishes(world)
    put_page(world, "Sending back", PAGE)
    people, draw = world.draw("mail").people[3:6], world.draw("mail")
    parts = {person.name: found[number::3] for number, person in enumerate(people)}
    for number, person in enumerate(people):
        for place, some in enumerate((parts[person.name][::2], parts[person.name][1::2])):
            text = "\n".join(wish.text for wish in some)
            put_mail(world, person, topic, text, draw.moment(place - 3, 9, number))
    sums = {person.email: sum(wish.money for wish in parts[person.name]) for person in people}
    undone = {person.email: sum(wish.end != "done" for wish in parts[person.name]) for person in people}

    def solution() -> Solution:
        yield from read_page("Sending back")
        mails = yield from read_mails(f'subject:"{topic}"')
        yield from _fulfil(found)
        bodies = {to: f"${sums[to] / 100:.2f} come back. There are {undone[to]} things for which nothing can be done."
                  for to in dict.fromkeys(mail["from_address"] for mail in mails)}  # fmt: skip
        yield from together(call("send_mail", to=[to], subject=topic, body=body) for to, body in bodies.items())
        yield say(f"There are {sum(undone.values())} things for which nothing can be done.")

    return Task(
        user=f'{people[0].name}, {people[1].name} and {people[2].name} have told me by mails with the subject '
            f'"{topic}" what they want of orders of ours at the online shop. Do it as far as that is possible; my '
            'page "Sending back" says how. Then write one new mail to each of them: how much money comes back for his '
            'or her things in all, and for how many of them nothing can be done. Tell me for how many things of all '
            'three nothing can be done.',
        tools=[*TOOLS, "search_mail", "get_mail", "send_mail", "reply_to_mail"],
        milestones=[
            *in_any_order(*(goal for wish in found for goal in wish.goals)),
            *in_any_order(*(mailed(person.email, _sum(parts[person.name]), Number(undone[person.email],
                "thing"))
                            for person in people)),
            answer(Number(sum(undone.values()), "thing")),
        ],
        allowed=[NEW_THREAD] * 3 + [each for wish in found for each in wish.allowed],
        solution=solution,
    )  # fmt: skip
