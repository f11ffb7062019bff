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
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, everything, money, one
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import Node, Task, added, answer, call, changed, in_any_order, loses_answer, say
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Solution, ToolCallFailed

TOOLS = ("search_bank_accounts", "search_payees", "create_money_transfer", "search_money_transfers", "get_note_page",
         "cancel_money_transfer", "search_bank_transactions", "search_note_pages")  # fmt: skip
RATE, SEAT, CAP, NIGHT, LEAST = 36, 4, 2200, 8400, 1500
PAGE = (
    "Everybody gets one transfer with all that is due, never several. Tickets are paid as they cost. Own car: 30 cents "
    "a km, and 4 cents a km more for each passenger. Meals: what was eaten, at most 22.00 for each person who ate. "
    "Hotel:"
    " at most 84.00 a night. We never pay alcohol, tips and fines. What somebody else has already paid back in cash is "
    "due to that other person. If what is due to somebody in all is below 15.00, nothing is sent: it waits for the "
    "next "
    "time. The committee changes rates now and then, that is then pinned in the chat."
)
NEWS = "Decided by the committee last week: own cars get 36 cents a km from now on, everything else stays as it was."


@attrs.frozen
class Drawn:
    """Figures of a claim: amounts in cents, kilometres, people or nights."""

    a: int
    b: int
    k: int
    n: int


Kind = tuple[str, Callable[[Drawn], int]]
PLAIN: tuple[Kind, ...] = (
    ("Train there and back: {a}.", lambda c: c.a),
    ("Dinner on the first evening for {n} of us, {a} in all.", lambda c: min(c.a, c.n * CAP)),
    ("I came in my own car, {k} km in all, with {n} of us on board beside me.", lambda c: c.k * (RATE + SEAT * c.n)),
    ("Lunch on the way for myself: {b}, of which 6.40 was a glass of wine.", lambda c: min(c.b - 640, CAP)),
    ("My room, {n} nights, {h} in all, breakfast not included.", lambda c: min(4 * c.a, c.n * NIGHT)),
    ("I drove my own car, alone with the big boxes, {k} km.", lambda c: c.k * RATE),
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


def _claims(world: World, names: Sequence[str]) -> tuple[list[tuple[int, str]], list[int]]:
    """What everybody writes, in order of time, and what is due to each in the end."""
    due = [0] * len(names)
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
            due[other if "{other}" in kind[0] else who] += kind[1](drawn)
    return [*first, *second], due


@attrs.frozen
class Books:
    """Who is owed what, what was sent before, and what therefore has to be sent; the last one is owed too little."""

    people: list[Person]
    said: list[tuple[int, str]]
    due: list[int]
    sent: list[int]
    payees: list[Row]
    account: Row

    @property
    def open(self) -> dict[str, int]:
        """What has to be sent to whom."""
        left = {each.name: due - sent for each, due, sent in zip(self.people, self.due, self.sent, strict=True)}
        return {name: cents for name, cents in left.items() if cents > 0 and name != self.people[-1].name}


def _keep_books(world: World, what: str) -> Books:
    draw, people = world.draw("wallet"), [world.new_person() for _ in range(9)]
    for _ in range(20):
        said, due = _claims(world, [each.name for each in people])
        if min(due[:-1]) > 2 * LEAST > 2 * due[-1] and max(due) < 50000:
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
    books = Books(people, said, due, sent, payees, account)
    if not (0 < due[-1] < LEAST < min(due[:-1]) / 2 and max(due) < 50000 and len(books.open) == 7):
        raise ScenarioError(f"sums are {due}")
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
        yield from everything("search_group_posts", chat_id=chat["chat_id"])
        yield from _pay(books, what)

    return ("search_group_chats", "get_group_chat", "search_group_posts", "get_group_post"), steps, []


def _in_mails(world: World, books: Books, what: str) -> tuple[tuple[str, ...], Callable[[], Steps], list[Node]]:
    mails = []
    for number, (who, text) in enumerate(books.said):
        sender = books.people[who].name, f"p{who}@{what.split()[0].lower()}.example"
        mails.append(stage.put_mail(world, sender, f"{what}: expenses", text, 5200 - 61 * number) | {"who": who})
    stage.put_mail(world, ("Committee", "all@committee.example"), f"{what}: rates", NEWS, 4800)
    settled = [row for row in mails if row["who"] != len(books.people) - 1]

    def steps() -> Steps:
        yield from everything("search_mail", query=f'in:inbox subject:"{what}: rates"')
        rows = yield from everything("search_mail", query=f'in:inbox subject:"{what}: expenses"')
        for row in [row for row in rows if row["excerpt"].endswith("...")]:
            yield call("get_mail", mail_id=row["mail_id"])
        yield from _pay(books, what)
        done = [row["mail_id"] for row in rows if books.people[-1].name not in row["from"]]
        yield call("move_mail", mail_ids=done, folder="archive")

    filed = [
        changed(MAILS, {"from_name": each.name}, sum(row["who"] == who for row in settled), folder="archive")
        for who, each in enumerate(books.people[:-1])
    ]
    return ("search_mail", "get_mail", "get_mail_thread", "move_mail"), steps, filed


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
        tasks = yield from everything("search_tasks", list_id=found["list_id"])
        for row in tasks:
            yield call("get_task", task_id=row["task_id"])
        yield from _pay(books, what)
        done = [row["task_id"] for row in tasks if row["title"] not in ("Rates", books.people[-1].name)]
        yield call("set_task_state", task_ids=done, state="done")

    ended = [changed(TASKS, {"task_id": row["task_id"]}, state="done", done_at=Anything()) for row in rows[:-2]]
    return ("search_task_lists", "search_tasks", "get_task", "set_task_state", "modify_task"), steps, ended


def _pay(books: Books, what: str) -> Steps:
    """Reads the rules, then sends what is owed, and looks after each answer that is lost."""
    rules = yield call("search_note_pages", words=f"{what} money")
    yield call("get_note_page", page_id=rules["results"][0]["page_id"])
    accounts = yield call("search_bank_accounts", words=f"{what} account")
    payees = yield from everything("search_payees")
    account_id = accounts["results"][0]["account_id"]
    before = yield from everything("search_money_transfers", account_id=account_id)
    for name, cents in books.open.items():
        to = {"account_id": account_id, "payee_id": one(payees, name=name)["payee_id"]}
        send = call("create_money_transfer", **to, amount=cents, description=f"{what} expenses")
        try:
            yield send
        except ToolCallFailed:
            found = yield call("search_money_transfers", **to)
            if found["total"] == sum(row["payee_id"] == to["payee_id"] for row in before):
                yield send


def _sent(books: Books, what: str, name: str, cents: int, *, taken_back: bool = False) -> tuple[Node, Node]:
    """That somebody gets a transfer, and what stands for it among the transactions."""
    states, gone = ("sent", "cancelled") if taken_back else ("sent",), (False, taken_back)
    cells: Row = {"account_id": books.account["account_id"], "description": SameWords(f"{what} expenses"),
             "category": Anything()}  # fmt: skip
    leg: Row = {"counterparty": name, "amount": -cents, "kind": "transfer", "transfer_id": Anything()}
    payee_id = one(books.payees, name=name)["payee_id"]
    sent = added(TRANSFERS, payee_id=payee_id, amount=cents, state=OneOf(states), **cells)
    return sent, added(TRANSACTIONS, cancelled=OneOf(gone), **leg, **cells)


def _pay_back(world: World, source: Source, lost: Sequence[tuple[int, bool]], wish: str = "") -> Task:
    what = world.phrase("Lantern Choir", "Harbour Band", "Marble Players")
    books = _keep_books(world, what)
    stage.put_page(world, f"{what} money", PAGE)
    tools, read_and_pay, filed = source(world, books, what)
    sums = [_sent(books, what, *each) for each in books.open.items()]
    total = sum(books.open.values())

    def solution() -> Solution:
        yield from read_and_pay()
        yield say(f"I've sent {money(total)} dollars today.")

    return Task(
        user=f"Please pay the members of the {what} back what they have paid on our last trip, from the {what} account "
        f'to their payees. {WHERE[source]} Our rules are in my notes, on the page "{what} money". I began with it '
        f"this morning and was then interrupted, so look at what has been sent: only transfers with the description "
        f'"{what} expenses" count, and who has got only a part gets the rest. Use that description, too. My connection '
        f"is bad, so make sure that nobody is paid twice and nobody is forgotten.{wish} In the end, tell me the sum of "
        "what you have sent yourself.",
        tools=[*TOOLS, *tools],
        milestones=[
            *in_any_order(*(sent for sent, _ in sums), *filed),
            answer(Number(total / 100, "USD")),
        ],
        allowed=[*(leg for _, leg in sums), *HISTORY],
        events=[loses_answer("create_money_transfer", is_done=done, passes=passes) for passes, done in lost],
        solution=solution,
    )


WHERE: dict[Source, str] = {
    _in_chat: "Each has posted what it was in our chat.",
    _in_mails: "Each has sent mails with the word expenses in the subject, they are in my inbox.",
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


# As before; the states are set together, so one wrong task is enough.
@scenario(apps=("tasks", "notes", "wallet"))
def pay_back_expenses_from_tasks(world: World) -> Task:
    """Pay back what is noted in comments of tasks, and finish the tasks of those who are settled."""
    wish = " After that, set the task of everybody who is settled to done, but of nobody who is still owed anything."
    return _pay_back(world, _in_tasks, [(0, False), (1, True), (2, True)], wish)
