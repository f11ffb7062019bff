"""Bills by mail, of which some must not be paid and some cannot: the money or the limit of the day does not reach."""

from collections.abc import Callable, Generator, Sequence
from itertools import accumulate
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Draw, Person
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.apps.wallet.rows import account_row, order_row, payee_row, transaction_row, transfer_rows
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, STANDING_ORDERS, TRANSACTIONS, TRANSFERS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.recovery.stage import together
from tool_sandbox.scenarios.hard.sources.placing import (
    Row,
    bookings,
    edits,
    item_becomes,
    put_chat,
    put_checklist,
    put_mail,
    put_page,
    put_post,
    read_chat,
    read_checklist,
    read_mails,
    read_page,
)
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    called,
    changed,
    in_any_order,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Solution

FIRMS = (
    "Alder Roofing", "Birch Glazing", "Cedar Plumbing", "Dogwood Movers", "Elm Printing", "Fir Catering",
    "Gorse Cleaning", "Hazel Insurance", "Ivy Gardening", "Juniper Radio", "Kapok Upholstery", "Larch Towing",
    "Maple Dental", "Nutmeg Bakery", "Olive Press", "Poplar Fencing", "Quince Archive", "Rowan Piano",
    "Spruce Heating", "Teak Flooring", "Umber Paints", "Viburnum Florist", "Willow Cabs", "Yew Locksmiths",
    "Aspen Tiles", "Bramble Signs", "Cherry Joinery", "Damson Optics", "Ebony Tuners",
)  # fmt: skip
KINDS = (
    *["plain"] * 4, "early", "early", "early", "small", "missed", "corrected", "twice", "fee", "paid", "paid", "nearly",
    "part", "part", "credit", "withdrawn", "restored", "order", "lapsed", "stranger", "stranger", "large", "barely",
    "later", "past",
)  # fmt: skip
SUMS: tuple[Callable[[Draw, int], tuple[int, str]], ...] = (
    lambda draw, cents: (cents, f"Our work for you: {usd(cents)}"),
    lambda draw, cents: (27 * (cents // 27), f"{usd(25 * (cents // 27))} net, and 8 percent of tax on top of that"),
    lambda draw, cents: (cents // 100 * 100, f"The first of four equal parts of {usd(cents // 100 * 400)}"),
    lambda draw, cents: _hours(cents, draw.integer(3, 6)),
)
"""How a bill says what it is about: some cents beside the ones that are wanted, and the words."""
TEXTS = {
    "early": "{rate} percent off for whoever pays by {soon}.",
    "small": "Whoever pays by {soon} takes {rate} percent off.",
    "barely": "If you pay by {soon}, you take 5 percent off.",
    "missed": "Whoever pays by {past} takes {rate} percent off.",
    "order": "As always your standing order settles it.",
    "lapsed": "As always your standing order settles it.",
    "later": "Please do not pay before {soon}, our account is not open yet.",
    "past": "Please do not pay before {past}, we are closed until then.",
}
LATER: dict[str, tuple[tuple[str, str], ...]] = {
    "corrected": (("a correction", "It should have been {less} in all. We apologize."),),
    "twice": (("a correction", "We have added up wrong, it is {more} in all."),
              ("once more", "Forget the correction, that one was wrong, too: it is {less} in all.")),
    "fee": (("a reminder", "We have not seen your money yet. With our fee of $7.50 it is {fee} now."),),
    "credit": (("what you sent back", "We owe you {credit} for it. Take that off when you pay this bill."),),
    "withdrawn": (("a mistake", "That went to you by mistake. Nothing is due."),),
    "restored": (("a mistake", "That went to you by mistake. Nothing is due."),
                 ("no mistake", "We mixed you up with somebody. The bill holds as it was.")),
}  # fmt: skip
REASONS = {"paid": "paid before", "withdrawn": "withdrawn", "order": "standing order", "stranger": "no payee",
           "large": "too large", "later": "too early"}  # fmt: skip
PAGE = (
    'How we pay bills (what has changed since stands on the page "Bills: changes"):\n1. What a bill says counts, '
    "unless its writer has corrected it, lowered it or taken it back by a later mail; the last word counts. Fees of "
    "reminders are not paid, the bill itself is. A discount for early payment is taken off where we are still in "
    "time today, and what we pay is then rounded down to the cent.\n2. What is left unpaid gets its reason, the "
    "first one of these that holds, in these words: paid before (the account has a payment to that firm for all of "
    "that bill; if it has one for a part, the rest is paid), withdrawn, standing order (one that is active pays "
    "that firm), no payee (nobody of exactly that name is among the payees; nobody is added), too large (what we "
    "would have to pay is $500.00 or more), too early (its writer asks us not to pay before a day that is still to "
    "come){0}.\n3. All others are paid in this order: {3}. {1} If it does not do for a bill, that bill is left with "
    "the reason {2}, and the next one is tried."
)
CHANGES = (
    "Bills: changes. We decided last week: too large is what makes us pay $450.00 or more. Discounts for early payment "
    "are not taken from bills of less than $100.00 any more, these are paid in full. Everything else stays."
)
VETO = (
    ', veto (whoever has ordered the work, as the bill says, has asked in the chat "{}" not to pay it, and has not '
    "taken that back; it is nobody else's business)"
)
ORDERS = {
    "day": "the earlier the last day on which a bill has to be paid, the earlier it is",
    "size": "first those from which we take a discount, then all others; among either, the more we have to pay for a "
    "bill after all, the earlier it is",
}


def usd(cents: int) -> str:
    """Cents as dollars."""
    return f"${cents / 100:.2f}"


def _hours(cents: int, hours: int) -> tuple[int, str]:
    rate = 5 * (cents * 4 // 5 // hours // 5)
    return cents, f"{hours} hours at {usd(rate)} each, and material for {usd(cents - hours * rate)}"


@attrs.frozen
class Bill:
    """A bill with the amount that is due, or the reason why it is not to be paid."""

    name: str
    firm: str
    due: int
    reason: str
    rank: tuple[bool, int]
    orderer: int


@attrs.define
class Pile:
    """All bills, whom they can be paid to, and how it ends at first and once there is more to spend."""

    account: Row
    bills: list[Bill]
    payees: dict[str, str]
    ends: tuple[dict[str, str], dict[str, str]] = ({}, {})
    money: int = 0
    more: int = 0
    back: str = ""

    def paid(self, part: int) -> list[Bill]:
        """What is paid at first, or what is paid then."""
        return [each for each in self.bills if not self.ends[part][each.name] and (not part or self.ends[0][each.name])]

    def spend(self, money: int, more: int, reason: str) -> bool:
        """Pays as far as the money goes, and on as far as more goes; whether both leave something to be told apart."""
        first = {bill.name: bill.reason for bill in self.bills}
        left = self._on(first, money, reason)
        self.ends = first, {name: "" if end == reason else end for name, end in first.items()}
        again = [bill for bill in self.bills if first[bill.name] == reason]
        for bill in again:
            self.ends[1][bill.name] = reason if bill.due > left + more else ""
            more -= bill.due * (bill.due <= left + more)
        told = [first[bill.name] for bill in self.bills if not bill.reason]
        then = [self.ends[1][bill.name] for bill in again]
        self.money = money
        is_rich = 2 <= told.count(reason) <= 8 and "" in told[told.index(reason) :]
        return is_rich and reason in then and "" in then

    def _on(self, ends: dict[str, str], money: int, reason: str) -> int:
        for bill in [each for each in self.bills if not each.reason]:
            ends[bill.name] = reason if bill.due > money else ""
            money -= bill.due * (bill.due <= money)
        return money


def pile(world: World, own: str, reason: str, by: str, people: Sequence[Person], *, stops: bool = False) -> Pile:
    """Has firms send bills, and finds an amount with which some of them have to wait."""
    draw = world.draw("wallet")
    account = world.put(ACCOUNTS, account_row(draw, own, "current", "USD", 0, 5_000_000))
    found, firms = Pile(account, [], {}), draw.sample(FIRMS, len(KINDS))
    numbers, days = draw.sample(range(1100, 9900), len(KINDS)), draw.sample(range(2, 30), len(KINDS))
    for firm, number, day, kind in zip(firms, numbers, days, draw.sample(KINDS, len(KINDS)), strict=True):
        low, high = {"large": (45_200, 49_900), "barely": (45_100, 45_900), "small": (5_100, 9_800)}.get(
            kind, (10_100, 39_900)
        )
        amount, about = draw.choice(SUMS)(draw, draw.integer(low, high))
        rate, name, orderer, sent = draw.integer(2, 4), f"Bill {number}", draw.integer(0, 3), draw.integer(13, 16)
        off, credit = draw.integer(400, 3900), draw.integer(500, 4900)
        told = {word: f"{world.in_days(ahead):%B} {world.in_days(ahead).day}" for word, ahead in (
            ("soon", draw.integer(1, 4)), ("past", -draw.integer(1, 4)), ("day", day)
        )} | {"rate": rate, "less": usd(amount - off), "more": usd(amount + off), "fee": usd(amount + 750),
              "credit": usd(credit)}  # fmt: skip
        until = draw.choice(("payable until {day}", f"payable within {day + sent} days of the date of this mail"))
        text = (
            f"{about}, {until.format(**told)}. Ordered by {people[orderer].name}. {TEXTS.get(kind, '').format(**told)}"
        )
        put_mail(world, Person(firm, ""), f"{name} of {firm}", text.strip(), draw.moment(-sent, 9, draw.integer(0, 59)))
        for place, (subject, body) in enumerate(LATER.get(kind, ())):
            dated = draw.moment(-draw.integer(7, 9) + 4 * place, 11, draw.integer(0, 59))
            put_mail(world, Person(firm, ""), f"{name}: {subject}", body.format(**told), dated)
        payee = world.put(PAYEES, payee_row(draw, f"{firm} & Sons" if kind == "stranger" else firm))
        found.payees[firm], half = payee["payee_id"], draw.integer(2_100, 4_900)
        if kind in ("paid", "nearly", "part"):
            line = (half if kind == "part" else amount), name if kind != "nearly" else f"Bill {number - 97}"
            world.put(TRANSACTIONS, transaction_row(draw, account, -line[0], firm, line[1], draw.moment(-4, 12)))
            account["opening_balance"] += line[0]
        if kind in ("order", "lapsed"):
            state = "active" if kind == "order" else "cancelled"
            world.put(STANDING_ORDERS, order_row(draw, account, payee, amount, firm, draw.date(6), state=state))
        takes = {"early": rate, "barely": 5}.get(kind, 0)
        less = {"part": half, "credit": credit, "corrected": off, "twice": off}.get(kind, 0)
        due = (amount - less) * (100 - takes) // 100
        rank = (False, day) if by == "day" else (not takes, -due)
        found.bills.append(Bill(name, firm, due, REASONS.get(kind, ""), rank, orderer))
    found.bills.sort(key=lambda bill: bill.rank)
    if stops:
        for bill in draw.sample([each for each in found.bills if not each.reason], 3):
            found.bills[found.bills.index(bill)] = attrs.evolve(bill, reason="veto")
    open_bills = [bill for bill in found.bills if not bill.reason]
    total = sum(bill.due for bill in open_bills)
    for _ in range(9000):
        back = draw.choice(open_bills)
        more = back.due if stops else 100 * draw.integer(120, 420)
        if found.spend(draw.integer(total * 2 // 5, total * 4 // 5), more, reason) and not (
            stops and found.ends[0][back.name]
        ):
            found.more, found.back = more, back.name if stops else ""
            found.ends[1].update({back.name: "withdrawn"} if stops else {})
            return found
    raise DrawError("no amount leaves some bills unpaid at first and then")


def _beside(file: Pile, start: int, *others: int, back: int = 0) -> list[float]:
    """What an answer may tell beside the amount that it is asked for: each bill, and what is left after each."""
    numbers = [float(bill.name.removeprefix("Bill ")) for bill in file.bills]
    steps = [start, *(-bill.due for bill in file.paid(0)), back, *(-bill.due for bill in file.paid(1))]
    return [*numbers, *(cents / 100 for cents in (*(bill.due for bill in file.bills), *accumulate(steps), *others))]


def _paid(file: Pile, bill: Bill, *states: str) -> Node:
    cells: Row = {"amount": bill.due, "description": SameWords(bill.name), "state": OneOf(states or ("sent",))}
    cells |= {"category": Anything(), "settles_at": Anything(), "payee_id": file.payees[bill.firm]}
    return added(TRANSFERS, account_id=file.account["account_id"], **cells)


Found = Generator[Any, Any, tuple[str, dict[str, str]]]
Made = Generator[Any, Any, dict[str, str]]


def _look(own: str) -> Found:
    """Reads the rules, the bills and what the wallet has about them; gives the account and the payees."""
    yield from read_page("How we pay bills")
    yield from read_page("Bills: changes")
    yield from read_mails("subject:bill in:inbox")
    [account] = (yield call("search_bank_accounts", words=own))["results"]
    yield call("search_bank_transactions", account_id=account["account_id"], limit=50)
    yield call("search_standing_orders", account_id=account["account_id"], limit=50)
    rows, cursor = list[Row](), None
    while True:
        page = yield call("search_payees", limit=50, cursor=cursor) if cursor else call("search_payees", limit=50)
        rows, cursor = rows + page["results"], page["next_cursor"]
        if cursor is None:
            return account["account_id"], {row["name"]: row["payee_id"] for row in rows}


def _pay(found: tuple[str, dict[str, str]], bills: Sequence[Bill]) -> Made:
    """Pays bills, one transfer each; gives the transfers by name."""
    cells = [{"payee_id": found[1][bill.firm], "amount": bill.due, "description": bill.name} for bill in bills]
    made = yield from together(call("create_money_transfer", account_id=found[0], **each) for each in cells)
    return {bill.name: row["transfer_id"] for bill, row in zip(bills, made, strict=True)}


TOOLS = (
    "search_mail", "get_mail", "search_note_pages", "get_note_page", "search_bank_accounts", "search_bank_transactions",
    "search_standing_orders", "get_standing_order", "search_payees", "create_money_transfer", "cancel_money_transfer",
    "search_money_transfers", "add_payee", "modify_bank_account", *NOW,
)  # fmt: skip
REQUEST = (
    'Pay the bills in my inbox (all have "Bill" in the subject) from "{own}" today, as my page "How we pay bills" '
    'says, one transfer a bill with its name as description, such as "Bill 12". '
)


def _with_floor(world: World, by: str) -> Task:
    """Pay bills until the account is at its floor, note why each other is not paid, and go on with a lower floor."""
    own, title = (
        world.phrase("Club money", "Workshop money", "Studio money"),
        world.phrase("Pile of invoices", "Paper on the desk", "Drawer of paper"),
    )
    file, draw = pile(world, own, "no money", by, world.draw("groups").people[:4]), world.draw("wallet")
    floor = 100 * draw.integer(450, 620)
    file.account["opening_balance"] += floor + file.money
    rest = f"{usd(floor)} have to stay available on the account at least."
    put_page(world, "How we pay bills", PAGE.format("", rest, "no money", ORDERS[by]))
    put_page(world, "Bills: changes", CHANGES, -6)
    names = draw.sample([bill.name for bill in file.bills], len(file.bills))
    items = dict(zip(names, put_checklist(world, title, names), strict=True))
    rests = [floor + file.money - sum(bill.due for bill in file.paid(0))]
    rests.append(rests[0] - sum(bill.due for bill in file.paid(1)))
    beside = _beside(file, floor + file.money, floor, file.money, file.more, floor - file.more)

    def solution() -> Solution:
        found = yield from _look(own)
        rows = yield from read_checklist(title)
        ids = {row["content"]: row["item_id"] for row in rows}
        for part, end in enumerate(file.ends):
            yield from _pay(found, file.paid(part))
            lines = [(name, text or "paid") for name, text in end.items() if not part or text != file.ends[0][name]]
            yield from together(
                call("modify_checklist_item", item_id=ids[name], content=f"{name}: {text}") for name, text in lines
            )
            yield say(f"The account has {usd(rests[part])} available now.")

    def item(name: str, part: int) -> Node:
        return item_becomes(items[name], f"{name}: {file.ends[part][name] or 'paid'}")

    late = [bill.name for bill in file.paid(1)]
    return Task(
        user=(
            f'{REQUEST.format(own=own)}All of them stand in my checklist "{title}": write behind each of them "paid", '
            'or the reason, such as "Bill 12: too large". Tell me how much is available on the account in the end.',
            f"I was too careful: {usd(floor - file.more)} are enough to stay available. Go on with the bills that were "
            "left because of the money, in the same order and by the same rules, and put the checklist right. How much "
            "is available then?",
        ),
        tools=[*TOOLS, "search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=[
            *in_any_order(
                *(_paid(file, bill)
                  for part in (0, 1) for bill in file.paid(part)),
                *(item(name, 1) for name in names if name not in late),
                answer_for_now(Number(rests[0] / 100, "USD", context=beside)),
                *(item(name, 0).passing().named(name) for name in late),
            ),
            *in_any_order(*(item(name, 1).after(name) for name in late)),
            answer(Number(rests[1] / 100, "USD", context=beside)),
        ],
        never=[called("add_payee")],
        allowed=[bookings(len(file.paid(0)) + len(late), file.account)],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: 28 bills, each with a second mail, a date, a sum to be worked out, a look-alike payee
# or a line in the wallet that turns it, and rules that a later page amends; then a running balance in which one wrong
# amount changes what comes after it, once more from where it ended.
@scenario(apps=("wallet", "mail", "notes"))
def pay_bills_as_far_as_money_goes(world: World) -> Task:
    """Pay bills until the account is at its floor, note why each other is not paid, and go on with a lower floor."""
    return _with_floor(world, "day")


# The same; the order itself depends on what corrections and discounts make of each bill.
@scenario(apps=("wallet", "mail", "notes"))
def pay_large_bills_as_far_as_money_goes(world: World) -> Task:
    """Pay the largest bills first until the account is at its floor, and go on with a lower floor."""
    return _with_floor(world, "size")


STOPS = (
    ("Please leave {0} unpaid, the work was bad.", "veto", 0),
    ("{0} must not be paid, they never came the second time.", "veto", 0),
    ("They are still not done, so no money for {0}, please.", "veto", 0),
    ("Now they have been here: {0} is all right, pay it.", "veto", 0),
    ("I was too quick about {0}, they broke the door. It stays unpaid.", "veto", 0),
    ("If you ask me, nobody should pay {0}.", "", 1),
    ("No money for {0} before I have seen their work, please.", "", 0),
    ("I have seen the work for {0}, that can be paid.", "", 0),
    ("Does {0} not look high to you? Whatever, it is in order.", "", 0),
    ("Do not pay {0}, they were rude to me on the phone.", "", 2),
)
"""What is posted about a bill, by the one who has ordered the work or by somebody so many places behind."""


def _stop(world: World, file: Pile, chat: Row, people: Sequence[Person]) -> None:
    """Has bills stopped in a chat: by who may and who may not, and some of it taken back."""
    draw = world.draw("groups")
    stopped = [bill for bill in file.bills if bill.reason == "veto"]
    free = draw.sample([bill for bill in file.bills if not bill.reason], 4)
    bills = [*stopped, stopped[2], stopped[2], free[0], free[1], free[1], free[2], free[3]]
    order = sorted(range(10), key=lambda place: (place in (3, 4, 7), place == 4, place * 7 % 10))
    for number, place in enumerate(order):
        text, _, behind = STOPS[place]
        who = people[(bills[place].orderer + behind) % 4]
        put_post(world, chat, who, text.format(bills[place].name), draw.moment(-3, 10, 5 * number))


def _with_limit(world: World, by: str) -> Task:
    """Pay bills until the limit of the day is reached, set their tasks, and go on with what one frees."""
    own, title = (
        world.phrase("Club money", "Workshop money", "Studio money"),
        world.phrase("Pile of invoices", "Paper on the desk", "Drawer of paper"),
    )
    people = world.draw("groups").people[:4]
    file, draw = pile(world, own, "limit", by, people, stops=True), world.draw("tasks")
    file.account["opening_balance"] += 900_000
    sent = draw.integer(4_000, 49_000)
    file.account["daily_limit"] = file.money + sent
    friend = world.put(PAYEES, payee_row(world.draw("wallet"), "Reed Ferries"))
    transfer, legs = transfer_rows(draw, file.account, friend, sent, "Tickets", draw.ago(41))
    for table, row in ((TRANSFERS, transfer), *((TRANSACTIONS, leg) for leg in legs)):
        world.put(table, row)
    _stop(world, file, put_chat(world, title, people), people)
    rest = "All of it has to go out today, within what the daily limit of the account still leaves."
    put_page(world, "How we pay bills", PAGE.format(VETO.format(title), rest, "limit", ORDERS[by]))
    put_page(world, "Bills: changes", CHANGES, -6)
    board = world.put(LISTS, list_row(draw, title, draw.moment(-20, 9)))["list_id"]
    names = draw.sample([bill.name for bill in file.bills], len(file.bills))
    rows = {name: world.put(TASKS, task_row(draw, board, name, draw.moment(-8, 9)))["task_id"] for name in names}
    back = next(bill for bill in file.bills if bill.name == file.back)
    spent = [sum(bill.due for bill in file.paid(0))]
    spent.append(spent[0] + sum(bill.due for bill in file.paid(1)) - back.due)
    beside = _beside(file, file.money, sent, file.money + sent, back=back.due)

    def solution() -> Solution:
        yield from read_chat(title)
        found = yield from _look(own)
        [at] = (yield call("search_task_lists", words=title))["results"]
        tasks = (yield call("search_tasks", list_id=at["list_id"], limit=50))["results"]
        ids, made = {task["title"]: task["task_id"] for task in tasks}, dict[str, str]()
        for part, end in enumerate(file.ends):
            if part:
                yield call("cancel_money_transfer", transfer_id=made[back.name])
            made |= yield from _pay(found, file.paid(part))
            moved = [name for name in end if not part or end[name] != file.ends[0][name]]
            if part:
                yield call("set_task_state", task_ids=[ids[name] for name in moved], state="open")
            for reason in dict.fromkeys(end[name] for name in moved):
                cells = {"state": "waiting", "reason": reason} if reason else {"state": "done"}
                yield call("set_task_state", task_ids=[ids[name] for name in moved if end[name] == reason], **cells)
            yield say(f"I have paid {usd(spent[part])} today.")

    def task(name: str, part: int) -> Node:
        return changed(TASKS, {"task_id": rows[name]}, **_state(file.ends[part][name]))

    late = [name for name in names if file.ends[0][name] != file.ends[1][name]]
    either = {"account_id": file.account["account_id"], "cancelled": OneOf([False, True])}
    booked = added(TRANSACTIONS, len(names), kind="transfer", transfer_id=Anything(), **either)
    gone = _paid(file, back, "cancelled")
    return Task(
        user=(
            f"{REQUEST.format(own=own)}Leave the daily limit as it is. Each bill has a task in my list "
            f'"{title}": set it to done if you have paid it now, else to waiting with the reason in the words of the '
            "page. Tell me how much you have paid for bills in all.",
            f"{back.firm} have just phoned me: {back.name} is withdrawn. Cancel that transfer, and use what is left of "
            "the limit then for the bills that were left because of it, in the same order and by the same rules. Put "
            "the tasks right, too. How much have you paid for bills in all now, without what was cancelled?",
        ),
        tools=[*TOOLS, "search_group_chats", "search_group_posts", "search_task_lists", "search_tasks",
               "set_task_state"],
        milestones=[
            *in_any_order(
                *(_paid(file, bill)
                  for part in (0, 1) for bill in file.paid(part) if bill is not back),
                *(task(name, 1) for name in names if name not in late),
                answer_for_now(Number(spent[0] / 100, "USD", context=beside)),
                *(task(name, 0).passing().named(name) for name in late),
            ),
            *in_any_order(gone, *(task(name, 1).after(name) for name in late)),
            answer(Number(spent[1] / 100, "USD", context=beside)),
        ],
        never=[called("modify_bank_account"), called("add_payee")],
        allowed=[
            _paid(file, back, "sent", "cancelled"),
            booked,
            *edits(160),
        ],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above with what is left of a limit after what went out today, where the limit could
# be raised; only who has ordered something may stop its bill in a chat, and some of it is taken back.
@scenario(apps=("wallet", "mail", "notes", "tasks", "groups"))
def pay_bills_within_the_limit_of_a_day(world: World) -> Task:
    """Pay bills until the limit of the day is reached, set their tasks, and go on with what one frees."""
    return _with_limit(world, "day")


# The same; the order itself depends on what corrections and discounts make of each bill.
@scenario(apps=("wallet", "mail", "notes", "tasks", "groups"))
def pay_large_bills_within_the_limit_of_a_day(world: World) -> Task:
    """Pay the largest bills first until the limit of the day is reached, and go on with what one frees."""
    return _with_limit(world, "size")


def _state(reason: str) -> Row:
    return {"state": "waiting", "reason": SameWords(reason)} if reason else {"state": "done", "done_at": Anything()}
