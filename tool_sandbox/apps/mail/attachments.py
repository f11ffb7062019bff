"""Tools for what is attached to mails."""

from tool_sandbox.apps import (
    add,
    checked_text,
    get,
    remove,
    rows_with,
    tool,
)
from tool_sandbox.apps.mail.composing import get_draft
from tool_sandbox.apps.mail.tables import ATTACHMENTS

MOST_BYTES = 25_000_000
MOST_ATTACHMENTS = 10
LONGEST_NAME = 60


@tool
def add_mail_attachment(mail_id: str, file_name: str, size_bytes: int) -> str:
    """Attach a file to a draft of a mail.

    Args:
        mail_id: Identifier of the draft.
        file_name: Name of the file, at most 60 characters.
        size_bytes: Its size in bytes; all attachments of a mail together have at most 25,000,000, and are at most 10.

    Returns:
        Identifier of the attachment.

    Raises:
        ValueError: The mail is no draft, it has an attachment of this name, the name is blank or a path, or there would
            be too much in it.
        NoDataError: No mail has this identifier.
    """
    checked_text(file_name, "file_name", LONGEST_NAME)
    if "/" in file_name or "\n" in file_name:
        raise ValueError("file_name must be the name of a file without folders")
    if not 1 <= size_bytes <= MOST_BYTES:
        raise ValueError(f"size_bytes must be from 1 to {MOST_BYTES}, got {str(size_bytes)[:20]}")
    get_draft(mail_id)
    known = rows_with(ATTACHMENTS, "mail_id", mail_id)
    if any(row["file_name"] == file_name for row in known):
        raise ValueError(f"the draft has an attachment of the name {file_name!r} already")
    if len(known) >= MOST_ATTACHMENTS:
        raise ValueError(f"the draft has {len(known)} attachments, more are not accepted")
    size = sum(row["size_bytes"] for row in known) + size_bytes
    if size > MOST_BYTES:
        raise ValueError(f"the attachments would have {size} bytes, at most {MOST_BYTES} are accepted")
    return add(ATTACHMENTS, mail_id=mail_id, file_name=file_name, size_bytes=int(size_bytes))


@tool
def remove_mail_attachment(attachment_id: str) -> None:
    """Take an attachment off a draft of a mail.

    Args:
        attachment_id: Identifier of the attachment.

    Returns:
        Nothing.

    Raises:
        ValueError: The mail is no draft.
        NoDataError: No attachment has this identifier.
    """
    get_draft(get(ATTACHMENTS, attachment_id)["mail_id"])
    remove(ATTACHMENTS, attachment_id)
