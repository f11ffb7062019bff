"""Confirmation that something has been done."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import CORRECTION, Document, parse
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._settings import subject_pattern

_CREATED = (
    r"(?:re-?)?(?:added|created)|saved|stored|set up|scheduled|recorded|registered|put|made|entered|set|logged|booked"
    r"|included|noted|pinned|tied to|attached|in place|jotted down|popped|(?:is|'s|are) in(?=\s*(?:[.,;!)]|$))"
    r"|(?:you'll|you will) (?:be reminded|get a reminder|receive a reminder)"
    r"|(?:i'll|i will) (?:remind|ping|nudge|alert) you|(?:is|are) now (?:in|on|part of|among)|(?:is|are) now (?:set"
    r"|saved|scheduled|active)"
    r"|(?:is|are) (?:in|on|among) (?:your|the) (?:\w+ )?(?:contacts?|lists?|reminders?|address book|phone ?book)"
    r"|now have"
)
# action -> (forms that say it has happened, forms in which it can be denied, nouns that only this action concerns)
_ACTIONS: dict[str, tuple[str, str]] = {
    "sent": (
        r"sent|messaged|texted|delivered|forwarded|relayed|(?:told|notified|informed)(?! you\b)|passed (?:it|that|this"
        r"|your message|the message|along)|let (?!you\b|me\b)\w+(?: \w+)? know|on its way|on their way|gone out"
        r"|went out"
        r"|replied|responded|shared|dropped"
        r"|(?:went|gone|got) (?:to|off|through)|fired off|shot (?:off|over)|pinged|contacted|(?:is|'s) out"
        r"|now knows?|(?:has|have|'s|'ve) (?:now |just |already )?(?:got|received) (?:it|the|your|that)"
        r"|(?<!you )(?<!you've )(?:got|received|has|have) (?:the|your) (?:message|text|note|reply|invitation"
        r"|address)s?",
        r"send|message|text|deliver|forward|relay|tell|notify|inform|reply|respond|share|sending",
    ),
    "added": (
        _CREATED,
        r"add|create|save|store|set up|set|schedule|record|register|put|make|enter|adding|creating|saving",
    ),
    "removed": (
        r"removed|deleted|erased|cleared|(?:taken|took|crossed|struck|ticked)\b(?: [^\s.;!?]+){0,6}? off"
        r"|dropped|wiped|cancel(?:l)?ed|purged|discarded|got rid of"
        r"|gotten rid of|eliminated|gone|no longer (?:in|on|saved|listed|exists?|have|appears?|there)|trashed"
        r"|unsaved|dismissed",
        r"remove|delete|erase|clear|take off|drop|wipe|cancel|get rid of|removing|deleting",
    ),
    "updated": (
        r"updated|changed|modified|edited|corrected|replaced|renamed|relabel(?:l)?ed|adjusted|revised|amended"
        r"|altered|switched|set"
        r"|(?<!is )(?<!are )(?<!both )(?<!currently )(?<!already )(?:saved|marked)|converted|swapped|reflects?"
        r"|put\b(?: [^\s.;!?]+){0,5}? (?:in|into|on|under)|new (?:\w+ ){1,3}(?:is|are) (?:saved|stored|in place"
        r"|on file)"
        r"|restored|reverted|reset|undone|undid|(?:put|changed|set|switched)\b(?: [^\s.;!?]+){0,6}? back"
        r"|(?:is|are)(?: now)? back (?:to|at|as|on|under)|(?:is|are)(?: (?!(?:not|no"
        r"|never)\b)[^\s.;!?,]+){1,6} (?:now|again)(?=\s*(?:[.,;!)]|$))"
        r"|reassigned|re-?classified|re-?categori[sz]ed|(?:is|are) now|now (?:has|have"
        r"|shows?|listed|saved|reads|set|marked|under)|attached|added",
        r"update|change|modify|edit|correct|replace|rename|relabel|adjust|revise|amend|alter|set|save|updating"
        r"|changing|modifying",
    ),
    "moved": (
        r"moved|rescheduled|postponed|shifted|pushed(?: back)?|delayed|brought forward|changed|updated|set|adjusted"
        r"|restored|reverted|reset|undone|undid|put\b(?: [^\s.;!?]+){0,6}? back|(?:is|are)(?: now)? back (?:to|at"
        r"|on|in)"
        r"|(?:at|to|for|on) (?:its|the|their) (?:original|old|previous|former|new) (?:time|date|day|slot)"
        r"|modified|now (?:set|due|scheduled|goes off|rings|fires|pops up|comes up|starts|happens)|(?:is|are) now"
        r"|you'll (?:now )?be reminded|bumped|snoozed",
        r"move|reschedule|postpone|shift|push|delay|change|update|adjust|modify|reset|moving|rescheduling",
    ),
    "set": (
        rf"{_CREATED}|configured|adjusted|arranged|turned|switched|(?:is|are) now",
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
        r"restored|(?:put|changed|set|moved|brought|switched|added|placed|entered|saved"
        r"|rolled)\b(?: [^\s.;!?]+){0,6}? back"
        r"|(?:is|are)(?: (?!(?:not|no|never)\b)[^\s.;!?,]+){1,6} again(?=\s*(?:[.,;!)]|$))"
        r"|reverted|reset|returned|reinstated|re-?(?:added|created|entered|saved|instated)"
        r"|(?:added|created|saved|entered)\b(?: [^\s.;!?]+){0,6}? (?:again|anew)"
        r"|(?:is|are)(?: now| all| safely)* back(?! (?:from|with|at work|home|by|soon)\b)"
        r"|undone|undid|(?:is|are) as (?:it|they) (?:was|were)|rolled back|taken back"
        r"|(?:turned|switched)\b(?: [^\s.;!?]+){0,7}? back (?:on|off)|back (?:on|off|to)|re-?enabled|re-?disabled",
        r"restore|(?:put|add|bring)(?: [^\s.;!?]+){0,6}? back|revert|reset|return|undo|change back|turn back|roll back"
        r"|re-?(?:add|create|enter|instate)|reinstate",
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
    r"(?:all |both )?(?:done|all set|you're (?:all )?set|you are (?:all )?set|complete[d]?|finished|taken care of"
    r"|success(?:ful)?|mission accomplished|good to go|squared away|sorted|handled|ready|set)"
    r"(?=\s*[.!,:;\n)]|$| --| as (?:you )?(?:requested|asked)| (?:for you|successfully|now|and|i|i've|your|with)\b)"
    r"|\bi(?:'ve| have)? (?:just |successfully |already |now )?(?:took|taken) care of\b|\bi(?:'ve| have)? (?:just "
    r"|successfully |now )?(?:done|completed|finished|handled) (?:that|this|it|so|everything|the task|your request"
    r"|both|all)\b"
    r"|\bi(?:'ve| have)? (?:just |now |then )*(?:did|done)(?: so| it| that| this)?(?=\s*(?:[.,;!)\n]|$))"
    r"|\b(?:has|have) been (?:successfully )?(?:done|completed|handled|taken care of|carried out)\b|\bcompleted"
    r" successfully\b|\bsuccessfully (?:completed|done|handled)\b|\b(?:that|this|it) is (?:all )?done\b"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|must|may|might|going to|about to|need(?:s|ed)?|want(?:s|ed)?|let"
    r" me|let's|please|try(?:ing)?|before|once|until|after(?! \w+ing\b)|when|to be|be|being|ready|how to|asked"
    r"|requested|like|said"
    r"|says)\b(?: [\w'-]+){0,5} $"
)
_PROMISED = re.compile(r"(?:you'll|you will|i'll|i will)")
_BEING = re.compile(
    r"\b(?:as (?:you )?(?:requested|asked)|what you (?:asked|requested|wanted)|you (?:asked|requested|wanted)"
    r"|being able to)\b"
)
_FAILURE = re.compile(
    r"\b(?:unable|not able|couldn't|could not|can't|cannot|can not|fail(?:ed|s|ure)?|wasn't able|didn't|did not"
    r"|haven't|have not|hasn't|has not|wasn't|weren't|isn't|aren't|nothing|nobody|none|neither"
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
_MESSAGE_TERMS = frozenset(("message", "messages", "text", "texts"))
_OWNED = re.compile(r"\byou (?:currently |already |only |do |still )*have [^.;!?]{1,80}$")
_NOTHING = re.compile(
    r"(?: (?:absolutely|exactly|literally|up))? (?:(?:nothing|none|nobody|no one|neither)\b(?! (?:else|but|more|other"
    r"|further|apart|besides|except|beyond)\b)|(?:zero|0) [a-z]"
    r"|no (?!(?:longer|problem|worries|more|other|further|additional|later|less|fewer|doubt"
    r"|one else|need|trouble)\b)[a-z])"
)  # "removed nothing", "sent no messages", but not "removed it, nothing else"
_NOBODY_ELSE = re.compile(r"\b(?:any(?:one|body|thing)?|no ?one|nobody|nothing) (?:else|other|further)\b")
_NO_SUBJECT = re.compile(
    r"\bno (?!(?:way|tool|means|ability|option|function|access|one)\b)((?:\w+ ){1,2}?)(?:was |were |is |are "
    r"|has been |have been )?$"
)
# "Replied: sorry, I can't share it" tells what was said to somebody else.
_REPORTED = re.compile(r"\w+(?: (?:to|with|back|her|him|them|it|your|the|a|as)\b[^.;:!?\n]{0,40})?: ")
_RECIPIENT = re.compile(
    r"(?:sen[dt](?: (?:it|anything|that|this|one|the message|a message|the text|a text))?(?: to)|text(?:ed)?|messaged?"
    r"|not(?:ify|ified)|inform(?:ed)?|tell|told) (?:your |the |my )?(?P<name>(?!(?:it|that|this|them|him|her|you"
    r"|message|text"
    r"|anyone|anybody)\b)[a-z]+)"
)
# Of a thing that was removed or put back, to tell how it is may be to tell that nothing has changed.
_TOLD_BY_STATE = frozenset(("sent", "added", "set", "moved", "updated"))
_COURTESY = re.compile(r"\b(?:anything|something|what) (?:else|more)\b")
_OBSTACLE = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|could not|unable|not able|wasn't able|impossible|fail(?:ed|s)?|error|problem"
    r"|no (?:tool|way|access)|won't|refused|unfortunately|afraid|not possible)\b"
)
_UNFINISHED = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|may|might|must|going to|about to|need(?:s|ed)?|want(?:s|ed)?|let me"
    r"|let's|please|try(?:ing)?|tried|if|unless|ready|before|once|until|found|find|see|look(?:ing|ed)?|search(?:ing"
    r"|ed)?"
    r"|check(?:ing|ed)?|left|kept|keep|unchanged|untouched|still|remains?|stays?|as (?:it|they) (?:is|are|was|were)"
    r"|was|were"
    r"|working|for you to|instead of|already|currently|listed|saved|you have|you've got)\b"
)
_VERB = re.compile(r"\b(?:is|are|has|have|got|now|went|goes|knows?|shows?|reads)\b|'s |'ve |\b\w{3,}ed\b")
_SHORT = 2
_REACH = 160
_PRONOUN = re.compile(
    r"\b(?:it|that|this|them|both|everything|all|those|these|one|so|your lists?|(?:the|my|your|that) changes?)\b"
)
_ANYTHING = re.compile(r"\b(?:anything|anybody|anyone|any|nothing|none|nobody|no one)\b(?! (?:else|other|more)\b)")


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
    denial of the action, or a general failure, that comes last contradicts. Where no such verb is used, a plain
    statement about the thing counts too ("Marcus has your message", "the reminder is in for six"), unless the text
    speaks of an obstacle, asks, or only tells what is left as it was or still to be done; that holds for things sent,
    added, set, moved and updated, not for those removed or put back.

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
        told = action_claims(document, self.action, self.about)
        claims = sorted([*_generic_claims(document), *told])
        denials = sorted([*_generic_denials(document), *action_denials(document, self.action, self.about)])
        if self.action == "sent":
            denials = [start for start in denials if not _is_beside_the_point(document, told, start)]
        if denials and (not claims or denials[-1] > claims[-1]):
            return Reading.CONTRADICTED
        if not claims and self.action in _TOLD_BY_STATE:
            claims = _reports(document, self.about)
        if not claims:
            return Reading.SILENT
        return Reading.CONTRADICTED if document.is_retracted(claims[-1]) else Reading.STATED


def _denies_another(document: Document, start: int, position: int, about: tuple[str, ...]) -> bool:
    """Whether it is another thing that was not there: "the reminder is set, no place saved with it"."""
    subject = _NO_SUBJECT.search(document.own, start, position)
    return bool(about and subject and not subject_pattern(about).search(subject[1]))


def _is_beside_the_point(document: Document, claims: list[int], denial: int) -> bool:
    """Whether a denial is part of what was sent ("Replied: sorry, I can't"), or only says who was left out."""
    own = document.own
    before = [start for start in claims if start < denial]
    if not before:
        return False
    told = _REPORTED.match(own, before[-1])
    if told and told.end() <= denial:
        return True
    left_out = _RECIPIENT.match(own, denial)
    if left_out is None:
        return False
    claimed = own[document.sentences[document.clause_at(before[-1]).sentence][0] : document.clause_at(denial).start]
    return left_out["name"] not in claimed.split() and not CORRECTION.search(own, before[-1], denial)


def _reports(document: Document, about: tuple[str, ...]) -> list[int]:
    """Plain statements about a thing, in a text that tells of no obstacle and asks nothing."""
    own = document.own
    asks = any(
        clause.is_question and not _COURTESY.search(own, clause.start, clause.end) for clause in document.clauses
    )
    if not about or asks or _OBSTACLE.search(own):
        return []
    found: list[int] = []
    read = -1
    for match in subject_pattern(about).finditer(document.text):
        clause = document.clause_at(match.start())
        if clause.sentence == read:
            continue
        read = clause.sentence
        start, end = document.sentences[read]
        if (
            _VERB.search(own, start, end)
            and not document.is_negated(clause.end)
            and document.is_asserted(clause.end - 1)
            and not _UNFINISHED.search(own, start, end)
        ):
            found.append(match.start())
    return found


def _generic_claims(document: Document) -> list[int]:
    return [match.start() for match in _GENERIC.finditer(document.own) if _is_real(document, match)]


def _generic_denials(document: Document) -> list[int]:
    return [match.start() for match in _GENERIC_FAILURE.finditer(document.own) if document.is_asserted(match.start())]


def action_claims(document: Document, action: str, about: tuple[str, ...] = ()) -> list[int]:
    """Where a text says that an action has been carried out; generic confirmations are left out."""
    own = document.own
    named = not about or subject_pattern(about).search(document.text) is not None
    done, _ = _action_patterns(action)
    claims = []
    for match in done.finditer(own):
        if not _is_real(document, match):
            continue
        start, end = document.sentences[document.clause_at(match.start()).sentence]
        alone = (end - start < _REACH and own.count(" ", start, end) < _SHORT) or _PROMISED.match(match.group())
        implied = action == "sent" and not _MESSAGE_TERMS.isdisjoint(about)
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
        if _NOBODY_ELSE.search(own, begin, stop) or _denies_another(document, begin, match.start(), about):
            continue
        if match.group().startswith("no longer") or not _FAILURE.search(own, begin, match.start()):
            continue
        if (
            not about
            or subject_pattern(about).search(document.text, begin, stop)
            or _PRONOUN.search(own, match.end(), stop)
            or _ANYTHING.search(own, begin, stop)
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
