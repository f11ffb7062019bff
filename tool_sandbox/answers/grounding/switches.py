"""What is said of device settings: how they are, how they were, and whether anybody looked."""

import re
from collections.abc import Iterator

from tool_sandbox.answers.facts._settings import SETTINGS, setting_key, setting_pattern
from tool_sandbox.answers.facts._states import EventKind, events
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.conversation.execution_context import DatabaseNamespace

_ANY = re.compile("|".join(f"(?P<{key}>{setting_pattern(words).pattern})" for key, words in SETTINGS.items()))
_BACK = re.compile(
    r"\b(?:on|off)\b[^.;:!?]{0,60}?\b(?:and|then|before turning it|before switching it)"
    r"(?:,[^,.;]{3,40},)?(?: then| back| it| again| is| was| now| have| i| i've| switched| turned)*"
    r" (?:back )?(?P<last>on|off)(?:\b(?<= back on)|\b(?<= back off)|(?: again| afterwards| after| since)\b)"
)
_WAS = re.compile(
    r"^(?: services?| mode)? (?:was|had been)(?P<already> already)? (?P<state>on|off|enabled|disabled|in the way"
    r"|what (?:stood|was) in the way|(?:what was |the one |the thing )?blocking (?:it|this|that))"
    r"(?P<too> already)?\b"
)
_I_SWITCHED = re.compile(
    rf"\bi(?:'ve| have)?(?: (?:also|already|just|first|then))* (?:turned|switched)(?: back)? (?:on |off )?"
    r"(?:the |your )?"
    rf"(?:{_ANY.pattern}) ?(?:services? |mode )?(?:on|off|for|to|first|too|again|as well|and)?\b"
)
_ALL_OF_THEM = re.compile(
    r"\b(?:turned|switched|set|put|flipped)(?: back)? (?:(?P<two>both)|(?P<three>all three)|them(?: both| all)?|all)"
    r"(?: of them)?(?: right| straight)?(?: back)? (?P<state>on|off)\b"
)
_TURNED_IT = re.compile(
    r"\bi(?:'ve| have)?(?: (?:also|already|just|since|then))* (?:turned|switched|put) it(?: straight| right)?(?: back)?"
    r" (?P<state>on|off)\b(?! (?:and|then)(?: \w+){0,2} (?:on|off)\b)"
)
_LEFT_IT = re.compile(
    r"\bi(?:'ve| have)?(?: just)? left (?:that|it|this)(?: one)? (?P<state>on|running|enabled|off|disabled)\b"
)
_SINCE = re.compile(
    r"\b(?:on|off|enabled|disabled) (?:ever )?since (?:about |around |late |early )?"
    r"(?:\d|this\b|last\b|yesterday\b|noon\b|midnight\b|\w+day\b)"
    r"|\b(?:been|was) (?:on|off|enabled|disabled) for (?:the (?:last|past) )?(?:\d+|an?|two|three|several|some|a few)\b"
)
_YOU_ARE = re.compile(r"\byou(?:'re| are) (?:on|off)\b")
_NEED = re.compile(r"\b(?:needs?|requires?|needed|must|has to|have to)\b")
_KEPT_OFF = re.compile(
    r"\bhad (?!to\b)|(?<!\bi )(?<!\bi've )"
    r"\b(?:keeps?|kept|keeping|holds?|held|holding|forces?|forced|blocks?|blocked|puts?|shuts?) "
    r"|\b(?:with|while|when|whenever|as long as) [^,.;]*,"
)
_AS_BEFORE = (
    r"(?:just |exactly |right )?(?:as|how|to how|(?:to )?the (?:same )?way|to (?:the )?(?:state|settings?|what)"
    r"|where|in the state)(?: that)?(?: they)? (?:(?:it|they|everything|you|i)(?:'d)? ?)?"
    r"(?:was|were|had been|had (?:it|them|everything|all)|found (?:it|them|everything)|started|before|(?<='d )had them)"
    r"(?= before| at first| when| earlier| originally| in| on| set| and\b|[.,;:!)]|$)"
)
_RESTORED = re.compile(
    r"\bi(?:'ve| have)?(?: (?:also|then|since|now|already|just))* (?:(?:put|set|switched|turned|changed)"
    rf"(?: \w+){{1,4}}? back|(?:restored|returned|reset)(?: \w+){{1,4}}?),? {_AS_BEFORE}"
    r"|\b(?P<whole>both|all(?: of them|(?: the| your)? (?:three|four|settings))?|everything|they|the settings|the rest)"
    r"(?: is| are|'s|'re|'ve been| have been| has been)(?: now| all| both| set| put| just| again)* (?:back )?"
    rf"{_AS_BEFORE}"
)
_PASSING = re.compile(
    r"\b(?:reset|restored|put (?:\w+ ){0,3}back(?! (?:on|off)\b)"
    r"|for (?:this|that|it|the (?:search|look-?up|call|check|time being))"
    r"|briefly|temporarily|for a moment|in between|meanwhile|just long enough)\b"
)
"""What tells, behind a state, that it was one on the way."""
_AT_FIRST = re.compile(
    r" (?:(?:already )?(?:when|as) (?:i|we|you) (?:began|started|asked|first|looked)|originally|initially|all along"
    r"|at (?:first|the (?:start|beginning))|to begin with|from the (?:start|beginning)|the whole time"
    r"|before (?:i|that|this))\b"
)
_SETTINGS = re.compile(r"\bsettings?\b|\bswitch(?:es)?\b|\bradios?\b")
_HOW_IT_WAS = re.compile(
    r"(?:(?!\b(?:back|restored)\b)[^\n])*?\b(?:was|were|before|earlier|had been)\b(?:(?!\bback\b)[^.;\n])*: "
)
_NAME = setting_pattern("|".join(SETTINGS.values())).pattern
_WERE = re.compile(
    rf"(?:{_NAME})(?: services?| mode)?(?:(?:, and |,? and |, )(?:{_NAME})(?: services?| mode)?){{1,3}}"
    r" (?:were|had been)(?: all| both| already)* (?P<state>on|off)\b"
)
_NOT_TOUCHED = re.compile(
    rf"(?:{_NAME})(?: services?| mode)? i (?:didn't|did not)(?: even)?(?: have to| need to)? (?:touch|change|switch)\b"
    rf"|\bi (?:didn't|did not|haven't|have not|never)(?: have to| need to)? (?:touch|change)(?:d|ed)? (?:the |your )?"
    rf"(?:{_NAME})\b"
)
_ROW_OF = re.compile(
    rf"(?:^|(?<=[:;(] )|(?<=\n))(?:{_NAME})(?:(?:,| and|, and) (?:{_NAME})(?: services?| mode)?)+ (?P<state>on|off)"
    r"(?=[.,;:!)]|$)"
)
"""What an ellipsis says of several at once."""
_BUT = re.compile(r"\b(?:but|except(?: for)?|other than|apart from|save for)(?: the| your)? $")
_LEFT = re.compile(r"\bi(?:'ve| have)?(?: also| just)? left\b")
_GOES_ON = re.compile(
    r"\W*(?:(?:and|then|but)(?: then| now)? (?:is|was|has|back|on|off)\b"
    r"|(?:(?:and|but|so|which means) )?(?:it|that)(?:'s| is) (?:(?:still|now|also|already) )*(?:on|off)\b)"
)
_NEEDS = {
    "wifi": "search_(?:loc|lat|wea|sto)|convert_cur",
    "location": "current_loc|search_wea",
    "cellular": "send_",
    "low_battery": "set_",
}
"""Tools that work only while a setting is on."""


def settings(said: Statement) -> Iterator[Finding]:
    """Settings that are said to be, or to have been, as they are and were not, or that nobody looked at."""
    yield from _restored(said)
    if not _ANY.search(said.document.own):
        return
    states = _last_words(said)
    rows = said.world.context.get_table(DatabaseNamespace.SETTING, said.world.index).dicts()
    for column, on in rows[-1].items() if rows else ():
        key = setting_key(column)
        if not isinstance(on, bool) or key is None:
            continue
        if key in states and states[key] is not on:
            yield Finding(Kind.SETTING, f"{column} {'on' if states[key] else 'off'}", "on" if on else "off")
        elif key in states and not _is_known(said, key) and not _LEFT.search(said.document.own):
            yield Finding(Kind.SETTING, f"{column} {'on' if states[key] else 'off'}", "nobody looked")
        yield from _earlier(said, key, column)
    for match in _SINCE.finditer(said.document.own):
        if said.is_said(match.start()) and not said.told.holds_text(match.group()):
            yield Finding(Kind.SETTING, match.group(), "nothing tells since when")
    yield from _untouched(said)
    yield from _not_switched(said)


def _last_words(said: Statement) -> dict[str, bool]:
    """The last word on each setting that is named."""
    document = said.document
    said_at: list[tuple[int, dict[str, bool]]] = []
    for event in events(document, SETTINGS):
        clause = document.clause_at(event.start)
        begin = document.sentences[clause.sentence][0]
        is_of_you = _YOU_ARE.search(document.own, clause.start, clause.end)
        if (
            is_of_you
            or _PASSING.search(document.own, event.start, document.sentences[clause.sentence][1])
            or _NEED.search(document.own, begin, event.start)
            or _HOW_IT_WAS.match(document.own, begin, event.start)
        ):
            continue
        if event.kind in (EventKind.STATE, EventKind.CHANGE):
            # Whom "that" and "it" mean is a guess; a name beside the word is none, nor is "and is on again" behind it.
            whole = document.sentences[clause.sentence]
            only = {each.lastgroup for each in _ANY.finditer(document.own, *whole)}
            goes_on = len(event.subjects) == 1 and only == event.subjects and _GOES_ON.match(document.own, clause.start)
            near = whole if goes_on else (clause.start, clause.end)
            named = {
                key
                for key in event.subjects
                if any(
                    not _BUT.search(document.own, max(0, name.start() - 20), name.start())
                    for name in setting_pattern(SETTINGS[key]).finditer(document.own, *near)
                )
            }
            is_kept = not event.on and "low_battery" not in named and _KEPT_OFF.search(document.own, begin, event.start)
            if not is_kept:
                said_at.append((event.start, dict.fromkeys(named, event.on)))
    said_at += _by_pronoun_or_row(said)
    last: dict[str, bool] = {}
    for _, states in sorted(said_at, key=lambda each: each[0]):
        last |= states
    for match in _BACK.finditer(document.own):
        begin, _ = said.sentence(match.start())
        subjects = {each.lastgroup or "" for each in _ANY.finditer(document.own, begin, match.end())}
        if len(subjects) == 1 and said.is_said(match.start()):
            last |= dict.fromkeys(subjects, match["last"] == "on")
    return last


def _by_pronoun_or_row(said: Statement) -> Iterator[tuple[int, dict[str, bool]]]:
    """Settings in a row with one state behind them, and those that "both", "all three" or "it" stand for."""
    own = said.document.own
    for match in _ROW_OF.finditer(own):
        begin, _ = said.sentence(match.start())
        if said.is_said(match.start()) and not _HOW_IT_WAS.match(own, begin, match.start()):
            yield match.end(), dict.fromkeys(_keys(own, match.start(), match.end()), match["state"] == "on")
    for match in _ALL_OF_THEM.finditer(own):
        starts = (said.sentence(match.start())[0], 0)
        several = next(filter(None, (_keys(own, begin, match.start()) for begin in starts)), [])
        keys = {key for key in several if match["two"] or key != "low_battery"}
        if len(keys) == (2 if match["two"] else 3 if match["three"] else len(keys)) and said.is_said(match.start()):
            yield match.end(), dict.fromkeys(keys, match["state"] == "on")
    for match in _TURNED_IT.finditer(own):
        named = set(_keys(own, 0, len(own)))
        if len(named) == 1 and said.is_said(match.start()):
            yield match.end(), dict.fromkeys(named, match["state"] == "on")
    for match in _LEFT_IT.finditer(own):
        keys_before = _keys(own, said.sentence(match.start())[0], match.start())
        if keys_before and said.is_said(match.start()):
            yield match.end(), {keys_before[-1]: match["state"] in ("on", "running", "enabled")}


def _keys(own: str, begin: int, stop: int) -> list[str]:
    """Settings in the order in which a stretch of a text names them."""
    return [each.lastgroup or "" for each in _ANY.finditer(own, begin, stop)]


def _not_switched(said: Statement) -> Iterator[Finding]:
    """Settings that the agent says it has switched, and never touched."""
    touched = {name for each in said.world.changes if each.kind == "switched" for name in each.columns}
    tools = " ".join(tool for tool, _ in said.calls)
    for match in _I_SWITCHED.finditer(said.document.own):
        key = match.lastgroup or ""
        if key in tools or any(setting_key(name) == key for name in touched) or not said.is_said(match.start()):
            continue
        yield Finding(Kind.SETTING, match.group(), "nobody touched it")


def _restored(said: Statement) -> Iterator[Finding]:
    """Settings that are said to be as they were, of which none is."""
    world = said.world
    switched = [each for each in world.changes if each.kind == "switched"]
    now = world.rows(DatabaseNamespace.SETTING)[-1]
    for match in _RESTORED.finditer(said.document.own) if switched else ():
        is_back = any(
            change.after and change.before and change.after[name] != now[name] == change.before[name]
            for change in switched
            for name in change.columns
        )
        is_named = (
            match["whole"] is None
            or len(switched) == len(world.changes)
            or _ANY.search(said.document.own)
            or _SETTINGS.search(said.document.own)
        )
        if said.is_said(match.start()) and is_named and not is_back:
            yield Finding(Kind.SETTING, match.group(), "nothing was put back")


def _is_known(said: Statement, key: str) -> bool:
    """Whether the state of a setting was read, set, told, or follows from what worked."""
    words = setting_pattern(SETTINGS[key])
    if key != "low_battery" and any(tool == "get_low_battery_mode_status" for tool, _ in said.calls):
        return True
    touched = "low_battery" if key == "low_battery" else f"{key}|set_low_battery|settings"
    needs = _NEEDS.get(key, "^$")
    return any(re.search(f"(?:{touched})|{needs}", tool) for tool, _ in said.calls) or any(
        words.search(text) for text in said.shown.texts
    )


def _untouched(said: Statement) -> Iterator[Finding]:
    """Settings that the agent says it has not touched, and has switched."""
    switched = {setting_key(name) for each in said.world.changes if each.kind == "switched" for name in each.columns}
    for match in _NOT_TOUCHED.finditer(said.document.own) if switched else ():
        keys = _keys(said.document.own, *match.span())
        if said.document.is_asserted(match.start()) and switched.issuperset(keys):
            yield Finding(Kind.SETTING, match.group(), "it was switched")


def _earlier(said: Statement, key: str, column: str) -> Iterator[Finding]:
    """A past state that never was, or was not already."""
    world, own = said.world, said.document.own
    told: list[tuple[int, int, bool, bool]] = []  # start, end, state, whether it was so from the beginning
    for name in setting_pattern(SETTINGS[key]).finditer(own):
        if match := _WAS.match(own[name.end() : name.end() + 40]):
            # What is in the way is on if it is the mode, and off if it is a radio.
            on = key == "low_battery" and match["state"] not in ("off", "disabled")
            on = on or match["state"] in ("on", "enabled")
            is_since = match["already"] or match["too"] or _AT_FIRST.match(own, name.end() + match.end())
            told.append((name.start(), name.end() + match.end(), on, bool(is_since)))
    for match in _WERE.finditer(own):
        if key in _keys(own, *match.span()):
            told.append((*match.span(), match["state"] == "on", False))
    for start, end, on, is_since in told:
        indices = [world.since] if is_since else [world.since, world.start, *(change.index for change in world.changes)]
        tables = (world.context.get_table(DatabaseNamespace.SETTING, index) for index in indices)
        if said.is_said(start) and not any(on is value for table in tables for value in table.column(column)):
            yield Finding(Kind.SETTING, own[start:end], "it was not")
