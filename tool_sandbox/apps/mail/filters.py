"""Tools for what happens by itself to mails that come in, and the way in which a mail comes in."""

from collections.abc import Sequence
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    add_all,
    change,
    checked_text,
    contains,
    get,
    now,
    remove,
    rows_of,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.mail.finding import Finder
from tool_sandbox.apps.mail.query import OF_FILTERS, Node, parse, terms
from tool_sandbox.apps.mail.sorting import labelled
from tool_sandbox.apps.mail.tables import ATTACHMENTS, FILTERS, LABELS, MAILS, THREADS

MOST_FILTERS = 30


def _parsed(query: str) -> Node:
    node = parse(checked_text(query, "query", 300))
    for term in terms(node):
        if term.operator and term.operator not in OF_FILTERS:
            raise ValueError(f"query: a filter cannot use {term.operator}:, only {', '.join(OF_FILTERS)}")
    return node


def _apply(rule: dict[str, Any], mail: dict[str, Any]) -> None:
    changes: dict[str, Any] = {"label_ids": labelled(mail["label_ids"], rule["label_ids"], [])}
    if rule["folder"]:
        changes["folder"] = rule["folder"]
    if rule["marks_read"]:
        changes["read"] = True
    if rule["stars"]:
        changes["starred"] = True
    change(MAILS, mail["mail_id"], **changes)


def _found(rule: dict[str, Any], places: Sequence[int]) -> list[dict[str, Any]]:
    mails = rows_of(MAILS)
    found = Finder(rows_of).keep(parse(rule["query"]), places)
    return [mails.schema.as_dict(mails.rows[place]) for place in found]


def deliver(mail: dict[str, Any], attachments: Sequence[dict[str, Any]] = ()) -> str:
    """Lets a mail come in, as events of a scenario do; all filters look at it.

    Args:
        mail: Row as `mail_row` makes it; a thread that is not there is begun.
        attachments: Rows of what is attached to it.

    Returns:
        Identifier of the mail.
    """
    if rows_of(THREADS).get(mail["thread_id"]) is None:
        add(THREADS, thread_id=mail["thread_id"], subject=mail["subject"])
    mail_id = add(MAILS, **mail | {"dated_at": now()})
    add_all(ATTACHMENTS, attachments)
    for rule in rows_of(FILTERS):
        for found in _found(rule, [len(rows_of(MAILS)) - 1]):
            _apply(rule, found)
    return mail_id


@tool
def create_mail_filter(
    name: str,
    query: str,
    label_ids: list[str] | None = None,
    folder: Literal["archive", "spam", "trash"] | None = None,
    marks_read: bool = False,
    stars: bool = False,
) -> str:
    """Make a filter: from now on, mails that come in and are found by its query are treated as it says.

    Mails that are there already stay as they are; apply_mail_filter treats them, too.

    Args:
        name: Name of the filter, which no other filter has, at most 60 characters.
        query: What it finds, as search_mail takes it, with words and from:, to:, cc:, subject:, filename:, has:,
            larger: and smaller: only.
        label_ids: Identifiers of the labels that the mails get, at most five.
        folder: Where they go; left out, they stay in the inbox.
        marks_read: Whether they count as read.
        stars: Whether they get a star.

    Returns:
        Identifier of the filter.

    Raises:
        ValueError: There is a filter of this name or there are 30, it would do nothing, or a value is refused.
        NoDataError: No label has one of these identifiers.
    """
    checked_text(name, "name", 60)
    _parsed(query)
    kept = list(dict.fromkeys(label_ids or []))
    for label_id in kept:
        get(LABELS, label_id)
    labelled(kept, [], [])
    if len(rows_of(FILTERS)) >= MOST_FILTERS:
        raise ValueError(f"there are {MOST_FILTERS} filters already, delete one first")
    if rows_with(FILTERS, "name", name):
        raise ValueError(f"there is a filter with the name {name!r} already")
    if not (kept or folder or marks_read or stars):
        raise ValueError("the filter would do nothing; give at least one of label_ids, folder, marks_read and stars")
    cells = {"label_ids": kept, "folder": folder, "marks_read": marks_read, "stars": stars}
    return add(FILTERS, name=name, query=query, **cells)


@tool
def search_mail_filters(
    words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """Find filters of mails, in the order in which they are applied. Without conditions it lists all.

    Args:
        words: Words that all occur in name or query.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(FILTERS, contains(("name", "query"), words), limit=limit, cursor=cursor)


@tool
def apply_mail_filter(filter_id: str) -> int:
    """Treat the mails that are in the inbox now as a filter says.

    Args:
        filter_id: Identifier of the filter.

    Returns:
        Number of mails that its query found.

    Raises:
        ValueError: A mail would have more than five labels.
        NoDataError: No filter has this identifier.
    """
    rule = get(FILTERS, filter_id)
    found = _found(rule, list(rows_of(MAILS).groups("folder").get("inbox", ())))
    for mail in found:
        _apply(rule, mail)
    return len(found)


@tool
def delete_mail_filter(filter_id: str) -> None:
    """Delete a filter of mails. What it did stays.

    Args:
        filter_id: Identifier of the filter.

    Returns:
        Nothing.

    Raises:
        NoDataError: No filter has this identifier.
    """
    remove(FILTERS, filter_id)
