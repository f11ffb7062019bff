"""Sending and finding messages."""

from typing import Any

import pytest
from phonenumbers import NumberParseException
from polars.exceptions import DuplicateError, NoDataError

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.tools.contact import modify_contact, remove_contact
from tool_sandbox.tools.messaging import search_messages, send_message_with_phone_number
from tool_sandbox.tools.setting import set_cellular_service_status
from tool_sandbox.world.profile import Profile

MESSAGING = DatabaseNamespace.MESSAGING


def test_send_writes_one_row(world: ExecutionContext) -> None:
    message_id = send_message_with_phone_number("+12453344098", "How's the new album coming along?")
    assert world.get_table(MESSAGING).dicts() == [
        {
            "message_id": message_id,
            "sender_person_id": "p-tomas",
            "sender_phone_number": "+11233344455",
            "recipient_person_id": "p-fredrik",
            "recipient_phone_number": "+12453344098",
            "content": "How's the new album coming along?",
            "creation_timestamp": world.now(),
        }
    ]


def test_unknown_recipient_has_no_id(world: ExecutionContext) -> None:
    send_message_with_phone_number("+14155550123", "Hello")
    assert world.get_table(MESSAGING).column("recipient_person_id") == [None]


def test_nested_calls_leave_no_trace(world: ExecutionContext) -> None:
    send_message_with_phone_number("+14155550123", "Hello")
    assert len(world.get_table(DatabaseNamespace.SANDBOX).column("tool_trace")[-1]) == 1


def test_number_in_another_spelling(world: ExecutionContext) -> None:
    send_message_with_phone_number("+1 (245) 334-4098", "Hello")
    row = world.get_table(MESSAGING).dicts()[0]
    if world.profile is Profile.STRICT:
        assert (row["recipient_person_id"], row["recipient_phone_number"]) == ("p-fredrik", "+12453344098")
    else:
        assert (row["recipient_person_id"], row["recipient_phone_number"]) == (None, "+1 (245) 334-4098")


def test_number_is_checked_before_service(world: ExecutionContext) -> None:
    set_cellular_service_status(False)
    with pytest.raises(NumberParseException):
        send_message_with_phone_number("Fredrik", "Hello")
    with pytest.raises(ConnectionError):
        send_message_with_phone_number("+12453344098", "Hello")
    assert len(world.get_table(MESSAGING)) == 0


def test_sender_must_be_known(world: ExecutionContext) -> None:
    remove_contact("p-tomas")
    with pytest.raises(NoDataError if world.profile is Profile.STRICT else DuplicateError):
        send_message_with_phone_number("+12453344098", "Hello")
    modify_contact("p-john", is_self=True)
    send_message_with_phone_number("+12453344098", "Hello")
    world.add_to_database(DatabaseNamespace.CONTACT, [{"person_id": "two", "is_self": True}])
    with pytest.raises(DuplicateError):
        send_message_with_phone_number("+12453344098", "Hello")


def test_blank_content(world: ExecutionContext) -> None:
    if world.profile is Profile.STRICT:
        with pytest.raises(ValueError, match="content"):
            send_message_with_phone_number("+12453344098", " ")
    else:
        send_message_with_phone_number("+12453344098", " ")


@pytest.fixture
def inbox(world: ExecutionContext) -> ExecutionContext:
    texts = [
        ("How's the new album coming along?", "p-tomas", "p-fredrik", 100.0),
        ("Good, keep me posted", "p-fredrik", "p-tomas", 200.0),
        ("You want some pizza?", "p-homer", "p-tomas", 300.0),
    ]
    for number, (content, sender, recipient, age) in enumerate(texts):
        row = {
            "message_id": f"m{number}",
            "sender_person_id": sender,
            "sender_phone_number": "+1415555012" + str(number),
            "recipient_person_id": recipient,
            "recipient_phone_number": "+1415555013" + str(number),
            "content": content,
            "creation_timestamp": world.now() - age,
        }
        world.add_to_database(MESSAGING, [row])
    return world


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"message_id": "m1"}, ["m1"]),
        ({"sender_person_id": "p-homer"}, ["m2"]),
        ({"recipient_person_id": "p-tomas"}, ["m1", "m2"]),
        ({"sender_phone_number": "+14155550121"}, ["m1"]),
        ({"recipient_phone_number": "+14155550130"}, ["m0"]),
        ({"content": "how is the new album"}, ["m0"]),
        ({"content": "pizza"}, ["m2"]),
        ({"content": "pizza", "sender_person_id": "p-tomas"}, []),
    ],
)
def test_search(inbox: ExecutionContext, criteria: dict[str, Any], found: list[str]) -> None:
    if inbox.profile is Profile.PUBLISHED and "content" in criteria and found:
        assert search_messages(**criteria)[0]["message_id"] == found[0]
    else:
        assert [row["message_id"] for row in search_messages(**criteria)] == found


def test_time_bounds_are_inclusive(inbox: ExecutionContext) -> None:
    now = inbox.now()

    def found(**bounds: float) -> list[str]:
        return [row["message_id"] for row in search_messages(**bounds)]

    assert found(creation_timestamp_lowerbound=now - 200) == ["m0", "m1"]
    assert found(creation_timestamp_upperbound=now - 200) == ["m1", "m2"]
    assert found(creation_timestamp_lowerbound=now - 200, creation_timestamp_upperbound=now - 200) == ["m1"]


def test_short_query_in_strict(inbox: ExecutionContext) -> None:
    assert (search_messages(content="x") == []) or inbox.profile is Profile.PUBLISHED


@pytest.mark.parametrize(
    ("criteria", "error"),
    [
        ({}, ValueError),
        ({"creation_timestamp_upperbound": float("nan")}, ValueError),
        ({"creation_timestamp_lowerbound": 1_750_000_000_000}, ValueError),
        ({"sender_phone_number": "Homer"}, NumberParseException),
        ({"recipient_phone_number": "Homer"}, NumberParseException),
        ({"content": 5}, TypeError),
        ({"creation_timestamp_lowerbound": True}, TypeError),
    ],
)
def test_search_errors(inbox: ExecutionContext, criteria: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        search_messages(**criteria)
