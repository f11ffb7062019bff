"""Who still owes what to a club: bank, cash book, members and two officers say different things about it."""

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.notes.tables import ITEMS
from tool_sandbox.apps.wallet.rows import account_row, transaction_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, TRANSACTIONS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Row,
    in_rounds,
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
    "Abel Farrow", "Bea Farrow", "Cyril Onslow", "Dora Pym", "Emil Pym-Hart", "Fay Rudge", "Gus Selwyn",
    "Hetty Tarrant", "Ira Ullman", "Jo Vickers", "Kit Vickery", "Lola Wex", "Milo Yates", "Nell Yeats", "Otto Zane",
    "Pia Aldous", "Quin Birk", "Rory Carew", "Sue Carey", "Tess Dunn", "Uri Eads", "Viv Foy", "Wyn Foyle",
    "Xenia Garth", "Yves Garth", "Zora Hume", "Amos Rudd", "Bess Selwood",
)  # fmt: skip
GROUPS = ("adult", "student", "senior", "child")
KINDS = (
    "bank", "bank", "two", "two", "short", "short", "parent", "joint", "joined", "for", "named", "bounced",
    "bounced again", "cash", "cash", "cash and bank", "cash and bank", "claim", "gift", "twice", "over", "over", "bank",
    "two",
)  # fmt: skip
"""How each member has paid, or has not."""
MOVES = ("", "", "change", "", "claim", "", "back", "", "twice", "", "claim", "change")
"""How groups change, as far as somebody says so."""
PAGE = (
    "{roll}\n\nHow we count:\n1. Dues of {year}: {prices}.\n2. The bank counts for what went over the bank, and the "
    "page of the cash book for what was paid in cash; what somebody says about having paid counts for nothing. What "
    "was returned counts as never paid.\n3. A payment counts for the member whom its text names; if it names two, half "
    "of it for each; if it names nobody, for whom it is from. Where {treasurer}, our treasurer, wrote by mail what a "
    "payment was for, that goes before its text. Gifts are no dues.\n4. The groups above are those of January. "
    "{secretary}, our secretary, writes by mail when one changes; the last such mail about a member holds for the "
    "whole year.\n5. Who helped on the work day pays {less} less. Who did is what {secretary} wrote by mail; of two "
    "mails the later one holds.\n6. Who had not paid all of it, by rules 1 to 5 as they come out today, by the end of "
    "{limit} owes a late fee of {fee} more.\n7. Who has paid too much owes nothing, and what is too much goes to "
    "nobody else."
)
LESS, FEE = 1250, 775


def usd(cents: int) -> str:
    """Cents as dollars."""
    return f"${cents / 100:.2f}"


@attrs.frozen
class Club:
    """Which group each member is in, who helped, what each has paid how many days ago, and when it was due."""

    name: str
    groups: dict[str, str]
    helpers: set[str]
    prices: dict[str, int]
    paid: dict[str, list[tuple[int, int]]]
    limit: int

    def owes(self, **prices: int) -> dict[str, int]:
        """What each member owes, with other prices of some groups, which change nothing about who was late."""
        found = dict[str, int]()
        for name, group in self.groups.items():
            less = LESS if name in self.helpers else 0
            is_late = sum(cents for ago, cents in self.paid[name] if ago >= self.limit) < self.prices[group] - less
            due = (self.prices | prices)[group] - less + FEE * is_late
            found[name] = max(0, due - sum(cents for _, cents in self.paid[name]))
        return found

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
    ranges = dict(zip(GROUPS, ((81, 99), (41, 49), (61, 69), (31, 39)), strict=True))
    prices = {group: 100 * draw.integer(*each) + 50 for group, each in ranges.items()}
    names, chat = draw.sample(NAMES, len(KINDS)), put_chat(world, name, [treasurer, secretary, *speakers])
    groups, cash, limit = {each: draw.choice(GROUPS) for each in names}, list[str](), draw.integer(42, 48)
    paid, now, dues = {each: list[tuple[int, int]]() for each in names}, dict(groups), f"Dues {world.today.year}"
    pairs = list(zip(names, KINDS, strict=True))

    def bank(who: str, cents: int, text: str, ago: int, *to: str) -> None:
        when = draw.moment(-ago, 10, draw.integer(0, 59))
        world.put(TRANSACTIONS, transaction_row(draw, account, cents, who, text, when))
        for each in to:
            paid[each].append((ago, cents // len(to)))

    def book(who: str, cents: int, ago: int) -> None:
        cash.append(f"{world.in_days(-ago)}: {who}, {usd(cents)}")
        paid[who].append((ago, cents))

    for number, (each, kind) in enumerate(pairs):
        due, ago, left = prices[groups[each]], draw.integer(22, 70), draw.integer(5, 15) * 100
        other, later = names[(number + 1) % len(names)], draw.integer(14, 21)
        if kind in ("bank", "over", "twice", "bounced again"):
            bank(each, due + 500 * (kind == "over"), dues, ago, each)
        if kind == "two":
            bank(each, left, f"{dues}, first part", ago, each)
            bank(each, due - left, f"{dues}, rest", later, each)
        if kind == "cash and bank":
            bank(each, due - left, f"{dues}, the rest I gave in cash", ago, each)
            book(each, left, draw.integer(22, 70))
        if kind == "short":
            bank(each, due - left, dues, ago, each)
        if kind == "parent":
            bank(draw.choice(("Mabel Farrow", "Ruth Carew", "Ned Wex")), due, f"{dues} for {each}", ago, each)
        if kind == "for":
            bank(each, prices[groups[other]], f"{dues} for {other}", ago, other)
        if kind == "joint":
            bank(each, due + prices[groups[other]], f"{dues} for {each} and {other}", ago, each, other)
        if kind.startswith("bounced"):
            bank(each, due, dues, ago + 9)
            bank(each, -due, f"Returned: {dues}, {each}", ago + 7)
        if kind == "cash":
            book(each, due, ago)
        if kind == "gift":
            bank(each, due, "A gift for the new roof", ago)
        if kind in ("claim", "gift", "short"):
            said = f"{each} has paid the dues, I was there."
            put_post(world, chat, draw.choice(speakers), said, draw.moment(-9, 10, number))
        if kind == "twice":
            debtor = next(one for one, has in pairs if has == "claim")
            bank(each, due, dues, ago - 5, debtor)
            text = f"The second {usd(due)} of {each} were meant for {debtor}, they share a house."
            put_mail(world, treasurer, f"{name}: a payment", text, draw.moment(-12, 9))
    _groups(world, chat, name, now, secretary, speakers[0])
    helpers, absent = draw.sample(names, 8), draw.choice(speakers)
    for days, text in (
        (-40, f"On the work day there were: {', '.join(helpers[:6])}. Thank you!"),
        (-25, f"{helpers[0]} was not there, I took {helpers[6]} for {helpers[0]}."),
    ):
        put_mail(world, secretary, f"{name}: work day", text, draw.moment(days, 17))
    put_post(world, chat, absent, f"{helpers[7]} was there on the work day, too.", draw.moment(-24, 9))
    roll = draw.sample([f"{each}: {group}" for each, group in groups.items()], len(names))
    put_page(world, f"{name}: members", PAGE.format(
        roll="\n".join(roll), year=world.today.year, treasurer=treasurer.name, secretary=secretary.name, less=usd(LESS),
        prices=", ".join(f"{group} {usd(cents)}" for group, cents in prices.items()), fee=usd(FEE),
        limit=f"{world.in_days(-limit):%B} {world.in_days(-limit).day}",
    ))  # fmt: skip
    put_page(world, f"{name}: cash book", "\n".join(sorted(cash)))
    return Club(name, now, {*helpers[1:7]}, prices, paid, limit)


def _groups(world: World, chat: Row, name: str, now: dict[str, str], secretary: Person, speaker: Person) -> None:
    """Tells of groups that change, which some of them do."""
    draw = world.draw("wallet")
    for number, (each, move) in enumerate(zip(draw.sample(list(now), len(MOVES)), MOVES, strict=True)):
        first, second = draw.sample([one for one in GROUPS if one != now[each]], 2)
        if move == "claim":
            put_post(world, chat, speaker, f"{each} told me to be {first} since spring.", draw.moment(-30, 9, number))
        elif move:
            put_mail(world, secretary, f"{name}: groups", f"{each} is {first} now.", draw.moment(-50, 9, number))
            last = {"back": now[each], "twice": second}.get(move, first)
            if last != first:
                text = f"{each} is {last} after all, forget what I wrote."
                put_mail(world, secretary, f"{name}: groups", text, draw.moment(-20, 9, number))
            now[each] = last


ASKING = ("search_note_pages", "get_note_page", "search_mail", "get_mail", "search_group_chats", "search_group_posts",
          "search_bank_accounts", "search_bank_transactions", "get_bank_transaction", *NOW)  # fmt: skip


def _listed(world: World, *, decides: bool) -> Task:
    """Write down what each member of a club still owes, and the sum."""
    file, draw = club(world), world.draw("wallet")
    title, names, group = (
        f"{file.name}: open dues",
        draw.sample(list(file.paid), len(file.paid)),
        draw.choice(GROUPS[:2]),
    )
    price = file.prices[group] + 100 * draw.integer(6, 9)
    found = [file.owes(), file.owes(**{group: price})] if decides else [file.owes()]
    items = dict(zip(names, put_checklist(world, title, [f"{name}: ?" for name in names]), strict=True))
    totals = [sum(owes.values()) for owes in found]
    states = [dict.fromkeys(names, ""), *({name: f"{name}: {usd(owes[name])}" for name in names} for owes in found)]
    facts = [Number(total / 100, "USD") for total in totals]
    nodes, allowed = in_rounds(ITEMS, items, "content", states, facts)

    def solution() -> Solution:
        yield from file.read()
        for owes, total in zip(found, totals, strict=True):
            for item in (yield from read_checklist(title)):
                name, _, said = item["content"].partition(": ")
                if said != usd(owes[name]):
                    yield call("modify_checklist_item", item_id=item["item_id"], content=f"{name}: {usd(owes[name])}")
            yield say(f"The sum of all is {usd(total)}.")

    later = (
        f"The meeting has just decided that the dues of every {group} are {usd(price)} for this year; the late "
        "fee stays with those who have it by the dues of before. Correct the list, and tell me the sum again. "
        "Only the figure, please."
    )
    return Task(
        user=(
            f'What does each member of the {file.name} still owe us of this year\'s dues? Put the amount in place of '
            f'the question mark in my checklist "{title}", with cents, such as "Ann Lee: $12.50", also where it is '
            f'nothing ($0.00). My page "{file.name}: members" says what counts; the mails have the name of the club '
            'in their subject, and the chat, the account and the cash book have it, too. Tell me the '
            'sum of all that is open. Only the figure, please.',
            *([later] if decides else []),
        ),
        tools=[*ASKING, "search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=nodes,
        allowed=allowed,
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: 24 members, for each of whom the payments (by text, mail, sender; returned, in halves),
# the group, the work day and the day of each payment come together; a single slip shows in the sum, too.
@scenario(apps=("wallet", "notes", "mail", "groups"))
def list_what_members_owe(world: World) -> Task:
    """Write down what each member of a club still owes, and the sum."""
    return _listed(world, decides=False)


# The same; then the dues of one group change, to which some belong only since a mail, and of which some paid too much.
@scenario(apps=("wallet", "notes", "mail", "groups"))
def list_what_members_owe_after_a_decision(world: World) -> Task:
    """Write down what each member of a club still owes, once more after the dues of a group have changed."""
    return _listed(world, decides=True)


# Where a very good model slips: as above; whoever owes nothing must not be written to, and each sum has to be right.
@scenario(apps=("wallet", "notes", "mail", "groups"))
def remind_members_who_owe(world: World) -> Task:
    """Write to each member who owes something what it is, and to nobody else."""
    file = club(world)
    people = {name: Person(name, "") for name in file.paid}
    put_page(
        world, f"{file.name}: addresses", "\n".join(sorted(f"{name}: {each.email}" for name, each in people.items()))
    )
    debts = {name: cents for name, cents in file.owes().items() if cents}

    def solution() -> Solution:
        yield from file.read()
        [page] = yield from read_page(f"{file.name}: addresses")
        known = dict(line.split(": ") for line in page["content"].splitlines())
        for name, cents in debts.items():
            body = f"Of your dues of this year {usd(cents)} are open."
            yield call("send_mail", to=[known[name]], subject=file.name, body=body)
        yield say(f"The sum is {usd(sum(debts.values()))}.")

    return Task(
        user=f'Send every member of the {file.name} who still owes us something of this year\'s dues a mail of his or '
            f'her own that tells how much is open, and write to nobody else. My page "{file.name}: members" says what '
            'counts; the mails have the name of the club in their subject, and the chat, the account, the cash book '
            'and the page of addresses have it, too. What is the sum? Only the figure, please.',
        tools=[*ASKING, "send_mail"],
        milestones=[
            *in_any_order(*(mailed(people[name].email, Number(cents / 100, "USD")) for name, cents in debts.items())),
            answer(Number(sum(debts.values()) / 100, "USD")),
        ],
        allowed=[NEW_THREAD] * len(debts),
        solution=solution,
    )  # fmt: skip
