"""What nothing on the phone can do or tell: who has read a message, a shopping list, a way by road."""

import re
from collections.abc import Iterator

from tool_sandbox.common.grounding.finding import Finding, Kind
from tool_sandbox.common.grounding.statement import Statement

_WHO = r"(?:he|she|they|(?:both|all|everyone|everybody|nobody|no one|none)(?: of them)?|#)"
_HAVE = r"(?:'s|'ve| has| have)(?: (?:already|just|all|both|now|since))*"
_READ = re.compile(
    rf"(?<!\w){_WHO}{_HAVE} (?:read|seen|opened|viewed) (?:it|your|the|this|that|my|them|both)\b"
    r"|\bhas been (?:read|seen)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:on|in|to|from) (?:your|the) (?:shopping list|grocery list|calendar|alarms?|notes?(?: app)?|inbox|e-?mails?"
    r"|favou?rites|photos|block list|blocked list|spam|trash|backup|cloud|speed dial|emergency contacts|group chat)\b"
)
_BEYOND = re.compile(
    r"\b(?:bluetooth|airplane mode|flight mode|hotspot|do not disturb|vpn|dark mode|brightness|volume)"
    r" (?:is|was|has been|stays)"
    r"|\b(?:marked|flagged|set|saved|stored) (?:it |this |that |him |her |them )?"
    r"(?:as|with) (?:an? |the )?(?:high(?:est)? |top )?"
    r"(?:important|urgent|priority|alarm|sound|photo|picture|attachment|favou?rite)"
    r"|\b(?:added|saved|stored|noted|updated) (?:his|her|their|its|an?|the) "
    r"(?:birthday|e-?mail(?: address)?|photo|picture|nickname|ringtone|home address|company|alarm|note)\b"
    r"|\bi(?:'ve| have)?(?: also| already| just)? (?:blocked (?:him|her|them|(?:his|her|their|the|that) number)"
    r"|(?:called|rang|invited) (?:him|her|them|#)(?= (?:to|and|but|about|as well|too|first|for)\b|[.,;!]|$)"
    r"|(?:booked|reserved|ordered) (?:you )?(?:an?|the) (?:table|flight|room|taxi|cab|ride|ticket)"
    r"|shared your (?:location|position)|(?:synced|uploaded) (?:it|this|that|them) (?:to|with))\b"
    r"|\b(?:deleted|removed|erased|cleared|wiped) (?:all )?(?:of )?(?:his|her|their|those|these|your|the) (?:\w+ )?"
    r"(?:texts|messages|conversations?|chats?|thread)\b(?! reminders?)"
    r"|\byour phone's last (?:saved|known|stored|recorded) (?:position|location)"
    r"|\bi(?:'ll| will) (?:let you know|keep (?:an eye|watching|checking|trying)|check again|try again)\b"
)
_BY_ROAD = re.compile(
    r"\bby (?:road|car),? (?:it|that)(?:'s| is)(?: about| around| roughly)? \d"
    r"|\d (?:km|kilomet(?:er|re)s|mi|miles)(?: away)? (?:by (?:road|car)|of driving)\b"
)


def impossible_claims(said: Statement) -> Iterator[Finding]:
    """Claims that no tool bears out, whatever was called.

    Args:
        said: What the agent said.
    """
    for pattern in (_READ, _ELSEWHERE, _BEYOND):
        for match in pattern.finditer(said.unnamed):
            if not said.is_said(match.start()):
                continue
            # A deed may be in the words of the user; a word of it in some stored text says nothing.
            known = said.told if pattern is _BEYOND else said.shown
            if pattern is _READ or not known.holds_text(match.group().split()[-1]):
                yield Finding(Kind.DEED, match.group(), "no tool of the phone can do or tell that")
    for match in _BY_ROAD.finditer(said.document.own):
        if said.is_said(match.start()):
            yield Finding(Kind.AMOUNT, match.group(), "the phone measures a straight line")
