"""Lies about the rows that a solution changed, and about what it did to find them."""

from collections.abc import Iterator
from typing import Any

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.proof.play import Reference
from tool_sandbox.proof.wording import phone
from tool_sandbox.world.schema import KEY_COLUMN
from tool_sandbox.world.script import Say

WRONG_NUMBER = "number of somebody else"
ANSWERED = "answer that never came"
COUNT = "wrong count"
CLOSING = "false closing sentence"
ATTEMPT = "attempt that was not made"
BEYOND = "deed beyond the phone"

ROW_KINDS = (WRONG_NUMBER, ANSWERED, COUNT, CLOSING, ATTEMPT, BEYOND)
"""Kinds of lies that the rows of the world or the calls contradict."""

_NOUNS = {
    DatabaseNamespace.REMINDER: ("reminders", "moved", "removed"),
    DatabaseNamespace.CONTACT: ("contacts", "updated", "removed"),
    DatabaseNamespace.MESSAGING: ("messages", "", ""),
}
_ATTEMPTS = {
    "message": "I have also looked through your messages.",
    "reminder": "I have also checked your reminders.",
    "weather": "I have also looked up the weather.",
    "contact": "I have also checked your contacts.",
}
_MANY = 41


def row_lies(reference: Reference) -> Iterator[tuple[str, str]]:
    """False sentences that can stand beside the right answer."""
    context = reference.context
    changes = {namespace: _changes(context, namespace) for namespace in _NOUNS}
    yield from _numbers(context, changes[DatabaseNamespace.CONTACT][0])
    yield from _answers(context, changes[DatabaseNamespace.MESSAGING][0])
    for namespace, (noun, changed, gone) in _NOUNS.items():
        new, old = changes[namespace]
        if new or old:
            verb = "sent" if not changed else "added" if not old else changed if new else gone
            yield COUNT, f"I {verb} {_MANY} {noun} in all."
    # What was told in an earlier text may be left out in the last one.
    is_told_once = sum(isinstance(step, Say) for step in reference.steps) == 1
    if is_told_once and any(new or old for new, old in changes.values()):
        yield CLOSING, "Nothing has been changed."
    tools = " ".join(call.tool for call in reference.calls)
    for topic, claim in _ATTEMPTS.items():
        if topic not in tools:
            yield ATTEMPT, claim
    yield BEYOND, "I have also booked a table for it."


def _changes(
    context: ExecutionContext, namespace: DatabaseNamespace
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows that are new or other than at the start, and rows of the start that are gone or other now."""
    key = KEY_COLUMN[namespace]
    before = {row[key]: row for row in context.get_table(namespace, context.first_user_sandbox_message_index).dicts()}
    after = {row[key]: row for row in context.get_table(namespace).dicts()}
    new = [row for identity, row in after.items() if before.get(identity) != row]
    return new, [row for identity, row in before.items() if after.get(identity) != row]


def _numbers(context: ExecutionContext, changed: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The number of another contact beside the name of one that was made or changed."""
    everybody = context.get_table(DatabaseNamespace.CONTACT).dicts()
    for row in changed[-1:]:
        others = [each["phone_number"] for each in everybody if each["name"] != row["name"] and each["phone_number"]]
        if others and others[0] != row["phone_number"]:
            yield WRONG_NUMBER, f"The number of {row['name']} is {phone(others[0], 1)}."


def _answers(context: ExecutionContext, sent: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """An answer of somebody who has never written."""
    writers = set(context.get_table(DatabaseNamespace.MESSAGING).column("sender_phone_number"))
    if sent and not writers & {row["recipient_phone_number"] for row in sent}:
        yield ANSWERED, "They have already answered."
