"""Acting as the assistant: a user that offers help, claims to have used the phone's tools, or writes tool calls."""

import re
from collections.abc import Iterator

from tool_sandbox.answers.dialogue import ACT, ACTED, sentences
from tool_sandbox.fidelity.conversation import Conversation, Line
from tool_sandbox.fidelity.texts import words

_ACT = rf"(?:{ACT}|message|search|look (?:up|for)|find|convert|calculate|check)"
_ACTED = rf"(?:{ACTED}|searched|looked up|found|converted|calculated)"
_I_HAVE_ACTED = rf"\bI(?:'ve| have) (?:just |now |also )*{_ACTED}\b"
_THINGS = r"(?:message|text|contact|reminder|number|entry|wifi|wi-fi|cellular|location|battery|request|task|note|list)"
_YOU_NEED = r"you(?:'d| would)? (?:need|like|want|have any)"

_OWN_STORY = (
    r"\b(?:already|yesterday|ago|last|earlier|before|mistake|accident\w*|wrong|myself|once|never|think|thought|believe"
    r"|when|if|what|which|where|whether|that I|since|until|recently|today|this (?:morning|week))\b|\?"
)
_SIGNS = (
    r"\b(?:how (?:can|may|could) I (?:help|assist)|(?:can|may|could) I (?:help|assist) (?:you|with))\b",
    rf"\banything else (?:that )?(?:I can|{_YOU_NEED})\b",
    rf"\b(?:let me know|feel free|just ask|reach out)\b.{{0,60}}\b(?:{_YOU_NEED}|anything else|any(?: other)? questions"
    r"|further|assistance)\b",
    r"\bif (?:you (?:need|have)|there'?s) (?:anything|any|something) (?:else|other|more|further)\b",
    r"\b(?:happy|glad|here|pleased|ready|able) to (?:help|assist)\b(?! me\b)",
    rf"\b(?:would|do) you (?:like|want) me to (?:also |go ahead and )?{_ACT}\b",
    r"\bwh(?:o|om|at|ich|en|ere)\b[^.?!]{0,40} would you like (?:me to|to|the|your|this|that)\b(?! (?:know|hear))",
    r"\b(?:could|can|would) you (?:please )?(?:provide|specify)\b.{0,30}\b(?:your|recipient|contact|content|details"
    r"|more information|exact)\b|\bplease (?:provide|specify) (?:me with )?(?:the|your|more)\b",
    rf"\bI(?:'ve| have) (?:just |now |also )*successfully {_ACTED}\b",
    rf"{_I_HAVE_ACTED}[^.!?]{{0,80}}\b(?:for you|your {_THINGS})\b",
    rf"^(?!.*(?:{_OWN_STORY})).*{_I_HAVE_ACTED}[^.!?]{{0,40}}\b(?:the|a|that|this|it|to)\b",
    rf"\byour (?:\w+ ){{0,2}}{_THINGS} (?:has|have) (?:now |just )?been (?:successfully )?{_ACTED}\b",
    rf"\b(?:I'll|I will|I can|let me|I'm going to) (?:now |just |go ahead and |quickly )?{_ACT}\b[^.!?]{{0,80}}"
    r"\bfor you\b",
    rf"\blet me (?:just |quickly )?{_ACT} (?:\w+ ){{0,2}}your (?:\w+ )?{_THINGS}s?\b",
    r"\b(?:as|I(?:'m| am)) (?:an?|your|the) (?:AI|artificial|virtual|language model|assistant|digital|helpful)\b",
    r"\bas your (?:\w+ )?assistant\b|^\W*(?:assistant|AI)\W*:",
    r"\b(?-i:[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,6}\s?\()|</?(?:tool_call|function_call|tool_use|function)\b",
    r"[\"'](?:name|tool|tool_name|function)[\"']\s?:\s?[\"']\w+[\"']|\bfunctions\.\w+|\[TOOL_CALLS\]",
    r"\bend_conversation\b",
)
"""Offers of help, questions that the assistant has to ask, claims to have used the phone, tool calls as text."""
_SIGN = re.compile("|".join(_SIGNS), re.IGNORECASE)


def acting_as_assistant(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds what a user says in the role of the agent; what its script has it say is never held against it."""
    own = [words(sentence) for text in conversation.script.lines for sentence in sentences(text)]
    said = (sentence for sentence in sentences(line.text.replace("’", "'")) if words(sentence) not in own)
    if (sign := next(filter(None, map(_SIGN.search, said)), None)) is not None:
        yield f"speaks as the assistant: {sign.group()!r}"
