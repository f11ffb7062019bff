"""All that a text says about settings being on or off, also in lists under a heading and in sentences cut short.

"Off: cellular. On: Wi-Fi and location." states three; "cellular is on, Wi-Fi is not" and "so is location" say the state
of the second thing by that of the first.
"""

from __future__ import annotations

import bisect
import functools
import re

from tool_sandbox.common.facts._document import Document
from tool_sandbox.common.facts._settings import setting_pattern
from tool_sandbox.common.facts._state_events import Event, EventKind, spoken_events, state_named_at

_HEADING = re.compile(
    r"(?:(?:^|(?<=[.;,:\n(]) ?|-- )(?:and )?|\b(?:currently|now|still|are|is|turned|switched) )"
    r"(?P<not>not )?(?P<state>on|off|enabled|disabled|active|inactive)\)?(?= ?:)"
)
_EXCEPT = re.compile(
    r"\b(?P<state>on|off|enabled|disabled|active|inactive),? (?:except|apart from|save|other than"
    r"|but not)(?: for)?(?= )"
)
_LIST_WORD = r"the|your|and|or|both|service|services|mode|data|only"
_CUT_SHORT = re.compile(
    r"\b(?P<verb>is|are|does|do)(?P<not>n't| not)?(?: (?:either|too|as well|also))?(?=\s*(?:[.,;!)\n]|--|$))"
)
_SAME = re.compile(r"\b(?P<same>so|neither|nor) (?:is|are|does|do) ")
_REACH = 120


def events(document: Document, subjects: dict[str, str]) -> list[Event]:
    """All statements about states in order.

    Args:
        document: The text.
        subjects: Key to alternatives of a pattern, for every setting that may be spoken of.
    """
    spoken = spoken_events(document, subjects)
    headed = _headed(document, subjects)
    found = sorted([*spoken, *headed], key=lambda event: event.start)
    return sorted([*found, *_cut_short(document, subjects, found)], key=lambda event: event.start)


def _headed(document: Document, subjects: dict[str, str]) -> list[Event]:
    """Lists of settings under the name of a state, or of those that are not in it ("all on except Wi-Fi")."""
    own = document.own
    found = []
    for match in (*_HEADING.finditer(own), *_EXCEPT.finditer(own)):
        if not document.is_asserted(match.start("state")):
            continue
        listed = _list_pattern(tuple(subjects.values())).match(own, match.end())
        keys = frozenset(
            key
            for key, words in subjects.items()
            if listed and setting_pattern(words).search(own, listed.start(), listed.end())
        )
        if keys:
            turned_round = match.re is _EXCEPT or match["not"] is not None
            on = (match["state"] in ("on", "enabled", "active")) != turned_round
            found.append(Event(match.start("state"), on, EventKind.STATE, keys))
    return found


@functools.lru_cache(maxsize=64)
def _list_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Matches a heading's colon, if there is one, and the names behind it, as far as nothing else is said."""
    return re.compile(rf" ?:?(?:[\s,;.&-]|(?<![\w-])(?:{'|'.join((*names, _LIST_WORD))})(?![\w-]))*")


def _cut_short(document: Document, subjects: dict[str, str], found: list[Event]) -> list[Event]:
    """Sentences that leave out the state, because the one before has just named it."""
    own = document.own
    starts = [event.start for event in found]
    result = []
    for match in (*_CUT_SHORT.finditer(own), *_SAME.finditer(own)):
        before = bisect.bisect_left(starts, match.start())
        last = found[before - 1] if before else None
        if last is None or match.start() - last.start > _REACH or not document.is_asserted(match.start()):
            continue
        if match.re is _SAME:
            start, stop = match.end(), match.end() + _REACH
            on = last.on
        else:
            start, stop = last.start, match.start()
            on = state_named_at(document, last.start) == (match["not"] is None)
        clause = document.clause_at(match.start())
        keys = frozenset(
            key
            for key, words in subjects.items()
            if setting_pattern(words).search(own, max(start, clause.start), min(stop, clause.end))
        )
        if keys and last.kind is not EventKind.DENIAL:
            result.append(Event(match.start(), on, EventKind.STATE, keys))
    return result
