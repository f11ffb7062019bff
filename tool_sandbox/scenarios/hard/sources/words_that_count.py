"""Voices of different weight have said what holds of two dozen things, took words back, and one handed over."""

import itertools
from collections.abc import Callable, Iterable, Sequence

import attrs

from tool_sandbox.answers.facts import Date, Number
from tool_sandbox.apps import Person, add, now, rows_of
from tool_sandbox.apps.home.content import device_row
from tool_sandbox.apps.home.tables import DEVICES as HOME_DEVICES
from tool_sandbox.apps.home.tables import ROOMS, SCENES, STEPS
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.notes.tables import ITEMS
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import EDITS, LISTS, TASKS
from tool_sandbox.apps.wallet.rows import account_row, payee_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Reading,
    bookings,
    edits,
    item_becomes,
    mailed,
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
from tool_sandbox.scenarios.vocabulary import Happening, Task, answer, call, changed, happens, in_any_order, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, Step
from tool_sandbox.world.table import TableSchema

APPS = ("notes", "mail", "groups")
TOOLS = ("search_mail", "get_mail", "search_group_chats", "search_group_posts", "search_note_pages", "get_note_page")
SLOTS = "CBACeBNACBAebADCbANDCbAbZ"
"""Who speaks on each day: A, B and C by rank, b the successor of B; e is b too early, D is B too late, Z is A last."""
STORIES = (
    *("", "B?", "C~ e=", "C= N=", "B= C=", "A= B=", "B= B= C?", "B= A?", "B= A= A-", "C= B~ A?", "B= B+", "A= B= A-"),
    *("C= B= B-", "A= A= A-", "C= C+", "B= b=", "b= D=", "B= b= b-", "B= b= b+", "A= A+ b=", "B= D-", "C= B= C="),
    *("A= B= Z-", "B= C= Z=", "b= Z?", "A= b= Z+"),
)
"""What is said of each thing: who, and = a word, + more than that, - it is taken back, ? an idea, ~ hearsay."""
FORMS = {
    "=": ("{0}: {1}.", "{0} gets {1}.", "Put down {1} for {0}.", "{1} for {0}, that is settled."),
    "+": ("{0}: {1} than I said last.", "Make it {1} than my last word for {0}."),
    "-": ("What I said last about {0}: take it as never said.", "{0}: I take back my last word on it."),
    "?": ("Should {0} not rather have {1}? Think about it.", "{1} for {0} would be an idea, we will see."),
    "~": ("They say that {0} is to have {1}.", "Somebody has {1} in mind for {0}, I hear."),
}
PAGE = (
    "Who decides about {0}:\n1. {1}, {5}, has the last word, by mail.\n2. Where nothing stands that {1} has said, "
    "{2}, {6}"
    ', decides, in the chat "{0}". On {9} {2} handed that over to {3}: whatever {2} posted from that day on counts for '
    "nothing, and so does whatever {3} posted before it. What {2} had posted before stays valid, like a word of {3}, "
    "until "
    "{3} decides otherwise.\n3. Where nothing of that stands either, it is as {4}, {7}, wishes, by mail. Nobody else "
    "has a "
    "say.\n4. For {8}, 1 and 2 change places: there {2} and {3} go before {1}.\n5. Of several words of one rank the "
    "last "
    "one holds. Ideas, questions and hearsay are no words.\n6. Who takes back a last word makes it as if that one had "
    "never been said; nobody can take back the words of others.\n7. Where nothing stands, it stays as the list has it."
)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


STALLS = _names(
    "Honey|Honey cakes|Books|Old books|Candles|Waffles|Soap|Soap for children|Cheese|Goat cheese|Pottery|"
    "Pottery seconds|Plants|Indoor plants|Toys|Wooden toys|Jam|Jam and chutney|Knitwear|Leather|Lemonade|Mulled juice|"
    "Postcards|Stamps|Baskets|Bread|Flat bread|Cider|Olives|Mushrooms"
)
BIRDS = _names(
    "Swallow|Swift|Robin|Wren|Heron|Night heron|Gull|Little gull|Owl|Barn owl|Crane|Stork|Black stork|Finch|Goldfinch|"
    "Lark|Woodlark|Thrush|Song thrush|Kite|Red kite|Dove|Rock dove|Plover|Curlew|Osprey|Dipper|Magpie|Jay|Coot"
)
JOBS = _names(
    "Print posters|Print tickets|Hang posters|Book band|Pay band|Order flags|Order flag poles|Test microphones|"
    "Test lights|Paint scenery|Paint signs|Hire tent|Hire tent heating|Invite mayor|Invite press|Mow lawn|Clean hall|"
    "Clean kitchen|Bake bread|Order drinks|Order ice|Insure stage|Insure boats|Train stewards|Write programme|"
    "Proofread programme|Rent chairs|Rent vans|Check first aid|Borrow benches"
)
FAMILIES = _names(
    "Arkwright|Arkwright-Lee|Bellamy|Cobham|Cobham-Reyes|Dunmore|Eastlake|Fairbairn|Gilchrist|Hathersage|Inglewood|"
    "Jessop|Kettering|Lockhart|Lockhart-Byrne|Merriweather|Nettlefold|Oakeshott|Pemberton|Quartermaine|Ravenscroft|"
    "Satterthwaite|Thistlewood|Underwood-Price|Vavasour|Wetherby|Wetherby-Stone|Yardley|Zellwood|Ashdown"
)


Moves = tuple[TableSchema, str] | None
Write = Callable[[dict[str, int]], Solution]


@attrs.frozen
class Dispute:
    """What holds at the end of each thing, what the list has, and how to find out."""

    topic: str
    base: dict[str, int]
    truth: dict[str, int]
    rest: dict[str, int]
    before: dict[str, int]
    late: frozenset[str]
    events: tuple[Happening, ...]
    leaver: str
    leaves: bool

    @property
    def end(self) -> dict[str, int]:
        """What holds when all is done."""
        return self.rest if self.leaves else self.truth

    @property
    def passing(self) -> list[tuple[str, int]]:
        """What may stand there for a while: what held before the last mail came, and before one left."""
        shown = [*(self.before.items() if self.events else ()), *(self.truth.items() if self.leaves else ())]
        return [(name, value) for name, value in shown if value != self.end[name]]

    @property
    def touched(self) -> dict[str, int]:
        """What holds in the end of all that is touched."""
        passing = {name for name, _ in self.passing}
        return {name: value for name, value in self.end.items() if value != self.base[name] or name in passing}

    def user(self, request: str) -> tuple[str, ...]:
        """What the user says: the request, that the world moves, and that somebody has left."""
        still = (
            "They are still writing: when you are through, look whether a mail has come since, and let it count, too."
        )
        first = f"{request} {still if self.events else ''}".strip()
        second = (
            f"I hear that {self.leaver} has left us. Nothing holds any more only because {self.leaver} wished it "
            "(rule 3): "
            "there it has to be again as it was in the list before you began. Put that right, and answer me once more."
        )
        return (first, second) if self.leaves else (first,)

    def play(self, write: Write, report: Callable[[dict[str, int]], Iterable[Step]]) -> Solution:
        """Reads all sources and writes what holds, what the last mail is about after it has come."""
        yield from self.read()
        early = {name: value for name, value in self.truth.items() if not (self.events and name in self.late)}
        yield from write(early)
        if self.events:
            yield from read_mails(f'subject:"{self.topic}" is:unread')
            yield from write({name: self.truth[name] for name in self.late})
        yield from report(self.truth)
        if self.leaves:
            yield from write(self.rest)
            yield from report(self.rest)

    def read(self) -> Reading:
        """Reads all sources."""
        yield from read_page(f"{self.topic}: who decides")
        yield from read_mails(f'subject:"{self.topic}"')
        return (yield from read_chat(self.topic))


def _settled(told: Sequence[tuple[int, str, int]], flipped: bool, base: int) -> int:
    """What holds of a thing after all that was told: slot, kind and figure of each."""
    standing: dict[str, list[int]] = {"A": [], "B": [], "b": [], "C": []}
    for slot, kind, figure in told:
        own = standing.get(SLOTS[slot].replace("Z", "A"), [])
        if kind == "-":
            own[-1:] = []
        elif kind in "=+":
            own.append(figure)
    for rank in "bBAC" if flipped else "AbBC":
        if standing[rank]:
            return standing[rank][-1]
    return base


def _dispute(
    world: World, topic: str, offices: Sequence[str], names: Sequence[str], low: int, high: int,
    value: Callable[[int], str], more: Callable[[int], str], *, step: int = 1,
    moves: Moves = None, leaves: bool = False,
) -> Dispute:  # fmt: skip
    """Has everybody speak about things; the last mail may come only once a column is changed."""
    draw, people = world.draw("notes"), world.draw("groups").people[:6]
    voices = dict(zip("ABbCN", people, strict=False)) | {"D": people[1], "e": people[2], "Z": people[0]}
    names = draw.sample(names, len(STORIES))
    flipped = [name for name, story in zip(names, STORIES, strict=True) if "A" in story and draw.chance(0.5)]
    flipped = [name for number, name in enumerate(names) if name in flipped or number in (5, 19)]
    letters: list[list[str]] = [[] for _ in SLOTS]
    base, truth, rest, before = {}, {}, {}, {}
    for name, story in zip(names, STORIES, strict=True):
        parts = story.split()
        fits = [
            slots
            for slots in itertools.combinations(range(len(SLOTS)), len(parts))
            if all(SLOTS[slot] == part[0] for slot, part in zip(slots, parts, strict=True))
        ]
        figures = [low + step * each for each in draw.sample(range((high - low) // step + 1), len(parts) + 1)]
        base[name], told, last = figures.pop(), [], dict[str, int]()
        for slot, part, figure in zip(draw.choice(fits), parts, figures, strict=True):
            who, kind, further = voices[part[0]].name, part[1], step * draw.integer(1, 3)
            figure = last.get(who, 0) + further if kind == "+" else figure
            said = more(further) if kind == "+" else value(figure)
            letters[slot].append(draw.choice(FORMS[kind]).format(name, said))
            told.append((slot, kind, figure))
            last |= {who: figure} if kind in "=+" else {}
        truth[name] = _settled(told, name in flipped, base[name])
        for found, left_out in ((rest, "C"), (before, "Z")):
            heard = [each for each in told if SLOTS[each[0]] != left_out]
            found[name] = _settled(heard, name in flipped, base[name])
    events = _deliver(world, topic, voices, letters, moves)
    day = world.in_days(SLOTS.index("b") - len(SLOTS) - 1)
    several = f"{', '.join(flipped[:-1])} and {flipped[-1]}"
    speakers = [voices[each].name for each in "ABbC"]
    put_page(world, f"{topic}: who decides", PAGE.format(topic, *speakers, *offices, several, f"{day:%A}, {day}"))
    late = frozenset(name for name, story in zip(names, STORIES, strict=True) if "Z" in story)
    return Dispute(topic, base, truth, rest, before, late, events, voices["C"].name, leaves)


def _deliver(
    world: World, topic: str, voices: dict[str, Person], letters: list[list[str]], moves: Moves
) -> tuple[Happening, ...]:
    """Sends the mails and posts, the last mail later if the world moves."""
    chat, draw = put_chat(world, topic, [voices["B"], voices["b"], voices["N"]]), world.draw("mail")
    for slot, (who, lines) in enumerate(zip(SLOTS, letters, strict=True)):
        days, sender, lines = slot - len(SLOTS) - 1, voices[who], draw.sample(lines, len(lines))
        if who in "BbDe":
            for minute, line in enumerate(lines):
                put_post(world, chat, sender, line, draw.moment(days, 11, minute))
        elif lines and not (moves is not None and who == "Z"):
            put_mail(world, sender, f"{topic}, {slot + 1}", "\n".join(lines), draw.moment(days, 9))
    thread = thread_row(draw, f"{topic}, at last")
    sender = voices["Z"].name, voices["Z"].email
    body = "\n".join(letters[-1])
    cells = mail_row(draw, thread["thread_id"], sender, [draw.owner.email], thread["subject"], body, "")

    def comes_in() -> str:
        add(THREADS, **thread)
        add(MAILS, **cells | {"dated_at": now(), "read": False})
        return f"{sender[0]} wrote once more"

    if moves is None:
        return ()
    table, column = moves
    return (
        happens(
            comes_in,
            when=lambda: [row[column] for row in rows_of(table)] != [row[column] for row in world.stored(table)],
        ),
    )


def _tables(world: World, *, moves: Moves = None, leaves: bool = False) -> Task:
    """Correct how many tables each stall has, and mail the total to the rental."""
    topic = world.phrase("Autumn fair", "Harbour market", "Orchard day")
    rental = world.phrase("orders@tablerental.example", "desk@benchesandmore.example", "office@markettents.example")
    offices, more = ("the fire officer", "who plans the site", "the speaker of the stalls"), "{} tables more".format
    file = _dispute(world, topic, offices, STALLS, 2, 14, "{} tables".format, more, moves=moves, leaves=leaves)
    items = put_checklist(world, topic, [f"{name}: {value} tables" for name, value in file.base.items()])
    rows = dict(zip(file.base, items, strict=True))

    def write(values: dict[str, int]) -> Solution:
        for item in (yield from read_checklist(topic)):
            name, _, said = item["content"].partition(": ")
            if name in values and said != f"{values[name]} tables":
                text = f"{name}: {values[name]} tables"
                yield call("modify_checklist_item", item_id=item["item_id"], content=text)

    def report(values: dict[str, int]) -> Iterable[Step]:
        total = sum(values.values())
        if values == file.truth:
            yield call("send_mail", to=[rental], subject=topic, body=f"We need {total} tables.")
        yield say(f"The list is right now, with {total} tables in all.")

    totals = [Number(sum(values.values()), "table") for values in (file.truth, *([file.rest] if leaves else []))]
    return Task(
        user=file.user(
            f'My checklist "{topic}" is out of date. The page "{topic}: who decides" in my notes says whose word '
            'counts. Go through the mails and posts, correct the numbers in the checklist (keep its form), and then '
            f'mail {rental} how many tables we need in all. Tell me that number, too.'
        ),
        tools=[*TOOLS, "search_checklists", "get_checklist", "modify_checklist_item", "send_mail"],
        milestones=[
            *in_any_order(*(item_becomes(rows[name], f"{name}: {value} tables") for name,
                value in file.touched.items())),
            mailed(rental, totals[0]),
            answer(totals[-1]),
        ],
        allowed=[NEW_THREAD, NEW_THREAD, mailed(rental, totals[-1]), *(item_becomes(rows[name], f"{name}: {value} "
            "tables") for name,
            value in file.passing)],
        events=file.events,
        solution=lambda: file.play(write, report),
    )  # fmt: skip


# Where a very good model slips: one of 26 words is weighed wrongly (a word after the handover, one that is taken back,
# the exception of rule 4), or the 26 figures are added up wrongly; a single slip shows in the total, too.
@scenario(apps=APPS)
def order_tables_by_the_words_that_count(world: World) -> Task:
    """Correct how many tables each stall has, and mail the total to the rental."""
    return _tables(world)


# The same; the last mail, which turns three things, comes only after the first correction.
@scenario(apps=APPS)
def order_tables_while_somebody_still_writes(world: World) -> Task:
    """Correct how many tables each stall has, although somebody writes once more meanwhile."""
    return _tables(world, moves=(ITEMS, "content"))


# The same; then it has to be known of each figure by whose word it is there, and what it was before.
@scenario(apps=APPS)
def order_tables_and_drop_one_voice(world: World) -> Task:
    """Correct how many tables each stall has, then put back what only one voice had wished."""
    return _tables(world, leaves=True)


def _rooms(world: World, *, moves: Moves = None, leaves: bool = False) -> Task:
    """Correct the degrees that a scene gives each room of a guest house."""
    draw, topic = world.draw("home"), world.phrase("Swan House", "Mill Lodge", "Larch Hostel")
    offices, title = ("the owner", "the manager of the house", "who speaks for the guests"), f"{topic}, guests"
    value, more = (lambda half: f"{half / 2:g} degrees"), (lambda half: f"{half / 2:g} degrees more")
    file = _dispute(world, topic, offices, BIRDS, 32, 48, value, more, moves=moves, leaves=leaves)
    scene, steps = draw.key("scene"), {}
    world.put(SCENES, {"scene_id": scene, "name": title})
    for name, half in file.base.items():
        room = world.put(ROOMS, {"room_id": draw.key("room"), "name": f"{name} room", "floor": "upper floor"})
        device = world.put(HOME_DEVICES, device_row(draw, room["room_id"], name, "thermostat", draw.moment(-50, 9)))
        cells = {"scene_id": scene, "device_id": device["device_id"], "power": None, "level": None, "degrees": half / 2}
        steps[name] = world.put(STEPS, {"step_id": draw.key("step")} | cells)["step_id"]

    def write(values: dict[str, int]) -> Solution:
        [found] = (yield call("search_home_scenes", words=title))["results"]
        for step in (yield call("get_home_scene", scene_id=found["scene_id"]))["sets"]:
            if (half := values.get(step["device"])) is not None and step["degrees"] != half / 2:
                cells = {"device_id": step["device_id"], "degrees": half / 2}
                yield call("set_scene_device", scene_id=found["scene_id"], **cells)

    def report(values: dict[str, int]) -> Iterable[Step]:
        yield say(f"The scene is right now, and it makes {sum(half > 40 for half in values.values())} rooms warmer.")

    return Task(
        user=file.user(
            f'The scene "{title}" of my home sets the thermostats of the guest rooms, each named like its room, and '
            f'is out of date. The page "{topic}: who decides" in my notes says whose word counts about degrees; "the '
            'list" in it is what the scene sets now. Go through the mails and posts and correct the scene. Then tell '
            'me how many of its rooms get more than 20 degrees.'
        ),
        tools=[*TOOLS, "search_home_scenes", "get_home_scene", "set_scene_device", "search_home_devices",
            "set_home_device"],
        milestones=[
            *in_any_order(*(changed(STEPS, {"step_id": steps[name]}, degrees=half / 2) for name,
                half in file.touched.items())),
            answer(Number(sum(half > 40 for half in file.end.values()), "room", context=(20,))),
        ],
        allowed=[changed(STEPS, {"step_id": steps[name]}, degrees=half / 2) for name, half in file.passing],
        events=file.events,
        solution=lambda: file.play(write, report),
    )  # fmt: skip


# Where a very good model slips: as with the tables, in steps of half a degree, and all warm rooms are counted at the
# end.
@scenario(apps=(*APPS, "home"))
def heat_rooms_by_the_words_that_count(world: World) -> Task:
    """Correct the degrees that a scene gives each room of a guest house."""
    return _rooms(world)


# The same; the last mail comes only after the first correction.
@scenario(apps=(*APPS, "home"))
def heat_rooms_while_somebody_still_writes(world: World) -> Task:
    """Correct the degrees of a scene, although somebody writes once more meanwhile."""
    return _rooms(world, moves=(STEPS, "degrees"))


# The same; the scene keeps no versions, so what it was has to be kept in mind before it is overwritten.
@scenario(apps=(*APPS, "home"))
def heat_rooms_and_drop_one_voice(world: World) -> Task:
    """Correct the degrees of a scene, then put back what only one voice had wished."""
    return _rooms(world, leaves=True)


def _dates(world: World, *, moves: Moves = None, leaves: bool = False) -> Task:
    """Correct when tasks are due."""
    draw, topic = world.draw("tasks"), world.phrase("Town regatta", "Winter play", "School reunion")
    offices, later = ("the chair", "the stage manager", "who speaks for the helpers"), "{} days later".format

    def value(days: int) -> str:
        return f"{world.in_days(days):%B} {world.in_days(days).day}"

    file = _dispute(world, topic, offices, JOBS, 12, 70, value, later, moves=moves, leaves=leaves)
    board = world.put(LISTS, list_row(draw, topic, draw.moment(-60, 9)))["list_id"]
    rows = {
        name: world.put(TASKS, task_row(draw, board, name, draw.moment(-50, 9), due_on=draw.date(days)))["task_id"]
        for name, days in file.base.items()
    }

    def write(values: dict[str, int]) -> Solution:
        [found] = (yield call("search_task_lists", words=topic))["results"]
        for task in (yield call("search_tasks", list_id=found["list_id"], limit=50))["results"]:
            if task["title"] in values and task["due_on"] != (due := f"{world.in_days(values[task['title']])}"):
                yield call("modify_task", task_id=task["task_id"], due_on=due)

    def report(values: dict[str, int]) -> Iterable[Step]:
        same = sum(file.base[name] == days for name, days in values.items())
        yield say(
            f"The dates are right. {same} tasks have the date that they had, the last day is "
            f"{value(max(values.values()))}."
        )

    return Task(
        user=file.user(
            f'The due dates in my list of tasks "{topic}" are out of date. The page "{topic}: who decides" in my '
            'notes says whose word counts about dates (all of the coming months). Go through the mails and posts and '
            'correct the dates. In the end tell me how many tasks are due on the date that they have now, and the '
            'date of the one that is due last.'
        ),
        tools=[*TOOLS, "search_task_lists", "search_tasks", "modify_task", "get_task", "shift_task_due_dates",
            "undo_task_edit"],
        milestones=[
            *in_any_order(*(changed(TASKS, {"task_id": rows[name]}, due_on=draw.date(days)) for name,
                days in file.touched.items())),
            answer(Number(sum(file.end[name] == days for name, days in file.base.items()), "task"),
                Date(world.in_days(max(file.end.values())))),
        ],
        allowed=[*edits(120), *(changed(TASKS, {"task_id": rows[name]}, due_on=draw.date(days)) for name,
            days in file.passing)],
        events=file.events,
        solution=lambda: file.play(write, report),
    )  # fmt: skip


# Where a very good model slips: the last mail comes after the first change, and changes three of the 26; days are
# counted over the end of a month.
@scenario(apps=(*APPS, "tasks"))
def date_tasks_while_somebody_still_writes(world: World) -> Task:
    """Correct when tasks are due, although somebody writes once more meanwhile."""
    return _dates(world, moves=(EDITS, "made_at"))


# The same without that; then it has to be known of each date by whose word it is there, and what it was before.
@scenario(apps=(*APPS, "tasks"))
def date_tasks_and_drop_one_voice(world: World) -> Task:
    """Correct when tasks are due, then put back what only one voice had wished."""
    return _dates(world, leaves=True)


# Where a very good model slips: 26 amounts to the cent, one transfer each, and their sum; a payment that is wrong
# cannot be made good without a trace.
@scenario(apps=(*APPS, "wallet"))
def pay_shares_by_the_words_that_count(world: World) -> Task:
    """Pay everybody the amount that holds at the end, and say what it was in all."""
    draw, topic = world.draw("wallet"), world.phrase("Lake cottage", "Old boathouse", "Garden club")
    offices = "the auditor", "the treasurer", "who speaks for the members"
    file = _dispute(world, topic, offices, FAMILIES, 1105, 9905, _usd, lambda cents: f"{_usd(cents)} more", step=11)
    account = account_row(draw, topic, "current", "USD", 0, 1_000_000) | {"opening_balance": 900_000}
    world.put(ACCOUNTS, account)
    payees = {name: world.put(PAYEES, payee_row(draw, name))["payee_id"] for name in file.base}
    put_checklist(world, topic, [f"{name}: {_usd(cents)}" for name, cents in file.base.items()])
    total = sum(file.truth.values())

    def write(values: dict[str, int]) -> Solution:
        yield from read_checklist(topic)
        [own] = (yield call("search_bank_accounts", words=topic))["results"]
        for payee in (yield call("search_payees", limit=50))["results"]:
            if payee["name"] in values:
                cells = {"account_id": own["account_id"], "payee_id": payee["payee_id"], "description": topic}
                yield call("create_money_transfer", **cells, amount=values[payee["name"]])

    return Task(
        user=f'From my account "{topic}", pay every family on my checklist "{topic}" its amount. The amounts in the '
            f'list are out of date: the page "{topic}: who decides" in my notes says whose word counts, in mails and '
            f'posts. One transfer each, with "{topic}" as its description; leave the checklist as it is. Tell me the '
            'total you paid.',
        tools=[*TOOLS, "search_checklists", "get_checklist", "search_bank_accounts", "search_payees",
            "create_money_transfer", "cancel_money_transfer", "add_payee"],
        milestones=[
            *in_any_order(*(paid(account, payees[name], cents) for name, cents in file.truth.items())),
            answer(Number(total / 100, "USD")),
        ],
        allowed=[bookings(26, account)],
        solution=lambda: file.play(write, lambda _: [say(f"The families have got {_usd(total)} in all.")]),
    )  # fmt: skip


def _usd(cents: int) -> str:
    return f"${cents / 100:.2f}"
