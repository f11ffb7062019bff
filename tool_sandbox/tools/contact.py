"""The address book of the device.

The entry of the owner can be changed and removed like any other. Until there is exactly one such
entry again, messages cannot be sent.
"""

from typing import Any

from polars.exceptions import DuplicateError

from tool_sandbox.tools import _phone, _store
from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN, NotGiven
from tool_sandbox.world.schema import DatabaseNamespace
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import bounded, typechecked

_MAX_NAME_LENGTH = 256


def _validate_texts(**texts: Any) -> None:
    for name, value in texts.items():
        _store.validate_stored_text(value, name, max_length=_MAX_NAME_LENGTH)


def _other_self_exists(person_id: str | None = None) -> bool:
    rows = current_device().get_table(DatabaseNamespace.CONTACT).where(is_self=True)
    return any(row["person_id"] != person_id for row in rows)


@register_as_tool()
@typechecked
@bounded
def add_contact(name: str, phone_number: str, relationship: str | None = None, is_self: bool = False) -> str:
    """Add a new entry to the address book.

    Args:
        name: Full name of the person or organisation.
        phone_number: Phone number with a leading plus sign and country code, for example +14155550123.
        relationship: How the person is related to the owner of the device, for example friend or boss.
        is_self: True only for the entry of the owner of the device, of which there can be just one.

    Returns:
        Identifier of the new entry.

    Raises:
        phonenumbers.NumberParseException: The phone number cannot be understood.
        DuplicateError: An entry for the owner of the device exists already.
    """
    number = _phone.stored_form(phone_number)
    _validate_texts(name=name, relationship=relationship)
    if is_self and _other_self_exists():
        raise DuplicateError("the address book already has an entry for the owner of this device")
    context = current_device()
    person_id = context.new_id()
    context.add_to_database(
        DatabaseNamespace.CONTACT,
        [
            {
                "person_id": person_id,
                "name": name,
                "phone_number": number,
                "relationship": relationship,
                "is_self": is_self,
            }
        ],
    )
    return person_id


@register_as_tool()
@typechecked
@bounded
def modify_contact(
    person_id: str,
    name: str | NotGiven = NOT_GIVEN,
    phone_number: str | NotGiven = NOT_GIVEN,
    relationship: str | NotGiven | None = NOT_GIVEN,
    is_self: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Change an existing entry of the address book. What is left out stays as it is.

    Args:
        person_id: Identifier of the entry.
        name: New full name.
        phone_number: New phone number with a leading plus sign and country code.
        relationship: New relationship to the owner of the device.
        is_self: Whether the entry is that of the owner of the device. Sending messages needs exactly one such entry.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given.
        phonenumbers.NumberParseException: The phone number cannot be understood.
        DuplicateError: Another entry is that of the owner already, or the identifier is not unique.
        NoDataError: No entry has this identifier.
    """
    changes = {"name": name, "phone_number": phone_number, "relationship": relationship, "is_self": is_self}
    if relationship is None and not _store.is_strict():
        raise TypeError("relationship must be str, not NoneType")
    if all(value is NOT_GIVEN for value in changes.values()):
        raise ValueError(f"nothing to change, give at least one of {', '.join(changes)}")
    changes["phone_number"] = _phone.stored_form(phone_number)
    _validate_texts(name=name, relationship=relationship)
    if is_self is True and _other_self_exists(person_id):
        raise DuplicateError("another entry of the address book is that of the owner of this device")
    _store.modify_row(DatabaseNamespace.CONTACT, "person_id", person_id, changes)


@register_as_tool()
@typechecked
@bounded
def remove_contact(person_id: str) -> None:
    """Delete an entry from the address book.

    Args:
        person_id: Identifier of the entry.

    Returns:
        Nothing.

    Raises:
        NoDataError: No entry has this identifier.
    """
    _store.remove_rows(DatabaseNamespace.CONTACT, "person_id", person_id)


@register_as_tool()
@typechecked
@bounded
def search_contacts(
    person_id: str | NotGiven = NOT_GIVEN,
    name: str | NotGiven = NOT_GIVEN,
    phone_number: str | NotGiven = NOT_GIVEN,
    relationship: str | NotGiven = NOT_GIVEN,
    is_self: bool | NotGiven = NOT_GIVEN,
) -> list[dict[str, Any]]:
    """Find entries of the address book that meet all given criteria. At least one is needed.

    Args:
        person_id: Exact identifier of the entry.
        name: Name or part of a name. Similar spellings are found too.
        phone_number: Exact phone number with a leading plus sign and country code.
        relationship: Relationship to the owner of the device. Similar wordings are found too.
        is_self: True to find the entry of the owner of the device, False to find all others.

    Returns:
        Matching entries with all their details, an empty list if there are none.

    Raises:
        ValueError: No criterion was given.
        phonenumbers.NumberParseException: The phone number cannot be understood.
    """
    return _store.find_rows(
        DatabaseNamespace.CONTACT,
        [
            ("person_id", person_id, _store.equal),
            ("name", name, _store.similar(90)),
            ("phone_number", _phone.stored_form(phone_number), _phone.same_number),
            ("relationship", relationship, _store.similar(90)),
            ("is_self", is_self, _store.equal),
        ],
    )
