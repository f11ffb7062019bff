"""Bills by mail, of which some must not be paid and some cannot: the money or the limit of the day does not reach."""

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.apps.wallet.rows import account_row, order_row, payee_row, transaction_row, transfer_rows
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, STANDING_ORDERS, TRANSACTIONS, TRANSFERS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.sources.placing import (
    Row,
    bookings,
    edits,
    items_become,
    paid,
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
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, changed, in_any_order, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Solution

FIRMS = (
    "Alder Roofing", "Birch Glazing", "Cedar Plumbing", "Dogwood Movers", "Elm Printing", "Fir Catering", "Gorse "
        "Cleaning",
    "Hazel Insurance", "Ivy Gardening", "Juniper Radio", "Kapok Upholstery", "Larch Towing", "Maple Dental", "Nutmeg "
        "Bakery",
    "Olive Press", "Poplar Fencing", "Quince Archive", "Rowan Piano", "Spruce Heating", "Teak Flooring", "Umber Paints",
    "Viburnum Florist", "Willow Cabs", "Yew Locksmiths",
)  # fmt: skip
KINDS = (
    *["plain"] * 6, "early", "early", "missed", "corrected", "fee", "paid", "paid", "nearly", "withdrawn", "order",
        "lapsed",
    "stranger", "stranger", "large", "later", "later",
)  # fmt: skip
TEXTS = {
    "early": "Whoever pays by {soon} takes two percent off.",
    "missed": "Whoever pays by {past} takes two percent off.",
    "order": "As always your standing order settles it.",
    "lapsed": "As always your standing order settles it.",
    "later": "Please do not pay before {far}.",
}
REASONS = {"paid": "paid before", "withdrawn": "withdrawn", "order": "standing order", "stranger": "no payee",
           "large": "too large", "later": "too early"}  # fmt: skip
PAGE = (
    "How we pay bills:\n1. What a bill says counts, unless its writer has corrected it or withdrawn it by a later "
    "mail. Fees of "
    "reminders are not paid, the bill itself is. Two percent for early payment are taken off where we still are in "
    "time, and "
    "what we pay is rounded down to the cent.\n2. What is left unpaid gets its reason, in these words: paid before "
    "(the "
    "account has a payment to that firm for that bill), withdrawn, standing order (one that is active pays that "
    "firm), no payee "
    "(nobody of exactly that name is among the payees; nobody is added), too large ($500 or more), too early (not to "
    "be paid "
    "before a day that is more than 30 days from now){0}.\n3. All others are paid in this order: {3}. "
    "{1} If it does not do for a bill, that bill is left with the reason {2}, and "
    "the next "
    "one is tried."
)

ORDERS = {
    "day": "the earlier a bill has to be paid, the earlier it is",
    "size": "the more we have to pay for a bill after all, the earlier it is; but those that grant two percent come "
    "first",
}


def usd(cents: int) -> str:
    """Cents as dollars."""
    return f"${cents / 100:.2f}"


@attrs.frozen
class Bill:
    """A bill with the amount that is due, or the reason why it is not to be paid."""

    name: str
    firm: str
    due: int
    reason: str
    rank: tuple[bool, int]


@attrs.define
class Pile:
    """All bills, whom they can be paid to, and how it ends: each with its reason, empty if it is paid."""

    account: Row
    bills: list[Bill]
    payees: dict[str, str]
    end: dict[str, str] = attrs.field(factory=dict)
    money: int = 0

    @property
    def paid(self) -> list[Bill]:
        """What is paid, in order."""
        return [bill for bill in self.bills if not self.end[bill.name]]

    def spend(self, money: int, reason: str) -> bool:
        """Pays as far as the money goes; whether some are left, and one is paid after one that was left."""
        self.end, left = {bill.name: bill.reason for bill in self.bills}, money
        for bill in self.bills:
            if not bill.reason and bill.due > left:
                self.end[bill.name] = reason
            elif not bill.reason:
                left -= bill.due
        ends = [self.end[bill.name] for bill in self.bills if not bill.reason]
        self.money = money
        return 2 <= ends.count(reason) <= 5 and "" in ends[ends.index(reason) :]


def pile(world: World, own: str, reason: str, by: str, vetoes: int = 0) -> Pile:
    """Has firms send bills, and gives the account as much as makes some of them wait."""
    draw = world.draw("wallet")
    account = world.put(ACCOUNTS, account_row(draw, own, "current", "USD", 0, 5_000_000))
    found, firms = Pile(account, [], {}), draw.sample(FIRMS, len(KINDS))
    numbers, days = draw.sample(range(1100, 9900), len(KINDS)), draw.sample(range(2, 29), len(KINDS))
    for firm, number, day, kind in zip(firms, numbers, days, draw.sample(KINDS, len(KINDS)), strict=True):
        amount = draw.integer(50_000, 68_000) if kind == "large" else draw.integer(3_100, 39_900)
        name, sender, sent = f"Bill {number}", Person(firm, ""), draw.integer(9, 16)
        told = {word: f"{world.in_days(ahead):%B} {world.in_days(ahead).day}" for word, ahead in (
            ("soon", draw.integer(0, 4)), ("past", -draw.integer(1, 4)), ("far", draw.integer(31, 40)), ("day", day)
        )}  # fmt: skip
        text = f"Our work for you: {usd(amount)}, payable until {told['day']}. {TEXTS.get(kind, '').format(**told)}"
        put_mail(world, sender, f"{name} of {firm}", text.strip(), draw.moment(-sent, 9, draw.integer(0, 59)))
        due = amount * 98 // 100 if kind == "early" else amount
        later = draw.moment(-draw.integer(2, 5), 11, draw.integer(0, 59))
        if kind == "corrected":
            due = amount - draw.integer(300, 2900)
            put_mail(world, sender, f"{name}: a correction", f"It should have been {usd(due)}. We apologize.", later)
        if kind == "fee":
            body = f"We have not seen your money yet. With our fee it is {usd(amount + 750)} now."
            put_mail(world, sender, f"{name}: a reminder", body, later)
        if kind == "withdrawn":
            put_mail(world, sender, f"About {name}", "That went to you by mistake. Nothing is due.", later)
        payee = payee_row(draw, f"{firm} & Sons" if kind == "stranger" else firm)
        world.put(PAYEES, payee)
        found.payees[firm] = payee["payee_id"]
        if kind in ("paid", "nearly"):
            about = name if kind == "paid" else f"Bill {number - 97}"
            world.put(TRANSACTIONS, transaction_row(draw, account, -amount, firm, about, draw.moment(-4, 12)))
            account["opening_balance"] += amount
        if kind in ("order", "lapsed"):
            state = "active" if kind == "order" else "cancelled"
            world.put(STANDING_ORDERS, order_row(draw, account, payee, amount, firm, draw.date(6), state=state))
        rank = (False, day) if by == "day" else (kind != "early", -due)
        found.bills.append(Bill(name, firm, due, REASONS.get(kind, ""), rank))
    found.bills.sort(key=lambda bill: bill.rank)
    for bill in draw.sample([each for each in found.bills if not each.reason], vetoes):
        found.bills[found.bills.index(bill)] = attrs.evolve(bill, reason="veto")
    total = sum(bill.due for bill in found.bills if not bill.reason)
    for _ in range(4000):
        if found.spend(draw.integer(total * 2 // 5, total * 4 // 5), reason):
            return found
    raise ScenarioError("no amount leaves three or four bills unpaid")


def _pay(own: str, file: Pile) -> Solution:
    """Looks at what the wallet has about the bills, and pays those that can be paid."""
    [account] = (yield call("search_bank_accounts", words=own))["results"]
    yield call("search_bank_transactions", account_id=account["account_id"], limit=50)
    yield call("search_standing_orders", account_id=account["account_id"], limit=50)
    rows, cursor = [], None
    while True:
        page = yield call("search_payees", limit=50, cursor=cursor) if cursor else call("search_payees", limit=50)
        rows, cursor = rows + page["results"], page["next_cursor"]
        if cursor is None:
            break
    for bill in file.paid:
        payee_id = next(row["payee_id"] for row in rows if row["name"] == bill.firm)
        cells = {"account_id": account["account_id"], "payee_id": payee_id, "description": bill.name}
        yield call("create_money_transfer", amount=bill.due, **cells)


TOOLS = (
    "search_mail", "get_mail", "search_note_pages", "get_note_page", "search_bank_accounts", "search_bank_transactions",
    "search_standing_orders", "get_standing_order", "search_payees", "create_money_transfer",
)  # fmt: skip
DANGERS = ("add_payee", "modify_bank_account", "cancel_money_transfer")


def _with_floor(world: World, by: str) -> Task:
    """Pay bills until the account is at its floor, and note behind each other bill why it is not paid."""
    own, title = (
        world.phrase("Club money", "Workshop money", "Studio money"),
        world.phrase("Pile of bills", "Paper on the desk", "Drawer of bills"),
    )
    file, draw = pile(world, own, "no money", by), world.draw("wallet")
    floor, spent = 100 * draw.integer(150, 320), sum(bill.due for bill in file.paid)
    file.account["opening_balance"] += floor + file.money
    put_page(
        world,
        "How we pay bills",
        PAGE.format("", f"{usd(floor)} have to stay available on the account at least.", "no money", ORDERS[by]),
    )
    names = draw.sample([bill.name for bill in file.bills], len(file.bills))
    items, rest = put_checklist(world, title, names), floor + file.money - spent

    def solution() -> Solution:
        yield from read_page("How we pay bills")
        yield from read_mails("subject:bill in:inbox")
        yield from _pay(own, file)
        for item in (yield from read_checklist(title)):
            done = f"{item['content']}: {file.end[item['content']] or 'paid'}"
            yield call("modify_checklist_item", item_id=item["item_id"], content=done)
        yield say(f"The account has {usd(rest)} available now.")

    return Task(
        user=f'Pay the bills in my inbox (all have "Bill" in the subject) from "{own}", as my page "How we pay bills" '
            f'says, one transfer a bill with its name as description. All of them stand in my checklist "{title}": '
            'write behind each of them "paid", or the reason, such as "Bill 12: too large". Tell me in the end how '
            'much the account has then.',
        tools=[*TOOLS, *DANGERS, "search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=[
            *in_any_order(*(paid(file.account, file.payees[bill.firm], bill.due) for bill in file.paid)),
            *items_become(items, (f"{name}: {file.end[name] or 'paid'}" for name in names)),
            answer(Number(rest / 100, "USD")),
        ],
        never=[called("add_payee")],
        allowed=[bookings(len(file.paid), file.account)],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: 22 bills, each with a second mail, a date, a look-alike payee or a line in the wallet
# that turns it; then a running balance in which one wrong amount changes what comes after it.
@scenario(apps=("wallet", "mail", "notes"))
def pay_bills_as_far_as_money_goes(world: World) -> Task:
    """Pay bills until the account is at its floor, and note behind each other bill why it is not paid."""
    return _with_floor(world, "day")


# The same; the order itself depends on what corrections and discounts make of each bill.
@scenario(apps=("wallet", "mail", "notes"))
def pay_large_bills_as_far_as_money_goes(world: World) -> Task:
    """Pay the largest bills first until the account is at its floor, and note why the others are not paid."""
    return _with_floor(world, "size")


def _with_limit(world: World, by: str) -> Task:
    """Pay bills until the limit of the day is reached, set their tasks, and heed who stopped a bill in a chat."""
    own, title = (
        world.phrase("Club money", "Workshop money", "Studio money"),
        world.phrase("Pile of bills", "Paper on the desk", "Drawer of bills"),
    )
    file, draw = pile(world, own, "limit", by, vetoes=2), world.draw("tasks")
    file.account["opening_balance"] += 900_000
    people, sent = world.draw("groups").people[:4], draw.integer(4_000, 49_000)
    file.account["daily_limit"] = file.money + sent
    friend = world.put(PAYEES, payee_row(world.draw("wallet"), "Reed Ferries"))
    transfer, legs = transfer_rows(draw, file.account, friend, sent, "Tickets", draw.ago(41))
    for table, row in ((TRANSFERS, transfer), *((TRANSACTIONS, leg) for leg in legs)):
        world.put(table, row)
    chat, stopped = put_chat(world, title, people), [bill for bill in file.bills if bill.reason == "veto"]
    texts = [(f"Please do not pay {bill.name}, the work was bad.", number) for number, bill in enumerate(stopped)]
    plain = draw.sample([bill for bill in file.bills if not bill.reason], 2)
    texts += [(f"I am not sure about {plain[0].name}, it looks high.", 2), (f"Do not pay {plain[1].name}, please.", 3)]
    for place, (text, number) in enumerate(texts):
        put_post(world, chat, people[number], text, draw.moment(-3, 10, place))
    put_post(
        world, chat, people[3], f"I have looked again: {plain[1].name} is all right after all.", draw.moment(-2, 10)
    )
    more = f', veto (somebody has asked not to pay it in the chat "{title}" and has not taken that back)'
    put_page(world, "How we pay bills", PAGE.format(more, "All of it has to go out today.", "limit", ORDERS[by]))
    board = world.put(LISTS, list_row(draw, title, draw.moment(-20, 9)))["list_id"]
    names = draw.sample([bill.name for bill in file.bills], len(file.bills))
    rows = {name: world.put(TASKS, task_row(draw, board, name, draw.moment(-8, 9)))["task_id"] for name in names}
    spent, states = sum(bill.due for bill in file.paid), sorted({each for each in file.end.values() if each})

    def solution() -> Solution:
        yield from read_page("How we pay bills")
        yield from read_mails("subject:bill in:inbox")
        yield from read_chat(title)
        yield from _pay(own, file)
        [found] = (yield call("search_task_lists", words=title))["results"]
        tasks = (yield call("search_tasks", list_id=found["list_id"], limit=50))["results"]
        ids = {task["title"]: task["task_id"] for task in tasks}
        yield call("set_task_state", task_ids=[ids[bill.name] for bill in file.paid], state="done")
        for reason in states:
            wanted = [ids[name] for name, end in file.end.items() if end == reason]
            yield call("set_task_state", task_ids=wanted, state="waiting", reason=reason)
        yield say(f"I have paid {usd(spent)} today.")

    return Task(
        user=f'Pay the bills in my inbox (all have "Bill" in the subject) from "{own}" today, as my page "How we pay '
            'bills" says, one transfer a bill with its name as description. Leave the daily limit as it is. Each '
            f'bill has a task in my list "{title}": set it to done if you have paid it now, else to waiting with the '
            'reason in the words of the page. Tell me how much you have paid in all.',
        tools=[*TOOLS, *DANGERS, "search_money_transfers", "search_group_chats", "search_group_posts",
            "search_task_lists",
               "search_tasks", "set_task_state"],
        milestones=[
            *in_any_order(*(paid(file.account, file.payees[bill.firm], bill.due) for bill in file.paid)),
            *in_any_order(*(changed(TASKS, {"task_id": rows[name]}, **_state(end)) for name, end in file.end.items())),
            answer(Number(spent / 100, "USD")),
        ],
        never=[called("modify_bank_account"), called("add_payee")],
        allowed=[bookings(len(file.paid), file.account), *edits(80)],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above with what is left of a limit after what went out today, where the limit could
# be raised; some may stop a bill in a chat, and one takes it back.
@scenario(apps=("wallet", "mail", "notes", "tasks", "groups"))
def pay_bills_within_the_limit_of_a_day(world: World) -> Task:
    """Pay bills until the limit of the day is reached, set their tasks, and heed who stopped a bill in a chat."""
    return _with_limit(world, "day")


# The same; the order itself depends on what corrections and discounts make of each bill.
@scenario(apps=("wallet", "mail", "notes", "tasks", "groups"))
def pay_large_bills_within_the_limit_of_a_day(world: World) -> Task:
    """Pay the largest bills first until the limit of the day is reached, and set the tasks of all."""
    return _with_limit(world, "size")


def _state(reason: str) -> Row:
    return {"state": "waiting", "reason": SameWords(reason)} if reason else {"state": "done", "done_at": Anything()}
