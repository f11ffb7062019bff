"""Rows as content and scenarios make them."""

from collections.abc import Sequence
from typing import Any

from tool_sandbox.apps import Draw

Row = dict[str, Any]
Sender = tuple[str, str]
"""Name and address."""


def identity_row(draw: Draw, sender: Sender, *, is_default: bool, hold_minutes: int = 2) -> Row:
    """An own address."""
    row = {"identity_id": draw.key("identity"), "name": sender[0], "address": sender[1]}
    return row | {"is_default": is_default, "hold_minutes": hold_minutes}


def thread_row(draw: Draw, subject: str) -> Row:
    """A thread, still without mails."""
    return {"thread_id": draw.key("thread"), "subject": subject}


def mail_row(
    draw: Draw,
    thread_id: str,
    sender: Sender,
    to: Sequence[str],
    subject: str,
    body: str,
    dated: str,
    *,
    kind: str = "received",
    folder: str = "inbox",
    cc: Sequence[str] = (),
    answers_id: str | None = None,
    read: bool = True,
    label_ids: Sequence[str] = (),
) -> Row:
    """A mail; one that is sent or a draft needs its folder named."""
    return {
        "mail_id": draw.key("mail"),
        "thread_id": thread_id,
        "answers_id": answers_id,
        "kind": kind,
        "folder": folder,
        "from_name": sender[0],
        "from_address": sender[1],
        "to": [*to],
        "cc": [*cc],
        "bcc": [],
        "subject": subject,
        "body": body,
        "dated_at": dated,
        "read": read,
        "starred": False,
        "label_ids": [*label_ids],
    }


def attachment_row(draw: Draw, mail_id: str, file_name: str, size_bytes: int) -> Row:
    """What is attached to a mail."""
    row = {"attachment_id": draw.key("attachment"), "mail_id": mail_id}
    return row | {"file_name": file_name, "size_bytes": size_bytes}
