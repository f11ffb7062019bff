"""Phrases that say why something cannot be done, one table a class of reasons."""

from __future__ import annotations

from enum import auto

from tool_sandbox.common._enums import UpperStrEnum
from tool_sandbox.common.facts._text import one_of


class CannotReason(UpperStrEnum):
    """Why something cannot be done.

    Attributes:
        TOOL_MISSING: The agent has no tool, access or permission for it.
        NOT_FOUND: The person, place, item or value that it needs does not exist.
        SETTING_BLOCKED: A device setting prevents it.
        SERVICE_FAILED: A service or tool failed.
        INFORMATION_MISSING: The user has to supply something first.
    """

    TOOL_MISSING = auto()
    NOT_FOUND = auto()
    SETTING_BLOCKED = auto()
    SERVICE_FAILED = auto()
    INFORMATION_MISSING = auto()


_DO_NOT = r"(?:don't|do not|doesn't|does not|didn't|did not|haven't|have not)"
_IS_NOT = r"(?:isn't|is not|aren't|are not|wasn't|was not|weren't|were not)"
_CANNOT = r"(?:can't|cannot|can not|couldn't|could not|unable to|not able to|failed to)"
_ADVERB = r"(?:currently |actually |really |directly |yet |also |even |just |still )*"
_NEAR = r"[^.;!?\n]{0,60}?"

_TOOL = (
    r"(?:tools?|toolset|functions?|functionality|features?|abilit(?:y|ies)|capabilit(?:y|ies)|access|means|permissions?"
    r"|options?|methods?|lookups?|way)"
)
TOOL_MISSING = one_of(
    rf"{_DO_NOT} {_ADVERB}(?:have|offer|include|provide|come with|support|possess|allow)\b{_NEAR}\b{_TOOL}",
    rf"(?:no|neither|without|lack(?:s|ing)?)\b{_NEAR}\b(?!(?:options?|way)\b){_TOOL}",
    (
        rf"(?:{_IS_NOT}|haven't been|have not been|hasn't been|not) (?:given|provided|equipped)(?: "
        rf"with)?\b{_NEAR}\b{_TOOL}"
    ),
    rf"{_TOOL}\b{_NEAR} {_DO_NOT} have (?:one|it|that|any|access)",
    rf"(?:none|neither|not one|nothing) (?:of|in|among) (?:my|the|these|those|your)\b{_NEAR}\b{_TOOL}",
    rf"(?:none|nothing) (?:that )?i (?:have|can use|was given)\b(?!{_NEAR}\b(?:match|named|called|saved))",
    r"no way (?:for me )?(?:to|of|that)",
    rf"(?:{_IS_NOT}|not|beyond|outside(?: of)?|exceeds) (?:\w+ ){{0,3}}(?:my|the|scope)(?: \w+){{0,2}} {_TOOL}",
    rf"(?:{_IS_NOT}|not) (?:\w+ ){{0,4}}with (?:my|the) (?:\w+ )?{_TOOL}",
    rf"{_CANNOT}\b{_NEAR} with (?:my|the) (?:\w+ )?{_TOOL}",
    rf"{_TOOL}(?: [\w']+){{0,8}} {_IS_NOT} {_ADVERB}"
    r"(?:available|provided|offered|enabled|supported|included|present|accessible|there)",
    rf"{_TOOL}(?: [\w']+){{0,8}} (?:is|are) (?:missing|unavailable)",
    rf"{_TOOL}(?: [\w']+){{0,8}} {_DO_NOT} (?:allow|include|let|cover|support|have|exist|permit|provide)",
    (
        rf"(?:{_IS_NOT}|not) {_ADVERB}(?:something i(?:'m| am|'ve| can| have)?(?: able to)?|equipped"
        rf"|supported|permitted to)"
    ),
    rf"{_CANNOT} {_ADVERB}(?:access|interact with)(?! (?:that|this)\b)",
    rf"{_CANNOT} (?:\w+ ){{0,2}}{_NEAR}(?:directly|from here|on your behalf)",
    rf"you(?:'ll| will)? (?:can|need to|have to|may|could|would need to)\b{_NEAR}\b(?:yourself|manually)",
    r"(?:outside(?: of)?|beyond) (?:what|the things) i(?:'m| am| can)",
    r"limited to|only have(?: access to)?|only able to|i can only",
    rf"{_CANNOT} {_ADVERB}(?:update|modify|edit|change|rename|alter|adjust)\b{_NEAR} without"
    r" (?:delet|remov|re-?creat|replac|creat|re-?add|add)ing",
    r"only way (?:to|is|would|i)",
)

_VERB = (
    r"(?:look (?:up|at|into|through|inside)|search(?: through| for)?|view|read|check|browse|list|open|retrieve|query"
    r"|delete|remove|erase|modify|edit|update|change|manage|add|create|save|set|cancel|send|text|message|call"
    r"|determine|track|find out|figure out|tell|know|see(?= your))"
)
_KIND_OF_THING = (
    r"(?:(?!(?:this|its|yours|us|always)\b)[a-z]+s|people|address book|contact list|(?:message |text |chat )?history"
    r"|inbox|calendar|information|data"
    r"|today's (?:date|day)|(?:what|which) (?:day|date|time|year)|the (?:current |local |live |exact |real-time "
    r"|actual )?(?:date|time|weather|temperature|forecast|day))"
)
# "I can't look up contacts": no tool is named, but only something that never works is spoken of in general.
NEVER_POSSIBLE = one_of(
    rf"(?:can't|cannot|can not|(?<!was )(?<!were )(?:unable to|not able to)|not capable of) {_ADVERB}"
    rf"{_VERB}(?:(?:,? or|, and|,) {_VERB}){{0,3}} (?:(?:your|new|existing|saved|stored|text|phone|people's|other"
    rf"|old|past|previous|sent|received|specific|individual"
    rf"|weather|location|contact|live|real-time|current) ){{0,3}}{_KIND_OF_THING}"
)
# What makes it impossible only now.
PASSING_HINDRANCE = one_of(
    r"because|since|while|until|unless|due to|as long as|without|given|off|on|disabled|offline|fail(?:ed|s|ing)?"
    r"|errors?|named|called|matching"
)

# What cannot be seen is missing, and no tool shows it.
UNSEEN = one_of(
    rf"(?:{_CANNOT}|no way (?:for me )?to) {_ADVERB}(?:see|check|tell|know|view|access|get|look up|read|verify"
    r"|determine|find out|figure out|work out)"
)

_FIND = (
    r"(?:find|found|locate|located|see|identify|look up|pinpoint|match|recogni[sz]e|turn up|come up with|come across"
    r"|return|exist|appear|seem to (?:be|exist|have)|show up|include|contain|list|retrieve any|have "
    r"(?:a|an|any|anyone|anybody|someone|your \w+))"
)
_RECORD = (
    r"(?:numbers?|address(?:es)?|positions?|coordinates|entr(?:y|ies)|contacts?|data|forecasts?|information|records?"
    r"|locations?|details?|e-?mails?|holidays?|cit(?:y|ies)|relationships?|names?)"
)
_RANGE = (
    r"(?:range|window|horizon|limits?|forecasts?|days?|reach|period|forecast(?:ed|ing)?|service|available|coverage"
    r"|predictions?)"
)
NOT_FOUND = one_of(
    rf"(?:{_CANNOT}|{_DO_NOT}|haven't been able to|wasn't able to)(?: \w+){{0,2}} {_FIND}",
    r"there(?:'s| is| are|'re| was| were|'s currently) (?:\w+ )?(?:no|not any|nothing|nobody|none)",
    rf"there {_IS_NOT} (?:a|an|any|anyone|anybody|anything)",
    r"no (?!way|tool|ability|function|access|problem|worries|longer|need|doubt)[a-z'-]+(?: [\w'\"-]+){0,8}? (?:found"
    r"|exists?|available|returned|named|called|match(?:es|ed|ing)?|with|for|in|on|under|by|at|listed"
    r"|saved|came|turned|registered|assigned|associated|known|recorded|stored|linked)",
    rf"{_CANNOT} be (?:matched|resolved|mapped|linked|traced|converted|identified|located|found|determined|assigned)",
    r"(?:contains?|includes?|lists?) no|(?:turned|came|comes) up (?:nothing|empty|no)",
    (
        r"no (?:results?|match(?:es)?|records?|entr(?:y|ies)|such|contacts?|reminders?|messages?|data"
        r"|forecast|information)"
    ),
    rf"(?:{_IS_NOT}|not) (?:\w+ )?(?:found|saved|listed|in|on|among|a|an|any|known|registered|stored|recogni[sz]ed)",
    r"(?:came (?:back|up)|returned|yielded|gave|produced) (?:empty|blank|nothing|no|zero|null|with nothing)",
    r"none (?:of|was|were|are|found|with|match|about|for|that|like)|(?:found|located|have|has|had|see|saw) none",
    r"not (?:finding|seeing|locating|showing)",
    r"nothing (?:found|matching|named|called|about|by|for|in|like|on|with|came)",
    r"nobody|no one|no-one|has no|have no|had no|unknown|no longer exists|already gone|missing from",
    r"without (?:a|any) (?:listed|phone|result|match)",
    rf"{_RECORD}\b{_NEAR} (?:{_IS_NOT}|not) {_ADVERB}(?:available|listed|known|stored|on (?:file|record)|public|there)",
    rf"{_RECORD}\b{_NEAR} (?:is|are) {_ADVERB}(?:unavailable|unlisted|unknown|missing|blank|empty)",
    rf"{_DO_NOT} {_ADVERB}(?:correspond|belong|match|resolve|point|map|lead)(?: up)?(?: (?:to|with))?(?: \w+)? any\w*",
    # Out of the range of what is known, as forecasts for a distant day are.
    rf"(?:beyond|outside(?: of)?|past|exceeds?|exceeding|(?:further|farther)(?: out| ahead"
    rf"| away)? than)\b{_NEAR}\b{_RANGE}",
    r"out of (?:range|reach|bounds)|too far (?:ahead|out|off|away|in|into)",
    rf"{_DO_NOT} {_ADVERB}(?:reach|extend|go|stretch|cover|look|run|see)(?: \w+){{0,2}}? (?:(?:that|so|as|quite"
    rf"|nearly) far"
    r"|beyond|past|farther|further|that (?:day|date|long))",
    rf"{_RANGE}\w*\b{_NEAR}\b(?:at most|no more than|no further than|only(?: up to)?|up to|a maximum of|a max of)"
    r"(?: the)?(?: next)? (?:\d+|\w+)[ -]days?",
    rf"(?:only|just) (?:\w+ )?(?:covers?|goes|available|forecasts?|reach(?:es)?|extends?|predicts?|supports?"
    rf"|provides?|gives"
    rf"|offers?|looks|runs|have|has|get|see)\b{_NEAR}\b(?:days?|weeks?|ahead|advance|until|through)",
    r"only (?:covers?|goes|available)",
)

_SERVICE = (
    r"(?:service|server|api|system|backend|lookup|look-up|tool|request|search|converter|conversion|rate|provider"
    r"|network|function|call|query|connection|it|weather|currency|app)"
)
_BROKEN = (
    rf"(?:fail(?:ed|s|ing|ure)?|(?:is|was|are) down|unavailable|unresponsive|{_IS_NOT} (?:currently )?(?:available"
    rf"|responding|working)|not (?:available|responding|working)|{_DO_NOT} (?:respond|work)|timed? ?out|error(?:s|ed)?"
    r"|(?:returned|returning|returns) an error|having (?:issues|trouble|problems)|experiencing|out of service|offline"
    r"|broken|glitch|crashed)"
)
SERVICE_FAILED = one_of(
    rf"{_SERVICE}\w*(?: [\w'-]+){{0,6}}? {_BROKEN}",
    r"(?:an?|some|the same|this|repeated|unexpected|technical|internal|server|persistent) (?:\w+ ){0,3}"
    r"(?:errors?|outage|time-?out|glitch|failure|issues?|difficult(?:y|ies)|problems?)",
    r"(?:having|had|have) (?:some )?(?:trouble|difficulty|problems|issues)"
    r" (?:reaching|accessing|connecting|contacting|with|getting|using)",
    r"technical (?:issues?|difficult(?:y|ies)|problems?|errors?)",
    r"something went wrong|error (?:occurred|message|came)|(?:keeps?|kept) failing|runtimeerror",
    r"failed (?:repeatedly|again|each time|every time|twice|three times)",
)

_TELL = (
    r"(?:tell|give|provide|share|specify|confirm|clarify|supply|let me know (?:which|what|who|where|when|how|the|your))"
)
# An honest question for what is missing says both that it cannot go on yet, and why.
ASKS = one_of(
    rf"(?:could|can|would|will) you (?:please |kindly )?{_TELL}",
    rf"please {_TELL}",
    r"i(?:'ll|'d| will| would)? (?:still |first |also |just )?(?:need|require|am missing)"
    r"(?! to (?:send|do|turn|inform|tell you|apologi[sz]e)\b)",
    r"(?:which|what|whom?|where)\b[^.!\n]{0,80}\?",
    r"(?:just|kindly|simply) (?:tell|give|send) me|i(?:'m| am) (?:still )?missing",
    r"let me know (?:which|what|who|where|when|the|your)",
)
# "It depends on the density" says by itself that there is no answer without it.
DEPENDS = one_of(
    r"(?:it|that|this|which|answer|weight|mass|amount|result|conversion)\b(?: \w+){0,4}? (?:depends?|varies|vary)\b"
    r"(?! on (?:me|us)\b)"
)
INFORMATION_MISSING = one_of(
    ASKS.pattern,
    rf"{_DO_NOT} {_ADVERB}(?:know|have (?:your|the|enough|a|any|that|sufficient|all)|tell me|specify"
    rf"|provide|mention|say"
    r"|give|include)",
    r"you (?:haven't|have not|didn't|did not) (?:\w+ )?(?:t[eo]ll|told|give|given|provided?|specif(?:y"
    r"|ied)|mention(?:ed)?"
    r"|say|said|included?)",
    r"without (?:knowing|your|the|more|that|this|a|any|further|additional)",
    r"(?:not enough|insufficient|more|additional) (?:information|details?|context)",
    r"(?:is|are|information|details?) missing|missing (?:information|details?|the|your|a)",
    r"not (?:sure|clear|certain|specified|given|provided|told)|not been (?:provided|given|specified|told)",
    r"unclear|ambiguous",
    DEPENDS.pattern,
)

# Says that something is not possible, without a reason.
INABILITY = one_of(
    _CANNOT,
    _DO_NOT,
    (
        r"unable|not able|won't be able|wasn't able|haven't been able|impossible|no way|fail(?:ed|s)"
        r"|unavailable|unsupported"
    ),
    rf"{_IS_NOT} (?:currently |directly )?(?:possible|available|supported|allowed)",
    (
        r"lack(?:s|ing)?|none|nothing|nobody|no one|not found|without|has no|have no|prevent(?:s|ed|ing)?"
        r"|block(?:s|ed|ing)?"
    ),
    r"there(?:'s| is| are|'re| was| were) (?:currently |actually )?no",
    r"not (?:currently |directly )?(?:sent|done|possible|permitted|allowed|equipped|sure which)",
)
