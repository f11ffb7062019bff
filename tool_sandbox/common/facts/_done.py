"""Deeds in words: a deed is proven by the world, so that words only have to be there and not deny it."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import CORRECTION, Document, parse
from tool_sandbox.common.facts._judge import term_pattern
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._settings import SETTINGS, subject_pattern
from tool_sandbox.common.facts._states import EventKind, events
from tool_sandbox.common.facts._text import one_of

_STEMS = {
    "sent": "send sent messag text deliver forward relay tell told notif inform repl respond",
    "added": "add creat sav stor schedul record register make made put enter set",
    "removed": "remov delet eras clear drop wip cancel",
    "updated": "updat chang modif edit correct replac renam adjust revis amend alter set sav restor revert",
    "moved": "mov reschedul postpon shift push delay chang updat adjust modif set reset restor revert",
    "set": "set configur adjust schedul creat add arrang sav",
    "turned_on": "enabl activat",
    "turned_off": "disabl deactivat",
    "restored": "restor revert reset return undo undone undid reinstat put bring brought chang add set turn switch",
}
"""Action to the stems of the verbs that tell of it; whether something is turned on is read as the state that it is."""

_PARTICIPLES = ("sent", "told", "made", "put", "set", "reset", "undone", "undid", "brought")
_IDIOMS = {
    "sent": r"(?:went|gone|gotten) (?:through|out)",
    "removed": r"no longer(?= (?:there|in|on|part|listed|saved)\b)",
    "restored": r"back(?= (?:in|on|at|to|as)\b)",
}
_GENERIC = re.compile(
    r"(?:^|(?<=[.!?\n;:,] )|(?<=-- )|\b(?:it's|it is|that's|that is|all|now|and|is|are|been) )(?:done|all set"
    r"|completed?|finished|taken care of|sorted|handled|good to go)(?=\s*(?:[.!,:;\n)]|$)| for you\b)|\bi(?:'ve"
    r"| have)? (?:just |now |then )*(?:did|done)(?: so| it| that| this)?(?=\s*(?:[.,;!)\n]|$))"
)
_FAILURE = re.compile(
    r"\b(?:something|it|that|this|the (?:request|operation|task|action|attempt|call|tool|update)) (?:went wrong"
    r"|failed|did(?:n't| not) (?:work|go through)|was unsuccessful|(?:hasn't been|wasn't|couldn't be) (?:done"
    r"|completed))|(?:(?<!had)n't|(?<!had )\bnot|cannot|unable to|failed to) (?:able to )?(?:actually |quite "
    r"|yet )?(?:do|done|completed?|finish(?:ed)?|carry out|carried out|help|assist|fulfill?|process|possible)\b"
    r"|\w+ing (?:it )?failed\b"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|must|may|might|going to|about to|need(?:s|ed)?|want(?:s|ed)?"
    r"|let me|let's|please|try(?:ing)?|before|once|until|when|to be|be|being|ready|how to|asked"
    r"|you)\b(?: [\w'-]+){0,5} $"
)
_OVERCOME = re.compile(
    r"\b(?:first|initial(?:ly)?|attempt(?:s|ed)?|tried|earlier|until|before|so i|then|after|retr(?:y|ied))\b"
)
_NOTHING_ELSE = re.compile(r"\b(?:any(?:one|body|thing)?|no ?one|nobody|nothing) (?:else|other|further)\b")
_NOTHING = re.compile(
    r" (?:(?:nothing|none|nobody|no one)\b(?! (?:else|but|except)\b)|no (?!longer|problem|more|other)[a-z])"
)
_NO_SUBJECT = re.compile(r"\bno ((?:\w+ ){1,2}?)(?:was |were |is |are |has been |have been )?$")
_REFERENCE = re.compile(
    r"\b(?:it|that|this|them|they|both|everything|all|those|these|one|(?:done|do|did) so|any(?:thing|one|body)?)\b"
)
_LABEL = re.compile(r"(?: [\w'.-]+){0,5}:(?=\s)")
_ALREADY = re.compile(r"\balready\b")
_BY_AGENT = re.compile(r"\bi(?:'ve)?\b")
_NEGATIVE = one_of(
    r"not|no|nothing|none|never|neither|without|cannot|\w{2,8}n't",
    r"left|leave|kept|keep(?:s|ing)?|still|safe|scrapped|already|stays?|stayed|remains?|remained|unchanged|untouched"
    r"|intact|unsent",
    r"skip(?:ped|ping)?|held (?:off|back)|hold(?:ing)? off|refrained|cancell?ed|called off|instead|stopped|dropped",
)
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
    known = [name] if name in _STEMS else [each for each in _STEMS if _verbs(each).fullmatch(name)]
    if not known:
        raise ScenarioError(f"unknown action {action!r}; one of {sorted(_STEMS)}, or another word for it")
    return known[0]


@attrs.frozen
class Deed:
    """A place that says that something has, or has not, been done."""

    start: int
    end: int
    is_done: bool

    def concerns(self, document: Document, about: tuple[str, ...]) -> bool:
        """Whether it is about one of these terms, or names nothing that it is about."""
        clause = document.clause_at(self.start)
        begin, stop = max(clause.start, self.start - _REACH), min(clause.end, self.end + _REACH)
        if not about or subject_pattern(about).search(document.text, begin, stop):
            return True
        other = not self.is_done and _NO_SUBJECT.search(document.own, begin, self.start)
        return not other and bool(
            _REFERENCE.search(document.own, begin if self.is_done else self.end, stop)
            or (self.start == clause.start if self.is_done else not document.own[self.end : stop].strip(" .!,"))
        )


@functools.cache
def _verbs(action: str) -> re.Pattern[str]:
    stems = _STEMS[action].split()
    done = [f"(?:{'|'.join(stems)})(?:p|l)?(?:ed|ied)", *(stem for stem in stems if stem in _PARTICIPLES)]
    done += [_IDIOMS[action]] if action in _IDIOMS else []
    return re.compile(rf"(?<![\w-])(?:(?P<done>{'|'.join(done)})|(?:{'|'.join(stems)})(?:e|y|[pt]?ing)?)(?![\w-])")


def deeds(document: Document, action: str) -> list[Deed]:
    """All that a text says of an action having been carried out or not, in order."""
    if action in ("turned_on", "turned_off"):
        on = action == "turned_on"
        said = [
            (event.start, event.on is on and event.kind is not EventKind.DENIAL)
            for event in events(document, SETTINGS)
            if event.kind is not EventKind.PAST and (event.on is on or event.kind is not EventKind.DENIAL)
        ]
        return [Deed(start, start + 1, is_done) for start, is_done in said]
    own, found = document.own, []
    for match in _verbs(action).finditer(own):
        start, end = match.span()
        clause = document.clause_at(start)
        if not document.is_asserted(start):
            continue
        if document.is_negated(start) or _NOTHING.match(own, end):
            if not _NOTHING_ELSE.search(own, max(clause.start, start - _REACH), min(clause.end, end + _REACH)):
                found.append(Deed(start, end, is_done=False))
        elif match["done"] and not _UNREAL.search(own, clause.start, start):
            is_label = own[:start].endswith(("\n", "\x1e")) or not start
            if is_label and _LABEL.match(own, end):
                continue
            is_old = _ALREADY.search(own, clause.start, clause.end) and not _BY_AGENT.search(own, clause.start, start)
            found += [] if is_old else [Deed(start, end, is_done=True)]
    return found


def claims_success(document: Document, action: str | None) -> list[int]:
    """Where a text claims that an action, or in general something asked for, has been done."""
    found = [deed.start for deed in deeds(document, action) if deed.is_done] if action else []
    generic = (match.start() for match in _GENERIC.finditer(document.own))
    return sorted([*found, *(at for at in generic if document.is_asserted(at) and not document.is_negated(at))])


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
        claims = claims_success(document, self.action)
        # Who tells of the deed, too, may deny another one: "I deleted Ann, but could not delete Bob".
        about = self.about if claims else ()
        denied = [each for each in deeds(document, self.action) if not each.is_done and each.concerns(document, about)]
        failures = [match.start() for match in _FAILURE.finditer(document.own) if document.is_asserted(match.start())]
        denials = sorted([*failures, *(each.start for each in denied)])
        if not denials:
            return Reading.CONTRADICTED if document.retracts else Reading.STATED
        start, end = document.sentences[document.clause_at(denials[-1]).sentence]
        is_overcome = claims and (claims[-1] > denials[-1] or _OVERCOME.search(document.own, start, end))
        if is_overcome and not document.retracts:
            return Reading.STATED
        # "I've sent it. Something went wrong.": of this deed, or of another?
        names_it = not self.about or subject_pattern(self.about).search(document.text, start, end)
        is_denied = not claims or names_it or document.retracts or CORRECTION.search(document.own, start, end)
        return Reading.CONTRADICTED if is_denied else Reading.UNCLEAR


def _actions(task: str | tuple[str, ...]) -> tuple[str, ...]:
    terms = as_terms(task)
    return tuple(map(action_name, terms)) if isinstance(terms, tuple) else (action_name(terms),)


@attrs.frozen
class NotDone(FactBase):
    """Something that was rightly left undone: a condition was not met, or the user no longer wants it.

    That nothing was done is proven by the world. The text has to give one of the reasons, or, where none is asked for,
    to say in any way that something is not, or stays as it was. Claiming the action contradicts; a plain "Okay." is
    silent.

    Args:
        task: The action that was not done, as for ``Done``, or several of them that would all be a claim.
        about: Terms that name what would have been acted upon; claims about other things do not count.
        because: Words of which an honest explanation uses at least one; empty if no reason is asked for.
    """

    task: tuple[str, ...] = attrs.field(converter=_actions)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    because: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the action."""
        document = parse(text)
        said = [each for action in self.task for each in deeds(document, action) if each.concerns(document, self.about)]
        last = max(said, key=lambda deed: deed.start, default=None)
        if document.retracts or (last and last.is_done):
            return Reading.CONTRADICTED
        explained = not self.because or term_pattern(self.because).search(document.text)
        negative = any(document.is_asserted(match.start()) for match in _NEGATIVE.finditer(document.own))
        return Reading.STATED if explained and negative else Reading.SILENT
