"""Telling whether a text tells its reader to do something: "Please restart the router", "Could you press it?"."""

import re
from collections.abc import Iterator

from tool_sandbox.answers.dialogue import says, sentences

_STEP = re.compile(r"^[\s>*_\-\u2022#]*(?:(?:step|part)\s*)?(?:\d{1,2}\s*[.:)\-]+\s*)?[*_\"]*", re.IGNORECASE)
_SMALL = re.compile(
    r"(?:(?:ah|al(?:l )?right|also|and|but|finally|first(?:ly)?|great|hm+|in that case|just|kindly|lastly|next"
    r"|no problem|now|oh|ok|okay|or|perfect|second(?:ly)?|so|sorry|sure|thanks|thank you|then|third|well)\b[\s,.]*)+",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[;:,][*_]*\s+|\s[–—-]\s"
    r"|\s+(?=(?:and|but|then|before|after|as soon as|because|once|when|while|until|if|unless|so that)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:check|charge|choose|click|close|connect|cut|dial|disconnect|enter|flip|go|hold|insert|keep|leave|lift|lock|look"
    r"|make|move|open|pick|plug|power|press|pull|push|put|read|reboot|reconnect|reinsert|release|remove|replace|reset"
    r"|restart|scan|select|set|slide|start|stop|swap|swipe|switch|take|tap|toggle|try|turn|type|unlock|unplug|use|wait)\b",
    re.IGNORECASE,
)
_of_me = says(r"^(?:I|we)\b")
_wants_of_you = says(
    r"\b(?:need|want|like|ask|have|suggest|recommend)(?: that)? you\b|\b(?:suggest|recommend) \w+ing\b"
)
_offers = says(r"\b(?:shall|should|may|can|could) (?:I|we)\b|\b(?:want|like) me to\b")
_tells = says(
    r"\bplease\b(?! (?:confirm|let me know|tell|note|be aware|wait|hold on)\b)",
    r"\b(?:can|could|will|would) you\b(?! (?:like|want|prefer|rather|tell|confirm|say)\b)",
    r"\b(?:would|do) you mind\b|\blet(?:'s| us)\b|\b(?:try|how about|what about|start by|begin by) \w+ing\b",
    r"^you(?:'ll| will)? (?:need|have) to\b|^you (?:must|should|can now|may now)\b",
)
_of_others = says(
    r"^(?:it|he|she|they|this|that|these|those|there|the|my|your|you|who|what|which|when|where|why|how|is|are|was|were|do"
    r"|does|did|has|have|had|may|might|shall|should|can|could|would|will|must)(?:'\w+)?\b"
)
_is_subordinate = says(r"^(?:once|after|before|when|if|while|until|because|since|as soon as|unless|so that|whether)\b")
_NEGATED = re.compile(
    r"\b(?:not|never|without|instead of|rather than|avoid|no need to|no longer)\b|n't\b", re.IGNORECASE
)
_GERUND = re.compile(r"\w+ing\b", re.IGNORECASE)
_OF_BEFORE = re.compile(r"\bdo (?:it|that|this|so)\b", re.IGNORECASE)


def place_told(text: str, topic: str) -> tuple[int, int] | None:
    """Where a text first tells its reader to do something.

    Args:
        text: What is said.
        topic: Regular expression, case-insensitive, searched in its sentences: what is to be done.

    Returns:
        Number of the sentence and position in it; ``None`` if the text does not clearly tell so, as where it reports,
        asks what was done, offers to do it, or tells not to do it.
    """
    said = sentences(text.replace("’", "'"))
    for number, sentence in enumerate(said):
        places = [match.start() for match in re.finditer(topic, sentence, re.IGNORECASE)]
        if number and re.search(topic, said[number - 1], re.IGNORECASE):
            # "It needs a restart. Could you do that?"
            places += [match.start() for match in _OF_BEFORE.finditer(sentence)]
        for place in places:
            if _is_told(sentence, place, topic):
                return number, place
    return None


def _is_told(sentence: str, place: int, topic: str) -> bool:
    """Whether the clause at a place is told to the reader; one without a subject goes on as the one before it."""
    is_told, is_fresh = False, True
    for start, end in _clauses(sentence):
        clause = _STEP.sub("", sentence[start:end], count=1)
        clause = clause[found.end() :] if (found := _SMALL.match(clause)) else clause
        if _is_subordinate(clause):
            # What follows on "if ..., " begins anew.
            is_told, is_fresh = False, True
        elif (own := _own_mood(clause)) is not None:
            is_told, is_fresh = own, False
        elif is_fresh and (_VERB.match(clause) or (re.match(topic, clause, re.I) and not _GERUND.match(clause))):
            is_told, is_fresh = not sentence.rstrip(' *_)"').endswith("?"), False
        if start <= place < end:
            return is_told and not _NEGATED.search(sentence[start:place])
    return False


def _own_mood(clause: str) -> bool | None:
    """Whether a clause tells the reader to do something, ``None`` where that depends on what stands before it."""
    if _offers(clause):
        return False
    if _of_me(clause):
        return _wants_of_you(clause)
    return True if _tells(clause) else False if _of_others(clause) else None


def _clauses(sentence: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for match in _BREAK.finditer(sentence):
        yield begin, match.end()
        begin = match.end()
    yield begin, len(sentence)
