"""What happens in the mailbox by itself, for scenarios in a world that moves."""

from collections.abc import Sequence

from tool_sandbox.apps import effect, get
from tool_sandbox.apps.mail.composing import identity
from tool_sandbox.apps.mail.filters import deliver
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.store import new_key


@effect
def mail_arrives(
    sender: tuple[str, str],
    subject: str,
    text: str,
    *,
    to: Sequence[str] = (),
    answers_id: str | None = None,
    files: Sequence[tuple[str, int]] = (),
) -> str:
    """A mail comes in, and the filters look at it.

    Args:
        sender: Name and address.
        subject: Subject.
        text: Body.
        to: Addresses that it goes to; that of the owner if left out.
        answers_id: Key of the mail that it answers, to whose thread it belongs then.
        files: Name and size in bytes of what is attached.
    """
    mail_id = new_key(MAILS)
    mail = {
        "mail_id": mail_id,
        "thread_id": get(MAILS, answers_id)["thread_id"] if answers_id else new_key(THREADS),
        "answers_id": answers_id,
        "kind": "received",
        "folder": "inbox",
        "from_name": sender[0],
        "from_address": sender[1],
        "to": [*to] or [identity(None)["address"]],
        "cc": [],
        "bcc": [],
        "subject": subject,
        "body": text,
        "read": False,
        "starred": False,
        "label_ids": [],
    }
    deliver(mail, [{"mail_id": mail_id, "file_name": name, "size_bytes": size} for name, size in files])
    return f"a mail from {sender[0]} came in: {subject}"
