"""Calendar: events and series in their zones, attendees and their answers, when others are busy, rooms."""

from tool_sandbox.apps import App
from tool_sandbox.apps.calendar.agenda import get_calendar_free_busy, list_calendar_agenda, search_calendar_conflicts
from tool_sandbox.apps.calendar.changes import cancel_calendar_event, modify_calendar_event, restore_calendar_event
from tool_sandbox.apps.calendar.content import content
from tool_sandbox.apps.calendar.events import create_calendar_event, get_calendar_event, search_calendar_events
from tool_sandbox.apps.calendar.invitations import (
    answer_calendar_invitation,
    invite_to_calendar_event,
    search_calendar_invitations,
    search_calendar_notices,
    uninvite_from_calendar_event,
)
from tool_sandbox.apps.calendar.people import search_calendar_people
from tool_sandbox.apps.calendar.probes import PROBES
from tool_sandbox.apps.calendar.rooms import book_meeting_room, search_meeting_rooms
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, EXCEPTIONS, NOTICES, PEOPLE, ROOMS

APP = App(
    name="calendar",
    title="Calendar",
    tables=[PEOPLE, CALENDARS, ROOMS, EVENTS, EXCEPTIONS, ATTENDEES, NOTICES],
    tools=[
        list_calendar_agenda,
        search_calendar_events,
        get_calendar_event,
        create_calendar_event,
        modify_calendar_event,
        cancel_calendar_event,
        restore_calendar_event,
        search_calendar_invitations,
        answer_calendar_invitation,
        invite_to_calendar_event,
        uninvite_from_calendar_event,
        search_calendar_notices,
        get_calendar_free_busy,
        search_calendar_conflicts,
        search_meeting_rooms,
        book_meeting_room,
        search_calendar_people,
    ],
    content=content,
    words={
        PEOPLE.name: ("person", "people"),
        CALENDARS.name: ("calendar", "calendars"),
        ROOMS.name: ("room", "rooms"),
        EVENTS.name: ("event", "events"),
        EXCEPTIONS.name: ("exception", "exceptions"),
        ATTENDEES.name: ("attendee", "attendees"),
        NOTICES.name: ("notice", "notices"),
    },
    needs=("wifi",),
    probes=PROBES,
)
