"""Calls for the check of the app: telling others without wifi."""

from collections.abc import Callable

from tool_sandbox.apps import rows_of, set_setting
from tool_sandbox.apps.calendar.changes import cancel_calendar_event, modify_calendar_event, restore_calendar_event
from tool_sandbox.apps.calendar.events import create_calendar_event
from tool_sandbox.apps.calendar.invitations import (
    answer_calendar_invitation,
    invite_to_calendar_event,
    uninvite_from_calendar_event,
)
from tool_sandbox.apps.calendar.people import me
from tool_sandbox.apps.calendar.tables import ATTENDEES, EXCEPTIONS

ADDRESS = "ann.lee@example.com"


def _meeting() -> str:
    """A series with exceptions that the owner of the device organizes for others."""
    return str(rows_of(EXCEPTIONS).dicts()[0]["event_id"])


def _invitation() -> str:
    return str(rows_of(ATTENDEES).where(email=me())[0]["event_id"])


def _offline(call: Callable[[str], object], of: Callable[[], str] = _meeting) -> Callable[[], None]:
    def probe() -> None:
        event_id = of()
        set_setting("wifi", on=False)
        call(event_id)

    return probe


PROBES = [
    _offline(lambda _: create_calendar_event("Talk", "2030-05-14T10:00", "2030-05-14T11:00", emails=[ADDRESS])),
    _offline(lambda key: modify_calendar_event(key, title="Talk")),
    _offline(lambda key: cancel_calendar_event(key)),
    _offline(lambda key: restore_calendar_event(key, rows_of(EXCEPTIONS).dicts()[0]["occurrence_date"])),
    _offline(lambda key: invite_to_calendar_event(key, [ADDRESS])),
    _offline(lambda key: uninvite_from_calendar_event(key, rows_of(ATTENDEES).where(event_id=key)[0]["email"])),
    _offline(lambda key: answer_calendar_invitation(key, "accepted"), _invitation),
]
