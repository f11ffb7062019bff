"""What the notes app keeps: pages, lists with items to tick off, and earlier conversations with the assistant."""

from typing import Any

from tool_sandbox.apps import automatic, choice, flag, key, moment, only_one, reference, table, text, texts, whole


def _ends_after_it_began(row: dict[str, Any]) -> str | None:
    if row["done"] != (row["done_at"] is not None):
        return f"item {row['item_id']} is done if and only if it has a time at which it was done"
    return None


PAGES = table(
    "notes.pages",
    key("page_id"),
    text("title"),
    text("content"),
    texts("tags"),
    flag("pinned"),
    automatic(moment("created_at")),
    automatic(moment("changed_at")),
    unique=[only_one("title", words="there is a page with the title {title!r} already")],
)
"""Pages of text."""

CHECKLISTS = table(
    "notes.checklists",
    key("checklist_id"),
    text("title"),
    reference("page_id", "notes.pages", optional=True),
    automatic(moment("created_at")),
    unique=[only_one("title", words="there is a checklist with the title {title!r} already")],
)
"""Lists, which may belong to a page."""

ITEMS = table(
    "notes.items",
    key("item_id"),
    reference("checklist_id", "notes.checklists"),
    text("content"),
    whole("position", 1, 500),
    flag("done"),
    automatic(moment("done_at", optional=True)),
    unique=[only_one("checklist_id", "position", words="two items stand at position {position} of one checklist")],
    row_rules=[_ends_after_it_began],
)
"""Items of lists, in the order of their positions."""

MEMORIES = table(
    "notes.memories",
    key("memory_id"),
    text("content"),
    choice("topic", "preference", "person", "habit", "instruction", "fact"),
    automatic(moment("told_at")),
)
"""What the user told the assistant in earlier conversations, in the order in which it was told."""

LOGS = table(
    "notes.conversations",
    key("conversation_id"),
    text("subject"),
    text("log"),
    moment("begun_at"),
)
"""Earlier conversations, word for word, in order; the present one is not among them."""
