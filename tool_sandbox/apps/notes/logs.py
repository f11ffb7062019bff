"""Tools for the logs of earlier conversations, which the assistant does not know otherwise."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    at_least,
    at_most,
    checked_moment,
    contains,
    get,
    search,
    tool,
)
from tool_sandbox.apps.notes.tables import LOGS


@tool
def search_conversation_logs(
    words: str | NotGiven = NOT_GIVEN,
    begun_from: str | NotGiven = NOT_GIVEN,
    begun_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find earlier conversations between the user and the assistant, the newest first; this one is not among them.

    Args:
        words: Words that all occur in the subject or in what was said.
        begun_from: Earliest time at which they began, for example 2025-05-14T10:24, in the zone of the device.
        begun_until: Latest time at which they began.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (conversation_id, subject, begun_at), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        LOGS,
        contains(("subject", "log"), words),
        at_least("begun_at", checked_moment(begun_from, "begun_from")),
        at_most("begun_at", checked_moment(begun_until, "begun_until")),
        order_by="begun_at",
        descending=True,
        show=("conversation_id", "subject", "begun_at"),
        limit=limit,
        cursor=cursor,
    )


@tool
def read_conversation_log(conversation_id: str) -> dict[str, Any]:
    """Read an earlier conversation word for word.

    Args:
        conversation_id: Identifier of the conversation.

    Returns:
        subject, begun_at, and log: who said what, a line each.

    Raises:
        NoDataError: No conversation has this identifier.
    """
    return get(LOGS, conversation_id)
