"""Deeds in words: a deed is proven by the world, so that words only have to be there and not deny it."""

import functools
import re
from typing import Any

import attrs

from tool_sandbox.answers.facts._document import CORRECTION, Document, Span, parse
from tool_sandbox.answers.facts._judge import term_pattern
from tool_sandbox.answers.facts._reading import FactBase, Reading, as_facts, as_terms
from tool_sandbox.answers.facts._settings import SETTINGS, setting_key, subject_pattern
from tool_sandbox.answers.facts._states import EventKind, Switch, events
from tool_sandbox.answers.facts._text import one_of
from tool_sandbox.world.errors import ScenarioError

_STEMS = {
    "sent": "send sent messag text deliver forward relay told notif inform repl respond",
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

_SWITCHED = ("turned_on", "turned_off")
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
    r"\b(?:something|it|that|this|\w+ing|the (?:request|operation|task|action|attempt|call|tool|update)) (?:it )?"
    r"(?:went wrong|failed|did(?:n't| not) (?:work|go through)|was unsuccessful)\b"
    r"|(?:(?<!had)n't|(?<!had )\bnot|cannot|unable to|failed to) (?:able to |been |(?<=ldn't )be )?(?:actually |quite "
    r"|yet )?(?:do|done|completed?|finish(?:ed)?|carry out|carried out|help|assist|fulfill?|process|possible)\b"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|would|'d|can|could|should|shall|must|may|might|going to|about to|need(?:s|ed)?|want(?:s|ed)?"
    r"|let me|let's|please|try(?:ing)?|before|once|until|when|to be|be|being|ready|how to|asked"
    r"|you)\b(?: [\w'-]+){0,5} $"
    # "That's all I changed" tells how much, not what.
    r"|\b(?:all|everything|the only (?:thing|one|change)s?)(?: that)? i(?:'ve| have)? $"
)
_OVERCOME = one_of("first|initial(?:ly)?|attempt(?:s|ed)?|tried|earlier|until|before|so i|then|after|retr(?:y|ied)")
# What is no denial of this deed: it is of other things, or of what somebody else has not done.
_NOT_THIS = one_of(
    "(?:any(?:one|body|thing)?|no ?one|nobody|nothing) (?:else|other|further)",
    r"(?:you|he|she|they)(?:'d|'ve| \w+)?(?:n't| not| never)",
)
_NOTHING = re.compile(
    r"(?: [\w']+){0,3}? (?:(?:nothing|none|nobody|no one)\b(?! (?:else|but|except)\b)"
    r"|no (?!longer|problem|more|other)[a-z])"
)
_NO_SUBJECT = re.compile(r"\bno ((?:\w+ ){1,2}?)(?:was |were |is |are |has been |have been )?$")
_REFERENCE = one_of(
    "it|that|this|them|they|both|everything|all|those|these|one|(?:done|do|did) so|any(?:thing|one|body)?"
)
_PRONOUN = re.compile(r"\b(?:it|them|both|everything|all)\b")
_LABEL = re.compile(r"(?<![^\n\x1e])[\w-]+(?: [\w'.-]+){0,6}:(?=\s)")
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
class Deed(Span):
    """A place that says that something has, or has not, been done."""

    is_done: bool

    def concerns(self, document: Document, about: tuple[str, ...]) -> bool:
        """Whether it is about one of these terms, or names nothing that it is about."""
        begin, stop = document.near(self.start, self.end)
        if not about or subject_pattern(about).search(document.text, begin, stop):
            return True
        if self.is_done:
            return self.start == begin or bool(_PRONOUN.search(document.own, self.end, stop))
        names_it = _REFERENCE.search(document.own, self.end, stop) or not document.own[self.end : stop].strip(" .!,")
        return bool(names_it and not _NO_SUBJECT.search(document.own, begin, self.start))


@functools.cache
def _verbs(action: str) -> re.Pattern[str]:
    stems = _STEMS[action].split()
    done = [f"(?:{'|'.join(stems)})(?:p|l)?(?:ed|ied)", *(stem for stem in stems if stem in _PARTICIPLES)]
    done += [_IDIOMS[action]] if action in _IDIOMS else []
    return re.compile(rf"(?<![\w-])(?:(?P<done>{'|'.join(done)})|(?:{'|'.join(stems)})(?:e|y|[pt]?ing)?)(?![\w-])")


def deeds(document: Document, action: str) -> list[Deed]:
    """All that a text says of an action having been carried out or not, in order."""
    if action in _SWITCHED:
        on = action == "turned_on"
        said = (each for each in events(document, SETTINGS) if each.kind is not EventKind.PAST)
        told = ((each.start, each.on is on, each.kind is EventKind.DENIAL) for each in said)
        return [Deed(at, at + 1, is_so and not denied) for at, is_so, denied in told if is_so or not denied]
    own, found = document.own, []
    for match in _verbs(action).finditer(own):
        start, end = match.span()
        begin, stop = document.near(start, end)
        is_denied = document.is_negated(start) or _NOTHING.match(own, end) is not None
        is_old = _ALREADY.search(own, begin, stop) and not _BY_AGENT.search(own, begin, start)
        is_told = match["done"] and not (is_old or _UNREAL.search(own, begin, start) or _LABEL.match(own, start))
        counts = not _NOT_THIS.search(own, begin, stop) if is_denied else is_told
        if counts and document.is_asserted(start):
            found.append(Deed(start, end, not is_denied))
    return found


def claims_success(document: Document, action: str | None) -> list[int]:
    """Where a text claims that an action, or in general something asked for, has been done."""
    found = [deed.start for deed in deeds(document, action) if deed.is_done] if action else []
    generic = (start for start in document.said(_GENERIC) if not document.is_negated(start))
    return sorted(
        [*found, *(start for start in generic if not _UNREAL.search(document.own, max(0, start - 16), start))]
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
        said = (document.text[clause.start : clause.end] for clause in document.clauses if not clause.is_question)
        if not any(map(_WORD.search, said)):
            return Reading.SILENT
        switches = [Switch(name, on=self.action == "turned_on") for name in self.about if setting_key(name)]
        if self.action in _SWITCHED and switches:
            readings = {switch.read(text) for switch in switches}
            is_refusal = Reading.STATED not in readings and bool(document.said(_FAILURE))
            is_taken_back = is_refusal or Reading.CONTRADICTED in readings or document.is_retracted()
            return Reading.CONTRADICTED if is_taken_back else Reading.STATED
        claims = claims_success(document, self.action)
        # Who tells of the deed, too, may deny another one: "I deleted Ann, but could not delete Bob".
        about = self.about if claims else ()
        denied = [each for each in deeds(document, self.action) if not each.is_done and each.concerns(document, about)]
        denials = sorted([*document.said(_FAILURE), *(each.start for each in denied)])
        if document.is_retracted() or (denials and not claims):
            return Reading.CONTRADICTED
        if not denials or claims[-1] > denials[-1]:
            return Reading.STATED
        start, end = document.sentence_at(denials[-1])
        if _OVERCOME.search(document.own, start, end):
            return Reading.STATED
        # "I've sent it. Something went wrong.": of this deed, or of another?
        names_it = not self.about or subject_pattern(self.about).search(document.text, start, end)
        is_denied = names_it or CORRECTION.search(document.own, start, end)
        return Reading.CONTRADICTED if is_denied else Reading.UNCLEAR


def _actions(tasks: Any) -> tuple[str, ...]:
    return tuple(map(action_name, as_facts(tasks)))


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
        if document.is_retracted() or (said and max(said, key=lambda deed: deed.start).is_done):
            return Reading.CONTRADICTED
        explained = not self.because or term_pattern(self.because).search(document.text)
        return Reading.STATED if explained and document.said(_NEGATIVE) else Reading.SILENT
