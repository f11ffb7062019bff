"""What is in the calendar when a world begins: the working and the private time of somebody, and that of colleagues."""

import datetime
import zoneinfo
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, as_moment
from tool_sandbox.apps.calendar.phrases import (
    CLASHES,
    CODED,
    COMMENTS,
    MEETINGS,
    NOTES,
    OWN_TIME,
    ROOM_LIST,
    SERIES,
    TAKEN,
    TOPICS,
)
from tool_sandbox.apps.calendar.tables import (
    ATTENDEES,
    CALENDARS,
    EVENTS,
    EXCEPTIONS,
    NOTICES,
    PEOPLE,
    ROOMS,
    WEEKDAYS,
)

Row = dict[str, Any]

COUNTS: dict[Size, tuple[int, int, int]] = {"small": (3, 4, 2), "medium": (30, 30, 12), "large": (420, 420, 60)}
"""Weeks of history in single events, taken times of colleagues, and invitations, of each size."""

ZONES = ("", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "")


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    made = _Calendar(draw)
    own, taken, invitations = COUNTS[size]
    made.people_and_rooms(len(ROOM_LIST) if size != "small" else 4)
    made.series(small=size == "small")
    made.own_time(own)
    made.meetings(own)
    made.taken(taken)
    made.invitations(invitations)
    return {schema.name: rows for schema, rows in made.rows.items()}


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def new_row(draw: Draw, schema: Any, **cells: Any) -> Row:
    """A row of any table here with a fresh key, for the content and for scenarios; cells left out are empty."""
    return {schema.key: draw.key(schema.key.removesuffix("_id"))} | cells


def times(draw: Draw, days: int, hour: int, minutes: int, zone: str = "", minute: int = 0) -> Row:
    """Cells of the times of an event that takes so many minutes, by the clocks of the device or of another zone."""
    name = zone or draw.zone
    day = draw.today + datetime.timedelta(days=days)
    start = datetime.datetime(day.year, day.month, day.day, hour, minute, tzinfo=zoneinfo.ZoneInfo(name)).timestamp()
    begin, end = (as_moment(seconds, draw.tzinfo) for seconds in (start, start + 60 * minutes))
    return {"starts_at": begin, "ends_at": end, "first_day": None, "last_day": None, "time_zone": name}


def days(draw: Draw, first: str, last: str | None = None) -> Row:
    """Cells of an event of whole days."""
    return {"starts_at": None, "ends_at": None, "first_day": first, "last_day": last or first, "time_zone": draw.zone}


def event_row(draw: Draw, calendar: Row, title: str, when: Row, **cells: Any) -> Row:
    """An event, single, confirmed, busy and organized by the owner of its calendar unless cells say otherwise."""
    plain = {"description": "", "location": "", "recurrence": None, "room_id": None, "status": "confirmed"}
    plain |= {"organizer_email": calendar["owner_email"], "show_as": "free" if when["first_day"] else "busy"}
    plain |= {"calendar_id": calendar["calendar_id"], "title": title}
    return new_row(draw, EVENTS, **plain | when | cells)


def attendee_row(draw: Draw, event: Row, email: str, answer: str, answered_at: str | None, comment: str = "") -> Row:
    """Somebody who is invited to an event."""
    cells = {"event_id": event["event_id"], "email": email, "required": True, "declined_dates": []}
    return new_row(draw, ATTENDEES, **cells, answer=answer, answered_at=answered_at, comment=comment or None)


def exception_row(draw: Draw, event: Row, date: str, when: Row | None = None) -> Row:
    """A date of a series that is cancelled, or takes place at other times."""
    cells = {name: when and when[name] for name in ("starts_at", "ends_at", "first_day", "last_day")}
    cells |= {"kind": "changed" if when else "cancelled", "room_id": event["room_id"] if when else None}
    return new_row(draw, EXCEPTIONS, event_id=event["event_id"], occurrence_date=date, **cells)


# Content ------------------------------------------------------------------------------------------------------


@attrs.define
class _Calendar:
    """Rows as they are made."""

    draw: Draw
    rows: dict[Any, list[Row]] = attrs.field(init=False)
    colleagues: list[Person] = attrs.field(init=False)
    calendars: dict[str, Row] = attrs.field(factory=dict)
    used: set[tuple[str, int, int]] = attrs.field(factory=set)

    def __attrs_post_init__(self) -> None:
        self.rows = {each: [] for each in (PEOPLE, CALENDARS, ROOMS, EVENTS, EXCEPTIONS, ATTENDEES, NOTICES)}
        known = [person for person in self.draw.people if person.relationship in ("boss", "coworker")]
        self.colleagues = known if len(known) >= 3 else list(self.draw.people[:4])

    def _add(self, schema: Any, columns: str, *cells: Any) -> Row:
        row = new_row(self.draw, schema, **dict(zip(columns.split(), cells, strict=True)))
        self.rows[schema].append(row)
        return row

    def people_and_rooms(self, rooms: int) -> None:
        draw, own = self.draw, self.draw.owner
        zones = {person.email: ZONES[place % len(ZONES)] for place, person in enumerate(self.colleagues)}
        for person in (own, *draw.people):
            hours = draw.choice(("08:00 16:00", "09:00 17:00", "09:00 17:30", "10:00 18:00")).split()
            zone, days_of_work = zones.get(person.email) or draw.zone, list(WEEKDAYS[: 5 - draw.chance(0.2)])
            cells = (person.name, person.email, zone, *hours, days_of_work, person is own)
            self._add(PEOPLE, "name email time_zone work_starts work_ends work_days is_me", *cells)
        partner = next((each for each in draw.people if each.relationship == "partner"), draw.people[3])
        calendars = [("Work", own, "owner", True), ("Private", own, "owner", False), ("Family", partner, "read", False)]
        calendars += [("Work", each, "free_busy", False) for each in self.colleagues]
        for name, person, access, is_default in calendars:
            cells = (name, person.email, access, is_default)
            row = self._add(CALENDARS, "name owner_email access is_default", *cells)
            self.calendars[person.email if access == "free_busy" else name] = row
        keeper = draw.choice(self.colleagues).name
        for *room, equipment in ROOM_LIST[:rooms]:
            row = self._add(ROOMS, "name building floor capacity equipment", *room, list(equipment))
            if row["name"] == CODED:
                row |= {"booking_code": f"{draw.integer(1000, 9999)}", "keeper": keeper}

    def series(self, *, small: bool) -> None:
        """What comes again and again, with dates that are not as the others."""
        draw, (boss, *team) = self.draw, self.colleagues
        since, room_id = -28 if small else -364, self.rows[ROOMS][2]["room_id"]
        people = {"team": team, "boss": [boss], "two": team[:2], "": []}
        made = {}
        for calendar, title, weekday, hour, minutes, zone, rule, who, place in SERIES[: 3 if small else None]:
            when = times(draw, self._on(weekday, since), hour, minutes, zone)
            cells = {"recurrence": f"FREQ=WEEKLY;{rule}", "location": place, "room_id": None if place else room_id}
            made[title] = self._put(calendar, title, when, people[who], **cells)
            room_id = None
        week = self._on(0, 1)
        later, earlier = times(draw, week + 8, 14, 60), times(draw, week - 13, 10, 60)
        for day, moved in ((week + 7, later), (week + 21, None), (week - 14, earlier)):
            self.rows[EXCEPTIONS].append(exception_row(draw, made["Team meeting"], draw.date(day), moved))
        for person in draw.people[: 3 if small else 16]:
            # No birthday on 29 February, which most years do not have.
            born = draw.today + datetime.timedelta(days=-730 + draw.integer(1, 365))
            born += datetime.timedelta(days=(born.month, born.day) == (2, 29))
            self._put("Private", f"Birthday of {person.first_name}", days(draw, f"{born}"), recurrence="FREQ=YEARLY")
        if not small:
            self._budget([boss, team[0]])
            trip = days(draw, draw.date(40), draw.date(44))
            self._put("Private", "Trip to Ghent", trip, show_as="busy", description="Trains are booked, no calls.")

    def _budget(self, people: list[Person]) -> None:
        """A monthly series that replaced another one, and something of nearly the same name."""
        draw, rule = self.draw, "FREQ=MONTHLY;BYDAY=-1FR"
        last = draw.today.replace(day=1) - datetime.timedelta(days=1)
        friday = (last - draw.today).days - (last.weekday() - 4) % 7
        review = self._put("Work", "Budget review", times(draw, friday, 13, 60), people, recurrence=rule)
        moved = times(draw, friday - 1, 9, 60)
        self.rows[EXCEPTIONS].append(exception_row(draw, review, review["starts_at"][:10], moved))
        old = times(draw, friday, 11, 60)
        self._put("Work", "Budget review (old)", old, people, recurrence=rule, status="cancelled")
        self._put("Work", "Budget preview", times(draw, friday - 2, 13, 30), people[1:])

    def own_time(self, count: int) -> None:
        """Private time: lunch with a friend every other Thursday in the usual place, and what comes up."""
        draw, friend = self.draw, self.draw.people[0].first_name
        for number in range(count):
            day, place = self._on(3, 9 - 14 * number), "Noodle bar at the station" if number == 2 else "Corner House"
            if self._is_free("", day, 12):
                self._put("Private", f"Lunch with {friend}", times(draw, day, 12, 60, minute=30), location=place)
            title, place, hour, minutes = draw.choice(OWN_TIME)
            day, calendar = 20 - 7 * number + draw.integer(0, 6), "Family" if number % 5 == 4 else "Private"
            if self._is_free("", day, hour):
                self._put(calendar, title, times(draw, day, hour, minutes), location=place)

    def meetings(self, count: int) -> None:
        """Meetings that the owner has called, up to three a week."""
        draw, rooms = self.draw, self.rows[ROOMS]
        plain = [room["room_id"] for room in rooms if "booking_code" not in room and room is not rooms[2]]
        for number in range(count):
            for _ in range(draw.integer(1, 3)):
                day, hour = self._on(draw.integer(0, 4), 15 - 7 * number), draw.choice((9, 11, 13, 14, 16))
                room_id, people = draw.choice(plain), draw.sample(self.colleagues, draw.integer(1, 3))
                if self._is_free("", day, hour) and self._is_free(room_id, day, hour):
                    cells = {"room_id": room_id, "description": draw.choice(NOTES)}
                    cells["status"] = "cancelled" if draw.chance(0.05) else "confirmed"
                    when = times(draw, day, hour, draw.choice((30, 45, 60)))
                    self._put("Work", self._subject(), when, people, **cells)

    def taken(self, count: int) -> None:
        """When colleagues are busy, of which nothing else is shared."""
        draw = self.draw
        for number in range(count):
            person, hour = self.colleagues[number % len(self.colleagues)], draw.integer(8, 16)
            day = self._on(draw.integer(0, 4), draw.integer(0, 60) - 7)
            if self._is_free(person.email, day, hour):
                self._put(person.email, draw.choice(TAKEN), times(draw, day, hour, draw.choice((30, 60, 60))))

    def invitations(self, count: int) -> None:
        """Meetings to which colleagues invite; the coming ones are still to be answered, and some are in the way."""
        draw = self.draw
        for number in range(count):
            host, *others = draw.sample(self.colleagues, 3)
            day, hour = CLASHES[number] if number < len(CLASHES) else (draw.integer(0, 4), 15)
            day = self._on(day, 1 if number < len(CLASHES) else 12 - 7 * (number // 2))
            cells = {"organizer_email": host.email, "description": draw.choice(NOTES)}
            cells |= {"recurrence": "FREQ=WEEKLY;COUNT=6"} if number == 1 else {}
            event = self._put("Work", self._subject(), times(draw, day, hour, 60), others, **cells)
            answer = "none" if day > 0 else draw.choice(("accepted", "accepted", "declined"))
            answered = None if day > 0 else draw.moment(day - 2, 9, 15)
            self.rows[ATTENDEES].append(attendee_row(draw, event, draw.owner.email, answer, answered))

    # Parts -----------------------------------------------------------------------------------

    def _subject(self) -> str:
        return f"{self.draw.choice(MEETINGS)} {self.draw.choice(TOPICS)}"

    def _put(self, calendar: str, title: str, when: Row, people: Sequence[Person] = (), **cells: Any) -> Row:
        """An event, with answers of those who are invited and the invitations that the owner sent them."""
        draw = self.draw
        event = event_row(draw, self.calendars[calendar], title, when, **cells)
        self.rows[EVENTS].append(event)
        begins = datetime.date.fromisoformat((event["starts_at"] or event["first_day"])[:10])
        ahead = min((begins - draw.today).days, 0)
        for person in people:
            answer = draw.choice(("accepted", "accepted", "accepted", "tentative", "declined", "none"))
            answered = None if answer == "none" else draw.moment(ahead - 2, 15, draw.integer(0, 59))
            comment = draw.choice(COMMENTS) if answered and draw.chance(0.2) else ""
            self.rows[ATTENDEES].append(attendee_row(draw, event, person.email, answer, answered, comment))
            if event["organizer_email"] == draw.owner.email:
                sent = (event["event_id"], person.email, "invitation", draw.moment(ahead - 4, 11))
                self._add(NOTICES, "event_id recipient_email kind sent_at", *sent)
        return event

    def _on(self, weekday: int, after: int) -> int:
        """The first such weekday from so many days from today on, in days from today."""
        return after + (weekday - (self.draw.today + datetime.timedelta(days=after)).weekday()) % 7

    def _is_free(self, what: str, day: int, hour: int) -> bool:
        """Whether an hour is not taken yet of a room, of a person or of the owner; it is from now on."""
        is_free = (what, day, hour) not in self.used
        self.used.add((what, day, hour))
        return is_free
