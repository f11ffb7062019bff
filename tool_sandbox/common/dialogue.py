"""Telling what a text asks for: questions, requests for information, permission, mere courtesy.

Shared by the scripted user, who answers questions, and by milestones that demand one.
"""

import re

_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*", re.DOTALL)
_REQUEST = re.compile(
    r"\b(?:could|can|would|will) you (?:please )?(?:tell|give|provide|share|specify|confirm|clarify|let me know)\b"
    r"|\b(?:please|kindly) (?:\w+ ){0,2}?(?:tell|give|provide|share|specify|confirm|clarify|choose|pick|let me know)\b"
    r"|^\W*(?:tell me|let me know|give me|specify|clarify|choose|pick)\b"
    r"|\bI(?:'ll| will)? (?:still |also |first |just )?(?:need|require|am missing|would need)\b"
    r"|\bI(?:'d| would) (?:like|need) to know\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(?:any(?:thing)?|something|what) else\b|\bfurther (?:help|assistance|questions)\b"
    r"|\b(?:let me know|feel free|reach out|just ask)\b.{0,80}?\b(?:if|whenever|should)\b"
    r"|\bhow (?:can|may) I (?:help|assist)\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(?:shall|should|may|can|could|must) I\b|\b(?:do|would) you (?:want|like|mind|agree|prefer)\b"
    r"|\b(?:is|would) (?:it|that|this) (?:be )?(?:ok|okay|alright|all right|fine|good|correct|right)\b"
    r"|\b(?:are you sure|do you confirm|please confirm|go ahead|proceed|your permission)\b",
    re.IGNORECASE,
)

_OPEN_QUESTION = re.compile(r"\b(?:who|whom|whose|which|what|when|where|how)\b", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """Sentences and lines of a text, without surrounding white space.

    A full stop inside a number or an address does not end a sentence.
    """
    return [part for part in (match.strip() for match in _SENTENCE.findall(text)) if part]


def questions(text: str) -> list[str]:
    """Sentences that ask for something: questions and requests for information.

    Offers of further help are no questions.

    Args:
        text: What one party said.

    Returns:
        The asking sentences in order; empty for a mere statement.
    """
    return [
        sentence
        for sentence in sentences(text)
        if (sentence.endswith("?") or _REQUEST.search(sentence)) and not _COURTESY.search(sentence)
    ]


def asks_permission(sentence: str) -> bool:
    """Whether an asking sentence asks for consent rather than for information."""
    return bool(_PERMISSION.search(sentence)) and not _OPEN_QUESTION.search(sentence)
