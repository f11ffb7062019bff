"""The address book: every rule of adding, changing, removing and finding entries."""

import json
from typing import Any

import pytest
from phonenumbers import NumberParseException
from polars.exceptions import DuplicateError, NoDataError

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.tools.contact import add_contact, modify_contact, remove_contact, search_contacts
from tool_sandbox.world.profile import Profile

CONTACT = DatabaseNamespace.CONTACT


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


def test_add_appends_a_row_and_returns_its_id(world: ExecutionContext) -> None:
    person_id = add_contact("Jens Kidman", "+14155550123", relationship="friend")
    assert world.get_table(CONTACT).dicts()[-1] == {
        "person_id": person_id,
        "name": "Jens Kidman",
        "phone_number": "+14155550123",
        "relationship": "friend",
        "is_self": False,
    }


def test_trace_holds_defaults(world: ExecutionContext) -> None:
    person_id = add_contact("Jens Kidman", "+14155550123")
    trace = json.loads(world.get_table(DatabaseNamespace.SANDBOX).column("tool_trace")[-1][-1])
    assert trace == {
        "tool_name": "add_contact",
        "arguments": {
            "name": "Jens Kidman",
            "phone_number": "+14155550123",
            "relationship": None,
            "is_self": False,
        },
        "result": person_id,
    }


def test_identical_entries_are_allowed(world: ExecutionContext) -> None:
    assert add_contact("A B", "+14155550123") != add_contact("A B", "+14155550123")


@pytest.mark.parametrize("number", ["4155550123", "call me", "", "+", "(415) 555-0123"])
def test_bad_phone_number(world: ExecutionContext, number: str) -> None:
    with pytest.raises(NumberParseException):
        add_contact("A B", number)
    with pytest.raises(NumberParseException):
        search_contacts(phone_number=number)
    with pytest.raises(NumberParseException):
        modify_contact("p-john", phone_number=number)
    assert len(world.get_table(CONTACT)) == 4


def test_only_one_entry_is_the_owner(world: ExecutionContext) -> None:
    with pytest.raises(DuplicateError):
        add_contact("A B", "+14155550123", is_self=True)
    with pytest.raises(DuplicateError):
        modify_contact("p-john", is_self=True)
    with pytest.raises(DuplicateError):
        modify_contact("nobody", is_self=True)
    modify_contact("p-tomas", is_self=True)


def test_modify_changes_what_is_given(world: ExecutionContext) -> None:
    assert modify_contact("p-john", name="John P", phone_number="+14155550123") is None
    assert world.get_table(CONTACT).where(person_id="p-john") == [
        {
            "person_id": "p-john",
            "name": "John P",
            "phone_number": "+14155550123",
            "relationship": "friend",
            "is_self": False,
        }
    ]


def test_modified_row_keeps_its_position_in_strict(world: ExecutionContext) -> None:
    modify_contact("p-fredrik", name="F T")
    ids = world.get_table(CONTACT).column("person_id")
    if world.profile is Profile.STRICT:
        assert ids == ["p-tomas", "p-fredrik", "p-john", "p-homer"]
    else:
        assert ids == ["p-tomas", "p-john", "p-homer", "p-fredrik"]


def test_modify_errors(world: ExecutionContext) -> None:
    with pytest.raises(ValueError, match="at least one"):
        modify_contact("p-john")
    with pytest.raises(NoDataError, match="nobody"):
        modify_contact("nobody", name="X")
    world.add_to_database(CONTACT, [{"person_id": "p-john", "name": "Double"}])
    with pytest.raises(DuplicateError):
        modify_contact("p-john", name="X")


def test_clearing_a_relationship(world: ExecutionContext) -> None:
    if world.profile is Profile.STRICT:
        modify_contact("p-john", relationship=None)
        assert world.get_table(CONTACT).where(person_id="p-john")[0]["relationship"] is None
    else:
        with pytest.raises(TypeError):
            modify_contact("p-john", relationship=None)


def test_remove(world: ExecutionContext) -> None:
    world.add_to_database(CONTACT, [{"person_id": "p-john", "name": "Double"}])
    remove_contact("p-john")
    assert world.get_table(CONTACT).column("person_id") == ["p-tomas", "p-fredrik", "p-homer"]
    with pytest.raises(NoDataError) as error:
        remove_contact("p-john")
    assert str(error.value) == "no contact entry has the person_id 'p-john'"


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"person_id": "p-john"}, ["John Petrucci"]),
        ({"name": "Fred"}, ["Fredrik Thordendal"]),
        ({"name": "petrucci"}, ["John Petrucci"]),
        ({"name": "Homer"}, ["Homer S"]),
        ({"relationship": "friends"}, ["Fredrik Thordendal", "John Petrucci"]),
        ({"relationship": "my boss"}, ["Homer S"]),
        ({"phone_number": "+12453344566"}, ["John Petrucci"]),
        ({"is_self": True}, ["Tomas Haake"]),
        ({"is_self": False, "relationship": "friend", "name": "John"}, ["John Petrucci"]),
        ({"name": "Zzyzx"}, []),
        ({"name": ""}, []),
        ({"name": "..."}, []),
    ],
)
def test_search(world: ExecutionContext, criteria: dict[str, Any], found: list[str]) -> None:
    assert names(search_contacts(**criteria)) == found


def test_search_returns_all_matches(world: ExecutionContext) -> None:
    for number in range(10):
        add_contact(f"Friend {number}", f"+1415555010{number}", relationship="friend")
    assert len(search_contacts(relationship="friend")) == 12


def test_search_without_criterion(world: ExecutionContext) -> None:
    with pytest.raises(ValueError, match="person_id"):
        search_contacts()


@pytest.mark.parametrize("criteria", [{"person_id": 1}, {"name": None}, {"is_self": "True"}, {"is_self": None}])
def test_search_checks_types(world: ExecutionContext, criteria: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        search_contacts(**criteria)


@pytest.mark.parametrize("query", ["me", "o"])
def test_fragments_find_no_contact_in_strict(world: ExecutionContext, query: str) -> None:
    assert names(search_contacts(name=query)) == ([] if world.profile is Profile.STRICT else ["Homer S"])


def test_inflected_and_misspelt_names_are_found(strict: ExecutionContext) -> None:
    assert names(search_contacts(name="Fredik Thordendall")) == ["Fredrik Thordendal"]
    add_contact("李小龙", "+14155550123")
    assert names(search_contacts(name="小龙")) == ["李小龙"]


def test_phone_numbers_are_canonical_in_strict(strict: ExecutionContext) -> None:
    person_id = add_contact("A B", "+1 (415) 555-0123")
    assert strict.get_table(CONTACT).where(person_id=person_id)[0]["phone_number"] == "+14155550123"
    assert names(search_contacts(phone_number="+1 245-334-4566")) == ["John Petrucci"]
    strict.add_to_database(CONTACT, [{"person_id": "raw", "name": "Raw", "phone_number": "+1 415 555 0199"}])
    assert names(search_contacts(phone_number="+14155550199")) == ["Raw"]


@pytest.mark.parametrize("number", ["+1 800 FLOWERS", "+14155550123 ext 5", "+1415", "+１４１５５５５０１２３"])
def test_odd_phone_numbers_are_refused_in_strict(strict: ExecutionContext, number: str) -> None:
    with pytest.raises(NumberParseException):
        add_contact("A B", number)


def test_phone_numbers_stay_as_given_in_published(published: ExecutionContext) -> None:
    person_id = add_contact("A B", "+1 (415) 555-0123")
    assert search_contacts(person_id=person_id)[0]["phone_number"] == "+1 (415) 555-0123"
    assert search_contacts(phone_number="+14155550123") == []


@pytest.mark.parametrize("name", ["", "  \n", "a\x00b", "x" * 257])
def test_unknown_names_are_refused_in_strict(world: ExecutionContext, name: str) -> None:
    if world.profile is Profile.STRICT:
        with pytest.raises(ValueError, match="name"):
            add_contact(name, "+14155550123")
        with pytest.raises(ValueError, match="name"):
            modify_contact("p-john", name=name)
    else:
        add_contact(name, "+14155550123")


@pytest.mark.parametrize("text", ["bad \ud800 text", "x" * 10_001])
def test_impossible_text_changes_nothing(world: ExecutionContext, text: str) -> None:
    before = world.get_table(CONTACT)
    with pytest.raises(ValueError, match="name"):
        modify_contact("p-john", name=text)
    with pytest.raises(ValueError, match="name"):
        search_contacts(name=text)
    assert world.get_table(CONTACT) is before
