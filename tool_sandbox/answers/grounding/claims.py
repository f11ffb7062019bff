"""What an agent says of counts, of what repeats, of what others did, and of what stayed as it was."""

import re
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterator

from tool_sandbox.answers.facts._moments import DAYS, MONTHS
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS, number_of
from tool_sandbox.answers.grounding.deeds import claimed_deeds
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.conversation.execution_context import DatabaseNamespace

_WHO = r"(?:he|she|they|(?:both|all|everyone|everybody|nobody|no one|none)(?: of them)?|#)"
_UNANSWERED = re.compile(
    rf"(?<!\w)(?P<who>you|{_WHO})(?: (?:have|has|did)(?:n't| not)|'ve not|'s not| never)(?: yet)?"
    r" (?:answered|replied|responded|(?:written|wrote|texted) back|answer|reply|respond)\b"
)
_EVERY = re.compile(
    r"\b(?:every|each) (?:single |other |leap )?(?:day|week|weekday|weekend|month|year|morning|evening|night|hour"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(?:repeats?|repeating|recurs|recurring|daily|weekly|monthly|yearly"
    r"|annually)\b"
)
_REMINDING = re.compile(
    r"\bremind|\balarm\b|\b(?:goes|go) off|\brepeat|\brecur|\bcomes? (?:back|up|round)|\bit(?:'ll| will)\b"
)
_COUNTED = re.compile(
    rf"(?: (?:only|all|the|your|these|those))* (?P<count>\d{{1,3}}|{'|'.join(SMALL_NUMBERS)}) (?:\w+ ){{0,2}}?"
    r"(?:reminders|contacts|messages|texts|entries|people|friends)\b"
)
_PERSON = re.compile(
    r"(?:belongs to|is|was|of|your \w+,|and|with|to|for|named|called|entry|contact)"
    r" (?P<name>[A-Z][a-z]{2,} [A-Z][a-z]{2,})\b"
)
_ZONES = frozenset(zone.rpartition("/")[2].replace("_", " ") for zone in zoneinfo.available_timezones())
_CALENDAR = frozenset(name.lower() for name in (*DAYS, *MONTHS[1:], "you", "they", "she", "nobody", "somebody"))
_BOTH_GONE = re.compile(
    r"\bboth\b[^.;:!?\n]{0,40}?\b(?:deleted|removed|erased|gone)\b"
    r"|\b(?:deleted|removed|erased)(?: \w+){0,2} both\b"
)
_EMPTY_CELL = re.compile(
    r"\b(?:has|have|had|with|shows|lists|holds|is|there's)(?: got| currently)? no (?:phone )?"
    r"(?P<what>number|relationship|relation|place|location)\b(?! (?:service|access))"
)
_CELLS = {"number": "phone_number", "relationship": "relationship", "relation": "relationship"}
_KEPT_VALUE = re.compile(
    r"\bthe (?:old|previous|former) (?P<what>one|number|name|time|date|place|relationship|title)"
    r"(?: is| was|'s)?(?: also| still)? (?:kept|still|saved|stored|there|remains|left|stays)\b"
)
_UNTOUCHED = re.compile(
    r"\b(?:nothing (?:has been|was|is|got) (?:changed|(?P<added>saved|added|created|stored)(?: for\b)?|(?P<sent>sent)"
    r"|(?P<removed>deleted|removed))"
    r"|(?:haven't|have not|didn't|did not) (?:change|touch|alter|(?P<switched>switch|flip|turn))(?:d|ed)? "
    r"(?:anything(?: on| off)?|a thing|(?:any of )?(?:the|your|any) (?P<noun>settings?|contacts?|reminders?))"
    r"|left (?:the|your|all(?: your)?) (?P<left>settings|contacts|reminders)"
    r" (?:alone|as (?:they|it) (?:were|was)|untouched))"
    r"(?!,? (?:else|more|other|about|in|to|on|with|of|for|at|but|except|besides|beyond|apart|beside|than)\b)"
)


def false_claims(said: Statement) -> Iterator[Finding]:
    """Claims that the calls, the messages or the tables do not bear out."""
    for check in _CHECKS:
        yield from check(said)


def _said(said: Statement, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    return (match for match in pattern.finditer(said.document.own) if said.is_said(match.start()))


def _unanswered(said: Statement) -> Iterator[Finding]:
    """That somebody has not answered needs a look at the messages of that side."""
    for match in _UNANSWERED.finditer(said.unnamed):
        side = "sender" if match["who"] == "you" else "recipient"
        looked = [set(arguments) for tool, arguments in said.calls if tool == "search_messages"]
        if said.document.is_asserted(match.start()) and not any(
            not any(name.startswith(side) for name in names) for names in looked
        ):
            yield Finding(Kind.DEED, match.group(), "nobody looked for an answer")
        elif match["who"] == "you" and said.document.is_asserted(match.start()) and _has_answered(said):
            yield Finding(Kind.DEED, match.group(), "there is a later message to that number")


def _has_answered(said: Statement) -> bool:
    """Whether the user has written to the sender of the only message that is quoted, after it."""
    messages = said.named(DatabaseNamespace.MESSAGING)
    quoted = messages[0][2][-1] if len({id(rows) for _, _, rows in messages}) == 1 else None
    return quoted is not None and any(
        row["recipient_phone_number"] == quoted["sender_phone_number"]
        and row["creation_timestamp"] > quoted["creation_timestamp"]
        for row in said.world.rows(DatabaseNamespace.MESSAGING)
    )


def _repetitions(said: Statement) -> Iterator[Finding]:
    reminders = [change for change in said.world.changes if change.namespace is DatabaseNamespace.REMINDER]
    if len({change.index for change in reminders}) != 1 or len(reminders) != 1:
        return
    for match in _said(said, _EVERY):
        begin, stop = said.sentence(match.start())
        if _REMINDING.search(said.document.own, begin, stop) and not said.told.holds_text(match.group()):
            yield Finding(Kind.TIME, match.group(), "a reminder goes off once")


def _counts(said: Statement) -> Iterator[Finding]:
    """How many rows a deed is said to have been done to."""
    sizes = set[int]()
    for since in (said.world.since, said.world.start):
        changes = [each for each in said.world.changes if each.index > since]
        sizes |= {*Counter((each.namespace, each.kind) for each in changes).values(), len(changes)}
        sizes.add(len({row.get("recipient_phone_number") for each in changes for row in each.rows}))
    for _, _, end in claimed_deeds(said):
        match = _COUNTED.match(said.document.own, end)
        count = number_of(match["count"]) if match else 0
        if match and count > 1 and count not in sizes and count not in said.told.numbers:
            yield Finding(Kind.AMOUNT, match.group().strip(), "it was not done to so many")


def _kept_values(said: Statement) -> Iterator[Finding]:
    """A cell holds one value: what was replaced is gone."""
    for match in _said(said, _KEPT_VALUE):
        updated = [change for change in said.world.net if change.kind == "updated"]
        if updated:
            yield Finding(Kind.DEED, match.group(), "the old value was replaced")


def _unchanged(said: Statement) -> Iterator[Finding]:
    for match in _UNTOUCHED.finditer(said.document.own):
        noun = (match["noun"] or match["left"] or "")[:3]
        kinds = [kind for kind in ("added", "sent", "removed", "switched") if match[kind]]
        changed = [
            change
            for change in said.world.net
            if change.index > said.world.since
            and (not noun or change.namespace.lower().startswith(noun[:3]))
            and (not kinds or change.kind in kinds)
        ]
        if said.document.is_asserted(match.start()) and changed:
            yield Finding(Kind.DEED, match.group(), "something was changed")


def _both_gone(said: Statement) -> Iterator[Finding]:
    """Two rows that are said to be gone, where one at most is."""
    gone = sum(change.after is None for change in said.world.net)
    for match in _said(said, _BOTH_GONE) if gone < 2 else ():
        yield Finding(Kind.DEED, match.group(), f"{gone} was removed" if gone else "nothing was removed")


def _empty_cells(said: Statement) -> Iterator[Finding]:
    """What the only row that is named in a sentence, or in the text, is said not to have, and has."""
    for match in _EMPTY_CELL.finditer(said.document.own):
        column = _CELLS.get(match["what"], "latitude")
        table = DatabaseNamespace.REMINDER if column == "latitude" else DatabaseNamespace.CONTACT
        named = said.named(table)
        begin, stop = said.sentence(match.start())
        beside = [each for each in named if begin <= each[0] < stop] or named
        (rows,) = (
            {id(rows): rows for _, _, rows in beside}.values() if len({id(each[2]) for each in beside}) == 1 else ([],)
        )
        if rows and said.document.is_asserted(match.start()) and all(row[column] for row in rows):
            yield Finding(Kind.DEED, match.group(), f"{column} is {rows[-1][column]}")


def _invented(said: Statement) -> Iterator[Finding]:
    """People by two names of which nobody has heard, in conversations about contacts and messages."""
    tools = " ".join(tool for tool, _ in said.calls)
    for match in _PERSON.finditer(said.text) if re.search("contact|message", tools) else ():
        names = match["name"].lower().split()
        known = (said.shown, said.told, said.stored)
        is_place = match["name"] in _ZONES or not _CALENDAR.isdisjoint(names)
        if not is_place and not any(each.holds_text(name) for each in known for name in names):
            yield Finding(Kind.NAME, match["name"], "nobody of that name is known")


_CHECKS: tuple[Callable[[Statement], Iterator[Finding]], ...] = (
    _unanswered,
    _repetitions,
    _counts,
    _kept_values,
    _unchanged,
    _invented,
    _both_gone,
    _empty_cells,
)
