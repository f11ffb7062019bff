"""Calendar: appointments and series, and meetings about which somebody else decides."""

import datetime
from typing import Any

from tool_sandbox.answers.facts import DateTime, Entity
from tool_sandbox.apps.calendar.content import attendee_row, event_row, times
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, EXCEPTIONS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.matchers import SameWords
from tool_sandbox.scenarios.vocabulary import TOOL_MISSING, Task, added, answer, call, cannot, changed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, ToolCallFailed

CALENDAR = ("calendar",)
MINUTES = 40
"""How long all events here take: at 18:00 nothing else is in the calendar for that long."""


def _calendar(world: World, name: str) -> dict[str, Any]:
    """One of the user's own calendars."""
    return next(row for row in world.stored(CALENDARS) if row["name"] == name and row["access"] == "owner")


def _put_event(world: World, title: str, days: int, hour: int = 18, **more: Any) -> dict[str, Any]:
    """An event of the private calendar so many days from today."""
    draw, calendar = world.draw("calendar"), _calendar(world, "Private")
    return world.put(EVENTS, event_row(draw, calendar, title, times(draw, days, hour, MINUTES), **more))


def _spoken(day: datetime.date) -> str:
    return f"{day:%A}, {day.day} {day:%B %Y}"


@scenario(apps=CALENDAR)
def schedule_calendar_event(world: World) -> Task:
    """Put an appointment with a title, a place and times into the calendar."""
    draw, days = world.draw("calendar"), world.integer(9, 3, 25)
    title, place = world.choice(
        ("Fitting of the suit", "Tailor on Quay Street"),
        ("Piano tuner", "Music school"),
        ("Passport photos", "Photo shop in the arcade"),
    )
    day, start, end = world.in_days(days), draw.moment(days, 18), draw.moment(days, 18, MINUTES)

    def solution() -> Solution:
        [person] = (yield call("search_calendar_people", is_me=True))["results"]
        calendar_id = next(row["calendar_id"] for row in person["calendars"] if row["name"] == "Private")
        when = {"starts_at": f"{day}T18:00", "ends_at": f"{day}T18:{MINUTES}"}
        yield call("create_calendar_event", title=title, location=place, calendar_id=calendar_id, **when)
        yield say(f'"{title}" is in your private calendar.')

    return Task(
        user=world.phrase(
            f'Put "{title}" into my private calendar: {_spoken(day)}, from 18:00 to 18:{MINUTES}, place: {place}. '
            "Invite nobody.",
            f'I need an entry "{title}" in my private calendar on {_spoken(day)}, 6 PM to 6:{MINUTES} PM. The place is '
            f"{place}. It is for me alone.",
        ),
        tools=["search_calendar_people", "create_calendar_event"],
        milestones=[
            added(
                EVENTS,
                calendar_id=_calendar(world, "Private")["calendar_id"],
                title=SameWords(title),
                location=SameWords(place),
                starts_at=start,
                ends_at=end,
                show_as="busy",
                status="confirmed",
                organizer_email=draw.owner.email,
            )
        ],
        solution=solution,
    )


@scenario(apps=CALENDAR)
def move_calendar_event(world: World) -> Task:
    """Move an appointment to another time of its day, where another one has nearly the same title."""
    days = world.integer(6, 3, 20)
    title, other = world.choice(
        ("Vet with the parrot", "Vet with the rabbit"),
        ("Driving lesson, motorway", "Driving lesson, night"),
        ("Viewing of the attic flat", "Viewing of the ground floor flat"),
    )
    _put_event(world, other, days + 2, 21)
    event = _put_event(world, title, days, 21)
    draw = world.draw("calendar")

    def solution() -> Solution:
        [row] = (yield call("search_calendar_events", words=title))["results"]
        start = f"{row['starts_at'][:10]}T18:00"
        yield call("modify_calendar_event", event_id=row["event_id"], starts_at=start)
        yield say(f'I\'ve moved "{title}" to 18:00.')

    return Task(
        user=world.phrase(
            f'Move "{title}" in my calendar to 18:00 of the same day. It takes as long as before.',
            f'"{title}" in my calendar begins at 6 PM now, on the same day and for the same length. Please move it.',
        ),
        tools=["search_calendar_events", "get_calendar_event", "modify_calendar_event"],
        milestones=[
            changed(
                EVENTS,
                {"event_id": event["event_id"]},
                starts_at=draw.moment(days, 18),
                ends_at=draw.moment(days, 18, MINUTES),
            )
        ],
        secrets=(event["event_id"],),
        solution=solution,
    )


@scenario(apps=CALENDAR)
def cancel_date_of_calendar_series(world: World) -> Task:
    """Cancel one date of a series, and no other."""
    title = world.phrase("Pottery class", "Chess club", "Greek lesson")
    ahead = world.integer(10, 3, 30)
    series = _put_event(world, title, ahead - 35, recurrence="FREQ=WEEKLY")
    day = world.in_days(ahead)

    def solution() -> Solution:
        agenda = yield call("list_calendar_agenda", since=f"{day}T00:00", until=f"{day}T23:59", words=title)
        [row] = agenda["results"]
        yield call(
            "cancel_calendar_event", event_id=row["event_id"], scope="this", occurrence_date=row["occurrence_date"]
        )
        yield say(f"{title} on {_spoken(day)} is cancelled, all other dates stay.")

    return Task(
        user=world.phrase(
            f"There is no {title} on {_spoken(day)}. Cancel this one date in my calendar, the series goes on.",
            f"Please cancel {title} in my calendar on {_spoken(day)}, only that day. All other weeks stay.",
        ),
        tools=["list_calendar_agenda", "search_calendar_events", "get_calendar_event", "cancel_calendar_event"],
        milestones=[added(EXCEPTIONS, event_id=series["event_id"], occurrence_date=f"{day}", kind="cancelled")],
        solution=solution,
    )


@scenario(apps=CALENDAR)
def tell_calendar_event_time_and_place(world: World) -> Task:
    """Say when and where an appointment is, beside one of the past with nearly the same title."""
    days, hour = world.integer(12, 3, 40), world.integer(21, 20, 22)
    what, place, before = world.choice(
        ("hearing test", "Lighthouse Centre", "Canal House"),
        ("knee scan", "Saint Agnes Hospital", "Riverside Practice"),
        ("allergy test", "Beacon Tower", "Old Brewery"),
    )
    _put_event(world, f"First {what}", -world.integer(30, 20, 60), 19, location=before)
    event = _put_event(world, f"Second {what}", days, hour, location=place)

    def solution() -> Solution:
        [row] = (yield call("search_calendar_events", words=f"second {what}"))["results"]
        full = yield call("get_calendar_event", event_id=row["event_id"])
        start = datetime.datetime.fromisoformat(full["starts_at"])
        yield say(f"It is on {_spoken(start.date())} at {start:%H:%M}, and the place is {full['location']}.")

    return Task(
        user=world.phrase(
            f"On which date and at what time is my second {what}, and where? It is in my calendar.",
            f"Look into my calendar: when does my second {what} begin (date and time), and where is it?",
        ),
        tools=["search_calendar_events", "get_calendar_event", "list_calendar_agenda"],
        milestones=[
            found("search_calendar_events", event_id=event["event_id"]),
            answer(
                DateTime(datetime.datetime.fromisoformat(event["starts_at"]).replace(tzinfo=None)),
                Entity(place),
            ),
        ],
        secrets=(place,),
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, ScenarioCategories.NEGATIVE_CONSTRAINT, apps=CALENDAR)
def cancel_calendar_events_but_one(world: World) -> Task:
    """Cancel all events of a kind but one, however many there are."""
    kind = world.phrase("Rehearsal", "Sailing lesson", "Photo walk")
    places = ("Barn", "Old mill", "Gym hall", "Boat house", "Chapel")
    count = world.integer(4, 3, 5)
    kept = world.integer(2, 0, count - 1)
    events = [
        _put_event(world, f"{kind} number {number}", 4 + 3 * number, location=place)
        for number, place in enumerate(places[:count], start=1)
    ]
    gone = [event for number, event in enumerate(events) if number != kept]

    def solution() -> Solution:
        rows = (yield call("search_calendar_events", words=kind))["results"]
        wanted = [row for row in rows if row["title"] != f"{kind} number {kept + 1}"]
        yield [call("cancel_calendar_event", event_id=row["event_id"]) for row in wanted]
        yield say(f"I've cancelled {len(wanted)} events; {kind} number {kept + 1} still stands.")

    return Task(
        user=world.phrase(
            f'Cancel every event with "{kind}" in its title in my calendar, except "{kind} number {kept + 1}".',
            f'In my calendar, only "{kind} number {kept + 1}" takes place. Cancel all other events called {kind}.',
        ),
        tools=["search_calendar_events", "get_calendar_event", "cancel_calendar_event"],
        milestones=[changed(EVENTS, {"event_id": event["event_id"]}, status="cancelled").after() for event in gone],
        solution=solution,
    )


@scenario(apps=CALENDAR)
def move_meeting_of_somebody_else(world: World) -> Task:
    """Say that a meeting cannot be moved, because somebody else organizes it."""
    draw, days = world.draw("calendar"), world.integer(7, 3, 20)
    host = draw.people[world.integer(0, 0, 3)]
    title = world.phrase("Tour of the archive", "Tasting of the canteen menu", "Drill with the fire brigade")
    when = times(draw, days, 18, MINUTES)
    event = world.put(EVENTS, event_row(draw, _calendar(world, "Work"), title, when, organizer_email=host.email))
    world.put(ATTENDEES, attendee_row(draw, event, draw.owner.email, "accepted", draw.moment(-2, 9)))

    def solution() -> Solution:
        [row] = (yield call("search_calendar_events", words=title))["results"]
        start = f"{row['starts_at'][:10]}T21:00"
        try:
            yield call("modify_calendar_event", event_id=row["event_id"], starts_at=start)
            yield say(f'I\'ve moved "{title}" to 21:00.')
        except ToolCallFailed:
            organizer = row["organizer_email"]
            yield say(f'I can\'t move "{title}": {organizer} organizes it, so you have no permission to change it.')

    return Task(
        user=world.phrase(
            f'Move the event "{title}" in my calendar to 21:00 of the same day.',
            f'"{title}" in my calendar suits me better at 9 PM on the same day. Please move it there.',
        ),
        tools=["search_calendar_events", "get_calendar_event", "modify_calendar_event"],
        milestones=[
            found("search_calendar_events", event_id=event["event_id"]),
            answer(
                cannot(
                    TOOL_MISSING,
                    about=(title, host.email, host.name, host.first_name, "event", "meeting", "organizer", "organizes"),
                    task="moved",
                )
            ),
        ],
        solution=solution,
    )
