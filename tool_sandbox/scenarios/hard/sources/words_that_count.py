"""Voices of different weight have said what holds of two dozen things, took words back, and one handed over."""

import datetime
from collections.abc import Callable, Iterable, Sequence

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Draw, Person, add, now, rows_of
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
from tool_sandbox.scenarios.hard.discretion.sources import check_seen
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    bookings,
    edits,
    in_rounds,
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
from tool_sandbox.scenarios.vocabulary import Happening, Task, answer, answer_for_now, call, happens, in_any_order, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, Step
from tool_sandbox.world.table import TableSchema

APPS = ("notes", "mail", "groups")
TOOLS = ("search_mail", "get_mail", "search_group_chats", "search_group_posts", "search_note_pages", "get_note_page")
SLOTS = "CBAeCBNACBAeBAbCADnCbnDbNAbCADbANCbAbZ"
"""Who speaks on each day: A, B and C by rank, b the successor of B, n for A who is away, N the same one at other times;
e is b too early, D is B too late, Z is A last."""
STORIES = (
    *("", "B? N=", "C~ e= C=", "C= C+ N=", "A= B= A? D=", "B= C= B- C?", "B= B= C= B1", "B= A= A- N="),
    *("C= B~ A? C+", "B= B+ D= C=", "A= B= A- C=", "A= A= A1 b=", "C= A= A2 D=", "A= e= A= A-", "C= B= C+ D-"),
    *("B= b= N= b?", "B= b= b- C=", "e= b= b+ D=", "A= A+ b= N=", "B= b@ C= D=", "n= C= b=", "A= n= b= C="),
    *("N= n@ C=", "n= A= A- b?", "A= b= C? Z-", "B= C= b? Z=", "b= b= b1 Z?", "A= b= C= Z+", "C@ N="),
)
"""What is said of each thing: who, and = a word, + more than that, @ the same as another thing, - the last word is
taken back, 1 the first one or 2 the last one by its date, ? an idea, ~ hearsay."""
FORMS = {
    "=": ("{0}: {1}.", "{0} gets {1}.", "Put down {1} for {0}.", "{1} for {0}, that is settled."),
    "+": ("{0}: {1} than I said last.", "Make it {1} than my last word for {0}."),
    "@": ("{0}: the same as {1} in the end.", "Put down for {0} what {1} has in the end."),
    "-": ("What I said last about {0}: take it as never said.", "{0}: I take back my last word on it."),
    "1": ("{0}: I take back what I said on {1}.", "What I said about {0} on {1}: take it as never said."),
    "?": ("Should {0} not rather have {1}? Think about it.", "{1} for {0} would be an idea, we will see."),
    "~": ("They say that {0} is to have {1}.", "Somebody has {1} in mind for {0}, I hear."),
}
PAGE = (
    "Who decides about {0}:\n1. {1}, {6}, has the last word, by mail. From {12} to {13} (both days included) {1} was "
    "away: what {5} wrote by mail in that time counts as if {1} had written it. At other times {5} has no say.\n2. "
    'Where nothing stands by 1, {2}, {7}, decides, in the chat "{0}". On {11} {2} handed that over to {3}: whatever '
    "{2} posted from that day on counts for nothing, and so does whatever {3} posted before it. What {2} had posted "
    "before stays valid until {3} decides otherwise.\n3. Where nothing of that stands either, it is as {4}, {8}, "
    "wishes, by mail. Nobody else has a say.\n4. For {10}, 1 and 2 change places: there {2} and {3} go before "
    "{1}.\n5. Of several words of one rank the last one holds. Ideas, questions and hearsay are no words.\n6. Who "
    "takes back a word of his or her own makes it as if that one had never been said; nobody can take back the words "
    "of others.\n7. What is to have the same as another thing in the end has what that one has by all of these rules.\n"
    "8. Where nothing stands, it stays as {9} has it."
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
    decides: dict[str, str]
    late: frozenset[str]
    events: tuple[Happening, ...]
    leaver: str
    leaves: bool
    texts: list[str]

    @property
    def states(self) -> list[dict[str, int]]:
        """What the list has, what holds before the last mail, what holds, and what holds once one has left."""
        return [self.base, *([self.before] if self.events else []), *self.rounds]

    @property
    def rounds(self) -> list[dict[str, int]]:
        """What has to be there at the end of each round."""
        return [self.truth, *([self.rest] if self.leaves else [])]

    def decided(self, rank: str) -> list[int]:
        """What holds by the word of somebody."""
        return [self.truth[name] for name, by in self.decides.items() if by == rank]

    @property
    def end(self) -> dict[str, int]:
        """What holds when all is done."""
        return self.rounds[-1]

    def user(self, request: str) -> tuple[str, ...]:
        """What the user says: the request, that the world moves, and that somebody has left."""
        still = (
            "They are still writing: when you are through, look whether a mail has come since, and let it count, too."
        )
        first = f"{request} {still if self.events else ''}".strip()
        second = (
            f"I hear that {self.leaver} has left us. Nothing holds any more only because {self.leaver} wished it "
            "(rule 3): there it has to be again as it was before you began, and what has the same as such a thing goes "
            "with it. Put that right, and answer me once more."
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

    def read(self) -> Solution:
        """Reads all sources."""
        yield from read_page(f"{self.topic}: who decides")
        mails = yield from read_mails(f'subject:"{self.topic}"')
        check_seen([mails, (yield from read_chat(self.topic))], *self.texts)


Word = tuple[int, str, int | str]


def _settled(told: Sequence[Word], flipped: bool, base: int) -> tuple[int | str, str]:
    """What holds of a thing after all that was told (slot, kind, and figure or another thing), and by whose word."""
    standing: dict[str, list[tuple[str, int | str]]] = {"A": [], "B": [], "b": [], "C": []}
    for slot, kind, figure in told:
        who = SLOTS[slot].replace("Z", "A")
        words = standing.get(who.replace("n", "A"), [])
        if kind in "=+@":
            words.append((who, figure))
        elif kind in "-12" and (own := [number for number, word in enumerate(words) if word[0] == who]):
            del words[own[0 if kind == "1" else -1]]
    for rank in "bBAC" if flipped else "AbBC":
        if standing[rank]:
            return standing[rank][-1][1], rank
    return base, ""


def _slots(draw: Draw, parts: Sequence[str]) -> list[int]:
    """On which days the words of a story are said, each after the one before."""
    lasts, end = list[int](), len(SLOTS)
    for part in reversed(parts):
        lasts.insert(0, end := SLOTS.rindex(part[0], 0, end))
    found = [-1]
    for part, last in zip(parts, lasts, strict=True):
        found.append(draw.choice([slot for slot in range(found[-1] + 1, last + 1) if SLOTS[slot] == part[0]]))
    return found[1:]


def _dispute(
    world: World, topic: str, offices: Sequence[str], names: Sequence[str], low: int, high: int,
    value: Callable[[int], str], more: Callable[[int], str], *, step: int = 1, now_in: str = "the list",
    moves: Moves = None, leaves: bool = False,
) -> Dispute:  # fmt: skip
    """Has everybody speak about things; the last mail may come only once a column is changed."""
    draw, people = world.draw("notes"), world.draw("groups").people[:6]
    voices = dict(zip("ABbCN", people, strict=False))
    voices |= {"D": people[1], "e": people[2], "Z": people[0], "n": people[4]}
    names, stories = draw.sample(names, len(STORIES)), draw.sample(STORIES, len(STORIES))
    flipped = [
        name for name, story in zip(names, stories, strict=True)
        if story in (STORIES[4], STORIES[18]) or ("A" in story and draw.chance(0.4))
    ]  # fmt: skip
    letters: list[list[str]] = [[] for _ in SLOTS]
    base, said = dict[str, int](), dict[str, list[Word]]()
    plain = [name for name, story in zip(names, stories, strict=True) if "@" not in story]

    def day(slot: int) -> datetime.date:
        return world.in_days(slot - len(SLOTS) - 1)

    for name, story in zip(names, stories, strict=True):
        parts, last, when = story.split(), dict[str, int](), dict[str, list[int]]()
        figures = [low + step * each for each in draw.sample(range((high - low) // step + 1), len(parts) + 1)]
        base[name], said[name] = figures.pop(), []
        for slot, part, figure in zip(_slots(draw, parts), parts, figures, strict=True):
            who, kind, further = voices[part[0]].name, part[1], step * draw.integer(1, 3)
            other = draw.choice([each for each in plain if each != name])
            figure = last.get(who, 0) + further if kind == "+" else figure
            words = {"+": more(further), "@": other}.get(kind, value(figure))
            if kind in "12":
                back = day(when[who][0 if kind == "1" else -1])
                words = f"{back:%B} {back.day}"
            letters[slot].append(draw.choice(FORMS["1" if kind == "2" else kind]).format(name, words))
            said[name].append((slot, kind, other if kind == "@" else figure))
            if kind in "=+@":
                last[who] = figure
                when.setdefault(who, []).append(slot)

    def holds(left_out: str) -> tuple[dict[str, int], dict[str, str]]:
        """What holds of everything without the words of somebody, and by whose word."""
        found = {
            name: _settled([word for word in words if SLOTS[word[0]] != left_out], name in flipped, base[name])
            for name, words in said.items()
        }
        values = {name: figure for name, (figure, _) in found.items() if isinstance(figure, int)}
        same = {name: values[figure] for name, (figure, _) in found.items() if isinstance(figure, str)}
        return {name: (values | same)[name] for name in names}, {name: by for name, (_, by) in found.items()}

    truth, decides = holds("")
    rest, before = holds("C")[0], holds("Z")[0]
    events = _deliver(world, topic, voices, letters, moves)
    several = f"{', '.join(flipped[:-1])} and {flipped[-1]}"
    dates = [f"{day(slot):%A}, {day(slot)}" for slot in (SLOTS.index("b"), SLOTS.index("n"), SLOTS.rindex("n"))]
    speakers = [voices[each].name for each in "ABbCN"]
    put_page(world, f"{topic}: who decides", PAGE.format(topic, *speakers, *offices, now_in, several, *dates))
    late = frozenset(name for name in names if any(SLOTS[word[0]] == "Z" for word in said[name]))
    late |= {name for name in names if truth[name] != before[name]}
    texts = [line for lines in (letters[:-1] if events else letters) for line in lines]
    return Dispute(topic, base, truth, rest, before, decides, late, events, voices["C"].name, leaves, texts)


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
    last = voices["Z"]
    body = "\n".join(letters[-1])
    cells = mail_row(
        draw, thread["thread_id"], (last.name, last.email), [draw.owner.email], thread["subject"], body, ""
    )

    def comes_in() -> str:
        add(THREADS, **thread)
        add(MAILS, **cells | {"dated_at": now(), "read": False})
        return f"{last.name} wrote once more"

    if moves is None:
        return ()
    table, column = moves
    return (
        happens(
            comes_in,
            when=lambda: [row[column] for row in rows_of(table)] != [row[column] for row in world.stored(table)],
        ),
    )


def _texts(file: Dispute, form: str) -> list[dict[str, str]]:
    """States of a list as its lines."""
    return [{name: form.format(name, value) for name, value in state.items()} for state in file.states]


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
        yield say(f"The total is {total} tables.")

    totals = [Number(sum(values.values()), "table") for values in file.rounds]
    nodes, allowed = in_rounds(ITEMS, rows, "content", _texts(file, "{}: {} tables"), totals)
    return Task(
        user=file.user(
            f'My checklist "{topic}" is out of date. The page "{topic}: who decides" in my notes says whose word '
            'counts. Go through the mails and posts, correct the checklist (keep its form), and then '
            f'mail {rental} how many tables we need in all. Tell me the total, too. Only the figure, please.'
        ),
        tools=[*TOOLS, "search_checklists", "get_checklist", "modify_checklist_item", "send_mail"],
        milestones=[*nodes, mailed(rental, totals[0]).after()],
        allowed=[NEW_THREAD, NEW_THREAD, *([mailed(rental, totals[-1])] if leaves else []), *allowed],
        events=file.events,
        solution=lambda: file.play(write, report),
    )  # fmt: skip


# Where a very good model slips: one of 90 words is weighed wrongly (a word after the handover, one that is taken back,
# the exception of rule 4), or the 29 figures are added up wrongly; a single slip shows in the total, too.
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
    file = _dispute(world, topic, offices, BIRDS, 32, 48, value, more, moves=moves, leaves=leaves, now_in="the scene")
    scene, steps = draw.key("scene"), {}
    world.put(SCENES, {"scene_id": scene, "name": title})
    for name, half in file.base.items():
        room = world.put(ROOMS, {"room_id": draw.key("room"), "name": f"{name} room", "floor": "upper floor"})
        device = world.put(HOME_DEVICES, device_row(draw, room["room_id"], name, "thermostat", draw.moment(-50, 9)))
        cells = {"scene_id": scene, "device_id": device["device_id"], "power": None, "level": None, "degrees": half / 2}
        steps[name] = world.put(STEPS, {"step_id": draw.key("step")} | cells)

    def write(values: dict[str, int]) -> Solution:
        [found] = (yield call("search_home_scenes", words=title))["results"]
        for step in (yield call("get_home_scene", scene_id=found["scene_id"]))["sets"]:
            if (half := values.get(step["device"])) is not None and step["degrees"] != half / 2:
                cells = {"device_id": step["device_id"], "degrees": half / 2}
                yield call("set_scene_device", scene_id=found["scene_id"], **cells)

    def report(values: dict[str, int]) -> Iterable[Step]:
        yield say(f"The number of such rooms is {sum(half > 40 for half in values.values())}.")

    facts = [Number(sum(half > 40 for half in values.values()), "room", context=(20,)) for values in file.rounds]
    nodes, allowed = in_rounds(STEPS, steps, "degrees", file.states, facts, lambda half: half / 2)

    return Task(
        user=file.user(
            f'The scene "{title}" of my home sets the thermostats of the guest rooms, each named like its room, and '
            f'is out of date. The page "{topic}: who decides" in my notes says whose word counts about degrees. '
            'Go through the mails and posts and correct the scene. Then tell '
            'me how many of its rooms get more than 20 degrees. Only the figure, please.'
        ),
        tools=[*TOOLS, "search_home_scenes", "get_home_scene", "set_scene_device", "search_home_devices",
            "set_home_device"],
        milestones=nodes,
        allowed=allowed,
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
        name: world.put(TASKS, task_row(draw, board, name, draw.moment(-50, 9), due_on=draw.date(days)))
        for name, days in file.base.items()
    }

    def write(values: dict[str, int]) -> Solution:
        [found] = (yield call("search_task_lists", words=topic))["results"]
        for task in (yield call("search_tasks", list_id=found["list_id"], limit=50))["results"]:
            if task["title"] in values and task["due_on"] != (due := f"{world.in_days(values[task['title']])}"):
                yield call("modify_task", task_id=task["task_id"], due_on=due)

    def report(values: dict[str, int]) -> Iterable[Step]:
        yield say(f"The number of such tasks is {sum(file.base[name] == days for name, days in values.items())}.")

    facts = [Number(sum(file.base[name] == days for name, days in each.items()), "task") for each in file.rounds]
    nodes, allowed = in_rounds(TASKS, rows, "due_on", file.states, facts, draw.date)
    return Task(
        user=file.user(
            f'The due dates in my list of tasks "{topic}" are out of date. The page "{topic}: who decides" in my '
            'notes says whose word counts about dates (all of the coming months). Go through the mails and posts and '
            'correct the dates. In the end tell me how many tasks are due on the date that they have '
            'now, before you begin. Only the figure, please.'
        ),
        tools=[*TOOLS, "search_task_lists", "search_tasks", "modify_task", "get_task", "shift_task_due_dates",
            "undo_task_edit"],
        milestones=nodes,
        allowed=[*edits(140), *allowed],
        events=file.events,
        solution=lambda: file.play(write, report),
    )  # fmt: skip


# Where a very good model slips: the last mail comes after the first change, and changes three of the 29; days are
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


# Where a very good model slips: 29 amounts to the cent, one transfer each, and their sum; a payment that is wrong
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
    total, part = sum(file.truth.values()), sum(file.decided("C"))

    def write(values: dict[str, int]) -> Solution:
        yield from read_checklist(topic)
        [own] = (yield call("search_bank_accounts", words=topic))["results"]
        for payee in (yield call("search_payees", limit=50))["results"]:
            if payee["name"] in values:
                cells = {"account_id": own["account_id"], "payee_id": payee["payee_id"], "description": topic}
                yield call("create_money_transfer", **cells, amount=values[payee["name"]])

    def report(_: dict[str, int]) -> Iterable[Step]:
        yield say(f"The total is {_usd(total)}.")
        yield say(f"The sum of those is {_usd(part)}.")

    return Task(
        user=(
            f'From my account "{topic}", pay every family on my checklist "{topic}" its amount. The amounts in the '
            f'list are out of date: the page "{topic}: who decides" in my notes says whose word counts, in mails and '
            f'posts. One transfer each, with "{topic}" as its description; leave the checklist as it is. Tell me the '
            'total you paid. Only the figure, please.',
            f"And how much of that went to families for whom it was the word of {file.leaver} that decided (rule 3)? "
            "Only the figure, please.",
        ),
        tools=[*TOOLS, "search_checklists", "get_checklist", "search_bank_accounts", "search_payees",
            "create_money_transfer", "cancel_money_transfer", "add_payee"],
        milestones=[
            *in_any_order(*(paid(account, payees[name], cents) for name, cents in file.truth.items())),
            answer_for_now(Number(total / 100, "USD")),
            answer(Number(part / 100, "USD")),
        ],
        allowed=[bookings(len(STORIES), account)],
        solution=lambda: file.play(write, report),
    )  # fmt: skip


def _usd(cents: int) -> str:
    return f"${cents / 100:.2f}"
