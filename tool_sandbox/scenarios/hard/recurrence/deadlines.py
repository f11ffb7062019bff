"""Deadlines told in words: working days of an office with closures, months, weekdays, notice periods, other zones."""

import datetime
import zoneinfo
from collections.abc import Callable, Sequence
from typing import Any

import attrs
from dateutil.relativedelta import relativedelta

from tool_sandbox.answers.facts import Date, Number
from tool_sandbox.apps.calendar.content import days, event_row
from tool_sandbox.apps.calendar.tables import CALENDARS, EVENTS
from tool_sandbox.apps.tasks.content import comment_row, list_row, task_row
from tool_sandbox.apps.tasks.tables import COMMENTS, LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import Deed, Job, Look, change_task, look, mails, page
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, put_mail, put_page
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import Task, added, call
from tool_sandbox.scenarios.world import World

Day = datetime.date
ONE = datetime.timedelta(days=1)
PAGE = "Office calendar"
READS = ("search_note_pages", "get_note_page", "search_mail", "get_mail", "get_mail_thread")
TITLES = (
    *(
        "Objection to the water bill",
        "Warranty of the boiler",
        "Renewal of the parking permit",
        "Report to the insurer",
    ),
    *(
        "Offer for the roof",
        "Return of the projector",
        "Answer to the auditor",
        "Bid for the canteen",
        "Grant for the lab",
    ),
    *("Notice for the storage room", "Notice for the cleaners", "Tax form of the branch", "Survey of the lifts"),
    *("Claim against the carrier", "Order of the calendars", "Licence of the drawing tool", "Reply to the landlord"),
    *(
        "Test of the sirens",
        "Papers for the customs",
        "Registration of the van",
        "Review of the wages",
        "Photo contract",
    ),
)
CITIES = {
    "Auckland": "Pacific/Auckland",
    "Tokyo": "Asia/Tokyo",
    "Sydney": "Australia/Sydney",
    "London": "Europe/London",
}


def spoken(day: Day) -> str:
    """A date as people write it."""
    return f"{day.day} {day:%B %Y}"


@attrs.frozen
class Office:
    """When the office is closed beside Saturdays and Sundays, as first told and after the correction."""

    first: frozenset[Day]
    closed: frozenset[Day]
    texts: tuple[str, str]

    def count(self, day: Day, number: int, closed: frozenset[Day] | None = None) -> Day:
        """The working day that is so many after a day, or before it where the number is below 0."""
        shut = self.closed if closed is None else closed
        step = ONE if number > 0 else -ONE
        for _ in range(abs(number)):
            day += step
            while day.weekday() > 4 or day in shut:
                day += step
        return day


def _put_office(world: World) -> Office:
    """Closures in the notes, and a mail that corrects them."""
    draw, today = world.draw("notes"), world.today
    free = [today + n * ONE for n in range(4, 95) if (today + n * ONE).weekday() < 5]
    start = free.index(next(day for day in free if day.weekday() == 2 and day > today + 24 * ONE))
    holidays = free[start : start + 6]
    rest = [day for day in free if day not in holidays]
    single = sorted(draw.sample(rest[2:30], 4) + draw.sample(rest[32:], 2))
    opened, fresh = single[1], draw.sample([day for day in rest[3:26] if day not in single], 2)
    told = ", ".join(map(spoken, single))
    text = (
        f"The office is closed on Saturdays and Sundays, on {told}, and for the company holidays from "
        f"{spoken(holidays[0])} to {spoken(holidays[-1])}, both included. Every other day is a working day, public "
        "holidays too. When working days are counted, the day from which they are counted is not one of them."
    )
    again = f"Two changes of the office calendar: we are open on {spoken(opened)} after all. Instead we are closed on "
    again += f"{' and '.join(spoken(day) for day in sorted(fresh))}. The company holidays end a working day earlier."
    put_page(world, PAGE, text)
    put_mail(world, world.boss.name, "Change of the office calendar", again, -3)
    first = frozenset((*single, *holidays))
    return Office(first, (first - {opened, holidays[-1]}) | set(fresh), (text, again))


def _nth(year: int, month: int, weekday: int, number: int) -> Day:
    first = Day(year, month, 1)
    return first + ((weekday - first.weekday()) % 7 + 7 * (number - 1)) * ONE


def _clauses(world: World, office: Office, closed: frozenset[Day] | None = None) -> list[tuple[str, Day]]:
    """Deadlines in words and their dates, two or three of each sort, in a drawn order."""
    draw, today, found = world.draw("mail"), world.today, list[tuple[str, Day]]()

    def add(words: str, day: Day) -> None:
        found.append((words, day))

    shut = office.closed if closed is None else closed

    def off(day: Day) -> bool:
        return day.weekday() > 4 or day in shut

    for number in (10, 17, 25):
        base = today + draw.integer(-6, 14) * ONE
        add(f"{number} working days after {spoken(base)}", office.count(base, number, shut))
    for number in (8, 15):
        base = today + draw.integer(42, 75) * ONE
        add(f"{number} working days before {spoken(base)}", office.count(base, -number, shut))
    for months, number in ((1, 3), (2, 5)):
        ahead = (today.replace(day=1) + relativedelta(months=months + 1), ("third", "fifth")[number // 5])
        last = office.count(ahead[0], -number, shut)
        add(f"the {ahead[1]}-last working day of {ahead[0] - ONE:%B %Y}", last)
    for number, word in ((2, "second"), (3, "third")):
        month, weekday = today.replace(day=1) + relativedelta(months=number), draw.integer(1, 3)
        day = _nth(month.year, month.month, weekday, number)
        then = "or, if the office is closed then, the next working day"
        add(f"the {word} {day:%A} of {month:%B %Y}, {then}", office.count(day - ONE, 1, shut) if off(day) else day)
    for after, weekday in ((3, 0), (1, 4)):
        month = today.replace(day=1) + relativedelta(months=1 + after // 2)
        day = _nth(month.year, month.month, weekday, 2)
        day += ((after - weekday) % 7) * ONE
        names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
        add(f"the {names[after]} after the second {names[weekday]} of {month:%B %Y}, closed or not", day)
    for weeks in (5, 9):
        base = today - draw.integer(100, 240) * ONE
        passed = (today - base).days // (7 * weeks) + 1
        add(f"every {weeks} weeks since {spoken(base)}, so the first time after today", base + passed * weeks * 7 * ONE)
    for months in (3, 1):
        base = today - draw.integer(5, 70) * ONE
        done = base + relativedelta(months=months)
        quarter = Day(done.year, (done.month - 1) // 3 * 3 + 1, 1) + relativedelta(months=3) - ONE
        word = {3: "three months", 1: "one month"}[months]
        text = (
            f"the first end of a quarter that is at least {word} after {spoken(base)}, whatever day of the week it is"
        )
        add(text, quarter)
    for number in (30, 45):
        base = today + draw.integer(0, 9) * ONE
        day = base + number * ONE
        then = "or, if the office is closed then, the last working day before"
        add(f"{number} days after {spoken(base)}, {then}", office.count(day + ONE, -1, shut) if off(day) else day)
    for city in draw.sample(sorted(CITIES), 2):
        day, hour = today + draw.integer(15, 70) * ONE, draw.choice((3, 9, 23))
        there = datetime.datetime(day.year, day.month, day.day, hour, 30, tzinfo=zoneinfo.ZoneInfo(CITIES[city]))
        here = there.astimezone(zoneinfo.ZoneInfo(world.zone)).date()
        add(
            f"closes at {hour:02d}:30 on {spoken(day)} in {city}, and the date that it is here then is what counts",
            here,
        )
    return draw.sample(found, len(found))


def _put_tasks(
    world: World, clauses: Sequence[tuple[str, Day]], due: Callable[[int, Day], Day | None]
) -> tuple[Row, list[Row]]:
    """A list whose tasks have the deadlines in their details, and maybe a date."""
    draw, name = (
        world.draw("tasks"),
        world.phrase("Deadlines of the office", "Dates of the branch", "Terms of the house"),
    )
    tasks, titles = world.put(LISTS, list_row(draw, name, draw.moment(-50, 9))), draw.sample(TITLES, len(clauses))
    rows = []
    for number, (title, (words, day)) in enumerate(zip(titles, clauses, strict=True)):
        told = due(number, day)
        cells = {"details": f"Due: {words}.", "assignee": "me", "due_on": told and told.isoformat()}
        rows.append(world.put(TASKS, task_row(draw, tasks["list_id"], title, draw.moment(-20, 9), **cells)))
    return tasks, rows


def _looks(tasks: Row) -> tuple[Look, ...]:
    listed = look("search_tasks", "get_task", key="task_id", list_id=tasks["list_id"], limit=50)
    return (page(PAGE), mails("subject:office"), look("search_task_lists", words=tasks["name"]), listed)


TOOLS = (
    *READS,
    "search_task_lists",
    "search_tasks",
    "get_task",
    "modify_task",
    "set_task_state",
    "shift_task_due_dates",
)
WHERE = (
    f'When our office works stands on the page "{PAGE}" of my notes, and a mail changed that (office calendar). '
    "Comments on a task count as well."
)


# A model miscounts working days over the holidays that became a day shorter in the mail, or takes the date of Auckland
# for ours; twenty dates have to be right.
@scenario(apps=("tasks", "notes", "mail"))
def date_tasks_told_in_words(world: World) -> Task:
    """Give every open task of a list the date that its details tell in words."""
    office = _put_office(world)
    clauses, draw = _clauses(world, office), world.draw("tasks")
    tasks, rows = _put_tasks(world, clauses, lambda number, day: day if number < 3 else None)
    for row in rows[3:5]:
        row |= {"state": "done", "done_at": draw.moment(-2, 9)}
    late, base = rows[5], world.today + draw.integer(1, 6) * ONE
    remark = f"Forget what stands above. The letter came on {spoken(base)}, and we have 12 working days from then."
    world.put(COMMENTS, comment_row(draw, late, world.boss.name, remark, draw.moment(-1, 9)))
    dates = [office.count(base, 12) if row is late else day for row, (_, day) in zip(rows, clauses, strict=True)]
    changes = [(row, day) for row, day in zip(rows[5:], dates[5:], strict=True)]
    last = max(day for row, day in zip(rows, dates, strict=True) if row["state"] == "open")
    return Job(
        f'On my task list "{tasks["name"]}" most tasks say only in words when they are due. Give every task that '
        f"is not done its date. {WHERE} Leave dates that are right, and tasks that are done. In the end tell me the "
        "date of the deadline that comes last.",
        TOOLS,
        _looks(tasks),
        [change_task(row, due_on=day.isoformat()) for row, day in changes],
        f"All open tasks have their dates. The last deadline is {spoken(last)}.",
        [Date(last)],
        (*office.texts, remark, *(row["details"] for row in rows)),
    ).task()


# Half of the dates are right although they look odd, and those that only count weekdays do not move with the closures:
# a model shifts what need not be shifted.
@scenario(apps=("tasks", "notes", "mail"))
def move_dates_after_closures_change(world: World) -> Task:
    """Put those dates right that a change of the office calendar, or a slip, made wrong; leave the others."""
    office, draw = _put_office(world), world.draw("tasks")
    clauses = _clauses(world, office)
    wrong = set(draw.sample(range(len(clauses)), 9))
    tasks, rows = _put_tasks(
        world, clauses, lambda number, day: day + draw.choice((-7, -1, 1, 2, 7)) * ONE if number in wrong else day
    )
    return Job(
        f'The tasks on my list "{tasks["name"]}" have dates, but the office calendar has changed since, and some were '
        f"miscounted. Please check each date against the words in the details, and put right the wrong ones. {WHERE} "
        "Touch no date that is right. In the end tell me how many you had to change.",
        TOOLS,
        _looks(tasks),
        [change_task(rows[number], due_on=clauses[number][1].isoformat()) for number in sorted(wrong)],
        f"I had to change {len(wrong)} dates, the others were right.",
        [Number(len(wrong))],
        (*office.texts, *(row["details"] for row in rows)),
    ).task()


# The same judgements, but from one page into the calendar, where a model doubles what is there already.
@scenario(apps=("calendar", "notes", "mail"))
def enter_deadlines_into_calendar(world: World) -> Task:
    """Put deadlines of a page into the calendar as whole days, without doubling what is there."""
    office, draw = _put_office(world), world.draw("calendar")
    clauses = _clauses(world, office)
    named = list(zip(draw.sample(TITLES, len(clauses)), clauses, strict=True))
    title = world.phrase("Deadlines of the office", "Dates of the branch", "Terms of the house")
    text = "\n".join(f"{name}: {words}." for name, (words, _) in named)
    put_page(world, title, text, -9)
    work = next(row for row in world.stored(CALENDARS) if row["is_default"])
    for name, (_, day) in named[:4]:
        world.put(EVENTS, event_row(draw, work, name, days(draw, day.isoformat())))
    deeds = []
    for name, (_, day) in named[4:]:
        on = {"first_day": day.isoformat()}
        cells = {"calendar_id": work["calendar_id"], "organizer_email": work["owner_email"], "status": "confirmed"}
        cells |= {"last_day": day.isoformat(), "time_zone": Anything(), "show_as": Anything(), **on}
        node = added(EVENTS, title=SameWords(name), **cells)
        deeds.append(Deed((node,), (call("create_calendar_event", title=name, **on),)))
    until = max(day for _, (_, day) in named)
    span: dict[str, Any] = {"since": f"{world.today}T00:00", "until": f"{world.today + 200 * ONE}T00:00", "limit": 50}
    return Job(
        f'The page "{title}" of my notes tells in words what is due when. Please put each into my calendar '
        "(the default one) as an event of one whole day, with its name on the page, and nobody invited. A few "
        f'are there already and right; do not double them. When our office works stands on the page "{PAGE}", and a '
        "mail changed that (office calendar). In the end tell me the date of the deadline that comes last.",
        (*READS, "list_calendar_agenda", "search_calendar_events", "create_calendar_event", "modify_calendar_event"),
        (page(PAGE), page(title), mails("subject:office"), look("list_calendar_agenda", **span)),
        deeds,
        f"All of them are in your calendar. The last deadline is {spoken(until)}.",
        [Date(until)],
        (*office.texts, text),
    ).task()
