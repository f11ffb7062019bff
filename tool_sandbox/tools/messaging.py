"""Text messages."""

from typing import Any

from polars.exceptions import DuplicateError, NoDataError

from tool_sandbox.tools import _phone, _store
from tool_sandbox.tools.contact import search_contacts
from tool_sandbox.tools.setting import get_cellular_service_status
from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN, NotGiven
from tool_sandbox.world.schema import DatabaseNamespace
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import bounded, typechecked, validate_timestamp


def _owner() -> dict[str, Any]:
    """The one entry of the address book that is the owner of the device."""
    entries = search_contacts(is_self=True)
    if not entries and _store.is_strict():
        raise NoDataError("the address book has no entry for the owner of this device, so there is no sender")
    if len(entries) != 1:
        raise DuplicateError(
            f"sending needs exactly one entry for the owner of this device in the address book, found {len(entries)}"
        )
    return dict(entries[0])


@register_as_tool()
@typechecked
@bounded
def send_message_with_phone_number(phone_number: str, content: str) -> str:
    """Send a text message from this device to a phone number. Needs cellular service.

    Args:
        phone_number: Phone number of the recipient with a leading plus sign and country code.
        content: Text of the message.

    Returns:
        Identifier of the message that was sent.

    Raises:
        phonenumbers.NumberParseException: The phone number cannot be understood.
        ConnectionError: Cellular service is off.
        DuplicateError: The address book does not have exactly one entry for the owner of the device.
    """
    number = _phone.stored_form(phone_number)
    if not get_cellular_service_status():
        raise ConnectionError("cellular service is off, messages cannot be sent")
    _store.validate_stored_text(content, "content", max_length=_store.MAX_CONTENT_LENGTH)
    sender = _owner()
    recipients = search_contacts(phone_number=number)
    context = current_device()
    message_id = context.new_id()
    context.add_to_database(
        DatabaseNamespace.MESSAGING,
        [
            {
                "message_id": message_id,
                "sender_person_id": sender["person_id"],
                "sender_phone_number": sender["phone_number"],
                "recipient_person_id": recipients[0]["person_id"] if recipients else None,
                "recipient_phone_number": number,
                "content": content,
                "creation_timestamp": context.now(),
            }
        ],
    )
    return message_id


@register_as_tool()
@typechecked
@bounded
def search_messages(
    message_id: str | NotGiven = NOT_GIVEN,
    sender_person_id: str | NotGiven = NOT_GIVEN,
    sender_phone_number: str | NotGiven = NOT_GIVEN,
    recipient_person_id: str | NotGiven = NOT_GIVEN,
    recipient_phone_number: str | NotGiven = NOT_GIVEN,
    content: str | NotGiven = NOT_GIVEN,
    creation_timestamp_lowerbound: float | NotGiven = NOT_GIVEN,
    creation_timestamp_upperbound: float | NotGiven = NOT_GIVEN,
) -> list[dict[str, Any]]:
    """Find text messages that meet all given criteria. At least one is needed.

    Args:
        message_id: Exact identifier of the message.
        sender_person_id: Exact identifier of the sender in the address book.
        sender_phone_number: Exact phone number of the sender with a leading plus sign and country code.
        recipient_person_id: Exact identifier of the recipient in the address book.
        recipient_phone_number: Exact phone number of the recipient with a leading plus sign and country code.
        content: Words of the message. Similar wordings are found too, the most similar first.
        creation_timestamp_lowerbound: Earliest time at which the message was sent, POSIX timestamp in seconds.
        creation_timestamp_upperbound: Latest time at which the message was sent, POSIX timestamp in seconds.

    Returns:
        Matching messages with all their details, an empty list if there are none.

    Raises:
        ValueError: No criterion was given, or a time is out of range.
        phonenumbers.NumberParseException: A phone number cannot be understood.
    """
    sender_number = _phone.stored_form(sender_phone_number)
    recipient_number = _phone.stored_form(recipient_phone_number)
    time = float | NotGiven
    validate_timestamp(creation_timestamp_lowerbound, "creation_timestamp_lowerbound", time)
    validate_timestamp(creation_timestamp_upperbound, "creation_timestamp_upperbound", time)
    return _store.find_rows(
        DatabaseNamespace.MESSAGING,
        [
            ("message_id", message_id, _store.equal),
            ("sender_person_id", sender_person_id, _store.equal),
            ("sender_phone_number", sender_number, _phone.same_number),
            ("recipient_person_id", recipient_person_id, _store.equal),
            ("recipient_phone_number", recipient_number, _phone.same_number),
            ("content", content, _store.similar(50)),
            ("creation_timestamp_lowerbound", creation_timestamp_lowerbound, _store.at_least),
            ("creation_timestamp_upperbound", creation_timestamp_upperbound, _store.at_most),
        ],
    )
