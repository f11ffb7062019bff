"""Confirmation that something has been done."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import term_pattern
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms

# action -> (forms that say it has happened, forms in which it can be denied, nouns that only this action concerns)
_ACTIONS: dict[str, tuple[str, str]] = {
    "sent": (
        r"sent|messaged|texted|delivered|forwarded|relayed|(?:told|notified|informed)(?! you\b)|passed (?:it|that|this"
        r"|your message|the message|along)|let (?!you\b)\w+(?: \w+)? know|on its way|on their way|gone out|went out"
        r"|replied|responded|shared|dropped",
        r"send|message|text|deliver|forward|relay|tell|notify|inform|reply|respond|share|sending",
    ),
    "added": (
        r"added|created|saved|stored|set up|scheduled|recorded|registered|put|made|entered|set|logged|booked"
        r"|included|noted|you'll (?:be reminded|get a reminder|receive a reminder)|you will (?:be reminded|get a"
        r" reminder|receive a reminder)|i'll remind you|i will remind you|(?:is|are) now (?:in|on|part of|among)"
        r"|now have",
        r"add|create|save|store|set up|set|schedule|record|register|put|make|enter|adding|creating|saving",
    ),
    "removed": (
        r"removed|deleted|erased|cleared|(?:taken|took)\b(?: [^\s.;!?]+){0,6}? off"
        r"|dropped|wiped|cancel(?:l)?ed|purged|discarded|got rid of"
        r"|gotten rid of|eliminated|gone|no longer (?:in|on|saved|listed|exists?|have|appears?|there)|trashed"
        r"|unsaved|dismissed",
        r"remove|delete|erase|clear|take off|drop|wipe|cancel|get rid of|removing|deleting",
    ),
    "updated": (
        r"updated|changed|modified|edited|corrected|replaced|renamed|relabel(?:l)?ed|adjusted|revised|amended"
        r"|altered|switched|set"
        r"|(?<!is )(?<!are )(?<!both )(?<!currently )(?<!already )(?:saved|marked)|converted|swapped|reflects?"
        r"|restored|reverted|reset|undone|undid|(?:put|changed|set|switched)\b(?: [^\s.;!?]+){0,6}? back"
        r"|reassigned|re-?classified|re-?categori[sz]ed|(?:is|are) now|now (?:has|have"
        r"|shows?|listed|saved|reads|set|marked|under)|attached|added",
        r"update|change|modify|edit|correct|replace|rename|relabel|adjust|revise|amend|alter|set|save|updating"
        r"|changing|modifying",
    ),
    "moved": (
        r"moved|rescheduled|postponed|shifted|pushed(?: back)?|delayed|brought forward|changed|updated|set|adjusted"
        r"|restored|reverted|undone|undid|put\b(?: [^\s.;!?]+){0,6}? back"
        r"|modified|now (?:set|due|scheduled)|(?:is|are) now|you'll (?:now )?be reminded|bumped|snoozed",
        r"move|reschedule|postpone|shift|push|delay|change|update|adjust|modify|moving|rescheduling",
    ),
    "set": (
        r"set|configured|adjusted|scheduled|created|added|arranged|saved|turned|switched|you'll (?:be reminded|get a"
        r" reminder|receive a reminder)|you will (?:be reminded|get a reminder)|i'll remind you|i will remind you|is"
        r" now|are now",
        r"set|configure|adjust|schedule|create|add|arrange|save|setting",
    ),
    "turned_on": (
        r"(?:turned|switched|toggled|powered)\b(?: [^\s.;!?]+){0,7}? (?:back )?on|enabled|re-?enabled|activated"
        r"|re-?activated|restored|(?:is|are)(?: now| back| already| currently)* (?:on|active|enabled|online)|back"
        r" (?:on|online)",
        r"(?:turn|switch|toggle)\b(?: [^\s.;!?]+){0,7}? (?:back )?on|enable|activate|enabling",
    ),
    "turned_off": (
        r"(?:turned|switched|toggled|powered|shut)\b(?: [^\s.;!?]+){0,7}? (?:off|down)|disabled|deactivated|(?:is"
        r"|are)(?: now| already| currently)* (?:off|inactive|disabled|offline)",
        r"(?:turn|switch|toggle|shut)\b(?: [^\s.;!?]+){0,7}? (?:off|down)|disable|deactivate|disabling",
    ),
    "restored": (
        r"restored|(?:put|changed|set|moved|brought|switched)\b(?: [^\s.;!?]+){0,6}? back|reverted|reset|returned"
        r"|undone|undid|(?:is|are) as (?:it|they) (?:was|were)|rolled back|taken back"
        r"|(?:turned|switched)\b(?: [^\s.;!?]+){0,7}? back (?:on|off)|back (?:on|off|to)|re-?enabled|re-?disabled",
        r"restore|put(?: [^\s.;!?]+){0,6}? back|revert|reset|return|undo|change back|turn back|roll back",
    ),
}  # fmt: skip
_SYNONYMS = {
    "sent": "send texted messaged forwarded replied",
    "added": "add created saved scheduled",
    "removed": "remove deleted delete cancelled",
    "updated": "update changed modified renamed edited",
    "moved": "move rescheduled postponed",
    "turned_on": "enabled turned_on",
    "turned_off": "disabled turned_off",
}
_ALIASES = {name: action for action, names in _SYNONYMS.items() for name in names.split()}
_GENERIC = re.compile(
    r"(?:^|(?<=[.!?\n;:,] )|(?<=\n)|(?<=-- )|\b(?:it's|it is|that's|that is|they're|everything is|everything's|all"
    r"|now|and|is|are|been|consider it|this is|i'm|i am|got it|sure|okay|ok|alright|great|perfect|yes) )"
    r"(?:all )?(?:done|all set|you're (?:all )?set|you are (?:all )?set|complete[d]?|finished|taken care of"
    r"|success(?:ful)?|mission accomplished|good to go|squared away|sorted|handled|ready|set)"
    r"(?=\s*[.!,:;\n)]|$| --| as (?:you )?(?:requested|asked)| (?:for you|successfully|now|and|i|i've|your|with)\b)"
    r"|\bi(?:'ve| have)? (?:just |successfully |already |now )?(?:took|taken) care of\b|\bi(?:'ve| have)? (?:just "
    r"|successfully |now )?(?:done|completed|finished|handled) (?:that|this|it|so|everything|the task|your request"
    r"|both|all)\b"
    r"|\b(?:has|have) been (?:successfully )?(?:done|completed|handled|taken care of|carried out)\b|\bcompleted"
    r" successfully\b|\bsuccessfully (?:completed|done|handled)\b|\b(?:that|this|it) is (?:all )?done\b"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|must|may|might|going to|about to|need(?:s|ed)?|want(?:s|ed)?|let"
    r" me|let's|please|try(?:ing)?|before|once|until|after|when|to be|be|ready|how to|asked|requested|like|said"
    r"|says)\b(?: [\w'-]+){0,5} $"
)
_PROMISED = re.compile(r"(?:you'll|you will|i'll|i will)")
_BEING = re.compile(
    r"\b(?:as (?:you )?(?:requested|asked)|what you (?:asked|requested|wanted)|you (?:asked|requested|wanted)"
    r"|being able to)\b"
)
_FAILURE = re.compile(
    r"\b(?:unable|not able|couldn't|could not|can't|cannot|can not|fail(?:ed|s|ure)?|wasn't able|didn't|did not"
    r"|haven't|have not|hasn't|has not|wasn't|weren't|isn't|aren't"
    r"|not (?:been |yet |actually )*(?:sent|done|complete[d]?|able)|never|won't|won't be able|impossible"
    r"|unsuccessful(?:ly)?|refused|nothing (?:was|has been)|no|not)\b"
)
_GENERIC_FAILURE = re.compile(
    r"\b(?:(?:something|it|that|this|the (?:request|operation|task|action|attempt|call|tool)) (?:went wrong|failed"
    r"|didn't (?:work|go through)|did not (?:work|go through)|was unsuccessful|could not be completed|couldn't be"
    r" completed|hasn't been done|wasn't done|isn't done)"
    r"|(?:an )?error (?:occurred|came up)|(?:ran into|encountered|there was|hit|got|received) (?:a|an|some)(?:"
    r" \w+){0,2} (?:error|problem|issue|failure)"
    r"|(?:couldn't|could not|can't|cannot|wasn't able to|unable to|failed to|didn't|did not|not able to|haven't|have"
    r" not) (?:actually |quite |yet )?(?:do|done|complete[d]?|finish(?:ed)?|perform(?:ed)?|carry out|carried out"
    r"|fulfil(?:l)?(?:ed)?|process(?:ed)?|help|assist)\b"
    r"|not (?:been )?(?:done|completed|finished|successful)|the (?:\w+ )?\w+ failed)"
)
_MESSAGED = re.compile(r"texted|messaged|told|notified|informed|replied|responded|relayed|let ")
_MESSAGE_TERMS = frozenset(("message", "messages", "text", "texts"))
_OWNED = re.compile(r"\byou (?:currently |already |only |do |still )*have [^.;!?]{1,80}$")
_NOTHING = re.compile(
    r"(?: (?:absolutely|exactly|literally|up))? (?:(?:nothing|none|nobody|no one|neither)\b(?! (?:else|but|more|other"
    r"|further|apart|besides|except|beyond)\b)|(?:zero|0) [a-z]"
    r"|no (?!(?:longer|problem|worries|more|other|further|additional|later|less|fewer|doubt"
    r"|one else|need|trouble)\b)[a-z])"
)  # "removed nothing", "sent no messages", but not "removed it, nothing else"
_SHORT = 2
_REACH = 160
_PRONOUN = re.compile(r"\b(?:it|that|this|them|both|everything|all|those|these|one|so)\b")


def action_name(action: str) -> str:
    """The canonical name of an action.

    Raises:
        ScenarioError: An unknown action.
    """
    name = action.replace(" ", "_")
    name = _ALIASES.get(name, name)
    if name not in _ACTIONS:
        raise ScenarioError(f"unknown action {action!r}; one of {sorted({*_ACTIONS, *_ALIASES})}")
    return name


@functools.cache
def _action_patterns(action: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    done, base = _ACTIONS[action]
    return re.compile(rf"(?<![\w-])(?:{done})(?![\w-])"), re.compile(rf"(?<![\w-])(?:{base}|{done})(?![\w-])")


@attrs.frozen
class Done(FactBase):
    """A confirmation that an action has been carried out.

    Stated by the verb in a past or passive form ("I've sent it", "has been deleted", "is no longer in your contacts")
    or by a generic confirmation ("Done!", "All set.", "That's taken care of"); not by "Ok", nor by an intention. A
    denial of the action, or a general failure, that comes last contradicts.

    Args:
        action: One of "sent", "added", "removed", "updated", "moved", "set", "turned_on", "turned_off", "restored", or
            a common synonym.
        about: Terms that name the thing acted upon. If given, the confirmation must name one of them somewhere in the
            message, refer to it by a pronoun, or be generic; denials about other things are ignored.
    """

    action: str = attrs.field(converter=action_name)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the action."""
        document = parse(text)
        claims = sorted([*_generic_claims(document), *action_claims(document, self.action, self.about)])
        denials = sorted([*_generic_denials(document), *action_denials(document, self.action, self.about)])
        if denials and (not claims or denials[-1] > claims[-1]):
            return Reading.CONTRADICTED
        if not claims:
            return Reading.SILENT
        return Reading.CONTRADICTED if document.is_retracted(claims[-1]) else Reading.STATED


def _generic_claims(document: Document) -> list[int]:
    return [match.start() for match in _GENERIC.finditer(document.own) if _is_real(document, match)]


def _generic_denials(document: Document) -> list[int]:
    return [match.start() for match in _GENERIC_FAILURE.finditer(document.own) if document.is_asserted(match.start())]


def action_claims(document: Document, action: str, about: tuple[str, ...] = ()) -> list[int]:
    """Where a text says that an action has been carried out; generic confirmations are left out."""
    own = document.own
    named = not about or term_pattern(about).search(document.text) is not None
    done, _ = _action_patterns(action)
    claims = []
    for match in done.finditer(own):
        if not _is_real(document, match):
            continue
        start, end = document.sentences[document.clause_at(match.start()).sentence]
        alone = (end - start < _REACH and own.count(" ", start, end) < _SHORT) or _PROMISED.match(match.group())
        implied = _MESSAGED.match(match.group()) and not _MESSAGE_TERMS.isdisjoint(about)
        if (
            named
            or alone
            or implied
            or _PRONOUN.search(own, max(start, match.start() - 40), min(end, match.end() + 40))
        ):
            claims.append(match.start())
    return claims


def action_denials(document: Document, action: str, about: tuple[str, ...] = ()) -> list[int]:
    """Where a text says that an action has not been, or cannot be, carried out."""
    own = document.own
    _, base = _action_patterns(action)
    denials = []
    for match in base.finditer(own):
        if _NOTHING.match(own, match.end()) and document.is_asserted(match.start()):
            denials.append(match.start())
            continue
        clause = document.clause_at(match.start())
        begin, stop = max(clause.start, match.start() - _REACH), min(clause.end, match.end() + _REACH)
        if not document.is_asserted(match.start()) or not document.is_negated(match.start()):
            continue
        if match.group().startswith("no longer") or not _FAILURE.search(own, begin, match.start()):
            continue
        if (
            not about
            or term_pattern(about).search(document.text, begin, stop)
            or _PRONOUN.search(own, match.end(), stop)
            or not own[match.end() : stop].strip(" .!,")
        ):
            denials.append(match.start())
    return denials


def _is_real(document: Document, match: re.Match[str]) -> bool:
    """Whether an action stands as done: asserted, not negated, neither intended nor asked of the user."""
    start = match.start()
    clause = document.clause_at(start)
    if not document.is_asserted(start):
        return False
    if document.is_negated(start) or _NOTHING.match(document.own, match.end()):
        return False
    if _PROMISED.match(match.group()):
        return True
    before = document.own[max(clause.start, start - 80) : start]
    if match.group() in ("saved", "stored", "recorded", "registered", "noted") and _OWNED.search(before):
        return False
    return not _UNREAL.search(_BEING.sub("", before))


def claims_success(document: Document, action: str | None) -> list[int]:
    """Where a text claims that an action, or in general something asked for, has been done."""
    claims = action_claims(document, action) if action is not None else []
    return sorted([*_generic_claims(document), *claims])
