"""Series of a calendar over a term: which dates fall out, move or come back, by rules on holidays and kinds."""

import datetime
import zoneinfo
from typing import Any

import attrs
from dateutil import rrule

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.calendar.content import event_row, exception_row, times
from tool_sandbox.apps.calendar.tables import CALENDARS, EVENTS, EXCEPTIONS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import Deed, Job, Look, look, mails, page
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, put_mail, put_page
from tool_sandbox.scenarios.hard.common import in_the_end
from tool_sandbox.scenarios.hard.recurrence.deadlines import ONE, READS, Day, spoken
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import Task, added, call, removed
from tool_sandbox.scenarios.world import World, weekday_in

SUBJECTS = (
    ("Piano", "Choir", "Fencing", "Spanish", "Theatre", "Judo"), ("Cello", "Band", "Rowing", "Welsh", "Opera", "Polo"),
    ("Harp", "Chorale", "Diving", "Arabic", "Circus", "Karate"),
)  # fmt: skip
KINDS = ("lesson", "rehearsal", "training", "lesson", "rehearsal", "training")
RULES = ("FREQ=WEEKLY", "FREQ=WEEKLY", "FREQ=WEEKLY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;BYDAY={}", "FREQ=WEEKLY")
HOURS = (16, 19, 18, 17, 20, 15)
TOOLS = (
    *(*READS, "list_calendar_agenda", "search_calendar_events", "get_calendar_event", "modify_calendar_event"),
    *("cancel_calendar_event", "restore_calendar_event"),
)


@attrs.frozen
class Meeting:
    """One date of a series."""

    series: Row
    kind: str
    day: Day
    hour: int
    fortnightly: bool


@attrs.frozen
class Term:
    """A term with its series, and the days that are special in it; `texts` are the plan and its correction."""

    title: str
    meetings: list[Meeting]
    break_: frozenset[Day]
    holidays: tuple[Day, ...]
    shut: Day
    texts: tuple[str, str]
    last: Day

    @property
    def looks(self) -> tuple[Look, ...]:
        """Plan, correction, and the agenda of the term."""
        span: dict[str, Any] = {"since": f"{self.meetings[0].day - 9 * ONE}T00:00", "until": f"{self.last + ONE}T00:00"}
        return page(self.title), mails("subject:term"), look("list_calendar_agenda", **span, limit=50)

    def falls_out(self, meeting: Meeting) -> bool:
        """Whether a meeting does not take place by the plan and its correction."""
        if meeting.day in self.holidays:
            return meeting.kind != "training" or meeting.hour < 18 or meeting.day == self.shut
        return meeting.day in self.break_ and meeting.kind != "rehearsal"


def _put_term(world: World, extra: str = "") -> Term:
    """Six series of ten weeks, of three kinds, with a break and four holidays on which some of them fall."""
    draw, title = (
        world.draw("calendar"),
        world.phrase("Plan of the spring term", "Plan of the term", "Plan of this term"),
    )
    private = next(row for row in world.stored(CALENDARS) if row["name"] == "Private" and row["access"] == "owner")
    monday = world.today + (8 - world.today.isoweekday()) * ONE
    weekdays, meetings, last = draw.sample(range(5), 5), list[Meeting](), monday + 69 * ONE
    weekdays.append(weekdays[2])
    for subject, kind, rule, hour, weekday in zip(world.choice(*SUBJECTS), KINDS, RULES, HOURS, weekdays, strict=True):
        first = monday + weekday * ONE
        code = f"{(first.day - 1) // 7 + 1}{('MO', 'TU', 'WE', 'TH', 'FR')[weekday]}"
        when = times(draw, (first - world.today).days, hour, 60)
        series = event_row(draw, private, f"{subject} {kind}", when, recurrence=rule.format(code))
        world.put(EVENTS, series)
        begins, ends = (datetime.datetime.combine(each, datetime.time()) for each in (first, last))
        for each in rrule.rrulestr(rule.format(code), dtstart=begins).between(begins, ends, inc=True):
            meetings.append(Meeting(series, kind, each.date(), hour, "INTERVAL" in rule))
    # Holidays on days of every sort: two in the break or at its edge, one on the day of the trainings.
    start = monday + 7 * draw.integer(3, 4) * ONE
    told = frozenset(start + n * ONE for n in range(14))
    week = [monday + (7 * n + weekdays[place]) * ONE for n, place in ((1, 2), (7, 2), (8, 3), (2, 0))]
    holidays = (*week, start + weekdays[1] * ONE)
    names = ", ".join(spoken(day) for day in sorted(holidays))
    text = (
        f"Term from {spoken(monday)} to {spoken(last)}. In the break, {spoken(min(told))} to {spoken(max(told))} "
        "(both included), there are no lessons and no trainings; rehearsals go on. On public holidays nothing is held, "
        "in the break or not, but trainings that begin at 18:00 or later are, as the hall is open then. Public "
        f"holidays: {names}.{extra}"
    )
    cut = min(told) + 2 * ONE
    mail = f"Corrections to the plan of the term: the break begins only on {spoken(cut)}. It ends as planned. And on "
    mail += f"{spoken(week[1])} the hall stays shut the whole day, so on that holiday there are no trainings at all."
    put_page(world, title, text)
    put_mail(world, world.boss.name, "The term: corrections", mail, -2)
    days = frozenset(day for day in told if day >= cut)
    meetings.sort(key=lambda each: (each.day, each.hour))
    return Term(title, meetings, days, holidays, week[1], (text, mail), last)


def _cancel(meeting: Meeting) -> Deed:
    where = {"event_id": meeting.series["event_id"], "occurrence_date": meeting.day.isoformat()}
    steps = (call("cancel_calendar_event", scope="this", **where),)
    return Deed((added(EXCEPTIONS, kind="cancelled", **where),), steps)


def _move(world: World, meeting: Meeting, day: Day, hour: int) -> Deed:
    """Moves one date of a series to another day and hour, for as long as before."""
    where = {"event_id": meeting.series["event_id"], "occurrence_date": meeting.day.isoformat()}
    when = times(world.draw("calendar"), (day - world.today).days, hour, 60)
    cells = {"kind": "changed", "starts_at": when["starts_at"], "ends_at": when["ends_at"]}
    start = {"starts_at": f"{day}T{hour:02d}:00", "allow_conflict": True}
    steps = (call("modify_calendar_event", scope="this", **where, **start),)
    return Deed((added(EXCEPTIONS, **where, **cells),), steps)


def _ask(term: Term, then: str) -> str:
    return (
        f'Please bring my series of this term (each called by its subject and "lesson", "rehearsal" or "training", '
        f'such as "Chess lesson") in line with the page "{term.title}" of my notes, as corrected in a mail (term). '
        "Change single dates only, never a whole series, and touch nothing else, dates after the term neither; "
        f"overlaps do not matter. {then}"
    )


# The holiday within the break, the training before 18:00, the break that begins later and the day on which the hall is
# shut after all: a model takes one rule for the other on one of seventy dates.
@scenario(apps=("calendar", "notes", "mail"))
def cancel_dates_of_term(world: World) -> Task:
    """Cancel every date of six series that falls out, by rules on a break, holidays and kinds."""
    term = _put_term(world)
    out = [meeting for meeting in term.meetings if term.falls_out(meeting)]
    return Job(
        _ask(
            term,
            "Cancel what does not take place. In the end tell me how many dates you cancelled. "
            "Only the figure, please.",
        ),
        TOOLS,
        term.looks,
        [_cancel(meeting) for meeting in out],
        f"I cancelled {len(out)} dates of this term.",
        [Number(len(out), "date")],
        term.texts,
    ).task()


# The break gets shorter and another day is shut: some dates come back, others go, and most of what looks alike stays.
@scenario(apps=("calendar", "notes", "mail"))
def cancel_dates_then_break_ends_earlier(world: World) -> Task:
    """Cancel what falls out of six series, and put that right when the plan changes again."""
    term = _put_term(world)
    end = max(term.break_) - 5 * ONE
    days = frozenset(day for day in term.break_ if day <= end)
    new = attrs.evolve(term, break_=days, shut=term.holidays[0])
    out, then = ([meeting for meeting in term.meetings if each.falls_out(meeting)] for each in (term, new))
    first = [_cancel(meeting) if meeting in then else _cancel(meeting).for_now() for meeting in out]
    second = [_cancel(meeting) for meeting in then if meeting not in out]
    for meeting in (meeting for meeting in out if meeting not in then):
        where = {"event_id": meeting.series["event_id"], "occurrence_date": meeting.day.isoformat()}
        second.append(Deed((in_the_end(EXCEPTIONS, [where], there=False),), (call("restore_calendar_event", **where),)))
    return Job(
        [
            _ask(
                term,
                "Cancel what does not take place. Then tell me how many dates you cancelled. Only the figure, please.",
            ),
            f"The plan has changed once more: the break ends already on {spoken(end)}, that day included, and the hall "
            f"is shut the whole day on {spoken(term.holidays[0])} instead of {spoken(term.shut)}; on the latter it is "
            "as on other public holidays. Please restore what takes place now, and cancel what does not. How many "
            "dates are cancelled then in all? Only the figure, please.",
        ],
        TOOLS,
        term.looks,
        first,
        f"I cancelled {len(out)} dates of this term.",
        [Number(len(then), "date")],
        term.texts,
        [(second, f"That is changed. The term has {len(then)} dates now that are cancelled.")],
        [Number(len(out), "date")],
    ).task()


# What somebody cancelled by the plan as it was comes back, so that a model has to tell right from wrong in exceptions
# that the agenda does not list.
@scenario(apps=("calendar", "notes", "mail"))
def correct_cancelled_dates_of_term(world: World) -> Task:
    """Cancel what is missing, and restore what was cancelled before the plan was corrected, or by mistake."""
    term, draw = _put_term(world), world.draw("calendar")
    out = [meeting for meeting in term.meetings if term.falls_out(meeting)]
    stays = [meeting for meeting in term.meetings if not term.falls_out(meeting)]
    done, wrong = draw.sample(out, len(out) // 2), draw.sample(stays, 6)
    for meeting in (*done, *wrong):
        row = world.put(EXCEPTIONS, exception_row(draw, meeting.series, meeting.day.isoformat()))
        row |= {"title": None, "location": None}
    deeds = [_cancel(meeting) for meeting in out if meeting not in done]
    for meeting in wrong:
        where = {"event_id": meeting.series["event_id"], "occurrence_date": meeting.day.isoformat()}
        deeds.append(Deed((removed(EXCEPTIONS, **where),), (call("restore_calendar_event", **where),)))
    found = look("search_calendar_events", "get_calendar_event", key="event_id", is_series=True, limit=50)
    return Job(
        _ask(term, "Some dates are cancelled already, part of them wrongly: cancel what is missing, restore what does "
             "take place. In the end tell me how many you restored. Only the figure, please."),
        TOOLS,
        (*term.looks, found),
        deeds,
        f"The series fit the plan now. I restored {len(wrong)} dates.",
        [Number(len(wrong), "date")],
        term.texts,
    ).task()  # fmt: skip


# A lesson that falls out is made up for on the next day, unless that is a holiday or in the break, too: a model cancels
# where it should move, or moves what the break takes away.
@scenario(apps=("calendar", "notes", "mail"))
def make_up_for_dates_of_term(world: World) -> Task:
    """Move what falls on holidays by further rules, and cancel the rest."""
    extra = (
        " A lesson that a public holiday outside the break takes away is made up for on the next day at that hour; "
        "if that day is on a weekend, a public holiday or in the break, it falls out. A rehearsal that a public "
        "holiday takes away is held on the Saturday after it at 11:00, in the break as well."
    )
    term, deeds, moved = _put_term(world, extra), list[Deed](), 0
    for meeting in filter(term.falls_out, term.meetings):
        on, after = meeting.day in term.holidays, meeting.day + ONE
        taken = after.weekday() > 4 or after in term.holidays or after in term.break_
        if on and meeting.kind == "rehearsal":
            deeds.append(_move(world, meeting, meeting.day + (5 - meeting.day.weekday()) * ONE, 11))
        elif on and meeting.kind == "lesson" and meeting.day not in term.break_ and not taken:
            deeds.append(_move(world, meeting, after, meeting.hour))
        else:
            deeds.append(_cancel(meeting))
            moved -= 1
        moved += 1
    return Job(
        _ask(
            term,
            "Cancel what falls out, and move what is held at another time. Then tell me how many dates moved. "
            "Only the figure, please.",
        ),
        TOOLS,
        term.looks,
        deeds,
        f"{moved} dates moved; the others that could not stay are cancelled.",
        [Number(moved, "date")],
        term.texts,
    ).task()


CITIES = {"Berlin": "Europe/Berlin", "London": "Europe/London", "Sydney": "Australia/Sydney", "Tokyo": "Asia/Tokyo"}
CALLS = ("Budget", "Design", "Sales", "Supply", "Press", "Audit", "Hiring", "Legal", "Outlook", "Pricing", "Quality")
HOURS_OF_CALLS = {"Berlin": (9, 19), "London": (8, 19), "Sydney": (6, 20), "Tokyo": (6, 21)}


# Clocks change here, in Europe and in Australia on three days, and in Japan never: a model uses the difference of today
# for all dates, or takes the day there for the day here.
@scenario(today=weekday_in(1, month=2), apps=("calendar", "notes", "mail"))
def enter_calls_with_other_countries(world: World) -> Task:
    """Put calls that a page gives by the clocks of four cities into the calendar, at the first time that fits."""
    draw, here, title = (
        world.draw("calendar"),
        zoneinfo.ZoneInfo(world.zone),
        world.phrase("Calls abroad", "Calls to book"),
    )
    work = next(row for row in world.stored(CALENDARS) if row["is_default"])
    lines, deeds, spent, later = list[str](), list[Deed](), 0, world.choice("Tokyo", "Sydney", "Berlin")
    for number in range(18):
        city, minutes = sorted(CITIES)[number % 4], draw.choice((30, 45, 60))
        day = world.today + draw.integer(10, 75) * ONE
        name = f"{CALLS[number % 11]} {city}"
        low, high = HOURS_OF_CALLS[city]
        first, second = (datetime.time(draw.integer(low, high), draw.choice((0, 15, 30))) for _ in range(2))
        lines.append(f"{name}: {spoken(day)}, {first:%H:%M}, {minutes} minutes, else {second:%H:%M}")
        for time in (first, second):
            there = datetime.datetime.combine(day, time, zoneinfo.ZoneInfo(CITIES[city]))
            start = (there + datetime.timedelta(hours=city == later)).astimezone(here)
            end = start + datetime.timedelta(minutes=minutes)
            if start.hour >= 7 and end.date() == start.date() and (end.hour, end.minute) <= (21, 30):
                when = times(draw, (start.date() - world.today).days, start.hour, minutes, minute=start.minute)
                cells = {name: when[name] for name in ("starts_at", "ends_at")}
                made = {"calendar_id": work["calendar_id"], "organizer_email": work["owner_email"], "show_as": "busy"}
                made |= {"status": "confirmed", "time_zone": Anything()}
                given = {"starts_at": f"{start:%Y-%m-%dT%H:%M}", "ends_at": f"{end:%Y-%m-%dT%H:%M}"}
                step = call("create_calendar_event", title=name, allow_conflict=True, **given)
                deeds.append(Deed((added(EVENTS, title=SameWords(name), **cells, **made),), (step,)))
                spent += minutes
                break
    text = (
        "All dates and times are those of the city in the name. A call has to begin at 7:00 or later and to end by "
        '21:30, on the same day, by our clocks here. If it does not with its first time, take the one after "else", on '
        "the same date there; if that does not fit either, there is no call.\n" + "\n".join(lines)
    )
    late = f"About the calls: {later} asks for all of theirs an hour later than on your page, both times alike."
    put_mail(world, world.boss.name, "Calls abroad", late, -2)
    put_page(world, title, text, -4)
    return Job(
        f'The page "{title}" of my notes lists calls with other cities; a mail changed some (calls). Put each of '
        "them into my calendar (the default one), with the name of the call as its title, at the right time here and "
        "nobody invited. Overlaps do not matter. In the end tell me how many minutes the calls take together. "
        "Only the figure, please.",
        (*READS, "create_calendar_event", "list_calendar_agenda", "search_calendar_people", "modify_calendar_event"),
        (page(title), mails("subject:calls")),
        deeds,
        f"The calls are in your calendar. They take {spent} minutes in sum.",
        [Number(spent, "minute")],
        (text, late),
    ).task()
