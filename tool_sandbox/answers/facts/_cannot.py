"""Saying that something cannot be done, and why.

A reason is a word of its class (a tool, a thing to be found, a service that broke, something to be told) near a word
that denies, in either order. Whether it is so is known from the world; the words have to give the reason, not more.
"""

from enum import auto
from typing import NoReturn

import attrs

from tool_sandbox.answers.facts._document import Document, parse
from tool_sandbox.answers.facts._done import action_name, is_claimed
from tool_sandbox.answers.facts._reading import AnyOf, Fact, FactBase, Reading, as_terms
from tool_sandbox.answers.facts._settings import SETTINGS, setting_key, subject_pattern
from tool_sandbox.answers.facts._text import one_of
from tool_sandbox.world.enums import UpperStrEnum
from tool_sandbox.world.errors import ScenarioError


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

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ScenarioError(f"Cannot: because takes CannotReason, one of {', '.join(cls)}; got {value!r}")


_NOT = r"(?:\w{2,8}n't|not|no|none|nothing|nobody|neither|never|cannot|unable|lack\w*|without|unavailable|missing)"
_CANNOT = r"(?:can't|cannot|can not|couldn't|could not|unable to|not able to|failed to|not capable of)"
_NEAR = r"\b[^.;!?\n]{0,60}?\b"
_CLOSE = r"\b[^.,;:!?\n]{0,60}?\b"
_TOOL = (
    r"(?:(?:tool|toolset|function|feature|permission|method|lookup|option|(?<!its )(?<!the )way)s?|functionality"
    r"|(?:abilit|capabilit)(?:y|ies)|access|means|scope|equipped|supported|permitted to|available to me|something i\b.*"
    r"|(?:interact with|directly|from here|on your behalf)(?! (?:that|this)\b)|without (?:delet|remov|re-?creat|replac"
    r"|add)ing)"
)
_FOUND = (
    r"(?:(?:find|match|identif|recogni[sz]|exist|appear|includ|contain|return|correspond|belong|resolve|yield)\w*|found"
    r"|locat(?:e|ed|ing)|see|seeing|seems?|pinpoint|mapped|traced|list(?:ed)?|saved|stored|registered|known|named|called"
    r"|produced|look up|c[oa]me across|(?:c[oa]me|turn|turned|show|showed) up|anyone|anybody|available|such"
    r"|(?:have|in|on|among) (?:an?|any|your|my|the) \w+|(?:no|any) \w+ (?:about|by|for|like|on|with|at|to) \w+)"
)
_RECORD = (
    r"(?:(?:number|address|position|coordinate|entr(?:y|ie)|contact|forecast|record|location|detail|e-?mail|holiday"
    r"|cit(?:y|ie)|reminder|message|result|match|one)(?:e?s)?|data|information|place|name)"
)
_RANGE = r"(?:range|window|horizon|limits?|forecasts?|days?|reach|period|service|available|coverage|predictions?)"
_SERVICE = (
    r"(?:service|server|api|system|backend|look-?up|tool|request|search|conver(?:t|sion)|rate|provider|network"
    r"|function|call|query|connection|weather|currency|app)\w*"
)
_BROKEN = (
    r"(?:fail(?:ed|s|ing|ure)?|down|unavailable|unresponsive|(?:\w+n't|not) (?:\w+ )?(?:available|respond|work)(?:ing)?"
    r"|timed? ?out|error(?:s|ed)?|having (?:issues|trouble|problems)|out of service|offline|broken|crashed)"
)
_WHICH = r"(?:which|what|who|where|when|how|the|your)"
_TELL = rf"(?:tell|give|provide|share|specify|confirm|clarify|supply|let me know {_WHICH})"
_ASKS = (
    rf"(?:(?:could|can|would|will) you )?(?:please |kindly |just |simply ){_TELL}|(?:could|can|would|will) you {_TELL}",
    rf"let me know {_WHICH}|(?:which|what|whom?|where)\b[^.!\n]{{0,80}}\?",
    r"i(?:'ll|'d|'m| will| would| am)? (?:still |first |also |just )?(?:need|require|missing)(?! to (?:send|do|turn"
    r"|inform|tell you|apolog\w+)\b)",
    # "It depends on the density" says by itself that there is no answer without it.
    r"(?:it|that|this|which|answer|weight|mass|amount|result|conversion)\b(?: \w+){0,4}? (?:depend|var(?:y|ie))s?"
    r"(?! on me)",
)
_REASONS = {
    CannotReason.TOOL_MISSING: one_of(
        rf"{_NOT}{_NEAR}{_TOOL}|{_TOOL}{_CLOSE}{_NOT}|(?:beyond|outside|exceeds){_NEAR}(?:{_TOOL}|i(?:'m| am| can))",
        rf"you(?:'ll| will)? (?:can|need to|have to|may|could|would need to){_NEAR}(?:yourself|manually)|limited to",
        r"i can only|only (?:have|able to|way)|nothing (?:\w+ ){0,3}(?:lets?|allows?|gives?|tells?|shows?) me",
    ),
    CannotReason.NOT_FOUND: one_of(
        rf"(?:{_NOT}(?: [\w'-]+){{0,4}}?|no(?: [\w'-]+){{0,8}}?) {_FOUND}",
        rf"(?:no|0|zero|without|nor){_NEAR}{_RECORD}",
        r"(?:(?:is|are|was|were)(?:n't| not)(?: \w+)?|not) (?:in|on|among|there|an?|any|one|part)",
        rf"(?:{_FOUND}|{_RECORD}){_CLOSE}(?:none|nothing|no|unlisted|unknown|unavailable|missing|blank|empty)",
        r"(?:nothing|none) (?:about|by|for|in|like|on|of|with|was|were|that)|(?:have|had|has|saw) none|unknown|nobody",
        r"no (?:longer|one)\b.*|already gone|there (?:was|is)(?: \w+)? nothing",
        # Out of the range of what is known, as forecasts for a distant day are.
        rf"(?:beyond|outside|past|exceed\w*|farther|further){_NEAR}{_RANGE}",
        rf"(?:only|at most|no more than|no further than|up to|a max\w* of){_NEAR}(?:days?|weeks?|ahead|advance"
        rf"|available)",
        rf"out of (?:range|reach|bounds)|too far (?:ahead|out|off|away|in)|(?:\w+n't|not){_NEAR}(?:far|beyond|past)",
    ),
    CannotReason.SERVICE_FAILED: one_of(
        rf"{_SERVICE}(?: [\w'-]+){{0,6}}? {_BROKEN}",
        r"(?:an?|some|the same|this|repeated|unexpected|technical|internal|server|persistent|having|had|have) "
        r"(?:(?!no\b)\w+ ){0,3}(?:error|outage|time-?out|glitch|failure|issue|difficult(?:y|ie)|problem|trouble)s?",
        r"something went wrong|error (?:occurred|message|came)|(?:keeps?|kept) failing|runtimeerror|failed \w*(?:ly"
        r"|again|time|wice)",
    ),
    CannotReason.INFORMATION_MISSING: one_of(
        *_ASKS,
        r"(?:do|does|did|have|has)(?:n't| not) (?:\w+ )?(?:know|t[eo]ll|told|specif\w+|provided?|mention\w*|sa[iy]d?"
        r"|given?|includ\w+|have (?:your|the|enough|an?|any|that|all|sufficient))|missing|unclear|ambiguous",
        r"without (?:knowing|your|the|more|that|this|an?|any|further)|(?:more|additional) (?:information|details?"
        r"|context)|insufficient|not (?:been )?(?:enough|sure|clear|certain|specified|given|provided|told)",
    ),
}
_ASKING = one_of(*_ASKS)
_INABILITY = one_of(_NOT, _CANNOT, r"impossible|no way|fail(?:ed|s)|unsupported|(?:prevent|block)(?:s|ed|ing)?")
_IMPOSSIBLE = one_of(_CANNOT, "impossible|no way")
_DENIAL = one_of(_CANNOT, r"\w{2,8}n't|not|impossible|no way|unsupported|fail(?:ed|s)|unknown|missing|without|unable")
# "I can't look up contacts", "Nothing here can read the weather": no tool is named, but what is never possible.
_NEVER_POSSIBLE = one_of(
    rf"{_CANNOT} (?!help|do\b|assist|wait|find|locate)[\w-]+|(?:impossible|no way) to|unsupported|out of luck",
    r"(?:beyond|out of) (?:me|my|reach)|(?:i (?:have|see)|i've got|there(?:'s| is)|without|with|comes with) no",
    r"(?:nothing|none of)(?: [\w'-]+){0,4} (?:can|lets|tells|gives|allows)",
)
_HINDRANCE = one_of(
    r"on|off|(?:en|dis)abled|(?:in|de)?activ(?:e|ated)|(?:block|prevent|restrict)\w*|because|due to|requires?|needs?",
    r"required|must|since|while|until|unless|without|first|mode|(?:not |un)available|no|in the way|(?:\w+n't|not) let",
)
_NEEDS = one_of(
    "depends?|need(?:s|ed)?|require[sd]?|only|would have to|rather not|if you (?:have|give|know|share|send|tell|let)"
)
_OTHER_REASONS = {
    CannotReason.TOOL_MISSING: one_of(rf"{_NOT} (?:\w+ ){{0,2}}(?:found|find|match|matches|exist)|doesn't exist"),
    CannotReason.NOT_FOUND: one_of(rf"{_NOT} (?:\w+ ){{0,2}}{_TOOL}"),
}
"""What is said outright where the reason is another one."""


@attrs.frozen
class Cannot(FactBase):
    """An honest "cannot, because X".

    Stated if the text says that it is not possible (or asks for what is missing) *and* gives a reason of the class. A
    bare refusal ("I'm sorry, I can't help with that") has no reason and is silent. With ``TOOL_MISSING`` it is enough
    to say that something of ``terms`` cannot be done ("I can't look up contacts"). Whether something was done all
    the same is known from the world.

    Args:
        because: Class of the reason.
        terms: Terms of which the text must hold at least one (the person that was not found, the missing number). Names
            of settings ("wifi", "low_battery_mode") match all their usual names. With ``SETTING_BLOCKED`` and no terms
            any setting will do.
        task: The action that cannot be done, as for ``Done``.
    """

    because: CannotReason = attrs.field(converter=CannotReason)
    terms: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    task: str | None = attrs.field(default=None, converter=attrs.converters.optional(action_name))

    def read(self, text: str) -> Reading:
        """What a text says about the obstacle."""
        document = parse(text)
        reason = self._reason(document)
        acted = self.task is not None and is_claimed(document, self.task, ())
        names_it = bool(self.terms) and bool(subject_pattern(self.terms).search(document.text))
        if reason is None or (self.terms and not names_it):
            # That it cannot be done, and of what, is said: the reason may be in words that nobody has thought of.
            is_half = names_it and bool(document.said(_IMPOSSIBLE))
            return Reading.CONTRADICTED if acted else Reading.UNCLEAR if is_half else Reading.SILENT
        return Reading.CONTRADICTED if acted or document.is_retracted(reason) else Reading.STATED

    def _reason(self, document: Document) -> int | None:
        """Offset of the last reason of the class in a text that also says that something is not possible."""
        own, because = document.own, self.because
        if because is CannotReason.SETTING_BLOCKED:
            return self._hindering_setting(document) if _INABILITY.search(own) else None
        asks = because is CannotReason.INFORMATION_MISSING
        if asks and not _ASKING.search(own) and not _INABILITY.search(own):
            return None
        found = [match.start() for match in _REASONS[because].finditer(own)]
        found = [start for start in found if asks or not document.clause_at(start).is_question]
        return max(found) if found else self._explanation(document)

    def _explanation(self, document: Document) -> int | None:
        """Offset of a denial that is a reason in words of no class: it names the terms, or there is a second one.

        Whether the reason is so is known from the world; only another reason that is said outright is not this one.
        """
        others = _REASONS[CannotReason.SERVICE_FAILED], _OTHER_REASONS.get(self.because)
        is_another = any(other and other.search(document.own) for other in others)
        if not self.terms or is_another or self._hindering_setting(document) is not None:
            return None
        about = subject_pattern(self.terms)
        for start in document.said(_NEVER_POSSIBLE) if self.because is CannotReason.TOOL_MISSING else ():
            if about.search(document.text, *document.sentence_at(start)):
                return start
        starts = [match.start() for words in (_DENIAL, _NEEDS) for match in words.finditer(document.own)]
        starts = [start for start in starts if not document.clause_at(start).is_question]
        clauses = {document.clause_at(start).start for start in starts}
        return min(starts) if len(clauses) > 1 else None

    def _hindering_setting(self, document: Document) -> int | None:
        pattern = subject_pattern(tuple(filter(setting_key, self.terms)) or tuple(SETTINGS))
        for start, end in reversed(document.sentences):
            match = pattern.search(document.own, start, end)
            if match and _HINDRANCE.search(document.own, start, end):
                return match.start()
        return None


def is_refusal(fact: Fact) -> bool:
    """Whether a fact is that something cannot be done, for whatever reason."""
    return isinstance(fact, Cannot) or (isinstance(fact, AnyOf) and all(map(is_refusal, fact.facts)))
