"""A programme that somebody has half entered, with entries that are double, old or wrong."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.calendar.content import event_row, new_row, times
from tool_sandbox.apps.calendar.tables import CALENDARS, EVENTS
from tool_sandbox.apps.files.content import file_row
from tool_sandbox.apps.files.tables import FILES
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS, LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import read_all
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, together
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
    removed,
    say,
)  # fmt: skip
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Call, Solution, ToolCallFailed

TALKS = ("Moss gardens", "Bridges of bamboo", "Why owls turn", "Reading old maps", "Salt and glass", "The slow lens",
         "Ink from oak", "Tides at night", "Weaving light", "Bread of the north", "Stone walls", "Letters to the moon",
         "Clocks of water", "The quiet engine", "Seeds and ice", "Masks that speak")  # fmt: skip
# How an entry is found: fine, twice, missing (m), as it was before all changes (o), or one that is left of a talk that
# was called off later (g, if there is one).
FOUND = "fmotmofmtmofmomf"
# What the speakers write, by talk: nothing (-), later (l), longer (n), off (x), revoked (r), question (q), swap with
# the
# talk behind (s and S), of somebody else (e), renamed (t).
SAID = "-lnxrqsS-elt-nx-"
SECOND = 31


Known = tuple[str, int, int, int]
"""Title, day, minute of the day and length."""


@attrs.define
class Talk:
    """A talk: title, day and minute of the day, and length, as they are and as they were in the programme."""

    title: str
    host: int
    day: int
    start: int
    minutes: int
    off: bool = False
    entries: list[Row] = attrs.field(factory=list)
    was: Known = ("", 0, 0, 0)
    then: Known = ("", 0, 0, 0)
    key: str = ""

    @property
    def now(self) -> Known:
        """What decides how it is entered in the end."""
        return self.title, self.day, self.start, self.minutes

    @property
    def moves(self) -> bool:
        """Whether it is moved once more when all is right."""
        return not self.off and self.then != self.now


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _talks(world: World, count: int) -> tuple[list[Talk], list[tuple[int, str]]]:
    """The talks of a programme after all that was written about it, in order."""
    turn, first = world.integer(0, 0, 15), world.integer(0, 0, 15)
    talks = [Talk(TALKS[(first + n) % 16], n % count, 30 + n // 4, (540, 660, 840, 960)[n % 4],
                  5 * world.integer(9 + n % 5, 8, 13)) for n in range(16)]  # fmt: skip
    said: list[tuple[int, str]] = []
    for each in talks:
        each.was = each.now
    for number in range(16):
        talk, after, kind = talks[number], talks[(number + 1) % 16], SAID[(number + turn) % 16]
        name, other = f'"{talk.title}"', (talk.host + 3) % count
        if kind == "l":
            talk.start += 30
            said.append((talk.host, f"{name} has to begin half an hour later than in the programme, same length."))
        elif kind == "n":
            talk.minutes += 20
            said.append((talk.host, f"For {name} I need 20 minutes more, please; the beginning stays."))
        elif kind == "x":
            talk.off = True
            said.append((talk.host, f"I am ill and have to withdraw {name}. I am very sorry."))
        elif kind == "r":
            said.insert(0, (talk.host, f"Please begin {name} an hour earlier."))
            said.append((talk.host, f"Forget what I wrote about {name}, the programme is right as it is."))
        elif kind == "q":
            said.append((talk.host, f"Could {name} begin a quarter of an hour later? Only if it makes no trouble."))
        elif kind == "s":
            talk.day, talk.start, after.day, after.start = after.day, after.start, talk.day, talk.start
            said.append(
                (
                    talk.host,
                    f'{name} and "{after.title}" change places: each begins when the other was to. Lengths stay.',
                )
            )
        elif kind == "e":
            said.append((other, f"Between us, {name} should be half as long, people fall asleep."))
        elif kind == "t":
            talk.title = f"{talk.title}, a farewell"
            said.append((talk.host, f'The new title of {name} is "{talk.title}".'))
    for each in talks:
        each.then = each.now
        each.start += 45 * (each.day == SECOND and each.start >= 780)
        each.minutes -= 5 * (each.day == SECOND and each.start < 780 and each.minutes >= 60)
    return talks, said


Nodes = tuple[list[Node], list[Node], list[Node]]
"""What has to be in the end, what has to be for a while, and what may be."""
End = Callable[[World, str, list[Talk], int], Any]
"""Where talks are entered: tools, steps, steps of the second turn, nodes by talk, what may and what must not be."""


def _found(talks: list[Talk], turn: int, put: Callable[[Known], Row]) -> None:
    """Puts the entries of the first attempt; nobody knew of changes then."""
    for number, talk in enumerate(talks):
        how = FOUND[(number + turn) % 16]
        known = talk.was if how == "o" or talk.off else talk.then
        if how != "m" or talk.off:
            talk.entries = [put(known) for _ in range(1 + (how == "t"))]


def _try(step: Call, look: Call, key: str) -> Steps:
    """A call that adds something, made again while its answer is lost and nothing has come of it; gives the key."""
    while True:
        try:
            return (yield step)
        except ToolCallFailed:
            if (found := (yield look))["total"]:
                return found["results"][0][key]


def _calendar(world: World, what: str, talks: list[Talk], turn: int) -> Any:
    draw = world.draw("calendar")
    own = {"name": what, "owner_email": draw.owner.email, "access": "owner", "is_default": False}
    calendar = world.put(CALENDARS, new_row(draw, CALENDARS, **own))

    def when(known: Known) -> Row:
        return times(draw, known[1], known[2] // 60, known[3], minute=known[2] % 60)

    _found(talks, turn, lambda known: world.put(
        EVENTS, event_row(draw, calendar, known[0], when(known), show_as="free")))  # fmt: skip

    def steps() -> Steps:
        [me] = (yield call("search_calendar_people", is_me=True))["results"]
        calendar_id = stage.one(me["calendars"], name=what)["calendar_id"]
        yield from read_all("search_calendar_events", calendar_id=calendar_id)
        for talk in talks:
            talk.key = talk.entries[0]["event_id"] if talk.entries else ""
            for entry in talk.entries[not talk.off :]:
                yield call("cancel_calendar_event", event_id=entry["event_id"])
            if not talk.entries and not talk.off:
                look = call("search_calendar_events", words=talk.title, calendar_id=calendar_id)
                make = call("create_calendar_event", calendar_id=calendar_id, show_as="free", **cells(talk.then))
                made = yield from _try(make, look, "event_id")
                talk.key = made["event_id"] if isinstance(made, dict) else made
            elif not talk.off and _differs(talk.entries[0], right(talk.then)):
                yield call("modify_calendar_event", event_id=talk.key, **cells(talk.then))

    def move() -> Steps:
        yield from together(call("modify_calendar_event", event_id=talk.key, **cells(talk.now))
                            for talk in talks if talk.moves)  # fmt: skip

    def right(known: Known) -> Row:
        return {name: when(known)[name] for name in ("starts_at", "ends_at")} | {"title": known[0]}

    def cells(known: Known) -> Row:
        return {name: cell[:16] if name != "title" else cell for name, cell in right(known).items()}

    def node(talk: Talk) -> Nodes:
        last, first = (right(known) | {"title": SameWords(known[0])} for known in (talk.now, talk.then))
        either: Row = {name: OneOf([first[name], last[name]]) for name in last}
        ids = OneOf([row["event_id"] for row in talk.entries])
        plain: Row = {"description": Anything(), "location": Anything(), "time_zone": Anything(), "show_as": "free"}
        plain |= {"calendar_id": calendar["calendar_id"], "organizer_email": Anything(), "status": "confirmed"}
        if talk.off:
            return [changed(EVENTS, {"event_id": ids}, len(talk.entries), status="cancelled")], [], []
        if not talk.entries:
            gate = [added(EVENTS, **plain, **first).passing()] if talk.moves else []
            return [added(EVENTS, **plain, **last)], gate, [added(EVENTS, **plain, **either)]
        gone = [changed(EVENTS, {"event_id": ids}, status="cancelled")] if len(talk.entries) > 1 else []
        wrong = _differs(talk.entries[0], right(talk.then))
        gate = [changed(EVENTS, {"event_id": ids}, **first).passing()] if wrong and talk.moves else []
        if not wrong and not talk.moves:
            return gone, [], []
        return [*gone, changed(EVENTS, {"event_id": ids}, **last)], gate, [changed(EVENTS, {"event_id": ids}, **either)]

    twice = [
        OneOf([row["event_id"] for row in each.entries]) for each in talks if len(each.entries) > 1 and not each.off
    ]
    both = [changed(EVENTS, {"event_id": ids}, count=2, status="cancelled") for ids in twice]
    tools = ("search_calendar_people", "search_calendar_events", "get_calendar_event", "create_calendar_event",
             "modify_calendar_event", "cancel_calendar_event", "list_calendar_agenda")  # fmt: skip
    return tools, steps, move, [node(talk) for talk in talks], [], both


def _differs(entry: Row, right: Row) -> bool:
    return any(entry[name] != cell for name, cell in right.items())


def _list(world: World, what: str, talks: list[Talk], turn: int) -> Any:
    draw = world.draw("tasks")
    at = world.put(LISTS, list_row(draw, what, draw.moment(-9, 9)))

    def cells(known: Known) -> Row:
        return {"title": f"{known[0]}, {_clock(known[2])}", "due_on": draw.date(known[1]), "minutes": known[3]}

    def put(known: Known) -> Row:
        title = cells(known)["title"]
        rest = {name: cells(known)[name] for name in ("due_on", "minutes")}
        return world.put(TASKS, task_row(draw, at["list_id"], title, draw.moment(-8, 9), **rest))

    _found(talks, turn, put)

    def steps() -> Steps:
        [found] = (yield call("search_task_lists", words=what))["results"]
        yield from read_all("search_tasks", list_id=found["list_id"])
        for talk in talks:
            talk.key = talk.entries[0]["task_id"] if talk.entries else ""
            for entry in talk.entries[not talk.off :]:
                yield call("delete_task", task_id=entry["task_id"])
            if not talk.entries and not talk.off:
                look = call("search_tasks", words=talk.title, list_id=found["list_id"])
                make = call("create_task", list_id=found["list_id"], **cells(talk.then))
                made = yield from _try(make, look, "task_id")
                talk.key = made["task_id"] if isinstance(made, dict) else made
            elif not talk.off and _differs(talk.entries[0], cells(talk.then)):
                yield call("modify_task", task_id=talk.key, **cells(talk.then))

    def move() -> Steps:
        yield from together(call("modify_task", task_id=talk.key, **cells(talk.now)) for talk in talks if talk.moves)

    def node(talk: Talk) -> Nodes:
        ids = OneOf([row["task_id"] for row in talk.entries])
        last, first = (cells(known) | {"title": SameWords(cells(known)["title"])} for known in (talk.now, talk.then))
        either: Row = {name: OneOf([first[name], last[name]]) for name in last}
        if talk.off:
            return [removed(TASKS, len(talk.entries), task_id=ids)], [], []
        if not talk.entries:
            free: Row = {"created_at": Anything(), "creator": "me", "priority": Anything(), "assignee": Anything()}
            free |= {"list_id": at["list_id"], "state": "open"}
            gate = [added(TASKS, **first, **free).passing()] if talk.moves else []
            return [added(TASKS, **last, **free)], gate, [added(TASKS, **either, **free)]
        gone = [removed(TASKS, task_id=ids)] if len(talk.entries) > 1 else []
        wrong = _differs(talk.entries[0], cells(talk.then))
        gate = [changed(TASKS, {"task_id": ids}, **first).passing()] if wrong and talk.moves else []
        if not wrong and not talk.moves:
            return gone, [], []
        return [*gone, changed(TASKS, {"task_id": ids}, **last)], gate, [changed(TASKS, {"task_id": ids}, **either)]

    tools = (
        "search_task_lists",
        "search_tasks",
        "get_task",
        "create_task",
        "modify_task",
        "delete_task",
        "set_task_state",
    )
    anything = dict.fromkeys(("edit_id", "task_id", "field", "old", "new"), Anything())
    log = [added(EDITS, 40, made_by="me", undone=False), added(CHANGES, 90, **anything)]
    return tools, steps, move, [node(talk) for talk in talks], log, []


def _by_mail(
    world: World, what: str, people: list[Person], said: list[tuple[int, str]]
) -> tuple[tuple[str, ...], Callable[[], Steps]]:
    for number, (who, text) in enumerate(said):
        stage.put_mail(
            world, (people[who].name, f"speaker{who}@example.net"), f"{what}: my talk", text, 4000 - 90 * number
        )

    def steps() -> Steps:
        yield from read_all("search_mail", query=f'in:inbox subject:"{what}: my talk"')

    return ("search_mail", "get_mail"), steps


def _by_chat(
    world: World, what: str, people: list[Person], said: list[tuple[int, str]]
) -> tuple[tuple[str, ...], Callable[[], Steps]]:
    members = stage.put_chat(world, what, people)
    for number, (who, text) in enumerate(said):
        stage.put_post(world, members[who + 1], text, 4000 - 90 * number)

    def steps() -> Steps:
        [chat] = (yield call("search_group_chats", words=what))["results"]
        yield from read_all("search_group_posts", chat_id=chat["chat_id"])

    return ("search_group_chats", "search_group_posts", "get_group_post"), steps


def _enter(world: World, place: Callable[..., Any], end: End, lost: Sequence[bool]) -> Task:
    what = world.phrase("Curiosity Days", "Lantern Talks", "Attic Lectures")
    people = [world.new_person() for _ in range(8)]
    talks, said = _talks(world, 8)
    draw = world.draw("files")
    lines = [f"{title}; {world.in_days(day)}; {_clock(start)}; {minutes}; {people[each.host].name}"
             for each in talks for title, day, start, minutes in [each.was]]  # fmt: skip
    text = "\n".join(["title; date; begins; minutes; speaker", *lines])
    world.put(FILES, file_row(draw, f"{what} programme", "table", None, draw.moment(-20, 9), content=text))
    read, read_steps = place(world, what, people, said)
    tools, steps, move, nodes, allowed, never = end(world, what, talks, world.integer(0, 0, 15))
    left = [each for each in talks if not each.off]
    totals = sum(each.then[3] for each in left), sum(each.minutes for each in left)
    second = f"{world.in_days(SECOND):%A}, {world.in_days(SECOND):%B} {world.in_days(SECOND).day}"

    def solution() -> Solution:
        [page] = (yield call("search_files", words=f"{what} programme"))["results"]
        yield call("get_document", file_id=page["file_id"])
        yield from read_steps()
        yield from steps()
        yield say(f"There are {len(left)} talks now, {totals[0]} minutes in all.")
        yield from move()
        yield say(f"The talks take {totals[1]} minutes in all now.")

    adds = "create_calendar_event" if end is _calendar else "create_task"
    return Task(
        user=(
            f'The programme of the "{what}" is in my files, and what the speakers have written to me since is in '
        f"{'my inbox' if place is _by_mail else 'our group chat'}. {FORM[end]} A helper has begun with that and got "
        "muddled: some talks are missing, some are there twice, some are out of date. Please put it right, so that "
        "every talk is there exactly once, with the title, time and length that hold now, and that none is there "
        f"that is not given. {GONE[end]} Entries that are right stay untouched. Only what speakers say firmly about "
        "their own talks counts; a mere question changes nothing, nor does what somebody says about the talk of "
        "another. If two change places, one of them saying so is enough. The line is bad today, so take care that "
        "nothing is entered twice. How many talks are there in the end, and how many minutes do they take in all? "
        "Only the two figures, please.",
            f"One more change, for the talks on {second} alone, as they stand now: those that begin at 13:00 or "
            "later begin 45 minutes later, with the same length. Of those that begin before 13:00, each that takes "
            "an hour or longer ends 5 minutes earlier, and begins when it did. How many minutes do all talks of "
            "the programme take then? Only the figure, please.",
        ),
        tools=["search_files", "get_document", *read, *tools],
        milestones=[
            *in_any_order(
                *(must for each, _, _ in nodes for must in each),
                answer_for_now(Number(len(left), "talks"), Number(totals[0], "minutes")),
                *(gate for _, gates, _ in nodes for gate in gates),
            ),
            answer(Number(totals[1], "minutes")),
        ],
        allowed=[*allowed, *(may for *_, each in nodes for may in each)],
        never=never,
        events=[loses_answer(adds, is_done=done, passes=number % 2) for number, done in enumerate(lost)],
        solution=solution,
    )  # fmt: skip


FORM: dict[End, str] = {
    _calendar: "All talks belong in my calendar of the same name, each as an event of its own, shown as free; its "
    "title is the title of the talk.",
    _list: 'All talks belong on my task list of the same name, each as a task with the title "talk, time", '
    'such as "Moss gardens, 09:00", due on the day of the talk, with its length in minutes.',
}
GONE: dict[End, str] = {_calendar: "Cancel what is too much.", _list: "Delete what is too much."}


# Swaps, withdrawals that were entered, questions, words of others; of a double entry just one has to go.
@scenario(apps=("files", "mail", "calendar"))
def finish_programme_in_calendar_by_mail(world: World) -> Task:
    """Finish and put right what was half entered in a calendar, with changes that came by mail."""
    return _enter(world, _by_mail, _calendar, (True, False, True))


@scenario(apps=("files", "groups", "calendar"))
def finish_programme_in_calendar_by_chat(world: World) -> Task:
    """Finish and put right what was half entered in a calendar, with changes that stand in a chat."""
    return _enter(world, _by_chat, _calendar, (False, True, True))


@scenario(apps=("files", "mail", "tasks"))
def finish_programme_on_task_list_by_mail(world: World) -> Task:
    """Finish and put right what was half entered on a list of tasks, with changes that came by mail."""
    return _enter(world, _by_mail, _list, (True, True, False))


@scenario(apps=("files", "groups", "tasks"))
def finish_programme_on_task_list_by_chat(world: World) -> Task:
    """Finish and put right what was half entered on a list of tasks, with changes that stand in a chat."""
    return _enter(world, _by_chat, _list, (True, False, False))
