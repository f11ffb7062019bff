"""The tasks of a fair are turned over in a long talk: what a task is, only its details and comments say."""

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from tool_sandbox.answers.facts import Date, Number
from tool_sandbox.apps.calendar.content import days, event_row
from tool_sandbox.apps.calendar.tables import EVENTS as CALENDAR_EVENTS
from tool_sandbox.apps.draw import Draw, Person
from tool_sandbox.apps.tasks.content import comment_row, list_row, task_row
from tool_sandbox.apps.tasks.tables import COMMENTS, LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.discretion.sources import check_seen, own_calendar, put_page, read_page
from tool_sandbox.scenarios.hard.recovery.stage import together
from tool_sandbox.scenarios.hard.sources.placing import edits
from tool_sandbox.scenarios.hard.turns.talks import History, Row, Talk, Told, Turn, talk_of
from tool_sandbox.scenarios.vocabulary import Task, call, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Call, Solution

# Title; o: done in the open air, v: the van is still needed; details.
JOBS = (
    ("Big tent", "ov", "Put up on {lawn}. Until then it lies in {hall}, from where the van takes it over."),
    ("Dance floor", "v", "The boards fit nowhere but into the van. {Lawn} is too soft for them; they go into {hall}."),
    ("Lanterns", "o", "Hung into the trees on {lawn}, from a ladder that is there. The box fits under one arm."),
    ("Ice chest", "v", "Two people and the van. It is plugged in behind the kitchen door of {hall}."),
    ("Signposts", "o", "Hammered in along the path across {lawn}. They come on a bicycle trailer."),
    ("Programme", "", "Folded at the long table in {hall}. It says what happens on {lawn}, and when."),
    ("Tug of war", "", "Measure and whip the rope, at home. Who lays it out on {lawn} is another story."),
    ("Benches", "ov", "Forty of them, round {lawn}. The van goes twice."),
    ("Sound check", "o", "Bring your ears, nothing else. It tells us something only under the sky, before it begins."),
    ("Cake stands", "v", "Three kitchens lend us theirs. On a bicycle they would break, so the van. Into {hall}."),
    ("First aid", "", "Fill up the box under the counter of {hall}."),
    ("Water butt", "o", "Roll it from the shed to {lawn} and fill it. It weighs nothing while it is empty."),
    ("Piano", "", "Was to go to {lawn} by van. Not any more: it is tuned where it is, in {hall}, and stays."),
    (
        "Generator",
        "ov",
        "Stands behind the hedge because of the noise, with no roof. It does not come without the van.",
    ),
    ("Curtain", "", "Hem it in {hall}. The cloth is here: it came by van last week."),
    ("Bunting", "o", "From tree to tree. Somebody wrote that this takes the van, but it is one bag."),
    ("Loudspeakers", "ov", "On two poles beside {lawn}, under the sky. Too heavy for anything but the van."),
    ("Tombola", "", "Number the tickets in {hall}. The prizes came by van on Monday; nothing is left to fetch."),
    ("Bread oven", "v", "It stands in the kitchen of {hall}. Its stones are more than a bicycle bears, so the van."),
    ("Bicycle stand", "o", "Ropes between the trees in front of {hall}. The posts are there already."),
    ("Puppet theatre", "v", "The wind took it last year on {lawn}, so it goes into {hall}. The van fetches it."),
    ("Face paint", "", "Mix the colours in {hall}. Once there was talk of a tent on {lawn}; that is off."),
)
COSTS = (84, 0, 62, 38, 0, 45, 0, 96, 0, 55, 27, 0, 71, 120, 0, 49, 33, 58, 0, 66, 51, 104)
MINUTES = (90, 75, 40, 35, 55, 60, 25, 80, 30, 45, 20, 15, 50, 65, 70, 85, 95, 100, 10, 105, 110, 120)
TOOLS = (
    "search_task_lists", "search_tasks", "get_task", "create_task", "modify_task", "set_task_state",
    "modify_tasks_together", "shift_task_due_dates", "undo_task_edit", "search_task_changes", "get_task_workload",
    "comment_on_task", "delete_task", "copy_task_list", "search_calendar_people", "list_calendar_agenda",
    "search_calendar_events", "search_note_pages", "get_note_page", "append_to_note_page", "get_checklist",
)  # fmt: skip
MONEY = (
    "Of what is said about a cost the newest comment counts; what a sponsor pays, see my notes, costs us nothing, and "
    "where one pays half of it the other half."
)
APPS = ("tasks", "calendar", "notes")
COLUMNS = ("due_on", "assignee", "priority", "state", "reason", "minutes")
ORDER = ("low", "normal", "high", "urgent")


def _later(day: str, days: int) -> str:
    return f"{datetime.date.fromisoformat(day) + datetime.timedelta(days=days)}"


def _weekday(day: str) -> int:
    return datetime.date.fromisoformat(day).isoweekday()


def _total(h: History, column: str, test: Callable[[Row], bool]) -> Told:
    """A sum of minutes or dollars."""
    unit, word = {"minutes": ("minute", "minutes"), "cost": ("USD", "dollars")}[column]
    value = sum(row[column] for row in h.those(test))
    others = {row[column] for row in h.now.values()} - {value}
    return f"That makes {value} {word}.", Number(value, unit, context=tuple(sorted(others)))


def _last(h: History, test: Callable[[Row], bool]) -> Told:
    day = datetime.date.fromisoformat(max(row["due_on"] for row in h.those(test)))
    return f"The last one is due on {day:%A}, {day.day} {day:%B %Y}.", Date(day)


def _least(h: History) -> list[Row]:
    """Cancelled tasks that take the fewest minutes: one, or the talk is drawn again."""
    gone = h.those(lambda r: r["state"] == "cancelled")
    return [row for row in gone if row["minutes"] == min(each["minutes"] for each in gone)]


def _dearest(h: History, email: str) -> list[Row]:
    """Tasks of somebody that cost most: one, or the talk is drawn again."""
    own = h.those(lambda r: r["assignee"] == email and r["state"] == "open")
    return [row for row in own if row["cost"] and row["cost"] == max(each["cost"] for each in own)]


def _number(h: History, test: Callable[[Row], bool]) -> Told:
    """How many tasks; with none of them the talk is drawn again."""
    count = len(h.those(test))
    return f"That is {count} task{'s' * (count > 1)}." if count else "", Number(count, "task")


def _turns(people: Sequence[Person], away: str) -> dict[str, Turn]:
    """All that the user may say, by a name; much of it speaks of what another turn did."""
    a, b, c = people
    one, two, three = a.first_name, b.first_name, c.first_name
    swap, until = {b.email: c.email, c.email: b.email}, _later(away, 1)
    return {
        "later": Turn(
            "Whatever is done in the open air, as its details say, is due three days later than it is.",
            lambda h, r: r["out"],
            lambda h, r: {"due_on": _later(r["due_on"], 3)},
        ),
        "van": Turn(
            f"Whatever still needs the van, as its details say, goes to {a.name}, whoever has it now.",
            lambda h, r: r["van"],
            lambda h, r: {"assignee": a.email},
        ),
        "dear": Turn(
            f"Now money. What costs us 50 dollars or more gets high priority. {MONEY}",
            lambda h, r: r["cost"] >= 50,
            lambda h, r: {"priority": "high"},
        ),
        "away": Turn(
            f"{a.name} is away on two days, see my calendar. What {a.name} has that is due on one of them as "
            f"things stand goes to {b.name}.",
            lambda h, r: r["assignee"] == a.email and r["due_on"] in (away, until),
            lambda h, r: {"assignee": b.email},
        ),
        "spare": Turn(
            f"The three days were too much for {c.name}: of the open-air tasks, those that {three} has now get back "
            f"the date that they had before our talk.",
            lambda h, r: r["out"] and r["assignee"] == c.email and r["due_on"] != h.start(r)["due_on"],
            lambda h, r: {"due_on": h.start(r)["due_on"]},
        ),
        "swap": Turn(
            f"{two} and {three} swap: what {b.name} has on this list {c.name} gets, and the other way round. But "
            f"what {two} got because {one} is away stays where it is.",
            lambda h, r: r["assignee"] in swap and not h.got("away", r, "assignee"),
            lambda h, r: {"assignee": swap[r["assignee"]]},
        ),
        "calm": Turn(
            "About the high priority: what is not done in the open air does not need it after all. Those get back the "
            "priority that they had before our talk.",
            lambda h, r: r["priority"] == "high" and not r["out"],
            lambda h, r: {"priority": h.start(r)["priority"]},
        ),
        "drop": Turn(
            'What nobody is assigned to will not happen. Cancel it, with the reason "no hands".',
            lambda h, r: r["assignee"] is None,
            lambda h, r: {"state": "cancelled", "reason": "no hands"},
        ),
        "rescue": Turn(
            "Hm, the cancelled one that takes the fewest minutes I can do myself: open it again and assign it to me.",
            lambda h, r: [r] == _least(h),
            lambda h, r: {"state": "open", "reason": None, "assignee": "me"},
        ),
        "monday": Turn(
            "Whatever is due on a Saturday or a Sunday by now, and is not cancelled, is due on the Monday after it.",
            lambda h, r: r["state"] == "open" and _weekday(r["due_on"]) > 5,
            lambda h, r: {"due_on": _later(r["due_on"], 8 - _weekday(r["due_on"]))},
        ),
        "slower": Turn(
            "What is not done in the open air takes half as long again as it says; set that, rounded up to full 5 "
            "minutes.",
            lambda h, r: not r["out"],
            lambda h, r: {"minutes": -(-3 * r["minutes"] // 10) * 5},
        ),
        "faster": Turn(
            "Half as long again was too much where it went over 90 minutes: each task to which I gave half as long "
            "again, and that takes more than 90 minutes now, takes again what it took before I did so.",
            lambda h, r: r["minutes"] > 90 and h.got("slower", r, "minutes"),
            lambda h, r: {"minutes": h.before("slower", r)["minutes"]},
        ),
        "back": Turn(
            f"Van or not, what is not done in the open air is not for {one}: what {one} got of that for the van, and "
            f"still has, goes back to whoever had it before, or to nobody if nobody had it.",
            lambda h, r: h.got("van", r, "assignee") and not r["out"] and r["assignee"] == a.email,
            lambda h, r: {"assignee": h.before("van", r)["assignee"]},
        ),
        "free": Turn(
            f"What costs us nothing can wait: where it is due before {away}, it is due on {away}. {MONEY}",
            lambda h, r: not r["cost"] and r["due_on"] < away,
            lambda h, r: {"due_on": away},
        ),
        "raise": Turn(
            "What is assigned to me and needs no van gets the next higher priority: low becomes normal, normal high, "
            "high urgent.",
            lambda h, r: r["assignee"] == "me" and not r["van"],
            lambda h, r: {"priority": ORDER[ORDER.index(r["priority"]) + 1]},
        ),
        "sooner": Turn(
            "The open air again: of the tasks that I postponed by three days, those that need no van are due three "
            "days earlier than they are now.",
            lambda h, r: h.got("later", r, "due_on") and not r["van"],
            lambda h, r: {"due_on": _later(r["due_on"], -3)},
        ),
        "priciest": Turn(
            f"Of what {c.name} has now, the task that costs us most is mine from now on. {MONEY}",
            lambda h, r: [r] == _dearest(h, c.email),
            lambda h, r: {"assignee": "me"},
        ),
        "count": Turn(
            f"How many tasks does {b.name} have now that are due before {away}?",
            asks=lambda h: _number(h, lambda r: r["assignee"] == b.email and r["due_on"] < away),
        ),
        "load": Turn(
            f"How many minutes of work does {a.name} have on this list now, all together?",
            asks=lambda h: _total(h, "minutes", lambda r: r["assignee"] == a.email and r["state"] == "open"),
        ),
        "last": Turn("On which date is the last open-air task due now?", asks=lambda h: _last(h, lambda r: r["out"])),
        "sum": Turn(
            f"How many dollars do the tasks of high priority cost us together now, the urgent ones left out? {MONEY}",
            asks=lambda h: _total(h, "cost", lambda r: r["priority"] == "high"),
        ),
        "roof": Turn(
            f"How many minutes do {b.name}'s tasks take together now, the open-air ones left out?",
            asks=lambda h: _total(h, "minutes", lambda r: r["assignee"] == b.email and not r["out"]),
        ),
        "end": Turn(
            "And the last question: how many minutes do all open tasks on the list take together?",
            asks=lambda h: _total(h, "minutes", lambda r: r["state"] == "open"),
        ),
    }  # fmt: skip


def _jobs(draw: Draw, on: Row, people: Sequence[Person]) -> list[Row]:
    """Tasks with what can be known of them; numbers and people are dealt anew each time."""
    places = (("the quay", "the mill"), ("the meadow", "the barn"), ("the orchard", "the chapel"))
    lawn, hall = draw.choice(places)
    costs, minutes = draw.sample(COSTS, len(JOBS)), draw.sample(MINUTES, len(JOBS))
    hands = draw.sample([*(each.email for each in people), "me"] * 4 + [None] * 6, len(JOBS))
    rows = []
    for number, (title, kind, details) in enumerate(JOBS):
        text = details.format(lawn=lawn, Lawn=lawn.capitalize(), hall=hall)
        cells = {"details": text, "due_on": draw.date(draw.integer(4, 15)), "minutes": minutes[number]}
        cells |= {"assignee": hands[number], "priority": draw.choice(("low", "normal"))}
        row = task_row(draw, on["list_id"], title, draw.moment(-20, 9), **cells)
        rows.append(row | {"name": title, "out": "o" in kind, "van": "v" in kind, "cost": costs[number]})
    return rows


def _put(world: World, name: str, jobs: Sequence[Row], people: Sequence[Person], away: Sequence[str]) -> None:
    """Tasks, comments on what they cost, a page on who pays what, and days on which people are away."""
    draw, book = world.draw("tasks"), world.draw("calendar")
    free = [job["title"] for job in jobs if not job["cost"]]
    dear = [job["title"] for job in jobs if job["cost"] > 80]
    half = [job["title"] for job in jobs if 40 < job["cost"] < 60]
    for place, job in enumerate(sorted(jobs, key=lambda job: str(job["task_id"]))):
        world.put(TASKS, {key: cell for key, cell in job.items() if key in TASKS.positions})
        now, other = job["cost"] * (2 if job["title"] in half[1:] else 1) or 52 + 3 * place, draw.choice((17, 11, 23))
        said = (
            [f"It costs {now} dollars."],
            [f"It costs {now + other} dollars.", f"It is {now} dollars in the end."],
            [f"It costs {now - other} dollars.", f"It is {other} dollars more than that by now."],
        )[place % 3]
        for number, text in enumerate([*said, draw.choice(("Ask me first.", "I have the list.", "Same as ever."))]):
            by, at = draw.choice(people).email, draw.moment(number - 9, 9 + number)
            world.put(COMMENTS, comment_row(draw, job, by, text, at))
    first, second, third = draw.sample(("The bakery", "The savings bank", "The ferry company"), 3)
    text = (
        f"{first} pays for: {', '.join(free[:3] + dear[:1])}.\n{second} pays for: {', '.join(free[3:] + dear[1:])}.\n"
        f"{third} pays half of: {', '.join(half)}.\nCorrection: nobody pays for {' and '.join(dear)} any more, nor "
        f"half of {half[0]}; that is all ours again. The rest stands."
    )
    put_page(world, f"Sponsors of the {name}", text, -3)
    for person, day in zip(people, away, strict=True):
        when = days(book, day, _later(day, 1))
        world.put(CALENDAR_EVENTS, event_row(book, own_calendar(world), f"{person.name} away", when))


def _task(world: World, names: str) -> Task:
    """A talk in which every turn changes something, and every question has another answer."""
    draw, name = world.draw("tasks"), world.choice("Harvest fair", "Midsummer fete", "Regatta day")
    people = tuple({each.first_name: each for each in draw.people}.values())[:3]
    on = world.put(LISTS, list_row(draw, name, draw.moment(-30, 9), [each.email for each in people]))
    for _ in range(600):
        away = [draw.date(each) for each in draw.sample(range(6, 13), 3)]
        known, jobs = _turns(people, away[0]), _jobs(draw, on, people)
        talk = talk_of({each: known[each] for each in names.split()}, jobs, COLUMNS)
        if talk.is_rich:
            break
    else:
        raise DrawError(f"{world.name}: no draw in which every turn changes something")
    _put(world, name, jobs, people, away)
    first = f'We go through the task list "{name}" together now; do each thing as soon as I say it. '
    return Task(
        user=[f"{'' if number else first}{turn.says}" for number, turn in enumerate(talk.turns)],
        tools=TOOLS,
        milestones=talk.nodes(TASKS),
        allowed=[*talk.passing(TASKS), *edits(900)],
        solution=lambda: _solution(name, talk, people[0].name, away[0]),
    )


def _solution(name: str, talk: Talk, away: str, day: str) -> Solution:
    """Reads all of the list, then does turn by turn what is said."""
    [on] = (yield call("search_task_lists", words=name))["results"]
    rows = (yield call("search_tasks", list_id=on["list_id"], limit=50))["results"]
    yield [call("get_task", task_id=row["task_id"]) for row in rows]
    for number, told in enumerate(talk.answers):
        if number == next(place for place, turn in enumerate(talk.turns) if MONEY in turn.says):
            check_seen((yield from read_page(f"Sponsors of the {name}")), "The rest stands")
        if number == talk.history.turns.get("away"):
            check_seen((yield call("search_calendar_events", words=away)), day)
        calls = list[Call]()
        for column, value, jobs in talk.edits(number):
            if column != "reason":
                ids = [job["task_id"] for job in jobs]
                calls += _edit(column, value, ids, jobs[0]["reason"])
        yield from together(calls)
        yield say(told[0] if told else "That is done.")


def _edit(column: str, value: Any, task_ids: list[str], reason: str | None) -> list[Call]:
    if column == "state":
        return [call("set_task_state", task_ids=task_ids, state=value, **({"reason": reason} if reason else {}))]
    if column == "minutes":
        return [call("modify_task", task_id=each, minutes=value) for each in task_ids]
    return [call("modify_tasks_together", task_ids=task_ids, **{column: value})]


# In all of these a strong model takes the piano or the curtain for van work or the rope for open air, forgets that
# "before" means before ITS OWN change, swaps what a turn has kept out, or adds up a cost of before.
# Here: "swap" must leave out what "away" moved, and "calm" needs priorities that it has overwritten itself.
@scenario(apps=APPS)
def turn_over_tasks_of_fair(world: World) -> Task:
    """Reassign, postpone and put back tasks over fourteen turns, each of which builds on those before it."""
    return _task(world, "later van load dear away spare last swap calm sum drop rescue monday end")


# Here: minutes are raised with rounding and partly put back, so that each sum depends on some twelve judgements.
@scenario(apps=APPS)
def reckon_minutes_of_fair_anew(world: World) -> Task:
    """Raise what tasks take and put a part of it back, with sums in between, over fourteen turns."""
    return _task(world, "slower van roof dear back sum faster later raise spare load drop rescue end")


# Here: dates move four times, by money, by weather and by the weekend, and the swap has an exception from before.
@scenario(apps=APPS)
def move_dates_of_fair_again(world: World) -> Task:
    """Move dates of tasks by what they cost and where they are done, with a swap of people, over fifteen turns."""
    return _task(world, "free van away load swap roof later monday last dear calm raise sum drop end")


# Here: seventeen turns; "raise" comes after "dear", so that what is urgent no longer counts as high.
@scenario(apps=APPS)
def plan_fair_in_long_talk(world: World) -> Task:
    """Change priorities, people, times and dates of tasks over seventeen turns."""
    return _task(world, "dear raise slower sum van away faster load back later spare swap last drop rescue monday end")


# Here: what the van brought is given back after priorities and minutes were changed in between.
@scenario(apps=APPS)
def undo_half_of_plan_for_fair(world: World) -> Task:
    """Make a plan for the tasks of a fair and take half of it back over sixteen turns."""
    return _task(world, "later free last slower dear roof calm van raise back load faster monday drop rescue end")


# Here: who is away is known before the van is given out, so nothing of that is kept out of the swap by mistake.
@scenario(apps=APPS)
def hand_tasks_of_fair_around(world: World) -> Task:
    """Hand tasks from one to the other, with exceptions and sums in between, over fifteen turns."""
    return _task(world, "away dear later spare roof swap van load back last raise sum drop rescue end")


# Here: what is taken back is what an own change postponed, in days and not to a date, and only a part of it.
@scenario(apps=APPS)
def take_postponement_of_fair_back(world: World) -> Task:
    """Postpone tasks and take a part of that back, with people and money in between, over fourteen turns."""
    return _task(world, "later dear van sooner load away sum priciest calm count drop rescue monday end")


# Here: who has what changes five times, and what costs most depends on it.
@scenario(apps=APPS)
def shift_tasks_between_three(world: World) -> Task:
    """Shift tasks between three people and the user, with counts and sums in between, over fourteen turns."""
    return _task(world, "van away priciest swap load slower roof back count raise faster drop rescue end")


# Here: a priority is high for two reasons, of which one is taken back.
@scenario(apps=APPS)
def settle_costs_of_fair(world: World) -> Task:
    """Go by what tasks cost, and by who pays, in priorities, dates and people, over fourteen turns."""
    return _task(world, "dear sum raise free priciest calm van load later sooner last count drop end")


# Here: seventeen turns, five of which take back a part of an earlier one.
@scenario(apps=APPS)
def go_over_tasks_of_fair_twice(world: World) -> Task:
    """Plan the tasks of a fair and go over the plan once more, over seventeen turns."""
    return _task(
        world, "slower later dear van roof faster sooner calm back away swap load monday count drop rescue end"
    )


# Here: money first, and then people and dates that hang on it, with three sums of what was changed since.
@scenario(apps=APPS)
def sort_tasks_of_fair_by_money(world: World) -> Task:
    """Go by what tasks cost and who pays, then by weather and van, and take parts back, over seventeen turns."""
    return _task(
        world, "free dear van sum priciest later sooner raise load slower faster count away roof drop rescue end"
    )


# Here: what was given for the van is given back before the one who has it is away, and the swap leaves that out.
@scenario(apps=APPS)
def give_tasks_of_fair_back(world: World) -> Task:
    """Give tasks to others and a part of them back, with times, dates and priorities in between, over sixteen turns."""
    return _task(world, "van slower free back away load later dear faster swap sum spare calm drop rescue end")
