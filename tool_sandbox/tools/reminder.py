"""Reminders, optionally tied to a place."""

from typing import Any

from tool_sandbox.tools import _store
from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN, NotGiven
from tool_sandbox.world.schema import DatabaseNamespace
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import (
    bounded,
    typechecked,
    validate_latitude,
    validate_longitude,
    validate_timestamp,
)

_OptionalNumber = float | None | NotGiven


def _validate_place(latitude: Any, longitude: Any) -> None:
    validate_latitude(latitude, "latitude", _OptionalNumber)
    validate_longitude(longitude, "longitude", _OptionalNumber)


def _validate_pair(latitude: float | None, longitude: float | None) -> None:
    """Refuses half a place, in corrected worlds."""
    if _store.is_strict() and (latitude is None) != (longitude is None):
        raise ValueError("a place needs both latitude and longitude")


@register_as_tool()
@typechecked
@bounded
def add_reminder(
    content: str, reminder_timestamp: float, latitude: float | None = None, longitude: float | None = None
) -> str:
    """Create a reminder for a point in time, and for a place if one is given.

    Args:
        content: What to be reminded of.
        reminder_timestamp: When to be reminded, POSIX timestamp in seconds.
        latitude: Latitude of the place in degrees, between -90 and 90.
        longitude: Longitude of the place in degrees, between -180 and 180.

    Returns:
        Identifier of the new reminder.

    Raises:
        ValueError: Time or coordinates are out of range.
    """
    validate_timestamp(reminder_timestamp, "reminder_timestamp", float)
    _validate_place(latitude, longitude)
    _validate_pair(latitude, longitude)
    _store.validate_stored_text(content, "content", max_length=_store.MAX_CONTENT_LENGTH)
    context = current_device()
    reminder_id = context.new_id()
    context.add_to_database(
        DatabaseNamespace.REMINDER,
        [
            {
                "reminder_id": reminder_id,
                "content": content,
                "creation_timestamp": context.now(),
                "reminder_timestamp": reminder_timestamp,
                "latitude": latitude,
                "longitude": longitude,
            }
        ],
    )
    return reminder_id


def _validate_pair_after(reminder_id: str, changes: dict[str, Any]) -> None:
    """Refuses a change of the place after which the reminder would have half a place."""
    if changes["latitude"] is NOT_GIVEN and changes["longitude"] is NOT_GIVEN:
        return
    for row in current_device().get_table(DatabaseNamespace.REMINDER).where(reminder_id=reminder_id):
        latitude, longitude = (
            row[name] if changes[name] is NOT_GIVEN else changes[name] for name in ("latitude", "longitude")
        )
        _validate_pair(latitude, longitude)


@register_as_tool()
@typechecked
@bounded
def modify_reminder(
    reminder_id: str,
    content: str | NotGiven = NOT_GIVEN,
    reminder_timestamp: float | NotGiven = NOT_GIVEN,
    latitude: float | NotGiven | None = NOT_GIVEN,
    longitude: float | NotGiven | None = NOT_GIVEN,
) -> None:
    """Change an existing reminder. What is left out stays as it is, and the time of creation becomes now.

    Args:
        reminder_id: Identifier of the reminder.
        content: New text of what to be reminded of.
        reminder_timestamp: New time at which to be reminded, POSIX timestamp in seconds.
        latitude: New latitude of the place in degrees, between -90 and 90. None removes it.
        longitude: New longitude of the place in degrees, between -180 and 180. None removes it.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, or time or coordinates are out of range.
        NoDataError: No reminder has this identifier.
        DuplicateError: The identifier is not unique.
    """
    validate_timestamp(reminder_timestamp, "reminder_timestamp", float | NotGiven)
    _validate_place(latitude, longitude)
    changes: dict[str, Any] = {
        "content": content,
        "reminder_timestamp": reminder_timestamp,
        "latitude": latitude,
        "longitude": longitude,
    }
    if all(value is NOT_GIVEN for value in changes.values()):
        raise ValueError(f"nothing to change, give at least one of {', '.join(changes)}")
    _store.validate_stored_text(content, "content", max_length=_store.MAX_CONTENT_LENGTH)
    _validate_pair_after(reminder_id, changes)
    changes["creation_timestamp"] = current_device().now()
    _store.modify_row(DatabaseNamespace.REMINDER, "reminder_id", reminder_id, changes)


@register_as_tool()
@typechecked
@bounded
def search_reminder(
    reminder_id: str | NotGiven = NOT_GIVEN,
    content: str | NotGiven = NOT_GIVEN,
    creation_timestamp_lowerbound: float | NotGiven = NOT_GIVEN,
    creation_timestamp_upperbound: float | NotGiven = NOT_GIVEN,
    reminder_timestamp_lowerbound: float | NotGiven = NOT_GIVEN,
    reminder_timestamp_upperbound: float | NotGiven = NOT_GIVEN,
    latitude: float | NotGiven = NOT_GIVEN,
    longitude: float | NotGiven = NOT_GIVEN,
) -> list[dict[str, Any]]:
    """Find reminders that meet all given criteria. At least one is needed.

    Args:
        reminder_id: Exact identifier of the reminder.
        content: Words of the reminder. Similar wordings are found too, the most similar first.
        creation_timestamp_lowerbound: Earliest time of creation, POSIX timestamp in seconds.
        creation_timestamp_upperbound: Latest time of creation, POSIX timestamp in seconds.
        reminder_timestamp_lowerbound: Earliest time at which to be reminded, POSIX timestamp in seconds.
        reminder_timestamp_upperbound: Latest time at which to be reminded, POSIX timestamp in seconds.
        latitude: Exact latitude of the place in degrees, between -90 and 90.
        longitude: Exact longitude of the place in degrees, between -180 and 180.

    Returns:
        Matching reminders with all their details, an empty list if there are none.

    Raises:
        ValueError: No criterion was given, or time or coordinates are out of range.
    """
    bounds = {
        "creation_timestamp_lowerbound": creation_timestamp_lowerbound,
        "creation_timestamp_upperbound": creation_timestamp_upperbound,
        "reminder_timestamp_lowerbound": reminder_timestamp_lowerbound,
        "reminder_timestamp_upperbound": reminder_timestamp_upperbound,
    }
    for name, value in bounds.items():
        validate_timestamp(value, name, float | NotGiven)
    _validate_place(latitude, longitude)
    return _store.find_rows(
        DatabaseNamespace.REMINDER,
        [
            ("reminder_id", reminder_id, _store.equal),
            ("content", content, _store.similar(50)),
            ("creation_timestamp_lowerbound", creation_timestamp_lowerbound, _store.at_least),
            ("creation_timestamp_upperbound", creation_timestamp_upperbound, _store.at_most),
            ("reminder_timestamp_lowerbound", reminder_timestamp_lowerbound, _store.at_least),
            ("reminder_timestamp_upperbound", reminder_timestamp_upperbound, _store.at_most),
            ("latitude", latitude, _store.equal),
            ("longitude", longitude, _store.equal),
        ],
    )


@register_as_tool()
@typechecked
@bounded
def remove_reminder(reminder_id: str) -> None:
    """Delete a reminder.

    Args:
        reminder_id: Identifier of the reminder.

    Returns:
        Nothing.

    Raises:
        NoDataError: No reminder has this identifier.
    """
    _store.remove_rows(DatabaseNamespace.REMINDER, "reminder_id", reminder_id)
