"""Expenses of a group that are paid back, after a first attempt that broke off, over a line that loses answers."""

from collections.abc import Callable, Sequence

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.mail.tables import MAILS
from tool_sandbox.apps.tasks.content import comment_row, list_row, task_row
from tool_sandbox.apps.tasks.tables import CHANGES, COMMENTS, EDITS, LISTS, TASKS
from tool_sandbox.apps.wallet.rows import payee_row, transfer_rows
from tool_sandbox.apps.wallet.tables import PAYEES, TRANSACTIONS, TRANSFERS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import read_all
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, money, one, together
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    changed,
    in_any_order,
    loses_answer,
    say,
)
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Solution, ToolCallFailed

TOOLS = ("search_bank_accounts", "search_payees", "create_money_transfer", "search_money_transfers", "get_note_page",
         "cancel_money_transfer", "search_bank_transactions", "search_note_pages")  # fmt: skip
RATE, OLD, SEAT, CAP, NIGHT, LEAST = 36, 30, 4, 2200, 8400, 1500
PAGE = (
    "Everybody gets one transfer with all that is due, never several. Tickets are paid as they cost. Own car: 30 "
    "cents a km, and 4 cents a km more for each passenger. Meals: what was eaten, at most 22.00 for each person "
    "who ate. Hotel: at most 84.00 a night. We never pay alcohol, tips and fines. What somebody else has already "
    "paid back in cash is due to that other person. If what is due to somebody in all is below 15.00, nothing is "
    "sent: it waits for the next time. The committee changes rates now and then, and says so where the claims are made."
)
NEWS = (
    "Decided by the committee last week: own cars get 36 cents a km from now on, for the trip that we have "
    "just made, too; everything else stays as it was."
)


@attrs.frozen
class Drawn:
    """Figures of a claim: amounts in cents, kilometres, people or nights, and cents a kilometre."""

    a: int
    b: int
    k: int
    n: int
    rate: int = RATE


Kind = tuple[str, Callable[[Drawn], int]]
PLAIN: tuple[Kind, ...] = (
    ("Train there and back: {a}.", lambda c: c.a),
    ("Dinner on the first evening for {n} of us, {a} in all.", lambda c: min(c.a, c.n * CAP)),
    ("I came in my own car, {k} km in all, with {n} of us on board beside me.", lambda c: c.k * (c.rate + SEAT * c.n)),
    ("Lunch on the way for myself: {b}, of which 6.40 was a glass of wine.", lambda c: min(c.b - 640, CAP)),
    ("My room, {n} nights, {h} in all, breakfast not included.", lambda c: min(4 * c.a, c.n * NIGHT)),
    ("I drove my own car, alone with the big boxes, {k} km.", lambda c: c.k * c.rate),
)
ODD: tuple[tuple[Kind, Kind | None], ...] = (
    (("Taxi from the station with all the stands, {a}.", lambda _: 0),
     ("My taxi was {b}, I had the wrong receipt in my hand. Please take this figure instead.", lambda c: c.b)),
    (("Ferry, {a}.", lambda c: c.a),
     ("Have you seen my ferry? As I wrote, {a}. I only want to make sure that it is not forgotten.", lambda _: 0)),
    (("Night bus because I missed the train: {a}.", lambda _: 0),
     ("Good news, the bus company has refunded my night bus in full. Nothing is due for it.", lambda _: 0)),
    (("Parking fine on the square while we unloaded, {a}.", lambda _: 0), None),
    (("Taxi home at night, {a}, with a tip of {t} in it.", lambda c: c.a - c.b // 10), None),
    (("The coach for the second day was on my card, {a}. But {other} has given me all of it in cash by now.",
      lambda c: c.a), None),
)  # fmt: skip


def _claims(world: World, names: Sequence[str]) -> tuple[list[tuple[int, str]], list[int], list[int]]:
    """What everybody writes, in order of time, and what is due to each in the end, and with the old rate."""
    due, old = [0] * len(names), [0] * len(names)
    first: list[tuple[int, str]] = []
    second: list[tuple[int, str]] = []
    turn = world.integer(0, 0, 5)
    last = len(names) - 1
    for who in range(len(names)):
        odd, later = ODD[(who + turn) % 6]
        kinds = [PLAIN[who % 6], PLAIN[(who * 2 + 1) % 6], odd] if who < last else [PLAIN[3]]
        for kind in [*kinds, later] if later and who < last else kinds:
            if kind is not later:
                a, b = 2 * world.integer(1423 + 191 * who, 1300, 4800), 20 * world.integer(87 - 2 * who, 63, 106)
                drawn = Drawn(a, b, 2 * world.integer(77 + who, 40, 120), world.integer(2 + who % 2, 2, 4))
            other = (who + 2) % last
            text = kind[0].format(a=money(drawn.a), b=money(drawn.b), k=drawn.k, n=drawn.n, h=money(4 * drawn.a),
                                  t=money(drawn.b // 10), other=names[other])  # fmt: skip
            (second if kind is later else first).append((who, text))
            gets = other if "{other}" in kind[0] else who
            due[gets] += kind[1](drawn)
            old[gets] += kind[1](attrs.evolve(drawn, rate=OLD))
    return [*first, *second], due, old


@attrs.frozen
class Books:
    """Who is owed what, what was sent before, and what therefore has to be sent; the last one is owed too little."""

    people: list[Person]
    said: list[tuple[int, str]]
    due: list[int]
    old: list[int]
    sent: list[int]
    payees: list[Row]
    account: Row

    def left(self, due: list[int]) -> dict[str, int]:
        """What has to be sent to whom."""
        left = {each.name: cents - sent for each, cents, sent in zip(self.people, due, self.sent, strict=True)}
        return {name: cents for name, cents in left.items() if cents > 0 and name != self.people[-1].name}

    @property
    def open(self) -> dict[str, int]:
        """What has to be sent to whom by the rules that hold at first."""
        return self.left(self.due)

    @property
    def mended(self) -> dict[str, int]:
        """What has to be sent in place of it to those who have got too much by the old rate."""
        return {name: cents for name, cents in self.left(self.old).items() if cents != self.open.get(name)}


def _keep_books(world: World, what: str) -> Books:
    draw, people = world.draw("wallet"), [world.new_person() for _ in range(9)]
    for _ in range(20):
        said, due, old = _claims(world, [each.name for each in people])
        if min(old[:-1]) > 2 * LEAST > 2 * due[-1] and max(due) < 50000:
            break
    account = stage.put_account(world, f"{what} account", 900000)
    payees = [world.put(PAYEES, payee_row(draw, each.name)) for each in people]
    # How the first attempt went: three have half of it, one has all, one transfer was cancelled, one was for other
    # things.
    ways = world.choice("hhhaconn", "nhchahno", "ohnahhcn", "hnochnah")
    sent = [0] * 9
    for who, way in enumerate(ways):
        if way == "n":
            continue
        cents = due[who] // 2 if way == "h" else due[who]
        said_so = f"{what} {'instrument hire' if way == 'o' else 'expenses'}"
        row, legs = transfer_rows(draw, account, payees[who], cents, said_so, draw.ago(140 + 7 * who))
        world.put(TRANSFERS, row | ({"state": "cancelled", "settles_at": None} if way == "c" else {}))
        world.put(TRANSACTIONS, legs[0] | {"cancelled": way == "c"})
        sent[who] = cents if way in "ha" else 0
    books = Books(people, said, due, old, sent, payees, account)
    if not (
        0 < due[-1] < LEAST < min(due[:-1]) / 2
        and max(due) < 50000
        and len(books.open) == 7
        and len(books.left(old)) == 7
    ):
        raise DrawError(f"sums are {due}")
    return books


Source = Callable[[World, Books, str], tuple[tuple[str, ...], Callable[[], Steps], list[Node]]]
"""Where the claims are: tools, how they are read and what is done with them afterwards, and what has to be done."""


def _in_chat(world: World, books: Books, what: str) -> tuple[tuple[str, ...], Callable[[], Steps], list[Node]]:
    members = stage.put_chat(world, what, books.people)
    for number, (who, text) in enumerate(books.said):
        stage.put_post(world, members[who + 1], text, 5200 - 61 * number)
        if number == 8:
            stage.put_post(world, members[3], NEWS, 4700, pinned=True)

    def steps() -> Steps:
        [chat] = (yield call("search_group_chats", words=what))["results"]
        yield from read_all("search_group_posts", chat_id=chat["chat_id"])
        return (yield from _pay(books, what))

    return ("search_group_chats", "get_group_chat", "search_group_posts", "get_group_post"), steps, []


def _in_mails(world: World, books: Books, what: str) -> tuple[tuple[str, ...], Callable[[], Steps], list[Node]]:
    mails = []
    for number, (who, text) in enumerate(books.said):
        sender = books.people[who].name, f"p{who}@{what.split()[0].lower()}.example"
        mails.append(stage.put_mail(world, sender, f"{what}: expenses", text, 5200 - 61 * number) | {"who": who})
    stage.put_mail(world, ("Committee", "all@committee.example"), f"{what}: rates", NEWS, 4800)
    settled = [row for row in mails if row["who"] != len(books.people) - 1]

    def steps() -> Steps:
        rows = yield from read_all("search_mail", query=f'in:inbox subject:"{what}"')
        for row in [row for row in rows if row["excerpt"].endswith("...")]:
            yield call("get_mail", mail_id=row["mail_id"])
        early = yield from _pay(books, what)
        done = [row["mail_id"] for row in rows if "expenses" in row["subject"]
                and books.people[-1].name not in row["from"]]  # fmt: skip
        yield call("move_mail", mail_ids=done, folder="archive")
        return early

    filed = [
        changed(MAILS, {"from_name": each.name}, sum(row["who"] == who for row in settled), folder="archive")
        for who, each in enumerate(books.people[:-1])
    ]
    return ("search_mail", "get_mail", "get_mail_thread", "move_mail"), steps, filed


def _in_both(world: World, books: Books, what: str) -> tuple[tuple[str, ...], Callable[[], Steps], list[Node]]:
    members = stage.put_chat(world, what, books.people)
    for number, (who, text) in enumerate(books.said):
        sender = books.people[who].name, f"p{who}@{what.split()[0].lower()}.example"
        if number % 2:
            stage.put_mail(world, sender, f"{what}: expenses", text, 5200 - 61 * number)
        else:
            stage.put_post(world, members[who + 1], text, 5200 - 61 * number)
    stage.put_post(world, members[3], NEWS, 4700, pinned=True)

    def steps() -> Steps:
        [chat] = (yield call("search_group_chats", words=what))["results"]
        yield from read_all("search_group_posts", chat_id=chat["chat_id"])
        yield from read_all("search_mail", query=f'in:inbox subject:"{what}: expenses"')
        return (yield from _pay(books, what))

    tools = ("search_group_chats", "get_group_chat", "search_group_posts", "get_group_post", "search_mail", "get_mail")
    return tools, steps, []


def _in_tasks(world: World, books: Books, what: str) -> tuple[tuple[str, ...], Callable[[], Steps], list[Node]]:
    draw = world.draw("tasks")
    at = world.put(LISTS, list_row(draw, what, draw.moment(-30, 9)))
    rows = [task_row(draw, at["list_id"], each.name, draw.moment(-20, 9)) for each in books.people]
    rows.append(task_row(draw, at["list_id"], "Rates", draw.moment(-20, 9)))
    said = [*books.said, (len(books.people), NEWS)]
    for number, (who, text) in enumerate(said):
        world.put(COMMENTS, comment_row(draw, rows[who], "me", text, draw.ago(5200 - 61 * number)))
    world.stored(TASKS).extend(rows)

    def steps() -> Steps:
        [found] = (yield call("search_task_lists", words=what))["results"]
        tasks = yield from read_all("search_tasks", list_id=found["list_id"])
        for row in tasks:
            yield call("get_task", task_id=row["task_id"])
        early = yield from _pay(books, what)
        done = [row["task_id"] for row in tasks if row["title"] not in ("Rates", books.people[-1].name)]
        yield call("set_task_state", task_ids=done, state="done")
        return early

    ended = [changed(TASKS, {"task_id": row["task_id"]}, state="done", done_at=Anything()) for row in rows[:-2]]
    return ("search_task_lists", "search_tasks", "get_task", "set_task_state", "modify_task"), steps, ended


def _pay(books: Books, what: str) -> Steps:
    """Reads the rules, then sends what is owed, minds lost answers, gives what was sent before."""
    rules = yield call("search_note_pages", words=f"{what} money")
    yield call("get_note_page", page_id=rules["results"][0]["page_id"])
    accounts = yield call("search_bank_accounts", words=f"{what} account")
    payees = yield from read_all("search_payees")
    account_id = accounts["results"][0]["account_id"]
    before = yield from read_all("search_money_transfers", account_id=account_id)
    for name, cents in books.open.items():
        to = {"account_id": account_id, "payee_id": one(payees, name=name)["payee_id"]}
        send = call("create_money_transfer", **to, amount=cents, description=f"{what} expenses")
        try:
            yield send
        except ToolCallFailed:
            found = yield call("search_money_transfers", **to)
            if found["total"] == sum(row["payee_id"] == to["payee_id"] for row in before):
                yield send
    return {row["transfer_id"] for row in before}


def _mend(books: Books, what: str, early: set[str]) -> Steps:
    """Cancels what is too much by the old rate, and sends the right amounts in its place."""
    ids = {row["name"]: row["payee_id"] for row in books.payees}
    account_id = books.account["account_id"]
    rows = yield from read_all("search_money_transfers", account_id=account_id)
    wrong = [ids[name] for name in books.mended]
    gone = [row["transfer_id"] for row in rows if row["transfer_id"] not in early and row["payee_id"] in wrong]
    yield from together(call("cancel_money_transfer", transfer_id=each) for each in gone)
    cells = [{"payee_id": ids[name], "amount": cents} for name, cents in books.mended.items()]
    same = {"account_id": account_id, "description": f"{what} expenses"}
    yield from together(call("create_money_transfer", **same, **each) for each in cells)


def _sent(books: Books, what: str, name: str, cents: int, state: str) -> tuple[Node, Node, Node]:
    """That somebody gets a transfer; what it may be until then, and what stands for it among the transactions."""
    cells: Row = {"account_id": books.account["account_id"], "description": SameWords(f"{what} expenses"),
             "category": Anything()}  # fmt: skip
    leg: Row = {"counterparty": name, "amount": -cents, "kind": "transfer", "transfer_id": Anything()}
    own: Row = {"payee_id": one(books.payees, name=name)["payee_id"], "amount": cents, "settles_at": Anything()}
    may = added(TRANSFERS, state=OneOf(("sent", state)), **own, **cells)
    booked = added(TRANSACTIONS, cancelled=OneOf((False, state == "cancelled")), **leg, **cells)
    return added(TRANSFERS, state=state, **own, **cells), may, booked


def _pay_back(world: World, source: Source, lost: Sequence[tuple[int, bool]], wish: str = "") -> Task:
    what = world.phrase("Lantern Choir", "Harbour Band", "Marble Players")
    books = _keep_books(world, what)
    stage.put_page(world, f"{what} money", PAGE)
    tools, read_and_pay, filed = source(world, books, what)
    sums = [
        _sent(books, what, *each, "cancelled" if each[0] in books.mended else "sent") for each in books.open.items()
    ]
    sums += [_sent(books, what, *each, "sent") for each in books.mended.items()]
    totals = [sum(books.open.values()), sum((books.open | books.mended).values())]
    # Single amounts may be told beside the sum.
    beside = {LEAST, *books.due, *books.sent, *books.open.values(), *books.mended.values()}
    facts = [Number(cents / 100, "USD", context=tuple(sorted(each / 100 for each in beside))) for cents in totals]

    def solution() -> Solution:
        early = yield from read_and_pay()
        yield say(f"I've sent {money(totals[0])} dollars today.")
        yield from _mend(books, what, early)
        yield say(f"I've sent {money(totals[1])} dollars in all now.")

    return Task(
        user=(
            f"Please pay the members of the {what} back what they have paid on our last trip, from the {what} account "
            f'to their payees. {WHERE[source]} Our rules are in my notes, on the page "{what} money". I began with '
            "it this morning and was then interrupted, so look at what has been sent: only transfers with the "
            "description "
            f'"{what} expenses" count, and who has got only a part gets the rest. Use that description, too. My '
            f"connection is bad, so make sure that nobody is paid twice and nobody is forgotten.{wish} In the end, "
            "tell me the sum of what you have sent yourself.",
            "The committee has just told me that the new rate for own cars holds only from the next trip on "
            "after all, so for this one it is still the one of my page. Put that right: cancel each transfer that you "
            "have sent and that is too much by that, and send the right amount in its place, with the same "
            "description. Leave everything else as it is. What is the sum of what you have sent yourself then? "
            "Cancelled transfers do not count. Only the figure, please.",
        ),
        tools=[*TOOLS, *tools],
        milestones=[
            *in_any_order(*(sent for sent, *_ in sums), *filed, answer_for_now(facts[0])),
            answer(facts[1]),
        ],
        allowed=[*(node for _, *more in sums for node in more), *HISTORY],
        events=[loses_answer("create_money_transfer", is_done=done, passes=passes) for passes, done in lost],
        solution=solution,
    )


WHERE: dict[Source, str] = {
    _in_chat: "Each has posted what it was in our chat.",
    _in_mails: "Each has sent mails with the word expenses in the subject, they are in my inbox.",
    _in_both: "Some of it they have posted in our chat, the rest stands in mails that have expenses in the subject.",
    _in_tasks: "I have noted what each told me as comments on the tasks of the list of the same name.",
}
ANY = dict.fromkeys(("task_id", "edit_id", "old", "new"), Anything())
HISTORY = (added(EDITS, 12, made_by="me"), added(CHANGES, 24, field="state", **ANY))


# Sums over corrections further down; "gets the rest" where a half looks like all of it; a lost answer that was done.
@scenario(apps=("groups", "notes", "wallet"))
def pay_back_expenses_from_chat(world: World) -> Task:
    """Pay back what members posted, less what was sent before, while answers are lost."""
    return _pay_back(world, _in_chat, [(1, True), (1, False), (1, True)])


# As before, and mails of the one who has to wait stay where they are.
@scenario(apps=("mail", "notes", "wallet"))
def pay_back_expenses_from_mails(world: World) -> Task:
    """Pay back what members wrote in mails, and file the mails of those who are settled."""
    wish = " After that, move the expense mails of everybody who is settled to the archive; whoever is still owed "
    return _pay_back(world, _in_mails, [(0, True), (2, True), (0, False)], wish + "anything keeps them in the inbox.")


# As before; a correction may stand in the other place than what it corrects.
@scenario(apps=("groups", "mail", "notes", "wallet"))
def pay_back_expenses_from_chat_and_mails(world: World) -> Task:
    """Pay back what members posted or wrote in mails, less what was sent before, while answers are lost."""
    return _pay_back(world, _in_both, [(0, True), (1, True), (1, False)])


# As before; the states are set together, so one wrong task is enough.
@scenario(apps=("tasks", "notes", "wallet"))
def pay_back_expenses_from_tasks(world: World) -> Task:
    """Pay back what is noted in comments of tasks, and finish the tasks of those who are settled."""
    wish = " After that, set the task of everybody who is settled to done, but of nobody who is still owed anything."
    return _pay_back(world, _in_tasks, [(0, False), (1, True), (2, True)], wish)
