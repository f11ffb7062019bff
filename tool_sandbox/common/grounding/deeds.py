"""Deeds that an agent says it has done, and changes of the world that are such deeds."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tool_sandbox.common._table import Row
from tool_sandbox.common.execution_context import DatabaseNamespace
from tool_sandbox.common.facts._document import Document

if TYPE_CHECKING:
    from tool_sandbox.common.execution_context import ExecutionContext

_PARTICIPLES = {
    "sent": "sent texted messaged replied forwarded told notified informed",
    "added": "added saved created scheduled stored",
    "removed": "removed deleted erased cancelled canceled",
    "updated": "updated changed renamed edited corrected moved rescheduled postponed modified replaced",
    "switched": "turned switched enabled disabled",
    "beyond": "called phoned emailed e-mailed blocked booked ordered bought paid reserved muted uploaded faxed invited",
}
"""Kind of deed to what an agent says of it; what is beyond a phone's tools is never done."""

_KINDS = {verb: kind for kind, verbs in _PARTICIPLES.items() for verb in verbs.split()}
_VERBS = "|".join(_KINDS)
_ADVERBS = r"(?: (?:just|also|already|now|then|first|successfully|finally|even|gone ahead and|went ahead and))*"
_CLAIM = re.compile(
    rf"\bi(?:'ve| have)?{_ADVERBS} (?P<own>{_VERBS})\b(?! you\b)"
    rf"|\b(?:has|have) (?:now |also |just |already )*been(?: successfully| also)? (?P<passive>{_VERBS})\b"
)


def claimed_deeds(document: Document) -> Iterator[tuple[str, int, int]]:
    """Deeds that a text claims in the first person or says to have been done.

    Args:
        document: The text.

    Yields:
        Kind of the deed, and where the claim starts and ends.
    """
    for match in _CLAIM.finditer(document.own):
        verb = match.lastgroup or "own"
        if document.is_asserted(match.start(verb)) and not document.is_negated(match.start(verb)):
            yield _KINDS[match[verb]], match.start(), match.end()


def deeds_done(context: "ExecutionContext", index: int) -> set[str]:
    """Kinds of deeds that changed the world between the user's first message and another.

    Args:
        context: The world with its history.
        index: Index of the message.
    """
    done: set[str] = set()
    for namespace in DatabaseNamespace:
        if namespace is DatabaseNamespace.SANDBOX:
            continue
        before = context.get_table(namespace, context.first_user_sandbox_message_index).rows
        for position, table in context.get_history(namespace):
            if context.first_user_sandbox_message_index < position <= index and table.rows != before:
                done |= _kinds(namespace, before, table.rows)
                before = table.rows
    return done


def _kinds(namespace: DatabaseNamespace, before: tuple[Row, ...], after: tuple[Row, ...]) -> set[str]:
    """What a change may be called: to add a reminder is to save it, to rename a contact is to save that, too."""
    if namespace is DatabaseNamespace.SETTING:
        return {"switched", "updated"}
    kinds = {"sent"} if namespace is DatabaseNamespace.MESSAGING else {"updated"}
    if len(after) <= len(before):
        kinds |= {"removed"} if len(after) < len(before) else {"added"}
    return kinds if len(after) <= len(before) else kinds | {"added"}
