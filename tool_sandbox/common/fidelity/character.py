"""Acting as the assistant: a user that offers help, claims to have used the phone's tools, or writes tool calls."""

import re
from collections.abc import Iterator

from tool_sandbox.common.dialogue import any_of, sentences
from tool_sandbox.common.fidelity.conversation import Conversation, Line
from tool_sandbox.common.fidelity.texts import words

_ACT = (
    r"(?:send|text|message|set|add|remove|delete|update|turn|switch|create|search|look (?:up|for)|find|convert"
    r"|calculate|schedule|remind|save|modify|change|enable|disable|check)"
)
_ACTED = (
    r"(?:sent|texted|messaged|set|added|removed|deleted|updated|turned|switched|created|searched|looked up|found"
    r"|converted|calculated|scheduled|saved|modified|changed|enabled|disabled)"
)
_THINGS = r"(?:message|text|contact|reminder|number|entry|wifi|wi-fi|cellular|location|battery|request|task|note|list)"


_SIGNS = {
    "offers help": any_of(
        r"\bhow (?:can|may|could) I (?:help|assist)\b",
        r"\b(?:can|may|could) I (?:help|assist) (?:you|with)\b",
        r"\banything else (?:that )?(?:I can|you(?:['’]d| would)? (?:need|like|want))\b",
        r"\b(?:let me know|feel free|just ask|reach out)\b.{0,60}\b(?:you(?:['’]d| would)? (?:need|like|want|have any)"
        r"|anything else|any(?: other)? questions|further|assistance)\b",
        r"\bif (?:you (?:need|have)|there['’]?s) (?:anything|any|something) (?:else|other|more|further)\b",
        r"\b(?:happy|glad|here|pleased|ready|able) to (?:help|assist)\b(?! me\b)",
        r"\b(?:would|do) you (?:like|want) me to (?:also |go ahead and )?" + _ACT + r"\b",
    ),
    "asks what the assistant has to ask": any_of(
        r"\bwh(?:o|om|at|ich|en|ere)\b[^.?!]{0,40} would you like (?:me to|to|the|your|this|that)\b(?! (?:know|hear))",
        r"\b(?:could|can|would) you (?:please )?(?:provide|specify)\b.{0,30}\b(?:your|recipient|contact|content|details"
        r"|more (?:details|information)|exact)\b",
        r"\bplease (?:provide|specify) (?:me with )?(?:the|your|more)\b",
    ),
    "claims to have used the phone for somebody": any_of(
        rf"\bI(?:['’]ve| have) (?:just |now |also )?successfully {_ACTED}\b",
        rf"\bI(?:['’]ve| have) (?:just |now |also )*{_ACTED}\b[^.!?]{{0,80}}\b(?:for you|your {_THINGS})\b",
        rf"\byour (?:\w+ ){{0,2}}{_THINGS} (?:has|have) (?:now |just )?been (?:successfully )?{_ACTED}\b",
        rf"\b(?:I['’]ll|I will|I can|let me|I['’]m going to) (?:now |just |go ahead and |quickly )?{_ACT}\b"
        r"[^.!?]{0,80}\bfor you\b",
        rf"\blet me (?:just |quickly )?(?:{_ACT}) (?:\w+ ){{0,2}}your (?:\w+ )?{_THINGS}s?\b",
    ),
    "calls itself an assistant": any_of(
        r"\bas an? (?:AI|artificial|virtual|language model|assistant|digital)\b",
        r"\bI(?:['’]m| am) (?:an?|your|the) (?:AI|virtual|language model|assistant|digital|artificial|helpful)\b",
        r"\bas your (?:\w+ )?assistant\b",
        r"^\W*(?:assistant|AI)\W*:",
    ),
}
_CLAIMED_ACT = any_of(
    rf"\bI(?:['’]ve| have) (?:just |now |also )*{_ACTED}\b[^.!?]{{0,40}}\b(?:the|a|that|this|it|to)\b"
)
_OWN_STORY = re.compile(
    r"\b(?:already|yesterday|ago|last|earlier|before|mistake|accident\w*|wrong|myself|once|never|think|thought|believe"
    r"|when|if|what|which|where|whether|that I|since|until|recently|today|this (?:morning|week))\b|\?",
    re.IGNORECASE,
)
_TOOL_CALL = re.compile(
    r"\b[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,6}\s?\(|</?(?:tool_call|function_call|tool_use|function)\b|\bend_conversation\b"
    r"|[\"'](?:name|tool|tool_name|function)[\"']\s?:\s?[\"']\w+[\"']|\bfunctions\.\w+|\[TOOL_CALLS\]",
)


def acting_as_assistant(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds what a user says in the role of the agent; what its script has it say is never held against it."""
    own = {tuple(words(sentence)) for text in conversation.script.lines for sentence in sentences(text)}
    said = [sentence for sentence in sentences(line.text) if tuple(words(sentence)) not in own]
    if (sign := next(filter(None, map(_sign, said)), None)) is not None:
        yield sign
    elif _TOOL_CALL.search(line.text):
        yield "writes a tool call as text"


def _sign(sentence: str) -> str | None:
    for sign, pattern in _SIGNS.items():
        if pattern.search(sentence):
            return sign
    if _CLAIMED_ACT.search(sentence) and not _OWN_STORY.search(sentence):
        return "claims to have used the phone for somebody"
    return None
