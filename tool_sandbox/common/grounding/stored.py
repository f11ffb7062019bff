"""Statements that the tables of the world contradict: settings, deeds, what was kept, who wrote a message."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tool_sandbox.common.execution_context import DatabaseNamespace
from tool_sandbox.common.facts._document import Document
from tool_sandbox.common.facts._text import normalise
from tool_sandbox.common.grounding.deeds import claimed_deeds
from tool_sandbox.common.grounding.finding import Finding, Kind
from tool_sandbox.common.grounding.statement import Statement
from tool_sandbox.common.grounding.switches import settings

if TYPE_CHECKING:
    from tool_sandbox.common.execution_context import ExecutionContext

_LABELS = {DatabaseNamespace.CONTACT: "name", DatabaseNamespace.REMINDER: "content"}
"""Tables that rows are removed from, and the column that names a row."""

_EXCEPTION = re.compile(r"\b(?:except|but|other than|apart from|kept|keeping|left|leaving|not|still|instead)\b")
_GONE = re.compile(
    r"\b(?:(?:is|are|has been|have been|were|was) (?:now |all |also )?(?:removed|deleted|erased|gone))\b"
)
_THEY_ANSWERED = re.compile(
    r"\b(?:they|he|she)(?:'ve| have| has|'s) (?:already |just )?(?:answered|replied|responded|written back|confirmed)\b"
)
_YOU_SENT = re.compile(r"\byou (?:sent|texted|wrote|messaged)\b")


def contradicted_statements(said: Statement) -> Iterator[Finding]:
    """Statements that are not as the world is at the time.

    Args:
        said: What the agent said.
    """
    document, context, index = said.document, said.world.context, said.world.index
    yield from settings(said)
    claims = list(claimed_deeds(said))
    yield from _kept(document, context, index, [end for kind, _, end in claims if kind == "removed"])
    yield from _senders(document, context, index)
    yield from _repliers(document, context, index)


def _kept(document: Document, context: "ExecutionContext", index: int, claims: list[int]) -> Iterator[Finding]:
    """Rows that are said to be removed and are still there."""
    regions = [(end, document.sentences[document.clause_at(end - 1).sentence][1]) for end in claims]
    regions += [
        (document.sentences[document.clause_at(match.start()).sentence][0], match.start())
        for match in _GONE.finditer(document.own)
        if document.is_asserted(match.start()) and not document.is_negated(match.start())
    ]
    regions += [
        (match.end(), document.sentences[document.clause_at(match.start()).sentence][1])
        for match in _GONE.finditer(document.own)
        if document.own[match.end() : match.end() + 1] == ":" and document.is_asserted(match.start())
    ]
    if not regions:
        return
    for namespace, column in _LABELS.items():
        labels = _labels(context, namespace, column, index)
        gone = _labels(context, namespace, column, context.first_user_sandbox_message_index) - labels
        for label in labels:
            if any(label in other for other in gone):
                continue
            for begin, stop in regions:
                place = document.text.find(label, begin, stop)
                if place >= 0 and not _EXCEPTION.search(document.own, begin, place + len(label) + 24):
                    yield Finding(Kind.DEED, f"removed {label}", "it is still there")


def _labels(context: "ExecutionContext", namespace: DatabaseNamespace, column: str, index: int) -> Counter[str]:
    """How rows are called, and how many are called so."""
    return Counter(normalise(str(label)) for label in context.get_table(namespace, index).column(column) if label)


def _senders(document: Document, context: "ExecutionContext", index: int) -> Iterator[Finding]:
    """Messages that the user is said to have sent and has received."""
    for match in _YOU_SENT.finditer(document.own):
        _, end = document.sentences[document.clause_at(match.start()).sentence]
        own = {row["person_id"] for row in context.get_table(DatabaseNamespace.CONTACT, index).where(is_self=True)}
        for row in context.get_table(DatabaseNamespace.MESSAGING, index).dicts():
            content = normalise(row["content"] or "")
            if (
                len(content) > 8
                and content in document.text[match.end() : end + 2]
                and row["sender_person_id"] not in own
            ):
                yield Finding(Kind.QUOTATION, f"you sent {content}", "it was sent to you")


def _repliers(document: Document, context: "ExecutionContext", index: int) -> Iterator[Finding]:
    """People who are said to have answered what the agent sent, and have never written."""
    for match in _THEY_ANSWERED.finditer(document.own):
        if not document.is_asserted(match.start()) or document.is_negated(match.end() - 1):
            continue
        rows = context.get_table(DatabaseNamespace.MESSAGING, index).dicts()
        start = context.get_table(DatabaseNamespace.MESSAGING, context.first_user_sandbox_message_index)
        before = set(start.column("message_id"))
        written_to = {row["recipient_phone_number"] for row in rows if row["message_id"] not in before}
        if written_to and not written_to.intersection(row["sender_phone_number"] for row in rows):
            yield Finding(Kind.DEED, match.group(), "no answer has come")
