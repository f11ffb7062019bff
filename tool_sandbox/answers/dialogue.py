"""Telling what a text of the agent is: questions, requests for information or permission, reports, mere courtesy.

Shared by the scripted user, who answers questions, by milestones that demand one, and by the audit of users.
"""

import re
from collections.abc import Callable, Iterable

_WHAT_IS_NEXT = re.compile(
    r"^\W*(?:(?:and|so|ok|okay) )?(?:what(?:'s|’s| is| comes| do we do| (?:shall|should) (?:i|we) do)"
    r"(?: the)? next(?: (?:one|step|thing|request|task|point))?|what now)\W*$",
    re.IGNORECASE,
)


def says(*alternatives: str) -> Callable[[str], bool]:
    """A predicate: whether any of the regular expressions is found in a text, whatever its case and its apostrophes."""
    search = re.compile("|".join(alternatives), re.IGNORECASE).search
    return lambda text: search(text.replace("’", "'")) is not None


_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?](?![*_)\]\"”»]*(?:\s|$))[^.!?\n]*)*[.!?]*[*_)\]\"”»]*")
_QUOTED = re.compile(r'"[^"\n]{0,500}"|“[^“”\n]{0,500}”|«[^«»\n]{0,500}»')
_TITLE = re.compile(r"\*\*[^*\n?]{1,200}\*\*|`[^`\n]{1,200}`")
_NUMBERED = re.compile(r"^(\s*\d+)\.(?=\s)", re.MULTILINE)
_ITEM = re.compile(r"[-*\u2022]\s|\d+[.)]\s")
_ends_asking = says(r"[?\uff1f][!?]*[*_)\]~]*$")

LEAD = (
    r"^\W*(?:(?:ah|al(?:l )?right|also|and|but|first|great|hm+|in that case|next|now|oh|ok|okay|perfect|so|sure|thanks"
    r"|then|um+|well)\b\W*){0,3}"
)
"""The beginning of a sentence, with small words that say nothing."""

ACT = (
    "delete|remove|send|text|add|save|set|put|turn|switch|change|update|move|remind|create|clear|forward|reply|push"
    "|postpone|shift|reschedule|rename|enable|disable|schedule|modify"
)
ACTED = (
    "sent|added|removed|deleted|updated|turned|switched|created|saved|changed|set|texted|messaged|enabled|disabled"
    "|scheduled|modified"
)
_MAY_I = r"\b(?:shall|should|may|can|could) (?:I|we)\b"
_TELLING = r"(?:tell|give|provide|share|specify|confirm|clarify|choose|pick|let me know)"
_ASSENT = r"(?:ok|okay|al(?:l )?right|fine|good|correct|right)"
_YOUR_ASSENT = r"your (?:ok|okay|go-ahead|confirmation|approval|permission|consent)"
_MATTER = r"(?:it|that|this|these|everything|all of (?:it|this|that))"
_WISH = r"(?:you'd|you would|you) (?:want|like|prefer)"
_AGREEABLE = (
    rf"(?:I (?:should|may|can (?:go ahead|proceed|continue))|{_WISH} me to"
    rf"|{_MATTER}(?:(?:'s| is| looks| sounds) {_ASSENT}|(?: works| suits)))"
)
_CALLS_FOR_CONSENT = (
    rf"\b(?:with {_YOUR_ASSENT}|say the word|unless you (?:object|mind|say)|let me know if {_AGREEABLE})\b"
    r"|\b(?:say|reply|answer|type|respond)(?: with)? \W?(?:yes|ok|okay|confirm)\b"
)

_requests = says(
    rf"\b(?:(?:could|can|would|will) you|please|kindly) (?:\w+ ){{0,2}}?{_TELLING}\b",
    rf"{LEAD}(?:please )?(?:(?:tell|give|send) me|let me know|specify|clarify|choose|pick)\b",
    rf"\b(?:if|once|when|as soon as|until) you(?:'ve| have| would| could)? (?:told|given me|{_TELLING})\b",
    r"(?<!more )(?<!nothing )(?<!that )\bI(?:'ll| will|'d| do)? (?:still |also |first |just )?(?:need|require|am"
    r" missing|would need)\b(?! (?:wi-?fi|cellular|location|low battery|the internet|an? (?:\w+ )?connection"
    r"|to (?!know\b)))",
    r"\bI(?:'d| would) (?:like|need) to know\b",
    r"\byou (?:haven't|have not|didn't|did not) (?:yet |actually )?(?:tell|told|say|said|specify|specified|mention)",
    r"\b(?:not (?:quite )?(?:sure|clear|certain)|isn't clear|unclear|don't know|do not know|can't tell)\b[^,;]{0,40}?"
    rf" (?:you mean|you meant|{_WISH}|you have in mind|you(?:'re| are) referring to|you refer to)\b",
    rf"\b(?:wait(?:ing)? for|await(?:ing)?) {_YOUR_ASSENT}\b",
    _CALLS_FOR_CONSENT,
)
demands = says(rf"{LEAD}(?:please )?(?:tell|give|send) me\b")
"""Whether a sentence demands to be told something."""
_needs = says(
    r"^\W*(?:what I(?:'d| would)?(?: still)? need(?: from you)?|still (?:needed|missing)|details needed)\W*:",
    r"\b(?:inputs?|details?|things?|pieces|information|facts?) (?:is |are )?(?:still )?(?:needed|missing|required)\b",
)
_is_courteous = says(
    r"^(?!.*\bwh(?:ich|om?|ere|en)\b).*(?<!mean )\b(?:any(?:thing)?|something|what) else\b",
    r"\bfurther (?:help|assistance|questions)\b|\bhow (?:can|may) I (?:help|assist)\b",
    rf"\b(?:let me know|feel free|reach out|just ask)\b.{{0,80}}?\b(?:whenever|should you|if)\b(?! {_AGREEABLE}\b)",
    r"\blet me know (?:when|once|as soon as)"
    r" (?:they|s?he|you(?:'re| are|'ve| have|(?:'d like| want) (?:it|them|that)))\b",
)
_proposes = says(
    rf"{_MAY_I}|\b(?:must|if) (?:I|we)\b",
    r"\b(?:shall|should) (?:(?:it|this|that|these|those|they)\b|[\"“«*`])",
    r"\b(?:do|would) you (?:want|like|mind|agree|prefer|approve)\b",
    rf"\b(?:{_WISH}|^\W*(?:want|like)) me to\b|^\W*(?:want|care for|interested in)\b",
    rf"(?:{LEAD}|[:,–—-] (?:so |then |and |next )?)(?:{ACT}|continue|mind if)\b",
    r"\bwould (?:either|any|one|that|this|it)\b[^?]*\b(?:help|be|work|do)\b",
    r"\b(?:do you|please|ready to|to) (?:confirm|proceed)\b",
    r"\bconfirm(?: (?:this|that|it))?(?:\W*$| (?:that )?(?:I|you want)\b)",
    rf"\b(?:go ahead|go-ahead|proceed|{_YOUR_ASSENT}|any objections?|good to go)\b",
    r"^\W*(?:is it |would it be )?(?:ok|okay|al(?:l )?right|fine|cool) (?:to|for me)\b",
    r"\b(?:authori[sz]e|allow|permit) me\b",
    _CALLS_FOR_CONSENT,
)
_seeks_approval = says(
    rf"\b(?:is|are|would|if) {_MATTER}(?:'s| is)? (?:be |all )?{_ASSENT}\b",
    r"\b(?:is|was) (?:it|that|this) (?:what|how|the way) you\b",
    rf"\b(?:does|do|will|would) {_MATTER} (?:work|suit|do|match|fit)\b",
    rf"\b(?:looks?|sounds?|seems?) (?:all )?{_ASSENT}\b",
    rf"^\W*(?:all )?{_ASSENT} (?:like|with|so|as)\b",
    rf"\beverything {_ASSENT}\b|\bwould you be (?:{_ASSENT}|happy)\b",
    rf"^\W*(?:sure|certain)\b(?!,)|\bare you (?:sure|certain|(?:still )?{_ASSENT} with|happy)\b",
    rf"(?:^|[,;:.] *|[-–—] *)(?:is that )?(?:{_ASSENT}|agreed|confirmed?|yes)\W*$",
)
_asks_to_know = says(r"\b(?:may|can|could) I (?:please |also |just )?(?:ask|have|get|know)\b")
_leaves = says(
    rf"{_MAY_I} (?:just )?(?:leave|stop|skip|forget|drop|keep)\b",
    r"\bis (?:it|that) (?:al(?:l )?right|ok|okay|fine|good) (?:to|if I) (?:leave|keep)\b",
    r"\b(?:shall|should|may|can) (?:it|this|that|they) (?:stay|remain)\b",
)
_has_question_word = says(r"\b(?:who|whom|whose|which|what|when|where|how)\b")
_ASIDE = re.compile(
    r"[,(–—] *(?:which|who|whose|where)\b[^,;?)]*|\bwhat (?:you|I)\b|\b(?:is|was) (?:it|that|this) how\b", re.IGNORECASE
)
"""Relative clauses and the like, in which a question word asks nothing."""

_asks_yes_or_no = says(
    rf"{LEAD}(?:I (?:can|could) .*\bif (?:that|it|you)\b.*\?|{_MAY_I}|(?:do you|would you)? ?(?:want|like) me to)\b"
)
"""The beginning of a question that yes or no answers, whatever question words follow."""
_is_unchecked = says(
    r"\b(?:could|can|have|had|am|was)(?:n't| not|not) (?:\w+ ){0,2}(?:check|verif(?:y|ied)|confirm|look (?:it|that) up)"
)
offers = says(
    r"\b(?:would|do) you (?:also |still )?(?:like|want)\b|\b(?:you'd (?:like|want)|want) me to\b",
    rf"{_MAY_I} also\b|{_MAY_I}.*\b(?:back|too|as well|instead|again)\b",
)
"""Whether a question offers something beyond what was asked for."""
asks_whether_it_is_the_one = says(
    r"(?:\b(?:is|was) (?:that|this|it|one of (?:these|them))|^\W*(?:is|was|are|were)(?! there))\b[^?]*"
    r"\b(?:you (?:mean|meant|want|wanted|need|had in mind|have in mind)|you(?:'d| would) like to"
    r"|you(?:'re| are| were) (?:looking for|thinking of|after|referring)|(?:the|your) (?:right|one))\b",
    r"\bwhich (?:one\b|of (?:them|these|those|the)\b|(?:should|shall|would) )|^\W*how (?:should|shall) I\b",
    r"\b(?:did|do) you mean\b|\bdoes\b[^?]*\bmean\b",
)
"""Whether a question is answered by yes or no, depending on what the user has in mind."""
asks_to_act = says(rf"\b(?:could|can|would|will) you (?:please |kindly |maybe |quickly )?(?:{ACT})\b")
"""Whether the user is asked to do something on the phone."""
asks_to_repeat = says(
    r"\b(?:say|repeat|send|write|rephrase|try)\b[^?]*\b(?:again|once more|one more time)\b"
    r"|\b(?:could|can|would) you repeat\b"
)
"""Whether a question asks for what was said just before to be said again."""
_restates = says(
    rf"{LEAD}(?:just to (?:be (?:sure|clear)|make sure|confirm|check)\b|(?:is|was) (?:that|this|it)\b)(?!.*\bor\b)"
)
reports_completion = says(
    r"\b(?:done|all set|has been|have been|successfully|is now|are now|went (?:out|through|to)|on its way"
    r"|(?:is|are|was|were) (?:sent|added|removed|deleted|updated|set|saved|back))\b",
    rf"\bI(?:'ve| have)? (?:{ACTED}|moved|told|restored|put|undone|renamed)\b",
    r"^\W*(?:sent|added|removed|deleted|updated|saved|changed|moved|restored)\b",
)
"""Whether the agent says that something is done."""
_promises = says(
    rf"{LEAD}(?:please )?(?:(?:one|just a) (?:moment|second|sec)\b(?:,? please)?\W*$|(?:hold on|bear with me)\b"
    r"|let me (?:first |just |quickly )?(?:check|look|see|find|try|search)\b)"
)
proposes_change = says(rf"\b(?:{ACT})\b")
"""Whether a sentence speaks of changing something on the phone."""
asks_for_preference = says(r"\b(?:do|would) you (?:prefer|rather)\b|\bwhich (?:would|do) you (?:like|want|choose)\b")
"""Whether a question asks which of several ways the user would like."""
asks_for_wish = says(rf"{_WISH}|\b(?:want|like) me to\b")
"""Whether a question asks what the user would like rather than what is allowed."""
leaves_a_choice = says(r"\b(?-i:or)\b(?! (?:not|(?:should|shall) I (?:not|wait|leave|stop)|leave|keep|wait|rather)\b)")
"""Whether a proposal names two ways, neither of which is to leave it."""
proposes_extra = says(r"\b(?:also|as well|too|add|sign|include|attach|mention|recurring|repeat(?:ing)?)\b")
"""Whether a sentence speaks of adding something."""
proposes_setting = says(r"\b(?:wi-?fi|cellular|location|battery|power saving|mode)\b")
"""Whether a sentence speaks of a setting of the phone."""
reports_obstacle = says(
    r"\b(?:cannot|can't|could not|couldn't|unable|not possible|blocked|disabled|turned off|switched off|is off|are off"
    r"|is on|prevents?|low battery|power saving|permission|before I)\b"
)
"""Whether the agent speaks of something that is in its way."""


def _without_stops(quoted: re.Match[str]) -> str:
    """A quotation of the same length that ends a sentence only where a new one begins behind it."""
    words = quoted.group()
    is_last = words[-2] in ".!?" and re.match(r"\s+[A-Z]", quoted.string[quoted.end() : quoted.end() + 9])
    return re.sub(r"[.!?]", " ", words[:-1]) + ("." if is_last else words[-1])


def sentences(text: str) -> list[str]:
    """Sentences and lines; a full stop in a number, an address or between quotation marks does not end one."""
    stops = _NUMBERED.sub(r"\1)", _QUOTED.sub(_without_stops, text))
    spans = (match.span() for match in _SENTENCE.finditer(stops))
    return [part for part in (text[start:end].strip() for start, end in spans) if part]


def questions(text: str) -> list[str]:
    """The sentences that ask for something; neither offers of further help nor what is quoted or a title asks."""
    asked, goes_on = list[str](), False
    for each in sentences(text):
        if each.startswith(">"):
            continue
        # "Two things I need:", and what is listed below.
        goes_on = goes_on and _ITEM.match(each) is not None
        if goes_on or _needs(each) or _asks(_TITLE.sub("it", _QUOTED.sub("it", each))):
            asked.append(each)
            goes_on = goes_on or each.endswith(":")
    return asked


def _asks(sentence: str) -> bool:
    is_asking = _ends_asking(sentence) or _requests(sentence) or _asks_yes_or_no(sentence)
    return is_asking and not _is_courteous(sentence)


def topics(text: str) -> list[str]:
    """What a text asks about: its questions, each also with up to three sentences before that may name "it"."""
    said, asked = sentences(text), set(questions(text))
    return [
        " ".join(said[max(0, number - before) : number + 1])
        for number, each in enumerate(said)
        if each in asked
        for before in range(4)
    ]


def asks_openly(sentence: str) -> bool:
    """Whether a question cannot be answered by yes or no."""
    return _has_question_word(_ASIDE.sub(" ", sentence))


def asks_permission(sentence: str) -> bool:
    """Whether an asking sentence asks for consent rather than for information."""
    is_consent = (_proposes(sentence) or _seeks_approval(sentence)) and not asks_openly(sentence)
    is_for_facts = _asks_to_know(sentence) or demands(sentence)
    return not is_for_facts and (is_consent or _asks_yes_or_no(sentence))


def asks_whether_so(sentence: str) -> bool:
    """Whether a question only makes sure of something: yes, if it is what the user has said."""
    return _restates(sentence) and not asks_openly(sentence)


def is_unfinished(text: str) -> bool:
    """Whether the agent ends by announcing what it does next."""
    said = sentences(text)
    return bool(said) and _promises(said[-1]) and not reports_completion(text)


def asks_approval(sentence: str) -> bool:
    """Whether a question is about what has been done or read back rather than about what may be done."""
    is_about_plans = _proposes(sentence) or _asks_yes_or_no(sentence)
    return _leaves(sentence) or (asks_permission(sentence) and not is_about_plans)


def asks_what_is_next(sentence: str) -> bool:
    """Whether the agent waits for the next request: "What's next?"."""
    return _WHAT_IS_NEXT.search(sentence) is not None


def is_offer_of_more(text: str, asked: list[str], *, is_answered: bool = False) -> bool:
    """Whether the agent reports that it is done, or is known to have told all, and asks only what it offers to do."""
    report = (sentence for sentence in sentences(text) if sentence not in asked)
    is_done = (is_answered and not _is_unchecked(text)) or (
        any(map(reports_completion, report)) and not reports_obstacle(text)
    )
    return is_done and all(map(offers, asked))


def without_dictated_questions(text: str, lines: Iterable[str]) -> str:
    """A text with no question marks in what the user dictated in its lines: those questions are not for the user."""
    for words in (words for line in lines for words in re.findall(r'"([^"]+)"', line)):
        text = text.replace(words, words.replace("?", ""))
    return text
