"""Columns of a row that is named: what is told of them has to be as the row is or was."""

import datetime
import functools
import itertools
import re
from collections.abc import Iterator

from tool_sandbox.answers.facts._moments import DateMention, TimeMention
from tool_sandbox.answers.facts._quantities import quantities
from tool_sandbox.answers.facts._units import UNITS
from tool_sandbox.answers.grounding import reading
from tool_sandbox.answers.grounding.evidence import Evidence, plain_digits
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.reading import clocks_of
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.answers.grounding.world import Cells, plain
from tool_sandbox.conversation.execution_context import DatabaseNamespace

_RELATIONS = frozenset(
    [
        *("friend", "family", "colleague", "coworker", "boss", "partner", "neighbor", "neighbour", "acquaintance"),
        *("client", "assistant", "sibling", "dentist", "plumber", "tailor", "doctor", "landlord", "manager"),
        *("brother", "sister", "mother", "mom", "father", "dad", "cousin", "aunt", "uncle", "son", "daughter"),
        *("wife", "husband", "girlfriend", "boyfriend", "roommate"),
    ]
)
_ALIKE = {
    "neighbour": "neighbor",
    "coworker": "colleague",
    "co-worker": "colleague",
    **dict.fromkeys(("brother", "sister"), "sibling"),
    **dict.fromkeys(("wife", "husband", "girlfriend", "boyfriend"), "partner"),
}
_KIN = frozenset(("sibling", "mother", "mom", "father", "dad", "cousin", "aunt", "uncle", "son", "daughter", "partner"))
_SAVED = (
    r"(?:whom? |who's |you |you've |have |has |him |her |them |is |are |was |were |both |all |now |still |again "
    r"|used to be |turn(?:s|ed) out to be |happens? to be |in your (?:contacts|address book|phone|list) "
    r"|saved |listed |stored |down |filed |kept |entered |currently )"
)
_SOMEBODY = re.compile(r"\b(?:(?:he|she|they)(?:'s|'re)?|him|her|them)(?= )")
_FORMER = r"(?P<former>former |ex-?|old |previous )?"
_OWN_MOMENT = re.compile(
    r"\"?[,;.]?\"?(?: \(|:| --| -|,)?(?: (?:is|was|comes?|came|due|set|goes|off|on|at|for|the|now))* \"?"
)
"""What stands between a row and the time or day that is said of it alone."""
_AS_YOUR = re.compile(
    r" as (?:your|an?|the) (?P<role>(?!(?:new|own|contact|reminder|entry|person|test|separate|single|whole|friendly)\b)"
    r"[a-z]+)(?=(?: now| too| again)?(?:[.,;!)]|$))"
)
_SET_FOR = re.compile(
    r"\b(?:set|scheduled|due|reminder|goes off|go off|remind\w*)(?: you)?(?: is| now)?(?: for| on)?(?: the)? $"
)
_SHORT = 40
_LABEL = re.compile(r"(?: the \d{1,2}(?:st|nd|rd|th))? ?(?:->|:)")
_MOVED = re.compile(r"\bi(?:'ve| have)?(?: also| just| then)* (?:moved|pushed|rescheduled|postponed|shifted|snoozed)\b")
_JOINT = re.compile(r",? ?(?:at|,|from|by|@|--|:|\()? ?|,? (?:on )?(?:the )?")
_AND = re.compile(r",? and (?!(?:is|was|has|not|it|that|you)\b)[^.]*")
_DUE = re.compile(r"\b(?:remind|goes off|go off|due|is set|it is for|come up|comes up|moved to|now for)\b")


def row_values(said: Statement) -> Iterator[Finding]:
    """Values of another row, or of none, that a named row is given."""
    yield from _relationships(said)
    yield from _numbers(said)
    yield from _roles(said)
    yield from _moments(said)
    yield from _due(said)
    yield from _pairs(said)
    yield from _distances(said)


def _relationships(said: Statement) -> Iterator[Finding]:
    contacts = said.named(DatabaseNamespace.CONTACT)
    if not contacts:
        return
    stored = said.world.called(DatabaseNamespace.CONTACT).values()
    words = frozenset(plain(row["relationship"]) for rows in stored for row in rows)
    behind, ahead = _relation_patterns((words | _RELATIONS) - {""})
    own = said.document.own
    named = [(end, rows, ahead.search(own, max(0, start - 40), start)) for start, end, rows in contacts]
    # Of one person alone, "she" is that person.
    if len({id(rows) for _, _, rows in contacts}) == 1:
        spoken = [behind.match(own, match.end()) for match in _SOMEBODY.finditer(own)]
        named += [
            (match.start(), contacts[0][2], None)
            for match in spoken
            if match and not said.told.holds_text(match["relation"])
        ]
    for end, rows, before in named:
        match = behind.match(own, end) or before
        if match is None or not said.is_said(match.start("relation")) or said.document.clause_at(end).is_question:
            continue
        relations = [plain(row["relationship"]) for row in rows]
        told, who = match["relation"], plain(rows[-1]["name"])
        other = match.groupdict().get("other")
        if other and not any(_same(told, each) and _same(other, each) for each in relations):
            yield Finding(Kind.NAME, match.group().strip(" ,("), f"{who} is one of them at most")
        if not any(_same(told, each) for each in relations):
            yield Finding(Kind.NAME, match.group().strip(" ,("), f"{who} is {relations[-1] or 'unrelated'}")
        elif match["former"] and set(relations) == {told}:
            yield Finding(Kind.NAME, match.group().strip(" ,("), f"{who} is {told}")


@functools.lru_cache(maxsize=64)
def _relation_patterns(words: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    relation = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(
        rf",? (?:-- )?\(?{_SAVED}*(?:as |under |among )?(?:one of )?(?:your |a |an |the )?{_FORMER}"
        rf"(?P<relation>{relation})s?\b(?! of\b(?! yours))(?: or (?:your |an? )?(?P<other>{relation})\b)?"
    ), re.compile(rf"\byour {_FORMER}(?P<relation>{relation}),? (?:is |named |called )?$")


def _same(told: str, stored: str) -> bool:
    told = _ALIKE.get(told, told)
    kinds = [_ALIKE.get(each, each) for each in stored.split(", ") if each]
    return any(told in each or each in told or (each == "family" and told in _KIN) for each in kinds)


def _owners(said: Statement, digits: str) -> Iterator[str]:
    """Names of the contacts with a number."""
    for name, rows in said.world.called(DatabaseNamespace.CONTACT).items():
        if digits in _digits(rows):
            yield name


def _numbers(said: Statement) -> Iterator[Finding]:
    """Numbers of one contact, or of the other side of one message, beside the name of another."""
    contacts, messages = said.named(DatabaseNamespace.CONTACT), said.named(DatabaseNamespace.MESSAGING)
    if not contacts and not messages:
        return
    owners = said.world.called(DatabaseNamespace.CONTACT).values()
    senders = said.world.called(DatabaseNamespace.MESSAGING).values()
    for mention in said.phones:
        begin, stop = said.sentence(mention.start)
        is_alone = sum(begin <= each.start < stop for each in said.phones) == 1
        beside, stored = _alone(contacts, begin, stop), [*owners]
        if not beside and is_alone and not any(begin <= start < stop for start, _, _ in contacts):
            beside, stored = _alone(messages, begin, stop), [*owners, *senders]
        written = said.document.text[mention.start : mention.end]
        digits = plain_digits(written)[-10:]
        if (
            beside
            and digits not in _digits(beside)
            and any(digits in _digits(rows) for rows in stored)
            and said.is_said(mention.start)
            and not said.told.holds_digits(digits)
            and not _AND.search(said.document.own, mention.end, stop)
            and not any(name.partition(" ")[0] in said.document.own[begin:stop] for name in _owners(said, digits))
        ):
            yield Finding(Kind.PHONE, written, "it is the number of another")


def _digits(rows: list[Cells]) -> set[str]:
    return {
        plain_digits(cell)[-10:] for row in rows for name, cell in row.items() if name.endswith("phone_number") and cell
    }


def _alone(named: list[tuple[int, int, list[Cells]]], begin: int, stop: int) -> list[Cells]:
    """The rows of the only name in a stretch of a text."""
    beside = {id(rows): rows for start, end, rows in named if begin <= start and end <= stop + 1}
    return next(iter(beside.values())) if len(beside) == 1 else []


def _roles(said: Statement) -> Iterator[Finding]:
    """What the only contact that was added or changed is said to be saved as."""
    changed = {id(each.after): each.after for each in said.world.net if each.namespace is DatabaseNamespace.CONTACT}
    (row,) = changed.values() if len(changed) == 1 else (None,)
    for match in _AS_YOUR.finditer(said.document.own) if row else ():
        if match["role"] not in _RELATIONS and not (row and row["relationship"]):
            continue
        begin, stop = said.sentence(match.start())
        if match["role"] in _RELATIONS and any(
            begin <= each < stop for each, _, _ in said.named(DatabaseNamespace.CONTACT)
        ):
            continue
        is_it = any(_same(match["role"], plain(str(each))) for each in (row or {}).values() if each)
        if said.is_said(match.start()) and not is_it and not said.told.holds_text(match["role"]):
            yield Finding(Kind.NAME, match.group().strip(), f"{row['relationship'] if row else ''}")


def _due(said: Statement) -> Iterator[Finding]:
    """A day with a time for which the only reminder that was added or changed is said to be set."""
    changed = [each.after for each in said.world.net if each.namespace is DatabaseNamespace.REMINDER and each.after]
    if len(changed) != 1 or not changed[0]["reminder_timestamp"]:
        return
    own, due = said.document.own, said.shown.local(changed[0]["reminder_timestamp"])
    for day, clock in itertools.product(said.days, said.clocks):
        begin = said.sentence(day.start)[0]
        if not (_JOINT.fullmatch(own, day.end, clock.start) and _SET_FOR.search(own, begin, day.start)):
            continue
        is_there = is_on(day, due.date(), said.shown) and due.hour * 3600 + due.minute * 60 in clocks_of(
            clock.seconds, is_ambiguous=clock.is_ambiguous
        )
        if said.is_said(day.start) and not is_there and not said.is_elsewhere(clock.start):
            yield Finding(Kind.TIME, said.document.text[day.start : clock.end], f"it is due {str(due)[:16]}")


def _moments(said: Statement) -> Iterator[Finding]:
    """Times and days of one reminder or message beside the words of another."""
    changed = [
        row
        for change in said.world.changes
        if change.namespace is DatabaseNamespace.REMINDER and change.index > said.world.since
        for row in change.rows
    ]
    named = [*said.named(DatabaseNamespace.REMINDER), *said.named(DatabaseNamespace.MESSAGING)]
    mentions: list[TimeMention | DateMention] = [*said.clocks, *said.days]
    for begin, stop in said.document.sentences if mentions else ():
        beside = _alone(named, begin, stop)
        if not any(begin <= start < stop for start, _, _ in named) and _DUE.search(said.document.own, begin, stop):
            beside = changed or said.row_before(begin)
        if not beside or said.document.clause_at(begin).is_question:
            continue
        own = said.evidence_of(beside)
        for mention in mentions:
            if begin <= mention.start < stop and not _is_among(mention, said.apart):
                yield from _at_another_time(said, mention, own)
    for _, end, rows in (*said.named(DatabaseNamespace.REMINDER), *said.alluded) if mentions else ():
        for mention in sorted(mentions, key=lambda each: each.start):
            is_label = _LABEL.match(said.document.own, mention.end)
            is_behind = end <= mention.start < said.sentence(end - 1)[1] and not is_label
            if is_behind and _OWN_MOMENT.fullmatch(said.document.own, end, mention.start):
                yield from _at_another_time(said, mention, said.evidence_of(rows))
                end = mention.end

    for mention in said.days if changed else ():
        begin, _ = said.sentence(mention.start)
        if said.document.own.startswith("'s", mention.end) and _MOVED.search(said.document.own, begin, mention.start):
            yield from _at_another_time(said, mention, said.evidence_of(changed))


def _is_next_door(mention: TimeMention | DateMention, own: Evidence) -> bool:
    """Whether a day of the week is the one before that of a row which is due at midnight."""
    if not isinstance(mention, DateMention) or mention.weekday is None or mention.month is not None:
        return False
    return any(moment.hour == 0 and (moment.weekday() - 1) % 7 == mention.weekday for moment in own.moments.values())


def _at_another_time(said: Statement, mention: TimeMention | DateMention, own: Evidence) -> Iterator[Finding]:
    """A time or day that is said of a row, if it is not the row's."""
    if (
        said.is_said(mention.start)
        and not said.is_elsewhere(mention.start)
        and not (_is_among(mention, own) or _is_next_door(mention, own))
    ):
        kind = Kind.TIME if isinstance(mention, TimeMention) else Kind.DATE
        due = ", ".join(sorted({str(moment)[:16] for moment in own.moments.values()}))
        yield Finding(kind, said.document.text[mention.start : mention.end], f"that is at {due}")


def _is_among(mention: TimeMention | DateMention, evidence: Evidence) -> bool:
    if isinstance(mention, DateMention):
        return fits(mention, evidence, is_certain=mention.day is not None)
    meant = clocks_of(mention.seconds, is_ambiguous=mention.is_ambiguous)
    return mention.step == 1 or bool(meant & evidence.clocks)


def _pairs(said: Statement) -> Iterator[Finding]:
    """A day with the time of another, and two names of a day that are two days."""
    own = said.document.own
    clocks, days = said.clocks, said.days
    dated = {clock.start for day in days for clock in clocks if _JOINT.fullmatch(own, day.end, clock.start)}
    for date in days:
        others: list[TimeMention | DateMention] = [*clocks, *days]
        for other in others:
            first, second = (date, other) if date.start < other.start else (other, date)
            if first.start == second.start or not _JOINT.fullmatch(own, first.end, second.start):
                continue
            clock = other if isinstance(other, TimeMention) else date
            if not said.is_said(first.start) or said.is_elsewhere(clock.start) or first.start in dated:
                continue
            words = said.document.text[first.start : second.end]
            if isinstance(other, DateMention):
                # Without a clock any day may be today, and "Saturday: yesterday's ..." are two things.
                is_apart = ":" in own[first.end : second.start] or own.startswith("'s", second.end)
                if is_apart or not said.is_clock_known:
                    continue
                # "121 days from today, July 13": of today.
                ahead = (date.days_ahead, 0) if own.endswith("from today", 0, date.end) else (date.days_ahead,)
                if date.days_ahead is not None and not any(
                    _is_day_ahead(days or 0, other, said.shown) for days in ahead
                ):
                    yield Finding(Kind.DATE, words, "that is another day")
            elif said.shown.moments and other.step != 1 and not _together(date, other, said):
                yield Finding(Kind.DATE, words, "nothing shown is on that day at that time")


def _distances(said: Statement) -> Iterator[Finding]:
    """Kilometers of a result that are said to be miles."""
    known = [each for each in said.shown.fields.get("calculate_lat_lon_distance", ()) if isinstance(each, float)]
    kilometer = UNITS["kilometre"]
    for amount in quantities(said.figures, kilometer) if known else ():
        if amount.unit is None or amount.unit.dimension != kilometer.dimension or amount.unit.name == kilometer.name:
            continue
        meant = amount.unit.convert(amount.value, kilometer)
        is_taken_over = any(abs(each - amount.value) <= amount.step for each in known)
        is_right = any(
            abs(each - meant) <= max(amount.unit.factor / kilometer.factor * amount.step, each / 20) for each in known
        )
        words = said.document.text[amount.start : amount.end]
        if is_taken_over and not is_right and said.is_said(amount.start) and not said.told.holds_text(words):
            yield Finding(Kind.AMOUNT, words, f"{', '.join(map(str, known))} kilometers")


def _is_day_ahead(days: int, other: DateMention, evidence: Evidence) -> bool:
    """Whether "tomorrow" is the day that is named beside it."""
    return any(is_on(other, today + datetime.timedelta(days=days), evidence) for today in evidence.todays)


def _together(date: DateMention, time: TimeMention, said: Statement) -> bool:
    meant = clocks_of(time.seconds, is_ambiguous=time.is_ambiguous)
    for moment in said.shown.moments.values():
        if moment.hour * 3600 + moment.minute * 60 in meant and is_on(date, moment.date(), said.shown):
            return True
    written = [reading.read(text) for text in said.shown.texts if len(text) < _SHORT]
    if any(
        each.clocks & meant and any((day.month, day.day) == (date.month, date.day) for day in each.days)
        for each in written
    ):
        return True
    return bool(meant & said.told.clocks) and fits(date, said.told)


def fits(date: DateMention, evidence: Evidence, *, is_certain: bool = False) -> bool:
    """Whether a day is among those that were shown."""
    return any(
        is_on(date, datetime.date(*day), evidence) if day[0] else (date.month, date.day) in (day[1:], (None, None))
        for day in (evidence.certain if is_certain else evidence.days)
    )


def is_on(date: DateMention, day: datetime.date, evidence: Evidence) -> bool:
    """Whether a day is the one that a statement means."""
    if date.month is not None and date.day is not None:
        written = {(date.month, date.day)} | ({(date.day, date.month)} if date.is_numeric else set())
        return (day.month, day.day) in written and date.year in (None, day.year)
    if date.days_ahead is not None:
        return any(day == today + datetime.timedelta(days=date.days_ahead) for today in evidence.todays)
    return date.weekday is None or day.weekday() == date.weekday
