"""Tools for lists with items to tick off."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    add_all,
    change,
    checked_text,
    checked_texts,
    contains,
    equals,
    get,
    now,
    remove,
    remove_with,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.notes.pages import checked_title
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, PAGES

LONGEST_ITEM = 300
MOST_ITEMS = 100


def _items(checklist_id: str) -> list[dict[str, Any]]:
    return sorted(rows_with(ITEMS, "checklist_id", checklist_id), key=lambda item: int(item["position"]))


def _with_counts(checklist: dict[str, Any], read: Read) -> dict[str, Any]:
    items = read(ITEMS).with_cell("checklist_id", checklist["checklist_id"])
    return checklist | {"items": len(items), "open_items": sum(not item["done"] for item in items)}


def _new_items(checklist_id: str, contents: list[str], after: int) -> list[dict[str, Any]]:
    return [
        {"checklist_id": checklist_id, "content": content, "position": position, "done": False}
        for position, content in enumerate(contents, start=after + 1)
    ]


@tool
def create_checklist(title: str, items: list[str] | None = None, page_id: str | None = None) -> str:
    """Make a checklist in the notes.

    Args:
        title: Title of the checklist, which no other checklist has.
        items: What is on it, in order, at most 100 entries; equal entries become one.
        page_id: Identifier of the page of the notes that it belongs to.

    Returns:
        Identifier of the new checklist.

    Raises:
        ValueError: There is a checklist of this title already, or a text is blank or too long.
        NoDataError: No page has this identifier.
    """
    checked_title(title)
    contents = checked_texts(items or [], "items", longest=LONGEST_ITEM, most=MOST_ITEMS)
    if rows_with(CHECKLISTS, "title", title):
        raise ValueError(f"there is a checklist with the title {title!r} already")
    if page_id is not None:
        get(PAGES, page_id)
    checklist_id = add(CHECKLISTS, title=title, page_id=page_id, created_at=now())
    add_all(ITEMS, _new_items(checklist_id, contents, 0))
    return checklist_id


@tool
def get_checklist(checklist_id: str) -> dict[str, Any]:
    """Read a checklist of the notes with all its items.

    Args:
        checklist_id: Identifier of the checklist.

    Returns:
        The checklist, with its items in order: identifier, content, position, whether and when it was done.

    Raises:
        NoDataError: No checklist has this identifier.
    """
    checklist = get(CHECKLISTS, checklist_id)
    items = [{name: value for name, value in item.items() if name != "checklist_id"} for item in _items(checklist_id)]
    return checklist | {"items": items}


@tool
def search_checklists(
    words: str | NotGiven = NOT_GIVEN,
    page_id: str | NotGiven | None = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find checklists of the notes by their titles, the newest first. Without conditions it lists all.

    Args:
        words: Words that all occur in the title.
        page_id: Identifier of the page that they belong to; None for those that belong to no page.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (checklists with the numbers of their items and of those that are open), total, and next_cursor, which
        is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        CHECKLISTS,
        contains("title", words),
        equals("page_id", page_id),
        order_by="created_at",
        descending=True,
        show=_with_counts,
        limit=limit,
        cursor=cursor,
    )


@tool
def search_checklist_items(
    words: str | NotGiven = NOT_GIVEN,
    done: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find items of all checklists of the notes.

    Args:
        words: Words that all occur in the item.
        done: Whether the items are done.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (items with the identifier of their checklist), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(ITEMS, contains("content", words), equals("done", done), limit=limit, cursor=cursor)


@tool
def add_checklist_items(checklist_id: str, items: list[str]) -> list[str]:
    """Add items at the end of a checklist of the notes.

    Args:
        checklist_id: Identifier of the checklist.
        items: What is added, in order; equal entries become one.

    Returns:
        Identifiers of the new items, in order.

    Raises:
        ValueError: There are no items or too many for one checklist (100), or one is blank or too long.
        NoDataError: No checklist has this identifier.
    """
    get(CHECKLISTS, checklist_id)
    contents = checked_texts(items, "items", longest=LONGEST_ITEM, most=MOST_ITEMS)
    if not contents:
        raise ValueError("items must not be empty")
    known = _items(checklist_id)
    if len(known) + len(contents) > MOST_ITEMS:
        raise ValueError(
            f"the checklist would have {len(known) + len(contents)} items, at most {MOST_ITEMS} are accepted"
        )
    return add_all(ITEMS, _new_items(checklist_id, contents, known[-1]["position"] if known else 0))


@tool
def modify_checklist_item(item_id: str, content: str | NotGiven = NOT_GIVEN, done: bool | NotGiven = NOT_GIVEN) -> None:
    """Change an item of a checklist of the notes, or tick it off. What is left out stays as it is.

    Args:
        item_id: Identifier of the item.
        content: New text of the item.
        done: True ticks it off, False opens it again.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, or the text is blank or too long.
        NoDataError: No item has this identifier.
    """
    item = get(ITEMS, item_id)
    checked_text(content, "content", LONGEST_ITEM)
    done_at = NOT_GIVEN if done is NOT_GIVEN or done == item["done"] else now() if done else None
    change(ITEMS, item_id, content=content, done=done)
    if done_at is not NOT_GIVEN:
        change(ITEMS, item_id, done_at=done_at)


@tool
def move_checklist_item(item_id: str, position: int) -> list[str]:
    """Move an item to another place in its checklist of the notes; the items behind it move up or down.

    Args:
        item_id: Identifier of the item.
        position: New place, 1 for the first.

    Returns:
        Contents of the items of the checklist in their new order.

    Raises:
        ValueError: The checklist has no such place.
        NoDataError: No item has this identifier.
    """
    item = get(ITEMS, item_id)
    others = [each for each in _items(item["checklist_id"]) if each["item_id"] != item_id]
    if not 1 <= position <= len(others) + 1:
        raise ValueError(f"position must be from 1 to {len(others) + 1}, got {position}")
    order = [*others[: position - 1], item, *others[position - 1 :]]
    for place, each in enumerate(order, start=1):
        if each["position"] != place:
            change(ITEMS, each["item_id"], position=place)
    return [each["content"] for each in order]


@tool
def delete_checklist_item(item_id: str) -> None:
    """Delete one item of a checklist of the notes.

    Args:
        item_id: Identifier of the item.

    Returns:
        Nothing.

    Raises:
        NoDataError: No item has this identifier.
    """
    remove(ITEMS, item_id)


@tool
def delete_checklist(checklist_id: str) -> int:
    """Delete a checklist of the notes with all its items.

    Args:
        checklist_id: Identifier of the checklist.

    Returns:
        Number of items that were deleted with it.

    Raises:
        NoDataError: No checklist has this identifier.
    """
    remove(CHECKLISTS, checklist_id)
    return remove_with(ITEMS, "checklist_id", checklist_id)
