"""Who still owes what to a club: bank, cash book, members and two officers say different things about it."""

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.wallet.rows import account_row, transaction_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, TRANSACTIONS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    items_become,
    mailed,
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
from tool_sandbox.scenarios.vocabulary import Task, answer, call, in_any_order, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

NAMES = (
    "Abel Farrow", "Bea Farrow", "Cyril Onslow", "Dora Pym", "Emil Pym-Hart", "Fay Rudge", "Gus Selwyn", "Hetty "
        "Tarrant",
    "Ira Ullman", "Jo Vickers", "Kit Vickery", "Lola Wex", "Milo Yates", "Nell Yeats", "Otto Zane", "Pia Aldous",
    "Quin Birk",
    "Rory Carew", "Sue Carey", "Tess Dunn", "Uri Eads", "Viv Foy",
)  # fmt: skip
GROUPS = ("adult", "student", "senior", "child")
KINDS = (
    "bank", "bank", "two", "short", "parent", "joint", "joined", "bounced", "bounced again", "cash", "cash and bank",
    "claim", "gift", "twice", "over", "regrouped", "regrouped back", "regrouped claim",
)  # fmt: skip
"""How each member has paid, or has not."""
PAGE = (
    "{1}\n\nHow we count: the bank counts for what went over the bank, and the page of the cash book for what was "
    "paid in cash; "
    "what somebody says about having paid is nothing. A payment counts for whom its text names, and if it names "
    "nobody, for "
    "whom it is from. Where {2}, our treasurer, has written by mail what a payment was for, that goes before its "
    "text. Gifts "
    "are no dues. Of somebody's group this page tells what it was in January; {3}, our secretary, writes by mail when "
    "it "
    "changes, and the last such mail holds for the whole year. Who has paid too much owes nothing. Dues of a year: {0}."
)


def usd(cents: int) -> str:
    """Cents as dollars."""
    return f"${cents / 100:.2f}"


@attrs.frozen
class Club:
    """What each member owes, and where all of it stands."""

    name: str
    owes: dict[str, int]

    def read(self) -> Solution:
        """Reads all sources."""
        for title in (f"{self.name}: members", f"{self.name}: cash book"):
            yield from read_page(title)
        yield from read_mails(f'subject:"{self.name}"')
        yield from read_chat(self.name)
        [account] = (yield call("search_bank_accounts", words=self.name))["results"]
        yield call("search_bank_transactions", account_id=account["account_id"], limit=50)


def club(world: World) -> Club:
    """Has the members of a club pay their dues in many ways."""
    draw, name = world.draw("wallet"), world.phrase("Kite club", "Rowing circle", "Sketch society")
    treasurer, secretary, *speakers = world.draw("groups").people[:6]
    account = world.put(ACCOUNTS, account_row(draw, name, "current", "USD", 0, 100_000))
    prices = dict(
        zip(
            GROUPS,
            (draw.integer(81, 99), draw.integer(41, 49), draw.integer(61, 69), draw.integer(21, 29)),
            strict=True,
        )
    )
    prices = {group: 100 * price + 50 for group, price in prices.items()}
    names, chat = draw.sample(NAMES, len(KINDS)), put_chat(world, name, [treasurer, secretary, *speakers])
    groups, lines, cash, owes = (
        {each: draw.choice(GROUPS) for each in names},
        list[str](),
        list[str](),
        dict[str, int](),
    )
    pairs, year = list(zip(names, KINDS, strict=True)), world.today.year

    def bank(who: str, cents: int, text: str, ago: int) -> None:
        row = transaction_row(draw, account, cents, who, text, draw.moment(-ago, 10, draw.integer(0, 59)))
        world.put(TRANSACTIONS, row)

    def book(who: str, cents: int, ago: int) -> None:
        cash.append(f"{world.in_days(-ago)}: {who}, {usd(cents)}")

    for number, (each, kind) in enumerate(pairs):
        group, other = groups[each], draw.choice([one for one in GROUPS if one != groups[each]])
        lines.append(f"{each}: {group}")
        if kind.startswith("regrouped"):
            if kind == "regrouped claim":
                put_post(world, chat, speakers[0], f"{each} told me to be {other} since spring.", draw.moment(-30, 9))
            else:
                put_mail(world, secretary, f"{name}: groups", f"{each} is {other} now.", draw.moment(-50, 9, number))
                group = other
            if kind == "regrouped back":
                text = f"{each} is {groups[each]} after all, forget what I wrote."
                put_mail(world, secretary, f"{name}: groups", text, draw.moment(-20, 9, number))
                group = groups[each]
        due, ago, dues = prices[group], draw.integer(22, 70), f"Dues {year}"
        left = draw.integer(5, 15) * 100
        owes[each] = {"short": left, "bounced": due, "claim": due, "gift": due, "cash and bank": 0}.get(kind, 0)
        if kind in ("bank", "bounced", "bounced again", "regrouped claim"):
            bank(each, due, dues, ago)
        if kind.startswith("bounced"):
            bank(each, -due, f"Returned: {dues}, {each}", ago - 2)
        if kind == "bounced again":
            bank(each, due, dues, ago - 9)
        if kind.startswith("regrouped") and kind != "regrouped claim":
            bank(each, prices[groups[each]], dues, ago)
            owes[each] = max(0, due - prices[groups[each]])
        if kind in ("two", "cash and bank"):
            bank(each, left, f"{dues}, first half", ago)
            (bank(each, due - left, f"{dues}, rest", ago - 7) if kind == "two" else book(each, due - left, ago - 7))
        if kind == "short":
            bank(each, due - left, dues, ago)
        if kind == "parent":
            bank(draw.choice(("Mabel Farrow", "Ruth Carew", "Ned Wex")), due, f"{dues} for {each}", ago)
        if kind == "joint":
            bank(each, due + prices[groups[names[number + 1]]], f"{dues} for {each} and {names[number + 1]}", ago)
        if kind == "cash":
            book(each, due, ago)
        if kind in ("claim", "gift"):
            put_post(
                world,
                chat,
                draw.choice(speakers),
                f"{each} has paid the dues, I was there.",
                draw.moment(-9, 10, number),
            )
        if kind == "gift":
            bank(each, due, "A gift for the new roof", ago)
        if kind == "twice":
            debtor = next(one for one, has in pairs if has == "claim")
            bank(each, due, dues, ago)
            bank(each, due, dues, ago - 5)
            text = f"The second {usd(due)} of {each} were meant for {debtor}, they share a house."
            put_mail(world, treasurer, f"{name}: a payment", text, draw.moment(-12, 9))
            owes[debtor] = max(0, owes[debtor] - due)
        if kind == "over":
            bank(each, due + 500, dues, ago)
    kept = ", ".join(f"{group} {usd(cents)}" for group, cents in prices.items())
    roll = "\n".join(draw.sample(lines, len(lines)))
    put_page(world, f"{name}: members", PAGE.format(kept, roll, treasurer.name, secretary.name))
    put_page(world, f"{name}: cash book", "\n".join(sorted(cash)))
    return Club(name, owes)


ASKING = ("search_note_pages", "get_note_page", "search_mail", "get_mail", "search_group_chats", "search_group_posts",
          "search_bank_accounts", "search_bank_transactions", "get_bank_transaction")  # fmt: skip


# Where a very good model slips: 18 members, each by another way: whom a payment is for by its text, by a mail, or by
# its sender; what was returned; which of two mails about a group holds; who only says so.
@scenario(apps=("wallet", "notes", "mail", "groups"))
def list_what_members_owe(world: World) -> Task:
    """Write down what each member of a club still owes, and the sum."""
    file = club(world)
    title, names = f"{file.name}: open dues", world.draw("wallet").sample(list(file.owes), len(file.owes))
    items, total = put_checklist(world, title, [f"{name}: ?" for name in names]), sum(file.owes.values())

    def solution() -> Solution:
        yield from file.read()
        for item in (yield from read_checklist(title)):
            name = item["content"].partition(":")[0]
            yield call("modify_checklist_item", item_id=item["item_id"], content=f"{name}: {usd(file.owes[name])}")
        yield say(f"{usd(total)} are open in all.")

    return Task(
        user=f'What does each member of the {file.name} still owe us of this year\'s dues? Put the amount in place of '
            f'the question mark in my checklist "{title}", with cents, such as "Ann Lee: $12.50", also where it is '
            f'nothing ($0.00). My page "{file.name}: members" says what counts; the mails have the name of the club '
            'in their subject, and the chat, the account and the cash book have it, too. Tell me how much is open in '
            'all.',
        tools=[*ASKING, "search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=[
            *items_become(items, (f"{name}: {usd(file.owes[name])}" for name in names)),
            answer(Number(total / 100, "USD")),
        ],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above; whoever owes nothing must not be written to, and each sum has to be right.
@scenario(apps=("wallet", "notes", "mail", "groups"))
def remind_members_who_owe(world: World) -> Task:
    """Write to each member who owes something what it is, and to nobody else."""
    file = club(world)
    people = {name: Person(name, "") for name in file.owes}
    put_page(
        world, f"{file.name}: addresses", "\n".join(sorted(f"{name}: {each.email}" for name, each in people.items()))
    )
    debts = {name: cents for name, cents in file.owes.items() if cents}

    def solution() -> Solution:
        yield from file.read()
        [page] = yield from read_page(f"{file.name}: addresses")
        known = dict(line.split(": ") for line in page["content"].splitlines())
        for name, cents in debts.items():
            body = f"Of your dues of this year {usd(cents)} are open."
            yield call("send_mail", to=[known[name]], subject=file.name, body=body)
        yield say(f"I have written to {len(debts)} members.")

    return Task(
        user=f'Send every member of the {file.name} who still owes us something of this year\'s dues a mail of his or '
            f'her own that tells how much is open, and write to nobody else. My page "{file.name}: members" says what '
            'counts; the mails have the name of the club in their subject, and the chat, the account, the cash book '
            'and the page of addresses have it, too. To how many have you written?',
        tools=[*ASKING, "send_mail"],
        milestones=[
            *in_any_order(*(mailed(people[name].email, Number(cents / 100, "USD")) for name, cents in debts.items())),
            answer(Number(len(debts))),
        ],
        allowed=[NEW_THREAD] * len(debts),
        solution=solution,
    )  # fmt: skip
