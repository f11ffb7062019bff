"""Lists of errands for three children: each takes one of very many tools and one of several rows that look alike."""

from collections.abc import Callable

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.files.content import file_row
from tool_sandbox.apps.files.tables import FILES
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.notes.content import checklist_row, item_row, memory_row, page_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, MEMORIES, PAGES
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS, LISTS, TASKS
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.choosing.errands import ANY, PACKS, Errand, Home
from tool_sandbox.scenarios.hard.common import NOW
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
    told,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution
from tool_sandbox.world.tool import Tool

CHILDREN = (("Wenna", "Corin", "Odile"), ("Jory", "Mabli", "Piran"), ("Elowen", "Barnaby", "Sunniva"))
TITLES = ("Week of the children", "Before the holidays", "After the summer")
BOOKED = told(
    r"\bI(?:'ve| have)?(?: also| just)? (?:booked|reserved|ordered) (?:you )?(?:an?|another|the) "
    r"(?:table|flight|room|taxi|cab|ride|ticket)\b"
)
"""What no list asks for, and the check of statements lets pass: much is spoken of in so many apps."""
Tick = Callable[[list[str]], Solution]

Leaves = Callable[[Errand, str, tuple[str, ...]], bool]
RULES: dict[str, tuple[str, Leaves]] = {
    "second waits": (
        "Whatever is about {1} waits for next week, except where it is about payments: that is to be done.",
        lambda errand, pack, names: errand.child == names[1] and pack != "payments",
    ),
    "third waits": (
        "What is about {2} waits for next week, unless it is about food or about devices, scenes or "
        "schedules of the house, which is done.",
        lambda errand, pack, names: errand.child == names[2] and pack not in ("meals", "rooms"),
    ),
    "first writes": (
        "{0} sees to mails and chats alone: whatever is about {0} in these, leave as it is.",
        lambda errand, pack, names: errand.child == names[0] and pack in ("letters", "chats"),
    ),
    "for good": (
        "Where the list says that something is for good, I want to sleep on it. Leave that undone.",
        lambda errand, pack, names: "for good" in errand.says,
    ),
}
"""What the mail says, with the names of the children, and which errands are left out because of it."""
AMENDED: dict[str, tuple[str, Leaves]] = {
    "second waits": (
        "As to {1}: payments wait as well after all, but events in the calendar do not.",
        lambda errand, pack, names: errand.child == names[1] and pack != "dates",
    ),
    "third waits": (
        "As to {2}: devices, scenes and schedules of the house wait as well after all, but mails and documents do not, "
        "and food does not, as before.",
        lambda errand, pack, names: errand.child == names[2] and pack not in ("meals", "letters", "papers"),
    ),
    "first writes": (
        "As to {0}: do what is about chats after all, but leave documents and events in the calendar as they are, like "
        "mails.",
        lambda errand, pack, names: errand.child == names[0] and pack in ("letters", "papers", "dates"),
    ),
    "for good": (
        "That something in a chat or among the payments is for good is no reason any more to leave it undone.",
        lambda errand, pack, names: "for good" in errand.says and pack not in ("chats", "payments"),
    ),
}
"""What the last mail says about one of the rules, and what is left out by the rule since."""


def _checklist(world: World, title: str, texts: list[str]) -> tuple[str, list[Node], Callable[[], Solution], Tick]:
    """The list as a checklist of the notes, on which is ticked off what was done."""
    draw = world.draw("notes")
    key = world.put(CHECKLISTS, checklist_row(draw, title, draw.moment(-2, 9)))["checklist_id"]
    ids = [world.put(ITEMS, item_row(draw, key, text, place))["item_id"] for place, text in enumerate(texts, 1)]
    nodes = [changed(ITEMS, {"item_id": each}, done=True) for each in ids]

    def read() -> Solution:
        [row] = (yield call("search_checklists", words=title))["results"]
        yield call("get_checklist", checklist_id=row["checklist_id"])

    def tick(done: list[str]) -> Solution:
        yield [call("modify_checklist_item", item_id=ids[texts.index(text)], done=True) for text in done]

    return f'my checklist "{title}". Tick off what you have done, and nothing else.', nodes, read, tick


def _tasks(world: World, title: str, texts: list[str]) -> tuple[str, list[Node], Callable[[], Solution], Tick]:
    """The list as tasks, of which those are done that were done."""
    draw = world.draw("tasks")
    on = world.put(LISTS, list_row(draw, title, draw.moment(-2, 9)))["list_id"]
    rows = [
        task_row(draw, on, f"Errand {n}", draw.moment(-2, 9), details=text, assignee="me")
        for n, text in enumerate(texts, 1)
    ]
    nodes = [changed(TASKS, {"task_id": world.put(TASKS, row)["task_id"]}, state="done", done_at=ANY) for row in rows]

    def read() -> Solution:
        [row] = (yield call("search_task_lists", words=title))["results"]
        found = (yield call("search_tasks", list_id=row["list_id"], limit=50))["results"]
        yield [call("get_task", task_id=each["task_id"]) for each in found]

    def tick(done: list[str]) -> Solution:
        yield call("set_task_state", task_ids=[row["task_id"] for row in rows if row["details"] in done], state="done")

    return (
        f'my list of tasks "{title}", see their details. Set those to done that you have done, and no others.',
        nodes,
        read,
        tick,
    )


def _document(world: World, title: str, texts: list[str]) -> tuple[str, list[Node], Callable[[], Solution], Tick]:
    """The list as a document; nothing is ticked off."""
    draw = world.draw("files")
    text = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
    world.put(FILES, file_row(draw, title, "text", None, draw.moment(-2, 9), content=text))

    def read() -> Solution:
        [row] = (yield call("search_files", words=title))["results"]
        yield call("get_document", file_id=row["file_id"])

    def tick(done: list[str]) -> Solution:
        yield from ()

    return f'the document "{title}" in my files. Leave the document as it is.', [], read, tick


ALL = ("mail", "notes", "tasks", "files", "wallet", "calendar", "groups", "home", "clock", "dining")
APP_OF = {"payments": "wallet", "chores": "tasks", "dates": "calendar", "chats": "groups", "letters": "mail"}
APP_OF |= {"papers": "files", "rooms": "home", "mornings": "clock", "meals": "dining"}
SOURCES = {"checklist": _checklist, "tasks": _tasks, "document": _document}


def _mails(world: World, title: str, rules: list[str], void: list[str], amended: str) -> None:
    """Three mails: what is to be left out, the correction, after which the first is void, and a change of one rule."""
    draw = world.draw("mail")
    partner = draw.people[0]
    thread = world.put(THREADS, thread_row(draw, f"About {title}"))["thread_id"]
    said = (
        " ".join(void),
        f"I mixed things up in what I wrote before, forget that. This is right: {' '.join(rules)}",
        f"One of these rules changes as follows; what else it says and the other rules stand. {amended}",
    )
    for number, text in enumerate(said):
        cells = (
            (partner.name, partner.email),
            [draw.owner.email],
            f"About {title}",
            text,
            draw.moment(-1, 8 + 6 * number),
        )
        world.put(MAILS, mail_row(draw, thread, *cells))


def _names(world: World, children: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    """What the three are called beside their names, of which a page and earlier conversations tell.

    Two nicknames have changed hands since: what was told last counts.
    """
    draw, order = world.draw("notes"), world.draw("notes").sample(range(3), 3)
    months, nicks = draw.sample(("April", "June", "August", "October"), 3), draw.sample(("Bean", "Captain", "Mouse"), 3)
    born = [
        f"{name} Holm, born on {draw.integer(2, 27)} {months[n]} {draw.today.year - 14 + 2 * order[n]}"
        for n, name in enumerate(children)
    ]
    lines = "\n".join(sorted(born))
    world.put(PAGES, page_row(draw, "Our children", f"All three are called Holm.\n{lines}", draw.moment(-200, 9)))
    before = f"We call {children[0]} {nicks[1]}, {children[1]} {nicks[0]} and {children[2]} {nicks[2]}."
    after = (
        f"We have swapped two nicknames: {children[0]} is called {nicks[0]} from now on, and {children[1]} {nicks[1]}."
    )
    for days, text in ((-90, before), (-40, after)):
        world.put(MEMORIES, memory_row(draw, text, "person", draw.moment(days, 9)))
    ages = ("the eldest", "the middle one", "the youngest")
    return [(ages[order[n]], f"our {months[n]} child", nicks[n]) for n in range(3)]


def _task(
    world: World, source: str, packs: str, rules: tuple[str, ...], void: tuple[str, ...], *, again: bool = False
) -> Task:
    """Errands of several apps in a drawn order, on a list of some kind, with rules that leave some of them out.

    A second round does what waited for a child.
    """
    children, title = world.choice(*CHILDREN), world.choice(*TITLES)
    home = Home(world, children)
    errands = [(errand, pack) for pack in packs.split() for errand in PACKS[pack](home)]
    draw, known = world.draw("mail"), _names(world, children)
    errands = draw.sample(errands, len(errands))

    def spoken(text: str) -> str:
        """A text with other words for the children."""
        for name, words in zip(children, known, strict=True):
            text = text.replace(name, draw.choice(words))
        return text[0].upper() + text[1:]

    texts = [spoken(errand.says) for errand, _ in errands]
    where, nodes, read, tick = SOURCES[source](world, title, texts)
    new = rules[-1] if source == "document" else rules[0]
    tests = {rule: (AMENDED if rule == new else RULES)[rule][1] for rule in rules}
    reasons = [{rule for rule, test in tests.items() if test(*each, children)} for each in errands]
    waits = next((rule for rule in rules if rule.endswith("waits")), "") if again else ""
    first = [number for number, why in enumerate(reasons) if not why]
    then = [number for number, why in enumerate(reasons) if why == {waits}]
    left = [len(errands) - len(first), len(errands) - len(first) - len(then)]
    right, wrong = ([spoken(RULES[rule][0].format(*children)) for rule in some] for some in (rules, void))
    _mails(world, title, right, wrong, spoken(AMENDED[new][0].format(*children)))
    history = {"made_by": "me", "made_at": ANY, "undone": ANY}
    change = dict.fromkeys(("edit_id", "task_id", "field", "old", "new"), ANY)
    beside = [added(EDITS, 60, **history), added(CHANGES, 200, **change)]

    def goals(numbers: list[int]) -> tuple[Node, ...]:
        ticks = [nodes[number] for number in numbers] if nodes else []
        return in_any_order(*(errands[number][0].node for number in numbers), *ticks)

    def work(numbers: list[int]) -> Solution:
        for number in numbers:
            yield from errands[number][0].act()
        yield from tick([texts[number] for number in numbers])

    def solution() -> Solution:
        yield from read()
        found = (yield call("search_mail", query=f'subject:"About {title}"'))["results"]
        yield call("get_mail_thread", thread_id=found[0]["thread_id"])
        [page] = (yield call("search_note_pages", words="our children"))["results"]
        yield call("get_note_page", page_id=page["page_id"])
        yield call("recall_earlier_conversations", words="call")
        yield from work(first)
        yield say(f"All of it is done, but for what is to be left. I left {left[0]} things undone.")
        if again:
            yield from work(then)
            yield say(f"That is done, too. Now {left[1]} things are left undone.")

    offered = {"mail", "notes", "tasks", *(APP_OF[pack] for pack in packs.split())} | (
        {"files"} if source == "document" else set()
    )
    tools = [each for app in world.apps if app.name in offered for each in app.tools]
    facts = [Number(count, "thing") for count in left]
    asked = [
        f'Please do what stands on {where} There is a mail "About {title}": what it says last about what is to be '
        "left undone holds. Do the rest without asking me, each thing in the way that fits what the list says, with "
        'no more and no less changed than that takes. Who of our three is who stands on the page "Our children" in '
        "my notes; what we call them you were told in earlier conversations. In the end tell me how many things of the "
        "list you left undone. Only the figure, please."
    ]
    if again:
        child = draw.choice(known[1 if waits == "second waits" else 2])
        asked += [
            f"Nothing has to wait any more because it is about {child}. "
            "Please do now what you left for that reason alone, in the same way, and leave the rest. How many things "
            "of the list are undone still? Only the figure, please."
        ]
    ends = [answer_for_now(facts[0]), *goals(then), answer(facts[1])] if again else [answer(facts[0])]
    done = [errands[number][0] for number in (*first, *then)]
    return Task(
        user=asked,
        tools=[
            *(each.__name__ for each in tools if Tool.of(each).visible_to != (RoleType.USER,)),
            *NOW,
        ],
        milestones=[*goals(first), *ends],
        allowed=[*(node for errand in done for node in errand.allowed), *beside],
        never=[BOOKED],
        solution=solution,
    )


# In all of these a strong model takes the row that the search shows first, cancels what only rests, deletes what only
# leaves its place, replaces a remark by nothing, applies a rule of the first mail, which the second takes back, or of
# the second, which the third changes; and it has to count what is left.
# Here: the checklist has two names in many lines, and the payments of the child that waits wait after all.
@scenario(apps=ALL)
def tick_off_week_of_children(world: World) -> Task:
    """Do twelve errands in four apps from a checklist, where the things of one child wait but for events."""
    return _task(world, "checklist", "payments chores dates chats", ("second waits",), ("third waits",))


# Here: two rules meet: what is for good is no reason any more among payments, but that of the third child waits.
@scenario(apps=ALL)
def do_errands_of_document_for_children(world: World) -> Task:
    """Do twelve errands in four apps from a document, without what waits or is for good."""
    return _task(world, "document", "payments letters papers rooms", ("third waits", "for good"), ("second waits",))


# Here: the first child's chats are done, mails and events are not, and what waits for the second is done in the end.
@scenario(apps=ALL)
def set_tasks_of_children_to_done(world: World) -> Task:
    """Do eighteen errands in six apps from a list of tasks, and in a second round what waited for a child."""
    packs = "dates chats letters meals rooms papers"
    return _task(world, "tasks", packs, ("first writes", "second waits"), ("for good",), again=True)


# Here: an alarm rests but is not deleted, a scene is set but not its lamp, an item goes but is not ticked off.
@scenario(apps=ALL)
def tick_off_things_at_home_of_children(world: World) -> Task:
    """Do twelve errands at home from a checklist, where food and documents are excepted from what waits."""
    return _task(world, "checklist", "rooms mornings meals papers", ("third waits", "for good"), ("second waits",))


# Here: twenty-one choices of a tool and a row, each likely to be right, all seldom.
@scenario(apps=ALL)
def do_long_checklist_for_children(world: World) -> Task:
    """Do twenty-one errands in seven apps from a checklist with two rules about what is left."""
    return _task(
        world,
        "checklist",
        "payments chores dates chats letters papers rooms",
        ("first writes", "for good"),
        ("second waits",),
    )


# Here: the exception for payments applies to nothing here, and a memory is forgotten, not a page.
@scenario(apps=ALL)
def do_document_before_holidays(world: World) -> Task:
    """Do eighteen errands in six apps from a document, where the payments that are excepted do not occur."""
    return _task(
        world,
        "document",
        "chores dates letters rooms meals mornings",
        ("second waits", "first writes"),
        ("third waits",),
        again=True,
    )


# Here: the list of tasks is worked at and written about: a task that is cancelled is not an errand that is done.
@scenario(apps=ALL)
def do_tasks_after_summer(world: World) -> Task:
    """Do fifteen errands in five apps from a list of tasks, where the errands themselves are about tasks too."""
    return _task(
        world, "tasks", "payments papers mornings chats chores", ("third waits",), ("first writes", "for good")
    )


# Here: a third of the list is left, for two reasons that overlap and one exception.
@scenario(apps=ALL)
def leave_what_is_for_good(world: World) -> Task:
    """Do what is not for good of twelve errands in four apps, and let things of one child wait."""
    rules = ("for good", "second waits")
    return _task(world, "checklist", "payments chats mornings chores", rules, ("third waits",), again=True)


# Here: declining, unsharing, unpinning and archiving each have a neighbour that does too much.
@scenario(apps=ALL)
def sort_out_letters_and_dates(world: World) -> Task:
    """Do fifteen errands about what people share and send, without what waits."""
    return _task(world, "document", "letters dates papers chats meals", ("second waits", "for good"), ("first writes",))


# Here: one rule names mails and chats, of which there are none, and the other loses an exception.
@scenario(apps=ALL)
def run_house_of_children(world: World) -> Task:
    """Do fifteen errands of a household from a list of tasks, with an exception for food."""
    return _task(
        world, "tasks", "rooms meals payments mornings dates", ("third waits", "first writes"), ("second waits",)
    )


# Here: twenty-seven choices among some two hundred tools.
@scenario(apps=ALL)
def do_all_errands_of_children(world: World) -> Task:
    """Do twenty-seven errands in nine apps from a document, without what waits or is for good."""
    return _task(
        world,
        "document",
        "payments chores dates chats letters papers rooms mornings meals",
        ("second waits", "for good"),
        ("third waits", "first writes"),
    )


# Here: what looks like deleting is in each app another tool: draft, archive, trash, without a trace.
@scenario(apps=ALL)
def tick_off_three_apps_of_children(world: World) -> Task:
    """Do nine errands about mails, tasks and files from a checklist, without the mails of one child."""
    return _task(world, "checklist", "letters chores papers", ("first writes",), ("second waits", "for good"))


# Here: what waits had two exceptions, of which one is left.
@scenario(apps=ALL)
def sort_out_wallet_and_home_of_children(world: World) -> Task:
    """Do nine errands about payments, the home and food from a checklist, of which few have to wait."""
    return _task(world, "checklist", "payments rooms meals", ("third waits",), ("second waits", "for good"))


# Here: three of twelve are for good, and each of them is said in other words.
@scenario(apps=ALL)
def do_document_about_chats_and_mornings(world: World) -> Task:
    """Do twelve errands in five apps from a document, without what is for good."""
    return _task(world, "document", "chats mornings dates chores", ("first writes", "for good"), ("third waits",))


# Here: an order that is to rest waits, as payments do after all, and the calendar of that child does not.
@scenario(apps=ALL)
def set_nine_tasks_of_children_to_done(world: World) -> Task:
    """Do nine errands about payments, dates and files from a list of tasks."""
    return _task(world, "tasks", "payments dates papers", ("second waits",), ("first writes",))


# Here: a third of the list is for the child that waits, under three other names.
@scenario(apps=ALL)
def tick_off_letters_and_meals_of_children(world: World) -> Task:
    """Do twelve errands in five apps from a checklist, without those of one child."""
    rules = ("second waits", "for good")
    return _task(world, "checklist", "letters meals mornings dates", rules, ("third waits",), again=True)


# Here: twenty-four tasks are read one by one, and some of them are about tasks.
@scenario(apps=ALL)
def do_long_list_of_tasks_for_children(world: World) -> Task:
    """Do twenty-four errands in eight apps from a list of tasks with two rules about what is left."""
    return _task(
        world,
        "tasks",
        "payments chores dates chats letters papers rooms meals",
        ("third waits", "first writes"),
        ("for good",),
    )


# Here: the third child's chat and scene wait, its documents and its food do not.
@scenario(apps=ALL)
def do_document_about_house_and_chats(world: World) -> Task:
    """Do fifteen errands in six apps from a document, with exceptions for food and documents."""
    return _task(
        world, "document", "papers rooms mornings meals chats", ("first writes", "third waits"), ("second waits",)
    )
