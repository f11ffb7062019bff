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
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import Task, added, call
from tool_sandbox.scenarios.world import World

Day = datetime.date
ONE = datetime.timedelta(days=1)
PAGE = "Office calendar"
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
READS = (
    *("search_note_pages", "get_note_page", "search_mail", "get_mail", "get_mail_thread"),
    *NOW,
)
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
    *(
        "Audit of the pumps",
        "Talks with the union",
        "Trial of the scanner",
        "Sale of the old desks",
        "Move of the server",
    ),
    *(
        "Vote on the statutes",
        "Repair of the ramp",
        "Quote for the carpets",
        "Booking of the hall",
        "Talk at the school",
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
    """When the office is closed beside Saturdays and Sundays, and on which Saturdays it is open."""

    closed: frozenset[Day]
    opened: Day
    texts: tuple[str, str]

    def is_shut(self, day: Day) -> bool:
        """Whether nobody works on a day."""
        return day in self.closed or (day.weekday() > 4 and day != self.opened)

    def count(self, day: Day, number: int) -> Day:
        """The working day that is so many after a day, or before it where the number is below 0."""
        step = ONE if number > 0 else -ONE
        for _ in range(abs(number)):
            day += step
            while self.is_shut(day):
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
    saturday = next(day for n in range(9, 16) if (day := today + n * ONE).weekday() == 5)
    again = (
        f"Changes of the office calendar: we are open on {spoken(opened)} after all. Instead we are closed on "
        f"{' and '.join(spoken(day) for day in sorted(fresh))}. The company holidays are over a day earlier: "
        f"{spoken(holidays[-1])} is a working day like any other. And so is Saturday, {spoken(saturday)}."
    )
    put_page(world, PAGE, text)
    put_mail(world, world.boss.name, "Change of the office calendar", again, -3)
    closed = frozenset((*single, *holidays[:-1], *fresh)) - {opened}
    return Office(closed, saturday, (text, again))


def _nth(year: int, month: int, weekday: int, number: int) -> Day:
    first = Day(year, month, 1)
    return first + ((weekday - first.weekday()) % 7 + 7 * (number - 1)) * ONE


Rule = Callable[[Office, dict[str, Day]], Day]
"""How a date follows from the office and the dates of the deadlines before it."""


@attrs.frozen
class Clause:
    """A deadline in words, and the rule for its date."""

    title: str
    words: str
    date: Rule


def _from(day: Day, number: int) -> Rule:
    """So many working days after a day, or before it."""
    return lambda office, _: office.count(day, number)


def _near(day: Day, step: int) -> Rule:
    """A day, or the next working day in a direction where the office is closed then."""
    return lambda office, _: office.count(day - step * ONE, step) if office.is_shut(day) else day


def _from_other(title: str, number: int) -> Rule:
    """So many working days after another deadline, or before it."""
    return lambda office, dates: office.count(dates[title], number)


def _first_after(title: str, weekday: int) -> Rule:
    """The first such weekday after another deadline."""
    return lambda _, dates: dates[title] + ((weekday - dates[title].weekday() - 1) % 7 + 1) * ONE


def _one_of(titles: Sequence[str], pick: Callable[[list[Day]], Day]) -> Rule:
    """One of the dates of others."""
    return lambda _, dates: pick([dates[title] for title in titles])


def _dates(clauses: Sequence[Clause], office: Office) -> dict[str, Day]:
    """The dates of all, by title."""
    dates = dict[str, Day]()
    for clause in clauses:
        dates[clause.title] = clause.date(office, dates)
    return dates


def _clauses(world: World) -> list[Clause]:
    """Deadlines in words, two or three of each sort; nine of them rest on others."""
    draw, today, found = world.draw("mail"), world.today, list[Clause]()
    titles = iter(draw.sample(TITLES, len(TITLES)))

    def add(words: str, date: Rule) -> None:
        found.append(Clause(next(titles), words, date))

    for number in (10, 17, 25, -8, -15):
        base = today + (draw.integer(-6, 14) if number > 0 else draw.integer(42, 75)) * ONE
        side = "after" if number > 0 else "before"
        add(f"{abs(number)} working days {side} {spoken(base)}", _from(base, number))
    for months, number in ((1, 3), (2, 5)):
        ahead = today.replace(day=1) + relativedelta(months=months + 1)
        words = f"the {('third', 'fifth')[number // 5]}-last working day of {ahead - ONE:%B %Y}"
        add(words, _from(ahead, -number))
    for number, word in ((2, "second"), (3, "third")):
        month, weekday = today.replace(day=1) + relativedelta(months=number), draw.integer(1, 3)
        day = _nth(month.year, month.month, weekday, number)
        then = "or, if the office is closed then, the next working day"
        add(f"the {word} {day:%A} of {month:%B %Y}, {then}", _near(day, 1))
    for after, weekday in ((3, 0), (1, 4)):
        month = today.replace(day=1) + relativedelta(months=1 + after // 2)
        day = _nth(month.year, month.month, weekday, 2)
        day += ((after - weekday) % 7) * ONE
        words = f"the {WEEKDAYS[after]} after the second {WEEKDAYS[weekday]} of {month:%B %Y}, closed or not"
        add(words, lambda *_, d=day: d)
    for weeks in (5, 9):
        base = today - draw.integer(100, 240) * ONE
        day = base + ((today - base).days // (7 * weeks) + 1) * weeks * 7 * ONE
        add(f"every {weeks} weeks since {spoken(base)}, so the first time after {spoken(today)}", lambda *_, d=day: d)
    for months in (3, 1):
        base = today - draw.integer(5, 70) * ONE
        done = base + relativedelta(months=months)
        quarter = Day(done.year, (done.month - 1) // 3 * 3 + 1, 1) + relativedelta(months=3) - ONE
        word = {3: "three months", 1: "one month"}[months]
        words = f"the first end of a quarter that is at least {word} after {spoken(base)}, whatever weekday it is"
        add(words, lambda *_, d=quarter: d)
    for number in (30, 45):
        base = today + draw.integer(0, 9) * ONE
        then = "or, if the office is closed then, the last working day before"
        add(f"{number} days after {spoken(base)}, {then}", _near(base + number * ONE, -1))
    for city in draw.sample(sorted(CITIES), 2):
        day, hour = today + draw.integer(15, 70) * ONE, draw.choice((3, 9, 23))
        there = datetime.datetime(day.year, day.month, day.day, hour, 30, tzinfo=zoneinfo.ZoneInfo(CITIES[city]))
        here = there.astimezone(zoneinfo.ZoneInfo(world.zone)).date()
        words = f"closes at {hour:02d}:30 on {spoken(day)} in {city}, and the date that it is here then is what counts"
        add(words, lambda *_, d=here: d)
    for number in (4, 11, -3, -6, 7):
        one, side = draw.choice(found).title, "after" if number > 0 else "before"
        words = f'{abs(number)} working days {side} "{one}" is due'
        add(words, _from_other(one, number))
    for weekday in (1, 3):
        one = draw.choice(found).title
        words = f'the first {WEEKDAYS[weekday]} after "{one}" is due, closed or not'
        add(words, _first_after(one, weekday))
    picks: tuple[tuple[Callable[[list[Day]], Day], str], ...] = ((max, "later"), (min, "earlier"))
    for pick, word in picks:
        ones = [each.title for each in draw.sample(found, 2)]
        words = f'the {word} one of the dates of "{ones[0]}" and "{ones[1]}"'
        add(words, _one_of(ones, pick))
    return found


@attrs.frozen
class Listed:
    """A list of tasks with deadlines in words, their rows by title, and what a comment says about one of them."""

    tasks: Row
    rows: dict[str, Row]
    clauses: list[Clause]
    overruled: str
    remark: str

    @property
    def looks(self) -> tuple[Look, ...]:
        """Office calendar and all tasks with their details."""
        listed = look("search_tasks", "get_task", key="task_id", list_id=self.tasks["list_id"], limit=50)
        return (page(PAGE), mails("subject:office"), look("search_task_lists", words=self.tasks["name"]), listed)

    def texts(self, office: Office) -> tuple[str, ...]:
        """What has to be read."""
        return (*office.texts, self.remark, *(row["details"] for row in self.rows.values()))


def _put_tasks(world: World, office: Office) -> Listed:
    """A list whose tasks have their deadlines in the details, but no dates; a comment overrules one of the first."""
    draw, clauses = world.draw("tasks"), _clauses(world)
    name = world.phrase("Deadlines of the office", "Dates of the branch", "Terms of the house")
    tasks, rows = world.put(LISTS, list_row(draw, name, draw.moment(-50, 9))), dict[str, Row]()
    for clause in draw.sample(clauses, len(clauses)):
        cells = {"details": f"Due: {clause.words}.", "assignee": "me"}
        rows[clause.title] = world.put(
            TASKS, task_row(draw, tasks["list_id"], clause.title, draw.moment(-20, 9), **cells)
        )
    number, base = draw.integer(0, 8), world.today - draw.integer(1, 6) * ONE
    remark = f"Forget what stands above. The letter came on {spoken(base)}, and we have 12 working days from then."
    clauses[number] = attrs.evolve(clauses[number], date=_from(base, 12))
    row = rows[clauses[number].title]
    world.put(COMMENTS, comment_row(draw, row, world.boss.name, remark, draw.moment(-1, 9)))
    return Listed(tasks, rows, clauses, clauses[number].title, remark)


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
    "Comments on a task count as well. Where a deadline rests on that of another task, the right date of that one "
    "counts, done or not."
)


def _put_dated(world: World) -> tuple[Listed, Office, dict[str, Day], list[str]]:
    """Tasks of which three are dated and two done; the others have to get their dates."""
    office, draw = _put_office(world), world.draw("tasks")
    listed = _put_tasks(world, office)
    dates, others = _dates(listed.clauses, office), draw.sample(sorted(listed.rows.keys() - {listed.overruled}), 5)
    for name in others[:3]:
        listed.rows[name]["due_on"] = dates[name].isoformat()
    for name in others[3:5]:
        listed.rows[name] |= {"state": "done", "done_at": draw.moment(-2, 9)}
    return listed, office, dates, others[3:5]


def _date(listed: Listed, dates: dict[str, Day], name: str) -> Deed:
    return change_task(listed.rows[name], due_on=dates[name].isoformat())


# A model miscounts working days over the holidays that became a day shorter in the mail, or takes the date of Auckland
# for ours; nine dates rest on others, so that one slip makes several.
@scenario(apps=("tasks", "notes", "mail"))
def date_tasks_told_in_words(world: World) -> Task:
    """Give every open task of a list the date that its details tell in words."""
    listed, office, dates, done = _put_dated(world)
    last = max(day for name, day in dates.items() if name not in done)
    return Job(
        f'On my task list "{listed.tasks["name"]}" most tasks say only in words when they are due. Give every task '
        f"that is not done its date. {WHERE} Leave dates that are right, and tasks that are done. In the end tell me "
        "the last deadline of those that are not done, that date only.",
        TOOLS,
        listed.looks,
        [_date(listed, dates, name) for name in dates if name not in done and not listed.rows[name]["due_on"]],
        f"All open tasks have their dates. The last deadline is {spoken(last)}.",
        [Date(last)],
        listed.texts(office),
    ).task()


# Three more closed days move some dates, and some that rest on those, and leave others that look as if they moved.
@scenario(apps=("tasks", "notes", "mail"))
def date_tasks_then_office_closes(world: World) -> Task:
    """Date the tasks of a list, and move what moves when the office closes on further days."""
    listed, office, dates, done = _put_dated(world)
    free = [day for n in range(3, 40) if not office.is_shut(day := world.today + n * ONE)]
    for _ in range(50):
        shut = sorted(world.draw("tasks").sample(free, 3))
        then = _dates(listed.clauses, attrs.evolve(office, closed=office.closed | set(shut)))
        moved = [name for name in dates if dates[name] != then[name] and name not in done]
        if 7 <= len(moved) <= 14:
            break
    last = max(day for name, day in dates.items() if name not in done)
    first = []
    for name in dates:
        if name not in done and not listed.rows[name]["due_on"]:
            deed = _date(listed, dates, name)
            first.append(deed.for_now() if name in moved else deed)
    days = ", ".join(map(spoken, shut[:2])) + f" and {spoken(shut[2])}"
    return Job(
        [
            f'On my task list "{listed.tasks["name"]}" most tasks say only in words when they are due. Give every task '
            f"that is not done its date. {WHERE} Leave dates that are right, and tasks that are done. Then tell me "
            "the last deadline of those that are not done, that date only.",
            f"I just hear that the office is closed on {days} as well. Please move the dates of the tasks that are "
            "not done in line with that, the ones that were there before too, and tell me how many you moved.",
        ],
        TOOLS,
        listed.looks,
        first,
        f"All open tasks have their dates. The last deadline is {spoken(last)}.",
        [Number(len(moved), "date")],
        listed.texts(office),
        [([_date(listed, then, name) for name in moved], f"I moved {len(moved)} dates.")],
        [Date(last)],
    ).task()


# Half of the dates are right although they look odd, and those that only count weekdays do not move with the closures:
# a model shifts what need not be shifted, or trusts a date on which another rests.
@scenario(apps=("tasks", "notes", "mail"))
def move_dates_after_closures_change(world: World) -> Task:
    """Put those dates right that a change of the office calendar, or a slip, made wrong; leave the others."""
    office, draw = _put_office(world), world.draw("tasks")
    listed = _put_tasks(world, office)
    dates = _dates(listed.clauses, office)
    wrong = draw.sample(sorted(dates), 12)
    for name, day in dates.items():
        off = draw.choice((-7, -1, 1, 2, 7)) if name in wrong else 0
        listed.rows[name]["due_on"] = (day + off * ONE).isoformat()
    return Job(
        f'The tasks on my list "{listed.tasks["name"]}" have dates, but the office calendar has changed since, and '
        f"some were miscounted. Please check each date against the words in the details, and put right the wrong ones. "
        f"{WHERE} Touch no date that is right. In the end tell me how many you had to change.",
        TOOLS,
        listed.looks,
        [_date(listed, dates, name) for name in wrong],
        f"I had to change {len(wrong)} dates.",
        [Number(len(wrong), "date")],
        listed.texts(office),
    ).task()


# The same judgements, but from one page into the calendar, where a model doubles what is there already.
@scenario(apps=("calendar", "notes", "mail"))
def enter_deadlines_into_calendar(world: World) -> Task:
    """Put deadlines of a page into the calendar as whole days, without doubling what is there."""
    office, draw, clauses = _put_office(world), world.draw("calendar"), _clauses(world)
    dates = _dates(clauses, office)
    clauses = draw.sample(clauses, len(clauses))
    title = world.phrase("Deadlines of the office", "Dates of the branch", "Terms of the house")
    text = "\n".join(f"- {clause.title}: {clause.words}." for clause in clauses)
    put_page(world, title, text, -9)
    work = next(row for row in world.stored(CALENDARS) if row["is_default"])
    for clause in clauses[:4]:
        world.put(EVENTS, event_row(draw, work, clause.title, days(draw, dates[clause.title].isoformat())))
    deeds = []
    for name, day in ((clause.title, dates[clause.title]) for clause in clauses[4:]):
        on = {"first_day": day.isoformat()}
        cells = {"calendar_id": work["calendar_id"], "organizer_email": work["owner_email"], "status": "confirmed"}
        cells |= {"last_day": day.isoformat(), "time_zone": Anything(), "show_as": Anything(), **on}
        node = added(EVENTS, title=SameWords(name), **cells)
        deeds.append(Deed((node,), (call("create_calendar_event", title=name, **on),)))
    until, busy = max(dates.values()), [day for day in dates.values() if office.is_shut(day)]
    span: dict[str, Any] = {"since": f"{world.today}T00:00", "until": f"{world.today + 200 * ONE}T00:00", "limit": 50}
    return Job(
        f'The page "{title}" of my notes tells in words what is due when. Please put each into my calendar '
        "(the default one) as an event of one whole day, with its name on the page, and nobody invited. A few "
        f'are there already and right; do not double them. When our office works stands on the page "{PAGE}", and a '
        "mail changed that (office calendar). In the end tell me the date of the deadline that comes last, and how "
        "many of all the deadlines fall on a day on which the office is closed.",
        (*READS, "list_calendar_agenda", "search_calendar_events", "create_calendar_event", "modify_calendar_event"),
        (page(PAGE), page(title), mails("subject:office"), look("list_calendar_agenda", **span)),
        deeds,
        f"All of them are in your calendar. The last deadline is {spoken(until)}. There are {len(busy)} deadlines that "
        "fall on a closed day.",
        [Date(until), Number(len(busy), "deadline")],
        (*office.texts, text),
    ).task()
