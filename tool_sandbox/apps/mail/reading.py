"""Tools for finding and reading mails."""

from typing import Any

from tool_sandbox.apps import get, rows_with, seconds_of, tool
from tool_sandbox.apps.mail.finding import cut, paged_mails, sender_of, state_of
from tool_sandbox.apps.mail.query import parse
from tool_sandbox.apps.mail.tables import ATTACHMENTS, LABELS, MAILS, THREADS

MOST_OF_THREAD = 25
BODIES_OF_THREAD = 10_000


@tool
def search_mail(query: str = "", limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """Find mails, the newest first, with a query as mail programs take it. An empty query lists all.

    Words must all occur in sender, recipients, subject or body; "in quotation marks" as they stand. Operators: from:,
    to:, cc:, bcc:, subject:, filename: (each with a part of the text; from:me and to:me are the own addresses),
    label:NAME, in:inbox|archive|sent|outbox|drafts|spam|trash|anywhere, is:read|unread|starred|unstarred|answered|
    unanswered, has:attachment, before:2025-05-14 and after:2025-05-14 (after includes the day), larger:500k,
    smaller:5m. A minus before a term excludes it, OR stands between alternatives and binds less than what stands
    together, parentheses group: from:priya (subject:invoice OR subject:"order form") -label:Done. Spam and trash are
    left out unless the query has in:. Mails in the outbox have been sent, but have not left yet.

    Args:
        query: What to find, at most 300 characters.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (mails with an excerpt of their text), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The query, the limit or the cursor cannot be understood, or there is no such label.
    """
    return paged_mails(parse(query), limit, cursor)


@tool
def get_mail_thread(thread_id: str) -> dict[str, Any]:
    """Read a thread of mails from its first to its last; of a long one the newest 25, with their texts shortened.

    Args:
        thread_id: Identifier of the thread.

    Returns:
        The thread with its subject, the total of its mails, and the mails; get_mail gives one of them in whole.

    Raises:
        NoDataError: No thread has this identifier.
    """
    thread = get(THREADS, thread_id)
    rows = sorted(rows_with(MAILS, "thread_id", thread_id), key=lambda row: seconds_of(row["dated_at"]))
    shown = rows[-MOST_OF_THREAD:]
    room = BODIES_OF_THREAD // max(len(shown), 1)
    return thread | {"total": len(rows), "mails": [_in_thread(row, room) for row in shown]}


def _in_thread(mail: dict[str, Any], room: int) -> dict[str, Any]:
    body = mail["body"]
    return {
        "mail_id": mail["mail_id"],
        "folder": mail["folder"],
        "from": cut(sender_of(mail), 60),
        "to": cut(", ".join(mail["to"]), 80),
        "dated_at": mail["dated_at"],
        "read": mail["read"],
        "body": body if len(body) <= room else f"{body[:room]}...",
    }


@tool
def get_mail(mail_id: str) -> dict[str, Any]:
    """Read a whole mail. It does not become read by that; mark_mail does.

    Args:
        mail_id: Identifier of the mail.

    Returns:
        The mail with its thread, recipients, text, labels by name, attachments, and its state: received, draft, waiting
        (sent, but it leaves at dated_at and can be taken back until then) or sent.

    Raises:
        NoDataError: No mail has this identifier.
    """
    mail = get(MAILS, mail_id)
    state = state_of(mail)
    labels = [get(LABELS, each)["name"] for each in mail.pop("label_ids")]
    attachments = rows_with(ATTACHMENTS, "mail_id", mail_id)
    for row in attachments:
        del row["mail_id"]
    del mail["kind"]
    return mail | {"state": state, "labels": labels, "attachments": attachments}
