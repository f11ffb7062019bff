"""Tools for pages."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    checked_texts,
    contains,
    equals,
    get,
    now,
    remove,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.notes.tables import CHECKLISTS, PAGES

LONGEST_TITLE = 120
LONGEST_PAGE = 8_000
MOST_TAGS = 10
LONGEST_TAG = 40
EXCERPT = 160


def checked_title(title: Any) -> Any:
    """A title, for pages and checklists; one that was left out passes."""
    return checked_text(title, "title", LONGEST_TITLE)


def _check_free(title: Any, own: str = "") -> None:
    if any(row["page_id"] != own for row in rows_with(PAGES, "title", title)):
        raise ValueError(f"there is a page with the title {title!r} already")


def _listed(page: dict[str, Any], read: Read) -> dict[str, Any]:
    """What a list of pages shows of one."""
    content = page.pop("content")
    page["excerpt"] = content if len(content) <= EXCERPT else f"{content[:EXCERPT]}..."
    return page


@tool
def create_note_page(title: str, content: str, tags: list[str] | None = None, pinned: bool = False) -> str:
    """Write a new page in the notes.

    Args:
        title: Title of the page, which no other page has.
        content: Text of the page, at most 8000 characters.
        tags: Words under which the page is filed, at most ten.
        pinned: Whether the page stands at the top of the notes.

    Returns:
        Identifier of the new page.

    Raises:
        ValueError: There is a page of this title already, or a text is blank or too long.
    """
    checked_title(title)
    checked_text(content, "content", LONGEST_PAGE)
    kept = checked_texts(tags or [], "tags", longest=LONGEST_TAG, most=MOST_TAGS)
    _check_free(title)
    moment = now()
    return add(PAGES, title=title, content=content, tags=kept, pinned=pinned, created_at=moment, changed_at=moment)


@tool
def get_note_page(page_id: str) -> dict[str, Any]:
    """Read a whole page of the notes.

    Args:
        page_id: Identifier of the page.

    Returns:
        The page with title, content, tags, times, and the identifiers of its checklists.

    Raises:
        NoDataError: No page has this identifier.
    """
    page = get(PAGES, page_id)
    return page | {"checklist_ids": [row["checklist_id"] for row in rows_with(CHECKLISTS, "page_id", page_id)]}


@tool
def search_note_pages(
    words: str | NotGiven = NOT_GIVEN,
    tag: str | NotGiven = NOT_GIVEN,
    pinned: bool | NotGiven = NOT_GIVEN,
    changed_from: str | NotGiven = NOT_GIVEN,
    changed_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find pages of the notes, those changed last first. Without conditions it lists all.

    Args:
        words: Words that all occur in title, content or tags.
        tag: A tag that the pages have.
        pinned: Whether the pages are pinned.
        changed_from: Earliest time of the last change, for example 2025-05-14T10:24, in the zone of the device.
        changed_until: Latest time of the last change.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (pages, each with an excerpt of its content), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        PAGES,
        contains(("title", "content", "tags"), words),
        equals("tags", tag),
        equals("pinned", pinned),
        at_least("changed_at", checked_moment(changed_from, "changed_from")),
        at_most("changed_at", checked_moment(changed_until, "changed_until")),
        order_by="changed_at",
        descending=True,
        show=_listed,
        limit=limit,
        cursor=cursor,
    )


@tool
def modify_note_page(
    page_id: str,
    title: str | NotGiven = NOT_GIVEN,
    content: str | NotGiven = NOT_GIVEN,
    tags: list[str] | NotGiven = NOT_GIVEN,
    pinned: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Change a page of the notes. What is left out stays as it is, and the time of the last change becomes now.

    Args:
        page_id: Identifier of the page.
        title: New title, which no other page has.
        content: New text of the whole page, at most 8000 characters.
        tags: All tags that the page has from now on.
        pinned: Whether the page stands at the top of the notes.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, another page has the title, or a text is blank or too long.
        NoDataError: No page has this identifier.
    """
    get(PAGES, page_id)
    changes = {"title": checked_title(title), "content": checked_text(content, "content", LONGEST_PAGE)}
    changes |= {"tags": checked_texts(tags, "tags", longest=LONGEST_TAG, most=MOST_TAGS), "pinned": pinned}
    if title is not NOT_GIVEN:
        _check_free(title, page_id)
    change(PAGES, page_id, **changes)
    change(PAGES, page_id, changed_at=now())


@tool
def append_to_note_page(page_id: str, content: str) -> int:
    """Add a line at the end of a page of the notes.

    Args:
        page_id: Identifier of the page.
        content: What is added.

    Returns:
        Number of characters that the page has now.

    Raises:
        ValueError: The text is blank, or the page would be longer than 8000 characters.
        NoDataError: No page has this identifier.
    """
    page = get(PAGES, page_id)
    checked_text(content, "content", LONGEST_PAGE)
    whole = f"{page['content']}\n{content}"
    if len(whole) > LONGEST_PAGE:
        raise ValueError(f"the page would have {len(whole)} characters, at most {LONGEST_PAGE} are accepted")
    change(PAGES, page_id, content=whole, changed_at=now())
    return len(whole)


@tool
def delete_note_page(page_id: str) -> None:
    """Delete a page of the notes. Its checklists stay, without a page.

    Args:
        page_id: Identifier of the page.

    Returns:
        Nothing.

    Raises:
        NoDataError: No page has this identifier.
    """
    remove(PAGES, page_id)
    for checklist in rows_with(CHECKLISTS, "page_id", page_id):
        change(CHECKLISTS, checklist["checklist_id"], page_id=None)
