"""Deeds that an agent says it has done, and changes of the world that are such deeds."""

import functools
import re
from collections.abc import Iterator

from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.answers.grounding.world import LABELS, Cells, Change, plain
from tool_sandbox.conversation.execution_context import DatabaseNamespace

_PARTICIPLES = {
    "sent": "sent texted messaged replied forwarded told notified informed",
    "added": "added saved created scheduled stored noted",
    "removed": "removed deleted erased cancelled canceled",
    "updated": "updated changed renamed edited corrected moved rescheduled postponed modified replaced snoozed delayed",
    "switched": "turned switched enabled disabled",
    "paid": "paid",
    "bought": "bought",
    "archived": "archived",
    "beyond": "phoned emailed e-mailed faxed muted bookmarked printed",
}
"""Kind of deed to what an agent says of it; beyond the tools is only what can be no way of saying what they do."""

_KINDS = {verb: kind for kind, verbs in _PARTICIPLES.items() for verb in verbs.split()}
_LET_KNOW = (
    r"let (?!you\b|me\b|us\b)(?:[\w']+ ){1,4}?know"
    r"|(?:dropped|shot|fired off|gave|passed) (?!you\b|me\b)(?:[\w']+ ){1,5}?"
    r"(?:a (?:line|note|text|message)|a heads-up|a heads up|a shout)"
    r"|(?:wrote|written)(?: back)? (?:to )?(?=(?:your|#)\b)|(?:wrote|written) back to (?!you\b)\w+"
)
_VERBS = "|".join(_KINDS)
_IRREGULAR = {
    "send": "sent",
    "buy": "bought",
    "order": "bought",
    "pay": "paid",
    "transfer": "sent paid",
    "post": "sent",
    "comment": "noted told",
    "append": "noted",
    "set": "changed turned",
    "forget": "erased",
    "book": "scheduled",
    "move": "archived",
    "refund": "paid",
    "mail": "emailed",
}
"""Words in names of tools to participles of the same meaning, where these are not made of them."""

_SENDING = ("send_", "reply_", "forward_")

_OBJECT = re.compile(
    r" (?:the|your|his|her|their|an?|all|both|that|this|one|another)(?: \w+){0,2}? (?P<noun>reminder|contact)s?"
    r"(?= (?:as well|too|also)\b|[.,;!]|$)"
)
_ADVERBS = r"(?: (?:just|also|already|now|then|first|successfully|finally|even|gone ahead and|went ahead and))*"
_CLAIM = re.compile(
    rf"\bi(?:'ve| have)?{_ADVERBS} (?P<own>{_VERBS})\b(?! (?:you|\w+ apart)\b)"
    rf"|\bi(?:'ve| have)?{_ADVERBS} (?P<know>{_LET_KNOW})"
    r"|\b(?:texts?|messages?) (?:(?:has|have|did|now|just|already|also) )*(?P<out>go(?:ne)? out)\b"
    r"|\"(?: (?:has|have|did|now|just|already|also))* (?P<went>went out|gone out|go out)\b"
    r"|(?<!\w)\w+(?: (?:now|already|finally))? has (?:now |already )?(?P<got>your (?:text|message|invitation|note))\b"
    r"|(?:\b(?:it|texts?|messages?|notes?|invit(?:e|ation)s?)|\")(?: is|'s| are)(?: now| already)?"
    r" (?P<way>on (?:its|their|the) way)(?= to\b)"
    rf"|\b(?:has|have) (?:now |also |just |already )*been(?: successfully| also)? (?P<passive>{_VERBS})\b"
    r"|\bi(?:'ve| have)? (?:(?!\b(?:you|he|she|they|who|which|that|to|not|\w+n't)\b)[^#.;:!?\n\"]){2,60}?"
    rf" and(?: have| also| then)* (?P<then>{_VERBS})"
    r" (?=(?:it|that|the|your|them|him|her|this|one|an?|his|their|both)\b)"
)
_MORE = re.compile(
    rf"(?:,|;| and| then)(?: and)?(?: then| also| even| afterwards)* (?P<more>{_VERBS}) "
    r"(?=(?:the|your|an?|it|its|his|her|their|them|him|this|that|all|both|everyone)\b|\")"
)
_NOTHING = re.compile(r"(?: [\w'#]+){0,3}? (?:nothing|none|neither|nobody|no one)\b|(?: absolutely)? no\b")
_PUT = re.compile(
    rf"\bi(?:'ve| have)?{_ADVERBS} (?:put|put in|set|set up|made|placed|left|wrote|written|noted|saved|added|created"
    r"|scheduled) (?P<which>a second|another|one more|an?|one)(?: \w+){0,3}?"
    r" (?P<noun>reminder|ping|alert|contact|entry|message|text)\b"
    rf"|\bi(?:'ve| have)?{_ADVERBS} (?:put|put in|set|added|created) (?P<more>a second|another) one\b"
    rf"|\bi(?:'ve| have)?{_ADVERBS} (?:put|noted|jotted|entered|logged)(?: down)? (?:it|that|this|\"[^\"]*\")(?: down)?"
    r" (?:on|in|into|onto) (?:your|the) (?:(?P<book>contacts|address book)|list|to-do list|reminders?|calendar)\b"
)
_TO = re.compile(
    r"(?: on your list)? to (?P<what>(?:(?!(?:on|at|by|in|when|tomorrow|today|next|this)\b)[\w'-]+ ?){1,8})"
)
_SLIGHT = frozenset(
    ("a", "an", "the", "you", "your", "her", "his", "him", "them", "it", "its", "about", "for", "get", "of", "up")
)
_ALIKE = {"added": {"added", "updated"}, "updated": {"updated", "added", "switched"}, "switched": {"switched"}}
"""To rename a contact is to save it, too; to set something anew is to change it."""

_COLUMNS = {
    "latitude": "place|location(?! services?\\b| access\\b)",
    "phone_number": "(?:phone )?number",
    "relationship": "relationship",
    "name": "(?:last |first |sur)?name",
    "reminder_timestamp": "(?:due )?(?:time|date)",
    "content": "title|wording|content",
}
_COLUMN = re.compile(
    r" (?:its|the|his|her|their|your|that contact's|this reminder's)(?: \w+){0,2}? "
    rf"(?:{'|'.join(f'(?P<{column}>{words})' for column, words in _COLUMNS.items())})\b"
)
_PARTICLE = re.compile(r"(?: [\w'-]+){0,4}? (?:on|off)\b")
_ONLY = re.compile(r"\bonly\b")
_SOLE = re.compile(r"\b(?:was|is|only found|found only) (?:the|your) only\b|\bthe only one\b|\bjust (?:the )?one\b")
_DONE = re.compile(r"\b(?:moved|changed|updated|deleted|removed|sent|texted|added|saved|renamed|postponed)\b")
_STOP = re.compile(
    r"\b(?:except|but|other than|apart from|kept|keeping|left|leaving|not|still|instead|because|since|so|who|which|that"
    r"|whose|about|from|while|like|as|is|are|was|were|remains?|stays?)\b|[:;(]"
)
_PARTIAL = re.compile(r"\b(?:including|such as|among|others?|more|rest|all|every|everyone|everybody|remaining)\b")


def claimed_deeds(said: Statement) -> Iterator[tuple[str, int, int]]:
    """Deeds that a text claims in the first person or says to have been done."""
    own = said.document.own
    for match in _CLAIM.finditer(own):
        verb = match.lastgroup or "own"
        if not said.is_said(match.start(verb)) or _NOTHING.match(own, match.end()):
            continue
        if match[verb] in ("turned", "switched") and not _PARTICLE.match(own, match.end()):
            continue
        yield _KINDS.get(match[verb], "sent"), match.start(), match.end()
        for more in _MORE.finditer(own, match.end(), said.sentence(match.start())[1]) if verb == "own" else ():
            if said.is_said(more.start("more")):
                yield _KINDS[more["more"]], more.start("more"), more.end("more")


def false_deeds(said: Statement) -> Iterator[Finding]:
    """Claims of deeds of which nothing was done, or to another row or column."""
    claims = list(claimed_deeds(said))
    done = {change.kind for change in said.world.changes}
    for name, given in said.world.calls_of_apps:
        # What a state is set to names a deed, too: "cancelled".
        done |= {*_kinds_of_tool(name), *(_KINDS[cell] for cell in map(str, given.values()) if cell in _KINDS)}
    for kind, start, end in claims:
        words = said.document.text[start:end]
        if not done & _ALIKE.get(kind, {kind}):
            yield Finding(Kind.DEED, words, "nothing of the kind was done")
            continue
        named = _OBJECT.match(said.document.own, end)
        if named and not any(change.namespace.lower() == named["noun"] for change in said.world.changes):
            yield Finding(Kind.DEED, said.document.text[start : named.end()], f"no {named['noun']} was changed")
            continue
        changed = {column for change in said.world.changes for column in change.columns if change.kind != "sent"}
        column = _COLUMN.match(said.document.own, end) if kind == "updated" else None
        if column and column.lastgroup not in changed:
            yield Finding(Kind.DEED, said.document.text[start : column.end()], "that was not changed")
        yield from _untouched(said, kind, start, end)
    yield from _put(said)
    yield from _only(said)
    yield from _left_out(said)


@functools.cache
def _kinds_of_tool(name: str) -> frozenset[str]:
    """Kinds of deeds that a call of an app's tool can be called, by the words of its name: to cancel is to remove."""
    forms = (
        (*_IRREGULAR.get(word, "").split(), f"{word}d", f"{word}ed", f"{word}{word[-1:]}ed", f"{word[:-1]}ied")
        for word in name.split("_")
        if word != "mail" or name.startswith(_SENDING)  # who reads mails has not emailed anybody
    )
    participles = {participle for each in forms for participle in each}
    return frozenset(kind for verb, kind in _KINDS.items() if verb in participles)


def _put(said: Statement) -> Iterator[Finding]:
    """A new row that is said to be there, and a second one where there is one."""
    for match in _PUT.finditer(said.document.own):
        nouns = {"contact": DatabaseNamespace.CONTACT, "entry": None, "message": DatabaseNamespace.MESSAGING}
        namespace = {**nouns, "text": DatabaseNamespace.MESSAGING}.get(
            match["noun"] or ("contact" if match["book"] else ""), DatabaseNamespace.REMINDER
        )
        changes = [each for each in said.world.changes if namespace in (None, each.namespace) and each.after]
        least = 2 if (match["which"] or match["more"]) in ("another", "one more", "a second") else 1
        purpose = _TO.match(said.document.own, match.end())
        stored = {word for each in changes for row in each.rows for word in plain(row.get("content") or "").split()}
        what = [word for word in purpose["what"].split() if word not in _SLIGHT] if purpose else []
        unknown = [word for word in what if word not in stored and not said.told.holds_text(word)]
        is_other = bool(changes) and 2 * len(unknown) >= len(what) > 0
        if (len(changes) < least or is_other) and said.is_said(match.start()):
            yield Finding(Kind.DEED, match.group(), f"{len(changes)} were stored")


def _untouched(said: Statement, kind: str, start: int, end: int) -> Iterator[Finding]:
    """Contacts and reminders that are named as the object of a deed, and that nothing was done to."""
    stop = said.sentence(start)[1]
    bound = _STOP.search(said.document.own, end, stop)
    stop = bound.start() if bound else stop
    for namespace in (DatabaseNamespace.CONTACT, DatabaseNamespace.REMINDER):
        for begin, finish, rows in said.named(namespace):
            if end <= begin and finish <= stop and not _is_touched(said, rows, kind):
                yield Finding(Kind.DEED, said.document.text[start:finish], "nothing was done to it")


def _is_touched(said: Statement, rows: list[Cells], kind: str) -> bool:
    touched = [row for change in said.world.changes for row in change.rows]
    numbers = {row.get("phone_number") for row in rows} - {None}
    labels = {str(row[column]).lower() for row in rows for column in ("name", "content") if row.get(column)}
    return any(
        row in touched
        or {each.get("recipient_phone_number"), each.get("phone_number")} & numbers
        or any(label in str(each.get("content") or each.get("name")).lower() for label in labels)
        for row in rows
        for each in touched
    )


def _only(said: Statement) -> Iterator[Finding]:
    """Texts like "only X was changed", where more was."""
    for match in _ONLY.finditer(said.document.own):
        clause = said.document.clause_at(match.start())
        if not _DONE.search(said.document.own, match.end(), clause.end) or not said.is_said(match.start()):
            continue
        for namespace in (DatabaseNamespace.CONTACT, DatabaseNamespace.REMINDER):
            named = [
                row for start, _, rows in said.named(namespace) if match.end() <= start < clause.end for row in rows
            ]
            changed = [change for change in said.world.net if change.namespace is namespace]
            if named and any(row not in named for change in changed for row in change.rows):
                words = said.document.text[match.start() : clause.end]
                yield Finding(Kind.DEED, words.strip(), "others were changed as well")


def _left_out(said: Statement) -> Iterator[Finding]:
    """Rows that were changed like others that the text lists, and are not in the list."""
    recent = [each for each in said.world.changes if each.index > said.world.since]
    if len(recent) < 2 or _PARTIAL.search(said.document.own):
        return
    least = 1 if _SOLE.search(said.document.own) else 2
    for namespace, column in LABELS.items():
        for kind in ("added", "removed", "updated"):
            changes = [each for each in recent if each.namespace is namespace and each.kind == kind]
            named = said.named(namespace) if len(changes) > least else []
            listed = [start for start, _, rows in named if any(_is_of(change, rows) for change in changes)]
            missing = [change for change in changes if not any(_is_of(change, rows) for _, _, rows in named)]
            if len(listed) < least or not said.is_said(listed[0]):
                continue
            for label in (plain(change.rows[-1][column]) for change in missing):
                if label.split()[0] not in said.document.text:
                    yield Finding(Kind.DEED, said.document.text[listed[0] :][:60], f"{label} was {kind} as well")


def _is_of(change: Change, rows: list[Cells]) -> bool:
    return any(row in rows for row in change.rows)
