"""What an agent says it has looked at: every look-up that is claimed needs a call, and every outcome a result."""

import re
from collections import Counter
from collections.abc import Iterator

from tool_sandbox.answers.facts._settings import SETTINGS, setting_pattern
from tool_sandbox.answers.facts._units import unit_pattern
from tool_sandbox.answers.grounding.evidence import plain_digits
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.answers.grounding.world import plain

_ADVERBS = r"(?: (?:also|already|even|first|then|just|only|now|quickly|since|actually|really|additionally|both))*"
_LOOKED = (
    r"(?:looked(?! forward| like| after)|searched|(?:double-?|cross-?|re-?)?checked|scanned|queried|browsed|combed"
    r"|consulted|requested|compared|cross-referenced|asked for|(?:went|gone) (?:through|over)"
    r"|(?:had|taken|took|run|ran|did|done|made) (?:an?|another) (?:\w+ ){0,2}?(?:look|search|check)(?:-?up)?)"
)
_PLAIN = r"(?:look(?: up| at| for| through| in)|search|(?:double-?)?check|go through|ask for)"
_SURE = r"(?:verified|confirmed|read(?: through)?(?! your \"))"
_TRY = r"(?:tried|g(?:a|i)ven? (?:it|that|this) (?:a|an|another|one more)(?: \w+)? (?:go|try|shot|attempt))"
_OUTCOME = (
    r"(?:turned up|brought up|came (?:up|back)|found|gave|returned|showed|yielded|listed|confirmed|produced|led|had"
    r"|didn't|did not)"
)
_CLAIM = re.compile(
    rf"\bi(?:'ve|'d| have| had)?{_ADVERBS} (?:(?P<looked>{_LOOKED})|(?P<sure>{_SURE})|(?P<tried>{_TRY}))\b"
    rf"|\bi did{_ADVERBS} (?P<did>{_PLAIN})\b"
    rf"|(?:^|(?<=[.;:!?\n] )|(?<=\n))(?:also |just )?(?P<bare>searched|checked|looked|tried|went through)\b"
    rf"|\b(?:after|having) (?P<having>searching|searched|checking|checked|looking|looked|(?:going|gone) through)\b"
    rf"|\b(?:(?:my|a|another|one more)(?: \w+){{0,2}}? (?P<noun>search|look|look-?up|check)"
    rf"|(?P<gerund>searching|trying|looking|checking))(?=[^.;:!?\n]{{3,60}}? {_OUTCOME}\b)"
)
_BREAK = re.compile(
    r"[,;:.!?()\n]|\b(?:and (?!just\b|plain\b|only\b|simply\b|\")|but|so|because|as|since|before|while|when|until"
    r"|then|which|turn(?:s|ed) up|c[ao]mes? (?:up|back)|found|gave|returned|showed|shows)\b"
)
_MESSAGES = r"(?:text )?messages|texts|inbox|conversations"
_CONTACTS = r"contacts|address book|entry|entries|contact list"
_REMINDERS = r"reminders|reminder list"
_OBJECTS = {
    "search_contacts": _CONTACTS,
    "search": r"(?:that|this|the|his|her|their) (?:phone )?number up",
    "search_messages": _MESSAGES,
    "search_reminder": _REMINDERS,
    "weather": r"weather|forecasts?",
    "weather|conver": r"temperatures?",
    "currency": r"exchange rates?|currency",
    "stock": r"stocks?|share price|stock price",
    "holiday": r"holidays?",
    "timestamp|datetime": r"clock|today's date|current (?:time|date)",
    "loc|weather": r"(?:your|the|my) (?:current |exact )?(?:position|location|whereabouts)(?! service| access)",
    "status|settings|set_": r"settings|status",
    "search_lo|lat_lon": r"(?:the|that|your) (?:store|shop|supermarket|restaurant|branch)",
    "^$": r"e-?mails?|call (?:log|history)|voice ?mails?|photos|traffic|notes app|news"
    r"|(?:yesterday's|last (?:week|month|year)(?:'s)?|historical|past) (?:exchange )?"
    r"(?:rates?|prices?|weather|quotes?)",
    "": r"places?|address|nearest|coordinates|conversions?|instructions?|request|wording",
}
"""Tools that look at a kind of thing, and the words for it; of what has no tool there can be no call."""

_KINDS = re.compile(
    "|".join(
        [f"(?P<_{key}>{setting_pattern(words).pattern})" for key, words in SETTINGS.items()]
        + [rf"\b(?P<o{index}>{words})\b" for index, words in enumerate(_OBJECTS.values())]
    )
)
_DIRECT = re.compile(
    r" (?:to (?:get|find|read|check|see|determine|fetch|locate|look up) )?"
    r"(?:(?:your|the|my|all|any|for|that|through|current|saved|whole|entire|full|list|of) )*$"
)
_BOTH = re.compile(r"\b(?:neither|nothing|nobody|no one|none|nor)\b")
_AGAIN = re.compile(
    r"\b(?:once more|again|(?:a|one) (?:second|third|more) time|another time|afterwards|twice|two times|another)\b"
)
_FOR = re.compile(
    r" (?:(?:the|your|my|all|whole|entire|of|through|in|contacts|address book|messages|texts|reminders|both|for|up"
    r"|under|with|just|plain|only|simply|it|number|that|word|words|name|once more|again)[ ,]+)*"
)
_QUOTED = re.compile(
    r"(?:,? ?(?:and|or|then)?(?: (?:for|just|plain|only|simply|with|even|also))* ?)\"([^\"\n]{2,80})\""
)
_READ = re.compile("read")  # a figure is read as something, too
_NOTHING_THERE = re.compile(
    r"\b(?:you(?:'ve got| have)|there(?:'s| is)) nothing (?:left|planned|scheduled|due|coming up|set)"
    r" (?:for |on )?(?:today|tomorrow|this|your list)\b"
    r"|\byour (?:list|day|reminder list) is (?:empty|clear|free)\b"
)
_REST = re.compile(r" the (?:rest|others)\b")
_SEARCHED = re.compile(r"\b(?:search|look(?:ed)? up|quer|tried|trying|go$|try$|shot$|attempt$)")
_TRIES = re.compile(r"\btr(?:ied|y|ying)\b|\bgo$|\bshot$|\battempt$")
_WRITES = re.compile("add_|modify_|remove_|send_|set_")
_EXACTLY = re.compile(r"\b(?:just|plain|only|simply|alone|on its own|separately)\b")
_FOUND = re.compile(
    r"\bi (?:found|(?:couldn't|could not|didn't|did not) find)"
    r"(?! (?:a|any|no) (?:way|tool|option|means)| out\b)[^.;:!?\n,]{0,60}? (?:in|on|among|amongst) your "
    rf"(?:(?P<search_contacts>{_CONTACTS})|(?P<search_messages>{_MESSAGES})|(?P<search_reminder>{_REMINDERS}))\b"
)


def false_lookups(said: Statement) -> Iterator[Finding]:
    """Look-ups that are claimed and were not made, and results that were others."""
    for match in _CLAIM.finditer(said.document.own):
        if said.is_said(match.start()):
            yield from _claimed(said, match)
    for match in _NOTHING_THERE.finditer(said.document.own) if not _count(said, "search_") else ():
        if said.is_asserted(match.start()):
            yield Finding(Kind.DEED, match.group(), "nobody looked")
    for match in _FOUND.finditer(said.document.own):
        if said.document.is_asserted(match.start()) and not _count(said, match.lastgroup or ""):
            yield Finding(Kind.DEED, match.group(), "no such tool was called")


def _count(said: Statement, tools: str) -> int:
    return sum(re.search(tools, tool) is not None for tool, _ in said.calls)


def _most(said: Statement, tools: str | None, claim: str) -> int:
    """How often it was looked: with the tools of the kind, or of no kind with any one tool."""
    if tools:
        return _count(said, tools)
    if not _SEARCHED.search(claim):
        return 2  # words and figures are checked without a tool
    read_only = [tool for tool, _ in said.calls if _TRIES.search(claim) or not _WRITES.match(tool)]
    return max(Counter(read_only).values(), default=0)


def _claimed(said: Statement, match: re.Match[str]) -> Iterator[Finding]:
    own, start = said.document.own, match.end()
    bound = _BREAK.search(own, start, said.sentence(match.start())[1])
    end = bound.start() if bound else said.sentence(match.start())[1]
    words = said.document.text[match.start() : end].strip()
    is_try = (match["tried"] or match["bare"] or "").startswith(("tried", "g"))
    tools = _tools(said, own, start, end, is_direct=is_try or match["sure"] is not None)
    if tools is not None and not _count(said, tools):
        yield Finding(Kind.DEED, words, "no such tool was called")
    elif (_AGAIN.search(own, match.start(), end) or (tools and _REST.match(own, match.end()))) and _most(
        said, tools, match.group()
    ) < 2:
        yield Finding(Kind.DEED, words, "it was done once")
    elif not _READ.match(match["sure"] or "") and (strange := _not_searched(said, start, end)):
        yield Finding(Kind.DEED, words, f"{strange} was not searched for")
    elif is_try:
        stop = said.document.clause_at(match.start()).end
        if _units_in(own[start:stop]) - {unit for text in said.attempted for unit in _units_in(plain(text))}:
            yield Finding(Kind.DEED, own[match.start() : stop], "nothing of the kind was tried")


def _tools(said: Statement, own: str, start: int, end: int, *, is_direct: bool) -> str | None:
    """A pattern of the tools that look at what a stretch of a text names first; ``None`` if it names nothing."""
    found = _KINDS.search(own, start, end)
    if found is None or _BOTH.search(own, start, found.start()):
        return None
    if is_direct and not _DIRECT.fullmatch(own, start, found.start()):
        return None
    group = found.lastgroup or ""
    if group.startswith("o"):
        return list(_OBJECTS)[int(group[1:])] or None
    key = group[1:]
    told = [text for text in said.shown.texts if text not in said.told.texts]
    if any(setting_pattern(SETTINGS[key]).search(text) for text in told):
        return None
    return f"et_{key}" if key != "location" else "loc"


def _not_searched(said: Statement, start: int, end: int) -> str | None:
    """A number or quoted words that are said to be searched for, and stand in no call."""
    behind = _FOR.match(said.document.own, start, end)
    position = behind.end() if behind else start
    attempted = [plain(str(arguments)) for tool, arguments in said.calls if not _WRITES.match(tool)]
    # Of a call that failed nothing but its text is on record.
    attempted += [plain(text) for text in said.attempted if said.errors]
    for mention in said.phones:
        written = said.document.text[mention.start : mention.end]
        if position <= mention.start <= position + 2 and not any(
            plain_digits(written)[-10:] in plain_digits(text) for text in attempted
        ):
            return written
    is_exact = _EXACTLY.search(said.document.own, start, end)
    while quoted := _QUOTED.match(said.document.text, max(start, position - 1)):
        position = quoted.end() + 1
        wanted = quoted[1].strip(" .,")
        forms = [f"'{wanted}'", f'"{wanted}"'] if is_exact else [wanted]
        if not any(form in text for form in forms for text in attempted):
            return wanted
    return None


def _units_in(text: str) -> set[str]:
    found = unit_pattern(None).finditer(text)
    return {each.lastgroup or "" for each in found if not text[max(0, each.start() - 1) : each.start()].isalpha()}
