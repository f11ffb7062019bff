"""What nothing on the phone can do or tell: who has read a message, a shopping list, a way by road."""

import re
from collections.abc import Iterator

from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.apps.registry import tools_of

_WHO = (
    r"(?:he|she|they|the (?:other (?:side|person|party)|recipient)"
    r"|(?:both|all|everyone|everybody|nobody|no one|none)(?: of them)?|#)"
)
_HAVE = r"(?:'s|'ve| has| have)(?: (?:already|just|all|both|now|since))*"
_READ = re.compile(
    rf"(?<!\w){_WHO}{_HAVE} (?:read|seen|opened|viewed) (?:it|your|the|this|that|my|them|both)\b"
    r"|\bhas been (?:read|seen|opened)\b|\bwho(?:'s| has)(?: (?:already|just))* (?:read|seen|opened) (?:it|your)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:on|in|to|from) (?:your|the) (?:shopping list|grocery list"
    r"|calendar(?= (?:too|also|as well|app)\b)|alarms?|notes?(?: app)?|inbox|e-?mails?"
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
    r"|\b(?:added|saved|stored|noted|put) (?:its|his|her|the|their) (?:street |full )?address\b[^.;]{0,40}?"
    r" (?:in|to|with) (?:the|its|their|your) (?:entry|contacts?|address book)\b"
    r"|\bi(?:'ve| have)?(?: also| already| just)? (?:blocked (?:him|her|them|(?:his|her|their|the|that) number)"
    r"|(?:called|rang|invited) (?:him|her|them|#)(?= (?:to|and|but|about|as well|too|first|for)\b|[.,;!]|$)"
    r"|(?:booked|reserved|ordered) (?:you )?(?:an?|the) (?:table|flight|room|taxi|cab|ride|ticket)"
    r"|shared your (?:location|position)|(?:synced|uploaded) (?:it|this|that|them) (?:to|with))\b"
    r"|\b(?:deleted|removed|erased|gone|cleared)(?: [\w']+){0,4}?,?"
    r" (?:along with|together with|including|and so (?:are|is))"
    r" (?:the|your|all|any|his|her|their) (?:[\w']+ ){0,2}?(?:texts|messages|conversations?|thread|chats?|history)\b"
    r"|\b(?:threads?|conversations?|chats?|texts|message history)\b(?! reminders?)(?: [\w'#]+){0,6}?"
    r" (?:(?:has|have) (?:also |now |just )?been|is|are|was|were)(?: also| now| all)*"
    r" (?:deleted|removed|erased|cleared|wiped)\b"
    r"|\b(?:deleted|removed|erased|cleared|wiped|purged)(?: out| away)? (?:all )?(?:of )?"
    r"(?:his|her|their|those|these|your|the) (?:\w+ )?(?:texts|messages|conversations?|chats?|thread|history)\b"
    r"(?! reminders?)|\byour phone's last (?:saved|known|stored|recorded) (?:position|location)"
    r"|\bi(?:'ll| will) (?:let you know|keep (?:an eye|watching|checking|trying)|check again|try again)\b"
)
_SHIELD = r"face id|touch id|fingerprint|biometrics|(?:a |the |your )?(?:pass ?code|pin(?: code)?|password|screen lock)"
_STATE = re.compile(
    r"\bbattery(?: level| charge| percentage)?(?: is|'s| was| stands| sits)(?: \w+){0,2}? ?(?:at )?(?:about |around )?"
    r"(?:\d+ ?(?:%|percent)|low\b|empty\b|flat\b|full\b|dead\b|dying\b|fully charged|charging)"
    r"|\b\d+ ?(?:%|percent) (?:of )?(?:battery|charge)\b"
    r"|\bbattery\b[^.;!?\n]{0,60}? (?:it's|it is|is|stands|sits) (?:still )?(?:at|on|down to) (?:about |around )?"
    r"\d+ ?(?:%|percent)"
    r"|\b(?:no|(?:a )?(?:weak|poor|bad|faint|strong|good|full))(?: \w+)? (?:signal|reception|gps fix)\b"
    r"|\b(?:isn't|is not|aren't|not) (?:receiving|getting|picking up) (?:a|any|enough)(?: \w+)?"
    r" (?:signal|reception|fix)\b"
    rf"|\b(?:locked|secured|protected|hidden|blocked|guarded) (?:behind|by|with) (?:{_SHIELD})\b"
    rf"|\b(?:needs?|requires?|asks? for|waiting for) (?:{_SHIELD})\b"
    r"|\b(?:are|is|being|stay|remain)(?: all| end-to-end| fully)* (?:encrypted|password-protected|write-protected"
    r"|locked|archived|backed up|synced|corrupted|damaged)\b"
    r"|\b(?:phone|system|device|android|ios) (?:protects|locks|shields|guards)"
    r" (?:that|this|the|your|his|her|their|it|them)\b"
    r"|\b(?:is|are|was|set|saved|marked|listed|flagged|stored)(?: \w+)? as (?:your|an|a|the|one of your)"
    r" (?:emergency|ice|favou?rite|blocked|vip|pinned|starred) (?:contact|number|entry)s?\b"
    r"|\bread receipts? (?:is|are|show|came|says?|confirms?)\b|\bmarked (?:as )?(?:read|unread|delivered)\b"
    r"|\b(?:storage|memory|mailbox|inbox|address book|sim(?: card)?) is (?:almost |nearly )?full\b"
    r"|\b(?:server|service|provider|backend|website|network|carrier|system)s?(?: \w+)?"
    r" (?:is|are|was|were|seems|has been) (?:(?:currently|temporarily|still|just) )?(?:overloaded|under maintenance"
    r"|not responding|unreachable|offline for maintenance|timing out|having an outage)\b"
)
"""States of the phone and of the world that no table holds and no tool reads."""
_SIGNAL = re.compile(r"\b(?:signal|reception|fix)\b")
_OFF = re.compile(r"\b(?:off|disabled)\b")
_CANNOT_KNOW = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|don't|do not|unable|no (?:way|tool|means)|whether|if|how|know|see"
    r"|tell|check|no idea)\b"
)
_TELLING = re.compile(
    r"signal|reception|fix|face id|touch id|fingerprint|biometrics|pass ?code|pin|password|screen lock|encrypted|locked"
    r"|archived|backed up|synced|corrupted|damaged|emergency|ice|favou?rite|blocked|vip|pinned|starred|receipts?|full"
    r"|overloaded|maintenance|responding|unreachable|outage|\d+|empty|flat|dead|charg\w+|protect\w*"
)
_BY_ROAD = re.compile(
    r"\b(?:counted|measured|taken) (?:along|by|on|over) (?:the )?roads?\b|"
    r"\bby (?:road|car),? (?:it|that)(?:'s| is)(?: about| around| roughly)? \d"
    r"|\d (?:km|kilomet(?:er|re)s|mi|miles)(?: away)? (?:by (?:road|car)|of driving|drive)\b"
    r"|\b(?:drive|driving distance|walk)(?: (?:there|from \w+ to \w+))? (?:of|is)(?: about| around| roughly)? "
    r"\d[\d.,]* ?(?:km|kilomet(?:er|re)s|mi|miles)\b"
)


_FUNCTION_WORDS = {"a", "an", "of", "the", "in", "to", "it"}
"""Words of the name of a row, as in "line of an order", that are about no app."""


def _is_of_an_app(said: Statement, claim: str) -> bool:
    """Whether a word of a claim is one of what an app of the world is about, so that its tools may bear it out."""
    apps = said.world.context.apps
    if not apps:
        return False
    names = [
        *(app.name for app in apps),
        *tools_of(apps),
        *(word for app in apps for pair in app.words.values() for word in pair),
    ]
    known = {word.removesuffix("s") for name in names for word in re.split(r"[_ ]", name.lower())} - _FUNCTION_WORDS
    return any(word.removesuffix("s") in known for word in claim.replace("e-mail", "email").split())


def impossible_claims(said: Statement) -> Iterator[Finding]:
    """Claims that no tool bears out, whatever was called."""
    for pattern in (_READ, _ELSEWHERE, _BEYOND):
        for match in pattern.finditer(said.unnamed):
            if not said.is_said(match.start()):
                continue
            # A deed may be in the words of the user; a word of it in some stored text says nothing.
            known = said.told if pattern is _BEYOND else said.shown
            if _is_of_an_app(said, match.group()):
                continue
            if pattern is _READ or not known.holds_text(match.group().split()[-1]):
                yield Finding(Kind.DEED, match.group(), "no tool of the phone can do or tell that")
    for match in _STATE.finditer(said.unnamed):
        # That there is no signal is a claim, too; who only cannot know it claims nothing.
        clause = said.document.clause_at(match.start())
        is_unknown = _CANNOT_KNOW.search(said.document.own, clause.start, match.start())
        # A radio that is off has no signal.
        is_off = _SIGNAL.search(match.group()) and _OFF.search(said.document.own, *said.sentence(match.start()))
        is_shown = any(said.shown.holds_text(word) for word in _TELLING.findall(match.group()))
        if said.is_asserted(match.start()) and not (is_unknown or is_off or is_shown):
            yield Finding(Kind.SETTING, match.group(), "nothing on the phone tells that")
    for match in _BY_ROAD.finditer(said.document.own):
        if said.is_said(match.start()):
            yield Finding(Kind.AMOUNT, match.group(), "the phone measures a straight line")
