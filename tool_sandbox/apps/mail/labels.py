"""Tools for labels, and for the owner's addresses."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    change,
    checked_text,
    contains,
    remove,
    rows_of,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.mail.tables import FILTERS, IDENTITIES, LABELS, MAILS

LONGEST_LABEL = 20


def _check_label(name: Any, own: str = "") -> None:
    checked_text(name, "name", LONGEST_LABEL)
    if '"' in name or "\n" in name or name != " ".join(name.split()):
        raise ValueError("name must be one line without quotation marks and superfluous spaces")
    for row in rows_of(LABELS):
        if row["name"].casefold() == name.casefold() and row["label_id"] != own:
            raise ValueError(f"there is a label with the name {row['name']!r} already")


@tool
def create_mail_label(name: str) -> str:
    """Make a label, under which mails can be filed.

    Args:
        name: Name of at most 20 characters, which no other label has.

    Returns:
        Identifier of the label.

    Raises:
        ValueError: There is such a label already, or the name is blank, too long, or has quotation marks.
    """
    _check_label(name)
    return add(LABELS, name=name)


@tool
def delete_mail_label(label_id: str) -> int:
    """Delete a label. The mails that have it stay, without it.

    Args:
        label_id: Identifier of the label.

    Returns:
        Number of mails that had it.

    Raises:
        ValueError: A filter uses it; that has to be deleted first.
        NoDataError: No label has this identifier.
    """
    remove(LABELS, label_id)
    if filters := rows_with(FILTERS, "label_ids", label_id):
        raise ValueError(f"filter {filters[0]['filter_id']} uses the label; delete that first with delete_mail_filter")
    mails = rows_with(MAILS, "label_ids", label_id)
    for mail in mails:
        change(MAILS, mail["mail_id"], label_ids=[each for each in mail["label_ids"] if each != label_id])
    return len(mails)


def _with_counts(label: dict[str, Any], read: Read) -> dict[str, Any]:
    mails, own = read(MAILS), {"label_ids": label["label_id"]}
    return label | {"mails": mails.count(**own), "unread": mails.count(**own, read=False)}


@tool
def search_mail_labels(words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """Find labels of mails by name. Without conditions it lists all.

    Args:
        words: Words that all occur in the name.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (labels with the numbers of their mails and unread mails in all folders), total, and next_cursor, which
        is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(LABELS, contains("name", words), order_by="name", show=_with_counts, limit=limit, cursor=cursor)


# Addresses ------------------------------------------------------------------------------------


@tool
def get_mail_identities() -> list[dict[str, Any]]:
    """Tell the own addresses from which mail is sent.

    Returns:
        Identities: identifier, name, address, whether it is the default, and for how many minutes a mail that is sent
        from it waits and can be taken back.
    """
    return rows_of(IDENTITIES).dicts()
