"""What somebody who uses the notes relies on."""

import pytest
from polars.exceptions import NoDataError

from tool_sandbox.apps.notes.checklists import (
    add_checklist_items,
    create_checklist,
    delete_checklist,
    get_checklist,
    modify_checklist_item,
    move_checklist_item,
    search_checklist_items,
    search_checklists,
)
from tool_sandbox.apps.notes.memories import recall_earlier_conversations, remember_for_later
from tool_sandbox.apps.notes.pages import (
    append_to_note_page,
    create_note_page,
    delete_note_page,
    get_note_page,
    modify_note_page,
    search_note_pages,
)
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType

pytestmark = pytest.mark.usefixtures("notes")


def say(context: ExecutionContext) -> None:
    """Lets five seconds and a message pass."""
    message = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
    context.add_to_database(DatabaseNamespace.SANDBOX, [message])


def test_a_page_is_written_found_changed_and_deleted(notes: ExecutionContext) -> None:
    page_id = create_note_page("Trip to Ghent", "Stay at the Old Mill.", tags=["travel", "travel", "Belgium"])
    assert get_note_page(page_id) == {
        "page_id": page_id,
        "title": "Trip to Ghent",
        "content": "Stay at the Old Mill.",
        "tags": ["travel", "Belgium"],
        "pinned": False,
        "created_at": "2025-05-14T10:24:00-07:00",
        "changed_at": "2025-05-14T10:24:00-07:00",
        "checklist_ids": [],
    }
    for conditions in ({"words": "MILL ghent"}, {"tag": "belgium"}, {"pinned": False}, {}):
        assert [page["page_id"] for page in search_note_pages(**conditions)["results"]] == [page_id]  # type: ignore[arg-type]
    assert search_note_pages(changed_from="2025-05-14T19:24+02:00")["total"] == 1
    assert search_note_pages(changed_until="2025-05-14T10:23")["total"] == 0
    say(notes)
    append_to_note_page(page_id, "Bring boots.")
    modify_note_page(page_id, pinned=True)
    page = get_note_page(page_id)
    assert (page["content"], page["pinned"], page["changed_at"][-14:]) == (
        "Stay at the Old Mill.\nBring boots.",
        True,
        "10:24:01-07:00",
    )
    delete_note_page(page_id)
    with pytest.raises(NoDataError, match=f"^no page has the page_id '{page_id}'$"):
        get_note_page(page_id)


def test_titles_are_unique() -> None:
    first, second = create_note_page("One", "1"), create_note_page("Two", "2")
    with pytest.raises(ValueError, match="there is a page with the title 'One' already"):
        create_note_page("One", "again")
    with pytest.raises(ValueError, match="there is a page with the title 'One' already"):
        modify_note_page(second, title="One")
    modify_note_page(first, title="One", content="a page may keep its title")


def test_items_keep_their_order() -> None:
    checklist_id = create_checklist("Groceries", ["eggs", "rice"])
    (milk,) = add_checklist_items(checklist_id, ["milk"])
    assert move_checklist_item(milk, 1) == ["milk", "eggs", "rice"]
    modify_checklist_item(milk, done=True)
    items = get_checklist(checklist_id)["items"]
    assert [(item["content"], item["position"], item["done_at"] is not None) for item in items] == [
        ("milk", 1, True),
        ("eggs", 2, False),
        ("rice", 3, False),
    ]
    assert [item["content"] for item in search_checklist_items(done=False)["results"]] == ["eggs", "rice"]
    assert search_checklists(words="groc")["results"][0]["open_items"] == 2
    assert delete_checklist(checklist_id) == 3
    assert search_checklist_items()["total"] == 0


def test_a_checklist_outlives_its_page() -> None:
    page_id = create_note_page("Party", "On Friday.")
    checklist_id = create_checklist("Drinks", page_id=page_id)
    assert get_note_page(page_id)["checklist_ids"] == [checklist_id]
    delete_note_page(page_id)
    assert get_checklist(checklist_id)["page_id"] is None
    assert search_checklists(page_id=None)["total"] == 1


def test_what_was_told_last_comes_first(notes: ExecutionContext) -> None:
    remember_for_later("I take window seats.", "preference")
    say(notes)
    remember_for_later("I take aisle seats now.", "preference")
    found = recall_earlier_conversations(words="seats", topic="preference")["results"]
    assert [row["content"] for row in found] == ["I take aisle seats now.", "I take window seats."]
