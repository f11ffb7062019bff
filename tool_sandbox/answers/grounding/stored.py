"""Statements about rows that the tables contradict: what was removed or kept, who wrote it, what it was before."""

import re
from collections import Counter
from collections.abc import Iterator

from tool_sandbox.answers.facts._moments import DAYS, MONTHS
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS, TENS
from tool_sandbox.answers.grounding.deeds import claimed_deeds
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import LONGEST, Statement, Stem, stems
from tool_sandbox.answers.grounding.world import Cells
from tool_sandbox.conversation.execution_context import DatabaseNamespace

_TABLES = (DatabaseNamespace.CONTACT, DatabaseNamespace.REMINDER)
_EXCEPTION = re.compile(r"\b(?:except|but|other than|apart from|kept|keeping|left|leaving|not|still|instead)\b")
_GONE = re.compile(
    r"\b(?:(?:is|are|has been|have been|were|was) (?:now |all |also )?(?:removed|deleted|erased|gone))\b"
)
_GONE_ARE = re.compile(r"\b(?:deleted|removed|erased|gone) (?:now )?(?:are|is|were|was)\b")
_STAYS = re.compile(
    r"\b(?P<pronoun>(?:it|he|she)(?:'s| is) still (?=there\b|in your\b|on your\b))"
    r"|\b(?:(?:i )?(?:kept|(?<!has )(?<!have )left)|(?:is|are) (?:still|kept)|stays?|remains?|kept are)\b"
)
_INTRANSITIVE = re.compile(r"stay|remain|(?:is|are) still")
_ANY_GONE = re.compile(r"\b(?:remov|delet|eras|gone|cancel|no longer|duplicate|copy|copies|one of|(?:has|have) left\b)")
_THEY_ANSWERED = re.compile(
    r"\b(?:they|he|she|(?P<first>[a-z]+))(?:'ve| have| has|'s)? (?:already |just )?"
    r"(?:answered|replied|responded|written back|wrote back|texted back|confirmed)\b"
)
_YOU_SENT = re.compile(r"\byou (?:last |also |just |then )?(?:sent|texted|wrote|messaged)\b")
_LAST = re.compile(
    r"\b(?<!second )(?<!second-)(?<!next-to-)(?<!next to )(?<!before the )(?:last|latest|(?:most recent|newest)(?:ly)?)"
    r"(?! (?:week|month|year|night|evening|\w+day|name|time|\d)\b)(?!,? before\b)"
)
_BEHIND = re.compile(r"\b(?:after|than|following|since)\b")
_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them)\b")
_FROM = re.compile(r"\b(?:from|by)(?: your \w+,?)? $")
_WROTE = re.compile(r",? (?:wrote|texted you|sent you|asked|says|said)\b")
_SHORT = 8
_NUMBERS = frozenset(stem for name in (*SMALL_NUMBERS, *TENS) for stem, _, _ in stems(name))
_CALENDAR = frozenset(stem for name in (*DAYS, *MONTHS[1:]) for stem, _, _ in stems(name))


def contradicted_statements(said: Statement) -> Iterator[Finding]:
    """Statements that are not as the rows are at the time."""
    yield from _kept(said)
    yield from _not_kept(said)
    yield from _senders(said)
    yield from _repliers(said)
    yield from _latest(said)
    yield from _nearly(said)


def _is_there(said: Statement, rows: list[Cells], namespace: DatabaseNamespace) -> bool:
    return any(row in rows for row in said.world.rows(namespace))


def _kept(said: Statement) -> Iterator[Finding]:
    """Rows that are said to be removed and are still there."""
    document = said.document
    regions = [(end, said.sentence(end - 1)[1]) for kind, _, end in claimed_deeds(said) if kind == "removed"]
    for match in _GONE.finditer(document.own):
        begin, stop = said.sentence(match.start())
        if document.own[match.end() : match.end() + 1] == ":":
            regions.append((match.end(), stop))
        elif said.is_said(match.start()):
            regions.append((begin, match.start()))
    regions += [
        (match.end(), said.sentence(match.start())[1])
        for match in _GONE_ARE.finditer(document.own)
        if said.is_said(match.start())
    ]
    for namespace in _TABLES if regions else ():
        for start, end, rows in said.named(namespace):
            if any(
                begin <= start < stop and not _EXCEPTION.search(document.own, begin, end + 24)
                for begin, stop in regions
            ) and not any(change.after is None and row in rows for change in said.world.net for row in change.rows):
                yield Finding(Kind.DEED, f"removed {document.text[start:end]}", "it is still there")


def _not_kept(said: Statement) -> Iterator[Finding]:
    """Rows that are said to be kept and are gone."""
    own = said.document.own
    for match in _STAYS.finditer(own):
        begin, stop = said.sentence(match.start())
        clause = said.document.clause_at(match.start())
        # Of what else the sentence tells, another row may be the subject.
        if _INTRANSITIVE.match(match.group()):
            has_subject = own[clause.start : match.start()].strip(" ,")
            begin, stop = clause.start if has_subject else begin, clause.end
        elif _ANY_GONE.search(own, begin, stop):
            begin, stop = match.start(), clause.end
        for namespace in _TABLES if said.is_said(match.start()) else ():
            spoken = (*said.named(namespace), *(said.alluded if namespace is _TABLES[1] else ()))
            if match["pronoun"]:
                # Of several, "it" may be any.
                begin = 0 if len({id(rows) for _, _, rows in spoken}) == 1 else match.start()
            for start, end, rows in spoken:
                if begin <= start < stop and not _is_there(said, rows, namespace):
                    yield Finding(Kind.DEED, f"kept {said.document.text[start:end]}", "it is gone")


def _senders(said: Statement) -> Iterator[Finding]:
    """Messages that the user is said to have sent and has received, and messages from somebody else."""
    contacts, messages = said.named(DatabaseNamespace.CONTACT), said.named(DatabaseNamespace.MESSAGING)
    own = {row["person_id"] for row in said.world.rows(DatabaseNamespace.CONTACT) if row["is_self"]}
    last = 0
    for start, end, rows in messages:
        # What stands in front of these words, and behind those of another message.
        begin, last = max(last, said.sentence(start)[0]), end
        content = said.document.text[start:end]
        is_own = any(row["sender_person_id"] in own for row in rows)
        if len(content) > _SHORT and not is_own and _YOU_SENT.search(said.document.own, begin, start):
            yield Finding(Kind.QUOTATION, f"you sent {content}", "it was sent to you")
        writers = {row["sender_phone_number"] for row in rows}
        receivers = {row["recipient_phone_number"] for row in rows}
        # The name that stands nearest in front of the words.
        beside = [each for each in contacts if begin <= each[0] < start]
        if not beside and len({id(named) for _, _, named in contacts}) == 1:
            pronouns = (_PRONOUN.search(said.document.own, begin, start),)
            beside = [(*match.span(), contacts[0][2]) for match in pronouns if match and contacts[0][0] < match.start()]
        for opening, close, named in beside[-1:]:
            is_writer = _FROM.search(said.document.own, max(0, opening - 24), opening) or _WROTE.match(
                said.document.own, close
            )
            is_receiver = not is_writer and _YOU_SENT.search(said.document.own, begin, start) is not None
            parties = receivers if is_receiver else writers
            is_party = parties & {row["phone_number"] for row in named}
            is_meant = len(content) > _SHORT and said.is_said(opening)
            if is_meant and (is_writer or is_receiver) and not is_party:
                yield Finding(
                    Kind.NAME,
                    said.document.own[opening:close],
                    "it went to somebody else" if is_receiver else "somebody else wrote it",
                )


def _latest(said: Statement) -> Iterator[Finding]:
    """A message that is said to be the last, where a later one between the same two had been shown."""
    seen = said.shown.fields.get("message_id", ())
    messages = [row for row in said.world.rows(DatabaseNamespace.MESSAGING) if row["message_id"] in seen]
    for start, end, rows in said.named(DatabaseNamespace.MESSAGING):
        row, (begin, _) = rows[-1], said.sentence(start)
        last = _LAST.search(said.document.own, begin, start)
        is_last = last and not _BEHIND.search(said.document.own, last.end(), start) and end - start > _SHORT
        sent_at = {each["creation_timestamp"] for each in messages if _parties(each) == _parties(row)}
        if is_last and said.is_said(begin) and max(sent_at, default=0.0) > row["creation_timestamp"]:
            yield Finding(Kind.QUOTATION, said.document.text[start:end], "a later one was shown")


def _nearly(said: Statement) -> Iterator[Finding]:
    """Words of a row in the agent's own, with an unknown name, day or number in the place of one."""
    own = said.document.own
    for namespace in (DatabaseNamespace.REMINDER, DatabaseNamespace.MESSAGING):
        spoken = {word for word, _, _ in said.stems}
        for label, rows in said.world.called(namespace).items():
            title = stems(label[:LONGEST])
            if spoken.isdisjoint(word for word, _, _ in title):
                continue
            for of_row, of_text in _aligned(title, said.stems):
                kind, start, end = _kind(of_row, str(rows[-1]["content"])), of_text[1], of_text[2]
                if kind is None or kind != _kind(of_text, said.text) or said.document.is_negated(start):
                    continue
                if not said.shown.holds_text(own[start:end]):
                    yield Finding(Kind.QUOTATION, own[start:end], f"it reads {label}")


def _aligned(title: tuple[Stem, ...], words: tuple[Stem, ...]) -> Iterator[tuple[Stem, Stem]]:
    """The one word that differs where three words in a row of a title stand in a text, or a day and an hour."""
    places: dict[str, list[int]] = {}
    for number, (word, _, _) in enumerate(words):
        places.setdefault(word, []).append(number)
    for size in (2, 3):
        for wanted in (title[first : first + size] for first in range(len(title) - size + 1)):
            begins = Counter(number - place for place, each in enumerate(wanted) for number in places.get(each[0], ()))
            is_dated = sum(word in _CALENDAR for word, _, _ in wanted) == 1
            for begin in (begin for begin, count in begins.items() if count == size - 1 and begin >= 0):
                found = words[begin : begin + size]
                other = [pair for pair in zip(wanted, found, strict=False) if pair[0][0] != pair[1][0]]
                if other and (size == 3 or (is_dated and other[0][0][0] in SMALL_NUMBERS)):
                    yield other[0]


def _kind(word: Stem, text: str) -> str | None:
    """Whether a word is a number, a day or month, or a name, which stands with a capital letter inside a text."""
    if word[0] in _NUMBERS or word[0] in _CALENDAR:
        return "number" if word[0] in _NUMBERS else "day"
    is_word = len(word[0]) > 2 and word[0].isalpha()
    return "name" if is_word and re.search(rf"(?<=[a-z,] ){word[0].capitalize()}", text) else None


def _parties(row: Cells) -> tuple[str, str]:
    return row["sender_phone_number"], row["recipient_phone_number"]


def _repliers(said: Statement) -> Iterator[Finding]:
    """People who are said to have answered what the agent sent, and of whom it has seen no message."""
    written_to = {
        row["recipient_phone_number"] for each in said.world.changes if each.kind == "sent" for row in each.rows
    }
    persons = said.world.called(DatabaseNamespace.CONTACT)
    seen = said.shown.fields.get("message_id", ())
    for match in _THEY_ANSWERED.finditer(said.document.own) if written_to else ():
        named = [rows for name, rows in persons.items() if name.partition(" ")[0] == match["first"]]
        numbers = {row["phone_number"] for rows in named for row in rows} or written_to
        messages = said.world.rows(DatabaseNamespace.MESSAGING)
        writers = {row["sender_phone_number"] for row in messages if row["message_id"] in seen}
        if (
            (named or match["first"] is None)
            and said.is_said(match.start())
            and not said.document.is_negated(match.end() - 1)
            and not numbers & writers
        ):
            yield Finding(Kind.DEED, match.group(), "no answer has come")
