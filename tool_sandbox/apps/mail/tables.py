"""What the mail app keeps: mails in threads, what is attached to them, labels, filters, and the owner's addresses."""

from typing import Any

from tool_sandbox.apps import (
    TableRule,
    choice,
    flag,
    key,
    moment,
    only_one,
    reference,
    references,
    table,
    text,
    texts,
    whole,
)

FOLDERS = {"received": ("inbox", "archive", "spam", "trash"), "sent": ("sent", "trash"), "draft": ("drafts", "trash")}
"""Kind of a mail to the folders in which it can be."""


def _is_in_a_folder_of_its_kind(row: dict[str, Any]) -> str | None:
    if row["folder"] not in FOLDERS[row["kind"]]:
        return f"mail {row['mail_id']} is a {row['kind']} one, it cannot be in {row['folder']}"
    if row["kind"] != "draft" and not (row["to"] or row["cc"] or row["bcc"]):
        return f"mail {row['mail_id']} goes to nobody"
    return None


def _does_something(row: dict[str, Any]) -> str | None:
    if row["label_ids"] or row["folder"] or row["marks_read"] or row["stars"]:
        return None
    return f"filter {row['filter_id']} does nothing"


def _one_is_default(identities: Any) -> str | None:
    defaults = sum(identities.column("is_default"))
    return None if defaults == 1 or not len(identities) else f"{defaults} identities are the default, one has to be"


IDENTITIES = table(
    "mail.identities",
    key("identity_id"),
    text("name"),
    text("address"),
    flag("is_default"),
    whole("hold_minutes", 0, 60),
    unique=[only_one("address", words="there is an identity with the address {address!r} already")],
    rules=[TableRule(_one_is_default)],
)
"""Addresses of the owner, and how long mails that are sent from them can be taken back."""

THREADS = table("mail.threads", key("thread_id"), text("subject"))
"""What belongs together: a mail and the answers to it."""

LABELS = table(
    "mail.labels",
    key("label_id"),
    text("name"),
    unique=[only_one("name", words="there is a label with the name {name!r} already")],
)
"""What mails are filed under."""

MAILS = table(
    "mail.messages",
    key("mail_id"),
    reference("thread_id", "mail.threads"),
    reference("answers_id", "mail.messages", optional=True),
    choice("kind", *FOLDERS),
    choice("folder", "inbox", "archive", "spam", "trash", "sent", "drafts"),
    text("from_name"),
    text("from_address"),
    texts("to"),
    texts("cc"),
    texts("bcc"),
    text("subject"),
    text("body"),
    moment("dated_at"),
    flag("read"),
    flag("starred"),
    references("label_ids", "mail.labels"),
    row_rules=[_is_in_a_folder_of_its_kind],
)
"""Mails. ``dated_at`` is when one came, leaves or has left, or was written last; ``answers_id`` what it replies to."""

ATTACHMENTS = table(
    "mail.attachments",
    key("attachment_id"),
    reference("mail_id", "mail.messages"),
    text("file_name"),
    whole("size_bytes", 1, 25_000_000),
    unique=[only_one("mail_id", "file_name", words="a mail has two attachments of the name {file_name!r}")],
)
"""Files that are attached to mails: their names and sizes."""

FILTERS = table(
    "mail.filters",
    key("filter_id"),
    text("name"),
    text("query"),
    references("label_ids", "mail.labels"),
    choice("folder", "archive", "spam", "trash", optional=True),
    flag("marks_read"),
    flag("stars"),
    unique=[only_one("name", words="there is a filter with the name {name!r} already")],
    row_rules=[_does_something],
)
"""What happens by itself to mails that come in."""
