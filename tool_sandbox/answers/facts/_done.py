"""Deeds in words: a deed is proven by the world, so that words only have to be there and not deny it."""

import functools
import re
from typing import Any

import attrs

from tool_sandbox.answers.facts._document import CORRECTION, Document, parse
from tool_sandbox.answers.facts._judge import term_pattern
from tool_sandbox.answers.facts._reading import FactBase, Reading, as_facts, as_terms
from tool_sandbox.answers.facts._settings import setting_key, subject_pattern
from tool_sandbox.answers.facts._states import Switch
from tool_sandbox.answers.facts._text import one_of
from tool_sandbox.world.errors import ScenarioError

_STEMS = {
    "sent": "send sent messag text deliver forward relay told notif inform repl respond",
    "added": "add creat sav stor schedul record register make made put enter set",
    "removed": "remov delet eras clear drop wip cancel",
    "updated": "updat chang modif edit correct replac renam adjust revis amend alter set sav restor revert",
    "moved": "mov reschedul postpon shift push delay chang updat adjust modif set reset restor revert",
    "set": "set configur adjust schedul creat add arrang sav",
    "turned_on": "enabl activat turn switch",
    "turned_off": "disabl deactivat turn switch",
    "restored": "back restor revert reset return undo undone undid reinstat put bring brought chang add set turn",
}
"""Action to the stems of the verbs that tell of it; whether something is turned on is read as the state that it is."""

_SWITCHED = ("turned_on", "turned_off")
_PARTICIPLES = ("sent", "told", "made", "put", "set", "reset", "undone", "undid", "brought")
_FAILURE = re.compile(
    r"\b(?:something|it|that|this|\w+ing|the (?:request|operation|task|action|attempt|call|tool|update)) (?:it )?"
    r"(?:went wrong|failed|did(?:n't| not) (?:work|go through)|was unsuccessful)\b"
    r"|(?:(?<!had)n't|(?<!had )\bnot|cannot|unable to|failed to) (?:able to |been |(?<=ldn't )be )?(?:actually |quite "
    r"|yet )?(?:do|done|completed?|finish(?:ed)?|carry out|carried out|help|assist|fulfill?|process|possible)\b"
)
_OVERCOME = one_of(
    r"first|initial(?:ly)?|earlier|until|before|then|after|retr(?:y|ied)|second (?:try|attempt)"
    r"|so i(?!(?:'ve| have| did| could|'m| am| was)?(?: not|n't| couldn't| haven't| didn't))"
)
# What is no denial of this deed: it is of other things, or of what somebody else has not done.
_NOT_THIS = one_of(
    "(?:any(?:one|body|thing)?|no ?one|nobody|nothing) (?:else|other|further)",
    r"(?:you|he|she|they)(?:'d|'ve| \w+)?(?:n't| not| never)",
)
_NEGATIVE = one_of(
    r"not|no|nothing|none|never|neither|without|cannot|\w{2,8}n't",
    r"left|leave|kept|keep(?:s|ing)?|still|safe|scrapped|already|stays?|stayed|remains?|remained|unchanged|untouched"
    r"|intact|unsent",
    r"skip(?:ped|ping)?|held (?:off|back)|hold(?:ing)? off|refrained|cancell?ed|called off|instead|stopped|dropped",
)
_NOT = r"(?:\w{2,8}n't|\bnot|\bnever|\bno longer|\bcannot|\bunable to|\bfailed to|\bno way to)"
_NOTHING = r"\b(?:nothing|none|nobody|no one|neither|no \w+)"
_OBJECT = one_of("it|that|this|them|they|both|everything|all|those|these|one|so|any(?:thing|one|body)?")
_CLAIM = re.compile(
    r"(?:\bi(?:'ve| have)?|\b(?:has|have) been|\b(?:was|were)|^\W*(?:and|then|so)?(?: have)?)"
    r"(?: (?:\w+ly|just|now|also|then|already|gone ahead and))*\W*$"
)
_WORD = re.compile(r"\w")


def action_name(action: str) -> str:
    """The canonical name of an action."""
    if not isinstance(action, str):
        raise ScenarioError(f"an action is a word such as 'sent'; got {action!r}")
    name = action.replace(" ", "_")
    known = [name] if name in _STEMS else [each for each in _STEMS if _verbs(each)[0].fullmatch(name)]
    known = known or [each for each, stems in _STEMS.items() if any(map(name.startswith, stems.split()))]
    if not known:
        raise ScenarioError(f"unknown action {action!r}; one of {sorted(_STEMS)}, or another word for it")
    return known[0]


@functools.cache
def _verbs(action: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What says that an action was carried out, and what denies it."""
    stems = _STEMS[action].split()
    done = "|".join([f"(?:{'|'.join(stems)})[pl]?(?:ed|ied)", *(stem for stem in stems if stem in _PARTICIPLES)])
    every = f"(?:{done}|(?:{'|'.join(stems)})(?:e|y|[pt]?ing)?)"
    denied = (
        rf"{_NOT}(?: [\w'-]+){{0,5}}? {every}",
        rf"{_NOTHING}(?: \w+){{0,3}}? (?:was|were|is|are|got|(?:has|have) been)(?: \w+)? (?:{done})",
        rf"(?<![\w-])(?:{done})(?: [\w']+){{0,3}}? (?:nothing|none|nobody|no one)(?! (?:else|but|except)\b)",
        rf"(?<![\w-])(?:{done}) no (?!longer|problem|more|other)[a-z]+",
    )
    return re.compile(rf"(?<![\w-])(?:{done})(?![\w-])"), re.compile(rf"(?:{'|'.join(denied)})(?![\w-])")


def is_claimed(document: Document, action: str, about: tuple[str, ...]) -> bool:
    """Whether the last word of a text on an action is that it was carried out on what ``about`` names."""
    if action in _SWITCHED:
        states = (Switch(name, on=action == "turned_on") for name in about if setting_key(name))
        return any(state.read(document.text) is Reading.STATED for state in states)
    done, denied = _verbs(action)
    denials = [each.span() for each in denied.finditer(document.own) if not _is_of_others(document, each)]
    last = max((start for start, _ in denials), default=-1)
    for match in done.finditer(document.own):
        start, end = match.span()
        begin, stop = document.near(start, end)
        is_it = not about or subject_pattern(about).search(document.text, begin, stop)
        is_so = document.is_asserted(start) and _CLAIM.search(document.own[begin:start])
        is_within = any(left <= start < right for left, right in denials)
        if start > last and is_so and not is_within and (is_it or _OBJECT.match(document.own[end:stop].strip())):
            return True
    return False


def _is_of_others(document: Document, denial: re.Match[str]) -> bool:
    return _NOT_THIS.search(document.own, *document.near(*denial.span())) is not None


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
        done, denied = _verbs(self.action)
        every = list(denied.finditer(document.own))
        told = document.said(done)
        claims = [start for start in told if not any(each.start() <= start < each.end() for each in every)]
        found = [each.start() for each in every if self._is_denial(document, each, is_told=bool(claims))]
        denials = sorted([*document.said(_FAILURE), *found])
        if document.is_retracted():
            return Reading.CONTRADICTED
        if not denials or (claims and claims[-1] > denials[-1]):
            return Reading.STATED
        start, end = document.sentence_at(denials[-1])
        if _OVERCOME.search(document.own, start, end):
            return Reading.STATED
        # "I've sent it. Something went wrong.": of this deed, or of another?
        names_it = self.about and subject_pattern(self.about).search(document.text, start, end)
        is_open = claims and not names_it and not CORRECTION.search(document.own, start, end)
        return Reading.UNCLEAR if is_open else Reading.CONTRADICTED

    def _is_denial(self, document: Document, match: re.Match[str], *, is_told: bool) -> bool:
        """Whether what is denied is this deed, and not another one: "I deleted Ann, but could not delete Bob"."""
        begin, stop = document.near(*match.span())
        if _is_of_others(document, match) or begin > match.start() or not document.is_asserted(match.start()):
            return False
        rest = document.own[match.end() : stop].strip(" .!,")
        names_it = self.about and subject_pattern(self.about).search(document.text, begin, stop)
        return bool(not is_told or names_it or not rest or _OBJECT.match(rest))


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
        if document.is_retracted():
            return Reading.CONTRADICTED
        if any(is_claimed(document, action, self.about) for action in self.task):
            return Reading.CONTRADICTED
        explained = not self.because or term_pattern(self.because).search(document.text)
        return Reading.STATED if explained and document.said(_NEGATIVE) else Reading.SILENT
