"""Dues of a club: what two dozen members had to pay, what came in with which words, and what follows for whom."""

import math
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.groups.rows import chat_row, member_row, person_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS
from tool_sandbox.apps.notes.content import checklist_row, item_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.apps.wallet.rows import account_row, payee_row, transaction_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, TRANSACTIONS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import (
    Deed,
    Job,
    Look,
    change_task,
    count_as,
    look,
    mails,
    make_task,
    owed,
    page,
    put_out,
    rename,
    tick,
    transfer,
)
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, money, new_names, put_mail, put_page
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import World

APPS = ("wallet", "notes", "mail")
READS = (
    *("search_note_pages", "get_note_page", "search_mail", "get_mail", "get_mail_thread", "search_bank_accounts"),
    *("search_bank_transactions", "get_bank_transaction", "search_payees", "search_money_transfers"),
    *NOW,
)
TASK_TOOLS = (
    *("search_task_lists", "search_tasks", "get_task", "create_task", "modify_task", "set_task_state", "delete_task"),
)
SEASON, TINY, LATE, FEE = 118, 200, 45, 750
"""Days since the season began, from how many cents a difference counts, days since the late fee began, and the fee."""

CASES = (
    ("", 0, "exact"), ("", 31, "rates"), ("", 8, "old locker"), ("", 12, "exact"), ("", 0, "none"), ("", 0, "shirt"),
    ("", 0, "last season"), ("", 27, "early"), ("", 0, "returned"), ("", 0, "again"), ("", 5, "firm"), ("", 0, "note"),
    ("student", 0, "full"), ("student", 16, "exact"), ("student, joined", 0, "exact"), ("joined", 40, "short"),
    ("joined", 0, "tiny"), ("board", 23, "exact"), ("deputy", 0, "none"), ("deputy", 0, "exact"), ("", 0, "with next"),
    ("family", 9, "by other"), ("", 0, "short with next"), ("family, student", 0, "by other"), ("", 0, "over"),
    ("", 0, "moved"), ("student", 14, "by other"), ("joined", 35, "part"), ("", 21, "exact"), ("family", 6, "part"),
    ("student", 33, "short"), ("joined", 9, "over"), ("deputy", 18, "rates"), ("board", 0, "by other"),
)  # fmt: skip
"""Members: what they are beside full members, their locker, and how they paid."""
CARRIED = {0: 1_240, 3: -815, 7: 2_060, 12: -950, 13: 335, 19: 120, 22: -480, 28: -1_990, 29: 475, 30: -605, 32: 890}
"""What some of them carry over from the season before, in cents."""


@attrs.frozen
class Dues:
    """A club and its books: balances are what was paid less what was due, in cents, by name; fees are a part of it."""

    club: str
    account: Row
    balances: dict[str, int]
    fees: dict[str, int]
    none_paid: tuple[str, ...]
    counted: list[Row]
    total_paid: int
    texts: tuple[str, ...]

    @property
    def looks(self) -> tuple[Look, ...]:
        """Rules, decisions, and all payments with their notes."""
        account, payment = {"account_id": self.account["account_id"]}, ("get_bank_transaction", "transaction_id")
        return (
            *(page(f"Dues of the {self.club}"), page(f"Members of the {self.club}"), mails("subject:board")),
            look("search_bank_accounts", words=self.account["name"]),
            look("search_bank_transactions", payment[0], key=payment[1], limit=50, **account),
        )

    @property
    def owing(self) -> dict[str, int]:
        """Who still owes how much, without what is too little to count."""
        return {name: -cents for name, cents in self.balances.items() if cents <= -TINY}

    def owing_at(self, fee: int) -> dict[str, int]:
        """The same, if the late fee were another."""
        left = {name: -cents - (FEE - fee if self.fees[name] else 0) for name, cents in self.balances.items()}
        return {name: cents for name, cents in left.items() if cents >= TINY}

    @property
    def total(self) -> int:
        """What all of them owe."""
        return sum(self.owing.values())

    def told(self, cents: int, *parts: int) -> Number:
        """A sum that has to be told; balances, and other parts of it, may be told beside it."""
        beside = {abs(each) / 100 for each in (TINY, FEE, *self.balances.values(), *parts)}
        return Number(cents / 100, "USD", context=tuple(sorted(beside)))

    @property
    def sources(self) -> str:
        """Where the request says that the rules stand."""
        return (
            f'What everybody has to pay stands in my notes ("Dues of the {self.club}", "Members of the {self.club}"), '
            "what the board changed since in my mail (board meeting). All payments went over the "
            f"{self.account['name']}; read them one by one, with what I noted there."
        )


def _put_dues(world: World, unpaid: tuple[str, ...] = ()) -> Dues:
    """The books of a club in a drawn order of members; some cases may be told to be unpaid as well."""
    draw, club = world.draw("wallet"), world.phrase("rowing club", "chess club", "fencing club", "glee club")
    full, locker, less = (100 * world.integer(*each) for each in ((138, 120, 160), (31, 28, 36), (22, 18, 26)))
    account = world.put(ACCOUNTS, account_row(draw, f"{club.capitalize()} account", "current", "USD", 0, 900_000))
    account["opening_balance"] = 400_000
    names = new_names(world, "wallet", len(CASES) - 5)
    # Relatives share a last name, and two people who are none do as well.
    firsts = draw.sample(("Bea", "Gus", "Ida", "Lew", "Zoe"), 5)
    for given, (number, of) in zip(firsts, ((11, 3), (21, 20), (23, 22), (24, 0), (29, 28)), strict=True):
        names.insert(number, f"{given} {names[of].split()[1]}")
    lines, due = list[str](), list[int]()
    for index, (name, (kind, number, _)) in enumerate(zip(names, CASES, strict=True)):
        base = 0.0 if kind == "board" else full * 0.5 if "student" in kind or kind == "deputy" else full
        base = base * (0.6 if "family" in kind else 1) / (3 if "joined" in kind else 1)
        due.append(100 * math.ceil(round(base / 100, 6)) + (0 if not number else less if number < 20 else locker))
        told = kind.replace("family", f"family of {names[index - 1]}").replace("deputy", "deputy on the board")
        told = told.replace("joined", f"joined on {world.in_days(30 - SEASON):%d %B}") or "full member"
        told += f", locker {number}" if number else ""
        if cents := CARRIED.get(index, 0):
            told += f", {money(abs(cents))} {'over' if cents > 0 else 'short'} from last season"
        lines.append(f"{name}: {told}")
    since, limit = world.in_days(-SEASON), world.in_days(-LATE)
    rules = put_page(
        world,
        f"Dues of the {club}",
        f"Season from {since:%d %B %Y} on. Full dues are {money(full)}; students pay half of it. Of a family everybody "
        "but the one whom the others are listed with pays 60 % of what the same person would pay alone. Who joined "
        "after the season had begun pays a third of what it would be else. The board pays no dues. Whatever comes out "
        "is rounded up to the next full dollar for each person. A locker costs "
        f"{money(locker)} on top, for everybody, never reduced. What the list of members calls over or short from last "
        "season is set off after that.\nPayments: those from before the season belong to the "
        "season before, unless their text says otherwise; late ones for an earlier season do not count for this one. "
        "Clothes, regattas and parties are no dues; a payment without a purpose is dues of whoever paid. My note at a "
        "payment goes before its text. Payments that were cancelled have been returned by the bank. If one pays for "
        "two and it is not enough, dues and locker of whoever paid are covered first. What we sent back is not paid. "
        f"If all in all less than {money(TINY)} is missing or too much for somebody, we let it go.",
    )
    order = draw.sample(range(len(CASES)), len(CASES))
    members = put_page(world, f"Members of the {club}", "\n".join(lines[each] for each in order), -30)
    chair = draw.choice(names[:4])
    first = put_mail(world, chair, "Board meeting: lockers", f"Lockers will cost {money(less)} for everybody.", -20)
    text = (
        f"I have to correct that: only lockers with numbers below 20, the old ones, cost {money(less)} this season, "
        "whatever was paid for them before. The new ones stay as they were. And deputies on the board pay half "
        "of the full dues, not nothing."
    )
    last = put_mail(world, chair, "Re: Board meeting: lockers", text, -17, first)
    late = (
        f"We have decided on a late fee of {money(FEE)}, on top of all else. It is for everybody of whom less than "
        f"half of dues and locker together was paid by {limit:%d %B}, that day included, and for everybody who had a "
        "payment returned by the bank, whenever the rest came. Whoever has to pay neither dues nor locker, students, "
        "and those who joined after the season had begun never pay it."
    )
    put_mail(world, chair, "Board meeting: late payments", late, -16)
    texts = [rules["content"], members["content"], last["body"], late]
    paid, in_time, counted = dict.fromkeys(names, 0), dict.fromkeys(names, 0), list[Row]()

    def pay(
        who: str, cents: int, text: str, days: int, counts: dict[str, int] | None = None, note: str = "", **more: Any
    ) -> None:
        """A payment; `counts` says how much of it is dues of whom."""
        row = transaction_row(draw, account, cents, who, text, draw.moment(-days, draw.integer(8, 20)))
        world.put(TRANSACTIONS, row | {"note": note or None} | more)
        texts.extend([note] if note else [])
        counted.extend([row] if counts else [])
        for name, part in (counts or {}).items():
            paid[name] += part
            in_time[name] += part if days >= LATE else 0

    none_paid = []
    for index, (name, (_, number, plan)) in enumerate(zip(names, CASES, strict=True)):
        plan, sum_, days = "none" if plan in unpaid else plan, due[index], draw.integer(12, SEASON - 12)
        other, following = names[(index + 1) % len(names)], due[(index + 1) % len(names)]
        if plan in ("exact", "again"):
            pay(name, sum_, draw.choice(("Dues", f"Dues {name}", "Membership")), days, {name: sum_})
        if plan == "early":
            pay(name, sum_, "Dues for the season to come", SEASON + 6, {name: sum_})
        if plan == "shirt":
            pay(name, sum_, "Club shirt and cap", days)
        if plan == "last season":
            pay(name, sum_, f"Dues, sorry: for the season before {since:%B %Y}", days)
        if plan == "rates":
            pay(name, sum_ // 2, "Dues, 1st half", days, {name: sum_ // 2})
            pay(name, sum_ - sum_ // 2, "Dues, 2nd half", max(9, days - 50), {name: sum_ - sum_ // 2})
        if plan in ("old locker", "over", "full", "short", "tiny"):
            more = {"old locker": locker - less, "over": world.integer(24, 15, 40) * 100, "full": full - sum_}
            cents = sum_ + (more | {"short": -locker, "tiny": -150})[plan]
            pay(name, cents, "Dues and locker" if number else "Dues", days, {name: cents})
        if plan in ("returned", "again"):
            pay(name, sum_, "Dues", min(days + 6, SEASON - 3), cancelled=True)
        if plan == "firm":
            firm = f"{draw.choice(('Hollis', 'Brandt', 'Okada'))} & Sons"
            pay(firm, sum_, "Invoice 4471", days, {name: sum_}, f"Dues of {name}")
        if plan == "note":
            pay(name, sum_, "Dues", days, note=f"{name.split()[0]} called: it is for the regatta, the dues will follow")
        if plan == "part":
            extra = 100 * draw.integer(15, 45) + 50
            pay(name, sum_ + extra, "Dues", days, {name: sum_}, f"{money(extra)} of this is for the party")
        if plan == "moved":
            pay(name, following, "Dues", days, {other: following}, f"Not for {name.split()[0]}, it is for {other}")
        if plan.endswith("with next"):
            rest = following - (1_850 if plan.startswith("short") else 0)
            pay(name, sum_ + rest, f"Dues for me and for {other.split()[0]}", days, {name: sum_, other: rest})
        if plan in ("none", "shirt", "last season", "returned", "note", "moved") and sum_:
            none_paid.append(name)
    # Sent back: what was paid once too much, beside costs and a grant.
    back = names[3]
    pay(back, 4_000, "Dues", 40, {back: 4_000})
    pay(back, -4_000, "Dues, paid twice", 33, {back: -4_000})
    pay("City sports office", 60_000, "Grant for the season", 50)
    pay("Harbor Insurance", -21_400, "Yearly insurance", 70)
    world.stored(TRANSACTIONS).sort(key=lambda row: row["booked_at"])
    fees, balances = dict.fromkeys(names, 0), dict[str, int]()
    for index in order:
        name, (kind, _, plan) = names[index], CASES[index]
        is_late = plan in ("returned", "again") or 2 * in_time[name] < due[index]
        fees[name] = FEE if is_late and due[index] and "student" not in kind and "joined" not in kind else 0
        balances[name] = paid[name] + CARRIED.get(index, 0) - due[index] - fees[name]
    return Dues(club, account, balances, fees, tuple(none_paid), counted, sum(paid.values()), tuple(texts))


def _put_reminders(world: World, books: Dues, told: dict[str, int]) -> tuple[Row, dict[str, Row], tuple[Look, ...]]:
    """A list of tasks with reminders of certain amounts by name, and what finds them."""
    draw, name = world.draw("tasks"), f"{books.club.capitalize()} reminders"
    tasks = world.put(LISTS, list_row(draw, name, draw.moment(-90, 9)))
    rows = {}
    for who, cents in told.items():
        cells = {"details": f"Owes {money(cents)}.", "assignee": "me"}
        rows[who] = world.put(TASKS, task_row(draw, tasks["list_id"], f"Remind {who}", draw.moment(-70, 9), **cells))
    found = look("search_tasks", "get_task", key="task_id", list_id=tasks["list_id"])
    return tasks, rows, (*books.looks, look("search_task_lists", words=name), found)


def _remind(tasks: Row, name: str, cents: int) -> Deed:
    return make_task(tasks, f"Remind {name}", (f"Owes {money(cents)}.", owed(cents)))


# A model slips at the 60 % of a third that is rounded before the locker is added, at what a note takes away from a
# payment, or at the one who is covered first; and one wrong balance of 25 is a wrong task.
@scenario(apps=(*APPS, "tasks"))
def remind_members_who_owe_dues(world: World) -> Task:
    """Make a task for every member who still owes dues, with the amount, and tell what is open in all."""
    books = _put_dues(world)
    done, *rest = books.owing
    tasks, _, looks = _put_reminders(world, books, {done: books.owing[done]})
    return Job(
        f'Please go through the dues of our {books.club}. On my task list "{tasks["name"]}" there has to be one '
        'task for every member who still owes dues or a locker, with the title "Remind <full name>", the amount owed '
        "in the details, and assigned to me. Leave tasks alone that are there already, and make none for anybody "
        f"twice. {books.sources} In the end tell me how much all of them owe in total.",
        (*READS, *TASK_TOOLS),
        looks,
        [_remind(tasks, name, books.owing[name]) for name in rest],
        f"Everybody who owes dues is on the list. Together they owe {money(books.total)}.",
        [books.told(books.total)],
        books.texts,
    ).task()


# A model trusts a tick that is there, or stops at the payments whose text looks plain; who was wrongly ticked has to be
# opened again, and names differ in one word.
@scenario(apps=APPS)
def tick_members_who_paid_dues(world: World) -> Task:
    """Bring a checklist of members in line with what they have paid, ticks that are wrong included."""
    books, draw = _put_dues(world), world.draw("notes")
    title, names = f"Paid up, {books.club}", sorted(books.balances)
    checklist = world.put(CHECKLISTS, checklist_row(draw, title, draw.moment(-60, 9)))
    paid = [name for name in names if name not in books.owing]
    ticked = {*draw.sample(paid, 6), *draw.sample(sorted(books.owing), 4)}
    deeds = []
    for number, name in enumerate(names, start=1):
        cells = (number, draw.moment(-9, 9) if name in ticked else None)
        item = world.put(ITEMS, item_row(draw, checklist["checklist_id"], name, *cells))
        deeds += [tick(item, done=name in paid)] if (name in ticked) != (name in paid) else []
    return Job(
        f'On my checklist "{title}" exactly those members of our {books.club} are to be ticked who owe nothing any '
        f"more. Some ticks there are wrong. Please put it right, and change nothing else. {books.sources} Then tell "
        "me how many members still owe something.",
        (*READS, "search_checklists", "get_checklist", "modify_checklist_item", "add_checklist_items"),
        (*books.looks, look("search_checklists", "get_checklist", key="checklist_id", words=title)),
        deeds,
        f"The checklist is right now. {len(books.owing)} members still owe something.",
        [Number(len(books.owing), "member")],
        books.texts,
    ).task()


# A model pays back what a member paid for the shirt, takes the payee of nearly the same name, or puts out who promised
# to pay in the chat.
@scenario(apps=(*APPS, "groups"))
def settle_dues_of_season(world: World) -> Task:
    """Pay back what was paid too much, and put those out of the chat who paid nothing, unless they have said more."""
    books, draw, chats = _put_dues(world, ("rates", "firm", "full")), world.draw("wallet"), world.draw("groups")
    over = {name: cents for name, cents in books.balances.items() if cents >= TINY}
    first, *_ = over
    payees = {name: world.put(PAYEES, payee_row(draw, name)) for name in over}
    world.put(PAYEES, payee_row(draw, f"{first} Catering", note="summer party"))
    world.put(PAYEES, payee_row(draw, first, note="account closed") | {"removed": True})
    chat = world.put(CHATS, chat_row(chats, f"{books.club.capitalize()} members", None, chats.moment(-200, 9)))
    times, members, people = (chats.moment(-200, 9), chats.moment(0, 0)), {}, {}
    for number, name in enumerate(books.balances, start=3000):
        people[name] = world.put(PEOPLE, person_row(chats, name, f"+1628555{number:04d}"))
    people["me"] = next(row for row in world.stored(PEOPLE) if row["is_me"])
    for name, row in people.items():
        role = "admin" if name == "me" else "member"
        members[name] = world.put(MEMBERS, member_row(chats, chat["chat_id"], row["person_id"], role, *times))
    late, short, quits, hungry, *_ = books.none_paid
    posts = {
        **dict.fromkeys(list(books.balances)[:8], "See you on Sunday"),
        late: "I know that my dues are late, they come with my wages next week",
        short: "Could not pay the club yet, will do it on Friday, you have my word",
        quits: "I will not pay this time, sorry. I hardly ever come",
        hungry: "Is there still cake from Sunday? I promised the children",
    }
    for number, (name, text) in enumerate(posts.items()):
        row = post_row(chats, chat["chat_id"], people[name]["person_id"], text, chats.moment(-6, 9, 3 * number))
        world.put(POSTS, row)
    out, total = [name for name in books.none_paid if name not in (late, short)], sum(over.values())
    chat_id = {"chat_id": chat["chat_id"]}
    return Job(
        f"The season of our {books.club} is over. Please transfer back to every member exactly what was paid too much, "
        f"from the {books.account['name']}. {books.sources} Then put those members out of the chat "
        f'"{chat["name"]}" who owe dues and of whom no payment at all counts for this season, but not those who have '
        "promised in the chat to pay. In the end tell me how many dollars go back in total.",
        (
            *(*READS, "create_money_transfer", "cancel_money_transfer", "add_payee", "search_group_chats"),
            *("get_group_chat", "search_group_posts", "get_group_post", "remove_group_member", "set_group_role"),
        ),
        (
            *(*books.looks, *(look("search_payees", words=name) for name in over)),
            look("search_group_chats", "get_group_chat", key="chat_id", words=chat["name"]),
            look("search_group_posts", "get_group_post", key="post_id", limit=50, **chat_id),
        ),
        [
            *(transfer(books.account, payees[name], cents, "Dues, too much paid") for name, cents in over.items()),
            *(put_out(members[name]) for name in out),
        ],
        f"In total {money(total)} goes back to members.",
        [books.told(total)],
        (*books.texts, *posts.values()),
    ).task()


# A model leaves a reminder whose amount was right before the board lowered the lockers, closes one of two look-alikes,
# or lowers a fee to what is let go, and leaves it open.
@scenario(apps=(*APPS, "tasks"))
def bring_dues_reminders_up_to_date(world: World) -> Task:
    """Correct, close and complete reminders that somebody made before all payments were there, then lower a fee."""
    books, draw = _put_dues(world, ("rates", "firm")), world.draw("tasks")
    owing, left = books.owing, books.owing_at(100)
    charged = [name for name in owing if books.fees[name]]
    right, *missing = draw.sample(sorted(set(owing) - set(charged)), len(owing) - len(charged))
    settled = draw.sample(sorted(set(books.balances) - set(owing)), 6)
    told = {right: owing[right]} | {name: owing[name] + 100 * draw.integer(-4, 9) + 50 for name in charged}
    told |= {name: world.integer(3_100, 2_000, 9_900) for name in settled}
    tasks, rows, looks = _put_reminders(
        world, books, {name: told[name] for name in draw.sample(sorted(told), len(told))}
    )
    first, second = list[Deed](), list[Deed]()
    for name in charged:
        first.append(change_task(rows[name], details=(f"Owes {money(owing[name])}.", owed(owing[name]))).for_now())
        if name in left:
            second.append(change_task(rows[name], details=(f"Owes {money(left[name])}.", owed(left[name]))))
        else:
            done = change_task(rows[name], state="done")
            node = change_task(rows[name], state="done", details=("", Anything())).nodes
            second.append(Deed(node, done.steps, done.allowed))
    total = sum(left.values())
    return Job(
        [
            f'The reminders on my task list "{tasks["name"]}" are out of date. Please go through the dues of our '
            f"{books.club}: set the reminders of those to done who owe nothing any more, correct the amount in the "
            'details where it is wrong, and make the missing ones, titled "Remind <full name>", with the amount owed '
            f"in the details and assigned to me. {books.sources} Then tell me how much all members owe in total.",
            f"The board has just lowered the late fee from {money(FEE)} to {money(100)}; nothing else has "
            "changed. Please bring the reminders in line with that, as before, and tell me the new total.",
        ],
        (*READS, *TASK_TOOLS),
        looks,
        [
            *(change_task(rows[name], state="done") for name in settled),
            *first,
            *(_remind(tasks, name, owing[name]) for name in missing),
        ],
        f"The reminders are up to date. Together the members owe {money(books.total)}.",
        [books.told(total, *left.values())],
        books.texts,
        [(second, f"That is changed. The members owe {money(total)} in total now.")],
        [books.told(books.total)],
    ).task()


# Thirty-four balances to the cent: a fee, a remainder of the season before or a third of 60 % that is wrong in one of
# them is wrong.
@scenario(apps=APPS)
def write_balance_behind_every_member(world: World) -> Task:
    """Write on a checklist what every member owes or has paid too much."""
    books, draw = _put_dues(world), world.draw("notes")
    title = f"Balances, {books.club}"
    checklist, deeds = world.put(CHECKLISTS, checklist_row(draw, title, draw.moment(-60, 9))), list[Deed]()
    for number, (name, cents) in enumerate(sorted(books.balances.items()), start=1):
        item = world.put(ITEMS, item_row(draw, checklist["checklist_id"], name, number))
        word = "even" if abs(cents) < TINY else f"{'owes' if cents < 0 else 'gets'} {abs(cents) / 100:.2f}"
        deeds.append(rename(item, f"{name}: {word}"))
    return Job(
        f'My checklist "{title}" has an item for every member of our {books.club}. Please write behind each name how '
        'it stands with the dues, as in "Ann Lee: owes 12.50", "Ann Lee: gets 3.00" (what was paid too much) or '
        f'"Ann Lee: even", and tick nothing. {books.sources} Then tell me how much the members owe in total, those '
        "left out who get something.",
        (*READS, "search_checklists", "get_checklist", "modify_checklist_item", "add_checklist_items"),
        (*books.looks, look("search_checklists", "get_checklist", key="checklist_id", words=title)),
        deeds,
        f"Every balance is on the checklist. Together the members owe {money(books.total)}.",
        [books.told(books.total)],
        books.texts,
    ).task()


# A model counts what a note takes away, or what a firm paid not at all, and leaves what somebody sorted wrongly.
@scenario(apps=APPS)
def sort_payments_of_club(world: World) -> Task:
    """Give the payments of a club that are dues a category, put wrong ones back, and sum up what counts."""
    books = _put_dues(world)
    own = [row for row in world.stored(TRANSACTIONS) if row["account_id"] == books.account["account_id"]]
    keys = {row["transaction_id"] for row in books.counted}
    sorted_ = {row["transaction_id"] for row in world.draw("wallet").sample(own, 14)}
    deeds = list[Deed]()
    for row in own:
        row["category"] = "leisure" if row["transaction_id"] in sorted_ else "other"
        category = "leisure" if row["transaction_id"] in keys else "other"
        deeds += [count_as(row, category)] if row["category"] != category else []
    return Job(
        f"Please go through all payments on the {books.account['name']}. The category of exactly those is to be "
        f"leisure that count as dues or locker of this season of our {books.club} for somebody, if only with a part, "
        "and of those with which we sent such money back; that of all others is to be other. Somebody has begun with "
        f"it, not without mistakes. {books.sources} Then tell me how much the members have paid in all that counts "
        "for this season, less what was sent back, and without the parts that do not count. Only the figure, please.",
        (*READS, "modify_bank_transaction", "search_transaction_shares"),
        books.looks,
        deeds,
        f"The payments are sorted. The members have paid {money(books.total_paid)} in all.",
        [Number(books.total_paid / 100, "USD")],
        books.texts,
    ).task()
