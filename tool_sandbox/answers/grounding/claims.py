"""What an agent says of counts, of what repeats, of what others did, and of what stayed as it was."""

import re
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterator

from tool_sandbox.answers.facts._moments import DAYS, MONTHS
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS
from tool_sandbox.answers.grounding.binding import is_on
from tool_sandbox.answers.grounding.deeds import claimed_deeds
from tool_sandbox.answers.grounding.evidence import plain_digits
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.answers.grounding.world import Cells, cells, plain
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
    rf"\b(?P<count>\d{{1,3}}|{'|'.join(word for word in SMALL_NUMBERS)}) (?:[a-z]+ ){{0,2}}?"
    r"(?P<noun>reminders|alerts|alarms|pings|notifications|contacts|messages|texts|entries|numbers(?= that)|people"
    r"|friends"
    r"|things(?= (?:were|are) (?:due|set|planned|left|on your list)\b|,? (?:tomorrow|yesterday|today)\b)"
    r"|for(?= (?:tomorrow|today)\b))"
)
_PERSON = re.compile(
    r"(?:belongs to|is|was|of|your \w+,|and|with|to|for|named|called|entry|contact)"
    r" (?P<name>[A-Z][a-z]{2,} [A-Z][a-z]{2,})\b"
)
_ZONES = frozenset(zone.rpartition("/")[2].replace("_", " ") for zone in zoneinfo.available_timezones())
_WRITER = re.compile(r"\b(?:is|was|came|got it|comes) (?:from|by) (?P<who>[A-Z][a-z]{2,}(?: [A-Z][a-z]+)?)\b")
_CALENDAR = frozenset(name.lower() for name in (*DAYS, *MONTHS[1:], "you", "they", "she", "nobody", "somebody"))
_STREET = re.compile(r"(?:^|, )(\d{1,5} [a-z0-9][a-z0-9 .]+)")
_CLOSE = 1e-3
_BOTH_GONE = re.compile(
    r"\bboth\b[^.;:!?\n]{0,40}?\b(?:deleted|removed|erased|gone)\b"
    r"|\b(?:deleted|removed|erased)(?: \w+){0,2} both\b"
)
_JUST_BEHIND = re.compile(r" (?:only )?(?:(?:all|the|your|these|those) )*")
_NOBODY = re.compile(
    r"\b(?:nobody|no one|no (?:contact|entry|person)|none of your contacts)\b[^.;\n]{0,40}"
    r" (?:has|with|under|at|for)\b[^.;\n]*$"
)
_EMPTY_CELL = re.compile(
    r"\b(?:has|have|had|with|shows|lists|holds|is|there's)(?: got| currently)? no (?:phone )?"
    r"(?P<what>number|relationship|relation|place|location)\b(?! (?:service|access))"
)
_CELLS = {"number": "phone_number", "relationship": "relationship", "relation": "relationship"}
_NOUNS = {
    **dict.fromkeys(("ale", "ala", "pin", "not"), DatabaseNamespace.REMINDER),
    "rem": DatabaseNamespace.REMINDER,
    **dict.fromkeys(("thi", "for"), DatabaseNamespace.REMINDER),
    "mes": DatabaseNamespace.MESSAGING,
    "tex": DatabaseNamespace.MESSAGING,
}
_PART_OF = re.compile(
    r"\b(?:morning|afternoon|evening|noon|about|with|that|from|between|after|before|overdue|left|remaining|more|other|of"
    r" your|still|named|called|whose|who|which)\b"
)
_OTHERS = re.compile(r"\b(?:others?|remaining|rest)\b")
_STILL_AHEAD = re.compile(r"\b(?:ahead|to come|coming (?:up|after)|after (?:it|that))\b")
_TWO_WORDS = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_MOMENTS = ("reminder_timestamp", "creation_timestamp")
_UNTIED = re.compile(
    r"\b(?:no longer|not|isn't) (?:tied|linked|pinned|attached|bound) to (?:a|any) (?:place|location)"
    r"|\bwithout a place\b|\bno (?:place|location)(?: is| was)?(?: attached| pinned| linked| tied| saved| set)?"
    r"(?: to it| with it| for it)?(?=[.,;!)]|$)"
)
_TIED = re.compile(
    r"\b(?:pinned|attached|linked|tied|tagged|bound|added|saved)(?! (?:no|neither)\b)(?: [\w']+){0,5}?"
    r" (?:place|location|coordinates|spot)(?: \w+){0,3}? to (?:it|the reminder|this|that|them)\b"
    r"|\b(?:location|place|coordinates|spot|address)(?: is| are|'s)?(?: also| now)? (?:pinned|attached|linked|tied)"
    r" to (?:it|the reminder|them)\b|\bpinned(?: \w+){0,2} as (?:the|its) (?:place|location)\b"
    r"|\b(?:location|place|coordinates)(?:'s| is| are) (?:pinned|attached|saved|stored)"
    r" (?:with it|in it|in the reminder)\b"
    r"|\b(?:pinned|tied|linked|attached) (?:it |the reminder |this )?to (?:a|an|the|your|its|that) "
    r"(?!(?:\w+ )?(?:date|day|time|hour|minute|moment|number|contact|name|account|list|reminder)\b)\w+"
    r"|\b(?:pops? up|goes off|go off|reminds? you|rings?|alerts? you) (?:when|once|as soon as) you"
    r" (?:get|arrive|are|reach|come|pass)\b"
)
_THE_ONLY = re.compile(
    r"\b(?:they|those|these|that|this|he|she|it)(?: are|'re| is|'s) (?:the|your) only (?:entr(?:y|ies)|contacts?"
    r"|people|persons?)(?= (?:in your|in the|you have|you've|there (?:is|are)|saved|stored"
    r"|on your (?:phone|list))|[.,;!]|$)"
    r"(?! (?:saved|stored|you have|there (?:is|are)|you've)?(?: \w+){0,3} ?(?:as|with|under|for|by|from"
    r"|who|that|whose|today|tomorrow|named|called|on \w*day|due|left)\b)"
)
_NEWER = re.compile(
    r"\b(?:(?:more|most) recently|(?:newly|earlier|later|previously) ) ?(?:added|created|saved|stored|entered)\b"
    r"|\b(?:added|created|saved|stored|entered) (?:(?:more|most) recently|earlier|later|(?:before|after) the other)\b"
    r"|\b(?:newer|older|newest|oldest) (?:one|entry|of the (?:two|pair|three)|contact|copy|duplicate|version)\b"
)
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
    for match in _said(said, _COUNTED):
        count = int(match["count"]) if match["count"].isdigit() else SMALL_NUMBERS[match["count"]]
        namespace = _NOUNS.get(match["noun"][:3], DatabaseNamespace.CONTACT)
        sizes = _sizes_of_relation(said, match["noun"]) or _sizes(said, namespace, match)
        if _OTHERS.search(said.document.own, max(0, match.start() - 12), match.end()):
            sizes |= {one - other for one in sizes for other in sizes}
        if count > 1 and count not in said.told.numbers and count not in sizes:
            yield Finding(Kind.AMOUNT, match.group(), "there is no such number of them")
    lists = [[each for each in found if isinstance(each, dict)] for _, found in said.results if isinstance(found, list)]
    for name in {each for each in said.shown.names if each in said.text}:
        found = {sum(row.get("name") == name for row in rows) for rows in lists} - {0}
        for match in re.finditer(
            rf"\b(?P<count>{'|'.join(SMALL_NUMBERS)}) {re.escape(plain(name))}", said.document.own
        ):
            if (
                found
                and max(found) > 1
                and SMALL_NUMBERS[match["count"]] not in {1, *found}
                and said.is_said(match.start())
            ):
                yield Finding(Kind.AMOUNT, match.group(), f"{max(found)} were found")


def _sizes_of_relation(said: Statement, noun: str) -> set[int]:
    """How many people of a relation there are, were, were found or were changed, where there is such a relation."""
    world, relation = said.world, noun.removesuffix("s")
    tables = (cells(world.table(DatabaseNamespace.CONTACT, index)) for index in (world.start, world.since, world.index))
    sizes = {sum(relation in plain(row["relationship"]) for row in rows) for rows in tables}
    if not any(sizes):
        return set()
    changes = Counter((each.kind, each.namespace) for each in world.changes)
    return sizes | said.shown.lengths | set(changes.values())


def _sizes(said: Statement, namespace: DatabaseNamespace, match: re.Match[str]) -> set[int]:
    """How many rows were found, were changed, or have something in common."""
    sizes = set[int]()
    for since in (said.world.since, said.world.start):
        changes = [each for each in said.world.changes if each.namespace is namespace and each.index > since]
        sizes |= set(Counter(each.kind for each in changes).values()) | {len(changes)}
        sizes.add(len({row.get("recipient_phone_number") for each in changes for row in each.rows}))
    if any(_JUST_BEHIND.fullmatch(said.document.own, end, match.start()) for _, _, end in claimed_deeds(said)):
        return sizes  # what was found is not what was done
    begin, stop = said.sentence(match.start())
    if namespace is _NOUNS["rem"] and said.is_clock_known and _STILL_AHEAD.search(said.document.own, begin, stop):
        times = [row["reminder_timestamp"] for row in said.world.rows(namespace) if row["reminder_timestamp"]]
        ahead = sum(moment > said.shown.now for moment in times)
        return {ahead, ahead - 1}
    sizes |= said.shown.lengths
    rows = said.world.rows(namespace)
    moments = [(column, row[column]) for row in rows for column in _MOMENTS if row.get(column)]
    if not _PART_OF.search(said.document.own, begin, stop) and (
        days := [each for each in said.days if begin <= each.start < stop]
    ):
        on = Counter(
            column for column, moment in moments if any(is_on(day, said.shown.date(moment), said.shown) for day in days)
        )
        return sizes | set(on.values())
    sizes |= {len(rows), sum(not row.get("is_self") for row in rows)}
    sizes.add(len({id(named) for _, _, named in said.named(namespace)}))
    for column in rows[0] if rows else ():
        sizes |= set(Counter(str(row[column]) for row in rows).values())
    for column in _MOMENTS:
        own = [moment for name, moment in moments if name == column]
        ahead = sum(moment > said.shown.now for moment in own)
        sizes |= {ahead, len(own) - ahead, *Counter(map(said.shown.date, own)).values()}
    return sizes


def _places(said: Statement) -> Iterator[Finding]:
    """That reminders have a place, or none."""
    changed = [change.rows for change in said.world.changes if change.namespace is DatabaseNamespace.REMINDER]
    stored = [[row] for row in said.world.rows(DatabaseNamespace.REMINDER)]
    named = [rows for _, _, rows in said.named(DatabaseNamespace.REMINDER)] or changed
    for match in _UNTIED.finditer(said.document.own):
        if said.document.is_asserted(match.start()) and len(named) == 1 and named[0][-1]["latitude"] is not None:
            yield Finding(Kind.ADDRESS, match.group(), "its place is still saved")
    for match in _said(said, _TIED):
        if not any(row["latitude"] is not None for rows in named or stored for row in rows):
            yield Finding(Kind.ADDRESS, match.group(), "no place is saved")


def _only_ones(said: Statement) -> Iterator[Finding]:
    """That the address book holds nobody but those who are named; titles and texts may be in other words."""
    rows = said.world.rows(DatabaseNamespace.CONTACT)
    named = len({id(named) for _, _, named in said.named(DatabaseNamespace.CONTACT)})
    for match in _said(said, _THE_ONLY) if rows and named else ():
        if not (said.shown.lengths | {named}) & {len(rows), sum(not row["is_self"] for row in rows)}:
            yield Finding(Kind.AMOUNT, match.group(), f"{len(rows)} are stored")


def _ages(said: Statement) -> Iterator[Finding]:
    """Which of several contacts is older: an entry holds no date."""
    tools = " ".join(tool for tool, _ in said.calls)
    is_of_contacts = "contact" in tools and not re.search("reminder|message", tools)
    for match in _said(said, _NEWER) if is_of_contacts and "add_contact" not in tools else ():
        if not said.told.holds_text(match.group().split()[-1]):
            yield Finding(Kind.DATE, match.group(), "an entry of the address book holds no date")


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


def _unknown_writers(said: Statement) -> Iterator[Finding]:
    """Somebody nobody has heard of, who is said to have written what is quoted."""
    for match in _WRITER.finditer(said.text) if said.named(DatabaseNamespace.MESSAGING) else ():
        name = match["who"].lower()
        if name not in _CALENDAR | said.world.called(DatabaseNamespace.CONTACT).keys() and not (
            said.shown.holds_text(name) or said.told.holds_text(name)
        ):
            yield Finding(Kind.NAME, match.group(), "nobody of that name is known")


def _tied(said: Statement) -> Iterator[Finding]:
    """The place of the only reminder that was added or changed, where its address is that of another."""
    changed = [each.after for each in said.world.net if each.namespace is DatabaseNamespace.REMINDER and each.after]
    row = changed[0] if len(changed) == 1 else {}
    results = [each for _, found in said.results for each in (found if isinstance(found, list) else [found])]
    places = [each for each in results if isinstance(each, dict) and each.get("full_address") and each.get("latitude")]
    told = [
        each
        for each in places
        if (street := _STREET.search(plain(each["full_address"]))) and street[1] in said.document.text
    ]
    if row.get("latitude") is not None and told and not any(_is_at(each, row) for each in told):
        yield Finding(Kind.ADDRESS, told[0]["full_address"], "the reminder is tied to another place")


def _is_at(place: Cells, row: Cells) -> bool:
    return all(abs(place[name] - row[name]) < _CLOSE for name in ("latitude", "longitude"))


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


def _nobody_with(said: Statement) -> Iterator[Finding]:
    """A number that nobody is said to have, and somebody has."""
    stored = {plain_digits(str(row["phone_number"]))[-10:]: row for row in said.world.rows(DatabaseNamespace.CONTACT)}
    for mention in said.phones:
        begin = said.sentence(mention.start)[0]
        owner = stored.get(plain_digits(said.document.text[mention.start : mention.end])[-10:])
        if (
            owner
            and _NOBODY.search(said.document.own, begin, mention.start)
            and said.document.is_asserted(mention.start)
        ):
            yield Finding(Kind.PHONE, said.document.text[mention.start : mention.end], f"{owner['name']} has it")


def _invented(said: Statement) -> Iterator[Finding]:
    """People by two names of which nobody has heard, in conversations about contacts and messages."""
    tools = " ".join(tool for tool, _ in said.calls)
    for match in _PERSON.finditer(said.text) if re.search("contact|message", tools) else ():
        names = match["name"].lower().split()
        known = (said.shown, said.told, said.stored)
        is_place = match["name"] in _ZONES or not _CALENDAR.isdisjoint(names)
        if not is_place and not any(each.holds_text(name) for each in known for name in names):
            yield Finding(Kind.NAME, match["name"], "nobody of that name is known")


def _strangers(said: Statement) -> Iterator[Finding]:
    """Names in a row of known ones that nobody has."""
    known = sorted(name for name in said.shown.names if name.count(" ") == 1 and name in said.text)
    if not known or set(_TWO_WORDS.findall(said.text)) <= set(known):
        return
    names = "|".join(map(re.escape, known))
    link = r"(?:, and |, | and |\n(?:[-*\u2022]|\d+\.) )"
    stranger = r"(?P<stranger>[A-Z][a-z]+ [A-Z][a-z]+)\b"
    for pattern in (rf"(?:{names}){link}(?!{names}){stranger}", rf"(?!{names})\b{stranger}{link}(?:{names})\b"):
        for match in re.finditer(pattern, said.text):
            if not said.shown.holds_text(match["stranger"].lower()):
                yield Finding(Kind.NAME, match["stranger"], "nobody of that name is known")


_CHECKS: tuple[Callable[[Statement], Iterator[Finding]], ...] = (
    _unanswered,
    _repetitions,
    _counts,
    _places,
    _only_ones,
    _ages,
    _kept_values,
    _unchanged,
    _strangers,
    _invented,
    _nobody_with,
    _both_gone,
    _unknown_writers,
    _tied,
    _empty_cells,
)
