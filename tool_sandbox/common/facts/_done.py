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
_ONCE = re.compile(r"\b(?:when|once|until|after|as soon as) (?:\w+(?:'s| is)? )?$")
_FAILURE = re.compile(
    r"\b(?:something|it|that|this|\w+ing|the (?:request|operation|task|action|attempt|call|tool|update)) (?:it )?"
    r"(?:went wrong|failed|did(?:n't| not) (?:work|go through)|was unsuccessful)\b"
    r"|(?:(?<!had)n't|(?<!had )\bnot|cannot|unable to|failed to) (?:able to |been |(?<=ldn't )be )?(?:actually |quite "
    r"|yet )?(?:do|done|completed?|finish(?:ed)?|carry out|carried out|help|assist|fulfill?|process|possible)\b"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|must|may|might|going to|about to|need(?:s|ed)?|want(?:s|ed)?"
    r"|let me|let's|please|try(?:ing)?|before|once|until|when|to be|be|being|ready|how to|asked"
    r"|you)\b(?: [\w'-]+){0,5} $"
)
_OVERCOME = one_of("first|initial(?:ly)?|attempt(?:s|ed)?|tried|earlier|until|before|so i|then|after|retr(?:y|ied)")
_NOTHING_ELSE = one_of("(?:any(?:one|body|thing)?|no ?one|nobody|nothing) (?:else|other|further)")
_NOTHING = re.compile(
    r" (?:(?:nothing|none|nobody|no one)\b(?! (?:else|but|except)\b)|no (?!longer|problem|more|other)[a-z])"
)
_NO_SUBJECT = re.compile(r"\bno ((?:\w+ ){1,2}?)(?:was |were |is |are |has been |have been )?$")
_REFERENCE = one_of(
    "it|that|this|them|they|both|everything|all|those|these|one|(?:done|do|did) so|any(?:thing|one|body)?"
)
_ALL = re.compile(r"\b(?:all|everything|the only (?:thing|one|change)s?)(?: that)? i(?:'ve| have)? $")
_LABEL = re.compile(r"(?: [\w'.-]+){0,5}:(?=\s)")
_ALREADY = one_of("already")
_BY_AGENT = one_of("i(?:'ve)?")
_NEGATIVE = one_of(
    r"not|no|nothing|none|never|neither|without|cannot|\w{2,8}n't",
    r"left|leave|kept|keep(?:s|ing)?|still|safe|scrapped|already|stays?|stayed|remains?|remained|unchanged|untouched"
    r"|intact|unsent",
    r"skip(?:ped|ping)?|held (?:off|back)|hold(?:ing)? off|refrained|cancell?ed|called off|instead|stopped|dropped",
)
_WORD = re.compile(r"\w")


def action_name(action: str) -> str:
    """The canonical name of an action."""
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
        begin, stop = document.near(self.start, self.end)
        if not about or subject_pattern(about).search(document.text, begin, stop):
            return True
        other = not self.is_done and _NO_SUBJECT.search(document.own, begin, self.start)
        return not other and bool(
            _REFERENCE.search(document.own, begin if self.is_done else self.end, stop)
            or (self.start == begin if self.is_done else not document.own[self.end : stop].strip(" .!,"))
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
        said = [each for each in events(document, SETTINGS) if each.kind is not EventKind.PAST]
        denied = [each.kind is EventKind.DENIAL for each in said]
        both = zip(said, denied, strict=True)
        return [Deed(e.start, e.start + 1, e.on is on and not no) for e, no in both if e.on is on or not no]
    own, found = document.own, []
    for match in _verbs(action).finditer(own):
        start, end = match.span()
        begin, stop = document.near(start, end)
        if not document.is_asserted(start):
            continue
        if document.is_negated(start) or _NOTHING.match(own, end):
            found += [] if _NOTHING_ELSE.search(own, begin, stop) else [Deed(start, end, is_done=False)]
        elif match["done"] and not _UNREAL.search(own, begin, start):
            is_old = _ALREADY.search(own, begin, stop) and not _BY_AGENT.search(own, begin, start)
            is_label = _LABEL.match(own, end) and (not start or own[start - 1] in "\n\x1e")
            # "That's all I changed" tells how much, not what.
            is_sum = _ALL.search(own, begin, start)
            found += [] if is_old or is_label or is_sum else [Deed(start, end, is_done=True)]
    return found


def claims_success(document: Document, action: str | None) -> list[int]:
    """Where a text claims that an action, or in general something asked for, has been done."""
    found = [deed.start for deed in deeds(document, action) if deed.is_done] if action else []
    generic = (start for start in document.said(_GENERIC) if not document.is_negated(start))
    return sorted([*found, *(start for start in generic if not _ONCE.search(document.own, max(0, start - 16), start))])


def makes_statement(document: Document) -> bool:
    """Whether a text says anything besides asking."""
    said = (document.text[clause.start : clause.end] for clause in document.clauses if not clause.is_question)
    return any(map(_WORD.search, said))


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
        denials = sorted([*document.said(_FAILURE), *(each.start for each in denied)])
        if not denials:
            return Reading.CONTRADICTED if document.retracts else Reading.STATED
        start, end = document.sentence_at(denials[-1])
        is_overcome = claims and (claims[-1] > denials[-1] or _OVERCOME.search(document.own, start, end))
        if is_overcome and not document.retracts:
            return Reading.STATED
        # "I've sent it. Something went wrong.": of this deed, or of another?
        names_it = not self.about or subject_pattern(self.about).search(document.text, start, end)
        is_denied = not claims or names_it or document.retracts or CORRECTION.search(document.own, start, end)
        return Reading.CONTRADICTED if is_denied else Reading.UNCLEAR


def _actions(task: str | tuple[str, ...]) -> tuple[str, ...]:
    terms = as_terms(task)
    return tuple(map(action_name, terms if isinstance(terms, tuple) else (terms,)))


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
        if document.retracts or (said and max(said, key=lambda deed: deed.start).is_done):
            return Reading.CONTRADICTED
        explained = not self.because or term_pattern(self.because).search(document.text)
        return Reading.STATED if explained and document.said(_NEGATIVE) else Reading.SILENT
