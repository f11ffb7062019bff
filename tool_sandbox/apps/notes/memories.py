"""Tools for what the assistant was told in earlier conversations."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    at_least,
    at_most,
    checked_moment,
    checked_text,
    contains,
    equals,
    now,
    remove,
    search,
    tool,
)
from tool_sandbox.apps.notes.tables import MEMORIES

LONGEST_MEMORY = 500

Topic = Literal["preference", "person", "habit", "instruction", "fact"]


@tool
def remember_for_later(content: str, topic: Topic) -> str:
    """Keep something that the user said, so that the assistant finds it in later conversations.

    Args:
        content: What the user said, in one or two sentences.
        topic: What kind of thing it is.

    Returns:
        Identifier of what was kept.

    Raises:
        ValueError: The text is blank or longer than 500 characters.
    """
    checked_text(content, "content", LONGEST_MEMORY)
    return add(MEMORIES, content=content, topic=topic, told_at=now())


@tool
def recall_earlier_conversations(
    words: str | NotGiven = NOT_GIVEN,
    topic: Topic | NotGiven = NOT_GIVEN,
    told_from: str | NotGiven = NOT_GIVEN,
    told_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what the user told the assistant in earlier conversations, the newest first.

    What was said last replaces what was said earlier about the same thing.

    Args:
        words: Words that all occur in it.
        topic: What kind of thing it is.
        told_from: Earliest time at which it was said, for example 2025-05-14T10:24, in the zone of the device.
        told_until: Latest time at which it was said.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        MEMORIES,
        contains("content", words),
        equals("topic", topic),
        at_least("told_at", checked_moment(told_from, "told_from")),
        at_most("told_at", checked_moment(told_until, "told_until")),
        order_by="told_at",
        descending=True,
        limit=limit,
        cursor=cursor,
    )


@tool
def forget_memory(memory_id: str) -> None:
    """Delete something that was kept from an earlier conversation, for good.

    Args:
        memory_id: Identifier of what was kept.

    Returns:
        Nothing.

    Raises:
        NoDataError: Nothing that was kept has this identifier.
    """
    remove(MEMORIES, memory_id)
