"""What is in the calendar when a world begins: the working and the private time of somebody, and that of colleagues."""

import datetime
import zoneinfo
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, as_moment
from tool_sandbox.apps.calendar.phrases import CODED, COMMENTS, MEETINGS, NOTES, OWN_TIME, ROOMS, TAKEN, TOPICS
from tool_sandbox.apps.calendar.tables import (
    ATTENDEES,
    CALENDARS,
    EVENTS,
    EXCEPTIONS,
    NOTICES,
    PEOPLE,
    WEEKDAYS,
)
from tool_sandbox.apps.calendar.tables import (
    ROOMS as ROOM_TABLE,
)

Row = dict[str, Any]

COUNTS: dict[Size, tuple[int, int, int]] = {"small": (3, 4, 2), "medium": (30, 30, 12), "large": (420, 420, 60)}
"""Weeks of history in single events, taken times of colleagues, and invitations, of each size."""

ZONES = ("", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "")


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    made = _Calendar(draw)
    own, taken, invitations = COUNTS[size]
    made.people_and_rooms(len(ROOMS) if size != "small" else 4)
    made.series(small=size == "small")
    made.own_time(own)
    made.meetings(own)
    made.taken(taken)
    made.invitations(invitations)
    return {schema.name: rows for schema, rows in made.rows.items()}


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


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
    return (
        {"event_id": draw.key("event"), "calendar_id": calendar["calendar_id"], "title": title} | plain | when | cells
    )


def attendee_row(
    draw: Draw, event: Row, email: str, answer: str, answered_at: str | None, comment: str | None = None
) -> Row:
    """Somebody who is invited to an event."""
    cells = {"email": email, "required": True, "answer": answer, "answered_at": answered_at, "comment": comment}
    return {"attendee_id": draw.key("attendee"), "event_id": event["event_id"], "declined_dates": []} | cells


def exception_row(draw: Draw, event: Row, date: str, when: Row | None = None) -> Row:
    """A date of a series that is cancelled, or takes place at other times."""
    cells = {name: when and when[name] for name in ("starts_at", "ends_at", "first_day", "last_day")}
    cells |= {"kind": "changed" if when else "cancelled", "room_id": event["room_id"] if when else None}
    return {"exception_id": draw.key("exception"), "event_id": event["event_id"], "occurrence_date": date} | cells


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
        self.rows = {each: [] for each in (PEOPLE, CALENDARS, ROOM_TABLE, EVENTS, EXCEPTIONS, ATTENDEES, NOTICES)}
        known = [person for person in self.draw.people if person.relationship in ("boss", "coworker")]
        self.colleagues = known if len(known) >= 3 else list(self.draw.people[:4])

    def people_and_rooms(self, rooms: int) -> None:
        draw, own = self.draw, self.draw.owner
        zones = {person.email: ZONES[place % len(ZONES)] for place, person in enumerate(self.colleagues)}
        for person in (own, *draw.people):
            begins = draw.choice(("08:00", "09:00", "09:00", "10:00"))
            cells = {"name": person.name, "email": person.email, "time_zone": zones.get(person.email) or draw.zone}
            cells |= {
                "work_starts": begins,
                "work_ends": "17:00",
                "work_days": list(WEEKDAYS[:5]),
                "is_me": person is own,
            }
            self.rows[PEOPLE].append({"person_id": draw.key("person")} | cells)
        partner = next((each for each in draw.people if each.relationship == "partner"), draw.people[3])
        shared = [("Family", partner, "read")] + [("Work", each, "free_busy") for each in self.colleagues]
        for name, person, access in [("Work", own, "owner"), ("Private", own, "owner"), *shared]:
            cells = {
                "name": name,
                "owner_email": person.email,
                "access": access,
                "is_default": access == "owner" and name == "Work",
            }
            row = {"calendar_id": draw.key("calendar")} | cells
            self.calendars[person.email if access == "free_busy" else name] = row
            self.rows[CALENDARS].append(row)
        keeper = draw.choice(self.colleagues).name
        for name, building, floor, capacity, equipment in ROOMS[:rooms]:
            cells = {
                "name": name,
                "building": building,
                "floor": floor,
                "capacity": capacity,
                "equipment": list(equipment),
            }
            code = f"{draw.integer(1000, 9999)}" if name == CODED else None
            cells |= {"booking_code": code, "keeper": keeper if code else None}
            self.rows[ROOM_TABLE].append({"room_id": draw.key("room")} | cells)

    def series(self, *, small: bool) -> None:
        draw, (boss, *team) = self.draw, self.colleagues
        since = -28 if small else -364
        team_day, week = self._on(0, since), self._on(0, 1)
        maple = self.rows[ROOM_TABLE][2]["room_id"]
        team_meeting = self._put(
            "Work",
            "Team meeting",
            times(draw, team_day, 10, 60),
            team,
            recurrence="FREQ=WEEKLY;BYDAY=MO",
            room_id=maple,
        )
        moved = times(draw, week + 8, 14, 60)
        self.rows[EXCEPTIONS] += [
            exception_row(draw, team_meeting, draw.date(week + 7), moved),
            exception_row(draw, team_meeting, draw.date(week + 21)),
            exception_row(draw, team_meeting, draw.date(week - 14), times(draw, week - 13, 10, 60)),
        ]
        self._put(
            "Private",
            "Swimming",
            times(draw, self._on(2, since), 7, 60),
            recurrence="FREQ=WEEKLY;BYDAY=WE",
            location="Pool on Elm Street",
        )
        one_on_one = times(draw, self._on(1, since), 15, 30)
        self._put(
            "Work",
            f"{draw.owner.first_name} and {boss.first_name}",
            one_on_one,
            [boss],
            recurrence="FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
        )
        for person in draw.people[: 3 if small else 16]:
            # No birthday on 29 February, which most years do not have.
            day = draw.today + datetime.timedelta(days=-730 + draw.integer(1, 365))
            day += datetime.timedelta(days=(day.month, day.day) == (2, 29))
            self._put("Private", f"Birthday of {person.first_name}", days(draw, f"{day}"), recurrence="FREQ=YEARLY")
        if small:
            return
        abroad = next((row["time_zone"] for row in self.rows[PEOPLE] if row["time_zone"] == "Europe/Berlin"), draw.zone)
        self._put(
            "Work",
            "Call with the Berlin office",
            times(draw, self._on(3, since), 17, 30, abroad),
            team[:2],
            recurrence="FREQ=WEEKLY;BYDAY=TH",
        )
        last_friday = self._last_friday()
        budget = self._put(
            "Work",
            "Budget review",
            times(draw, last_friday, 13, 60),
            [boss, team[0]],
            recurrence="FREQ=MONTHLY;BYDAY=-1FR",
        )
        self._put(
            "Work",
            "Budget review (old)",
            times(draw, last_friday, 11, 60),
            [boss],
            recurrence="FREQ=MONTHLY;BYDAY=-1FR",
            status="cancelled",
        )
        self._put("Work", "Budget preview", times(draw, last_friday - 2, 13, 30), [team[0]])
        self.rows[EXCEPTIONS].append(
            exception_row(draw, budget, budget["starts_at"][:10], times(draw, last_friday - 1, 9, 60))
        )
        trip = days(draw, draw.date(40), draw.date(44))
        self._put("Private", "Trip to Ghent", trip, show_as="busy", description="Trains are booked, no calls please.")

    def own_time(self, count: int) -> None:
        """Private time: lunch with a friend every other Thursday in the usual place, and what comes up."""
        draw, friend = self.draw, self.draw.people[0]
        for number in range(count):
            day = self._on(3, 9 - 14 * number)
            place = "Noodle bar at the station" if number == 2 else "Corner House"
            if self._is_free("", day, 12):
                self._put(
                    "Private", f"Lunch with {friend.first_name}", times(draw, day, 12, 60, minute=30), location=place
                )
            title, place, hour, minutes = draw.choice(OWN_TIME)
            day = 20 - 7 * number + draw.integer(0, 6)
            if self._is_free("", day, hour):
                calendar = "Family" if number % 5 == 4 else "Private"
                self._put(calendar, title, times(draw, day, hour, minutes), location=place)

    def meetings(self, count: int) -> None:
        """Meetings that the owner has called, up to three a week."""
        draw, rooms = self.draw, self.rows[ROOM_TABLE]
        for number in range(count):
            for _ in range(draw.integer(1, 3)):
                day, hour = self._on(draw.integer(0, 4), 15 - 7 * number), draw.choice((9, 11, 13, 14, 16))
                room = draw.choice([room for room in rooms if room["booking_code"] is None and room["name"] != "Maple"])
                if self._is_free("", day, hour) and self._is_free(room["room_id"], day, hour):
                    title = f"{draw.choice(MEETINGS)} {draw.choice(TOPICS)}"
                    people = draw.sample(self.colleagues, draw.integer(1, 3))
                    cells = {"room_id": room["room_id"], "description": draw.choice(NOTES), "location": ""}
                    when = times(draw, day, hour, draw.choice((30, 45, 60)))
                    self._put(
                        "Work", title, when, people, **cells, status="cancelled" if draw.chance(0.05) else "confirmed"
                    )

    def taken(self, count: int) -> None:
        """When colleagues are busy, of which nothing else is shared."""
        draw = self.draw
        for number in range(count):
            person, day = (
                self.colleagues[number % len(self.colleagues)],
                self._on(draw.integer(0, 4), draw.integer(0, 60) - 7),
            )
            hour = draw.integer(8, 16)
            if self._is_free(person.email, day, hour):
                self._put(person.email, draw.choice(TAKEN), times(draw, day, hour, draw.choice((30, 60, 60))))

    def invitations(self, count: int) -> None:
        """Meetings to which colleagues invite; some are still to be answered, and the first is in the way of another."""
        draw = self.draw
        for number in range(count):
            host, *others = draw.sample(self.colleagues, 3)
            day, hour = (
                (self._on(0, 1), 10) if number == 0 else (self._on(draw.integer(0, 4), 12 - 7 * (number // 2)), 15)
            )
            title = f"{draw.choice(MEETINGS)} {draw.choice(TOPICS)}"
            event = self._put(
                "Work",
                title,
                times(draw, day, hour, 60),
                others,
                organizer_email=host.email,
                description=draw.choice(NOTES),
            )
            answer = (
                "none"
                if number < 2 or (day > 0 and draw.chance(0.5))
                else draw.choice(("accepted", "accepted", "declined"))
            )
            answered = None if answer == "none" else draw.moment(min(day, 0) - 2, 9, 15)
            self.rows[ATTENDEES].append(attendee_row(draw, event, draw.owner.email, answer, answered))

    # Parts -----------------------------------------------------------------------------------

    def _put(self, calendar: str, title: str, when: Row, people: Sequence[Person] = (), **cells: Any) -> Row:
        draw = self.draw
        event = event_row(draw, self.calendars[calendar], title, when, **cells)
        self.rows[EVENTS].append(event)
        begins = datetime.date.fromisoformat((event["starts_at"] or event["first_day"])[:10])
        ahead = min((begins - draw.today).days, 0)
        for person in people:
            answer = draw.choice(("accepted", "accepted", "accepted", "tentative", "declined", "none"))
            answered = None if answer == "none" else draw.moment(ahead - 2, 15, draw.integer(0, 59))
            comment = draw.choice(COMMENTS) if answered and draw.chance(0.2) else None
            self.rows[ATTENDEES].append(attendee_row(draw, event, person.email, answer, answered, comment))
            if event["organizer_email"] == draw.owner.email:
                sent = {"recipient_email": person.email, "kind": "invitation", "message": None}
                row = {
                    "notice_id": draw.key("notice"),
                    "event_id": event["event_id"],
                    "sent_at": draw.moment(ahead - 4, 11),
                }
                self.rows[NOTICES].append(row | sent)
        return event

    def _on(self, weekday: int, days: int) -> int:
        """The first such weekday from so many days from today on, in days from today."""
        return days + (weekday - (self.draw.today + datetime.timedelta(days=days)).weekday()) % 7

    def _last_friday(self) -> int:
        """Last Friday of the month before this one, in days from today."""
        last = self.draw.today.replace(day=1) - datetime.timedelta(days=1)
        return (last - self.draw.today).days - (last.weekday() - 4) % 7

    def _is_free(self, what: str, day: int, hour: int) -> bool:
        """Whether an hour is not taken yet of a room, of a person or of the owner; it is from now on."""
        slot = (what, day, hour)
        is_free = slot not in self.used
        self.used.add(slot)
        return is_free
