"""Deeds in words: a deed is proven by the world, so that words only have to be there and not deny it."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._settings import subject_pattern

_VERBS = {
    "sent": "send message text deliver forward relay tell notify inform reply respond",
    "added": "add create save store schedule record register put make enter set",
    "removed": "remove delete erase clear drop wipe cancel",
    "updated": "update change modify edit correct replace rename adjust revise amend alter set save restore revert",
    "moved": "move reschedule postpone shift push delay change update adjust modify set reset restore revert",
    "set": "set configure adjust schedule create add arrange save",
    "turned_on": "enable activate reactivate",
    "turned_off": "disable deactivate",
    "restored": "restore revert reset return undo reinstate put bring change add set turn switch",
}
"""Action to the verbs that tell of it, in their base form."""

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
_IRREGULAR = {"send": "sent", "tell": "told", "make": "made", "put": "put", "set": "set", "reset": "reset"}
_IRREGULAR |= {"undo": "undone|undid", "bring": "brought", "cancel": "cancell?ed", "drop": "dropped"}
_TURN = r"(?:turn|switch|toggle){ending}\b(?: [^\s.;!?]+){{0,7}}? (?:back )?{particle}"
_PARTICLES = {"turned_on": "on", "turned_off": "(?:off|down)"}
_OTHER_FORMS = {"sent": r"(?:went|gone|gotten) (?:through|out)", "restored": r"back(?= (?:in|on|at|to|as)\b)"}

_GENERIC = re.compile(
    r"(?:^|(?<=[.!?\n;:,] )|(?<=-- )|\b(?:it's|it is|that's|that is|all|now|and|is|are|been) )"
    r"(?:done|all set|completed?|finished|taken care of|sorted|handled|good to go)(?=\s*(?:[.!,:;\n)]|$)| for you\b)"
    r"|\bi(?:'ve| have)? (?:just |now |then )*(?:did|done)(?: so| it| that| this)?(?=\s*(?:[.,;!)\n]|$))"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|must|may|might|going to|about to|need(?:s|ed)?|want(?:s|ed)?|let me"
    r"|let's|please|try(?:ing)?|before|once|until|when|to be|be|being|ready|how to|asked|you)\b(?: [\w'-]+){0,5} $"
)
_FAILURE = re.compile(
    r"\b(?:something|it|that|this|the (?:request|operation|task|action|attempt|call|tool)) (?:went wrong|failed|did"
    r"(?:n't| not) (?:work|go through)|was unsuccessful|(?:hasn't been|wasn't|isn't|couldn't be) (?:done|completed))"
    r"|\b(?:couldn't|could not|can't|cannot|(?:was|am|were)?(?:n't| not) able to|unable to|failed to|didn't|did not"
    r"|haven't|have not) (?:actually |quite |yet )?(?:do|done|completed?|finish(?:ed)?|carry out|carried out|help"
    r"|assist|fulfill?|process)\b|\b(?:is|was)(?:n't| not) possible|\bthat's not possible|\w+ing (?:it )?failed\b"
)
_OVERCOME = re.compile(
    r"\b(?:first|initial(?:ly)?|attempt(?:s|ed)?|tried|earlier|until|before|so i|then|after|retr(?:y|ied))\b"
)
_CORRECTED = re.compile(r"\b(?:actually|in fact|correction|wait)\b")
_NOTHING_ELSE = re.compile(r"\b(?:any(?:one|body|thing)?|no ?one|nobody|nothing) (?:else|other|further)\b")
_NOTHING = re.compile(
    r" (?:(?:nothing|none|nobody|no one)\b(?! (?:else|but|except)\b)|no (?!longer|problem|more|other)[a-z])"
)
_NO_SUBJECT = re.compile(r"\bno ((?:\w+ ){1,2}?)(?:was |were |is |are |has been |have been )?$")
_PRONOUN = re.compile(r"\b(?:it|that|this|them|both|everything|all|those|these|one|so|any(?:thing|one|body)?)\b")
_WORD = re.compile(r"\w")
_REACH = 160


def action_name(action: str) -> str:
    """The canonical name of an action.

    Raises:
        ScenarioError: An unknown action.
    """
    if not isinstance(action, str):
        raise ScenarioError(f"an action is a word such as 'sent'; got {action!r}")
    name = action.replace(" ", "_")
    name = _ALIASES.get(name, name)
    if name not in _VERBS:
        raise ScenarioError(f"unknown action {action!r}; one of {sorted({*_VERBS, *_ALIASES})}")
    return name


def _participle(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    return f"{verb}d" if verb.endswith("e") else f"{verb[:-1]}ied" if verb.endswith(("ly", "fy")) else f"{verb}ed"


@functools.cache
def _forms(action: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Matches the participles of an action, and all of its forms."""
    verbs = _VERBS[action].split()
    done = [_participle(verb) for verb in verbs]
    base = [*verbs, *(f"{verb.removesuffix('e')}ing" for verb in verbs)]
    if particle := _PARTICLES.get(action):
        done.append(_TURN.format(ending="ed", particle=particle))
        base += [_TURN.format(ending="", particle=particle), rf"{particle}(?=\s*(?:[.,;!)]|$))"]
    done += [_OTHER_FORMS[action]] if action in _OTHER_FORMS else []
    words = (rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])" for forms in (done, done + base))
    first, second = map(re.compile, words)
    return first, second


def action_claims(document: Document, action: str) -> list[int]:
    """Where a text says that an action has been carried out."""
    return [
        match.start()
        for match in _forms(action)[0].finditer(document.own)
        if document.is_asserted(match.start())
        and not document.is_negated(match.start())
        and not _NOTHING.match(document.own, match.end())
        and not _UNREAL.search(document.own, document.clause_at(match.start()).start, match.start())
    ]


def claims_success(document: Document, action: str | None) -> list[int]:
    """Where a text claims that an action, or in general something asked for, has been done."""
    found = [] if action is None else action_claims(document, action)
    generic = (match.start() for match in _GENERIC.finditer(document.own))
    return sorted([*found, *(at for at in generic if document.is_asserted(at) and not document.is_negated(at))])


def action_denials(document: Document, action: str, about: tuple[str, ...] = ()) -> list[int]:
    """Where a text says that an action has not been, or cannot be, carried out."""
    own = document.own
    denials = []
    for match in _forms(action)[1].finditer(own):
        start = match.start()
        clause = document.clause_at(start)
        begin, stop = max(clause.start, start - _REACH), min(clause.end, match.end() + _REACH)
        if not document.is_asserted(start) or _NOTHING_ELSE.search(own, begin, stop):
            continue
        if not document.is_negated(start):
            denials += [start] if _NOTHING.match(own, match.end()) else []
            continue
        subject = _NO_SUBJECT.search(own, begin, start)
        if subject and about and not subject_pattern(about).search(subject[1]):
            continue
        named = not about or subject_pattern(about).search(document.text, begin, stop)
        if named or _PRONOUN.search(own, match.end(), stop) or not own[match.end() : stop].strip(" .!,"):
            denials.append(start)
    return denials


def makes_statement(document: Document) -> bool:
    """Whether a text says anything besides asking."""
    return any(
        not clause.is_question and _WORD.search(document.text, clause.start, clause.end) for clause in document.clauses
    )


@attrs.frozen
class Done(FactBase):
    """Word of a deed that the world proves.

    Any statement will do ("Okay.", "Marcus has your message"); a text that is empty or only asks is silent. A denial of
    the deed contradicts, unless the text goes on to tell of the deed, or tells of a failure that was overcome. Where it
    is told first, and then something is denied that is not said to be this deed, it is unclear.

    Args:
        action: One of "sent", "added", "removed", "updated", "moved", "set", "turned_on", "turned_off", "restored", or
            a common synonym.
        about: Terms that name the thing acted upon; denials about other things are ignored.
    """

    action: str = attrs.field(converter=action_name)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the deed."""
        document = parse(text)
        if not makes_statement(document):
            return Reading.SILENT
        failures = [match.start() for match in _FAILURE.finditer(document.own) if document.is_asserted(match.start())]
        claims = claims_success(document, self.action)
        # Who tells of the deed, too, may deny another one: "I deleted Ann, but could not delete Bob".
        denials = sorted([*failures, *action_denials(document, self.action, self.about if claims else ())])
        if not denials:
            return Reading.CONTRADICTED if document.retracts else Reading.STATED
        start, end = document.sentences[document.clause_at(denials[-1]).sentence]
        is_overcome = claims and (claims[-1] > denials[-1] or _OVERCOME.search(document.own, start, end))
        if is_overcome and not document.retracts:
            return Reading.STATED
        # "I've sent it. Something went wrong.": of this deed, or of another?
        names_it = not self.about or subject_pattern(self.about).search(document.text, start, end)
        is_denied = not claims or names_it or document.retracts or _CORRECTED.search(document.own, start, end)
        return Reading.CONTRADICTED if is_denied else Reading.UNCLEAR
